//! Non-bulk copies (9.7.9.25.3) that own what they move until they are waited for.
//!
//! Every thread copies its share, sixteen bytes at a time: what [`Shared::update`] would give it. Copies are
//! waited for in groups, or on an mbarrier:
//!
//! ```text
//!   load ──► CpAsyncGroup<_, Uncommitted> ── commit ──► CpAsyncGroup<_, Committed> ── wait ──► Shared<Published>
//!               │      │    └─ and: more copies     │ then: further groups in flight, `InFlight`
//!               │      └─ wait_all ─────────────────┼────────────────────────────────► Shared<Published>
//!               └─ arrive_on ──► Tracked ── wait ───┴──────────────────────────────────► Shared<Published>
//!                  arrive_on_noinc
//! ```
//!
//! `cp.async` writes through the generic proxy, as ordinary stores do (9.7.9.25.2 names the bulk copies alone), so
//! what it brought is [`Published`]: a bulk copy takes it after [`to_async`](Shared::to_async) only. It goes back to
//! `cp.async` by [`release`](Shared::release), without a fence.
//!
//! Choose it over [`bulk`](crate::bulk) for what bulk copies cannot do: the edges of a slice ([`load_zero_filled`]),
//! windows that reach beyond it or are not aligned to 16 bytes ([`load_window`]), parts left out ([`load_where`]).
//!
//! An L2 cache policy goes with a tile, a tail or a window by its method `cache_hint`.
//!
//! ```
//! # use ptx::{cp_async, global::Tiles, launch::Cta, shared::SharedArray};
//! # fn kernel(cta: &mut Cta, memory: (SharedArray<f32, 1024>, SharedArray<f32, 1024>), src: Tiles<f32, 1024>) {
//! # let (Some(first), Some(second)) = (src.get(0), src.get(1)) else { return };
//! cta.async_scope(memory, |cta, (a, b)| {
//!     let queue = cp_async::load(cta, a, first).commit(cta).then(cta, cp_async::load(cta, b, second));
//!     let ((a, _), queue) = queue.wait_oldest(cta); // `b` is still on its way
//!     let _x = a.get(0);
//!     let (b, _) = queue.wait(cta);
//!     let _y = b.get(0);
//!     (a.to_async(cta).into_free(), b.to_async(cta).into_free())
//! });
//! # }
//! ```

use core::marker::PhantomData;

use crate::async_group::{InFlight, Queue, Token};
use crate::bulk::{Committed, Extendable, Uncommitted, Waitable};
use crate::cache_policy::{Bare, CachePolicy, Hinted, L2Policy};
use crate::global::{Global, GlobalTile, GlobalTileMut, Tail, TileSource};
use crate::group::Cta;
use crate::mbarrier::{Arrivable, Arrived, Mbarrier, Ready};
use crate::qualifier::{Sealed, cache_hint, cp_size, prefetch_size, space, zfill};
use crate::raw::{self, CpAsyncPrefetchSize, L2CacheHint};
use crate::shared::{Element, Overwritable, Published, Shared, for_each_own, for_each_vector, whole_vectors};
use crate::size;

mod at_sync;

/// A copy in flight: its destination and its source.
///
/// ```
/// # use ptx::{bulk::Uncommitted, cp_async::{self, CpAsyncGroup, CpAsyncLoad}, global::GlobalTile, launch::Cta, shared::{Free, Shared}};
/// type Copy<'s> = CpAsyncLoad<'s, f32, 1024, GlobalTile<f32, 1024>>;
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> CpAsyncGroup<Copy<'s>, Uncommitted> {
/// let group: CpAsyncGroup<Copy<'s>, Uncommitted> = cp_async::load(cta, tile, src);
/// # group
/// # }
/// ```
#[derive(Debug)]
pub struct CpAsyncLoad<'s, T, const N: usize, Src> {
    dst: Shared<'s, T, N, Published>,
    src: Src,
}

