//! Non-bulk asynchronous copies (`cp.async`, 9.7.9.25.3): CUDA's `__pipeline_memcpy_async` and `cuda::memcpy_async`, with handles
//! that own the source and the destination of a copy until a wait.
//!
//! Every thread of the CTA copies its share of a tile, 16 bytes at a time: the same vectors that [`Shared::update`] gives to the
//! thread. The CTA waits for a group of copies, or for an mbarrier:
//!
//! ```text
//!   load ──► CpAsyncGroup<_, Uncommitted> ── commit ──► CpAsyncGroup<_, Committed> ── wait ──► Shared<Published>
//!               │      │    └─ and: more copies     │ then: further groups in flight, `InFlight`
//!               └─ arrive_on_noinc ──► Tracked ── wait ────────────────────────────────► Shared<Published>
//! ```
//!
//! `cp.async` writes through the generic proxy, as ordinary stores do: 9.7.9.25.2 places only the bulk copies in the async proxy.
//! So a copied tile is [`Published`]. A bulk copy takes the tile only after [`to_async`](Shared::to_async). `cp.async` takes the
//! tile again after [`release`](Shared::release), without a fence.
//!
//! Use `cp.async` for copies that [`bulk`](crate::bulk) copies cannot do: windows that reach beyond the slice, such as its last
//! elements, or that are not aligned to 16 bytes ([`load_window`]).
//!
//! [`CacheHint`] attaches an L2 cache policy to a tile or a window.
//!
//! ```
//! # use ptx::{cp_async, global::Tiles, group::Cta, shared::SharedArray};
//! # fn kernel(cta: Cta, memory: (SharedArray<f32, 1024>, SharedArray<f32, 1024>), src: Tiles<f32, 1024>) {
//! # let (Some(first), Some(second)) = (src.get(0), src.get(1)) else { return };
//! cta.finish(memory, |cta, (a, b)| {
//!     let queue = cp_async::load(cta, a, first).commit(cta).then(cta, cp_async::load(cta, b, second));
//!     let ((a, _), queue) = queue.wait_oldest().sync(cta); // `b` is still on its way
//!     let _x = a.get(0);
//!     let (b, _) = queue.wait().sync(cta);
//!     let _y = b.get(0);
//!     (a.end(), b.end())
//! });
//! # }
//! ```

use core::marker::PhantomData;

use crate::async_group::{self, InFlight, Queue, Token};
use crate::bulk::{Committed, Extendable, Uncommitted, WaitableAsyncGroup};
use crate::cache_policy::{Bare, CacheHint, CachePolicy, Hinted, L2Policy};
use crate::global::{Global, GlobalTile, GlobalTileMut, TileSource};
use crate::group::{AfterSync, Cta};
use crate::mbarrier::{Arrived, Mbarrier, Ready};
use crate::qualifier::{Sealed, cache_hint, cp_size, prefetch_size, space, zfill};
use crate::raw::{self, L2CacheHint};
use crate::shared::{Element, Overwritable, Published, Shared, for_each_own, for_each_vector, whole_vectors};
use crate::size;

/// The handles of a `cp.async` copy in flight: its destination and its source.
pub type CpAsyncLoad<'s, T, const N: usize, Src> = (Shared<'s, T, N, Published>, Src);

/// The `cp.async` copies of all threads of the CTA that one wait completes (PTX's cp.async-group).
///
/// The group owns `Copies`: nested pairs of handles, the last copy outermost. `State` is [`Uncommitted`] or [`Committed`].
#[must_use = "copies in flight have to be waited for: call `.commit(cta)`, then `.wait().sync(cta)`"]
#[derive(Debug)]
pub struct CpAsyncGroup<Copies, State> {
    copies: Copies,
    _state: PhantomData<State>,
}

static_assertions::assert_not_impl_any!(CpAsyncGroup<(), Uncommitted>: Copy, Clone, Queue);

impl<Copies, State> CpAsyncGroup<Copies, State> {
    #[inline(always)]
    fn new(copies: Copies) -> Self {
        CpAsyncGroup { copies, _state: PhantomData }
    }
}

impl<'s, T: Element, const N: usize, Src> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src>, Uncommitted> {
    /// Makes a group of one load. The destination is `Published` already: no thread can reach it before the wait.
    #[inline(always)]
    fn of(dst: Shared<'s, T, N, impl Overwritable>, src: Src) -> Self {
        CpAsyncGroup::new((dst.into_state(), src))
    }
}

