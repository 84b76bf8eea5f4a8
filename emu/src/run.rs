//! Runs a grid: threads in an order that the schedule chooses, and asynchronous operations as separate agents.

use crate::clock::{Id, of_grid};
use crate::explore::{Actor, Explorer};
use crate::finding::Rule;
use crate::machine::{Fault, FaultKind, Machine, Report, State};
use crate::memory::{Grids, RANK_SHIFT, SHARED_BASE};
use crate::op::Op;
use crate::trace::Row;

impl Machine<'_> {
    /// Runs the grid to its end.
    pub fn run(mut self) -> Report {
        self.run_all()
    }

    /// Runs the grid by the choices of an explorer.
    pub fn explore(mut self, explorer: &mut Explorer) -> Report {
        self.explorer = Some(std::mem::take(explorer));
        let report = self.run_all();
        *explorer = self.explorer.take().unwrap_or_default();
        report
    }

    fn run_all(&mut self) -> Report {
        let grids = &self.global.grids;
        let last = of_grid(grids.number);
        if self.launch.programmatic {
            self.earlier = grids.at_start.clone();
            let has_ended = |grid: &&Id| !grids.at_end.contains(grid);
            self.awaited = self.earlier.iter().filter(has_ended).copied().collect();
        }
        for allocation in &mut self.global.allocations {
            allocation.shadow.precede(last, &self.earlier);
        }
        if let Err(fault) = self.all() {
            self.report.fault = Some(fault);
        }
        self.leave_grids();
        self.report.trace = self.trace.take();
        std::mem::take(&mut self.report)
    }

    /// Notes which grids may still run when the next one starts.
    fn leave_grids(&mut self) {
        let number = self.global.grids.number.wrapping_add(1);
        let without = |ended: &[Id]| -> Vec<Id> {
            self.earlier.iter().filter(|grid| !ended.contains(grid)).copied().collect()
        };
        let mut at_start = without(&self.ended);
        let at_end = without(if self.has_waited { &self.awaited } else { &self.ended });
        at_start.push(of_grid(number));
        self.global.grids = Grids { number, at_start, at_end };
    }

    fn all(&mut self) -> Result<(), Fault> {
        let size = self.cluster_size() as usize;
        let resident = (self.options.resident / size).max(1).min(self.clusters() as usize);
        for _ in 0..resident {
            self.start_cluster(None);
        }
        let (mut quiet, mut last_progress) = (0, u64::MAX);
        // The number of consecutive turns of threads that wrote nothing.
        let mut idle = 0;
        loop {
            if self.explorer.is_some() {
                // A lane at an `activemask` runs when no other lane of its warp can come there.
                let can_run = |(cta, thread): &(u32, u32)| {
                    let (cta, first) = (*cta as usize, *thread as usize / 32 * 32);
                    let lanes = first..(first + 32).min(self.ctas[cta].threads.len());
                    self.is_on_its_way(cta, *thread as usize)
                        || !lanes.into_iter().any(|lane| self.is_on_its_way(cta, lane))
                };
                let threads: Vec<usize> =
                    (0..self.ready.len()).filter(|at| can_run(&self.ready[*at])).collect();
                let actor = |at: &usize| {
                    let (cta, thread) = self.ready[*at];
                    Actor::Thread(self.ctas[cta as usize].number, thread)
                };
                let agents = self.agents.iter().map(|agent| agent.actor);
                let enabled: Vec<Actor> = threads.iter().map(actor).chain(agents).collect();
                if !enabled.is_empty() {
                    let Some(actor) = self.explorer.as_mut().and_then(|explorer| explorer.who(&enabled))
                    else {
                        self.report.repeats = true;
                        return Ok(());
                    };
                    let at = enabled.iter().position(|other| *other == actor).unwrap_or(0);
                    if let Some(at) = threads.get(at) {
                        let (cta, thread) = self.ready.remove(*at);
                        self.run_thread(cta as usize, thread as usize, u32::MAX)?;
                    } else {
                        self.run_agent(at - threads.len())?;
                    }
                    if self.report.findings.is_empty() && self.report.instructions <= self.options.limit {
                        continue;
                    }
                }
            }
            if self.report.findings.len() >= self.options.findings {
                return Ok(());
            }
            if self.report.instructions > self.options.limit {
                let what = format!("the kernel has executed {} instructions", self.report.instructions);
                return Err(Fault { kind: FaultKind::Limit, what, here: None });
            }
            let agents = self.agents.len();
            // Threads that only read may wait for what an agent writes.
            let nothing_else = idle >= 4 * self.ready.len();
            if agents > 0 && (nothing_else || self.options.schedule.agent_runs(&mut self.rng)) {
                idle = 0;
                let which = self.options.schedule.pick_agent(&mut self.rng, agents);
                self.run_agent(which)?;
            } else if !self.ready.is_empty() {
                let which = self.options.schedule.pick_thread(&mut self.rng, &self.ready);
                let (cta, thread) = self.ready.swap_remove(which);
                let quantum = self.options.schedule.quantum(&mut self.rng);
                let before = self.progress;
                self.run_thread(cta as usize, thread as usize, quantum)?;
                idle = if self.progress == before { idle + 1 } else { 0 };
            } else if self.ctas.iter().all(|cta| cta.live == 0) {
                return Ok(());
            } else {
                // Only a `try_wait` that gives up can run. A program may then do something else.
                quiet = if self.progress == last_progress { quiet + 1 } else { 0 };
                last_progress = self.progress;
                if quiet > 2 || !self.give_up_waits() {
                    self.deadlock();
                    return Ok(());
                }
            }
        }
    }

    /// Lets each suspended `try_wait` return false. Returns whether there is one.
    fn give_up_waits(&mut self) -> bool {
        let mut any = false;
        for (slot, cta) in self.ctas.iter_mut().enumerate() {
            for (i, thread) in cta.threads.iter_mut().enumerate() {
                if let State::TryWait(at) = thread.state {
                    thread.state = State::Ready;
                    if let Some(trace) = &mut self.trace {
                        trace.end(Row::Thread(cta.number, i as u32), self.report.instructions);
                    }
                    thread.gives_up = true;
                    if let Some(mbarrier) = cta.mbarriers.get_mut(&at) {
                        mbarrier.waiters.retain(|waiter| *waiter != i as u32);
                    }
                    self.ready.push((slot as u32, i as u32));
                    any = true;
                }
            }
        }
        any
    }

    fn deadlock(&mut self) {
        let mut waits: Vec<(String, usize, usize, usize)> = Vec::new();
        for (slot, cta) in self.ctas.iter().enumerate() {
            let threads = cta.threads.len();
            let ended = match threads - cta.live as usize {
                0 => String::new(),
                1 => format!(" (1 of the block's {threads} threads has ended)"),
                ended => format!(" ({ended} of the block's {threads} threads have ended)"),
            };
            for (i, thread) in cta.threads.iter().enumerate() {
                let what = match thread.state {
                    State::Exited => continue,
                    State::Barrier(id) => {
                        let barrier = &cta.barriers[id as usize];
                        let expected = barrier.expected.unwrap_or(cta.live);
                        format!("barrier {id}, which has {} of {expected} arrivals", barrier.arrived.len())
                    }
                    State::Cluster => "the barrier of the cluster".into(),
                    State::Warp => "a collective instruction of the warp".into(),
                    State::Groups => "a group of copies".into(),
                    State::Spin => "a value that nothing writes".into(),
                    State::Ready | State::TryWait(_) => match self.waited_mbarrier(slot, i) {
                        Some(text) => text,
                        None => "an mbarrier".into(),
                    },
                };
                let what = what + &ended;
                match waits.iter_mut().find(|(other, at, ..)| *other == what && *at == slot) {
                    Some(known) => known.3 += 1,
                    None => waits.push((what, slot, i, 1)),
                }
            }
        }
        let places: Vec<_> = waits.iter().map(|(_, slot, first, _)| self.party(*slot, *first)).collect();
        let Some(here) = places.first().cloned() else { return };
        let list =
            waits.iter().zip(&places).take(8).enumerate().map(|(i, ((what, slot, _, count), place))| {
                let [x, y, z] = self.ctas[*slot].index;
                match (i, count) {
                    // The finding names the places of the first two waits.
                    (2.., 1) => format!("{place}, waits for {what}"),
                    (2.., _) => format!("{place}, and {} more of the block wait for {what}", count - 1),
                    (_, 1) => format!("a thread of block ({x}, {y}, {z}) waits for {what}"),
                    _ => format!("{count} threads of block ({x}, {y}, {z}) wait for {what}"),
                }
            });
        let what = format!("no thread can run: {}", list.collect::<Vec<_>>().join("; "));
        let other = places.get(1).cloned();
        self.find(Rule::Deadlock, what, here, other, (0, 0));
    }

    fn waited_mbarrier(&self, slot: usize, thread: usize) -> Option<String> {
        let cta = &self.ctas[slot];
        let t = &cta.threads[thread];
        let function = &self.program.functions[t.frame.function];
        // A `try_wait` is at the program counter, or a few instructions before.
        let code = &function.code[..(t.pc as usize + 1).min(function.code.len())];
        let (address, _) = code.iter().rev().take(8).find_map(|instruction| match &instruction.op {
            Op::Mbarrier(address, _) => Some((address, ())),
            _ => None,
        })?;
        let at =
            self.value(t, address.base).wrapping_add_signed(address.offset) as u32 & ((1 << RANK_SHIFT) - 1);
        let mbarrier = cta.mbarriers.get(&(at.checked_sub(SHARED_BASE)?))?;
        // No copy is in flight, since that copy could run.
        let missing = match (mbarrier.pending, mbarrier.tx) {
            (1.., _) => " (an arrival is missing: of a thread, or that of a load, with its bytes)",
            (0, 1..) => " (bytes are missing: a copy that they were expected of was not issued)",
            _ => "",
        };
        Some(format!(
            "phase {} of the mbarrier at {at:#x}, whose pending count is {} and whose tx-count is {}{missing}",
            mbarrier.phase, mbarrier.pending, mbarrier.tx
        ))
    }
}
