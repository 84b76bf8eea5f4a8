//! The launch of a product: which instance of [`gemm`](crate::gemm::gemm), [`gemm_stack`](crate::gemm::gemm_stack) or
//! [`gemm_split`](crate::gemm::gemm_split) computes it, with how many CTAs, in which order of blocks.

use std::fmt;

/// A kernel of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// `gemm`: each CTA computes blocks alone.
    Gemm,
    /// `gemm_stack`: so many CTAs multiply by the same tiles of `b`.
    Stack(u32),
    /// `gemm_split`: so many CTAs compute a block together, each a part of k.
    Split(u32),
}

/// The block of `c` that a CTA computes at a time, in an instance of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// The kernel.
    pub kernel: Kernel,
    /// The rows.
    pub rows: u32,
    /// The columns.
    pub columns: u32,
}

/// The launch of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The block of a CTA, and so the instance.
    pub tile: Tile,
    /// The CTAs.
    pub grid: u32,
    /// The argument of the kernel: rows of blocks in a group, of `gemm_stack` rows of stacks of blocks.
    pub group: u32,
    /// The time by the model, in cycles of a multiprocessor.
    pub cycles: u64,
}

// The model's rates and times are such that it chooses the fastest tile of 44 of 45 products that were measured, and of one a tile that
// takes 5 % longer (`gpu/src/gemm_times.txt`).

/// The bytes of a row of a stage, along k.
const STEP: u64 = 128;
/// The bytes that a multiprocessor loads in a cycle from the L2 cache: alone, and while all of them load.
const LOADED_ALONE: u64 = 88;
const LOADED: u64 = 62;
/// The bytes for each multiprocessor that come in a cycle from the memory.
const MEMORY: u64 = 13;
/// The cycles of a row of a tile that lies outside of its matrix, in each step.
const OUTSIDE: u64 = 1;
/// The cycles from the launch to the first products, and from the last ones to the end of the kernel.
const LAUNCH: u64 = 6700;

impl Tile {
    /// The tiles of the instances of `bf16`. Those of other types are among them.
    pub const ALL: [Self; 13] = [
        Self { kernel: Kernel::Gemm, rows: 128, columns: 256 },
        Self { kernel: Kernel::Gemm, rows: 128, columns: 192 },
        Self { kernel: Kernel::Gemm, rows: 128, columns: 128 },
        Self { kernel: Kernel::Gemm, rows: 64, columns: 128 },
        Self { kernel: Kernel::Stack(2), rows: 128, columns: 192 },
        Self { kernel: Kernel::Stack(2), rows: 128, columns: 128 },
        Self { kernel: Kernel::Split(1), rows: 16, columns: 64 },
        Self { kernel: Kernel::Split(1), rows: 32, columns: 64 },
        Self { kernel: Kernel::Split(2), rows: 64, columns: 64 },
        Self { kernel: Kernel::Split(8), rows: 64, columns: 128 },
        Self { kernel: Kernel::Stack(4), rows: 128, columns: 192 },
        Self { kernel: Kernel::Stack(4), rows: 128, columns: 160 },
        Self { kernel: Kernel::Stack(2), rows: 128, columns: 224 },
    ];

    /// Returns the tile of so many rows and columns of a kernel.
    ///
    /// # Panics
    ///
    /// If no instance has it.
    #[must_use]
    pub const fn of(kernel: Kernel, rows: u32, columns: u32) -> Self {
        let wanted = Self { kernel, rows, columns };
        let mut i = 0;
        while !Self::ALL[i].is(wanted) {
            i += 1;
        }
        wanted
    }

    const fn is(self, other: Self) -> bool {
        let of_kernel = [self.sharing() == other.sharing(), self.parts() == other.parts()];
        matches!(of_kernel, [true, true]) && self.rows == other.rows && self.columns == other.columns
    }

    /// The CTAs that multiply by the same tiles of `b`.
    const fn sharing(self) -> u32 {
        if let Kernel::Stack(ctas) = self.kernel { ctas } else { 1 }
    }

    /// The parts of k; 0 of a kernel that does not divide it.
    const fn parts(self) -> u32 {
        if let Kernel::Split(parts) = self.kernel { parts } else { 0 }
    }

    /// The CTAs of a cluster.
    #[must_use]
    pub const fn cluster(self) -> u32 {
        match self.kernel {
            Kernel::Gemm => 1,
            Kernel::Stack(ctas) | Kernel::Split(ctas) => ctas,
        }
    }

    /// The rows of `c` that a cluster computes at a time.
    #[must_use]
    pub const fn height(self) -> u32 {
        self.rows * self.sharing()
    }

    /// The clusters that run at a time. A cluster lies in a part of the GPU, whose multiprocessors are no multiple of 4 or 8, as 16 or 18.
    #[must_use]
    pub const fn clusters_at_a_time(self, multiprocessors: u32) -> u32 {
        let outside = match self.cluster() {
            1 | 2 => 0,
            _ => multiprocessors.div_ceil(16),
        };
        let clusters = (multiprocessors - outside) / self.cluster();
        if clusters == 0 { 1 } else { clusters }
    }

    /// The cycles of a step along k, in which so many of the multiprocessors work.
    fn step(self, is_aligned: bool, busy: u64, multiprocessors: u64) -> u64 {
        let (rows, columns) = (u64::from(self.rows), u64::from(self.columns));
        // The tensor cores add 32 · 128 bytes of products a cycle.
        let products = rows * columns / 32;
        let bytes = (rows + columns / u64::from(self.sharing())) * STEP;
        // Of eight rows that begin at any multiple of 16 bytes, seven lie in two lines of the cache. Halves of lines cost no more than lines.
        let bytes = if is_aligned { bytes } else { bytes * 15 / 8 };
        let loads = (bytes / LOADED_ALONE).max(bytes * busy / (LOADED * multiprocessors));
        // A third of the shorter is not hidden behind the longer.
        products.max(loads) + products.min(loads) / 3
    }

