//! Shadow memory: the last write and the later reads of each word, or of each byte where an access splits the word.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::frontend::op::Scope;
use crate::order::clock::{Id, OBJECTS, PART, Proxy, Time, View, is_of_grid};

/// The place of an access in the program: the index of an instruction in the list of all.
pub type At = u32;

const WORD: usize = 4;
const PAGE: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    pub id: Id,
    pub time: Time,
    pub at: At,
    pub proxy: Proxy,
    /// The rank in its block of the thread that issued the access.
    pub by: u16,
    /// The bytes of an element that a plain store has written. Zero: another access.
    pub stored: u8,
    /// The scope of a strong access. `None`: a weak access.
    pub strong: Option<Scope>,
}

/// The last write.
#[derive(Debug, Clone, Default)]
enum Writes {
    #[default]
    None,
    /// A write before every later kernel.
    Settled,
    One(Epoch),
    /// Unordered stores of one value.
    Many(Box<[Epoch]>),
}

impl Writes {
    /// Returns unordered writes after settled ones.
    fn of(mut epochs: Vec<Epoch>) -> Self {
        match epochs.len() {
            0 => Self::Settled,
            1 => epochs.pop().map_or(Self::Settled, Self::One),
            _ => Self::Many(epochs.into()),
        }
    }

