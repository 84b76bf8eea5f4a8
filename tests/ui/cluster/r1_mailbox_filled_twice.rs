//! Its mbarrier is initialised once: the first contents are given then.

use ptx::cluster::{ByTile, Mailbox};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, mailbox: Mailbox<u32, 128, ByTile>) {
    let mailbox = mailbox.init(cta);
    let _mailbox = mailbox.init_with(cta, |_| 0);
}
