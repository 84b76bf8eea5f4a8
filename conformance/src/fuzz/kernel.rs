//! A kernel: nested statements over registers, the memory that it works on, and its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use crate::case::Compare;
use crate::values;

/// The threads of the only block: a warpgroup.
pub const THREADS: usize = 128;
/// The bytes of private memory of a thread in each space.
pub const PRIVATE: usize = 64;
/// The bytes that all threads of the block change by commutative atomics.
pub const COMMON: usize = 64;
/// The bytes of shared memory that `wgmma` reads.
pub const MATRICES: usize = 8192;

/// A register. All registers of a class have one size and any type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// `p`, `h`, `r`, `d` or `q`.
    pub class: char,
    /// The number in the class.
    pub index: usize,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}{}", self.class, self.index)
    }
}

impl Register {
    /// Returns the bytes of the register in memory. A predicate is a word, 0 or 1.
    pub fn bytes(self) -> usize {
        match self.class {
            'h' => 2,
            'd' => 8,
            'q' => 16,
            _ => 4,
        }
    }

    fn ty(self) -> &'static str {
        match self.class {
            'p' => "pred",
            'h' => "b16",
            'r' => "b32",
            'd' => "b64",
            _ => "b128",
        }
    }

    fn declare(class: char, count: usize) -> String {
        format!("    .reg .{} %{class}<{count}>;\n", Self { class, index: 0 }.ty())
    }

    /// Returns the statement that sets the register to zero.
    fn clear(self) -> String {
        match self.class {
            'p' => format!("setp.ne.u32 {self}, 0, 0;"),
            'q' => format!("mov.b128 {self}, {{%zero, %zero}};"),
            _ => format!("mov.{} {self}, 0;", self.ty()),
        }
    }
}

/// A guard: the predicate, and whether it is negated.
pub type Guard = (Register, bool);

/// Statements that belong together.
#[derive(Debug, Clone)]
pub struct Step {
    /// The numbers of the forms.
    pub forms: Vec<usize>,
    /// The guard of all statements.
    pub guard: Option<Guard>,
    /// The statements.
    pub text: Vec<String>,
    /// The registers that the statements read.
    pub reads: Vec<Register>,
    /// The registers that the statements write.
    pub writes: Vec<Register>,
    /// Registers of the text, each with one that gets its value behind the text, whatever the guard.
    pub copies: Vec<(Register, Register)>,
}

/// A statement, or a structure of statements.
#[derive(Debug, Clone)]
pub enum Node {
    /// Statements.
    Step(Step),
    /// A branch by a guard.
    If {
        /// The number, in the names of labels.
        id: usize,
        /// The condition.
        guard: Guard,
        /// The arm where the guard is true.
        then: Vec<Node>,
        /// The other arm.
        otherwise: Vec<Node>,
    },
    /// Repeats the body `count` times, or as often as the lowest two bits of a register say.
    Loop {
        /// The number, in the names of labels.
        id: usize,
        /// The rounds.
        count: u32,
        /// The register, if one says how many rounds there are.
        by: Option<Register>,
        /// The statements of a round.
        body: Vec<Node>,
    },
    /// `brx.idx` by the lowest bits of a register.
    Switch {
        /// The number, in the names of labels.
        id: usize,
        /// The register.
        by: Register,
        /// The arms, a power of two.
        arms: Vec<Vec<Node>>,
    },
    /// A call of a function of its own. Each pair is a register of the function and one of the caller.
    Call {
        /// The number, in the name of the function.
        id: usize,
        /// The parameters.
        arguments: Vec<(Register, Register)>,
        /// The statements of the function.
        body: Vec<Node>,
        /// The results.
        results: Vec<(Register, Register)>,
    },
}

impl Node {
    /// Returns the bodies.
    pub fn bodies(&self) -> Vec<&Vec<Node>> {
        match self {
            Self::Step(_) => vec![],
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Loop { body, .. } | Self::Call { body, .. } => vec![body],
            Self::Switch { arms, .. } => arms.iter().collect(),
        }
    }

