//! `init_with` is an `init` with contents.

use ptx::cluster::{ByTile, Mailbox};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, mailbox: Mailbox<u32, 128, ByTile>) {
    let _mailbox = mailbox.init_with(cta, |_| 0);
}
