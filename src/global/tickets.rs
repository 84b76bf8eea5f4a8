//! Tiles and rows of global memory that CTAs take one after the other, by tickets (a persistent loop with dynamic scheduling).

use super::{GlobalMut, GlobalRowsMut, GlobalTileMut, RowMut};
use crate::atomic::GlobalAtomics;
use crate::group::Cta;
use crate::mark::{Grid, deal, hold};
use crate::qualifier::{scope, sem};
use crate::raw;
use crate::reduce::ReduceMemory;
use crate::registers::unroll;
use crate::shared::Element;

/// A counter in global memory that hands out each number once, from its value on: `atomicAdd(counter, 1)`.
///
/// The host passes one `u64`, which is 0 before each launch.
///
/// ```
/// # use ptx::{global::{GlobalMut, GlobalTickets}, group::Cta, reduce::ReduceMemory};
/// # fn kernel(cta: &Cta, y: GlobalMut<f32, 1024>, tickets: GlobalTickets, memory: &mut ReduceMemory<u64>) {
/// let (mut tiles, tail) = y.tiles_by_ticket(cta, tickets);
/// while let Some((index, tile)) = tiles.next_tile(cta, memory) {
///     tile.write(cta, |i| (1024 * index + i) as f32);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalTickets {
    /// Without an element, there are no tickets.
    counter: GlobalAtomics<u64, scope::Gpu>,
}

impl GlobalTickets {
    /// Makes a handle of the counter at `base`, the first of `len` numbers of global memory.
    ///
    /// # Safety
    ///
    /// - `base` is the global or generic address, aligned to 8 bytes, of `len` numbers of global memory.
    /// - until the grid ends (inside a [`Prerequisite`](crate::launch::Prerequisite): from its `wait` to the end of the grid),
    ///   only this grid accesses the numbers, and only through such handles.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut u64, len: usize) -> Self {
        // SAFETY: the clauses of this function are those of `GlobalAtomics::from_raw`: handles only add to the counter.
        GlobalTickets { counter: unsafe { GlobalAtomics::from_raw(base, len) } }
    }
}

/// The tickets of the executing CTA. Each is a number that no other CTA gets.
#[derive(Debug)]
struct Tickets {
    counter: GlobalTickets,
    /// What is added to the next ticket, and to those after it.
    base: u64,
    next_base: u64,
    is_leader: bool,
    /// In the leader: the next ticket, if it is drawn already.
    drawn: Option<u64>,
}

impl Tickets {
    #[inline(always)]
    fn of(counter: GlobalTickets, cta: &Cta) -> Self {
        Tickets { counter, base: 0, next_base: 0, is_leader: cta.is_leader(), drawn: None }
    }

    /// Draws the next ticket, unless it is drawn already.
    #[inline(always)]
    fn draw(&mut self) {
        if self.drawn.is_none() {
            self.drawn = Some(self.ticket());
        }
    }

    /// Returns a ticket to the leader.
    #[inline(always)]
    fn ticket(&self) -> u64 {
        let mut ticket = u64::MAX;
        if self.is_leader
            && let Some(counter) = self.counter.counter.get(0)
        {
            // Always 1. Of a constant, ptxas adds up the lanes of the warp first, which then wait for the result at once, and not where
            // it is used.
            let one = 1 + u64::from(raw::laneid() / 32);
            ticket = counter.fetch_add(one, sem::Relaxed);
        }
        ticket
    }

    /// Returns the next ticket to every thread.
    #[inline(always)]
    #[track_caller]
    fn next(&mut self, cta: &Cta, memory: &mut ReduceMemory<u64>) -> usize {
        let drawn = self.drawn.take().unwrap_or_else(|| self.ticket());
        // A number past the last one stands for nothing, and does not wrap to that of another CTA. The sum is made here, where the
        // drawn number has arrived.
        let ticket = drawn.saturating_add(self.base);
        self.base = self.next_base;
        memory.broadcast_if(cta, self.is_leader, ticket) as usize
    }
}

impl<T: Element, const N: usize> GlobalMut<T, N> {
    /// Divides the slice among the grid as [`tiles`](GlobalMut::tiles) does, but each CTA takes its next tile when it asks for one:
    /// CTAs with short tiles take more of them. Tiles are taken in ascending order, so the CTAs of all lower tiles run or have ended.
    ///
    /// The elements after the last whole tile are dealt out as `tiles` deals them.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    #[inline(always)]
    #[track_caller]
    pub fn tiles_by_ticket(
        self,
        cta: &Cta,
        tickets: GlobalTickets,
    ) -> (TicketTilesMut<T, N>, super::TailMut<T>) {
        tickets.counter.deal();
        let (tiles, tail) = self.tiles(cta);
        (TicketTilesMut { base: tiles.base, count: tiles.count, tickets: Tickets::of(tickets, cta) }, tail)
    }
}

