//! A queue asks once at a time.

use ptx::clusterlaunchcontrol::{Closed, Queue};
use ptx::launch::Cta;

use ptx::clusterlaunchcontrol::Answer;

pub fn body<'s>(cta: &'s Cta, queue: Queue<'s>) -> Closed<'s> {
    let request = queue.request(cta);
    match request.wait(cta) {
        Answer::Cancelled { queue, .. } => queue.close(),
        Answer::NoMore(closed) => closed,
    }
}
