//! The shape of a launch, checked before the driver sees it.

use std::fmt;

/// Extents in three dimensions (`dim3`). An integer or a tuple of 2 or 3 converts; missing extents are 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim3 {
    /// First extent.
    pub x: u32,
    /// Second extent.
    pub y: u32,
    /// Third extent.
    pub z: u32,
}

impl Dim3 {
    fn extents(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// The product of the extents.
    fn count(self) -> u128 {
        self.extents().into_iter().map(u128::from).product()
    }

    fn fits(self, limit: Self) -> bool {
        self.extents().into_iter().zip(limit.extents()).all(|(extent, limit)| extent <= limit)
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self { x, y, z }
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// The shape of a launch (`<<<grid, block, shared>>>`): thread blocks, threads, clusters and dynamic shared memory.
///
/// ```
/// use ptx_host::LaunchConfig;
/// let config = LaunchConfig::new(132, 256).cluster(2).dynamic_shared(96 * 1024);
/// assert_eq!(config.grid.x, 132);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Thread blocks in the grid. A grid of clusters still counts thread blocks.
    pub grid: Dim3,
    /// Threads per thread block.
    pub block: Dim3,
    /// Thread blocks per cluster. `None`: the cluster size that the kernel declares, if any.
    pub cluster: Option<Dim3>,
    /// Dynamic shared memory per thread block, in bytes.
    pub dynamic_shared_bytes: u32,
}

impl LaunchConfig {
    /// Makes the shape of a launch without clusters and without dynamic shared memory.
    #[must_use]
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self { grid: grid.into(), block: block.into(), cluster: None, dynamic_shared_bytes: 0 }
    }

    /// Sets the thread blocks per cluster.
    #[must_use]
    pub fn cluster(self, cluster: impl Into<Dim3>) -> Self {
        Self { cluster: Some(cluster.into()), ..self }
    }

    /// Sets the dynamic shared memory per thread block, in bytes.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Self { dynamic_shared_bytes: bytes, ..self }
    }

    pub(crate) fn check(&self, limits: &Limits) -> Result<(), LaunchProblem> {
        check_extents("grid", self.grid, limits.grid)?;
        check_extents("block", self.block, limits.block)?;
        if self.block.count() > u128::from(limits.threads) {
            return Err(LaunchProblem::Threads { block: self.block, limit: limits.threads });
        }
        if self.dynamic_shared_bytes > limits.dynamic_shared_bytes {
            return Err(LaunchProblem::SharedMemory {
                asked: self.dynamic_shared_bytes,
                limit: limits.dynamic_shared_bytes,
            });
        }
        self.cluster.map_or(Ok(()), |cluster| self.check_cluster(cluster, limits.clusters))
    }

    fn check_cluster(&self, cluster: Dim3, supported: bool) -> Result<(), LaunchProblem> {
        if !supported {
            return Err(LaunchProblem::NoClusters);
        }
        let whole = |(grid, cluster): (u32, u32)| cluster != 0 && grid.is_multiple_of(cluster);
        if !self.grid.extents().into_iter().zip(cluster.extents()).all(whole) {
            return Err(LaunchProblem::ClusterSplit { grid: self.grid, cluster });
        }
        if cluster.count() > u128::from(MAX_CLUSTER) {
            return Err(LaunchProblem::ClusterSize { cluster });
        }
        Ok(())
    }

    /// Returns true if the kernel must opt in to the size of the cluster.
    pub(crate) fn needs_non_portable_cluster(&self) -> bool {
        self.cluster.is_some_and(|cluster| cluster.count() > u128::from(PORTABLE_CLUSTER))
    }
}

/// Thread blocks per cluster that every device with clusters can run.
const PORTABLE_CLUSTER: u32 = 8;
/// Maximum thread blocks per cluster on any device, if the kernel opts in.
const MAX_CLUSTER: u32 = 16;

/// Limits of a launch of one kernel on its device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub grid: Dim3,
    pub block: Dim3,
    pub threads: u32,
    pub dynamic_shared_bytes: u32,
    pub clusters: bool,
}

