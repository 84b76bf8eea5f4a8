//! The shape of a launch, and its checks.

use std::fmt;

/// Extents in three dimensions (`dim3`). An integer, a tuple of 2 or 3 or an array converts; missing extents are 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "CUDA's names")]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    fn extents(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// Returns the product of the extents.
    #[must_use]
    pub fn count(self) -> u128 {
        self.extents().into_iter().map(u128::from).product()
    }

    /// Returns true if `holds` is true for each extent and the same extent of `other`.
    pub(crate) fn all(self, other: Self, holds: impl Fn(u32, u32) -> bool) -> bool {
        self.extents().into_iter().zip(other.extents()).all(|(ours, theirs)| holds(ours, theirs))
    }
}

macro_rules! dim3 {
    ($($from:pat => $T:ty: $x:expr, $y:expr, $z:expr;)*) => { $(
        impl From<$T> for Dim3 {
            fn from($from: $T) -> Self {
                Self { x: $x, y: $y, z: $z }
            }
        }
    )* };
}
dim3! {
    x => u32: x, 1, 1;
    (x, y) => (u32, u32): x, y, 1;
    (x, y, z) => (u32, u32, u32): x, y, z;
    [x, y, z] => [u32; 3]: x, y, z;
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// The shape of a launch (`<<<grid, block, shared>>>`): thread blocks, threads, clusters, dynamic shared memory and attributes.
///
/// ```
/// use ptx_launch::LaunchConfig;
/// let config = LaunchConfig::new(132, 256).cluster(2).dynamic_shared(96 * 1024);
/// assert_eq!(config.grid.x, 132);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Thread blocks in the grid. A grid of clusters still counts thread blocks.
    pub grid: Dim3,
    /// Threads per thread block.
    pub block: Dim3,
    /// Thread blocks per cluster. `None` stands for the cluster size that the kernel declares, if any.
    pub cluster: Option<Dim3>,
    /// Dynamic shared memory per thread block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// All blocks run at the same time, so that they may wait for each other (`CU_LAUNCH_ATTRIBUTE_COOPERATIVE`).
    pub cooperative: bool,
    /// The kernel may start before the preceding kernel on the stream has ended
    /// (`CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`). `griddepcontrol.wait` waits for the end of that kernel.
    pub programmatic: bool,
}

impl LaunchConfig {
    /// Makes the shape of a launch without clusters, dynamic shared memory and attributes.
    #[must_use]
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        let (grid, block) = (grid.into(), block.into());
        Self { grid, block, cluster: None, dynamic_shared_bytes: 0, cooperative: false, programmatic: false }
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

    /// Makes the launch cooperative: all blocks run at the same time.
    #[must_use]
    pub fn cooperative(self) -> Self {
        Self { cooperative: true, ..self }
    }

    /// Lets the kernel start before the preceding kernel has ended: a programmatic dependent launch.
    #[must_use]
    pub fn programmatic(self) -> Self {
        Self { programmatic: true, ..self }
    }

    /// Checks the shape against the limits of the kernel and the device. A backend checks each launch.
    ///
    /// # Errors
    ///
    /// The first rule that the shape breaks.
    pub fn check(&self, limits: &LaunchLimits) -> Result<(), LaunchProblem> {
        use LaunchProblem::*;
        for (what, extents, limit) in [("grid", self.grid, MAX_GRID), ("block", self.block, MAX_BLOCK)] {
            if extents.count() == 0 {
                return Err(Empty(what, extents));
            } else if !extents.all(limit, |extent, limit| extent <= limit) {
                return Err(Extent(what, extents, limit));
            }
        }
        let (block, shared) = (self.block, self.dynamic_shared_bytes);
        if let Some(required) = limits.required_block.filter(|required| *required != block) {
            return Err(Block(block, required));
        } else if block.count() > u128::from(limits.max_threads) {
            return Err(Threads(block, limits.max_threads));
        } else if shared > limits.max_dynamic_shared_bytes {
            return Err(SharedMemory(shared, limits.max_dynamic_shared_bytes));
        } else if self.cooperative && !limits.has_cooperative {
            return Err(NoCooperative);
        }
        let Some(cluster) = self.cluster.or(limits.required_cluster) else {
            return if limits.needs_cluster { Err(ClusterMissing) } else { Ok(()) };
        };
        if !limits.has_clusters {
            Err(NoClusters)
        } else if let Some(required) = limits.required_cluster.filter(|required| *required != cluster) {
            Err(Cluster(cluster, required))
        } else if !self.grid.all(cluster, |grid, cluster| cluster != 0 && grid.is_multiple_of(cluster)) {
            Err(ClusterSplit(self.grid, cluster))
        } else if cluster.count() > MAX_CLUSTER {
            Err(ClusterSize(cluster))
        } else {
            Ok(())
        }
    }

