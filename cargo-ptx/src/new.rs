//! `cargo ptx new`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use ptx_build::linker::VERSION;
use ptx_build::toolchain::NIGHTLY;
use ptx_build::{Arch, files};

/// Makes a project: kernels, a host program that launches them, a test and a benchmark
///
/// The project builds and its tests pass at once: in an interpreter, and on the GPU if there is one. The host program compiles
/// with stable Rust; the kernels have a nightly of their own, which rustup installs by `rustup toolchain install` in their
/// folder.
#[derive(clap::Args)]
pub struct Options {
    /// The folder to make; its name is the name of the package
    #[arg(value_name = "NAME")]
    folder: PathBuf,
    /// Make only the crate of kernels, without a host program
    #[arg(long)]
    kernel_only: bool,
    /// The target that the kernels are compiled for
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Arch,
    /// Depend on a clone of ptx's repository, instead of the published versions
    #[arg(long, value_name = "REPOSITORY")]
    path: Option<PathBuf>,
}

/// A file of the template: its path in the project, and its text with placeholders.
type Template = (&'static str, &'static str);

const PROJECT: [Template; 8] = [
    ("Cargo.toml", include_str!("../template/project/Cargo.toml.in")),
    ("build.rs", include_str!("../template/project/build.rs.in")),
    ("src/lib.rs", include_str!("../template/project/src/lib.rs.in")),
    ("src/main.rs", include_str!("../template/project/src/main.rs.in")),
    ("benches/axpy.rs", include_str!("../template/project/benches/axpy.rs.in")),
    ("tests/axpy.rs", include_str!("../template/project/tests/axpy.rs.in")),
    ("README.md", include_str!("../template/project/README.md.in")),
    (".gitignore", GITIGNORE),
];

const KERNELS: [Template; 3] = [
    ("Cargo.toml", include_str!("../template/kernels/Cargo.toml.in")),
    ("rust-toolchain.toml", include_str!("../template/kernels/rust-toolchain.toml.in")),
    ("src/lib.rs", include_str!("../template/kernels/src/lib.rs.in")),
];

const GITIGNORE: &str = include_str!("../template/gitignore.in");

