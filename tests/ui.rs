//! Misuse that must not compile: `tests/ui/<module>/r<rule>_<what>.rs`. Each case has its message in `.stderr`, and a twin
//! `.fixed.rs` that does the same correctly and compiles without a warning. The number is the rule's number in `RULES`.
//!
//! Cases build with the crate's default features; cases in a folder `tests/ui/<module>/sm_100a` or `…/stock-linker` build with
//! that feature.
//!
//! Everything is built for the host, up to code generation: assertions inside generic functions fail only when the functions are
//! instantiated. `BLESS=1 cargo test --test ui` rewrites the `.stderr` files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use cargo_metadata::Message;
use cargo_metadata::camino::Utf8PathBuf;
use ui_test::color_eyre::eyre::{Result, WrapErr, bail, ensure, eyre};
use ui_test::custom_flags::edition::Edition;
use ui_test::custom_flags::rustfix::RustfixMode;
use ui_test::spanned::Spanned;
use ui_test::status_emitter::StatusEmitter;
use ui_test::{
    Args, Config, Match, bless_output_files, default_file_filter, error_on_output_conflict,
    ignore_output_conflict, run_tests_generic,
};

/// What a program on `ptx` cannot do. Each rule has at least one case; `r0` is for the premises of the other rules.
const RULES: &[(u32, &str)] = &[
    (0, "make a handle without the library, or take it to another thread or out of its scope"),
    (1, "use an mbarrier before `init`, initialise it twice, use it after `inval`"),
    (2, "wait without the token of an arrive, or use a token twice"),
    (3, "arrive again before a wait for the phase"),
    (4, "access a destination while a copy into it is in flight, or read memory that holds nothing"),
    (5, "access a source, or a global destination, of a copy in flight"),
    (6, "wait for a group that was never committed, or leave a scope with copies in flight"),
    (7, "give a byte count that differs from the copied types"),
    (8, "use sizes, counts and numbers that the instructions do not accept"),
    (9, "hand ordinary stores to the async proxy without a proxy fence"),
    (10, "use a tensor map or coordinates that differ from the tile in rank, element type or box"),
    (
        11,
        "use the memory of a peer that may have exited, send to oneself, separate a datum from its mbarrier",
    ),
    (12, "wait on an mbarrier of another CTA, or ask for the state of an arrival there"),
    (13, "call an instruction that the target of the crate's features lacks"),
    (14, "combine qualifiers that no instruction combines"),
    (15, "request a cluster while another request is in flight, or after a refusal"),
    (16, "use safe code with a linker that does not mark barriers"),
    (17, "write a kernel that no launch fits, or whose launch is not as safe as it says"),
    (18, "print what C's `printf` cannot print, or with a format that does not fit the arguments"),
];

/// Folders of cases, each named after the feature that they are built with.
const FEATURES: [&str; 2] = ["sm_100a", "stock-linker"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ui: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Messages name the cases by this path. Cargo runs tests in the package's folder.
    let cases = Path::new("tests/ui");
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    check_layout(cases, bless)?;

    let pinned = compiler_is_pinned(root)?;
    if !pinned {
        ensure!(
            !bless,
            "BLESS=1 needs the pinned toolchain: other compilers word their messages differently"
        );
        println!(
            "ui: this is not the compiler of rust-toolchain.toml: the test checks whether cases compile, but not their messages"
        );
    }

    let args = Args::test()?;
    let all = std::env::args().len() == 1;
    let stamp = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui.passed");
    let inputs = inputs(root)?;
    if all && !bless && std::fs::read_to_string(&stamp).is_ok_and(|passed| passed == inputs) {
        println!(
            "ui: skipped: every case has passed before, and the cases, the crate and the compiler are unchanged"
        );
        return Ok(());
    }
    // Leaked, because the configuration of a case must be `Copy`.
    let default: &[OsString] = ptx_args(root, &[])?.leak();
    let mut featured: Vec<(&str, &[OsString])> = Vec::new();
    for feature in FEATURES {
        featured.push((feature, ptx_args(root, &["--features", feature])?.leak()));
    }
    let featured: &[(&str, &[OsString])] = featured.leak();
    let mut config = config(root, cases)?;
    config.with_args(&args);
    config.output_conflict_handling = match (pinned, bless) {
        (false, _) => ignore_output_conflict,
        (true, false) => error_on_output_conflict,
        (true, true) => bless_output_files,
    };
    let emitter: Box<dyn StatusEmitter> = args.format.into();
    // One by one only if one of them fails, so that its message stands alone.
    let twins_pass = all && twins_compile(&config, cases, default, featured)?;
    run_tests_generic(
        vec![config],
        move |path, config| {
            if twins_pass && is_twin(path) { Some(false) } else { default_file_filter(path, config) }
        },
        move |config, contents| {
            let path = &contents.span.file;
            config.program.args.extend(["--crate-type=lib", "--crate-name=case"].map(OsString::from));
            let args =
                featured.iter().find(|(feature, _)| is_for(path, feature)).map_or(default, |(_, args)| args);
            config.program.args.extend_from_slice(args);
            if is_twin(path) {
                config.program.args.push("-Dwarnings".into());
                config.comment_defaults.base().exit_status = Spanned::dummy(0).into();
            }
        },
        emitter,
    )?;
    if all {
        std::fs::write(&stamp, inputs).wrap_err_with(|| format!("cannot write {}", stamp.display()))?;
    }
    Ok(())
}

