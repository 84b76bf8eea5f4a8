//! What bulk copies read from shared memory.

use crate::async_group::Token;
use crate::qualifier::Sealed;
use crate::shared::{AsyncSource, Element, Fenced, Shared};

/// What a copy from shared memory owns while it reads.
#[cfg_attr(doc, doc(hidden))]
pub trait Source: Sealed {
    /// The threads that hold it.
    #[doc(hidden)]
    type Group;
    /// What it is once the copy has read it.
    #[doc(hidden)]
    type Read;
    /// With a token: who calls it has waited until the copy has read, and a barrier tells the other threads.
    #[doc(hidden)]
    fn when_read(self, token: Token) -> Self::Read;
}

/// A tile in shared memory that a bulk copy can read: what [`store`](super::store()) writes to global memory, and what
/// [`Inbox::send`](crate::cluster::Inbox::send) writes to another CTA.
///
/// # Safety
///
/// Implemented here only: [`tile`](CopySource::tile) is what it says.
#[diagnostic::on_unimplemented(
    message = "a bulk copy cannot read `{Self}` here",
    label = "not a tile of {N} `{T}` in shared memory",
    note = "a copy reads as many elements of the same type as it writes, from `Shared` memory or from what a DSMEM buffer or a channel has received",
    note = "call `.receive(cta)` on what is `Sent`; an `AfterSync` comes out of `cta.sync_with(…)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait CopySource<T, const N: usize>: Source {
    /// Its address: `N` elements in shared memory of the CTA, aligned to 128 bytes, and not written while this value lasts.
    /// For the thread that makes this call, and starts the copy then, the async proxy sees them.
    #[doc(hidden)]
    fn tile(&self) -> u32;
}

impl<T, const N: usize, State, G> Sealed for Shared<'_, T, N, State, G> {}
impl<'s, T: Element, const N: usize, State, G> Source for Shared<'s, T, N, State, G> {
    type Group = G;
    type Read = Shared<'s, T, N, Fenced, G>;
    #[inline(always)]
    fn when_read(self, _: Token) -> Self::Read {
        self.into_state()
    }
}
// SAFETY: arrays are aligned to 128 bytes; in these states the async proxy sees them, and nobody writes.
unsafe impl<T: Element, const N: usize, State: AsyncSource, G> CopySource<T, N>
    for Shared<'_, T, N, State, G>
{
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.addr()
    }
}
