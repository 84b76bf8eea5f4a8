//! Asynchronous operations: each reads, then writes and completes, at times that the schedule chooses (PTX ISA 9.7.9.25).

use std::rc::Rc;

use crate::address::Place;
use crate::frontend::op::{Rmw, Scope, Type};
use crate::order::clock::{Id, Proxy, Time, View};
use crate::order::explore::Actor;
use crate::order::shadow::At;

/// A range of memory, and its position in the operation's buffer.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub place: Place,
    pub len: usize,
    pub at: usize,
}

/// How an operation completes after its writes.
#[derive(Debug, Clone)]
pub enum Done {
    /// `complete_tx` on mbarriers, each by its resident block, its offset and the bytes.
    Mbarriers(Vec<(usize, u32, u32)>),
    /// A group of bulk copies of a thread.
    BulkGroup { cta: usize, thread: usize, group: u32 },
    /// A group of `cp.async` of a thread.
    CpAsyncGroup { cta: usize, thread: usize, group: u32 },
    /// `cp.async.mbarrier.arrive`, once all earlier `cp.async` of the thread are done.
    Arrive { cta: usize, thread: usize, slot: usize, offset: u32, group: u32, id: u32 },
    /// A group of `wgmma` of a warpgroup.
    Warpgroup { cta: usize, warpgroup: usize, group: u32 },
    /// `tcgen05` of a thread, whose next commit tracks it: the object and the time of its end.
    Tensor { cta: usize, thread: usize, id: Id, group: Time },
    /// `tcgen05.commit`: arrivals at mbarriers, each by its resident block and its offset, once the earlier `tcgen05` of the thread
    /// are done; and what they tell, the end of these first.
    Commit { to: Vec<(usize, u32)>, cta: usize, thread: usize, tells: [(Id, Time); 2] },
    /// The operation has no completion mechanism.
    Nothing,
}

/// An asynchronous operation.
#[derive(Debug)]
pub struct Agent {
    pub reads: Vec<Piece>,
    /// The tensor map, which the operation reads too.
    pub map: Option<Place>,
    pub writes: Vec<Piece>,
    pub buffer: Vec<u8>,
    /// The mask of the bytes to write: bit `i` stands for byte `i` of each 16.
    pub byte_mask: Option<u16>,
    pub reduction: Option<(Rmw, Type)>,
    /// Whether the operation reads `.f32` values and rounds them to `.tf32`.
    pub rounds_to_tf32: bool,
    pub done: Done,
    /// What happened before the operation was issued, as its proxy sees it.
    pub view: Rc<View>,
    pub proxies: (Proxy, Proxy),
    /// The scope of a reduction's writes, which are strong.
    pub strong: Option<Scope>,
    pub at: At,
    pub issuer: (usize, usize),
    pub has_read: bool,
    /// The order of issue.
    pub sequence: u64,
    /// The number of instructions that ran before the issue.
    pub issued: u64,
    pub actor: Actor,
}

impl Agent {
    /// Returns whether the operation still accesses memory of these resident blocks, or completes there.
    pub fn touches(&self, ctas: &[usize]) -> bool {
        let reads = self.reads.iter().filter(|_| !self.has_read);
        let in_block = |piece: &Piece| matches!(piece.place, Place::Shared(slot, _) if ctas.contains(&slot));
        let signals = match &self.done {
            Done::Mbarriers(list) => list.iter().any(|(slot, ..)| ctas.contains(slot)),
            Done::Arrive { slot, .. } => ctas.contains(slot),
            Done::BulkGroup { cta, .. } | Done::CpAsyncGroup { cta, .. } | Done::Warpgroup { cta, .. } => {
                ctas.contains(cta)
            }
            Done::Commit { to, .. } => to.iter().any(|(slot, _)| ctas.contains(slot)),
            Done::Tensor { cta, .. } => ctas.contains(cta),
            Done::Nothing => false,
        };
        signals || reads.chain(&self.writes).any(in_block)
    }

    pub fn group(&self) -> Option<(usize, usize, u32, bool)> {
        match self.done {
            Done::BulkGroup { cta, thread, group } => Some((cta, thread, group, true)),
            Done::CpAsyncGroup { cta, thread, group } => Some((cta, thread, group, false)),
            _ => None,
        }
    }

    /// Returns an operation that does nothing.
    pub fn nothing() -> Self {
        Self {
            reads: Vec::new(),
            map: None,
            writes: Vec::new(),
            buffer: Vec::new(),
            byte_mask: None,
            reduction: None,
            rounds_to_tf32: false,
            done: Done::Nothing,
            view: Rc::default(),
            proxies: (Proxy::Generic, Proxy::Generic),
            strong: None,
            at: 0,
            issuer: (0, 0),
            has_read: false,
            sequence: 0,
            issued: 0,
            actor: Actor::Thread(0, 0),
        }
    }
}
