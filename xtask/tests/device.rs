//! Device builds and ptxas, with a small crate of kernels.

use std::fs;

use tempfile::TempDir;
use xtask::cuda::{LineError, Tools};
use xtask::device::{Arch, Build, LinkerChoice, Module, OptLevel, ptx_link};
use xtask::ptx;
use xtask::toolchain::{Kind, Toolchain};

fn fixture(arch: Arch) -> Build {
    Build::new("tests/device/fixture", arch)
}

fn kernel(module: &Module, name: &str) -> String {
    let kernels = ptx::split(&module.text).unwrap();
    kernels.into_iter().find(|kernel| kernel.name == name).unwrap().text
}

fn barriers(module: &Module) -> usize {
    kernel(module, "barrier_between").matches("barrier.cta.sync 0").count()
}

#[test]
fn the_active_toolchain_is_whole() {
    let toolchain = Toolchain::active().unwrap();
    let expected = match toolchain.kind() {
        Kind::Rustup => "nightly-",
        Kind::Debian => "debian",
    };
    assert!(toolchain.name().starts_with(expected), "{}", toolchain.name());
    let version = toolchain.rustc().arg("-vV").output().unwrap();
    assert_eq!(String::from_utf8(version.stdout).unwrap(), toolchain.version());
    assert!(toolchain.version().contains(&format!("host: {}\n", toolchain.host())));
    assert!(toolchain.cargo().arg("--version").output().unwrap().status.success());
}

#[test]
fn targets_and_opt_levels_share_one_core() {
    let fast = fixture(Arch::Sm90a).run().unwrap();
    assert_eq!(fast.text, fs::read_to_string(&fast.path).unwrap());
    let slow = Build { opt_level: OptLevel::O0, ..fixture(Arch::Sm90a) }.run().unwrap();
    let newer = fixture(Arch::Sm100a).run().unwrap();
    assert!(fast.text.contains(".target sm_90a\n"), "{}", fast.text);
    assert!(newer.text.contains(".target sm_100a\n"), "{}", newer.text);
    assert!(slow.text.len() > fast.text.len());
    // A private `core` would be among the build's dependencies.
    for module in [&fast, &slow, &newer] {
        let release = module.path.parent().unwrap();
        let built: Vec<_> = walk(release).into_iter().filter(|name| name.starts_with("libcore-")).collect();
        assert!(built.is_empty(), "{built:?}");
    }
}

/// Returns the names of all files in a folder and its subfolders.
fn walk(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let names = entries.flat_map(|entry| match entry.path().is_dir() {
        true => walk(&entry.path()),
        false => vec![entry.file_name().into_string().unwrap()],
    });
    names.collect()
}

#[test]
fn the_linker_is_chosen() {
    let marked = fixture(Arch::Sm90a).run().unwrap();
    assert_eq!(barriers(&marked), 1);
    let unmarked = Build { linker: LinkerChoice::PtxLinkNoMarks, ..fixture(Arch::Sm90a) }.run().unwrap();
    assert_eq!(barriers(&unmarked), 2);
    let linker = ptx_link(&Toolchain::active().unwrap()).unwrap();
    let custom = Build { linker: LinkerChoice::Custom(linker), ..fixture(Arch::Sm90a) }.run().unwrap();
    assert_eq!(custom.text, marked.text);
    let missing = LinkerChoice::Custom("/nowhere/linker".into());
    let error = Build { linker: missing, ..fixture(Arch::Sm90a) }.run().unwrap_err();
    assert!(format!("{error:#}").contains("/nowhere/linker"), "{error:#}");
}

#[test]
fn assertions_features_and_flags_reach_the_crate() {
    let plain = kernel(&fixture(Arch::Sm90a).run().unwrap(), "settings");
    assert!(plain.contains("2222") && plain.contains("4444"), "{plain}");
    let changed = Build {
        crate_flags: vec!["-Cdebug-assertions".into()],
        features: vec!["debug_only".into()],
        rustflags: vec!["--cfg=unused".into()],
        ..fixture(Arch::Sm90a)
    };
    let changed = kernel(&changed.run().unwrap(), "settings");
    assert!(changed.contains("1111") && changed.contains("3333"), "{changed}");
    let error = Build { features: vec!["absent".into()], ..fixture(Arch::Sm90a) }.run().unwrap_err();
    assert!(format!("{error:#}").contains("absent"), "{error:#}");
}

