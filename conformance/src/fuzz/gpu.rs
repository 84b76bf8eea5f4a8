//! Runs kernels on a GPU. Each child process takes chunks of kernels, compiles them, runs them in the interpreter and on the
//! GPU, and shrinks what differs. If a kernel faults or hangs, another child continues behind it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use ptx_host::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr as _};
use ptx_host::{JitOptions, Kernel as Loaded, LaunchConfig, Module};
use serde::{Deserialize, Serialize};

use super::forms::{TARGETS, VERSIONS};
use super::generate::{self, Table};
use super::kernel::{self, Kernel, THREADS};
use super::run::{self, Difference};
use super::shrink::shrink;
use crate::gpu::{leave, read_module};

/// The kernels of a module.
pub const CHUNK: usize = 50;
/// The kernels with one culprit that each child shrinks.
const SHRUNK: usize = 1;

/// The options of all processes.
#[derive(Debug, Clone)]
pub struct Options {
    /// The seed of the first kernel.
    pub seed: u64,
    /// The PTX version of the kernels.
    pub version: String,
    /// The target of the kernels.
    pub target: &'static str,
    /// The number of the first kernel.
    pub first: usize,
    /// How many kernels run.
    pub count: usize,
    /// The number of the GPU.
    pub device: usize,
    /// The time after which a kernel counts as hanging.
    pub timeout: Duration,
    /// The folder of cubins; without it the driver compiles the kernels.
    pub modules: Option<PathBuf>,
    /// How many processes run kernels at a time.
    pub jobs: usize,
}

/// The end of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    /// The results are equal.
    Equal,
    /// A result differs.
    Different {
        /// The first one.
        difference: Difference,
        /// The smallest kernel that differs, if this one was shrunk.
        smallest: Option<String>,
    },
    /// The compiler or the driver refuses the kernel.
    Refused {
        /// The message.
        what: String,
    },
    /// The interpreter refuses the kernel, or has a finding.
    Interpreter {
        /// The message.
        what: String,
    },
    /// The GPU ends the kernel with an error.
    Fault {
        /// The error.
        what: String,
    },
    /// The kernel does not end in time.
    Timeout,
}

#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// The child has opened the device, or fails.
    Ready(Option<String>),
    Starts(usize),
    Ended(usize, Outcome),
    /// The chunk is done.
    Done,
}

/// Returns the name of a kernel, with a hash of its text: a module of another version of this program lacks the name.
pub fn kernel_name(number: usize, kernel: &Kernel) -> String {
    let mut hasher = DefaultHasher::new();
    kernel.text("k").hash(&mut hasher);
    format!("k{number}_{:016x}", hasher.finish())
}

/// Returns the file name, without extension, of the module of a chunk.
pub fn module_name(seed: u64, first: usize) -> String {
    format!("s{seed}_{first:06}")
}

/// Returns the first kernel and the number of kernels of each chunk.
pub fn chunks(first: usize, count: usize) -> impl Iterator<Item = (usize, usize)> {
    (first..first + count).step_by(CHUNK).map(move |start| (start, CHUNK.min(first + count - start)))
}

/// Returns the text of the module of a chunk.
pub fn module_text(version: &str, kernels: &[(usize, Kernel)]) -> String {
    let target = kernels.first().map_or(TARGETS[0], |(_, kernel)| kernel.target);
    let texts = kernels.iter().map(|(number, kernel)| kernel.text(&kernel_name(*number, kernel)));
    kernel::module(version, target, texts)
}

fn say(message: &Message) {
    let mut out = io::stdout().lock();
    let line = serde_json::to_string(message).unwrap_or_default();
    // The parent has ended if nobody reads.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        leave(1);
    }
}

struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
    timeout: Duration,
}

/// Why a kernel has no memory.
enum Failed {
    Refused(String),
    Fault(String),
    Timeout,
}

impl Gpu {
    fn open(options: &Options) -> Result<Self> {
        let context = ptx_host::open(options.device)?;
        let stream = context.default_stream();
        let memory = stream.alloc_zeros::<u8>(1 << 20)?;
        Ok(Self { context, stream, memory, timeout: options.timeout })
    }

    fn load(&self, name: &str, image: impl Into<Vec<u8>>) -> Result<Module, Failed> {
        Module::from_bytes(&self.context, name, image, &JitOptions::default())
            .map_err(|error| Failed::Refused(error.to_string()))
    }

