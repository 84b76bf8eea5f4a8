//! Groups of products in flight (`wgmma.commit_group`, `wgmma.wait_group`; PTX ISA 9.7.15.7).

use core::fmt;
use core::marker::PhantomData;

use super::accumulator::{Accumulator, Addend, Flight, tie, unroll_rows};
use super::packed::Packed;
use crate::async_group::Token;
use crate::group::{Brand, Warpgroup};
use crate::qualifier::{Columns, Sealed};
use crate::raw;

/// What products read while they are in flight: stages, packed values in registers, and pairs and arrays of them. A group owns them
/// until a wait.
///
/// # Safety
///
/// The value owns the shared memory that its operands name, so it is no reference: the type of a group in flight may forget the
/// lifetime of a reference, as that of `fn(&'a T)` does.
#[diagnostic::on_unimplemented(
    message = "products in flight cannot hold `{Self}`",
    label = "not a stage that `Consumer::operands` gave",
    note = "pass the stage itself, and take the operands from the reference that the closure gets: `wgmma.start(warpgroup, sums, stage, |sums, stage| …)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Read: Sized {
    /// What a wait gives back. Registers pass through assembly, so that the compiler reuses none before the wait.
    #[doc(hidden)]
    #[inline(always)]
    fn when_read(self, _: Token) -> Self {
        self
    }
}
// SAFETY: both are owned.
unsafe impl<X: Read, Y: Read> Read for (X, Y) {
    #[inline(always)]
    fn when_read(self, token: Token) -> Self {
        (self.0.when_read(token), self.1.when_read(token))
    }
}
// SAFETY: all are owned.
unsafe impl<X: Read, const COUNT: usize> Read for [X; COUNT] {
    #[inline(always)]
    fn when_read(self, token: Token) -> Self {
        self.map(|read| read.when_read(token))
    }
}
// SAFETY: the values are in registers, which are owned.
unsafe impl<T, N: Columns, const M: usize> Read for Packed<T, N, M> {
    #[inline(always)]
    fn when_read(mut self, _: Token) -> Self {
        unroll_rows::<M>(|m| self.words[m] = raw::wgmma_tie(self.words[m]));
        self
    }
}

/// The products that a warpgroup has in flight, in the order of their groups: `()` if there are none, `(Group<…>,)` or a pair.
///
/// [`run_warpgroups`](crate::pipeline::Pipelines::run_warpgroups) gives it to each warpgroup without groups, and gets it back without
/// groups. A group owns its accumulator and what its products read, and a wait gives both back.
#[must_use = "the closure of the run returns this handle"]
#[derive(Debug)]
#[doc(alias("warpgroup_arrive", "warpgroup_commit_batch", "warpgroup_wait"))]
pub struct Wgmma<'p, Groups = ()> {
    groups: Groups,
    _run: Brand<'p>,
}

/// A committed group of products in flight: the accumulator to which they add, and what they read.
pub struct Group<Sums, Held> {
    sums: Sums,
    held: Held,
}

impl<Sums, Held: fmt::Debug> fmt::Debug for Group<Sums, Held> {
    /// Shows no sums: products in flight still write their registers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("held", &self.held).finish_non_exhaustive()
    }
}

/// What a group gives back when its products are complete.
///
/// # Safety
///
/// Implemented here only.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Waiting: Sealed {
    /// The accumulator and what the products have read.
    type Done;
    /// Gives both back. The token proves that the caller has waited for the group.
    #[doc(hidden)]
    fn done(self, token: Token) -> Self::Done;
}
impl<Sums, Held> Sealed for Group<Sums, Held> {}
// SAFETY: the sums pass through assembly after the wait.
unsafe impl<N: Columns, const M: usize, Held: Read> Waiting for Group<Accumulator<N, M>, Held> {
    type Done = (Accumulator<N, M>, Held);
    #[inline(always)]
    fn done(self, token: Token) -> Self::Done {
        (Accumulator { sums: tie::<N, M>(self.sums.sums) }, self.held.when_read(token))
    }
}
// SAFETY: a later group has the sums.
unsafe impl<Held: Read> Waiting for Group<(), Held> {
    type Done = Held;
    #[inline(always)]
    fn done(self, token: Token) -> Held {
        self.held.when_read(token)
    }
}

/// Groups in flight to which a further one can be added.
#[cfg_attr(doc, doc(hidden))]
pub trait Groups: Sealed {
    /// These groups, and one more.
    type And<Next>;
    #[doc(hidden)]
    fn and<Next>(self, next: Next, token: Token) -> Self::And<Next>;
}
impl Groups for () {
    type And<Next> = (Next,);
    #[inline(always)]
    fn and<Next>(self, next: Next, _: Token) -> (Next,) {
        (next,)
    }
}
impl<G> Sealed for (G,) {}
impl<G: Waiting> Groups for (G,) {
    type And<Next> = (G, Next);
    #[inline(always)]
    fn and<Next>(self, next: Next, _: Token) -> (G, Next) {
        (self.0, next)
    }
}

impl<'p> Wgmma<'p> {
    /// # Safety
    ///
    /// `'p` belongs to this part of this run alone, and the thread has no product in flight.
    #[inline(always)]
    pub(crate) unsafe fn none() -> Self {
        Wgmma { groups: (), _run: PhantomData }
    }
}

