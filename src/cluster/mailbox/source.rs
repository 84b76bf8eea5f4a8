//! What mailboxes are filled from.

use super::{ChannelReceived, Inbox, Received, Via};
use crate::async_group::Token;
use crate::bulk::{CopySource, Source};
use crate::global::GlobalTile;
use crate::group::Cta;
use crate::qualifier::{Sealed, space};
use crate::raw;
use crate::shared::{Element, Shared};
use crate::tensor::{LoadShape, TensorTile};

/// What a tile came from, and what that is once every CTA of the cluster has received: a mailbox that a tile was forwarded
/// from is free for another.
#[cfg_attr(doc, doc(hidden))]
pub trait Origin: Sealed {
    /// What it is then.
    type Back;
    /// With a token: who calls it has passed a barrier of the cluster that follows the wait for the tile.
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
// It holds no shared memory.
crate::group::nothing_to_end! { [T, S: LoadShape] TensorTile<T, S>; }

come_back_as_they_are! {
    [] ();
    [T, const N: usize, State] Shared<'_, T, N, State>;
    [T, const N: usize] GlobalTile<T, N>;
    [T, S: LoadShape] TensorTile<T, S>;
    [T, const N: usize, Src] ChannelReceived<'_, T, N, Src>;
}

impl<T, const N: usize, V: Via, Src> Sealed for Received<'_, T, N, V, Src> {}
impl<T, const N: usize, V: Via, Src> Source for Received<'_, T, N, V, Src> {
    type Group = Cta;
    type Read = Self;
    #[inline(always)]
    fn read(self, _: Token) -> Self {
        self
    }
}
// SAFETY: mailboxes are aligned to 128 bytes, and nobody sends into one that is no `Inbox`. 9.7.9.25.2: "Accessing the same
// memory location across multiple proxies needs a cross-proxy fence". The elected thread, which starts the copy, has waited for
// what was written. `ByTile`: the async proxy alone has written since the mailbox was made ready, behind such a fence.
// `ByElement`: threads have written, so the fence stands here.
unsafe impl<T: Element, const N: usize, V: Via, Src> CopySource<T, N> for Received<'_, T, N, V, Src> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        if const { V::BY_THREADS } {
            raw::fence_proxy_async(space::SharedCta);
        }
        self.inbox.addr
    }
}
impl<'c, T, const N: usize, V: Via, Src: Origin> Origin for Received<'c, T, N, V, Src> {
    type Back = (Inbox<'c, T, N, V>, Src::Back);
    #[inline(always)]
    fn back(self, token: Token) -> Self::Back {
        (self.inbox, self.src.back(token))
    }
}
