//! Links real device crates with `ptx-link`: builds them once, then links them with many options.

mod support;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use support::ok;
use xtask::cuda::Tools;
use xtask::device::{self, Arch, Build, LinkerChoice};
use xtask::files;
use xtask::process::run;
use xtask::toolchain::{Kind, Toolchain, without_callers_settings};

static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| ok(Toolchain::active()));
static LINKER: LazyLock<PathBuf> = LazyLock::new(|| ok(device::ptx_link(&TOOLCHAIN)));
const LIBRARIES: [&str; 4] = ["link_shared", "link_kernels", "link_faulty", "link_stub"];
const LEVELS: [&str; 6] = ["0", "1", "2", "3", "s", "z"];

/// The Rust libraries of the device crates by crate name, and the PTX of cargo's own link.
struct Built {
    libraries: HashMap<String, PathBuf>,
    ptx: PathBuf,
}

static BUILT: LazyLock<Built> = LazyLock::new(build);

fn build() -> Built {
    let sysroot = ok(device::sysroot(&TOOLCHAIN));
    let mut flags = ok(device::device_flags(&TOOLCHAIN, Arch::Sm90a));
    flags.push(format!("--sysroot={}", sysroot.display()));
    flags.push(format!("-Clinker={}", LINKER.display()));
    flags.push("-Clink-arg=--deny-panics".into());
    let mut cargo = TOOLCHAIN.cargo();
    without_callers_settings(&mut cargo)
        .args([
            "build",
            "--release",
            "--target=nvptx64-nvidia-cuda",
            "--message-format=json-render-diagnostics",
        ])
        .args(LIBRARIES.map(|name| format!("--package={name}")))
        .args(["--manifest-path", "tests/device/Cargo.toml"])
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("link"))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    let output = ok(run(&mut cargo));
    let messages = String::from_utf8(output.stdout).expect("cargo writes JSON");
    let files: Vec<_> = messages.split('"').map(PathBuf::from).filter(|path| path.is_absolute()).collect();
    let named = |start: &str, end: &str| {
        let is_named = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(start) && name.ends_with(end)
        };
        files
            .iter()
            .find(is_named)
            .cloned()
            .unwrap_or_else(|| panic!("cargo made no {start}…{end}: {messages}"))
    };
    let mut libraries: HashMap<String, PathBuf> =
        LIBRARIES.iter().map(|name| ((*name).to_owned(), named(&format!("lib{name}"), ".rlib"))).collect();
    for path in ok(files::under(&sysroot.join("lib"))) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for library in ["core", "compiler_builtins"] {
            if name.starts_with(&format!("lib{library}-")) && name.ends_with(".rlib") {
                libraries.insert(library.into(), path.clone());
            }
        }
    }
    Built { libraries, ptx: named("link_kernels", ".ptx") }
}

/// Returns a command of the linker that names the tools. In cargo's own link, the linker asks rustc for the tools.
fn linker() -> Command {
    let mut command = Command::new(&*LINKER);
    command.env("PTX_LINK_LLVM", TOOLCHAIN.tools_dir());
    command
}

/// One link of a crate and all its dependencies.
struct Link {
    command: Command,
    dir: tempfile::TempDir,
}

impl Link {
    fn of(crates: &[&str], kernels: &[&str], level: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut command = linker();
        command.args(kernels.iter().flat_map(|kernel| ["--export-symbol", kernel]));
        // `core` is last, as in rustc's order.
        let files = crates.iter().chain(&["core", "compiler_builtins"]);
        command.args(files.map(|name| &BUILT.libraries[*name]));
        command.args(["--target=nvptx64-nvidia-cuda", "--target-cpu=sm_90a", &format!("-O{level}")]);
        command.arg("-o").arg(dir.path().join("out.ptx"));
        Self { command, dir }
    }

    fn kernel(kernel: &str, level: &str) -> Self {
        Self::of(&["link_kernels", "link_shared"], &[kernel], level)
    }

    /// A link of one file of LLVM IR.
    fn of_ir(ir: &str, level: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("module.ll");
        fs::write(&file, ir).unwrap();
        let mut command = linker();
        command.arg(file).args(["--target-cpu=sm_90a", "--export-symbol=k", &format!("-O{level}")]);
        command.arg("-o").arg(dir.path().join("out.ptx"));
        Self { command, dir }
    }

    fn with(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    fn without(mut self, argument: &str) -> Self {
        let others: Vec<_> =
            self.command.get_args().filter(|a| *a != argument).map(ToOwned::to_owned).collect();
        self.command = linker();
        self.command.args(others);
        self
    }

    fn output(&mut self) -> Output {
        self.command.output().expect("the linker runs")
    }

    /// Runs a link that must succeed without output, and returns its PTX.
    fn ptx(mut self) -> String {
        let output = self.output();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{:?}\n{said}", self.command);
        fs::read_to_string(self.dir.path().join("out.ptx")).unwrap()
    }

    /// Runs a link that must fail, and returns its output.
    fn error(mut self) -> String {
        let output = self.output();
        assert!(!output.status.success(), "{:?} succeeded", self.command);
        assert!(!self.dir.path().join("out.ptx").exists(), "a failed link leaves an output");
        String::from_utf8(output.stderr).unwrap()
    }
}

/// Counts an instruction in PTX.
fn count(ptx: &str, mnemonic: &str) -> usize {
    ptx.lines().filter(|line| line.split_whitespace().next() == Some(mnemonic)).count()
}

#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn cargo_links_with_it() {
    let ptx = fs::read_to_string(&BUILT.ptx).unwrap();
    assert_says(&ptx, &[".version 9.4", ".target sm_90a\n", ".visible .entry barrier_between("]);
    assert_eq!(count(&ptx, "barrier.cta.sync"), 2);
}

