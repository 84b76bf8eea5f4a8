//! A tile whose sender has been told is no longer there.

use ptx::cluster::ChannelReleased;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, released: ChannelReleased<'c, u32, 128, ()>) -> Option<u32> {
    let _acknowledged = released.acknowledge(cta);
    released.into_received().get(0)
}