/// A tile that `cp.async` copies from: a [`TileSource`], with or without a cache policy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source for a load of {N} elements of `{T}`",
    label = "not a tile of {N} `{T}`",
    note = "pass a source with the length and the element type of the shared memory: a `GlobalTile<{T}, {N}>`, or a `GlobalTileMut<{T}, {N}>` that no copy is writing"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait CpAsyncSource<T: Element, const N: usize>: Bare + Sealed {
    #[doc(hidden)]
    type Hint: L2CacheHint;
    #[doc(hidden)]
    fn base(&self) -> *const T;
    /// States that the threads of the CTA load this tile, if threads may write it ([`mark::deal`](crate::mark::deal)).
    #[doc(hidden)]
    fn hold(&self);
    #[doc(hidden)]
    fn hint(&self) -> Self::Hint;
}
macro_rules! sources {
    ($( $Tile:ident ),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, const N: usize> CpAsyncSource<T, N> for $Tile<T, N> {
            type Hint = cache_hint::None;
            #[inline(always)]
            fn base(&self) -> *const T {
                TileSource::base(self)
            }
            #[inline(always)]
            fn hold(&self) {
                TileSource::hold::<Cta>(self);
            }
            #[inline(always)]
            fn hint(&self) -> Self::Hint {
                cache_hint::None
            }
        }
        #[diagnostic::do_not_recommend]
        impl<T: Element, const N: usize> CpAsyncSource<T, N> for Hinted<$Tile<T, N>> {
            type Hint = cache_hint::Policy;
            #[inline(always)]
            fn base(&self) -> *const T {
                TileSource::base(&self.handle)
            }
            #[inline(always)]
            fn hold(&self) {
                TileSource::hold::<Cta>(&self.handle);
            }
            #[inline(always)]
            fn hint(&self) -> Self::Hint {
                self.policy.hint()
            }
        }
    )* };
}
sources! { GlobalTile, GlobalTileMut }

/// Starts the copy of a tile from global to shared memory (CUDA's `__pipeline_memcpy_async`). The copy bypasses the L1 cache.
///
/// Collective in the CTA.
///
/// PTX per sixteen bytes: `cp.async.cg.shared::cta.global [dst], [src], 16;`
#[inline(always)]
#[track_caller]
#[doc(alias(
    "SM80_CP_ASYNC_CACHEALWAYS",
    "SM80_CP_ASYNC_CACHEGLOBAL",
    "__pipeline_memcpy_async",
    "cg::memcpy_async",
    "cuda::memcpy_async"
))]
pub fn load<'s, T: Element, const N: usize, Src: CpAsyncSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    src: Src,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src::Handle>, Uncommitted> {
    meet!(cta; dst.addr());
    src.hold();
    const { whole_vectors::<T, N>() };
    let (base, hint): (*const u8, _) = (src.base().cast(), src.hint());
    for_each_vector::<T, N>(cta, |v| {
        // SAFETY: both vectors are in bounds, and their addresses are aligned to 16 bytes, because tiles and shared arrays are. The
        // copy owns the destination, which is free, and no other thread copies the same vector. No thread writes the source. A
        // scope does not end before the wait for the copy.
        unsafe {
            raw::cp_async_cg(
                prefetch_size::None,
                dst.addr() + 16 * v,
                base.wrapping_add(16 * v as usize),
                zfill::None,
                hint,
            )
        }
    });
    CpAsyncGroup::of(dst, src.bare())
}

/// A source of [`load_window`]: `N` consecutive elements of a slice of global memory, which start at any element. Elements beyond
/// the ends of the slice are zeros. `P` is the L2 cache policy of the copy: `()` for none, or a [`CachePolicy`] from
/// [`cache_hint`](CacheHint::cache_hint).
#[derive(Debug)]
pub struct Window<T, const N: usize, P = ()> {
    slice: Global<T>,
    first: i64,
    policy: P,
}

impl<T, const N: usize, P: Copy> Clone for Window<T, N, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize, P: Copy> Copy for Window<T, N, P> {}

impl<T, const N: usize> CacheHint for Window<T, N> {
    type Hinted = Window<T, N, CachePolicy>;
    #[inline(always)]
    fn cache_hint(self, policy: CachePolicy) -> Self::Hinted {
        Window { slice: self.slice, first: self.first, policy }
    }
}

