//! The state of a grid that runs: its blocks, threads, asynchronous operations and findings.

use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::agent::Agent;
use crate::ast::Loc;
use crate::clock::{
    Acquirable, Collected, Id, Memo, OBJECTS, PART, PROXIES, Proxy, Release, Time, View, is_of_grid, of_grid,
};
use crate::explore::{Actor, Explorer, Thing, Touch, Use};
use crate::finding::{Finding, Party, Rule};
use crate::limits::RESERVED_SHARED;
use crate::location::{Handed, Key, Location, Narrow};
use crate::memory::{Global, Place, RANK_SHIFT, SHARED_BASE};
use crate::op::{Rmw, Scope, Slot, Special, Src};
use crate::program::{Constant, Function, Init, Program, Symbol};
use crate::schedule::{Ready, Rng, Schedule};
use crate::shadow::{At, Conflict, Missing, Shadow};
use crate::sync::{BarrierState, ClusterBarrier, ClusterLanes, MbarrierState, Point};
use crate::taint::Taint;
use crate::trace::{Row, Trace};

/// The shape and the parameters of a launch.
#[derive(Debug, Clone)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
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

/// The file of `ptx` with the entries of kernels.
const ENTRIES_OF_PTX: &str = "/src/expansion.rs";

/// The kind of a fault, as a driver reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access to an address outside of all memory.
    Address,
    /// An address that is not a multiple of the alignment that the instruction requires.
    Misaligned,
    /// Operands that the instruction does not allow.
    Instruction,
    /// `trap`.
    Trap,
    /// More instructions than [`Options::limit`].
    Limit,
    /// The user has ended the run ([`Options::interrupt`]).
    Interrupt,
}

impl FaultKind {
    /// Returns the name, with which a fault begins.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "illegal address",
            Self::Misaligned => "misaligned address",
            Self::Instruction => "illegal instruction",
            Self::Trap => "`trap`",
            Self::Limit => "limit of instructions",
            Self::Interrupt => "interrupt",
        }
    }
}

/// What ends a grid before its threads end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The name of the kernel.
    pub kernel: Box<str>,
    /// The section of the PTX ISA on the instruction. `None`: the fault is of no instruction.
    pub section: Option<&'static str>,
    pub what: String,
    pub here: Option<Party>,
}

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Options {
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
    /// Whether the report has a [`Trace`].
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
        }
    }
}

/// How far a long run has come.
#[derive(Debug)]
pub struct Progress<'a> {
    pub kernel: &'a str,
    /// The time since the run began.
    pub elapsed: Duration,
    /// The number of thread-instructions that were executed, and their limit.
    pub instructions: u64,
    pub limit: u64,
    /// The number of blocks that have started, and that of all blocks.
    pub started: u64,
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

/// The result of a run.
#[derive(Debug, Default)]
pub struct Report {
    pub findings: Vec<Finding>,
    pub fault: Option<Fault>,
    /// The number of thread-instructions that were executed.
    pub instructions: u64,
    /// What the kernel printed.
    pub printed: String,
    /// The trace of the run, if the options ask for it.
    pub trace: Option<Trace>,
    /// Whether the run was given up, since it would have repeated another.
    pub(crate) repeats: bool,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Later findings mostly follow from the first ones.
        const SHOWN: usize = 8;
        let groups = self.groups();
        for (finding, alike) in groups.iter().take(SHOWN) {
            writeln!(f, "{finding}")?;
            if !alike.is_empty() {
                let lines: Vec<_> = alike.iter().map(|finding| finding.here.line.to_string()).collect();
                let (more, lines) = (alike.len(), lines.join(", "));
                writeln!(f, "    and {more} more at the same lines of the source (of the PTX: {lines})")?;
            }
        }
        if let more @ 1.. = groups.iter().skip(SHOWN).map(|(_, alike)| 1 + alike.len()).sum::<usize>() {
            writeln!(f, "and {more} more")?;
        }
        self.fault.iter().try_for_each(|fault| writeln!(f, "{fault}"))?;
        if !self.printed.is_empty() {
            write!(f, "the kernel printed:\n{}", self.printed)?;
        }
        Ok(())
    }
}

