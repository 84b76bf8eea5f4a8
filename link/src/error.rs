use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::tools::OVERRIDE;
use crate::version::{NEWEST, PtxVersion};

/// Why a link failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No LLVM tools anywhere.
    #[error(
        "cannot find `llvm-link`, `opt` and `llc`\n  \
         looked in the active toolchain, in /usr/lib/llvm-*/bin and on PATH\n  \
         run `rustup component add llvm-tools`, or without rustup `apt-get install llvm-{llvm}`, \
         or name their directory in {OVERRIDE}"
    )]
    NoTools {
        /// The LLVM release that fits the compiler.
        llvm: String,
    },

    /// The directory that the user named has no tools.
    #[error(
        "{OVERRIDE} is {0}, which does not hold `llvm-link`, `opt` and `llc`\n  \
         name the directory that does, or unset {OVERRIDE} and run `rustup component add llvm-tools`"
    )]
    OverrideWithoutTools(PathBuf),

    /// A tool did not start.
    #[error("cannot run {tool}: {source}")]
    CannotRun {
        /// The program.
        tool: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A tool failed.
    #[error("{tool} failed ({status}):\n{said}")]
    ToolFailed {
        /// The program.
        tool: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote.
        said: String,
    },

    /// The tools are older than the compiler.
    #[error(
        "the LLVM tools ({tools}) are older than the compiler's LLVM {compiler} and cannot read its bitcode\n  \
         run `rustup component add llvm-tools`, or without rustup `apt-get install llvm-{compiler}`"
    )]
    OldTools {
        /// The tools that were found.
        tools: String,
        /// The compiler's LLVM release.
        compiler: u32,
    },

    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// Nothing is exported and there is no kernel.
    #[error(
        "there is nothing to link: no symbol is exported and no kernel is defined\n  \
         a kernel is `#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn …` in a crate of type `cdylib`"
    )]
    NothingExported,

    /// Symbols that nothing defines; one message for each.
    #[error("{}", .0.join("\n"))]
    Undefined(Vec<String>),

    /// Kernels that can panic, with `--deny-panics`.
    #[error("{}", .0.join("\n"))]
    Panics(Vec<String>),

    /// `llc` can assemble for nothing like the processor.
    #[error("llc knows no processor like `{wanted}`; correct `-C target-cpu`, it knows {known}")]
    UnknownProcessor {
        /// The one asked for.
        wanted: String,
        /// All that it knows.
        known: String,
    },

    /// Asm asks for a PTX version that does not exist.
    #[error(
        "the asm of {place} asks for PTX {version}, but the newest that ptx-link and this LLVM know is {newest}\n  \
         correct its comment `// ptx:{version}`"
    )]
    FutureVersion {
        /// The function.
        place: String,
        /// The version asked for.
        version: PtxVersion,
        /// The newest version known, [`NEWEST`] or newer.
        newest: PtxVersion,
    },

    /// A version comment that cannot be read.
    #[error("the asm of {place} has the comment `{comment}`: write a PTX version as `// ptx:{NEWEST}`")]
    VersionComment {
        /// The function.
        place: String,
        /// The comment.
        comment: String,
    },

    /// A launch shape that is stated outside of a kernel.
    #[error(
        "`{function}` states `{directive}`, which only a kernel can\n  \
         call what states the launch shape (`Cta::enter_with`) in the kernel itself, or mark the functions in between \
         `#[inline(always)]`"
    )]
    EntryDirective {
        /// The function.
        function: String,
        /// What it states.
        directive: String,
    },

    /// A kernel with two launch shapes.
    #[error("the kernel `{kernel}` states both `{one}` and `{other}`: enter it once (`Cta::enter_with`)")]
    EntryDirectives {
        /// The kernel.
        kernel: String,
        /// The one that comes first.
        one: String,
        /// One that contradicts it.
        other: String,
    },

    /// The assembler text of `llc` lacks a line that every PTX module has.
    #[error("llc wrote no line that starts with `{0}`")]
    NoDirective(&'static str),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
