//! `setmaxnreg`: registers per thread of a warpgroup (`cutlass::arch::warpgroup_reg_alloc`; PTX ISA 9.7.19.5).

macro_rules! setmaxnreg {
    ($( $doc:literal $name:ident $head:literal )*) => { $(
        instruction! {
            #[doc = $doc]
            @unsafe fn $name<const N: u32 = 64>();
            form: $head ".sync.aligned.u32 N;";
            ptx: $head .. ".sync.aligned.u32 {N};";
            isa: "8.0", target: "sm_90a", section: "9.7.19.5";
            gate: setmaxnreg;
            assert: N >= 24 && N <= 256 && N.is_multiple_of(8),
                "`setmaxnreg` takes a multiple of 8 in 24..=256 (PTX ISA 9.7.19.5)";
            convergent: convergent;
            # Safety
            "- All threads of the warpgroup execute this same instruction, and its warps synchronize before any of them executes"
            "  another `setmaxnreg`."
            "- `N` is not less (`setmaxnreg_inc`) or not more (`setmaxnreg_dec`) than the warp's present maximum."
            "- The kernel was launched with a maximum register count (`.maxnreg`, or set at compile time)."
        }
    )* };
}

setmaxnreg! {
    "Raises the warp's maximum number of registers per thread to `N`. Waits until the CTA's register pool has enough registers."
    setmaxnreg_inc "setmaxnreg.inc"
    "Lowers the warp's maximum number of registers per thread to `N`. Releases the registers above `N` to the CTA's pool."
    setmaxnreg_dec "setmaxnreg.dec"
}
