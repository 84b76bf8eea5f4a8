//! Sources of sends to DSMEM buffers, and the states in which sources come back.

use super::{ByElement, ByTile, ChannelReceived, Inbox, Received, Via};
use crate::async_group::Token;
use crate::bulk::{BulkGroup, CopySource, ReadDone, Source};
use crate::cluster::Cluster;
use crate::global::GlobalTile;
use crate::group::{AfterSync, Cta, Passed, Transitions};
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

impl<T, const N: usize, V: Via, Src> Sealed for Received<'_, T, N, V, Src> {}
impl<T, const N: usize, V: Via, Src> Source for Received<'_, T, N, V, Src> {
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
unsafe impl<T: Element, const N: usize, V: Via, Src> CopySource<T, N> for Received<'_, T, N, V, Src> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        if const { V::BY_THREADS } {
            raw::fence_proxy_async(space::SharedCta);
        }
        self.addr()
    }
}
impl<'c, T, const N: usize, V: Via, Src: Origin> Origin for Received<'c, T, N, V, Src> {
    type Back = (Inbox<'c, T, N, V>, Src::Back);
    #[inline(always)]
    fn back(self, token: Token) -> Self::Back {
        (self.inbox, self.src.back(token))
    }
}

/// Handles that a copy has read, and their states after a barrier of the cluster of the scope `'c`: a DSMEM buffer is ready to be
/// filled.
///
/// # Safety
///
/// Implemented here only: [`made_ready`](Releasable::made_ready) gives handles in states that hold after a barrier of the
/// cluster.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no received DSMEM buffer to release",
    label = "a barrier of the cluster makes nothing ready here",
    note = "call `release_at_sync` on the result of `wait_read_at_sync`: DSMEM buffers, shared memory, and the group of the destinations"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Releasable<'c> {
    /// The handles in those states.
    #[doc(hidden)]
    type Released;
    /// Gives the handles in their states after a barrier of the cluster. The token says that the caller has passed a barrier of
    /// the cluster.
    #[doc(hidden)]
    fn made_ready(self, token: Token) -> Self::Released;
}

// SAFETY: the transition of `Received::release`: after the barrier every CTA has received and read.
unsafe impl<'c, T, const N: usize, Src: Origin> Releasable<'c> for Received<'c, T, N, ByTile, Src> {
    type Released = (Inbox<'c, T, N, ByTile>, Src::Back);
    #[inline(always)]
    fn made_ready(self, token: Token) -> Self::Released {
        self.back(token)
    }
}
// SAFETY: the transition of `Received::release`: after the barrier every CTA has received and read.
unsafe impl<'c, T, const N: usize> Releasable<'c> for Received<'c, T, N, ByElement, ()> {
    type Released = Inbox<'c, T, N, ByElement>;
    #[inline(always)]
    fn made_ready(self, _: Token) -> Self::Released {
        self.inbox
    }
}
// SAFETY: the handle keeps its state.
unsafe impl<T, const N: usize, State> Releasable<'_> for Shared<'_, T, N, State> {
    type Released = Self;
    #[inline(always)]
    fn made_ready(self, _: Token) -> Self {
        self
    }
}
// SAFETY: the handle keeps its state.
unsafe impl<Destinations> Releasable<'_> for BulkGroup<Destinations, ReadDone> {
    type Released = Self;
    #[inline(always)]
    fn made_ready(self, _: Token) -> Self {
        self
    }
}
// SAFETY: each of the two handles is `Releasable`.
unsafe impl<'c, A: Releasable<'c>, B: Releasable<'c>> Releasable<'c> for (A, B) {
    type Released = (A::Released, B::Released);
    #[inline(always)]
    fn made_ready(self, token: Token) -> Self::Released {
        (self.0.made_ready(token), self.1.made_ready(token))
    }
}

impl<Handles> AfterSync<Handles> {
    /// Releases DSMEM buffers that a copy has read, at a barrier of the cluster ([`Cluster::sync_with`]), so the wait for the
    /// copy needs no barrier of its own.
    ///
    /// A received tile comes back as from [`Received::release`]: as its [`Inbox`] and its [`source`](Received::source). A
    /// received [`ByElement`] buffer comes back as its [`Inbox`]. Other handles come back unchanged.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, cluster::{ByTile, Cluster, Received}, global::GlobalTileMut};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, f32, 64, ByTile, ()>, dst: GlobalTileMut<f32, 64>) {
    /// # let cta = cluster.cta();
    /// let store = bulk::store(cta, received, dst).commit(cta);
    /// // One barrier: the store has read this CTA's tile, and the other CTAs are done with theirs.
    /// let ((_inbox, ()), _writing) = cluster.sync_with(store.wait_read_at_sync(cta).release_at_sync());
    /// # }
    /// ```
    #[inline(always)]
    pub fn release_at_sync<'c>(self) -> AfterSync<Handles::Released, Cluster<'c>>
    where
        Handles: Releasable<'c>,
    {
        // A barrier of the cluster includes that of the CTA: each thread has given up its handle, and done the first half of the
        // transition.
        AfterSync::new(Transitions::<Cta>::handles(self, Passed::NEW).made_ready(Token::NEW))
    }
}
