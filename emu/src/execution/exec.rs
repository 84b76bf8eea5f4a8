//! Runs the instructions of a thread. Here are those on memory, and fences; those on registers alone are in `plain`, the others in
//! `call`, `collective`, `mbarrier`, `multimem`, `copies` and `tensor`.

use std::rc::Rc;

use crate::address::{LOCAL_WINDOW, Place, RANK_SHIFT, SHARED_WINDOW};
use crate::execution::access::How;
use crate::execution::machine::{Cta, Flow, Machine, Outcome};
use crate::execution::plain::{Plain, Registers, plain};
use crate::execution::thread::{State, Thread, value};
use crate::execution::word::{combine, copy, word};
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::integer::mask;
use crate::order::clock::{INITS, PROXIES, Proxy, Release};
use crate::report::{Fault, FaultKind};

impl Machine<'_> {
    /// Runs a thread for at most `quantum` instructions, or until it stops.
    pub fn run_thread(&mut self, cta: usize, thread: usize, quantum: u32) -> Result<(), Fault> {
        let program = self.program;
        let mut left = quantum;
        while left > 0 {
            let t = &mut self.ctas[cta].threads[thread];
            if t.state != State::Ready {
                return Ok(());
            }
            if !t.taint.is_empty() {
                left -= 1;
                self.report.instructions += 1;
                match self.follow(cta, thread, |machine| machine.step_tainted(cta, thread))? {
                    Flow::Next | Flow::Jump(_) => continue,
                    Flow::Stop => return Ok(()),
                    Flow::Yield => break,
                }
            }
            let code = &program.functions[t.frame.function].code[..];
            let mut pc = t.pc as usize;
            let before = left;
            let mut registers =
                Registers::new(&self.constants, &mut t.registers, t.frame, t.shared_base, &mut t.carry);
            // Instructions that concern registers alone run in this loop.
            let op = loop {
                if left == 0 {
                    break None;
                }
                left -= 1;
                let instruction = &code[pc];
                if let Some((guard, negated)) = instruction.guard
                    && (registers.all[guard as usize] & 1 == 1) == negated
                {
                    pc += 1;
                    continue;
                }
                match plain(&mut registers, &instruction.op) {
                    Plain::Next => pc += 1,
                    Plain::Jump(to) => pc = to as usize,
                    Plain::Other => break Some(&instruction.op),
                }
            };
            t.pc = pc as u32;
            self.report.instructions += u64::from(before - left);
            let Some(op) = op else { break };
            match self.follow(cta, thread, |machine| machine.step(cta, thread, op))? {
                Flow::Next | Flow::Jump(_) => {}
                Flow::Stop => return Ok(()),
                Flow::Yield => break,
            }
        }
        if self.ctas[cta].threads[thread].state == State::Ready {
            self.ready.push((cta as u32, thread as u32));
        }
        Ok(())
    }

    /// Runs an instruction, and moves the program counter.
    fn follow(&mut self, cta: usize, thread: usize, step: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let flow = step(self)?;
        match flow {
            Flow::Next => self.ctas[cta].threads[thread].pc += 1,
            Flow::Jump(to) => self.ctas[cta].threads[thread].pc = to,
            Flow::Stop | Flow::Yield => return Ok(flow),
        }
        // An explorer chooses again after each step that others can see.
        let is_seen = self.explorer.as_ref().is_some_and(|explorer| !explorer.touched.is_empty());
        Ok(if is_seen { Flow::Yield } else { flow })
    }

    pub fn step(&mut self, cta: usize, thread: usize, op: &Op) -> Outcome {
        if self.explorer.is_some() && !matches!(op, Op::Load(_)) {
            self.ctas[cta].threads[thread].last_load.0 = u32::MAX;
        }
        macro_rules! v {
            ($src:expr) => {
                value(&self.constants, &self.ctas[cta].threads[thread], $src)
            };
        }
        match op {
            Op::Special(d, special) => {
                let bits = self.special(cta, thread, *special);
                self.set(cta, thread, *d, bits);
            }
            Op::Load(load) => return self.load(cta, thread, load),
            Op::Store(store) => return self.store(cta, thread, store),
            Op::Atom(atom) => return self.atom(cta, thread, atom),
            Op::FromGeneric(d, a, space) => {
                let bits = match space {
                    Space::SharedCta | Space::SharedCluster => v!(*a).wrapping_sub(SHARED_WINDOW),
                    Space::Local => v!(*a).wrapping_sub(LOCAL_WINDOW),
                    Space::Param => v!(*a),
                    _ => v!(*a),
                };
                self.set(cta, thread, *d, bits);
            }
            Op::IsSpace(d, a, space) => {
                let address = v!(*a);
                let own = self.shared_address(cta) as u64;
                let is = match space {
                    Space::SharedCta => address.wrapping_sub(SHARED_WINDOW + own) < 1 << RANK_SHIFT,
                    Space::SharedCluster => address >> 32 == 1,
                    Space::Local => address >> 32 == 2,
                    Space::Param => address >> 32 == 3,
                    // The window of parameters is in that of global memory (PTX ISA 9.7.9.19).
                    Space::Global => {
                        address >> 32 == 3 || address >= 1 << 36 && !self.global.is_constant(address)
                    }
                    Space::Const => self.global.is_constant(address),
                    Space::Generic => true,
                };
                self.set(cta, thread, *d, is.into());
            }
            Op::Mapa { d, address, rank, generic } => {
                let (address, rank) = (v!(*address), v!(*rank) as u32);
                let offset = address as u32 & ((1 << RANK_SHIFT) - 1);
                if rank >= self.cluster_size() {
                    let size = self.cluster_size();
                    self.wrong(
                        Rule::Operand,
                        cta,
                        thread,
                        format!("`mapa` to rank {rank} of a cluster of {size}"),
                    );
                }
                let mapped = u64::from(rank << RANK_SHIFT | offset);
                self.set(cta, thread, *d, if *generic { SHARED_WINDOW + mapped } else { mapped });
            }
            Op::Getctarank { d, address, .. } => {
                let rank = v!(*address) as u32 >> RANK_SHIFT;
                self.set(cta, thread, *d, rank.into());
            }
            Op::Call(call) => return self.call(cta, thread, call),
            Op::Return => {
                let t = &mut self.ctas[cta].threads[thread];
                let Some(frame) = t.frames.pop() else {
                    self.exit(cta, thread)?;
                    return Ok(Flow::Stop);
                };
                let callee = t.frame;
                t.frame = frame;
                let program = self.program;
                let returns = &program.functions[callee.function].returns;
                if let Op::Call(call) = &program.functions[frame.function].code[callee.call as usize].op {
                    for (to, from) in call.returns.iter().zip(returns) {
                        t.take(to, from, &callee);
                    }
                }
                t.taint.leave(callee.registers, callee.local);
                let before = t.stack();
                t.registers.truncate(callee.registers);
                t.local.truncate(callee.local);
                self.stacks -= before - t.stack();
                return Ok(Flow::Jump(callee.return_to));
            }
            Op::Exit => {
                self.exit(cta, thread)?;
                return Ok(Flow::Stop);
            }
            Op::Trap => {
                let reason = self.program.reasons.get(&self.current(cta, thread).line);
                let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
                let code = &self.program.functions[self.ctas[cta].threads[thread].frame.function].code;
                let asks = |op: &Op| matches!(op, Op::Special(_, Special::Environment(_)));
                // `grid.sync()` looks for the place of its barrier, and traps where there is none.
                let syncs = !self.launch.cooperative && code.iter().any(|instruction| asks(&instruction.op));
                let hint = if syncs {
                    ": `grid.sync()` needs a cooperative launch, and this one is none"
                } else {
                    ""
                };
                let what = format!("`trap` in `{}`{reason}{hint}", self.program.functions[self.kernel].name);
                return Err(Fault { kind: FaultKind::Trap, ..self.fault(cta, thread, what) });
            }
            Op::Activemask(d) => return self.active_lanes(cta, thread, *d),
            Op::Warp(op) => return self.collective(cta, thread, op),
            Op::Tcgen05(op) => return self.tcgen05(cta, thread, op),
            Op::Barrier(op) => return self.barrier(cta, thread, op),
            Op::ClusterArrive { sem, aligned } => return self.cluster_arrive(cta, thread, *sem, *aligned),
            Op::ClusterWait { aligned, .. } => return self.cluster_wait(cta, thread, *aligned),
            Op::Mbarrier(address, op, mask) => return self.mbarrier(cta, thread, *address, op, *mask),
            Op::PendingCount(d, state) => {
                let count = v!(*state) & 0xffff_ffff;
                self.set(cta, thread, *d, count);
            }
            Op::Fence(fence) => self.fence(cta, thread, *fence),
            Op::CpAsync(op) => return self.cp_async(cta, thread, op),
            Op::Groups(op) => return self.groups(cta, thread, *op),
            Op::Bulk(op) => return self.bulk(cta, thread, op),
            Op::Tensor(op) => return self.tensor(cta, thread, op),
            Op::StAsync(op) => return self.st_async(cta, thread, op),
            Op::StBulk { address, bytes } => {
                let len = v!(*bytes) as usize;
                let place = self.resolve(cta, thread, *address, len, 8)?;
                self.write(cta, thread, place, &vec![0; len], None)?;
            }
            Op::TensorMapReplace { address, field, index, value } => {
                let bits = v!(*value);
                return self.replace_field(cta, thread, *address, *field, *index, bits);
            }
            Op::Multimem(op) => return self.multimem(cta, thread, op),
            Op::Touch(address, bytes) => {
                if address.space != Space::Param {
                    self.resolve(cta, thread, *address, *bytes as usize, 1)?;
                }
            }
            Op::Nanosleep(_) => {
                self.ctas[cta].threads[thread].pc += 1;
                return Ok(Flow::Yield);
            }
            // Without a programmatic launch, the grid before has ended.
            Op::GridDependencies { wait: true } => {
                let t = &mut self.ctas[cta].threads[thread];
                let awaited = &self.awaited;
                t.view = self.waits.change(&t.view, (), |view| {
                    awaited.iter().for_each(|grid| view.set(*grid, [1; PROXIES]));
                });
                self.has_waited = true;
            }
            // The first of a block's calls counts.
            Op::GridDependencies { wait: false } => {
                if !std::mem::replace(&mut self.ctas[cta].launched_dependents, true) {
                    let view = self.ctas[cta].threads[thread].view.clone();
                    self.launch_dependents(&view);
                }
            }
            Op::Breakpoint => {}
            Op::TryCancel { response, mbarrier, multicast } => {
                return self.try_cancel(cta, thread, *response, *mbarrier, *multicast);
            }
            _ => {}
        }
        Ok(Flow::Next)
    }

    fn load(&mut self, cta: usize, thread: usize, load: &Load) -> Outcome {
        let bytes = (load.bits / 8).max(1) as usize;
        let all = bytes * load.d.len();
        let place = self.resolve(cta, thread, load.address, all, all as u64)?;
        let strong = (load.sem != Sem::Weak && !place.is_private()).then_some(load.scope);
        let mut buffer = [0; 64];
        let is_uninitialized = self.check_load(cta, thread, place, all, strong);
        copy(&mut buffer[..all], self.peek(cta, thread, place, all));
        if strong.is_some() {
            let older = self.strong_load(cta, thread, (place, all), load.sem, load.scope);
            self.polls(cta, thread, (place, all), older.is_none());
            older.iter().for_each(|older| buffer[..all].copy_from_slice(older));
        }
        if self.explorer.is_some() && strong.is_some() && self.spins(cta, thread, place, &buffer[..all]) {
            return Ok(Flow::Stop);
        }
        for (i, d) in load.d.iter().enumerate() {
            let Some(d) = d else { continue };
            let mut bits = word(&buffer[i * bytes..(i + 1) * bytes]);
            if load.signed {
                let shift = 64 - load.bits;
                bits = ((bits << shift) as i64 >> shift) as u64 & mask(load.width);
            }
            self.set(cta, thread, *d, bits);
        }
        if is_uninitialized || self.has_tainted_local(cta, thread) {
            self.taint_loaded(cta, thread, load, (place, bytes), is_uninitialized);
        }
        Ok(Flow::Next)
    }

    /// Stops a thread whose load has read the same bytes twice in a row, until something writes the place: an explorer need not
    /// run a loop that waits.
    fn spins(&mut self, cta: usize, thread: usize, place: Place, bytes: &[u8]) -> bool {
        let at = self.at(cta, thread);
        let t = &mut self.ctas[cta].threads[thread];
        let again = t.last_load.0 == at && t.last_load.1 == bytes;
        t.last_load = (at, bytes.to_vec());
        if again {
            t.last_load = (u32::MAX, Vec::new());
            self.stop(cta, thread, State::Spin);
            let who = (cta as u32, thread as u32);
            self.spinning.push((place, who));
        }
        again
    }

    fn store(&mut self, cta: usize, thread: usize, store: &Store) -> Outcome {
        let bytes = (store.bits / 8).max(1) as usize;
        let all = bytes * store.values.len();
        let place = self.resolve(cta, thread, store.address, all, all as u64)?;
        let by_address = self.ctas[cta].threads[thread].taint.take_used();
        let mut buffer = [0; 64];
        for (i, src) in store.values.iter().enumerate() {
            let bits = value(&self.constants, &self.ctas[cta].threads[thread], *src);
            copy(&mut buffer[i * bytes..(i + 1) * bytes], &bits.to_le_bytes()[..bytes]);
        }
        if !self.ctas[cta].threads[thread].taint.is_empty() || self.has_tainted_local(cta, thread) {
            self.taint_stored(cta, thread, store, place, bytes);
        }
        if let Some(origin) = by_address {
            self.uses(cta, thread, self.at(cta, thread), origin);
        }
        let strong = (store.sem != Sem::Weak && !place.is_private()).then_some(store.scope);
        let is_seen =
            !matches!(place, Place::Local(_)) && buffer[..all] != *self.peek(cta, thread, place, all);
        self.progress += u64::from(is_seen);
        if strong.is_some() {
            self.strong_store(cta, thread, (place, all), &buffer[..all], (store.sem, store.scope), false);
        }
        self.write_elements(cta, thread, place, (&buffer[..all], bytes), strong)?;
        Ok(Flow::Next)
    }

    fn atom(&mut self, cta: usize, thread: usize, atom: &Atom) -> Outcome {
        let bits = atom.ty.bits();
        let wide = bits == 128;
        let bytes = (bits.min(64) / 8) as usize;
        let all = bytes * atom.operands.len();
        let place = self.resolve(cta, thread, atom.address, all, all as u64)?;
        if place.is_private() {
            let what = "an atomic operation on memory that is neither global nor shared (PTX ISA 9.7.13.5)";
            return Err(self.fault(cta, thread, what));
        }
        let operand =
            |machine: &Self, src: Src| value(&machine.constants, &machine.ctas[cta].threads[thread], src);
        let is_integer = !matches!(atom.ty, Type::Float(_) | Type::Packed(..));
        let commutes = matches!(atom.rmw, Rmw::Add | Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Min | Rmw::Max);
        self.combines = (atom.d.is_empty() && is_integer && commutes).then_some(atom.rmw);
        // An atomic operation is a write: its read adds nothing to the order. An exchange may be the first to store.
        if atom.rmw != Rmw::Exch {
            self.check_old_value(cta, thread, place, all);
        }
        self.check(cta, thread, place, all, How::Writes, Some(atom.scope));
        let latest: Vec<u64> = self.peek(cta, thread, place, all).chunks(bytes).map(word).collect();
        let key = (place, all);
        let older = if atom.d.is_empty() || !is_integer {
            None
        } else {
            self.before_reductions(cta, thread, key, atom.rmw)
        };
        // The reductions come after this operation, and commute with it: memory is the same, and the operation reads the older
        // value.
        let read: Option<Vec<u64>> = older.map(|bytes_read| bytes_read.chunks(bytes).map(word).collect());
        let old = latest;
        // An addition of `.f32` flushes subnormal values in global memory, and in no other (PTX ISA 9.7.13.5).
        let ty = match (atom.ty, place) {
            (Type::Float(crate::numbers::float::Format::F32), _) if atom.noftz => atom.ty,
            (Type::Float(format), Place::Global(..)) => Type::InMemory(format),
            (ty, _) => ty,
        };
        let mut new = Vec::new();
        let operands: Vec<u64> = atom.operands.iter().map(|src| operand(self, *src)).collect();
        let swap: Vec<u64> = atom.new.iter().map(|src| operand(self, *src)).collect();
        let same = old.iter().zip(&operands).all(|(old, operand)| *old == operand & mask(bits));
        for (i, old) in old.iter().enumerate() {
            new.push(match atom.rmw {
                Rmw::Cas if same => swap[i],
                Rmw::Cas => *old,
                rmw if wide => {
                    if rmw == Rmw::Exch {
                        operands[i]
                    } else {
                        *old
                    }
                }
                rmw => combine(rmw, ty, *old, operands[i]),
            });
        }
        let mut buffer = Vec::with_capacity(all);
        new.iter().for_each(|bits| buffer.extend_from_slice(&bits.to_le_bytes()[..bytes]));
        // No thread waits for what leaves memory as it is: a lock that is tried in vain.
        match buffer == self.peek(cta, thread, place, all) {
            true => self.polls(cta, thread, key, read.is_none()),
            false => self.progress += 1,
        }
        // `red` is not part of an acquire pattern (8.8).
        if !atom.d.is_empty() && read.is_none() {
            self.strong_read_latest(cta, thread, key, atom.sem, atom.scope);
        }
        self.strong_store(cta, thread, key, &buffer, (atom.sem, atom.scope), true);
        if is_integer && commutes {
            self.note_reduction(key, atom.rmw, atom.d.is_empty());
        }
        self.poke(cta, thread, place, &buffer);
        self.wake_spinning(place);
        for (d, old) in atom.d.iter().zip(read.as_ref().unwrap_or(&old)) {
            if let Some(d) = d {
                self.set(cta, thread, *d, *old);
            }
        }
        Ok(Flow::Next)
    }

    pub fn fence(&mut self, cta: usize, thread: usize, fence: Fence) {
        let acquired = match fence {
            Fence::Thread { sem, scope } | Fence::TensorMap { sem, scope } if sem.acquires() => {
                let (number, size, at) = (self.ctas[cta].number, self.cluster_size(), self.at(cta, thread));
                let t = &mut self.ctas[cta].threads[thread];
                let narrow = t.seen.beyond(scope, number, size, at);
                narrow.into_iter().for_each(|narrow| t.note_narrow(narrow));
                t.seen.within(scope, number, size)
            }
            Fence::AsyncRestricted { sem, .. } if sem.acquires() => {
                let number = self.ctas[cta].number;
                let seen =
                    self.ctas[cta].threads[thread].seen.within(Scope::Cluster, number, self.cluster_size());
                seen.map(|mut seen| {
                    seen.view = seen.view.to_async();
                    seen
                })
            }
            _ => None,
        };
        let orders_reads = self.orders_reads();
        if let Some(acquired) = acquired {
            self.ctas[cta].threads[thread].acquire(&acquired.finish(orders_reads));
        }
        if let Fence::Thread { sem: Sem::SeqCst, scope } = fence {
            self.sequential_fence(cta, thread, scope);
        }
        let Cta { threads, fences, .. } = &mut self.ctas[cta];
        let t = &mut threads[thread];
        let mut pass = |t: &mut Thread, from: Proxy, to: Proxy| {
            t.times[to as usize] = t.times[from as usize];
            t.view = fences.change(&t.view, to, |view| view.pass(from, to));
        };

        match fence {
            Fence::Thread { sem, scope } => {
                if sem.releases() {
                    t.fence(scope);
                }
            }
            Fence::MbarrierInit => {
                // The fence releases the earlier initializations alone.
                let inits = Release { view: Rc::new(t.view.only(INITS)), id: t.id, times: [0; PROXIES] };
                t.inits = Some(inits);
            }
            Fence::Async { global, shared } => {
                if global {
                    pass(t, Proxy::Generic, Proxy::AsyncGlobal);
                }
                if shared {
                    pass(t, Proxy::Generic, Proxy::AsyncShared);
                }
                t.times[0] += t.step;
            }
            Fence::AsyncRestricted { sem, reads } => {
                let release = if reads {
                    // The fence is not cumulative: what others have read is not part of it.
                    t.fenced_reads = t.times[0];
                    let mut times = [0; PROXIES];
                    times[Proxy::Overwrite as usize] = t.times[0];
                    Release { view: Rc::default(), id: t.id, times }
                } else {
                    pass(t, Proxy::Generic, Proxy::AsyncShared);
                    pass(t, Proxy::Generic, Proxy::Overwrite);
                    t.fenced_reads = t.times[0];
                    Release { view: t.view.clone(), id: t.id, times: t.times }.to_async()
                };
                if !sem.acquires() {
                    t.to_async.get_or_insert_with(|| release.clone()).join(&release);
                }
                t.times[0] += t.step;
            }
            Fence::TensorMap { sem, scope } => {
                // One fence alone does not order: an acquire follows the release (9.7.13.4).
                if sem.acquires() {
                    pass(t, Proxy::TensorMapReleased, Proxy::TensorMap);
                } else {
                    pass(t, Proxy::Generic, Proxy::TensorMapReleased);
                    t.fence(scope);
                }
                t.times[0] += t.step;
            }
            // One direction is enough for the order that both give here.
            Fence::Alias { .. } => {
                pass(t, Proxy::Generic, Proxy::Alias);
                t.times[0] += t.step;
            }
        }
    }
}