impl Report {
    /// Returns whether the run ended without a finding or a fault.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.fault.is_none()
    }

    /// Returns the findings that differ, each with those that are like it: a line of the source makes several instructions.
    fn groups(&self) -> Vec<(&Finding, Vec<&Finding>)> {
        let mut groups: Vec<(&Finding, Vec<&Finding>)> = Vec::new();
        for finding in &self.findings {
            match groups.iter_mut().find(|(first, _)| first.is_like(finding)) {
                Some((_, alike)) => alike.push(finding),
                None => groups.push((finding, Vec::new())),
            }
        }
        groups
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub function: usize,
    pub return_to: u32,
    /// The first register. `local` is the first byte of the frame.
    pub registers: usize,
    pub local: usize,
    /// The index of the call in its function.
    pub call: u32,
}

/// The state of a thread: ready, exited, or what the thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    /// Waiting in a collective instruction of its warp.
    Warp,
    Barrier(u32),
    Cluster,
    /// Suspended by `try_wait` on the mbarrier at an offset.
    TryWait(u32),
    /// Waiting in a `wait_group`.
    Groups,
    /// Suspended in a loop that reads a place, until something writes there.
    Spin,
    Exited,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct GroupsState {
    /// The identity of the groups. `read_id` is the identity of their reads.
    pub id: Id,
    pub read_id: Id,
    /// The number of the group that is not yet committed.
    pub open: u32,
    /// The number of operations of the open group.
    pub in_open: u32,
    /// The groups that the thread has waited for. `waited_read`: those whose reads the thread has waited for.
    pub waited: u32,
    pub waited_read: u32,
    /// A copy that reads shared memory and that nothing has waited for.
    pub shared_source: Option<At>,
}

#[derive(Debug)]
pub struct Thread {
    pub pc: u32,
    pub frame: Frame,
    pub frames: Vec<Frame>,
    pub registers: Vec<u64>,
    pub local: Vec<u8>,
    pub carry: u64,
    pub state: State,
    /// Whether the thread is at an `activemask`, and lets other lanes come there.
    pub gathers: bool,
    /// Whether the next `try_wait` gives up.
    pub gives_up: bool,
    pub id: Id,
    /// The rank of the CTA, which is added to addresses of shared variables.
    pub shared_base: u64,
    pub view: Rc<View>,
    /// The proxy of the current access: `Proxy::Alias` within `multimem`.
    pub proxy: Proxy,
    /// The thread's own time, and that of its last fence of each proxy.
    pub times: [Time; PROXIES],
    /// The step of the thread's time: 0 in an unchecked run, whose clocks stay empty.
    pub step: Time,
    /// The times at the thread's last release, by proxy.
    pub published: [Time; PROXIES],
    /// The time of each lane of the warp up to which this one may overwrite what that one has read, by the instructions in which both
    /// took part. `None`: none.
    pub passed: Option<Rc<[Time; 32]>>,
    /// What relaxed loads have seen, for a later acquire fence.
    pub seen: Handed,
    pub taint: Taint,
    /// The last releases that a scope has kept from the thread, for the messages of findings.
    pub narrow: Vec<Narrow>,
    /// The last release fence of each scope that no later one of a wider scope has replaced, for later relaxed stores.
    pub released: Vec<(Scope, Release)>,
    /// The release of the last `fence.mbarrier_init`. `to_async`: that of the proxy fences with `.release.sync_restrict`.
    pub inits: Option<Release>,
    pub to_async: Option<Release>,
    /// The time of the last fence of reads alone, before which asynchronous writes of the thread may overwrite what it has read.
    pub fenced_reads: Time,
    pub bulk: GroupsState,
    pub cp_async: GroupsState,
    /// The instruction of the thread's last strong load, and the bytes that the load has read.
    pub last_load: (u32, Vec<u8>),
    /// The number of operations that the thread has issued.
    pub issued: u32,
    /// The numbers of cluster barriers that the thread has arrived at and waited for.
    pub cluster: (u32, u32),
}

impl Thread {
    /// Publishes what the thread has done. In an unchecked run, the release is empty.
    pub fn release(&mut self) -> Release {
        let release = Release { view: self.view.clone(), id: self.id, times: self.times };
        self.published = self.times;
        self.times[0] += self.step;
        release
    }

    /// Returns what a message of the thread carries: what it has acquired, and what it did before its last release.
    pub fn message(&self) -> Release {
        Release { view: self.view.clone(), id: self.id, times: self.published }
    }

