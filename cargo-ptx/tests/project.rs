//! Tests a project that `cargo ptx new` makes outside the repository: the build, the tests, the rebuild, and the errors.
//!
//! The project lies in a fixed folder, so that its crates are compiled once. The project's target folder is the workspace's,
//! which has the dependencies from the registry. The target folder of the kernels has the `core` of the repository's builds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use xtask::cuda::Tools;
use xtask::device::projects_dir;
use xtask::emulator;
use xtask::files;
use xtask::toolchain::{Kind, Toolchain};

struct Project {
    folder: PathBuf,
    target: PathBuf,
    toolchain: Toolchain,
    /// The folder of ptxas.
    cuda: PathBuf,
    _lock: File,
}

/// The result of a command, and its output on both streams.
struct Outcome {
    success: bool,
    text: String,
}

/// Returns the project, which one test at a time uses.
fn project() -> MutexGuard<'static, Project> {
    static PROJECT: LazyLock<Mutex<Project>> = LazyLock::new(|| Mutex::new(Project::new()));
    PROJECT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Project {
    fn new() -> Project {
        let mut hasher = DefaultHasher::new();
        xtask::root().hash(&mut hasher);
        let home = std::env::temp_dir().join(format!("cargo-ptx-test-{:016x}", hasher.finish()));
        let lock = files::lock(&home.join("lock")).unwrap();
        let toolchain = Toolchain::active().unwrap();
        let tools = Tools::find_or_fetch().unwrap();
        let project = Project {
            folder: home.join("demo"),
            target: toolchain.target_dir(),
            toolchain,
            cuda: tools.program("ptxas").parent().unwrap().to_owned(),
            _lock: lock,
        };
        let _ = fs::remove_dir_all(&project.folder);
        let made = project.run(project.ptx(&["new", "demo", "--path"]).arg(xtask::root()).current_dir(home));
        assert!(made.success, "{}", made.text);
        // The lock file names the repository's versions, so nothing is downloaded.
        fs::copy(xtask::root().join("Cargo.lock"), project.folder.join("Cargo.lock")).unwrap();
        // Optimizing the interpreter takes longer than running these small kernels.
        let manifest = project.folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(text.contains("opt-level = 3"), "{text}");
        fs::write(manifest, text.replace("opt-level = 3", "opt-level = 0")).unwrap();
        project
    }

    /// Returns a command for the project's folder, with the project's linker, ptxas and target folder, and the profile in which
    /// the workspace has compiled the dependencies. The build of the kernels must not use the folder `CARGO_TARGET_DIR`, because
    /// cargo holds its lock.
    fn command(&self, mut command: Command) -> Command {
        ptx_build::toolchain::without_callers_settings(&mut command);
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_DEV_LTO", "off")
            .env("CARGO_INCREMENTAL", "0")
            .env("PTX_TARGET_DIR", projects_dir())
            .env("PTX_LINK", env!("CARGO_BIN_EXE_ptx-link"));
        if self.toolchain.kind() == Kind::Debian {
            command.env("PTX_TOOLCHAIN", "debian");
        }
        // CUDA_HOME stays unset: cargo would compile cudarc, and what depends on cudarc, again for each value.
        let of_command = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
        let before = of_command.map(OsString::from).or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let folders = std::env::split_paths(&before).chain([self.cuda.clone()]);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command
    }

    /// Returns a cargo command that runs the host's toolchain.
    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = self.command(self.toolchain.command("cargo"));
        cargo.args([subcommand, "--offline"]);
        cargo
    }

    /// Returns the command `cargo ptx`, as cargo runs it.
    fn ptx(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(Command::new(env!("CARGO_BIN_EXE_cargo-ptx")));
        command.arg("ptx").args(arguments);
        command
    }

    /// Returns `cargo ptx doctor`, which finds the toolchain of the test as the host's.
    fn doctor(&self) -> Command {
        let mut doctor = self.ptx(&["doctor"]);
        doctor.env("RUSTUP_TOOLCHAIN", self.toolchain.name());
        doctor
    }

    /// Returns a `cargo ptx` command that compiles in the build script's folder for kernels, which has `core`, and leaves the
    /// build script's results.
    fn build(&self, arguments: &[&str]) -> Command {
        let mut command = self.ptx(arguments);
        command.env("CARGO_TARGET_DIR", "built").env("CARGO_NET_OFFLINE", "true");
        command
    }

    /// Returns the folder of the results of `build`.
    fn built(&self) -> PathBuf {
        self.folder.join("built/ptx")
    }

    fn run(&self, command: &mut Command) -> Outcome {
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Outcome { success: output.status.success(), text: text.concat() }
    }

    #[track_caller]
    fn succeeds(&self, command: &mut Command) -> String {
        let Outcome { success, text } = self.run(command);
        assert!(success, "{command:?}\n{text}");
        text
    }

    #[track_caller]
    fn fails(&self, command: &mut Command, says: &[&str]) {
        let Outcome { success, text } = self.run(command);
        assert!(!success, "{command:?}\n{text}");
        for part in says {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
        assert!(!text.contains("panicked"), "{text}");
    }

    /// Returns the build script's `OUT_DIR`: the folder of the newest `ptx_kernels.rs`.
    fn out_dir(&self) -> PathBuf {
        let all = files::under(&self.target.join("debug/build")).unwrap();
        let is_demos = |file: &PathBuf| file.to_string_lossy().contains("/build/demo");
        let made = all.into_iter().filter(|file| file.ends_with("out/ptx_kernels.rs") && is_demos(file));
        let newest = made.max_by_key(|file| modified(file)).expect("the build script has run");
        newest.parent().unwrap().to_owned()
    }

    /// Returns the files whose change lets cargo run the build script again.
    fn inputs(&self) -> Vec<PathBuf> {
        // cargo has two layouts of its folder.
        let out_dir = self.out_dir();
        let outputs = ["../output", "../run/stdout"].map(|file| out_dir.join(file));
        let output = outputs.iter().find(|file| file.is_file()).expect("the build script has an output");
        let text = fs::read_to_string(output).unwrap();
        let inputs: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("cargo::rerun-if-changed="))
            .map(PathBuf::from)
            .collect();
        assert!(inputs.len() > 1, "{text}");
        inputs
    }

    fn ptx_text(&self) -> String {
        fs::read_to_string(self.out_dir().join("ptx_kernels/sm_90a.ptx")).unwrap()
    }

    /// Replaces a part of a file for as long as `work` runs.
    fn with_edit<T>(&self, file: &str, from: &str, to: &str, work: impl FnOnce() -> T) -> T {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
        let result = work();
        fs::write(&path, text).unwrap();
        result
    }
}

