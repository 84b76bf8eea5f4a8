//! Schedules: which thread runs for how long, and when asynchronous operations read and write.

/// A generator of pseudo-random numbers (xorshift64*), so that a seed replays a run.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }
}

/// The most threads at hand, and the fewest while other clusters have threads that can run.
const MANY: usize = 1024;
const FEW: usize = 32;
/// The mean number of turns after which a cluster is set aside for another.
const TURNS: usize = 2048;

/// A thread: the index of its block among the resident blocks, and its rank there.
pub(crate) type Who = (u32, u32);

/// The threads that can run. A schedule picks among those at hand: the threads of all clusters if these are few, and otherwise those of
/// some clusters, whose memory and registers stay in the caches of the processor. The others are set aside, and take turns.
#[derive(Debug)]
pub(crate) struct Ready {
    /// The number of blocks of a cluster.
    cluster: u32,
    /// The number of threads at hand above which a cluster is set aside.
    most: usize,
    at_hand: Vec<Who>,
    /// The threads of each cluster that is set aside. `None`: the cluster is at hand.
    aside: Vec<Option<Vec<Who>>>,
    /// The clusters that are set aside and have threads.
    others: Vec<usize>,
}

impl Ready {
    pub fn new(cluster: u32) -> Self {
        Self { cluster, most: MANY, at_hand: Vec::new(), aside: Vec::new(), others: Vec::new() }
    }

    /// Keeps all threads at hand, before the first is added.
    pub fn keep_all(&mut self) {
        self.most = usize::MAX;
    }

    pub fn at_hand(&self) -> &[Who] {
        &self.at_hand
    }

    pub fn push(&mut self, who: Who) {
        let cluster = self.cluster_of(who);
        while self.aside.len() <= cluster {
            self.aside.push((self.at_hand.len() >= self.most).then(Vec::new));
        }
        match &mut self.aside[cluster] {
            None => self.at_hand.push(who),
            Some(threads) => {
                if threads.is_empty() {
                    self.others.push(cluster);
                }
                threads.push(who);
            }
        }
    }

    /// Returns all threads, also those that are set aside.
    pub fn iter(&self) -> impl Iterator<Item = &Who> {
        self.at_hand.iter().chain(self.aside.iter().flatten().flatten())
    }

    /// Takes out a thread by its index in `at_hand`.
    pub fn remove(&mut self, at: usize) -> Who {
        self.at_hand.remove(at)
    }

    /// Takes out a thread at random. `idle`: the number of turns since a thread has written something.
    pub fn pick(&mut self, rng: &mut Rng, idle: usize) -> Option<Who> {
        if !self.others.is_empty() {
            // What the threads at hand wait for may come from those that are set aside.
            let in_vain = idle > 0 && idle.is_multiple_of(self.at_hand.len().max(1));
            if self.at_hand.len() > self.most || in_vain || rng.below(TURNS) == 0 {
                self.set_aside(rng);
            }
            while self.at_hand.len() < FEW && !self.others.is_empty() {
                let cluster = self.others.swap_remove(rng.below(self.others.len()));
                self.at_hand.extend(self.aside[cluster].take().into_iter().flatten());
            }
        }
        (!self.at_hand.is_empty()).then(|| self.at_hand.swap_remove(rng.below(self.at_hand.len())))
    }

    /// Takes a cluster at random in place of that of a thread at random.
    fn set_aside(&mut self, rng: &mut Rng) {
        let next = self.others.swap_remove(rng.below(self.others.len()));
        if !self.at_hand.is_empty() {
            let cluster = self.cluster_of(self.at_hand[rng.below(self.at_hand.len())]);
            let size = self.cluster;
            let threads = self.at_hand.extract_if(.., |who| (who.0 / size) as usize == cluster).collect();
            self.aside[cluster] = Some(threads);
            self.others.push(cluster);
        }
        self.at_hand.extend(self.aside[next].take().into_iter().flatten());
    }

    fn cluster_of(&self, who: Who) -> usize {
        (who.0 / self.cluster) as usize
    }
}

/// The times at which asynchronous operations run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Agents {
    /// At random.
    #[default]
    Random,
    /// As early as possible.
    Early,
    /// As late as possible: when no thread can run.
    Late,
}

/// How a run chooses what comes next: a thread or an asynchronous operation. Equal schedules make equal runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// The seed of what is chosen at random.
    pub seed: u64,
    /// When asynchronous operations run.
    pub agents: Agents,
    /// The maximum number of instructions that a thread runs at a time.
    pub quantum: u32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { seed: 1, agents: Agents::Random, quantum: 64 }
    }
}

impl Schedule {
    /// Returns the schedule of a number: random ones, and among them those that run asynchronous operations late or early.
    #[must_use]
    pub fn of(number: u64) -> Self {
        let agents = match number % 4 {
            1 => Agents::Late,
            2 => Agents::Early,
            _ => Agents::Random,
        };
        let quantum = [64, 1000, 8, 200][(number / 4 % 4) as usize];
        Self { seed: number.wrapping_add(1), agents, quantum }
    }

    pub(crate) fn agent_runs(&self, rng: &mut Rng) -> bool {
        match self.agents {
            Agents::Random => rng.below(4) == 0,
            Agents::Early => true,
            Agents::Late => false,
        }
    }

    pub(crate) fn pick_agent(&self, rng: &mut Rng, count: usize) -> usize {
        rng.below(count)
    }

    pub(crate) fn quantum(&self, rng: &mut Rng) -> u32 {
        1 + rng.below(self.quantum as usize) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the threads that `turns` turns pick. Each can run again after its turn, and has written something.
    fn picks(blocks: u32, cluster: u32, turns: usize) -> Vec<Who> {
        let (mut ready, mut rng) = (Ready::new(cluster), Rng::new(1));
        (0..blocks)
            .flat_map(|block| (0..256).map(move |thread| (block, thread)))
            .for_each(|who| ready.push(who));
        let pick = |_| {
            let who = ready.pick(&mut rng, 0).unwrap();
            ready.push(who);
            who
        };
        (0..turns).map(pick).collect()
    }

    fn different(picks: &[Who], of: impl Fn(&Who) -> u32) -> usize {
        picks.iter().map(of).collect::<std::collections::BTreeSet<_>>().len()
    }

    #[test]
    fn a_schedule_interleaves_all_clusters_if_they_are_few_and_else_some_at_a_time() {
        let block = |who: &Who| who.0;
        assert_eq!(different(&picks(4, 1, 100), block), 4);
        for cluster in [1, 4] {
            let picks = picks(132, cluster, 1 << 22);
            let at_a_time = picks.chunks(256).map(|picks| different(picks, block)).max();
            assert!((4..=16).contains(&at_a_time.unwrap()), "{at_a_time:?} blocks");
            assert_eq!(different(&picks, block), 132);
            assert!(different(&picks, |who| 256 * who.0 + who.1) > 132 * 200);
        }
    }

    #[test]
    fn what_waits_in_vain_makes_room_for_each_other_thread() {
        // One thread of each block is left, and all wait for the last.
        let (mut ready, mut rng) = (Ready::new(1), Rng::new(7));
        (0..2048).for_each(|block| ready.push((block, 0)));
        let is_found = (0..8 << 20).any(|idle| {
            let who = ready.pick(&mut rng, idle).unwrap();
            ready.push(who);
            who == (2047, 0)
        });
        assert!(is_found);
    }
}
