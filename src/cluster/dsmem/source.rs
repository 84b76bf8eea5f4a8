//! Sources of sends to DSMEM buffers, and the states in which sources come back.

use super::{ChannelReceived, Inbox, Received, Via};
use crate::async_group::Token;
use crate::bulk::{CopySource, Source};
use crate::global::GlobalTile;
use crate::group::Cta;
use crate::qualifier::{Sealed, space};
use crate::raw;
use crate::shared::{Element, Shared};
use crate::tensor::{LoadShape, TensorTile};

/// Sources of a send into a DSMEM buffer, each with the state in which it comes back once every CTA of the cluster has received.
/// A DSMEM buffer from which a tile was forwarded becomes an `Inbox` again.
#[cfg_attr(doc, doc(hidden))]
pub trait Origin: Sealed {
    /// The source in that state.
    type Back;
    /// Gives the source back in that state, once every CTA of the cluster has received. The token says that the caller has passed
    /// a barrier of the cluster after the wait for the tile.
    #[doc(hidden)]
    fn back(self, token: Token) -> Self::Back;
}

macro_rules! come_back_as_they_are {
    ($( [ $($param:tt)* ] $Origin:ty; )*) => { $(
        impl<$($param)*> Origin for $Origin {
            type Back = Self;
            #[inline(always)]
            fn back(self, _: Token) -> Self {
                self
            }
        }
    )* };
}
// A `TensorTile` holds no shared memory, so its use needs no end.
crate::group::nothing_to_end! { [T, S: LoadShape] TensorTile<T, S>; }

come_back_as_they_are! {
    [] ();
    [T, const N: usize, State] Shared<'_, T, N, State>;
    [T, const N: usize] GlobalTile<T, N>;
    [T, S: LoadShape] TensorTile<T, S>;
    [T, const N: usize, Src] ChannelReceived<'_, T, N, Src>;
}

impl<T, const N: usize, Fill: Via, Src> Sealed for Received<'_, T, N, Fill, Src> {}
impl<T, const N: usize, Fill: Via, Src> Source for Received<'_, T, N, Fill, Src> {
    type Group = Cta;
    type Read = Self;
    #[inline(always)]
    fn when_read(self, _: Token) -> Self {
        self
    }
}
// SAFETY: DSMEM buffers are aligned to 128 bytes, and nothing is sent into one that is not an `Inbox`. 9.7.9.25.2: "Accessing the
// same memory location across multiple proxies needs a cross-proxy fence". The leader, which starts the copy, has waited for the
// data. `ByTile`: since the buffer was made ready and fenced, only the async proxy has written the tile; that the completion of
// another CTA's copy suffices for this CTA's copy is assumption A8 of docs/SOUNDNESS.md. `ByElement`: threads have written the
// elements, so this function fences (A9).
unsafe impl<T: Element, const N: usize, Fill: Via, Src> CopySource<T, N> for Received<'_, T, N, Fill, Src> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        if const { Fill::BY_THREADS } {
            raw::fence_proxy_async(space::SharedCta);
        }
        self.addr()
    }
    #[inline(always)]
    fn place(&self) -> u32 {
        self.addr()
    }
}
impl<'c, T, const N: usize, Fill: Via, Src: Origin> Origin for Received<'c, T, N, Fill, Src> {
    type Back = (Inbox<'c, T, N, Fill>, Src::Back);
    #[inline(always)]
    fn back(self, token: Token) -> Self::Back {
        (self.inbox, self.src.back(token))
    }
}
