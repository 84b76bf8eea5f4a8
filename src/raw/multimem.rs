//! `multimem.ld_reduce`, `multimem.st` and `multimem.red`: operations on multicast memory (NVLink SHARP; PTX ISA 9.7.9.14).
//!
//! A multimem address stands for one location on each GPU of a multicast object (`cuMulticastCreate`). This module has the forms
//! with `.global`. In the section's syntax, `.add` is the only `.op` of `multimem.red` on floats. ptxas 13.5 also accepts `.min`
//! and `.max` on vectors, which this module does not offer. The section's example `multimem.red.relaxed.gpu.max.f64` is in none
//! of its tables, and ptxas refuses it.

legal! {
    MultimemLdSem: "`{Self}` is not a `.sem` of `multimem.ld_reduce` with a `.scope`: use `.relaxed` or `.acquire`"
    { sem::Relaxed, sem::Acquire }
    MultimemStSem: "`{Self}` is not a `.sem` of `multimem.st` or `.red` with a `.scope`: use `.relaxed` or `.release`"
    { sem::Relaxed, sem::Release }
    /// `.min` and `.max` of `multimem`.
    MultimemMinMaxOp: "`{Self}` is not an `.op` of this `multimem` instruction: use `.min` or `.max`"
    { op::Min, op::Max }
    /// Bitwise `.op` of `multimem`.
    MultimemBitOp: "`{Self}` is not a bitwise `.op` of `multimem`: use `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
    /// `.op` and `.acc_prec` of `multimem.ld_reduce` on elements of eight bits.
    MultimemByteOp: "`{Self}` is not an `.op` of `multimem` on `.e4m3` or `.e5m2`: use `.add`, `.add.acc::f16`, `.min` or `.max`"
    { op::Add, op::AddAccF16, op::Min, op::Max }
    MultimemAddType(TypeTag): "`{Self}` is not a `.type` of `multimem.ld_reduce.add`: use `.u32`, `.s32`, `.u64`, `.f32`, `.f64`, `.f16x2`, `.bf16x2` or, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`, `.e4m3x4` or `.e5m2x4`"
    {
        ty::U32, ty::S32, ty::U64, ty::F32, ty::F64, ty::F16x2, ty::Bf16x2,
        ty::E4m3x4 @ "8.6" gate multimem_f8, ty::E5m2x4 @ "8.6" gate multimem_f8,
    }
    MultimemMinMaxType(TypeTag): "`{Self}` is not a `.type` of `multimem.ld_reduce.min` or `.max`: use `.u32`, `.s32`, `.u64`, `.s64`, `.f16x2`, `.bf16x2` or, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`, `.e4m3x4` or `.e5m2x4`"
    {
        ty::U32, ty::S32, ty::U64, ty::S64, ty::F16x2, ty::Bf16x2, ty::E4m3x4 @ "8.6" gate multimem_f8,
        ty::E5m2x4 @ "8.6" gate multimem_f8,
    }
    MultimemStType(TypeTag): "`{Self}` is not a `.type` of `multimem.st`: use `.b`, `.u` or `.s` of 32 or 64 bits, `.f32`, `.f64`, `.f16x2`, `.bf16x2` or, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`, `.e4m3x4` or `.e5m2x4`"
    {
        ty::B32, ty::B64, ty::U32, ty::S32, ty::U64, ty::S64, ty::F32, ty::F64, ty::F16x2, ty::Bf16x2,
        ty::E4m3x4 @ "8.6" gate multimem_f8, ty::E5m2x4 @ "8.6" gate multimem_f8,
    }
    MultimemRedType(TypeTag): "`{Self}` is not a `.type` of `multimem.red.add`: use `.u32`, `.s32`, `.u64`, `.f32`, `.f64`, `.f16x2` or `.bf16x2`"
    { ty::U32, ty::S32, ty::U64, ty::F32, ty::F64, ty::F16x2, ty::Bf16x2 }
    MultimemAccF32Type(TypeTag): "`{Self}` is not a `.type` of `.add.acc::f32` on scalars: use `.f16x2` or `.bf16x2`"
    { ty::F16x2, ty::Bf16x2 }
    MultimemAccF16Type(TypeTag): "`{Self}` is not a `.type` of `.add.acc::f16` on scalars: use `.e4m3x4` or `.e5m2x4`"
    { ty::E4m3x4, ty::E5m2x4 }
    MultimemVectorType(TypeTag): "`{Self}` is not a `.type` of a `.v2` or `.v4` of `multimem`: use `.f16`, `.bf16`, `.f16x2`, `.bf16x2`, `.f32` or, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`, `.e4m3x2`, `.e5m2x2`, `.e4m3x4` or `.e5m2x4`"
    {
        ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2, ty::F32, ty::E4m3x2 @ "8.6" gate multimem_f8,
        ty::E5m2x2 @ "8.6" gate multimem_f8, ty::E4m3x4 @ "8.6" gate multimem_f8,
        ty::E5m2x4 @ "8.6" gate multimem_f8,
    }
    MultimemVectorMinMaxType(TypeTag): "`{Self}` is not a `.type` of `.min` or `.max` with a `.v2` or `.v4`: use `.f16`, `.bf16`, `.f16x2`, `.bf16x2` or, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`, `.e4m3x2`, `.e5m2x2`, `.e4m3x4` or `.e5m2x4`"
    {
        ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2, ty::E4m3x2 @ "8.6" gate multimem_f8,
        ty::E5m2x2 @ "8.6" gate multimem_f8, ty::E4m3x4 @ "8.6" gate multimem_f8,
        ty::E5m2x4 @ "8.6" gate multimem_f8,
    }
    MultimemVectorRedType(TypeTag): "`{Self}` is not a `.type` of `multimem.red` with a `.v2` or `.v4`: use `.f16`, `.bf16`, `.f16x2`, `.bf16x2` or `.f32`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2, ty::F32 }
    MultimemVectorAccF16Type(TypeTag): "`{Self}` is not a `.type` of `.add.acc::f16` with a `.v2` or `.v4`: use `.e4m3x2`, `.e5m2x2`, `.e4m3x4` or `.e5m2x4`"
    { ty::E4m3x2, ty::E5m2x2, ty::E4m3x4, ty::E5m2x4 }
    MultimemV8Type(TypeTag): "`{Self}` is not a `.type` of a `.v8` of `multimem`: use `.f16`, `.bf16` or, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`, `.e4m3x2` or `.e5m2x2`"
    {
        ty::F16, ty::Bf16, ty::E4m3x2 @ "8.6" gate multimem_f8,
        ty::E5m2x2 @ "8.6" gate multimem_f8,
    }
    MultimemV8AccF16Type(TypeTag): "`{Self}` is not a `.type` of `.add.acc::f16` with a `.v8`: use `.e4m3x2` or `.e5m2x2`"
    { ty::E4m3x2, ty::E5m2x2 }
    MultimemByteType(TypeTag): "`{Self}` is not a `.type` of eight bits of `multimem`: use `.e4m3` or `.e5m2`"
    { ty::E4m3, ty::E5m2 }
}

