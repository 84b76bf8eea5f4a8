//! Async-groups in flight, in the order of their commits (9.7.9.25.1.1): what [`bulk`](crate::bulk) and
//! [`cp_async`](crate::cp_async) have in common.
//!
//! A committed group is a queue of one. [`then`] commits another after it; the oldest of a queue is waited for while the
//! newer ones stay in flight. How many those are is part of the type, because `wait_group N` takes an immediate:
//!
//! ```text
//!   Group<A> ── then b ──► InFlight<Group<A>, Group<B>> ── wait_oldest ──► A's handles, Group<B>
//! ```
//!
//! In a loop that waits for one group and commits one of the same type, the queue has the same type each time.
//!
//! [`then`]: crate::cp_async::CpAsyncGroup::then

use crate::qualifier::Sealed;

mod token {
    /// What only this crate can make: it stands for a wait, for a barrier, or for an order of commits.
    #[derive(Clone, Copy, Debug)]
    pub struct Token(());
    impl Token {
        pub(crate) const NEW: Token = Token(());
    }
}
pub(crate) use token::Token;

/// The groups that a queue can hold: enough for any pipeline, and what `wait_group` is instantiated for.
pub const MOST_GROUPS: u32 = 8;

/// A `wait_group` of the raw layer for a number of newer groups: an immediate there, and a constant wherever this is inlined.
macro_rules! wait_group {
    ($instruction:ident, $newer:expr) => {{
        // SAFETY: waits.
        unsafe {
            match $newer {
                0 => $crate::raw::$instruction::<0>(),
                1 => $crate::raw::$instruction::<1>(),
                2 => $crate::raw::$instruction::<2>(),
                3 => $crate::raw::$instruction::<3>(),
                4 => $crate::raw::$instruction::<4>(),
                5 => $crate::raw::$instruction::<5>(),
                6 => $crate::raw::$instruction::<6>(),
                // `InFlight` holds eight groups at most.
                _ => $crate::raw::$instruction::<7>(),
            }
        }
    }};
}
pub(crate) use wait_group;

/// Committed groups in flight: `Newest` was committed after all of `Older`, which is a group or a queue of its own.
///
/// ```
/// # use ptx::{bulk::Committed, global::GlobalTile};
/// use ptx::{async_group::InFlight, cp_async::{CpAsyncGroup, CpAsyncLoad}};
/// type Group<'s> = CpAsyncGroup<CpAsyncLoad<'s, f32, 1024, GlobalTile<f32, 1024>>, Committed>;
/// /// A pipeline of three tiles.
/// struct Pipeline<'s> {
///     loads: InFlight<InFlight<Group<'s>, Group<'s>>, Group<'s>>,
/// }
/// ```
#[must_use = "copies in flight have to be waited for: call `.wait_oldest(&cta)` or `.wait(&cta)`"]
#[derive(Debug)]
pub struct InFlight<Older, Newest> {
    pub(crate) older: Older,
    pub(crate) newest: Newest,
}

static_assertions::assert_not_impl_any!(InFlight<(), ()>: Copy, Clone);

impl<Older: Queue, Newest> InFlight<Older, Newest> {
    /// `newest` has been committed after all of `older`, by the same threads.
    #[inline(always)]
    pub(crate) fn new(older: Older, newest: Newest) -> Self {
        const {
            assert!(
                Older::GROUPS < MOST_GROUPS,
                "a queue holds eight groups at most: wait for the oldest first"
            )
        };
        InFlight { older, newest }
    }
}

/// One group or more, the oldest first: a committed group, or an [`InFlight`].
///
/// ```
/// # use ptx::{async_group::{InFlight, Queue}, bulk::Committed, cp_async::{CpAsyncGroup, CpAsyncLoad}, global::GlobalTile};
/// # type Group<'s> = CpAsyncGroup<CpAsyncLoad<'s, f32, 1024, GlobalTile<f32, 1024>>, Committed>;
/// /// How many groups are in flight.
/// fn depth<Q: Queue>(_: &Q) -> u32 {
///     Q::GROUPS
/// }
/// # fn kernel<'s>(loads: &InFlight<InFlight<Group<'s>, Group<'s>>, Group<'s>>) {
/// let three = depth(loads); // loads: &InFlight<InFlight<Group, Group>, Group>
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no queue of groups in flight",
    label = "not committed",
    note = "commit the first group by `.commit(&cta)`; `.then(&cta, group)` commits each further one itself"
)]
pub trait Queue: Sealed {
    /// How many groups it holds.
    const GROUPS: u32;
    /// The group that was committed first.
    type Oldest;
    /// The others: a queue, or `()` where there are none.
    type Newer: Newer;
    /// The copies of all groups: nested pairs, the last group outermost.
    type Copies;
    /// Takes the oldest out. With a token: who calls it has waited.
    #[doc(hidden)]
    fn take_oldest(self, token: Token) -> (Self::Oldest, Self::Newer);
    /// Takes all apart. With a token: who calls it has waited.
    #[doc(hidden)]
    fn into_copies(self, token: Token) -> Self::Copies;
}

/// What is left of a queue without its oldest group: `()`, or a queue.
#[cfg_attr(doc, doc(hidden))]
pub trait Newer: Sealed {
    /// With one more group, the newest.
    type And<Group: Queue>: Newer;
    /// Puts it there. With a token: it was committed last.
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