    /// Returns the bodies, to change them.
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Node>> {
        match self {
            Self::Step(_) => vec![],
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Loop { body, .. } | Self::Call { body, .. } => vec![body],
            Self::Switch { arms, .. } => arms.iter_mut().collect(),
        }
    }
}

/// A register that the kernel stores at its end, or loads at its start.
#[derive(Debug, Clone)]
pub struct Slot {
    /// The register.
    pub register: Register,
    /// The type of the load or store.
    pub ty: String,
    /// The offset in the part of the thread.
    pub at: usize,
    /// How the value is compared with that of the interpreter.
    pub compare: Compare,
}

/// A kernel and its inputs.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The statements.
    pub nodes: Vec<Node>,
    /// The registers that the kernel loads at its start.
    pub inputs: Vec<Slot>,
    /// The values of the inputs, thread by thread.
    pub values: Vec<Vec<u64>>,
    /// The registers that the kernel stores at its end.
    pub outputs: Vec<Slot>,
    /// The target.
    pub target: &'static str,
}

/// The offset behind the last slot, a multiple of 16.
fn stride(slots: &[Slot]) -> usize {
    slots.last().map_or(0, |slot| slot.at + 16).next_multiple_of(16)
}

/// Calls `f` for each step of the kernel, but not for those of functions, in the order of the text. `f` also gets the registers
/// that a structure reads and writes.
pub fn each<'n>(nodes: &'n [Node], f: &mut impl FnMut(&'n Node, &[Register], &[Register])) {
    for node in nodes {
        match node {
            Node::Step(step) => {
                let guard = step.guard.iter().map(|(register, _)| *register);
                f(node, &step.reads.iter().copied().chain(guard).collect::<Vec<_>>(), &step.writes);
            }
            Node::If { guard, .. } => f(node, &[guard.0], &[]),
            Node::Loop { by, .. } => f(node, by.as_slice(), &[]),
            Node::Switch { by, .. } => f(node, &[*by], &[]),
            Node::Call { arguments, results, .. } => {
                let reads: Vec<_> = arguments.iter().map(|(_, outer)| *outer).collect();
                let writes: Vec<_> = results.iter().map(|(_, outer)| *outer).collect();
                f(node, &reads, &writes);
                continue;
            }
        }
        for body in node.bodies() {
            each(body, f);
        }
    }
}

/// Returns the registers that nodes read, and those that they write.
fn used(nodes: &[Node]) -> (BTreeSet<Register>, BTreeSet<Register>) {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    each(nodes, &mut |node, reads, writes| {
        read.extend(reads);
        written.extend(writes);
        if let Node::Step(step) = node {
            read.extend(step.copies.iter().map(|(from, _)| from));
        }
    });
    (read, written)
}

/// Makes the values of registers that are written again observable.
struct Observer {
    /// How often the registers of the kernel or of a function are written.
    writes: BTreeMap<Register, usize>,
    /// The register with the last value of a register.
    current: BTreeMap<Register, Register>,
    /// The first free register of each class.
    free: BTreeMap<char, usize>,
    /// The registers that have copies, with these.
    copies: Vec<(Register, Register)>,
}

impl Observer {
    fn new(nodes: &[Node], others: impl Iterator<Item = Register>) -> Self {
        let mut writes: BTreeMap<Register, usize> = BTreeMap::new();
        each(nodes, &mut |_, _, written| {
            written.iter().for_each(|register| *writes.entry(*register).or_default() += 1);
        });
        let mut free = BTreeMap::new();
        let (read, written) = used(nodes);
        for register in read.into_iter().chain(written).chain(others) {
            let index = free.entry(register.class).or_default();
            *index = (register.index + 1).max(*index);
        }
        Self { writes, current: BTreeMap::new(), free, copies: Vec::new() }
    }

    /// Returns a register for the value that a register has now, if the register is written again.
    fn copy(&mut self, register: Register) -> Option<Register> {
        (self.writes[&register] > 1).then(|| {
            let index = self.free.entry(register.class).or_default();
            let copy = Register { index: *index, ..register };
            *index += 1;
            self.current.insert(register, copy);
            self.copies.push((register, copy));
            copy
        })
    }

