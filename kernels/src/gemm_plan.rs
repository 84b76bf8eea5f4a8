//! The launch of a product: which instance of [`gemm`](crate::gemm::gemm), [`gemm_pair`](crate::gemm::gemm_pair) or
//! [`gemm_split`](crate::gemm::gemm_split) computes it, with how many CTAs, in which order of blocks.

/// The block of `c` that a CTA of an instance computes at a time, and what the CTAs of a cluster do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// The warpgroups that multiply, of 64 rows each.
    pub warpgroups: u32,
    /// The columns.
    pub columns: u32,
    /// The CTAs that multiply by the same tiles of `b`: 2 of `gemm_pair`.
    pub sharing: u32,
    /// The CTAs that compute a block together, each a part of k: those of `gemm_split`.
    pub split: u32,
}

/// The launch of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The block of a CTA, and so the instance.
    pub tile: Tile,
    /// The CTAs.
    pub grid: u32,
    /// The argument of the kernel: rows of blocks in a group, of `gemm_pair` rows of pairs of blocks.
    pub group: u32,
    /// The time by the model, in cycles of a multiprocessor.
    pub cycles: u64,
}

/// The bytes of a row of a stage, along k.
const STEP: u64 = 128;
/// The bytes that a multiprocessor loads in a cycle from the L2 cache: alone, and while all of them load. These and the constants below are
/// such that the plan chooses the fastest tile of 45 products that were measured (`gpu/src/gemm_times.txt`).
const LOADED_ALONE: u64 = 84;
const LOADED: u64 = 62;
/// The cycles from the launch to the first products, and from the last ones to the end of the kernel.
const LAUNCH: u64 = 6700;
/// The cycles in which the CTAs of `gemm_split` exchange their sums, and in which the next CTAs start.
const EXCHANGE: u64 = 8500;

impl Tile {
    /// The tiles of the instances of `bf16`. Those of other types are among them.
    pub const ALL: [Self; 8] = [
        Self::new(2, 256, 1, 1),
        Self::new(2, 192, 1, 1),
        Self::new(2, 128, 1, 1),
        Self::new(1, 128, 1, 1),
        Self::new(2, 192, 2, 1),
        Self::new(2, 128, 2, 1),
        Self::new(2, 128, 1, 4),
        Self::new(2, 128, 1, 8),
    ];

    const fn new(warpgroups: u32, columns: u32, sharing: u32, split: u32) -> Self {
        Self { warpgroups, columns, sharing, split }
    }

    const fn find(tile: Self) -> Self {
        let mut i = 0;
        while Self::ALL[i].warpgroups != tile.warpgroups
            || Self::ALL[i].columns != tile.columns
            || Self::ALL[i].sharing != tile.sharing
            || Self::ALL[i].split != tile.split
        {
            i += 1;
        }
        Self::ALL[i]
    }

    /// Returns the tile of `gemm` with so many warpgroups and columns.
    ///
    /// # Panics
    ///
    /// If no instance has it.
    #[must_use]
    pub const fn of(warpgroups: u32, columns: u32) -> Self {
        Self::find(Self::new(warpgroups, columns, 1, 1))
    }

    /// Returns the tile of `gemm_pair` with so many warpgroups and columns.
    ///
    /// # Panics
    ///
    /// If no instance has it.
    #[must_use]
    pub const fn pair(warpgroups: u32, columns: u32) -> Self {
        Self::find(Self::new(warpgroups, columns, 2, 1))
    }

    /// Returns the tile of `gemm_split` with so many warpgroups, columns and parts of k.
    ///
    /// # Panics
    ///
    /// If no instance has it.
    #[must_use]
    pub const fn split(warpgroups: u32, columns: u32, split: u32) -> Self {
        Self::find(Self::new(warpgroups, columns, 1, split))
    }

    const fn rows(self) -> u32 {
        64 * self.warpgroups
    }

    /// The CTAs of a cluster.
    #[must_use]
    pub const fn cluster(self) -> u32 {
        self.sharing * self.split
    }

    /// The cycles of a step along k, in which the part `busy` of the multiprocessors works.
    fn step(self, is_aligned: bool, [busy, multiprocessors]: [u64; 2]) -> u64 {
        let (rows, columns) = (u64::from(self.rows()), u64::from(self.columns));
        // The tensor cores add 32 · 128 bytes of products a cycle.
        let products = rows * columns / 32;
        let bytes = (rows + columns / u64::from(self.sharing)) * STEP;
        // Of eight rows that begin at any multiple of 16 bytes, seven lie in two lines of the cache. Halves of lines are as fast as lines.
        let bytes = if is_aligned { bytes } else { bytes * 15 / 8 };
        let loads = (bytes / LOADED_ALONE).max(bytes * busy / (LOADED * multiprocessors));
        // A third of the shorter is not hidden behind the longer.
        products.max(loads) + products.min(loads) / 3
    }

    /// Plans a product of m × k by k × n elements of so many bytes with this tile. The rows of the factors lie along k, one behind the other.
    ///
    /// A multiprocessor has one CTA. In each wave, every cluster runs the steps along k of one block, and then leaves the
    /// pipeline, packs the sums and starts with the next block. The CTAs of `gemm_split` exchange their sums before. CTAs that share
    /// tiles take a tenth longer, since each waits for the slower of both.
    #[must_use]
    pub fn plan(self, [m, n, k]: [u32; 3], element: usize, multiprocessors: u32) -> Plan {
        let multiprocessors = multiprocessors.max(1);
        let rows = m.div_ceil(self.rows() * self.sharing).max(1);
        let columns = n.div_ceil(self.columns).max(1);
        let blocks = u64::from(rows) * u64::from(columns);
        // The multiprocessors of a part of the GPU are no multiple of 4 or 8: a sixteenth is in no cluster.
        let in_clusters =
            if self.cluster() > 2 { multiprocessors - multiprocessors.div_ceil(16) } else { multiprocessors };
        let at_a_time = blocks.min(u64::from(in_clusters / self.cluster()).max(1));
        let busy = at_a_time * u64::from(self.cluster());
        let bytes = u64::from(k) * element as u64;
        let steps = bytes.div_ceil(STEP).max(1).div_ceil(self.split.into());
        let step = self.step(bytes.is_multiple_of(64), [busy, multiprocessors.into()]);
        let exchange = if self.split == 1 { 0 } else { EXCHANGE };
        let of_block = steps * step + u64::from(self.rows() * self.columns / 32) + exchange;
        let of_block = if self.sharing == 1 { of_block } else { of_block * 11 / 10 };
        let cycles = LAUNCH + blocks.div_ceil(at_a_time) * of_block;

        // The clusters of a wave read the least if their blocks together are a square: `group` rows of blocks, and
        // `at_a_time / group` columns.
        let height = u64::from(self.rows() * self.sharing);
        let square = (at_a_time * u64::from(self.columns) / height).isqrt() as u32;
        // All groups have about as many rows.
        let group = rows.div_ceil(rows.div_ceil(square.clamp(1, rows)));
        let clusters = if self.split == 1 { at_a_time } else { blocks };
        Plan { tile: self, grid: clusters as u32 * self.cluster(), group, cycles }
    }
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
