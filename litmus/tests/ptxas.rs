//! ptxas assembles each litmus test.

use xtask::cuda::Tools;
use xtask::device::Arch;

#[test]
fn each_test_is_assembled() {
    let tools = Tools::find_or_fetch().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let assemble = |test: &ptx_litmus::Test| {
        let ptx = folder.path().join("test.ptx");
        std::fs::write(&ptx, test.module()).unwrap();
        tools.assemble(&ptx, Arch::Sm90a, &ptx.with_extension("cubin")).err()
    };
    let tests = ptx_litmus::all().unwrap();
    let errors: Vec<_> =
        tests.iter().filter_map(|test| Some(format!("{}: {:#}", test.name, assemble(test)?))).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