static_assertions::assert_not_impl_any!(CpAsyncLoad<'static, u32, 4, ()>: Copy, Clone, Send, Sync);

/// `cp.async` copies of every thread of the CTA, which are waited for together.
///
/// `Copies` are the handles that it owns: nested pairs, the last copy outermost.
///
/// ```
/// # use ptx::{bulk::{Committed, Uncommitted}, cp_async::{CpAsyncGroup, CpAsyncLoad}, global::GlobalTile, launch::Cta};
/// # use ptx::shared::{Published, Shared};
/// type Copy<'s> = CpAsyncLoad<'s, f32, 1024, GlobalTile<f32, 1024>>;
/// fn finish<'s>(cta: &Cta, group: CpAsyncGroup<Copy<'s>, Uncommitted>) -> Shared<'s, f32, 1024, Published> {
///     let group: CpAsyncGroup<Copy<'s>, Committed> = group.commit(cta);
///     let (tile, _src) = group.wait(cta);
///     tile
/// }
/// ```
#[must_use = "copies in flight have to be waited for: call `.commit(&cta)`, then `.wait(&cta)`"]
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
    /// A group of one load. Its destination is in the state that it will have when someone can get at it.
    #[inline(always)]
    fn of(dst: Shared<'s, T, N, impl Overwritable>, src: Src) -> Self {
        CpAsyncGroup::new(CpAsyncLoad { dst: dst.into_state(), src })
    }
}

/// Calls `copy` with the addresses of each vector of a tile that is this thread's, and its number.
///
/// For what `copy` gets, this holds: both addresses are aligned to 16, since tiles and shared arrays are, and both
/// vectors are in bounds; the destination is free and now owned by the copy, each vector by one thread; nobody writes the
/// source; a scope that ends has waited for the copy.
#[inline(always)]
fn load_with<'s, T: Element, const N: usize, Src: CpAsyncSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    src: Src,
    mut copy: impl FnMut(u32, *const u8, u32, Src::Hint),
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src::Handle>, Uncommitted> {
    const { whole_vectors::<T, N>() };
    let (base, hint): (*const u8, _) = (src.base().cast(), src.hint());
    for_each_vector::<T, N>(cta, |v| copy(dst.addr() + 16 * v, base.wrapping_add(16 * v as usize), v, hint));
    CpAsyncGroup::of(dst, src.bare())
}

/// A tile that `cp.async` copies from: a [`TileSource`], as it is or with a policy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source for a load of {N} elements of `{T}`",
    label = "not a tile of {N} `{T}`",
    note = "the tile is as long as the shared memory and of the same type: `GlobalTile<{T}, {N}>`, or a `GlobalTileMut<{T}, {N}>` that no copy still writes"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait CpAsyncSource<T: Element, const N: usize>: Bare + Sealed {
    #[doc(hidden)]
    type Hint: L2CacheHint;
    #[doc(hidden)]
    fn base(&self) -> *const T;
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
            fn hint(&self) -> Self::Hint {
                self.policy.hint()
            }
        }
    )* };
}
sources! { GlobalTile, GlobalTileMut }

/// Starts the copy of a tile to shared memory. It passes L1 by.
///
/// Collective in the CTA.
///
/// PTX per sixteen bytes: `cp.async.cg.shared::cta.global [dst], [src], 16;`
///
/// ```
/// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
/// let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
pub fn load<'s, T: Element, const N: usize, Src: CpAsyncSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    src: Src,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src::Handle>, Uncommitted> {
    load_prefetch(cta, dst, src, prefetch_size::None)
}

/// [`load`] that lets the L2 cache fetch more around the data.
///
/// Collective in the CTA.
///
/// PTX per sixteen bytes: `cp.async.cg.shared::cta.global{.level::prefetch_size} [dst], [src], 16;`
///
/// ```
/// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
/// use ptx::qualifier::prefetch_size::L2B128;
/// let (tile, _src) = cp_async::load_prefetch(cta, tile, src, L2B128).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
pub fn load_prefetch<'s, T: Element, const N: usize, Src: CpAsyncSource<T, N>, Size: CpAsyncPrefetchSize>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    src: Src,
    size: Size,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src::Handle>, Uncommitted> {
    // SAFETY: see `load_with`.
    load_with(cta, dst, src, |dst, src, _, hint| unsafe {
        raw::cp_async_cg(size, dst, src, zfill::None, hint)
    })
}

/// [`load`] that caches in L1 too, for a tile that is read again from global memory.
///
/// Collective in the CTA.
///
/// PTX per sixteen bytes: `cp.async.ca.shared::cta.global [dst], [src], 16;`
///
/// ```
/// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
/// let (tile, _src) = cp_async::load_cached(cta, tile, src).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
pub fn load_cached<'s, T: Element, const N: usize, Src: CpAsyncSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    src: Src,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src::Handle>, Uncommitted> {
    load_with(cta, dst, src, |dst, src, _, hint| {
        // SAFETY: see `load_with`.
        unsafe { raw::cp_async_ca(prefetch_size::None, cp_size::B16, dst, src, zfill::None, hint) }
    })
}

