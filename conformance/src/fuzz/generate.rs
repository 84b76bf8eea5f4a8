//! Makes random kernels, each well defined: its result does not depend on the schedule, nor on what the ISA leaves open.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::f32::consts::TAU;

use fastrand::Rng;

use super::departures;
use super::forms::{Form, Kind, TARGETS, class};
use super::kernel::{Kernel, MATRICES, Node, PRIVATE, Register, Slot, Step, THREADS};
use crate::case::Compare;
use crate::families::pure::stated_error;
use crate::families::wgmma::{LAYOUTS, matrix};
use crate::values;

/// The forms of the table in each kernel.
pub const FORMS: usize = 20;

/// The forms that kernels consist of.
#[derive(Debug, Clone)]
pub struct Table {
    /// All forms of the PTX version.
    pub forms: Vec<Form>,
    /// The numbers of the forms that the interpreter has.
    pub known: Vec<usize>,
    /// The target of the kernels.
    pub target: &'static str,
}

impl Table {
    fn find(&self, opcode: &str) -> Option<usize> {
        self.known.iter().copied().find(|form| self.forms[*form].opcode == opcode)
    }

    /// Returns the forms of a kernel. All kernels together run through the table in random order, again and again.
    fn of_kernel(&self, seed: u64, number: usize) -> VecDeque<usize> {
        let mut order = self.known.clone();
        let mut last = None;
        (number * FORMS..(number + 1) * FORMS)
            .map(|i| {
                let round = i / order.len();
                if last != Some(round) {
                    order.clone_from(&self.known);
                    Rng::with_seed(seed.wrapping_mul(0x9e37_79b9).wrapping_add(round as u64))
                        .shuffle(&mut order);
                    last = Some(round);
                }
                order[i % order.len()]
            })
            .collect()
    }
}