fn modified(file: &Path) -> SystemTime {
    fs::metadata(file).unwrap().modified().unwrap()
}

/// Returns the compiled dependencies of the kernels with the times of their last change.
fn dependencies() -> BTreeMap<PathBuf, SystemTime> {
    let files = files::under(&projects_dir()).unwrap();
    let is_library = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy();
        name.ends_with(".rlib") && !name.contains("demo")
    };
    files.into_iter().filter(is_library).map(|file| (file.clone(), modified(&file))).collect()
}

#[test]
fn a_new_project_builds_tests_and_builds_again_only_what_changed() {
    let project = project();
    let text = project.succeeds(project.cargo("test").env("RUST_BACKTRACE", "0"));
    assert!(text.contains("skipped: ") || Path::new("/dev/nvidia0").exists(), "{text}");
    assert!(project.ptx_text().contains(".target sm_90a\n"));

    let text = project.succeeds(&mut project.cargo("test"));
    assert!(!text.contains("Compiling"), "{text}");
    // What the first build makes is newer than its begin. No other test has to come first for that.
    let made: Vec<_> = project.inputs().into_iter().filter(|file| file.starts_with(projects_dir())).collect();
    assert!(made.is_empty(), "{made:?}");

    let before = project.ptx_text();
    let libraries = dependencies();
    assert!(libraries.len() > 2, "{libraries:?}");
    let text = project.with_edit("kernels/src/lib.rs", "a.mul_add(x[i], old[i])", "doubled(x[i])", || {
        let function =
            "use ptx::math::Float;\n#[inline(always)]\nfn doubled(x: f32) -> f32 { let z = 1.0; x + x }";
        project.with_edit("kernels/src/lib.rs", "use ptx::math::Float;", function, || {
            project.succeeds(&mut project.cargo("build"))
        })
    });
    assert!(text.contains("Compiling demo "), "{text}");
    assert!(text.contains("kernels/src/lib.rs:") && text.contains("unused variable: `z`"), "{text}");
    assert_ne!(project.ptx_text(), before);
    assert_eq!(dependencies(), libraries);

    let text = project.with_edit("kernels/src/lib.rs", "a.mul_add(x[i]", "b.mul_add(x[i]", || {
        project.run(&mut project.cargo("build"))
    });
    let text = text.text;
    assert!(text.contains("cannot find value `b`") && text.contains("--> kernels/src/lib.rs:"), "{text}");
    assert!(text.contains("cannot build the kernels of") && !text.contains("panicked"), "{text}");
    project.succeeds(&mut project.cargo("build"));
    assert_eq!(project.ptx_text(), before);
}

