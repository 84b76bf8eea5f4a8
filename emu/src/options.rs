//! What a launch is, and how the interpreter runs it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::schedule::Schedule;

/// The shape and the parameters of a launch.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The blocks of the grid.
    pub grid: [u32; 3],
    /// The threads of a block.
    pub block: [u32; 3],
    /// The blocks of a cluster. One block: none are asked for, so a kernel with `.reqnctapercluster` takes its own.
    pub cluster: [u32; 3],
    /// The bytes of dynamic shared memory of a block.
    pub dynamic_shared: u32,
    /// Whether the grid may start before the previous grid has ended (programmatic dependent launch): until a
    /// `griddepcontrol.wait`, nothing orders their accesses.
    pub programmatic: bool,
    /// Whether all blocks run at the same time, and the kernel has a place for its grid barrier (a cooperative launch).
    pub cooperative: bool,
    /// The bytes of the parameters, as the kernel lays them out.
    pub params: Vec<u8>,
}

impl Launch {
    /// Makes a launch of `grid` blocks of `block` threads, without clusters, dynamic shared memory or parameters.
    #[must_use]
    pub fn new(grid: u32, block: u32) -> Self {
        let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
        let (programmatic, cooperative) = (false, false);
        Self {
            grid,
            block,
            cluster: [1; 3],
            dynamic_shared: 0,
            programmatic,
            cooperative,
            params: Vec::new(),
        }
    }
}

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The order of threads and asynchronous operations.
    pub schedule: Schedule,
    /// Whether accesses are checked.
    pub check: bool,
    /// The number of thread-instructions after which a run is given up.
    pub limit: u64,
    /// A function that a long run calls now and then.
    pub progress: Option<fn(&Progress<'_>)>,
    /// Ends the run when it becomes true.
    pub interrupt: Option<&'static AtomicBool>,
    /// The maximum number of resident thread blocks.
    pub resident: usize,
    /// The number of findings after which a run is given up.
    pub findings: usize,
    /// Whether the report has a [`Trace`](crate::Trace).
    pub trace: bool,
    /// Readings of the ISA where its text leaves room.
    pub readings: Readings,
}

/// Readings of the ISA where its text leaves room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readings {
    /// Whether a copy sees its mbarrier's initialization only after `fence.proxy.async`. The example of 9.7.13.4 acquires "remote
    /// barrier state via async proxy". Common code has `fence.mbarrier_init`, or a barrier of the CTA alone: that the initialization
    /// happened before the copy is otherwise enough.
    pub init_needs_proxy_fence: bool,
    /// Whether an asynchronous write after a generic *read* needs a proxy fence also behind a barrier of the CTA or of the cluster,
    /// a phase of an mbarrier, or a release and an acquire: 9.7.9.25.2 says "accessing the same memory location". Common code has
    /// none there. Behind program order or `bar.warp.sync` alone, the fence is always needed.
    pub reads_need_proxy_fence: bool,
    /// Whether a wait for a copy that a thread of another CTA has issued needs the scope of the cluster. The completion of a copy
    /// has the scope `.cluster` (9.7.9.25.4.1), and a wait of scope `.cta` does not include that thread (8.7). Common code waits
    /// with `.cta`.
    pub peer_copies_need_cluster_scope: bool,
    /// Whether `activemask` may give each lane a set of its own, so that a lane of the set need not see that set. 9.7.13.11 says
    /// only that the lanes are active. Common code synchronizes the set, which works only if all its lanes see the same.
    pub active_lanes_differ: bool,
    /// Whether instructions by which lanes exchange values (`shfl.sync`, `match.sync`, `vote.sync`, `redux.sync`) order no memory, as
    /// the CUDA guide says. `cuda::pipeline` and the groups of several warps of cooperative groups need more: the value of a lane
    /// carries what that lane has acquired, and what it did before its last release; and a lane may overwrite what the others have
    /// read before. What a lane has stored since its last release needs `bar.warp.sync` by either reading.
    pub exchanges_order_nothing: bool,
    /// Whether an `.aligned` barrier for all threads of the block allows that whole warps have ended, as CUDA's guide does for
    /// `__syncthreads()`. By the ISA, "all threads in CTA" execute it (9.7.13.1). This reading alone requires less than the default.
    pub ended_warps_take_no_part: bool,
}

impl Readings {
    /// Returns the readings with the most requirements.
    #[must_use]
    pub fn strictest() -> Self {
        Self {
            init_needs_proxy_fence: true,
            reads_need_proxy_fence: true,
            peer_copies_need_cluster_scope: true,
            active_lanes_differ: true,
            exchanges_order_nothing: true,
            ended_warps_take_no_part: false,
        }
    }
}

/// How far a long run has come.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The name of the kernel.
    pub kernel: &'a str,
    /// The time since the run began.
    pub elapsed: Duration,
    /// The number of thread-instructions that were executed.
    pub instructions: u64,
    /// [`Options::limit`].
    pub limit: u64,
    /// The number of blocks that have started.
    pub started: u64,
    /// The number of all blocks.
    pub blocks: u64,
}

impl std::fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let millions = |count: u64| count as f64 / 1e6;
        write!(
            f,
            "`{}` has run for {} s: {:.1} of at most {:.1} million thread-instructions, {} of {} blocks have started",
            self.kernel,
            self.elapsed.as_secs(),
            millions(self.instructions),
            millions(self.limit),
            self.started,
            self.blocks
        )
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            check: true,
            limit: 10_000_000_000,
            progress: None,
            interrupt: None,
            resident: 132,
            findings: 32,
            trace: false,
            readings: Readings::default(),
        }
    }
}
