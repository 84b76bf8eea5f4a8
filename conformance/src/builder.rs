//! Builds the kernel of a case.

use std::fmt::Write as _;
use std::ops::Range;

use crate::case::{Case, Compare, Extra, NAME, Region, Run, Shape};
use crate::form::{Class, Form};

const CLASSES: [Class; 6] = [Class::B8, Class::B16, Class::B32, Class::B64, Class::B128, Class::Pred];

/// The rounds after which a wait gives up. A round whose instruction waits takes about a microsecond.
const ROUNDS: u32 = 1 << 16;

/// A region of the memory, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(usize);

/// A kernel that is being built. It sets the registers `%memory` (address of the memory), `%t` (`%tid.x`), `%g` (number of the
/// thread in the grid), `%cta` (`%ctaid.x`) and `%shared` (address of the shared memory).
pub struct Builder<'f> {
    /// The form that the kernel executes.
    pub form: &'f Form,
    /// The shape of the launch.
    pub shape: Shape,
    counts: [usize; 6],
    labels: usize,
    body: String,
    regions: Vec<Region>,
    content: Vec<u8>,
    shared: usize,
    /// Declarations before the kernel.
    declarations: String,
    directives: String,
    parameter: &'static str,
    /// The contents of the memories of the multicast object.
    multicast: Vec<Vec<u8>>,
    runs: Vec<Run>,
}

impl<'f> Builder<'f> {
    /// Starts a kernel for a form, launched in a shape.
    pub fn new(form: &'f Form, shape: Shape) -> Self {
        Self {
            form,
            shape,
            counts: [0; 6],
            labels: 0,
            body: String::new(),
            regions: Vec::new(),
            content: Vec::new(),
            shared: 0,
            declarations: String::new(),
            directives: String::new(),
            parameter: "",
            multicast: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Returns a new register.
    pub fn reg(&mut self, class: Class) -> String {
        let count = &mut self.counts[CLASSES.iter().position(|other| *other == class).unwrap_or_default()];
        *count += 1;
        format!("{}{}", class.prefix(), *count - 1)
    }

    /// Adds an instruction.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.body, "    {};", text.as_ref());
    }

    /// Adds an instruction that sets a new register, and returns the register. `{}` stands for the register.
    pub fn set(&mut self, class: Class, text: impl AsRef<str>) -> String {
        let register = self.reg(class);
        self.line(text.as_ref().replacen("{}", &register, 1));
        register
    }

    /// Returns the name of a new label.
    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// Puts a label here.
    pub fn place(&mut self, label: &str) {
        let _ = writeln!(self.body, "{label}:");
    }

    /// Adds a declaration before the kernel. The names that it declares must contain the name of the kernel, [`NAME`].
    pub fn declare(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.declarations, "{}", text.as_ref());
    }

    /// Adds a directive after the parameters, such as `.maxnreg 64`.
    pub fn directive(&mut self, text: &str) {
        let _ = write!(self.directives, " {text}");
    }

    /// Adds a part of the memory. `compare` is the comparison after a run, or `None` for an input.
    pub fn memory(
        &mut self,
        name: &str,
        element: usize,
        align: usize,
        compare: Option<Compare>,
        content: &[u8],
    ) -> Slot {
        self.content.resize(self.content.len().next_multiple_of(align), 0);
        let (name, at) = (name.to_owned(), self.content.len());
        self.regions.push(Region { name, at, bytes: content.len(), element, compare });
        self.content.extend_from_slice(content);
        Slot(self.regions.len() - 1)
    }

    /// Returns the offset of a region in the memory.
    pub fn at(&self, slot: Slot) -> usize {
        self.regions[slot.0].at
    }

    fn per_thread(
        &mut self,
        name: &str,
        bytes: usize,
        compare: Option<Compare>,
        value: impl Fn(usize) -> u128,
    ) -> (Slot, String) {
        let content: Vec<u8> = (0..self.shape.threads())
            .flat_map(|thread| value(thread).to_le_bytes().into_iter().take(bytes))
            .collect();
        let slot = self.memory(name, bytes, 16, compare, &content);
        let row = self.set(Class::B64, format!("mad.wide.u32 {{}}, %g, {bytes}, %memory"));
        (slot, format!("[{row}+{}]", self.at(slot)))
    }