/// `multimem.ld_reduce{.sem}{.scope}.global.op{.acc_prec}{.vec}.type d, [a];`,
/// `multimem.st{.sem}{.scope}.global{.vec}.type [a], b;` and `multimem.red{.sem}{.scope}.global.op{.vec}.type [a], b;`
///
/// Each line has the instruction, the operation, the PTX ISA version, the gate and the types; then, for each shape, the names of
/// the weak and the ordered form.
macro_rules! multimem {
    ($(
        $instruction:ident $op:ident $isa:literal $($gate:ident)?, $Type:ident $({ $($tag:tt)* })? $( $shape:ident $names:tt )*;
    )*) => { $(
        multimem!(@since [ $isa $($gate)? ] $instruction $op [ $Type $({ $($tag)* })? ] $( $shape $names )*);
    )* };
    (@since [ $isa:literal ] $($to:tt)*) => { multimem!(@each [ $isa "sm_90" ] $($to)*); };
    (@since [ $isa:literal $gate:ident ] $($to:tt)*) => { multimem!(@each [ $isa "sm_100" $gate ] $($to)*); };
    (@each $isa:tt $instruction:ident $op:ident $type:tt $( $shape:ident $names:tt )*) => {
        $( multimem!(@op $op $instruction $names $isa $shape $type); )*
    };

    // The operation: its qualifier, its asm text, its text in `form:`, its name in the documentation.
    (@op none $($to:tt)*) => { multimem!(@shape [ [] ".global" ".global" "" ] $($to)*); };
    (@op add $($to:tt)*) => { multimem!(@shape [ [] ".global.add" ".global.add" "sum" ] $($to)*); };
    (@op add_acc_f32 $($to:tt)*) => {
        multimem!(@shape [ [] ".global.add.acc::f32" ".global.add.acc::f32" "sum (accumulated in `.f32`)" ] $($to)*);
    };
    (@op add_acc_f16 $($to:tt)*) => {
        multimem!(@shape [ [] ".global.add.acc::f16" ".global.add.acc::f16" "sum (accumulated in `.f16`)" ] $($to)*);
    };
    (@op min_max $($to:tt)*) => {
        multimem!(@shape [
            [ Op: MultimemMinMaxOp after ".global", ] "" ".global{.op}" "minimum or maximum"
        ] $($to)*);
    };
    (@op bitwise $($to:tt)*) => {
        multimem!(@shape [
            [ Op: MultimemBitOp after ".global", ] "" ".global{.op}" "bitwise combination (by `Op`)"
        ] $($to)*);
    };
    (@op byte $($to:tt)*) => {
        multimem!(@shape [
            [ Op: MultimemByteOp after ".global", ] "" ".global{.op}"
            "sum, minimum or maximum"
        ] $($to)*);
    };

    // The shape: its asm text; its name in the documentation; the asm text and result of `ld_reduce`; the asm text and operand of
    // `st` and `red`.
    (@shape $op:tt $instruction:ident $names:tt $isa:tt scalar $($to:tt)*) => {
        multimem!(@$instruction $names $op $isa $($to)* "" "value"
            [ "" " {d}, [{addr}];" Ty::Value = (d: _ = typed) super::cast(d) ]
            [ "" " [{addr}], {b};" b: Ty::Value = typed ]);
    };
    (@shape $op:tt $instruction:ident $names:tt $isa:tt v2 $($to:tt)*) => {
        multimem!(@$instruction $names $op $isa $($to)* ".v2" "two-element vector"
            [ "" " {{{d0}, {d1}}}, [{addr}];" [Ty::Value; 2] = (d0: _ = typed, d1: _ = typed) [super::cast(d0), super::cast(d1)] ]
            [ "" " [{addr}], {{{b0}, {b1}}};" b: [Ty::Value; 2] = [b0 b1] ]);
    };
    (@shape $op:tt $instruction:ident $names:tt $isa:tt v4 $($to:tt)*) => {
        multimem!(@$instruction $names $op $isa $($to)* ".v4" "four-element vector"
            [ "" " {{{d0}, {d1}, {d2}, {d3}}}, [{addr}];"
                [Ty::Value; 4] = (d0: _ = typed, d1: _ = typed, d2: _ = typed, d3: _ = typed)
                [super::cast(d0), super::cast(d1), super::cast(d2), super::cast(d3)] ]
            [ "" " [{addr}], {{{b0}, {b1}, {b2}, {b3}}};" b: [Ty::Value; 4] = [b0 b1 b2 b3] ]);
    };
    (@shape $op:tt $instruction:ident $names:tt $isa:tt v8 $($to:tt)*) => {
        multimem!(@$instruction $names $op $isa $($to)* ".v8" "eight-element vector"
            [ "" " {{{d0}, {d1}, {d2}, {d3}, {d4}, {d5}, {d6}, {d7}}}, [{addr}];"
                [Ty::Value; 8] = (
                    d0: _ = typed, d1: _ = typed, d2: _ = typed, d3: _ = typed,
                    d4: _ = typed, d5: _ = typed, d6: _ = typed, d7: _ = typed,
                ) [super::cast(d0), super::cast(d1), super::cast(d2), super::cast(d3), super::cast(d4), super::cast(d5), super::cast(d6), super::cast(d7)] ]
            [ "" " [{addr}], {{{b0}, {b1}, {b2}, {b3}, {b4}, {b5}, {b6}, {b7}}};"
                b: [Ty::Value; 8] = [b0 b1 b2 b3 b4 b5 b6 b7] ]);
    };
    // ptxas 13.5 requires registers of eight bits here, which `asm!` does not have. The operand is the vector in one register.
    (@shape $op:tt $instruction:ident $names:tt $isa:tt v4_byte $($to:tt)*) => {
        multimem!(@$instruction $names $op $isa $($to)* ".v4" "four-element vector"
            [ "{{ .reg .b8 e<4>; " " {{e0, e1, e2, e3}}, [{addr}]; mov.b32 {d}, {{e0, e1, e2, e3}}; }}"
                [Ty::Value; 4] = (d: _ = typed) super::cast(d) ]
            [ "{{ .reg .b8 e<4>; mov.b32 {{e0, e1, e2, e3}}, {b}; " " [{addr}], {{e0, e1, e2, e3}}; }}"
                b: [Ty::Value; 4] = typed ]);
    };
    (@shape $op:tt $instruction:ident $names:tt $isa:tt v8_byte $($to:tt)*) => {
        multimem!(@$instruction $names $op $isa $($to)* ".v8" "eight-element vector"
            [ "{{ .reg .b8 e<8>; .reg .b32 w<2>; "
                " {{e0, e1, e2, e3, e4, e5, e6, e7}}, [{addr}]; mov.b32 w0, {{e0, e1, e2, e3}}; mov.b32 w1, {{e4, e5, e6, e7}}; mov.b64 {d}, {{w0, w1}}; }}"
                [Ty::Value; 8] = (d: _ = typed) super::cast(d) ]
            [ "{{ .reg .b8 e<8>; .reg .b32 w<2>; mov.b64 {{w0, w1}}, {b}; mov.b32 {{e0, e1, e2, e3}}, w0; mov.b32 {{e4, e5, e6, e7}}, w1; "
                " [{addr}], {{e0, e1, e2, e3, e4, e5, e6, e7}}; }}"
                b: [Ty::Value; 8] = typed ]);
    };

    (@ld_reduce [ $weak:ident $ordered:ident ] $($to:tt)*) => {
        multimem!(@ld_row $weak "" ".weak" "" [] "- No thread writes the locations at the same time." $($to)*);
        multimem!(@ld_row $ordered ", by atomic accesses," "" "{.sem}{.scope}"
            [ Sem: MultimemLdSem, Scope: LdStScope, ]
            "- Concurrent accesses to the locations are atomic, in scopes that include each other." $($to)*);
    };
    (@st [ $weak:ident $ordered:ident ] $($to:tt)*) => {
        multimem!(@st_row $weak "multimem.st" "Stores the "
            " `b` at each location of the multimem address `addr`.", ".weak" "" []
            "- No other thread reads or writes the locations at the same time." $($to)*);
        multimem!(@st_row $ordered "multimem.st" "Stores the "
            " `b` at each location of the multimem address `addr`, by atomic accesses.", "" "{.sem}{.scope}"
            [ Sem: MultimemStSem, Scope: LdStScope, ]
            "- Concurrent accesses to the locations are atomic, in scopes that include each other." $($to)*);
    };
    (@red [ $ordered:ident ] [ $op:tt $text:literal $op_form:literal $does:literal ] $($to:tt)*) => {
        multimem!(@st_row $ordered "multimem.red" "Replaces the "
            concat!(" at each location of the multimem address `addr` with the ", $does, " of the old value and `b`, by atomic operations."), "" "{.sem}{.scope}"
            [ Sem: MultimemStSem, Scope: LdStScope, ]
            "- Concurrent accesses to the locations are atomic, in scopes that include each other."
            [ $op $text $op_form $does ] $($to)*);
    };

    (@ld_row $name:ident $loads:literal $sem:literal $sem_form:literal [ $($order:tt)* ] $others:literal
        [ [ $($op:tt)* ] $text:literal $op_form:literal $does:literal ] [ $isa:literal $target:literal $($gate:ident)? ]
        [ $Type:ident $({ $($tag:tt)* })? ] $vec:literal $what:literal
        [ $head:literal $tail:literal $($out:tt)* ] $st:tt
    ) => {
        instruction! {
            #[doc = concat!("Loads the ", $what, "s at the locations of the multimem address `addr`", $loads)]
            #[doc = concat!("and returns their ", $does, ".")]
            @unsafe fn $name[ $($order)* $($op)* Ty: $Type after $text $vec $({ $($tag)* })? ](
                addr: *const u8 = reg64,
            ) -> $($out)*;
            form: "multimem.ld_reduce" $sem $sem_form $op_form $vec "{.type} d, [addr];";
            ptx: $head "multimem.ld_reduce" $sem .. $tail;
            isa: $isa, target: $target, section: "9.7.9.14";
            $( gate: $gate; )?
            # Safety
            "- `addr` is a multimem address in global memory, aligned to the size of the value or vector."
            $others
        }
    };
    (@st_row $name:ident $mnemonic:literal $makes:literal $result:expr, $sem:literal $sem_form:literal [ $($order:tt)* ]
        $others:literal
        [ [ $($op:tt)* ] $text:literal $op_form:literal $does:literal ] [ $isa:literal $target:literal $($gate:ident)? ]
        [ $Type:ident $({ $($tag:tt)* })? ] $vec:literal $what:literal
        $ld:tt [ $head:literal $tail:literal $($in:tt)* ]
    ) => {
        instruction! {
            #[doc = concat!($makes, $what, $result)]
            @unsafe fn $name[ $($order)* $($op)* Ty: $Type after $text $vec $({ $($tag)* })? ](
                addr: *mut u8 = reg64, $($in)*,
            );
            form: $mnemonic $sem $sem_form $op_form $vec "{.type} [addr], b;";
            ptx: $head $mnemonic $sem .. $tail;
            isa: $isa, target: $target, section: "9.7.9.14";
            $( gate: $gate; )?
            # Safety
            "- `addr` is a multimem address in global memory, aligned to the size of the value or vector."
            $others
        }
    };
}