/// [`load`] of the sixteen-byte vectors for whose number `wanted` is true; the others become zero, and are not read.
///
/// Collective in the CTA.
///
/// PTX per sixteen bytes: `cp.async.cg.shared::cta.global [dst], [src], 16, ignore-src;`
///
/// ```
/// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
/// // Four `f32` a vector: keep the first half of each 32.
/// let (tile, _src) = cp_async::load_where(cta, tile, src, |v| v % 8 < 4).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
pub fn load_where<'s, T: Element, const N: usize, Src: CpAsyncSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    src: Src,
    mut wanted: impl FnMut(usize) -> bool,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Src::Handle>, Uncommitted> {
    load_with(cta, dst, src, |dst, src, v, hint| {
        // SAFETY: see `load_with`.
        unsafe {
            raw::cp_async_cg(prefetch_size::None, dst, src, zfill::IgnoreSrc(!wanted(v as usize)), hint)
        }
    })
}

/// Starts the copy of a slice's last elements, those after its whole tiles; zeros fill the rest of the destination. Of a
/// tail that is longer than the destination, the first `N` are copied.
///
/// Collective in the CTA.
///
/// PTX per sixteen bytes: `cp.async.cg.shared::cta.global [dst], [src], 16, src-size;`, of a tail with a policy
/// `cp.async.cg.shared::cta.global.L2::cache_hint [dst], [src], 16, src-size, policy;`
///
/// ```
/// # use ptx::{cp_async, global::Global, launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: Global<f32>) -> Shared<'s, f32, 1024, Published> {
/// let (_tiles, tail) = src.tiles::<1024>();
/// let (tile, _tail) = cp_async::load_zero_filled(cta, tile, tail).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
pub fn load_zero_filled<'s, T: Element, const N: usize, P: L2Policy>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    tail: Tail<T, P>,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, Tail<T, P>>, Uncommitted> {
    const { whole_vectors::<T, N>() };
    let bytes = (tail.len.min(N) * size_of::<T>()) as u32;
    // SAFETY: so many elements are in bounds. A tail is aligned to 16, since it stands behind whole tiles. The array is this CTA's, and the
    // group that is returned keeps it.
    unsafe { copy_vectors::<T, N, P>(cta, dst.addr(), tail.base, 0, (0, bytes), tail.policy) }
    CpAsyncGroup::of(dst, tail)
}

/// `N` elements of a slice from any element on, beyond its ends too: there, a copy brings zeros. `P` is the L2 cache policy of
/// the copy: none, or that of [`cache_hint`](Window::cache_hint).
///
/// ```
/// # use ptx::{cp_async::Window, global::Global};
/// # fn kernel(src: Global<f32>) {
/// let window: Window<f32, 34> = src.window(-1); // a zero, then the elements 0 to 32
/// # }
/// ```
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

impl<T, const N: usize> Window<T, N> {
    /// The same elements, for [`load_window`] under an L2 cache policy.
    ///
    /// PTX of their copy: with `.L2::cache_hint` behind `.global`, and `policy` as the last operand.
    ///
    /// ```
    /// # use ptx::{cache_policy::CachePolicy, cp_async, global::Global, launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 130, Free>, src: Global<f32>) -> Shared<'s, f32, 130, Published> {
    /// let again = CachePolicy::evict_last(); // the neighbours' windows overlap with this one
    /// let (tile, _window) = cp_async::load_window(cta, tile, src.window(127).cache_hint(again)).wait_all(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn cache_hint(self, policy: CachePolicy) -> Window<T, N, CachePolicy> {
        Window { slice: self.slice, first: self.first, policy }
    }
}

/// `N` elements of a slice from any vector of sixteen bytes on, beyond its ends too: there, a copy brings zeros. `P` is the L2 cache policy
/// of the copy: none, or that of [`cache_hint`](VectorWindow::cache_hint).
///
/// Sixteen bytes are copied at a time: of elements of four bytes, a [`Window`] needs four times as many copies.
///
/// ```
/// # use ptx::{cp_async::VectorWindow, global::Global};
/// # fn kernel(src: Global<f32>) {
/// let window: VectorWindow<f32, 40> = src.vector_window(-1); // four zeros, then the elements 0 to 35
/// # }
/// ```
#[derive(Debug)]
pub struct VectorWindow<T, const N: usize, P = ()> {
    slice: Global<T>,
    /// In vectors.
    first: i64,
    policy: P,
}

impl<T, const N: usize, P: Copy> Clone for VectorWindow<T, N, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize, P: Copy> Copy for VectorWindow<T, N, P> {}