/// Why a launch was refused before the driver saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchProblem {
    /// An extent is 0.
    #[error("the {what} {extents} has an extent of 0; every extent must be at least 1")]
    Empty {
        /// `grid` or `block`.
        what: &'static str,
        /// The extents of the grid or block.
        extents: Dim3,
    },
    /// An extent exceeds the device's limit.
    #[error("the {what} {extents} exceeds the device's limit of {limit}")]
    Extent {
        /// `grid` or `block`.
        what: &'static str,
        /// The extents of the grid or block.
        extents: Dim3,
        /// The device's maximum.
        limit: Dim3,
    },
    /// The block has more threads than the kernel allows on this device.
    #[error(
        "a block of {block} has more than the {limit} threads that the kernel's registers and launch bounds allow"
    )]
    Threads {
        /// The block.
        block: Dim3,
        /// Maximum threads per block.
        limit: u32,
    },
    /// The launch needs more shared memory than the device has left for the kernel.
    #[error(
        "{asked} bytes of dynamic shared memory, but at most {limit} are left on this device besides the kernel's \
         static shared memory; use fewer or smaller stages"
    )]
    SharedMemory {
        /// Requested bytes.
        asked: u32,
        /// Maximum bytes.
        limit: u32,
    },
    /// The device does not support clusters.
    #[error(
        "clusters need compute capability 9.0 or higher, which this device lacks; launch without a cluster"
    )]
    NoClusters,
    /// The extents of the cluster do not divide the extents of the grid.
    #[error(
        "the grid {grid} is not made of whole clusters of {cluster}; make each extent a multiple of the cluster's"
    )]
    ClusterSplit {
        /// The grid.
        grid: Dim3,
        /// The cluster.
        cluster: Dim3,
    },
    /// The cluster exceeds the limit of all devices.
    #[error("a cluster of {cluster} has more than 16 blocks (some devices allow 8 only)")]
    ClusterSize {
        /// The cluster.
        cluster: Dim3,
    },
}

fn check_extents(what: &'static str, extents: Dim3, limit: Dim3) -> Result<(), LaunchProblem> {
    if extents.extents().contains(&0) {
        return Err(LaunchProblem::Empty { what, extents });
    }
    if !extents.fits(limit) {
        return Err(LaunchProblem::Extent { what, extents, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOPPER: Limits = Limits {
        grid: Dim3 { x: 0x7fff_ffff, y: 65535, z: 65535 },
        block: Dim3 { x: 1024, y: 1024, z: 64 },
        threads: 1024,
        dynamic_shared_bytes: 227 * 1024,
        clusters: true,
    };

    fn refusal(config: LaunchConfig) -> String {
        config.check(&HOPPER).expect_err("this launch must be refused").to_string()
    }

    #[test]
    fn the_largest_legal_launches_pass() {
        LaunchConfig::new((0x7fff_ffff, 65535, 65535), (32, 32)).check(&HOPPER).unwrap();
        let config = LaunchConfig::new((8, 4), 1024).cluster((8, 2)).dynamic_shared(227 * 1024);
        config.check(&HOPPER).unwrap();
        assert!(config.needs_non_portable_cluster());
        assert!(!config.cluster(8).needs_non_portable_cluster());
    }

    #[test]
    fn an_extent_of_zero_is_refused() {
        assert_eq!(
            refusal(LaunchConfig::new(0, 256)),
            "the grid (0, 1, 1) has an extent of 0; every extent must be at least 1"
        );
        assert!(
            refusal(LaunchConfig::new(1, (256, 0))).starts_with("the block (256, 0, 1) has an extent of 0")
        );
    }

    #[test]
    fn too_large_grids_and_blocks_are_refused_with_the_limit() {
        assert_eq!(
            refusal(LaunchConfig::new((1, 65536), 1)),
            "the grid (1, 65536, 1) exceeds the device's limit of (2147483647, 65535, 65535)"
        );
        assert!(refusal(LaunchConfig::new(1, (1, 1, 65))).starts_with("the block (1, 1, 65) exceeds"));
        assert!(refusal(LaunchConfig::new(1, (33, 32))).contains("more than the 1024 threads"));
        assert!(refusal(LaunchConfig::new(1, (1024, 1024, 64))).contains("more than the 1024 threads"));
    }

    #[test]
    fn too_much_shared_memory_is_refused_with_the_limit() {
        let shown = refusal(LaunchConfig::new(1, 1).dynamic_shared(227 * 1024 + 1));
        assert!(shown.starts_with("232449 bytes of dynamic shared memory, but at most 232448"), "{shown}");
    }

    #[test]
    fn clusters_must_divide_the_grid_and_be_small() {
        assert!(refusal(LaunchConfig::new(3, 1).cluster(2)).contains("not made of whole clusters"));
        assert!(refusal(LaunchConfig::new(3, 1).cluster(0)).contains("not made of whole clusters"));
        assert!(refusal(LaunchConfig::new(34, 1).cluster(17)).contains("more than 16 blocks"));
        let old = Limits { clusters: false, ..HOPPER };
        assert_eq!(LaunchConfig::new(2, 1).cluster(2).check(&old), Err(LaunchProblem::NoClusters));
    }
}
