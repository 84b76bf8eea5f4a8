//! A case: a kernel around one instruction, its memory before each run, and how the memory of two runs is compared.

use std::ops::Range;

use ptx_emu::Format;

use crate::form::Form;
use crate::tensor::Map;

/// The comparison of a region's bytes with those of the interpreter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compare {
    /// The bytes are equal.
    Equal,
    /// The bytes are equal, but any NaN equals any other: "Single-precision instructions return an unspecified NaN" (9.7.3),
    /// and so do half-precision ones (9.7.4). Payloads of `.f64` "are supported" (9.7.3), but the section does not say which
    /// payload, sign or quiet bit results. 9.7.9.21 (`cvt`), 9.7.9.25.4.2 (bulk reductions), 9.7.13.5 and 9.7.13.6 (`atom`,
    /// `red`) say nothing of NaN.
    Float(Format),
    /// The elements are the same, in any order: the results of contending threads.
    Unordered,
    /// The error is at most the one that the ISA states, relative to the exact result or absolute, whichever is larger. Any NaN
    /// equals any other, except for `.f64`, where the instructions return one NaN (9.7.3.14, 9.7.3.17).
    Close {
        /// The format of the elements.
        format: Format,
        /// The greatest error, as a part of the exact result.
        relative: f64,
        /// The greatest error, if it is larger than the relative one.
        absolute: f64,
    },
    /// At most `count` places separate an element from the correctly rounded result. Any NaN equals any other.
    Places {
        /// The format of the elements.
        format: Format,
        /// The most places.
        count: u64,
    },
    /// Each element is 1: the kernel has checked a documented property.
    Holds,
    /// Any bytes are accepted, because they are opaque.
    Opaque,
}

/// A part of the memory.
#[derive(Debug, Clone)]
pub struct Region {
    /// The name, in findings.
    pub name: String,
    /// The offset in the memory.
    pub at: usize,
    /// The length in bytes.
    pub bytes: usize,
    /// Bytes of an element. Element `i` belongs to thread `i`, or to the `i`-th thing that the case does.
    pub element: usize,
    /// The comparison, or `None` for an input, which the kernel does not change.
    pub compare: Option<Compare>,
}

impl Region {
    /// Returns the bytes of the region in the memory.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.bytes
    }
}

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

impl Shape {
    /// Returns the shape of `blocks` blocks of `threads` threads, all in one cluster.
    pub fn new(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], cluster: [blocks, 1, 1], dynamic_shared: 0 }
    }

    /// Returns the threads of a block.
    pub fn threads_per_block(&self) -> usize {
        self.block.iter().product::<u32>() as usize
    }

    /// Returns the blocks of the grid.
    pub fn blocks(&self) -> usize {
        self.grid.iter().product::<u32>() as usize
    }

    /// Returns the threads of the grid.
    pub fn threads(&self) -> usize {
        self.blocks() * self.threads_per_block()
    }

    /// Returns true if a cluster has more than one block.
    pub fn is_cluster(&self) -> bool {
        self.cluster != [1; 3]
    }
}

/// The parameter of a kernel after the address of its memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Extra {
    /// No parameter.
    Nothing,
    /// A tensor map by value.
    Map(Map),
    /// The address of a multicast object over one allocation for each of these contents. After a run, the contents of the
    /// allocations follow the memory.
    Multicast(Vec<Vec<u8>>),
}

/// One launch of a case.
#[derive(Debug, Clone)]
pub struct Run {
    /// The name of the inputs.
    pub name: String,
    /// The memory before the run.
    pub memory: Vec<u8>,
    /// The second parameter.
    pub extra: Extra,
    /// The reason why hardware ends the grid, if it does. The interpreter then has a finding in place of a result.
    pub fault: Option<&'static str>,
}

/// A kernel around one instruction, and its runs.
#[derive(Debug, Clone)]
pub struct Case<'f> {
    /// The form that the kernel executes.
    pub form: &'f Form,
    /// The text that distinguishes the case from others of the form.
    pub variant: &'static str,
    /// The PTX of the kernel, with [`NAME`] in place of its name.
    pub kernel: String,
    /// The shape of the launch.
    pub shape: Shape,
    /// The parts of the memory.
    pub regions: Vec<Region>,
    /// The launches.
    pub runs: Vec<Run>,
}

/// The placeholder for the kernel's name in its text.
pub const NAME: &str = "KERNEL";

/// The PTX version of the modules: the newest that a form needs.
const VERSION: &str = "9.5";

impl Case<'_> {
    /// Returns the name of the case in filters and reports.
    pub fn name(&self) -> String {
        let variant = if self.variant.is_empty() { String::new() } else { format!(" ({})", self.variant) };
        format!("{}/{}: {}{variant}", self.form.family, self.form.row, self.form)
    }

    /// Returns the text of the kernel with a name.
    pub fn entry(&self, name: &str) -> String {
        self.kernel.replace(NAME, name)
    }

    /// Returns the text of a module that contains only this kernel.
    pub fn module(&self) -> String {
        module(&self.form.target, [self.entry("k")])
    }
}

/// Returns the text of a module that contains these kernels.
pub fn module(target: &str, kernels: impl IntoIterator<Item = String>) -> String {
    let mut text = format!(".version {VERSION}\n.target {target}\n.address_size 64\n");
    for kernel in kernels {
        text.push('\n');
        text.push_str(&kernel);
    }
    text
}
