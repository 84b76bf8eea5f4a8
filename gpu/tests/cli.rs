//! Runs `ptx-gpu` without a GPU, or with the machine's GPUs hidden.

use std::path::Path;

use assert_cmd::Command;
use xtask::device::{Arch, Build};

fn ptx_gpu(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-gpu"));
    // Hides the machine's GPUs.
    command.env("CUDA_VISIBLE_DEVICES", "-1").args(args);
    command
}

fn output(mut command: Command, status: i32) -> (String, String) {
    let output = command.assert().code(status).get_output().clone();
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (text(output.stdout), text(output.stderr))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

/// A folder with these files.
fn bundle(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    files.iter().for_each(|file| std::fs::write(dir.path().join(file), "").unwrap());
    dir
}

#[test]
fn without_a_gpu_every_check_is_skipped_by_name_and_the_status_says_so() {
    let dir = bundle(&["axpy_bulk-O3.cubin"]);
    let json = dir.path().join("results.json");
    let (stdout, _) = output(ptx_gpu(&["--dir", path(dir.path()), "--json", path(&json)]), 3);
    let (names, _) = output(ptx_gpu(&["--dir", path(dir.path()), "--list"]), 0);
    let names: Vec<_> = names.lines().collect();
    assert!(names.contains(&"axpy_bulk/seeds/O3.cubin") && names.contains(&"host/timeout"), "{names:?}");

    assert!(stdout.starts_with("no GPU to run on: no CUDA d"), "{stdout}");
    for name in &names {
        assert!(stdout.contains(&format!("\nskip  {name}\n")), "{name} is not shown as skipped:\n{stdout}");
    }
    let last = format!("0 passed, 0 failed, {} skipped", names.len());
    assert_eq!(stdout.lines().last(), Some(&*last));

    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(json["skipped"], names.len());
    assert!(json["device"].is_null() && json["checks"].as_array().is_some_and(|c| c.len() == names.len()));
}

#[test]
fn a_check_started_without_a_gpu_fails_with_the_reason_and_does_not_panic() {
    let (stdout, stderr) = output(ptx_gpu(&["--child", "host/buffers"]), 0);
    let verdict: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(verdict["outcome"], "failed");
    assert!(verdict["detail"].as_str().unwrap().starts_with("no CUDA d"), "{verdict}");
    assert_eq!(stderr, "");
}

#[test]
fn checks_are_chosen_by_parts_of_their_names() {
    let dir = bundle(&["axpy_bulk-O3.ptx", "axpy_bulk-O3.cubin"]);
    let (stdout, _) = output(ptx_gpu(&["--dir", path(dir.path()), "--list", "lengths", "host/fault"]), 0);
    assert_eq!(stdout, "host/fault\naxpy_bulk/lengths/O3.cubin\naxpy_bulk/lengths/O3.ptx\n");
    let (_, stderr) = output(ptx_gpu(&["speed"]), 2);
    assert_eq!(stderr, "ptx-gpu: no check has `speed` in its name; `--list` shows the names\n");
}

#[test]
fn a_file_adds_its_checks() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), [0; 8]).unwrap();
    let dir = bundle(&["axpy_bulk-O3.cubin", "axpy_bulk-nvcc.cubin"]);
    let arguments = ["--dir", path(dir.path()), "--list", "--file", path(file.path()), "file"];
    let (stdout, _) = output(ptx_gpu(&arguments), 0);
    assert_eq!(stdout, "axpy_bulk/file/O3.cubin\naxpy_bulk/file/nvcc.cubin\n");
}

#[test]
fn a_file_that_is_no_array_of_floats_is_refused_before_anything_runs() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), [0; 7]).unwrap();
    let (_, stderr) = output(ptx_gpu(&["--file", path(file.path())]), 2);
    assert!(
        stderr.ends_with(
            "its size of 7 bytes is not a multiple of 4; truncate it to 4 bytes or give another file\n"
        ),
        "{stderr}"
    );
    let (_, stderr) = output(ptx_gpu(&["--file", "/no/such/file"]), 2);
    assert!(stderr.starts_with("ptx-gpu: cannot read /no/such/file: "), "{stderr}");
}