    fn epochs(&self) -> &[Epoch] {
        match self {
            Self::None | Self::Settled => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl Epoch {
    /// Returns whether one thread or object made both accesses, through one proxy.
    fn is_like(&self, other: &Self) -> bool {
        self.id == other.id && self.proxy == other.proxy
    }
}

/// The reads since the last write.
#[derive(Debug, Clone, Default)]
enum Reads {
    #[default]
    None,
    One(Run),
    Many(Box<Many>),
}

/// The reads of each thread, of which the last counts. The earlier ones leave the list when it is full.
#[derive(Debug, Clone, Default)]
struct Many(Vec<Run>);

/// Reads by threads of one block, alike but for the thread: those of one instruction between two barriers.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: Epoch,
    /// A bit for each other thread: for each rank, in a window of 64, that differs from the first by a multiple of `1 << shift`.
    others: u64,
    shift: u8,
}

/// Empty lists of reads, with room.
type Spare = Vec<Box<Many>>;

impl Run {
    fn of(first: Epoch) -> Self {
        Self { first, others: 0, shift: u16::BITS as u8 - 1 }
    }

    fn epochs(&self) -> impl Iterator<Item = Epoch> {
        let first = self.first;
        let others = self.others().map(move |rank| Epoch {
            id: first.id / PART * PART + Id::from(rank),
            by: rank,
            ..first
        });
        [first].into_iter().chain(others)
    }

    /// Returns the ranks of the other threads.
    fn others(&self) -> impl Iterator<Item = u16> {
        let Self { first: Epoch { by, .. }, mut others, shift } = *self;
        std::iter::from_fn(move || {
            let bit = others.trailing_zeros() as u16;
            (others != 0).then(|| {
                others &= others - 1;
                (by >> shift & !63 | bit) << shift | by & ((1 << shift) - 1)
            })
        })
    }

    /// Adds the rank of a thread. Returns whether a window has the rank and the others.
    #[inline]
    fn add_rank(&mut self, rank: u16) -> bool {
        let differ = rank ^ self.first.by;
        let shift = self.shift.min(differ.trailing_zeros() as u8);
        if differ == 0 || differ >> shift >= 64 {
            return differ == 0;
        }
        if shift < self.shift {
            let mut narrow = Self { others: 0, shift, ..*self };
            if !self.others().all(|rank| narrow.add_rank(rank)) {
                return false;
            }
            *self = narrow;
        }
        self.others |= 1 << (rank >> shift & 63);
        true
    }

    fn is_of_block_of(&self, read: &Epoch) -> bool {
        self.first.id / PART == read.id / PART
    }

    #[inline]
    fn is_alike(&self, read: &Epoch) -> bool {
        let first = &self.first;
        (first.at, first.time, first.proxy, first.strong) == (read.at, read.time, read.proxy, read.strong)
            && self.is_of_block_of(read)
            && read.id < OBJECTS
    }

    /// Adds a read that is alike, or the next read of the same thread. Returns whether the run has the read.
    #[inline]
    fn add(&mut self, read: &Epoch) -> bool {
        if self.is_alike(read) {
            return self.add_rank(read.by);
        }
        let is_next = self.others == 0 && self.first.is_like(read) && !is_of_grid(read.id);
        if is_next {
            self.first = *read;
        }
        is_next
    }
}

/// Adds a read to one of the last runs, or as a run of its own. Behind a later read of the same thread, the read stays behind it.
fn add(runs: &mut Vec<Run>, read: &Epoch) {
    const LAST: usize = 16;
    for run in runs.iter_mut().rev().take(LAST) {
        if run.add(read) {
            return;
        }
        if run.is_of_block_of(read) && !run.is_alike(read) {
            break;
        }
    }
    runs.push(Run::of(*read));
}

impl Many {
    /// Adds a read. If the list is full, the last read of each thread stays.
    fn add(&mut self, read: &Epoch) {
        if self.0.len() == self.0.capacity() {
            let last = self.last();
            self.0.clear();
            last.iter().for_each(|read| add(&mut self.0, read));
            self.0.reserve_exact(self.0.len() + 2);
        }
        add(&mut self.0, read);
    }

    /// Returns the last read of each thread, in the place of the thread's first. What is left of an earlier grid is of several
    /// threads.
    fn last(&self) -> Vec<Epoch> {
        let mut places = FxHashMap::default();
        let mut last: Vec<Epoch> = Vec::new();
        for read in self.0.iter().flat_map(Run::epochs) {
            let next = last.len();
            let place = match is_of_grid(read.id) {
                true => next,
                false => *places.entry((read.id, read.proxy as u8)).or_insert(next),
            };
            match last.get_mut(place) {
                Some(earlier) => *earlier = read,
                None => last.push(read),
            }
        }
        last
    }
}

impl Reads {
    fn of(epochs: Vec<Epoch>) -> Self {
        match epochs[..] {
            [] => Self::None,
            [one] => Self::One(Run::of(one)),
            _ => {
                let mut many = Box::<Many>::default();
                epochs.iter().for_each(|read| many.add(read));
                Self::Many(many)
            }
        }
    }

    fn any(&self, mut is: impl FnMut(&Epoch) -> bool) -> bool {
        let runs = match self {
            Self::None => &[],
            Self::One(run) => std::slice::from_ref(run),
            Self::Many(many) => &many.0[..],
        };
        runs.iter().any(|run| run.epochs().any(|read| is(&read)))
    }

    /// Returns the last read of each thread.
    fn last(&self) -> Vec<Epoch> {
        match self {
            Self::None => Vec::new(),
            Self::One(run) => run.epochs().collect(),
            Self::Many(many) => many.last(),
        }
    }

    #[inline]
    fn add(&mut self, access: &Access<'_>, spare: &mut Spare) {
        match self {
            Self::None => *self = Self::One(Run::of(access.epoch)),
            Self::One(run) => {
                // What happened before this read happened before all that this read happens before.
                let precedes = |run: &Run| {
                    run.first.strong == access.epoch.strong && run.epochs().all(|read| access.follows(&read))
                };
                if run.add(&access.epoch) {
                } else if precedes(run) {
                    *run = Run::of(access.epoch);
                } else {
                    let mut many = spare.pop().unwrap_or_default();
                    many.0.push(*run);
                    many.add(&access.epoch);
                    *self = Self::Many(many);
                }
            }
            Self::Many(many) => many.add(&access.epoch),
        }
    }

    fn clear(&mut self, spare: &mut Spare) {
        if let Self::Many(mut many) = std::mem::take(self) {
            many.0.clear();
            spare.push(many);
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Cell {
    writes: Writes,
    reads: Reads,
}

// The state of a word is in one or two lines of a processor's cache.
const _: () = assert!(size_of::<Cell>() <= 64);

/// The conflict that a check has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    Uninitialized,
    /// The earlier access, whether it wrote, and what is missing between the two.
    Race {
        other: Epoch,
        wrote: bool,
        missing: Missing,
    },
}

/// The missing order or fence between two accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Order,
    /// Both accesses are strong, and a scope does not include the other thread: the scope of this access.
    Scope(Scope),
    ProxyFence,
    /// `fence.proxy.alias`.
    AliasFence,
}

/// An access to memory, with what its thread knows.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    pub epoch: Epoch,
    pub view: &'a View,
    /// The number of thread blocks of a cluster. The blocks of a cluster have consecutive numbers.
    pub cluster: u32,
    /// The time of the thread's last `fence.proxy.alias`.
    pub alias_fence: Time,
    /// The time of each lane of the thread's warp up to which the thread may overwrite what that lane has read.
    pub passed: Option<&'a [Time; 32]>,
}

#[derive(Debug, Clone, Default)]
pub struct Shadow {
    cells: Cells,
    spare: Spare,
}

#[derive(Debug, Clone, Default)]
struct Cells {
    pages: Vec<Option<Box<[Cell]>>>,
    split: FxHashMap<usize, Box<[Cell; WORD]>>,
    /// Whether the memory of the pages that do not exist is initialized.
    initialized: bool,
}

impl Access<'_> {
    /// Returns whether `earlier` happened before this access, and is visible through its proxy.
    #[inline]
    fn follows(&self, earlier: &Epoch) -> bool {
        if (self.epoch.proxy, earlier.proxy) == (Proxy::Generic, Proxy::Generic) {
            return self.follows_in_order(earlier);
        }
        if self.is_by_another_address(earlier) {
            return match self.is_of_same_thread(earlier) {
                true => earlier.time <= self.alias_fence,
                false => self.view.clock(Proxy::Alias).get(earlier.id) >= earlier.time,
            };
        }
        // What an asynchronous operation wrote is visible to each party that knows of the operation's completion.
        let proxy = match (earlier.proxy, self.epoch.proxy) {
            (Proxy::Generic | Proxy::Alias, proxy) if proxy != Proxy::Alias => proxy,
            _ => Proxy::Generic,
        };
        self.is_of_same_thread(earlier) || self.view.clock(proxy).get(earlier.id) >= earlier.time
    }

    /// Returns whether the write may overwrite what `earlier` has read or written. A read leaves nothing that a proxy could miss,
    /// so order is enough; for an asynchronous write after a read of the generic proxy, an order that holds across proxies.
    fn overwrites(&self, earlier: &Epoch, wrote: bool) -> bool {
        let is_async = |proxy| matches!(proxy, Proxy::AsyncShared | Proxy::AsyncGlobal);
        let of_async = is_async(earlier.proxy);
        let knows = |proxy| self.view.clock(proxy).get(earlier.id) >= earlier.time;
        match is_async(self.epoch.proxy) {
            true => self.follows(earlier) || (of_async || !wrote) && knows(Proxy::Overwrite),
            false if wrote => self.follows(earlier),
            false => self.follows_in_order(earlier) || self.passes(earlier),
        }
    }

    /// Returns whether a lane of the warp has read before both lanes took part in an instruction of the warp.
    fn passes(&self, read: &Epoch) -> bool {
        let is_of_warp = self.epoch.id < OBJECTS && self.epoch.id / 32 == read.id / 32;
        is_of_warp && self.passed.is_some_and(|passed| passed[read.id as usize % 32] >= read.time)
    }

    /// Returns whether `earlier` happened before this access.
    #[inline]
    fn follows_in_order(&self, earlier: &Epoch) -> bool {
        self.is_of_same_thread(earlier) || self.view.clock(Proxy::Generic).get(earlier.id) >= earlier.time
    }

    /// Returns whether one access is by a multicast object's address, the other by the memory's own (`.alias`, PTX ISA 9.7.13.4).
    #[inline]
    fn is_by_another_address(&self, earlier: &Epoch) -> bool {
        matches!(
            (self.epoch.proxy, earlier.proxy),
            (Proxy::Alias, Proxy::Generic) | (Proxy::Generic, Proxy::Alias)
        )
    }

    /// Returns whether one thread made both accesses, in its order. Operations that complete on one object have no order.
    fn is_of_same_thread(&self, earlier: &Epoch) -> bool {
        earlier.id == self.epoch.id && earlier.id < OBJECTS
    }

    /// Returns whether a scope around this thread includes the other.
    fn includes(&self, scope: Scope, other: Id) -> bool {
        self.epoch.id >= OBJECTS
            || other >= OBJECTS
            || scope.includes(self.epoch.id / PART, other / PART, self.cluster)
    }

    /// Returns whether two strong accesses are morally strong (PTX ISA 8.7). The ISA also requires one proxy. This check does not
    /// require one proxy of two threads, so that a loop may wait by one address for what others do through the other.
    fn morally_strong(&self, earlier: &Epoch) -> bool {
        if self.is_of_same_thread(earlier) && self.is_by_another_address(earlier) {
            return false;
        }
        match (self.epoch.strong, earlier.strong) {
            (Some(ours), Some(theirs)) => self.includes(ours.min(theirs), earlier.id),
            _ => false,
        }
    }

    /// Returns whether both accesses store elements of one size. Elements are aligned, so those that overlap have one address.
    /// Stores of one value leave that value in whatever order they come: a race of one size follows the axioms of the memory model
    /// (PTX ISA 8.7.1, 8.10).
    fn stores_as(&self, earlier: &Epoch) -> bool {
        self.epoch.stored != 0 && self.epoch.stored == earlier.stored && self.epoch.proxy == earlier.proxy
    }

    fn race(&self, other: &Epoch, wrote: bool) -> Conflict {
        let ordered = self.follows_in_order(other);
        let missing = match self.is_by_another_address(other) {
            _ if !ordered => match (self.epoch.strong, other.strong) {
                (Some(ours), Some(theirs)) if !self.includes(ours.min(theirs), other.id) => {
                    Missing::Scope(ours)
                }
                _ => Missing::Order,
            },
            true => Missing::AliasFence,
            false => Missing::ProxyFence,
        };
        Conflict::Race { other: *other, wrote, missing }
    }
}

impl Cell {
    fn is_uninitialized(&self) -> bool {
        matches!(self.writes, Writes::None)
    }