    /// Plans a product of m × k by k × n elements of so many bytes with this tile. The rows of the factors lie along k, one behind the other.
    ///
    /// A multiprocessor has one CTA. In each wave, every cluster runs the steps along k of one block, and then leaves the
    /// pipeline, packs the sums and starts with the next block. The CTAs of `gemm_split` exchange their sums before, and make room for
    /// the next ones. Those of `gemm_stack` take a tenth longer for each doubling, since each
    /// waits for the slowest.
    #[must_use]
    pub fn plan(self, [m, n, k]: [u32; 3], element: usize, multiprocessors: u32) -> Plan {
        let multiprocessors = multiprocessors.max(1);
        let all = u64::from(multiprocessors);
        let rows = m.div_ceil(self.height()).max(1);
        let columns = n.div_ceil(self.columns).max(1);
        let blocks = u64::from(rows) * u64::from(columns);
        let at_a_time = blocks.min(self.clusters_at_a_time(multiprocessors).into());
        let waves = blocks.div_ceil(at_a_time);

        let bytes = u64::from(k) * element as u64;
        let steps = bytes.div_ceil(STEP).max(1).div_ceil(self.parts().max(1).into());
        let step = self.step(bytes.is_multiple_of(64), at_a_time * u64::from(self.cluster()), all);
        let height = rows * self.height();
        let outside = u64::from(height.saturating_sub(m) / (rows * self.sharing())) * OUTSIDE;
        let area = u64::from(self.rows * self.columns);
        let exchange = if self.parts() == 0 { 0 } else { 4000 + area / 4 };
        // All factors come from the memory once.
        let read = (u64::from(m) + u64::from(n)) * bytes / (MEMORY * all) + steps * outside;
        let tenths = 10 + u64::from(self.sharing().ilog2());
        let steps_of_waves = (waves * steps * (step + outside) * tenths / 10).max(read);
        let cycles = LAUNCH + steps_of_waves + waves * (area / 32 + exchange) * tenths / 10;

        // The clusters of a wave read the least if their blocks together are a square: `group` rows of blocks, and
        // `at_a_time / group` columns.
        let square = (at_a_time * u64::from(self.columns) / u64::from(self.height())).isqrt() as u32;
        // All groups have about as many rows.
        let group = rows.div_ceil(rows.div_ceil(square.clamp(1, rows)));
        // A cluster of `gemm_split` computes one block.
        let clusters = if self.parts() == 0 { at_a_time } else { blocks };
        Plan { tile: self, grid: clusters as u32 * self.cluster(), group, cycles }
    }
}

/// An expert whose rows do not begin at the border of a block of [`gemm_grouped`](crate::gemm::gemm_grouped).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misplaced {
    /// The number of the expert.
    pub expert: usize,
    /// Its first row, and the row behind its last one.
    pub rows: [u32; 2],
    /// The rows of a block.
    pub height: u32,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expert, rows: [first, end], height } = self;
        if end < first {
            return write!(
                f,
                "expert {expert} has rows from {first} to {end}: give each expert rows behind those of the one before"
            );
        }
        write!(
            f,
            "the rows of expert {expert} begin at row {first}, which is not a multiple of {height}: pad the rows of each expert to a multiple \
             (`padded`), or the next expert's rows would be in its last block"
        )
    }
}

impl std::error::Error for Misplaced {}

/// Returns the first row of each expert, and the number of all rows, if each expert's rows are padded to a multiple of `height`, the rows of a
/// block.
#[must_use]
pub fn padded(rows: &[u32], height: u32) -> Vec<u32> {
    let mut first = vec![0];
    first.extend(rows.iter().scan(0, |end, rows| {
        *end += rows.next_multiple_of(height);
        Some(*end)
    }));
    first
}

/// Returns the expert of each row of blocks of `height` rows, for [`gemm_grouped`](crate::gemm::gemm_grouped). `first` has the first row of each
/// expert, and at its end the number of all rows. An expert without rows begins where the next one does.
///
/// # Errors
///
/// If an expert does not begin at the border of a block, or before the expert in front of it.
pub fn experts_of_blocks(first: &[u32], height: u32) -> Result<Vec<u32>, Misplaced> {
    let mut experts = Vec::new();
    for (expert, rows) in first.windows(2).enumerate() {
        let rows = [rows[0], rows[1]];
        if !rows[0].is_multiple_of(height) || rows[1] < rows[0] {
            return Err(Misplaced { expert, rows, height });
        }
        let end = rows[1].div_ceil(height) as usize;
        experts.resize(end, expert as u32);
    }
    Ok(experts)
}

/// Plans a product of m × k by k × n elements of so many bytes with the fastest of several tiles, on so many multiprocessors. The tiles
/// begin with those that read the least: of two that are equally fast, the plan has the earlier.
///
/// # Panics
///
/// If there is no tile.
#[must_use]
pub fn plan(tiles: &[Tile], extents: [u32; 3], element: usize, multiprocessors: u32) -> Plan {
    let plans = tiles.iter().map(|tile| tile.plan(extents, element, multiprocessors));
    let better = |best: Plan, plan: Plan| if plan.cycles < best.cycles { plan } else { best };
    plans.reduce(better).expect("a product has a tile")
}
