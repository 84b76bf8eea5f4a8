//! Runs the instructions of a thread: arithmetic, memory, control flow. The others are in `collective`, `mbarrier`, `copies` and
//! `tensor`.

use std::ops::Range;
use std::rc::Rc;

use crate::access::How;
use crate::clock::{INITS, PROXIES, Proxy, Release};
use crate::finding::Rule;
use crate::float::{self, Format};
use crate::integer::{self, mask};
use crate::machine::{Cta, Fault, FaultKind, Flow, Frame, Machine, Outcome, State, Thread, value};
use crate::memory::{FUNCTION_WINDOW, LOCAL_WINDOW, Place, RANK_SHIFT, SHARED_WINDOW};
use crate::op::*;
use crate::program::{Formal, Parameter};
use crate::statics::{MOST_LOCAL, MOST_SLOTS};
use crate::taint::Origin;
use crate::word::{combine, copy, word};

/// The most bytes that a grid prints. What it prints later is lost, as on a GPU (CUDA's `cudaLimitPrintfFifoSize`).
const MOST_PRINTED: usize = 1 << 24;
/// The most calls in one another.
const MOST_CALLS: usize = 256;
/// The most bytes of the registers and the local memory of all resident threads.
pub const MOST_STACKS: u64 = 1 << 30;

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
                let what = format!("`trap` in `{}`{reason}", self.program.functions[self.kernel].name);
                return Err(Fault { kind: FaultKind::Trap, ..self.fault(cta, thread, what) });
            }
            Op::Activemask(d) => return self.active_lanes(cta, thread, *d),
            Op::Warp(op) => return self.collective(cta, thread, op),
            Op::Barrier(op) => return self.barrier(cta, thread, op),
            Op::ClusterArrive { sem, aligned } => return self.cluster_arrive(cta, thread, *sem, *aligned),
            Op::ClusterWait { aligned, .. } => return self.cluster_wait(cta, thread, *aligned),
            Op::Mbarrier(address, op) => return self.mbarrier(cta, thread, *address, op),
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

    fn call(&mut self, cta: usize, thread: usize, call: &Call) -> Outcome {
        let program = self.program;
        let target = match &call.target {
            Callee::Function(function) => *function,
            Callee::Pointer(src) => {
                let address = value(&self.constants, &self.ctas[cta].threads[thread], *src);
                let index = address.wrapping_sub(FUNCTION_WINDOW) as usize;
                let wrong = match program.functions.get(index) {
                    None => format!("a call of {address:#x}, which is no function"),
                    Some(function) if function.is_entry => {
                        format!("a call of the kernel `{}`", function.name)
                    }
                    Some(function) if !function.is_defined => missing(&function.name),
                    Some(function) => {
                        let passed = [call.arguments.len(), call.returns.len()];
                        let (formals, returns) = (&function.formals, &function.returns);
                        let fits =
                            call.arguments.iter().zip(formals).all(|(argument, formal)| {
                                match (argument, formal) {
                                    (Argument::Frame(from), Formal::Frame(to)) => from.bytes == to.bytes,
                                    _ => true,
                                }
                            }) && call.returns.iter().zip(returns).all(|(to, from)| match (to, from) {
                                (Returned::Frame(to), Formal::Frame(from)) => from.bytes == to.bytes,
                                _ => true,
                            });
                        match fits && passed == [formals.len(), returns.len()] {
                            true => String::new(),
                            false => format!(
                                "a call of `{}` with the prototype of another function",
                                function.name
                            ),
                        }
                    }
                };
                if !wrong.is_empty() {
                    return Err(self.fault(cta, thread, wrong));
                }
                index
            }
            Callee::Printf => return self.printf(cta, thread, call),
            Callee::Missing(name) => return Err(self.fault(cta, thread, missing(name))),
        };
        let function = &program.functions[target];
        let t = &mut self.ctas[cta].threads[thread];
        let before = t.stack();
        let frame = Frame {
            function: target,
            return_to: t.pc + 1,
            registers: t.registers.len(),
            local: t.local.len().next_multiple_of(16),
            call: t.pc,
        };
        let stack = (frame.local + function.frame as usize, frame.registers + function.slots as usize);
        if t.frames.len() >= MOST_CALLS || stack.0 > MOST_LOCAL as usize || stack.1 > 2 * MOST_SLOTS as usize
        {
            let (calls, bytes) = (t.frames.len(), t.local.len());
            let what = format!("{calls} calls deep, with {bytes} bytes of local memory: the stack overflows");
            return Err(self.fault(cta, thread, what));
        }
        let caller = t.frame;
        t.frames.push(caller);
        t.registers.resize(stack.1, 0);
        t.local.resize(stack.0, 0xa5);
        self.stacks += t.stack() - before;
        if self.stacks > MOST_STACKS {
            let what = format!("the stacks of the threads take more than {MOST_STACKS} bytes");
            return Err(self.fault(cta, thread, what));
        }
        for (from, to) in call.arguments.iter().zip(&function.formals) {
            t.pass(&self.constants, from, to, &frame);
        }
        t.frame = frame;
        Ok(Flow::Jump(0))
    }

    fn printf(&mut self, cta: usize, thread: usize, call: &Call) -> Outcome {
        let argument = |machine: &Self, i: usize| {
            let t = &machine.ctas[cta].threads[thread];
            call.arguments.get(i).map_or(0, |argument| t.argument(&machine.constants, argument))
        };
        let (format, arguments) = (argument(self, 0), argument(self, 1));
        let byte_at = |machine: &mut Self, address: u64| -> Result<u8, Fault> {
            let place = machine.place(cta, thread, Space::Generic, address, 1, 1)?;
            Ok(machine.peek(cta, thread, place, 1)[0])
        };
        let mut text = Vec::new();
        let mut at = format;
        loop {
            let byte = byte_at(self, at)?;
            if byte == 0 || text.len() > 4096 {
                break;
            }
            text.push(byte);
            at += 1;
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut next = arguments;
        let mut word = |machine: &mut Self, bytes: u64| -> Result<u64, Fault> {
            next = next.next_multiple_of(bytes);
            let mut word = 0;
            for i in 0..bytes {
                word |= u64::from(byte_at(machine, next + i)?) << (8 * i);
            }
            next += bytes;
            Ok(word)
        };
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            let spec = &rest[at + 1..];
            let end = spec.find(|c: char| c.is_ascii_alphabetic() && !"lhz".contains(c) || c == '%');
            let Some(end) = end else { break };
            let (flags, conversion) = (&spec[..end], spec.as_bytes()[end]);
            let bytes = if flags.contains(['l', 'z']) { 8 } else { 4 };
            let text = format!("%{}{}", flags.trim_end_matches(['l', 'h', 'z']), char::from(conversion));
            // No width or precision is wider than what a GPU prints.
            let is_wide = flags.split(|c: char| !c.is_ascii_digit()).any(|number| number.len() > 3);
            let printed = match conversion {
                _ if is_wide => Ok(text.clone()),
                b'%' => Ok("%".into()),
                b'd' | b'i' if bytes == 8 => sprintf::vsprintf(&text, &[&(word(self, 8)? as i64)]),
                b'd' | b'i' => sprintf::vsprintf(&text, &[&(word(self, 4)? as i32)]),
                b'u' | b'x' | b'X' | b'o' => sprintf::vsprintf(&text, &[&word(self, bytes)?]),
                b'p' => Ok(format!("{:#x}", word(self, 8)?)),
                b'c' => sprintf::vsprintf(&text, &[&char::from(word(self, 4)? as u8)]),
                b's' => {
                    let (mut string, mut at) = (Vec::new(), word(self, 8)?);
                    loop {
                        match byte_at(self, at)? {
                            0 => break,
                            _ if string.len() >= MOST_PRINTED => break,
                            byte => string.push(byte),
                        }
                        at += 1;
                    }
                    sprintf::vsprintf(&text, &[&String::from_utf8_lossy(&string).into_owned()])
                }
                _ => sprintf::vsprintf(&text, &[&f64::from_bits(word(self, 8)?)]),
            };
            // A conversion that the library does not format is shown as it stands.
            out.push_str(&printed.unwrap_or(text));
            rest = &spec[end + 1..];
        }
        out.push_str(rest);
        if self.report.printed.len() + out.len() <= MOST_PRINTED {
            self.report.printed.push_str(&out);
        }
        Ok(Flow::Next)
    }

    fn load(&mut self, cta: usize, thread: usize, load: &Load) -> Outcome {
        let bytes = (load.bits / 8).max(1) as usize;
        let all = bytes * load.d.len();
        let place = self.resolve(cta, thread, load.address, all, all as u64)?;
        let strong = (load.sem != Sem::Weak).then_some(load.scope);
        let mut buffer = [0; 64];
        let is_uninitialized = self.check_load(cta, thread, place, all, strong);
        copy(&mut buffer[..all], self.peek(cta, thread, place, all));
        if strong.is_some()
            && let Some(older) = self.strong_load(cta, thread, (place, all), load.sem, load.scope)
        {
            buffer[..all].copy_from_slice(&older);
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
        let strong = (store.sem != Sem::Weak).then_some(store.scope);
        self.progress += 1;
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
        self.progress += u64::from(buffer != self.peek(cta, thread, place, all));
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
            Fence::Alias => {
                pass(t, Proxy::Generic, Proxy::Alias);
                t.times[0] += t.step;
            }
        }
    }

    fn multimem(&mut self, cta: usize, thread: usize, op: &MultimemOp) -> Outcome {
        let bytes = (op.ty.bits() / 8) as usize;
        let count = op.d.len().max(op.operands.len());
        let all = bytes * count;
        let place = self.resolve(cta, thread, op.address, all, all as u64)?;
        let Place::Global(index, offset) = place else {
            return Err(self.fault(cta, thread, "`multimem` on memory that is not global"));
        };
        let replicas = self.global.allocations[index].replicas.clone();
        if replicas.is_empty() {
            return Err(self.fault(cta, thread, "`multimem` on an address that is no multicast object's"));
        }
        let strong = (op.sem != Sem::Weak).then_some(op.scope);
        self.progress += 1;
        let values: Vec<u64> = op
            .operands
            .iter()
            .map(|src| value(&self.constants, &self.ctas[cta].threads[thread], *src))
            .collect();
        let mut loaded: Vec<Vec<u64>> = vec![Vec::new(); count];
        // A fault before the proxy is reset ends the run.
        self.ctas[cta].threads[thread].proxy = Proxy::Alias;
        for replica in replicas {
            let place = Place::Global(replica, offset);
            let mut old: Vec<u64> = self.peek(cta, thread, place, all).chunks(bytes).map(word).collect();
            match op.what {
                Multimem::LdReduce => {
                    self.check(cta, thread, place, all, How::Reads, strong);
                    // Each of the loads may read an older value.
                    if strong.is_some()
                        && let Some(older) = self.strong_load(cta, thread, (place, all), op.sem, op.scope)
                    {
                        old = older.chunks(bytes).map(word).collect();
                    }
                    loaded.iter_mut().zip(old).for_each(|(all, old)| all.push(old));
                }
                Multimem::St | Multimem::Red => {
                    let new = values.iter().zip(old).map(|(value, old)| match op.what {
                        Multimem::St => *value,
                        _ => combine(op.rmw, op.ty, old, *value),
                    });
                    let bytes: Vec<u8> = new.flat_map(|bits| bits.to_le_bytes()[..bytes].to_vec()).collect();
                    if strong.is_some() {
                        let continues = op.what == Multimem::Red;
                        self.strong_store(cta, thread, (place, all), &bytes, (op.sem, op.scope), continues);
                    }
                    self.write(cta, thread, place, &bytes, strong)?;
                }
            }
        }
        self.ctas[cta].threads[thread].proxy = Proxy::Generic;
        for (d, values) in op.d.iter().zip(loaded) {
            if let Some(d) = d {
                self.set(cta, thread, *d, reduce(op, &values));
            }
        }
        Ok(Flow::Next)
    }
}