    fn nodes(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            match node {
                Node::Step(step) => {
                    for register in &mut step.reads {
                        *register = *self.current.get(register).unwrap_or(register);
                    }
                    for register in &mut step.writes {
                        if let Some(copy) = self.copy(*register) {
                            step.copies.push((*register, copy));
                            *register = copy;
                        }
                    }
                }
                Node::Call { arguments, body, results, .. } => {
                    let others = arguments.iter().chain(&*results).map(|(inner, _)| *inner);
                    let mut inside = Self::new(body, others);
                    inside.nodes(body);
                    for (inner, outer) in results.clone() {
                        if let Some(copy) = self.copy(outer) {
                            results.push((inner, copy));
                        }
                        for (_, copy) in inside.copies.iter().filter(|(register, _)| *register == inner) {
                            let index = self.free.entry(outer.class).or_default();
                            let result = Register { index: *index, ..outer };
                            *index += 1;
                            self.copies.push((outer, result));
                            results.push((*copy, result));
                        }
                    }
                }
                node => node.bodies_mut().into_iter().for_each(|body| self.nodes(body)),
            }
        }
    }
}

fn declarations<'r>(registers: impl Iterator<Item = &'r Register>) -> String {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for register in registers {
        let count = counts.entry(register.class).or_default();
        *count = (*count).max(register.index + 1);
    }
    counts.into_iter().map(|(class, count)| Register::declare(class, count)).collect()
}

/// The texts of functions, and of the body in the making.
struct Writer<'n> {
    /// The name of the kernel, with which the names of its functions begin.
    name: &'n str,
    functions: String,
    text: String,
}

/// Returns a guard as text.
pub fn guarded((register, negated): Guard) -> String {
    format!("@{}{register}", if negated { "!" } else { "" })
}

/// Returns the declaration of the parameter of a function.
fn parameter(register: Register, number: usize) -> String {
    match register.bytes() {
        16 => format!(".param .align 16 .b8 a{number}[16]"),
        bytes => format!(".param .b{} a{number}", 8 * bytes),
    }
}

