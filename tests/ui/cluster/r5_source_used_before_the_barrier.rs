//! One thread knows that a source has been read; the other threads know after the shared barrier. The sender of a channel is told
//! after a barrier too.

use ptx::cluster::{ChannelAcknowledged, ChannelReceived};
use ptx::group::Cta;
use ptx::shared::{Fenced, Shared};

type Tile<'c> = Shared<'c, f32, 64, Fenced>;

pub fn reclaimed<'c>(cta: &Cta, acknowledged: ChannelAcknowledged<'c, f32, 64, Tile<'c>>) -> Tile<'c> {
    #[cfg(not(fixed))]
    {
        acknowledged.reclaim(cta).1
    }
    #[cfg(fixed)]
    {
        acknowledged.reclaim(cta).1.sync(cta)
    }
}

pub fn acknowledged_while_others_read<'c>(
    cta: &Cta,
    received: ChannelReceived<'c, f32, 64, Tile<'c>>,
) -> ChannelAcknowledged<'c, f32, 64, Tile<'c>> {
    #[cfg(not(fixed))]
    {
        received.release().acknowledge(cta)
    }
    #[cfg(fixed)]
    {
        received.release().sync(cta).acknowledge(cta)
    }
}