impl<T, const N: usize> VectorWindow<T, N> {
    /// The same elements, for [`load_window`] under an L2 cache policy.
    ///
    /// PTX of their copy: with `.L2::cache_hint` behind `.global`, and `policy` as the last operand.
    ///
    /// ```
    /// # use ptx::{cache_policy::CachePolicy, cp_async, global::Global, launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 136, Free>, src: Global<f32>) -> Shared<'s, f32, 136, Published> {
    /// let again = CachePolicy::evict_last(); // the neighbours' windows overlap with this one
    /// let (tile, _window) = cp_async::load_window(cta, tile, src.vector_window(31).cache_hint(again)).wait_all(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn cache_hint(self, policy: CachePolicy) -> VectorWindow<T, N, CachePolicy> {
        VectorWindow { slice: self.slice, first: self.first, policy }
    }
}

impl<T: Element> Global<T> {
    /// The `N` elements from vector `first` of sixteen bytes on, which may be negative, for [`load_window`]. `N` elements are a multiple of
    /// sixteen bytes.
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta};
    /// # fn kernel(cta: &Cta, src: Global<f32>) {
    /// // A tile of 128 for each CTA, and four neighbours at each side.
    /// let window = src.vector_window::<136>(32 * i64::from(cta.grid_rank()) - 1);
    /// # }
    /// ```
    #[inline(always)]
    pub fn vector_window<const N: usize>(self, first: i64) -> VectorWindow<T, N> {
        const { whole_vectors::<T, N>() };
        VectorWindow { slice: self, first, policy: () }
    }

    /// The `N` elements from element `first` on, which may be negative, for [`load_window`].
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta};
    /// # fn kernel(cta: &Cta, src: Global<f32>) {
    /// // A tile of 128 for each CTA, and one neighbour at each side.
    /// let window = src.window::<130>(128 * i64::from(cta.grid_rank()) - 1);
    /// # }
    /// ```
    #[inline(always)]
    pub fn window<const N: usize>(self, first: i64) -> Window<T, N> {
        Window { slice: self, first, policy: () }
    }
}

/// Elements that `cp.async` copies one by one: of 4 or 8 bytes.
///
/// ```
/// # use ptx::{bulk::Uncommitted, cp_async::{self, CpAsyncGroup, CpAsyncLoad, Window, Word}, global::Global, launch::Cta};
/// # use ptx::shared::{Free, Shared};
/// /// A tile of any such elements, from the slice's second on.
/// fn load_shifted<'s, T: Word>(
///     cta: &Cta,
///     tile: Shared<'s, T, 128, Free>,
///     src: Global<T>,
/// ) -> CpAsyncGroup<CpAsyncLoad<'s, T, 128, Window<T, 128>>, Uncommitted> {
///     cp_async::load_window(cta, tile, src.window(1))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`cp.async` cannot copy single elements of `{Self}`",
    label = "not of 4 or 8 bytes",
    note = "it copies 4, 8 or 16 bytes (PTX ISA 9.7.9.25.3.1): smaller elements are copied by whole tiles"
)]
pub trait Word: Element {
    /// Starts the copy of one element, or of none and zeros.
    ///
    /// # Safety
    ///
    /// As [`raw::cp_async_ca`] with a `src-size`, whose size is that of the element; `src_size` is 0 or that.
    #[doc(hidden)]
    unsafe fn copy<P: L2Policy>(dst: u32, src: *const Self, src_size: u32, policy: P);
}

macro_rules! words {
    ($( $T:ty: $Size:ident; )*) => { $(
        impl Word for $T {
            #[inline(always)]
            unsafe fn copy<P: L2Policy>(dst: u32, src: *const Self, src_size: u32, policy: P) {
                let (none, size, src) = (prefetch_size::None, cp_size::$Size, src.cast());
                // SAFETY: the caller's contract.
                unsafe {
                    raw::cp_async_ca(none, size, dst, src, zfill::SrcSize(src_size), policy.hint())
                }
            }
        }
    )* };
}
words! { u32: B4; i32: B4; f32: B4; u64: B8; i64: B8; f64: B8; }

