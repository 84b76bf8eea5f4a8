//! `build.rs` refuses faulty builds, and says how to repair them.

#[allow(dead_code)]
#[path = "../build.rs"]
mod build_script;

use std::path::Path;

use build_script::Device;
use toml::{Table, Value};
use xtask::process::run;
use xtask::toolchain::{Pin, Toolchain};

const GOOD: &[&str] = &[
    "-Ctarget-cpu=sm_90a",
    "-Cno-prepopulate-passes",
    "-Zmir-enable-passes=-JumpThreading,-MatchBranchSimplification",
];

fn device(flags: &[&str], features: &[&str]) -> Device {
    Device {
        flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
        linker: Some("ptx-link".into()),
        features: features.iter().map(|&feature| feature.to_owned()).collect(),
    }
}

#[track_caller]
fn refused(device: &Device, says: &[&str]) {
    let faults = device.faults();
    assert_eq!(faults.len(), 1, "{faults:#?}");
    for text in says {
        assert!(faults[0].contains(text), "`{}` does not say `{text}`", faults[0]);
    }
}

#[test]
fn the_documented_flags_are_accepted_in_every_spelling() {
    for flags in [
        GOOD,
        &[
            "-C",
            "target-cpu=sm_90a",
            "-C",
            "no-prepopulate-passes",
            "-Z",
            "mir-enable-passes=-JumpThreading,-MatchBranchSimplification",
        ],
        &["--codegen=target-cpu=sm_90a", "--codegen", "no_prepopulate_passes=yes", GOOD[2]],
        &["-Ctarget-cpu=sm_100", "-Ctarget-cpu=sm_90a", "-Cno-prepopulate-passes", GOOD[2]],
    ] {
        assert_eq!(device(flags, &["sm_90", "sm_90a"]).faults(), [""; 0]);
    }
}

#[test]
fn a_linker_without_marks_is_refused() {
    for linker in [None, Some("llvm-bitcode-linker".to_owned()), Some("rust-lld".to_owned())] {
        refused(&Device { linker, ..device(GOOD, &["sm_90"]) }, &["linker", "ptx-link", "stock-linker"]);
    }
    refused(&device(&[GOOD, &["-Clinker=/bin/other"]].concat(), &["sm_90"]), &["`/bin/other`"]);
    refused(&device(&[GOOD, &["-Clink-arg=--no-marks"]].concat(), &["sm_90"]), &["--no-marks", "remove"]);
    refused(&device(&[GOOD, &["-Zpre-link-args=a --no-marks"]].concat(), &["sm_90"]), &["--no-marks"]);
    let own = Device { linker: None, ..device(&[GOOD, &["-Clinker=ptx-link"]].concat(), &["sm_90"]) };
    assert_eq!(own.faults(), [""; 0]);
    let missing = Device { linker: Some("/nowhere/ptx-link".into()), ..device(GOOD, &["sm_90"]) };
    refused(&missing, &["`/nowhere/ptx-link` does not exist", "cargo build -p cargo-ptx"]);
}

#[test]
fn flags_that_let_llvm_run_early_are_refused() {
    refused(&device(&[GOOD[0], GOOD[2]], &["sm_90"]), &["-Cno-prepopulate-passes", "config.toml"]);
    let off = [GOOD[0], "-Cno-prepopulate-passes=no", GOOD[2]];
    refused(&device(&off, &["sm_90"]), &["-Cno-prepopulate-passes"]);
    assert_eq!(device(&GOOD[..2], &["sm_90"]).faults().len(), 2);
    let one = [GOOD[0], GOOD[1], "-Zmir-enable-passes=-JumpThreading"];
    refused(&device(&one, &["sm_90"]), &["MatchBranchSimplification", "config.toml"]);
    let early = [GOOD, &["-C", "passes=default<O3>"]].concat();
    refused(&device(&early, &["sm_90"]), &["-Cpasses=default<O3>", "remove"]);
    assert_eq!(device(&[GOOD, &["-Cpasses="]].concat(), &["sm_90"]).faults(), [""; 0]);
}

#[test]
fn a_mir_pass_that_is_switched_on_again_is_refused() {
    for (more, pass) in [
        (&["-Zmir-enable-passes=+JumpThreading"][..], "JumpThreading"),
        (&["-Z", "mir-enable-passes=-GVN,+JumpThreading"], "JumpThreading"),
        (&["-Zmir_enable_passes=+MatchBranchSimplification"], "MatchBranchSimplification"),
        (&["-Zmir-enable-passes=-JumpThreading,+JumpThreading,-GVN"], "JumpThreading"),
    ] {
        let on = format!("`-Zmir-enable-passes=+{pass}` enables");
        refused(&device(&[GOOD, more].concat(), &["sm_90"]), &[&on, "remove", "last switch"]);
        let stock = device(&[GOOD, more].concat(), &["sm_90", "stock-linker"]);
        refused(&stock, &[&on]);
    }
    for more in
        ["-Zmir-enable-passes=+JumpThreading,-JumpThreading", "-Zmir-enable-passes=+GVN,-JumpThreadin"]
    {
        assert_eq!(device(&[GOOD, &[more]].concat(), &["sm_90"]).faults(), [""; 0]);
    }
    let first = [&["-Zmir-enable-passes=+JumpThreading"], GOOD].concat();
    assert_eq!(device(&first, &["sm_90"]).faults(), [""; 0]);
}

