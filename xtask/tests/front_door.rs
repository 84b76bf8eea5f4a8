//! Decisions of `./x`: the toolchain that it chooses, the parts that it installs or removes, and its messages. The script runs on
//! a fake machine: `PATH` contains stubs only, and `X_USR` replaces `/usr`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use xtask::files;
use xtask::toolchain::Pin;

/// Stub of rustup. Answers `which` if the toolchain exists; installs and adds the parts in `$INSTALLS` and `$ADDS`.
const RUSTUP: &str = r#"#!/bin/sh
echo "rustup $*" >>"$LOG"
toolchain=$HOME/toolchain
give() {
    mkdir -p "$toolchain/bin" "$toolchain/lib/rustlib/host/bin" "$toolchain/lib/rustlib/src/rust/library/core"
    for part in $1; do
        case $part in
        rustc) cp "$HOME/bin/cargo" "$toolchain/bin/cargo" ;;
        rust-src) : >"$toolchain/lib/rustlib/src/rust/library/core/Cargo.toml" ;;
        llvm-tools) for t in llvm-link opt llc; do cp "$HOME/bin/cargo" "$toolchain/lib/rustlib/host/bin/$t"; done ;;
        esac
    done
}
case "$1 $2" in
"which --toolchain") [ -e "$toolchain/bin/cargo" ] && echo "$toolchain/bin/rustc" ;;
"toolchain install")
    give "$INSTALLS"
    case "$INSTALLS" in fails) exit 1 ;; interrupted) kill -TERM $PPID; exit 1 ;; esac ;;
"toolchain uninstall") rm -r "$toolchain" ;;
"component add") [ "$ADDS" != fails ] && give "$ADDS" ;;
esac
"#;

const CARGO: &str = r#"#!/bin/sh
echo "$0 $*"
for name in RUSTUP_TOOLCHAIN RUSTC RUSTC_BOOTSTRAP CARGO_TARGET_DIR X_CALLER_DIR PATH; do
    eval "echo $name=\$$name"
done
"#;

/// Stub of apt-get. Installs a Debian toolchain with the version `$DEBIAN_RUSTC`.
const APT_GET: &str = r#"#!/bin/sh
echo "apt-get $*" >>"$LOG"
case "$1" in install) ;; *) exit 0 ;; esac
usr=$X_USR
mkdir -p "$usr/bin" "$usr/lib/rustlib/src/rust/library/core" "$usr/lib/llvm-22/bin"
printf '#!/bin/sh\necho "rustc %s (hash date)"\n' "$DEBIAN_RUSTC" >"$usr/bin/rustc"
chmod +x "$usr/bin/rustc"
cp "$HOME/bin/cargo" "$usr/bin/cargo"
cp "$HOME/bin/cargo" "$usr/lib/llvm-22/bin/llc"
: >"$usr/lib/rustlib/src/rust/library/core/Cargo.toml"
"#;

struct Machine {
    home: TempDir,
    settings: Vec<(&'static str, &'static str)>,
}

struct Outcome {
    success: bool,
    stdout: String,
    stderr: String,
    /// The calls of rustup and apt-get that change something.
    calls: Vec<String>,
}