/// What [`load_window`] copies: a [`Window`] or a [`VectorWindow`].
///
/// # Safety
///
/// `copy_to` starts copies into the array alone, of nothing but global memory that nobody writes while the kernel runs.
///
/// ```
/// # use ptx::{bulk::Uncommitted, cp_async::{self, CpAsyncGroup, CpAsyncLoad, WindowSource}, launch::Cta, shared::{Free, Shared}};
/// /// Copies of either kind.
/// fn load<'s, W: WindowSource<f32, 136>>(
///     cta: &Cta,
///     tile: Shared<'s, f32, 136, Free>,
///     window: W,
/// ) -> CpAsyncGroup<CpAsyncLoad<'s, f32, 136, W>, Uncommitted> {
///     cp_async::load_window(cta, tile, window)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a window of {N} elements of `{T}`",
    label = "not a window of the array's elements",
    note = "a window is `slice.window(first)` or `slice.vector_window(first)`, as long as the array that it is copied into"
)]
pub unsafe trait WindowSource<T, const N: usize>: Sealed {
    /// Starts the copies of this thread.
    ///
    /// # Safety
    ///
    /// `dst` is the address of an array of `N` elements of this CTA, aligned to 16 bytes, that no one else uses until the copies are
    /// complete.
    #[doc(hidden)]
    unsafe fn copy_to(&self, cta: &Cta, dst: u32);
}

impl<T, const N: usize, P> Sealed for Window<T, N, P> {}
// SAFETY: each copy is of an element of the array, and reads an element of the slice or nothing.
unsafe impl<T: Word, const N: usize, P: L2Policy> WindowSource<T, N> for Window<T, N, P> {
    #[inline(always)]
    unsafe fn copy_to(&self, cta: &Cta, dst: u32) {
        let size = size_of::<T>() as u32;
        // The elements of the window that are in the slice are those from `before` to `upto`: numbers of 32 bits.
        let (first, len) = (self.first, self.slice.len as i64);
        let before = first.min(0).unsigned_abs().min(N as u64) as u32;
        let upto = len.saturating_sub(first).clamp(0, N as i64) as u32;
        let src = self.slice.base.wrapping_offset(first as isize);
        for_each_own(cta, N as u32, |i| {
            let inside = (i >= before) & (i < upto);
            // Nothing is read from the address of an element outside: that of the slice will do.
            let from = if inside { src.wrapping_add(i as usize) } else { self.slice.base };
            // SAFETY: either the element is in bounds, or nothing is read. Source and destination are aligned to an element, which each
            // belongs to one thread. The other points as in `load_with`.
            unsafe { T::copy(dst + size * i, from, size * u32::from(inside), self.policy) };
        });
    }
}

impl<T, const N: usize, P> Sealed for VectorWindow<T, N, P> {}
// SAFETY: each copy is of a vector of the array, and reads what of that vector lies in the slice.
unsafe impl<T: Element, const N: usize, P: L2Policy> WindowSource<T, N> for VectorWindow<T, N, P> {
    #[inline(always)]
    unsafe fn copy_to(&self, cta: &Cta, dst: u32) {
        let vectors = const { size::shared(size::vectors::<T, N>()) };
        // The window's vectors before the slice, and its bytes up to the slice's end: numbers of 32 bits.
        let before = self.first.min(0).unsigned_abs().min(u64::from(vectors)) as u32;
        let len = (self.slice.len * size_of::<T>()) as i64;
        let upto = len.saturating_sub(self.first.saturating_mul(16)).clamp(0, 16 * i64::from(vectors)) as u32;
        // SAFETY: of a vector from `before` on, the bytes up to `upto` are in bounds. A slice is aligned to 16. The array is the CTA's by
        // the caller's contract.
        unsafe { copy_vectors::<T, N, P>(cta, dst, self.slice.base, self.first, (before, upto), self.policy) }
    }
}

/// Starts the copy of a window: of a [`Window`] each element by itself, of a [`VectorWindow`] sixteen bytes at a time. Zeros stand for
/// elements beyond the ends of the slice.
///
/// Collective in the CTA.
///
/// PTX per element of a `Window`: `cp.async.ca.shared::cta.global [dst], [src], cp-size, src-size;`, per vector of a `VectorWindow`:
/// `cp.async.cg.shared::cta.global [dst], [src], 16, src-size;`. Of a window with a policy: with `.L2::cache_hint` behind `.global`, and
/// `policy` as the last operand
///
/// ```
/// # use ptx::{cp_async, global::Global, launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 130, Free>, src: Global<f32>) -> Shared<'s, f32, 130, Published> {
/// // Elements 127 to 256: a tile of 128 and one neighbour at each side.
/// let (tile, _window) = cp_async::load_window(cta, tile, src.window(127)).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[inline(always)]
pub fn load_window<'s, T: Element, const N: usize, W: WindowSource<T, N>>(
    cta: &Cta,
    dst: Shared<'s, T, N, impl Overwritable>,
    window: W,
) -> CpAsyncGroup<CpAsyncLoad<'s, T, N, W>, Uncommitted> {
    // SAFETY: the array is the handle's, and the group that is returned keeps it.
    unsafe { window.copy_to(cta, dst.addr()) };
    CpAsyncGroup::of(dst, window)
}