impl Writer<'_> {
    fn line(&mut self, text: impl fmt::Display) {
        let _ = writeln!(self.text, "    {text}");
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Step(step) => {
                let guard = step.guard.map(|guard| guarded(guard) + " ").unwrap_or_default();
                for text in &step.text {
                    self.line(format_args!("{guard}{text}"));
                }
                for (from, to) in &step.copies {
                    self.line(format_args!("mov.{} {to}, {from};", from.ty()));
                }
            }
            Node::If { id, guard: (register, negated), then, otherwise } => {
                self.line(format_args!("{} bra ELSE{id};", guarded((*register, !negated))));
                self.nodes(then);
                self.line(format_args!("bra END{id};"));
                self.line(format_args!("ELSE{id}:"));
                self.nodes(otherwise);
                self.line(format_args!("END{id}:"));
            }
            Node::Loop { id, count, by, body } => {
                self.line("{");
                self.line(".reg .b32 %n, %i; .reg .pred %more;");
                match by {
                    Some(by) => self.line(format_args!("and.b32 %n, {by}, 3;")),
                    None => self.line(format_args!("mov.b32 %n, {count};")),
                }
                self.line("mov.b32 %i, 0;");
                self.line(format_args!("LOOP{id}:"));
                self.line("setp.lt.u32 %more, %i, %n;");
                self.line(format_args!("@!%more bra DONE{id};"));
                self.nodes(body);
                self.line("add.u32 %i, %i, 1;");
                self.line(format_args!("bra LOOP{id};"));
                self.line(format_args!("DONE{id}:"));
                self.line("}");
            }
            Node::Switch { id, by, arms } => {
                self.line("{");
                self.line(".reg .b32 %arm;");
                self.line(format_args!("and.b32 %arm, {by}, {};", arms.len() - 1));
                let labels: Vec<_> = (0..arms.len()).map(|i| format!("ARM{id}_{i}")).collect();
                self.line(format_args!("TARGETS{id}: .branchtargets {};", labels.join(", ")));
                self.line(format_args!("brx.idx %arm, TARGETS{id};"));
                for (label, arm) in labels.iter().zip(arms) {
                    self.line(format_args!("{label}:"));
                    self.nodes(arm);
                    self.line(format_args!("bra JOIN{id};"));
                }
                self.line(format_args!("JOIN{id}:"));
                self.line("}");
            }
            Node::Call { id, arguments, body, results } => {
                let bytes = 16 * results.len().max(1);
                let function = format!("{}_f{id}", self.name);
                self.function(&function, arguments, body, results);
                self.line("{");
                self.line(format_args!(".param .align 16 .b8 result[{bytes}];"));
                for (i, (_, outer)) in arguments.iter().enumerate() {
                    self.line(format_args!("{};", parameter(*outer, i)));
                    self.store(*outer, "st.param", &format!("[a{i}]"));
                }
                let list: Vec<_> = (0..arguments.len()).map(|i| format!("a{i}")).collect();
                self.line(format_args!("call (result), {function}, ({});", list.join(", ")));
                for (i, (_, outer)) in results.iter().enumerate() {
                    self.load(*outer, "ld.param", &format!("[result+{}]", 16 * i));
                }
                self.line("}");
            }
        }
    }

    /// Writes a load of a register, which reads a predicate as a word.
    fn load(&mut self, register: Register, instruction: &str, place: &str) {
        match register.class {
            'p' => {
                self.line(format_args!("{instruction}.u32 %word, {place};"));
                self.line(format_args!("setp.ne.u32 {register}, %word, 0;"));
            }
            'q' => {
                // `ld.param.b128` is newer than vectors.
                self.line(format_args!("{instruction}.v2.b64 {{%low, %high}}, {place};"));
                self.line(format_args!("mov.b128 {register}, {{%low, %high}};"));
            }
            _ => self.line(format_args!("{instruction}.b{} {register}, {place};", 8 * register.bytes())),
        }
    }

    fn store(&mut self, register: Register, instruction: &str, place: &str) {
        match register.class {
            'p' => {
                self.line(format_args!("selp.u32 %word, 1, 0, {register};"));
                self.line(format_args!("{instruction}.u32 {place}, %word;"));
            }
            'q' => {
                self.line(format_args!("mov.b128 {{%low, %high}}, {register};"));
                self.line(format_args!("{instruction}.v2.b64 {place}, {{%low, %high}};"));
            }
            _ => self.line(format_args!("{instruction}.b{} {place}, {register};", 8 * register.bytes())),
        }
    }

    const HELPERS: &str = "    .reg .b8 %byte, %pad;\n    .reg .b16 %none;\n    .reg .b32 %word;\n    .reg .b64 %low, %high, %zero;\n";
    /// The padding of a byte in 16 bits.
    const PAD: &str = "    mov.b16 %none, 0;\n    mov.b16 {_, %pad}, %none;\n";

    fn function(
        &mut self,
        name: &str,
        arguments: &[(Register, Register)],
        body: &[Node],
        results: &[(Register, Register)],
    ) {
        let outer = std::mem::take(&mut self.text);
        let (mut all, written) = used(body);
        all.extend(written);
        all.extend(arguments.iter().map(|(inner, _)| *inner));
        all.extend(results.iter().map(|(inner, _)| *inner));
        let params: Vec<_> =
            arguments.iter().enumerate().map(|(i, (inner, _))| parameter(*inner, i)).collect();
        let bytes = 16 * results.len().max(1);
        self.text = format!(
            ".func (.param .align 16 .b8 result[{bytes}]) {name}({})\n{{\n{}{}    mov.b64 %zero, 0;\n{}",
            params.join(", "),
            declarations(all.iter()),
            Self::HELPERS,
            Self::PAD
        );
        for register in &all {
            self.line(register.clear());
        }
        for (i, (inner, _)) in arguments.iter().enumerate() {
            self.load(*inner, "ld.param", &format!("[a{i}]"));
        }
        self.nodes(body);
        for (i, (inner, _)) in results.iter().enumerate() {
            self.store(*inner, "st.param", &format!("[result+{}]", 16 * i));
        }
        self.text += "    ret;\n}\n";
        let function = std::mem::replace(&mut self.text, outer);
        self.functions += &function;
    }
}

