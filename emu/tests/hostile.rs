//! Nothing ends the process, hangs, or takes all memory: texts and launches that no compiler and no GPU has.

use std::fmt::Write;
use std::time::{Duration, Instant};

use ptx_emu::{Device, FaultKind, Launch, Options, Report, Schedule};

const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

fn kernel(body: &str) -> String {
    format!(
        "{HEADER}.visible .entry k(.param .u64 out) {{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n{body}\n}}\n"
    )
}

/// Runs the kernel `k` of a text.
fn run(text: &str, launch: Launch, limit: u64) -> Report {
    let mut device = Device::new();
    let module = device.load(text).unwrap_or_else(|error| panic!("{error}"));
    let out = device.allocate(1 << 12);
    device.write(out, &[0; 1 << 12]).unwrap();
    let launch = Launch { params: out.to_le_bytes().to_vec(), ..launch };
    let options = Options { limit, ..Options::default() };
    device.launch(&module, "k", &launch, &options).unwrap()
}

fn error(text: &str) -> String {
    let start = Instant::now();
    let error = Device::new().load(text).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(error.len() < 1000, "{} bytes", error.len());
    error
}

/// Returns the text of the fault of a run, and its kind.
#[track_caller]
fn fault(report: &Report) -> (String, FaultKind) {
    let fault = report.fault.as_ref().unwrap_or_else(|| panic!("no fault: {report}"));
    (fault.to_string(), fault.kind)
}

#[test]
fn what_contains_itself_has_a_limited_depth() {
    const MANY: usize = 100_000;
    let nested =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(MANY), close.repeat(MANY));
    for body in [
        nested("{", "", "}"),
        "{".repeat(MANY),
        format!("mov.b64 %d0, {};", nested("{", "%d1", "}")),
        format!("mov.b64 %d0, {};", nested("(", "1", ")")),
        format!("mov.b64 %d0, {}1;", "-".repeat(MANY)),
        format!("mov.b64 %d0, {}1;", "(.s64)".repeat(MANY)),
        format!("mov.b64 %d0, {}3;", "1?2:".repeat(MANY)),
        format!("ld.b64 %d0, {};", nested("[", "%d1", "]")),
        format!("shfl.sync.idx.b32 {}%r1;", "%r0|".repeat(MANY)),
        format!(".global .u32 x[2] = {};", nested("{", "1", "}")),
    ] {
        let error = error(&kernel(&body));
        assert!(error.contains("at most 64 levels"), "{error}");
    }
    // Sixty levels are read.
    let text = kernel(&format!(
        "{} mov.b64 %d0, {}1{}; {} ret;",
        "{".repeat(50),
        "(".repeat(9),
        ")".repeat(9),
        "}".repeat(50)
    ));
    Device::new().load(&text).unwrap();
}

#[test]
fn releases_without_end_take_linear_time() {
    const MANY: u32 = 4_000;
    for step in [
        "fence.sc.gpu;",
        "atom.acq_rel.gpu.global.add.u32 %r1, [%d0], 1;",
        "ld.acquire.gpu.global.u32 %r1, [%d0]; st.release.gpu.global.u32 [%d0], 1; fence.acq_rel.gpu;
         red.relaxed.gpu.global.add.u32 [%d0+4], 1;",
    ] {
        let time = |count: u32| {
            let text = kernel(&format!(
                "ld.param.u64 %d0, [out]; mov.u32 %r0, {count};
                 L: {step} sub.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L; ret;"
            ));
            let once = || {
                let start = Instant::now();
                assert!(run(&text, Launch::new(1, 1), u64::MAX).is_clean());
                start.elapsed()
            };
            once().min(once()).min(once())
        };
        // Quadratic time takes 64 times as long.
        let (few, many) = (time(MANY), time(8 * MANY));
        assert!(many < 24 * few, "`{step}`: {few:?}, and 8 times as many {many:?}");
    }
}

