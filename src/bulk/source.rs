//! The sources of bulk copies from shared memory.

use crate::async_group::Token;
use crate::group::ThreadGroup;
use crate::qualifier::Sealed;
use crate::shared::{AsyncSource, Element, Free, Shared};

/// A handle of shared memory that a bulk copy owns while the copy reads the memory.
#[cfg_attr(doc, doc(hidden))]
pub trait Source: Sealed {
    /// The threads that hold the handle.
    #[doc(hidden)]
    type Group;
    /// The handle after the copy has read the memory.
    #[doc(hidden)]
    type Read;
    /// Returns the handle in its state after the copy has read the memory. The token proves that the caller has waited for the
    /// reads, and that a barrier tells the other threads.
    #[doc(hidden)]
    fn when_read(self, token: Token) -> Self::Read;
}

/// A tile in shared memory that a bulk copy can read: [`store`](super::store()) writes the tile to global memory, and
/// [`Inbox::send`](crate::cluster::Inbox::send) writes the tile to another CTA (DSMEM).
///
/// # Safety
///
/// Implemented in this crate only: [`tile`](CopySource::tile) returns an address that meets its description.
#[diagnostic::on_unimplemented(
    message = "a bulk copy cannot read `{Self}` here",
    label = "not a tile of {N} `{T}` in shared memory",
    note = "pass `Shared` memory, or the tile that a DSMEM buffer or a channel has received, with the length and the element type of the destination",
    note = "call `.receive(cta)` on a `Sent` buffer; call `.sync(cta)` on an `AfterSync`, which gives its handle"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait CopySource<T, const N: usize>: Source {
    /// Returns the address of the tile: `N` elements in shared memory of the CTA, aligned to 128 bytes, that are not written
    /// while this value lasts. The async proxy sees the elements if the thread that makes this call then starts the copy.
    #[doc(hidden)]
    fn tile(&self) -> u32;
    /// The address of the tile, without effects on what the async proxy sees.
    #[doc(hidden)]
    #[inline(always)]
    fn place(&self) -> u32 {
        self.tile()
    }
}

impl<T, const N: usize, State, G> Sealed for Shared<'_, T, N, State, G> {}
impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Source for Shared<'s, T, N, State, G> {
    type Group = G;
    type Read = Shared<'s, T, N, Free, G>;
    #[inline(always)]
    fn when_read(self, _: Token) -> Self::Read {
        self.into_state()
    }
}
// SAFETY: shared arrays are aligned to 128 bytes. In an `AsyncSource` state the async proxy sees all stores; no thread writes.
unsafe impl<T: Element, const N: usize, State: AsyncSource, G: ThreadGroup> CopySource<T, N>
    for Shared<'_, T, N, State, G>
{
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.addr()
    }
}