/// Returns the result of `multimem.ld_reduce` on the values of all memories: `.acc` adds in its own precision (PTX ISA 9.7.9.14).
fn reduce(op: &MultimemOp, values: &[u64]) -> u64 {
    let (format, lanes) = match op.ty {
        Type::Float(format) => (format, 1),
        Type::Packed(format, lanes) => (format, lanes),
        _ => (Format::F32, 0),
    };
    match op.precision {
        Some(precision) if lanes > 0 => (0..lanes).fold(0, |all, lane| {
            let shift = lane * format.bits();
            let nearest = rustc_apfloat::Round::NearestTiesToEven;
            let of_lane =
                |value: &u64| float::convert(format, precision, value >> shift & format.mask(), nearest);
            let sum = values
                .iter()
                .map(of_lane)
                .reduce(|sum, value| combine(op.rmw, Type::Float(precision), sum, value));
            all | float::convert(precision, format, sum.unwrap_or(0), nearest) << shift
        }),
        _ => values.iter().copied().reduce(|sum, value| combine(op.rmw, op.ty, sum, value)).unwrap_or(0),
    }
}

fn missing(name: &str) -> String {
    format!("a call of `{name}`, which the module only declares")
}

impl Thread {
    /// Returns the bytes of the thread's registers and local memory.
    pub fn stack(&self) -> u64 {
        (8 * self.registers.len() + self.local.len()) as u64
    }

