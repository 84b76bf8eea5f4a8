//! Instructions that the threads of a warp, a CTA or a cluster execute together (PTX ISA 9.7.13.1 to 9.7.13.3, 9.7.9.6,
//! 9.7.13.8 to .12).

use crate::clock::Collected;
use crate::explore::{Thing, Use};
use crate::finding::Rule;
use crate::float::{self, Format};
use crate::machine::{Fault, Flow, Machine, Outcome, State, value};
use crate::op::*;
use crate::program::Instruction;
use crate::sync::Arrived;
use crate::word::{combine, mask};

impl Machine<'_> {
    fn v(&self, cta: usize, thread: usize, src: Src) -> u64 {
        value(&self.constants, &self.ctas[cta].threads[thread], src)
    }

    fn current(&self, cta: usize, thread: usize) -> &Instruction {
        let t = &self.ctas[cta].threads[thread];
        &self.program.functions[t.frame.function].code[t.pc as usize]
    }

    /// Stops a lane at a collective instruction of its warp. The last lane of the mask executes the instruction for all.
    pub fn collective(&mut self, cta: usize, thread: usize, op: &WarpOp) -> Outcome {
        let lane = thread as u32 % 32;
        let members = self.v(cta, thread, op.mask) as u32;
        if members >> lane & 1 == 0 {
            let what = format!("lane {lane} is not in its own mask {members:#x}");
            self.wrong(Rule::Operand, cta, thread, what);
            return Err(self.fault(cta, thread, "a collective instruction without its own lane in the mask"));
        }
        self.touches(Thing::Warp(cta, thread / 32), 0..1, Use::Arrives);
        self.stop(cta, thread, State::Warp);
        self.ctas[cta].warps[thread / 32].waiting.push(lane);
        self.try_collective(cta, thread / 32, thread)?;
        // If all lanes have arrived, the instruction has run, and the lanes are ready after it.
        Ok(Flow::Stop)
    }

    /// Executes the instruction that `thread` waits in, if all lanes of its mask that have not exited are there.
    fn try_collective(&mut self, cta: usize, warp: usize, thread: usize) -> Result<(), Fault> {
        let program = self.program;
        let t = &self.ctas[cta].threads[thread];
        let (function, pc) = (t.frame.function, t.pc as usize);
        let Op::Warp(op) = &program.functions[function].code[pc].op else { return Ok(()) };
        let members = self.v(cta, thread, op.mask) as u32;
        let first = warp * 32;
        let mut lanes = Vec::new();
        for lane in (0..32).filter(|lane| members >> lane & 1 == 1) {
            let Some(other) = self.ctas[cta].threads.get(first + lane) else { continue };
            match other.state {
                State::Exited => continue,
                State::Warp => {}
                _ => return Ok(()),
            }
            // The lane must wait in the same instruction with the same mask, though possibly at another place.
            let Op::Warp(theirs) = &self.current(cta, first + lane).op else { return Ok(()) };
            if theirs.what != op.what || self.v(cta, first + lane, theirs.mask) as u32 != members {
                return Ok(());
            }
            lanes.push(lane);
        }
        if let Some((to, from)) = op.map {
            // The warp makes one copy. The text (9.7.13.16) leaves open which thread makes the access.
            let copies = first + lanes[self.choose(lanes.len())];
            let to = self.resolve(cta, copies, to, 128, 128)?;
            let from = self.resolve(cta, copies, from, 128, 128)?;
            let mut bytes = [0; 128];
            self.read(cta, copies, from, &mut bytes, None)?;
            self.write(cta, copies, to, &bytes, None)?;
        }
        self.execute(cta, first, &lanes, op.what);
        for lane in lanes {
            if let Collective::CopyMap(scope) = op.what {
                self.fence(cta, first + lane, Fence::TensorMap { sem: Sem::Release, scope });
            }
            let t = &mut self.ctas[cta].threads[first + lane];
            t.pc += 1;
            self.ctas[cta].warps[warp].waiting.retain(|waiting| *waiting != lane as u32);
            self.wake(cta, (first + lane) as u32);
        }
        Ok(())
    }

    fn execute(&mut self, cta: usize, first: usize, lanes: &[usize], what: Collective) {
        let program = self.program;
        let ops: Vec<&WarpOp> = lanes
            .iter()
            .map(|lane| {
                let t = &self.ctas[cta].threads[first + lane];
                match &program.functions[t.frame.function].code[t.pc as usize].op {
                    Op::Warp(op) => &**op,
                    _ => unreachable!("the lane waits in a collective instruction"),
                }
            })
            .collect();
        let a: Vec<u64> = lanes
            .iter()
            .zip(&ops)
            .map(|(lane, op)| self.v(cta, first + lane, op.a) ^ u64::from(op.negated))
            .collect();
        let at = |lane: usize| lanes.iter().position(|other| *other == lane);
        let mut results: Vec<(Option<u64>, Option<u64>)> = vec![(None, None); lanes.len()];
        match what {
            // The instruction waits for the warp, and does not order memory.
            Collective::CopyMap(_) => {}
            Collective::BarWarp => {
                let mut collected = Collected::default();
                for lane in lanes {
                    collected.add(&self.ctas[cta].threads[first + lane].release());
                }
                let acquirable = collected.finish(self.orders_reads());
                for lane in lanes {
                    self.ctas[cta].threads[first + lane].acquire(&acquirable);
                }
            }
            Collective::Shuffle(mode) => {
                for (i, lane) in lanes.iter().enumerate() {
                    let (b, c) = (
                        self.v(cta, first + lane, ops[i].b) as u32 & 31,
                        self.v(cta, first + lane, ops[i].c) as u32,
                    );
                    let (clamp, segment) = (c & 31, c >> 8 & 31);
                    let lane = *lane as u32;
                    let max = lane & segment | clamp & !segment & 31;
                    let min = lane & segment;
                    let (from, legal) = match mode {
                        ShuffleMode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= max as i32),
                        ShuffleMode::Down => (lane + b, lane + b <= max),
                        ShuffleMode::Bfly => (lane ^ b, lane ^ b <= max),
                        ShuffleMode::Idx => (min | b & !segment, min | b & !segment <= max),
                    };
                    let from = if legal { from } else { lane };
                    if at(from as usize).is_none() {
                        self.check_source(cta, first, lane as usize, from as usize, ops[i].mask);
                    }
                    // A lane that does not take part gives an unspecified value.
                    let value =
                        at(from as usize).map_or_else(|| self.rng.bits() & 0xffff_ffff, |from| a[from]);
                    results[i] = (Some(value), Some(legal.into()));
                }
            }
            Collective::Vote(vote) => {
                let ballot = lanes.iter().zip(&a).fold(0u64, |all, (lane, a)| all | (a & 1) << lane);
                let all = a.iter().all(|a| a & 1 == 1);
                let any = ballot != 0;
                let result = match vote {
                    Vote::All => all.into(),
                    Vote::Any => any.into(),
                    Vote::Uni => (all || !any).into(),
                    Vote::Ballot => ballot,
                };
                results.fill((Some(result), None));
            }
            Collective::Match { all, bits } => {
                let same = a.iter().all(|other| other & mask(bits) == a[0] & mask(bits));
                for (i, result) in results.iter_mut().enumerate() {
                    let equal = lanes
                        .iter()
                        .zip(&a)
                        .filter(|(_, other)| **other & mask(bits) == a[i] & mask(bits))
                        .fold(0u64, |mask, (lane, _)| mask | 1 << lane);
                    *result = if all {
                        (Some(if same { equal } else { 0 }), Some(same.into()))
                    } else {
                        (Some(equal), None)
                    };
                }
            }
            Collective::Redux(rmw, ty, abs, nan) => {
                let operands = a.iter().map(|a| if abs { a & 0x7fff_ffff } else { *a });
                let reduced = operands.reduce(|sum, a| match ty {
                    Type::Float(format) => {
                        let function =
                            if rmw == Rmw::Min { float::Function::Min } else { float::Function::Max };
                        let modifiers = float::Modifiers { nan, ..float::Modifiers::NEAREST };
                        float::compute(function, format, [sum, a, 0], &modifiers)
                    }
                    ty => combine(rmw, ty, sum, a),
                });
                let canonical = |bits: u64| match ty {
                    Type::Float(Format::F32) if Format::F32.is_nan(bits) => 0x7fff_ffff,
                    _ => bits,
                };
                results.fill((reduced.map(canonical), None));
            }
            Collective::Elect => {
                let leader = *lanes.first().unwrap_or(&0);
                for (lane, result) in lanes.iter().zip(&mut results) {
                    *result = (Some(leader as u64), Some((*lane == leader).into()));
                }
            }
        }
        for (i, lane) in lanes.iter().enumerate() {
            let (d, p) = results[i];
            if let (Some(slot), Some(d)) = (ops[i].d, d) {
                self.set(cta, first + lane, slot, d);
            }
            if let (Some(slot), Some(p)) = (ops[i].p, p) {
                self.set(cta, first + lane, slot, p);
            }
        }
    }

    /// Checks a shuffle whose source lane does not take part. If the mask has that lane, its thread has ended without the
    /// instruction, which all threads of the mask must execute together.
    fn check_source(&mut self, cta: usize, first: usize, lane: usize, from: usize, mask: Src) {
        let members = self.v(cta, first + lane, mask);
        if members >> from & 1 == 1 && self.ctas[cta].threads.len() > first + from {
            let what = format!(
                "a shuffle reads the value of lane {from}, whose thread has ended: the value is unspecified"
            );
            self.wrong(Rule::Divergence, cta, first + lane, what);
        }
    }

    /// Runs `activemask`. The lanes of a set see the same set, as lanes that execute the instruction together do: a lane waits
    /// at the instruction for others, and then all that are there are one set, or the lane is one by itself.
    pub fn active_lanes(&mut self, cta: usize, thread: usize, d: Slot) -> Outcome {
        let first = thread / 32 * 32;
        let lanes = first..(first + 32).min(self.ctas[cta].threads.len());
        if self.options.readings.active_lanes_differ {
            let mut set = 1u64 << (thread - first);
            for other in lanes {
                let (t, here) = (&self.ctas[cta].threads[other], &self.ctas[cta].threads[thread]);
                if t.state == State::Ready && t.pc == here.pc && self.choose(2) == 0 {
                    set |= 1 << (other - first);
                }
            }
            self.set(cta, thread, d, set);
            return Ok(Flow::Next);
        }
        self.touches(Thing::Warp(cta, thread / 32), 0..1, Use::Arrives);
        let others_may_come =
            lanes.clone().any(|lane| self.is_on_its_way(cta, lane)) && self.explorer.is_none();
        let here = &mut self.ctas[cta].threads[thread];
        if !std::mem::replace(&mut here.gathers, true) || others_may_come && self.rng.below(8) > 0 {
            return Ok(Flow::Yield);
        }
        let here = &self.ctas[cta].threads[thread];
        let is_here = |lane: &usize| {
            let t = &self.ctas[cta].threads[*lane];
            t.gathers && t.is_beside(here)
        };
        let mut set: Vec<usize> = lanes.filter(is_here).collect();
        if set.len() > 1 && self.choose(2) == 1 {
            set = vec![thread];
        }
        let bits = set.iter().fold(0u64, |bits, lane| bits | 1 << (lane - first));
        for lane in set {
            self.set(cta, lane, d, bits);
            let t = &mut self.ctas[cta].threads[lane];
            t.gathers = false;
            t.pc += 1;
        }
        Ok(Flow::Yield)
    }

    /// Returns whether a thread can run, and does not wait at an `activemask`.
    pub fn is_on_its_way(&self, cta: usize, thread: usize) -> bool {
        let t = &self.ctas[cta].threads[thread];
        t.state == State::Ready && !t.gathers
    }

    /// Lets a thread arrive at a barrier of its CTA.
    pub fn barrier(&mut self, cta: usize, thread: usize, op: &Barrier) -> Outcome {
        let id = self.v(cta, thread, op.id) as usize;
        let count = op.count.map(|count| self.v(cta, thread, count) as u32);
        if id >= 16 {
            return Err(self.fault(cta, thread, format!("barrier {id}: a CTA has barriers 0 to 15")));
        }
        if let Some(count) = count
            && (count == 0 || !count.is_multiple_of(32))
        {
            return Err(self.fault(
                cta,
                thread,
                format!("{count} threads at a barrier: the count is a multiple of 32"),
            ));
        }
        self.touches(Thing::Barrier(cta, id), 0..1, Use::Arrives);
        let at = self.at(cta, thread);
        let p = op.p.map(|p| (self.v(cta, thread, p) ^ u64::from(op.negated)) & 1 == 1);
        let release = self.ctas[cta].threads[thread].release();
        let all = self.threads_at_barrier(cta, None);
        let barrier = &mut self.ctas[cta].barriers[id];
        if barrier.arrived.is_empty() {
            barrier.expected = count;
        }
        let (expected, ours) = (barrier.expected.unwrap_or(all), count.unwrap_or(all));
        let reduces =
            |kind: BarrierKind| matches!(kind, BarrierKind::Popc | BarrierKind::And | BarrierKind::Or);
        let mixes = barrier.arrived.first().is_some_and(|Arrived { kind, .. }| {
            *kind != op.kind
                && (reduces(*kind) || reduces(op.kind))
                && *kind != BarrierKind::Arrive
                && op.kind != BarrierKind::Arrive
        });
        let warp = thread / 32;
        let twice =
            barrier.counts[warp] > 0 && barrier.arrived.iter().any(|other| other.thread == thread as u32);
        let (kind, aligned) = (op.kind, op.aligned);
        barrier.arrived.push(Arrived { thread: thread as u32, kind, at, aligned, p, release });
        barrier.counts[warp] += 1;
        if expected != ours {
            let what = format!("barrier {id} is used with {expected} threads and with {ours} at a time");
            self.wrong(Rule::Barrier, cta, thread, what);
        }
        if mixes {
            self.wrong(
                Rule::Barrier,
                cta,
                thread,
                format!("barrier {id} is used by `.red` and by another kind at a time"),
            );
        }
        if twice {
            self.wrong(
                Rule::Barrier,
                cta,
                thread,
                format!("a thread arrives twice at one use of barrier {id}"),
            );
        }
        self.stop(cta, thread, State::Barrier(id as u32));
        self.complete_warp(cta, id, warp)?;
        Ok(Flow::Stop)
    }

    /// Returns the number of threads that a barrier expects. A warp counts as a whole.
    fn threads_at_barrier(&self, cta: usize, expected: Option<u32>) -> u32 {
        let warps = || self.ctas[cta].warps.iter().filter(|warp| warp.live > 0).count() as u32;
        expected.unwrap_or_else(|| 32 * warps())
    }

    fn warp_is_at(&self, cta: usize, id: usize, warp: usize) -> bool {
        let count = self.ctas[cta].barriers[id].counts[warp];
        count > 0 && count >= self.ctas[cta].warps[warp].live
    }

    /// Completes the `.arrive` of a warp whose threads have all arrived or exited, then the barrier if nothing is missing.
    fn complete_warp(&mut self, cta: usize, id: usize, warp: usize) -> Result<(), Fault> {
        if self.warp_is_at(cta, id, warp) {
            if self.options.check {
                self.check_aligned(cta, id, warp);
            }
            let barrier = &self.ctas[cta].barriers[id];
            let of_warp = |arrived: &&Arrived| arrived.thread as usize / 32 == warp;
            let arrives = |arrived: &&Arrived| arrived.kind == BarrierKind::Arrive;
            let list: Vec<u32> = barrier
                .arrived
                .iter()
                .filter(of_warp)
                .filter(arrives)
                .map(|arrived| arrived.thread)
                .collect();
            for thread in list {
                let t = &mut self.ctas[cta].threads[thread as usize];
                // A thread waits for its warp once.
                if t.state == State::Barrier(id as u32) {
                    t.pc += 1;
                    self.wake(cta, thread);
                }
            }
        } else if self.ctas[cta].warps[warp].live > 0 {
            return Ok(());
        }
        self.complete_barrier(cta, id)
    }

    fn complete_barrier(&mut self, cta: usize, id: usize) -> Result<(), Fault> {
        let warps: Vec<bool> =
            (0..self.ctas[cta].warps.len()).map(|warp| self.warp_is_at(cta, id, warp)).collect();
        let there = 32 * warps.iter().filter(|there| **there).count() as u32;
        let barrier = &self.ctas[cta].barriers[id];
        let expected = self.threads_at_barrier(cta, barrier.expected);
        if barrier.arrived.is_empty() || there < expected {
            return Ok(());
        }
        let barrier = &mut self.ctas[cta].barriers[id];
        let is_there = |thread: u32| warps[thread as usize / 32];
        // The arrivals of other warps are of the next use.
        let (done, rest) =
            std::mem::take(&mut barrier.arrived).into_iter().partition(|a: &Arrived| is_there(a.thread));
        barrier.arrived = rest;
        let done: Vec<Arrived> = done;
        for (count, there) in barrier.counts.iter_mut().zip(&warps) {
            if *there {
                *count = 0;
            }
        }
        self.progress += 1;
        if there > expected {
            let thread = done[done.len() - 1].thread as usize;
            let what = format!("barrier {id} expects {expected} threads, and more arrive");
            self.wrong(Rule::Barrier, cta, thread, what);
        }
        let mut collected = Collected::default();
        done.iter().for_each(|arrived| collected.add(&arrived.release));
        let acquirable = collected.finish(self.orders_reads());
        let operands = || done.iter().filter_map(|arrived| arrived.p);
        let (popc, all, any) =
            (operands().filter(|p| *p).count() as u64, operands().all(|p| p), operands().any(|p| p));
        for Arrived { thread, kind, .. } in &done {
            let result = match kind {
                BarrierKind::Arrive => continue,
                BarrierKind::Popc => Some(popc),
                BarrierKind::And => Some(all.into()),
                BarrierKind::Or => Some(any.into()),
                BarrierKind::Sync => None,
            };
            self.ctas[cta].threads[*thread as usize].acquire(&acquirable);
            if let (Some(result), Op::Barrier(op)) = (result, &self.current(cta, *thread as usize).op)
                && let Some(d) = op.d
            {
                self.set(cta, *thread as usize, d, result);
            }
            self.ctas[cta].threads[*thread as usize].pc += 1;
            self.wake(cta, *thread);
        }
        Ok(())
    }

    /// Checks `.aligned`: all threads of a warp that have not exited execute the same instruction.
    fn check_aligned(&mut self, cta: usize, id: usize, warp: usize) {
        let barrier = &self.ctas[cta].barriers[id];
        let mut of_warp = barrier.arrived.iter().filter(|arrived| arrived.thread as usize / 32 == warp);
        let Some(first) = of_warp.next() else { return };
        let apart = of_warp.find(|other| other.at != first.at && (other.aligned || first.aligned));
        if let Some(other) = apart {
            let what = format!(
                "not all threads of the warp execute the same `.aligned` instruction of barrier {id}"
            );
            let at = first.at;
            let party = |arrived: &Arrived| {
                self.party_of(self.ctas[cta].threads[arrived.thread as usize].id, arrived.at, None)
            };
            let (here, other) = (party(first), party(other));
            self.find(Rule::Divergence, what, here, Some(other), (at, 0));
        }
    }

    pub fn cluster_arrive(&mut self, cta: usize, thread: usize, sem: Sem, _aligned: bool) -> Outcome {
        let first = self.ctas[cta].cluster;
        self.touches(Thing::ClusterBarrier(first), 0..1, Use::Arrives);
        let (arrived, waited) = self.ctas[cta].threads[thread].cluster;
        if arrived != waited {
            self.wrong(
                Rule::Barrier,
                cta,
                thread,
                "the thread arrives at the cluster's barrier again before it has waited",
            );
        }
        let t = &mut self.ctas[cta].threads[thread];
        t.cluster.0 += 1;
        let release = if sem.releases() { Some(t.release()) } else { t.released(Scope::Cluster) };
        t.pc += 1;
        let barrier = &mut self.ctas[first].cluster_barrier;
        barrier.arrived += 1;
        if let Some(release) = release {
            barrier.collected.add(&release);
        }
        self.complete_cluster(first);
        Ok(Flow::Yield)
    }

    fn complete_cluster(&mut self, first: usize) {
        let size = self.cluster_size() as usize;
        let live: u32 = self.ctas[first..first + size].iter().map(|cta| cta.live).sum();
        // Threads that have exited count as arrived.
        let phase = self.ctas[first].cluster_barrier.phase;
        let arrived = self.ctas[first..first + size]
            .iter()
            .flat_map(|cta| &cta.threads)
            .filter(|thread| thread.state != State::Exited && thread.cluster.0 > phase)
            .count() as u32;
        let orders_reads = self.orders_reads();
        let barrier = &mut self.ctas[first].cluster_barrier;
        if barrier.arrived == 0 || arrived < live {
            return;
        }
        barrier.phase += 1;
        barrier.arrived = 0;
        barrier.done = Some(std::mem::take(&mut barrier.collected).finish(orders_reads));
        self.progress += 1;
        for slot in first..first + size {
            for thread in 0..self.ctas[slot].threads.len() {
                if self.ctas[slot].threads[thread].state == State::Cluster {
                    self.wake(slot, thread as u32);
                }
            }
        }
    }

    pub fn cluster_wait(&mut self, cta: usize, thread: usize) -> Outcome {
        let first = self.ctas[cta].cluster;
        let phase = self.ctas[first].cluster_barrier.phase;
        let t = &mut self.ctas[cta].threads[thread];
        let (arrived, waited) = t.cluster;
        if arrived == waited {
            self.wrong(
                Rule::Barrier,
                cta,
                thread,
                "the thread waits at the cluster's barrier, and has not arrived there",
            );
            return Ok(Flow::Next);
        }
        if phase < arrived {
            self.stop(cta, thread, State::Cluster);
            return Ok(Flow::Stop);
        }
        t.cluster.1 = arrived;
        self.touches(Thing::ClusterBarrier(first), 0..1, Use::Reads);
        if let Some(done) = self.ctas[first].cluster_barrier.done.clone() {
            self.ctas[cta].threads[thread].acquire(&done);
        }
        Ok(Flow::Next)
    }

    /// Completes what waits for the thread that has exited.
    pub fn after_exit(&mut self, cta: usize, thread: usize) -> Result<(), Fault> {
        for id in 0..16 {
            if !self.ctas[cta].barriers[id].arrived.is_empty() {
                self.complete_warp(cta, id, thread / 32)?;
            }
        }
        let warp = thread / 32;
        if let Some(lane) = self.ctas[cta].warps[warp].waiting.first() {
            self.try_collective(cta, warp, warp * 32 + *lane as usize)?;
        }
        self.complete_cluster(self.ctas[cta].cluster);
        Ok(())
    }
}
