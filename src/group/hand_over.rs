//! Handles that a group hands to a part of its threads, which works alone for a time ([`HandOver`]).

use crate::group::{AfterSync, Passed, ThreadGroup};

/// The types of a handle in other hands than those of the group `Of`. Handles in every state have them, also those that a group
/// cannot hand over: so a wrong call fails by one bound, [`HandOver`].
///
/// # Safety
///
/// Implemented in this crate only: `HeldBy` is the type of the same memory, in the same state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handle that a group can hold",
    label = "neither `()` nor handles",
    note = "a call without handles passes `()`: `cta.invoke_one((), |thread, ()| …)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Held<Of>: Sized {
    /// The handle as `G` holds it.
    type HeldBy<G>;
    /// The proof that `G` has ended its use of the handle ([`End`]).
    type EndedBy<G>;
    /// What the call gives back: the handles [`AfterSync`], or `()` without handles.
    type Back;
    /// The handles after a barrier, in whatever state the part has left them: shared memory is
    /// [`FreeGeneric`](crate::shared::FreeGeneric).
    type Joined;
}

/// Handles that a group can hand to a part of its threads for the time of a call such as [`Cta::invoke_one`]: shared memory that
/// no thread reads and no copy uses, memory of an mbarrier, and tuples of such handles.
///
/// # Safety
///
/// Implemented in this crate only:
///
/// - The group `Of` holds the handle.
/// - Until all threads of the group have met at a barrier, only the threads of the part use the memory or mbarrier of the handle.
/// - Every thread's copy of the handle is equal.
/// - Two handles whose types differ only in state are interchangeable: the part may return handles in another order.
#[diagnostic::on_unimplemented(
    message = "`{Of}` cannot hand `{Self}` to a part of its threads",
    label = "in use, held by another group, or not a handle of shared memory",
    note = "a call without handles passes `()`: `cta.invoke_one((), |thread, ()| …)`",
    note = "`invoke_one`, `invoke_warp`, `finish_one`, `finish_warp` and a pipeline's `run_tiles_with` and `run_with` take shared memory that is `Free` or `Fenced`, `Mbarrier<Uninit>`, and tuples of one to six of them, held by the calling group: free a loaded tile with `.release().sync(cta)` first",
    note = "call `.sync(cta)` on an `AfterSync`, which gives its handle",
    note = "an `Mbarrier<Ready>` counts the threads that called `init`: hand over an `Mbarrier<Uninit>`, and call `.init(thread)` or `.init(warp)` in the closure"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait HandOver<Of>: Held<Of> {
    /// Returns the handle as `G`, the part of the group that gets it, holds it.
    ///
    /// # Safety
    ///
    /// - All threads of the group make this call; only the threads of `G` use the returned handle.
    /// - `self` is never used again, or only after a barrier of the group that follows the return of the handle by `G`.
    #[doc(hidden)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G>;
    /// Returns the handles, which come back after the barrier of `group`. Without handles, executes that barrier.
    #[doc(hidden)]
    #[track_caller]
    fn back(self, group: &Of) -> Self::Back
    where
        Of: ThreadGroup;
    /// Returns the handles after a barrier of the group, which the token proves. The part has ended its own.
    #[doc(hidden)]
    fn joined(self, passed: Passed) -> Self::Joined;
}

// SAFETY: `()` has no memory.
unsafe impl<Of> Held<Of> for () {
    type HeldBy<G> = ();
    type EndedBy<G> = ();
    type Back = ();
    type Joined = ();
}
// SAFETY: `()` has no memory.
unsafe impl<Of> HandOver<Of> for () {
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {}
    #[inline(always)]
    fn back(self, group: &Of)
    where
        Of: ThreadGroup,
    {
        group.sync();
    }
    #[inline(always)]
    fn joined(self, _: Passed) {}
}

// SAFETY: the types are those of the handle. What is not there yet is not handed over.
unsafe impl<Handles: Held<Of>, G, Of> Held<Of> for AfterSync<Handles, G> {
    type HeldBy<Part> = Handles::HeldBy<Part>;
    type EndedBy<Part> = Handles::EndedBy<Part>;
    type Back = AfterSync<Handles, Of>;
    type Joined = Handles::Joined;
}

// SAFETY: the types are those of the elements.
unsafe impl<Of, H: Held<Of>, const N: usize> Held<Of> for [H; N] {
    type HeldBy<G> = [H::HeldBy<G>; N];
    type EndedBy<G> = [H::EndedBy<G>; N];
    type Back = AfterSync<Self, Of>;
    type Joined = [H::Joined; N];
}
// SAFETY: each element keeps the clauses of the trait.
unsafe impl<Of, H: HandOver<Of>, const N: usize> HandOver<Of> for [H; N] {
    come_back! { Of }
    #[inline(always)]
    fn joined(self, passed: Passed) -> Self::Joined {
        self.map(|handle| handle.joined(passed))
    }
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
        // SAFETY: the caller keeps both clauses of `# Safety` for the array, so for each element.
        self.each_ref().map(|handle| unsafe { handle.hand_over() })
    }
}

/// The function of [`HandOver`] by which handles come back after a barrier.
macro_rules! come_back {
    ($Of:ident) => {
        #[inline(always)]
        fn back(self, _: &$Of) -> Self::Back
        where
            $Of: $crate::group::ThreadGroup,
        {
            $crate::group::AfterSync::new(self)
        }
    };
}
pub(crate) use come_back;

macro_rules! hand_over_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each element of the tuple keeps the clause of the trait.
        unsafe impl<Of, $($H: Held<Of>),+> Held<Of> for ($($H,)+) {
            type HeldBy<G> = ($($H::HeldBy<G>,)+);
            type EndedBy<G> = ($($H::EndedBy<G>,)+);
            type Back = AfterSync<Self, Of>;
            type Joined = ($($H::Joined,)+);
        }
        // SAFETY: each element of the tuple keeps the clauses of the trait.
        unsafe impl<Of, $($H: HandOver<Of>),+> HandOver<Of> for ($($H,)+) {
            come_back! { Of }
            #[inline(always)]
            fn joined(self, passed: Passed) -> Self::Joined {
                ($(self.$i.joined(passed),)+)
            }
            #[inline(always)]
            unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
                // SAFETY: the caller keeps both clauses of `# Safety` for the tuple, so for each element.
                unsafe { ($(self.$i.hand_over(),)+) }
            }
        }
    )* };
}
hand_over_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }
