//! Transitions of handles: what a barrier completes ([`AfterSync`], [`Together`]), and what ends without one ([`End`]).

use core::fmt;
use core::marker::PhantomData;

use crate::group::{Completes, Cta, HasBarrier};

/// Handles that are there after a barrier: a transition, such as [`Shared::release`](crate::shared::Shared::release), of which
/// each thread has done its part. [`sync`](AfterSync::sync) executes the group's barrier (`__syncthreads()`) and gives the
/// handles in their next states, such as `Fenced` after `Written`.
///
/// One barrier completes several transitions: `sync` of a tuple ([`Together`]). The phase of a load completes those that
/// [`load_with`](crate::bulk::load_with) took.
///
/// A few calls cannot leave their barrier to the caller, because they go on after it: [`Shared::update`] and
/// [`Shared::into_atomic`], [`Mbarrier::inval`], [`PeerBarrier::arrive`], [`Cta::sync_and`] and its siblings, and the cluster's
/// [`arrive`] and `wait`. A call of [`Cta::invoke_one`] or [`Cta::invoke_warp`] without handles ends with its barrier, since no
/// handle would ask for it.
///
/// [`Shared::update`]: crate::shared::Shared::update
/// [`Shared::into_atomic`]: crate::shared::Shared::into_atomic
/// [`Mbarrier::inval`]: crate::mbarrier::Mbarrier::inval
/// [`PeerBarrier::arrive`]: crate::cluster::PeerBarrier::arrive
/// [`arrive`]: crate::cluster::Cluster::arrive
///
/// ```
/// # use ptx::{group::{Cta, Together}, shared::{Fenced, Free, Loaded, Shared, Written}};
/// /// One `__syncthreads()` completes two transitions: a loaded tile is free again, a written tile can be stored.
/// fn exchange<'s>(
///     cta: &Cta,
///     loaded: Shared<'s, f32, 1024, Loaded>,
///     written: Shared<'s, f32, 1024, Written>,
/// ) -> (Shared<'s, f32, 1024, Free>, Shared<'s, f32, 1024, Fenced>) {
///     (loaded.release(), written.to_async()).sync(cta)
/// }
/// ```
#[must_use = "the handles are there after the barrier: call `.sync(cta)`"]
pub struct AfterSync<Handles, G = Cta> {
    /// In a tuple: where a handle is wanted, rustc would suggest a field of that type.
    handles: (Handles,),
    _group: PhantomData<fn(&G)>,
}

impl<Handles, G> AfterSync<Handles, G> {
    /// Each thread of the group has done its part of the transition to `handles`; the barrier is left.
    #[inline(always)]
    pub(crate) fn new(handles: Handles) -> Self {
        AfterSync { handles: (handles,), _group: PhantomData }
    }

    /// Waits for all threads of the group (`__syncthreads()`), and returns the handles. Handles of the CTA also come back after a
    /// barrier of the [`Cluster`](crate::cluster::Cluster). For one [`Thread`](crate::group::Thread) there is no barrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, of a cluster `barrier.cluster.arrive.release.aligned;`
    /// `barrier.cluster.wait.acquire.aligned;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("__syncthreads", "__syncwarp"))]
    pub fn sync<By: Completes<G>>(self, group: &By) -> Handles {
        group.sync();
        self.handles.0
    }

    /// Makes an [`AfterSync`] of handles that need no barrier, for a loop whose first round has nothing to wait for.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::TilesMut, group::{AfterSync, Cta}, shared::{Free, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>, mut to: TilesMut<u32, 64>) -> Shared<'s, u32, 64, Free> {
    /// // The leader waits until the store has read the tile. The barrier at the start of the next round tells the other threads.
    /// // The first round has no store to wait for.
    /// let mut stored = AfterSync::ready(tile);
    /// while let Some((index, to)) = to.next_tile() {
    ///     let written = stored.sync(cta).write(cta, |i| (index * 64 + i) as u32).to_async().sync(cta);
    ///     stored = bulk::store(cta, written, to).commit(cta).wait_read(cta);
    /// }
    /// stored.sync(cta)
    /// # }
    /// ```
    #[inline(always)]
    pub fn ready(handles: Handles) -> Self {
        const {
            assert!(
                !core::mem::needs_drop::<Handles>(),
                "`AfterSync::ready` takes handles only, not a type that runs code when it is dropped"
            )
        };
        AfterSync::new(handles)
    }
}

/// A handle that is there: its text is the error of a call on an [`AfterSync`] that its handle has.
///
/// # Safety
///
/// Nothing implements the trait.
#[diagnostic::on_unimplemented(
    message = "the handle is there after the barrier: call `.sync(cta)` first",
    label = "a method of the handle, which is not there yet",
    note = "`{Self}` is a transition of which each thread has done its part; `.sync(cta)`, or in a part of the CTA `.sync(thread)`, `.sync(warp)` or `.sync(warps)`, waits for the other threads and gives the handle"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait IsThere<Returns> {}

macro_rules! not_there {
    ($( $name:ident ( $($argument:ident)* ) )*) => {
        /// The methods of handles. Without them, rustc would say that the handle has the method in another state.
        impl<Handles, G> AfterSync<Handles, G> { $(
            #[doc(hidden)]
            pub fn $name<Returns>(self, $($argument: impl Sized),*) -> Returns
            where
                Self: IsThere<Returns>,
            {
                let _ = ($($argument,)*);
                unreachable!("an `AfterSync` is no handle")
            }
        )* }
    };
}
not_there! {
    get(i) get_vector(i) set(i value) set_vector(i value) write(group f) write_chunks(group f) update(group f) element_stores() vector_stores()
    release() publish() to_async() into_free() into_loaded() into_free_generic() into_atomic(cta) atomic(i)
    arrive(group) wait(group) inval(group)
}

