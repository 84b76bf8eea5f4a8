//! A schedule whose asynchronous operations run late lets a kernel end whose threads wait in loops.

use ptx_emu::{Device, Launch, Options, Schedule};

#[test]
fn an_operation_runs_before_threads_that_poll_for_it_wait_for_ever() {
    let ptx = "
        .version 8.0
        .target sm_90
        .address_size 64
        .shared .align 16 .b8 words[16];
        .shared .align 4 .b8 flag[4];
        .visible .entry k(.param .u64 out) {
            .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
            ld.param.u64 %rd0, [out];
            mov.u32 %r0, %tid.x;
            st.relaxed.cta.shared.u32 [flag], 0;
            bar.sync 0;
            setp.ne.u32 %p0, %r0, 0;
            @%p0 bra poll;
            mov.u32 %r1, words;
            st.shared.u32 [words], 7;
            st.shared.u32 [words+4], 7;
            st.shared.u32 [words+8], 7;
            st.shared.u32 [words+12], 7;
            fence.proxy.async.shared::cta;
            cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 16;
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group 0;
            st.release.cta.shared.u32 [flag], 1;
            ret;
        poll:
            ld.acquire.cta.shared.u32 %r2, [flag];
            setp.eq.u32 %p1, %r2, 0;
            @%p1 bra poll;
        }";
    for number in 0..8 {
        let mut device = Device::new();
        let module = device.load(ptx).unwrap();
        let out = device.allocate(16);
        let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(1, 64) };
        let options = Options { schedule: Schedule::of(number), limit: 1_000_000, ..Options::default() };
        let report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.is_clean(), "schedule {number}: {report}");
    }
}