    /// Returns whether the message of another thread tells the thread nothing.
    pub fn knows_message(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.view, &other.view)
            && self.view.clock(Proxy::Generic).get(other.id) >= other.published[Proxy::Generic as usize]
    }

    /// Runs a release fence.
    pub fn fence(&mut self, scope: Scope) {
        let release = self.release();
        self.released.retain(|(other, _)| *other > scope);
        self.released.push((scope, release));
    }

    /// Returns what the last release fence whose scope is at least `scope` has released, and the fences of one kind of access.
    pub fn released(&self, scope: Scope) -> Option<Release> {
        let fence = self.released.iter().rev().find(|(other, _)| *other >= scope).map(|(_, release)| release);
        let mut all = fence.into_iter().chain(self.restricted());
        let mut release = all.next()?.clone();
        all.for_each(|other| release.join(other));
        Some(release)
    }

    /// Returns what the fences of one kind of access have released. Their scope is the cluster.
    pub fn restricted(&self) -> impl Iterator<Item = &Release> {
        self.inits.iter().chain(&self.to_async)
    }

    /// Returns whether both threads are at one instruction, after the same calls.
    pub fn is_beside(&self, other: &Self) -> bool {
        let calls = |thread: &Self| {
            let callees = thread.frames.iter().skip(1).chain([&thread.frame]);
            callees.map(|frame| (frame.function, frame.call)).collect::<Vec<_>>()
        };
        self.pc == other.pc
            && self.frames.len() == other.frames.len()
            && (self.frames.is_empty() || calls(self) == calls(other))
    }

    /// Notes a release that a scope keeps from the thread.
    pub fn note_narrow(&mut self, narrow: Narrow) {
        const KEPT: usize = 8;
        self.narrow.retain(|other| (other.at, other.released) != (narrow.at, narrow.released));
        if self.narrow.len() == KEPT {
            self.narrow.remove(0);
        }
        self.narrow.push(narrow);
    }

    pub fn acquire(&mut self, acquirable: &Acquirable) {
        acquirable.acquire(&mut self.view);
    }
}

#[derive(Debug, Default)]
pub struct Warp {
    /// The lanes in a collective instruction.
    pub waiting: Vec<u32>,
    /// The number of lanes, and of those that have not exited.
    pub lanes: u32,
    pub live: u32,
    /// The lanes that have arrived at the cluster's barrier in this phase, and those that have waited for the last phase.
    pub cluster_arrivals: ClusterLanes,
    pub cluster_waits: ClusterLanes,
    /// The registers of each thread. `None`: not known, since no directive of the kernel bounds them.
    pub registers: Option<u32>,
    /// Each `setmaxnreg` of the warp: its point, and the thread and the time of its first lane.
    pub resized: Vec<(Point, Id, Time)>,
}

#[derive(Debug)]
pub struct Cta {
    pub index: [u32; 3],
    /// The number of the block, in the order of clusters.
    pub number: u32,
    pub rank: u32,
    /// The first resident block of its cluster.
    pub cluster: usize,
    pub shared: Vec<u8>,
    pub shadow: Shadow,
    pub threads: Vec<Thread>,
    pub warps: Vec<Warp>,
    pub live: u32,
    /// The registers that warps have released, and that no other has taken.
    pub free_registers: u32,
    pub barriers: [BarrierState; 16],
    pub mbarriers: rustc_hash::FxHashMap<u32, MbarrierState>,
    /// The barrier of the cluster, in its first block.
    pub cluster_barrier: ClusterBarrier,
    /// What the block's threads knew when they exited.
    pub exits: Collected,
    /// Whether a thread of the block has let dependent grids start (`griddepcontrol.launch_dependents`).
    pub launched_dependents: bool,
    /// The changes of views by the last proxy fences.
    pub fences: Memo<Proxy>,
}

pub struct Machine<'a> {
    pub program: &'a Program,
    pub global: &'a mut Global,
    pub options: &'a Options,
    pub launch: &'a Launch,
    pub kernel: usize,
    pub(crate) cluster_size: u32,
    pub constants: Vec<u64>,
    pub static_shared: u32,
    /// The bytes that follow the shared memory of a block, for `%reserved_smem_offset_…`.
    pub reserved_shared: u32,
    /// The address of the place for the grid barrier of a cooperative launch, or 0.
    pub workspace: u64,
    /// The bytes of the registers and the local memory of the resident threads.
    pub stacks: u64,
    pub ctas: Vec<Cta>,
    pub(crate) ready: Ready,
    pub agents: Vec<Agent>,
    pub rng: Rng,
    pub report: Report,
    /// The count of the events that a waiting thread could wait for.
    pub progress: u64,
    pub(crate) objects: Id,
    pub(crate) next_cluster: u64,
    /// The index of the first instruction of each function in the list of all.
    pub starts: Vec<u32>,
    pub locations: rustc_hash::FxHashMap<Key, Location>,
    /// What the `fence.sc` of each scope have handed over.
    pub sequential: rustc_hash::FxHashMap<Id, Collected>,
    pub reported: rustc_hash::FxHashSet<(Rule, At, At)>,
    pub(crate) empty: Rc<View>,
    /// The earlier grids that may still run, and those of them that have ended after a `griddepcontrol.wait`.
    pub earlier: Vec<Id>,
    pub awaited: Vec<Id>,
    /// The earlier grids that have ended when dependents start, and whether a thread has waited for the grid before.
    pub ended: Vec<Id>,
    pub has_waited: bool,
    /// The changes of views by a wait for the grid before.
    pub waits: Memo<()>,
    pub trace: Option<Trace>,
    pub explorer: Option<Explorer>,
    /// The threads in a loop that reads a place.
    pub spinning: Vec<(Place, (u32, u32))>,
    /// The operation of the next access, if it is a reduction whose order does not matter.
    pub combines: Option<Rmw>,
    /// Whether a `try_wait` has returned early: an explorer lets one `try_wait` of a run do so.
    pub returned_early: bool,
}

