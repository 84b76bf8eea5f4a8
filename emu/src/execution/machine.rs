//! The state of a grid that runs: its blocks, threads, asynchronous operations and findings.

use std::rc::Rc;

use crate::address::{Place, RANK_SHIFT, SHARED_BASE};
use crate::execution::agent::Agent;
use crate::execution::memory::Global;
use crate::execution::tensor_memory::{Queue, TensorMemory};
use crate::execution::thread::{State, Thread, value};
use crate::execution::warpgroup::Warpgroup;
use crate::finding::Rule;
use crate::frontend::op::{Rmw, Slot, Special, Src};
use crate::frontend::program::{Constant, Program};
use crate::frontend::shared::SharedLayout;
use crate::limits::RESERVED_SHARED;
use crate::options::{Launch, Options};
use crate::order::clock::{Collected, Id, Memo, OBJECTS, PART, Proxy, Time, View};
use crate::order::explore::{Actor, Explorer, Thing, Touch, Use};
use crate::order::location::{Key, Location};
use crate::order::shadow::{At, Shadow};
use crate::order::sync::{BarrierState, ClusterBarrier, ClusterLanes, MbarrierState, Point};
use crate::report::{Fault, Report};
use crate::schedule::{Ready, Rng};
use crate::trace::{Row, Trace};

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
    /// Its loads from tensor memory, and its stores.
    pub tensor: Option<Box<[Queue; 2]>>,
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
    /// The warpgroups that have executed `wgmma`.
    pub warpgroups: rustc_hash::FxHashMap<usize, Warpgroup>,
    /// Its tensor memory, once `tcgen05` has used it.
    pub tensor: Option<Box<TensorMemory>>,
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

    /// Returns the offset behind the shared memory of a block.
    pub fn end_of_shared(&self) -> u32 {
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
