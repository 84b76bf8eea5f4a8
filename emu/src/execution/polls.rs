//! Threads that read a value again and again until another changes it: finds out when none can.

use crate::address::Place;
use crate::execution::machine::Machine;
use crate::execution::thread::State;
use crate::execution::word::word;
use crate::order::location::Key;
use crate::order::shadow::At;

/// The strong reads of a thread since something has changed for which a thread could wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct Polls {
    /// The machine's `progress` at the first of them.
    since: u64,
    pub count: u32,
    /// What the last one has read, and its instruction.
    last: Option<(Key, At)>,
}

impl Machine<'_> {
    /// The number of strong reads after which a thread counts as one that waits.
    const MOST_POLLS: u32 = 10_000;

    /// Counts a strong read, or an atomic operation that leaves memory as it is. `is_latest`: what it has read is the latest value,
    /// so the next read can only be another if something changes.
    pub fn polls(&mut self, cta: usize, thread: usize, key: Key, is_latest: bool) {
        let (at, progress) = (self.at(cta, thread), self.progress);
        let polls = &mut self.ctas[cta].threads[thread].polls;
        if polls.since != progress || !is_latest {
            *polls = Polls { since: progress, ..Polls::default() };
        }
        polls.count += u32::from(is_latest && polls.count < Self::MOST_POLLS);
        polls.last = Some((key, at));
    }

    /// Returns whether each thread that can run has only read for long, and nothing else can change what it reads.
    pub fn all_poll(&self) -> bool {
        let mut ready = self.ready.iter().peekable();
        let polls = |(cta, thread): &(u32, u32)| {
            let polls = &self.ctas[*cta as usize].threads[*thread as usize].polls;
            polls.since == self.progress && polls.count == Self::MOST_POLLS
        };
        self.agents.is_empty() && ready.peek().is_some() && ready.all(polls)
    }

    /// Says for which value a thread waits in a loop that reads. `None`: its loop waits for an mbarrier, or it is in none.
    pub fn waited_value(&self, cta: usize, thread: usize) -> Option<String> {
        let ((place, len), at) = self.polled(cta, thread)?;
        if let Place::Shared(slot, offset) = place
            && self.ctas[slot].mbarriers.contains_key(&(offset as u32))
        {
            return None;
        }
        let bytes = self.peek(cta, thread, place, len);
        let value = if len <= 8 { word(bytes).to_string() } else { format!("{bytes:02x?}") };
        let line = self.party_at(false, None, None, at).line;
        Some(format!(
            "another value than {value} of {}, read in line {line} of the PTX",
            self.describe(place, len)
        ))
    }

    /// Returns what a thread that can run, or that an explorer has suspended, has read last, and by which instruction.
    pub fn polled(&self, cta: usize, thread: usize) -> Option<(Key, At)> {
        let t = &self.ctas[cta].threads[thread];
        matches!(t.state, State::Ready | State::Spin).then_some(t.polls.last)?
    }
}
