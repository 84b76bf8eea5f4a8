//! The command line: the options of `llvm-bitcode-linker`, and a few more.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Links the LLVM bitcode of Rust crates into PTX, and keeps convergent instructions where the source puts them.
///
/// Select the linker with `-C linker=ptx-link`, and pass its own options with `-C link-arg=…`.
/// The linker uses the LLVM tools in the directory that the variable PTX_LINK_LLVM names,
/// else those of the active toolchain, else the newest on the system.
#[derive(Clone, Debug, Parser)]
#[command(name = "ptx-link", version)]
pub struct Options {
    /// Bitcode objects and Rust libraries to link
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// The PTX file to write
    #[arg(short, long)]
    pub output: PathBuf,

    /// The target triple; only this one is supported
    #[arg(long, default_value = "nvptx64-nvidia-cuda")]
    pub target: Target,

    /// The GPU to compile for, such as `sm_90a`
    #[arg(long)]
    pub target_cpu: Option<String>,

    /// LLVM target features, such as `+ptx87`
    #[arg(long, default_value = "", hide_default_value = true)]
    pub target_feature: String,

    /// A symbol to keep; repeatable [default: all kernels]
    #[arg(long = "export-symbol", value_name = "SYMBOL")]
    pub export_symbols: Vec<String>,

    /// The optimization level
    #[arg(short = 'O', long = "opt", value_name = "LEVEL", default_value = "0")]
    pub optimization: Level,

    /// Keep line numbers (`.loc`); optimized PTX cannot carry other debug information
    #[arg(long)]
    pub debug: bool,

    /// Fail if a kernel can reach a panic, instead of warning
    #[arg(long)]
    pub deny_panics: bool,

    /// Fail if a kernel has local memory, instead of warning
    #[arg(long)]
    pub deny_local_memory: bool,

    /// Do not warn of barriers in this kernel that some threads may not reach; repeatable
    #[arg(long = "allow-divergence", value_name = "KERNEL")]
    pub allow_divergence: Vec<String>,

    /// Warn, in place of failing, that LLVM has moved or copied convergent instructions in this kernel or function; repeatable
    #[arg(long = "allow-moved", value_name = "NAME")]
    pub allow_moved: Vec<String>,

    /// Omit the convergence marks. This makes programs WRONG: barriers move into divergent branches.
    /// For the tests that prove the marks necessary
    #[arg(long)]
    pub no_marks: bool,

    /// Keep the module after each stage, in this directory
    #[arg(long, value_name = "DIR")]
    pub save_temps: Option<PathBuf>,

    /// Library directories; not searched, because rustc passes full paths
    #[arg(short = 'L', value_name = "DIR", hide = true)]
    pub library_directories: Vec<PathBuf>,

    /// Accepted for compatibility with `llvm-bitcode-linker`: linking always optimizes across crates
    #[arg(long, hide = true)]
    pub lto: bool,
}

/// The target triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// 64-bit PTX.
    Nvptx64NvidiaCuda,
}

/// An optimization level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Level {
    /// No optimization.
    #[value(name = "0")]
    None,
    /// Basic optimization.
    #[value(name = "1")]
    Less,
    /// Standard optimization.
    #[value(name = "2")]
    More,
    /// Full optimization.
    #[value(name = "3")]
    Full,
    /// Optimization for size.
    #[value(name = "s")]
    Size,
    /// Optimization for smallest size.
    #[value(name = "z")]
    SizeMin,
}

impl Level {
    /// Returns LLVM's pass pipeline for the level. LLVM 23 has no pipeline for size: there, the attributes from rustc decide.
    pub(crate) fn passes(self) -> &'static str {
        match self {
            Self::None => "default<O0>",
            Self::Less => "default<O1>",
            Self::More | Self::Size | Self::SizeMin => "default<O2>",
            Self::Full => "default<O3>",
        }
    }

    /// Returns the option of `llc` for the level.
    pub(crate) fn of_llc(self) -> &'static str {
        match self {
            Self::None => "-O0",
            Self::Less => "-O1",
            Self::More | Self::Size | Self::SizeMin => "-O2",
            Self::Full => "-O3",
        }
    }
}

impl Options {
    /// Returns options with a level at which LLVM keeps values in registers. With less, a value goes to local
    /// memory between two instructions, also a register that an instruction in flight still writes.
    pub(crate) fn in_registers(&self) -> Self {
        let optimization = self.optimization.max(Level::More);
        Self { optimization, ..self.clone() }
    }

