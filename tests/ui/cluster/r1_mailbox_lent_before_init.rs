//! A mailbox's mbarrier is initialised before the cluster's scope, whose first barrier tells the others.

use ptx::cluster::{ByTile, Mailbox};
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, mailbox: Mailbox<u32, 128, ByTile>) {
    cta.cluster(mailbox, |cluster, inbox| (cluster, inbox));
}
