//! A mailbox is initialised once, and invalidated only then.

use ptx::cluster::{ByTile, Mailbox};
use ptx::launch::Cta;
use ptx::mbarrier::Ready;

pub fn kernel(cta: &Cta, ready: Mailbox<u32, 128, ByTile, Ready>, uninit: Mailbox<u32, 128, ByTile>) {
    let _again = ready.init(cta);
    let _nothing = uninit.inval(cta);
}
