//! Issues asynchronous operations, and runs their steps: each reads, then writes and completes, at times that the schedule
//! chooses (PTX ISA 9.7.9.25).

use std::rc::Rc;

use crate::address::Place;
use crate::execution::access::How;
use crate::execution::agent::{Agent, Done, Piece};
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::mbarrier::Arrivals;
use crate::execution::thread::{State, value};
use crate::execution::word::{combine, word};
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::float::round_to_tf32;
use crate::order::clock::{
    Clock, Collected, ELEMENTS, INITS, PHASES, PROXIES, Proxy, Release, View, generic,
};
use crate::order::explore::{Actor, Thing, Use};
use crate::order::shadow::Epoch;
use crate::report::Fault;
use crate::trace::Row;

impl Machine<'_> {
    fn operand(&self, cta: usize, thread: usize, src: Src) -> u64 {
        value(&self.constants, &self.ctas[cta].threads[thread], src)
    }

    /// Returns the view of an operation that the thread issues: the thread's own view, with its own accesses.
    fn issue_view(&self, cta: usize, thread: usize) -> Rc<View> {
        let t = &self.ctas[cta].threads[thread];
        let mut collected = Collected::default();
        let mut times = t.times;
        times[Proxy::Overwrite as usize] = t.fenced_reads;
        collected.add(&Release { view: t.view.clone(), id: t.id, times });
        collected.finish(false).view().clone()
    }

    pub fn start(&mut self, mut agent: Agent) {
        self.progress += 1;
        let (cta, thread) = agent.issuer;
        let number = self.ctas[cta].number;
        let t = &mut self.ctas[cta].threads[thread];
        t.times[0] += t.step;
        t.issued += 1;
        agent.actor = Actor::Agent(number, thread as u32, t.issued);
        if let Some(explorer) = &mut self.explorer {
            explorer.wakes(agent.actor);
        }
        self.agents.push(agent);
    }

    pub fn new_agent(&mut self, cta: usize, thread: usize, done: Done) -> Agent {
        Agent {
            done,
            view: self.issue_view(cta, thread),
            at: self.at(cta, thread),
            issuer: (cta, thread),
            sequence: self.progress,
            issued: self.report.instructions,
            ..Agent::nothing()
        }
    }

    /// Returns the proxy of an asynchronous access to a place.
    pub fn async_proxy(place: Place) -> Proxy {
        if let Place::Shared(..) = place { Proxy::AsyncShared } else { Proxy::AsyncGlobal }
    }

    /// Adds this operation to the open group of bulk copies of a thread, and returns its completion.
    pub fn join_bulk_group(&mut self, cta: usize, thread: usize, shared_source: bool) -> Done {
        let at = self.at(cta, thread);
        if self.ctas[cta].threads[thread].bulk.id == 0 {
            let (id, read_id) = (self.new_object(), self.new_object());
            let bulk = &mut self.ctas[cta].threads[thread].bulk;
            (bulk.id, bulk.read_id) = (id, read_id);
        }
        let bulk = &mut self.ctas[cta].threads[thread].bulk;
        bulk.in_open += 1;
        if shared_source {
            bulk.shared_source = Some(at);
        }
        Done::BulkGroup { cta, thread, group: bulk.open }
    }

    /// Returns the mbarrier of a completion, which must be valid, and its block. `slot` is the block of the destination. With
    /// `pair`, the mbarrier may be that of the other block of the pair (`.cta_group::2`, 9.7.9.25.5.2).
    pub fn completion_mbarrier(
        &mut self,
        cta: usize,
        thread: usize,
        address: Address,
        slot: usize,
        pair: bool,
    ) -> Result<(usize, u32), Fault> {
        let place = self.resolve(cta, thread, address, 8, 8)?;
        let Place::Shared(of, offset) = place else {
            return Err(self.fault(cta, thread, "the mbarrier of the copy is not in shared memory"));
        };
        let first = self.ctas[slot].cluster;
        let is_in_pair = |of: usize| of >= first && (of - first) / 2 == (slot - first) / 2;
        if of != slot && !(pair && is_in_pair(of)) {
            self.wrong(
                Rule::Operand,
                cta,
                thread,
                "the mbarrier of the copy is not in the CTA of its destination",
            );
        }
        if !self.ctas[of].mbarriers.contains_key(&(offset as u32)) {
            return Err(self.fault(cta, thread, "the copy completes on memory that holds no mbarrier"));
        }
        let mbarrier = &self.ctas[of].mbarriers[&(offset as u32)];
        let (id, time) = mbarrier.init;
        let t = &self.ctas[cta].threads[thread];
        let proxy = Proxy::AsyncShared;
        let seen = if id == t.id { t.times[proxy as usize] } else { t.view.clock(proxy).get(id) };
        if t.view.clock(Proxy::Generic).get(mbarrier.id | INITS) == 0 {
            let what = "the copy completes on an mbarrier, with nothing that orders the copy after its initialization";
            self.wrong(Rule::Mbarrier, cta, thread, what);
        } else if seen < time && self.options.readings.init_needs_proxy_fence {
            let what =
                "the copy completes on an mbarrier whose initialization no proxy fence has made visible";
            self.wrong(Rule::ProxyFence, cta, thread, what);
        }
        Ok((of, offset as u32))
    }

    /// Returns the blocks of a multicast around a block. A mask with a block that is not in the cluster, or without any, is a finding.
    pub fn multicast_slots(
        &mut self,
        cta: usize,
        thread: usize,
        slot: usize,
        multicast: Multicast,
    ) -> Vec<usize> {
        let mask = self.operand(cta, thread, multicast.mask) & ((1 << multicast.bits) - 1);
        let (first, size) = (self.ctas[slot].cluster, self.cluster_size() as usize);
        if mask == 0 || mask >> size != 0 {
            let what = format!("a multicast to mask {mask:#x} of a cluster of {size}");
            self.wrong(Rule::Operand, cta, thread, what);
        }
        (0..size).filter(|rank| mask >> rank & 1 == 1).map(|rank| first + rank).collect()
    }

    fn check_size(&mut self, cta: usize, thread: usize, bytes: u32) -> Result<(), Fault> {
        if bytes.is_multiple_of(16) {
            return Ok(());
        }
        Err(self.fault(cta, thread, format!("a bulk copy of {bytes} bytes: the size is a multiple of 16")))
    }

    pub fn bulk(&mut self, cta: usize, thread: usize, op: &Bulk) -> Outcome {
        let bytes = self.operand(cta, thread, op.bytes) as u32;
        self.check_size(cta, thread, bytes)?;
        let len = bytes as usize;
        let ignored = op.ignored.map(|(left, right)| {
            let bytes = |src| self.operand(cta, thread, src) as u32 as usize;
            (bytes(left), bytes(right))
        });
        if let Some((left, right)) = ignored.filter(|(left, right)| *left.max(right) > 15) {
            let what =
                format!("a bulk copy that leaves out {left} and {right} bytes: at most 15 at each end");
            return Err(self.fault(cta, thread, what));
        }
        // The bytes that the copy reads and writes: what it leaves out may lie outside of the source's allocation, and gets any value
        // in the destination. Here, it keeps the value that it has.
        let (left, copied) = match ignored {
            Some((left, right)) => (left, len.saturating_sub(left + right)),
            None => (0, len),
        };
        let begins = self.operand(cta, thread, op.from.base).wrapping_add_signed(op.from.offset);
        let from = match begins.is_multiple_of(16) {
            true => {
                let from = Address { offset: op.from.offset.wrapping_add(left as i64), ..op.from };
                self.resolve(cta, thread, from, copied, 1)?
            }
            false => self.resolve(cta, thread, op.from, len, 16)?,
        };
        let to = self.resolve(cta, thread, op.to, len, 16)?;
        // On an H100 such a copy ends the grid with an illegal instruction.
        if let (Place::Shared(..), Place::Shared(slot, _)) = (from, to)
            && slot == cta
        {
            let what = "a bulk copy or reduction from shared memory into that of the same CTA: the destination has to be in another \
                        CTA of the cluster (9.7.9.25.4.1)";
            return Err(self.fault(cta, thread, what));
        }
        let mut targets = vec![to];
        if let (Some(multicast), Place::Shared(slot, offset)) = (op.multicast, to) {
            let slots = self.multicast_slots(cta, thread, slot, multicast);
            targets = slots.into_iter().map(|slot| Place::Shared(slot, offset)).collect();
        }
        // A multicast object stands for several allocations, and `multimem` alone accesses it (9.7.9.27).
        if let Place::Global(index, offset) = to {
            let replicas = &self.global.allocations[index].replicas;
            if op.multimem {
                targets = replicas.iter().map(|replica| Place::Global(*replica, offset)).collect();
            }
            if op.multimem == replicas.is_empty() {
                let (it, but) = if op.multimem { ("`multimem`", "no") } else { ("without `multimem`", "a") };
                return Err(self.fault(cta, thread, format!("a bulk copy {it} to {but} multicast object")));
            }
        }
        let done = match op.completion {
            Completion::BulkGroup => self.join_bulk_group(cta, thread, matches!(from, Place::Shared(..))),
            Completion::Mbarrier(address) => {
                let Place::Shared(slot, _) = to else {
                    return Err(self.fault(cta, thread, "a copy to global memory completes by a bulk group"));
                };
                let (_, offset) = self.completion_mbarrier(cta, thread, address, slot, false)?;
                Done::Mbarriers(
                    targets
                        .iter()
                        .filter_map(|target| match target {
                            Place::Shared(slot, _) => Some((*slot, offset, bytes)),
                            _ => None,
                        })
                        .collect(),
                )
            }
        };
        for target in &targets {
            if let Place::Shared(slot, _) = *target {
                self.check_started(cta, thread, slot);
            }
        }
        let piece = |place| Piece { place, len: copied, at: left };
        let mut agent = self.new_agent(cta, thread, done);
        agent.reads = vec![piece(from)];
        agent.writes = targets.into_iter().map(|place| piece(place.offset(left))).collect();
        agent.buffer = vec![0; len];
        agent.byte_mask = op.byte_mask.map(|mask| self.operand(cta, thread, mask) as u16);
        agent.reduction = op.reduction;
        agent.strong = op.strong;
        agent.proxies = (Self::async_proxy(from), Self::async_proxy(to));
        self.start(agent);
        Ok(Flow::Next)
    }

    pub fn cp_async(&mut self, cta: usize, thread: usize, op: &CpAsync) -> Outcome {
        let bytes = op.bytes as usize;
        let source = op.source_bytes.map_or(bytes, |bytes| self.operand(cta, thread, bytes) as usize);
        let ignores = op
            .ignore
            .is_some_and(|(p, negated)| (self.operand(cta, thread, p) ^ u64::from(negated)) & 1 == 1);
        let source = if ignores { 0 } else { source };
        if source > bytes {
            self.wrong(Rule::Operand, cta, thread, format!("`src-size` {source} is above `cp-size` {bytes}"));
        }
        let source = source.min(bytes);
        let from = if source == 0 {
            None
        } else {
            Some(self.resolve(cta, thread, op.from, source, bytes as u64)?)
        };
        let to = self.resolve(cta, thread, op.to, bytes, bytes as u64)?;
        if self.ctas[cta].threads[thread].cp_async.id == 0 {
            let id = self.new_object();
            self.ctas[cta].threads[thread].cp_async.id = id;
        }
        let groups = &mut self.ctas[cta].threads[thread].cp_async;
        groups.in_open += 1;
        let done = Done::CpAsyncGroup { cta, thread, group: groups.open };
        let mut agent = self.new_agent(cta, thread, done);
        agent.reads = from.into_iter().map(|place| Piece { place, len: source, at: 0 }).collect();
        agent.writes = vec![Piece { place: to, len: bytes, at: 0 }];
        agent.buffer = vec![0; bytes];
        self.start(agent);
        Ok(Flow::Next)
    }

    pub fn cp_async_arrive(
        &mut self,
        cta: usize,
        thread: usize,
        slot: usize,
        offset: u32,
        noinc: bool,
    ) -> Outcome {
        if !noinc && let Some(mbarrier) = self.ctas[slot].mbarriers.get_mut(&offset) {
            // The arrival increments the pending count first.
            mbarrier.pending += 1;
        }
        let groups = self.ctas[cta].threads[thread].cp_async;
        let done = Done::Arrive { cta, thread, slot, offset, group: groups.open, id: groups.id };
        let agent = self.new_agent(cta, thread, done);
        self.start(agent);
        Ok(Flow::Next)
    }

    pub fn st_async(&mut self, cta: usize, thread: usize, op: &StAsync) -> Outcome {
        let bytes = (op.bits / 8) as usize;
        let len = bytes * op.values.len();
        let to = self.resolve(cta, thread, op.address, len, len as u64)?;
        let mut buffer = Vec::new();
        for src in &op.values {
            buffer.extend_from_slice(&self.operand(cta, thread, *src).to_le_bytes()[..bytes]);
        }
        let done = match (op.mbarrier, to) {
            (Some(address), Place::Shared(slot, _)) => {
                let (of, offset) = self.completion_mbarrier(cta, thread, address, slot, false)?;
                Done::Mbarriers(vec![(of, offset, len as u32)])
            }
            (Some(_), _) => {
                return Err(self.fault(cta, thread, "`st.async` with an mbarrier writes shared memory"));
            }
            (None, _) => Done::Nothing,
        };
        let targets = match to {
            Place::Global(index, offset) if op.multimem => {
                let replicas = &self.global.allocations[index].replicas;
                replicas.iter().map(|replica| Place::Global(*replica, offset)).collect()
            }
            to => vec![to],
        };
        if targets.is_empty() || op.multimem && !matches!(to, Place::Global(..)) {
            return Err(self.fault(cta, thread, "`multimem` on an address that is no multicast object's"));
        }
        let mut agent = self.new_agent(cta, thread, done);
        agent.writes = targets.into_iter().map(|place| Piece { place, len, at: 0 }).collect();
        agent.buffer = buffer;
        agent.reduction = op.reduction;
        agent.strong = op.reduction.map(|_| op.scope);
        if op.multimem {
            agent.proxies = (Proxy::Alias, Proxy::Alias);
        }
        self.start(agent);
        Ok(Flow::Next)
    }

    pub fn try_cancel(
        &mut self,
        cta: usize,
        thread: usize,
        response: Address,
        mbarrier: Address,
        multicast: bool,
    ) -> Outcome {
        let to = self.resolve(cta, thread, response, 16, 16)?;
        let Place::Shared(slot, offset) = to else {
            return Err(self.fault(cta, thread, "the response of `try_cancel` is in shared memory"));
        };
        let (_, at) = self.completion_mbarrier(cta, thread, mbarrier, slot, false)?;
        self.touches(Thing::Grid, 0..1, Use::Writes);
        let first = self.cancel_cluster();
        let mut bytes = [0u8; 16];
        if let Some(index) = first {
            for (i, word) in index.iter().enumerate() {
                bytes[4 * i..4 * i + 4].copy_from_slice(&word.to_le_bytes());
            }
            bytes[15] = 0x80;
        }
        let slots: Vec<_> = if multicast {
            let cluster = self.ctas[slot].cluster;
            (cluster..cluster + self.cluster_size() as usize).collect()
        } else {
            vec![slot]
        };
        slots.iter().for_each(|slot| self.check_started(cta, thread, *slot));
        let mut agent =
            self.new_agent(cta, thread, Done::Mbarriers(slots.iter().map(|slot| (*slot, at, 16)).collect()));
        agent.writes = slots
            .into_iter()
            .map(|slot| Piece { place: Place::Shared(slot, offset), len: 16, at: 0 })
            .collect();
        agent.buffer = bytes.to_vec();
        agent.proxies = (Proxy::AsyncShared, Proxy::AsyncShared);
        self.start(agent);
        Ok(Flow::Next)
    }

    pub fn groups(&mut self, cta: usize, thread: usize, op: Groups) -> Outcome {
        let t = &mut self.ctas[cta].threads[thread];
        let (bulk, pending, read, for_async) = match op {
            Groups::BulkCommit => {
                t.bulk.open += 1;
                t.bulk.in_open = 0;
                return Ok(Flow::Next);
            }
            Groups::CpAsyncCommit => {
                t.cp_async.open += 1;
                t.cp_async.in_open = 0;
                return Ok(Flow::Next);
            }
            Groups::CpAsyncWaitAll => {
                t.cp_async.open += 1;
                (false, 0, false, false)
            }
            Groups::CpAsyncWait(pending) => (false, self.operand(cta, thread, pending) as u32, false, false),
            Groups::BulkWait { pending, read, for_async } => {
                (true, self.operand(cta, thread, pending) as u32, read, for_async)
            }
        };
        let t = &mut self.ctas[cta].threads[thread];
        let state = if bulk { t.bulk } else { t.cp_async };
        let until = state.open.saturating_sub(pending);
        let blocks = self.agents.iter().any(|agent| match agent.group() {
            Some((of, by, group, is_bulk)) => {
                (of, by, is_bulk) == (cta, thread, bulk) && group < until && !(read && agent.has_read)
            }
            None => false,
        });
        let t = &mut self.ctas[cta].threads[thread];
        if blocks {
            if let Groups::CpAsyncWaitAll = op {
                t.cp_async.open -= 1;
            }
            self.stop(cta, thread, State::Groups);
            return Ok(Flow::Stop);
        }
        self.touches(Thing::Groups(cta, thread), 0..1, Use::Reads);
        let t = &mut self.ctas[cta].threads[thread];
        // What the groups did happened before the wait returns.
        if state.id != 0 && until > 0 {
            let view = Rc::make_mut(&mut t.view);
            // The completion of a bulk copy is a proxy fence too (9.7.9.25.2). `cp.async` is of the generic proxy.
            let times = match (bulk, for_async) {
                (false, _) => generic(until),
                (true, false) => [until; PROXIES],
                (true, true) => {
                    let mut times = [0; PROXIES];
                    [Proxy::AsyncShared, Proxy::AsyncGlobal, Proxy::Overwrite]
                        .iter()
                        .for_each(|proxy| times[*proxy as usize] = until);
                    times
                }
            };
            view.set(state.read_id, times);
            if !read {
                view.set(state.id, times);
            }
        }
        let state = if bulk { &mut t.bulk } else { &mut t.cp_async };
        state.waited_read = state.waited_read.max(until);
        if !read {
            state.waited = state.waited.max(until);
        }
        if pending == 0 && state.in_open == 0 {
            state.shared_source = None;
        }
        Ok(Flow::Next)
    }

    /// Runs the next step of an operation: its reads, or its writes and its completion.
    pub fn run_agent(&mut self, which: usize) -> Result<(), Fault> {
        if let Done::Arrive { cta, thread, group, .. } = self.agents[which].done {
            let earlier = self.agents.iter().position(|agent| {
                matches!(agent.done, Done::CpAsyncGroup { cta: of, thread: by, group: g } if (of, by) == (cta, thread) && g <= group)
                    && agent.sequence < self.agents[which].sequence
            });
            if let Some(earlier) = earlier {
                return self.run_agent(earlier);
            }
        }
        if let Done::Commit { cta, thread, tells, .. } = &self.agents[which].done {
            let (cta, thread, (_, until)) = (*cta, *thread, tells[0]);
            let is_earlier = |agent: &Agent| match agent.done {
                Done::Tensor { cta: of, thread: by, group, .. } => {
                    (of, by) == (cta, thread) && group <= until
                }
                _ => false,
            };
            if let Some(earlier) = self.agents.iter().position(is_earlier) {
                return self.run_agent(earlier);
            }
        }
        self.progress += 1;
        if !self.agents[which].has_read {
            self.agent_reads(which)?;
            if !self.agents[which].reads.is_empty() {
                self.wake_groups(which);
                return Ok(());
            }
        }
        let agent = self.agents.swap_remove(which);
        self.agent_writes(&agent);
        if let Some(trace) = &mut self.trace {
            let (cta, thread) = agent.issuer;
            // A product writes registers.
            let bytes: usize = match agent.done {
                Done::Warpgroup { .. } | Done::Tensor { .. } => agent.buffer.len(),
                _ => agent.writes.iter().map(|piece| piece.len).sum(),
            };
            let row = Row::Copies(self.ctas[cta].number, thread as u32);
            let line = self.starts.partition_point(|start| *start <= agent.at) - 1;
            let line = self.program.functions[line].code[(agent.at - self.starts[line]) as usize].line;
            trace.span(row, format!("{bytes} bytes, line {line}"), agent.issued, self.report.instructions);
        }
        match agent.done.clone() {
            Done::Mbarriers(list) => {
                let peers = self.options.readings.peer_copies_need_cluster_scope;
                for (slot, offset, bytes) in list {
                    let Some(mbarrier) = self.ctas[slot].mbarriers.get_mut(&offset) else {
                        let here = self.party_of_agent(&agent);
                        let what = "a copy completes on an mbarrier that was invalidated";
                        self.find(Rule::Mbarrier, what.into(), here, None, (agent.at, 0));
                        continue;
                    };
                    mbarrier.tx -= i64::from(bytes);
                    // The completion is ordered after the operation's own accesses, which the phase stands for. It orders nothing
                    // that the thread did before (8.9.1.1), but a phase that has completed stays completed.
                    mbarrier.local.join(&agent.view.only(PHASES));
                    mbarrier.by_peer |= peers && agent.issuer.0 != slot;
                    let at = offset as usize;
                    self.touches(Thing::Shared(slot), at..at + 8, Use::Arrives);
                    self.finish_phase(slot, offset);
                }
            }
            Done::BulkGroup { .. } | Done::CpAsyncGroup { .. } => self.wake_group(&agent.done),
            Done::Warpgroup { cta, warpgroup, .. } => self.wake_warpgroup(cta, warpgroup)?,
            Done::Arrive { slot, offset, group, id, .. } => {
                self.touches(Thing::Shared(slot), offset as usize..offset as usize + 8, Use::Arrives);
                let mut view = View::default();
                if id != 0 {
                    view.set(id, generic(group + 1));
                }
                let release = Release { view: Rc::new(view), id, times: [0; PROXIES] };
                let arrivals = Arrivals {
                    count: 1,
                    release: Some(release),
                    overwrite: Clock::default(),
                    remote: false,
                    scope: Scope::Cta,
                    drop: false,
                };
                if let Some(problem) = self.arrive(slot, offset, arrivals) {
                    let here = self.party_of_agent(&agent);
                    self.find(Rule::Mbarrier, problem, here, None, (agent.at, 0));
                }
                self.finish_phase(slot, offset);
            }
            Done::Commit { to, cta, tells, .. } => {
                let mut view = agent.view.only(PHASES);
                // The thread commits after the completions that it has waited for, and the arrival follows the commit.
                let mut overwrite = agent.view.clock(Proxy::Generic).of_objects();
                let (id, time) = tells[0];
                view.set(id, [time; PROXIES]);
                overwrite.set(id, time);
                for (id, time) in tells {
                    view.set(id | PHASES, generic(time));
                }
                overwrite.join(view.clock(Proxy::Generic));
                let release = Release { view: Rc::new(view), id, times: [time; PROXIES] };
                for (slot, offset) in to {
                    let at = offset as usize;
                    self.touches(Thing::Shared(slot), at..at + 8, Use::Arrives);
                    if !self.ctas[slot].mbarriers.contains_key(&offset) {
                        let here = self.party_of_agent(&agent);
                        let what = "a `tcgen05.commit` completes on an mbarrier that was invalidated";
                        self.find(Rule::Mbarrier, what.into(), here, None, (agent.at, 0));
                        continue;
                    }
                    let arrivals = Arrivals {
                        count: 1,
                        release: Some(release.clone()),
                        overwrite: overwrite.clone(),
                        remote: slot != cta,
                        scope: Scope::Cluster,
                        drop: false,
                    };
                    if let Some(problem) = self.arrive(slot, offset, arrivals) {
                        let here = self.party_of_agent(&agent);
                        self.find(Rule::Mbarrier, problem, here, None, (agent.at, 0));
                    }
                    self.finish_phase(slot, offset);
                }
            }
            Done::Tensor { .. } | Done::Nothing => {}
        }
        Ok(())
    }

    fn wake_groups(&mut self, which: usize) {
        let done = self.agents[which].done.clone();
        self.wake_group(&done);
    }

    fn wake_group(&mut self, done: &Done) {
        if let Done::BulkGroup { cta, thread, .. } | Done::CpAsyncGroup { cta, thread, .. } = *done {
            self.touches(Thing::Groups(cta, thread), 0..1, Use::Arrives);
        }
        if let Done::BulkGroup { cta, thread, .. } | Done::CpAsyncGroup { cta, thread, .. } = *done
            && self.ctas[cta].threads.get(thread).is_some_and(|t| t.state == State::Groups)
        {
            self.wake(cta, thread as u32);
        }
    }

    /// Returns the identity and the time of an operation's accesses: those of its completion.
    fn epoch(&self, agent: &Agent, slot: usize, reads: bool) -> (u32, u32) {
        match &agent.done {
            Done::Mbarriers(list) => {
                let kind = if agent.proxies.1 == Proxy::Generic { ELEMENTS } else { 0 };
                let (of, offset, _) =
                    list.iter().find(|(of, ..)| *of == slot).or(list.first()).copied().unwrap_or_default();
                self.ctas[of]
                    .mbarriers
                    .get(&offset)
                    .map_or((u32::MAX, 1), |mbarrier| (mbarrier.id | kind, mbarrier.phase + 1))
            }
            Done::BulkGroup { cta, thread, group } => match self.ctas[*cta].threads.get(*thread) {
                Some(t) => (if reads { t.bulk.read_id } else { t.bulk.id }, group + 1),
                None => (u32::MAX, 1),
            },
            Done::CpAsyncGroup { cta, thread, group } => match self.ctas[*cta].threads.get(*thread) {
                Some(t) => (t.cp_async.id, group + 1),
                None => (u32::MAX, 1),
            },
            Done::Warpgroup { cta, warpgroup, group } => match self.ctas[*cta].warpgroups.get(warpgroup) {
                Some(of) => (of.id, group + 1),
                None => (u32::MAX, 1),
            },
            Done::Tensor { id, group, .. } => (*id, *group),
            Done::Arrive { .. } | Done::Commit { .. } | Done::Nothing => (u32::MAX, 1),
        }
    }

    /// Checks the operation's read of its tensor map, by the proxy of tensor maps.
    pub fn map_access(&mut self, agent: &Agent, how: How<'_>) {
        let Some(place) = agent.map.filter(|_| self.options.check) else { return };
        let (id, time) = self.epoch(agent, agent.issuer.0, true);
        let by = agent.issuer.1 as u16;
        let epoch = Epoch { id, time, at: agent.at, proxy: Proxy::TensorMap, by, stored: 0, strong: None };
        let access = self.access(epoch, &agent.view);
        if let Some(conflict) = self.touch(place, 128, how, &access) {
            let here = self.party_of_agent(agent);
            let what = format!("the tensor map in {}", self.describe(place, 128));
            self.conflict(conflict, false, here, agent.at, &what);
        }
    }

    fn agent_access(&mut self, agent: &Agent, piece: Piece, wrote: bool) {
        if !self.options.check {
            return;
        }
        let slot = if let Place::Shared(slot, _) = piece.place { slot } else { usize::MAX };
        let (id, time) = self.epoch(agent, slot, !wrote);
        let proxy = if wrote { agent.proxies.1 } else { agent.proxies.0 };
        // The source of a reduction is read weakly.
        let strong = agent.strong.filter(|_| wrote || agent.reduction.is_none());
        let epoch = Epoch { id, time, at: agent.at, proxy, by: agent.issuer.1 as u16, stored: 0, strong };
        let access = self.access(epoch, &agent.view);
        let how = if wrote { How::Writes } else { How::Reads };
        if let Some(conflict) = self.touch(piece.place, piece.len, how, &access) {
            let here = self.party_of_agent(agent);
            let what = self.describe(piece.place, piece.len);
            self.conflict(conflict, wrote, here, agent.at, &what);
        }
        if let Place::Shared(slot, _) = piece.place
            && self.ctas[slot].live == 0
            && slot != agent.issuer.0
        {
            let here = self.party_of_agent(agent);
            let what = format!(
                "a copy to or from shared memory of block {:?}, which has ended",
                self.ctas[slot].index
            );
            self.find(Rule::PeerExited, what, here, None, (agent.at, 0));
        }
    }

    fn agent_reads(&mut self, which: usize) -> Result<(), Fault> {
        let mut agent = std::mem::replace(&mut self.agents[which], Agent::nothing());
        agent.has_read = true;
        let (cta, thread) = agent.issuer;
        self.map_access(&agent, How::Reads);
        for piece in agent.reads.clone() {
            self.agent_access(&agent, piece, false);
            let mut bytes = self.peek(cta, thread, piece.place, piece.len).to_vec();
            if agent.rounds_to_tf32 {
                for element in bytes.as_chunks_mut().0 {
                    *element = round_to_tf32(u32::from_le_bytes(*element)).to_le_bytes();
                }
            }
            agent.buffer[piece.at..piece.at + piece.len].copy_from_slice(&bytes);
        }
        self.agents[which] = agent;
        Ok(())
    }

    fn agent_writes(&mut self, agent: &Agent) {
        for piece in agent.writes.clone() {
            let bytes = &agent.buffer[piece.at..piece.at + piece.len];
            self.agent_access(agent, piece, true);
            let to = match piece.place {
                Place::Global(index, offset) => {
                    &mut self.global.allocations[index].bytes[offset..offset + piece.len]
                }
                Place::Shared(slot, offset) if self.ctas[slot].shared.len() >= offset + piece.len => {
                    &mut self.ctas[slot].shared[offset..offset + piece.len]
                }
                _ => continue,
            };
            if let Some((rmw, ty)) = agent.reduction {
                let size = (ty.bits() / 8) as usize;
                for (to, from) in to.chunks_mut(size).zip(bytes.chunks(size)) {
                    let new = combine(rmw, ty, word(to), word(from));
                    to.copy_from_slice(&new.to_le_bytes()[..to.len()]);
                }
            } else if let Some(mask) = agent.byte_mask {
                for (i, (to, from)) in to.iter_mut().zip(bytes).enumerate() {
                    if mask >> (i % 16) & 1 == 1 {
                        *to = *from;
                    }
                }
            } else {
                to.copy_from_slice(bytes);
            }
        }
    }
}