/// Runs the examples with the dependencies of the new project, for the host and for the device.
#[test]
fn the_examples_run_in_the_interpreter_and_skip_without_a_gpu() {
    let project = project();
    project.succeeds(&mut project.cargo("build"));
    let mut test = project.cargo("test");
    test.current_dir(xtask::root().join("examples"));
    // The new project has compiled this interpreter, without optimization.
    test.args(["--config", "profile.dev.package.ptx-emu.opt-level=0"]);
    let text = project.succeeds(&mut test);
    assert!(text.contains("skipped: ") || Path::new("/dev/nvidia0").exists(), "{text}");
    assert!(
        text.contains("test result: ok. 13 passed") && text.contains("test result: ok. 8 passed"),
        "{text}"
    );
    assert!(!text.contains("local memory"), "{text}");
}

/// Times the project's kernel on the emulated driver: the time is that of the interpreter.
#[test]
fn the_benchmark_is_saved_and_compared() {
    let project = project();
    let bench = |arguments: &[&str]| {
        let mut bench = project.ptx(&["bench", "--profile", "dev", "--out-dir", "built/ptx"]);
        bench.args(arguments).env("CARGO", project.toolchain.command("cargo").get_program());
        bench.env("CARGO_NET_OFFLINE", "true").env("RUSTUP_TOOLCHAIN", project.toolchain.name());
        bench.env(emulator::SEARCH_PATH, emulator::search_path(&project.toolchain).unwrap());
        bench
    };
    project.with_edit("benches/axpy.rs", "1 << 26", "1 << 4", || {
        let text = project.succeeds(&mut bench(&["--save", "old.json"]));
        let lines: Vec<_> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        let row = lines.iter().find(|line| line.starts_with(&["axpy", "axpy"])).expect(&text);
        // The machine code has instructions, and the first run has no ratio.
        assert!(row[5].parse::<u32>().unwrap() > 20 && row[9] == "–", "{text}");
        let old = fs::read_to_string(project.folder.join("old.json")).unwrap();
        assert!(old.contains("\"kernel\": \"axpy\"") && old.contains("\"bytes\": 192"), "{old}");

        project.succeeds(&mut bench(&["--compare", "old.json", "--limit", "1000"]));
        let says = ["error: axpy takes ", "the limit is 0.001"];
        project.fails(&mut bench(&["--compare", "old.json", "--limit", "0.001"]), &says);
        project.fails(&mut bench(&["absent"]), &["no benchmark has run"]);
        project.fails(
            &mut bench(&["--compare", "Cargo.toml"]),
            &["is not a file that `cargo ptx bench --save` wrote"],
        );
        let text = project.succeeds(project.cargo("test").args(["--bench", "axpy"]));
        assert!(text.contains("skipped: ") || text.contains("axpy: ran once"), "{text}");
    });
}

#[test]
fn the_commands_show_the_kernel() {
    let project = project();
    let text = project.succeeds(&mut project.build(&["build", "--release"]));
    assert!(text.contains("axpy    sm_90a") && text.contains("ptx_kernels/sm_90a.ptx"), "{text}");
    assert!(text.contains(" Finished "), "{text}");
    let has_lines = || {
        let ptx =
            files::under(&project.built()).unwrap().into_iter().find(|path| path.ends_with("sm_90a.ptx"));
        fs::read_to_string(ptx.expect("the build has made PTX")).unwrap().contains(".loc\t")
    };
    assert!(!has_lines());
    project.succeeds(&mut project.build(&["build", "--line-tables"]));
    assert!(has_lines());
    let text = project.succeeds(&mut project.build(&["asm", "axpy"]));
    assert!(
        text.contains("// src/lib.rs:") && text.contains("fma.rn.f32") && text.contains(" registers, "),
        "{text}"
    );
    let text = project.succeeds(&mut project.build(&["asm", "axpy", "--sass"]));
    assert!(text.contains("// src/lib.rs:") && text.contains("FFMA"), "{text}");
    project.fails(
        &mut project.build(&["asm", "absent"]),
        &["there is no kernel `absent`; the kernels are axpy"],
    );
    let text = project.succeeds(&mut project.doctor());
    assert!(text.ends_with("kernels and host programs can be built here\n"), "{text}");
    let text = project.succeeds(&mut project.ptx(&["forms", "activemask"]));
    assert!(text.starts_with("activemask.b32 d;\n    ptx::raw::activemask"), "{text}");
}