/// A source of [`load_window`]: `N` consecutive elements of a slice of global memory, which start at any vector of 16 bytes.
/// Elements beyond the ends of the slice are zeros. `P` is the L2 cache policy of the copy: `()` for none, or a [`CachePolicy`]
/// from [`cache_hint`](CacheHint::cache_hint).
///
/// Each instruction copies 16 bytes. A [`Window`] of 4-byte elements needs four times as many instructions.
#[derive(Debug)]
pub struct VectorWindow<T, const N: usize, P = ()> {
    slice: Global<T>,
    /// The number of the first vector; a vector is 16 bytes.
    first: i64,
    policy: P,
}

impl<T, const N: usize, P: Copy> Clone for VectorWindow<T, N, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize, P: Copy> Copy for VectorWindow<T, N, P> {}

impl<T, const N: usize> CacheHint for VectorWindow<T, N> {
    type Hinted = VectorWindow<T, N, CachePolicy>;
    #[inline(always)]
    fn cache_hint(self, policy: CachePolicy) -> Self::Hinted {
        VectorWindow { slice: self.slice, first: self.first, policy }
    }
}

impl<T: Element> Global<T> {
    /// Returns the window of `N` elements from 16-byte vector `first` on, for [`load_window`]. `first` may be negative. `N`
    /// elements are a multiple of 16 bytes, which the compiler checks.
    ///
    /// ```
    /// # use ptx::{global::Global, group::Cta};
    /// # fn kernel(cta: &Cta, src: Global<f32>) {
    /// // A tile of 128 for each CTA, and four neighbors at each side.
    /// let window = src.vector_window::<136>(32 * i64::from(cta.grid_rank()) - 1);
    /// # }
    /// ```
    #[inline(always)]
    pub fn vector_window<const N: usize>(self, first: i64) -> VectorWindow<T, N> {
        const { whole_vectors::<T, N>() };
        VectorWindow { slice: self, first, policy: () }
    }

    /// Returns the window of `N` elements from element `first` on, for [`load_window`]. `first` may be negative.
    #[inline(always)]
    pub fn window<const N: usize>(self, first: i64) -> Window<T, N> {
        Window { slice: self, first, policy: () }
    }
}

/// An element that one `cp.async` can copy alone: 4 or 8 bytes. The elements of a [`Window`] are `CopyElement`s.
#[diagnostic::on_unimplemented(
    message = "`cp.async` cannot copy single elements of `{Self}`",
    label = "not an element of 4 or 8 bytes",
    note = "`cp.async` copies 4, 8 or 16 bytes (PTX ISA 9.7.9.25.3.1): copy smaller elements by whole tiles or by a `vector_window`"
)]
pub trait CopyElement: Element {
    /// Starts the copy of one element (`cp.async.ca`), or fills its destination with zeros if `src_size` is 0.
    ///
    /// # Safety
    ///
    /// The clauses of [`raw::cp_async_ca`] hold, with the size of the element as `cp-size`. `src_size` is 0 or that size.
    #[doc(hidden)]
    unsafe fn copy<P: L2Policy>(dst: u32, src: *const Self, src_size: u32, policy: P);
}

macro_rules! words {
    ($( $T:ty: $Size:ident; )*) => { $(
        impl CopyElement for $T {
            #[inline(always)]
            unsafe fn copy<P: L2Policy>(dst: u32, src: *const Self, src_size: u32, policy: P) {
                let (none, size, src) = (prefetch_size::None, cp_size::$Size, src.cast());
                // SAFETY: the caller meets the conditions of `cp_async_ca` (`# Safety`).
                unsafe {
                    raw::cp_async_ca(none, size, dst, src, zfill::SrcSize(src_size), policy.hint())
                }
            }
        }
    )* };
}
words! { u32: B4; i32: B4; f32: B4; u64: B8; i64: B8; f64: B8; }

/// A source of [`load_window`]: a [`Window`] or a [`VectorWindow`].
///
/// # Safety
///
/// `copy_to` starts copies that write the array only, and read only global memory that no thread writes while the kernel runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a window of {N} elements of `{T}`",
    label = "not a window of the array's elements",
    note = "make a window of the array's length by `slice.window(first)` or `slice.vector_window(first)`"
)]
pub unsafe trait WindowSource<T, const N: usize>: Sealed {
    /// Starts this thread's share of the copies from the window to the array at `dst` (`cp.async`).
    ///
    /// # Safety
    ///
    /// `dst` is the address, aligned to 16 bytes, of an array of `N` elements in shared memory of this CTA. Nothing else uses the
    /// array until the copies are complete.
    #[doc(hidden)]
    unsafe fn copy_to(&self, cta: &Cta, dst: u32);
}

