//! A mailbox holds a multiple of 16 bytes.

use ptx::cluster::{ByTile, Mailbox};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, mailbox: Mailbox<u32, 3, ByTile>) {
    let _mailbox = mailbox.init(cta);
}