#[test]
fn what_surrounds_a_build_does_not_change_it() {
    let project = project();
    let ptx = project.built().join("ptx_kernels/sm_90a.ptx");
    let text = || fs::read_to_string(&ptx).unwrap();
    let rebuilt = || {
        // The result of an earlier build does not count.
        let _ = fs::remove_file(&ptx);
        project.build(&["build"])
    };

    project.succeeds(&mut rebuilt());
    let before = text();
    let mut build = rebuilt();
    for (name, value) in [
        ("RUSTFLAGS", "-Cno-such-option"),
        ("CARGO_ENCODED_RUSTFLAGS", "-Cno-such-option"),
        ("RUSTC", "/nowhere/rustc"),
        ("RUSTC_WRAPPER", "/nowhere/wrapper"),
        ("RUSTC_WORKSPACE_WRAPPER", "/nowhere/wrapper"),
        ("RUSTUP_TOOLCHAIN", "nowhere"),
        ("CARGO_BUILD_TARGET", "nowhere"),
        ("CARGO_BUILD_RUSTFLAGS", "-Cno-such-option"),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
        ("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", "/nowhere/linker"),
        ("CARGO_UNSTABLE_BUILD_STD", "std"),
        ("CARGO_TERM_VERBOSE", "true"),
    ] {
        build.env(name, value);
    }
    project.succeeds(&mut build);
    assert_eq!(text(), before);

    let config = project.folder.join("kernels/.cargo/config.toml");
    let flags = "[term]\nverbose = true\n[build]\ntarget-dir = \"/nowhere\"\nrustflags = [\"-Cno-such-option\"]\n\
                 [target.nvptx64-nvidia-cuda]\nlinker = \"llvm-bitcode-linker\"\nrustflags = [\"-Cno-such-option\"]\n";
    files::write(&config, flags).unwrap();
    let outcome = project.run(&mut rebuilt());
    fs::remove_dir_all(config.parent().unwrap()).unwrap();
    assert!(outcome.success, "{}", outcome.text);
    assert_eq!(text(), before);

    project.with_edit("kernels/Cargo.toml", "crate-type = [\"cdylib\", \"rlib\"]", "", || {
        project.succeeds(&mut rebuilt());
    });
    assert!(text().contains(".entry axpy("));
}