/// Checks that rustc uses the last switch of a repeated option, by the MIR of a branch with equal arms.
#[test]
fn rustc_goes_by_the_last_switch_of_a_pass() {
    let toolchain = Toolchain::active().unwrap();
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arms.rs");
    std::fs::write(&source, "pub fn arms(c: bool) -> bool { if c { true } else { false } }").unwrap();
    let merges = |flags: &[&str]| {
        let mut rustc = toolchain.rustc();
        rustc.args(["--crate-type=lib", "--emit=mir", "-Copt-level=3", "-o-"]).args(flags).arg(&source);
        !String::from_utf8(run(&mut rustc).unwrap().stdout).unwrap().contains("switchInt")
    };
    let (on, off) = ("-Zmir-enable-passes=+MatchBranchSimplification", GOOD[2]);
    assert!(merges(&[on]));
    assert!(!merges(&[off]));
    assert!(merges(&[off, on]));
    assert!(merges(&[off, "-Zmir_enable_passes=+MatchBranchSimplification"]));
    assert!(!merges(&[on, off]));
    assert!(!merges(&[off, "-Zmir-opt-level=4", "-Zunsound-mir-opts"]));
}

#[test]
fn a_file_of_flags_is_refused() {
    refused(&device(&[GOOD, &["@flags"]].concat(), &["sm_90"]), &["`@flags`", "`rustflags`"]);
}

#[test]
fn cfgs_that_open_the_crate_are_refused() {
    for flags in [["--cfg", "doc"], ["--cfg=tensor_modes", "-g"], ["--cfg", "sm_100"]] {
        refused(&device(&[GOOD, &flags].concat(), &["sm_90"]), &["`--cfg ", "remove it from `rustflags`"]);
    }
    assert_eq!(device(&[GOOD, &["--cfg", "mine", "--cfg=probe"]].concat(), &["sm_90"]).faults(), [""; 0]);
}

#[test]
fn features_and_target_cpu_have_to_agree() {
    let cpu = |cpu: &str, features| {
        let cpu = format!("-Ctarget-cpu={cpu}");
        device(&[cpu.as_str(), GOOD[1], GOOD[2]], features)
    };
    assert_eq!(cpu("sm_103a", &["sm_90", "sm_100", "sm_100f", "sm_103a"]).faults(), [""; 0]);
    assert_eq!(cpu("sm_100a", &["sm_90"]).faults(), [""; 0]);
    refused(&cpu("sm_90", &["sm_90", "sm_90a"]), &["`sm_90a`", "-Ctarget-cpu=sm_90"]);
    refused(&cpu("sm_100a", &["sm_90", "sm_90a"]), &["`sm_90a`", "provides sm_90, sm_100, sm_100f, sm_100a"]);
    refused(&cpu("sm_80", &["sm_90"]), &["sm_80", "sm_90a"]);
    refused(&device(&GOOD[1..], &["sm_90"]), &["no `-Ctarget-cpu`"]);
}

#[test]
fn the_stock_linker_is_accepted_by_its_feature() {
    let flags = ["-Ctarget-cpu=sm_90", GOOD[2]];
    let stock = |flags| Device { linker: None, ..device(flags, &["sm_90", "stock-linker"]) };
    assert_eq!(stock(&flags[..]).faults(), [""; 0]);
    // No linker can undo what rustc itself does to a branch with equal arms.
    assert_eq!(stock(&flags[..1]).faults().len(), 2);
}

#[test]
fn the_settings_that_the_book_writes_by_hand_are_accepted() {
    let page = xtask::root().join("docs/book/src/without_the_tools.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let blocks: Vec<Table> = blocks.map(|(text, _)| text.parse().unwrap()).collect();
    let [toolchain, manifest, config] = &blocks[..] else { panic!("{} blocks of toml", blocks.len()) };
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    };

    let of_target = &config["target"]["nvptx64-nvidia-cuda"];
    let mut features = strings(&manifest["dependencies"]["ptx"]["features"]);
    features.push("sm_90".into());
    let device = Device {
        flags: strings(&of_target["rustflags"]),
        linker: of_target["linker"].as_str().map(str::to_owned),
        features,
    };
    assert_eq!(device.faults(), [""; 0]);
    assert!(strings(&of_target["rustdocflags"]).iter().all(|flag| device.flags.contains(flag)));
    assert_eq!(toolchain["toolchain"]["channel"].as_str(), Some(&*Pin::read().unwrap().channel));
}