/// Returns the kernel of a seed and a number.
pub fn kernel(table: &Table, seed: u64, number: usize) -> Kernel {
    let rng = Rng::with_seed(seed ^ (number as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut generator = Generator {
        table,
        rng,
        scope: Scope::default(),
        function: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        deferred: VecDeque::new(),
        next: 0,
    };
    let mut forms = table.of_kernel(seed, number);
    let mut nodes =
        generator.nodes(&mut forms, usize::MAX, Context { uniform: true, meets: false, depth: 0 });
    // What has to stand outside of structures.
    let mut deferred = std::mem::take(&mut generator.deferred);
    while let Some(form) = deferred.pop_front() {
        nodes.push(Node::Step(generator.step(form)));
    }
    let Generator { inputs, outputs, mut rng, .. } = generator;
    let values =
        (0..THREADS).map(|_| inputs.iter().map(|slot| input(&mut rng, &slot.ty)).collect()).collect();
    Kernel { nodes, inputs, values, outputs, target: table.target }
}

/// Returns an input of a type.
fn input(rng: &mut Rng, ty: &str) -> u64 {
    match ty {
        "angle" => match rng.u8(0..8) {
            0 => values::one(rng, "f32") | 0x7f80_0000,
            1 => u64::from(rng.u32(0..0x80_0000)),
            _ => u64::from(((rng.f32() * 2.0 - 1.0) * TAU).to_bits()),
        },
        "b128" => rng.u64(..),
        // Beside the NaN of `.oob`.
        "f16" | "bf16" | "f16x2" | "bf16x2" if rng.u8(0..16) == 0 => {
            let one = |rng: &mut Rng| [0x7ff7, 0xfff7, 0x7ff6, 0x7ff8][rng.usize(0..4)];
            if ty.ends_with("x2") { one(rng) << 16 | one(rng) } else { one(rng) }
        }
        _ if ty.starts_with(['u', 's', 'b']) && ty.len() <= 3 && rng.u8(0..4) == 0 => rng.u64(0..70),
        _ => values::one(rng, ty),
    }
}

/// The registers of the kernel or of a function.
#[derive(Default)]
struct Scope {
    counts: BTreeMap<char, usize>,
    /// The registers that later statements may read, with their types.
    known: Vec<(Register, String)>,
    /// The registers that conversions write.
    converted: BTreeSet<Register>,
    /// All registers with a result.
    results: Vec<(Register, String, Compare)>,
}

impl Scope {
    fn allocate(&mut self, class: char) -> Register {
        let count = self.counts.entry(class).or_default();
        *count += 1;
        Register { class, index: *count - 1 }
    }
}

/// The function in the making.
struct Function {
    caller: Scope,
    arguments: Vec<(Register, Register)>,
}

#[derive(Clone, Copy)]
struct Context {
    /// Whether all threads of the block come here equally often.
    uniform: bool,
    /// Whether a loop around may have barriers.
    meets: bool,
    depth: usize,
}

struct Generator<'t> {
    table: &'t Table,
    rng: Rng,
    scope: Scope,
    function: Option<Function>,
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
    deferred: VecDeque<usize>,
    /// The number of the next structure.
    next: usize,
}

/// A step in the making.
#[derive(Default)]
struct Draft {
    text: Vec<String>,
    after: Vec<String>,
    reads: Vec<Register>,
    writes: Vec<Register>,
    immediate: bool,
    /// Whether the statement reads registers of the types of its operands alone.
    exact: bool,
    /// Whether the statement reads no result of a conversion.
    unconverted: bool,
}

impl Generator<'_> {
    fn percent(&mut self, chance: u32) -> bool {
        self.rng.u32(0..100) < chance
    }

    fn id(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Returns a new register whose value is a result.
    fn fresh(&mut self, class: char, ty: &str, compare: Compare) -> Register {
        let register = self.scope.allocate(class);
        self.scope.results.push((register, ty.into(), compare));
        if self.function.is_none() {
            let at = self.outputs.last().map_or(0, |slot| slot.at + slot.register.bytes());
            let at = at.next_multiple_of(register.bytes());
            self.outputs.push(Slot { register, ty: ty.into(), at, compare });
        }
        register
    }

    fn learn(&mut self, register: Register, ty: &str) {
        self.scope.known.push((register, ty.into()));
    }

    /// Returns a predicate for branches.
    fn branches_by(&mut self) -> Register {
        let is_pred = |(_, ty): &&(Register, String)| ty == "pred";
        let known: Vec<Register> =
            self.scope.known.iter().filter(is_pred).map(|(register, _)| *register).collect();
        if known.is_empty() || self.percent(40) {
            self.input('p', "pred")
        } else {
            known[self.rng.usize(..known.len())]
        }
    }

    fn input(&mut self, class: char, ty: &str) -> Register {
        let outer = match &mut self.function {
            Some(function) => function.caller.allocate(class),
            None => self.scope.allocate(class),
        };
        let at = self.inputs.last().map_or(0, |slot| slot.at + 16);
        self.inputs.push(Slot { register: outer, ty: ty.into(), at, compare: Compare::Equal });
        match &mut self.function {
            Some(function) => {
                let inner = self.scope.allocate(class);
                function.caller.known.push((outer, ty.into()));
                function.arguments.push((inner, outer));
                self.learn(inner, ty);
                inner
            }
            None => {
                self.learn(outer, ty);
                outer
            }
        }
    }

    /// Returns a register to read, of a class and, always or most often, of a type.
    fn register(&mut self, class: char, ty: &str, draft: &Draft) -> Register {
        if !self.percent(40) && ty != "angle" {
            let exact = draft.exact || self.percent(70);
            let known = &self.scope.known;
            let fits = |(register, other): &&(Register, String)| {
                register.class == class
                    && other != "angle"
                    && (!exact || is_alike(other, ty))
                    && !(draft.unconverted && self.scope.converted.contains(register))
                    && (class == 'p' || !departures::confuses(other, ty))
            };
            let fitting: Vec<Register> = known.iter().filter(fits).map(|(register, _)| *register).collect();
            if !fitting.is_empty() {
                return fitting[self.rng.usize(..fitting.len())];
            }
        }
        self.input(class, ty)
    }

    fn read(&mut self, draft: &mut Draft, class: char, ty: &str) -> Register {
        let register = self.register(class, ty, draft);
        draft.reads.push(register);
        register
    }

    fn immediate(&mut self, ty: &str) -> Option<String> {
        let bits = values::bits(ty);
        let value = input(&mut self.rng, ty);
        Some(match ty {
            "f32" => format!("0f{value:08X}"),
            "f64" => format!("0d{value:016X}"),
            _ if !is_integer(ty) || !(16..=64).contains(&bits) => return None,
            _ if ty.starts_with('s') || self.percent(30) => {
                let shift = 64 - bits;
                ((value << shift) as i64 >> shift).to_string()
            }
            _ if self.percent(50) => format!("{value:#x}"),
            _ => value.to_string(),
        })
    }

    /// Returns a source of a type: a register, or the only immediate of the statement.
    fn source(&mut self, draft: &mut Draft, ty: &str, can_be_immediate: bool) -> String {
        if can_be_immediate
            && !draft.immediate
            && self.percent(12)
            && let Some(text) = self.immediate(ty)
        {
            draft.immediate = true;
            return text;
        }
        self.read(draft, class(ty), ty).to_string()
    }

    /// Returns a class for a type in a register that may be wider.
    fn wider(&mut self, ty: &str) -> char {
        if !is_integer(ty) || !self.percent(50) {
            return class(ty);
        }
        let classes: &[char] = match class(ty) {
            'h' => &['h', 'r', 'd'],
            'r' => &['r', 'd'],
            'd' => &['d'],
            _ => return class(ty),
        };
        classes[self.rng.usize(..classes.len())]
    }

    fn nodes(&mut self, forms: &mut VecDeque<usize>, count: usize, context: Context) -> Vec<Node> {
        let mut nodes = Vec::new();
        let before = forms.len();
        while before - forms.len() < count && !forms.is_empty() {
            let inner = Context { depth: context.depth + 1, ..context };
            let split = Context { uniform: false, ..inner };
            let few = self.rng.usize(1..5);
            let deep = context.depth >= 2 || self.function.is_some();
            let choice = self.rng.u32(0..100);
            let node = match choice {
                0..6 if !deep => {
                    let guard = (self.branches_by(), self.rng.bool());
                    let (id, then) = (self.id(), self.nodes(forms, few, split));
                    let otherwise = if self.rng.bool() { self.nodes(forms, few, split) } else { Vec::new() };
                    Node::If { id, guard, then, otherwise }
                }
                6..10 if !deep => {
                    let (id, count) = (self.id(), self.rng.u32(2..5));
                    let inner = Context { meets: true, ..inner };
                    Node::Loop { id, count, by: None, body: self.nodes(forms, few, inner) }
                }
                10..13 if !deep => {
                    let (id, by) = (self.id(), self.register('r', "u32", &Draft::default()));
                    Node::Loop { id, count: 0, by: Some(by), body: self.nodes(forms, few, split) }
                }
                13..16 if !deep => {
                    let (id, by) = (self.id(), self.register('r', "u32", &Draft::default()));
                    let arms =
                        (0..[2, 4][self.rng.usize(0..2)]).map(|_| self.nodes(forms, 2, split)).collect();
                    Node::Switch { id, by, arms }
                }
                16..20 if self.function.is_none() => self.call(forms, few, split),
                20..22 if context.uniform && self.function.is_none() => Node::Step(self.exchange()),
                22..26 if context.uniform && self.function.is_none() => Node::Step(self.matrices()),
                26..29 if self.function.is_none() => Node::Step(self.common()),
                29..31 => Node::Step(self.special()),
                _ => {
                    let Some(form) = forms.pop_front() else { break };
                    let (of, function) = (&self.table.forms[form], self.function.is_some());
                    if of.is_collective() && !context.uniform
                        || context.meets && departures::merges_retries(of)
                        || context.depth > 0 && (departures::loses_flush(of) || departures::loses_guard(of))
                        || function
                            && of.operands.iter().any(|kind| matches!(kind, Kind::Address | Kind::Pointer))
                    {
                        self.deferred.push_back(form);
                        continue;
                    }
                    Node::Step(self.step(form))
                }
            };
            nodes.push(node);
        }
        nodes
    }

    fn call(&mut self, forms: &mut VecDeque<usize>, count: usize, context: Context) -> Node {
        let id = self.id();
        let caller = std::mem::take(&mut self.scope);
        self.function = Some(Function { caller, arguments: Vec::new() });
        let body = self.nodes(forms, count, context);
        let inside = std::mem::take(&mut self.scope).results;
        let mut arguments = Vec::new();
        if let Some(function) = self.function.take() {
            self.scope = function.caller;
            arguments = function.arguments;
        }
        let results = inside
            .into_iter()
            .map(|(register, ty, compare)| {
                let outer = self.fresh(register.class, &ty, compare);
                if compare == Compare::Equal {
                    self.learn(outer, &ty);
                }
                (register, outer)
            })
            .collect();
        Node::Call { id, arguments, body, results }
    }

    /// Passes values between the threads, in shared memory between two barriers.
    fn exchange(&mut self) -> Step {
        let mut draft = Draft::default();
        let value = self.read(&mut draft, 'd', "b64");
        let (own, other, lane) =
            (self.scope.allocate('d'), self.scope.allocate('d'), self.scope.allocate('r'));
        let d = self.fresh('d', "b64", Compare::Equal);
        let distance = self.rng.usize(1..THREADS);
        draft.writes.extend([own, other, lane, d]);
        draft.text = vec![
            format!("mad.wide.u32 {own}, %thread, 8, %exchange;"),
            format!("st.shared.b64 [{own}], {value};"),
            "bar.sync 0;".into(),
            format!("xor.b32 {lane}, %thread, {distance};"),
            format!("mad.wide.u32 {other}, {lane}, 8, %exchange;"),
            format!("ld.shared.b64 {d}, [{other}];"),
            "bar.sync 0;".into(),
        ];
        self.learn(d, "b64");
        finish(draft, vec![], None)
    }

    /// Loads, stores, transposes or multiplies matrices of a warp.
    fn matrices(&mut self) -> Step {
        let mut draft = Draft::default();
        match self.rng.u8(0..if self.table.target == TARGETS[0] { 10 } else { 8 }) {
            0 => self.loaded(&mut draft),
            1 => self.stored(&mut draft),
            2 => {
                let a = self.read(&mut draft, 'r', "b32");
                let d = self.results(&mut draft, "b32", 1);
                draft.text.push(format!("movmatrix.sync.aligned.m8n8.trans.b16 {}, {a};", d[0]));
            }
            3..6 => self.multiplied(&mut draft),
            6..8 => self.multiplied_sparse(&mut draft),
            _ => self.multiplied_by_warpgroup(&mut draft),
        }
        finish(draft, vec![], None)
    }

    /// Returns new registers of results.
    fn results(&mut self, draft: &mut Draft, ty: &str, count: usize) -> Vec<Register> {
        let results: Vec<_> = (0..count).map(|_| self.fresh(class(ty), ty, Compare::Equal)).collect();
        draft.writes.extend(&results);
        results.iter().for_each(|register| self.learn(*register, ty));
        results
    }

    /// Loads matrices from what all threads have stored, whose 32 rows of 16 bytes each warp may load.
    fn loaded(&mut self, draft: &mut Draft) {
        let count = [1, 2, 4][self.rng.usize(0..3)];
        let trans = ["", ".trans"][self.rng.usize(0..2)];
        let value = self.read(draft, 'd', "b64");
        let (own, row, lane) = (self.scope.allocate('d'), self.scope.allocate('d'), self.scope.allocate('r'));
        draft.writes.extend([own, row, lane]);
        let from = self.rng.u32(0..32);
        let d = list(&self.results(draft, "b32", count));
        draft.text = vec![
            format!("mad.wide.u32 {own}, %thread, 8, %exchange;"),
            format!("st.shared.b64 [{own}], {value};"),
            "bar.sync 0;".into(),
            format!("add.u32 {lane}, %thread, {from};"),
            format!("and.b32 {lane}, {lane}, 31;"),
            format!("mad.wide.u32 {row}, {lane}, 16, %exchange;"),
            format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {d}, [{row}];"),
            "bar.sync 0;".into(),
        ];
    }

    /// Stores matrices, to 16 rows of each warp, and loads what another thread has of them.
    fn stored(&mut self, draft: &mut Draft) {
        let trans = ["", ".trans"][self.rng.usize(0..2)];
        let a = [self.read(draft, 'r', "b32"), self.read(draft, 'r', "b32")];
        let (own, row, lane) = (self.scope.allocate('d'), self.scope.allocate('d'), self.scope.allocate('r'));
        draft.writes.extend([own, row, lane]);
        let d = self.results(draft, "b64", 1)[0];
        let distance = self.rng.usize(1..THREADS);
        draft.text = vec![
            // The lanes from 16 on give the rows of the lanes below, which do not count.
            format!("and.b32 {lane}, %thread, 15;"),
            format!("mad.wide.u32 {row}, {lane}, 16, %exchange;"),
            format!("shr.u32 {lane}, %thread, 5;"),
            format!("mad.wide.u32 {row}, {lane}, 256, {row};"),
            format!("stmatrix.sync.aligned.m8n8.x2{trans}.shared.b16 [{row}], {};", list(&a)),
            "bar.sync 0;".into(),
            format!("xor.b32 {lane}, %thread, {distance};"),
            format!("mad.wide.u32 {own}, {lane}, 8, %exchange;"),
            format!("ld.shared.b64 {d}, [{own}];"),
            "bar.sync 0;".into(),
        ];
    }

    /// Returns registers of a fragment of a type, whose values keep sums exact in any order: integers, or floats of 1/2 and 1 with any
    /// sign.
    fn fragment(&mut self, draft: &mut Draft, ty: &str, count: usize) -> Vec<Register> {
        let class = if ty == "f64" { 'd' } else { 'r' };
        (0..count)
            .map(|_| {
                let source = self.read(draft, class, if ty == "f64" { "b64" } else { "b32" });
                let Some((kept, set)) = exact(ty) else { return source };
                let number = self.scope.allocate(class);
                draft.writes.push(number);
                let bits = if class == 'd' { 64 } else { 32 };
                draft.text.push(format!("and.b{bits} {number}, {source}, {kept:#x};"));
                draft.text.push(format!("or.b{bits} {number}, {number}, {set:#x};"));
                number
            })
            .collect()
    }

    /// Returns a register with metadata of a sparse matrix of a type, which differs between threads.
    fn metadata(&mut self, draft: &mut Draft, ty: &str) -> Register {
        // Of each two elements one, or of each four elements, or pairs of elements, two.
        let legal: &[u32] = match ty {
            "tf32" => &[0b0100, 0b1110],
            _ => &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110],
        };
        let mut words = [0; 2];
        for word in &mut words {
            *word = (0..8).fold(0, |word, _| word << 4 | legal[self.rng.usize(..legal.len())]);
        }
        let (chooses, metadata) = (self.read(draft, 'p', "pred"), self.scope.allocate('r'));
        draft.writes.push(metadata);
        draft.text.push(format!("selp.b32 {metadata}, {:#x}, {:#x}, {chooses};", words[0], words[1]));
        metadata
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.usize(..all.len())]
    }

    /// Multiplies matrices of a warp.
    fn multiplied(&mut self, draft: &mut Draft) {
        let Product { shape, sum, types, registers: [of_d, of_a, of_b], .. } = self.one_of(&DENSE);
        let [a_type, b_type] = types.map(|all| self.one_of(all));
        let a = list(&self.fragment(draft, a_type, of_a));
        let b = list(&self.fragment(draft, b_type, of_b));
        let c = list(&self.fragment(draft, sum, of_d));
        let d = list(&self.results(draft, held(sum), of_d));
        let is_integer = sum == "s32" && a_type != "b1";
        let satfinite = if is_integer && self.rng.bool() { ".satfinite" } else { "" };
        let operation = match (a_type, self.rng.bool()) {
            ("b1", true) => ".xor.popc",
            ("b1", false) => ".and.popc",
            _ => "",
        };
        draft.text.push(format!(
            "mma.sync.aligned.{shape}.row.col{satfinite}.{sum}.{a_type}.{b_type}.{sum}{operation} {d}, {a}, {b}, {c};"
        ));
    }

    /// Multiplies a sparse matrix of a warp.
    fn multiplied_sparse(&mut self, draft: &mut Draft) {
        let Product { shape, sum, types, registers: [of_d, of_a, of_b], selectors } = self.one_of(&SPARSE);
        let [a_type, b_type] = types.map(|all| self.one_of(all));
        let a = list(&self.fragment(draft, a_type, of_a));
        let b = list(&self.fragment(draft, b_type, of_b));
        let c = list(&self.fragment(draft, sum, of_d));
        let metadata = self.metadata(draft, a_type);
        let d = list(&self.results(draft, held(sum), of_d));
        let satfinite = if sum == "s32" && self.rng.bool() { ".satfinite" } else { "" };
        let ordered = if self.rng.bool() { "::ordered_metadata" } else { "" };
        let selector = self.rng.usize(..selectors);
        draft.text.push(format!(
            "mma.sp{ordered}.sync.aligned.{shape}.row.col{satfinite}.{sum}.{a_type}.{b_type}.{sum} {d}, {a}, {b}, {c}, {metadata}, \
             {selector};"
        ));
    }

    /// Multiplies matrices of the warpgroup. Those in shared memory are two views of the same random elements.
    fn multiplied_by_warpgroup(&mut self, draft: &mut Draft) {
        let of_k = self.one_of(&WARPGROUP);
        let is_sparse = of_k.types != ["b1"] && self.rng.bool();
        let sum = self.one_of(of_k.sums);
        let (a_type, b_type) = (self.one_of(of_k.types), self.one_of(of_k.types));
        let n: usize = self.one_of(&[8, 16, 24, 32, 64]);
        let count = if sum == "f16" { n / 4 } else { n / 2 };

        // A thread fills 64 bytes, half of them from each of two registers.
        let values = [self.read(draft, 'd', "b64"), self.read(draft, 'd', "b64")];
        let (own, word) = (self.scope.allocate('d'), [self.scope.allocate('d'), self.scope.allocate('d')]);
        draft.writes.extend([own, word[0], word[1]]);
        draft.text.push(format!("mad.wide.u32 {own}, %thread, {}, %matrices;", MATRICES / THREADS));
        for at in (0..MATRICES / THREADS).step_by(16) {
            for (word, value) in word.into_iter().zip(values) {
                draft.text.push(format!("xor.b64 {word}, {value}, {:#x};", self.rng.u64(..)));
                // Bytes are of two types of floats: those that are exact in the one have few bits in the other.
                if let Some((kept, set)) = exact(of_k.types[0]) {
                    draft.text.push(format!("and.b64 {word}, {word}, {:#x};", kept << 32 | kept));
                    draft.text.push(format!("or.b64 {word}, {word}, {:#x};", set << 32 | set));
                }
            }
            draft.text.push(format!("st.shared.v2.b64 [{own}+{at}], {{{}, {}}};", word[0], word[1]));
        }

        let is_half = matches!(of_k.types[0], "f16" | "bf16");
        let start = self.scope.allocate('d');
        draft.writes.push(start);
        draft.text.push(format!("shr.u64 {start}, %matrices, 4;"));
        draft.text.push(format!("and.b64 {start}, {start}, 0x3fff;"));
        let descriptor = |this: &mut Self, draft: &mut Draft, lines: usize, depth: usize| {
            let mn_major = is_half && this.rng.bool();
            let (_, mut width, mut mode) = this.one_of(&LAYOUTS);
            // The pattern of 32 bytes has less than a row.
            if depth > width && width > 16 {
                (_, width, mode) = LAYOUTS[2];
            }
            let matrix = matrix(width, lines, depth, mn_major);
            assert!(matrix.bytes <= MATRICES, "{lines} lines of {depth} bytes, in {} bytes", matrix.bytes);
            let register = this.scope.allocate('d');
            draft.writes.push(register);
            draft.text.push(format!("or.b64 {register}, {start}, {:#x};", matrix.descriptor(mode)));
            (register.to_string(), u32::from(mn_major))
        };
        let in_memory = self.rng.bool();
        let (a, a_order) = match in_memory {
            true => descriptor(self, draft, 64, 32),
            false => (list(&self.fragment(draft, a_type, 4)), 0),
        };
        let (b, b_order) = descriptor(self, draft, n, if is_sparse { 64 } else { 32 });
        let (mut sp, mut metadata, mut k) = ("", String::new(), of_k.k);
        if is_sparse {
            let selectors = if of_k.k < 32 { 2 } else { 1 };
            metadata = format!("{}, {}, ", self.metadata(draft, a_type), self.rng.usize(..selectors));
            (sp, k) = (".sp", 2 * of_k.k);
        }
        let c = self.fragment(draft, sum, count);
        let d = self.results(draft, held(sum), count);
        draft.text.extend(d.iter().zip(&c).map(|(d, c)| format!("mov.b32 {d}, {c};")));
        let adds = self.scope.allocate('p');
        draft.writes.push(adds);
        draft.text.push(format!("setp.ne.u32 {adds}, {}, 0;", self.rng.u32(0..4)));
        let satfinite = if sum == "s32" && a_type != "b1" && self.rng.bool() { ".satfinite" } else { "" };
        let mut rest = String::new();
        if sum != "s32" {
            rest += &format!(", {}, {}", self.one_of(&[1, -1]), self.one_of(&[1, -1]));
        }
        if is_half {
            rest += &if in_memory { format!(", {a_order}, {b_order}") } else { format!(", {b_order}") };
        }
        let operation = if a_type == "b1" { ".and.popc" } else { satfinite };
        let product = format!(
            "wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}.{sum}.{a_type}.{b_type}{operation} {}, {a}, {b}, {metadata}{adds}{rest};",
            list(&d)
        );
        draft.text.push("fence.proxy.async.shared::cta;".into());
        draft.text.push("bar.sync 0;".into());
        draft.text.push("wgmma.fence.sync.aligned;".into());
        draft.text.push(product.clone());
        // The next product may be of the same group, or of one of its own.
        match self.rng.u8(0..3) {
            0 => {}
            1 => draft.text.push(product),
            _ => {
                draft.text.push("wgmma.commit_group.sync.aligned;".into());
                draft.text.push(product);
                draft.text.push("wgmma.commit_group.sync.aligned;".into());
                draft.text.push("wgmma.wait_group.sync.aligned 1;".into());
            }
        }
        draft.text.push("wgmma.commit_group.sync.aligned;".into());
        draft.text.push("wgmma.wait_group.sync.aligned 0;".into());
        draft.text.push("bar.sync 0;".into());
    }

    /// Changes common memory by an operation whose order does not matter.
    fn common(&mut self) -> Step {
        const OPERATIONS: [(&str, &str); 8] = [
            ("add", "u32"),
            ("xor", "b32"),
            ("or", "b32"),
            ("max", "u32"),
            ("min", "s32"),
            ("add", "u64"),
            ("max", "s64"),
            ("xor", "b64"),
        ];
        let mut draft = Draft::default();
        let place = self.rng.usize(..OPERATIONS.len());
        let (operation, ty) = OPERATIONS[place];
        let value = self.read(&mut draft, class(ty), ty);
        draft.text.push(format!("red.global.{operation}.{ty} [%common+{}], {value};", 8 * place));
        finish(draft, vec![], None)
    }

    fn special(&mut self) -> Step {
        const REGISTERS: [&str; 12] = [
            "%tid.x",
            "%tid.y",
            "%ntid.x",
            "%ctaid.x",
            "%nctaid.x",
            "%laneid",
            "%lanemask_eq",
            "%lanemask_lt",
            "%lanemask_le",
            "%lanemask_gt",
            "%lanemask_ge",
            "WARP_SZ",
        ];
        let mut draft = Draft::default();
        let d = self.fresh('r', "u32", Compare::Equal);
        draft.writes.push(d);
        draft.text.push(format!("mov.u32 {d}, {};", REGISTERS[self.rng.usize(..REGISTERS.len())]));
        self.learn(d, "u32");
        finish(draft, vec![], None)
    }

    /// Returns a form that writes the carry flag, and does not read it.
    fn carry_setter(&mut self) -> Option<usize> {
        let opcodes =
            ["add.cc.u32", "sub.cc.u32", "add.cc.s64", "sub.cc.u64", "mad.lo.cc.u32", "mad.hi.cc.s32"];
        let found: Vec<_> = opcodes.iter().filter_map(|opcode| self.table.find(opcode)).collect();
        (!found.is_empty()).then(|| found[self.rng.usize(..found.len())])
    }

    fn step(&mut self, form: usize) -> Step {
        let (mut draft, mut forms) = (Draft::default(), Vec::new());
        let of = &self.table.forms[form];
        if of.reads_carry()
            && let Some(setter) = self.carry_setter()
        {
            forms.push(setter);
            self.statement(&mut draft, setter);
        }
        forms.push(form);
        self.statement(&mut draft, form);
        if of.writes_carry() {
            let readers = ["addc.u32", "subc.u32"];
            if let Some(reader) = self.table.find(readers[self.rng.usize(0..2)]) {
                forms.push(reader);
                self.statement(&mut draft, reader);
            }
        }
        let is_whole = departures::loses_guard(of) || departures::loses_flush(of);
        let guard = if !of.is_collective() && !is_whole && self.percent(12) {
            let register = self.register('p', "pred", &Draft::default());
            Some((register, self.rng.bool()))
        } else {
            None
        };
        finish(draft, forms, guard)
    }

    /// Adds the statement of a form.
    fn statement(&mut self, draft: &mut Draft, form: usize) {
        let table = self.table;
        let of = &table.forms[form];
        let destinations = of.destinations();
        draft.immediate = false;
        draft.exact = departures::compares_truths(of);
        draft.unconverted = departures::folds_conversions(of);
        let mut operands = Vec::new();
        for kind in &of.operands[destinations..] {
            let mut text = self.operand(draft, of, kind);
            if let Kind::Value(ty) = kind
                && operands.contains(&text)
                && departures::folds_equal_operands(of)
            {
                let other = self.input(class(ty), ty);
                draft.reads.pop();
                draft.reads.push(other);
                text = other.to_string();
            }
            operands.push(text);
        }
        if let Some(kind) = of.operands.first().filter(|_| destinations == 1) {
            let text = self.destination(draft, of, kind);
            operands.insert(0, text);
        }
        if departures::folds_conversions(of) {
            self.scope.converted.extend(&draft.writes);
        }
        draft.text.push(format!("{} {};", of.opcode, operands.join(", ")).replace(" ;", ";"));
        let after = std::mem::take(&mut draft.after);
        draft.text.extend(after);
    }

    fn operand(&mut self, draft: &mut Draft, of: &Form, kind: &Kind) -> String {
        match kind {
            Kind::Value(_) if matches!(of.head(), "sin" | "cos") => {
                self.read(draft, 'r', "angle").to_string()
            }
            Kind::Value(ty) => {
                let is_on_lanes = matches!(of.operands.first(), Some(Kind::Masked(2 | 4)));
                let can_be_immediate =
                    !is_on_lanes && !matches!(of.head(), "cvt" | "match") && !of.has("cvt");
                self.source(draft, ty, can_be_immediate)
            }
            Kind::AtLeast(ty) => {
                let class = self.wider(ty);
                self.read(draft, class, ty).to_string()
            }
            Kind::Byte(ty) => {
                let source = self.read(draft, 'h', ty);
                draft.text.push(format!("mov.b16 {{%byte, _}}, {source};"));
                "%byte".into()
            }
            Kind::Group(types) => {
                let list: Vec<_> =
                    types.iter().map(|ty| self.read(draft, class(ty), ty).to_string()).collect();
                format!("{{{}}}", list.join(", "))
            }
            Kind::Predicate => {
                let not = if self.rng.bool() { "!" } else { "" };
                format!("{not}{}", self.read(draft, 'p', "pred"))
            }
            Kind::Below(limit) if !draft.immediate && self.percent(25) => {
                draft.immediate = true;
                self.rng.u32(0..*limit).to_string()
            }
            Kind::Below(limit) => {
                let source = self.read(draft, 'r', "u32");
                let d = self.fresh('r', "u32", Compare::Equal);
                draft.writes.push(d);
                draft.text.push(format!("and.b32 {d}, {source}, {};", limit - 1));
                d.to_string()
            }
            Kind::Nonzero(ty) => {
                let source = self.read(draft, class(ty), ty);
                let (is_zero, d) = (self.scope.allocate('p'), self.fresh(class(ty), ty, Compare::Equal));
                let bits = values::bits(ty);
                draft.writes.extend([is_zero, d]);
                draft.text.push(format!("setp.eq.b{bits} {is_zero}, {source}, 0;"));
                draft.text.push(format!("selp.b{bits} {d}, 1, {source}, {is_zero};"));
                d.to_string()
            }
            Kind::Table => format!("{:#x}", self.rng.u8(..)),
            Kind::Event => self.rng.u8(0..16).to_string(),
            Kind::Members => "0xffffffff".into(),
            Kind::Address => self.address(of),
            Kind::Pointer => {
                let (in_space, generic) = addresses(of);
                if of.head() == "cvta" {
                    return if of.has("to") { generic } else { in_space }.into();
                }
                // A window of parameters may be one of constants.
                let all = ["%global_slot", "%shared_generic", "%local_generic", "%const_generic"];
                let is_param = of.words().any(|word| word.starts_with("param"));
                all[self.rng.usize(0..if is_param { 3 } else { 4 })].into()
            }
            Kind::Part(lanes) => {
                let register = self.read(draft, 'r', "b32");
                format!("{register}{}", self.selector(*lanes))
            }
            Kind::Pair(..) | Kind::Masked(_) | Kind::Distance => String::new(),
        }
    }

    /// Returns a selector of the parts of a source of a video instruction.
    fn selector(&mut self, lanes: u32) -> String {
        if self.percent(30) {
            return String::new();
        }
        let digits = |rng: &mut Rng, letter: char, limit: u32| {
            format!(".{letter}") + &(0..lanes).map(|_| rng.u32(0..limit).to_string()).collect::<String>()
        };
        let selector = match lanes {
            1 if self.rng.bool() => digits(&mut self.rng, 'h', 2),
            2 => digits(&mut self.rng, 'h', 4),
            1 => digits(&mut self.rng, 'b', 4),
            _ => digits(&mut self.rng, 'b', 8),
        };
        // To ptxas this is a type.
        if selector == ".b1024" { String::new() } else { selector }
    }

    fn address(&mut self, of: &Form) -> String {
        // What no thread writes.
        let is_constant = of.has("nc") || of.head() == "ldu";
        if is_constant && self.inputs.is_empty() {
            self.input('d', "b64");
        }
        let is_strong = of
            .words()
            .any(|word| ["relaxed", "acquire", "release", "volatile", "atom", "red"].contains(&word));
        let space = of.words().find(|word| {
            ["global", "shared", "shared::cta", "shared::cluster", "local", "const"].contains(word)
        });
        let register = match space {
            _ if is_constant => "%in",
            Some("global") => "%global_slot",
            Some("local") => "%local_slot",
            Some("const") => "%const_slot",
            Some(_) => "%shared_slot",
            None if of.head() == "prefetch" || of.has("v2") && of.head() == "atom" => "%global_slot",
            None if of.head() == "atom" && of.has("v4") => "%global_slot",
            // Local memory has no atomics, and nothing to be ordered with.
            None => ["%global_slot", "%shared_generic", "%local_generic"]
                [self.rng.usize(0..if is_strong { 2 } else { 3 })],
        };
        let count = of.words().find_map(|word| word.strip_prefix('v')?.parse().ok()).unwrap_or(1);
        let ty = of.words().next_back().unwrap_or_default();
        let ty = if ty.starts_with('L') { "b32" } else { ty };
        let bytes = (values::bits(ty) as usize / 8).max(1) * count;
        let at = bytes * self.rng.usize(0..if is_constant { 16 } else { PRIVATE } / bytes);
        if at == 0 { format!("[{register}]") } else { format!("[{register}+{at}]") }
    }

    fn destination(&mut self, draft: &mut Draft, of: &Form, kind: &Kind) -> String {
        let compare = comparison(of);
        let mut one = |this: &mut Self, class: char, ty: &str| -> String {
            if compare == Compare::Equal && !opens_nan(of, ty) && this.percent(8) {
                // Writes a register again.
                let fits = |(register, other): &&(Register, String)| {
                    let is_result = this.scope.results.iter().any(|(result, ..)| result == register);
                    register.class == class && is_alike(other, ty) && is_result
                };
                let last = this.scope.known.iter().rev().find(fits).map(|(register, _)| *register);
                if let Some(register) = last.filter(|register| !draft.writes.contains(register)) {
                    draft.writes.push(register);
                    draft.reads.push(register);
                    return register.to_string();
                }
            }
            let d = this.fresh(class, ty, compare);
            draft.writes.push(d);
            if compare == Compare::Equal {
                // A `.tf32` is a float, although its register is of bits.
                let holds = match ty {
                    "pred" if of.has("ftz") => departures::FLUSHED,
                    "b32" if of.has("tf32") => "f32",
                    ty => ty,
                };
                this.learn(d, holds);
            }
            if !opens_nan(of, ty) {
                return d.to_string();
            }
            let (raw, is_nan) = (this.scope.allocate(class), this.scope.allocate('p'));
            let (bits, nan) = if ty == "f64" { (64, 0x7ff8_0000_0000_0000_u64) } else { (32, 0x7fff_ffff) };
            draft.writes.extend([raw, is_nan]);
            draft.after.push(format!("testp.notanumber.{ty} {is_nan}, {raw};"));
            draft.after.push(format!("selp.b{bits} {d}, {nan:#x}, {raw}, {is_nan};"));
            raw.to_string()
        };
        match kind {
            Kind::Value(ty) | Kind::Nonzero(ty) => one(self, class(ty), ty),
            Kind::AtLeast(ty) => {
                let class = self.wider(ty);
                one(self, class, ty)
            }
            Kind::Byte(ty) => {
                let d = one(self, 'h', ty);
                draft.after.push(format!("mov.b16 {d}, {{%byte, %pad}};"));
                "%byte".into()
            }
            Kind::Pair(d, p) => format!("{}|{}", one(self, class(d), d), one(self, class(p), p)),
            Kind::Group(types) => {
                let list: Vec<_> = types.iter().map(|ty| one(self, class(ty), ty)).collect();
                format!("{{{}}}", list.join(", "))
            }
            Kind::Distance => {
                let (in_space, generic) = addresses(of);
                let expected = if of.has("to") { in_space } else { generic };
                let (raw, d) = (self.scope.allocate('d'), self.fresh('d', "b64", Compare::Equal));
                draft.writes.extend([raw, d]);
                draft.after.push(format!("sub.u64 {d}, {raw}, {expected};"));
                raw.to_string()
            }
            Kind::Masked(lanes) => {
                let d = one(self, 'r', "b32");
                let mask = self.mask(*lanes);
                d + &mask
            }
            _ => String::new(),
        }
    }

    /// Returns the mask of a destination of a video instruction.
    fn mask(&mut self, lanes: u32) -> String {
        if lanes == 1 {
            let mut masks = vec![".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];
            masks.retain(|mask| !departures::merges_wrong_half(mask));
            return masks[self.rng.usize(..masks.len())].into();
        }
        let set = self.rng.u32(0..1 << lanes);
        if set == 0 {
            return String::new();
        }
        let digits: String =
            (0..lanes).rev().filter(|lane| set >> lane & 1 == 1).map(|lane| lane.to_string()).collect();
        format!(".{}{digits}", if lanes == 2 { 'h' } else { 'b' })
    }
}

