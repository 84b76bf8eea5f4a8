//! After `inval` there is no mbarrier.

use ptx::cluster::{ByTile, Mailbox};
use ptx::launch::Cta;
use ptx::mbarrier::Ready;

pub fn kernel(cta: &mut Cta, mailbox: Mailbox<u32, 128, ByTile, Ready>) {
    let mailbox = mailbox.inval(cta).init(cta);
    cta.cluster(mailbox, |cluster, inbox| (cluster, inbox));
}