#[test]
fn every_level_links_every_kernel_whole() {
    const KERNELS: [&str; 9] = [
        "barrier_between",
        "has_words_of_the_linker",
        "mask_in_both_arms",
        "labeled",
        "plain",
        "needs_8_6",
        "needs_9_4",
        "addresses",
        "wide",
    ];
    for level in LEVELS {
        // Without a list of symbols to export, the linker looks for kernels in `core` too, which takes a while, so only one level
        // does so.
        let exported = if level == "3" { &[][..] } else { &KERNELS };
        let ptx = Link::of(&["link_kernels", "link_shared"], exported, level).ptx();
        assert_eq!(count(&ptx, "activemask.b32"), 2, "at {level}");
        assert_eq!(count(&ptx, "barrier.cta.sync"), 2, "at {level}");
        assert_says(&ptx, &["entry plain(", "entry addresses(", "entry wide("]);
        // The text of a static, in the bytes of a variable.
        assert_says(
            &ptx,
            &["// link_this_kernel_with_ptx_link_99_7; bar.sync 0;", "[120] = {108, 105, 110, 107,"],
        );
        assert_shared_memory_is_whole(&ptx);
    }
}

#[test]
fn without_marks_llvm_copies_and_merges() {
    let marked = |kernel, mnemonic| count(&Link::kernel(kernel, "3").ptx(), mnemonic);
    let unmarked = |kernel, mnemonic| {
        // The copies lie in divergent branches, about which the linker warns.
        let mut link = Link::kernel(kernel, "3").with(&["--no-marks", "--allow-divergence=barrier_between"]);
        let output = link.output();
        assert_says(&String::from_utf8_lossy(&output.stderr), &["warning: LLVM has ", mnemonic]);
        count(&fs::read_to_string(link.dir.path().join("out.ptx")).unwrap(), mnemonic)
    };
    assert_eq!(marked("barrier_between", "barrier.cta.sync"), 1);
    assert_eq!(unmarked("barrier_between", "barrier.cta.sync"), 2);
    assert_eq!(marked("mask_in_both_arms", "activemask.b32"), 2);
    assert_eq!(unmarked("mask_in_both_arms", "activemask.b32"), 1);
}

/// A module whose kernel calls `helper` after a flag is set in a branch. Its functions have no marks: older compilers make none.
fn flag_set(helper: &str) -> String {
    format!(
        "target triple = \"nvptx64-nvidia-cuda\"
define void @{helper}() noinline {{
  call void asm sideeffect \"barrier.cta.sync.aligned 0;\", \"~{{memory}}\"()
  ret void
}}
define ptx_kernel void @k(ptr %p) {{
start:
  %i = call i32 asm \"mov.u32 $0, %tid.x;\", \"=r\"()
  %c = icmp ult i32 %i, 5
  br i1 %c, label %then, label %join
then:
  store i32 1, ptr %p
  br label %join
join:
  %flag = phi i1 [ false, %start ], [ true, %then ]
  call void @{helper}()
  br i1 %flag, label %last, label %end
last:
  %q = getelementptr i32, ptr %p, i64 1
  store i32 2, ptr %q
  br label %end
end:
  ret void
}}
"
    )
}

#[test]
fn a_function_with_the_name_of_the_drivers_is_marked() {
    for level in LEVELS {
        for helper in ["helper", "malloc", "vprintf", "__nvvm_helper"] {
            let ptx = Link::of_ir(&flag_set(helper), level).ptx();
            assert_eq!(ptx.matches(&format!("call.uni {helper},")).count(), 1, "{helper} at {level}:\n{ptx}");
        }
    }
    let said =
        Link::of_ir(&flag_set("helper"), "3").with(&["--no-marks", "--allow-divergence=k"]).output().stderr;
    let found = "copied onto both sides of a branch that depends on the thread: `helper` of `k`, in `k`";
    assert_says(&String::from_utf8_lossy(&said), &[found]);
}

/// Writes tools of which `opt` is a script that changes its arguments and its input, the last but one argument, before it runs.
fn with_opt(change: &str) -> tempfile::TempDir {
    let tools = tempfile::tempdir().unwrap();
    for tool in ["llvm-link", "llc"] {
        std::os::unix::fs::symlink(TOOLCHAIN.tools_dir().join(tool), tools.path().join(tool)).unwrap();
    }
    let opt = TOOLCHAIN.tools_dir().join("opt");
    let script = format!("#!/bin/sh\n{change}\nexec '{}' \"$@\"\n", opt.display());
    ok(files::write_executable(&tools.path().join("opt"), script));
    tools
}

