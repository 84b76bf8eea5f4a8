//! Misuse that must not compile: `tests/ui/<module>/r<rule>_<what>.rs`, with its message in `.stderr`. The number is the rule's
//! number in `RULES`. A case holds its cure too: what stands under `#[cfg(fixed)]`, in place of what stands under
//! `#[cfg(not(fixed))]`. With `--cfg fixed` it compiles without a warning, except for imports that only the misuse needs.
//!
//! Cases build with the crate's default features; cases in a folder `tests/ui/<module>/sm_90a`, `…/sm_100a` or `…/stock-linker` build with
//! that feature, those of a target with `tensor` too.
//!
//! Everything is built for the host, up to code generation: assertions inside generic functions fail only when the functions are
//! instantiated. `BLESS=1 cargo test --test ui` rewrites the `.stderr` files.
//!
//! rustc takes longer to start than to compile a case. So a run of all cases first compiles many of them as the modules of one
//! crate. Only the cases that this leaves undecided are compiled alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use cargo_metadata::Message;
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};
use libtest_mimic::{Arguments, Failed, Trial};
use regex_lite::Regex;
use xtask::golden;

/// The things that a program on `ptx` cannot do. Each rule has at least one case; `r0` is for the premises of the other rules.
const RULES: &[(u32, &str)] = &[
    (0, "make a handle without the library, or take it to another thread or out of its scope"),
    (1, "use an mbarrier before `init`, initialize it twice, use it after `inval`"),
    (2, "wait without the token of an arrive, or use a token twice"),
    (3, "arrive again before a wait for the phase"),
    (4, "access a destination while a copy into it is in flight, or read memory that holds nothing"),
    (5, "access a source, or a global destination, of a copy in flight"),
    (6, "wait for a group that was never committed, or leave a scope with copies in flight"),
    (7, "give a byte count that differs from the copied types"),
    (8, "use sizes, counts and numbers that the instructions do not accept"),
    (
        9,
        "hand memory after ordinary stores, or a stage after ordinary loads, to the async proxy without a proxy fence",
    ),
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
const FEATURES: [&str; 3] = ["sm_90a", "sm_100a", "stock-linker"];

fn main() -> ExitCode {
    match run() {
        Ok(verdict) => verdict,
        Err(error) => {
            eprintln!("ui: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Messages name the cases by this path. Cargo runs tests in the package's folder.
    let cases = Path::new("tests/ui");
    let bless = golden::blesses();
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

    let all = std::env::args().len() == 1;
    let stamp = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui.passed");
    let inputs = inputs(root)?;
    if all && !bless && std::fs::read_to_string(&stamp).is_ok_and(|passed| passed == inputs) {
        println!(
            "ui: skipped: every case has passed before, and the cases, the crate and the compiler are unchanged"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let compiler = Arc::new(Compiler::new(root)?);
    let is_case = |path: &PathBuf| path.extension().is_some_and(|it| it == "rs");
    let sources: Vec<_> = files(cases)?.into_iter().filter(is_case).collect();
    let (mut cured, mut passed) = (BTreeSet::new(), BTreeSet::new());
    if all {
        cured = cures_that_compile(&compiler, &sources)?;
        if pinned && !bless {
            passed = cases_with_their_messages(&compiler, &sources)?;
        }
    }
    let messages = if pinned { Some(bless) } else { None };
    let mut trials = Vec::new();
    for path in sources {
        let name = path.strip_prefix(cases).unwrap_or(&path).display().to_string();
        let trial = |name, check: Check| {
            let (compiler, path) = (compiler.clone(), path.clone());
            Trial::test(name, move || check(&compiler, &path, messages))
        };
        if !cured.contains(&path) {
            trials.push(trial(format!("{name} with `--cfg fixed`"), check_cure));
        }
        if !passed.contains(&path) {
            trials.push(trial(name, check_messages));
        }
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    if all && !conclusion.has_failed() {
        std::fs::write(&stamp, inputs).with_context(|| format!("cannot write {}", stamp.display()))?;
    }
    Ok(conclusion.exit_code())
}

type Check = fn(&Compiler, &Path, Option<bool>) -> Result<(), Failed>;

/// The arguments with which a case is its cure.
const CURE: [&str; 2] = ["--cfg=fixed", "-Dwarnings"];

/// Compiles the cure of a case.
fn check_cure(compiler: &Compiler, path: &Path, _messages: Option<bool>) -> Result<(), Failed> {
    let output = output(compiler.rustc(compiler.feature_of(path)).args(CURE).arg(path))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("with `--cfg fixed` the case must compile without a warning:\n{text}").into())
}

/// Compiles a case, and compares its messages, or with `Some(true)` writes them.
fn check_messages(compiler: &Compiler, path: &Path, messages: Option<bool>) -> Result<(), Failed> {
    let output = output(compiler.rustc(compiler.feature_of(path)).arg(path))?;
    let text = compiler.normal(&String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(1) => {}
        Some(0) => return Err("compiles, and must not".into()),
        _ => return Err(format!("rustc did not end normally ({}):\n{text}", output.status).into()),
    }
    let file = path.with_extension("stderr");
    let Some(bless) = messages else { return Ok(()) };
    if bless {
        return Ok(std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?);
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    if text == expected {
        return Ok(());
    }
    let difference = golden::diff(&expected, &text);
    Err(format!("other messages; if you want them: BLESS=1 cargo test --test ui\n{difference}").into())
}

fn output(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("cannot run {}", command.get_program().display()))
}

/// Returns a hash of everything that the results depend on: the compiler and its flags, the crate, the cases and this file.
fn inputs(root: &Path) -> Result<String> {
    let mut paths = files(&root.join("src"))?;
    paths.append(&mut files(&root.join("macros/src"))?);
    paths.append(&mut files(&root.join("tests/ui"))?);
    paths.extend(["Cargo.toml", "Cargo.lock", "build.rs", "tests/ui.rs"].map(|name| root.join(name)));
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        (path, text).hash(&mut hasher);
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(&rustc).arg("-vV").output();
    version.with_context(|| format!("cannot run {}", rustc.display()))?.stdout.hash(&mut hasher);
    ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"].map(std::env::var_os).hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

fn is_for(path: &Path, feature: &str) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with(feature))
}

/// Compiles the cures of each feature as one crate. Returns the cases of the features whose crate compiles without a warning.
fn cures_that_compile(compiler: &Compiler, cases: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut passed = BTreeSet::new();
    for (feature, cases) in groups(cases, |path| Some(compiler.feature_of(path))) {
        if compile_together(compiler, feature, &cases, &CURE)?.status.success() {
            println!("ui: the cures of {} cases of the feature {feature} compile", cases.len());
            passed.extend(cases);
        }
    }
    Ok(passed)
}

/// Compiles the cases of each feature as few crates, and returns those whose messages are then equal to their `.stderr`.
///
/// Such a case fails alone too, with the same messages:
/// - The text has an error in the file of the case.
/// - Every message of the crate belongs to one case, so rustc has merged no message of this case with one of another case.
/// - An error hides what rustc looks for later. Errors of other cases hide nothing that comes before the errors of this case, or
///   the text would lack these. What comes later is hidden by these errors, also when the case is alone.
/// - Other differences, such as the longer path of a name that two cases use, make the text unequal.
///
/// Because errors hide one another, the cases of a crate have the same first error.
fn cases_with_their_messages(compiler: &Compiler, cases: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let (count, mut crates, mut passed) = (cases.len(), 0, BTreeSet::new());
    let expected = |path: &Path| std::fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
    let key = |path: &Path| {
        let text = expected(path);
        // `error[E0277`, or a line without a code.
        let error = text.lines().find(|line| line.starts_with("error"))?.split(']').next()?;
        Some((compiler.feature_of(path), error.to_owned()))
    };
    for ((feature, _), cases) in groups(cases, key).into_iter().filter(|(_, cases)| cases.len() > 1) {
        let output = compile_together(compiler, feature, &cases, &["--error-format=json"])?;
        crates += 1;
        if let Some(texts) = texts(&output, &cases) {
            let equal = |(path, text): &(PathBuf, String)| compiler.normal(text) == expected(path);
            passed.extend(cases.into_iter().zip(texts).filter(equal).map(|(path, _)| path));
        }
    }
    println!("ui: {} of {count} cases have their messages in {crates} crates of several cases", passed.len());
    Ok(passed)
}

/// Returns what rustc would print for each case alone, by its output for the crate of all `cases`; or `None` if a message
/// belongs to no case.
fn texts(output: &Output, cases: &[PathBuf]) -> Option<Vec<String>> {
    let mut texts = vec![(String::new(), 0, BTreeSet::new()); cases.len()];
    for line in std::str::from_utf8(&output.stderr).ok()?.lines() {
        let Diagnostic { message, code, level, spans, rendered, .. } = serde_json::from_str(line).ok()?;
        if spans.is_empty()
            && (level == DiagnosticLevel::FailureNote || message.starts_with("aborting due to "))
        {
            continue; // The closing lines for the whole crate.
        }
        let mut place = spans.iter().find(|span| span.is_primary)?;
        while let Some(expansion) = &place.expansion {
            place = &expansion.span;
        }
        let case = cases.iter().position(|case| case == Path::new(&place.file_name))?;
        let (text, errors, codes) = &mut texts[case];
        *text += &rendered?;
        if level == DiagnosticLevel::Error {
            *errors += 1;
            codes.extend(code.map(|code| code.code));
        }
    }
    let close = |(text, errors, codes): (String, usize, BTreeSet<String>)| {
        let errors =
            if errors == 1 { "1 previous error".into() } else { format!("{errors} previous errors") };
        let codes: Vec<_> = codes.into_iter().collect();
        let explanations = match codes.as_slice() {
            [] => String::new(),
            [code] => format!("For more information about this error, try `rustc --explain {code}`.\n"),
            [code, ..] => format!(
                "Some errors have detailed explanations: {}.\n\
                 For more information about an error, try `rustc --explain {code}`.\n",
                codes.join(", ")
            ),
        };
        format!("{text}error: aborting due to {errors}\n\n{explanations}")
    };
    (output.status.code() == Some(1)).then(|| texts.into_iter().map(close).collect())
}

fn groups<K: Ord>(paths: &[PathBuf], key: impl Fn(&Path) -> Option<K>) -> BTreeMap<K, Vec<PathBuf>> {
    let mut groups = BTreeMap::<K, Vec<PathBuf>>::new();
    for path in paths {
        if let Some(key) = key(path) {
            groups.entry(key).or_default().push(path.clone());
        }
    }
    groups
}

/// Compiles files of one feature as the modules of one crate.
fn compile_together(
    compiler: &Compiler,
    feature: &str,
    paths: &[PathBuf],
    arguments: &[&str],
) -> Result<Output> {
    let module = |(i, path): (usize, &PathBuf)| format!("#[path = {path:?}]\npub mod module_{i};\n");
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui-modules.rs");
    xtask::files::write(&source, paths.iter().enumerate().map(module).collect::<String>())?;
    let source = File::open(&source).with_context(|| format!("cannot open {}", source.display()))?;
    // In standard input, paths are relative to the current folder, so messages name a module as they name a case alone.
    output(compiler.rustc(feature).args(arguments).arg("-").stdin(source))
}

/// Checks that each rule has cases, each case has its message, and no file belongs to no case.
fn check_layout(cases: &Path, bless: bool) -> Result<()> {
    let files = files(cases)?;
    let mut faults = Vec::new();
    let mut rules = BTreeSet::new();
    for file in &files {
        let name = file.to_string_lossy();
        let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
        let needed = match extension {
            "rs" if bless => None,
            "rs" => Some("stderr"),
            "stderr" => Some("rs"),
            _ => {
                faults.push(format!("{name}: neither a case nor a message: remove the file"));
                continue;
            }
        };
        if let Some(extension) = needed
            && !files.contains(Path::new(&format!("{stem}.{extension}")))
        {
            faults.push(format!("{name}: {stem}.{extension} is missing"));
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
    Ok(xtask::files::under(folder)?.into_iter().collect())
}

/// Returns true for the toolchain in rust-toolchain.toml. rustup keeps it in a folder with its name.
fn compiler_is_pinned(root: &Path) -> Result<bool> {
    let pin = root.join("rust-toolchain.toml");
    let text = std::fs::read_to_string(&pin).with_context(|| format!("cannot read {}", pin.display()))?;
    let channel = text
        .lines()
        .find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'))
        .ok_or_else(|| anyhow!("{} has no channel", pin.display()))?;
    let sysroot = sysroot()?;
    Ok(sysroot.file_name().is_some_and(|name| name.to_string_lossy().starts_with(channel)))
}

fn sysroot() -> Result<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .args(["--print", "sysroot"])
        .output()
        .with_context(|| format!("cannot run {}", rustc.display()))?;
    ensure!(output.status.success(), "`{} --print sysroot` failed", rustc.display());
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// The compiler of the cases.
struct Compiler {
    /// For each feature, the arguments with which rustc finds `ptx`.
    flags: Vec<(&'static str, Vec<OsString>)>,
    /// The text that the messages must not contain, as patterns, and the replacements.
    filters: Vec<(Regex, &'static str)>,
    /// The folders whose paths the messages must not contain, and the replacements.
    folders: [(String, &'static str); 2],
}

impl Compiler {
    fn new(root: &Path) -> Result<Compiler> {
        let mut flags = vec![("default", ptx_args(root, &[])?)];
        for feature in FEATURES {
            // `ptx::wgmma` and `ptx::tcgen05` are of both.
            let features = if feature == "stock-linker" { feature } else { &format!("{feature},tensor") };
            flags.push((feature, ptx_args(root, &["--features", features])?));
        }
        // Quoted source of the library and of `core` must not depend on its folder and line.
        let filters = [
            ("/rustc/[0-9a-f]+/", "$$SYSROOT/lib/rustlib/src/rust/"),
            (r"((?:src|\$SYSROOT)/[^ ]+\.rs):[0-9]+(?::[0-9]+)?", "$1:LL:CC"),
            ("and [0-9]+ others", "and N others"),
        ];
        let filters = filters.map(|(pattern, by)| Ok((Regex::new(pattern)?, by)));
        Ok(Compiler {
            flags,
            filters: filters.into_iter().collect::<Result<_>>()?,
            // The slash matters: the name of one folder may begin with the name of the other.
            folders: [
                (format!("{}/", root.display()), "$ROOT/"),
                (format!("{}/", sysroot()?.display()), "$SYSROOT/"),
            ],
        })
    }

    /// Returns the feature of a case's folder.
    fn feature_of(&self, path: &Path) -> &'static str {
        FEATURES.into_iter().find(|feature| is_for(path, feature)).unwrap_or("default")
    }

    /// Returns rustc with the arguments of all cases, and those of the feature.
    fn rustc(&self, feature: &str) -> Command {
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--crate-type=lib", "--crate-name=case", "--edition=2024"]).args([
            // Instantiates every function, and stops before code generation.
            "-Zno-codegen",
            // Writes `LL` for line numbers next to quoted source, because the library's line numbers change often.
            "-Zui-testing",
            "-Zwrite-long-types-to-disk=no",
            "--check-cfg=cfg(fixed)",
            // The misuse and the cure have the same imports.
            "-Aunused_imports",
        ]);
        // Allows `-Z` on a stable compiler.
        rustc.env("RUSTC_BOOTSTRAP", "1").arg("--out-dir").arg(env!("CARGO_TARGET_TMPDIR"));
        let of_feature = self.flags.iter().filter(|(name, _)| *name == feature);
        rustc.args(of_feature.flat_map(|(_, args)| args));
        rustc
    }

    /// Returns rustc's messages without what differs between machines and versions of the library.
    fn normal(&self, messages: &str) -> String {
        let mut text = messages.to_owned();
        for (folder, name) in &self.folders {
            text = text.replace(folder, name);
        }
        for (pattern, by) in &self.filters {
            text = pattern.replace_all(&text, *by).into_owned();
        }
        text
    }
}

/// Builds `ptx` for the host with `features`, and returns the arguments with which rustc finds it. (The metadata of `cargo check`
/// is not enough for instantiation.) Overflow checks are off, as in the release profile of device code: there, a `const fn` that
/// computes a size wraps, in constants too.
fn ptx_args(root: &Path, features: &[&str]) -> Result<Vec<OsString>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or_else(|| anyhow!("no target folder"))?;
    let mut child = Command::new(&cargo)
        .args(["build", "--quiet", "--lib", "--package=ptx", "--message-format=json-render-diagnostics"])
        .arg("--config=profile.dev.package.ptx.overflow-checks=false")
        .args(features)
        .arg("--target-dir")
        .arg(target)
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", cargo.display()))?;
    let stdout = child.stdout.take().ok_or_else(|| anyhow!("cargo has no output"))?;
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
