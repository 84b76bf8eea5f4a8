//! Publication of a tensor map (`CUtensorMap`): `tensormap.cp_fenceproxy` (PTX ISA 9.7.13.16).

legal! {
    CpFenceproxyScope: "`{Self}` is not a `.scope` of `tensormap.cp_fenceproxy`: use `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys }
}
instruction! {
    /// Copies the tensor map at `src`, in shared memory of the executing CTA, to `dst` in global memory, and releases the copy to
    /// the tensormap proxy. Threads that acquire `dst` by `fence.proxy.tensormap::generic.acquire` may use the copied map.
    @unsafe fn tensormap_cp_fenceproxy[Scope: CpFenceproxyScope](dst: *mut u8 = reg64, src: u32 = reg32);
    form: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release{.scope}.sync.aligned [dst], [src], 128;";
    ptx: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release" .. ".sync.aligned [{dst}], [{src}], 128;";
    isa: "8.3", target: "sm_90", section: "9.7.13.16";
    convergent: convergent;
    # Safety
    "- All threads of the warp execute this same instruction."
    "- `dst` is a global address and `src` a `.shared::cta` address of 128 bytes, both aligned to 128. `src` holds a tensor map."
    "- Nothing else accesses the bytes at `dst` meanwhile, and no tensor copy that uses them is in flight."
}