impl<Handles: End, G> AfterSync<Handles, G> {
    /// Gives the handles up in the kernel's last scope, without their barrier, and returns the proof that [`Cta::finish`] asks
    /// for. No barrier is needed: each thread has done its part when it returns from the scope, and the memory lives until all
    /// threads have exited.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Handles::Ended {
        self.handles.0.end()
    }
}

impl<Handles, G> fmt::Debug for AfterSync<Handles, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterSync")
    }
}

/// What one barrier completes: an [`AfterSync`], or a tuple of two to ten.
///
/// # Safety
///
/// Implemented in this crate only: each thread has done its part of the transitions.
#[diagnostic::on_unimplemented(
    message = "a barrier does not complete `{Self}`",
    label = "not a transition that waits for a barrier",
    note = "`.sync(cta)` of a tuple, `load_with` and `arrive_with` take what methods such as `release`, `to_async`, `publish` and `wait_read` return (`AfterSync`), or a tuple of two to ten of them"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Transitions<By> {
    /// The handles in their next states.
    type Handles;
    /// Returns the handles in their next states. The token proves that the caller has passed the barrier.
    #[doc(hidden)]
    fn handles(self, passed: Passed) -> Self::Handles;
}

/// Completes a tuple of transitions by one barrier: import this trait to call `.sync(cta)` on two to ten [`AfterSync`].
///
/// # Safety
///
/// Implemented in this crate only, for tuples.
pub unsafe trait Together: Sized {
    /// Waits for all threads of the group (`__syncthreads()`), and returns the handles of all transitions, as
    /// [`AfterSync::sync`] does for one.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`AfterSync::sync`].
    #[inline(always)]
    #[track_caller]
    fn sync<By: HasBarrier>(self, group: &By) -> Self::Handles
    where
        Self: Transitions<By>,
    {
        group.sync();
        self.handles(Passed::NEW)
    }
}

/// Proof that the thread has passed a barrier of the group, or an mbarrier phase in which every thread of the group has arrived.
/// Only this crate can make a `Passed`.
#[derive(Debug, Clone, Copy)]
pub struct Passed(());
impl Passed {
    pub(crate) const NEW: Passed = Passed(());
}

// SAFETY: a method that makes an `AfterSync` has done the thread's part.
unsafe impl<Handles, G, By: Completes<G>> Transitions<By> for AfterSync<Handles, G> {
    type Handles = Handles;
    #[inline(always)]
    fn handles(self, _: Passed) -> Handles {
        self.handles.0
    }
}

macro_rules! transitions {
    ($( ($($T:ident $i:tt),+) )*) => { $(
        // Unconditional: so `.sync` exists for every tuple, and a wrong one gets the text of `Transitions`.
        // SAFETY: a tuple.
        unsafe impl<$($T),+> Together for ($($T,)+) {}
        // SAFETY: each element of the tuple keeps the clause of the trait.
        unsafe impl<By, $($T: Transitions<By>),+> Transitions<By> for ($($T,)+) {
            type Handles = ($($T::Handles,)+);
            #[inline(always)]
            fn handles(self, passed: Passed) -> Self::Handles {
                ($(self.$i.handles(passed),)+)
            }
        }
    )* };
}
transitions! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6, I 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6, I 7, J 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6, I 7, J 8, K 9)
}

/// Handles whose use can end without a barrier at the end of a kernel: [`Shared`](crate::shared::Shared), the handles that a
/// cluster's scope makes of it, and tuples of such handles.
///
/// # Safety
///
/// Implemented in this crate only: the value that `end` returns proves that no copy uses the memory, or, in a cluster's scope,
/// that no copy uses it once all CTAs have ended theirs.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait End {
    /// The proof that the last scope asks for.
    type Ended;
    /// Gives the handle up in the kernel's last scope, and returns the proof that [`Cta::finish`] or [`Cta::finish_cluster`] asks
    /// for.
    fn end(self) -> Self::Ended;
}

macro_rules! end_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each element of the tuple keeps the clause of the trait.
        unsafe impl<$($H: End),+> End for ($($H,)+) {
            type Ended = ($($H::Ended,)+);
            #[inline(always)]
            fn end(self) -> Self::Ended {
                ($(self.$i.end(),)+)
            }
        }
    )* };
}
end_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

// SAFETY: each element keeps the clause of the trait.
unsafe impl<H: End, const N: usize> End for [H; N] {
    type Ended = [H::Ended; N];
    #[inline(always)]
    fn end(self) -> Self::Ended {
        self.map(End::end)
    }
}

/// Implements [`End`] for types that hold no shared memory: there is nothing to end.
macro_rules! nothing_to_end {
    ($( [$($generics:tt)*] $T:ty; )*) => { $(
        // SAFETY: the type holds no shared memory.
        unsafe impl<$($generics)*> $crate::group::End for $T {
            type Ended = ();
            #[inline(always)]
            fn end(self) {}
        }
    )* };
}
pub(crate) use nothing_to_end;

nothing_to_end! { [] (); }
