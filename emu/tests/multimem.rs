//! Loads through a multicast object: a load that nothing orders behind a store may read an older value.

use std::collections::BTreeSet;

use ptx_emu::{Device, Launch, Options, Schedule, lay_out};

/// Block 0 stores 5 to two memories, and sets a flag behind a fence. Block 1 reads the flag, or waits for it, and adds the two.
fn sums(flag: &str) -> BTreeSet<(u32, u32)> {
    let text = format!(
        ".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 object, .param .u64 out) {{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    ld.param.u64 %rd0, [flag]; ld.param.u64 %rd1, [object]; ld.param.u64 %rd2, [out];
    mov.u32 %r0, %ctaid.x;
    setp.eq.u32 %p0, %r0, 0;
    @!%p0 bra second;
    multimem.st.relaxed.sys.global.u32 [%rd1], 5;
    fence.acq_rel.sys;
    st.relaxed.sys.global.u32 [%rd0], 1;
    ret;
second:
    {flag}
    multimem.ld_reduce.relaxed.sys.global.add.u32 %r2, [%rd1];
    st.global.u32 [%rd2], %r1;
    st.global.u32 [%rd2+4], %r2;
}}"
    );
    let sum = |schedule| {
        let mut device = Device::new();
        let module = device.load(&text).unwrap();
        let memories = [(); 4].map(|()| device.allocate(64));
        for memory in memories {
            device.write(memory, &[0; 64]).unwrap();
        }
        let [flag, out, first, second] = memories;
        let object = device.multicast(&[first, second], 64);
        let arguments = [flag, object, out].map(u64::to_le_bytes);
        let arguments: Vec<&[u8]> = arguments.iter().map(|bytes| &bytes[..]).collect();
        let params = lay_out(module.parameters("k").unwrap(), &arguments);
        let launch = Launch { params, ..Launch::new(2, 1) };
        let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
        let report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.is_clean(), "schedule {schedule}: {report}");
        let mut words = [0; 8];
        device.read(out, &mut words).unwrap();
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| words[at + i]));
        (word(0), word(4))
    };
    (0..500).map(sum).collect()
}

#[test]
fn a_relaxed_load_may_read_an_older_value_of_each_memory() {
    let relaxed = sums("ld.relaxed.sys.global.u32 %r1, [%rd0];");
    assert_eq!(relaxed.into_iter().collect::<Vec<_>>(), [(0, 0), (0, 5), (0, 10), (1, 0), (1, 5), (1, 10)]);
    let acquired = sums("ld.acquire.sys.global.u32 %r1, [%rd0];");
    assert_eq!(acquired.into_iter().collect::<Vec<_>>(), [(0, 0), (0, 5), (0, 10), (1, 10)]);
}

#[test]
fn a_loop_that_waits_by_relaxed_loads_orders_nothing() {
    let wait =
        |load: &str| sums(&format!("poll: {load} %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra poll;"));
    assert_eq!(wait("ld.relaxed.sys.global.u32").len(), 3);
    assert_eq!(wait("ld.acquire.sys.global.u32").into_iter().collect::<Vec<_>>(), [(1, 10)]);
}
