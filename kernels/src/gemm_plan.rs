//! The launch of a product: which instance of [`gemm`](crate::gemm::gemm) computes it, with how many CTAs, in which order of blocks.

/// The block of `c` that a CTA of an instance computes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// The warpgroups that multiply, of 64 rows each.
    pub warpgroups: u32,
    /// The columns.
    pub columns: u32,
    /// The measured rate of its products, in percent of those of 128 rows and 256 columns.
    rate: u32,
}

/// The launch of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The block of a CTA, and so the instance.
    pub tile: Tile,
    /// The CTAs.
    pub grid: u32,
    /// The argument of `gemm`: rows of blocks in a group.
    pub group: u32,
    /// The time by the model, in cycles of a multiprocessor.
    pub cycles: u64,
}

/// The bytes of a row of a stage, along k.
const STEP: u64 = 128;

impl Tile {
    /// The tiles of the instances of `bf16`. Those of other types are among them.
    pub const ALL: [Self; 4] =
        [Self::new(2, 256, 100), Self::new(2, 192, 99), Self::new(2, 128, 87), Self::new(1, 128, 60)];

    const fn new(warpgroups: u32, columns: u32, rate: u32) -> Self {
        Self { warpgroups, columns, rate }
    }

    /// Returns the tile with so many warpgroups and columns.
    ///
    /// # Panics
    ///
    /// If no instance has it.
    #[must_use]
    pub const fn of(warpgroups: u32, columns: u32) -> Self {
        let mut i = 0;
        while Self::ALL[i].warpgroups != warpgroups || Self::ALL[i].columns != columns {
            i += 1;
        }
        Self::ALL[i]
    }

    const fn rows(self) -> u32 {
        64 * self.warpgroups
    }

    /// Plans a product of m × k by k × n elements of so many bytes with this tile.
    ///
    /// A multiprocessor has one CTA. In each wave, every CTA runs the steps along k of one block at the tile's rate, and then leaves the
    /// pipeline, packs the sums and starts with the next block.
    #[must_use]
    pub fn plan(self, [m, n, k]: [u32; 3], element: usize, multiprocessors: u32) -> Plan {
        let (rows, columns) = (m.div_ceil(self.rows()).max(1), n.div_ceil(self.columns).max(1));
        let blocks = u64::from(rows) * u64::from(columns);
        let grid = blocks.min(multiprocessors.max(1).into());
        let area = u64::from(self.rows()) * u64::from(self.columns);
        // The tensor cores add 32 · 128 bytes of products a cycle.
        let steps = (u64::from(k) * element as u64).div_ceil(STEP).max(1);
        let of_block = steps * area * 100 / (32 * u64::from(self.rate)) + 500 + area / 64;
        let cycles = blocks.div_ceil(grid) * of_block;

        // The CTAs of a wave read the least if their blocks together are a square: `group` rows of blocks, and `grid / group` columns.
        let square = (grid * u64::from(self.columns) / u64::from(self.rows())).isqrt() as u32;
        // All groups have about as many rows.
        let group = rows.div_ceil(rows.div_ceil(square.clamp(1, rows)));
        Plan { tile: self, grid: grid as u32, group, cycles }
    }
}

/// Plans a product of m × k by k × n elements of so many bytes with the fastest of several tiles, on so many multiprocessors. The tiles
/// begin with those that read the least: a later one has to be faster by 2 percent, which is more than the model knows.
///
/// # Panics
///
/// If there is no tile.
#[must_use]
pub fn plan(tiles: &[Tile], extents: [u32; 3], element: usize, multiprocessors: u32) -> Plan {
    let plans = tiles.iter().map(|tile| tile.plan(extents, element, multiprocessors));
    let better = |best: Plan, plan: Plan| if plan.cycles * 102 < best.cycles * 100 { plan } else { best };
    plans.reduce(better).expect("a product has a tile")
}
