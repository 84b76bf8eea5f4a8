//! Strong accesses (PTX ISA 8.4): a load may return an older value than the latest, as long as coherence and what happened before
//! allow it. A program that orders too little thus meets each outcome that the memory model allows.

use std::cell::OnceCell;

use crate::execution::machine::Machine;
use crate::frontend::op::{Rmw, Scope, Sem};
use crate::order::clock::{Collected, Id};
use crate::order::explore::{Thing, Use};
use crate::order::location::{Handed, Key, Write};

impl Machine<'_> {
    /// Runs a strong load: returns the bytes that it reads, if they are not the latest, and acquires what their write released.
    pub fn strong_load(
        &mut self,
        cta: usize,
        thread: usize,
        key: Key,
        sem: Sem,
        scope: Scope,
    ) -> Option<Vec<u8>> {
        let location = self.locations.get(&key)?;
        let t = &self.ctas[cta].threads[thread];
        let latest = location.first + location.writes.len() as u64 - 1;
        let oldest = location.oldest(t.id, &t.view).min(latest);
        // The latest write comes first. A loop that waits reads it in the end.
        let again = self.explorer.is_some() && t.last_load.0 == self.at(cta, thread);
        let read = if again { latest } else { latest - self.choose((latest - oldest) as usize + 1) as u64 };
        let id = self.ctas[cta].threads[thread].id;
        let location = self.locations.get_mut(&key)?;
        let is_new = location.seen.insert(id, read) != Some(read);
        let at = (read - location.first) as usize;
        let bytes = (read != latest).then(|| location.writes[at].bytes.clone());
        self.synchronize(cta, thread, key, at, sem, scope);
        if is_new {
            let t = &self.ctas[cta].threads[thread];
            self.locations.get_mut(&key)?.writes[at].note_reader(t.id, t.times[0], &t.view);
        }
        bytes
    }

    /// Lets an atomic operation read the latest write.
    pub fn strong_read_latest(&mut self, cta: usize, thread: usize, key: Key, sem: Sem, scope: Scope) {
        if let Some(location) = self.locations.get(&key) {
            self.synchronize(cta, thread, key, location.writes.len() - 1, sem, scope);
        }
    }

    /// Lets an atomic operation come before unordered reductions of the same kind, and returns what the operation then reads.
    pub fn before_reductions(&mut self, cta: usize, thread: usize, key: Key, rmw: Rmw) -> Option<Vec<u8>> {
        let location = self.locations.get(&key)?;
        let t = &self.ctas[cta].threads[thread];
        let latest = location.first + location.writes.len() as u64 - 1;
        let oldest = location.oldest(t.id, &t.view).min(latest);
        let most = (latest - oldest) as usize;
        let of_kind = |write: &&Write| write.reduction == Some(rmw);
        let count = location.writes.iter().rev().take(most).take_while(of_kind).count();
        let skipped = self.choose(count + 1);
        let location = self.locations.get(&key)?;
        (skipped > 0).then(|| location.writes[location.writes.len() - 1 - skipped].bytes.clone())
    }

    /// Marks the latest write as a reduction that commutes. If `unread`, others may come between it and the writes before.
    pub fn note_reduction(&mut self, key: Key, rmw: Rmw, unread: bool) {
        let Some(location) = self.locations.get_mut(&key) else { return };
        if let Some(latest) = location.writes.back_mut() {
            latest.reduction = unread.then_some(rmw);
        }
    }

    /// Lets a thread that has read a write acquire what the write released, or keeps that for a later acquire.
    fn synchronize(&mut self, cta: usize, thread: usize, key: Key, at: usize, sem: Sem, scope: Scope) {
        let (number, size) = (self.ctas[cta].number, self.cluster_size());
        let orders_reads = self.orders_reads();
        let here = self.at(cta, thread);
        let t = &mut self.ctas[cta].threads[thread];
        let Some(location) = self.locations.get_mut(&key) else { return };
        location.writes[at].reduction = None;
        let write = &location.writes[at];
        let handed = &write.release;
        let taken = (location.first + at as u64, sem.acquires().then_some(here));
        if location.taken.get(&t.id) == Some(&taken) {
            return;
        }
        location.taken.insert(t.id, taken);
        if !sem.acquires() {
            if !handed.is_empty() {
                location.read.entry(t.id).or_default().join(handed);
                t.seen.join(handed);
            }
            return;
        }
        let narrow = handed.beyond(scope, number, size, here);
        if !narrow.is_empty() {
            // What a thread has met last is kept the longest.
            location.taken.remove(&t.id);
        }
        narrow.into_iter().for_each(|narrow| t.note_narrow(narrow));
        let earlier = location.read.get(&t.id).and_then(|handed| handed.within(scope, number, size));
        let earlier = earlier.map(|collected| collected.finish(orders_reads));
        for acquirable in [write.acquirable(scope, number, size, orders_reads), earlier].into_iter().flatten()
        {
            t.acquire(&acquirable);
        }
    }

    /// Publishes what the thread has released. An atomic operation continues the release sequence that it reads.
    pub fn strong_store(
        &mut self,
        cta: usize,
        thread: usize,
        key: Key,
        bytes: &[u8],
        (sem, scope): (Sem, Scope),
        rmw: bool,
    ) {
        let before = self.peek(cta, thread, key.0, key.1).to_vec();
        let number = self.ctas[cta].number;
        let t = &mut self.ctas[cta].threads[thread];
        let (id, time) = (t.id, t.times[0]);
        let location = self.locations.entry(key).or_default();
        if location.writes.is_empty() {
            // Every thread knows the value before the first strong write.
            location.push(Write {
                bytes: before,
                id,
                time: 0,
                reduction: None,
                release: Handed::default(),
                readers: Vec::new(),
                wide: OnceCell::new(),
            });
        }
        let continued = if rmw { location.writes.back().map(|write| write.release.clone()) } else { None };
        let mut handed = continued.unwrap_or_default();
        if sem.releases() {
            location.released.insert(id, (scope, t.release()));
        }
        for (scope, release) in t.released.iter().chain(location.released.get(&id)) {
            handed.of(*scope, number).add(release);
        }
        for release in t.restricted() {
            handed.of(Scope::Cluster, number).add(release);
        }
        location.push(Write {
            bytes: bytes.to_vec(),
            id,
            time,
            reduction: None,
            release: handed,
            readers: Vec::new(),
            wide: OnceCell::new(),
        });
        let latest = location.first + location.writes.len() as u64 - 1;
        location.seen.insert(id, latest);
    }

    /// Runs `fence.sc`: what the thread knows, has seen and written comes before every later `fence.sc`, if the scope of each
    /// includes the other (8.9.3, 8.9.4).
    pub fn sequential_fence(&mut self, cta: usize, thread: usize, scope: Scope) {
        self.touches(Thing::Grid, 0..1, Use::Writes);
        let number = self.ctas[cta].number;
        let cluster = number / self.cluster_size();
        let wider = [(Scope::Cta, number), (Scope::Cluster, cluster), (Scope::Gpu, 0)];
        let keys = wider.into_iter().filter(|(of, _)| *of <= scope);
        let keys: Vec<Id> = keys.map(|(of, number)| Self::FENCES | (of as Id) << 28 | number).collect();
        let orders_reads = self.orders_reads();
        let t = &mut self.ctas[cta].threads[thread];
        for earlier in keys.iter().filter_map(|key| self.sequential.get(key)) {
            t.acquire(&earlier.clone().finish(orders_reads));
        }
        // The thread has acquired what the earlier fences have handed over, so its own release has all of that.
        let mut handed = Collected::default();
        handed.add(&t.release());
        for key in &keys {
            self.sequential.insert(*key, handed.clone());
        }
        for location in self.locations.values_mut() {
            let of_thread = location.oldest(t.id, &t.view);
            let known =
                keys.iter().filter_map(|key| location.seen.get(key)).fold(of_thread, |a, b| a.max(*b));
            for key in keys.iter().chain([&t.id]) {
                location.seen.insert(*key, known);
            }
        }
    }

    /// The identities under which locations keep what came before the latest `fence.sc` of a scope.
    const FENCES: Id = 1 << 31;
}