    /// Loads an operand of each thread.
    pub fn input(&mut self, name: &str, class: Class, value: impl Fn(usize) -> u128) -> String {
        match class {
            Class::B128 => {
                let (_, address) = self.per_thread(name, 16, None, value);
                let (low, high) = (self.reg(Class::B64), self.reg(Class::B64));
                self.line(format!("ld.global.v2.b64 {{{low}, {high}}}, {address}"));
                self.set(Class::B128, format!("mov.b128 {{}}, {{{low}, {high}}}"))
            }
            Class::Pred => {
                let (_, address) = self.per_thread(name, 4, None, value);
                let word = self.set(Class::B32, format!("ld.global.b32 {{}}, {address}"));
                self.set(Class::Pred, format!("setp.ne.b32 {{}}, {word}, 0"))
            }
            _ => {
                let bytes = class.bytes();
                let (_, address) = self.per_thread(name, bytes, None, value);
                self.set(class, format!("ld.global.b{} {{}}, {address}", 8 * bytes))
            }
        }
    }

    /// Stores a result of each thread.
    pub fn output(&mut self, name: &str, class: Class, register: &str, compare: Compare) -> Slot {
        let poison = |_| 0xeeee_eeee_eeee_eeee_eeee_eeee_eeee_eeee_u128;
        let (bytes, register) = match class {
            Class::Pred => (4, self.set(Class::B32, format!("selp.b32 {{}}, 1, 0, {register}"))),
            _ => (class.bytes(), register.to_owned()),
        };
        let (slot, address) = self.per_thread(name, bytes, Some(compare), poison);
        if class == Class::B128 {
            let (low, high) = (self.reg(Class::B64), self.reg(Class::B64));
            self.line(format!("mov.b128 {{{low}, {high}}}, {register}"));
            self.line(format!("st.global.v2.b64 {address}, {{{low}, {high}}}"));
        } else {
            self.line(format!("st.global.b{} {address}, {register}", 8 * bytes));
        }
        slot
    }

    /// Loads a value that is the same in all threads, and that runs can change.
    pub fn uniform(&mut self, name: &str, class: Class, value: u64) -> (Slot, String) {
        let bytes = class.bytes();
        let slot = self.memory(name, bytes, 8, None, &value.to_le_bytes()[..bytes]);
        let at = self.at(slot);
        (slot, self.set(class, format!("ld.global.b{} {{}}, [%memory+{at}]", 8 * bytes)))
    }

    /// Reserves shared memory in each block, and returns the offset from `%shared`.
    pub fn shared(&mut self, bytes: usize, align: usize) -> usize {
        let at = self.shared.next_multiple_of(align);
        self.shared = at + bytes;
        at
    }

    /// Creates a cache policy.
    pub fn policy(&mut self) -> String {
        self.set(Class::B64, "createpolicy.fractional.L2::evict_first.b64 {}, 0f3f000000")
    }

    /// Waits for all threads of the cluster, or of the block if there are no clusters.
    pub fn sync(&mut self) {
        if self.shape.is_cluster() {
            self.line("barrier.cluster.arrive.release.aligned");
            self.line("barrier.cluster.wait.acquire.aligned");
        } else {
            self.line("barrier.cta.sync.aligned 0");
        }
    }

    /// Divides `bytes` bytes among the threads of a block: the lines run for each `unit` bytes, with their offset's register.
    pub fn for_each(&mut self, bytes: usize, unit: usize, lines: impl FnOnce(&mut Self, &str)) {
        let (again, done) = (self.label(), self.label());
        let offset = self.set(Class::B32, format!("mul.lo.u32 {{}}, %t, {unit}"));
        self.place(&again);
        let end = self.set(Class::Pred, format!("setp.ge.u32 {{}}, {offset}, {bytes}"));
        self.line(format!("@{end} bra {done}"));
        lines(self, &offset);
        self.line(format!("add.u32 {offset}, {offset}, {}", unit * self.shape.threads_per_block()));
        self.line(format!("bra {again}"));
        self.place(&done);
    }

