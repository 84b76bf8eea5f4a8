//! Programs that use the driver by cudarc. Each test is a process of its own, with the library of this package as `libcuda.so`:
//! the driver reads the environment once, and a kernel's error makes the context unusable.

use std::error::Error;
use std::ffi::{CStr, CString, OsString, c_void};
use std::mem::MaybeUninit;
use std::process::{Command, ExitCode};
use std::ptr;
use std::sync::LazyLock;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUresult, CUresult::*};
use libtest_mimic::{Arguments, Failed, Trial};
use xtask::emulator;
use xtask::toolchain::Toolchain;

type Outcome = Result<(), Box<dyn Error>>;

/// A test: the program, its environment, and its output.
struct Case {
    name: &'static str,
    program: fn() -> Outcome,
    environment: &'static [(&'static str, &'static str)],
    /// All of its standard output.
    stdout: &'static str,
    /// Parts of its standard error, in this order. If there are none, the standard error is empty.
    stderr: &'static [&'static str],
}

const PLAIN: Case = Case { name: "", program: || Ok(()), environment: &[], stdout: "", stderr: &[] };

const CASES: &[Case] = &[
    Case {
        name: "an_image_that_cannot_be_loaded_is_an_error_with_its_reason",
        program: bad_images,
        stderr: &[
            "cuModuleLoadData: line 5 of the PTX: ",
            "machine code, and the emulated device runs PTX alone",
            "PTX for sm_100a, but the emulated device is of sm_90a",
            "PTX of version 99.0, but the newest that the driver knows is 9.5",
        ],
        ..PLAIN
    },
    Case {
        name: "a_finding_spoils_the_context",
        program: sticky_error,
        stderr: &["ptx-emu: schedule 0: data race in `race` (PTX ISA 8.7.1)", "of block (0, 0, 0), line "],
        ..PLAIN
    },
    Case {
        name: "a_finding_that_is_only_printed_spoils_nothing",
        program: printed_finding,
        environment: &[("PTX_EMU_FINDINGS", "print")],
        stderr: &["data race in `race`"],
        ..PLAIN
    },
    Case {
        name: "an_unchecked_run_finds_nothing",
        program: printed_finding,
        environment: &[("PTX_EMU_CHECK", "0")],
        ..PLAIN
    },
    Case {
        name: "an_unknown_handle_is_an_error",
        program: unknown_handles,
        stderr: &[
            "cuMemFree_v2: 0x",
            " is no allocation",
            "cuMemsetD8_v2: 4 bytes at 0x",
            "are in no allocation",
        ],
        ..PLAIN
    },
    Case { name: "captured_work_runs_with_its_graph", program: graphs, ..PLAIN },
    Case {
        name: "a_tensor_map_keeps_the_rules_of_the_api",
        program: tensor_maps,
        stderr: &[
            "8 is no multiple of 16",
            "a stride of 72 bytes; it must be a multiple of 16",
            "a box of 257 elements",
            "a row of the box has 12 bytes; it must be a multiple of 16",
            "a row of the box has 256 bytes; this swizzle takes 128 at most",
            "a tensor of 6 dimensions",
        ],
        ..PLAIN
    },
    Case {
        name: "a_kernel_prints_once_whatever_the_number_of_schedules",
        program: prints,
        environment: &[("PTX_EMU_SCHEDULES", "5")],
        stdout: "7 and 0.50\n",
        ..PLAIN
    },
    Case {
        name: "a_variable_has_an_address_and_a_size",
        program: symbols,
        stderr: &["cuMemcpyDtoH_v2: 4 bytes at 0x", "are in no allocation"],
        ..PLAIN
    },
    Case {
        name: "occupancy_is_that_of_the_device",
        program: occupancy,
        stderr: &["`store`: 265 blocks, but 264 run at once"],
        ..PLAIN
    },
    Case {
        name: "a_result_that_depends_on_the_schedule_is_told",
        program: differing_results,
        environment: &[("PTX_EMU_SCHEDULES", "20")],
        stderr: &["`last`: the byte at 0x", "differs between the schedules 0 and "],
        ..PLAIN
    },
    Case {
        name: "a_seed_chooses_the_schedule",
        program: sticky_error,
        environment: &[("PTX_EMU_SEED", "17")],
        stderr: &["ptx-emu: schedule 17: data race"],
        ..PLAIN
    },
    Case { name: "a_launch_is_traced", program: trace, ..PLAIN },
    Case {
        name: "a_kernel_without_an_end_is_given_up",
        program: endless,
        environment: &[("PTX_EMU_LIMIT", "10000")],
        stderr: &["`endless` fails: "],
        ..PLAIN
    },
    Case {
        name: "a_hidden_device_is_none",
        program: || expect(result::init(), CUDA_ERROR_NO_DEVICE),
        environment: &[("CUDA_VISIBLE_DEVICES", "-1")],
        ..PLAIN
    },
    Case {
        name: "a_wrong_variable_is_named",
        program: || expect(result::init(), CUDA_ERROR_INVALID_VALUE),
        environment: &[("PTX_EMU_SCHEDULES", "many")],
        stderr: &["cuInit: the variable PTX_EMU_SCHEDULES is `many`; it must be a number"],
        ..PLAIN
    },
    Case {
        name: "nothing_works_before_init",
        program: || expect(result::device::get_count(), CUDA_ERROR_NOT_INITIALIZED),
        ..PLAIN
    },
];