/// An `opt` without the mark: as if each pass of LLVM ignored convergence.
const WITHOUT_CONVERGENCE: &str =
    "for file; do case $file in */3-numbered.ll) sed -i 's/ convergent//' \"$file\";; esac; done";

/// An `opt` that makes switches of tables.
const WITH_SWITCHES: &str =
    "for a; do shift; [ \"$a\" = -enable-jump-table-to-switch=false ] || set -- \"$@\" \"$a\"; done";

#[test]
fn a_pass_that_ignores_convergence_is_found_out() {
    let tools = with_opt(WITHOUT_CONVERGENCE);
    for level in ["1", "2", "3", "s", "z"] {
        for (kernel, found) in [
            (
                "barrier_between",
                "LLVM has copied onto both sides of a branch that depends on the thread: `barrier.cta.sync`",
            ),
            (
                "mask_in_both_arms",
                "LLVM has merged from both sides of a branch that depends on the thread: `activemask.b32`",
            ),
        ] {
            let mut link = Link::kernel(kernel, level);
            link.command.env("PTX_LINK_LLVM", tools.path());
            let cures = ["try another opt-level", "--allow-moved="];
            assert_says(&link.error(), &[found, &format!("in `{kernel}`"), cures[0], cures[1]]);
            let mut allowed = Link::kernel(kernel, level);
            allowed.command.env("PTX_LINK_LLVM", tools.path()).arg(format!("--allow-moved={kernel}"));
            let output = allowed.output();
            assert!(output.status.success(), "{:?}", allowed.command);
            assert_says(&String::from_utf8(output.stderr).unwrap(), &[found]);
        }
        let mut link = Link::kernel("plain", level);
        link.command.env("PTX_LINK_LLVM", tools.path());
        link.ptx();
    }
}

/// A kernel whose threads leave a loop of a loop with two rounds, so that a thread meets the second copy of the inner loop later.
const UNROLLED_AROUND_A_LOOP: &str = "outer:
  %r = phi i32 [ 0, %start ], [ %s, %next ]
  %x = phi i32 [ %n, %start ], [ %y, %next ]
  br label %inner
inner:
  %y = phi i32 [ %x, %outer ], [ %z, %body ]
  %b = and i32 %y, 8
  %c = icmp eq i32 %b, 0
  br i1 %c, label %test, label %next
test:
  %e = icmp eq i32 %y, %i
  br i1 %e, label %end, label %body
body:
  %m = call i32 asm sideeffect \"activemask.b32 $0;\", \"=r\"()
  %z = add i32 %y, %m
  br label %inner
next:
  %s = add i32 %r, 1
  %d = icmp ult i32 %s, 2
  br i1 %d, label %outer, label %end
";

/// A kernel with a `continue`, in a loop whose condition LLVM takes out of the loop: the other threads wait behind the `continue`.
const CONTINUED: &str = "outer:
  %x = phi i32 [ %i, %start ], [ %y, %body ], [ %z, %rest ]
  %b = and i32 %n, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %body, label %end
body:
  %m = call i32 asm sideeffect \"activemask.b32 $0;\", \"=r\"()
  %y = add i32 %x, %m
  %a = and i32 %y, 3
  %d = icmp eq i32 %a, 0
  br i1 %d, label %outer, label %rest
rest:
  %l = call i32 asm sideeffect \"activemask.b32 $0;\", \"=r\"()
  %z = xor i32 %y, %l
  %e = icmp ugt i32 %z, 100
  br i1 %e, label %end, label %outer
";

#[test]
fn loops_that_llvm_changes_rightly_are_not_refused() {
    for blocks in [UNROLLED_AROUND_A_LOOP, CONTINUED] {
        let ir = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr %p, i32 %n) {{
start:
  %i = call i32 asm \"mov.u32 $0, %tid.x;\", \"=r\"()
  br label %outer
{blocks}end:
  store i32 %i, ptr %p
  ret void
}}
"
        );
        for level in LEVELS {
            Link::of_ir(&ir, level).ptx();
        }
    }
}

/// An arm that leaves the kernel, which no thread takes: of a `match` on four values, and behind a condition that is never true.
const NEVER_LEFT: [&str; 2] = [
    "  %r = urem i32 %i, 4
  switch i32 %r, label %end [ i32 0, label %zero i32 1, label %sync i32 2, label %sync i32 3, label %sync ]
zero:
  store i32 %n, ptr %p
  br label %sync
",
    "  %c = icmp ult i32 %i, 9
  br i1 %c, label %zero, label %other
zero:
  store i32 %n, ptr %p
  br label %sync
other:
  %d = icmp ugt i32 %n, 3
  br i1 %d, label %more, label %sync
more:
  %e = icmp ult i32 %n, 2
  br i1 %e, label %end, label %sync
",
];
/// The last of three conditions is true in all threads for which the others are false.
const ALWAYS_REACHED: &str = "  %c = icmp ult i32 %i, 5
  br i1 %c, label %sync, label %second
