//! `ldmatrix`: a warp loads matrices from shared memory to its registers (`cute::SM75_U32x4_LDSM_N` …; PTX ISA 9.7.14.5.15).

legal! {
    /// `.ss`, the space.
    LdmatrixSpace(AddressSpace): "`{Self}` is not a space of `ldmatrix`: use `space::SharedCta` or, for a generic address, `space::All`"
    { space::SharedCta @ "7.8", space::All }
    /// `.ss`, the space, of the forms that PTX 8.6 introduces.
    LdmatrixNewSpace(AddressSpace): "`{Self}` is not a space of `ldmatrix`: use `space::SharedCta` or, for a generic address, `space::All`"
    { space::SharedCta, space::All }
    /// `.trans`, or nothing.
    LdmatrixTrans: "`{Self}` does not say whether `ldmatrix` transposes: use `trans::Trans` or `trans::None`"
    { trans::Trans, trans::None }
    /// The format in registers and in memory.
    LdmatrixExpanded: "`{Self}` is not a format of `ldmatrix.m8n16`: use `element::B8x16B6x16P32` or `element::B8x16B4x16P64`; \
        `ldmatrix_m8n16_s8_s4_x1` and its like expand signed integers"
    { element::B8x16B6x16P32, element::B8x16B4x16P64 }
    /// The type, or the format in registers and in memory.
    LdmatrixByte: "`{Self}` is not a type of `ldmatrix.m16n16`: use `element::B8`, `element::B8x16B6x16P32` or `element::B8x16B4x16P64`"
    { element::B8, element::B8x16B6x16P32, element::B8x16B4x16P64 }
}

macro_rules! ldmatrix {
    ($( $name:ident $matrices:literal $lanes:literal [ $($q:tt)* ] $form:literal $head:literal $tail:literal $of:tt [ $($r:ident)+ ]
        $n:literal $need:tt; )*
    ) => { $( ldmatrix! { @row $name $matrices $lanes [ $($q)* ] $form $head $tail $of [ $($r)+ ] $n $need } )* };
    (@row $name:ident $matrices:literal $lanes:literal [ $($q:tt)* ] $form:literal $head:literal $tail:literal ($of:literal)
        [ $($r:ident)+ ] $n:literal { isa: $isa:literal, target: $target:literal $(, gate: $gate:ident)? }
    ) => {
        instruction! {
            #[doc = concat!("Loads ", $matrices, " from shared memory to the registers of the warp.")]
            ///
            #[doc = concat!("Each of the lanes ", $lanes, " gives the address of a row of 16 bytes, in the order of the matrices.")]
            @unsafe fn $name[$($q)*](p: Space::Address = address) -> [u32; $n] = ($( $r: u32 = reg32 ),+) [$( $r ),+];
            form: $head $form;
            ptx: $head .. $tail $of ", [{p}];";
            isa: $isa, target: $target, section: "9.7.14.5.15";
            $( gate: $gate; )?
            convergent: convergent;
            # Safety
            "- All 32 threads of the warp execute this same instruction together, and none has exited."
            "- In those lanes, `p` is the address, in the given space, of 16 bytes of shared memory of the executing CTA, aligned to 16."
            "- No other thread writes these bytes at the same time."
        }
    };
}

// `.m8n8` of 16-bit elements.
ldmatrix! {
    ldmatrix_m8n8_x1 "one matrix of 8x8 elements of 16 bits" "0 to 7" [Trans: LdmatrixTrans, Space: LdmatrixSpace] "{.trans}{.space}.b16 r, [p];"
        "ldmatrix.sync.aligned.m8n8.x1" ".b16 " ("{{{r0}}}") [ r0 ] 1 { isa: "6.5", target: "sm_75" };
    ldmatrix_m8n8_x2 "two matrices of 8x8 elements of 16 bits" "0 to 15" [Trans: LdmatrixTrans, Space: LdmatrixSpace] "{.trans}{.space}.b16 r, [p];"
        "ldmatrix.sync.aligned.m8n8.x2" ".b16 " ("{{{r0}, {r1}}}") [ r0 r1 ] 2 { isa: "6.5", target: "sm_75" };
    ldmatrix_m8n8_x4 "four matrices of 8x8 elements of 16 bits" "0 to 31" [Trans: LdmatrixTrans, Space: LdmatrixSpace] "{.trans}{.space}.b16 r, [p];"
        "ldmatrix.sync.aligned.m8n8.x4" ".b16 " ("{{{r0}, {r1}, {r2}, {r3}}}") [ r0 r1 r2 r3 ] 4 { isa: "6.5", target: "sm_75" };
}