/// The variable that makes this program run the program of a case.
const CHOSEN: &str = "PTX_EMU_CUDA_TEST";

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CHOSEN) {
        let case = CASES.iter().find(|case| case.name == name).expect("the parent names a case");
        return match (case.program)() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("FAILED: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let trials = CASES.iter().map(|case| Trial::test(case.name, || run(case))).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The search path for libraries, the driver's folder first.
static SEARCH_PATH: LazyLock<Result<OsString, String>> = LazyLock::new(|| {
    let toolchain = Toolchain::active();
    toolchain.and_then(|toolchain| emulator::search_path(&toolchain)).map_err(|error| format!("{error:?}"))
});

/// Runs the program of a case on the driver.
fn run(case: &Case) -> Result<(), Failed> {
    let search_path = SEARCH_PATH.as_ref()?;
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(std::env::current_exe()?);
    for variable in ["SEED", "SCHEDULES", "CHECK", "FINDINGS", "LIMIT", "TRACE"] {
        command.env_remove(format!("PTX_EMU_{variable}"));
    }
    command.env_remove("CUDA_VISIBLE_DEVICES").env(CHOSEN, case.name).env(emulator::SEARCH_PATH, search_path);
    let output = command.envs(case.environment.iter().copied()).current_dir(folder.path()).output()?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let problem =
        |what: &str| Err(format!("{what}\n{}\nstdout:\n{stdout}\nstderr:\n{stderr}", output.status).into());
    if !output.status.success() {
        return problem("the program fails");
    }
    if stdout != case.stdout {
        return problem(&format!("the output is not {:?}", case.stdout));
    }
    if case.stderr.is_empty() && !stderr.is_empty() {
        return problem("the driver complains");
    }
    let mut rest = &*stderr;
    for part in case.stderr {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return problem(&format!("`{part}` is missing")),
        }
    }
    Ok(())
}

/// Checks that a call fails with this error, or succeeds for `CUDA_SUCCESS`.
#[track_caller]
fn expect<T>(result: Result<T, DriverError>, error: CUresult) -> Outcome {
    let got = result.err().map_or(CUDA_SUCCESS, |error| error.0);
    let line = std::panic::Location::caller().line();
    if got == error { Ok(()) } else { Err(format!("line {line}: {got:?}, not {error:?}").into()) }
}

#[track_caller]
fn ensure(holds: bool, what: impl std::fmt::Debug) -> Outcome {
    let line = std::panic::Location::caller().line();
    if holds { Ok(()) } else { Err(format!("line {line}: {what:?}").into()) }
}

const KERNELS: &CStr = c"
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter = 5;
.global .align 1 .b8 format[14] = {37, 117, 32, 97, 110, 100, 32, 37, 46, 50, 102, 10, 0};
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);

.visible .entry store(.param .u64 out, .param .u32 value) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r0, [value];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.u64 %rd1, %rd0, %rd1;
    st.global.u32 [%rd1], %r0;
    bar.sync 0;
    ret;
}
.visible .entry race(.param .u64 out) {
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    st.global.u32 [%rd0], %r0;
    ret;
}
.visible .entry last(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    atom.relaxed.gpu.global.exch.b32 %r1, [%rd0], %r0;
    ret;
}
.visible .entry count(.param .u64 out) {
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [out];
    ld.global.u32 %r0, [counter];
    st.global.u32 [%rd0], %r0;
    ret;
}
.visible .entry print() {
    .local .align 8 .b8 frame[16];
    .reg .b32 %r<2>; .reg .b64 %rd<4>;
    mov.u64 %rd0, frame;
    cvta.local.u64 %rd1, %rd0;
    st.local.u64 [%rd0], 7;
    st.local.f64 [%rd0+8], 0d3FE0000000000000;
    mov.u64 %rd2, format;
    cvta.global.u64 %rd3, %rd2;
    {
        .param .b64 param0;
        .param .b64 param1;
        .param .b32 retval0;
        st.param.b64 [param0], %rd3;
        st.param.b64 [param1], %rd1;
        call.uni (retval0), vprintf, (param0, param1);
    }
    ret;
}
.visible .entry tile() {
    .shared .align 4 .b8 memory[32768];
    .reg .b32 %r<1>;
    mov.u32 %r0, memory;
    ret;
}
.visible .entry endless() {
again:
    bra again;
}
";

