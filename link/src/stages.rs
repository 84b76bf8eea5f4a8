//! The stages of a link. Each stage writes a file that the next stage reads.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::assemble::{Processor, assemble, external_functions};
use crate::budgets::unfit;
use crate::canary::without_canaries;
use crate::constants::in_constant_memory;
use crate::convergence::without_comments;
use crate::divergence::divergent_barriers;
use crate::entry::move_directives;
use crate::fields::shifted;
use crate::ir::Callee;
use crate::lines::{Lines, line_of};
use crate::local::local_memory;
use crate::marks::without_tokens;
use crate::moved::{Moved, moved};
use crate::options::Level;
use crate::parameters::pass_by_value;
use crate::program::{self, Program};
use crate::proof::{PASSES, formats, formatters, not_proven, prepared, proven, unproven, without_marks};
use crate::registers::{has_later_writes, inlined};
use crate::sites::{Numbers, number};
use crate::tools::{Places, Tools, run};
use crate::{Error, Options, ir, mark};

/// Links as `options` say, writes the PTX, and returns the warnings.
///
/// # Errors
///
/// If a tool is missing or fails, a symbol is undefined, asm needs an unknown PTX version, or a kernel can panic and
/// `--deny-panics` is set, or a kernel has local memory and `--deny-local-memory` is set.
pub fn link(options: &Options) -> Result<Vec<String>, Error> {
    let places = Places::of_this_process();
    let stages = Stages::new(options, places.find()?)?;

    let reached = without_canaries(&without_tokens(&stages.reach(&places)?)?)?;
    let in_registers = options.in_registers();
    let options = if has_later_writes(&reached) { &in_registers } else { options };
    let stages = Stages { options, ..stages };
    let marked = stages.prepare(&inlined(&without_marks(&reached)))?;
    // The proof has a module of its own, so it runs beside LLVM's passes on the program.
    let (proof, numbered) = std::thread::scope(|scope| {
        let proof = scope.spawn(|| stages.prove(&reached));
        let numbered = stages.optimize(&number(&marked));
        (proof.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), numbered)
    });
    proof?;
    let numbered = numbered?;

    let ir = Numbers::read(&numbered).removed(&numbered);
    let program = Program::read(&ir);
    refuse_undefined(&program)?;
    refuse_unfit_registers(&program)?;
    let mut warnings = report_panics(&program, options)?;
    warnings.extend(report_divergence(&program, options, &ir));
    let (ptx, numbered_ptx) = stages.assemble(&ir, &number(&numbered), &program)?;
    refuse_calls_of_llvm(&ptx, &program)?;
    warnings.extend(report_moved(&moved(&marked, &numbered, &numbered_ptx), options)?);
    warnings.extend(report_local_memory(&program, options, &ir, &ptx)?);
    write(&options.output, &shifted(&move_directives(&ptx, &program)?))?;
    Ok(warnings)
}

/// The option of `opt` that keeps a call through a table of functions whole. The pass makes a switch of the call, with a copy of
/// the call in each arm, whether or not the call is marked convergent.
const KEEP_TABLES: &str = "-enable-jump-table-to-switch=false";

/// The file of the program without `core` and `compiler_builtins` of rustc.
const OWN: &str = "1-linked.bc";

/// The maximum number of panics to report.
const MOST_PANICS: usize = 12;

struct Stages<'a> {
    options: &'a Options,
    tools: Tools,
    processor: Processor,
    dir: PathBuf,
    /// Removes `dir` at the end, unless the user keeps it.
    _guard: Option<tempfile::TempDir>,
}

