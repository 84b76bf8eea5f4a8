//! A device: global memory, modules, launches.

use crate::address::FUNCTION_WINDOW;
use crate::execution::machine::{Machine, product};
use crate::execution::memory::Global;
use crate::frontend::op::{Op, Special};
use crate::frontend::parse::{ParseError, parse};
use crate::frontend::program::{DecodeError, Function, Init, Parameter, Program, Symbol, Variable};
use crate::frontend::shared::SharedLayout;
use crate::limits::*;
use crate::options::{Launch, Options};
use crate::order::explore::Explorer;
use crate::report::Report;

/// The reason why a module cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not PTX.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// An instruction that the interpreter does not know.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The variables do not fit in the device's memory.
    #[error("the variables of the module do not fit in the memory of the device")]
    NoMemory,
}

/// The reason why a launch is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module has no such kernel.
    #[error("the module has no kernel `{0}`")]
    NoKernel(String),
    /// The kernel does not allow the shape or the parameters.
    #[error("cannot launch `{kernel}`: {problem}")]
    Shape {
        /// The name of the kernel.
        kernel: String,
        /// What it does not allow.
        problem: String,
    },
}

/// A loaded module.
#[derive(Debug)]
pub struct Module {
    program: Program,
    /// The addresses of the program's variables in global memory, by their indices.
    addresses: Vec<u64>,
}

/// What a kernel uses and requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// The places of the parameters.
    pub parameters: Vec<Parameter>,
    /// The bytes of static shared memory of a block.
    pub static_shared: u32,
    /// The bytes of the frame of a thread.
    pub local: u64,
    /// The maximum number of threads of a block (`.maxntid`).
    pub max_threads: Option<u64>,
    /// `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`.
    pub required_cluster: Option<[u32; 3]>,
    /// Whether the kernel is for clusters (`.explicitcluster`).
    pub explicit_cluster: bool,
}

impl Module {
    /// Returns the parameters of a kernel.
    #[must_use]
    pub fn parameters(&self, kernel: &str) -> Option<&[Parameter]> {
        Some(&self.program.functions[self.program.kernel(kernel)?].params)
    }

    /// Returns what a kernel uses and requires.
    #[must_use]
    pub fn attributes(&self, kernel: &str) -> Option<Attributes> {
        let kernel = self.program.kernel(kernel)?;
        let static_shared = SharedLayout::of(&self.program, kernel).bytes as u32;
        let function = &self.program.functions[kernel];
        Some(Attributes {
            parameters: function.params.clone(),
            static_shared,
            local: function.frame,
            max_threads: function.max_threads,
            required_block: function.required_block,
            required_cluster: function.required_cluster,
            explicit_cluster: function.explicit_cluster,
        })
    }

    /// Returns the version of PTX that the module is written in.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.program.version
    }

    /// Returns the target that the module was compiled for, such as `sm_90a`.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.program.target
    }

    /// Returns the bytes of a variable in global memory.
    #[must_use]
    pub fn variable_bytes(&self, name: &str) -> Option<u64> {
        self.global(name).map(|index| self.program.variables[index].bytes)
    }

    /// Returns the address of a variable in global memory.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<u64> {
        self.global(name).map(|index| self.addresses[index])
    }

    /// Returns the index of a variable of the module in global memory.
    fn global(&self, name: &str) -> Option<usize> {
        match self.program.names.get(name)? {
            Symbol::Variable(index) if in_memory(&self.program.variables[*index]) => Some(*index),
            _ => None,
        }
    }

    /// Returns whether code of the module reads a value that the ISA leaves open: the active lanes (9.7.13.11), or the time.
    /// Correct runs may then differ.
    #[must_use]
    pub fn asks_for_open_values(&self) -> bool {
        let is_time = |special| {
            matches!(
                special,
                Special::Clock | Special::ClockHigh | Special::GlobalTimer | Special::GlobalTimerHigh
            )
        };
        self.program.functions.iter().flat_map(|function| &function.code).any(|instruction| match instruction
            .op
        {
            Op::Activemask(_) => true,
            Op::Special(_, special) => is_time(special),
            _ => false,
        })
    }

    /// Returns what the instructions of a kernel decode to, as text: instructions with one text have one meaning. The text is for
    /// comparisons, and differs from version to version.
    #[must_use]
    pub fn decoded(&self, kernel: &str) -> Option<String> {
        let code = &self.program.functions[self.program.kernel(kernel)?].code;
        let operations: Vec<_> =
            code.iter().map(|instruction| (&instruction.guard, &instruction.op)).collect();
        Some(format!("{operations:?} {:?}", self.program.constants))
    }

    /// Returns the names of the kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.program
            .functions
            .iter()
            .filter(|function| function.is_entry)
            .map(|function| function.name.as_str())
    }
}

/// Returns whether a variable is in global memory. `.const` is a part of it.
fn in_memory(variable: &Variable) -> bool {
    variable.space == "global" || variable.space == "const"
}