#[test]
fn long_texts_take_linear_time() {
    const MANY: usize = 20_000;
    let start = Instant::now();
    let mut body = String::new();
    for i in 0..MANY {
        writeln!(body, "bra L{i}; L{i}: {{ .reg .b32 x; LAB: mov.b32 x, 1; }} .shared .u8 s{i};").unwrap();
    }
    let mut text = kernel(&format!("{body} ret;"));
    for i in 0..MANY {
        writeln!(text, ".global .u32 g{i} = {i}; .func f{i}() {{ ret; }}").unwrap();
    }
    Device::new().load(&text).unwrap();
    // A sum of many terms, and a list of many operands.
    Device::new().load(&kernel(&format!("mov.b64 %d0, 1{}; ret;", "+1".repeat(MANY)))).unwrap();
    let wide = format!("mov.b64 {{{}%r0}}, %d0;", "%r0, ".repeat(MANY));
    assert!(error(&kernel(&wide)).contains("20001 elements do not fill 64 bits"));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn sizes_have_limits() {
    for (body, wanted) in [
        (".global .b8 g[1099511627776];", "more than 1073741824 bytes"),
        (".global .b8 g[18446744073709551615][18446744073709551615];", "more than 1073741824 bytes"),
        (".local .b8 l[1099511627776];", "more than 524288 bytes"),
        (".shared .b8 l[1099511627776];", "more than 1073741824 bytes"),
        (".const .b8 l[65537];", "more than 65536 bytes"),
        (".global .u32 g<1099511627776>;", "at most 65536 variables"),
        (".global .align 1099511627776 .u32 g;", "a power of two, 65536 at most"),
    ] {
        let error = error(&kernel(body));
        assert!(error.contains(wanted), "{error}");
    }
    let parameters = format!("{HEADER}.visible .entry k(.param .b8 a[32765]) {{ ret; }}");
    assert!(error(&parameters).contains("more than 32764 bytes"));
    let mut device = Device::new();
    assert_eq!([1 << 40, usize::MAX].map(|bytes| device.allocate(bytes)), [0; 2]);
    assert_eq!(device.read(0, &mut [0; 4]), None);
    // Registers that the code does not name take no memory.
    let text = kernel(
        ".reg .b32 %x<1048576>, %y<1099511627776>; mov.b32 %x1048575, 1; mov.b32 %y1099511627775, 2; ret;",
    );
    assert!(run(&text, Launch::new(132, 1024), 1 << 20).is_clean());
    // A variable of a gigabyte that nothing touches takes no memory either.
    let text = kernel(
        ".global .b8 g[1073741824]; .reg .b32 %x; ld.global.b32 %x, [g+1073741820]; st.global.b32 [g], %x; ret;",
    );
    assert!(run(&text, Launch::new(1, 1), 100).is_clean());
    // Few blocks are resident if their local memory is large.
    let text = kernel(".local .b8 l[524288]; st.local.b32 [l], 1; ret;");
    assert!(run(&text, Launch::new(200, 32), 1 << 20).is_clean());
}

#[test]
fn recursion_and_calls_of_nothing_are_faults() {
    let module = format!(
        "{HEADER}.func f();\n.extern .func nothing();\n.func g(.reg .b64 p) {{ call f; ret; }}
        .func f() {{ .reg .b64 %d; .local .b8 l[4096]; mov.u64 %d, g; call %d, (%d), P; P: .callprototype _ (.reg .b64 _); ret; }}"
    );
    let of = |body: &str| {
        format!("{module}\n.visible .entry k(.param .u64 out) {{ .reg .b64 %d<4>;\n{body}\nret; }}")
    };
    let (what, _) = fault(&run(&of("call f;"), Launch::new(2, 64), 1 << 30));
    assert!(what.contains("the stack overflows") && what.contains("line"), "{what}");
    let prototype = "P: .callprototype _ (); ";
    for (body, wanted) in [
        ("call nothing;".into(), "a call of `nothing`, which the module only declares"),
        (
            format!("{prototype} mov.u64 %d0, nothing; call %d0, (), P;"),
            "a call of `nothing`, which the module only declares",
        ),
        (format!("{prototype} mov.u64 %d0, k; call %d0, (), P;"), "a call of the kernel `k`"),
        (format!("{prototype} mov.u64 %d0, 12345; call %d0, (), P;"), "which is no function"),
        (format!("{prototype} mov.u64 %d0, g; call %d0, (), P;"), "with the prototype of another function"),
    ] {
        let (what, _) = fault(&run(&of(&body), Launch::new(1, 1), 1 << 20));
        assert!(what.contains(wanted), "{what}");
    }
}

#[test]
fn a_run_without_an_end_says_who_is_where() {
    let (what, kind) = fault(&run(&kernel("L: bra L;"), Launch::new(1, 1), 10_000));
    assert_eq!(kind, FaultKind::Limit);
    assert!(what.contains("instructions, and 1 of its threads has not ended:\n    thread 0 of block (0, 0, 0), line 6 of the PTX, runs"), "{what}");
    // Half of the block waits for the other half.
    let body = "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32;\n@%p0 bra WAIT;\nL: add.u32 %r1, %r1, 1;\nbra L;\nWAIT: bar.sync 1;\nret;";
    let (what, _) = fault(&run(&kernel(body), Launch::new(1, 64), 100_000));
    assert!(what.contains("and 64 of its threads have not ended:"), "{what}");
    assert!(what.contains("thread 0 of block (0, 0, 0), line 10 of the PTX, waits for barrier 1, which has 32 of 64 arrivals (as 31 more of the block)"), "{what}");
    assert!(what.contains("line 9 of the PTX, runs") || what.contains("line 8 of the PTX, runs"), "{what}");
    // A grid of more blocks than anybody runs.
    let launch = Launch { grid: [2_147_483_647, 65535, 65535], ..Launch::new(1, 1) };
    let (what, kind) = fault(&run(&kernel("ret;"), launch, 3_000_000));
    assert_eq!(kind, FaultKind::Limit, "{what}");
    // An exploration.
    let mut device = Device::new();
    let module = device.load(&kernel("L: bra L;")).unwrap();
    let options = Options { limit: 10_000, ..Options::default() };
    let launch = Launch { params: vec![0; 8], ..Launch::new(1, 2) };
    let exploration = device.explore(&module, "k", &launch, &options, 10, |_| true).unwrap();
    assert_eq!(fault(&exploration.report).1, FaultKind::Limit);
}

#[test]
fn an_interrupt_ends_a_run_and_a_long_run_reports_its_progress() {
    static STOP: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(true);
    let mut device = Device::new();
    let module = device.load(&kernel("L: bra L;")).unwrap();
    let options = Options { interrupt: Some(&STOP), ..Options::default() };
    let launch = Launch { params: vec![0; 8], ..Launch::new(1, 1) };
    let report = device.launch(&module, "k", &launch, &options).unwrap();
    let (what, kind) = fault(&report);
    assert!(
        kind == FaultKind::Interrupt && what.contains("the run is interrupted") && what.contains("line 6"),
        "{what}"
    );
}

#[test]
fn what_no_gpu_launches_is_refused() {
    let text = format!(
        "{HEADER}.visible .entry k(.param .u64 out) {{ ret; }}
        .visible .entry large() {{ .shared .b8 s[49153]; .reg .b32 %r; mov.u32 %r, s; ret; }}
        .visible .entry some() .maxntid 64 {{ .shared .b8 s[40000]; .reg .b32 %r; mov.u32 %r, s; ret; }}"
    );
    let mut device = Device::new();
    let module = device.load(&text).unwrap();
    let one = || Launch { params: vec![0; 8], ..Launch::new(1, 1) };
    for (kernel, launch, wanted) in [
        ("k", Launch { block: [1, 1, 65], ..one() }, "their extents are from 1 to [1024, 1024, 64]"),
        ("k", Launch { block: [1025, 1, 1], ..one() }, "from 1 to [1024, 1024, 64]"),
        ("k", Launch { block: [1, 1025, 1], ..one() }, "from 1 to [1024, 1024, 64]"),
        ("k", Launch { block: [0, 1, 1], ..one() }, "from 1 to [1024, 1024, 64]"),
        ("k", Launch { block: [64, 32, 1], ..one() }, "2048 threads in a block: there are 1024 at most"),
        ("k", Launch { block: [u32::MAX; 3], ..one() }, "from 1 to"),
        ("k", Launch { grid: [1, 65536, 1], ..one() }, "from 1 to [2147483647, 65535, 65535]"),
        ("k", Launch { grid: [1, 1, 65536], ..one() }, "from 1 to [2147483647, 65535, 65535]"),
        ("k", Launch { grid: [0, 1, 1], ..one() }, "from 1 to [2147483647, 65535, 65535]"),
        ("k", Launch { grid: [17, 1, 1], cluster: [17, 1, 1], ..one() }, "a cluster has from 1 to 16 blocks"),
        ("k", Launch { grid: [65535; 3], cluster: [65535; 3], ..one() }, "a cluster has from 1 to 16 blocks"),
        ("k", Launch { cluster: [u32::MAX; 3], ..one() }, "a cluster has from 1 to 16 blocks"),
        ("k", Launch { grid: [3, 1, 1], cluster: [2, 1, 1], ..one() }, "is not made of clusters of"),
        ("k", Launch { dynamic_shared: 227 * 1024 + 1, ..one() }, "a block has 232448 at most"),
        ("k", Launch { dynamic_shared: u32::MAX, ..one() }, "a block has 232448 at most"),
        ("k", Launch { grid: [5000, 1, 1], cooperative: true, ..one() }, "the device runs 4224 at once"),
        ("k", Launch { params: vec![0; 7], ..one() }, "7 bytes of parameters: the kernel has 8"),
        (
            "large",
            one(),
            "49168 bytes of static shared memory: a block has 49152 at most; more must be dynamic",
        ),
        (
            "some",
            Launch { dynamic_shared: 200_000, ..one() },
            "40000 bytes of static and 200000 of dynamic shared memory",
        ),
        ("some", Launch { block: [65, 1, 1], ..one() }, "the kernel is for 64 at most (`.maxntid`)"),
    ] {
        let error = device.launch(&module, kernel, &launch, &Options::default()).unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains(&format!("`{kernel}`")), "{error}");
    }
}

