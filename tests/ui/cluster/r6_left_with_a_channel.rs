//! A scope does not end with a channel: the channels of the others may not have come to their end.

use ptx::cluster::{ByRoute, Mailbox};
use ptx::launch::{Cta, trap};
use ptx::mbarrier::Ready;

pub fn kernel(cta: &mut Cta, mailbox: Mailbox<u32, 128, ByRoute, Ready>) {
    cta.cluster(mailbox, |cluster, inbox| {
        let Some(route) = cluster.rotation(1) else { trap() };
        let channel = inbox.along(route);
        (cluster, channel)
    });
}