// `.m8n16`: elements of 6 or 4 bits, expanded to bytes.
ldmatrix! {
    ldmatrix_m8n16_x1 "one matrix of 8x16 elements, which it expands to bytes" "0 to 7" [Space: LdmatrixNewSpace, Element: LdmatrixExpanded] "{.space}{.dst_fmt.src_fmt} r, [p];"
        "ldmatrix.sync.aligned.m8n16.x1" " " ("{{{r0}}}") [ r0 ] 1 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
    ldmatrix_m8n16_x2 "two matrices of 8x16 elements, which it expands to bytes" "0 to 15" [Space: LdmatrixNewSpace, Element: LdmatrixExpanded] "{.space}{.dst_fmt.src_fmt} r, [p];"
        "ldmatrix.sync.aligned.m8n16.x2" " " ("{{{r0}, {r1}}}") [ r0 r1 ] 2 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
    ldmatrix_m8n16_x4 "four matrices of 8x16 elements, which it expands to bytes" "0 to 31" [Space: LdmatrixNewSpace, Element: LdmatrixExpanded] "{.space}{.dst_fmt.src_fmt} r, [p];"
        "ldmatrix.sync.aligned.m8n16.x4" " " ("{{{r0}, {r1}, {r2}, {r3}}}") [ r0 r1 r2 r3 ] 4 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
}

// `.m8n16.s8.s4`, which expands signed integers.
ldmatrix! {
    ldmatrix_m8n16_s8_s4_x1 "one matrix of 8x16 signed integers of 4 bits, which it extends to 8 bits" "0 to 7" [Space: LdmatrixNewSpace] "{.space}.s8.s4 r, [p];"
        "ldmatrix.sync.aligned.m8n16.x1" ".s8.s4 " ("{{{r0}}}") [ r0 ] 1 { isa: "9.4", target: "sm_90a", gate: ldmatrix_s8_s4 };
    ldmatrix_m8n16_s8_s4_x2 "two matrices of 8x16 signed integers of 4 bits, which it extends to 8 bits" "0 to 15" [Space: LdmatrixNewSpace] "{.space}.s8.s4 r, [p];"
        "ldmatrix.sync.aligned.m8n16.x2" ".s8.s4 " ("{{{r0}, {r1}}}") [ r0 r1 ] 2 { isa: "9.4", target: "sm_90a", gate: ldmatrix_s8_s4 };
    ldmatrix_m8n16_s8_s4_x4 "four matrices of 8x16 signed integers of 4 bits, which it extends to 8 bits" "0 to 31" [Space: LdmatrixNewSpace] "{.space}.s8.s4 r, [p];"
        "ldmatrix.sync.aligned.m8n16.x4" ".s8.s4 " ("{{{r0}, {r1}, {r2}, {r3}}}") [ r0 r1 r2 r3 ] 4 { isa: "9.4", target: "sm_90a", gate: ldmatrix_s8_s4 };
}

// `.m16n16.trans` of bytes, or of what it expands to bytes.
ldmatrix! {
    ldmatrix_m16n16_x1 "one matrix of 16x16 elements of bytes, transposed" "0 to 15" [Space: LdmatrixNewSpace, Element: LdmatrixByte] "{.space}{.type} r, [p];"
        "ldmatrix.sync.aligned.m16n16.x1.trans" " " ("{{{r0}, {r1}}}") [ r0 r1 ] 2 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
    ldmatrix_m16n16_x2 "two matrices of 16x16 elements of bytes, transposed" "0 to 31" [Space: LdmatrixNewSpace, Element: LdmatrixByte] "{.space}{.type} r, [p];"
        "ldmatrix.sync.aligned.m16n16.x2.trans" " " ("{{{r0}, {r1}, {r2}, {r3}}}") [ r0 r1 r2 r3 ] 4 { isa: "8.6", target: "sm_100", gate: matrix_b8 };
}