/// Starts the copies of this thread into an array of `N` elements at `dst`: of the vectors `first`, `first + 1`, … of sixteen bytes of
/// `base`; zeros stand for the vectors before number `before` of them, and for the bytes from `upto` on.
///
/// # Safety
///
/// - the vectors from `before` on are global memory up to byte `upto`, counted from vector `first`, and `base` is aligned to 16 bytes.
/// - `dst` as in [`WindowSource::copy_to`], of whole vectors.
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
        // Nothing is read from the address of an empty vector: that of the slice will do.
        let from = if size > 0 { src.wrapping_add(16 * v as usize) } else { base };
        // SAFETY: `size` is 16 at most: 9.7.9.25.3.1: "Specifying `src-size` larger than `cp-size` results in undefined behavior."
        // That many bytes are in bounds by the caller's contract. The other points as in `load_with`.
        unsafe {
            raw::cp_async_cg(prefetch_size::None, dst + 16 * v, from, zfill::SrcSize(size), policy.hint())
        }
    });
}

/// The copies of a group, by the handles that they become once they are complete.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no copies of a `cp.async` group",
    label = "not made by the functions of `ptx::cp_async`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Landing: Sealed {
    /// A tile and its source, or nested pairs of these.
    type Landed;
    /// They are complete, and visible to every thread: who has a token has waited.
    #[doc(hidden)]
    fn landed(self, token: Token) -> Self::Landed;
}

impl<T, const N: usize, Src> Sealed for CpAsyncLoad<'_, T, N, Src> {}
crate::group::nothing_to_end! {
    [T, const N: usize, P] Window<T, N, P>;
    [T, const N: usize, P] VectorWindow<T, N, P>;
}

impl<'s, T, const N: usize, Src> Landing for CpAsyncLoad<'s, T, N, Src> {
    type Landed = (Shared<'s, T, N, Published>, Src);
    #[inline(always)]
    fn landed(self, _: Token) -> Self::Landed {
        (self.dst, self.src)
    }
}

impl<Rest: Landing, Last: Landing> Sealed for (Rest, Last) {}
impl<Rest: Landing, Last: Landing> Landing for (Rest, Last) {
    type Landed = (Rest::Landed, Last::Landed);
    #[inline(always)]
    fn landed(self, token: Token) -> Self::Landed {
        (self.0.landed(token), self.1.landed(token))
    }
}

impl<Copies, State> CpAsyncGroup<Copies, State> {
    /// The copies of two groups as one group.
    ///
    /// PTX: none
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, memory: (SharedArray<f32, 1024>, SharedArray<u8, 64>), x: GlobalTile<f32, 1024>, y: GlobalTile<u8, 64>) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let group = cp_async::load(cta, a, x).and(cp_async::load(cta, b, y)).commit(cta);
    ///     let ((a, _), (b, _)) = group.wait(cta);
    ///     (a.to_async(cta).into_free(), b.to_async(cta).into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn and<More>(self, more: CpAsyncGroup<More, Uncommitted>) -> CpAsyncGroup<(Copies, More), Uncommitted>
    where
        State: Extendable,
    {
        // 9.7.9.25.3.2: a commit takes "all prior `cp.async` instructions initiated by the executing thread but not
        // committed", so both are in the group that is committed next.
        CpAsyncGroup::new((self.copies, more.copies))
    }

    /// Closes the list of copies.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.commit_group;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
    /// let group = cp_async::load(cta, tile, src).commit(cta);
    /// // … whatever does not need the tile …
    /// let (tile, _src) = group.wait(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn commit(self, _cta: &Cta) -> CpAsyncGroup<Copies, Committed>
    where
        State: Extendable,
    {
        // SAFETY: the group owns the copies until a wait.
        unsafe { raw::cp_async_commit_group() };
        CpAsyncGroup::new(self.copies)
    }

    /// Commits another group after this one, which has been committed and stays in flight.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.commit_group;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # type Stage = SharedArray<f32, 1024>;
    /// # fn kernel(cta: &mut Cta, memory: (Stage, Stage), x: GlobalTile<f32, 1024>, y: GlobalTile<f32, 1024>) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let first = cp_async::load(cta, a, x).commit(cta);
    ///     let both = first.then(cta, cp_async::load(cta, b, y));
    ///     let ((a, _), (b, _)) = both.wait(cta);
    ///     (a.to_async(cta).into_free(), b.to_async(cta).into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
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

