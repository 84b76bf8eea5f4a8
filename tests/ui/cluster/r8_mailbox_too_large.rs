//! All other CTAs may send to a mailbox at once: their bytes together are what the mbarrier counts.

use ptx::cluster::{ByElement, Mailbox};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, mailbox: Mailbox<u64, 10000, ByElement>) {
    let _mailbox = mailbox.init(cta, |_| 0);
}