#[test]
fn a_launch_without_clusters_takes_those_of_its_kernel() {
    let text =
        kernel("ld.param.u64 %d0, [out]; mov.u32 %r0, %cluster_nctaid.x; st.global.u32 [%d0], %r0; ret;")
            .replace("(.param .u64 out)", "(.param .u64 out) .reqnctapercluster 2");
    assert!(run(&text, Launch::new(4, 1), 100).is_clean());
    let mut device = Device::new();
    let module = device.load(&text).unwrap();
    let out = device.allocate(8);
    let launch = |grid| Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(grid, 1) };
    device.launch(&module, "k", &launch(2), &Options::default()).unwrap();
    let mut word = [0; 4];
    device.read(out, &mut word).unwrap();
    assert_eq!(word, [2, 0, 0, 0]);
    let error = |launch: Launch| {
        device.clone().launch(&module, "k", &launch, &Options::default()).unwrap_err().to_string()
    };
    assert!(error(launch(3)).contains("a grid of [3, 1, 1] is not made of clusters of [2, 1, 1]"));
    let other = Launch { cluster: [4, 1, 1], ..launch(4) };
    assert!(error(other).contains("clusters of [4, 1, 1], but the kernel is for clusters of [2, 1, 1]"));
}

#[test]
fn the_barrier_of_a_grid_that_is_not_cooperative_says_so() {
    let text = kernel(
        "mov.u32 %r0, %envreg1; mov.u32 %r1, %envreg2; or.b32 %r0, %r0, %r1; setp.ne.u32 %p0, %r0, 0; @%p0 bra OK; trap; OK: ret;",
    );
    let (what, kind) = fault(&run(&text, Launch::new(2, 1), 100));
    assert!(what.contains("`grid.sync()` needs a cooperative launch, and this one is none"), "{what}");
    assert_eq!(kind, FaultKind::Trap);
    assert!(run(&text, Launch { cooperative: true, ..Launch::new(2, 1) }, 100).is_clean());
}