/// The nanoseconds that `%globaltimer` counts for an instruction, so that a wait of seconds ends soon.
const NANOSECONDS: u64 = 64;

/// The outcome of an instruction.
pub enum Flow {
    Next,
    Jump(u32),
    /// The thread has stopped before the instruction, or its state says what it waits for.
    Stop,
    /// The instruction has set the program counter, and others may run.
    Yield,
}

pub type Outcome = Result<Flow, Fault>;

pub(crate) fn product(extents: [u32; 3]) -> u64 {
    extents.iter().fold(1, |all: u64, extent| all.saturating_mul((*extent).into()))
}

pub fn index_of(linear: u64, extents: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = extents.map(u64::from);
    [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32]
}

impl<'a> Machine<'a> {
    /// Prepares a launch. `addresses` has the address of each variable in global memory.
    pub fn new(
        program: &'a Program,
        global: &'a mut Global,
        addresses: &[u64],
        kernel: usize,
        launch: &'a Launch,
        options: &'a Options,
    ) -> Self {
        let layout = SharedLayout::of(program, kernel);
        let constants = program.constants.iter().map(|constant| match constant {
            Constant::Bits(bits) => *bits,
            Constant::Variable(index, offset) => {
                let address = layout.offsets[*index].map_or(addresses[*index], u64::from);
                address.wrapping_add_signed(*offset)
            }
        });
        let constants = constants.collect();
        let mut starts = vec![0];
        for function in &program.functions {
            let start: u32 = starts[starts.len() - 1];
            starts.push(start + function.code.len() as u32);
        }
        Self {
            program,
            global,
            options,
            launch,
            kernel,
            cluster_size: product(launch.cluster) as u32,
            constants,
            static_shared: layout.bytes as u32,
            reserved_shared: if program.reads(|special| matches!(special, Special::ReservedShared(_))) {
                RESERVED_SHARED
            } else {
                0
            },
            workspace: 0,
            stacks: 0,
            ctas: Vec::new(),
            ready: Ready::new(product(launch.cluster) as u32),
            agents: Vec::new(),
            rng: Rng::new(options.schedule.seed),
            report: Report::default(),
            progress: 0,
            // The first part is that of grids.
            objects: OBJECTS + PART,
            next_cluster: 0,
            starts,
            locations: rustc_hash::FxHashMap::default(),
            sequential: rustc_hash::FxHashMap::default(),
            reported: rustc_hash::FxHashSet::default(),
            empty: Rc::new(View::default()),
            earlier: Vec::new(),
            awaited: Vec::new(),
            ended: Vec::new(),
            has_waited: false,
            waits: Memo::default(),
            trace: options.trace.then(Trace::default),
            explorer: None,
            spinning: Vec::new(),
            combines: None,
            returned_early: false,
        }
    }

    pub fn cluster_size(&self) -> u32 {
        self.cluster_size
    }

    /// Returns whether a synchronization lets asynchronous writes overwrite what was read before.
    pub fn orders_reads(&self) -> bool {
        !self.options.readings.reads_need_proxy_fence
    }

    pub fn clusters(&self) -> u64 {
        product(self.launch.grid) / product(self.launch.cluster)
    }

    /// Returns a new object, whose times are those of completions.
    pub fn new_object(&mut self) -> Id {
        self.objects += 1;
        self.objects
    }

    /// Chooses one of `count` outcomes.
    pub fn choose(&mut self, count: usize) -> usize {
        match &mut self.explorer {
            _ if count < 2 => 0,
            Some(explorer) => explorer.which(count),
            None => self.rng.below(count),
        }
    }

