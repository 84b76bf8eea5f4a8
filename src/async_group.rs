//! Async-groups in flight (9.7.9.25.1.1): queues of committed groups of [`bulk`](crate::bulk) or [`cp_async`](crate::cp_async)
//! copies, as CUDA's `__pipeline_commit()`, `__pipeline_wait_prior(N)` and `cuda::pipeline` handle them.
//!
//! A committed group is a queue of one group. [`then`] commits another group after it. A wait for the oldest group of a queue
//! leaves the newer groups in flight. The queue's type counts its groups, because `wait_group N` takes an immediate:
//!
//! ```text
//!   Group<A> ── then b ──► InFlight<Group<A>, Group<B>> ── wait_oldest ──► A's handles, Group<B>
//! ```
//!
//! A loop that waits for the oldest group and commits another group of the same type does not change the type of the queue.
//!
//! [`then`]: crate::cp_async::CpAsyncGroup::then

use crate::qualifier::Sealed;

mod token {
    /// Zero-sized proof, passed as an argument, that the caller has waited for its async-groups, has passed a barrier, or commits
    /// groups in order. Only this crate can make a token.
    #[derive(Clone, Copy, Debug)]
    pub struct Token(());
    impl Token {
        pub(crate) const NEW: Token = Token(());
    }
}
pub(crate) use token::Token;

/// The largest number of committed async-groups that one queue holds ([`InFlight`]). The crate has `wait_group N` for
/// each `N` below this number.
pub const MAX_ASYNC_GROUPS: u32 = 8;

/// Waits until at most `$newer` groups are pending. `$newer` is a constant wherever this macro is inlined, so the `match` leaves
/// one `wait_group` with an immediate.
macro_rules! wait_group {
    ($instruction:ident, $newer:expr) => {{
        // SAFETY: `wait_group` has no condition of its own (`# Safety` of the raw function).
        unsafe {
            match $newer {
                0 => $crate::raw::$instruction::<0>(),
                1 => $crate::raw::$instruction::<1>(),
                2 => $crate::raw::$instruction::<2>(),
                3 => $crate::raw::$instruction::<3>(),
                4 => $crate::raw::$instruction::<4>(),
                5 => $crate::raw::$instruction::<5>(),
                6 => $crate::raw::$instruction::<6>(),
                // Seven: `InFlight::new` asserts that a queue holds eight groups at most.
                _ => $crate::raw::$instruction::<7>(),
            }
        }
    }};
}
pub(crate) use wait_group;

/// A queue of committed async-groups whose copies are in flight, for waits that leave the newer groups in flight
/// (`wait_group N`). `Newest` was committed after all groups of `Older`, which is a group or a queue.
///
/// ```
/// # use ptx::{cp_async, global::Tiles, group::Cta, shared::SharedArray};
/// # type Stage = SharedArray<f32, 1024>;
/// # fn kernel(cta: Cta, memory: (Stage, Stage), src: Tiles<f32, 1024>, mut use_element: impl FnMut(f32)) {
/// # let (Some(first), Some(second)) = (src.get(0), src.get(1)) else { return };
/// cta.finish(memory, |cta, (a, b)| {
///     let mut queue = cp_async::load(cta, a, first).commit(cta).then(cta, cp_async::load(cta, b, second));
///     for next in (2..src.count()).filter_map(|i| src.get(i)) {
///         let ((tile, _), newer) = queue.wait_oldest().sync(cta); // one group stays in flight
///         if let Some(x) = tile.get(cta.thread_rank() as usize) {
///             use_element(x);
///         }
///         queue = newer.then(cta, cp_async::load(cta, tile.release().sync(cta), next)); // two groups again
///     }
///     let ((a, _), (b, _)) = queue.wait().end();
///     (a, b)
/// });
/// # }
/// ```
#[must_use = "copies in flight have to be waited for: call `.wait_oldest(…)` or `.wait(…)`, then `.sync(cta)`"]
#[derive(Debug)]
pub struct InFlight<Older, Newest> {
    pub(crate) older: Older,
    pub(crate) newest: Newest,
}

static_assertions::assert_not_impl_any!(InFlight<(), ()>: Copy, Clone);

impl<Older: Queue, Newest> InFlight<Older, Newest> {
    /// `newest` was committed after all groups of `older`, by the same threads.
    #[inline(always)]
    pub(crate) fn new(older: Older, newest: Newest) -> Self {
        const {
            assert!(
                Older::GROUPS < MAX_ASYNC_GROUPS,
                "a queue holds eight groups at most: call `wait_oldest` before `then` commits another group"
            )
        };
        InFlight { older, newest }
    }
}

/// A queue of committed async-groups in flight, in the order of their commits: one group, or an [`InFlight`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a queue of committed groups",
    label = "not committed",
    note = "commit the first group by `.commit(&cta)`; `.then(&cta, group)` commits each further group itself"
)]
pub trait Queue: Sealed {
    /// The number of async-groups in the queue, committed and not yet waited for.
    const GROUPS: u32;
    /// The group that was committed first.
    type Oldest;
    /// The queue without its oldest group: a queue, or `()` if no group is left.
    type Newer: Newer;
    /// The copies of all groups: nested pairs, with the copies of the newest group outermost.
    type Copies;
    /// Takes the group that was committed first out of the queue. The token proves that the caller has waited for that group.
    #[doc(hidden)]
    fn take_oldest(self, token: Token) -> (Self::Oldest, Self::Newer);
    /// Returns the handles of the copies of all groups in the queue. The token proves that the caller has waited for all groups.
    #[doc(hidden)]
    fn into_copies(self, token: Token) -> Self::Copies;
}

/// What a queue of async-groups is after a wait for its oldest group: a shorter queue, or `()` if no group is left.
#[cfg_attr(doc, doc(hidden))]
pub trait Newer: Sealed {
    /// This queue with `Group` as its newest group.
    type And<Group: Queue>: Newer;
    /// Appends the committed group `newest` to the queue. The token proves that `newest` was committed last.
    #[doc(hidden)]
    fn and<Group: Queue>(self, newest: Group, token: Token) -> Self::And<Group>;
}

impl Sealed for () {}
impl Newer for () {
    type And<Group: Queue> = Group;
    #[inline(always)]
    fn and<Group: Queue>(self, newest: Group, _: Token) -> Group {
        newest
    }
}
impl<Groups: Queue> Newer for Groups {
    type And<Group: Queue> = InFlight<Self, Group>;
    #[inline(always)]
    fn and<Group: Queue>(self, newest: Group, _: Token) -> InFlight<Self, Group> {
        InFlight::new(self, newest)
    }
}

impl<Older, Newest> Sealed for InFlight<Older, Newest> {}
impl<Older: Queue, Newest: Queue> Queue for InFlight<Older, Newest> {
    const GROUPS: u32 = Older::GROUPS + 1;
    type Oldest = Older::Oldest;
    type Newer = <Older::Newer as Newer>::And<Newest>;
    type Copies = (Older::Copies, Newest::Copies);
    #[inline(always)]
    fn take_oldest(self, token: Token) -> (Self::Oldest, Self::Newer) {
        let (oldest, newer) = self.older.take_oldest(token);
        (oldest, newer.and(self.newest, token))
    }
    #[inline(always)]
    fn into_copies(self, token: Token) -> Self::Copies {
        (self.older.into_copies(token), self.newest.into_copies(token))
    }
}