impl<'p, Q: Groups> Wgmma<'p, Q> {
    /// Starts a group of products (CUTLASS's `warpgroup_arrive`, products, `warpgroup_commit_batch`): `products` adds products to
    /// `sums`, an [`Accumulator`] or [`Zeros`](super::Zeros), and commits them.
    ///
    /// `held` is what the products read: operands come from its reference in the closure, and from nowhere else.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: `wgmma.fence.sync.aligned;` the products; `wgmma.commit_group.sync.aligned;` (9.7.15.7, sm_90a)
    #[inline(always)]
    #[track_caller]
    pub fn start<N: Columns, const M: usize, const COUNT: u32, Held: Read>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
        sums: impl Addend<N, M>,
        held: Held,
        products: impl for<'a> FnOnce(Flight<'a, N, M>, &'a Held) -> Flight<'a, N, M>,
    ) -> Wgmma<'p, Q::And<Group<Accumulator<N, M>, Held>>> {
        meet!(warpgroup);
        let (sums, adds) = sums.sums(Token::NEW);
        let group = commit(tie::<N, M>(sums), adds, held, products);
        Wgmma { groups: self.groups.and(group, Token::NEW), _run: PhantomData }
    }
}

/// Makes a group of products.
#[inline(always)]
fn commit<N: Columns, const M: usize, Held>(
    sums: [N::F32; M],
    adds: bool,
    held: Held,
    products: impl for<'a> FnOnce(Flight<'a, N, M>, &'a Held) -> Flight<'a, N, M>,
) -> Group<Accumulator<N, M>, Held> {
    // SAFETY: all threads of the warpgroup make the call (`meet!`). The lifetime belongs to the closure alone, so what it returns
    // are these sums, with its products.
    let sums = unsafe {
        raw::wgmma_fence();
        let sums = products(Flight::new(sums, adds), &held).sums;
        raw::wgmma_commit_group();
        sums
    };
    Group { sums: Accumulator { sums }, held }
}

impl<'p, N: Columns, const M: usize, Held> Wgmma<'p, (Group<Accumulator<N, M>, Held>,)> {
    /// Starts a further group of products that adds to the sums of the group in flight, without a wait. The sums go over into the
    /// new group.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: as [`start`](Wgmma::start).
    ///
    /// ```
    /// # use ptx::{bf16, group::Warpgroup, pipeline::{Consumer, StageOperands}, qualifier::{n, swizzle_mode}, tensor::Box2};
    /// # use ptx::wgmma::{Accumulator, Group, Tile, Wgmma};
    /// # type Rows = Box2<64, 64, swizzle_mode::B128>;
    /// # type Tiles = (Tile<bf16, Rows>, Tile<bf16, Rows>);
    /// # type Held<'p> = StageOperands<'p, Tiles, 4>;
    /// /// Products of one step in flight.
    /// type InFlight<'p> = Wgmma<'p, (Group<Accumulator<n::N64>, Held<'p>>,)>;
    ///
    /// /// Adds the products of the next stage, and releases the stage of the step before.
    /// fn step<'p>(
    ///     warpgroup: &Warpgroup<'p, 1>,
    ///     products: InFlight<'p>,
    ///     consumer: Consumer<'p, Tiles, 4>,
    /// ) -> (InFlight<'p>, Consumer<'p, Tiles, 4>) {
    ///     let (stage, consumer) = consumer.operands(warpgroup);
    ///     let both = products.add(warpgroup, stage, |sums, stage| {
    ///         let (a, b) = stage.tiles();
    ///         sums.mma(a, b)
    ///     });
    ///     let (products, read) = both.wait_oldest(warpgroup);
    ///     read.release(warpgroup);
    ///     (products, consumer)
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "the groups in flight, each with what it owns")]
    pub fn add<const COUNT: u32, Next: Read>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
        held: Next,
        products: impl for<'a> FnOnce(Flight<'a, N, M>, &'a Next) -> Flight<'a, N, M>,
    ) -> Wgmma<'p, (Group<(), Held>, Group<Accumulator<N, M>, Next>)> {
        meet!(warpgroup);
        let (older,) = self.groups;
        let newer = commit(older.sums.sums, true, held, products);
        Wgmma { groups: (Group { sums: (), held: older.held }, newer), _run: PhantomData }
    }
}

impl<'p, G: Waiting> Wgmma<'p, (G,)> {
    /// Waits for the group, and gives back its accumulator and what its products have read.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: `wgmma.wait_group.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "warpgroup_wait")]
    pub fn wait<const COUNT: u32>(self, warpgroup: &Warpgroup<'p, COUNT>) -> (Wgmma<'p>, G::Done) {
        meet!(warpgroup);
        // SAFETY: all threads of the warpgroup make the call.
        unsafe { raw::wgmma_wait_group::<0>() };
        (Wgmma { groups: (), _run: PhantomData }, self.groups.0.done(Token::NEW))
    }
}

impl<'p, Older: Waiting, Newer: Waiting> Wgmma<'p, (Older, Newer)> {
    /// Waits for the older group alone, and gives back what it owns.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: `wgmma.wait_group.sync.aligned 1;`
    #[inline(always)]
    #[track_caller]
    pub fn wait_oldest<const COUNT: u32>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
    ) -> (Wgmma<'p, (Newer,)>, Older::Done) {
        meet!(warpgroup);
        // SAFETY: all threads of the warpgroup make the call.
        unsafe { raw::wgmma_wait_group::<1>() };
        (Wgmma { groups: (self.groups.1,), _run: PhantomData }, self.groups.0.done(Token::NEW))
    }
}
