//! Shared memory (`__shared__`): declared by the kernel ([`shared_memory!`](crate::shared_memory)) or added by the launch
//! ([`DynamicShared`]), and accessed through handles whose type states who may access the memory.
//!
//! A [`SharedArray`] is memory at rest. [`Cta::async_scope`] lends it to a closure as a [`Shared`] in the state [`Free`], which
//! bulk async copies (TMA) accept. The closure has to return the handle, and a copy in flight owns its handles. So no copy is in
//! flight when the closure ends, even if the closure forgets a handle.
//!
//! ```text
//!            bulk::load, wait            release
//!   Free  ───────────────────► Loaded ─────────────► Free
//!    │ write                     │ update
//!    └────────► Written ◄────────┘
//!                 │ to_async                  publish: Written ─► Published (readable)
//!                 ▼
//!              Fenced ── bulk::store, commit, wait_read ──► Free
//! ```
//!
//! `release`, `publish`, `to_async` and the waits for copies leave their barrier to the caller: `.sync(cta)` gives the next handle
//! ([`AfterSync`]).
//!
//! Memory that only threads and [`cp_async`](crate::cp_async) fill needs no proxy fence:
//!
//! ```text
//!   Free, FreeGeneric ── cp_async::load, wait, or write, publish ──► Published ── release ──► FreeGeneric
//!                                          to_async: Published, FreeGeneric ─► Fenced
//! ```

use core::marker::PhantomData;

use crate::group::{AfterSync, Brand, Cta, ThreadGroup};
use crate::mark::{Group, hold};
use crate::qualifier::space;
use crate::raw;
use crate::registers::unroll;
use crate::size;

mod element;
mod layout;
#[macro_use]
mod memory;
mod places;
mod scope;
#[macro_use]
mod states;
mod stores;
mod table;
mod thread_vectors;
mod view;

pub use element::Element;
pub(crate) use element::bits;
pub use layout::Swizzle;
pub use memory::{ALIGN, DynamicShared, Place, SharedMemory};
#[doc(hidden)]
pub use memory::{Needs, count, layout_of_places, needs, place, type_of};
pub use places::Places;
pub use scope::{Ended, Lendable, Scoped, SharedArray};
pub(crate) use scope::{never_lent, publish_inits};
pub use states::*;
pub use table::{FilledTable, SharedTable};
pub use thread_vectors::{ThreadVector, ThreadVectors};
pub use view::View2d;

/// A handle of `N` elements of shared memory (`__shared__ T a[N]`), lent to the scope `'s`, in a `State` that says who may access
/// them.
///
/// A method that changes the state uses the handle up and returns the handle of the next state (diagram: [module page](self)).
/// Every thread of the group `G`, the CTA by default, holds a handle of its own and makes the same calls.
///
/// ```
/// # use ptx::{group::Cta, shared::{Free, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 1024, Free>) -> Shared<'s, u32, 1024, Free> {
/// let tile = tile.write(cta, |i| i as u32); // `Written`
/// let tile = tile.publish().sync(cta); // `Published`: `get` compiles from here
/// let x = tile.get(17);
/// let tile = tile.to_async().sync(cta); // `Fenced`
/// tile.into_free()
/// # }
/// ```
///
/// What each state allows:
///
#[doc = uses_of_memory!()]
#[must_use = "keep this handle: the scope has to return it"]
#[derive(Debug)]
pub struct Shared<'s, T, const N: usize, State, G = Cta> {
    addr: u32,
    /// Invariant in `'s`: handles of two scopes have two types.
    _scope: Brand<'s>,
    _elements: PhantomData<(*mut [T; N], State)>,
    _group: PhantomData<fn(&G)>,
}