    /// Repeats the lines until the predicate that they return is true. A wait that never ends becomes a difference, not a hang:
    /// the kernel gives up, and outputs whether the predicate was true.
    pub fn until(&mut self, lines: impl FnOnce(&mut Self) -> String) {
        let (again, done) = (self.label(), self.label());
        let rounds = self.set(Class::B32, "mov.u32 {}, 0");
        self.place(&again);
        let holds = lines(self);
        self.line(format!("@{holds} bra {done}"));
        self.line(format!("add.u32 {rounds}, {rounds}, 1"));
        let more = self.set(Class::Pred, format!("setp.lt.u32 {{}}, {rounds}, {ROUNDS}"));
        self.line(format!("@{more} bra {again}"));
        self.place(&done);
        self.output(&format!("the wait {again} ended"), Class::Pred, &holds, Compare::Equal);
    }

    /// Copies words between the memory of the case and shared memory. Each block has its own part of the region.
    fn copy(&mut self, slot: Slot, shared: usize, bytes: usize, to_shared: bool) {
        let at = self.at(slot);
        let part = self.set(Class::B64, format!("mad.wide.u32 {{}}, %cta, {bytes}, %memory"));
        self.for_each(bytes, 4, |b, offset| {
            let there = b.set(Class::B32, format!("add.u32 {{}}, %shared, {offset}"));
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {offset}"));
            let here = b.set(Class::B64, format!("add.u64 {{}}, {part}, {wide}"));
            let word = b.reg(Class::B32);
            if to_shared {
                b.line(format!("ld.global.b32 {word}, [{here}+{at}]"));
                b.line(format!("st.shared::cta.b32 [{there}+{shared}], {word}"));
            } else {
                b.line(format!("ld.shared::cta.b32 {word}, [{there}+{shared}]"));
                b.line(format!("st.global.b32 [{here}+{at}], {word}"));
            }
        });
    }

    /// Fills shared memory of each block from its part of a region. No barrier follows.
    pub fn stage_in(&mut self, slot: Slot, shared: usize, bytes: usize) {
        self.copy(slot, shared, bytes, true);
    }

    /// Stores shared memory of each block to its part of a region. No barrier precedes.
    pub fn stage_out(&mut self, slot: Slot, shared: usize, bytes: usize) {
        self.copy(slot, shared, bytes, false);
    }

    /// Adds lines that only thread 0 of each block runs.
    pub fn one_thread(&mut self, lines: impl FnOnce(&mut Self)) {
        self.threads(0..1, lines);
    }

    /// Adds lines that only the threads of block 0 of the cluster run.
    pub fn block_0(&mut self, lines: impl FnOnce(&mut Self)) {
        let skip = self.label();
        let rank = self.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
        let others = self.set(Class::Pred, format!("setp.ne.u32 {{}}, {rank}, 0"));
        self.line(format!("@{others} bra {skip}"));
        lines(self);
        self.place(&skip);
    }

    /// Adds lines that only these threads of each block run.
    pub fn threads(&mut self, threads: Range<u32>, lines: impl FnOnce(&mut Self)) {
        let skip = self.label();
        let from_first = self.set(Class::B32, format!("sub.u32 {{}}, %t, {}", threads.start));
        let others = self.set(Class::Pred, format!("setp.ge.u32 {{}}, {from_first}, {}", threads.len()));
        self.line(format!("@{others} bra {skip}"));
        lines(self);
        self.place(&skip);
    }

    /// Declares a parameter of the kernel: a tensor map, or the address of a multicast object.
    pub fn takes(&mut self, parameter: &'static str) {
        self.parameter = parameter;
    }

    /// Sets the memories of the kernel's multicast object. They follow the memory of the case, and are compared bit for bit.
    pub fn multicast(&mut self, contents: Vec<Vec<u8>>) {
        self.multicast = contents;
    }

    /// Adds a run. Its memory is the content as it stands, changed by `change`.
    pub fn run(&mut self, name: impl Into<String>, extra: Extra, change: impl FnOnce(&Self, &mut Vec<u8>)) {
        let mut memory = self.content.clone();
        change(self, &mut memory);
        self.runs.push(Run { name: name.into(), memory, extra, fault: None });
    }

