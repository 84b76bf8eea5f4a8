//! The strong writes of a location, and what they hand over.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::address::Place;
use crate::frontend::op::{Rmw, Scope};
use crate::order::clock::{Acquirable, Clock, Collected, Id, PHASES, Proxy, Release, Time, View};
use crate::order::shadow::At;

/// What releases have handed over, by their scope and the number of their block.
#[derive(Debug, Clone, Default)]
pub struct Handed(Vec<(Scope, u32, Collected)>);

impl Handed {
    pub fn of(&mut self, scope: Scope, block: u32) -> &mut Collected {
        let at = self.0.iter().position(|(s, b, _)| (*s, *b) == (scope, block)).unwrap_or_else(|| {
            self.0.push((scope, block, Collected::default()));
            self.0.len() - 1
        });
        &mut self.0[at].2
    }

    pub fn join(&mut self, other: &Self) {
        for (scope, block, collected) in &other.0 {
            self.of(*scope, *block).join(&collected.view);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the completions of all releases.
    pub fn add_phases(&self, to: &mut Clock) {
        self.0.iter().for_each(|(.., collected)| to.join(&collected.view.clock(Proxy::Generic).only(PHASES)));
    }

    /// Returns whether the scope of each release includes all threads.
    fn is_wide(&self) -> bool {
        self.0.iter().all(|(by, ..)| *by >= Scope::Gpu)
    }

    /// Returns what an acquire takes over: the acquire and the release include each other's thread in their scopes (8.7).
    pub fn within(&self, scope: Scope, block: u32, cluster: u32) -> Option<Collected> {
        let mut all: Option<Collected> = None;
        for (by, from, collected) in &self.0 {
            if by.includes(*from, block, cluster) && scope.includes(block, *from, cluster) {
                all.get_or_insert_default().join(&collected.view);
            }
        }
        all
    }

    /// Returns what an acquire in `at` does not take over, since a scope does not include the other thread.
    pub fn beyond(&self, scope: Scope, block: u32, cluster: u32, at: At) -> Vec<Narrow> {
        self.0
            .iter()
            .filter(|(by, from, _)| {
                !(by.includes(*from, block, cluster) && scope.includes(block, *from, cluster))
            })
            .map(|(by, from, collected)| Narrow {
                view: Rc::new(collected.view.clone()),
                released: *by,
                acquired: scope,
                needed: Scope::around(block, *from, cluster),
                at,
            })
            .collect()
    }

    /// Returns the latest time of an identity.
    pub fn time(&self, id: Id) -> Time {
        self.0.iter().map(|(_, _, collected)| collected.time(id)).max().unwrap_or(0)
    }
}

/// A strong write of a location.
#[derive(Debug, Clone)]
pub struct Write {
    pub bytes: Vec<u8>,
    pub id: Id,
    pub time: Time,
    /// The operation of a reduction whose result nothing has read.
    pub reduction: Option<Rmw>,
    /// What a load that reads the write acquires.
    pub release: Handed,
    /// The threads that have read the write, though it did not happen before, and when. It precedes what is ordered after a read
    /// (8.9.2, 8.9.5).
    pub readers: Vec<(Id, Time)>,
    /// What every thread acquires by a wide scope, if no narrower one is part of the release.
    pub wide: OnceCell<Option<Rc<Acquirable>>>,
}

impl Write {
    /// Returns whether what a thread of this view reads comes after the write.
    fn is_known(&self, id: Id, view: &View) -> bool {
        let clock = view.clock(Proxy::Generic);
        self.time == 0
            || self.id == id
            || clock.get(self.id) >= self.time
            || self.readers.iter().any(|(reader, time)| clock.get(*reader) >= *time)
    }

    /// Notes that a thread of this view has read the write.
    pub fn note_reader(&mut self, id: Id, time: Time, view: &View) {
        if !self.is_known(id, view) {
            self.readers.push((id, time));
        }
    }

    /// Returns what a load of a thread of a block acquires.
    pub fn acquirable(
        &self,
        scope: Scope,
        block: u32,
        cluster: u32,
        orders_reads: bool,
    ) -> Option<Rc<Acquirable>> {
        let acquirable = || {
            let collected = self.release.within(scope, block, cluster)?;
            Some(collected.finish(orders_reads))
        };
        match scope >= Scope::Gpu && self.release.is_wide() {
            true => self.wide.get_or_init(acquirable).clone(),
            false => acquirable(),
        }
    }
}

/// The strong writes of a location, the latest last.
#[derive(Debug, Default)]
pub struct Location {
    /// The number of the first kept write, in the order of all writes.
    pub first: u64,
    pub writes: VecDeque<Write>,
    /// The number of the latest write that each thread has seen.
    pub seen: FxHashMap<Id, u64>,
    /// The number of the write that each thread has read last, and the instruction that acquired it. `None`: a relaxed load. To
    /// read it again, as a loop that waits does, adds nothing to what the thread knows.
    pub taken: FxHashMap<Id, (u64, Option<At>)>,
    /// What relaxed loads of each thread have read, for the thread's later acquire of the location. `released`: the thread's last
    /// release of the location, for its later stores (8.8).
    pub read: FxHashMap<Id, Handed>,
    pub released: FxHashMap<Id, (Scope, Release)>,
}

/// A release that a thread has read and could not acquire: one of the scopes does not include the other thread.
#[derive(Debug, Clone)]
pub struct Narrow {
    pub view: Rc<View>,
    pub released: Scope,
    pub acquired: Scope,
    /// The scope that includes both.
    pub needed: Scope,
    /// The acquire.
    pub at: At,
}

/// The number of writes of a location that are kept.
const KEPT: usize = 8;

/// A place and a length.
pub type Key = (Place, usize);

impl Location {
    /// Returns the first write that a thread may still read: the latest that the thread has seen, or that happened before.
    pub fn oldest(&self, id: Id, view: &View) -> u64 {
        let happened = self
            .writes
            .iter()
            .rposition(|write| write.is_known(id, view))
            .map_or(0, |at| self.first + at as u64);
        happened.max(self.seen.get(&id).copied().unwrap_or(0)).max(self.first)
    }

    pub fn push(&mut self, write: Write) {
        self.writes.push_back(write);
        if self.writes.len() > KEPT {
            self.writes.pop_front();
            self.first += 1;
        }
    }
}