    /// Checks a read, and does not note it.
    fn check_read(&self, access: &Access<'_>) -> Option<Conflict> {
        let races = |write: &&Epoch| !access.follows(write) && !access.morally_strong(write);
        match self.is_uninitialized() {
            true => Some(Conflict::Uninitialized),
            false => self.writes.epochs().iter().find(races).map(|write| access.race(write, true)),
        }
    }

    fn read(&mut self, access: &Access<'_>, spare: &mut Spare) -> Option<Conflict> {
        let conflict = self.check_read(access);
        self.reads.add(access, spare);
        conflict
    }

    /// Notes a write. `same`: whether memory already has the value.
    fn write(&mut self, access: &Access<'_>, spare: &mut Spare, same: impl Fn() -> bool) -> Option<Conflict> {
        let mut conflict = None;
        let mut beside = Vec::new();
        for write in self.writes.epochs() {
            if access.overwrites(write, true) || access.morally_strong(write) {
                continue;
            }
            if access.stores_as(write) && same() {
                beside.push(*write);
            } else {
                conflict = conflict.or(Some(access.race(write, true)));
            }
        }
        let races = |read: &Epoch| !access.overwrites(read, false) && !access.morally_strong(read);
        if conflict.is_none() && self.reads.any(races) {
            conflict = self.reads.last().iter().find(|read| races(read)).map(|read| access.race(read, false));
        }
        self.reads.clear(spare);
        self.writes = if beside.is_empty() {
            Writes::One(access.epoch)
        } else {
            beside.push(access.epoch);
            Writes::Many(beside.into())
        };
        conflict
    }
}

impl Cells {
    /// Returns the cells of a word and of the words behind it, up to the end of its page.
    #[inline]
    fn from(&mut self, word: usize) -> &mut [Cell] {
        let (page, at) = (word / PAGE, word % PAGE);
        if !matches!(self.pages.get(page), Some(Some(_))) {
            self.add_page(page);
        }
        match &mut self.pages[page] {
            Some(cells) => &mut cells[at..],
            None => &mut [],
        }
    }