impl<T, const N: usize, P> Sealed for Window<T, N, P> {}
// SAFETY: each copy writes one element of the array, and reads one element of the slice or nothing.
unsafe impl<T: CopyElement, const N: usize, P: L2Policy> WindowSource<T, N> for Window<T, N, P> {
    #[inline(always)]
    unsafe fn copy_to(&self, cta: &Cta, dst: u32) {
        let size = size_of::<T>() as u32;
        // The elements `before .. upto` of the window lie in the slice. Both numbers fit into 32 bits.
        let (first, len) = (self.first, self.slice.len as i64);
        let before = first.min(0).unsigned_abs().min(N as u64) as u32;
        let upto = len.saturating_sub(first).clamp(0, N as i64) as u32;
        let src = self.slice.base.wrapping_offset(first as isize);
        for_each_own(cta, N as u32, |i| {
            let inside = (i >= before) & (i < upto);
            // Outside the slice nothing is read, but the operand has to be an address of global memory: that of the slice.
            let from = if inside { src.wrapping_add(i as usize) } else { self.slice.base };
            // SAFETY: the element is in bounds, or nothing is read. Both addresses are aligned to an element, which one thread
            // copies. No thread writes a `Global`, and nothing else uses the array (`# Safety` of `copy_to`).
            unsafe { T::copy(dst + size * i, from, size * u32::from(inside), self.policy) };
        });
    }
}

impl<T, const N: usize, P> Sealed for VectorWindow<T, N, P> {}
// SAFETY: each copy writes one vector of the array, and reads the part of that vector that lies in the slice.
unsafe impl<T: Element, const N: usize, P: L2Policy> WindowSource<T, N> for VectorWindow<T, N, P> {
    #[inline(always)]
    unsafe fn copy_to(&self, cta: &Cta, dst: u32) {
        let vectors = const { size::shared(size::vectors::<T, N>()) };
        // The window's vectors before the slice, and its bytes up to the end of the slice. Both numbers fit into 32 bits.
        let before = self.first.min(0).unsigned_abs().min(u64::from(vectors)) as u32;
        let len = (self.slice.len * size_of::<T>()) as i64;
        let upto = len.saturating_sub(self.first.saturating_mul(16)).clamp(0, 16 * i64::from(vectors)) as u32;
        // SAFETY: from vector `before` on, the bytes up to `upto` lie in the slice, which is aligned to 16 and written by no
        // thread. The caller passes an array of the CTA (`# Safety`).
        unsafe { copy_vectors::<T, N, P>(cta, dst, self.slice.base, self.first, (before, upto), self.policy) }
    }
}

/// Starts the copy of a window of a slice from global to shared memory (`cp.async`): a [`Window`] element by element, a
/// [`VectorWindow`] 16 bytes at a time. Elements beyond the ends of the slice become zero.
///
/// Collective in the CTA.
///
/// PTX per element of a `Window`: `cp.async.ca.shared::cta.global [dst], [src], cp-size, src-size;`, per vector of a
/// `VectorWindow`: `cp.async.cg.shared::cta.global [dst], [src], 16, src-size;`. Of a window with a policy: with
/// `.L2::cache_hint` after `.global`, and `policy` as the last operand.
///
/// ```
/// # use ptx::{cp_async, global::Global, group::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 130, Free>, src: Global<f32>) -> Shared<'s, f32, 130, Published> {
/// // Elements 127 to 256: a tile of 128 and one neighbor at each side.
/// let (tile, _window) = cp_async::load_window(cta, tile, src.window(127)).commit(cta).wait().sync(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
#[track_caller]
pub fn load_window<'s, T: Element, const N: usize, W: WindowSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    window: W,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, W>, Uncommitted> {
    meet!(cta; dst.addr());
    // SAFETY: `dst` is a free array of this CTA, aligned to 128 bytes, and the returned group owns it until the wait.
    unsafe { window.copy_to(cta, dst.addr()) };
    CpAsyncGroup::of(dst, window)
}

