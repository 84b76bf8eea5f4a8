//! A refusal leaves nothing to ask with.

use ptx::clusterlaunchcontrol::{Answer, Closed, Queue};
use ptx::launch::Cta;

pub fn body<'s>(cta: &'s Cta, queue: Queue<'s>) -> Closed<'s> {
    match queue.request(cta).wait(cta) {
        Answer::NoMore(closed) => closed,
        Answer::Cancelled { queue, .. } => queue.close(),
    }
}