/// The registers of addresses: each is set where the text uses it.
const ADDRESSES: [(&str, &[&str]); 9] = [
    ("%global_slot", &["mad.wide.u32 %global_slot, %thread, 64, %private;"]),
    (
        "%shared_slot",
        &["mov.b64 %shared_slot, shared_memory;", "mad.wide.u32 %shared_slot, %thread, 64, %shared_slot;"],
    ),
    (
        "%shared_generic",
        &[
            "mov.b64 %shared_generic, shared_memory;",
            "mad.wide.u32 %shared_generic, %thread, 64, %shared_generic;",
            "cvta.shared.u64 %shared_generic, %shared_generic;",
        ],
    ),
    ("%local_slot", &["mov.b64 %local_slot, local_memory;"]),
    (
        "%local_generic",
        &["mov.b64 %local_generic, local_memory;", "cvta.local.u64 %local_generic, %local_generic;"],
    ),
    ("%const_slot", &["mov.b64 %const_slot, constants;"]),
    (
        "%const_generic",
        &["mov.b64 %const_generic, constants;", "cvta.const.u64 %const_generic, %const_generic;"],
    ),
    ("%exchange", &["mov.b64 %exchange, exchanged;"]),
    ("%matrices", &["mov.b64 %matrices, multiplied;"]),
];

impl Kernel {
    fn input_stride(&self) -> usize {
        stride(&self.inputs)
    }

    fn output_stride(&self) -> usize {
        stride(&self.outputs)
    }

    fn outputs_at(&self) -> usize {
        THREADS * self.input_stride()
    }

    fn private_at(&self) -> usize {
        self.outputs_at() + THREADS * self.output_stride()
    }

    /// Returns the memory before the run: inputs, outputs, private memory, common memory.
    pub fn memory(&self) -> Vec<u8> {
        let mut memory = vec![0; self.private_at() + THREADS * PRIVATE + COMMON];
        for (thread, values) in self.values.iter().enumerate() {
            for (slot, value) in self.inputs.iter().zip(values) {
                let at = thread * self.input_stride() + slot.at;
                memory[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
        }
        memory
    }

    /// Returns the bytes of an output of a thread.
    pub fn output<'m>(&self, memory: &'m [u8], thread: usize, slot: &Slot) -> &'m [u8] {
        let at = self.outputs_at() + thread * self.output_stride() + slot.at;
        &memory[at..at + slot.register.bytes()]
    }