    /// Checks that a cooperative launch has at most `most` blocks, which the device can run at the same time.
    ///
    /// # Errors
    ///
    /// [`LaunchProblem::NotResident`].
    pub fn check_resident(&self, most: u32) -> Result<(), LaunchProblem> {
        let fits = self.grid.count() <= u128::from(most);
        if fits { Ok(()) } else { Err(LaunchProblem::NotResident(self.grid, most)) }
    }
}

/// The limits of the grid and the block, which are the same for every compute capability.
const MAX_GRID: Dim3 = Dim3 { x: 0x7fff_ffff, y: 65535, z: 65535 };
const MAX_BLOCK: Dim3 = Dim3 { x: 1024, y: 1024, z: 64 };
/// The maximum thread blocks per cluster on any device, if the kernel opts in.
const MAX_CLUSTER: u128 = 16;

/// The limits of the launches of one kernel on its device.
#[derive(Debug, Clone, Copy)]
pub struct LaunchLimits {
    /// The most threads per block, by registers and launch bounds.
    pub max_threads: u32,
    /// The most dynamic shared memory that a launch can have, in bytes.
    pub max_dynamic_shared_bytes: u32,
    /// The block that the kernel requires (`.reqntid`).
    pub required_block: Option<Dim3>,
    /// The cluster that the kernel requires (`.reqnctapercluster`).
    pub required_cluster: Option<Dim3>,
    /// Whether the kernel needs clusters, of a size that the launch states (`.explicitcluster`).
    pub needs_cluster: bool,
    /// Whether the device has clusters.
    pub has_clusters: bool,
    /// Whether the device has cooperative launches.
    pub has_cooperative: bool,
}

/// The reason why a launch was refused before the device saw the launch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchProblem {
    /// The grid or the block, with an extent of 0.
    #[error("the {0} {1} has an extent of 0; every extent must be at least 1")]
    Empty(&'static str, Dim3),
    /// The grid or the block, and the limit that it exceeds.
    #[error("the {0} {1} exceeds the device's limit of {2}")]
    Extent(&'static str, Dim3, Dim3),
    /// The block, and the most threads per block for this kernel.
    #[error(
        "a block of {0} has more than the {1} threads that the kernel's registers and launch bounds allow"
    )]
    Threads(Dim3, u32),
    /// The block, and the block that the kernel requires.
    #[error("a block of {0}, but the kernel was built for blocks of {1} (.reqntid); launch with those")]
    Block(Dim3, Dim3),
    /// The block, and the greatest extents of a block that the kernel was built for.
    #[error(
        "a block of {0}, but the kernel was built for blocks of at most {1} (`max_threads`); launch with fewer threads"
    )]
    LargeBlock(Dim3, Dim3),
    /// Bytes of dynamic shared memory, and the most that a launch of this kernel can have.
    #[error(
        "{0} bytes of dynamic shared memory, but at most {1} are left on this device besides the kernel's static \
         shared memory; use fewer or smaller stages"
    )]
    SharedMemory(u32, u32),
    /// The device has no clusters.
    #[error(
        "clusters need compute capability 9.0 or higher, which this device lacks; launch without a cluster"
    )]
    NoClusters,
    /// The cluster, and the cluster that the kernel requires.
    #[error(
        "a cluster of {0}, but the kernel was built for clusters of {1} (.reqnctapercluster); name that or none"
    )]
    Cluster(Dim3, Dim3),
    /// The kernel needs a cluster, and the launch names none.
    #[error(
        "the kernel runs in clusters (.explicitcluster), and the launch names none; give the cluster's size"
    )]
    ClusterMissing,
    /// The grid, and the cluster whose extents do not divide the grid's.
    #[error(
        "the grid {0} is not made of whole clusters of {1}; make each extent a multiple of the cluster's"
    )]
    ClusterSplit(Dim3, Dim3),
    /// The cluster, which is larger than any device allows.
    #[error("a cluster of {0} has more than 16 blocks (some devices allow 8 only)")]
    ClusterSize(Dim3),
    /// The device has no cooperative launches.
    #[error("this device has no cooperative launches; launch without `cooperative`")]
    NoCooperative,
    /// The cooperative grid, and the most blocks that run at the same time.
    #[error(
        "a cooperative grid of {0}, but at most {1} blocks of this shape run at the same time; use fewer or smaller \
         blocks"
    )]
    NotResident(Dim3, u32),
    /// The argument, and why the launch cannot pass it.
    #[error("argument {0} {1}")]
    Argument(String, String),
    /// The grid, and the only grids in y and z that the kernel was built for.
    #[error(
        "a grid of {0}, but the kernel was built for grids of {1} in y and z; state `any_grid` in `#[ptx::kernel]` for others \
         (a launch gives the grid alone: the kernel states its block, or the most threads of one)"
    )]
    GridRank(Dim3, Dim3),
    /// The grid.
    #[error("the grid {0} has 2^32 blocks or more, which a kernel cannot count")]
    GridCount(Dim3),
    /// The kernel does not wait for all memory of the grids before it.
    #[error(
        "a programmatic dependent launch, but the kernel has memory outside of a `Prerequisite`, or no `Prerequisite`; \
         wrap each handle in one"
    )]
    Programmatic,
}
