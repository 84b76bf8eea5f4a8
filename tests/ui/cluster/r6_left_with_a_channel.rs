//! A scope cannot end with an open channel: the channels of other CTAs may not have ended.

use ptx::cluster::{ByChannel, DsmemBuffer};
use ptx::group::Cta;
use ptx::mbarrier::Ready;
use ptx::trap;

pub fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 128, ByChannel, Ready>) {
    cta.cluster_scope(buffer, |cluster, inbox| {
        let Some(permutation) = cluster.rotation(1) else { trap() };
        #[cfg(not(fixed))]
        {
            let channel = inbox.into_channel(permutation);
            (cluster, channel)
        }
        #[cfg(fixed)]
        {
            let inbox = inbox.into_channel(permutation).into_inbox().sync(&cluster);
            (cluster, inbox)
        }
    });
}
