//! Each mistake that the interpreter detects has a kernel in `findings/`. With the lines marked `//broken`, the kernel has the
//! finding of its first line under every schedule (`sometimes`: under one of twenty). With the lines marked `//fixed` in
//! their place, the kernel is clean. `by the strictest readings`: by the default ones, the kernel has no mistake.

#[path = "support/case.rs"]
mod case;

use case::Case;
use ptx_emu::{Options, Readings, Report, Rule, Schedule};

fn run(case: &Case, without: &str, schedule: u64) -> Report {
    run_with(case, without, schedule, case.readings())
}

fn run_with(case: &Case, without: &str, schedule: u64, readings: Readings) -> Report {
    let (mut device, module, launch) = case.prepare(without);
    let options =
        Options { schedule: Schedule::of(schedule), limit: 1_000_000, readings, ..Options::default() };
    device.launch(&module, "k", &launch, &options).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Returns whether a report has what the first line of a case says.
fn has(report: &Report, wanted: &str) -> bool {
    match wanted.strip_prefix("fault: ") {
        Some(wanted) => report.fault.as_ref().is_some_and(|fault| fault.what.contains(wanted)),
        // `a or b`: which of the two depends on the schedule.
        None => wanted
            .split(" or ")
            .any(|wanted| report.findings.iter().any(|finding| finding.to_string().starts_with(wanted))),
    }
}

#[test]
fn each_mistake_is_found_and_its_cure_is_clean() {
    let cases = case::all();
    assert!(cases.len() > 30);
    let mut failures = String::new();
    for case in cases {
        let wanted =
            case.header().split_once(": ").unwrap().1.trim_start_matches("by the strictest readings, ");
        let (wanted, enough) = match wanted.strip_prefix("sometimes ") {
            Some(wanted) => (wanted, 1),
            None => (wanted, 20),
        };
        let reports: Vec<_> = (0..20).map(|schedule| run(&case, "//fixed", schedule)).collect();
        if reports.iter().filter(|report| has(report, wanted)).count() < enough {
            let missed = reports.iter().position(|report| !has(report, wanted)).unwrap();
            failures += &format!("{}, schedule {missed}: no {wanted}\n{}\n", case.name, reports[missed]);
        }
        let fixed = (0..100).map(|schedule| (schedule, run(&case, "//broken", schedule)));
        if let Some((schedule, report)) = fixed.into_iter().find(|(_, report)| !report.is_clean()) {
            failures += &format!("{} fixed, schedule {schedule}:\n{report}\n", case.name);
        }
        // What a strict reading finds is clean by the default ones.
        if case.readings() != Readings::default() {
            let default = run_with(&case, "//fixed", 0, Readings::default());
            if !default.is_clean() {
                failures += &format!("{} by the default readings:\n{default}\n", case.name);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn each_rule_has_a_mistake() {
    let headers: Vec<String> = case::all().iter().map(|case| case.header().to_owned()).collect();
    let missing: Vec<_> =
        Rule::ALL.iter().filter(|rule| !headers.iter().any(|header| header.contains(rule.name()))).collect();
    assert!(missing.is_empty(), "findings/ has no kernel for {missing:?}");
}

fn case(name: &str) -> Case {
    case::all().into_iter().find(|case| case.name == name).unwrap()
}

/// Returns the first finding of a case with its mistake.
fn first_finding(name: &str) -> String {
    run(&case(name), "//fixed", 0).findings[0].to_string()
}

#[test]
fn a_switch_gives_each_active_lane_a_set_of_its_own() {
    let readings = Readings { active_lanes_differ: true, ..Readings::default() };
    let case = case("activemask_of_another_branch");
    let mut reports = (0..20).map(|schedule| run_with(&case, "//broken", schedule, readings));
    assert!(reports.any(|report| has(&report, "deadlock")));
}

#[test]
fn a_switch_lets_whole_warps_end_before_an_aligned_barrier() {
    let readings = Readings { ended_warps_take_no_part: true, ..Readings::default() };
    let found = |name: &str, readings| run_with(&case(name), "//fixed", 0, readings).to_string();
    let whole = found("barrier_without_ended_warps", Readings::default());
    assert!(
        whole.contains("(CUDA's guide allows that whole warps end before `__syncthreads()`: "),
        "{whole}"
    );
    assert_eq!(found("barrier_without_ended_warps", readings), "");
    let lanes = found("barrier_without_ended_lanes", readings);
    assert!(
        lanes.starts_with("divergent collective instruction") && !lanes.contains("CUDA's guide"),
        "{lanes}"
    );
}

#[test]
fn a_deadlock_says_who_waits_where_for_what() {
    assert_eq!(
        first_finding("deadlock"),
        "deadlock in `k` (PTX ISA 9.7.13): no thread can run: 32 threads of block (0, 0, 0) wait for barrier 1, which has 32 of 64 \
         arrivals; 32 threads of block (0, 0, 0) wait for barrier 2, which has 32 of 64 arrivals\n    \
         thread 0 of block (0, 0, 0), line 10 of the PTX\n    thread 32 of block (0, 0, 0), line 11 of the PTX"
    );
    assert_eq!(
        first_finding("deadlock_mbarrier"),
        "deadlock in `k` (PTX ISA 9.7.13): no thread can run: a thread of block (0, 0, 0) waits for phase 0 of the mbarrier at 0x400, \
         whose pending count is 1 and whose tx-count is 0 (an arrival is missing: of a thread, or that of a load, with its bytes)\n    \
         thread 0 of block (0, 0, 0), line 12 of the PTX"
    );
    let ended = first_finding("deadlock_ended");
    assert!(
        ended.contains(
            "a thread of block (0, 0, 0) waits for phase 0 of the mbarrier at 0x400, whose pending count is 1"
        ) && ended.contains("(1 of the block's 2 threads has ended)"),
        "{ended}"
    );
    let misplaced = first_finding("wgmma_of_misplaced_warps");
    assert!(
        misplaced.contains(
            "`wgmma.wait_group`: warp 0 of the block has not executed the `wgmma.mma_async` of its warpgroup in line "
        ),
        "{misplaced}"
    );
}

#[test]
fn tensor_memory_says_what_orders_two_operations() {
    for (name, wanted) in [
        ("tcgen05_pair_waited_with_scope_cta", "its acquire of scope `.cta` in line "),
        ("tcgen05_pair_waited_with_scope_cta", "; `.acquire.cluster` does"),
        (
            "tcgen05_cp_without_before_fence",
            "behind a `tcgen05.fence::before_thread_sync`, that it has issued it",
        ),
    ] {
        let found = first_finding(name);
        assert!(found.contains(wanted), "{name}: {found}");
    }
}

#[test]
fn an_asynchronous_operation_is_named_with_its_thread_and_line() {
    let twice = first_finding("cp_async_twice");
    assert!(
        twice.contains("    the asynchronous operation of thread 0 of block (0, 0, 0), line ")
            && twice.contains("    the asynchronous operation of thread 0, line "),
        "{twice}"
    );
    let exit = first_finding("exit_with_a_copy");
    assert!(
        exit.contains("\n    the asynchronous operation of thread 0 of block (0, 0, 0), line "),
        "{exit}"
    );
}

#[test]
fn the_use_of_an_uninitialized_value_names_the_read_too() {
    assert_eq!(
        first_finding("uninitialized_past_the_end"),
        "uninitialized memory in `k` (PTX ISA 8.2.6): uses a value read from 4 bytes at 0x404 of the shared memory of block [0, 0, 0], \
         which nothing has written\n    thread 0 of block (0, 0, 0), line 16 of the PTX\n    thread 0 of block (0, 0, 0), line 11 of the PTX"
    );
}

#[test]
fn messages_say_what_is_near() {
    let all = |name: &str| run(&case(name), "//fixed", 0).to_string();
    let past = all("out_of_bounds");
    assert!(
        past.contains("are in no allocation: they begin 0 bytes past the end of allocation 0 of 4096 bytes"),
        "{past}"
    );
    let relaxed = (0..20).map(|schedule| run(&case("message_relaxed"), "//fixed", schedule).to_string());
    let flag = "the acquire in line 16 of the PTX has read a relaxed store that follows the access; `.release` there, or";
    assert!(relaxed.into_iter().any(|text| text.contains(flag)), "{}", all("message_relaxed"));
    let late = (0..20).map(|schedule| run(&case("cp_async_in_flight"), "//fixed", schedule).to_string());
    let copy = "which nothing has written: the copy of line 11 of the PTX to it is in flight";
    assert!(
        late.into_iter().any(|text| text.contains(copy)),
        "{}",
        run(&case("cp_async_in_flight"), "//fixed", 1)
    );
    let more = all("deadlock_of_more_bytes");
    assert!(more.contains("tx-count is -32 (32 more bytes have arrived than were expected)"), "{more}");
    assert!(all("read_then_overwritten_by_its_thread").contains("through another proxy before, without"));
}

#[test]
fn a_race_by_too_narrow_a_scope_names_the_scopes_and_the_cure() {
    let ends = |name: &str, end: &str| {
        let found = first_finding(name);
        let what = found.lines().next().unwrap();
        assert!(what.ends_with(end), "{name}: {what}");
    };
    ends(
        "cutlass_3324_scope",
        "nothing that orders the two: a release of scope `.cta`, and its acquire of scope `.cta` in line 26 of the PTX, do not include \
         each other's thread; `.release.cluster` and `.acquire.cluster` do",
    );
    ends("cutlass_3643_scope", "of the PTX, do not include each other's thread; `.release.cluster` does");
    ends(
        "flag_of_wrong_scope",
        "nothing that orders the two: the scopes `.gpu` and `.cta` of the accesses do not include each other's thread; `.gpu` does",
    );
}