second:
  %d = icmp ugt i32 %i, 8
  br i1 %d, label %sync, label %third
third:
  %e = icmp ult i32 %i, 100
  br i1 %e, label %sync, label %end
";

#[test]
fn arms_that_llvm_proves_dead_are_no_reason_to_refuse() {
    for blocks in NEVER_LEFT.into_iter().chain([ALWAYS_REACHED]) {
        let ir = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr %p, i32 %n) {{
start:
  %i = call i32 asm \"mov.u32 $0, %tid.x;\", \"=r\"()
{blocks}sync:
  call void asm sideeffect \"barrier.sync 0;\", \"~{{memory}}\"()
  br label %end
end:
  ret void
}}
"
        );
        for level in LEVELS {
            // Nothing tells LLVM's analysis here how many threads there are: it warns of a condition on the thread.
            Link::of_ir(&ir, level).with(&["--allow-divergence=k"]).ptx();
        }
    }
}

/// A kernel that calls one function through a table of two. `index` is a value whose lowest bit chooses the entry.
fn table(index: &str) -> String {
    format!(
        "target triple = \"nvptx64-nvidia-cuda\"
@t = internal constant [3 x ptr] [ptr @a, ptr @b, ptr @a]
define internal void @a() {{
  call void asm sideeffect \"bar.sync 0;\", \"~{{memory}}\"()
  ret void
}}
define internal void @b() {{
  ret void
}}
define ptx_kernel void @k(i32 %n) {{
  %x = call i32 asm \"mov.u32 $0, %tid.x;\", \"=r\"()
  %low = and i32 {index}, 1
  %i = shl i32 %low, 1
  %g = getelementptr inbounds [3 x ptr], ptr @t, i64 0, i32 %i
  %f = load ptr, ptr %g
  call void %f()
  ret void
}}
"
    )
}

#[test]
fn a_call_through_a_table_stays_one_call() {
    for level in LEVELS {
        let ptx = Link::of_ir(&table("%x"), level).ptx();
        assert_eq!(
            (count(&ptx, "bar.sync"), ptx.matches(", prototype_").count()),
            (1, 1),
            "at {level}:\n{ptx}"
        );
    }
    if TOOLCHAIN.kind() == Kind::Rustup {
        let tools = with_opt(WITH_SWITCHES);
        for level in ["2", "3"] {
            let link = |index| {
                let mut link = Link::of_ir(&table(index), level);
                link.command.env("PTX_LINK_LLVM", tools.path());
                link
            };
            let found =
                "copied onto both sides of a branch that depends on the thread: `bar.sync` of `a`, in `k`";
            assert_says(&link("%x").error(), &[found]);
            // All threads go to one side.
            assert_eq!(count(&link("%n").ptx(), "bar.sync"), 2);
        }
    }
}

#[test]
fn marks_cost_nothing_where_nothing_is_convergent() {
    for level in ["1", "3"] {
        let unmarked = Link::kernel("plain", level).with(&["--no-marks"]).ptx();
        assert_eq!(Link::kernel("plain", level).ptx(), unmarked, "at {level}");
    }
}

#[test]
fn stages_are_kept_on_request_and_show_the_marks() {
    let stages = tempfile::tempdir().unwrap();
    let option = format!("--save-temps={}", stages.path().join("deep").display());
    Link::kernel("labeled", "3").with(&[&option]).ptx();
    let marked = fs::read_to_string(stages.path().join("deep/3-marked.ll")).unwrap();
    let call = marked.lines().find(|line| line.contains("callbr void asm")).expect("a labeled asm");
    assert_says(call, &["barrier.cta.sync 1;", ") convergent"]);
}

#[test]
fn core_is_linked_only_if_a_kernel_needs_it() {
    let stages = |crates: &[&str], kernel: &str, level: &str| {
        let folder = tempfile::tempdir().unwrap();
        let option = format!("--save-temps={}", folder.path().display());
        Link::of(crates, &[kernel], level).with(&[&option]).ptx();
        let names = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> =
            names.filter(|name| name.starts_with(|first: char| first.is_ascii_digit())).collect();
        names.sort();
        names
    };
    let later = [
        "2-reached.ll",
        "3-marked.ll",
        "3-numbered.ll",
        "4-numbered.ll",
        "4-optimized.ll",
        "5-assembled.ptx",
        "5-numbered.ll",
        "5-numbered.ptx",
    ];
    let own = [&["1-linked.bc"][..], &later].concat();
    let needed = [&["1-linked-with-needed.bc", "1-linked.bc"][..], &later].concat();
    let all = [&["1-linked-with-all.bc"], &needed[..]].concat();
    for level in ["0", "3"] {
        assert_eq!(stages(&["link_kernels", "link_shared"], "labeled", level), own);
    }
    assert_eq!(stages(&["link_faulty"], "indexes", "0"), needed);
    assert_eq!(stages(&["link_stub"], "beside", "3"), all);
}