    /// Returns the value of an argument of up to 64 bits.
    fn argument(&self, constants: &[u64], argument: &Argument) -> u64 {
        match argument {
            Argument::Frame(place) => self.word(self.frame.local, place),
            // To pass a value on is no use of it.
            Argument::Value(src) if src.0 >> 30 == 0 => self.registers[self.frame.registers + src.0 as usize],
            Argument::Value(src) => value(constants, self, *src),
        }
    }

    /// Returns the uninitialized value in an argument.
    fn tainted_argument(&self, argument: &Argument) -> Option<Origin> {
        match argument {
            Argument::Frame(place) => self.taint.of_local(&place.within(self.frame.local)),
            Argument::Value(src) if src.0 >> 30 == 0 => self.taint.of(self.frame.registers + src.0 as usize),
            Argument::Value(_) => None,
        }
    }

    /// Returns the first bytes of a place in a frame.
    fn word(&self, frame: usize, place: &Parameter) -> u64 {
        let (from, len) = (frame + place.offset as usize, place.bytes.min(8) as usize);
        let mut word = [0; 8];
        word[..len].copy_from_slice(&self.local[from..from + len]);
        u64::from_le_bytes(word)
    }

    fn set_word(&mut self, frame: usize, place: &Parameter, word: u64, origin: Option<Origin>) {
        let (to, len) = (frame + place.offset as usize, place.bytes.min(8) as usize);
        self.local[to..to + len].copy_from_slice(&word.to_le_bytes()[..len]);
        self.taint.write_local(to..to + len, origin);
    }