    #[cold]
    fn add_page(&mut self, page: usize) {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let writes = if self.initialized { Writes::Settled } else { Writes::None };
        self.pages[page] = Some(vec![Cell { writes, ..Cell::default() }; PAGE].into_boxed_slice());
    }

    #[inline]
    fn each(
        &mut self,
        offset: usize,
        len: usize,
        mut check: impl FnMut(&mut Cell, Range<usize>) -> Option<Conflict>,
    ) -> Option<Conflict> {
        let mut conflict = None;
        let mut at = offset;
        let end = offset + len;
        while at < end {
            let word = at / WORD;
            if at.is_multiple_of(WORD) && end - at >= WORD && self.split.is_empty() {
                for cell in self.from(word).iter_mut().take((end - at) / WORD) {
                    let found = check(cell, at - offset..at - offset + WORD);
                    conflict = conflict.or(found);
                    at += WORD;
                }
            } else {
                let next = (word * WORD + WORD).min(end);
                let found = self.each_of_word(at, next, |cell, range| {
                    check(cell, range.start - offset..range.end - offset)
                });
                conflict = conflict.or(found);
                at = next;
            }
        }
        conflict
    }

    /// Calls `check` for the bytes of a word, or for the word if nothing has split it.
    fn each_of_word(
        &mut self,
        at: usize,
        end: usize,
        mut check: impl FnMut(&mut Cell, Range<usize>) -> Option<Conflict>,
    ) -> Option<Conflict> {
        let word = at / WORD;
        if end - at == WORD && !self.split.contains_key(&word) {
            return check(&mut self.from(word)[0], at..end);
        }
        if !self.split.contains_key(&word) {
            let cell = self.from(word)[0].clone();
            self.split.insert(word, Box::new(std::array::from_fn(|_| cell.clone())));
        }
        let mut conflict = None;
        for (byte, cell) in
            (at..end).zip(self.split.get_mut(&word).into_iter().flat_map(|cells| &mut cells[at % WORD..]))
        {
            let found = check(cell, byte..byte + 1);
            conflict = conflict.or(found);
        }
        conflict
    }
}

impl Shadow {
    /// Returns the shadow of memory that is initialized.
    pub fn initialized() -> Self {
        Self { cells: Cells { initialized: true, ..Cells::default() }, ..Self::default() }
    }

