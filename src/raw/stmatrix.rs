//! `stmatrix`: a warp stores matrices from its registers to shared memory (`cute::SM90_U32x4_STSM_N` …; PTX ISA 9.7.14.5.16).

legal! {
    /// `.ss`, the space.
    StmatrixSpace(AddressSpace): "`{Self}` is not a space of `stmatrix`: use `space::SharedCta` or, for a generic address, `space::All`"
    { space::SharedCta, space::All }
    /// `.trans`, or nothing.
    StmatrixTrans: "`{Self}` does not say whether `stmatrix` transposes: use `trans::Trans` or `trans::None`"
    { trans::Trans, trans::None }
}

macro_rules! stmatrix {
    ($( $name:ident $matrices:literal $lanes:literal [ $($q:tt)* ] $form:literal $head:literal $tail:literal $of:tt [ $($r:ident)+ ]
        $n:literal $need:tt; )*
    ) => { $( stmatrix! { @row $name $matrices $lanes [ $($q)* ] $form $head $tail $of [ $($r)+ ] $n $need } )* };
    (@row $name:ident $matrices:literal $lanes:literal [ $($q:tt)* ] $form:literal $head:literal $tail:literal ($of:literal)
        [ $($r:ident)+ ] $n:literal { isa: $isa:literal, target: $target:literal $(, gate: $gate:ident)? }
    ) => {
        instruction! {
            #[doc = concat!("Stores ", $matrices, " from the registers of the warp to shared memory.")]
            ///
            #[doc = concat!("Each of the lanes ", $lanes, " gives the address of a row of 16 bytes, in the order of the matrices.")]
            @unsafe fn $name[$($q)*](p: Space::Address = address, r: [u32; $n] = [reg32: $($r)+]);
            form: $head $form;
            ptx: $head .. $tail "[{p}], " $of ";";
            isa: $isa, target: $target, section: "9.7.14.5.16";
            $( gate: $gate; )?
            convergent: convergent;
            # Safety
            "- All 32 threads of the warp execute this same instruction together, and none has exited."
            "- In those lanes, `p` is the address, in the given space, of 16 bytes of shared memory of the executing CTA, aligned to 16."
            "- No other thread accesses these bytes at the same time."
        }
    };
}

stmatrix! {
    stmatrix_m8n8_x1 "one matrix of 8x8 elements of 16 bits" "0 to 7" [Trans: StmatrixTrans, Space: StmatrixSpace] "{.trans}{.space}.b16 [p], r;"
        "stmatrix.sync.aligned.m8n8.x1" ".b16 " ("{{{r0}}}") [ r0 ] 1 { isa: "7.8", target: "sm_90" };
    stmatrix_m8n8_x2 "two matrices of 8x8 elements of 16 bits" "0 to 15" [Trans: StmatrixTrans, Space: StmatrixSpace] "{.trans}{.space}.b16 [p], r;"
        "stmatrix.sync.aligned.m8n8.x2" ".b16 " ("{{{r0}, {r1}}}") [ r0 r1 ] 2 { isa: "7.8", target: "sm_90" };
    stmatrix_m8n8_x4 "four matrices of 8x8 elements of 16 bits" "0 to 31" [Trans: StmatrixTrans, Space: StmatrixSpace] "{.trans}{.space}.b16 [p], r;"
        "stmatrix.sync.aligned.m8n8.x4" ".b16 " ("{{{r0}, {r1}, {r2}, {r3}}}") [ r0 r1 r2 r3 ] 4 { isa: "7.8", target: "sm_90" };
    stmatrix_m16n8_x1 "one matrix of 16x8 bytes, transposed" "0 to 7" [Space: StmatrixSpace] "{.space}.b8 [p], r;"
        "stmatrix.sync.aligned.m16n8.x1.trans" ".b8 " ("{{{r0}}}") [ r0 ] 1 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
    stmatrix_m16n8_x2 "two matrices of 16x8 bytes, transposed" "0 to 15" [Space: StmatrixSpace] "{.space}.b8 [p], r;"
        "stmatrix.sync.aligned.m16n8.x2.trans" ".b8 " ("{{{r0}, {r1}}}") [ r0 r1 ] 2 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
    stmatrix_m16n8_x4 "four matrices of 16x8 bytes, transposed" "0 to 31" [Space: StmatrixSpace] "{.space}.b8 [p], r;"
        "stmatrix.sync.aligned.m16n8.x4.trans" ".b8 " ("{{{r0}, {r1}, {r2}, {r3}}}") [ r0 r1 r2 r3 ] 4 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
}
