//! `prefetch.tensormap`: brings a tensor map (`CUtensorMap`) into the cache (`cute::prefetch_tma_descriptor`; PTX ISA 9.7.9.15).

legal! {
    PrefetchTensormapSpace: "`{Self}` is not a space of `prefetch.tensormap`: use `.param`, `.const` or `space::All` (generic)"
    { space::All, space::Param, space::Const }
}

instruction! {
    /// Prefetches the tensor map at `addr` into the cache, for a later tensor copy.
    @unsafe fn prefetch_tensormap[Space: PrefetchTensormapSpace](addr: *const u8 = reg64);
    form: "prefetch{.space}.tensormap [addr];";
    ptx: "prefetch" .. ".tensormap [{addr}];";
    isa: "8.0", target: "sm_90", section: "9.7.9.15";
    # Safety
    "- `addr` is the address, in the given space, of a tensor map. A generic address is in `.const`, `.param` or `.global`."
}