    /// Returns the memory behind the outputs.
    pub fn rest<'m>(&self, memory: &'m [u8]) -> &'m [u8] {
        &memory[self.private_at()..]
    }

    /// Returns the text of the kernel and of its functions.
    pub fn text(&self, name: &str) -> String {
        let mut w = Writer { name, functions: String::new(), text: String::new() };
        w.nodes(&self.nodes);
        let body = std::mem::take(&mut w.text);
        let (mut all, written) = used(&self.nodes);
        all.extend(written.iter().copied());
        let helpers = Writer::HELPERS;
        let _ = write!(
            w.text,
            ".visible .entry {name}(.param .u64 memory)\n{{\n{}{helpers}",
            declarations(all.iter())
        );
        w.line(".reg .b32 %thread; .reg .b64 %base, %in, %out, %private, %common;");
        let uses = |name: &str| body.contains(name);
        if uses("%shared") {
            w.line(format_args!(".shared .align 16 .b8 shared_memory[{}];", THREADS * PRIVATE));
        }
        if uses("%exchange") {
            w.line(format_args!(".shared .align 16 .b8 exchanged[{}];", THREADS * 8));
        }
        if uses("%matrices") {
            w.line(format_args!(".shared .align 1024 .b8 multiplied[{MATRICES}];"));
        }
        if uses("%local") {
            w.line(format_args!(".local .align 16 .b8 local_memory[{PRIVATE}];"));
        }
        w.line("mov.b64 %zero, 0;");
        w.text += Writer::PAD;
        w.line("ld.param.u64 %base, [memory];");
        w.line("mov.u32 %thread, %tid.x;");
        w.line(format_args!("mad.wide.u32 %in, %thread, {}, %base;", self.input_stride()));
        w.line(format_args!("add.u64 %out, %base, {};", self.outputs_at()));
        w.line(format_args!("mad.wide.u32 %out, %thread, {}, %out;", self.output_stride()));
        w.line(format_args!("add.u64 %private, %base, {};", self.private_at()));
        w.line(format_args!("add.u64 %common, %private, {};", THREADS * PRIVATE));
        for (name, lines) in ADDRESSES {
            if uses(name) {
                w.line(format_args!(".reg .b64 {name};"));
                for line in lines {
                    w.line(line);
                }
            }
        }
        for (space, slot) in [("shared", "%shared_slot"), ("local", "%local_slot")] {
            let generic = format!("%{space}_generic");
            let (space, address) = match () {
                () if uses(slot) => (format!(".{space}"), slot),
                () if uses(&generic) => (String::new(), generic.as_str()),
                () => continue,
            };
            for at in (0..PRIVATE).step_by(16) {
                w.line(format_args!("st{space}.v2.b64 [{address}+{at}], {{%zero, %zero}};"));
            }
        }
        let inputs: BTreeMap<Register, usize> =
            self.inputs.iter().map(|slot| (slot.register, slot.at)).collect();
        for register in &all {
            match inputs.get(register) {
                Some(at) => w.load(*register, "ld.global", &format!("[%in+{at}]")),
                None => w.line(register.clear()),
            }
        }
        w.text += &body;
        if uses("bar.sync") || uses("%common") {
            w.line("bar.sync 0;");
        }
        for slot in self.outputs.iter().filter(|slot| written.contains(&slot.register)) {
            w.store(slot.register, "st.global", &format!("[%out+{}]", slot.at));
        }
        w.text += "    ret;\n}\n";
        w.functions + &w.text
    }

    /// Returns the kernel with an output for each value of a register that several statements write, or `None` if there is no such
    /// register. The statements read and write these outputs in place of the register, as far as [`each`] says.
    pub fn observed(&self) -> Option<Self> {
        let mut observed = self.clone();
        let slots = self.inputs.iter().chain(&self.outputs);
        let mut observer = Observer::new(&self.nodes, slots.map(|slot| slot.register));
        observer.nodes(&mut observed.nodes);
        for (register, copy) in &observer.copies {
            let slot = self.outputs.iter().find(|slot| slot.register == *register)?.clone();
            let at = observed.outputs.last().map_or(0, |slot| slot.at + slot.register.bytes());
            let at = at.next_multiple_of(copy.bytes());
            observed.outputs.push(Slot { register: *copy, at, ..slot });
        }
        observed
            .outputs
            .retain(|slot| !observer.copies.iter().any(|(register, _)| slot.register == *register));
        (!observer.copies.is_empty()).then_some(observed)
    }

    /// Returns the text of a module that contains only this kernel.
    pub fn module(&self, version: &str) -> String {
        module(version, self.target, [self.text("k")])
    }
}

/// Returns the text of a module that contains these kernels.
pub fn module(version: &str, target: &str, kernels: impl IntoIterator<Item = String>) -> String {
    let constants: Vec<_> = values::noise(PRIVATE, 5).iter().map(ToString::to_string).collect();
    let mut text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n.const .align 16 .b8 constants[{PRIVATE}] = {{{}}};\n",
        constants.join(", ")
    );
    for kernel in kernels {
        text.push('\n');
        text.push_str(&kernel);
    }
    text
}
