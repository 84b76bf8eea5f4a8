//! Grids of a programmatic dependent launch, which may start before the previous grid has ended.

use ptx_emu::{Device, Launch, Options, Rule, Schedule};

/// Two kernels: thread i writes word i, or reads word 63 - i after thread 0 may have waited for the grid before.
const KERNELS: &str = "
.version 8.8
.target sm_90a
.address_size 64
.visible .entry writes(.param .u64 words) {
    .reg .b32 %r<2>; .reg .b64 %rd<3>;
    griddepcontrol.launch_dependents;
    ld.param.u64 %rd0, [words];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r0;
    ret;
}
.visible .entry reads(.param .u64 words) {
    .reg .b32 %r<2>; .reg .b64 %rd<3>; .reg .pred %p0;
    //wait
    //barrier
    ld.param.u64 %rd0, [words];
    mov.u32 %r0, %tid.x;
    sub.u32 %r0, 63, %r0;
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd2, %rd0, %rd1;
    ld.global.u32 %r1, [%rd2];
    st.global.u32 [%rd2+256], %r1;
    ret;
}";

/// Runs both kernels. Returns the findings of the second.
fn second(lines: &[(&str, &str)], programmatic: bool, schedule: u64) -> Vec<(Rule, String)> {
    let text = lines.iter().fold(KERNELS.to_owned(), |text, (mark, line)| text.replace(mark, line));
    let mut device = Device::default();
    let module = device.load(&text).unwrap();
    let words = device.allocate(512);
    let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
    let launch = Launch { params: words.to_le_bytes().to_vec(), ..Launch::new(1, 64) };
    let first = device.launch(&module, "writes", &launch, &options).unwrap();
    assert!(first.is_clean(), "{first}");
    let launch = Launch { programmatic, ..launch };
    let report = device.launch(&module, "reads", &launch, &options).unwrap();
    assert!(report.fault.is_none(), "{report}");
    report.findings.into_iter().map(|finding| (finding.rule, finding.what)).collect()
}

#[test]
fn a_grid_that_may_start_early_waits_for_the_grid_before() {
    for schedule in 0..20 {
        let found = second(&[], true, schedule);
        let [(Rule::Race, what)] = found.as_slice() else { panic!("schedule {schedule}: {found:?}") };
        assert!(what.contains("written by the grid before this one"), "{what}");

        assert_eq!(second(&[("//wait", "griddepcontrol.wait;")], true, schedule), []);
        assert_eq!(second(&[], false, schedule), [], "the grid before has ended");

        let by_thread_0 = "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 griddepcontrol.wait;";
        assert_eq!(second(&[("//wait", by_thread_0)], true, schedule).len(), 1, "the others have not waited");
        let barrier = ("//barrier", "barrier.cta.sync.aligned 0;");
        assert_eq!(second(&[("//wait", by_thread_0), barrier], true, schedule), []);
    }
}

/// Runs kernels one after another, each as a programmatic launch. A kernel is its instructions: `%rd1` is the address of the thread's
/// word. Returns the findings of the last.
fn chain(bodies: &[&str], schedule: u64) -> Vec<String> {
    let mut device = Device::default();
    let words = device.allocate(512);
    device.write(words, &[0; 512]).unwrap();
    let mut found = Vec::new();
    for body in bodies {
        let text = format!(
            ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 words) {{
                .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p0;
                ld.param.u64 %rd0, [words]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;
                setp.eq.u32 %p0, %r0, 0;
                {body} }}"
        );
        let module = device.load(&text).unwrap();
        let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
        let params = words.to_le_bytes().to_vec();
        let launch = Launch { params, programmatic: true, ..Launch::new(2, 32) };
        let report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.fault.is_none(), "{report}");
        found = report.findings.into_iter().map(|finding| finding.what).collect();
    }
    found
}

const WRITES: &str = "griddepcontrol.launch_dependents; st.global.u32 [%rd1], 1;";
const READS: &str = "ld.global.u32 %r1, [%rd1];";
const WAITS_AND_READS: &str = "griddepcontrol.wait; ld.global.u32 %r1, [%rd1];";

#[test]
fn a_wait_is_for_the_grid_before_and_for_what_that_grid_has_waited_for() {
    for schedule in 0..20 {
        let middle = |body: &str| chain(&[WRITES, body, WAITS_AND_READS], schedule);
        let [what] = &middle("griddepcontrol.launch_dependents;")[..] else { panic!("schedule {schedule}") };
        assert!(
            what.contains(
                "written by an earlier grid, for whose end the grid before this one has not waited"
            ),
            "{what}"
        );
        assert_eq!(middle("griddepcontrol.launch_dependents; griddepcontrol.wait;"), [""; 0]);
        // The grid ends with all its threads.
        assert_eq!(middle("griddepcontrol.launch_dependents; @%p0 griddepcontrol.wait;"), [""; 0]);
    }
}

#[test]
fn a_grid_starts_after_what_the_grid_before_has_waited_for_before_it_let_dependents_start() {
    for schedule in 0..20 {
        let middle = |body: &str, last: &str| chain(&[WRITES, body, last], schedule);
        assert_eq!(middle("griddepcontrol.wait; griddepcontrol.launch_dependents;", READS), [""; 0]);
        assert_eq!(middle("griddepcontrol.wait;", READS), [""; 0], "dependents start when the blocks end");
        let ordered =
            "@%p0 griddepcontrol.wait; barrier.cta.sync.aligned 0; griddepcontrol.launch_dependents;";
        assert_eq!(middle(ordered, READS), [""; 0]);
        for early in
            ["griddepcontrol.launch_dependents; griddepcontrol.wait;", "griddepcontrol.launch_dependents;"]
        {
            let [what] = &middle(early, READS)[..] else { panic!("schedule {schedule}: {early}") };
            assert!(what.contains("written by an earlier grid"), "{what}");
        }
        // What the grid before writes itself needs a wait, whatever that grid has waited for.
        let writes = format!("griddepcontrol.wait; {WRITES}");
        let [what] = &middle(&writes, READS)[..] else { panic!("schedule {schedule}") };
        assert!(what.contains("written by the grid before this one"), "{what}");
        assert_eq!(middle(&writes, WAITS_AND_READS), [""; 0]);
    }
}
