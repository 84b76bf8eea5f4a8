//! `tensormap.cp_fenceproxy`: section 9.7.13.16.

legal! {
    /// `.scope` of `tensormap.cp_fenceproxy`.
    CpFenceproxyScope: "`{Self}` is no `.scope` of `tensormap.cp_fenceproxy`: it takes `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys }
}
instruction! {
    /// Copies a tensor map from shared memory of the executing CTA to global memory, and releases it to the tensormap
    /// proxy: who acquires it with `fence.proxy.tensormap::generic.acquire` may use it.
    @unsafe fn tensormap_cp_fenceproxy[Scope: CpFenceproxyScope](dst: *mut u8 = reg64, src: u32 = reg32);
    form: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release{.scope}.sync.aligned [dst], [src], 128;";
    ptx: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release" .. ".sync.aligned [{dst}], [{src}], 128;";
    isa: "8.3", target: "sm_90", section: "9.7.13.16";
    convergent: convergent;
    # Safety
    "- all threads of the warp execute this same instruction."
    "- `dst` is a global, `src` a `.shared::cta` address of 128 bytes, both aligned to 128; `src` holds a tensor map."
    "- nobody else accesses the bytes of `dst` meanwhile, and no tensor copy that uses them is under way."
}
