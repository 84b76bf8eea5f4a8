//! The text of errors.

use ptx_host::cudarc::driver::sys::CUresult;
use ptx_host::{CudaError, Error, LaunchProblem, StreamProblem, TensorMapProblem, open};

/// Passes with and without a GPU: no machine has device 4096.
#[test]
fn a_missing_device_is_an_error_that_says_so() {
    let error = open(4096).unwrap_err();
    assert!(error.is_no_gpu(), "{error}");
    let shown = error.to_string();
    assert!(shown.starts_with("no CUDA driver:") || shown.starts_with("no CUDA device 4096:"), "{shown}");
}

#[test]
fn a_load_error_carries_name_text_log_and_cure() {
    let code = CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    let cause = CudaError { code: code as u32, name: format!("{code:?}"), text: "its text".into() };
    let driver = (13, 0);
    let log = "ptxas: line 1".into();
    let shown = Error::Load { module: "k.ptx".into(), driver, cause, log }.to_string();
    for part in [
        "CUDA 13.0",
        "k.ptx",
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): its text",
        "load a cubin",
        "\nptxas: line 1",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in: {shown}");
    }
}

#[test]
fn a_refused_launch_and_a_refused_map_say_what_was_refused() {
    let kernel = || "`k` of k.ptx".to_owned();
    let shown = Error::Launch { kernel: kernel(), problem: LaunchProblem::NoCooperative }.to_string();
    assert!(shown.starts_with("cannot launch kernel `k` of k.ptx: this device has no coop"), "{shown}");
    let shown = Error::Stream { kernel: kernel(), problem: StreamProblem::Context(0, 1) }.to_string();
    assert!(shown.starts_with("cannot launch kernel `k` of k.ptx: the module is loaded in"), "{shown}");
    let shown = Error::from(TensorMapProblem("a rule".into())).to_string();
    assert_eq!(shown, "cannot make this tensor map: a rule");
}

#[test]
fn only_a_missing_gpu_is_a_reason_to_skip() {
    assert!(Error::NoDriver { reason: String::new() }.is_no_gpu());
    assert!(Error::NoDevice { ordinal: 0, count: 0 }.is_no_gpu());
    assert!(!Error::TensorMap { problem: TensorMapProblem(String::new()) }.is_no_gpu());
}
