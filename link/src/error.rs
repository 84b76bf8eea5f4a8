use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::lines::{Place, line_of};
use crate::tools::OVERRIDE;
use crate::version::{NEWEST, PtxVersion};

/// The reason why a link failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No LLVM tools were found.
    #[error(
        "cannot find the LLVM tools `llvm-link`, `opt` and `llc`\n  \
         searched the active toolchain, /usr/lib/llvm-*/bin and PATH\n  \
         run `rustup component add llvm-tools`, or without rustup `apt-get install llvm-{llvm}`, \
         or set {OVERRIDE} to the directory that contains them"
    )]
    NoTools {
        /// The LLVM release of the compiler.
        llvm: String,
    },

    /// The directory named by the user has no LLVM tools.
    #[error(
        "{OVERRIDE} is {0}, which does not contain `llvm-link`, `opt` and `llc`\n  \
         set it to the directory that contains them, or unset {OVERRIDE} and run `rustup component add llvm-tools`"
    )]
    OverrideWithoutTools(PathBuf),

    /// A tool cannot be started.
    #[error("cannot run {tool}: {source}")]
    CannotRun {
        /// The program.
        tool: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },

    /// A tool failed.
    #[error("{tool} failed ({status}):\n{said}")]
    ToolFailed {
        /// The program.
        tool: PathBuf,
        /// The exit status of the program.
        status: ExitStatus,
        /// The text that the program wrote to stderr.
        said: String,
    },

    /// The tools are older than the compiler.
    #[error(
        "the LLVM tools ({tools}) are older than the compiler's LLVM {compiler} and cannot read its bitcode\n  \
         run `rustup component add llvm-tools`, or without rustup `apt-get install llvm-{compiler}`"
    )]
    OldTools {
        /// The LLVM tools that were found.
        tools: String,
        /// The compiler's LLVM release.
        compiler: u32,
    },

    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// The failed action, such as `read`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },

    /// The variables of `ptx::constant_memory!` take more bytes than there are.
    #[error(
        "the kernels read {bytes} bytes of constant memory, of which there are 65536: {names}\n  \
         make a table smaller, read it from global memory (`Global`), or load it into shared memory"
    )]
    ManyConstants {
        /// The sum of the sizes.
        bytes: u64,
        /// The variables.
        names: String,
    },

    /// A variable in the section of `ptx::constant_memory!` is not constant.
    #[error(
        "`{name}` is in constant memory, and its type lets the kernel write it\n  \
         declare it by `ptx::constant_memory!`, which takes plain data"
    )]
    WrittenConstant {
        /// The variable.
        name: String,
    },

    /// No symbol is exported, and there is no kernel.
    #[error(
        "nothing to link: no symbol is exported and no kernel is defined\n  \
         define a kernel as `#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn …` in a crate of type `cdylib`"
    )]
    NothingExported,

    /// Symbols to export that no file defines; one message per symbol.
    #[error("{}", .0.join("\n"))]
    NotDefined(Vec<String>),

    /// Symbols that nothing defines; one message per symbol.
    #[error("{}", .0.join("\n"))]
    Undefined(Vec<String>),

    /// A kernel has the name of a function that the program calls.
    #[error(
        "the kernel `{kernel}` has the name of a function that `{caller}` calls; choose another name for the kernel{}",
        line_of(.place.as_deref(), "")
    )]
    KernelCalled {
        /// The kernel.
        kernel: String,
        /// The function that contains the call.
        caller: String,
        /// The place of the call.
        place: Option<Box<Place>>,
    },

    /// Kernels that can panic, with `--deny-panics`; one message per panic.
    #[error("{}", .0.join("\n"))]
    Panics(Vec<String>),

    /// Kernels with local memory, with `--deny-local-memory`; one message per function.
    #[error("{}", .0.join("\n"))]
    LocalMemory(Vec<String>),

    /// `llc` knows neither the requested processor nor an older one of its family.
    #[error("llc knows no processor like `{wanted}`; correct `-C target-cpu`: llc knows {known}")]
    UnknownProcessor {
        /// The requested processor.
        wanted: String,
        /// The processors that `llc` knows.
        known: String,
    },

    /// Asm needs a PTX version that does not exist.
    #[error(
        "the asm of {function} needs PTX {version}, but the newest version that ptx-link and this LLVM know is {newest}{}\n  \
         correct the comment `// ptx:{version}`",
        line_of(.place.as_deref(), "")
    )]
    FutureVersion {
        /// The function that contains the asm.
        function: String,
        /// The place of the asm.
        place: Option<Box<Place>>,
        /// The needed version.
        version: PtxVersion,
        /// The newest known version: [`NEWEST`] or a newer version that LLVM knows.
        newest: PtxVersion,
    },

    /// The PTX version in a comment of asm cannot be read.
    #[error(
        "the asm of {function} has the unreadable comment `{comment}`; write a PTX version as `// ptx:{NEWEST}`{}",
        line_of(.place.as_deref(), "")
    )]
    VersionComment {
        /// The function that contains the asm.
        function: String,
        /// The place of the asm.
        place: Option<Box<Place>>,
        /// The comment.
        comment: String,
    },

    /// A function that is not a kernel states a launch shape.
    #[error(
        "`{function}` states the launch shape `{directive}`, but is not a kernel{}\n  \
         call `Cta::enter_with` in the kernel itself, or mark every function between the kernel and the call \
         `#[inline(always)]`",
        line_of(.place.as_deref(), "")
    )]
    EntryDirective {
        /// The function.
        function: String,
        /// The place of the statement.
        place: Option<Box<Place>>,
        /// The directive that states the shape.
        directive: String,
    },

    /// A kernel states two launch shapes.
    #[error(
        "the kernel `{kernel}` states both `{one}` and `{other}`; call `Cta::enter_with` once per kernel{}",
        line_of(.place.as_deref(), "")
    )]
    EntryDirectives {
        /// The place of the other statement.
        place: Option<Box<Place>>,
        /// The kernel.
        kernel: String,
        /// The first directive.
        one: String,
        /// The directive that contradicts the first.
        other: String,
    },

    /// The kernels were compiled with a `ptx` of another version than this linker.
    #[error(
        "the kernels were compiled with `ptx` {ptx}, and this is `ptx-link` {linker}\n  \
         install the linker of the same version: cargo install cargo-ptx --version {ptx}"
    )]
    OtherVersion {
        /// The version of `ptx`.
        ptx: String,
        /// The version of this linker.
        linker: String,
    },

    /// A pass has changed a kernel before this linker could mark convergent instructions.
    #[error(
        "a pass of the compiler has merged or copied code of the kernel `{kernel}` before convergent instructions were marked, and \
         so it may have moved a barrier\n  \
         compile the kernels with -Cno-prepopulate-passes and \
         -Zmir-enable-passes=-JumpThreading,-MatchBranchSimplification, and without -Cpasses"
    )]
    Changed {
        /// The kernel.
        kernel: String,
    },

    /// Kernels without `unsafe(uniform)` whose control flow is not proven to be uniform; one message per kernel.
    #[error(
        "{}\n  \
         cure: make the condition equal in all threads of the group, for example by `broadcast` of a `ReduceMemory`, or move the call out of the \
         condition. If all threads make the call together, though the proof cannot see it, give your word: `#[ptx::kernel(unsafe(uniform), …)]`{}",
        .messages.join("\n"),
        if *.has_places { "" } else {
            "\n  places: with `line_tables(true)` in the build script, or `cargo ptx build --line-tables`, this names them"
        }
    )]
    NotProven {
        /// What is not proven.
        messages: Vec<String>,
        /// Whether the bitcode has line tables.
        has_places: bool,
    },

    /// Module asm (`global_asm!`) with code, beside kernels that ask for the proof.
    #[error(
        "kernels without `unsafe(uniform)` beside `global_asm!` with more than variables: `{statement}`\n  \
         the proof of uniform control flow does not read such code, which may be what a kernel calls: write it in Rust, or give your word for each \
         kernel: `#[ptx::kernel(unsafe(uniform), …)]`"
    )]
    ProofWithAsm {
        /// The first such statement.
        statement: String,
    },

    /// `--no-marks`, with kernels that ask for the proof.
    #[error(
        "`--no-marks` proves nothing, and LLVM may move barriers: the kernels {} have no `unsafe(uniform)`",
        .0.join(", ")
    )]
    ProofWithoutMarks(Vec<String>),

    /// Kernels whose launch bounds leave their warpgroups too few registers; one message per kernel.
    #[error("{}", .0.join("\n"))]
    Registers(Vec<String>),

    /// A pass of LLVM has moved, copied or merged convergent instructions; one message per instruction.
    #[error(
        "{}\n  \
         the program would be wrong: threads that meet in the source would not meet on the GPU. This is an error of LLVM, or of \
         an option that was given to it\n  \
         try another opt-level, or another toolchain, and report the program to the authors of `ptx`; if the code is right, \
         `-Clink-arg=--allow-moved=NAME` makes the error a warning for the kernel or function NAME",
        .0.join("\n")
    )]
    Moved(Vec<String>),

    /// The output of `llc` lacks a line that every PTX module has.
    #[error("the PTX that llc wrote has no line that starts with `{0}`")]
    NoDirective(&'static str),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