#[test]
fn an_assertion_that_fails_is_named() {
    let text = kernel(
        "mov.u64 %d0, TEXT; cvta.global.u64 %d0, %d0; mov.u64 %d1, FILE; cvta.global.u64 %d1, %d1; add.u64 %d2, %d0, 6;
         call.uni __assertfail, (%d0, %d1, 61, %d2, 1); ret;",
    )
    .replace(
        ".visible",
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
         .global .align 1 .b8 TEXT[9] = {120, 32, 62, 32, 48, 0, 102, 40, 0}; .global .align 1 .b8 FILE[5] = {97, 46, 99, 117};
         .visible",
    );
    let (what, kind) = fault(&run(&text, Launch::new(1, 1), 100));
    assert!(what.starts_with("failed assertion in `k`: `x > 0` does not hold, a.cu:61 in `f(`"), "{what}");
    assert_eq!(kind, FaultKind::Assert);
}

#[test]
fn a_cooperative_grid_has_a_place_for_its_barrier() {
    // As `grid.sync()` of CUDA: the last block to arrive flips the sign of a word.
    let body = "mov.u32 %r0, %envreg2; mov.u32 %r1, %envreg1; mov.b64 %d1, {%r0, %r1}; ld.param.u64 %d0, [out];
        mov.u32 %r2, %ctaid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d2, %d0; add.u32 %r3, %r2, 5; st.global.u32 [%d2], %r3;
        mov.u32 %r4, %nctaid.x; sub.u32 %r5, 0x80000001, %r4; setp.eq.u32 %p0, %r2, 0; selp.b32 %r5, %r5, 1, %p0;
        fence.acq_rel.gpu; atom.add.release.gpu.u32 %r6, [%d1+4], %r5;
        AGAIN: ld.acquire.gpu.u32 %r7, [%d1+4]; xor.b32 %r7, %r7, %r6; setp.ge.s32 %p1, %r7, 0; @%p1 bra AGAIN;
        xor.b32 %r2, %r2, 1; mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d3, %d0; ld.global.u32 %r3, [%d3]; st.global.u32 [%d2+2048], %r3; ret;";
    let mut device = Device::new();
    let module = device.load(&kernel(body)).unwrap();
    let out = device.allocate(4096);
    device.write(out, &[0; 4096]).unwrap();
    let launch = Launch { cooperative: true, params: out.to_le_bytes().to_vec(), ..Launch::new(24, 1) };
    for schedule in 0..8 {
        let options =
            Options { schedule: Schedule::of(schedule), limit: 1 << 22, resident: 4, ..Options::default() };
        let report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.is_clean(), "{report}");
        let mut words = [0; 96];
        device.read(out + 2048, &mut words).unwrap();
        assert!(words.chunks(4).zip(0..).all(|(word, i)| word == ((i ^ 1) + 5u32).to_le_bytes()));
    }
    let text = kernel(
        "ld.param.u64 %d0, [out]; mov.u32 %r0, %envreg1; mov.u32 %r1, %envreg2; or.b32 %r0, %r0, %r1; st.global.u32 [%d0], %r0; ret;",
    );
    assert!(run(&text, Launch::new(1, 1), 100).is_clean());
    // The shared memory that cooperative groups of several warps use.
    let text = kernel(
        "mov.u32 %r0, %reserved_smem_offset_1; st.shared.u32 [%r0], 7; ld.shared.u32 %r1, [%r0]; mov.u32 %r2, %reserved_smem_offset_cap; ret;",
    );
    assert!(run(&text, Launch { dynamic_shared: 100, ..Launch::new(1, 1) }, 100).is_clean());
    // They clear their bits there, with no store before.
    let text = kernel(
        "mov.u32 %r0, %reserved_smem_offset_1; red.shared.and.b32 [%r0], 0xfffffffe; atom.shared.or.b32 %r1, [%r0], 1; ret;",
    );
    let report = run(&text, Launch::new(1, 1), 100);
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_thread_that_arrives_twice_at_a_barrier_ends_once() {
    let body = "mov.u32 %r0, %tid.x; mov.u32 %r1, 0; setp.lt.u32 %p0, %r0, 32; @%p0 bra FIRST;
        AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3000; @%p1 bra AGAIN; barrier.cta.sync 1, 64; ret;
        FIRST: barrier.cta.arrive 1, 64; barrier.cta.sync 1, 64; ret;";
    let mut device = Device::new();
    let module = device.load(&kernel(body)).unwrap();
    let launch = Launch { params: vec![0; 8], ..Launch::new(2, 64) };
    for schedule in 0..8 {
        let options = Options { schedule: Schedule::of(schedule), limit: 1 << 22, ..Options::default() };
        let report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.to_string().contains("at which it has arrived before"), "{report}");
    }
}