multimem! {
    ld_reduce add "8.1", MultimemAddType scalar [ multimem_ld_reduce_weak_add multimem_ld_reduce_add ];
    ld_reduce add "8.1", MultimemVectorType
        v2 [ multimem_ld_reduce_weak_add_v2 multimem_ld_reduce_add_v2 ]
        v4 [ multimem_ld_reduce_weak_add_v4 multimem_ld_reduce_add_v4 ];
    ld_reduce add "8.1", MultimemV8Type v8 [ multimem_ld_reduce_weak_add_v8 multimem_ld_reduce_add_v8 ];
    ld_reduce add_acc_f32 "8.2", MultimemAccF32Type
        scalar [ multimem_ld_reduce_weak_add_acc_f32 multimem_ld_reduce_add_acc_f32 ];
    ld_reduce add_acc_f32 "8.2", AtomVectorType
        v2 [ multimem_ld_reduce_weak_add_acc_f32_v2 multimem_ld_reduce_add_acc_f32_v2 ]
        v4 [ multimem_ld_reduce_weak_add_acc_f32_v4 multimem_ld_reduce_add_acc_f32_v4 ];
    ld_reduce add_acc_f32 "8.2", AtomVectorHalfType
        v8 [ multimem_ld_reduce_weak_add_acc_f32_v8 multimem_ld_reduce_add_acc_f32_v8 ];
    ld_reduce add_acc_f16 "8.6" multimem_f8, MultimemAccF16Type
        scalar [ multimem_ld_reduce_weak_add_acc_f16 multimem_ld_reduce_add_acc_f16 ];
    ld_reduce add_acc_f16 "8.6" multimem_f8, MultimemVectorAccF16Type
        v2 [ multimem_ld_reduce_weak_add_acc_f16_v2 multimem_ld_reduce_add_acc_f16_v2 ]
        v4 [ multimem_ld_reduce_weak_add_acc_f16_v4 multimem_ld_reduce_add_acc_f16_v4 ];
    ld_reduce add_acc_f16 "8.6" multimem_f8, MultimemV8AccF16Type
        v8 [ multimem_ld_reduce_weak_add_acc_f16_v8 multimem_ld_reduce_add_acc_f16_v8 ];
    ld_reduce min_max "8.1", MultimemMinMaxType scalar [ multimem_ld_reduce_weak_min_max multimem_ld_reduce_min_max ];
    ld_reduce min_max "8.1", MultimemVectorMinMaxType
        v2 [ multimem_ld_reduce_weak_min_max_v2 multimem_ld_reduce_min_max_v2 ]
        v4 [ multimem_ld_reduce_weak_min_max_v4 multimem_ld_reduce_min_max_v4 ];
    ld_reduce min_max "8.1", MultimemV8Type v8 [ multimem_ld_reduce_weak_min_max_v8 multimem_ld_reduce_min_max_v8 ];
    ld_reduce byte "8.6" multimem_f8, MultimemByteType { ty::E4m3 as u32 in reg32, ty::E5m2 as u32 in reg32 }
        v4_byte [ multimem_ld_reduce_weak_v4_byte multimem_ld_reduce_v4_byte ];
    ld_reduce byte "8.6" multimem_f8, MultimemByteType { ty::E4m3 as u64 in reg64, ty::E5m2 as u64 in reg64 }
        v8_byte [ multimem_ld_reduce_weak_v8_byte multimem_ld_reduce_v8_byte ];
    ld_reduce bitwise "8.1", AtomBitType scalar [ multimem_ld_reduce_weak_bitwise multimem_ld_reduce_bitwise ];
    st none "8.1", MultimemStType scalar [ multimem_st_weak multimem_st ];
    st none "8.1", MultimemVectorType
        v2 [ multimem_st_weak_v2 multimem_st_v2 ]
        v4 [ multimem_st_weak_v4 multimem_st_v4 ];
    st none "8.1", MultimemV8Type v8 [ multimem_st_weak_v8 multimem_st_v8 ];
    st none "8.6" multimem_f8, MultimemByteType { ty::E4m3 as u32 in reg32, ty::E5m2 as u32 in reg32 }
        v4_byte [ multimem_st_weak_v4_byte multimem_st_v4_byte ];
    st none "8.6" multimem_f8, MultimemByteType { ty::E4m3 as u64 in reg64, ty::E5m2 as u64 in reg64 }
        v8_byte [ multimem_st_weak_v8_byte multimem_st_v8_byte ];
    red add "8.1", MultimemRedType scalar [ multimem_red_add ];
    red add "8.1", MultimemVectorRedType
        v2 [ multimem_red_add_v2 ]
        v4 [ multimem_red_add_v4 ];
    red add "8.1", AtomVectorHalfType v8 [ multimem_red_add_v8 ];
    red min_max "8.1", AtomMinType scalar [ multimem_red_min_max ];
    red bitwise "8.1", AtomBitType scalar [ multimem_red_bitwise ];
}