    /// Waits for the copies: the tiles are readable by all threads, the sources no longer read.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.wait_group 0;` `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
    /// let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait(cta);
    /// let first = tile.get(0);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> Copies::Landed
    where
        Copies: Landing,
        State: Waitable,
    {
        cta.sync_with(self.wait_at_sync())
    }

    /// Waits for the copies, committed or not.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.wait_all;` `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) -> Shared<'s, f32, 1024, Published> {
    /// let (tile, _src) = cp_async::load(cta, tile, src).wait_all(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_all(self, cta: &Cta) -> Copies::Landed
    where
        Copies: Landing,
    {
        // SAFETY: waits, and 9.7.9.25.3.3: "equivalent to `cp.async.commit_group; cp.async.wait_group 0;`": whatever was not
        // committed is so now, and complete.
        unsafe { raw::cp_async_wait_all() };
        cta.sync();
        self.copies.landed(Token::NEW)
    }

    /// Makes the copies, committed or not, part of this phase of an mbarrier: it completes when all threads have
    /// called this and their copies are complete. Neither a group nor a barrier is needed then.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.mbarrier.arrive.shared::cta.b64 [bar];`
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];`
    ///
    /// Without `.noinc`, the phase waits for one arrival more, that of the copies:
    /// [`arrive_on_noinc`](CpAsyncGroup::arrive_on_noinc) takes an mbarrier that counts it.
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    /// cta.async_scope((tile, bar), |cta, (tile, bar)| {
    ///     let copy = cp_async::load(cta, tile, src).arrive_on(cta, bar);
    ///     let (bar, (tile, _src)) = copy.wait(cta);
    ///     (tile.to_async(cta).into_free(), bar)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn arrive_on(self, cta: &Cta, bar: Mbarrier<impl Arrivable>) -> Tracked<Copies> {
        // SAFETY: the mbarrier is valid by its phase, in which this thread's arrival is due, so it stays the current one
        // until the arrive below: the increment falls into it. Pending arrivals are two a thread, 2048, at most. The
        // asynchronous arrival is one that the phase waits for, so the mbarrier is there.
        unsafe { raw::cp_async_mbarrier_arrive(space::SharedCta, bar.addr()) };
        Tracked { bar: bar.arrive(cta), copies: self.copies }
    }

    /// [`arrive_on`](CpAsyncGroup::arrive_on) an mbarrier on which each thread arrives twice a phase: its copies make one of
    /// these arrivals when they are complete, the thread the other at once. So nothing is added to the pending count first.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];`
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit, 2> } }
    /// # fn kernel(cta: &mut Cta, smem: Smem, src: GlobalTile<f32, 1024>) {
    /// let bar = smem.bar.init(cta); // counts twice the threads
    /// cta.async_scope((smem.tile, bar), |cta, (tile, bar)| {
    ///     let copy = cp_async::load(cta, tile, src).arrive_on_noinc(cta, bar);
    ///     let (bar, (tile, _src)) = copy.wait(cta);
    ///     (tile.to_async(cta).into_free(), bar)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn arrive_on_noinc(self, _cta: &Cta, bar: Mbarrier<Ready, 2>) -> Tracked<Copies, 2> {
        // SAFETY: the mbarrier is valid by its phase, in which two arrivals of this thread are due. One is that of the copies,
        // accounted for in the count, as 9.7.13.15.15 asks: the phase does not complete before it, so it falls into this
        // phase, and the mbarrier is there. The thread makes the other.
        let bar = unsafe {
            raw::cp_async_mbarrier_arrive_noinc(space::SharedCta, bar.addr());
            bar.arrive_times(1)
        };
        Tracked { bar, copies: self.copies }
    }
}

/// Copies that an mbarrier tracks, one of `ARRIVALS` a thread.
///
/// ```
/// # use ptx::{cp_async::{CpAsyncLoad, Tracked}, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}};
/// # use ptx::shared::{Published, Shared};
/// type Copy<'s> = CpAsyncLoad<'s, f32, 1024, GlobalTile<f32, 1024>>;
/// fn finish<'s>(cta: &Cta, copy: Tracked<Copy<'s>>) -> (Mbarrier<Ready>, Shared<'s, f32, 1024, Published>) {
///     let (bar, (tile, _src)) = copy.wait(cta);
///     (bar, tile)
/// }
/// ```
#[must_use = "copies in flight have to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Tracked<Copies, const ARRIVALS: u32 = 1> {
    bar: Mbarrier<Arrived, ARRIVALS>,
    copies: Copies,
}