/// The tiles of a [`GlobalMut`] that the CTAs of the grid take one after the other, by tickets
/// ([`tiles_by_ticket`](GlobalMut::tiles_by_ticket)).
#[derive(Debug)]
pub struct TicketTilesMut<T, const N: usize> {
    base: *mut T,
    count: usize,
    tickets: Tickets,
}

impl<T: Element, const N: usize> TicketTilesMut<T, N> {
    /// Draws the ticket of the next [`next_tile`](TicketTilesMut::next_tile) already now: the atomic operation takes as long as a
    /// load from the L2 cache, and the CTA works meanwhile. Without a `next_tile` that follows, the tile is lost:
    /// nobody gets it. After the last tile a ticket stands for none, and a second `draw` before `next_tile` does nothing.
    ///
    /// The tile counts as taken from here on. A CTA that waits for lower tiles, as a look-back does, draws ahead only if it
    /// publishes early what others wait for.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mov.u32 lane, %laneid;` and `atom.relaxed.gpu.global.add.u64 d, [counter], 1;` by the leader
    ///
    /// ```
    /// # use ptx::{global::TicketTilesMut, group::Cta, reduce::ReduceMemory};
    /// # fn kernel(cta: &Cta, mut tiles: TicketTilesMut<f32, 1024>, memory: &mut ReduceMemory<u64>) {
    /// let mut next = tiles.next_tile(cta, memory);
    /// while let Some((index, tile)) = next {
    ///     tiles.draw(cta);
    ///     tile.write(cta, |i| (1024 * index + i) as f32); // while the ticket comes
    ///     next = tiles.next_tile(cta, memory);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn draw(&mut self, cta: &Cta) {
        deal::<Cta, _>(self.base);
        meet!(cta);
        self.tickets.draw();
    }

    /// Takes the next tile that no CTA has taken, and returns it with its index, or `None` after the last tile. The leader draws the
    /// ticket, and `memory` brings it to all threads of the CTA.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mov.u32 lane, %laneid;`, `atom.relaxed.gpu.global.add.u64 d, [counter], 1;` and `st.weak.shared::cta.b64` by the leader,
    /// `barrier.cta.sync.aligned 0;`, and `ld.weak.shared::cta.b64`
    #[inline(always)]
    #[track_caller]
    pub fn next_tile(
        &mut self,
        cta: &Cta,
        memory: &mut ReduceMemory<u64>,
    ) -> Option<(usize, GlobalTileMut<T, N>)> {
        deal::<Cta, _>(self.base);
        let index = self.tickets.next(cta, memory);
        if index >= self.count {
            return None;
        }
        // SAFETY: `index < count`, so the tile is in the slice (`GlobalMut::tiles`). The counter only grows, by 1 a ticket, and no
        // grid draws 2^64 tickets: no other CTA has this one.
        Some((index, GlobalTileMut { base: unsafe { self.base.add(index * N) } }))
    }
}

impl<T: Element> GlobalRowsMut<T> {
    /// Divides the rows among the CTAs of the grid, as [`rows`](GlobalRowsMut::rows) does, but each CTA takes its next `ROWS` rows,
    /// adjacent ones, when it asks for them: multiprocessors with a shorter way to memory take more of them. The first rows of a CTA
    /// are those of its rank, for which it draws no ticket.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::{GlobalRowsMut, GlobalTickets}, group::Cta, reduce::ReduceMemory};
    /// # fn kernel(cta: &Cta, y: GlobalRowsMut<f32>, tickets: GlobalTickets, memory: &mut ReduceMemory<u64>) {
    /// let mut rows = y.rows_by_ticket::<2>(cta, tickets);
    /// while let Some(two) = rows.next_rows(cta, memory) {
    ///     for (index, row) in two.rows().into_iter().flatten() {
    ///         row.vectors(cta).for_each(|(_, vector)| vector.write([index as f32; 4]));
    ///     }
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rows_by_ticket<const ROWS: usize>(
        self,
        cta: &Cta,
        tickets: GlobalTickets,
    ) -> TicketRowsMut<T, ROWS> {
        const {
            assert!(ROWS > 0 && ROWS <= 16, "a ticket stands for 1 to 16 rows: choose such a number");
        }
        tickets.counter.deal();
        deal::<Grid, _>(self.base);
        let [rank, ctas] = [cta.grid_rank(), cta.grid_size()].map(u64::from);
        let tickets = Tickets { next_base: ctas, drawn: Some(rank), ..Tickets::of(tickets, cta) };
        TicketRowsMut { base: self.base, rows: self.row_count(), columns: self.columns(), tickets }
    }
}

