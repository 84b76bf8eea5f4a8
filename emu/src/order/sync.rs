//! The state of barriers and mbarriers (PTX ISA 9.7.13.1, 9.7.13.3, 9.7.13.15).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::frontend::op::{BarrierKind, Layout};
use crate::order::clock::{Acquirable, Clock, Collected, ELEMENTS, Id, PHASES, Release, Time, View};
use crate::order::shadow::At;

/// An instruction, and the calls that led there, the outermost first. Lanes that execute an `.aligned` instruction together are at
/// one point.
#[derive(Debug, Clone, Eq)]
pub struct Point {
    pub at: At,
    pub calls: Vec<At>,
}

impl PartialEq for Point {
    /// Most points are in no call, and are compared without one.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
            && self.calls.len() == other.calls.len()
            && (self.calls.is_empty() || self.calls == other.calls)
    }
}

impl Point {
    /// Returns the first instructions in which two points differ: the calls, or the instructions themselves.
    pub fn fork(&self, other: &Self) -> Option<(At, At)> {
        let steps = |point: &Self| point.calls.iter().copied().chain([point.at]).collect::<Vec<_>>();
        steps(self).into_iter().zip(steps(other)).find(|(own, other)| own != other)
    }
}

/// A barrier, one of 16, of a thread block. A warp arrives when all its threads that have not exited are at the barrier.
#[derive(Debug, Default)]
pub struct BarrierState {
    /// The threads that the barrier waits for, a whole number of warps. `None`: all threads of the block.
    pub expected: Option<u32>,
    pub arrived: Vec<Arrived>,
    /// The number of threads of each warp that have arrived, while other threads of the warp are missing.
    pub counts: [u32; 32],
    /// The number of threads that have arrived, by whole warps, and the set of these warps.
    pub there: u32,
    pub warps: u32,
    /// The number of uses that are complete.
    pub number: usize,
    /// The last arrival of the first use that arrivals alone have completed: for them no thread has waited.
    pub unwaited: Option<(u32, At)>,
    /// Whether a thread has waited until a use was complete.
    pub waited: bool,
}

/// A thread at a barrier.
#[derive(Debug)]
pub struct Arrived {
    pub thread: u32,
    pub kind: BarrierKind,
    pub point: Point,
    pub aligned: bool,
    /// Whether the instruction is for all threads of the block: `.aligned`, without a thread count.
    pub by_all: bool,
    /// Whether the arrival of the thread's warp is counted.
    pub counted: bool,
    /// The operand of a reduction.
    pub p: Option<bool>,
    pub release: Release,
}

/// The lanes of a warp that have arrived at the cluster's barrier, or waited there, in one phase.
#[derive(Debug, Default)]
pub struct ClusterLanes {
    pub count: u32,
    /// The thread that was the first, and its point.
    pub first: Option<(u32, Point)>,
    /// Whether an instruction of the lanes is `.aligned`.
    pub aligned: bool,
}

/// The barrier of a cluster.
#[derive(Debug, Default)]
pub struct ClusterBarrier {
    /// The identity of the start of all the cluster's blocks, which a first phase tells. Zero before.
    pub started: Id,
    pub arrived: u32,
    pub phase: u32,
    pub collected: Collected,
    pub done: Option<Rc<Acquirable>>,
}

/// An mbarrier object.
#[derive(Debug)]
pub struct MbarrierState {
    pub id: Id,
    pub layout: Layout,
    /// The number of arrivals that each phase expects.
    pub expected: u32,
    /// The number of arrivals that this phase still expects.
    pub pending: u32,
    pub tx: i64,
    /// The number of the current phase.
    pub phase: u32,
    /// The releases of this phase by the mbarrier's own CTA and by asynchronous operations. `remote`: those by other CTAs.
    pub local: Collected,
    pub remote: Collected,
    /// What asynchronous writes after a wait for this phase may overwrite, also after a relaxed one: what fences have released to
    /// them, and what had completed, before the arrivals. `remote_overwrite`: before those of other CTAs.
    pub local_overwrite: Clock,
    pub remote_overwrite: Clock,
    /// The releases of remote arrivals whose scope does not include the mbarrier's CTA.
    pub narrow: Collected,
    /// Whether a copy of another CTA is part of this phase, so that a wait for the copy needs the scope of the cluster.
    pub by_peer: bool,
    pub done_local: Option<Rc<Acquirable>>,
    pub done_remote: Option<Rc<Acquirable>>,
    pub done_overwrite: (Clock, Clock),
    pub done_narrow: Option<Rc<View>>,
    /// The threads that `try_wait` has suspended.
    pub waiters: Vec<u32>,
    /// The thread and the time of the initialization.
    pub init: (Id, Time),
    /// The last operation of each thread.
    pub used: FxHashMap<Id, (Time, At)>,
}

/// The largest count and tx-count (PTX ISA 9.7.13.15.2).
pub const LIMIT: u32 = (1 << 20) - 1;

/// The largest count with `.layout::v1`.
pub const LIMIT_V1: u32 = (1 << 9) - 1;

impl MbarrierState {
    pub fn new(id: Id, count: u32, layout: Layout, init: (Id, Time)) -> Self {
        Self {
            id,
            layout,
            expected: count,
            pending: count,
            tx: 0,
            phase: 0,
            local: Collected::default(),
            remote: Collected::default(),
            local_overwrite: Clock::default(),
            remote_overwrite: Clock::default(),
            narrow: Collected::default(),
            by_peer: false,
            done_local: None,
            done_remote: None,
            done_overwrite: Default::default(),
            done_narrow: None,
            waiters: Vec::new(),
            init,
            used: FxHashMap::default(),
        }
    }

    /// Returns the opaque state that `arrive` returns.
    pub fn state(&self) -> u64 {
        u64::from(self.phase) << 32 | u64::from(self.pending)
    }

    /// Returns whether the phase of `state` has completed. `None`: the state is of neither the current nor the last phase.
    pub fn has_completed(&self, state: u64) -> Option<bool> {
        match self.phase.wrapping_sub((state >> 32) as u32) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Begins the next phase if nothing is pending. Returns the threads to wake.
    pub fn try_complete(&mut self, orders_reads: bool) -> Option<Vec<u32>> {
        if self.pending > 0 || self.tx != 0 {
            return None;
        }
        self.phase += 1;
        self.pending = self.expected;
        let mut local = std::mem::take(&mut self.local);
        let mut remote = std::mem::take(&mut self.remote);
        let copies = if std::mem::take(&mut self.by_peer) { &mut remote } else { &mut local };
        copies.know(self.id, self.phase);
        copies.know_generic(self.id | ELEMENTS, self.phase);
        local.know(self.id | PHASES, self.phase);
        let narrow = std::mem::take(&mut self.narrow).view;
        self.done_narrow = (!narrow.is_empty()).then(|| Rc::new(narrow));
        self.done_local = Some(local.finish(orders_reads));
        self.done_remote = Some(remote.finish(orders_reads));
        self.done_overwrite =
            (std::mem::take(&mut self.local_overwrite), std::mem::take(&mut self.remote_overwrite));
        Some(std::mem::take(&mut self.waiters))
    }
}