    /// Notes what a step touches, for an explorer.
    pub fn touches(&mut self, thing: Thing, range: std::ops::Range<usize>, how: Use) {
        if let Some(explorer) = &mut self.explorer {
            explorer.touched.push(Touch { thing, from: range.start, to: range.end, how });
        }
    }

    /// Gives a thread a state in which it waits for a `wake`, and begins the wait in the trace.
    pub fn stop(&mut self, cta: usize, thread: usize, state: State) {
        self.ctas[cta].threads[thread].state = state;
        let row = Row::Thread(self.ctas[cta].number, thread as u32);
        if let Some(trace) = &mut self.trace {
            let name = match state {
                State::Barrier(id) => format!("barrier {id}"),
                State::Cluster => "barrier.cluster".into(),
                State::TryWait(at) => format!("mbarrier {:#x}", at + SHARED_BASE),
                State::Groups => "wait_group".into(),
                _ => "warp".into(),
            };
            trace.begin(row, name, self.report.instructions);
        }
    }

    /// Notes that an mbarrier begins a phase or no longer exists.
    pub fn trace_phase(&mut self, slot: usize, offset: u32) {
        let block = &self.ctas[slot];
        let row = Row::Mbarrier(block.number, offset + SHARED_BASE);
        let phase = block.mbarriers.get(&offset).map(|mbarrier| mbarrier.phase);
        if let Some(trace) = &mut self.trace {
            trace.end(row, self.report.instructions);
            if let Some(phase) = phase {
                trace.begin(row, format!("phase {phase}"), self.report.instructions);
            }
        }
    }

    /// Wakes a thread.
    pub fn wake(&mut self, cta: usize, thread: u32) {
        self.ctas[cta].threads[thread as usize].state = State::Ready;
        let number = self.ctas[cta].number;
        if let Some(trace) = &mut self.trace {
            trace.end(Row::Thread(number, thread), self.report.instructions);
        }
        if let Some(explorer) = &mut self.explorer {
            explorer.wakes(Actor::Thread(number, thread));
        }
        self.ready.push((cta as u32, thread));
    }

    /// Removes a cluster that has not started from the grid (`clusterlaunchcontrol.try_cancel`).
    pub fn cancel_cluster(&mut self) -> Option<[u32; 3]> {
        if self.next_cluster >= self.clusters() {
            return None;
        }
        let number = self.next_cluster;
        self.next_cluster += 1;
        let extents = std::array::from_fn(|i| self.launch.grid[i] / self.launch.cluster[i]);
        let cluster = index_of(number, extents);
        Some(std::array::from_fn(|i| cluster[i] * self.launch.cluster[i]))
    }

    #[inline(always)]
    pub fn value(&self, thread: &Thread, src: Src) -> u64 {
        value(&self.constants, thread, src)
    }

    /// Returns the instruction of a thread, as an index in the list of all.
    pub fn at(&self, cta: usize, thread: usize) -> At {
        let t = &self.ctas[cta].threads[thread];
        self.starts[t.frame.function] + t.pc
    }

    /// Returns the instruction of a thread with the calls that led there.
    pub fn point(&self, cta: usize, thread: usize) -> Point {
        let t = &self.ctas[cta].threads[thread];
        let callees = t.frames.iter().skip(1).chain([&t.frame]);
        let calls =
            t.frames.iter().zip(callees).map(|(caller, callee)| self.starts[caller.function] + callee.call);
        Point { at: self.at(cta, thread), calls: calls.collect() }
    }

    fn instruction(&self, at: At) -> (&Function, usize) {
        let function = self.starts.partition_point(|start| *start <= at) - 1;
        let function = function.min(self.program.functions.len() - 1);
        (&self.program.functions[function], (at - self.starts[function]) as usize)
    }