/// The rows of a [`GlobalRowsMut`] that the CTAs of the grid take one after the other, by tickets for `ROWS` rows
/// ([`rows_by_ticket`](GlobalRowsMut::rows_by_ticket)).
#[derive(Debug)]
pub struct TicketRowsMut<T, const ROWS: usize> {
    base: *mut T,
    rows: u32,
    columns: u32,
    tickets: Tickets,
}

impl<T: Element, const ROWS: usize> TicketRowsMut<T, ROWS> {
    /// Draws the ticket of the next [`next_rows`](TicketRowsMut::next_rows) already now: the atomic operation takes as long as a load
    /// from the L2 cache, and the CTA works meanwhile. Without a `next_rows` that follows, the rows are lost: nobody gets them.
    /// After the last rows a ticket stands for none, and a second `draw` before `next_rows` does nothing.
    ///
    /// A barrier waits for the operation: the time to draw is after the last barrier of a round.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mov.u32 lane, %laneid;` and `atom.relaxed.gpu.global.add.u64 d, [counter], 1;` by the leader
    #[inline(always)]
    #[track_caller]
    pub fn draw(&mut self, cta: &Cta) {
        deal::<Cta, _>(self.base);
        meet!(cta);
        self.tickets.draw();
    }

    /// Takes the next `ROWS` rows that no CTA has taken, or `None` after the last row. The leader draws the ticket, and `memory` brings it
    /// to all threads of the CTA.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mov.u32 lane, %laneid;`, `atom.relaxed.gpu.global.add.u64 d, [counter], 1;` and `st.weak.shared::cta.b64` by the leader,
    /// `barrier.cta.sync.aligned 0;`, and `ld.weak.shared::cta.b64`
    #[inline(always)]
    #[track_caller]
    pub fn next_rows(
        &mut self,
        cta: &Cta,
        memory: &mut ReduceMemory<u64>,
    ) -> Option<AdjacentRowsMut<T, ROWS>> {
        deal::<Cta, _>(self.base);
        let ticket = self.tickets.next(cta, memory);
        if ticket >= (self.rows as usize).div_ceil(ROWS) {
            return None;
        }
        // No product wraps: a matrix has fewer than 2^32 rows.
        Some(AdjacentRowsMut {
            base: self.base,
            rows: self.rows,
            columns: self.columns,
            first: (ticket * ROWS) as u32,
        })
    }
}

/// `ROWS` adjacent rows of a [`GlobalRowsMut`], or fewer before its end, which only the executing CTA accesses
/// ([`TicketRowsMut::next_rows`]).
#[derive(Debug)]
pub struct AdjacentRowsMut<T, const ROWS: usize> {
    base: *mut T,
    rows: u32,
    columns: u32,
    /// Below `rows`.
    first: u32,
}

impl<T: Element, const ROWS: usize> AdjacentRowsMut<T, ROWS> {
    /// Returns the index of the first row.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn first(&self) -> usize {
        self.first as usize
    }

    /// Returns the rows with their indices. Past the last row of the matrix there are none.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn rows(self) -> [Option<(usize, RowMut<T>)>; ROWS] {
        deal::<Cta, _>(self.base);
        hold::<Cta>(self.first);
        let mut rows = [const { None }; ROWS];
        unroll::<ROWS>(|i| {
            // A sum that saturates is past the last row, as the true sum is.
            let index = self.first.saturating_add(i as u32);
            if index < self.rows {
                // SAFETY: the row is in the matrix. The first tickets are the ranks of the CTAs, and those of the counter begin with
                // the number of CTAs. The counter only grows, by 1 a ticket, and no grid draws 2^64 tickets: no other CTA has this
                // one.
                rows[i] =
                    Some((index as usize, unsafe { RowMut::of_matrix(self.base, self.columns, index) }));
            }
        });
        rows
    }
}

handles! { GlobalTickets, TicketTilesMut<u32, 4>, TicketRowsMut<u32, 2>, AdjacentRowsMut<u32, 2> }