    /// Passes an argument to a function with the frame `callee`.
    fn pass(&mut self, constants: &[u64], from: &Argument, to: &Formal, callee: &Frame) {
        if let (Argument::Frame(from), Formal::Frame(to)) = (from, to) {
            let from = self.frame.local + from.offset as usize;
            self.copy_local(from..from + to.bytes as usize, callee.local + to.offset as usize);
            return;
        }
        let (word, origin) = (self.argument(constants, from), self.tainted_argument(from));
        match to {
            Formal::Frame(to) => self.set_word(callee.local, to, word, origin),
            Formal::Register(to) => self.set_register(callee.registers + *to as usize, word, origin),
        }
    }

    /// Takes a result of a function with the frame `callee`.
    fn take(&mut self, to: &Returned, from: &Formal, callee: &Frame) {
        if let (Returned::Frame(to), Formal::Frame(from)) = (to, from) {
            let from_at = callee.local + from.offset as usize;
            let to_at = self.frame.local + to.offset as usize;
            self.copy_local(from_at..from_at + from.bytes as usize, to_at);
            return;
        }
        let (word, origin) = match from {
            Formal::Frame(from) => {
                (self.word(callee.local, from), self.taint.of_local(&from.within(callee.local)))
            }
            Formal::Register(from) => {
                let register = callee.registers + *from as usize;
                (self.registers[register], self.taint.of(register))
            }
        };
        match to {
            Returned::Frame(to) => self.set_word(self.frame.local, to, word, origin),
            Returned::Register(to) => self.set_register(self.frame.registers + *to as usize, word, origin),
            Returned::Sink => {}
        }
    }