/// Starts this thread's copies into an array of `N` elements at `dst`. Vector `v` of the array, 16 bytes, is vector `first + v`
/// of `base`. The vectors below `before` and the bytes from `upto` on become zero.
///
/// # Safety
///
/// - `base` is aligned to 16 bytes. From vector `first + before` up to byte `upto`, counted from vector `first`, there is global
///   memory that no thread writes.
/// - `dst` is as in [`WindowSource::copy_to`], and the array consists of whole vectors.
#[inline(always)]
unsafe fn copy_vectors<T, const N: usize, P: L2Policy>(
    cta: &Cta,
    dst: u32,
    base: *const T,
    first: i64,
    (before, upto): (u32, u32),
    policy: P,
) {
    let base: *const u8 = base.cast();
    let src = base.wrapping_offset((first as isize).wrapping_mul(16));
    for_each_vector::<T, N>(cta, |v| {
        let size = if v < before { 0 } else { upto.saturating_sub(16 * v).min(16) };
        // The copy reads nothing of an empty vector, but its operand has to be an address of global memory: that of the slice.
        let from = if size > 0 { src.wrapping_add(16 * v as usize) } else { base };
        // SAFETY: `size` is at most `cp-size` (9.7.9.25.3.1), and that many bytes are in bounds (clause 1 of `# Safety`). One
        // thread copies each vector, and nothing else uses the array (clause 2).
        unsafe {
            raw::cp_async_cg(prefetch_size::None, dst + 16 * v, from, zfill::SrcSize(size), policy.hint())
        }
    });
}

crate::group::nothing_to_end! {
    [T, const N: usize, P] Window<T, N, P>;
    [T, const N: usize, P] VectorWindow<T, N, P>;
}

impl<Copies, State> CpAsyncGroup<Copies, State> {
    /// Joins two groups of `cp.async` copies: the next commit or wait covers the copies of both.
    ///
    /// PTX: none
    #[inline(always)]
    pub fn and<More>(self, more: CpAsyncGroup<More, Uncommitted>) -> CpAsyncGroup<(Copies, More), Uncommitted>
    where
        State: Extendable,
    {
        // 9.7.9.25.3.2: a commit takes "all prior `cp.async` instructions initiated by the executing thread but not committed",
        // so the next commit takes the copies of both groups.
        CpAsyncGroup::new((self.copies, more.copies))
    }

    /// Commits the copies as one async-group (CUDA's `__pipeline_commit()`). A committed group takes no more copies.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.commit_group;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("__pipeline_commit", "cuda::pipeline::producer_commit"))]
    pub fn commit(self, cta: &Cta) -> CpAsyncGroup<Copies, Committed>
    where
        State: Extendable,
    {
        meet!(cta);
        // SAFETY: `commit_group` has no condition of its own (`# Safety`), and the group owns its copies until a wait.
        unsafe { raw::cp_async_commit_group() };
        CpAsyncGroup::new(self.copies)
    }

    /// Commits the copies of `group` as the next async-group (`cp.async.commit_group`) while this group, committed before, stays
    /// in flight, and returns both as a queue ([`InFlight`]): its waits begin with the oldest group.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.commit_group;`
    #[inline(always)]
    #[track_caller]
    pub fn then<More>(
        self,
        cta: &Cta,
        group: CpAsyncGroup<More, Uncommitted>,
    ) -> InFlight<Self, CpAsyncGroup<More, Committed>>
    where
        Self: Queue,
    {
        InFlight::new(self, group.commit(cta))
    }

    /// Waits for this thread's copies of this group (`cp.async.wait_group`; CUDA's `__pipeline_wait_prior(0)`). After the barrier
    /// all threads can read the tiles, and no copy reads the sources.
    ///
    /// PTX: `cp.async.wait_group 0;`
    #[inline(always)]
    #[doc(alias = "__pipeline_wait_prior")]
    pub fn wait(self) -> AfterSync<Copies>
    where
        State: WaitableAsyncGroup,
    {
        async_group::wait_group!(cp_async_wait_group, 0);
        AfterSync::new(self.copies)
    }