#[test]
fn the_sweep_takes_its_variants_from_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (_, stderr) = output(ptx_gpu(&["sweep", "--dir", path(dir.path())]), 2);
    assert!(stderr.contains("no variants to sweep"), "{stderr}");

    let sweep = dir.path().join("sweep");
    std::fs::create_dir(&sweep).unwrap();
    for name in ["axpy_bulk_s4_t16.cubin", "axpy_bulk_s3_t16.cubin", "notes.txt"] {
        std::fs::write(sweep.join(name), "").unwrap();
    }
    let (stdout, _) = output(ptx_gpu(&["sweep", "--dir", path(dir.path())]), 3);
    // Two blocks of s3 fit on a multiprocessor, two of s4 do not.
    for variant in ["axpy_bulk_s3_t16-b256-c1", "axpy_bulk_s3_t16-b1024-c2", "axpy_bulk_s4_t16-b512-c1"] {
        assert!(stdout.contains(&format!("skip  {variant}\n")), "{stdout}");
    }
    assert!(!stdout.contains("axpy_bulk_s4_t16-b256-c2"), "{stdout}");
    assert!(stdout.ends_with("0 passed, 0 failed, 9 skipped\n"), "{stdout}");

    std::fs::write(sweep.join("axpy_bulk-fast.cubin"), "").unwrap();
    let (_, stderr) = output(ptx_gpu(&["sweep", "--dir", path(dir.path())]), 2);
    assert!(stderr.contains("axpy_bulk-fast.cubin is not called axpy_bulk_s<stages>"), "{stderr}");
}

#[test]
fn the_bench_lists_kernels_and_skips_them_without_a_gpu() {
    let (names, _) = output(ptx_gpu(&["bench", "--list"]), 0);
    assert!(names.lines().any(|name| name == "cluster_histogram/small"), "{names}");
    let (stdout, _) = output(ptx_gpu(&["bench", "axpy"]), 3);
    assert!(stdout.ends_with("skip  axpy_bulk\nskip  axpy\n\n0 passed, 0 failed, 2 skipped\n"), "{stdout}");
}

/// A folder with the kernels of `tests/device/launch`, in which a text is replaced.
fn bundle_of_launch(replaced: &str, with: &str) -> tempfile::TempDir {
    let text = Build::new("tests/device/launch", Arch::Sm90a).run().unwrap().text;
    assert!(text.contains(replaced), "no `{replaced}` in {text}");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("launch-O3.ptx"), text.replace(replaced, with)).unwrap();
    dir
}

#[test]
fn the_interpreter_runs_checks_without_a_driver() {
    let dir = bundle_of_launch("", "");
    let trace = dir.path().join("trace.json");
    let arguments = ["--dir", path(dir.path()), "--emulated", "--schedules=3", "launch/"];
    let (stdout, _) = output(ptx_gpu(&arguments), 0);
    assert!(stdout.starts_with("the interpreter (sm_90, 132 SMs)\n"), "{stdout}");
    assert!(stdout.ends_with("\n5 passed, 0 failed, 0 skipped\n"), "{stdout}");
    let arguments =
        ["--dir", path(dir.path()), "--emulated", "--trace", path(&trace), "launch/O3.ptx/add_rows"];
    output(ptx_gpu(&arguments), 0);
    assert!(std::fs::read_to_string(trace).unwrap().contains("traceEvents"));
}

#[test]
fn a_finding_of_the_interpreter_is_shown_with_its_replay() {
    // A relaxed wait orders nothing.
    let dir = bundle_of_launch("try_wait.parity.acquire", "try_wait.parity.relaxed");
    let arguments = ["--dir", path(dir.path()), "--emulated", "--seed=7", "launch/O3.ptx/axpy"];
    let (stdout, _) = output(ptx_gpu(&arguments), 1);
    assert!(stdout.contains("launch/O3.ptx/axpy           schedule 7:\n    "), "{stdout}");
    assert!(stdout.contains("in `axpy` (PTX ISA "), "{stdout}");
    assert!(stdout.contains("\n    replay: ./x run --device emu --seed 7 launch/O3.ptx/axpy\n"), "{stdout}");
    let limited = ["--dir", path(dir.path()), "--emulated", "--limit=100", "launch/O3.ptx/blur"];
    let (stdout, _) = output(ptx_gpu(&limited), 1);
    assert!(stdout.contains("limit of instructions"), "{stdout}");
}

#[test]
fn what_a_gpu_alone_runs_is_refused_by_the_interpreter() {
    let (_, stderr) = output(ptx_gpu(&["bench", "--emulated"]), 2);
    assert!(stderr.contains("the interpreter runs the checks of kernels alone"), "{stderr}");
    let (_, stderr) = output(ptx_gpu(&["--emulated=driver", "--seed=3"]), 2);
    assert!(stderr.contains("are options of the interpreter"), "{stderr}");
    let (stdout, _) = output(ptx_gpu(&["--emulated", "--list"]), 0);
    assert!(!stdout.contains("host/"), "{stdout}");
}
