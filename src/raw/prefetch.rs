//! `prefetch` of valid addresses (PTX ISA 9.7.9.15).

legal! {
    PrefetchSpace: "`{Self}` is not a space of `prefetch.L1::32B.valid_addr`: use `.global` or `All` (generic)"
    { space::All, space::Global }
}

instruction! {
    /// Brings 32 bytes at `addr` into the L1 cache. The address is one that a load could use.
    @unsafe fn prefetch_l1_32b_valid_addr[Space: PrefetchSpace](addr: *const u8 = reg64);
    form: "prefetch{.space}.L1::32B.valid_addr [addr];";
    ptx: "prefetch" .. ".L1::32B.valid_addr [{addr}];";
    isa: "9.4", target: "sm_90", section: "9.7.9.15";
    # Safety
    "- `addr` is an address of global memory that the thread may load from."
}