/// A context, the kernels, and a word of memory.
struct Gpu {
    module: sys::CUmodule,
    word: u64,
}

impl Gpu {
    fn open() -> Result<Self, Box<dyn Error>> {
        result::init()?;
        // SAFETY: the device exists, its primary context lives to the end of the process, and the image ends in NUL.
        unsafe {
            result::ctx::set_current(result::primary_ctx::retain(result::device::get(0)?)?)?;
            let module = result::module::load_data(KERNELS.as_ptr().cast())?;
            let word = result::malloc_sync(4)?;
            result::memset_d8_sync(word, 0, 4)?;
            Ok(Self { module, word })
        }
    }

    fn kernel(&self, name: &str) -> Result<sys::CUfunction, DriverError> {
        // SAFETY: the module is loaded.
        unsafe { result::module::get_function(self.module, CString::new(name).expect("a name without NUL")) }
    }

    /// Puts a kernel on a stream, with the address of the word and a value as its parameters.
    fn launch(
        &self,
        name: &str,
        threads: u32,
        stream: sys::CUstream,
        mut value: u32,
    ) -> Result<(), DriverError> {
        let mut word = self.word;
        let mut parameters = [(&raw mut word).cast::<c_void>(), (&raw mut value).cast()];
        // SAFETY: no kernel has other parameters, and the driver copies these.
        unsafe {
            result::launch_kernel(self.kernel(name)?, (1, 1, 1), (threads, 1, 1), 0, stream, &mut parameters)
        }
    }

    fn read(&self) -> Result<u32, DriverError> {
        let mut word = [0];
        // SAFETY: the word has four bytes.
        unsafe { result::memcpy_dtoh_sync(&mut word, self.word)? };
        Ok(word[0])
    }
}

fn bad_images() -> Outcome {
    Gpu::open()?;
    let head =
        |version: &str, target: &str| format!(".version {version}\n.target {target}\n.address_size 64\n");
    let good = ".visible .entry k() {\n    ret;\n}\n";
    let images = [
        (head("8.0", "sm_90") + ".visible .entry k() {\n    no.such.thing;\n}\n", CUDA_ERROR_INVALID_PTX),
        ("\x7fELF".to_owned(), CUDA_ERROR_NO_BINARY_FOR_GPU),
        (head("8.6", "sm_100a") + good, CUDA_ERROR_INVALID_PTX),
        (head("99.0", "sm_90") + good, CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
        (head("8.0", "sm_90") + good, CUDA_SUCCESS),
    ];
    for (image, error) in images {
        let image = CString::new(image)?;
        // SAFETY: the image ends in NUL.
        expect(unsafe { result::module::load_data(image.as_ptr().cast()) }, error)?;
    }
    Ok(())
}

fn sticky_error() -> Outcome {
    let gpu = Gpu::open()?;
    gpu.launch("store", 1, ptr::null_mut(), 3)?;
    ensure(gpu.read()? == 3, "a good kernel ran")?;
    expect(gpu.launch("race", 64, ptr::null_mut(), 0), CUDA_SUCCESS)?;
    expect(result::ctx::synchronize(), CUDA_ERROR_LAUNCH_FAILED)?;
    expect(gpu.read(), CUDA_ERROR_LAUNCH_FAILED)?;
    expect(gpu.launch("store", 1, ptr::null_mut(), 0), CUDA_ERROR_LAUNCH_FAILED)?;
    // SAFETY: the call takes only a size.
    expect(unsafe { result::malloc_sync(4) }, CUDA_ERROR_LAUNCH_FAILED)
}

fn printed_finding() -> Outcome {
    let gpu = Gpu::open()?;
    gpu.launch("race", 64, ptr::null_mut(), 0)?;
    result::ctx::synchronize()?;
    ensure(gpu.read()? < 64, "a thread's number")
}

fn unknown_handles() -> Outcome {
    let gpu = Gpu::open()?;
    let unknown = 0xdead_0000_usize;
    // SAFETY: the driver knows its handles, and refuses others.
    unsafe {
        expect(result::module::unload(unknown as _), CUDA_ERROR_INVALID_HANDLE)?;
        expect(result::module::get_function(unknown as _, c"store".into()), CUDA_ERROR_INVALID_HANDLE)?;
        expect(result::stream::synchronize(unknown as _), CUDA_ERROR_INVALID_HANDLE)?;
        expect(result::event::synchronize(unknown as _), CUDA_ERROR_INVALID_HANDLE)?;
        expect(result::graph::destroy(unknown as _), CUDA_ERROR_INVALID_HANDLE)?;
        let launched = result::launch_kernel(unknown as _, (1, 1, 1), (1, 1, 1), 0, ptr::null_mut(), &mut []);
        expect(launched, CUDA_ERROR_INVALID_HANDLE)?;
        // A handle that was destroyed.
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking)?;
        result::stream::destroy(stream)?;
        expect(result::stream::destroy(stream), CUDA_ERROR_INVALID_HANDLE)?;
        expect(gpu.launch("store", 1, stream, 0), CUDA_ERROR_INVALID_HANDLE)?;
        // An address that was freed.
        result::free_sync(gpu.word)?;
        expect(result::free_sync(gpu.word), CUDA_ERROR_INVALID_VALUE)?;
        expect(result::memset_d8_sync(gpu.word, 0, 4), CUDA_ERROR_INVALID_VALUE)
    }
}

