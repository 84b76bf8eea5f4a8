//! A tile of shared memory with the mbarrier that its loads complete on.

use core::ops::Deref;

use super::{CopySource, Load, LoadSource, LoadWith, Source, load, load_with};
use crate::async_group::Token;
use crate::group::{AfterSync, Cta, End, Transitions};
use crate::mbarrier::{Mbarrier, Ready, Uninit};
use crate::qualifier::{Sealed, space};
use crate::raw;
use crate::shared::{
    ALIGN, AsyncSource, Element, Ended, Fenced, Free, Lendable, Loaded, Place, Readable, Scoped, Shared,
    SharedArray, Written,
};
use crate::size;

/// The shared memory of a tile that is loaded again and again: `N` elements, and the mbarrier on which the loads complete. A field
/// of [`shared_memory!`](crate::shared_memory).
///
/// A scope ([`Cta::finish`], [`Cta::async_scope`]) initializes the mbarrier and lends the memory as a [`LoadTile`]. For several
/// tiles on one mbarrier, for sources that threads write, and for tiles of one thread there are [`Mbarrier`] and
/// [`bulk::load`](super::load()).
///
/// ```
/// use ptx::{bulk::LoadBuffer, global::Tiles, group::Cta};
/// ptx::shared_memory! { struct Smem { tile: LoadBuffer<f32, 1024> } }
/// /// Adds up element 0 of all tiles.
/// fn sum(cta: Cta, smem: Smem, tiles: Tiles<f32, 1024>, sum: &mut f32) {
///     cta.finish(smem.tile, |cta, mut free| {
///         for tile in (0..tiles.count()).filter_map(|i| tiles.get(i)) {
///             let full = free.load(cta, tile).wait(cta);
///             *sum += full.get(0).unwrap_or(0.0);
///             free = full.release().sync(cta);
///         }
///         free.end()
///     });
/// }
/// ```
#[derive(Debug)]
pub struct LoadBuffer<T, const N: usize> {
    tile: SharedArray<T, N>,
    bar: Mbarrier<Uninit>,
}

impl<T, const N: usize> LoadBuffer<T, N> {
    /// Where the mbarrier begins, after the elements.
    const BAR: usize = size::aligned(size::bytes::<T, N>(), <Mbarrier<Uninit> as Place>::ALIGN);
}

// SAFETY: the elements and the mbarrier take `SIZE` bytes from `addr` on.
unsafe impl<T: Element, const N: usize> Place for LoadBuffer<T, N> {
    const SIZE: u32 = size::shared(size::sum(Self::BAR, <Mbarrier<Uninit> as Place>::SIZE as usize));
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        // SAFETY: the elements and, from `BAR` on, the eight bytes of the mbarrier belong to the place, and are aligned.
        unsafe {
            LoadBuffer {
                tile: SharedArray::at(addr),
                bar: Mbarrier::at(addr + const { size::shared(Self::BAR) }),
            }
        }
    }
}

// SAFETY: `open` alone makes the first `LoadTile` of a scope, in an idle state; a copy in flight owns its `LoadTile`. `init` makes
// the mbarrier ready.
unsafe impl<T: Element, const N: usize> Scoped for LoadBuffer<T, N> {
    type InScope<'s> = LoadTile<'s, T, N, Free>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    const FILLED_BY_COPIES: bool = true;
    const INITIALIZED: bool = true;
    #[inline(always)]
    unsafe fn init_mbarriers(&self, cta: &Cta) {
        // SAFETY: the caller keeps the same clauses (`# Safety`).
        unsafe { Scoped::init_mbarriers(&self.bar, cta) }
    }
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        // SAFETY: the caller keeps the same clauses (`# Safety`).
        unsafe { LoadTile { tile: self.tile.open(), bar: self.bar.open() } }
    }
    #[inline(always)]
    unsafe fn inval_mbarriers(lent: &Self::InScope<'_>) {
        // SAFETY: the caller keeps the same clauses (`# Safety`).
        unsafe { <Mbarrier<Uninit> as Scoped>::inval_mbarriers(&lent.bar) }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        // SAFETY: the caller keeps the same clauses (`# Safety`).
        unsafe { LoadBuffer { tile: Scoped::give_back(lent.tile), bar: Scoped::give_back(lent.bar) } }
    }
}

// SAFETY: the memory is at rest, and holds no mbarrier before the scope.
unsafe impl<T: Element, const N: usize> Lendable for LoadBuffer<T, N> {}