    /// Returns the place in the kernel's crate, or in its file of C++, that led to these locations: what the kernel calls may have
    /// been inlined. Line 0 is no place.
    fn source(&self, locs: &[Loc]) -> Option<String> {
        let file = |loc: &Loc| self.program.file(loc.file);
        // The files of a crate lie in one folder. A header of C++ may lie anywhere.
        let crate_of = |file: &'a str| {
            let is_rust = file.ends_with(".rs");
            Path::new(file)
                .ancestors()
                .find(|path| is_rust && path.ends_with("src"))
                .unwrap_or(Path::new(file))
        };
        let outermost = file(locs.last()?)?;
        // The entry of `#[ptx::kernel]` is code of `ptx`, and calls the kernel.
        let is_made_by_ptx = outermost.ends_with(ENTRIES_OF_PTX);
        let is_of_user = |(file, _): &(&'a str, &Loc)| {
            let is_beside = crate_of(file) == crate_of(outermost);
            if is_made_by_ptx { !is_beside && !file.contains("/library/") } else { is_beside }
        };
        let mut places = locs.iter().filter(|loc| loc.line > 0).filter_map(|loc| Some((file(loc)?, loc)));
        let of_user = places.clone().find(is_of_user);
        let (file, loc) =
            of_user.or_else(|| if is_made_by_ptx { places.next() } else { places.next_back() })?;
        Some(format!("{file}:{}:{}", loc.line, loc.column))
    }

    pub fn party_at(&self, asynchronous: bool, cta: Option<[u32; 3]>, thread: Option<u32>, at: At) -> Party {
        let (function, pc) = self.instruction(at);
        let last = pc.min(function.code.len().saturating_sub(1));
        let line = function.code.get(last).map_or(0, |instruction| instruction.line);
        // An instruction that the compiler made of several lines has line 0: it belongs to what is before.
        let up_to_here = function.code.iter().take(last + 1).rev();
        let source = up_to_here.into_iter().find_map(|instruction| self.source(&instruction.locs));
        Party { asynchronous, cta, thread, line, source }
    }

    pub fn party(&self, cta: usize, thread: usize) -> Party {
        let place = |at| self.party_at(false, Some(self.ctas[cta].index), Some(thread as u32), at);
        let mut party = place(self.at(cta, thread));
        // A panic is in functions of `core`, which have no lines.
        let t = &self.ctas[cta].threads[thread];
        let mut callee = t.frame;
        for caller in t.frames.iter().rev() {
            if party.source.is_none() {
                party.source = place(self.starts[caller.function] + callee.call).source;
            }
            callee = *caller;
        }
        party
    }

    /// Returns the party of an asynchronous operation.
    pub fn party_of_agent(&self, agent: &Agent) -> Party {
        let (cta, thread) = agent.issuer;
        self.party_at(true, Some(self.ctas[cta].index), Some(thread as u32), agent.at)
    }

    /// Returns the party of an epoch. `by` is the thread of an epoch of an asynchronous operation.
    pub fn party_of(&self, id: Id, at: At, by: Option<u16>) -> Party {
        if id >= OBJECTS {
            return self.party_at(true, None, by.map(u32::from), at);
        }
        let size = self.cluster_size();
        let (number, thread) = (id / PART, id % PART);
        let extents = std::array::from_fn(|i| self.launch.grid[i] / self.launch.cluster[i]);
        let cluster = index_of((number / size).into(), extents);
        let within = index_of((number % size).into(), self.launch.cluster);
        let index = std::array::from_fn(|i| cluster[i] * self.launch.cluster[i] + within[i]);
        self.party_at(false, Some(index), Some(thread), at)
    }

    /// Notes a finding, once for each pair of instructions.
    pub fn find(&mut self, rule: Rule, what: String, here: Party, other: Option<Party>, places: (At, At)) {
        if self.reported.insert((rule, places.0, places.1)) {
            let kernel = self.program.functions[self.kernel].name.clone();
            self.report.findings.push(Finding { rule, what, kernel, here, other });
        }
    }

    /// Notes what a thread does wrong.
    pub fn wrong(&mut self, rule: Rule, cta: usize, thread: usize, what: impl Into<String>) {
        if self.options.check {
            let (here, at) = (self.party(cta, thread), self.at(cta, thread));
            self.find(rule, what.into(), here, None, (at, 0));
        }
    }

    pub fn fault(&self, cta: usize, thread: usize, what: impl Into<String>) -> Fault {
        let section = Some(self.current(cta, thread).op.section());
        let here = Some(self.party(cta, thread));
        Fault { section, here, ..self.fault_of_grid(FaultKind::Instruction, what.into()) }
    }

    /// Returns a fault of no instruction.
    pub fn fault_of_grid(&self, kind: FaultKind, what: String) -> Fault {
        let kernel = self.program.functions[self.kernel].name.as_str().into();
        Fault { kind, kernel, section: None, what, here: None }
    }

    /// Notes a conflict of an access.
    pub fn conflict(&mut self, conflict: Conflict, wrote: bool, here: Party, at: At, what: &str) {
        let verb = if wrote { "writes" } else { "reads" };
        match conflict {
            Conflict::Uninitialized => {
                let what = format!("reads {what}, which nothing has written");
                self.find(Rule::Uninitialized, what, here, None, (at, 0));
            }
            Conflict::Race { other, wrote: other_wrote, missing } => {
                let other_verb = if other_wrote { "written" } else { "read" };
                if is_of_grid(other.id) {
                    let before = other.id == of_grid(self.global.grids.number);
                    let (grid, lacks) = match (before, self.awaited.contains(&other.id)) {
                        (true, _) => ("the grid before this one", "for whose end the thread has not waited"),
                        (_, true) => ("an earlier grid", "for whose end the thread has not waited"),
                        _ => ("an earlier grid", "for whose end the grid before this one has not waited"),
                    };
                    let what = format!(
                        "{verb} {what}, {other_verb} by {grid}, {lacks} (`griddepcontrol.wait`, 9.7.13.13)"
                    );
                    self.find(Rule::Race, what, here, None, (at, 0));
                    return;
                }
                let (rule, reason) = match missing {
                    Missing::Order | Missing::Scope(_) => (Rule::Race, "with nothing that orders the two"),
                    Missing::ProxyFence => {
                        (Rule::ProxyFence, "through another proxy, without a proxy fence between")
                    }
                    Missing::AliasFence => {
                        (Rule::ProxyFence, "through another address, without a `fence.proxy.alias` between")
                    }
                };
                let scopes = match missing {
                    Missing::Order => self.narrow_scopes(&here, other.id, other.time),
                    Missing::Scope(ours) => self.ctas.iter().find(|block| Some(block.index) == here.cta).map(|block| {
                        let needed = Scope::around(block.number, other.id / PART, self.cluster_size());
                        let theirs = other.strong.unwrap_or(ours);
                        format!(
                            ": the scopes `{ours}` and `{theirs}` of the accesses do not include each other's thread; `{needed}` does"
                        )
                    }),
                    _ => None,
                };
                let what = format!("{verb} {what}, {other_verb} {reason}{}", scopes.unwrap_or_default());
                let party = self.party_of(other.id, other.at, Some(other.by));
                self.find(rule, what, here, Some(party), (at, other.at));
            }
        }
    }

    /// Returns which scopes keep a party from knowing of an access, and which would not.
    fn narrow_scopes(&self, here: &Party, id: Id, time: Time) -> Option<String> {
        let block =
            self.ctas.iter().find(|block| Some(block.index) == here.cta && !block.threads.is_empty())?;
        let tells = |narrow: &&Narrow| narrow.view.clock(Proxy::Generic).get(id) >= time;
        let threads = block.threads.iter();
        let Narrow { released, acquired, needed, at, .. } = threads.flat_map(|t| &t.narrow).find(tells)?;
        let cure = match (released < needed, acquired < needed) {
            (true, true) => format!("`.release{needed}` and `.acquire{needed}` do"),
            (true, false) => format!("`.release{needed}` does"),
            _ => format!("`.acquire{needed}` does"),
        };
        let line = self.party_at(false, None, None, *at).line;
        Some(format!(
            ": a release of scope `{released}`, and its acquire of scope `{acquired}` in line {line} of the PTX, do not include each \
             other's thread; {cure}"
        ))
    }

    pub fn special(&self, cta: usize, thread: usize, special: Special) -> u64 {
        let (block, launch) = (&self.ctas[cta], self.launch);
        let tid = || index_of(thread as u64, launch.block);
        let lane = thread as u32 % 32;
        let within = || index_of(block.rank.into(), launch.cluster);
        u64::from(match special {
            Special::Tid(i) => tid()[i],
            Special::Ntid(i) => launch.block[i],
            Special::Ctaid(i) => block.index[i],
            Special::Nctaid(i) => launch.grid[i],
            Special::ClusterId(i) => block.index[i] / launch.cluster[i],
            Special::ClusterCount(i) => launch.grid[i] / launch.cluster[i],
            Special::ClusterCtaid(i) => within()[i],
            Special::ClusterNctaid(i) => launch.cluster[i],
            Special::ClusterRank => block.rank,
            Special::ClusterSize => self.cluster_size(),
            Special::IsExplicitCluster => {
                (self.cluster_size() > 1 || self.program.functions[self.kernel].explicit_cluster).into()
            }
            Special::Lane => lane,
            Special::Warp => thread as u32 / 32,
            Special::Warps => block.warps.len() as u32,
            Special::LaneMask(order, or_equal) => (0..32)
                .filter(|i: &u32| i.cmp(&lane) == order || or_equal && *i == lane)
                .fold(0, |mask, i| mask | 1 << i),
            Special::Sm => cta as u32 % 132,
            Special::Sms => 132,
            Special::GridId => 1,
            Special::Clock => return self.report.instructions,
            Special::ClockHigh => (self.report.instructions >> 32) as u32,
            Special::GlobalTimer => return NANOSECONDS * self.report.instructions,
            Special::GlobalTimerHigh => ((NANOSECONDS * self.report.instructions) >> 32) as u32,
            Special::DynamicShared => launch.dynamic_shared,
            Special::TotalShared => self.static_shared + launch.dynamic_shared,
            // The size includes what the system reserves (10.31).
            Special::AggregateShared => self.static_shared + launch.dynamic_shared + SHARED_BASE,
            // The reserved memory of a GPU lies before that of the block.
            Special::ReservedShared(offset) => self.end_of_shared() + offset,
            // The CUDA library takes the halves of an address from these two.
            Special::Environment(1) => (self.workspace >> 32) as u32,
            Special::Environment(2) => self.workspace as u32,
            Special::Environment(_) | Special::Zero => 0,
        })
    }

    /// Returns the offset behind the shared memory of a block.
    fn end_of_shared(&self) -> u32 {
        SHARED_BASE + (self.static_shared + self.launch.dynamic_shared).next_multiple_of(128)
    }

    /// Returns the bytes of the shared memory of a block, with those that are reserved.
    pub fn shared_bytes(&self) -> usize {
        match self.reserved_shared {
            0 => (self.static_shared + self.launch.dynamic_shared) as usize,
            reserved => (self.end_of_shared() - SHARED_BASE + reserved) as usize,
        }
    }

    /// Returns the 32-bit address of the shared memory of a block.
    pub fn shared_address(&self, cta: usize) -> u32 {
        self.ctas[cta].rank << RANK_SHIFT
    }

    pub fn set(&mut self, cta: usize, thread: usize, slot: Slot, value: u64) {
        let t = &mut self.ctas[cta].threads[thread];
        let at = t.frame.registers + slot as usize;
        t.taint.writes(at);
        t.registers[at] = value;
    }
}

