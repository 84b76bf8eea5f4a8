//! Strong accesses (PTX ISA 8.4): a load may return an older value than the latest, as long as coherence and what happened before allow
//! it. So a program that orders too little meets each outcome that the memory model allows.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::clock::{Collected, Id, Proxy, Release, Time};
use crate::explore::{Thing, Use};
use crate::machine::{Machine, Thread};
use crate::memory::Place;
use crate::op::Sem;

/// A strong write of a location.
#[derive(Debug, Clone)]
struct Write {
    bytes: Vec<u8>,
    id: Id,
    time: Time,
    /// What a load that reads the write acquires.
    release: Option<Collected>,
}

/// The strong writes of a location, the latest last.
#[derive(Debug, Default)]
pub struct Location {
    /// The number of the first write that is kept, in the order of all.
    first: u64,
    writes: VecDeque<Write>,
    /// The number of the latest write that each thread has seen.
    seen: FxHashMap<Id, u64>,
}

/// Writes of a location that are kept.
const KEPT: usize = 8;

/// A place and a length.
pub type Key = (Place, usize);

impl Location {
    /// The first write that a thread may still read: what it has seen, or what happened before.
    fn oldest(&self, thread: &Thread) -> u64 {
        let known = |write: &Write| {
            write.time == 0
                || write.id == thread.id
                || thread.view.clock(Proxy::Generic).get(write.id) >= write.time
        };
        let happened = self.writes.iter().rposition(known).map_or(0, |at| self.first + at as u64);
        happened.max(self.seen.get(&thread.id).copied().unwrap_or(0)).max(self.first)
    }

    fn push(&mut self, write: Write) {
        self.writes.push_back(write);
        if self.writes.len() > KEPT {
            self.writes.pop_front();
            self.first += 1;
        }
    }
}

impl Machine<'_> {
    /// A strong load: returns the bytes that it reads, if they are not the latest, and acquires what their write released.
    pub fn strong_load(&mut self, cta: usize, thread: usize, key: Key, sem: Sem) -> Option<Vec<u8>> {
        let location = self.locations.get(&key)?;
        let t = &self.ctas[cta].threads[thread];
        let latest = location.first + location.writes.len() as u64 - 1;
        let oldest = location.oldest(t).min(latest);
        // The latest comes first. A loop that waits sees it at last.
        let again = self.explorer.is_some() && t.last_load.0 == self.at(cta, thread);
        let read = if again { latest } else { latest - self.choose((latest - oldest) as usize + 1) as u64 };
        let location = self.locations.get_mut(&key)?;
        let t = &mut self.ctas[cta].threads[thread];
        location.seen.insert(t.id, read);
        let write = &location.writes[(read - location.first) as usize];
        if let Some(release) = write.release.clone() {
            let acquirable = release.finish();
            if sem.acquires() {
                t.acquire(&acquirable);
            } else {
                t.seen.get_or_insert_default().join(acquirable.view());
            }
        }
        (read != latest).then(|| write.bytes.clone())
    }

    /// An atomic operation reads the latest write.
    pub fn strong_read_latest(&mut self, cta: usize, thread: usize, key: Key, sem: Sem) {
        let Some(location) = self.locations.get(&key) else { return };
        let t = &mut self.ctas[cta].threads[thread];
        if let Some(release) = location.writes.back().and_then(|write| write.release.clone()) {
            let acquirable = release.finish();
            if sem.acquires() {
                t.acquire(&acquirable);
            } else {
                t.seen.get_or_insert_default().join(acquirable.view());
            }
        }
    }

    /// A strong store publishes what the thread has released. An atomic operation continues the release sequence that it reads.
    pub fn strong_store(&mut self, cta: usize, thread: usize, key: Key, bytes: &[u8], sem: Sem, rmw: bool) {
        let before = self.peek(cta, thread, key.0, key.1).to_vec();
        let t = &mut self.ctas[cta].threads[thread];
        let (id, time) = (t.id, t.times[0]);
        let release: Option<Release> =
            if sem.releases() { Some(t.release()) } else { t.released.as_deref().cloned() };
        let location = self.locations.entry(key).or_default();
        if location.writes.is_empty() {
            // What every thread knows.
            location.push(Write { bytes: before, id, time: 0, release: None });
        }
        let mut collected =
            if rmw { location.writes.back().and_then(|write| write.release.clone()) } else { None };
        if let Some(release) = release {
            collected.get_or_insert_default().add(&release);
        }
        location.push(Write { bytes: bytes.to_vec(), id, time, release: collected });
        let latest = location.first + location.writes.len() as u64 - 1;
        location.seen.insert(id, latest);
    }

    /// `fence.sc`: what the thread has seen and written comes before every later `fence.sc`.
    pub fn sequential_fence(&mut self, cta: usize, thread: usize) {
        self.touches(Thing::Grid, 0..1, Use::Writes);
        let t = &self.ctas[cta].threads[thread];
        for location in self.locations.values_mut() {
            let of_thread = location.oldest(t);
            location
                .seen
                .entry(Self::FENCES)
                .and_modify(|seen| *seen = (*seen).max(of_thread))
                .or_insert(of_thread);
            let all = location.seen[&Self::FENCES];
            location.seen.entry(t.id).and_modify(|seen| *seen = (*seen).max(all)).or_insert(all);
        }
    }

    /// The identity under which locations keep what came before the latest `fence.sc`.
    const FENCES: Id = Id::MAX;
}