    /// Marks bytes that the host wrote, before every later kernel.
    pub fn initialize(&mut self, offset: usize, len: usize) {
        self.cells.each(offset, len, |cell, _| {
            *cell = Cell { writes: Writes::Settled, reads: Reads::None };
            None
        });
    }

    pub fn read(&mut self, offset: usize, len: usize, access: &Access<'_>) -> Option<Conflict> {
        self.cells.each(offset, len, |cell, _| cell.read(access, &mut self.spare))
    }

    /// Checks a read of which nobody learns when it is done.
    pub fn prefetch(&mut self, offset: usize, len: usize, access: &Access<'_>) -> Option<Conflict> {
        self.cells.each(offset, len, |cell, _| cell.check_read(access))
    }

    /// Notes a write. `old` has the bytes in memory, `new` those that a plain store writes.
    pub fn write(
        &mut self,
        offset: usize,
        len: usize,
        access: &Access<'_>,
        old: &[u8],
        new: Option<&[u8]>,
    ) -> Option<Conflict> {
        self.cells.each(offset, len, |cell, range| {
            let same = || new.is_some_and(|new| new[range.clone()] == old[range.clone()]);
            cell.write(access, &mut self.spare, same)
        })
    }

    /// Looks for memory that nothing has written.
    pub fn uninitialized(&mut self, offset: usize, len: usize) -> Option<Conflict> {
        self.cells.each(offset, len, |cell, _| cell.is_uninitialized().then_some(Conflict::Uninitialized))
    }