#[test]
fn a_kernel_in_a_library_with_the_name_of_core_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libcore-0.rlib");
    for (of, exported) in [("link_kernels", &["plain"][..]), ("link_kernels", &[]), ("link_stub", &[])] {
        fs::copy(&BUILT.libraries[of], &library).unwrap();
        let mut link = Link::of(&["link_shared"], exported, "3");
        let arguments: Vec<_> = link.command.get_args().map(ToOwned::to_owned).collect();
        link.command = linker();
        link.command.arg(&library).args(arguments);
        let entry = if of == "link_stub" { "entry beside(" } else { "entry plain(" };
        assert_says(&link.ptx(), &[entry]);
    }
}

#[test]
fn asm_raises_the_ptx_version() {
    for (kernel, version) in [("plain", "8.0"), ("needs_8_6", "8.6"), ("needs_9_4", "9.4")] {
        let ptx = Link::kernel(kernel, "3").ptx();
        assert!(
            ptx.lines().any(|line| line.split(" //").next() == Some(&format!(".version {version}"))),
            "{ptx}"
        );
    }
    let asked = Link::kernel("needs_8_6", "3").with(&["--target-feature=+ptx81,+ptx87"]).ptx();
    assert_says(&asked, &[".version 8.7\n"]);
    let newer = Link::of(&["link_kernels", "link_shared"], &["needs_8_6"], "3")
        .with(&["--target-feature=+ptx70"])
        .ptx();
    assert_says(&newer, &[".version 8.6\n"]);
}

#[test]
fn a_version_that_does_not_exist_is_refused() {
    let error = Link::of(&["link_faulty"], &["needs_the_future"], "3").error();
    assert_says(&error, &["`needs_the_future`", "PTX 86.0", "9.5"]);
}

/// Checks that each refusal that concerns an instruction names its line in the user's source, or says how to learn it.
#[test]
fn a_refusal_names_a_line_of_the_source() {
    let is_at = |said: &str, file: &str, source: &str, text: &str| {
        let place = format!("place: link/{file}/src/lib.rs:");
        let numbers =
            said.split(&place).skip(1).filter_map(|rest| rest.split(':').next()?.parse::<usize>().ok());
        let lines: Vec<_> = numbers.filter_map(|number| source.lines().nth(number - 1)).collect();
        assert!(lines.iter().any(|line| line.contains(text)), "no place with `{text}`: {lines:?}\n{said}");
    };
    let (faulty, kernels) =
        (include_str!("device/link/faulty/src/lib.rs"), include_str!("device/link/kernels/src/lib.rs"));
    for (kernel, text) in [
        ("needs_the_future", "ptx:86.0"),
        ("uses_another_crate", "link_shared::second::address(value)"),
        ("takes_a_cube_root", "core::f32::math::cbrt(*out)"),
        ("indexes", "table[index]"),
        ("divides", "dividend / divisor"),
        ("unwraps", ".unwrap()"),
        ("states_two_shapes", "// entry: .reqntid 256, 1, 1"),
        ("states_a_shape_apart", "// entry: .maxnreg 40"),
    ] {
        let exported = if kernel == "takes_a_cube_root" { &[kernel, "cbrtf"][..] } else { &[kernel] };
        let link = |options| Link::of(&["link_faulty"], exported, "3").with(options).error();
        is_at(&link(&["--deny-panics", "--debug"]), "faulty", faulty, text);
        assert_says(
            &link(&["--deny-panics"]),
            &[
                "place: with `line_tables(true)` in the build script, or `cargo ptx build --line-tables`, this names the line",
            ],
        );
    }
    let tools = with_opt(WITHOUT_CONVERGENCE);
    for (kernel, text) in
        [("barrier_between", "barrier.cta.sync 0;"), ("mask_in_both_arms", "activemask.b32")]
    {
        let mut link = Link::kernel(kernel, "3").with(&["--debug"]);
        link.command.env("PTX_LINK_LLVM", tools.path());
        is_at(&link.error(), "kernels", kernels, text);
    }
}

#[test]
fn an_unknown_processor_is_assembled_as_its_nearest() {
    let link = Link::kernel("plain", "3").without("--target-cpu=sm_90a").with(&["--target-cpu=sm_199"]);
    assert_says(&link.ptx(), &["\n.target sm_199 // assembled for sm_1"]);
}

#[test]
fn what_llc_remarks_stays_out_of_the_ptx() {
    let ptx = Link::kernel("plain", "3").with(&["--target-feature=+nonsense"]).ptx();
    assert!(!ptx.contains("nonsense"), "{ptx}");
}

#[test]
fn a_processor_that_cannot_be_is_refused() {
    let link = Link::kernel("plain", "3").without("--target-cpu=sm_90a").with(&["--target-cpu=gfx90a"]);
    assert_says(&link.error(), &["no processor like `gfx90a`", "sm_90a"]);
}

#[test]
fn an_undefined_symbol_is_named_with_its_user() {
    for level in ["0", "3"] {
        let error = Link::of(&["link_faulty"], &["uses_another_crate"], level).error();
        assert_says(
            &error,
            &[
                "error: undefined symbol `link_shared::second::address` (_",
                "`uses_another_crate` -> `link_faulty::through` -> `link_shared::second::address`",
            ],
        );
        assert_eq!(error.matches("undefined symbol").count(), 1);
    }
    Link::of(&["link_faulty", "link_shared"], &["uses_another_crate"], "3").ptx();
}