/// An emulated device. A clone has a copy of the device's current memory.
#[derive(Debug, Clone, Default)]
pub struct Device {
    global: Global,
}

impl Device {
    /// Makes a device without allocations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allocates uninitialized memory, and returns its address. Returns 0, the address of nothing, if the device has no room.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        self.global.allocate(bytes).unwrap_or(0)
    }

    /// Frees memory: later accesses are faults.
    pub fn free(&mut self, address: u64) {
        self.global.free(address);
    }

    /// Makes a multicast object of allocations (`cuMulticastCreate`), and returns its address.
    pub fn multicast(&mut self, replicas: &[u64], bytes: usize) -> u64 {
        self.global.multicast(replicas, bytes)
    }

    /// Copies memory to the host. Returns `None` if the memory is in no allocation.
    #[must_use]
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.global.read(address, bytes)
    }

    /// Copies memory from the host. Returns `None` if the memory is in no allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Option<()> {
        self.global.write(address, bytes)
    }

    /// Loads a PTX module.
    ///
    /// # Errors
    ///
    /// [`LoadError`] names the line that is not PTX, or that the interpreter does not know.
    pub fn load(&mut self, text: &str) -> Result<Module, LoadError> {
        let program = Program::new(parse(text)?)?;
        let mut addresses = vec![0; program.variables.len()];
        for space in ["global", "const"] {
            let variables =
                || program.variables.iter().enumerate().filter(|(_, variable)| variable.space == space);
            let sizes = variables().map(|(_, variable)| variable.bytes as usize);
            if sizes.clone().next().is_none() {
                continue;
            }
            let places =
                self.global.allocate_variables(sizes, space == "const").ok_or(LoadError::NoMemory)?;
            variables().zip(places).for_each(|((index, _), place)| addresses[index] = place);
        }
        let module = Module { program, addresses };
        self.set_variables(&module);
        Ok(module)
    }

    /// Sets the variables of a module to the values that they have after its load.
    pub fn initialize(&mut self, module: &Module) {
        module.addresses.iter().for_each(|address| self.global.reset(*address));
        self.set_variables(module);
    }

    /// Sets the variables that have initial values. The others are zero.
    fn set_variables(&mut self, module: &Module) {
        let Module { program, addresses } = module;
        let all = program.variables.iter().zip(addresses).filter(|(variable, _)| in_memory(variable));
        for (variable, address) in all {
            for (number, init) in &variable.init {
                let value = match init {
                    Init::Number(number) => *number,
                    Init::Address { of, offset, byte } => {
                        let address = match of {
                            Symbol::Function(index) => FUNCTION_WINDOW + *index as u64,
                            Symbol::Variable(index) => addresses[*index],
                        };
                        let address = address.wrapping_add_signed(*offset);
                        byte.map_or(address, |byte| address >> (8 * byte) & 0xff)
                    }
                };
                let bytes = &value.to_le_bytes()[..variable.scalar.min(8) as usize];
                self.global.write(address + number * variable.scalar, bytes);
            }
        }
    }

    /// Returns the first address whose byte differs on another device, which has the same allocations.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<u64> {
        self.global.difference(&other.global)
    }

    /// Frees the variables of a module.
    pub fn unload(&mut self, module: Module) {
        // The variables of a space are one allocation, which the address of the first one frees.
        module.addresses.into_iter().for_each(|address| self.free(address));
    }

    /// Runs a kernel under every schedule, in at most `runs` runs, each on the current memory. Runs that differ only in the order
    /// of independent steps are one. Stops at the first report that is not clean, or after which `holds` rejects the memory.
    ///
    /// # Errors
    ///
    /// As [`launch`](Self::launch).
    pub fn explore(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        options: &Options,
        runs: u64,
        mut holds: impl FnMut(&Self) -> bool,
    ) -> Result<Exploration, LaunchError> {
        let mut explorer = Explorer::default();
        let mut exploration = Exploration { runs: 0, is_complete: false, report: Report::default() };
        while exploration.runs < runs {
            let mut device = self.clone();
            let report = device
                .with_machine(module, kernel, launch, options, |machine| machine.explore(&mut explorer))?;
            exploration.runs += u64::from(!report.repeats);
            let is_clean = report.is_clean() && (report.repeats || holds(&device));
            exploration.report = report;
            if !is_clean {
                break;
            }
            if !explorer.next_run() {
                exploration.is_complete = true;
                break;
            }
        }
        Ok(exploration)
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] if the kernel does not allow the launch. What the kernel does wrong is in the [`Report`].
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        options: &Options,
    ) -> Result<Report, LaunchError> {
        self.with_machine(module, kernel, launch, options, |machine| machine.run())
    }

    fn with_machine(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        options: &Options,
        run: impl FnOnce(Machine<'_>) -> Report,
    ) -> Result<Report, LaunchError> {
        let index = module.program.kernel(kernel).ok_or_else(|| LaunchError::NoKernel(kernel.into()))?;
        let own = own_cluster(&module.program.functions[index], launch);
        let launch = own.as_ref().unwrap_or(launch);
        check(&module.program, index, launch)
            .map_err(|problem| LaunchError::Shape { kernel: kernel.into(), problem })?;
        let has_workspace =
            launch.cooperative && module.program.reads(|special| matches!(special, Special::Environment(_)));
        let workspace = if has_workspace {
            let address = self.allocate(WORKSPACE);
            self.global.write(address, &[0; WORKSPACE]);
            address
        } else {
            0
        };
        let machine =
            Machine::new(&module.program, &mut self.global, &module.addresses, index, launch, options);
        let report = run(Machine { workspace, ..machine });
        self.free(workspace);
        Ok(report)
    }
}