    /// Marks the last run as one that ends in a fault.
    pub fn faults(&mut self, why: &'static str) {
        if let Some(run) = self.runs.last_mut() {
            run.fault = Some(why);
        }
    }

    /// Adds a run with other values of uniform inputs.
    pub fn run_with(&mut self, name: impl Into<String>, values: &[(Slot, u64)]) {
        self.run(name, Extra::Nothing, |b, memory| {
            for (slot, value) in values {
                b.put(memory, *slot, *value);
            }
        });
    }

    /// Writes the value of a uniform input.
    pub fn put(&self, memory: &mut [u8], slot: Slot, value: u64) {
        let region = &self.regions[slot.0];
        memory[region.range()].copy_from_slice(&value.to_le_bytes()[..region.bytes]);
    }

    /// Ends the kernel. If no run was added, adds one with the memory as it stands.
    pub fn finish(mut self, variant: &'static str) -> Case<'f> {
        if self.shape.is_cluster() {
            // A peer may still access the shared memory of the block.
            self.sync();
        }
        if self.runs.is_empty() {
            let extra = match self.multicast.is_empty() {
                true => Extra::Nothing,
                false => Extra::Multicast(self.multicast.clone()),
            };
            self.run("", extra, |_, _| {});
        }
        let mut at = self.content.len();
        for (i, content) in self.multicast.iter().enumerate() {
            let (name, compare) = (format!("memory {i} of the object"), Some(Compare::Equal));
            self.regions.push(Region { name, at, bytes: content.len(), element: 4, compare });
            at += content.len();
        }
        let mut kernel = self.declarations;
        if self.shared > 0 {
            let _ = writeln!(kernel, ".shared .align 1024 .b8 {NAME}_shared[{}];", self.shared);
        }
        let _ = writeln!(
            kernel,
            ".visible .entry {NAME}(.param .u64 {NAME}_memory{}){}",
            self.parameter, self.directives
        );
        kernel.push_str("{\n    .reg .b64 %memory;\n    .reg .b32 %t, %g, %cta, %shared;\n");
        for (class, count) in CLASSES.iter().zip(self.counts) {
            if count > 0 {
                let _ = writeln!(kernel, "    .reg {} {}<{count}>;", class.declared(), class.prefix());
            }
        }
        let _ = writeln!(
            kernel,
            "    ld.param.u64 %memory, [{NAME}_memory];\n    cvta.to.global.u64 %memory, %memory;"
        );
        for (register, special, extents) in
            [("%t", "%tid", self.shape.block), ("%cta", "%ctaid", self.shape.grid)]
        {
            let _ = writeln!(kernel, "    mov.u32 {register}, {special}.x;");
            let mut before = extents[0];
            for (dimension, extent) in [("y", extents[1]), ("z", extents[2])] {
                if extent > 1 {
                    let _ = writeln!(kernel, "    mov.u32 %g, {special}.{dimension};");
                    let _ = writeln!(kernel, "    mad.lo.u32 {register}, %g, {before}, {register};");
                }
                before *= extent;
            }
        }
        let _ = writeln!(kernel, "    mad.lo.u32 %g, %cta, {}, %t;", self.shape.threads_per_block());
        if self.shared > 0 {
            let _ = writeln!(kernel, "    mov.u32 %shared, {NAME}_shared;");
        }
        kernel.push_str(&self.body);
        kernel.push_str("    ret;\n}\n");
        let Self { form, shape, regions, runs, .. } = self;
        Case { form, variant, kernel, shape, regions, runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emu;

    #[test]
    fn a_wait_for_what_never_comes_ends_and_says_so() {
        let text = String::from("nop");
        let form = Form { family: String::new(), row: String::new(), text, target: "sm_90a".into() };
        let mut b = Builder::new(&form, Shape::new(1, 2));
        b.until(|b| b.set(Class::Pred, "setp.eq.u32 {}, %t, 1"));
        let case = b.finish("");
        let after = emu::run(&case, &case.runs[0], 0).unwrap();
        assert_eq!(after[case.regions[0].range()], [0, 0, 0, 0, 1, 0, 0, 0]);
    }
}