/// Makes a folder for the stages next to the output, and removes those that interrupted links of this output have left. The name
/// is new each time: a tool of an interrupted link may still run, and write its file.
fn scratch(output: &Path) -> Result<tempfile::TempDir, Error> {
    let is_special = output.exists() && !output.is_file();
    let parent = match output.parent() {
        // No folder can stand next to `/dev/stdout`.
        _ if is_special => &std::env::temp_dir(),
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let prefix = format!(".{}.ptx-link-", output.file_name().unwrap_or_default().to_string_lossy());
    if !is_special {
        for entry in parent.read_dir().into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                // What cannot be removed does no harm.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
    let made = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent);
    made.map_err(Error::file("create a directory in", parent))
}

/// The part of a module that the exported symbols reach.
struct Reached {
    ir: String,
    asm_names_symbols: bool,
}

impl<'a> Stages<'a> {
    fn new(options: &'a Options, tools: Tools) -> Result<Self, Error> {
        let (dir, guard) = match &options.save_temps {
            Some(dir) => {
                fs::create_dir_all(dir).map_err(Error::file("create", dir))?;
                (dir.clone(), None)
            }
            None => {
                let guard = scratch(&options.output)?;
                (guard.path().to_owned(), Some(guard))
            }
        };
        let processor = Processor::choose(options, &tools.llc)?;
        Ok(Self { options, tools, processor, dir, _guard: guard })
    }

    /// Links the program, and keeps only what the exported symbols reach: the rest of `core` would cost seconds in every later
    /// stage. Most kernels reach nothing of `core`, so the first attempt leaves `core` out. The second attempt takes from `core`
    /// what the program names, in the order of the libraries. The third attempt takes all of `core`: asm may name more, and a
    /// library may name symbols of an earlier library.
    fn reach(&self, places: &Places) -> Result<String, Error> {
        let attempts = [("1-linked-with-needed.bc", &["--only-needed"][..]), ("1-linked-with-all.bc", &[])];
        for (name, _) in attempts {
            // Removes the file of an earlier link that kept its stages.
            let _ = fs::remove_file(self.dir.join(name));
        }
        let (of_rust, own) = self.files();
        let own = self.join(OWN, &[], &own, places)?;
        let mut linked = own.clone();
        let mut reached = self.reach_in(&linked)?;
        for (name, options) in attempts {
            if of_rust.is_empty() || self.is_whole(&reached) {
                break;
            }
            let files: Vec<_> = [&own].into_iter().chain(of_rust.iter().copied()).collect();
            linked = self.join(name, options, &files, places)?;
            reached = self.reach_in(&linked)?;
        }
        self.refuse_missing(&linked, &reached.ir)?;
        Ok(reached.ir)
    }

    /// Refuses to export what neither the module nor its asm defines.
    fn refuse_missing(&self, linked: &Path, reached: &str) -> Result<(), Error> {
        let program = Program::read(reached);
        let in_asm = module_asm(reached);
        let in_asm: HashSet<&str> = program::words(&in_asm).collect();
        let is_missing = |name: &&String| !program.defines(name) && !in_asm.contains(name.as_str());
        let missing: Vec<_> = self.options.export_symbols.iter().filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let whole = self.disassemble(linked)?;
        let program = Program::read(&whole);
        let message = |name: &String| {
            let near: Vec<_> = program.near(name).iter().map(|near| format!("`{near}`")).collect();
            let cure = match near.is_empty() {
                true => "define it with `#[unsafe(no_mangle)]`, or correct the name".to_owned(),
                false => format!("names like it: {}", near.join(", ")),
            };
            format!("cannot export `{name}`, which no file defines\n  {cure}")
        };
        Err(Error::NotDefined(missing.into_iter().map(message).collect()))
    }

    /// Returns `core` and `compiler_builtins` of rustc, and the other files. rustc passes its own libraries after all files that
    /// depend on them, so the last file of a name is rustc's. Without a list of exported symbols, each file may have kernels, so
    /// every file is among the others.
    fn files(&self) -> (Vec<&PathBuf>, Vec<&PathBuf>) {
        let is_called = |file: &&PathBuf, name: &str| {
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            file.starts_with(name) && file.ends_with(".rlib")
        };
        let of_rust = ["libcore-", "libcompiler_builtins-"];
        let of_rust = of_rust.map(|name| self.options.files.iter().rev().find(|file| is_called(file, name)));
        let is_late =
            |file: &&PathBuf| !self.options.export_symbols.is_empty() && of_rust.contains(&Some(file));
        self.options.files.iter().partition(is_late)
    }

    /// Returns true if a module defines each symbol that it names or has to export. Asm that names symbols makes this false.
    fn is_whole(&self, module: &Reached) -> bool {
        let program = Program::read(&module.ir);
        let mut exported = self.options.export_symbols.iter();
        !module.asm_names_symbols && !program.lacks_symbols() && exported.all(|name| program.defines(name))
    }

    /// Links files into one module.
    fn join(
        &self,
        name: &str,
        options: &[&str],
        files: &[&PathBuf],
        places: &Places,
    ) -> Result<PathBuf, Error> {
        let linked = self.dir.join(name);
        // A Rust library contains metadata besides bitcode. The order of uses costs time, and the next stage loses it anyway.
        let fixed = ["--ignore-non-bitcode", "--preserve-bc-uselistorder=false", "-o"];
        let arguments = options.iter().chain(&fixed).map(PathBuf::from).chain([linked.clone()]);
        let arguments = arguments.chain(files.iter().map(|file| (*file).clone()));
        run(&self.tools.link, arguments).map_err(|error| {
            match (self.tools.version().0, places.llvm_of_rustc()) {
                (tools, Some((compiler, _))) if tools < compiler => {
                    Error::OldTools { tools: self.tools.link.display().to_string(), compiler }
                }
                _ => error,
            }
        })?;
        Ok(linked)
    }

    /// Keeps only what the exported symbols reach.
    fn reach_in(&self, linked: &Path) -> Result<Reached, Error> {
        let mut exported = self.options.export_symbols.clone();
        if exported.is_empty() {
            exported = self.kernels(linked)?;
        }
        let ir = self.keep(linked, &exported)?;
        let named = named_by_asm(&ir);
        if named.is_empty() {
            return Ok(Reached { ir, asm_names_symbols: false });
        }
        exported.extend(named);
        Ok(Reached { ir: self.keep(linked, &exported)?, asm_names_symbols: true })
    }

    fn keep(&self, linked: &Path, symbols: &[String]) -> Result<String, Error> {
        let [list, reached] = ["symbols.txt", "2-reached.ll"].map(|name| self.dir.join(name));
        self.keep_in(linked, symbols, &list, &reached)?;
        read(&reached)
    }

    /// Writes to `reached` what of a module the symbols reach.
    fn keep_in(&self, linked: &Path, symbols: &[String], list: &Path, reached: &Path) -> Result<(), Error> {
        write(list, &symbols.join("\n"))?;
        // `.loc` needs line tables only, and ptxas does not optimize code with more debug information.
        let debug = if self.options.debug { ",strip-nonlinetable-debuginfo" } else { "" };
        // rustc leaves a block without predecessors for each match arm that a constant rules out.
        let mut arguments = vec![
            format!("-passes=internalize,globaldce,function(unreachableblockelim){debug}"),
            format!("-internalize-public-api-file={}", list.display()),
            "-S".to_owned(),
            format!("-o={}", reached.display()),
            linked.display().to_string(),
        ];
        if !self.options.debug {
            arguments.push("-strip-debug".to_owned());
        }
        run(&self.tools.opt, arguments).map(drop)
    }

    /// Returns the kernels of a module, which are exported if the options name no symbol.
    fn kernels(&self, linked: &Path) -> Result<Vec<String>, Error> {
        let ir = self.disassemble(linked)?;
        let kernels: Vec<_> = Program::read(&ir).kernels().iter().map(|name| (*name).to_owned()).collect();
        if kernels.is_empty() { Err(Error::NothingExported) } else { Ok(kernels) }
    }

    /// Returns the text of a linked module.
    fn disassemble(&self, linked: &Path) -> Result<String, Error> {
        let whole = self.dir.join("1-linked.ll");
        let output = format!("-o={}", whole.display());
        run(&self.tools.opt, ["-passes=", "-S", &output, &linked.display().to_string()])?;
        read(&whole)
    }

    /// Marks convergence in the module, and prepares it for one processor.
    fn prepare(&self, ir: &str) -> Result<String, Error> {
        refuse_calls_of_kernels(ir)?;
        let ir = in_constant_memory(&pass_by_value(&for_one_processor(ir)))?;
        let ir = if self.options.no_marks { ir } else { mark(&ir) };
        if self.options.save_temps.is_some() {
            write(&self.dir.join("3-marked.ll"), &ir)?;
        }
        Ok(ir)
    }

    /// Proves the kernels that have no `unsafe(uniform)`.
    fn prove(&self, ir: &str) -> Result<(), Error> {
        let kernels = proven(ir);
        if kernels.is_empty() {
            return Ok(());
        }
        if self.options.no_marks {
            let names = kernels.iter().map(|name| format!("`{}`", program::readable(name)));
            return Err(Error::ProofWithoutMarks(names.collect()));
        }
        if let Some(statement) = executable_asm(ir) {
            return Err(Error::ProofWithAsm { statement });
        }
        let [list, module, inlined] =
            ["proof-symbols.txt", "3-proof.ll", "4-proof.ll"].map(|name| self.dir.join(name));
        write(&list, &kernels.join("\n"))?;
        write(&module, &prepared(&pass_by_value(&for_one_processor(ir))))?;
        let arguments = [
            format!("-passes={PASSES}"),
            format!("-internalize-public-api-file={}", list.display()),
            "-S".to_owned(),
            format!("-o={}", inlined.display()),
            module.display().to_string(),
        ];
        run(&self.tools.opt, arguments)?;
        let inlined = read(&inlined)?;
        let mut messages = unproven(&inlined, &kernels);
        let has_places = inlined.contains("!DILocation(");
        if formats(ir) {
            let of_core = self.of_core(ir)?;
            let is_of_core = |name: &str| of_core.contains(name);
            let faults = kernels.iter().map(|kernel| (kernel, formatters(ir, kernel, is_of_core)));
            messages.extend(faults.filter(|(_, faults)| !faults.is_empty()).map(|(name, mut faults)| {
                faults.push(
                    "a handler by `ptx::panic_handler!()` formats no message, and runs none of it".into(),
                );
                not_proven(name, &faults)
            }));
        }
        if messages.is_empty() { Ok(()) } else { Err(Error::NotProven { messages, has_places }) }
    }

    /// Returns the functions of a module that `core` and `compiler_builtins` of rustc define, and no other file.
    fn of_core(&self, ir: &str) -> Result<HashSet<String>, Error> {
        let defined = |ir: &str| {
            let headers = ir.lines().filter_map(ir::header).filter(|header| header.defined);
            headers.map(|header| header.name.to_owned()).collect::<Vec<_>>()
        };
        let [list, kept] = ["own-symbols.txt", "2-own.ll"].map(|name| self.dir.join(name));
        let functions = defined(ir);
        self.keep_in(&self.dir.join(OWN), &functions, &list, &kept)?;
        let own: HashSet<_> = defined(&read(&kept)?).into_iter().collect();
        Ok(functions.into_iter().filter(|name| !own.contains(name)).collect())
    }

    /// Runs LLVM's passes on a module whose calls and branches have numbers.
    fn optimize(&self, numbered: &str) -> Result<String, Error> {
        let marked = self.dir.join("3-numbered.ll");
        write(&marked, numbered)?;
        let optimized = self.dir.join("4-numbered.ll");
        let passes = format!("-passes={}", self.options.optimization.passes());
        let output = format!("-o={}", optimized.display());
        let fixed = [passes, "-S".to_owned(), output, marked.display().to_string()];
        let arguments: Vec<_> = self.processor.argument().into_iter().chain(fixed).collect();
        let with_switches = run(&self.tools.opt, arguments.iter().map(String::as_str).chain([KEEP_TABLES]));
        match with_switches {
            // An LLVM that no longer has the pass no longer has its option.
            Err(Error::ToolFailed { said, .. }) if said.contains("Unknown command line argument") => {
                run(&self.tools.opt, &arguments)?;
            }
            ran => _ = ran?,
        }
        read(&optimized)
    }

    /// Runs `llc` on the optimized module, and on the same module with numbers.
    fn assemble(
        &self,
        optimized: &str,
        numbered: &str,
        program: &Program<'_>,
    ) -> Result<(String, String), Error> {
        let [empty, modules @ ..] =
            ["empty.ll", "4-optimized.ll", "5-numbered.ll"].map(|name| self.dir.join(name));
        write(&empty, "target triple = \"nvptx64-nvidia-cuda\"\n")?;
        write(&modules[0], optimized)?;
        write(&modules[1], numbered)?;
        let llc = &self.tools.llc;
        let made = assemble(self.options, &self.processor, llc, &modules, &empty, program)?;
        if self.options.save_temps.is_some() {
            write(&self.dir.join("5-assembled.ptx"), &made.0)?;
            write(&self.dir.join("5-numbered.ptx"), &made.1)?;
        }
        Ok(made)
    }
}

/// Returns the words of module asm that may be symbols: LLVM does not see them. A variable with numeric values is left out.
fn named_by_asm(ir: &str) -> Vec<String> {
    let source = module_asm(ir);
    let code = source.split(';').filter(|statement| !program::is_declaration(statement));
    code.flat_map(program::words).map(str::to_owned).collect()
}

/// Returns the first statement of module asm that may have or name code: it is neither a variable nor a name that LLVM has too.
fn executable_asm(ir: &str) -> Option<String> {
    let lines = ir.lines().filter_map(ir::module_asm).map(|text| ir::asm_source(text) + "\n");
    let Some(code) = without_comments(&lines.collect::<String>()) else { return Some("/*".into()) };
    let statement = code.split(';').find(|statement| !program::is_variable(statement))?;
    Some(statement.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the module asm, without comments.
fn module_asm(ir: &str) -> String {
    let lines = ir.lines().filter_map(ir::module_asm).map(|text| ir::asm_source(text) + "\n");
    without_comments(&lines.collect::<String>()).unwrap_or_default()
}

/// Removes the attributes that tie each function to the processor of its crate: LLVM does not inline between functions that
/// differ in them. Line tables become directives only, so that `.target` does not say `debug`.
fn for_one_processor(ir: &str) -> String {
    let mut text = String::with_capacity(ir.len());
    for line in ir.lines() {
        if line.starts_with("attributes #") {
            text.push_str(&without_attribute(&without_attribute(line, "target-cpu"), "target-features"));
        } else if line.starts_with('!') && line.contains("!DICompileUnit(") {
            let kinds = ["emissionKind: FullDebug", "emissionKind: LineTablesOnly"];
            let line = kinds
                .iter()
                .fold(line.to_owned(), |line, kind| line.replace(kind, "emissionKind: DebugDirectivesOnly"));
            text.push_str(&line);
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

fn without_attribute(line: &str, name: &str) -> String {
    let key = format!("\"{name}\"=\"");
    let parts = line.split_once(&key).and_then(|(before, rest)| Some((before, rest.split_once('"')?.1)));
    parts.map_or(line.to_owned(), |(before, after)| format!("{before}{}", after.trim_start()))
}

fn refuse_undefined(program: &Program<'_>) -> Result<(), Error> {
    let messages = program.unresolved().into_iter().map(|(symbol, ways)| {
        let needed = |way| format!("\n  needed here: {way}{}", line_of(program.place(way).as_ref(), ""));
        let ways: Vec<_> = ways.iter().map(needed).collect();
        let readable = program::readable(symbol);
        let mangled = if readable == symbol { String::new() } else { format!(" ({symbol})") };
        format!("undefined symbol `{readable}`{mangled}{}", ways.concat())
    });
    let messages: Vec<_> = messages.collect();
    if messages.is_empty() { Ok(()) } else { Err(Error::Undefined(messages)) }
}

/// Refuses kernels whose warpgroups would wait for registers.
fn refuse_unfit_registers(program: &Program<'_>) -> Result<(), Error> {
    let messages: Vec<_> = unfit(program).iter().map(ToString::to_string).collect();
    if messages.is_empty() { Ok(()) } else { Err(Error::Registers(messages)) }
}

/// Refuses calls of kernels. Rust has no such calls, so a function that the caller only declares has the name of a kernel.
fn refuse_calls_of_kernels(ir: &str) -> Result<(), Error> {
    let headers = || ir.lines().filter_map(ir::header);
    let kernels: HashSet<_> = headers().filter(|header| header.is_kernel).map(|header| header.name).collect();
    let mut caller = "";
    for line in ir.lines() {
        if let Some(header) = ir::header(line) {
            caller = header.name;
        } else if let Some(Callee::Symbol(kernel)) = ir::call(line).map(|call| call.callee)
            && kernels.contains(kernel)
        {
            let place = Lines::read(ir).place(line).map(Box::new);
            return Err(Error::KernelCalled {
                kernel: kernel.into(),
                caller: program::readable(caller),
                place,
            });
        }
    }
    Ok(())
}

/// Refuses calls that `llc` inserted to functions that the module no longer has.
fn refuse_calls_of_llvm(ptx: &str, program: &Program<'_>) -> Result<(), Error> {
    let unknown = external_functions(ptx).filter(|name| !program.declares(name));
    let messages: Vec<_> = unknown
        .map(|name| format!("undefined symbol `{name}`: llc calls it for an operation for which this GPU has no instruction"))
        .collect();
    if messages.is_empty() { Ok(()) } else { Err(Error::Undefined(messages)) }
}

/// Reports the paths to a panic. At `-O0` nothing is reported, because nearly every function seems able to panic.
fn report_panics(program: &Program<'_>, options: &Options) -> Result<Vec<String>, Error> {
    if options.optimization == Level::None {
        return Ok(Vec::new());
    }
    let panics = program.panics();
    let describe = |way: &program::Path| {
        let place = line_of(program.place(way).as_ref(), "");
        format!("`{}` can panic\n  way: {way}{place}\n  likely cause: {}", way.entry(), way.cause())
    };
    let mut reports: Vec<_> = panics.iter().take(MOST_PANICS).map(describe).collect();
    if panics.len() > MOST_PANICS {
        reports.push(format!("there are {} more paths to a panic", panics.len() - MOST_PANICS));
    }
    if options.deny_panics && !reports.is_empty() { Err(Error::Panics(reports)) } else { Ok(reports) }
}

/// Reports the local memory of kernels. At `-O0` nothing is reported, because every variable is in memory.
fn report_local_memory(
    program: &Program<'_>,
    options: &Options,
    ir: &str,
    ptx: &str,
) -> Result<Vec<String>, Error> {
    if options.optimization == Level::None {
        return Ok(Vec::new());
    }
    let reports: Vec<_> = local_memory(program, ir, ptx).iter().map(ToString::to_string).collect();
    if options.deny_local_memory && !reports.is_empty() {
        Err(Error::LocalMemory(reports))
    } else {
        Ok(reports)
    }
}

/// Refuses a program in which convergent instructions have left their place, or warns where the options allow it. Without marks, LLVM
/// may move them.
fn report_moved(moved: &[Moved], options: &Options) -> Result<Vec<String>, Error> {
    let is_allowed = |moved: &&Moved| {
        !moved.is_wrong() || options.no_marks || options.allow_moved.contains(&moved.container)
    };
    let (allowed, refused): (Vec<_>, Vec<_>) = moved.iter().partition(is_allowed);
    let messages = |moved: Vec<&Moved>| moved.into_iter().map(ToString::to_string).collect();
    if refused.is_empty() { Ok(messages(allowed)) } else { Err(Error::Moved(messages(refused))) }
}

/// Reports the barriers that some threads may not reach. At `-O0` nothing is reported, because every variable is in memory.
fn report_divergence(program: &Program<'_>, options: &Options, ir: &str) -> Vec<String> {
    if options.optimization == Level::None {
        return Vec::new();
    }
    let found = divergent_barriers(program, ir);
    let is_allowed = |name: &str| options.allow_divergence.iter().any(|allowed| allowed == name);
    found.iter().filter(|found| !is_allowed(&found.way.entry())).map(ToString::to_string).collect()
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::file("read", path))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(Error::file("write", path))
}
