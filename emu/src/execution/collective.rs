//! Instructions that the threads of a warp, a CTA or a cluster execute together (PTX ISA 9.7.13.1 to 9.7.13.3, 9.7.9.6,
//! 9.7.13.8 to .12).

use std::rc::Rc;

use crate::execution::machine::{Cta, Flow, Machine, Outcome};
use crate::execution::thread::{State, Thread, value};
use crate::execution::word::combine;
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::frontend::program::{Instruction, MOST_REGISTERS};
use crate::numbers::float::{self, Format};
use crate::numbers::integer::mask;
use crate::order::clock::{Acquirable, Collected, Id, Proxy, Time};
use crate::order::explore::{Thing, Use};
use crate::order::shadow::At;
use crate::order::sync::{Arrived, ClusterLanes, Point};
use crate::report::Fault;

/// The verb behind a number of things.
fn has_or_have(count: usize) -> &'static str {
    if count == 1 { "has" } else { "have" }
}

impl Machine<'_> {
    fn v(&self, cta: usize, thread: usize, src: Src) -> u64 {
        value(&self.constants, &self.ctas[cta].threads[thread], src)
    }

    pub fn current(&self, cta: usize, thread: usize) -> &Instruction {
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
    pub fn try_collective(&mut self, cta: usize, warp: usize, thread: usize) -> Result<(), Fault> {
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
        if let Collective::SetMaxNReg { increase, count } = op.what
            && !self.resize(cta, warp, &lanes, increase, count)
        {
            return Ok(());
        }
        if let Collective::Matrix(what) = op.what
            && self.warpgroup_waits(cta, warp, what)
        {
            return Ok(());
        }
        if let (Collective::Matrix(Matrix::Tensor(what)), Some(lane)) = (op.what, lanes.first())
            && self.tensor_waits(cta, first + lane, what)?
        {
            return Ok(());
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
        match op.what {
            Collective::Matrix(what) => self.matrix(cta, first, &lanes, what)?,
            what => self.execute(cta, first, &lanes, what),
        }
        for lane in lanes {
            self.watch_traced(cta, first + lane, self.at(cta, first + lane));
            if let Collective::CopyMap(scope) = op.what {
                self.fence(cta, first + lane, Fence::TensorMap { sem: Sem::Release, scope });
            }
            let t = &mut self.ctas[cta].threads[first + lane];
            t.pc += 1;
            self.ctas[cta].warps[warp].waiting.retain(|waiting| *waiting != lane as u32);
            self.wake(cta, (first + lane) as u32);
        }
        match op.what {
            Collective::SetMaxNReg { increase: false, .. } => self.retry_increases(cta)?,
            Collective::Matrix(Matrix::Tensor(what)) => self.after_tensor(cta, what)?,
            _ => {}
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
        // A shuffle moves an uninitialized value. The other instructions use it.
        let mut tainted = Vec::new();
        for lane in lanes {
            let origin = self.ctas[cta].threads[first + lane].taint.take_used();
            if let Some(origin) = origin.filter(|_| !matches!(what, Collective::Shuffle(_))) {
                self.uses(cta, first + lane, self.at(cta, first + lane), origin);
            }
            tainted.push(origin);
        }
        let mut moved = vec![None; lanes.len()];
        // Which of the lanes each takes the value of by a shuffle.
        let mut sources = vec![None; lanes.len()];
        // The lane that takes no part, and whose value each lane takes by a shuffle.
        let mut outside = vec![None; lanes.len()];
        let at = |lane: usize| lanes.iter().position(|other| *other == lane);
        let mut results: Vec<(Option<u64>, Option<u64>)> = vec![(None, None); lanes.len()];
        match what {
            // The instruction waits for the warp, and does not order memory. What it computes is elsewhere.
            Collective::CopyMap(_) | Collective::SetMaxNReg { .. } | Collective::Matrix(_) => {}
            Collective::BarWarp => {
                let mut collected = Collected::default();
                for lane in lanes {
                    collected.add(&self.ctas[cta].threads[first + lane].release());
                }
                // An asynchronous write after it may not overwrite what lanes have read before, without a proxy fence.
                let acquirable = collected.finish(false);
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
                    if at(from as usize).is_none()
                        && self.check_source(cta, first, lane as usize, from as usize, ops[i].mask)
                    {
                        outside[i] = Some(from);
                    }
                    // A lane that does not take part gives an unspecified value.
                    sources[i] = at(from as usize);
                    let value = sources[i].map_or_else(|| self.rng.bits() & 0xffff_ffff, |from| a[from]);
                    results[i] = (Some(value), Some(legal.into()));
                    moved[i] = sources[i].and_then(|from| tainted[from]);
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
        if self.options.check && !self.options.readings.exchanges_order_nothing {
            self.exchange(cta, first, lanes, what, &sources);
        }
        for (i, lane) in lanes.iter().enumerate() {
            let (d, p) = results[i];
            if let (Some(slot), Some(d)) = (ops[i].d, d) {
                self.set(cta, first + lane, slot, d);
                if let Some(origin) = moved[i] {
                    self.taint(cta, first + lane, slot, origin);
                }
                if let Some(from) = outside[i] {
                    let members = self.v(cta, first + lane, ops[i].mask) as u32;
                    self.taint_shuffled(cta, first + lane, slot, (from, members));
                }
            }
            if let (Some(slot), Some(p)) = (ops[i].p, p) {
                self.set(cta, first + lane, slot, p);
            }
        }
    }

    /// Orders memory by an exchange of values (see [`Readings::exchanges_order_nothing`]). `sources`: which of the lanes each takes the
    /// value of by a shuffle.
    ///
    /// [`Readings::exchanges_order_nothing`]: crate::options::Readings::exchanges_order_nothing
    fn exchange(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[usize],
        what: Collective,
        sources: &[Option<usize>],
    ) {
        let threads = &mut self.ctas[cta].threads[first..];
        match what {
            Collective::Shuffle(_) => Self::pass(threads, lanes, sources),
            Collective::Match { .. } | Collective::Vote(_) | Collective::Redux(..) => {
                Self::pass_all(threads, lanes);
            }
            _ => return,
        }
        let times: Vec<_> = lanes.iter().map(|lane| threads[*lane].times[0]).collect();
        for lane in lanes {
            let t = &mut threads[*lane];
            let passed = Rc::make_mut(t.passed.get_or_insert_with(|| Rc::new([0; 32])));
            for (other, time) in lanes.iter().zip(&times) {
                passed[*other] = *time;
            }
            t.times[0] += t.step;
        }
    }

    /// Gives each lane the message of the lane whose value it takes.
    fn pass(threads: &mut [Thread], lanes: &[usize], sources: &[Option<usize>]) {
        let mut messages: Vec<Option<Rc<Acquirable>>> = vec![None; lanes.len()];
        let mut passed = Vec::new();
        for (lane, source) in lanes.iter().zip(sources) {
            let Some(source) = *source else { continue };
            let from = &threads[lanes[source]];
            if lanes[source] != *lane && !threads[*lane].knows_message(from) {
                let message = messages[source].get_or_insert_with(|| Self::messages([from]));
                passed.push((*lane, message.clone()));
            }
        }
        passed.into_iter().for_each(|(lane, message)| threads[lane].acquire(&message));
    }

    /// Gives each lane the messages of all.
    fn pass_all(threads: &mut [Thread], lanes: &[usize]) {
        let known = |pair: &[usize]| threads[pair[0]].knows_message(&threads[pair[1]]);
        // Lanes of one view know the same.
        let is_first_known =
            lanes.last().zip(lanes.first()).is_none_or(|(last, first)| known(&[*last, *first]));
        if !is_first_known || !lanes.windows(2).all(known) {
            let messages = Self::messages(lanes.iter().map(|lane| &threads[*lane]));
            lanes.iter().for_each(|lane| threads[*lane].acquire(&messages));
        }
    }

    fn messages<'a>(threads: impl IntoIterator<Item = &'a Thread>) -> Rc<Acquirable> {
        let mut collected = Collected::default();
        threads.into_iter().for_each(|thread| collected.add(&thread.message()));
        collected.finish(false)
    }

    /// Checks a shuffle whose source lane does not take part. If the mask has the lane, its thread has ended without the
    /// instruction, which all threads of the mask must execute together. Otherwise a use of the value is a mistake.
    fn check_source(&mut self, cta: usize, first: usize, lane: usize, from: usize, mask: Src) -> bool {
        let members = self.v(cta, first + lane, mask) as u32;
        let has_ended = members >> from & 1 == 1 && self.ctas[cta].threads.len() > first + from;
        if has_ended {
            let what = format!(
                "a shuffle reads the value of lane {from}, whose thread has ended: the value is unspecified"
            );
            self.wrong(Rule::Divergence, cta, first + lane, what);
        }
        self.options.check && !has_ended
    }

    /// Runs `setmaxnreg` for a warp. Returns whether the warp goes on: false if the block has too few free registers.
    fn resize(&mut self, cta: usize, warp: usize, lanes: &[usize], increase: bool, count: u32) -> bool {
        let first = 32 * warp;
        let thread = first + lanes[0];
        let registers = self.ctas[cta].warps[warp].registers;
        let problem = if !(24..=MOST_REGISTERS).contains(&count) || !count.is_multiple_of(8) {
            Some(format!("{count} registers: the count is a multiple of 8 from 24 to {MOST_REGISTERS}"))
        } else {
            match registers {
                None => Some(
                    "the kernel has neither `.maxnreg` nor `.maxntid` nor `.reqntid`, so the instruction may have no effect"
                        .into(),
                ),
                Some(now) if increase && count < now => {
                    Some(format!("`.inc` to {count} registers, but each thread of the warp has {now}"))
                }
                Some(now) if !increase && count > now => {
                    Some(format!("`.dec` to {count} registers, but each thread of the warp has {now}"))
                }
                Some(_) => None,
            }
        };
        if let Some(now) = registers.filter(|_| problem.is_none()) {
            let left = (self.ctas[cta].free_registers + 32 * now).checked_sub(32 * count);
            // The order of what goes on at once does not matter.
            let how = if left.is_some() { Use::Arrives } else { Use::Writes };
            self.touches(Thing::Registers(cta), 0..1, how);
            let Some(left) = left else { return false };
            let block = &mut self.ctas[cta];
            block.free_registers = left;
            block.warps[warp].registers = Some(count);
            self.progress += 1;
        }
        if self.options.check {
            if let Some(what) = problem {
                self.wrong(Rule::Registers, cta, thread, what);
            }
            self.check_resize(cta, warp, lanes, Collective::SetMaxNReg { increase, count });
        }
        true
    }

    /// Checks that all lanes of a warp execute one instruction: none has ended without it, and none is at another place.
    pub fn check_whole_warp(&mut self, cta: usize, warp: usize, lanes: &[usize], what: Collective) {
        let Some(thread) = lanes.first().map(|lane| 32 * warp + lane).filter(|_| self.options.check) else {
            return;
        };
        let (name, point) = (what.name(), self.point(cta, thread));
        let all = self.ctas[cta].warps[warp].lanes as usize;
        if let Collective::Matrix(_) = what
            && all < 32
        {
            let what =
                format!("a warp of {all} threads executes `{name}`, of which each of 32 lanes has a part");
            self.leave_out(cta, thread as u32, point.at, what);
        }
        if lanes.len() < all {
            let ended = all - lanes.len();
            let have = has_or_have(ended);
            let what = format!("{ended} of the warp's {all} threads {have} ended without this `{name}`");
            self.leave_out(cta, thread as u32, point.at, what);
        }
        for lane in lanes {
            let other = self.point(cta, 32 * warp + lane);
            if other != point {
                let what = format!("not all threads of the warp execute the same `{name}`");
                self.diverge(cta, (thread as u32, &point), ((32 * warp + lane) as u32, &other), what);
            }
        }
    }

    /// Checks that all lanes of the warp execute one `setmaxnreg`, that the other warps of the warpgroup execute the same, and that
    /// they have synchronized since the one before.
    fn check_resize(&mut self, cta: usize, warp: usize, lanes: &[usize], what: Collective) {
        self.check_whole_warp(cta, warp, lanes, what);
        let thread = 32 * warp + lanes[0];
        let point = self.point(cta, thread);
        let block = &self.ctas[cta];
        let number = block.warps[warp].resized.len();
        let group = warp / 4 * 4..(warp / 4 * 4 + 4).min(block.warps.len());
        let here = &block.threads[thread];
        let (id, time) = (here.id, here.times[0]);
        let others =
            || group.clone().filter(|other| *other != warp).map(|other| (other, &block.warps[other].resized));
        let apart = others().find_map(|(other, resized)| {
            let (theirs, ..) = resized.get(number).filter(|(theirs, ..)| *theirs != point)?;
            Some((32 * other as u32, theirs.clone()))
        });
        let knows = |resized: &Vec<(Point, Id, Time)>, before: usize| {
            let (_, id, time) = resized.get(before)?;
            Some(here.view.clock(Proxy::Generic).get(*id) >= *time)
        };
        let early = number
            .checked_sub(1)
            .and_then(|before| others().find(|(_, resized)| knows(resized, before) != Some(true)));
        let early = early.map(|(other, _)| other);
        if let Some((other, theirs)) = apart {
            let what = "not all warps of the warpgroup execute the same `setmaxnreg`";
            self.diverge(cta, (thread as u32, &point), (other, &theirs), what.into());
        }
        if let Some(other) = early {
            let what = format!(
                "the warps of the warpgroup have not synchronized since their last `setmaxnreg`: warp {other} may not have executed it"
            );
            self.wrong(Rule::Registers, cta, thread, what);
        }
        self.ctas[cta].warps[warp].resized.push((point, id, time));
    }

    /// Checks, when a block has ended, that all warps of a warpgroup have executed each `setmaxnreg`.
    pub fn check_resized(&mut self, cta: usize) {
        let warps = self.ctas[cta].warps.len();
        for first in (0..warps).step_by(4) {
            let resized = |warp: usize| self.ctas[cta].warps[warp].resized.len();
            let group = || first..(first + 4).min(warps);
            let (Some(least), Some(most)) =
                (group().min_by_key(|w| resized(*w)), group().max_by_key(|w| resized(*w)))
            else {
                continue;
            };
            if resized(least) < resized(most) {
                let (point, id, _) = self.ctas[cta].warps[most].resized[resized(least)].clone();
                let what = format!("warp {least} of the warpgroup does not execute this `setmaxnreg`");
                let here = self.party_of(id, point.at, None);
                self.find(Rule::Divergence, what, here, None, (point.at, 0));
            }
        }
    }

    /// Runs the `setmaxnreg.inc` that wait for registers, as far as there are enough.
    fn retry_increases(&mut self, cta: usize) -> Result<(), Fault> {
        for warp in 0..self.ctas[cta].warps.len() {
            let Some(lane) = self.ctas[cta].warps[warp].waiting.first() else { continue };
            let thread = 32 * warp + *lane as usize;
            if let Op::Warp(op) = &self.current(cta, thread).op
                && let Collective::SetMaxNReg { .. } = op.what
            {
                self.try_collective(cta, warp, thread)?;
            }
        }
        Ok(())
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
        self.touches(Thing::Warp(cta, thread / 32), 0..1, Use::Arrives);
        let point = self.point(cta, thread);
        let p = op.p.map(|p| (self.v(cta, thread, p) ^ u64::from(op.negated)) & 1 == 1);
        let release = self.ctas[cta].threads[thread].release();
        let warp = thread / 32;
        let barrier = &mut self.ctas[cta].barriers[id];
        if barrier.arrived.is_empty() {
            barrier.expected = count;
        }
        let reduces =
            |kind: BarrierKind| matches!(kind, BarrierKind::Popc | BarrierKind::And | BarrierKind::Or);
        let mixes = barrier
            .arrived
            .first()
            .is_some_and(|first| first.kind != op.kind && (reduces(first.kind) || reduces(op.kind)));
        let waits_for_itself = op.kind != BarrierKind::Arrive
            && barrier.warps >> warp & 1 == 1
            && barrier.arrived.iter().any(|other| other.counted && other.thread == thread as u32);
        barrier.arrived.push(Arrived {
            thread: thread as u32,
            kind: op.kind,
            point,
            aligned: op.aligned,
            by_all: op.aligned && op.count.is_none(),
            counted: false,
            p,
            release,
        });
        barrier.counts[warp] += 1;
        let expected = barrier.expected;
        let number = |machine: &Self, count: Option<u32>| {
            count.unwrap_or_else(|| 32 * machine.warps_at_barrier(cta, id).count() as u32)
        };
        let (expected, ours) = (number(self, expected), number(self, count));
        if expected != ours {
            let what = format!("barrier {id} is used with {expected} threads and with {ours} at a time");
            self.wrong(Rule::Barrier, cta, thread, what);
        }
        if mixes {
            let what = format!("barrier {id} is used by `.red` and by another kind at a time");
            self.wrong(Rule::Barrier, cta, thread, what);
        }
        if waits_for_itself {
            let what = format!(
                "the thread waits at barrier {id}, at which it has arrived before and which is not complete: its own arrival counts"
            );
            self.wrong(Rule::Barrier, cta, thread, what);
        }
        self.stop(cta, thread, State::Barrier(id as u32));
        self.complete_warp(cta, id, warp)?;
        Ok(Flow::Stop)
    }

    /// Notes the arrival of a warp for an explorer. The order of the arrivals at one use does not matter. Which use an arrival is part of
    /// does: an arrival that nothing orders after the use before could have been part of that one.
    fn touch_barrier(&mut self, cta: usize, id: usize) {
        let number = self.ctas[cta].barriers[id].number;
        self.touches(Thing::Barrier(cta, id), number..number + 1, Use::Arrives);
        if let Some(before) = number.checked_sub(1) {
            self.touches(Thing::Barrier(cta, id), before..number, Use::Follows);
        }
    }

    /// Returns the warps that take part in a barrier without a thread count: those that have not ended, or have arrived.
    fn warps_at_barrier(&self, cta: usize, id: usize) -> impl Iterator<Item = usize> {
        let arrived = self.ctas[cta].barriers[id].warps;
        let warps = self.ctas[cta].warps.iter().enumerate();
        warps.filter(move |(warp, state)| state.live > 0 || arrived >> warp & 1 == 1).map(|(warp, _)| warp)
    }

    /// Counts the arrival of a warp whose threads have all arrived or exited, and completes the barrier if nothing is missing.
    fn complete_warp(&mut self, cta: usize, id: usize, warp: usize) -> Result<(), Fault> {
        let live = self.ctas[cta].warps[warp].live;
        let count = self.ctas[cta].barriers[id].counts[warp];
        if count < live {
            return Ok(());
        }
        self.touch_barrier(cta, id);
        if count > 0 {
            if self.options.check {
                self.check_aligned(cta, id, warp);
            }
            let Cta { barriers, threads, .. } = &mut self.ctas[cta];
            let barrier = &mut barriers[id];
            barrier.counts[warp] = 0;
            barrier.there += 32;
            barrier.warps |= 1 << warp;
            let mut passed = Vec::new();
            let is_of_warp =
                |arrived: &&mut Arrived| arrived.thread as usize / 32 == warp && !arrived.counted;
            for arrived in barrier.arrived.iter_mut().filter(is_of_warp) {
                arrived.counted = true;
                if arrived.kind == BarrierKind::Arrive {
                    threads[arrived.thread as usize].pc += 1;
                    passed.push(arrived.thread);
                }
            }
            passed.into_iter().for_each(|thread| self.wake(cta, thread));
        }
        self.complete_barrier(cta, id)
    }

    fn complete_barrier(&mut self, cta: usize, id: usize) -> Result<(), Fault> {
        let all = 32 * self.warps_at_barrier(cta, id).count() as u32;
        let barrier = &mut self.ctas[cta].barriers[id];
        if barrier.there == 0 || barrier.there < barrier.expected.unwrap_or(all) {
            return Ok(());
        }
        // The other arrivals are of the next use.
        let (done, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut barrier.arrived).into_iter().partition(|arrived| arrived.counted);
        barrier.arrived = rest;
        (barrier.there, barrier.warps) = (0, 0);
        let number = barrier.number;
        barrier.number += 1;
        barrier.waited |= done.iter().any(|arrived| arrived.kind != BarrierKind::Arrive);
        if !barrier.waited {
            barrier.unwaited = barrier.unwaited.or(done.last().map(|last| (last.thread, last.point.at)));
        }
        self.touches(Thing::Barrier(cta, id), number..number + 1, Use::Completes);
        self.progress += 1;
        if self.options.check {
            self.check_aligned_by_all(cta, id, &done);
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
            // A thread that has arrived twice may have gone on.
            if self.ctas[cta].threads[*thread as usize].state != State::Barrier(id as u32) {
                continue;
            }
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

    /// Checks `.aligned`: all threads of a warp execute the same instruction.
    fn check_aligned(&mut self, cta: usize, id: usize, warp: usize) {
        let barrier = &self.ctas[cta].barriers[id];
        let is_of_warp = |arrived: &&Arrived| arrived.thread as usize / 32 == warp && !arrived.counted;
        let of_warp = || barrier.arrived.iter().filter(is_of_warp);
        let Some(first) = of_warp().find(|arrived| arrived.aligned) else { return };
        let (thread, point) = (first.thread, first.point.clone());
        if let Some(other) = of_warp().find(|other| other.point != point) {
            let (other, theirs) = (other.thread, other.point.clone());
            let what = format!(
                "not all threads of the warp execute the same `.aligned` instruction of barrier {id}"
            );
            self.diverge(cta, (thread, &point), (other, &theirs), what);
        }
        let lanes = self.ctas[cta].warps[warp].lanes;
        if let ended @ 1.. = lanes.saturating_sub(self.ctas[cta].barriers[id].counts[warp]) {
            let have = has_or_have(ended as usize);
            let what = format!(
                "{ended} of the warp's {lanes} threads {have} ended without this `.aligned` instruction of barrier {id}"
            );
            self.leave_out(cta, thread, point.at, what);
        }
    }

    /// Checks `.aligned` of a barrier without a thread count: all threads of the block execute the same instruction.
    fn check_aligned_by_all(&mut self, cta: usize, id: usize, done: &[Arrived]) {
        let Some(first) = done.iter().find(|arrived| arrived.by_all) else { return };
        if let Some(other) = done.iter().find(|other| other.point != first.point) {
            let what = format!(
                "not all threads of the block execute the same `.aligned` instruction of barrier {id}, which has no thread count"
            );
            self.diverge(cta, (first.thread, &first.point), (other.thread, &other.point), what);
        }
        let threads = self.ctas[cta].threads.len();
        let warps = &self.ctas[cta].warps;
        let are_whole = warps.iter().all(|warp| warp.live == 0 || warp.live == warp.lanes);
        if are_whole && self.options.readings.ended_warps_take_no_part {
            return;
        }
        if let ended @ 1.. = threads - self.ctas[cta].live as usize {
            let reading = if are_whole {
                " (CUDA's guide allows that whole warps end before `__syncthreads()`: `Readings::ended_warps_take_no_part`)"
            } else {
                ""
            };
            let have = has_or_have(ended);
            let what = format!(
                "{ended} of the block's {threads} threads {have} ended without this `.aligned` instruction of barrier {id}, which \
                 has no thread count{reading}"
            );
            self.leave_out(cta, first.thread, first.point.at, what);
        }
    }

    /// Notes that two threads execute an `.aligned` instruction at different points. The places are those at which the ways fork.
    pub fn diverge(&mut self, cta: usize, own: (u32, &Point), other: (u32, &Point), what: String) {
        let (at, their_at) = own.1.fork(other.1).unwrap_or((own.1.at, other.1.at));
        let party = |thread: u32, at| self.party_of(self.ctas[cta].threads[thread as usize].id, at, None);
        let (here, other) = (party(own.0, at), party(other.0, their_at));
        self.find(Rule::Divergence, what, here, Some(other), (at, their_at));
    }

    /// Notes that threads have ended without an `.aligned` instruction.
    pub fn leave_out(&mut self, cta: usize, thread: u32, at: At, what: String) {
        let here = self.party_of(self.ctas[cta].threads[thread as usize].id, at, None);
        self.find(Rule::Divergence, what, here, None, (at, 0));
    }

    /// Checks, when a block has ended, that each barrier that arrivals have completed was waited for at least once.
    pub fn check_unwaited(&mut self, cta: usize) {
        for id in 0..16 {
            let barrier = &self.ctas[cta].barriers[id];
            if let (Some((thread, at)), false) = (barrier.unwaited, barrier.waited) {
                let what =
                    format!("arrivals alone complete barrier {id}, at which no thread of the block waits");
                let here = self.party_of(self.ctas[cta].threads[thread as usize].id, at, None);
                self.find(Rule::Barrier, what, here, None, (at, 0));
            }
        }
    }

    /// Checks `.aligned` of an instruction of the cluster's barrier: all threads of a warp execute the same one.
    fn check_cluster_lane(&mut self, cta: usize, thread: usize, waits: bool, aligned: bool) {
        if !self.options.check {
            return;
        }
        let point = self.point(cta, thread);
        let warp = &mut self.ctas[cta].warps[thread / 32];
        let lanes = if waits { &mut warp.cluster_waits } else { &mut warp.cluster_arrivals };
        lanes.count += 1;
        lanes.aligned |= aligned;
        let (first, aligned) =
            (lanes.first.get_or_insert_with(|| (thread as u32, point.clone())).clone(), lanes.aligned);
        if lanes.count == warp.lanes {
            *lanes = ClusterLanes::default();
        }
        if aligned && first.1 != point {
            let what = "not all threads of the warp execute the same `.aligned` instruction of the cluster's barrier";
            self.diverge(cta, (thread as u32, &point), (first.0, &first.1), what.into());
        }
    }

    pub fn cluster_arrive(&mut self, cta: usize, thread: usize, sem: Sem, aligned: bool) -> Outcome {
        self.check_cluster_lane(cta, thread, false, aligned);
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

    /// Checks that the lanes of a warp which have ended did not leave out an `.aligned` wait at the cluster's barrier.
    pub fn check_cluster_waits(&mut self, cta: usize, warp: usize) {
        let waits = std::mem::take(&mut self.ctas[cta].warps[warp].cluster_waits);
        self.check_cluster_lanes(cta, warp, waits, "wait");
    }

    fn check_cluster_lanes(&mut self, cta: usize, warp: usize, lanes: ClusterLanes, verb: &str) {
        if let (Some((thread, point)), true) = (lanes.first, lanes.aligned) {
            let all = self.ctas[cta].warps[warp].lanes;
            let what = format!(
                "{} of the warp's {all} threads do not execute this `.aligned` {verb} at the cluster's barrier",
                all - lanes.count
            );
            self.leave_out(cta, thread, point.at, what);
        }
    }

    fn complete_cluster(&mut self, first: usize) {
        // The end of a thread comes here too, and most kernels have no barrier of the cluster.
        if self.ctas[first].cluster_barrier.arrived == 0 {
            return;
        }
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
        if arrived < live {
            return;
        }
        if barrier.started == 0 {
            let started = self.new_object();
            self.ctas[first].cluster_barrier.started = started;
        }
        let barrier = &mut self.ctas[first].cluster_barrier;
        barrier.collected.know_generic(barrier.started, 1);
        barrier.phase += 1;
        barrier.arrived = 0;
        barrier.done = Some(std::mem::take(&mut barrier.collected).finish(orders_reads));
        self.progress += 1;
        for slot in first..first + size {
            for warp in 0..self.ctas[slot].warps.len() {
                let arrivals = std::mem::take(&mut self.ctas[slot].warps[warp].cluster_arrivals);
                self.check_cluster_lanes(slot, warp, arrivals, "arrival");
                self.check_cluster_waits(slot, warp);
            }
            for thread in 0..self.ctas[slot].threads.len() {
                if self.ctas[slot].threads[thread].state == State::Cluster {
                    self.wake(slot, thread as u32);
                }
            }
        }
    }

    pub fn cluster_wait(&mut self, cta: usize, thread: usize, aligned: bool) -> Outcome {
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
        self.check_cluster_lane(cta, thread, true, aligned);
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
                self.touches(Thing::Warp(cta, thread / 32), 0..1, Use::Arrives);
                self.complete_warp(cta, id, thread / 32)?;
            }
        }
        let warp = thread / 32;
        for lane in self.ctas[cta].warps[warp].waiting.clone() {
            if self.ctas[cta].threads[warp * 32 + lane as usize].state == State::Warp {
                self.try_collective(cta, warp, warp * 32 + lane as usize)?;
            }
        }
        self.complete_cluster(self.ctas[cta].cluster);
        Ok(())
    }
}
