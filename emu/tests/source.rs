//! A finding names the line of the kernel's crate that led to it, though the instruction was inlined from another crate.

use ptx_emu::{Device, Launch, Options, Report};

/// Returns the place of a race in a kernel whose code has these lines.
fn place(lines: &str) -> String {
    let report = run(lines);
    let finding = report.findings.first().expect("64 threads write one word");
    finding.here.source.clone().expect("the PTX has lines")
}

/// Runs a kernel whose threads write one word, in code of these lines.
fn run(lines: &str) -> Report {
    let ptx = "
        .version 8.0
        .target sm_90
        .address_size 64
        .visible .entry k(.param .u64 out) {
            .reg .b32 %r<2>; .reg .b64 %rd<2>;
            .loc 1 10 0 // kernels/src/lib.rs:10:0
            ld.param.u64 %rd0, [out];
            LINES
            mov.u32 %r0, %tid.x;
            st.global.u32 [%rd0], %r0;
            ret;
        }
        .file 1 \"/home/user/kernels/src/lib.rs\"
        .file 2 \"/home/user/ptx/src/launch.rs\"
        .file 3 \"/home/user/ptx/src/raw/macros.rs\"
        .file 4 \"/home/user/ptx/src/expansion.rs\"
        .file 5 \"/rust/library/core/src/option.rs\"
        .file 6 \"/home/user/k/kernel.cu\"
        .file 7 \"/home/user/k/common.cuh\"
        .file 8 \"/usr/local/cuda/include/cuda/barrier.h\"";
    let mut device = Device::new();
    let module = device.load(&ptx.replace("LINES", lines)).unwrap();
    let out = device.allocate(4);
    let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(1, 64) };
    device.launch(&module, "k", &launch, &Options::default()).unwrap()
}

#[test]
fn a_finding_names_the_line_of_the_kernels_crate() {
    let by_hand = "
        .loc 1 12 5 // kernels/src/lib.rs:12:5
        .loc 2 70 9, function_name $L__info_string0, inlined_at 1 12 5
        .loc 1 13 21, function_name $L__info_string0+4, inlined_at 2 70 9
        .loc 3 446 9, function_name $L__info_string1, inlined_at 1 13 21 // ptx/src/raw/macros.rs:446:9";
    assert_eq!(place(by_hand), "/home/user/kernels/src/lib.rs:13:21");
}

#[test]
fn a_finding_in_a_kernel_of_the_attribute_names_the_line_outside_of_ptx_and_core() {
    let by_attribute = "
        .loc 4 104 17 // ptx/src/expansion.rs:104:17
        .loc 1 12 5, function_name $L__info_string0, inlined_at 4 104 17
        .loc 2 70 9, function_name $L__info_string0, inlined_at 1 12 5
        .loc 1 13 21, function_name $L__info_string0+4, inlined_at 2 70 9
        .loc 5 99 9, function_name $L__info_string0+4, inlined_at 1 13 21
        .loc 3 446 9, function_name $L__info_string1, inlined_at 5 99 9 // ptx/src/raw/macros.rs:446:9";
    assert_eq!(place(by_attribute), "/home/user/kernels/src/lib.rs:13:21");
    let of_ptx = "
        .loc 4 98 50 // ptx/src/expansion.rs:98:50
        .loc 2 70 9, function_name $L__info_string0, inlined_at 4 98 50";
    assert_eq!(place(of_ptx), "/home/user/ptx/src/launch.rs:70:9");
}

#[test]
fn a_trap_says_why_and_in_a_function_without_lines_names_the_line_of_the_call() {
    let ptx = "
        .version 8.0
        .target sm_90
        .address_size 64
        .func stop() {
            trap; // the input is too short
            ret;
        }
        .func panic() { call stop, (); ret; }
        .visible .entry k() {
            .loc 1 12 5 // kernels/src/lib.rs:12:5
            call panic, ();
            ret;
        }
        .file 1 \"/home/user/kernels/src/lib.rs\"";
    let mut device = Device::new();
    let module = device.load(ptx).unwrap();
    let report = device.launch(&module, "k", &Launch::new(1, 1), &Options::default()).unwrap();
    assert_eq!(
        report.fault.unwrap().to_string(),
        "`trap` in `k`: the input is too short\n    \
         thread 0 of block (0, 0, 0), line 6 of the PTX, /home/user/kernels/src/lib.rs:12:5"
    );
}

#[test]
fn findings_of_one_line_are_shown_once() {
    let second_store =
        |line: u32| format!("st.global.u32 [%rd0], 1;\n.loc 1 {line} 9 // kernels/src/lib.rs:{line}:9");
    let of_one_line = run(&format!(".loc 1 12 9 // kernels/src/lib.rs:12:9\n{}", second_store(12)));
    assert!(of_one_line.findings.len() > 1);
    let text = of_one_line.to_string();
    assert_eq!(text.matches("data race").count(), 1, "{text}");
    let more = of_one_line.findings.len() - 1;
    assert!(
        text.contains(&format!("and {more} more at the same lines of the source (of the PTX: ")),
        "{text}"
    );

    let of_two_lines =
        run(&format!(".loc 1 12 9 // kernels/src/lib.rs:12:9\n{}", second_store(13))).to_string();
    assert!(of_two_lines.matches("data race").count() > 1, "{of_two_lines}");
}

#[test]
fn a_finding_in_cpp_names_the_line_of_the_kernels_file() {
    let inlined = "
        .loc 6 12 5
        .loc 8 70 9, function_name $L__info_string0, inlined_at 6 12 5
        .loc 7 13 21, function_name $L__info_string0, inlined_at 8 70 9";
    assert_eq!(place(inlined), "/home/user/k/kernel.cu:12:5");
}

#[test]
fn line_0_is_no_place() {
    let before = "
        .loc 1 12 5 // kernels/src/lib.rs:12:5
        mov.u32 %r1, 1;
        .loc 1 0 0 // kernels/src/lib.rs:0:0";
    assert_eq!(place(before), "/home/user/kernels/src/lib.rs:12:5");
    let within = "
        .loc 1 0 0 // kernels/src/lib.rs:0:0
        .loc 3 446 9, function_name $L__info_string1, inlined_at 1 0 0";
    assert_eq!(place(within), "/home/user/ptx/src/raw/macros.rs:446:9");
}

#[test]
fn a_fault_names_the_kernel_and_the_section() {
    let report = run("add.u64 %rd0, %rd0, 1;");
    let fault = report.fault.unwrap().to_string();
    let wanted = "misaligned address in `k` (PTX ISA 9.7.9.11): the address ";
    assert!(fault.starts_with(wanted), "{fault}");
}
