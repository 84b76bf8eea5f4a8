//! The values of instructions that PTX ISA 9.3 to 9.5 add.

use ptx_emu::tensor::TensorMap;
use ptx_emu::{Device, Launch, Options, Report, Schedule, lay_out};

/// Runs a kernel under some schedules, on memory of these words, with two blocks as a cluster if `cluster`. Returns the memory after
/// each clean run.
fn run(body: &str, words: &[u32], cluster: bool) -> Vec<u32> {
    let text = format!(
        ".version 9.5
.target sm_107a
.address_size 64
.shared .align 16 .b8 tile[64];
.shared .align 8 .b8 bar[8];
.visible .entry k(.param .u64 memory) {{
    .reg .b8 %b<2>; .reg .b16 %rs<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<5>;
    ld.param.u64 %rd0, [memory];
    {body}
}}"
    );
    let run = |schedule| {
        let mut device = Device::new();
        let module = device.load(&text).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let memory = device.allocate(bytes.len());
        device.write(memory, &bytes).unwrap();
        let params = lay_out(module.parameters("k").unwrap(), &[&memory.to_le_bytes()]);
        let blocks = if cluster { 2 } else { 1 };
        let launch = Launch { params, cluster: [blocks, 1, 1], ..Launch::new(blocks, 1) };
        let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
        let report: Report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.is_clean(), "schedule {schedule}: {report}");
        let mut after = vec![0; bytes.len()];
        device.read(memory, &mut after).unwrap();
        after.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let all: Vec<Vec<u32>> = (0..20).map(run).collect();
    assert!(all.iter().all(|after| *after == all[0]), "{all:?}");
    all.into_iter().next().unwrap()
}

#[test]
fn an_arrival_by_multicast_is_one_in_each_block_of_the_mask() {
    // Block 1 arrives on both mbarriers, and expects and completes bytes there.
    let body = "
    mov.u32 %r0, %cluster_ctarank;
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd1, %rd0, %rd1;
    mbarrier.init.shared::cta.b64 [bar], 3;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra waits;
    mov.u32 %r1, bar;
    mapa.shared::cluster.u32 %r2, %r1, 0;
    mbarrier.arrive.expect_tx.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r2], 32, 3;
    mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r2], 2, 3;
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.multicast::cluster::32b.b64 [%r2], 32, 3;
waits:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra waits;
    st.global.u32 [%rd1], 1;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;";
    assert_eq!(run(body, &[0, 0], true), [1, 1]);
}

#[test]
fn without_reports_a_phase_reports_nothing() {
    let body = "
    mbarrier.init.layout::v1.shared::cta.b64 [bar], 1;
    mbarrier.check_layout.layout::v1.shared::cta.b64 %p0, [bar];
    mbarrier.check_layout.layout::v0.shared::cta.b64 %p1, [bar];
    mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [bar];
    mbarrier.test_wait.phase_type::primary.acquire.cta.shared::cta.b64 %p2|%p3, %b0, [bar], %rd1;
    mbarrier.test_wait.parity.phase_type::conditional.acquire.cta.shared::cta.b64 %p4, [bar], 0;
    selp.b32 %r0, 1, 0, %p0; selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 1, 0, %p2;
    selp.b32 %r3, 1, 0, %p3; selp.b32 %r4, 1, 0, %p4; cvt.u32.u8 %r5, %b0;
    st.global.v4.b32 [%rd0], {%r0, %r1, %r2, %r3};
    st.global.b32 [%rd0+16], %r4;
    st.global.b32 [%rd0+20], %r5;";
    assert_eq!(run(body, &[7; 6], false), [1, 0, 1, 0, 1, 0]);
}

