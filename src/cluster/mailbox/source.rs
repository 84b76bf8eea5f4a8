//! What mailboxes are filled from.

use super::{ByTile, ChannelReceived, Inbox, Received};
use crate::async_group::Token;
use crate::global::GlobalTile;
use crate::qualifier::Sealed;
use crate::shared::{AsyncSource, Element, Shared};
use crate::tensor::{LoadShape, TensorTile};

/// Tiles in shared memory that the async proxy sees: what a bulk copy sends to another CTA.
///
/// # Safety
///
/// Implemented here only: [`tile`](Sendable::tile) is what it says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tile of {N} `{T}` to send",
    label = "not a tile of {N} `{T}`",
    note = "a mailbox takes tiles of its own length and type that the async proxy sees: `Shared` memory, or what another mailbox `ByTile` or a channel has received"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Sendable<T, const N: usize> {
    /// Its address: `N` elements in shared memory of the CTA, visible to the async proxy, aligned to 128 bytes, and not
    /// written while this value lasts.
    #[doc(hidden)]
    fn tile(&self) -> u32;
}

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

impl<T, const N: usize, State> Sealed for Shared<'_, T, N, State> {}
// SAFETY: arrays are aligned to 128 bytes; in these states the async proxy sees them, and nobody writes.
unsafe impl<T: Element, const N: usize, State: AsyncSource> Sendable<T, N> for Shared<'_, T, N, State> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.addr()
    }
}

impl<T, const N: usize, Src> Sealed for Received<'_, T, N, ByTile, Src> {}
// SAFETY: mailboxes are aligned to 128 bytes, and nobody sends into one that is no `Inbox`. Since the mailbox was made ready, behind a
// proxy fence, copies of other CTAs alone have written it. The elected thread, which starts the next copy, has observed that they are complete:
// 9.7.9.25.2, "The completion of a `cp{.reduce}.async.bulk` operation is followed by an implicit generic-async proxy fence". That
// the next copy needs no other is an assumption of docs/SOUNDNESS.md.
unsafe impl<T: Element, const N: usize, Src> Sendable<T, N> for Received<'_, T, N, ByTile, Src> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.inbox.addr
    }
}
impl<'c, T, const N: usize, Src: Origin> Origin for Received<'c, T, N, ByTile, Src> {
    type Back = (Inbox<'c, T, N, ByTile>, Src::Back);
    #[inline(always)]
    fn back(self, token: Token) -> Self::Back {
        (self.inbox, self.src.back(token))
    }
}
