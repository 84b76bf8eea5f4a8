//! Runs a grid: threads in an order that the schedule chooses, and asynchronous operations as separate agents.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::address::{RANK_SHIFT, SHARED_BASE};
use crate::execution::call::MOST_STACKS;
use crate::execution::machine::{Machine, product};
use crate::execution::memory::Grids;
use crate::execution::thread::State;
use crate::finding::{Party, Rule};
use crate::frontend::op::{Collective, Matrix, Op, WarpOp};
use crate::options::Progress;
use crate::order::clock::{Id, of_grid};
use crate::order::explore::{Actor, Explorer};
use crate::report::{Fault, FaultKind, Report};
use crate::trace::Row;

/// The number of turns between two looks at the clock.
const TURNS: u32 = 1 << 12;
/// The number of turns between two looks at whether each thread waits in a loop that reads.
const TURNS_OF_POLLS: u32 = 1 << 10;
/// The time between two reports of progress.
const BETWEEN_REPORTS: Duration = Duration::from_secs(10);
/// The number of asynchronous operations after which no thread issues another.
const MOST_AGENTS: usize = 1 << 16;
/// The most choices that an explorer keeps.
const MOST_CHOICES: usize = 1 << 24;

impl Machine<'_> {
    /// Runs the grid to its end.
    pub fn run(mut self) -> Report {
        self.run_all()
    }

    /// Runs the grid by the choices of an explorer.
    pub fn explore(mut self, explorer: &mut Explorer) -> Report {
        self.explorer = Some(std::mem::take(explorer));
        self.ready.keep_all();
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

    /// Returns the number of clusters that are resident at first: fewer than asked for if their memory is large.
    fn resident(&self) -> Result<u64, Fault> {
        let function = &self.program.functions[self.kernel];
        let thread = 8 * u64::from(function.slots) + function.frame;
        let block = thread * product(self.launch.block) + self.shared_bytes() as u64;
        let size = u64::from(self.cluster_size());
        let fit = MOST_STACKS / (block * size).max(1);
        let wanted =
            if self.launch.cooperative { self.clusters() } else { self.options.resident as u64 / size };
        if fit == 0 || self.launch.cooperative && fit < wanted {
            let what = format!(
                "{thread} bytes of registers and local memory of each thread: the resident blocks take more than {MOST_STACKS} bytes"
            );
            return Err(self.fault_of_grid(FaultKind::Instruction, what));
        }
        Ok(wanted.max(1).min(fit).min(self.clusters()))
    }

    fn all(&mut self) -> Result<(), Fault> {
        for _ in 0..self.resident()? {
            self.start_cluster(None);
        }
        let (start, mut told, mut turns) = (Instant::now(), Duration::ZERO, 0u32);
        let mut quiet = (u64::MAX, 0);
        // The number of consecutive turns of threads that wrote nothing.
        let mut idle = 0;
        loop {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(TURNS_OF_POLLS) && self.all_poll() && !self.wakes_waits(&mut quiet) {
                self.deadlock();
                return Ok(());
            }
            if turns.is_multiple_of(TURNS) {
                self.tell(start.elapsed(), &mut told)?;
            }
            if self.explorer.is_some() {
                // A lane at an `activemask` runs when no other lane of its warp can come there.
                let can_run = |(cta, thread): &(u32, u32)| {
                    let (cta, first) = (*cta as usize, *thread as usize / 32 * 32);
                    let lanes = first..(first + 32).min(self.ctas[cta].threads.len());
                    self.is_on_its_way(cta, *thread as usize)
                        || !lanes.into_iter().any(|lane| self.is_on_its_way(cta, lane))
                };
                let ready = self.ready.at_hand();
                let threads: Vec<usize> = (0..ready.len()).filter(|at| can_run(&ready[*at])).collect();
                let actor = |at: &usize| {
                    let (cta, thread) = ready[*at];
                    Actor::Thread(self.ctas[cta as usize].number, thread)
                };
                let agents = self.agents.iter().map(|agent| agent.actor);
                let enabled: Vec<Actor> = threads.iter().map(actor).chain(agents).collect();
                if !enabled.is_empty() {
                    let steps = self.explorer.as_ref().map_or(0, Explorer::steps);
                    if steps * enabled.len() > MOST_CHOICES {
                        return Err(self.limit("the exploration has too many steps"));
                    }
                    let Some(actor) = self.explorer.as_mut().and_then(|explorer| explorer.who(&enabled))
                    else {
                        self.report.repeats = true;
                        return Ok(());
                    };
                    let at = enabled.iter().position(|other| *other == actor).unwrap_or(0);
                    if let Some(at) = threads.get(at) {
                        let (cta, thread) = self.ready.remove(*at);
                        let left = self.options.limit.saturating_sub(self.report.instructions);
                        let quantum = left.saturating_add(1).try_into().unwrap_or(u32::MAX);
                        self.run_thread(cta as usize, thread as usize, quantum)?;
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
                return Err(self.limit(&what));
            }
            let agents = self.agents.len();
            // Threads that only read may wait for what an agent writes.
            let nothing_else = idle >= 4 * self.ready.at_hand().len() || agents > MOST_AGENTS;
            if agents > 0 && (nothing_else || self.options.schedule.agent_runs(&mut self.rng)) {
                idle = 0;
                let which = self.options.schedule.pick_agent(&mut self.rng, agents);
                self.run_agent(which)?;
            } else if let Some((cta, thread)) = self.ready.pick(&mut self.rng, idle) {
                let quantum = self.options.schedule.quantum(&mut self.rng);
                let before = self.progress;
                self.run_thread(cta as usize, thread as usize, quantum)?;
                idle = if self.progress == before { idle + 1 } else { 0 };
            } else if self.ctas.iter().all(|cta| cta.live == 0) {
                return Ok(());
            } else {
                if !self.wakes_waits(&mut quiet) {
                    self.deadlock();
                    return Ok(());
                }
            }
        }
    }

    /// Lets each `try_wait` give up if nothing else goes on: a program may then do something else. `quiet` is the progress at the
    /// last time, and the number of times in a row since which there was none. Returns whether something can go on.
    fn wakes_waits(&mut self, quiet: &mut (u64, u32)) -> bool {
        *quiet = (self.progress, if self.progress == quiet.0 { quiet.1 + 1 } else { 0 });
        quiet.1 <= 2 && self.give_up_waits()
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
                    thread.polls.count = 0;
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

    /// Reports how far the run has come, from time to time, and ends it when the user asks for that.
    fn tell(&self, elapsed: Duration, told: &mut Duration) -> Result<(), Fault> {
        if self.options.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Err(Fault { kind: FaultKind::Interrupt, ..self.limit("the run is interrupted") });
        }
        if let Some(progress) = self.options.progress
            && elapsed - *told >= BETWEEN_REPORTS
        {
            *told = elapsed;
            progress(&Progress {
                kernel: &self.program.functions[self.kernel].name,
                elapsed,
                instructions: self.report.instructions,
                limit: self.options.limit,
                started: self.next_cluster * u64::from(self.cluster_size()),
                blocks: product(self.launch.grid),
            });
        }
        Ok(())
    }

    /// Returns the fault of a run that is given up, with a table of where its threads are.
    fn limit(&self, why: &str) -> Fault {
        const ROWS: usize = 16;
        // The rows, each with its first thread and the number of its threads.
        let mut rows: Vec<(String, usize, usize, u64)> = Vec::new();
        let mut of: FxHashMap<(usize, String), usize> = FxHashMap::default();
        for (slot, cta) in self.ctas.iter().enumerate() {
            for (i, thread) in cta.threads.iter().enumerate() {
                let place = self.at(slot, i);
                let what = match thread.state {
                    State::Exited => continue,
                    State::Ready => "runs".into(),
                    _ => format!("waits for {}", self.waits_for(slot, i)),
                };
                let row = *of.entry((slot, format!("{place} {what}"))).or_insert(rows.len());
                match rows.get_mut(row) {
                    Some(known) => known.3 += 1,
                    None => rows.push((what, slot, i, 1)),
                }
            }
        }
        let count = rows.iter().map(|row| row.3).sum::<u64>();
        let have = if count == 1 { "has" } else { "have" };
        let mut text = format!("{why}, and {count} of its threads {have} not ended:");
        for (what, slot, first, count) in rows.iter().take(ROWS) {
            let party = self.party(*slot, *first);
            let alike =
                if *count > 1 { format!(" (as {} more of the block)", count - 1) } else { String::new() };
            text += &format!("\n    {party}, {what}{alike}");
        }
        if let more @ 1.. = rows.len().saturating_sub(ROWS) {
            text += &format!("\n    and threads at {more} other places");
        }
        self.fault_of_grid(FaultKind::Limit, text)
    }

    /// Says what a thread waits for.
    fn waits_for(&self, slot: usize, i: usize) -> String {
        let cta = &self.ctas[slot];
        match cta.threads[i].state {
            State::Barrier(id) => {
                let barrier = &cta.barriers[id as usize];
                let expected = barrier.expected.unwrap_or(cta.live);
                let before = if barrier.unwaited.is_some() {
                    "; arrivals alone have completed an earlier use"
                } else {
                    ""
                };
                format!("barrier {id}, which has {} of {expected} arrivals{before}", barrier.arrived.len())
            }
            State::Cluster => {
                let cluster = &self.ctas[cta.cluster..cta.cluster + self.cluster_size() as usize];
                let live: u32 = cluster.iter().map(|cta| cta.live).sum();
                let arrived = cluster[0].cluster_barrier.arrived;
                format!("the barrier of the cluster, which has {arrived} of {live} arrivals")
            }
            State::Warp => self.waited_collective(slot, i),
            State::Groups => "a group of copies".into(),
            State::Spin | State::Ready | State::TryWait(_) | State::Exited => {
                let value = self.waited_value(slot, i).or_else(|| self.waited_mbarrier(slot, i));
                value.unwrap_or_else(|| "an mbarrier".into())
            }
        }
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
                if thread.state == State::Exited {
                    continue;
                }
                let what = self.waits_for(slot, i) + &ended;
                match waits.iter_mut().find(|(other, at, ..)| *other == what && *at == slot) {
                    Some(known) => known.3 += 1,
                    None => waits.push((what, slot, i, 1)),
                }
            }
        }
        let place = |(_, slot, first, _): &(String, usize, usize, usize)| {
            let party = self.party(*slot, *first);
            match self.polled(*slot, *first) {
                Some((_, at)) => {
                    let read = self.party_at(false, party.cta, party.thread, at);
                    Party { source: read.source.clone().or(party.source), ..read }
                }
                None => party,
            }
        };
        let places: Vec<_> = waits.iter().map(place).collect();
        let Some(here) = places.first().cloned() else { return };
        const SHOWN: usize = 8;
        let list =
            waits.iter().zip(&places).take(SHOWN).enumerate().map(|(i, ((what, slot, _, count), place))| {
                let [x, y, z] = self.ctas[*slot].index;
                match (i, count) {
                    // The finding names the places of the first two waits.
                    (2.., 1) => format!("{place}, waits for {what}"),
                    (2.., _) => format!("{place}, and {} more of the block wait for {what}", count - 1),
                    (_, 1) => format!("a thread of block ({x}, {y}, {z}) waits for {what}"),
                    _ => format!("{count} threads of block ({x}, {y}, {z}) wait for {what}"),
                }
            });
        let mut what = list.collect::<Vec<_>>().join("; ");
        if let more @ 1.. = waits.len().saturating_sub(SHOWN) {
            what += &format!("; and threads at {more} other places wait");
        }
        match self.clusters() - self.next_cluster {
            0 => {}
            1 => what += "; 1 cluster of the grid starts only when another ends",
            left => what += &format!("; {left} clusters of the grid start only when others end"),
        }
        let does = match self.ready.iter().next() {
            Some(_) => "each thread waits, and no other thread or copy can change what it reads",
            None => "no thread can run",
        };
        let what = format!("{does}: {what}");
        let other = places.get(1).cloned();
        self.find(Rule::Deadlock, what, here, other, (0, 0));
    }

    /// Returns what a thread in a collective instruction of its warp waits for.
    fn waited_collective(&self, slot: usize, thread: usize) -> String {
        let (cta, first) = (&self.ctas[slot], thread / 32 * 32);
        let Op::Warp(op) = &self.current(slot, thread).op else { return "its warp".into() };
        let of = |op: &WarpOp, lane: usize| (op.what, self.value(&cta.threads[lane], op.mask) as u32);
        let ours = of(op, thread);
        let is_missing = |lane: &usize| {
            let t = &cta.threads[first + lane];
            let is_there = match &self.current(slot, first + lane).op {
                Op::Warp(theirs) => t.state == State::Warp && of(theirs, first + lane) == ours,
                _ => false,
            };
            ours.1 >> lane & 1 == 1 && t.state != State::Exited && !is_there
        };
        let lanes = 0..(cta.threads.len() - first).min(32);
        let missing = lanes.filter(is_missing).fold(0u32, |set, lane| set | 1 << lane);
        let name = op.what.name();
        if let (Collective::Matrix(Matrix::Tensor(what)), 0) = (op.what, missing)
            && let Some(waits) = self.waited_tensor(slot, what)
        {
            return waits;
        }
        if let (Collective::Matrix(Matrix::Wait(_)), 0) = (op.what, missing)
            && let Some(waits) = self.waited_warpgroup(slot, thread)
        {
            return waits;
        }
        match (op.what, cta.warps[thread / 32].registers) {
            (Collective::SetMaxNReg { count, .. }, Some(now)) if missing == 0 => format!(
                "`{name}` from {now} to {count} registers, for which the block has {} free registers, and the warp needs {}",
                cta.free_registers,
                32 * count.saturating_sub(now)
            ),
            _ => format!(
                "`{name}` with the lanes {:#010x}, of which {missing:#010x} are not there, or with other lanes or qualifiers",
                ours.1
            ),
        }
    }

    fn waited_mbarrier(&self, slot: usize, thread: usize) -> Option<String> {
        let cta = &self.ctas[slot];
        let t = &cta.threads[thread];
        let function = &self.program.functions[t.frame.function];
        // A `try_wait` is at the program counter, or a few instructions before.
        let code = &function.code[..(t.pc as usize + 1).min(function.code.len())];
        let (address, _) = code.iter().rev().take(8).find_map(|instruction| match &instruction.op {
            Op::Mbarrier(address, ..) => Some((address, ())),
            _ => None,
        })?;
        let at =
            self.value(t, address.base).wrapping_add_signed(address.offset) as u32 & ((1 << RANK_SHIFT) - 1);
        let mbarrier = cta.mbarriers.get(&(at.checked_sub(SHARED_BASE)?))?;
        // No copy is in flight, since that copy could run.
        let missing = match (mbarrier.pending, mbarrier.tx) {
            (_, ..0) => {
                format!(" ({} more bytes have arrived than were expected)", mbarrier.tx.unsigned_abs())
            }
            (1.., _) => " (an arrival is missing: of a thread, or that of a load, with its bytes)".into(),
            (0, 1..) => " (bytes are missing: a copy that they were expected of was not issued)".into(),
            (0, 0) => String::new(),
        };
        Some(format!(
            "phase {} of the mbarrier at {at:#x}, whose pending count is {} and whose tx-count is {}{missing}",
            mbarrier.phase, mbarrier.pending, mbarrier.tx
        ))
    }
}