impl Machine {
    /// Makes a machine with rustup, a C compiler and apt-get, but without a toolchain.
    fn new() -> Machine {
        let home = TempDir::new().unwrap();
        let machine = Machine { home, settings: Vec::new() };
        let here = |name| fs::read(xtask::root().join(name)).unwrap();
        files::write_executable(&machine.path("x"), here("x")).unwrap();
        files::write(&machine.path("rust-toolchain.toml"), here("rust-toolchain.toml")).unwrap();
        for tool in ["sh", "dirname", "sed", "tr", "mkdir", "cp", "rm", "chmod", "true"] {
            let real = which::which(tool).unwrap();
            fs::create_dir_all(machine.path("bin")).unwrap();
            symlink(real, machine.path("bin").join(tool)).unwrap();
        }
        machine.program("cc", "#!/bin/sh\n");
        machine.program("id", "#!/bin/sh\necho 0\n");
        machine.program("cargo", CARGO);
        machine.program("rustup", RUSTUP);
        machine.program("apt-get", APT_GET);
        machine
            .set("INSTALLS", "rustc rust-src llvm-tools")
            .set("ADDS", "fails")
            .set("DEBIAN_RUSTC", "1.96.0")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn program(&self, name: &str, script: &str) {
        files::write_executable(&self.path("bin").join(name), script).unwrap();
    }

    fn without(self, program: &str) -> Machine {
        fs::remove_file(self.path("bin").join(program)).unwrap();
        self
    }

    fn set(mut self, name: &'static str, value: &'static str) -> Machine {
        self.settings.push((name, value));
        self
    }

    fn x(&self, arguments: &[&str]) -> Outcome {
        let log = self.path("log");
        files::write(&log, "").unwrap();
        let output = Command::new(self.path("x"))
            .args(arguments)
            .current_dir(self.path("bin"))
            .env_clear()
            .envs(self.settings.iter().copied())
            .env("HOME", self.home.path())
            .env("LOG", &log)
            .env("X_USR", self.path("usr"))
            .env("PATH", self.path("bin"))
            .output()
            .unwrap();
        let log = fs::read_to_string(log).unwrap();
        Outcome {
            success: output.status.success(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            calls: log.lines().filter(|line| !line.starts_with("rustup which")).map(str::to_owned).collect(),
        }
    }

    fn has_toolchain(&self) -> bool {
        self.path("toolchain").exists()
    }
}

impl Outcome {
    #[track_caller]
    fn ran_pinned(&self, machine: &Machine) {
        assert!(self.success, "{}", self.stderr);
        let bin = machine.path("toolchain/bin");
        self.has_line(&format!("{}/cargo xtask build --arch sm_90", bin.display()));
        self.has_line(&format!("RUSTUP_TOOLCHAIN={}", Pin::read().unwrap().channel));
        self.has_line("RUSTC=");
        self.has_line("RUSTC_BOOTSTRAP=");
        self.has_line("CARGO_TARGET_DIR=");
        self.path_begins_with(&bin);
    }

    #[track_caller]
    fn ran_debian(&self, machine: &Machine, why: &str) {
        assert!(self.success, "{}", self.stderr);
        let bin = machine.path("usr/bin");
        self.has_line(&format!("{}/cargo xtask build --arch sm_90", bin.display()));
        self.has_line("RUSTUP_TOOLCHAIN=");
        self.has_line(&format!("RUSTC={}/rustc", bin.display()));
        self.has_line("RUSTC_BOOTSTRAP=1");
        self.has_line(&format!("CARGO_TARGET_DIR={}", machine.path("target/debian").display()));
        self.path_begins_with(&bin);
        let said: Vec<_> = self.stderr.lines().filter(|line| line.contains("using Debian's")).collect();
        assert!(said.len() == 1 && said[0].contains(why), "{}", self.stderr);
    }

    #[track_caller]
    fn failed(&self, words: &[&str]) {
        assert!(!self.success && self.stdout.is_empty(), "{}", self.stdout);
        let last = self.stderr.lines().last().unwrap_or_default();
        for word in words {
            assert!(last.contains(word), "no `{word}` in:\n{}", self.stderr);
        }
    }

    #[track_caller]
    fn has_line(&self, line: &str) {
        assert!(self.stdout.lines().any(|found| found == line), "no line `{line}` in:\n{}", self.stdout);
    }

    #[track_caller]
    fn path_begins_with(&self, bin: &Path) {
        let start = format!("PATH={}:", bin.display());
        assert!(self.stdout.lines().any(|line| line.starts_with(&start)), "{}", self.stdout);
    }
}

const BUILD: [&str; 3] = ["build", "--arch", "sm_90"];
const APT_CALLS: [&str; 2] = [
    "apt-get update -qq",
    "apt-get install -qq --no-install-recommends rustc-web cargo-web rust-web-src llvm-22",
];

fn install_call() -> String {
    let pin = Pin::read().unwrap();
    let components: String = pin.components.iter().map(|name| format!(" --component {name}")).collect();
    format!("rustup toolchain install {} --profile {} --no-self-update{components}", pin.channel, pin.profile)
}

fn uninstall_call() -> String {
    format!("rustup toolchain uninstall {}", Pin::read().unwrap().channel)
}

#[test]
fn without_a_command_the_commands_are_listed_and_nothing_is_installed() {
    let machine = Machine::new().without("cc").without("rustup").without("apt-get");
    let source = fs::read(xtask::root().join("xtask/src/main.rs")).unwrap();
    files::write(&machine.path("xtask/src/main.rs"), source).unwrap();
    let clap = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").output().unwrap();
    let clap = String::from_utf8(clap.stdout).unwrap();
    let (_, commands) = clap.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands: Vec<_> = commands.filter(|line| !line.starts_with("  help ")).collect();
    assert!(commands.len() > 10, "{clap}");
    for arguments in [&[][..], &["help"], &["--help"]] {
        let outcome = machine.x(arguments);
        assert!(outcome.success, "{}", outcome.stderr);
        assert!(outcome.calls.is_empty() && !machine.has_toolchain());
        let listed: Vec<_> = outcome.stdout.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
        let listed = listed.split(|line| line.is_empty()).nth(1).unwrap();
        let words = |lines: &[&str]| -> Vec<String> {
            lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        assert_eq!(words(listed), words(&commands));
    }
}

#[test]
fn the_pinned_toolchain_is_installed_once() {
    let machine = Machine::new();
    let first = machine.x(&BUILD);
    first.ran_pinned(&machine);
    first.has_line(&format!("X_CALLER_DIR={}", machine.path("bin").display()));
    assert_eq!(first.calls, [install_call()]);
    let second = machine.x(&BUILD);
    second.ran_pinned(&machine);
    assert!(second.calls.is_empty() && second.stderr.is_empty(), "{:?} {}", second.calls, second.stderr);
}

#[test]
fn a_failed_install_is_undone_and_debian_goes_on() {
    let machine = Machine::new().set("INSTALLS", "fails");
    let outcome = machine.x(&BUILD);
    outcome.ran_debian(&machine, "`rustup toolchain install nightly-");
    assert_eq!(outcome.calls[..2], [install_call(), uninstall_call()]);
    assert_eq!(outcome.calls[2..], APT_CALLS);
    assert!(!machine.has_toolchain());
    let again = machine.x(&BUILD);
    again.ran_debian(&machine, "failed");
    assert_eq!(again.calls, [install_call(), uninstall_call()]);
}

#[test]
fn an_install_that_lacks_a_component_is_undone() {
    let machine = Machine::new().set("INSTALLS", "rustc rust-src");
    machine.x(&BUILD).ran_debian(&machine, "failed");
    assert!(!machine.has_toolchain());
}

#[test]
fn an_interrupted_install_is_undone() {
    let machine = Machine::new().set("INSTALLS", "interrupted");
    let outcome = machine.x(&BUILD);
    assert!(!outcome.success && outcome.stdout.is_empty());
    assert_eq!(outcome.calls, [install_call(), uninstall_call()]);
    assert!(!machine.has_toolchain());
}

#[test]
fn a_missing_component_is_added() {
    let machine = Machine::new().set("ADDS", "llvm-tools");
    machine.x(&BUILD).ran_pinned(&machine);
    fs::remove_file(machine.path("toolchain/lib/rustlib/host/bin/opt")).unwrap();
    let outcome = machine.x(&BUILD);
    outcome.ran_pinned(&machine);
    let channel = Pin::read().unwrap().channel;
    assert_eq!(outcome.calls, [format!("rustup component add --toolchain {channel} llvm-tools")]);
}

#[test]
fn a_component_that_cannot_be_had_leaves_the_users_toolchain_alone() {
    let machine = Machine::new();
    machine.x(&BUILD).ran_pinned(&machine);
    fs::remove_file(machine.path("toolchain/lib/rustlib/src/rust/library/core/Cargo.toml")).unwrap();
    machine.x(&BUILD).ran_debian(&machine, "rust-src` failed");
    assert!(machine.has_toolchain());
}

#[test]
fn debian_is_forced_without_asking_rustup() {
    let machine = Machine::new().set("X_TOOLCHAIN", "debian");
    let outcome = machine.x(&BUILD);
    outcome.ran_debian(&machine, "X_TOOLCHAIN=debian");
    assert_eq!(outcome.calls, APT_CALLS);
}

#[test]
fn rustup_is_forced_and_debian_not_tried() {
    let machine = Machine::new().set("X_TOOLCHAIN", "rustup").set("INSTALLS", "fails");
    let outcome = machine.x(&BUILD);
    outcome.failed(&["`rustup toolchain install nightly-", "failed"]);
    assert_eq!(outcome.calls, [install_call(), uninstall_call()]);
    Machine::new().set("X_TOOLCHAIN", "gentoo").x(&BUILD).failed(&["gentoo", "debian or rustup"]);
}

#[test]
fn no_rustup_is_no_end() {
    let machine = Machine::new().without("rustup");
    machine.x(&BUILD).ran_debian(&machine, "rustup is not installed");
}

#[test]
fn without_rights_the_command_is_named() {
    let machine = Machine::new().set("X_TOOLCHAIN", "debian");
    machine.program("id", "#!/bin/sh\necho 1000\n");
    let by_hand = "sudo apt-get update && sudo apt-get install rustc-web cargo-web rust-web-src llvm-22";
    machine.x(&BUILD).failed(&[by_hand, "usr/bin/rustc"]);
    machine.program("sudo", "#!/bin/sh\n[ \"$1\" = -n ] && shift\nexec \"$@\"\n");
    let outcome = machine.x(&["build", "--arch", "sm_90"]);
    assert!(outcome.stderr.contains("installing rustc-web"), "{}", outcome.stderr);
}

#[test]
fn an_old_debian_and_a_machine_without_apt_are_refused_with_the_reason() {
    let old = Machine::new().set("INSTALLS", "fails").set("DEBIAN_RUSTC", "1.85.0");
    old.x(&BUILD).failed(&["1.85", "1.96", "-security"]);
    let bare = Machine::new().without("rustup").without("apt-get");
    bare.x(&BUILD).failed(&["rustup is not installed", "apt-get"]);
}

#[test]
fn a_missing_c_compiler_is_named_with_its_cure() {
    let outcome = Machine::new().without("cc").x(&BUILD);
    outcome.failed(&["no C compiler", "apt-get install gcc"]);
    assert!(outcome.calls.is_empty());
}

#[test]
fn a_comparison_needs_both_toolchains() {
    let machine = Machine::new();
    let outcome = machine.x(&["compare"]);
    outcome.has_line(&format!("{}/cargo xtask compare", machine.path("toolchain/bin").display()));
    assert_eq!(outcome.calls[1..], APT_CALLS);
}