    /// Reads a command line and its response files. The first argument is the name of the program.
    ///
    /// # Errors
    ///
    /// If a response file cannot be read, or an argument is invalid.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let arguments = expand_response_files(arguments)?;
        Self::try_parse_from(arguments.into_iter().filter(|argument| !is_ignored(argument)))
    }
}

/// Returns true for harmless options of other linkers, which have no meaning here.
fn is_ignored(argument: &OsString) -> bool {
    const WHOLE: [&str; 13] = [
        "-shared",
        "-pie",
        "-no-pie",
        "-s",
        "-Bstatic",
        "-Bdynamic",
        "--gc-sections",
        "--no-gc-sections",
        "--as-needed",
        "--no-as-needed",
        "--eh-frame-hdr",
        "--strip-all",
        "--strip-debug",
    ];
    const STARTS: [&str; 4] = ["-l", "-Wl,", "-z", "--build-id"];
    let text = argument.to_string_lossy();
    WHOLE.contains(&&*text) || STARTS.iter().any(|start| text.starts_with(start))
}

/// Replaces each `@file` by the arguments in the file. rustc writes such a file for a long command line, with GNU ld's escapes.
fn expand_response_files(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Vec<OsString>, clap::Error> {
    let mut expanded = Vec::new();
    for argument in arguments {
        let Some(file) = argument.to_str().and_then(|text| text.strip_prefix('@')) else {
            expanded.push(argument);
            continue;
        };
        let text = std::fs::read_to_string(file).map_err(|error| {
            let message = format!("cannot read the response file {file}: {error}\n");
            clap::Error::raw(clap::error::ErrorKind::Io, message)
        })?;
        expanded.extend(unescape(&text).into_iter().map(OsString::from));
    }
    Ok(expanded)
}

fn unescape(text: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut argument: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => argument.get_or_insert_default().extend(chars.next()),
            _ if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                argument.get_or_insert_default();
            }
            _ if c.is_whitespace() && quote.is_none() => arguments.extend(argument.take()),
            _ => argument.get_or_insert_default().push(c),
        }
    }
    arguments.extend(argument);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &str) -> Result<Options, clap::Error> {
        Options::read(std::iter::once("ptx-link").chain(arguments.split(' ')).map(OsString::from))
    }

    #[test]
    fn what_rustc_says_is_understood() {
        let options = read(
            "--export-symbol k --export-symbol l a.o b.rlib -L dir --target nvptx64-nvidia-cuda --target-cpu sm_90a \
             --target-feature=+ptx70,+ptx86 -L other -o out.ptx -O3 --debug",
        )
        .unwrap();
        assert_eq!(options.export_symbols, ["k", "l"]);
        assert_eq!(options.files, ["a.o", "b.rlib"].map(PathBuf::from));
        assert_eq!(options.target_cpu.as_deref(), Some("sm_90a"));
        assert_eq!(options.target_feature, "+ptx70,+ptx86");
        assert_eq!((options.optimization, options.debug), (Level::Full, true));
        assert_eq!(options.output, PathBuf::from("out.ptx"));
    }

    #[test]
    fn every_level_and_form_is_understood() {
        let forms = ["-O", "-O ", "--opt ", "--opt="];
        for (name, level) in ["0", "1", "2", "3", "s", "z"].into_iter().zip(Level::value_variants()) {
            for form in forms {
                assert_eq!(read(&format!("a.o -o b {form}{name}")).unwrap().optimization, *level);
            }
        }
        assert!(read("a.o -o b -O4").is_err());
    }

    #[test]
    fn foreign_options_are_ignored_and_slips_are_not() {
        let options = read("-shared -lc --gc-sections -Wl,--as-needed a.o -Bdynamic -o b").unwrap();
        assert_eq!(options.files, ["a.o"].map(PathBuf::from));
        let message = read("a.o -o b --deny-panic").unwrap_err().to_string();
        assert!(message.contains("--deny-panics"), "{message}");
        let message = read("a.o -o b --target amdgcn-amd-amdhsa").unwrap_err().to_string();
        assert!(message.contains("nvptx64-nvidia-cuda"), "{message}");
    }

    #[test]
    fn response_files_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a\\ b.o\n\"c d.o\"\n--deny-panics\n-o\nC:\\\\out 'e\"f.o'\n").unwrap();
        let options = read(&format!("@{}", file.path().display())).unwrap();
        assert_eq!(options.files, ["a b.o", "c d.o", "e\"f.o"].map(PathBuf::from));
        assert_eq!(options.output, PathBuf::from("C:\\out"));
        assert!(options.deny_panics);
        let message = read("@/no/such/file").unwrap_err().to_string();
        assert!(message.contains("/no/such/file"), "{message}");
    }
}