    /// Makes the mbarrier `bar`, which counts two arrivals of each thread per phase, track this group's copies, committed or not
    /// (`cp.async.mbarrier.arrive.noinc`; CUDA's `cuda::memcpy_async` with a `cuda::barrier`). The copies make one arrival when
    /// they are complete; the thread makes the other at once. You need neither a commit nor a barrier.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];` `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, group::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit, 2> } }
    /// # fn kernel(cta: Cta, smem: Smem, src: GlobalTile<f32, 1024>) {
    /// cta.finish((smem.tile, smem.bar), |cta, (tile, bar)| { // `bar` counts twice the threads
    ///     let copy = cp_async::load(cta, tile, src).arrive_on_noinc(cta, bar);
    ///     let (_bar, (tile, _src)) = copy.wait(cta);
    ///     (tile.end(), ())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__pipeline_arrive_on")]
    pub fn arrive_on_noinc(self, cta: &Cta, bar: Mbarrier<Ready, 2>) -> Tracked<Copies> {
        meet!(cta; bar.addr());
        // SAFETY: the mbarrier is valid (`Ready`), and two arrivals of this thread are due. The copies make one, which the
        // mbarrier's count includes (9.7.13.15.15), so the phase and the mbarrier last until then. The thread makes the other.
        let bar = unsafe {
            raw::cp_async_mbarrier_arrive_noinc(space::SharedCta, bar.addr());
            bar.arrive_times(1)
        };
        Tracked { bar, copies: self.copies }
    }
}

/// `cp.async` copies in flight that an [`Mbarrier`] tracks.
#[must_use = "copies in flight have to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Tracked<Copies> {
    bar: Mbarrier<Arrived, 2>,
    copies: Copies,
}

impl<Copies> Tracked<Copies> {
    /// Waits until the tracked `cp.async` copies of all threads of the CTA are complete (`mbarrier.try_wait`). Then all threads
    /// can read the tiles, and the mbarrier is ready for its next phase.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, cta: &Cta) -> (Mbarrier<Ready, 2>, Copies) {
        // 9.7.9.25.1.2: when the phase is complete, "all threads participating in that mbarrier object can access the result of
        // the asynchronous operations". All threads of the CTA participate.
        (self.bar.wait(cta), self.copies)
    }
}

impl<Copies> Sealed for CpAsyncGroup<Copies, Committed> {}
impl<Copies> Queue for CpAsyncGroup<Copies, Committed> {
    const GROUPS: u32 = 1;
    type Oldest = Self;
    type Newer = ();
    type Copies = Copies;
    #[inline(always)]
    fn take_oldest(self, _: Token) -> (Self, ()) {
        (self, ())
    }
    #[inline(always)]
    fn into_copies(self, _: Token) -> Copies {
        self.copies
    }
}

impl<Older: Queue, Newest> InFlight<Older, CpAsyncGroup<Newest, Committed>> {
    /// Commits the copies of `group` as the next async-group (`cp.async.commit_group`); the groups of this queue stay in flight.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.commit_group;`
    #[inline(always)]
    #[track_caller]
    pub fn then<More>(
        self,
        cta: &Cta,
        group: CpAsyncGroup<More, Uncommitted>,
    ) -> InFlight<Self, CpAsyncGroup<More, Committed>> {
        InFlight::new(self, group.commit(cta))
    }

    /// Waits for this thread's copies of this queue's oldest group; the newer groups, `N` of them, stay in flight (CUDA's
    /// `__pipeline_wait_prior(N)`). After the barrier all threads can read the tiles of that group.
    ///
    /// PTX: `cp.async.wait_group N;`
    #[inline(always)]
    pub fn wait_oldest<Copies>(self) -> AfterSync<(Copies, <Self as Queue>::Newer)>
    where
        Older: Queue<Oldest = CpAsyncGroup<Copies, Committed>>,
    {
        // 9.7.9.25.3.3: waits until "only N or fewer of the most recent cp.async-groups are pending". The N newer groups of this
        // queue were committed after the oldest group, so the oldest group is never one of the N most recent.
        async_group::wait_group!(cp_async_wait_group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        AfterSync::new((oldest.copies, newer))
    }

    /// Waits for this thread's copies of all groups of this queue (CUDA's `__pipeline_wait_prior(0)`). After the barrier all
    /// threads can read the tiles.
    ///
    /// PTX: `cp.async.wait_group 0;`
    #[inline(always)]
    pub fn wait(self) -> AfterSync<(Older::Copies, Newest)> {
        async_group::wait_group!(cp_async_wait_group, 0);
        AfterSync::new(self.into_copies(Token::NEW))
    }
}

handles! { Tracked<()> }