fn graphs() -> Outcome {
    use sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL as LOCAL;
    let gpu = Gpu::open()?;
    let stream = result::stream::create(result::stream::StreamKind::NonBlocking)?;
    // SAFETY: the stream, the graph and the memory live to the end of the process.
    unsafe {
        // The default stream cannot be captured.
        expect(result::stream::begin_capture(ptr::null_mut(), LOCAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        expect(result::stream::end_capture(stream), CUDA_ERROR_ILLEGAL_STATE)?;
        result::stream::begin_capture(stream, LOCAL)?;
        expect(result::stream::begin_capture(stream, LOCAL), CUDA_ERROR_ILLEGAL_STATE)?;
        expect(result::stream::synchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        result::memset_d8_async(gpu.word, 1, 4, stream)?;
        gpu.launch("store", 1, stream, 8)?;
        let graph = result::stream::end_capture(stream)?;
        ensure(gpu.read()? == 0, "captured work ran")?;
        let mut executable = MaybeUninit::uninit();
        sys::cuGraphInstantiateWithFlags(executable.as_mut_ptr(), graph, 0).result()?;
        let executable = executable.assume_init();
        for round in 0..2 {
            result::memset_d8_sync(gpu.word, 0, 4)?;
            result::graph::launch(executable, stream)?;
            result::stream::synchronize(stream)?;
            ensure(gpu.read()? == 8, ("round", round))?;
        }
        result::graph::exec_destroy(executable)?;
        expect(result::graph::launch(executable, stream), CUDA_ERROR_INVALID_HANDLE)
    }
}

/// Encodes a map, and returns the driver's error, if there is one.
fn encode(rank: u32, address: u64, stride: u64, extents: [u32; 2], swizzle: u32) -> Result<(), DriverError> {
    let (dims, strides, steps) = ([64, 32, 1, 1, 1, 1], [stride; 5], [1; 6]);
    let boxes = [extents[0], extents[1], 1, 1, 1, 1];
    let mut map = sys::CUtensorMap { opaque: [0; 16] };
    // SAFETY: the arrays have an element for each dimension, and the enums' numbers are valid.
    unsafe {
        sys::cuTensorMapEncodeTiled(
            &mut map,
            sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            rank,
            address as *mut c_void,
            dims.as_ptr(),
            strides.as_ptr(),
            boxes.as_ptr(),
            steps.as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            std::mem::transmute::<u32, sys::CUtensorMapSwizzle>(swizzle),
            sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
        .result()
    }
}

fn tensor_maps() -> Outcome {
    let gpu = Gpu::open()?;
    // SAFETY: the call takes only a size.
    let memory = unsafe { result::malloc_sync(4 * 64 * 32)? };
    encode(2, memory, 256, [32, 8], 0)?;
    encode(2, memory, 256, [32, 256], 3)?;
    for (rank, address, stride, boxes, swizzle) in [
        (2, gpu.word + 8, 256, [32, 8], 0),
        (2, memory, 72, [32, 8], 0),
        (2, memory, 256, [32, 257], 0),
        (2, memory, 256, [3, 8], 0),
        (2, memory, 256, [64, 8], 3),
        (6, memory, 256, [32, 8], 0),
    ] {
        expect(encode(rank, address, stride, boxes, swizzle), CUDA_ERROR_INVALID_VALUE)?;
    }
    Ok(())
}

fn prints() -> Outcome {
    let gpu = Gpu::open()?;
    gpu.launch("print", 1, ptr::null_mut(), 0)?;
    Ok(result::ctx::synchronize()?)
}

fn symbols() -> Outcome {
    let gpu = Gpu::open()?;
    // SAFETY: the module is loaded, and the variable has four bytes.
    unsafe {
        let (counter, bytes) = result::module::get_global(gpu.module, c"counter".into())?;
        ensure(bytes == 4, bytes)?;
        let mut value = [0u32];
        result::memcpy_dtoh_sync(&mut value, counter)?;
        ensure(value == [5], value)?;
        result::memcpy_htod_sync(counter, &[9u32])?;
        gpu.launch("count", 1, ptr::null_mut(), 0)?;
        ensure(gpu.read()? == 9, "the kernel reads what the host wrote")?;
        expect(result::module::get_global(gpu.module, c"nothing".into()), CUDA_ERROR_NOT_FOUND)?;
        expect(gpu.kernel("nothing"), CUDA_ERROR_NOT_FOUND)?;
        result::module::unload(gpu.module)?;
        expect(result::memcpy_dtoh_sync(&mut value, counter), CUDA_ERROR_INVALID_VALUE)
    }
}

fn occupancy() -> Outcome {
    let gpu = Gpu::open()?;
    let (plain, tile) = (gpu.kernel("store")?, gpu.kernel("tile")?);
    let blocks = |kernel, threads, shared| {
        // SAFETY: the kernels are loaded.
        unsafe { result::occupancy::max_active_block_per_multiprocessor(kernel, threads, shared) }
    };
    // The limits are threads (2048), blocks (32), and shared memory (228 KiB; a block takes 1 KiB more than it uses).
    ensure(blocks(plain, 1024, 0)? == 2, blocks(plain, 1024, 0))?;
    ensure(blocks(plain, 32, 0)? == 32, blocks(plain, 32, 0))?;
    ensure(blocks(tile, 64, 0)? == 6, blocks(tile, 64, 0))?;
    ensure(blocks(tile, 64, 64 << 10)? == 2, blocks(tile, 64, 64 << 10))?;
    ensure(blocks(plain, 1025, 0)? == 0, blocks(plain, 1025, 0))?;
    expect(blocks(plain, 0, 0), CUDA_ERROR_INVALID_VALUE)?;
    // SAFETY: the kernel is loaded.
    let best = unsafe { result::occupancy::max_potential_block_size(plain, None, 0, 0)? };
    ensure(best == (2 * 132, 1024), best)?;
    let cooperative = |grid: u32| {
        let (mut word, mut value) = (gpu.word, 0u32);
        let mut parameters = [(&raw mut word).cast::<c_void>(), (&raw mut value).cast()];
        // SAFETY: the parameters are the kernel's.
        unsafe {
            let (grid, block) = ((grid, 1, 1), (1024, 1, 1));
            result::launch_cooperative_kernel(plain, grid, block, 0, ptr::null_mut(), &mut parameters)
        }
    };
    expect(cooperative(2 * 132 + 1), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
}

/// Launches a kernel whose last thread depends on the schedule.
fn differing_results() -> Outcome {
    let gpu = Gpu::open()?;
    gpu.launch("last", 64, ptr::null_mut(), 0)?;
    expect(result::ctx::synchronize(), CUDA_ERROR_LAUNCH_FAILED)
}

fn trace() -> Outcome {
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var("PTX_EMU_TRACE", "trace.json") };
    let gpu = Gpu::open()?;
    // One of two threads waits for the other.
    // SAFETY: the call takes only a size.
    let gpu = Gpu { word: unsafe { result::malloc_sync(8)? }, ..gpu };
    gpu.launch("store", 2, ptr::null_mut(), 3)?;
    let text = std::fs::read_to_string("trace.json")?;
    ensure(text.contains("\"traceEvents\"") && text.contains("\"barrier 0\""), text)
}

fn endless() -> Outcome {
    let gpu = Gpu::open()?;
    gpu.launch("endless", 1, ptr::null_mut(), 0)?;
    expect(result::ctx::synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT)
}