    fn run(&mut self, kernel: &Loaded, memory: &[u8]) -> Result<Vec<u8>, Failed> {
        self.launch(kernel, memory).map_err(|error| match error.downcast_ref::<ptx_host::Error>() {
            Some(ptx_host::Error::Timeout { .. }) => Failed::Timeout,
            Some(ptx_host::Error::Launch { .. } | ptx_host::Error::Signature { .. }) => {
                Failed::Refused(format!("{error:#}"))
            }
            _ => Failed::Fault(format!("{error:#}")),
        })
    }

    fn launch(&mut self, kernel: &Loaded, memory: &[u8]) -> Result<Vec<u8>> {
        if self.memory.len() < memory.len() {
            self.memory = self.stream.alloc_zeros(memory.len().next_power_of_two())?;
        }
        self.stream.memcpy_htod(memory, &mut self.memory.slice_mut(..memory.len()))?;
        let address = {
            let (address, _guard) = self.memory.device_ptr(&self.stream);
            address
        };
        // SAFETY: the kernel takes the address of its memory, which lives in `self.memory` until the wait below. All accesses are
        // in bounds: the interpreter has run the kernel on memory of this length.
        unsafe { kernel.launch(&self.stream, &LaunchConfig::new(1, THREADS as u32), (address,))? };
        ptx_host::wait(&self.stream, self.timeout)?;
        let mut after = vec![0; memory.len()];
        self.stream.memcpy_dtoh(&self.memory.slice(..memory.len()), &mut after)?;
        ptx_host::wait(&self.stream, self.timeout)?;
        Ok(after)
    }

    /// Compiles and runs one kernel by itself.
    fn run_alone(&mut self, kernel: &Kernel) -> Result<Vec<u8>, Failed> {
        // A target behind the first one has no older version.
        let version = VERSIONS[usize::from(kernel.target != TARGETS[0])];
        let module = self.load("a smaller kernel", kernel.module(version))?;
        let loaded = module.kernel_by_name("k").map_err(|error| Failed::Refused(error.to_string()))?;
        self.run(&loaded, &kernel.memory())
    }
}

/// Runs the chunks that the standard input names, and writes messages to the standard output. Does not return.
pub fn child(options: &Options) -> ! {
    let mut gpu = match Gpu::open(options) {
        Ok(gpu) => gpu,
        Err(error) => {
            say(&Message::Ready(Some(format!("{error:#}"))));
            leave(1)
        }
    };
    let (table, _) = run::table(&options.version, options.target);
    say(&Message::Ready(None));
    let mut shrunk = HashMap::new();
    for line in io::stdin().lines().map_while(Result::ok) {
        let numbers: Vec<usize> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
        let [first, count, skip] = numbers[..] else { break };
        run_chunk(options, &table, &mut gpu, &mut shrunk, (first, count), skip);
        say(&Message::Done);
    }
    leave(0)
}

fn run_chunk(
    options: &Options,
    table: &Table,
    gpu: &mut Gpu,
    shrunk: &mut HashMap<String, usize>,
    (first, count): (usize, usize),
    skip: usize,
) {
    let kernels: Vec<(usize, Kernel)> = (first..first + count)
        .map(|number| (number, generate::kernel(table, options.seed, number)))
        .collect();
    let name = module_name(options.seed, first);
    let module = match &options.modules {
        Some(folder) => read_module(&folder.join(format!("{name}.cubin.gz")))
            .map_err(|error| Failed::Refused(format!("{error:#}")))
            .and_then(|image| gpu.load(&name, image)),
        None => gpu.load(&name, module_text(&options.version, &kernels)),
    };
    for (number, kernel) in kernels.iter().skip(skip) {
        say(&Message::Starts(*number));
        let expected = match run::run(kernel, 0) {
            Ok(expected) => expected,
            Err(what) => {
                say(&Message::Ended(*number, Outcome::Interpreter { what }));
                continue;
            }
        };
        let loaded =
            module.as_ref().ok().and_then(|module| module.kernel_by_name(&kernel_name(*number, kernel)).ok());
        let found = match loaded {
            Some(loaded) => gpu.run(&loaded, &kernel.memory()),
            None => gpu.run_alone(kernel),
        };
        let outcome = match found {
            Err(Failed::Refused(what)) => Outcome::Refused { what },
            Err(Failed::Fault(what)) => Outcome::Fault { what },
            Err(Failed::Timeout) => Outcome::Timeout,
            Ok(found) => match run::difference(table, kernel, &expected, &found) {
                None => Outcome::Equal,
                Some(difference) => {
                    let difference = blame(table, gpu, kernel, difference);
                    different(table, gpu, kernel, shrunk, difference)
                }
            },
        };
        let is_last = matches!(outcome, Outcome::Fault { .. } | Outcome::Timeout);
        say(&Message::Ended(*number, outcome));
        if is_last {
            // The context is of no more use, and dropping its memory would wait for the kernel.
            leave(0);
        }
    }
}