    fn copy_local(&mut self, from: Range<usize>, to: usize) {
        self.local.copy_within(from.clone(), to);
        self.taint.copy_local(from, to);
    }

    fn set_register(&mut self, register: usize, word: u64, origin: Option<Origin>) {
        self.registers[register] = word;
        self.taint.set(register, origin);
    }
}

pub enum Plain {
    Next,
    Jump(u32),
    Other,
}

fn canonical(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

/// The registers that instructions on registers alone read and write.
pub trait Bank {
    fn value(&self, src: Src) -> u64;
    fn get(&self, slot: Slot) -> u64;
    fn set(&mut self, slot: Slot, bits: u64);
    fn carry(&self) -> u64;
    fn set_carry(&mut self, bits: u64);
}

/// The state that instructions on registers alone read and write.
pub struct Registers<'a> {
    constants: &'a [u64],
    all: &'a mut [u64],
    /// The address of the frame in local memory. `shared` is the address of shared memory.
    local: u64,
    shared: u64,
    carry: &'a mut u64,
}

impl<'a> Registers<'a> {
    pub fn new(
        constants: &'a [u64],
        registers: &'a mut [u64],
        frame: Frame,
        shared: u64,
        carry: &'a mut u64,
    ) -> Self {
        let (all, local) = (&mut registers[frame.registers..], frame.local as u64);
        Self { constants, all, local, shared, carry }
    }
}

impl Bank for Registers<'_> {
    #[inline(always)]
    fn value(&self, src: Src) -> u64 {
        let index = (src.0 & !(3 << 30)) as usize;
        match src.0 >> 30 {
            0 => self.all[index],
            1 => self.constants[index],
            3 => self.constants[index] + self.shared,
            _ => self.local + index as u64,
        }
    }

    #[inline(always)]
    fn get(&self, slot: Slot) -> u64 {
        self.all[slot as usize]
    }

    #[inline(always)]
    fn set(&mut self, slot: Slot, bits: u64) {
        self.all[slot as usize] = bits;
    }

    #[inline(always)]
    fn carry(&self) -> u64 {
        *self.carry
    }

    #[inline(always)]
    fn set_carry(&mut self, bits: u64) {
        *self.carry = bits;
    }
}

