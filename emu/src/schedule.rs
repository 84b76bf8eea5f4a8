//! Schedules: which thread runs for how long, and when asynchronous operations read and write.

/// A generator of pseudo-random numbers (xorshift64*), so that a seed replays a run.
#[derive(Debug, Clone)]
pub struct Rng(u64);

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
    pub seed: u64,
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

    pub(crate) fn pick_thread(&self, rng: &mut Rng, ready: &[(u32, u32)]) -> usize {
        rng.below(ready.len())
    }

    pub(crate) fn quantum(&self, rng: &mut Rng) -> u32 {
        1 + rng.below(self.quantum as usize) as u32
    }
}