/// See [`run::blame`].
fn blame(table: &Table, gpu: &mut Gpu, kernel: &Kernel, difference: Difference) -> Difference {
    run::blame(table, kernel, difference, |observed| gpu.run_alone(observed).ok())
}

/// Shrinks the first kernels of each culprit.
fn different(
    table: &Table,
    gpu: &mut Gpu,
    kernel: &Kernel,
    shrunk: &mut HashMap<String, usize>,
    difference: Difference,
) -> Outcome {
    let count = shrunk.entry(difference.opcode.clone()).or_default();
    *count += 1;
    if *count > SHRUNK {
        return Outcome::Different { difference, smallest: None };
    }
    let mut last = difference.clone();
    let smallest = shrink(kernel, |smaller| {
        let Ok(expected) = run::run(smaller, 0) else { return false };
        let Ok(found) = gpu.run_alone(smaller) else { return false };
        let other = run::difference(table, smaller, &expected, &found);
        match other.map(|other| blame(table, gpu, smaller, other)) {
            Some(other) if other.opcode == difference.opcode || difference.statement.is_empty() => {
                last = other;
                true
            }
            _ => false,
        }
    });
    Outcome::Different { difference: last, smallest: Some(smallest.text("k")) }
}

/// A child process and its messages.
struct Worker {
    child: Child,
    messages: Receiver<Message>,
}

impl Worker {
    fn spawn(arguments: &[String]) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a process")?;
        let (sender, messages) = mpsc::channel();
        let out = child.stdout.take().context("a process without output")?;
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, messages })
    }

    /// Returns the next message, or `None` if the process has ended or says nothing.
    fn next(&self, limit: Duration) -> Option<Message> {
        self.messages.recv_timeout(limit).ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A process that is gone needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The longest time until a child is ready: it opens the device and asks the interpreter about all forms.
const START: Duration = Duration::from_secs(90);
/// The longest time of a child for a kernel and its shrinking, or for compiling a chunk.
const SILENCE: Duration = Duration::from_secs(120);

/// Runs the kernels in child processes, which `arguments` start, and passes the end of each kernel to `record`.
///
/// # Errors
///
/// If a child cannot open the device.
pub fn run_all(
    options: &Options,
    arguments: &[String],
    record: impl FnMut(usize, Outcome) + Send,
) -> Result<()> {
    let chunks: Vec<(usize, usize)> = chunks(options.first, options.count).collect();
    let next = AtomicUsize::new(0);
    let record = Mutex::new(record);
    let jobs = options.jobs.min(chunks.len()).max(1);
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            let mut worker = None;
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                follow(&mut worker, arguments, *chunk, &record)?;
            }
            Ok(())
        };
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Has a chunk run, by a new process after each one that ends.
fn follow(
    worker: &mut Option<Worker>,
    arguments: &[String],
    (first, count): (usize, usize),
    record: &Mutex<impl FnMut(usize, Outcome)>,
) -> Result<()> {
    let recorded = |number, outcome| {
        if let Ok(mut record) = record.lock() {
            record(number, outcome);
        }
    };
    let mut done = 0;
    while done < count {
        let current = match worker {
            Some(worker) => worker,
            None => {
                let fresh = Worker::spawn(arguments)?;
                match fresh.next(START) {
                    Some(Message::Ready(None)) => {}
                    Some(Message::Ready(Some(why))) => bail!("a process cannot run kernels: {why}"),
                    _ => bail!("a process does not start"),
                }
                worker.insert(fresh)
            }
        };
        let line = format!("{first} {count} {done}\n");
        let written = current
            .child
            .stdin
            .as_mut()
            .map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        let mut is_alive = matches!(written, Some(Ok(())));
        while is_alive {
            match current.next(SILENCE) {
                Some(Message::Ended(number, outcome)) => {
                    is_alive = !matches!(outcome, Outcome::Fault { .. } | Outcome::Timeout);
                    done = number + 1 - first;
                    recorded(number, outcome);
                }
                Some(Message::Done) => return Ok(()),
                Some(Message::Starts(_) | Message::Ready(_)) => {}
                None => {
                    let what = "the process ends or hangs at this kernel".into();
                    recorded(first + done, Outcome::Fault { what });
                    done += 1;
                    is_alive = false;
                }
            }
        }
        *worker = None;
    }
    Ok(())
}