/// Returns a hash of everything that the results depend on: the compiler and its flags, the crate, the cases and this file.
fn inputs(root: &Path) -> Result<String> {
    let mut paths = files(&root.join("src"))?;
    paths.append(&mut files(&root.join("tests/ui"))?);
    paths.extend(["Cargo.toml", "Cargo.lock", "build.rs", "tests/ui.rs"].map(|name| root.join(name)));
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let text = std::fs::read(&path).wrap_err_with(|| format!("cannot read {}", path.display()))?;
        (path, text).hash(&mut hasher);
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(&rustc).arg("-vV").output();
    version.wrap_err_with(|| format!("cannot run {}", rustc.display()))?.stdout.hash(&mut hasher);
    ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"].map(std::env::var_os).hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

fn is_for(path: &Path, feature: &str) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with(feature))
}

/// Compiles all twins of each feature as the modules of one crate. Returns whether they compile without a warning.
fn twins_compile(
    config: &Config,
    cases: &Path,
    default: &[OsString],
    featured: &[(&str, &[OsString])],
) -> Result<bool> {
    let twins: Vec<_> = files(cases)?.into_iter().filter(|path| is_twin(path)).collect();
    let of_default = |path: &&PathBuf| !featured.iter().any(|(feature, _)| is_for(path, feature));
    let mut groups: Vec<(&str, &[OsString], Vec<&PathBuf>)> =
        vec![("default", default, twins.iter().filter(of_default).collect())];
    for &(feature, args) in featured {
        groups.push((feature, args, twins.iter().filter(|path| is_for(path, feature)).collect()));
    }
    for (name, args, paths) in groups {
        let module = |(i, path): (usize, &&PathBuf)| {
            let path = path.canonicalize().wrap_err_with(|| format!("cannot find {}", path.display()))?;
            Ok(format!("#[path = {path:?}]\npub mod twin_{i};\n"))
        };
        let modules = paths.iter().enumerate().map(module).collect::<Result<String>>()?;
        let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ui-twins-{name}.rs"));
        std::fs::write(&source, modules).wrap_err_with(|| format!("cannot write {}", source.display()))?;
        let mut rustc = config.program.build(&config.out_dir);
        rustc.args(["--crate-type=lib", "--crate-name=twins", "--edition=2024", "-Dwarnings"]).args(args);
        let output = rustc.arg(&source).output().wrap_err("cannot run rustc")?;
        if !output.status.success() {
            return Ok(false);
        }
        println!("ui: {} twins of the feature {name} compile", paths.len());
    }
    Ok(true)
}

fn is_twin(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(".fixed.rs"))
}

/// Checks that each rule has cases, each case has its message and its twin, and no file belongs to no case.
fn check_layout(cases: &Path, bless: bool) -> Result<()> {
    let files = files(cases)?;
    let mut faults = Vec::new();
    let mut rules = BTreeSet::new();
    for file in &files {
        let name = file.to_string_lossy();
        let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
        let needed: &[&str] = match extension {
            "rs" if bless => &["fixed.rs"],
            "rs" => &["fixed.rs", "stderr"],
            "fixed.rs" | "stderr" => &["rs"],
            _ => {
                faults.push(format!("{name}: neither a case, nor a twin, nor a message: remove the file"));
                continue;
            }
        };
        for extension in needed {
            if !files.contains(Path::new(&format!("{stem}.{extension}"))) {
                faults.push(format!("{name}: {stem}.{extension} is missing"));
            }
        }
        match rule(stem) {
            Some(rule) if RULES.iter().any(|(known, _)| *known == rule) => _ = rules.insert(rule),
            _ => faults.push(format!(
                "{name}: the name must begin with the number of a rule in `RULES`, as in `r1_…`"
            )),
        }
    }
    for (rule, what) in RULES.iter().filter(|(rule, _)| !rules.contains(rule)) {
        faults.push(format!("rule {rule} ({what}) has no case"));
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("the cases in {} are not complete:\n  {}", cases.display(), faults.join("\n  "))
}

fn rule(stem: &str) -> Option<u32> {
    let (_, name) = stem.rsplit_once('/')?;
    name.strip_prefix('r')?.split_once('_')?.0.parse().ok()
}

fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let files = xtask::files::under(folder).map_err(|error| eyre!("{error:#}"))?;
    Ok(files.into_iter().collect())
}