#[inline(always)]
pub fn value(constants: &[u64], thread: &Thread, src: Src) -> u64 {
    let index = (src.0 & !(3 << 30)) as usize;
    match src.0 >> 30 {
        0 => {
            let register = thread.frame.registers + index;
            thread.taint.reads(register);
            thread.registers[register]
        }
        1 => constants[index],
        3 => constants[index] + thread.shared_base,
        _ => (thread.frame.local + index) as u64,
    }
}

/// The shared memory of a block of a kernel.
pub struct SharedLayout {
    /// The offset of each variable of the program that is in shared memory and that the kernel uses.
    pub offsets: Vec<Option<u32>>,
    /// The bytes of the static variables. Dynamic ones follow.
    pub bytes: u64,
}

impl SharedLayout {
    pub fn of(program: &Program, kernel: usize) -> Self {
        let mut functions = vec![false; program.functions.len()];
        let mut used = vec![false; program.variables.len()];
        let mut next = vec![Symbol::Function(kernel)];
        while let Some(symbol) = next.pop() {
            match symbol {
                Symbol::Function(index) if !std::mem::replace(&mut functions[index], true) => {
                    next.extend(&program.functions[index].symbols);
                }
                Symbol::Variable(index) if !std::mem::replace(&mut used[index], true) => {
                    // A table of functions.
                    next.extend(program.variables[index].init.iter().filter_map(|(_, init)| match init {
                        Init::Address { of, .. } => Some(*of),
                        Init::Number(_) => None,
                    }));
                }
                _ => {}
            }
        }
        let shared = |is_extern: bool| {
            let all = program.variables.iter().enumerate();
            let used = &used;
            all.filter(move |(i, variable)| {
                variable.space == "shared" && used[*i] && variable.is_extern == is_extern
            })
        };
        let mut offsets = vec![None; program.variables.len()];
        let mut end = u64::from(SHARED_BASE);
        for (i, variable) in shared(false) {
            let offset = end.next_multiple_of(variable.align.max(1));
            offsets[i] = Some(offset as u32);
            end = offset + variable.bytes;
        }
        // The driver aligns to at least 16 bytes, and to more where the program asks for it.
        let align = shared(true).map(|(_, variable)| variable.align).max();
        let end = end.next_multiple_of(align.unwrap_or(1).max(16));
        for (i, _) in shared(true) {
            offsets[i] = Some(end as u32);
        }
        Self { offsets, bytes: end - u64::from(SHARED_BASE) }
    }
}
