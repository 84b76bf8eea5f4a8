//! Sums and products of `.f32` with half-precision operands, which become `.f32` first, exactly (PTX ISA 9.7.5).
//!
//! Each row states its rounding: without one, ptxas may contract a product and a sum into an `fma`. Without rows are the packed forms
//! that sm_107f alone has (`add.rn.f32x2.f16x2.f32x2` …).

legal! {
    MixedRounding: "`{Self}` is not a rounding of `.f32`: use `.rn`, `.rz`, `.rm` or `.rp`"
    { rounding::Rn, rounding::Rz, rounding::Rm, rounding::Rp }
    /// `.sat`, or nothing.
    MixedSat: "`{Self}` does not say whether results are clamped to 0 and 1: use `sat::Sat` or `sat::None`"
    { sat::Sat, sat::None }
    MixedType(TypeTag): "`{Self}` is not a half-precision type: use `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}

macro_rules! mixed {
    ($( $does:literal $name:ident $op:literal $section:literal ($( $half:ident ),+) $operands:literal $text:literal; )*) => { $(
        instruction! {
            #[doc = concat!("Returns ", $does, ", rounded once.")]
            fn $name[
                Rounding: MixedRounding, Sat: MixedSat, Ty: MixedType after ".f32" { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 },
            ]($( $half: Ty::Value = typed, )+ c: f32 = reg32) -> f32 = (d: f32 = reg32) d;
            form: $op "{.rnd}{.sat}.f32{.type} d, " $operands ";";
            ptx: $op .. " {d}, " $text ";";
            isa: "8.6", target: "sm_100", section: $section;
            gate: sm_100;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}
mixed! {
    "`a + c`" add_mixed "add" "9.7.5.1" (a) "a, c" "{a}, {c}";
    "`a - c`" sub_mixed "sub" "9.7.5.2" (a) "a, c" "{a}, {c}";
    "`a * b + c`" fma_mixed "fma" "9.7.5.3" (a, b) "a, b, c" "{a}, {b}, {c}";
}