#[test]
fn an_instruction_that_is_missing_is_called_that() {
    let error = |body: &str| error(&kernel(body));
    let lacking = error("mov.u32 %r0, 0;\nwmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%r1];");
    assert_eq!(
        lacking,
        "line 7 of the PTX: the interpreter has no `wmma`: it cannot run `wmma.load.a.sync.aligned.row.m16n16k16.f16`"
    );
    assert_eq!(
        error("frobnicate.b32 {%r1}, [%r0];"),
        "line 6 of the PTX: no such instruction: `frobnicate.b32`"
    );
}

#[test]
fn a_tensor_copy_with_other_coordinates_than_its_dimensions_is_refused() {
    let error = |copy: &str| error(&kernel(copy));
    let copy = "cp.async.bulk.tensor";
    let to = "shared::cta.global";
    let bytes = "mbarrier::complete_tx::bytes";
    for (text, what) in [
        (format!("{copy}.1d.{to}.tile.{bytes} [%r0], [%d0, {{}}], [%r1];"), "0 coordinates"),
        (format!("{copy}.2d.{to}.tile.{bytes} [%r0], [%d0, {{%r2}}], [%r1];"), "1 coordinates"),
        (
            format!("{copy}.3d.{to}.im2col::w.{bytes} [%r0], [%d0, {{%r2, %r2, %r2}}], [%r1], {{1}};"),
            "1 offsets",
        ),
        (format!("{copy}.1d.{to}.im2col.{bytes} [%r0], [%d0, {{%r2}}], [%r1];"), "has no"),
    ] {
        let error = error(&text);
        assert!(error.contains("line 6") && error.contains(what), "{error}");
    }
}