pub fn run(options: &Options) -> Result<ExitCode> {
    let folder = std::path::absolute(&options.folder)?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    check_name(name)?;
    if folder.exists() && fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_some()) {
        bail!("{} exists already: choose another name, or remove it", folder.display());
    }
    let sources = Sources::of(options.path.as_deref())?;
    for (path, text) in files_of(name, options, &sources) {
        files::write(&folder.join(path), text)?;
    }
    // A project inside a repository gets no repository of its own.
    let inside = Command::new("git").args(["rev-parse", "--git-dir"]).current_dir(&folder).output();
    if inside.is_ok_and(|output| !output.status.success()) {
        let _ = Command::new("git").args(["init", "--quiet"]).current_dir(&folder).status();
    }
    let next = if options.kernel_only { "cargo ptx build" } else { "cargo test" };
    println!("made {}: next, `cd {} && {next}`", folder.display(), options.folder.display());
    if options.path.is_none() {
        println!(
            "the project depends on ptx {VERSION} of crates.io; `--path REPOSITORY` makes it depend on a clone"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The places of the packages that a project depends on.
struct Sources {
    ptx: String,
    ptx_host: String,
    ptx_emu: String,
    ptx_build: String,
}

impl Sources {
    fn of(repository: Option<&Path>) -> Result<Sources> {
        let Some(repository) = repository else {
            let version = || format!("\"{VERSION}\"");
            return Ok(Sources {
                ptx: version(),
                ptx_host: version(),
                ptx_emu: version(),
                ptx_build: version(),
            });
        };
        let repository =
            fs::canonicalize(repository).with_context(|| format!("cannot open {}", repository.display()))?;
        let of = |folder: &str| {
            let place = if folder.is_empty() { repository.clone() } else { repository.join(folder) };
            ensure!(
                place.join("Cargo.toml").exists(),
                "{} is not the repository of ptx: {} has no Cargo.toml",
                repository.display(),
                place.display()
            );
            Ok(format!(
                "{{ path = {:?} }}",
                place.to_str().context("the path of the repository is not UTF-8")?
            ))
        };
        Ok(Sources { ptx: of("")?, ptx_host: of("host")?, ptx_emu: of("emu")?, ptx_build: of("build")? })
    }
}

/// Returns the files of a project with their texts.
fn files_of(name: &str, options: &Options, sources: &Sources) -> Vec<(String, String)> {
    let in_folder = |folder: &'static str| move |(path, text): Template| (format!("{folder}{path}"), text);
    let files: Vec<(String, &str)> = if options.kernel_only {
        KERNELS.into_iter().chain([(".gitignore", GITIGNORE)]).map(in_folder("")).collect()
    } else {
        PROJECT.into_iter().map(in_folder("")).chain(KERNELS.map(in_folder("kernels/"))).collect()
    };
    let fill = |path: &str, text: &str| {
        let package = match path.strip_prefix("kernels/") {
            Some(_) => format!("{name}-kernels"),
            None => name.into(),
        };
        let workspace = if options.kernel_only { "[workspace]\n\n" } else { "" };
        text.replace("{name}", &package)
            .replace("{crate}", &name.replace('-', "_"))
            .replace("{arch}", options.arch.name())
            .replace("{nightly}", NIGHTLY)
            .replace("{version}", VERSION)
            .replace("{workspace}", workspace)
            .replace("{ptx}", &sources.ptx)
            .replace("{ptx-host}", &sources.ptx_host)
            .replace("{ptx-emu}", &sources.ptx_emu)
            .replace("{ptx-build}", &sources.ptx_build)
    };
    files.into_iter().map(|(path, text)| (fill(&path, text), path)).map(|(text, path)| (path, text)).collect()
}

/// The keywords of Rust, also those that it reserves.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// The types that Rust knows without a path: a crate of such a name would hide the type.
const TYPES: [&str; 19] = [
    "bool", "char", "f128", "f16", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128",
    "u16", "u32", "u64", "u8", "usize",
];

/// The crates of Rust, and those that a project depends on or has.
const CRATES: [&str; 14] = [
    "alloc",
    "core",
    "proc_macro",
    "std",
    "test",
    "ptx",
    "ptx_host",
    "ptx_emu",
    "ptx_build",
    "ptx_launch",
    "ptx_macros",
    "ptx_link",
    "cudarc",
    "kernels",
];

/// The folders that cargo makes beside a program.
const FOLDERS: [&str; 4] = ["build", "deps", "examples", "incremental"];

/// Checks that a name is valid for a package and, with `_` for `-`, for a crate and its program.
fn check_name(name: &str) -> Result<()> {
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|first| first.is_ascii_lowercase());
    ensure!(
        starts && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_'),
        "`{name}` is not a name for a package: it starts with a lower-case letter, and has lower-case letters, digits, `-` and `_`"
    );
    for (taken, what) in [
        (&KEYWORDS[..], "is a keyword of Rust, and so no name of a crate"),
        (&TYPES, "is a type of Rust, which a crate of this name would hide"),
        (&CRATES, "is the name of another crate"),
        (&FOLDERS, "is the name of a folder that cargo makes beside the program"),
    ] {
        ensure!(!taken.contains(&&*name.replace('-', "_")), "`{name}` {what}: choose another name");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(kernel_only: bool) -> Options {
        Options { folder: "demo".into(), kernel_only, arch: Arch::Sm100a, path: None }
    }

    fn files(kernel_only: bool) -> Vec<(String, String)> {
        files_of("my-demo", &options(kernel_only), &Sources::of(None).unwrap())
    }

    fn text<'a>(files: &'a [(String, String)], path: &str) -> &'a str {
        &files.iter().find(|(own, _)| own == path).unwrap_or_else(|| panic!("{path} in {files:?}")).1
    }

    #[test]
    fn placeholders_are_filled() {
        for (path, text) in files(false).iter().chain(&files(true)) {
            for word in [
                "name",
                "crate",
                "arch",
                "nightly",
                "version",
                "workspace",
                "ptx",
                "ptx-host",
                "ptx-emu",
                "ptx-build",
            ] {
                assert!(!text.contains(&format!("{{{word}}}")), "{{{word}}} in {path}");
            }
        }
        let files = files(false);
        assert!(text(&files, "build.rs").contains(r#".arch(["sm_100a"])"#));
        assert!(text(&files, "src/main.rs").contains("my_demo::axpy("));
        assert!(text(&files, "Cargo.toml").contains(&format!("ptx-host = \"{VERSION}\"\n")));
        assert!(text(&files, "kernels/Cargo.toml").starts_with("[package]\nname = \"my-demo-kernels\"\n"));
        assert!(text(&files, "kernels/rust-toolchain.toml").contains(&format!("channel = \"{NIGHTLY}\"")));
    }

    #[test]
    fn a_crate_of_kernels_is_a_workspace_of_its_own() {
        let files = files(true);
        assert!(text(&files, "Cargo.toml").starts_with("[workspace]\n\n[package]\nname = \"my-demo\"\n"));
        assert!(files.iter().all(|(path, _)| path != "build.rs"));
    }

    #[test]
    fn names_are_checked() {
        for name in ["demo", "my-demo", "k2_x"] {
            check_name(name).unwrap();
        }
        for name in ["", "2k", "a b", "ä", "core", "ptx_host", "Vec", "proc-macro", "-a", "a.b", "a/b"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        for (name, says) in [
            ("self", "is a keyword of Rust"),
            ("crate", "is a keyword of Rust"),
            ("fn", "is a keyword of Rust"),
            ("type", "is a keyword of Rust"),
            ("gen", "is a keyword of Rust"),
            ("alloc", "is the name of another crate"),
            ("u32", "is a type of Rust"),
            ("deps", "is the name of a folder that cargo makes"),
        ] {
            let error = check_name(name).unwrap_err().to_string();
            assert!(error.contains(says) && error.ends_with("choose another name"), "{error}");
        }
    }

    /// A name that is accepted is an identifier, as which `rustc` has no other use of it: neither a keyword, in any edition, nor a
    /// type, nor a crate that is always there.
    #[test]
    fn accepted_names_are_names_of_crates() {
        let names = KEYWORDS.iter().chain(&TYPES).chain(&CRATES).chain(&FOLDERS);
        for name in names.map(|name| name.replace('_', "-")) {
            assert!(check_name(&name).is_err(), "{name}");
            check_name(&format!("{name}s-of-mine")).unwrap();
        }
    }

    #[test]
    fn another_folder_is_not_taken_for_the_repository() {
        let error = Sources::of(Some(Path::new(env!("CARGO_MANIFEST_DIR")))).err().unwrap().to_string();
        assert!(error.contains("is not the repository of ptx"), "{error}");
    }
}