/// Returns the registers of an address in the space of a form, and of the same address as a generic one.
fn addresses(of: &Form) -> (&'static str, &'static str) {
    match () {
        () if of.has("local") => ("%local_slot", "%local_generic"),
        () if of.has("const") => ("%const_slot", "%const_generic"),
        () if of.has("global") => ("%global_slot", "%global_slot"),
        () => ("%shared_slot", "%shared_generic"),
    }
}

/// A product of matrices of a warp.
#[derive(Clone, Copy)]
struct Product {
    shape: &'static str,
    /// The type of the sums, and those of A and of B.
    sum: &'static str,
    types: [&'static [&'static str]; 2],
    /// The registers of D, A and B.
    registers: [usize; 3],
    /// The values of the selector of metadata.
    selectors: usize,
}

const fn product(
    shape: &'static str,
    sum: &'static str,
    types: [&'static [&'static str]; 2],
    registers: [usize; 3],
    selectors: usize,
) -> Product {
    Product { shape, sum, types, registers, selectors }
}

const BYTES: [&[&str]; 2] = [&["s8", "u8"]; 2];
const NIBBLES: [&[&str]; 2] = [&["s4", "u4"]; 2];
const BITS: [&[&str]; 2] = [&["b1"]; 2];
const HALVES: [&[&str]; 2] = [&["f16"]; 2];
const BF16: [&[&str]; 2] = [&["bf16"]; 2];
const TF32: [&[&str]; 2] = [&["tf32"]; 2];
const DOUBLES: [&[&str]; 2] = [&["f64"]; 2];
const FP8: [&[&str]; 2] = [&["e4m3", "e5m2"]; 2];

