//! An acknowledged tile is not readable: the sender may overwrite it.

use ptx::cluster::ChannelReleased;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, released: ChannelReleased<'c, u32, 128, ()>) -> Option<u32> {
    #[cfg(not(fixed))]
    {
        let _acknowledged = released.acknowledge(cta);
        released.into_received().get(0)
    }
    #[cfg(fixed)]
    {
        let received = released.into_received();
        let first = received.get(0);
        let _acknowledged = received.acknowledge(cta);
        first
    }
}
