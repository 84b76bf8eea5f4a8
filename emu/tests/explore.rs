//! The explorer runs every schedule of a small kernel once, up to the order of independent steps.

#[path = "support/case.rs"]
mod case;

use case::Case;
use ptx_emu::{Device, Launch, Options};

fn explore(case: &Case, without: &str, runs: u64) -> ptx_emu::Exploration {
    let (device, module, launch) = case.prepare(without);
    let options = Options { limit: 100_000, readings: case.readings(), ..Options::default() };
    device.explore(&module, "k", &launch, &options, runs, |_| true).unwrap()
}

/// Kernels with more schedules than a test runs: each of 64 threads may return early from its wait, before or after each arrival,
/// more warps arrive at a barrier than it expects, warps wait for registers of others, or four warps use tensor memory.
const LARGE: &[&str] = &[
    "barrier_of_arrivals_alone",
    "cudnn_frontend_426",
    "mbarrier_init_not_ordered",
    "one_lane_for_32_writers",
    "read_then_overwritten_by_a_copy",
    "restricted_fence_of_reads_in_a_warp",
    "restricted_fence_of_a_warp",
    "setmaxnreg_too_many",
    "tcgen05_adds_to_nothing",
    "tcgen05_alloc_after_relinquish",
    "tcgen05_columns_not_allocated",
    "tcgen05_commit_before_the_product",
    "tcgen05_cp_without_before_fence",
    "tcgen05_deallocated_early",
    "tcgen05_descriptor_of_wgmma",
    "tcgen05_descriptor_out_of_bounds",
    "tcgen05_lanes_of_another_warp",
    "tcgen05_load_not_waited",
    "tcgen05_no_fence_after",
    "tcgen05_not_deallocated",
    "tcgen05_not_fenced",
    "tcgen05_pair_deallocated_early",
    "tcgen05_pair_descriptor_with_the_rank",
    "tcgen05_pair_issued_by_both",
    "tcgen05_pair_waited_with_scope_cta",
    "tcgen05_products_of_two_shapes",
    "tcgen05_read_before_the_wait",
    "tcgen05_refilled",
    "tcgen05_store_not_waited",
    "tcgen05_stored_without_a_fence",
    "tcgen05_without_a_commit",
    "wait_without_a_loop",
    "wgmma_stage_released_early",
];

/// Returns how many schedules of a cure a test runs: a pair of blocks takes minutes for a hundred.
fn runs_of_cure(case: &Case) -> u64 {
    const PAIRS: [&str; 4] = [
        "tcgen05_pair_deallocated_early",
        "tcgen05_pair_descriptor_with_the_rank",
        "tcgen05_pair_issued_by_both",
        "tcgen05_pair_waited_with_scope_cta",
    ];
    if PAIRS.contains(&case.name.as_str()) { 1 } else { 100 }
}

#[test]
fn a_mistake_is_found_in_few_runs_and_its_cure_holds_under_every_schedule() {
    let mut others = Vec::new();
    for case in case::all() {
        let broken = explore(&case, "//fixed", 10);
        assert!(!broken.report.is_clean(), "{}: nothing found in {} runs", case.name, broken.runs);
        let fixed = explore(&case, "//broken", runs_of_cure(&case));
        assert!(fixed.report.is_clean(), "{}: {}", case.name, fixed.report);
        if fixed.is_complete == LARGE.contains(&case.name.as_str()) {
            others.push(format!("{}: {} runs", case.name, fixed.runs));
        }
    }
    assert!(others.is_empty(), "of another size than `LARGE` says: {others:#?}");
}

#[test]
fn runs_are_as_many_as_orders_of_dependent_steps() {
    let runs = |body: &str, grid: u32| {
        let ptx = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{
                .reg .b32 %r<4>; .reg .b64 %rd<4>;
                ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;
                {body}
            }}"
        );
        let mut device = Device::new();
        let module = device.load(&ptx).unwrap();
        let memory = device.allocate(64);
        device.write(memory, &[0; 64]).unwrap();
        let params = memory.to_le_bytes().to_vec();
        let launch = Launch { params, ..Launch::new(grid, 1) };
        let explored = device.explore(&module, "k", &launch, &Options::default(), 1000, |_| true).unwrap();
        assert!(explored.is_complete && explored.report.is_clean(), "{}", explored.report);
        explored.runs
    };
    assert_eq!(runs("st.global.u32 [%rd1], 1;", 8), 1, "blocks that share nothing");
    assert_eq!(runs("red.relaxed.gpu.global.add.u32 [%rd0], 1;", 8), 1, "sums");
    assert_eq!(runs("atom.relaxed.gpu.global.add.u32 %r1, [%rd0], 1;", 3), 6, "orders of three");
    assert_eq!(runs("atom.relaxed.gpu.global.exch.b32 %r1, [%rd0], %r0;", 4), 24, "orders of four");
}

#[test]
fn stores_of_one_value_have_no_order() {
    let text = "// grid 2, block 4\nk(out) {\n    st.global.u32 [%rd0], 7;\n}";
    let case = Case { name: "stores_of_one_value".into(), text: text.into() };
    let explored = explore(&case, "//", 10);
    assert!(explored.report.is_clean(), "{}", explored.report);
    assert_eq!((explored.runs, explored.is_complete), (1, true));
}

#[test]
fn an_arrival_may_be_part_of_an_earlier_use_of_a_barrier() {
    let case = case::all().into_iter().find(|case| case.name == "barrier_too_many_arrivals").unwrap();
    let waits_first = case.text.replace("setp.ge.u32 %p0, %r0, 64;", "setp.lt.u32 %p0, %r0, 32;");
    assert_ne!(waits_first, case.text);
    let case = Case { text: waits_first, ..case };
    let one = explore(&case, "//fixed", 1);
    assert!(one.report.is_clean(), "{}", one.report);
    let all = explore(&case, "//fixed", 1000);
    assert!(all.report.to_string().starts_with("deadlock"), "{} runs: {}", all.runs, all.report);
}