#[test]
fn a_copy_of_a_size_that_cp_async_has_not_is_refused() {
    for (cache, size) in [("ca", "(1<<40)"), ("ca", "0"), ("ca", "12"), ("cg", "8")] {
        let copy = format!("cp.async.{cache}.shared.global [%r1], [%d0], {size};");
        assert!(error(&kernel(&copy)).contains("`cp-size`"), "{copy}");
    }
}

#[test]
fn a_rank_that_no_tensor_map_has_is_a_fault() {
    for rank in ["255", "5", "256"] {
        let body = format!(
            "ld.param.u64 %d0, [out];\ntensormap.replace.tile.rank.global.b1024.b32 [%d0], {rank};\nret;"
        );
        let (fault, _) = fault(&run(&kernel(&body), Launch::new(1, 1), 1000));
        assert!(fault.contains(&format!("the rank {rank} of a tensor map")), "{fault}");
    }
}

#[test]
fn a_bound_that_no_block_has_is_no_panic() {
    for most in [u64::MAX, 1 << 40] {
        let text = kernel("setmaxnreg.dec.sync.aligned.u32 24;");
        let text = text.replace("out) {", &format!("out) .maxntid {most} {{"));
        assert!(run(&text, Launch::new(1, 128), 1000).is_clean(), "{text}");
    }
}
