//! `ptx::println!` and `ptx::panic_handler!` on the device: the PTX of kernels that print.

mod support;

use ptx_emu::{Device, Launch, Options, lay_out};
use support::{assert_ptxas_accepts, body, ok};
use xtask::device::{Arch, Build, OptLevel};
use xtask::forms::map_words;
use xtask::golden::Golden;
use xtask::toolchain::{Kind, Toolchain};

fn module(opt_level: OptLevel) -> String {
    let build = Build { opt_level, ..Build::new("tests/device/print", Arch::Sm90a) };
    ok(build.run()).text
}

/// Returns the texts that the PTX lists byte by byte.
fn strings(ptx: &str) -> Vec<String> {
    let lists = ptx.lines().filter(|line| line.contains(".b8")).filter_map(|line| line.split_once(" = {"));
    let bytes =
        lists.map(|(_, list)| list.split([',', '}']).map_while(|byte| byte.trim().parse().ok()).collect());
    bytes
        .filter_map(|bytes: Vec<u8>| Some(String::from_utf8(bytes).ok()?.trim_end_matches('\0').to_owned()))
        .collect()
}

#[test]
fn kernels_that_print_are_golden() {
    if ok(Toolchain::active()).kind() != Kind::Rustup {
        return;
    }
    let ptx = module(OptLevel::O3);
    let mut golden = Golden::new("print");
    // The name of a constant depends on the crate's folder.
    let constant = |word: &str| if word.starts_with("anon_") { "format".into() } else { word.to_owned() };
    ok(golden.check("print_in_a_branch.ptx", &map_words(&body(&ptx, "print_in_a_branch"), constant)));
    let mut formats = strings(&ptx);
    formats.retain(|string| string.contains('%'));
    formats.sort();
    ok(golden.check("formats.txt", &(formats.join("\n") + "\n")));
    ok(golden.finish());
}

/// Checks that only a thread of the branch calls `vprintf`.
#[test]
fn a_call_stays_in_its_branch() {
    for level in [OptLevel::O0, OptLevel::O3] {
        let ptx = module(level);
        let body = body(&ptx, "print_in_a_branch");
        let lines: Vec<_> = body.lines().collect();
        let call = lines.iter().position(|line| line.contains("vprintf")).expect("a call");
        let branch = lines.iter().position(|line| line.starts_with('@')).expect("a branch");
        let barrier = lines.iter().position(|line| line.starts_with("barrier.cta.sync")).expect("a barrier");
        assert!(branch < call && call < barrier, "at {level}: {body}");
        assert_eq!(body.matches("vprintf").count(), 1, "at {level}: {body}");
    }
}

/// Checks that the linker warns about the array only: the interface of `vprintf` requires its arguments in local memory.
#[test]
fn arguments_are_no_local_memory_to_warn_of() {
    let module = ok(Build::new("tests/device/print", Arch::Sm90a).run());
    let reports = module.warnings.matches("of each thread in local memory").count();
    assert_eq!(reports, 1, "{}", module.warnings);
    assert!(module.warnings.contains("`panic_at_an_index` keeps 12 bytes"), "{}", module.warnings);
}

/// Returns what the kernel prints that panics in its fourth thread, or in all four if `values` is not empty.
fn panic(ptx: &str, values: u64) -> String {
    let mut device = Device::new();
    let module = device.load(ptx).unwrap_or_else(|error| panic!("{error}"));
    let values = [device.allocate(4), values].map(u64::to_le_bytes).concat();
    let parameters = module.parameters("panic_at_an_index").expect("the module has the kernel");
    let params = lay_out(parameters, &[&values, &0u32.to_le_bytes()]);
    let launch = Launch { params, ..Launch::new(1, 4) };
    let report = device.launch(&module, "panic_at_an_index", &launch, &Options::default()).expect("a launch");
    assert!(report.fault.is_some(), "{report}");
    report.printed
}

#[test]
fn a_panic_prints_its_place_and_its_message() {
    for level in [OptLevel::O0, OptLevel::O3] {
        let ptx = module(level);
        let by_zero = panic(&ptx, 1);
        let line = by_zero.lines().find(|line| line.starts_with("panic at ")).expect("a panic");
        assert!(line.contains("src/lib.rs:"), "at {level}: {by_zero}");
        assert!(line.ends_with(", 0, 0): attempt to divide by zero"), "at {level}: {by_zero}");
        let index = panic(&ptx, 0);
        assert!(index.contains("CTA (0, 0, 0), thread (3, 0, 0)\n"), "at {level}: {index}");
        let message = "thread (3, 0, 0): index out of bounds: the len is 3 but the index is 3\n";
        assert!(index.ends_with(message), "at {level}: {index}");
    }
}

#[test]
fn ptxas_accepts_the_kernels() {
    assert_ptxas_accepts("tests/device/print", Arch::Sm90a, "print_all");
}
