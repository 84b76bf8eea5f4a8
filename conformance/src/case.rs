//! A case: a kernel around one instruction, its memory before each run, and how the memory of two runs is compared.

use std::ops::Range;

use ptx_emu::float::Format;

use crate::form::Form;
use crate::tensor::Map;

/// How the bytes of a region are compared with those of the interpreter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compare {
    /// Bit for bit.
    Equal,
    /// Bit for bit, but any NaN stands for another: "Single-precision instructions return an unspecified NaN" (9.7.3), and so do
    /// half-precision ones (9.7.4). Payloads of `.f64` "are supported" (9.7.3), without a word on which payload, sign or quiet
    /// bit results. 9.7.9.21 (`cvt`), 9.7.9.25.4.2 (bulk reductions), 9.7.13.5 and 9.7.13.6 (`atom`, `red`) say nothing of NaN.
    Float(Format),
    /// The elements are the same, in any order: what contending threads got.
    Unordered,
    /// Within the error that the ISA states, relative to the exact result or absolute, whichever is larger. Any NaN stands for
    /// another, but for `.f64`, where the instructions return one NaN (9.7.3.14, 9.7.3.17).
    Close { format: Format, relative: f64, absolute: f64 },
    /// At most so many places from the correctly rounded result. Any NaN stands for another.
    Places { format: Format, count: u64 },
    /// A documented property, which the kernel has computed: each element is 1.
    Holds,
    /// Any bytes: they are opaque.
    Opaque,
}

/// A part of the memory.
#[derive(Debug, Clone)]
pub struct Region {
    pub name: String,
    pub at: usize,
    pub bytes: usize,
    /// Bytes of an element. Element `i` belongs to thread `i`, or to the `i`-th thing that the case does.
    pub element: usize,
    /// `None`: an input, which the kernel leaves as it is.
    pub compare: Option<Compare>,
}

impl Region {
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.bytes
    }
}

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    pub dynamic_shared: u32,
}

impl Shape {
    /// Blocks of `threads` threads, all in one cluster.
    pub fn new(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], cluster: [blocks, 1, 1], dynamic_shared: 0 }
    }

    pub fn threads_per_block(&self) -> usize {
        self.block.iter().product::<u32>() as usize
    }

    pub fn blocks(&self) -> usize {
        self.grid.iter().product::<u32>() as usize
    }

    pub fn threads(&self) -> usize {
        self.blocks() * self.threads_per_block()
    }

    pub fn is_cluster(&self) -> bool {
        self.cluster != [1; 3]
    }
}

/// What a kernel takes behind the address of its memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Extra {
    Nothing,
    /// A tensor map by value.
    Map(Map),
    /// The address of a multicast object of this many bytes, which stands for as many allocations as there are contents. What
    /// they hold after a run follows the memory.
    Multicast(Vec<Vec<u8>>),
}

/// One launch of a case.
#[derive(Debug, Clone)]
pub struct Run {
    pub name: String,
    /// The memory before.
    pub memory: Vec<u8>,
    pub extra: Extra,
    /// Why hardware ends the grid: the interpreter has a finding instead of a result.
    pub fault: Option<&'static str>,
}

/// A kernel around one instruction, and its runs.
#[derive(Debug, Clone)]
pub struct Case<'f> {
    pub form: &'f Form,
    /// What tells the case from others of the form.
    pub variant: &'static str,
    /// The PTX of the kernel, with [`NAME`] in place of its name.
    pub kernel: String,
    pub shape: Shape,
    pub regions: Vec<Region>,
    pub runs: Vec<Run>,
}

/// What stands for the name of the kernel in its text.
pub const NAME: &str = "KERNEL";

/// The version of the modules: the newest that a form needs.
const VERSION: &str = "9.2";

impl Case<'_> {
    /// The name by which filters and reports know the case.
    pub fn name(&self) -> String {
        let variant = if self.variant.is_empty() { String::new() } else { format!(" ({})", self.variant) };
        format!("{}/{}: {}{variant}", self.form.family, self.form.row, self.form)
    }

    /// The kernel under a name.
    pub fn entry(&self, name: &str) -> String {
        self.kernel.replace(NAME, name)
    }

    /// A module with this kernel alone.
    pub fn module(&self) -> String {
        module(&self.form.target, [self.entry("k")])
    }
}

/// A module of kernels.
pub fn module(target: &str, kernels: impl IntoIterator<Item = String>) -> String {
    let mut text = format!(".version {VERSION}\n.target {target}\n.address_size 64\n");
    for kernel in kernels {
        text.push('\n');
        text.push_str(&kernel);
    }
    text
}