#[test]
fn a_kernel_with_the_name_of_a_function_that_is_called_is_refused() {
    let kernels = ["cbrtf", "takes_a_cube_root"];
    for level in ["0", "3"] {
        let error = Link::of(&["link_faulty"], &kernels, level).error();
        assert_says(&error, &["the kernel `cbrtf`", "that `takes_a_cube_root` calls", "choose another name"]);
    }
    Link::of(&["link_faulty"], &kernels[..1], "3").ptx();
}

#[test]
fn a_panic_is_reported_with_its_way_and_cause() {
    let kernels = ["indexes", "divides", "unwraps"];
    let reports = [
        ("`indexes` -> `core::panicking::panic_bounds_check`", "out of bounds"),
        ("`divides` -> `link_faulty::quotient` -> `core::panicking::panic_const::", "divisor may be zero"),
        ("`unwraps` -> `core::option::unwrap_failed` -> `core::panicking::panic`", "`unwrap`"),
    ];
    for level in ["1", "3", "s", "z"] {
        let output = Link::of(&["link_faulty"], &kernels, level).output();
        assert!(output.status.success());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("` can panic\n").count(), 3, "{said}");
        for (way, cause) in reports {
            assert_says(&said, &[way, cause]);
        }
    }
    for (kernel, (way, cause)) in kernels.iter().zip(reports) {
        let error = Link::of(&["link_faulty"], &[kernel], "2").with(&["--deny-panics"]).error();
        assert_says(&error, &[&format!("error: `{kernel}` can panic\n"), way, cause]);
    }
    Link::of(&["link_faulty"], &kernels, "0").with(&["--deny-panics"]).ptx();
}

#[test]
fn local_memory_is_reported_with_its_line_and_cause() {
    let kernels = ["indexes_an_array", "passes_an_address"];
    let link = |level| Link::of(&["link_faulty"], &kernels, level).with(&["--debug"]);
    for level in ["1", "2", "3", "s", "z"] {
        let output = link(level).output();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_says(
            &said,
            &[
                "warning: `indexes_an_array` keeps 16 bytes of each thread in local memory\n  place: ",
                "link/faulty/src/lib.rs:",
                ", in `element`\n  likely cause: an array whose index is known at run time only",
                "warning: `passes_an_address` keeps 4 bytes",
                "`passes_an_address` -> `link_faulty::through_memory`",
                "`link_faulty::changes` takes the address and is not inlined",
            ],
        );
        assert_eq!(said.matches("warning: ").count(), 2, "{said}");
        let line = said.split("link/faulty/src/lib.rs:").nth(1).and_then(|rest| rest.split(':').next());
        let source = include_str!("device/link/faulty/src/lib.rs")
            .lines()
            .nth(line.unwrap().parse::<usize>().unwrap() - 1);
        assert!(source.unwrap().contains("table[index"), "{said}");
    }
    let without_lines = Link::of(&["link_faulty"], &kernels[..1], "3").output();
    assert_says(
        &String::from_utf8_lossy(&without_lines.stderr),
        &[
            "place: `indexes_an_array`; with `line_tables(true)` in the build script, or `cargo ptx build --line-tables`, this names the line",
        ],
    );
    assert_says(
        &link("3").with(&["--deny-local-memory"]).error(),
        &["error: `indexes_an_array` keeps 16 bytes"],
    );
    link("0").with(&["--deny-local-memory"]).ptx();
}