const DENSE: [Product; 16] = [
    product("m8n8k16", "s32", BYTES, [2, 1, 1], 0),
    product("m16n8k16", "s32", BYTES, [4, 2, 1], 0),
    product("m16n8k32", "s32", BYTES, [4, 4, 2], 0),
    product("m8n8k32", "s32", NIBBLES, [2, 1, 1], 0),
    product("m16n8k64", "s32", NIBBLES, [4, 4, 2], 0),
    product("m16n8k256", "s32", BITS, [4, 4, 2], 0),
    product("m16n8k8", "f32", HALVES, [4, 2, 1], 0),
    product("m16n8k16", "f32", HALVES, [4, 4, 2], 0),
    product("m16n8k16", "f16", HALVES, [2, 4, 2], 0),
    product("m16n8k8", "f32", BF16, [4, 2, 1], 0),
    product("m16n8k16", "f32", BF16, [4, 4, 2], 0),
    product("m16n8k4", "f32", TF32, [4, 2, 1], 0),
    product("m16n8k8", "f32", TF32, [4, 4, 2], 0),
    product("m16n8k32", "f32", FP8, [4, 4, 2], 0),
    product("m8n8k4", "f64", DOUBLES, [2, 1, 1], 0),
    product("m16n8k8", "f64", DOUBLES, [4, 4, 2], 0),
];