/// The bytes of the grid barrier of a cooperative launch.
const WORKSPACE: usize = 64;

/// Returns a launch without clusters as one with those that its kernel requires, as a driver takes it. `None`: it stays as it is.
fn own_cluster(function: &Function, launch: &Launch) -> Option<Launch> {
    let cluster = function.required_cluster.filter(|_| launch.cluster == [1; 3])?;
    Some(Launch { cluster, ..launch.clone() })
}

/// Checks that a GPU would run a launch.
fn check(program: &Program, kernel: usize, launch: &Launch) -> Result<(), String> {
    let function = &program.functions[kernel];
    let Launch { grid, block, cluster, .. } = *launch;
    let within = |extents: [u32; 3], most: [u32; 3]| {
        extents.iter().zip(most).all(|(extent, most)| (1..=most).contains(extent))
    };
    if !within(grid, GRID) {
        return Err(format!("a grid of {grid:?} blocks: its extents are from 1 to {GRID:?}"));
    }
    if !within(block, BLOCK) {
        return Err(format!("blocks of {block:?} threads: their extents are from 1 to {BLOCK:?}"));
    }
    let threads = product(block);
    if threads > THREADS_PER_BLOCK.into() {
        return Err(format!("{threads} threads in a block: there are {THREADS_PER_BLOCK} at most"));
    }
    if let Some(most) = function.max_threads.filter(|most| threads > *most) {
        return Err(format!(
            "{threads} threads in a block, but the kernel is for {most} at most (`.maxntid`)"
        ));
    }
    if let Some(required) = function.required_block.filter(|required| *required != block) {
        return Err(format!("blocks of {block:?}, but the kernel is for blocks of {required:?}"));
    }
    if let Some(required) = function.required_cluster.filter(|required| *required != cluster) {
        return Err(format!("clusters of {cluster:?}, but the kernel is for clusters of {required:?}"));
    }
    if !(1..=u64::from(LARGEST_CLUSTER)).contains(&product(cluster)) {
        return Err(format!(
            "clusters of {cluster:?} blocks: a cluster has from 1 to {LARGEST_CLUSTER} blocks"
        ));
    }
    if grid.iter().zip(cluster).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
        return Err(format!("a grid of {grid:?} is not made of clusters of {cluster:?}"));
    }
    let (shared, dynamic) = (SharedLayout::of(program, kernel).bytes, u64::from(launch.dynamic_shared));
    if shared > SHARED_WITHOUT_OPT_IN.into() {
        return Err(format!(
            "{shared} bytes of static shared memory: a block has {SHARED_WITHOUT_OPT_IN} at most; more must be dynamic"
        ));
    }
    if shared + dynamic > SHARED_PER_BLOCK.into() {
        return Err(format!(
            "{shared} bytes of static and {dynamic} of dynamic shared memory: a block has {SHARED_PER_BLOCK} at most"
        ));
    }
    let resident = u64::from(blocks_per_multiprocessor(threads as u32, shared + dynamic) * MULTIPROCESSORS);
    if launch.cooperative && product(grid) > resident {
        return Err(format!(
            "a cooperative grid of {} blocks: the device runs {resident} at once",
            product(grid)
        ));
    }
    let bytes = function.params.last().map_or(0, |last| last.offset + last.bytes);
    if (launch.params.len() as u64) < bytes {
        return Err(format!("{} bytes of parameters: the kernel has {bytes}", launch.params.len()));
    }
    Ok(())
}

/// The result of [`Device::explore`].
#[derive(Debug)]
pub struct Exploration {
    /// The number of runs that have ended.
    pub runs: u64,
    /// Whether no other schedule is left.
    pub is_complete: bool,
    /// The last report: the one that is not clean, if there is one.
    pub report: Report,
}

/// Lays out parameters as a kernel expects them.
#[must_use]
pub fn lay_out(parameters: &[Parameter], values: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (parameter, value) in parameters.iter().zip(values) {
        bytes.resize(parameter.offset as usize, 0);
        bytes.extend_from_slice(value);
    }
    bytes
}
