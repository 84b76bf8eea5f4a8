//! A queue asks once at a time.

use ptx::clusterlaunchcontrol::{Closed, Queue};
use ptx::launch::Cta;

pub fn body<'s>(cta: &'s Cta, queue: Queue<'s>) -> Closed<'s> {
    let _request = queue.request(cta);
    queue.close()
}