/// Runs an instruction that concerns registers alone.
#[inline(always)]
pub fn plain(t: &mut impl Bank, op: &Op) -> Plain {
    macro_rules! v {
        ($src:expr) => {
            t.value($src)
        };
    }
    macro_rules! set {
        ($d:expr, $bits:expr) => {{
            let bits = $bits;
            t.set($d, bits);
        }};
    }
    let f32_of = |bits: u64| f32::from_bits(bits as u32);
    match op {
        Op::Move(d, a) => set!(*d, v!(*a)),
        Op::Unary(f, d, a) => set!(*d, f(v!(*a))),
        Op::Binary(f, d, a, b) => set!(*d, f(v!(*a), v!(*b))),
        Op::Ternary(f, d, a, b, c) => set!(*d, f(v!(*a), v!(*b), v!(*c))),
        Op::Select(d, a, b, p) => set!(*d, if v!(*p) & 1 == 1 { v!(*a) } else { v!(*b) }),
        Op::Branch(to) => return Plain::Jump(*to),
        Op::Setp(setp) => {
            let (a, b) = (v!(setp.a), v!(setp.b));
            let (first, second) = match &setp.compare {
                Compare::Integer(test) => {
                    let holds = test(a, b);
                    (holds, !holds)
                }
                Compare::Float { format, lanes: 1, comparison, ftz } => {
                    let holds = comparison.holds(*format, [a, b], *ftz);
                    (holds, !holds)
                }
                Compare::Float { format, comparison, ftz, .. } => {
                    let lane = |shift: u32| [a, b].map(|bits| bits >> shift & format.mask());
                    let holds = |shift| comparison.holds(*format, lane(shift), *ftz);
                    (holds(0), holds(format.bits()))
                }
            };
            let with = |holds: bool| match &setp.combine {
                Some((f, p, negated)) => f(holds.into(), (v!(*p) ^ u64::from(*negated)) & 1) & 1,
                None => holds.into(),
            };
            let (first, second) = (with(first), with(second));
            match setp.to {
                Truth::Predicates(d, other) => {
                    if let Some(d) = d {
                        set!(d, first);
                    }
                    if let Some(d) = other {
                        set!(d, second);
                    }
                }
                Truth::Value { d, truth, bits } => {
                    let packed = matches!(setp.compare, Compare::Float { lanes: 2, .. });
                    let upper = if packed && second == 1 { truth << bits } else { 0 };
                    let lower = if first == 1 { truth } else { 0 };
                    set!(d, upper | lower);
                }
            }
        }
        Op::AddF32(d, a, b) => set!(*d, canonical(f32_of(v!(*a)) + f32_of(v!(*b)))),
        Op::MulF32(d, a, b) => set!(*d, canonical(f32_of(v!(*a)) * f32_of(v!(*b)))),
        Op::FmaF32(d, a, b, c) => set!(*d, canonical(f32_of(v!(*a)).mul_add(f32_of(v!(*b)), f32_of(v!(*c))))),
        Op::AddF64(d, a, b) => set!(*d, (f64::from_bits(v!(*a)) + f64::from_bits(v!(*b))).to_bits()),
        Op::MulF64(d, a, b) => set!(*d, (f64::from_bits(v!(*a)) * f64::from_bits(v!(*b))).to_bits()),
        Op::FmaF64(d, a, b, c) => {
            set!(
                *d,
                f64::from_bits(v!(*a)).mul_add(f64::from_bits(v!(*b)), f64::from_bits(v!(*c))).to_bits()
            );
        }
        Op::Float(op) => {
            let operands = std::array::from_fn(|i| op.operands.get(i).map_or(0, |src| v!(*src)));
            set!(op.d, float::packed(op.function, op.format, op.lanes, operands, &op.modifiers));
        }
        Op::Cvt(op) => {
            let operands = std::array::from_fn(|i| op.operands.get(i).map_or(0, |src| v!(*src)));
            let random = op.random.map(|src| v!(src));
            set!(op.d, convert(op, operands, random));
        }
        Op::CvtPack(op) => {
            let c = op.c.map_or(0, |c| v!(c));
            set!(op.d, integer::pack(v!(op.a), v!(op.b), c, op.bits, op.signed));
        }
        Op::Video(op) => set!(op.d, op.operation.compute(op.operands.map(|src| v!(src)))),
        Op::Carry(op) => {
            // A difference is the sum with the complement, and the flag is the carry of that sum.
            let (a, b) = (v!(op.a) & mask(op.bits), v!(op.b) & mask(op.bits));
            let (a, b) = match op.product {
                Some(half) => (integer::half(half, a, b, op.bits), op.c.map_or(0, |c| v!(c)) & mask(op.bits)),
                None if op.subtract => (a, !b & mask(op.bits)),
                None => (a, b),
            };
            let carry = if op.uses_carry { t.carry() } else { op.subtract.into() };
            let sum = u128::from(a) + u128::from(b) + u128::from(carry);
            if op.sets_carry {
                t.set_carry((sum > u128::from(mask(op.bits))).into());
            }
            set!(op.d, sum as u64 & mask(op.bits));
        }
        Op::Insert(bits, d, [a, b, c, e]) => set!(*d, integer::insert(v!(*a), v!(*b), v!(*c), v!(*e), *bits)),
        Op::Logic3(d, [a, b, c, e]) => set!(*d, integer::logic3(v!(*a), v!(*b), v!(*c), v!(*e))),
        Op::Logic3Predicate(op) => {
            let [a, b, c, table] = op.operands.map(|src| v!(src));
            let bits = integer::logic3(a, b, c, table);
            let q = (v!(op.q) ^ u64::from(op.negated)) & 1;
            if let Some(d) = op.d {
                set!(d, bits);
            }
            set!(op.p, (op.combine)((bits != 0).into(), q));
        }
        Op::SelectBySign(d, a, b, c, sign) => {
            let c = v!(*c) as u32;
            let first = match sign {
                Sign::Float { ftz } => f32::from_bits(c) >= 0.0 || *ftz && f32::from_bits(c).is_subnormal(),
                Sign::Integer => c as i32 >= 0,
            };
            set!(*d, if first { v!(*a) } else { v!(*b) });
        }
        Op::TestProperty(d, property, format, a) => set!(*d, property.holds(*format, v!(*a)).into()),
        Op::Move128(d, a) => {
            let (low, high) = (t.get(*a), t.get(*a + 1));
            set!(*d, low);
            set!(*d + 1, high);
        }
        Op::Pack(d, from, 64) => {
            for (d, from) in (*d..).zip(from) {
                set!(d, v!(*from));
            }
        }
        Op::Pack(d, from, bits) => {
            let packed = from.iter().rev().fold(0, |all, src| all << bits | v!(*src) & mask(*bits));
            set!(*d, packed);
        }
        Op::Unpack(to, from, 64) => {
            for (i, d) in to.iter().enumerate() {
                if let Some(d) = d {
                    set!(*d, v!(Src(from.0 + i as u32)));
                }
            }
        }
        Op::Unpack(to, from, bits) => {
            let from = v!(*from);
            for (i, d) in to.iter().enumerate() {
                if let Some(d) = d {
                    set!(*d, from >> (i as u32 * bits) & mask(*bits));
                }
            }
        }
        Op::ToGeneric(d, a, space) => {
            let window = match space {
                Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
                Space::Local => LOCAL_WINDOW,
                _ => 0,
            };
            set!(*d, v!(*a).wrapping_add(window));
        }
        Op::BranchIndex(index, labels) => {
            if let Some(to) = labels.get(v!(*index) as u32 as usize) {
                return Plain::Jump(*to);
            }
        }
        Op::Policy(d, bits) => set!(*d, *bits),
        Op::QueryCanceled(d, response) => {
            set!(*d, t.get(*response + 1) >> 63);
        }
        Op::QueryCtaid { d, response, dimension } => {
            let (low, high) = (t.get(*response), t.get(*response + 1));
            let index = [low as u32, (low >> 32) as u32, high as u32];
            match (dimension, d.as_slice()) {
                (Some(dimension), [Some(d)]) => set!(*d, index[*dimension].into()),
                (_, all) => {
                    for (d, index) in all.iter().zip(index) {
                        if let Some(d) = d {
                            set!(*d, index.into());
                        }
                    }
                }
            }
        }
        Op::Nop => {}
        _ => return Plain::Other,
    }
    Plain::Next
}