const SPARSE: [Product; 13] = [
    product("m16n8k16", "f32", HALVES, [4, 2, 2], 4),
    product("m16n8k16", "f16", HALVES, [2, 2, 2], 4),
    product("m16n8k32", "f32", HALVES, [4, 4, 4], 2),
    product("m16n8k32", "f16", HALVES, [2, 4, 4], 2),
    product("m16n8k16", "f32", BF16, [4, 2, 2], 4),
    product("m16n8k32", "f32", BF16, [4, 4, 4], 2),
    product("m16n8k8", "f32", TF32, [4, 2, 2], 4),
    product("m16n8k16", "f32", TF32, [4, 4, 4], 2),
    product("m16n8k32", "s32", BYTES, [4, 2, 2], 2),
    product("m16n8k64", "s32", BYTES, [4, 4, 4], 1),
    product("m16n8k64", "s32", NIBBLES, [4, 2, 2], 2),
    product("m16n8k128", "s32", NIBBLES, [4, 4, 4], 1),
    product("m16n8k64", "f32", FP8, [4, 4, 4], 1),
];

/// Products of a warpgroup: K, and the types.
#[derive(Clone, Copy)]
struct OfWarpgroup {
    k: usize,
    sums: &'static [&'static str],
    types: &'static [&'static str],
}