/// Returns true for the toolchain in rust-toolchain.toml. rustup keeps it in a folder with its name.
fn compiler_is_pinned(root: &Path) -> Result<bool> {
    let pin = root.join("rust-toolchain.toml");
    let text = std::fs::read_to_string(&pin).wrap_err_with(|| format!("cannot read {}", pin.display()))?;
    let channel = text
        .lines()
        .find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'))
        .ok_or_else(|| eyre!("{} has no channel", pin.display()))?;
    let sysroot = sysroot()?;
    Ok(sysroot.file_name().is_some_and(|name| name.to_string_lossy().starts_with(channel)))
}

fn sysroot() -> Result<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .args(["--print", "sysroot"])
        .output()
        .wrap_err_with(|| format!("cannot run {}", rustc.display()))?;
    ensure!(output.status.success(), "`{} --print sysroot` failed", rustc.display());
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

fn config(root: &Path, cases: &Path) -> Result<Config> {
    let mut config = Config::rustc(cases);
    config.out_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    config.bless_command = Some("BLESS=1 cargo test --test ui".into());

    let defaults = config.comment_defaults.base();
    // The `.stderr` file holds the whole message.
    defaults.require_annotations = Spanned::dummy(false).into();
    defaults.set_custom("edition", Edition("2024".into()));
    defaults.set_custom("rustfix", RustfixMode::Disabled);

    config.program.args.extend(
        [
            // Instantiates every function, and stops before code generation.
            "-Zno-codegen",
            // Writes `LL` for line numbers next to quoted source, because the library's line numbers change often.
            "-Zui-testing",
            "-Zwrite-long-types-to-disk=no",
        ]
        .map(OsString::from),
    );
    // Allows `-Z` on a stable compiler.
    config.program.envs.push(("RUSTC_BOOTSTRAP".into(), Some("1".into())));

    // Quoted source of the library and of `core` must not depend on its folder and line.
    for (folder, name) in [(root.to_owned(), "$ROOT"), (sysroot()?, "$SYSROOT")] {
        let folder = folder.into_os_string().into_encoded_bytes();
        config.comment_defaults.base().normalize_stderr.push((Match::Exact(folder), name.into()));
    }
    config.stderr_filter("/rustc/[0-9a-f]+/", "$$SYSROOT/lib/rustlib/src/rust/");
    config.stderr_filter("((?:src|\\$SYSROOT)/[^ ]+\\.rs):[0-9]+(?::[0-9]+)?", "$1:LL:CC");
    config.stderr_filter("and [0-9]+ others", "and N others");
    Ok(config)
}

/// Builds `ptx` for the host with `features`, and returns the arguments with which rustc finds it. (The metadata of `cargo check`
/// is not enough for instantiation.) Overflow checks are off, as in the release profile of device code: there, a `const fn` that
/// computes a size wraps, in constants too.
fn ptx_args(root: &Path, features: &[&str]) -> Result<Vec<OsString>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or_else(|| eyre!("no target folder"))?;
    let mut child = Command::new(&cargo)
        .args(["build", "--quiet", "--lib", "--package=ptx", "--message-format=json-render-diagnostics"])
        .arg("--config=profile.dev.package.ptx.overflow-checks=false")
        .args(features)
        .arg("--target-dir")
        .arg(target)
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .wrap_err_with(|| format!("cannot run {}", cargo.display()))?;
    let stdout = child.stdout.take().ok_or_else(|| eyre!("cargo has no output"))?;
    let mut args = Vec::new();
    for message in Message::parse_stream(std::io::BufReader::new(stdout)) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        let is_metadata = |file: &&Utf8PathBuf| file.extension() == Some("rmeta");
        let metadata = artifact.filenames.iter().find(is_metadata);
        if let Some(metadata) = metadata.filter(|_| artifact.target.name == "ptx") {
            args.push(format!("--extern=ptx={metadata}").into());
        }
        // A procedural macro is a library of the host without metadata.
        let is_macro = artifact.target.is_proc_macro();
        let library = metadata.or(artifact.filenames.first().filter(|_| is_macro));
        if let Some(folder) = library.and_then(|library| library.parent()) {
            args.push(format!("-Ldependency={folder}").into());
        }
    }
    ensure!(child.wait()?.success(), "`cargo build --lib` failed: see above");
    ensure!(!args.is_empty(), "`cargo build --lib` built no metadata of `ptx`");
    Ok(args)
}