/// Computes `cvt` (PTX ISA 9.7.9.21).
fn convert(op: &Cvt, operands: [u64; 4], random: Option<u64>) -> u64 {
    let a = operands[0];
    let round = op.modifiers.round;
    // `.ftz` concerns `.f32` alone (PTX ISA 9.7.9.21). An H100 converts subnormal values to `.f16` as they are.
    let flush = |format: Format, bits: u64| {
        let flushes = op.modifiers.ftz && format == Format::F32;
        if flushes && op.to != Number::Float(Format::F16) { float::flush(format, bits) } else { bits }
    };
    let to_float = |to: Format, from: Format, bits: u64, random: Option<(u64, u32)>| {
        let bits = flush(from, bits);
        let was_nan = from.is_nan(bits);
        let bits = match random {
            Some(random) => float::round_stochastically(from, to, bits, random),
            None if op.integral && to == from => float::round_to_integral(to, bits, round),
            None if op.modifiers.ftz && to == Format::F32 => float::convert_flushed(from, to, bits, round),
            None => float::convert(from, to, bits, round),
        };
        let bits = if op.satfinite && !was_nan { float::satfinite(to, bits) } else { bits };
        float::clamp(to, bits, &op.modifiers)
    };
    match (op.to, op.from) {
        (Number::Integer { bits, signed }, Number::Integer { bits: from, signed: from_signed }) => {
            let a = a & mask(from);
            let wide = if from_signed { i128::from(extend(a, from, true) as i64) } else { i128::from(a) };
            let wide = match (op.modifiers.sat, signed) {
                (false, _) => wide,
                (true, false) => wide.clamp(0, i128::from(mask(bits))),
                (true, true) => wide.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            };
            extend(wide as u64 & mask(bits), bits, signed) & mask(op.width)
        }
        (Number::Integer { bits, signed }, Number::Float(from)) => {
            let integer = float::to_integer(from, flush(from, a & from.mask()), bits, signed, round);
            extend(integer, bits, signed) & mask(op.width)
        }
        (Number::Float(to), Number::Integer { bits, signed }) => {
            let a = extend(a & mask(bits), bits, signed);
            float::clamp(to, float::from_integer(to, a, signed, round), &op.modifiers)
        }
        (Number::Tf32, Number::Float(Format::F32)) => {
            float::to_tf32(a as u32, &op.modifiers, op.satfinite).into()
        }
        (Number::Float(to), Number::Float(from)) => to_float(to, from, a & from.mask(), None),
        // The first operand is the upper half.
        (Number::Packed(to, count), Number::Float(from)) => {
            (0..count).zip(operands).fold(0, |all, (i, operand)| {
                let random = random.map(|random| random_bits(to, count, i, random));
                all << to.bits() | to_float(to, from, operand & from.mask(), random)
            })
        }
        (Number::Packed(to, count), Number::Packed(from, _)) => (0..count).fold(0, |all, i| {
            all | to_float(to, from, a >> (i * from.bits()) & from.mask(), None) << (i * to.bits())
        }),
        _ => 0,
    }
}

/// Returns the random bits of element `i` of a conversion with `.rs`, and their number. The upper half of the operand is for the
/// first half of the elements. A conversion to `.f16` drops 13 bits, so 13 of the 16 bits count.
fn random_bits(to: Format, count: u32, i: u32, random: u64) -> (u64, u32) {
    let half = if i < count / 2 { random >> 16 } else { random };
    let bits = if to == Format::F16 { 13 } else { 16 };
    (half & mask(bits), bits)
}

/// Extends the sign of a signed integer of a number of bits.
fn extend(integer: u64, bits: u32, signed: bool) -> u64 {
    if signed { ((integer << (64 - bits)) as i64 >> (64 - bits)) as u64 } else { integer }
}