const WARPGROUP: [OfWarpgroup; 6] = [
    OfWarpgroup { k: 16, sums: &["f32", "f16"], types: &["f16"] },
    OfWarpgroup { k: 16, sums: &["f32"], types: &["bf16"] },
    OfWarpgroup { k: 8, sums: &["f32"], types: &["tf32"] },
    OfWarpgroup { k: 32, sums: &["f32", "f16"], types: &["e4m3", "e5m2"] },
    OfWarpgroup { k: 32, sums: &["s32"], types: &["s8", "u8"] },
    OfWarpgroup { k: 256, sums: &["s32"], types: &["b1"] },
];

/// Returns the bits of a word that stay of any value, and those that make it elements of 1/2 and 1 with any sign. Of integers: none.
fn exact(ty: &str) -> Option<(u64, u64)> {
    Some(match ty {
        "f64" => (0x8010_0000_0000_0000, 0x3fe0_0000_0000_0000),
        "f32" | "tf32" => (0x8080_0000, 0x3f00_0000),
        "bf16" => (0x8080_8080, 0x3f00_3f00),
        "f16" => (0x8400_8400, 0x3800_3800),
        "e4m3" => (0x8888_8888, 0x3030_3030),
        "e5m2" => (0x8484_8484, 0x3838_3838),
        _ => return None,
    })
}