    /// Makes the accesses of the last grid those of the identity `last`, and forgets those of grids that have ended, which are not
    /// in `running`: they happened before all that follows.
    pub fn precede(&mut self, last: Id, running: &[Id]) {
        let keep = |epochs: &[Epoch]| -> Vec<Epoch> {
            let of_grid = |epoch: &Epoch| Epoch {
                id: if is_of_grid(epoch.id) { epoch.id } else { last },
                time: 1,
                at: 0,
                proxy: Proxy::Generic,
                by: 0,
                stored: epoch.stored,
                strong: epoch.strong.filter(|scope| *scope >= Scope::Gpu),
            };
            let mut kept: Vec<Epoch> =
                epochs.iter().map(of_grid).filter(|epoch| running.contains(&epoch.id)).collect();
            kept.dedup();
            kept
        };
        self.for_each(|cell| {
            let (mut writes, mut reads) = (Vec::new(), Vec::new());
            if !running.is_empty() {
                (writes, reads) = (keep(cell.writes.epochs()), keep(&cell.reads.last()));
            }
            if !cell.is_uninitialized() {
                cell.writes = Writes::of(writes);
            }
            cell.reads = Reads::of(reads);
        });
    }

    fn for_each(&mut self, each: impl Fn(&mut Cell)) {
        self.cells.pages.iter_mut().flatten().flat_map(|page| page.iter_mut()).for_each(&each);
        self.cells.split.values_mut().flat_map(|cells| cells.iter_mut()).for_each(&each);
    }