impl<'s, T: Element, const N: usize, State, G> Shared<'s, T, N, State, G> {
    #[inline(always)]
    pub(crate) fn new(addr: u32) -> Self {
        Shared { addr, _scope: PhantomData, _elements: PhantomData, _group: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn into_state<Next>(self) -> Shared<'s, T, N, Next, G>
    where
        G: Group,
    {
        hold::<G>(self.addr);
        Shared::new(self.addr)
    }

    /// The `.shared::cta` address of the first element: a multiple of 128.
    #[inline(always)]
    #[doc(alias = "__cvta_generic_to_shared")]
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// Gives the memory up in the kernel's last scope, in any state, and returns the proof that [`Cta::finish`] or
    /// [`Cta::finish_cluster`] asks for. No copy uses the memory: a copy owns its handle.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'s, SharedArray<T, N>, G> {
        Ended::new()
    }
}

impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Shared<'s, T, N, State, G> {
    /// Loads element `i`; `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T>
    where
        State: Readable,
    {
        if i >= N {
            return None;
        }
        // SAFETY: `i` is below `N`; in a `Readable` state no thread and no copy writes.
        Some(unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// Loads the sixteen bytes that start at byte `16 * i`, as one vector; `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector>
    where
        State: Readable,
    {
        if i >= const { size::vectors::<T, N>() } {
            return None;
        }
        // SAFETY: vector `i` is in bounds, aligned since `addr` is a multiple of 128; in a `Readable` state no thread and no copy
        // writes.
        Some(unsafe { T::load_vector(self.addr + 16 * i as u32) })
    }

    /// Replaces each element `v` at index `i` by `f(i, v)`, once all threads have finished their reads. Each thread updates its
    /// share, sixteen bytes at a time; the array has a multiple of 16 bytes.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, per sixteen bytes: `ld.weak.shared::cta.v4.b32`, `st.weak.shared::cta.v4.b32`, or
    /// `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn update(self, group: &G, mut f: impl FnMut(usize, T) -> T) -> Shared<'s, T, N, Written, G>
    where
        State: Readable,
    {
        const { whole_vectors::<T, N>() };
        group.sync();
        for_each_vector::<T, N>(group, |v| {
            // SAFETY: vector `v` is in bounds and belongs to one thread. By the state no other thread writes; after the barrier
            // no other thread reads.
            unsafe {
                let addr = self.addr + 16 * v;
                let mut vector = T::load_vector(addr);
                let first = v as usize * vector.as_ref().len();
                for (lane, value) in vector.as_mut().iter_mut().enumerate() {
                    *value = f(first + lane, *value);
                }
                T::store_vector(addr, vector);
            }
        });
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Loaded, G> {
    /// Frees the memory for the next copy, and gives up the contents. After the barrier all threads have finished their reads.
    ///
    /// PTX: none. In a [`FirstWarp`](crate::group::FirstWarp) and in a [`Thread`](crate::group::Thread),
    /// `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{group::{Cta, Together}, shared::{Fenced, Free, Loaded, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, from: Shared<'s, f32, 64, Loaded>, to: Shared<'s, f32, 64, Written>)
    /// # -> (Shared<'s, f32, 64, Free>, Shared<'s, f32, 64, Fenced>) {
    /// let (from, to) = (from.release(), to.to_async()).sync(cta);
    /// # (from, to) }
    /// ```
    #[inline(always)]
    #[doc(alias = "sync")] // rustc suggests this method for `handle.sync(cta)`
    pub fn release(self) -> AfterSync<Shared<'s, T, N, Free, G>, G> {
        G::fence_reads();
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Free, G> {
    /// Stores `f(i)` into each element `i`: the threads of the group share the elements, sixteen bytes at a time, and no barrier
    /// follows. A thread computes the neighbouring elements of its vectors, and `i` counts elements from the start of the array: in a
    /// view of rows of `WIDTH`, the row is `i / WIDTH`. The array has a multiple of 16 bytes.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn write(self, group: &G, mut f: impl FnMut(usize) -> T) -> Shared<'s, T, N, Written, G> {
        meet!(group);
        const { whole_vectors::<T, N>() };
        for_each_vector::<T, N>(group, |v| {
            let addr = self.addr + 16 * v;
            // SAFETY: vector `v` is in bounds and belongs to one thread; by the state no other thread and no copy accesses it.
            // All-zero bits are a value of every element.
            unsafe {
                let mut vector = core::mem::zeroed::<T::Vector>();
                let first = v as usize * vector.as_ref().len();
                for (lane, value) in vector.as_mut().iter_mut().enumerate() {
                    *value = f(first + lane);
                }
                T::store_vector(addr, vector);
            }
        });
        self.into_state()
    }

    /// Stores `f(i)` into each chunk i of `V` adjacent vectors of sixteen bytes: the threads of the group share the chunks, and no
    /// barrier follows. Each thread stores every t-th chunk from its rank on, for t threads. The array has a multiple of `16 * V`
    /// bytes.
    ///
    /// A scan by a thread of adjacent elements takes fewer steps of the group than one of single vectors. With an odd `V`, the
    /// threads of a warp use all banks of shared memory.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{group::Cta, reduce::ReduceMemory, registers::{from_fn, unroll}, shared::{Free, Loaded, Shared, Written}};
    /// # type Tile<'s, State> = Shared<'s, u32, 3072, State>;
    /// # fn kernel<'s>(cta: &Cta, from: &Tile<'s, Loaded>, to: Tile<'s, Free>, partials: &mut ReduceMemory<u32>) -> Tile<'s, Written> {
    /// // The sums before each element, by 256 threads.
    /// let words: [[u32; 4]; 3] = from_fn(|v| from.get_vector(3 * cta.thread_rank() as usize + v).unwrap_or_default());
    /// let mut own = 0;
    /// unroll::<3>(|v| own += words[v].iter().sum::<u32>());
    /// let (mut before, _) = partials.exclusive_sum(cta, own);
    /// let to = to.write_chunks::<3>(cta, |_| {
    ///     let mut chunk = words;
    ///     unroll::<3>(|v| unroll::<4>(|i| before += core::mem::replace(&mut chunk[v][i], before)));
    ///     chunk
    /// });
    /// # to
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_chunks<const V: usize>(
        self,
        group: &G,
        mut f: impl FnMut(usize) -> [T::Vector; V],
    ) -> Shared<'s, T, N, Written, G> {
        meet!(group);
        let chunks = const {
            whole_vectors::<T, N>();
            assert!(
                V > 0 && size::vectors::<T, N>().is_multiple_of(V),
                "threads store whole chunks: choose a number of vectors that divides those of the array"
            );
            size::shared(size::vectors::<T, N>() / V)
        };
        for_each_own(group, chunks, |chunk| {
            let vectors = f(chunk as usize);
            let addr = self.addr + 16 * V as u32 * chunk;
            // SAFETY: the vectors of chunk `chunk` are in bounds and belong to one thread; by the state no other thread and no copy
            // accesses them.
            unroll::<V>(|v| unsafe { T::store_vector(addr + 16 * v as u32, vectors[v]) });
        });
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Shared<'s, T, N, State, G> {
    /// Makes all threads' stores and atomic operations visible to all threads of the group, which see them after the barrier
    /// (`__syncthreads()`).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn publish(self) -> AfterSync<Shared<'s, T, N, Published, G>, G>
    where
        State: ThreadStores,
    {
        AfterSync::new(self.into_state())
    }

    /// Makes all threads' stores visible to async copies (TMA) after the barrier, by a proxy fence of each thread
    /// (`fence.proxy.async`). After the barrier all threads have also finished their reads.
    ///
    /// PTX: `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, group::Cta, shared::{Free, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Written>, to: GlobalTileMut<u32, 64>)
    /// # -> Shared<'s, u32, 64, Free> {
    /// let tile = tile.to_async().sync(cta);
    /// let tile = bulk::store(cta, tile, to).commit(cta).wait_read(cta).sync(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn to_async(self) -> AfterSync<Shared<'s, T, N, Fenced, G>, G>
    where
        State: Unfenced,
    {
        raw::fence_proxy_async(space::SharedCta);
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Published, G> {
    /// Frees the memory for stores and `cp.async`, and gives up the contents. After the barrier all threads have finished their
    /// reads. No proxy fence is needed where no bulk copy uses the memory in between.
    ///
    /// PTX: none.
    #[inline(always)]
    #[doc(alias = "sync")] // rustc suggests this method for `handle.sync(cta)`
    pub fn release(self) -> AfterSync<Shared<'s, T, N, FreeGeneric, G>, G> {
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, FreeGeneric, G> {
    /// Stores `f(i)` into each element `i`, as [`write`](Shared::write) does in the state [`Free`]: the threads of the group
    /// share the elements, and no barrier follows.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn write(self, group: &G, f: impl FnMut(usize) -> T) -> Shared<'s, T, N, Written, G> {
        self.into_state::<Free>().write(group, f)
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Fenced, G> {
    /// Gives up the contents, so that copies and threads may fill the memory again. No barrier is needed: no thread reads the
    /// memory.
    #[inline(always)]
    pub fn into_free(self) -> Shared<'s, T, N, Free, G> {
        self.into_state()
    }

    /// Lets threads read the contents again: those that a copy loaded, or those that threads stored before the barrier of
    /// [`to_async`](Shared::to_async).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn into_loaded(self) -> Shared<'s, T, N, Loaded, G> {
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Free, G> {
    /// Turns `Free` memory into [`FreeGeneric`], from which a loop of ordinary stores and loads (no bulk copies) starts: each
    /// round's [`release`](Shared::release) returns `FreeGeneric` again, so the handle has one type in every round.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{group::Cta, shared::{Free, Shared, FreeGeneric}};
    /// # fn kernel<'s>(cta: &Cta, words: Shared<'s, u32, 64, Free>, rounds: u32) -> Shared<'s, u32, 64, FreeGeneric> {
    /// let mut words = words.into_free_generic();
    /// for round in 0..rounds {
    ///     let published = words.write(cta, |i| i as u32 ^ round).publish().sync(cta);
    ///     let _other = published.get(63 - cta.thread_rank() as usize % 64);
    ///     words = published.release().sync(cta);
    /// }
    /// # words }
    /// ```
    #[inline(always)]
    pub fn into_free_generic(self) -> Shared<'s, T, N, FreeGeneric, G> {
        self.into_state()
    }
}

/// Makes each thread's stores to shared memory visible to async copies that any thread starts afterwards.
#[inline(always)]
#[track_caller]
pub(crate) fn fence_async(group: &impl ThreadGroup) {
    raw::fence_proxy_async(space::SharedCta);
    group.sync();
}

pub(crate) const fn whole_vectors<T, const N: usize>() {
    assert!(N > 0, "threads cannot fill an array without elements: choose a length of 1 or more");
    assert!(
        size::bytes::<T, N>().is_multiple_of(16),
        "threads fill an array 16 bytes at a time: choose a length of a multiple of 16 bytes"
    );
}

/// Calls `f` with the index of each sixteen-byte vector in this thread's share.
#[inline(always)]
pub(crate) fn for_each_vector<T, const N: usize>(group: &impl ThreadGroup, f: impl FnMut(u32)) {
    for_each_own(group, const { size::shared(size::vectors::<T, N>()) }, f);
}

/// Calls `f` with each number below `count` in this thread's share: `rank`, `rank + threads`, … In the loop every thread has a
/// number. The loop counts with values common to all threads, so LLVM knows the trip count when it knows the block's size.
#[inline(always)]
pub(crate) fn for_each_own(group: &impl ThreadGroup, count: u32, mut f: impl FnMut(u32)) {
    let (rank, threads) = (group.thread_rank(), group.thread_count());
    let mut first = 0;
    while first + threads <= count {
        f(first + rank);
        first += threads;
    }
    if first + rank < count {
        f(first + rank);
    }
}

handles! { DynamicShared, SharedArray<u32, 4>, Shared<u32, 4, Free> }