#[test]
fn noftz_keeps_subnormal_numbers_in_global_memory() {
    // The least subnormal number, twice.
    let body = "
    mov.b32 %r0, 1;
    atom.relaxed.gpu.global.add.f32 %r1, [%rd0], %r0;
    atom.relaxed.gpu.global.add.noftz.f32 %r1, [%rd0+4], %r0;
    red.relaxed.gpu.global.add.noftz.v2.f32 [%rd0+8], {%r0, %r0};";
    assert_eq!(run(body, &[1, 1, 1, 2], false), [0, 2, 2, 3]);
}

#[test]
fn sines_of_turns() {
    let body = "
    ld.global.b32 %r0, [%rd0];
    sin.approx.2pi.ftz.f32 %r1, %r0;
    cos.approx.2pi.ftz.f32 %r2, %r0;
    st.global.b32 [%rd0], %r1;
    st.global.b32 [%rd0+4], %r2;";
    let of = |turns: f32| {
        let after = run(body, &[turns.to_bits(), 0], false);
        (f32::from_bits(after[0]), f32::from_bits(after[1]))
    };
    assert_eq!(of(0.25).0, 1.0);
    assert_eq!(of(0.0), (0.0, 1.0));
    assert!((of(1.125).0 - 0.5f32.sqrt()).abs() < 1e-6 && (of(-0.5).1 + 1.0).abs() < 1e-6);
}

#[test]
fn a_copy_leaves_out_bytes_beyond_an_allocation() {
    // The memory has 24 bytes, and the copy 32: it leaves out the last 8, and reads none of them.
    let body = "
    mov.u32 %r0, tile;
    mov.u32 %r1, bar;
    mbarrier.init.shared::cta.b64 [bar], 1;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd1, [bar], 32;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r0], [%rd0], 32, 4, 8, [%r1];
wait:
    mbarrier.try_wait.acquire.cta.shared::cta.b64 %p0, [bar], %rd1;
    @!%p0 bra wait;
    ld.shared.b32 %r2, [tile+4];
    ld.shared.b32 %r3, [tile+20];
    st.global.b32 [%rd0], %r2;
    st.global.b32 [%rd0+4], %r3;";
    assert_eq!(run(body, &[1, 2, 3, 4, 5, 6], false), [2, 6, 3, 4, 5, 6]);
}