    /// Calls `each` with the last write and the reads of every word that was accessed.
    pub fn accesses(&self, mut each: impl FnMut(&Epoch, bool)) {
        let Cells { pages, split, .. } = &self.cells;
        let cells = pages.iter().flatten().flat_map(|page| page.iter());
        for cell in cells.chain(split.values().flat_map(|cells| cells.iter())) {
            cell.writes.epochs().iter().for_each(|write| each(write, true));
            cell.reads.last().iter().for_each(|read| each(read, false));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(view: &View, id: Id, time: Time, strong: Option<Scope>) -> Access<'_> {
        let epoch = Epoch { id, time, at: 100 * time + id, proxy: Proxy::Generic, by: 0, stored: 0, strong };
        Access { epoch, view, cluster: 1, alias_fence: 0, passed: None }
    }

    #[test]
    fn reads_that_are_alike_are_kept_with_their_threads() {
        let nothing = View::default();
        // The ranks that read a word, in an order of their own, and the most runs that hold them.
        let columns =
            |count: u16, width: u16| (0..count).map(|i| 5 + width * (i * 7 % count)).collect::<Vec<_>>();
        for (ranks, most) in [
            (columns(16, 16), 1),
            (columns(64, 1), 3),
            (columns(32, 32), 1),
            (columns(16, 24), 1),
            (columns(1000, 1), 24),
            (vec![1023, 0, 512, 3, 700, 1], 6),
        ] {
            let (mut shadow, mut spare) = (Shadow::initialized(), Spare::new());
            for rank in ranks.iter().chain(&ranks) {
                let at = access(&nothing, 4 * PART + Id::from(*rank), 3, None);
                let epoch = Epoch { by: *rank, at: 77, ..at.epoch };
                shadow.cells.from(0)[0].reads.add(&Access { epoch, ..at }, &mut spare);
            }
            let reads = &shadow.cells.from(0)[0].reads;
            let runs = if let Reads::Many(many) = reads { many.0.len() } else { 1 };
            assert!(runs <= most, "{runs} runs of {ranks:?}");
            let mut kept: Vec<Id> = reads.last().iter().map(|read| read.id).collect();
            assert!(
                reads
                    .last()
                    .iter()
                    .all(|read| (read.time, read.at, Id::from(read.by)) == (3, 77, read.id % PART))
            );
            kept.sort_unstable();
            let mut wanted: Vec<Id> = ranks.iter().map(|rank| 4 * PART + Id::from(*rank)).collect();
            wanted.sort_unstable();
            assert_eq!(kept, wanted);
        }
    }

    #[test]
    fn a_write_after_reads_that_are_alike_races_with_each_that_it_does_not_follow() {
        let nothing = View::default();
        for missing in 0..16 {
            let mut shadow = Shadow::initialized();
            let mut view = View::default();
            for rank in 0..16 {
                let at = access(&nothing, 16 * rank, 1, None);
                let epoch = Epoch { by: 16 * rank as u16, at: 77, ..at.epoch };
                assert_eq!(shadow.read(0, 4, &Access { epoch, ..at }), None);
                view.set(16 * rank, crate::order::clock::generic((rank != missing).into()));
            }
            match shadow.write(0, 4, &access(&view, 1000, 1, None), &[0; 4], None) {
                Some(Conflict::Race { other, wrote: false, missing: Missing::Order }) => {
                    assert_eq!((other.id, Id::from(other.by)), (16 * missing, 16 * missing));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn the_last_read_of_each_of_many_threads_counts() {
        const THREADS: Id = 40;
        let (mut shadow, nothing) = (Shadow::initialized(), View::default());
        for (time, id) in (1..=50).flat_map(|time| (0..THREADS).map(move |id| (time, id))) {
            assert_eq!(shadow.read(0, 4, &access(&nothing, id, time, None)), None);
        }
        let Reads::Many(kept) = &shadow.cells.from(0)[0].reads else { panic!("many reads") };
        let kept = kept.0.iter().flat_map(Run::epochs).count();
        assert!((THREADS as usize..=4 * THREADS as usize).contains(&kept), "{kept} reads");
        let mut view = View::default();
        for id in 0..THREADS {
            view.set(id, crate::order::clock::generic(if id == 7 || id == 9 { 49 } else { 50 }));
        }
        let other = access(&nothing, 7, 50, None).epoch;
        let conflict = Conflict::Race { other, wrote: false, missing: Missing::Order };
        let mut copy = shadow.clone();
        assert_eq!(copy.write(0, 4, &access(&view, THREADS, 1, None), &[0; 4], None), Some(conflict));
        view.set(7, crate::order::clock::generic(50));
        view.set(9, crate::order::clock::generic(50));
        assert_eq!(shadow.write(0, 4, &access(&view, THREADS, 1, None), &[0; 4], None), None);
    }

    #[test]
    fn a_strong_read_of_an_earlier_grid_does_not_replace_a_weak_one() {
        let (mut shadow, nothing) = (Shadow::initialized(), View::default());
        for (id, strong) in [(0, None), (1, Some(Scope::Gpu)), (2, None), (3, Some(Scope::Gpu))] {
            assert_eq!(shadow.read(0, 4, &access(&nothing, id, 1, strong)), None);
        }
        let last = crate::order::clock::of_grid(1);
        shadow.precede(last, &[last]);
        match shadow.write(0, 4, &access(&nothing, 5, 1, Some(Scope::Gpu)), &[0; 4], None) {
            Some(Conflict::Race { other, wrote: false, .. }) => {
                assert_eq!((other.id, other.strong), (last, None))
            }
            other => panic!("{other:?}"),
        }
    }
}