/// Returns the type of a register of sums.
fn held(sum: &'static str) -> &'static str {
    if sum == "f16" { "f16x2" } else { sum }
}

fn finish(draft: Draft, forms: Vec<usize>, guard: Option<(Register, bool)>) -> Step {
    Step { forms, guard, text: draft.text, reads: draft.reads, writes: draft.writes, copies: Vec::new() }
}

/// Returns `{%r0, %r1}`.
fn list(registers: &[Register]) -> String {
    let names: Vec<_> = registers.iter().map(Register::to_string).collect();
    format!("{{{}}}", names.join(", "))
}

fn is_integer(ty: &str) -> bool {
    let (kind, bits) = ty.split_at(1);
    ["u", "s", "b"].contains(&kind) && bits.chars().all(|c| c.is_ascii_digit())
}

/// Returns true if a value of one type is an interesting one of the other.
fn is_alike(a: &str, b: &str) -> bool {
    a == b || is_integer(a) && is_integer(b)
}

/// Returns true if the ISA does not say which NaN an instruction returns (9.7.3: payloads of `.f64` "are supported"; 9.7.3.9, .10:
/// `abs` and `neg` of NaN are unspecified), and one GPU returns several: `FADD` returns the canonical one, but ptxas computes a
/// guarded `abs.f32` by `FSEL R7, |R0|, R1, P0`.
fn opens_nan(of: &Form, ty: &str) -> bool {
    match ty {
        "f64" => {
            matches!(
                of.head(),
                "add"
                    | "sub"
                    | "mul"
                    | "fma"
                    | "mad"
                    | "div"
                    | "rcp"
                    | "sqrt"
                    | "min"
                    | "max"
                    | "cvt"
                    | "abs"
                    | "neg"
            ) && !of.has("approx")
        }
        "f32" => matches!(of.head(), "abs" | "neg"),
        _ => false,
    }
}

/// Returns the comparison of the result of a form: within the stated error for an approximation.
fn comparison(of: &Form) -> Compare {
    if of.has("approx") || of.has("full") {
        let ty = of.words().next_back().unwrap_or_default();
        return stated_error(of.head(), ty, of.has("ftz"));
    }
    Compare::Equal
}