/// A [`LoadBuffer`] in the scope `'s`: a tile in the `State` of its [`Shared`] memory, with a ready mbarrier.
///
/// ```text
///   LoadTile<Free> ── load, wait ──► LoadTile<Loaded> ── release ──────────────────────────► LoadTile<Free>
///         │ write_chunks                  │ update                                                ▲
///         └───────────────────────────────┴──────► LoadTile<Written> ── to_async ──► LoadTile<Fenced>
///                                                            bulk::store, commit, wait_read ──────┘
/// ```
///
/// A loaded tile lends its elements as [`Shared`] memory, by `Deref`. Loaded and fenced tiles are sources of bulk copies, such as
/// [`bulk::store`](super::store()), and come back free.
#[must_use = "keep this handle: the scope has to return it"]
#[derive(Debug)]
pub struct LoadTile<'s, T, const N: usize, State> {
    tile: Shared<'s, T, N, State>,
    bar: Mbarrier<Ready>,
}

/// A load in flight into a [`LoadTile`] (`cp.async.bulk`).
#[must_use = "a copy in flight has to be waited for: call `.wait(cta)`"]
#[derive(Debug)]
pub struct Loading<'s, T, const N: usize, Src>(Load<Shared<'s, T, N, Free>, Src>);

/// A load in flight into a [`LoadTile`], whose phase also completes the transitions that [`LoadTile::load_with`] took.
#[must_use = "a copy in flight has to be waited for: call `.wait(cta)`"]
#[derive(Debug)]
pub struct LoadingWith<'s, T, const N: usize, Src, Tr>(LoadWith<Shared<'s, T, N, Free>, Src, Tr>);

impl<'s, T: Element, const N: usize> LoadTile<'s, T, N, Free> {
    /// Starts the bulk copy of `src` into this tile (TMA; `cp.async.bulk`): a tile or a slice of global memory, or a part of a
    /// tensor, that no thread writes, as for [`bulk::load`](super::load()).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`bulk::load`](super::load()).
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::device::memcpy_async_tx")]
    pub fn load<Src>(self, cta: &Cta, src: Src) -> Loading<'s, T, N, Src::Handle>
    where
        Src: LoadSource<Shared<'s, T, N, Free>, Handle: Copy>,
    {
        Loading(load(cta, self.bar, self.tile, src))
    }

    /// Starts the bulk copy of `src` as [`load`](LoadTile::load) does. The phase of this load serves, in place of a
    /// `__syncthreads()`, as the barrier of `transitions`: an [`AfterSync`], such as the end of a store from another tile, or a
    /// tuple. Every thread has done its part of them before it arrives in the phase.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`bulk::load`](super::load()).
    ///
    /// ```
    /// # use ptx::{bulk::{self, LoadBuffer}, global::{Tiles, TilesMut}, group::{AfterSync, Cta, Together}, shared::SharedArray};
    /// # type Memory = (LoadBuffer<f32, 512>, SharedArray<f32, 512>);
    /// # fn kernel(cta: Cta, memory: Memory, from: Tiles<f32, 512>, mut to: TilesMut<f32, 512>) {
    /// cta.finish(memory, |cta, (mut free, out)| {
    ///     // Nothing is stored yet in the first round.
    ///     let mut stored = AfterSync::ready(out);
    ///     while let Some((i, to)) = to.next_tile() {
    ///         let Some(from) = from.get(i) else { break };
    ///         // The phase of the load tells all threads that the store has read `out`.
    ///         let (full, out) = free.load_with(cta, from, stored).wait(cta);
    ///         let out = out.write(cta, |i| full.get(511 - i).unwrap_or(0.0));
    ///         let filled;
    ///         (free, filled) = (full.release(), out.to_async()).sync(cta);
    ///         stored = bulk::store(cta, filled, to).commit(cta).wait_read(cta);
    ///     }
    ///     (free.end(), stored.end())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn load_with<Src, Tr: Transitions<Cta>>(
        self,
        cta: &Cta,
        src: Src,
        transitions: Tr,
    ) -> LoadingWith<'s, T, N, Src::Handle, Tr>
    where
        Src: LoadSource<Shared<'s, T, N, Free>, Handle: Copy>,
    {
        LoadingWith(load_with(cta, self.bar, self.tile, src, transitions))
    }

    /// Stores into each chunk of adjacent vectors of the tile, as [`Shared::write_chunks`] does.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`Shared::write_chunks`].
    #[inline(always)]
    #[track_caller]
    pub fn write_chunks<const V: usize>(
        self,
        cta: &Cta,
        f: impl FnMut(usize) -> [T::Vector; V],
    ) -> LoadTile<'s, T, N, Written> {
        LoadTile { tile: self.tile.write_chunks(cta, f), bar: self.bar }
    }
}