/// Runs a kernel with a tensor map as its second parameter and 64 words of memory, counted from 0. Returns the report and the memory.
fn with_map(body: &str, map: TensorMap) -> (Report, Vec<u32>) {
    let text = format!(
        ".version 9.5
.target sm_107a
.address_size 64
.shared .align 128 .b8 tile[128];
.shared .align 8 .b8 bar[8];
.visible .entry k(.param .u64 memory, .param .align 64 .b8 map[128]) {{
    .reg .b8 %b<2>; .reg .b16 %rs<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<5>;
    ld.param.u64 %rd0, [memory];
    mov.b64 %rd1, map;
    cvta.param.u64 %rd1, %rd1;
    mov.b32 %r0, tile;
    mov.b32 %r1, bar;
    mov.b32 %r2, 0;
    mbarrier.init.shared::cta.b64 [bar], 1;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd2, [bar], 32;
    {body}
}}"
    );
    let mut device = Device::new();
    let module = device.load(&text).unwrap();
    let memory = device.allocate(256);
    let words: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
    device.write(memory, &words).unwrap();
    let map = map.to_bytes();
    let params = lay_out(module.parameters("k").unwrap(), &[&memory.to_le_bytes(), &map]);
    let report =
        device.launch(&module, "k", &Launch { params, ..Launch::new(1, 1) }, &Options::default()).unwrap();
    let mut after = vec![0; 256];
    device.read(memory, &mut after).unwrap();
    (report, after.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// A map of 32-bit words, whose box has 4 by 2. Its address and its sizes are of no tensor.
fn map() -> TensorMap {
    TensorMap {
        address: 16,
        rank: 2,
        element: 2,
        dims: [4, 1, 0, 0, 0],
        boxes: [4, 2, 0, 0, 0],
        steps: [1; 5],
        strides: [16, 0, 0, 0],
        ..TensorMap::default()
    }
}

const THEN_STORE: &str = "
wait:
    mbarrier.try_wait.acquire.cta.shared::cta.b64 %p0, [bar], %rd2;
    @!%p0 bra wait;
    ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [tile];
    st.global.v4.b32 [%rd0], {%r3, %r4, %r5, %r6};
    ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [tile+16];
    st.global.v4.b32 [%rd0+16], {%r3, %r4, %r5, %r6};";

#[test]
fn a_copy_has_another_address_than_its_map() {
    let copy = "add.u64 %rd3, %rd0, 64;
    cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::disabled.override::global_address [%r0], [%rd1, %rd3, {%r2, %r2}], [%r1];";
    let (report, after) = with_map(&format!("{copy}{THEN_STORE}"), map());
    assert!(report.is_clean(), "{report}");
    // The map has one row.
    assert_eq!(after[..8], [16, 17, 18, 19, 0, 0, 0, 0]);
}

#[test]
fn a_copy_has_other_sizes_than_its_map() {
    // Three columns, two rows, 32 bytes apart.
    let copy = "add.u64 %rd3, %rd0, 64;
    mov.b32 %r7, 2;
    mov.b16 %rs0, 259;
    mov.b16 %rs1, 2;
    mov.b16 %rs2, 0;
    cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::disabled.override::global_address.override::global_dim_stride [%r0], [%rd1, %rd3, {%rs0, %rs1}, {%r7}, %rs2, {%r2, %r2}], [%r1];";
    let (report, after) = with_map(&format!("{copy}{THEN_STORE}"), map());
    assert!(report.is_clean(), "{report}");
    assert_eq!(after[..8], [16, 17, 18, 0, 24, 25, 26, 0]);
    let copy = copy.replace("{%r2, %r2}], [%r1]", "{%r2, %r7}], [%r1]");
    let (report, _) = with_map(&format!("{copy}{THEN_STORE}"), map());
    assert!(report.to_string().contains("zeros are needed"), "{report}");
}

#[test]
fn columns_without_a_halo_go_from_image_to_image() {
    // Two images of three pixels of four channels: the pixels 1 and 2 of one, 0 and 1 of the next.
    let map = TensorMap {
        rank: 3,
        im2col: true,
        dims: [4, 3, 2, 0, 0],
        boxes: [4, 4, 0, 0, 0],
        strides: [16, 48, 0, 0],
        ..map()
    };
    let pixels = (0..4).map(|i| {
        let at = 16 * i;
        format!("mov.b32 %r3, {}; st.shared.v4.b32 [tile+{at}], {{%r3, %r3, %r3, %r3}};", 100 + i)
    });
    let body = format!(
        "{}
    fence.proxy.async.shared::cta;
    mov.b32 %r4, 1;
    cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group.override::global_address [%rd1, %rd0, {{%r2, %r4, %r2}}], [%r0];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;",
        pixels.collect::<String>()
    );
    let (report, after) = with_map(&body, map);
    assert!(report.is_clean(), "{report}");
    let firsts: Vec<u32> = after.iter().step_by(4).copied().collect();
    assert_eq!(firsts[..7], [0, 100, 101, 102, 103, 20, 24]);
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let refused = |instruction: &str| {
        let text = format!(
            ".version 9.5\n.target sm_107a\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n{instruction}\n}}"
        );
        Device::new().load(&text).unwrap_err().to_string()
    };
    let error = refused(
        "cp.async.bulk.relaxed.cluster.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8.b128 [%r0], [%rd0], %r1, [%r2];",
    );
    assert!(error.contains("is not modelled") && error.contains("report::validity"), "{error}");
    let error = refused("fence.alias.sync_restrict::read.release.sys;");
    assert!(error.contains("is not modelled") && error.contains("line 5"), "{error}");
    let error = refused("fabric.submit;");
    assert!(error.contains("has no `fabric`"), "{error}");
}