#[test]
fn every_kernel_assembles_alone_and_faults_are_seen() {
    let scratch = TempDir::new().unwrap();
    let tools = Tools::find_or_fetch().unwrap();
    let module = fixture(Arch::Sm90a).run().unwrap();
    let kernels = ptx::split(&module.text).unwrap();
    let mut names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    names.sort();
    assert_eq!(names, ["barrier_between", "settings", "with_stack"]);
    for kernel in &kernels {
        let ptx = scratch.path().join("kernel.ptx");
        let cubin = scratch.path().join(format!("{}.cubin", kernel.name));
        fs::write(&ptx, &kernel.text).unwrap();
        let report = tools.assemble(&ptx, Arch::Sm90a, &cubin).unwrap();
        let [figures] = &report.kernels[..] else { panic!("{}", report.text) };
        assert_eq!(figures.name, kernel.name);
        assert!(figures.registers > 0, "{}", report.text);
        assert_eq!(figures.barriers, u32::from(kernel.name == "barrier_between"));
        assert_eq!(figures.faults().is_empty(), kernel.name != "with_stack", "{}", report.text);
    }
    let sass = tools.sass(&scratch.path().join("barrier_between.cubin")).unwrap();
    assert!(sass.contains("BAR.SYNC"), "{sass}");
}

#[test]
fn ptxas_says_what_is_wrong_and_leaves_no_cubin() {
    let scratch = TempDir::new().unwrap();
    let tools = Tools::find_or_fetch().unwrap();
    let (ptx, cubin) = (scratch.path().join("bad.ptx"), scratch.path().join("bad.cubin"));
    fs::write(&ptx, text(&["bogus.u32 r, r;"])).unwrap();
    let error = format!("{:#}", tools.assemble(&ptx, Arch::Sm90a, &cubin).unwrap_err());
    assert!(error.contains("sm_90a") && error.contains("'bogus'") && error.contains("bad.ptx"), "{error}");
    assert!(!cubin.exists());
}

/// Returns a module with one instruction per line, starting at line 6.
fn text(instructions: &[&str]) -> String {
    let instructions: String = instructions.iter().map(|instruction| format!("{instruction}\n")).collect();
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k() {{\n\
         .reg .u32 r; .reg .u64 a; .reg .pred p;\n{instructions}ret; }}\n"
    )
}

#[test]
fn all_objections_to_a_text_are_found_in_all_of_ptxass_passes() {
    let tools = Tools::find_or_fetch().unwrap();
    let good = ["mov.u32 r, 1;", "barrier.cta.sync 3;", "fence.proxy.async;"];
    assert_eq!(tools.check_text(&text(&good), Arch::Sm90a).unwrap(), []);
    // ptxas reports the grammar errors first and stops. It reports the unknown symbol only if everything else is right.
    let mixed =
        ["add.u32 r r;", "mov.u32 r, 1;", "ld.global.u32 r, [zz];", "fence.proxy.foo;", "add.u32 r, a, a;"];
    let errors = tools.check_text(&text(&mixed), Arch::Sm90a).unwrap();
    let lines: Vec<_> = errors.iter().map(|LineError { line, .. }| *line).collect();
    assert_eq!(lines, [6, 8, 9, 10], "{errors:?}");
    assert!(errors[2].message.contains(".foo"), "{errors:?}");
    // ptxas also checks a kernel whose code it does not make.
    let other = format!("{}.entry other() {{ ret; }}\n", text(&mixed));
    assert_eq!(tools.check_text_making(Some(&["other".into()]), &other, Arch::Sm90a).unwrap(), errors);
    let whole = tools.check_text("nothing of PTX", Arch::Sm90a).unwrap_err().to_string();
    assert!(whole.contains("sm_90a"), "{whole}");
}