impl<'s, T: Element, const N: usize, Src> Loading<'s, T, N, Src> {
    /// Waits until the copy has arrived in the tile, which the threads may then read (`mbarrier.try_wait`).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`Load::wait`].
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, cta: &Cta) -> LoadTile<'s, T, N, Loaded> {
        let (bar, tile, _) = self.0.wait(cta);
        LoadTile { tile, bar }
    }
}

impl<'s, T: Element, const N: usize, Src, Tr: Transitions<Cta>> LoadingWith<'s, T, N, Src, Tr> {
    /// Waits until the copy has arrived in the tile and all threads have made the call of [`LoadTile::load_with`]
    /// (`mbarrier.try_wait`). Returns the tile, and the handles of the transitions.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`Load::wait`].
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, cta: &Cta) -> (LoadTile<'s, T, N, Loaded>, Tr::Handles) {
        let (bar, tile, _, handles) = self.0.wait(cta);
        (LoadTile { tile, bar }, handles)
    }
}

impl<'s, T: Element, const N: usize> LoadTile<'s, T, N, Loaded> {
    /// Frees the tile for the next load, as [`Shared::release`] does, after the barrier.
    ///
    /// PTX: none.
    #[inline(always)]
    #[doc(alias = "sync")] // rustc suggests this method for `handle.sync(cta)`
    pub fn release(self) -> AfterSync<LoadTile<'s, T, N, Free>> {
        self.in_state()
    }
}

// For this state alone: a `Loaded` tile then has the `to_async` of its `Shared`, whose error says what to do.
impl<'s, T: Element, const N: usize> LoadTile<'s, T, N, Written> {
    /// Makes all threads' stores to the tile visible to async copies (TMA) after the barrier, as [`Shared::to_async`] does.
    ///
    /// PTX: `fence.proxy.async.shared::cta;`
    #[inline(always)]
    pub fn to_async(self) -> AfterSync<LoadTile<'s, T, N, Fenced>> {
        raw::fence_proxy_async(space::SharedCta);
        self.in_state()
    }
}

impl<'s, T: Element, const N: usize, State> LoadTile<'s, T, N, State> {
    /// Replaces each element of the tile, as [`Shared::update`] does, once all threads have finished their reads.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`Shared::update`].
    #[inline(always)]
    #[track_caller]
    pub fn update(self, cta: &Cta, f: impl FnMut(usize, T) -> T) -> LoadTile<'s, T, N, Written>
    where
        State: Readable,
    {
        LoadTile { tile: self.tile.update(cta, f), bar: self.bar }
    }

    /// Gives the tile up at the end of the kernel, in any state, and returns the proof that [`Cta::finish`] asks for.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'s, LoadBuffer<T, N>> {
        Ended::new()
    }

    /// The tile in its next state, after a barrier.
    #[inline(always)]
    fn in_state<Next>(self) -> AfterSync<LoadTile<'s, T, N, Next>> {
        AfterSync::new(LoadTile { tile: self.tile.into_state(), bar: self.bar })
    }
}

// SAFETY: a copy in flight owns its `LoadTile`, so no copy uses this memory.
unsafe impl<'s, T: Element, const N: usize, State> End for LoadTile<'s, T, N, State> {
    type Ended = Ended<'s, LoadBuffer<T, N>>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        LoadTile::end(self)
    }
}

impl<'s, T, const N: usize> Deref for LoadTile<'s, T, N, Loaded> {
    type Target = Shared<'s, T, N, Loaded>;
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.tile
    }
}

impl<T, const N: usize, State> Sealed for LoadTile<'_, T, N, State> {}
impl<'s, T: Element, const N: usize, State> Source for LoadTile<'s, T, N, State> {
    type Group = Cta;
    type Read = LoadTile<'s, T, N, Free>;
    #[inline(always)]
    fn when_read(self, token: Token) -> Self::Read {
        LoadTile { tile: self.tile.when_read(token), bar: self.bar }
    }
}
// SAFETY: the tile of the `Shared` meets the description.
unsafe impl<T: Element, const N: usize, State: AsyncSource> CopySource<T, N> for LoadTile<'_, T, N, State> {
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.tile.tile()
    }
}

handles! { LoadBuffer<u32, 4>, LoadTile<u32, 4, Free>, Loading<u32, 4, ()>, LoadingWith<u32, 4, (), ()> }