static_assertions::assert_not_impl_any!(Tracked<()>: Copy, Clone, Send, Sync);

impl<Copies, const ARRIVALS: u32> Tracked<Copies, ARRIVALS> {
    /// Waits for the copies of all threads.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    /// cta.async_scope((tile, bar), |cta, (tile, bar)| {
    ///     let copy = cp_async::load(cta, tile, src).arrive_on(cta, bar);
    ///     // … whatever does not need the tile …
    ///     let (bar, (tile, _src)) = copy.wait(cta);
    ///     (tile.to_async(cta).into_free(), bar)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> (Mbarrier<Ready, ARRIVALS>, Copies::Landed)
    where
        Copies: Landing,
    {
        // 9.7.9.25.1.2: when the phase is complete, "all threads participating in that mbarrier object can access the result
        // of the asynchronous operations". All threads of the CTA do.
        (self.bar.wait(cta), self.copies.landed(Token::NEW))
    }

    /// Whether [`wait`](Tracked::wait) would return at once. Threads can get different answers.
    ///
    /// PTX: `mbarrier.test_wait.relaxed.cta.shared::cta.b64 waitComplete, [bar], state;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    /// cta.async_scope((tile, bar), |cta, (tile, bar)| {
    ///     let copy = cp_async::load(cta, tile, src).arrive_on(cta, bar);
    ///     while !copy.is_complete() {
    ///         // … this thread's own work: no collective call …
    ///     }
    ///     let (bar, (tile, _src)) = copy.wait(cta);
    ///     (tile.to_async(cta).into_free(), bar)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.bar.is_complete()
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
    /// Commits another group after these, which stay in flight.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.commit_group;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # type Stage = SharedArray<f32, 1024>;
    /// # fn kernel(cta: &mut Cta, memory: (Stage, Stage, Stage), x: GlobalTile<f32, 1024>, y: GlobalTile<f32, 1024>, z: GlobalTile<f32, 1024>) {
    /// cta.async_scope(memory, |cta, (a, b, c)| {
    ///     let queue = cp_async::load(cta, a, x).commit(cta).then(cta, cp_async::load(cta, b, y));
    ///     let queue = queue.then(cta, cp_async::load(cta, c, z)); // three groups in flight
    ///     let (((a, _), (b, _)), (c, _)) = queue.wait(cta);
    ///     (a.to_async(cta).into_free(), b.to_async(cta).into_free(), c.to_async(cta).into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn then<More>(
        self,
        cta: &Cta,
        group: CpAsyncGroup<More, Uncommitted>,
    ) -> InFlight<Self, CpAsyncGroup<More, Committed>> {
        InFlight::new(self, group.commit(cta))
    }

    /// Waits for the oldest group; the newer ones, `N` of them, stay in flight.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.wait_group N;` `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # type Stage = SharedArray<f32, 1024>;
    /// # fn kernel(cta: &mut Cta, memory: (Stage, Stage), x: GlobalTile<f32, 1024>, y: GlobalTile<f32, 1024>) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let queue = cp_async::load(cta, a, x).commit(cta).then(cta, cp_async::load(cta, b, y));
    ///     let ((a, _), newer) = queue.wait_oldest(cta); // `b` is still on its way
    ///     let _first = a.get(0);
    ///     let (b, _) = newer.wait(cta);
    ///     (a.to_async(cta).into_free(), b.to_async(cta).into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_oldest<Copies: Landing>(self, cta: &Cta) -> (Copies::Landed, <Self as Queue>::Newer)
    where
        Older: Queue<Oldest = CpAsyncGroup<Copies, Committed>>,
    {
        cta.sync_with(self.wait_oldest_at_sync())
    }

    /// Waits for all groups.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `cp.async.wait_group 0;` `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # type Stage = SharedArray<f32, 1024>;
    /// # fn kernel(cta: &mut Cta, memory: (Stage, Stage), x: GlobalTile<f32, 1024>, y: GlobalTile<f32, 1024>) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let queue = cp_async::load(cta, a, x).commit(cta).then(cta, cp_async::load(cta, b, y));
    ///     let ((a, _), (b, _)) = queue.wait(cta); // nested pairs, the newest outermost
    ///     (a.to_async(cta).into_free(), b.to_async(cta).into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> <(Older::Copies, Newest) as Landing>::Landed
    where
        Older::Copies: Landing,
        Newest: Landing,
    {
        cta.sync_with(self.wait_at_sync())
    }
}
