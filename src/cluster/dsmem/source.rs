//! What DSMEM buffers are filled from.

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

/// What a tile came from, and what that is once every CTA of the cluster has received: a DSMEM buffer that a tile was forwarded
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
    fn when_read(self, _: Token) -> Self {
        self
    }
}
// SAFETY: DSMEM buffers are aligned to 128 bytes, and nobody sends into one that is no `Inbox`. 9.7.9.25.2: "Accessing the same
// memory location across multiple proxies needs a cross-proxy fence". The leader, which starts the copy, has waited for
// what was written. `ByTile`: the async proxy alone has written since the DSMEM buffer was made ready, behind such a fence; that the
// completion of another CTA's copy serves this CTA's is an assumption of docs/SOUNDNESS.md. `ByElement`: threads have written, so the
// fence stands here.
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

/// What a wait gives back, and what that is behind a barrier of the cluster of the scope `'c`: a DSMEM buffer is ready for more.
///
/// # Safety
///
/// Implemented here only: [`made_ready`](Releasable::made_ready) is what it says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no DSMEM buffer of tiles or words to release",
    label = "nothing that a barrier of the cluster makes ready",
    note = "`release_at_sync` is for what `wait_read_at_sync` gives: DSMEM buffers, shared memory, and the group of the destinations"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Releasable<'c> {
    /// What it is then.
    #[doc(hidden)]
    type Released;
    /// With a token: who calls it has passed a barrier of the cluster.
    #[doc(hidden)]
    fn made_ready(self, token: Token) -> Self::Released;
}

// SAFETY: as `Received::release`.
unsafe impl<'c, T, const N: usize, Src: Origin> Releasable<'c> for Received<'c, T, N, ByTile, Src> {
    type Released = (Inbox<'c, T, N, ByTile>, Src::Back);
    #[inline(always)]
    fn made_ready(self, token: Token) -> Self::Released {
        self.back(token)
    }
}
// SAFETY: as `Received::release`.
unsafe impl<'c, T, const N: usize> Releasable<'c> for Received<'c, T, N, ByElement, ()> {
    type Released = Inbox<'c, T, N, ByElement>;
    #[inline(always)]
    fn made_ready(self, _: Token) -> Self::Released {
        self.inbox
    }
}
// SAFETY: it stays what it is.
unsafe impl<T, const N: usize, State> Releasable<'_> for Shared<'_, T, N, State> {
    type Released = Self;
    #[inline(always)]
    fn made_ready(self, _: Token) -> Self {
        self
    }
}
// SAFETY: it stays what it is.
unsafe impl<Destinations> Releasable<'_> for BulkGroup<Destinations, ReadDone> {
    type Released = Self;
    #[inline(always)]
    fn made_ready(self, _: Token) -> Self {
        self
    }
}
// SAFETY: both are.
unsafe impl<'c, A: Releasable<'c>, B: Releasable<'c>> Releasable<'c> for (A, B) {
    type Released = (A::Released, B::Released);
    #[inline(always)]
    fn made_ready(self, token: Token) -> Self::Released {
        (self.0.made_ready(token), self.1.made_ready(token))
    }
}

impl<Handles> AfterSync<Handles> {
    /// Releases the DSMEM buffers that a copy has read, at a barrier of the cluster ([`Cluster::sync_with`]): the wait for the copy needs no
    /// barrier of its own. A tile comes back as from [`Received::release`], with what the DSMEM buffer was filled from; words as their
    /// [`Inbox`]; all else as it is.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, cluster::{ByTile, Cluster, Received}, global::GlobalTileMut};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, f32, 64, ByTile, ()>, dst: GlobalTileMut<f32, 64>) {
    /// # let cta = cluster.cta();
    /// let store = bulk::store(cta, received, dst).commit(cta);
    /// // One barrier: this CTA has stored its tile, and all CTAs have read theirs.
    /// let ((_inbox, ()), _writing) = cluster.sync_with(store.wait_read_at_sync(cta).release_at_sync());
    /// # }
    /// ```
    #[inline(always)]
    pub fn release_at_sync<'c>(self) -> AfterSync<Handles::Released, Cluster<'c>>
    where
        Handles: Releasable<'c>,
    {
        // Each thread has given up its handle, and done what comes before the barrier of the CTA: a barrier of the cluster is one.
        AfterSync::new(Transitions::<Cta>::handles(self, Passed::NEW).made_ready(Token::NEW))
    }
}
