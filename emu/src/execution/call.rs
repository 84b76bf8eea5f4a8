//! Calls, the frames of functions, and `printf`.

use std::ops::Range;

use crate::address::FUNCTION_WINDOW;
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::thread::{Frame, Thread, value};
use crate::frontend::op::*;
use crate::frontend::program::{Formal, Parameter};
use crate::frontend::statics::{MOST_LOCAL, MOST_SLOTS};
use crate::order::taint::Origin;
use crate::report::{Fault, FaultKind};

/// The most bytes that a grid prints. What it prints later is lost, as on a GPU (CUDA's `cudaLimitPrintfFifoSize`).
const MOST_TEXT: usize = 4096;
const MOST_PRINTED: usize = 1 << 24;
/// The most calls in one another.
const MOST_CALLS: usize = 256;
/// The most bytes of the registers and the local memory of all resident threads.
pub const MOST_STACKS: u64 = 1 << 30;

impl Machine<'_> {
    pub fn call(&mut self, cta: usize, thread: usize, call: &Call) -> Outcome {
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
            Callee::AssertFail => return self.assert_fails(cta, thread, call),
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
            let what = format!(
                "{calls} calls deep, with {bytes} bytes of local memory: the stack overflows (the interpreter allows {MOST_CALLS} calls, \
                 CUDA as many as fit)"
            );
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

    /// Returns the first arguments of a call.
    fn arguments<const N: usize>(&self, cta: usize, thread: usize, call: &Call) -> [u64; N] {
        let t = &self.ctas[cta].threads[thread];
        let argument = |i| call.arguments.get(i).map_or(0, |argument| t.argument(&self.constants, argument));
        std::array::from_fn(argument)
    }

    fn byte_at(&mut self, cta: usize, thread: usize, address: u64) -> Result<u8, Fault> {
        let place = self.place(cta, thread, Space::Generic, address, 1, 1)?;
        Ok(self.peek(cta, thread, place, 1)[0])
    }

    /// Returns the text at an address up to its zero, of at most `most` bytes.
    fn string_at(&mut self, cta: usize, thread: usize, mut at: u64, most: usize) -> Result<String, Fault> {
        let mut text = Vec::new();
        while text.len() < most {
            match self.byte_at(cta, thread, at)? {
                0 => break,
                byte => text.push(byte),
            }
            at += 1;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Runs `__assertfail`, the end of CUDA's `assert`: the assertion, its file, line and function.
    fn assert_fails(&mut self, cta: usize, thread: usize, call: &Call) -> Outcome {
        let [assertion, file, line, function] = self.arguments(cta, thread, call);
        let mut text = |at| self.string_at(cta, thread, at, MOST_TEXT);
        let (assertion, file, function) = (text(assertion)?, text(file)?, text(function)?);
        let what = format!("`{assertion}` does not hold, {file}:{} in `{function}`", line as u32);
        let fault = self.fault(cta, thread, what);
        Err(Fault { kind: FaultKind::Assert, section: None, ..fault })
    }

    fn printf(&mut self, cta: usize, thread: usize, call: &Call) -> Outcome {
        let [format, arguments] = self.arguments(cta, thread, call);
        let text = self.string_at(cta, thread, format, MOST_TEXT)?;
        let mut next = arguments;
        let mut word = |machine: &mut Self, bytes: u64| -> Result<u64, Fault> {
            next = next.next_multiple_of(bytes);
            let mut word = 0;
            for i in 0..bytes {
                word |= u64::from(machine.byte_at(cta, thread, next + i)?) << (8 * i);
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
                    let at = word(self, 8)?;
                    sprintf::vsprintf(&text, &[&self.string_at(cta, thread, at, MOST_PRINTED)?])
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
    pub fn take(&mut self, to: &Returned, from: &Formal, callee: &Frame) {
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