#[test]
fn a_barrier_that_some_threads_pass_by_is_reported_with_its_line() {
    let kernels = ["syncs_in_a_warp", "syncs_in_a_loop_of_the_thread", "syncs_under_a_uniform_condition"];
    let link = |level, debug: &[&str]| Link::of(&["link_faulty"], &kernels, level).with(debug).output();
    for level in ["1", "2", "3", "s", "z"] {
        let output = link(level, &["--debug"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_says(
            &said,
            &[
                "warning: `syncs_in_a_warp`: some threads may not reach `barrier.cta.sync.aligned`\n  place: link/faulty/src/lib.rs:",
                ", in `barrier`\n  condition: link/faulty/src/lib.rs:",
                "warning: `syncs_in_a_loop_of_the_thread`: some threads may not reach",
            ],
        );
        assert_eq!(said.matches("warning: ").count(), 2, "{said}");
        let condition =
            said.split("condition: link/faulty/src/lib.rs:").nth(1).and_then(|rest| rest.split(':').next());
        let number: usize = condition.and_then(|number| number.parse().ok()).expect("a line");
        let source = include_str!("device/link/faulty/src/lib.rs")
            .lines()
            .nth(number - 1)
            .expect("a line of the file");
        assert!(source.contains("thread() < 32") || source.contains("index < count"), "{said}");
    }
    assert_says(
        &String::from_utf8_lossy(&link("3", &[]).stderr),
        &[
            "place: with `line_tables(true)` in the build script, or `cargo ptx build --line-tables`, this names the line",
        ],
    );
    let allow = kernels.map(|kernel| format!("--allow-divergence={kernel}"));
    Link::of(&["link_faulty"], &kernels, "3").with(&[&allow[0], &allow[1]]).ptx();
    Link::of(&["link_faulty"], &kernels, "0").ptx();
}

/// Checks that every name of shared memory in the PTX is declared exactly once.
fn assert_shared_memory_is_whole(ptx: &str) {
    let is_declaration = |line: &&str| line.trim_start().starts_with(".shared .align 16 .b8");
    let declared: Vec<_> = ptx.lines().filter(is_declaration).collect();
    assert_eq!(declared.len(), 2, "{declared:?}");
    let words = ptx.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let uses: Vec<_> = words.filter(|word| word.ends_with("__smem")).collect();
    assert!(uses.len() >= 6, "{uses:?}");
    for name in uses {
        let declarations = declared.iter().filter(|line| line.contains(&format!(" {name}[")));
        assert_eq!(declarations.count(), 1, "{name}");
    }
}

#[test]
fn a_function_that_only_module_asm_calls_is_kept() {
    let ptx = Link::of(&["link_stub"], &["beside"], "3").ptx();
    let is_body = |text: &&str| text.contains("body_of_stub(") && text.contains("xor.b32");
    assert_eq!(ptx.split(".func").filter(is_body).count(), 1, "{ptx}");
    let is_remainder = |text: &&str| text.contains(" fmodf(") && text.contains("\n{");
    assert_eq!(ptx.split(".func").filter(is_remainder).count(), 1, "{ptx}");
    assert_says(&ptx, &[".visible .entry stub(", ".visible .entry beside("]);
}

#[test]
fn line_numbers_are_there_with_debug_only() {
    let ptx = Link::kernel("plain", "3").with(&["--debug"]).ptx();
    assert_says(&ptx, &["\t.loc\t", "link/kernels/src/lib.rs", "\n.target sm_90a\n"]);
    assert!(!Link::kernel("plain", "3").ptx().contains("\t.loc\t"));
}

/// Checks that at every level the instruction of an inlined function has the function's line and the line of the call, and that
/// ptxas keeps both.
#[test]
fn lines_survive_inlining() {
    let source = include_str!("device/link/faulty/src/lib.rs");
    let line_of =
        |text: &str| 1 + source.lines().position(|line| line.contains(text)).expect("a line with this text");
    let (inner, outer) = (line_of("table[index / 4 % 4]"), line_of("element([*out, 5, 7, 11], index)"));
    let tools = ok(Tools::find_or_fetch());
    for level in ["1", "3"] {
        let mut link = Link::of(&["link_faulty"], &["indexes_an_array"], level).with(&["--debug"]);
        assert!(link.output().status.success());
        let path = link.dir.path().join("out.ptx");
        let ptx = fs::read_to_string(&path).unwrap();
        let (start, end) = (format!(".loc\t1 {inner} "), format!("inlined_at 1 {outer} "));
        assert!(ptx.lines().any(|line| line.contains(&start) && line.contains(&end)), "{ptx}");
        let cubin = link.dir.path().join("out.cubin");
        ok(tools.assemble(&path, Arch::Sm90a, &cubin));
        let nvdisasm =
            ok(run(Command::new(tools.program("nvdisasm")).args(["-c", "-gi", "--no-dataflow"]).arg(&cubin)));
        let sass = String::from_utf8_lossy(&nvdisasm.stdout);
        let (start, end) =
            (format!("link/faulty/src/lib.rs\", line {inner} inlined at"), format!("line {outer}"));
        assert!(sass.lines().any(|line| line.contains(&start) && line.ends_with(&end)), "{sass}");
    }
}

#[test]
fn nothing_is_left_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let runs = [
        (Link::kernel("plain", "3"), true),
        (Link::of(&["link_faulty"], &["uses_another_crate"], "3"), false),
        (Link::kernel("plain", "3").with(&["/no/such/file.o"]), false),
    ];
    for (mut link, succeeds) in runs {
        link.command.env("TMPDIR", temporary.path());
        assert_eq!(link.output().status.success(), succeeds);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(link.dir.path()).unwrap().count(), usize::from(succeeds));
    }
}

#[test]
fn missing_tools_are_named_with_the_cure() {
    let empty = tempfile::tempdir().unwrap();
    let mut link = Link::kernel("plain", "3");
    link.command.env("PTX_LINK_LLVM", empty.path());
    assert_says(&link.error(), &["PTX_LINK_LLVM", "llvm-link", "rustup component add llvm-tools"]);
}

#[test]
fn an_exported_symbol_that_nothing_defines_is_refused() {
    for level in ["0", "3"] {
        let error = Link::of(&["link_kernels", "link_shared"], &["plain", "barrier_betwen"], level).error();
        assert_says(&error, &["`barrier_betwen`", "no file defines", "`barrier_between`"]);
        let error = Link::of(&["link_kernels", "link_shared"], &["nosuch"], level).error();
        assert_says(&error, &["`nosuch`", "no file defines"]);
    }
    // A symbol that module asm defines is no symbol of LLVM.
    Link::of(&["link_stub"], &["beside", "remainder"], "3").ptx();
}

