//! `setmaxnreg` and `nanosleep`: sections 9.7.19.5 and 9.7.19.2.

macro_rules! setmaxnreg {
    ($( $doc:literal $name:ident $head:literal )*) => { $(
        instruction! {
            #[doc = $doc]
            @unsafe fn $name<const N: u32 = 64>();
            form: $head ".sync.aligned.u32 N;";
            ptx: $head .. ".sync.aligned.u32 {N};";
            isa: "8.0", target: "sm_90a", section: "9.7.19.5";
            gate: sm_90a_sm_100f_sm_110a_sm_120a;
            assert: N >= 24 && N <= 256 && N.is_multiple_of(8),
                "setmaxnreg takes a multiple of 8 in 24 ..= 256 (PTX ISA, section 9.7.19.5)";
            convergent: convergent;
            # Safety
            "- all threads of the warp execute this same instruction, and all warps of the warpgroup do before any of them"
            "  executes another `setmaxnreg`."
            "- the kernel was launched with a register count (`.maxnreg`, or a valid maximum at compile time)."
        }
    )* };
}

setmaxnreg! {
    "Takes registers from the CTA's pool, waiting until it has them: the warp may use `N` a thread, not less than now."
    setmaxnreg_inc "setmaxnreg.inc"
    "Gives registers back to the CTA's pool: the warp may use `N` a thread, not more than now."
    setmaxnreg_dec "setmaxnreg.dec"
}

instruction! {
    /// Suspends the thread for a time of 0 to `2 * t` nanoseconds; `t` is at most a millisecond.
    fn nanosleep(t: u32 = reg32);
    form: "nanosleep.u32 t;";
    ptx: "nanosleep" .. ".u32 {t};";
    isa: "6.3", target: "sm_70", section: "9.7.19.2";
}
