//! Loops that wait for what no thread can change are deadlocks, and loops that wait long are none.

use ptx_emu::{Device, Launch, Options, Report, Schedule};

/// A kernel with `%rd0`, the address of zeros, and `%r0`, the number of the block.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{
.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .align 8 .b64 bar; ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x;
{body}
ret; }}"
    )
}

fn prepare(body: &str) -> (Device, ptx_emu::Module, u64) {
    let mut device = Device::new();
    let module = device.load(&kernel(body)).unwrap_or_else(|error| panic!("{error}"));
    let out = device.allocate(64);
    device.write(out, &[0; 64]).unwrap();
    (device, module, out)
}

fn run(body: &str, grid: u32, block: u32, schedule: u64) -> Report {
    let (mut device, module, out) = prepare(body);
    let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(grid, block) };
    let options = Options { schedule: Schedule::of(schedule), limit: 20_000_000, ..Options::default() };
    device.launch(&module, "k", &launch, &options).unwrap()
}

/// Loops that wait for what nothing does, the number of their blocks, and what the finding says.
const VAIN: &[(&str, &str, u32, &str)] = &[
    (
        "load",
        "L: ld.acquire.gpu.global.u32 %r1, [%rd0+4]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;",
        1,
        "2 threads of block (0, 0, 0) wait for another value than 0 of 4 bytes at byte 4 of global allocation 0, read in line 6 of the \
         PTX\n    thread 0 of block (0, 0, 0), line 6 of the PTX",
    ),
    (
        "load and sleep",
        "L: nanosleep.u32 20; ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;",
        2,
        "2 threads of block (1, 0, 0) wait for another value than 0 of 4 bytes at byte 0",
    ),
    (
        "lock that is kept",
        "L: atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra L;",
        1,
        "a thread of block (0, 0, 0) waits for another value than 1 of 4 bytes at byte 0 of global allocation 0, read in line 6 of the \
         PTX (1 of the block's 2 threads has ended)",
    ),
    (
        // Each block adds what is left of the arrivals, as `grid.sync()` does, and block 0 does not.
        "barrier of the grid without an arrival",
        "mov.u32 %r2, %tid.x; or.b32 %r2, %r2, %r0; setp.eq.u32 %p1, %r0, 0; @%p1 bra L; atom.add.release.gpu.global.u32 %r3, [%rd0], 1;
         L: ld.acquire.gpu.global.u32 %r1, [%rd0]; setp.lt.u32 %p0, %r1, 6; @%p0 bra L;",
        3,
        "wait for another value than 4 of 4 bytes at byte 0",
    ),
    (
        "equal stores between the reads",
        "L: st.relaxed.gpu.global.u32 [%rd0+8], 0; ld.relaxed.gpu.global.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;",
        1,
        "another value than 0 of 4 bytes at byte 0",
    ),
    (
        "one reads, and one waits for an mbarrier",
        "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; mbarrier.init.shared.b64 [bar], 1;
         W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; st.relaxed.gpu.global.u32 [%rd0], 1; bra E;
         L: ld.relaxed.gpu.global.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L; E:",
        1,
        "a thread of block (0, 0, 0) waits for phase 0 of the mbarrier",
    ),
    (
        "test_wait",
        "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra E; mbarrier.init.shared.b64 [bar], 1;
         W: mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; E:",
        1,
        "waits for phase 0 of the mbarrier",
    ),
];

#[test]
fn a_loop_that_waits_for_what_no_thread_can_do_is_a_deadlock() {
    for (name, body, grid, wanted) in VAIN {
        for schedule in 0..16 {
            let report = run(body, *grid, 2, schedule);
            let text = report.to_string();
            assert!(
                report.fault.is_none() && report.findings.len() == 1,
                "{name}, schedule {schedule}: {text}"
            );
            assert!(text.starts_with("deadlock in `k`"), "{name}, schedule {schedule}: {text}");
            assert!(text.contains(wanted), "{name}, schedule {schedule}: {text}");
            assert!(report.instructions < 3_000_000, "{name}: {}", report.instructions);
            assert_eq!(run(body, *grid, 2, schedule).to_string(), text, "{name}: not the same twice");
        }
    }
}

#[test]
fn an_explorer_finds_loops_that_wait_in_vain() {
    for (name, body, grid, _) in VAIN.iter().filter(|(name, ..)| ["load", "test_wait"].contains(name)) {
        let (device, module, out) = prepare(body);
        let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(*grid, 1) };
        let exploration = device.explore(&module, "k", &launch, &Options::default(), 4, |_| true).unwrap();
        let text = exploration.report.to_string();
        assert!(text.starts_with("deadlock in `k`"), "{name}: {text}");
    }
}

#[test]
fn blocks_that_wait_for_one_that_cannot_start_are_named() {
    let body = "setp.eq.u32 %p1, %r0, 2; @%p1 st.release.gpu.global.u32 [%rd0], 1;
        L: ld.acquire.gpu.global.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;";
    assert!(run(body, 3, 1, 0).is_clean());
    let (mut device, module, out) = prepare(body);
    let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(3, 1) };
    let options = Options { resident: 2, ..Options::default() };
    let text = device.launch(&module, "k", &launch, &options).unwrap().to_string();
    assert!(
        text.starts_with("deadlock") && text.contains("1 cluster of the grid starts only when another ends"),
        "{text}"
    );
}

#[test]
fn threads_may_wait_long_for_one_that_works() {
    // Block 0 works for a million instructions while the others wait.
    let works = "setp.ne.u32 %p1, %r0, 0; @%p1 bra L; mov.u32 %r2, 250000;
         W: xor.b32 %r3, %r3, %r2; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra W; st.release.gpu.global.u32 [%rd0], 1;
         L: ld.acquire.gpu.global.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;";
    // Each thread takes the lock many times.
    let locks = "mov.u32 %r2, 5000;
         L: atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra L;
         st.release.gpu.global.u32 [%rd0], 0; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra L;";
    // A bounded loop.
    let bounded = "mov.u32 %r2, 9000;
         L: ld.relaxed.gpu.global.u32 %r1, [%rd0]; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra L;";
    for body in [works, locks, bounded] {
        for schedule in 0..8 {
            let report = run(body, 3, 1, schedule);
            assert!(report.is_clean(), "schedule {schedule}: {report}");
        }
    }
}