#[test]
fn an_interrupted_link_leaves_one_folder_that_the_next_link_removes() {
    let temporary = tempfile::tempdir().unwrap();
    let mut link = Link::kernel("plain", "3");
    link.command.env("TMPDIR", temporary.path());
    let dir = link.dir.path().to_owned();
    let names = |dir: &Path| -> Vec<_> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    // A tool that hangs, so that the link is interrupted while its folder exists.
    let tools = tempfile::tempdir().unwrap();
    for tool in ["opt", "llc"] {
        std::os::unix::fs::symlink(TOOLCHAIN.tools_dir().join(tool), tools.path().join(tool)).unwrap();
    }
    let script = "#!/bin/sh\ntouch \"$0.started\"\nexec sleep 5\n";
    ok(files::write_executable(&tools.path().join("llvm-link"), script));
    let mut running = Command::new(link.command.get_program())
        .args(link.command.get_args())
        .env("PTX_LINK_LLVM", tools.path())
        .env("TMPDIR", temporary.path())
        .spawn()
        .unwrap();
    while !tools.path().join("llvm-link.started").exists() {
        assert!(running.try_wait().unwrap().is_none(), "the link ended");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let left = names(&dir);
    assert!(left.len() == 1 && left[0].starts_with(".out.ptx.ptx-link-"), "{left:?}");
    assert!(link.output().status.success());
    assert_eq!(names(&dir), ["out.ptx"]);
    assert_eq!(names(temporary.path()), [""; 0]);
}

#[test]
fn what_is_no_bitcode_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let object = dir.path().join("text.o");
    fs::write(&object, "no bitcode").unwrap();
    let error = Link::kernel("plain", "3").with(&[&object.display().to_string()]).error();
    assert_says(&error, &["llvm-link", "failed (", "text.o"]);
}

/// Returns a linker of LLVM's tools alone, which keeps the entry, in `folder`. Its name is `ptx-link`, because `build.rs` of `ptx`
/// checks the name.
fn another_linker(folder: &Path, entry: &str) -> LinkerChoice {
    let script = folder.join("ptx-link");
    let llvm = TOOLCHAIN.tools_dir();
    let llvm = llvm.display();
    let text = format!(
        "#!/bin/sh\nset -e\nfor argument; do\n  case $argument in\n    *.o | *.rlib) files=\"$files $argument\" ;;\n  esac\n  \
         case $before in -o) out=$argument ;; esac\n  before=$argument\ndone\n\
         '{llvm}/llvm-link' --ignore-non-bitcode $files -o $out.bc\n\
         '{llvm}/opt' -passes='internalize,default<O3>' -internalize-public-api-list={entry} $out.bc -o $out.opt.bc\n\
         '{llvm}/llc' -mcpu=sm_90a $out.opt.bc -o $out\n"
    );
    ok(files::write_executable(&script, text));
    LinkerChoice::Custom(script)
}

/// Checks that ptxas refuses the output of another linker, which a flag for the last crate chooses after the build script of
/// `ptx` has seen `ptx-link`.
#[test]
fn what_another_linker_makes_is_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let linker = another_linker(folder.path(), "ten");
    let build = Build { linker, ..Build::new("tests/device/debug", Arch::Sm90a) };
    let module = ok(build.run());
    let token = "link_this_kernel_with_ptx_link_";
    assert_eq!(module.text.matches(token).count(), 3, "{}", module.text);
    let tools = ok(Tools::find_or_fetch());
    let error = tools.assemble(&module.path, Arch::Sm90a, &folder.path().join("ten.cubin")).unwrap_err();
    assert_says(&format!("{error:#}"), &["Not a name of any known instruction", token]);

    let module = ok(Build::new("tests/device/debug", Arch::Sm90a).run());
    assert!(!module.text.contains(token), "{}", module.text);
    ok(tools.assemble(&module.path, Arch::Sm90a, &folder.path().join("ten.cubin")));
}

/// Checks that ptxas refuses a kernel that another linker has made, if the kernel has neither convergent instructions nor
/// parameters: the word that asks for the proof is left.
#[test]
fn what_another_linker_does_not_prove_is_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let source = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\nptx::panic_handler!();\n\
                  #[ptx::kernel(threads = 32)]\npub fn nothing(_cta: ptx::group::Cta) {}\n";
    let project = ok(device::write_kernels("unproven", source));
    let tools = ok(Tools::find_or_fetch());
    let cubin = folder.path().join("nothing.cubin");
    let linker = another_linker(folder.path(), "nothing");
    let module = ok(Build { linker, ..Build::new(&project, Arch::Sm90a) }.run());
    let error = tools.assemble(&module.path, Arch::Sm90a, &cubin).unwrap_err();
    assert_says(&format!("{error:#}"), &["Not a name of any known instruction", "ptx_mark"]);

    let module = ok(Build::new(&project, Arch::Sm90a).run());
    ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
}