#[test]
fn what_goes_wrong_is_said_with_its_remedy() {
    let project = project();
    let build = || project.build(&["build"]);

    let missing = "nightly-1999-01-01";
    let says: &[&str] = match project.toolchain.kind() {
        Kind::Rustup => &["PTX_TOOLCHAIN names the toolchain", "rustup toolchain install nightly-1999-01-01"],
        Kind::Debian => &["PTX_TOOLCHAIN names the toolchain"],
    };
    project.fails(build().env("PTX_TOOLCHAIN", missing), says);
    project.fails(
        build().env("PTX_LINK", "/nowhere/ptx-link"),
        &["PTX_LINK is /nowhere/ptx-link, which is not a file"],
    );
    let renamed = project.folder.join("renamed/ptx-link");
    files::write_executable(&renamed, "#!/bin/sh\necho llvm-bitcode-linker 0.0.1\n").unwrap();
    project.fails(build().env("PTX_LINK", &renamed), &["is another linker", "cargo install cargo-ptx"]);
    files::write_executable(&renamed, "#!/bin/sh\necho ptx-link 99.7.0\n").unwrap();
    let mut doctor = project.doctor();
    project.fails(
        doctor.env("PTX_LINK", &renamed),
        &["linker      MISSING", "has version 99.7.0", "no kernel can be built here yet"],
    );

    let twice = "#[ptx::kernel(threads = 32)]\npub fn axpy(_: ptx::group::Cta) {}\n";
    project.with_edit(
        "kernels/src/lib.rs",
        "use ptx::math::Float;",
        &format!("mod other {{ {twice} }}\nuse ptx::math::Float;"),
        || {
            project.fails(&mut build(), &["symbol `axpy` is already defined", "src/lib.rs"]);
        },
    );
    project.with_edit("kernels/Cargo.toml", "ptx = ", "absent = ", || {
        project.fails(build().args(["--kernels", "kernels"]), &["has no library that depends on `ptx`"]);
    });
    for (arguments, says) in [
        ("(a, &x, &y)", &["`&CudaSlice<f32>` is not memory of `f32` that a kernel may write", "&mut y"]),
        ("(1.0f64, &x, &mut y)", &["`f64` cannot be passed for this parameter", "kind::Value<f32>"]),
    ] {
        project.with_edit("src/lib.rs", "(a, &x, &mut y)", arguments, || {
            project.fails(&mut project.cargo("build"), says);
        });
    }
    project.fails(build().args(["--arch", "sm_89"]), &["unknown target `sm_89`", "sm_90a"]);
    project.fails(&mut project.ptx(&["new", "../demo"]), &["exists already"]);
    project.fails(&mut project.ptx(&["new", "../crate"]), &["`crate` is a keyword of Rust"]);
    let mut doctor = project.doctor();
    if project.toolchain.kind() == Kind::Rustup {
        // The first `rustc` of the path is that of rustup, which chooses a toolchain.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has_rustup = |folder: &PathBuf| folder.join("rustup").is_file();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let first = folders.iter().find(|folder| has_rustup(folder)).expect("rustup is on the path").clone();
        doctor.env("PATH", std::env::join_paths([first].into_iter().chain(folders)).unwrap());
        doctor.env("RUSTUP_TOOLCHAIN", missing);
        project.fails(&mut doctor, &["`rustc --version` fails in this folder", missing]);
    }
}

/// Checks that a file of `OUT_DIR` gives images to `kernels!` only if it says `unsafe` itself, and that a project with the file of
/// `ptx-build` can forbid `unsafe` code.
#[test]
fn images_of_another_file_do_not_borrow_the_word_unsafe() {
    let project = project();
    let forbids = "//! The kernels as functions of the host.\n#![forbid(unsafe_code)]\n";
    let by_hand = "use std::io::Write;\n#[allow(unused)]\nfn host() -> ptx_host::Kernels<'static> { ptx_host::kernels!(\"by_hand\") }\n\
                   #[allow(unused)]\nfn emu() -> &'static [(&'static str, &'static [u8])] { ptx_emu::kernels!(\"by_hand\") }\n";
    let build = |file: &str| {
        format!(
            "build();\n    let folder = std::env::var(\"OUT_DIR\").unwrap();\n    \
             std::fs::write(format!(\"{{folder}}/by_hand.rs\"), {file:?}).unwrap();\n"
        )
    };
    let images = "pub static IMAGES: &[(&str, &[u8])] = &[(\"sm_90a\", b\"\")];\n";
    let without_the_word = format!(
        "{images}macro_rules! made_by_ptx_link {{ ([$($say:tt)*]) => {{ images::IMAGES }} }}\npub(crate) use made_by_ptx_link;\n"
    );
    let with_the_word = "macro_rules! made_by_ptx_link { ([$($say:tt)*]) => { $($say)*! { unsafe(made_by_ptx_link) \"sm_90a\": \"by_hand.rs\" } } }\n\
                         pub(crate) use made_by_ptx_link;\n";
    // The word of `ptx-build` beside other images says nothing of them.
    let with_the_word_of_another = format!(
        "pub mod other {{ include!(concat!(env!(\"OUT_DIR\"), \"/ptx_kernels.rs\")); }}\n{images}\
         macro_rules! made_by_ptx_link {{ ([$($say:tt)*]) => {{ images::other::made_by_ptx_link!([$($say)*] images::IMAGES) }} }}\n\
         pub(crate) use made_by_ptx_link;\n"
    );
    let test = || {
        let mut test = project.cargo("test");
        test.arg("--no-run");
        test
    };
    project.with_edit("src/lib.rs", "//! The kernels as functions of the host.\n", forbids, || {
        project.succeeds(&mut test());
        project.with_edit("tests/axpy.rs", "use std::io::Write;", by_hand, || {
            project.with_edit("build.rs", "build();\n", &build(images), || {
                project.fails(&mut test(), &["cannot find `made_by_ptx_link` in `images`", "by_hand"]);
            });
            project.with_edit("build.rs", "build();\n", &build(&without_the_word), || {
                project.fails(&mut test(), &["mismatched types", "Images"]);
            });
            project.with_edit("build.rs", "build();\n", &build(&with_the_word_of_another), || {
                project.fails(&mut test(), &["no rules expected", "images::IMAGES"]);
            });
            project.with_edit("build.rs", "build();\n", &build(with_the_word), || {
                project.succeeds(&mut test());
            });
        });
    });
}

/// Checks that an interrupted build leaves nothing in the folder for temporary files, and that the next build removes what it has
/// left in its own.
#[test]
fn an_interrupted_build_leaves_no_temporary_files() {
    let project = project();
    let temporary = project.folder.join("temporary");
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir(&temporary).unwrap();
    let folder = projects_dir().join(project.toolchain.name());
    let scratch = folder.join(".ptx-build-tmp");
    // The files of the linker's work, which stand beside its output.
    let of_linker = || -> Vec<PathBuf> {
        let all = files::under(&folder).unwrap_or_default();
        all.into_iter().filter(|path| path.to_string_lossy().contains(".ptx-link-")).collect()
    };
    project.with_edit(
        "kernels/src/lib.rs",
        "ptx::panic_handler!();",
        "ptx::panic_handler!();\nconst _: u8 = 1;",
        || {
            let mut build = project.build(&["build"]);
            let mut child = build.env("TMPDIR", &temporary).process_group(0).spawn().unwrap();
            // As soon as rustc or the linker has temporary files, the whole group of processes is killed.
            let is_begun = || {
                fs::read_dir(&scratch).is_ok_and(|mut entries| entries.next().is_some())
                    || !of_linker().is_empty()
            };
            let begun = loop {
                if is_begun() || child.try_wait().unwrap().is_some() {
                    break is_begun();
                }
                std::thread::yield_now();
            };
            assert!(begun, "the build has ended, and rustc and the linker have used another folder");
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            child.wait().unwrap();
            assert_eq!(files::under(&temporary).unwrap(), Vec::<PathBuf>::new());
            project.succeeds(project.build(&["build"]).env("TMPDIR", &temporary));
        },
    );
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    assert!(!scratch.exists());
    assert_eq!(of_linker(), Vec::<PathBuf>::new());
    fs::remove_dir(&temporary).unwrap();
}

/// Checks that the error for each name that `std` has and a kernel lacks says what to write instead.
#[test]
fn what_a_kernel_lacks_of_std_is_said_with_what_to_write() {
    let project = project();
    let (file, call) = ("kernels/src/lib.rs", "a.mul_add(x[i], old[i])");
    let heap: &[&str] = &["help: `ptx` gives a kernel no heap. Write an array `[T; N]`"];
    for (expression, says) in [
        ("{ let all: Vec<f32> = Vec::new(); all[i] }", heap),
        ("vec![a][i]", heap),
        ("*Box::new(a)", heap),
        ("format!(\"{a}\").len() as f32", &["help: `ptx` gives a kernel no heap, and so no `String`"]),
        ("{ println!(\"{a}\"); a }", &["use ptx::println;", "Write `ptx::println!(…)`"]),
        ("std::cmp::max(1, 2) as f32", &["use core::cmp;", "help: a kernel has no `std`", "Write `core::…`"]),
        (
            "a.powf(2.0)",
            &["help: `core` has no such method. Write `use ptx::math::Float;`", "such as `powf`"],
        ),
        (
            "f64::from(a).exp() as f32",
            &["a kernel has no `exp`, `ln`, `sin` and the like of `f64`", "convert the value"],
        ),
    ] {
        project.with_edit(file, call, expression, || project.fails(&mut project.build(&["build"]), says));
    }
    // With the import of the template, the methods of `std` are there.
    project.with_edit(file, call, "a.exp() + a.sqrt() + a.sin() + x[i].floor()", || {
        project.succeeds(&mut project.build(&["build"]));
    });
    project.with_edit(file, "use ptx::math::Float;", "", || {
        project.with_edit(file, call, "a.exp()", || {
            project.fails(&mut project.build(&["build"]), &["+ use ptx::math::Float;"]);
        });
    });
}
