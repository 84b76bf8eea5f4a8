//! Known departures of ptxas 13.5 from the ISA, which random kernels leave out.

use super::forms::{Form, Kind};
use crate::values;

/// Returns true if ptxas 13.0, in driver 580, merges the wrong half of the result of a scalar video instruction. Random kernels
/// leave the selector out.
///
/// By 9.7.18 the lower half of the result goes into `.h1`. ptxas 13.5 ends `vadd.u32.u32.u32 d.h1, a, b, c` by
/// `PRMT R5, R0, 0x1054, R5`; ptxas 13.0 by `PRMT R5, R0, 0x3254, R5`, which takes the upper half: 0xd4dd + 0x186f gives 0 there,
/// and not 0xed4c.
pub fn merges_wrong_half(selector: &str) -> bool {
    selector == ".h1"
}

/// Returns true if ptxas (13.0 in driver 580, and 13.5) computes a guarded instruction in part without its guard, so that a
/// thread whose guard is false changes the destination. It makes guards of short branches too. Each is a sequence of machine
/// instructions:
///
/// - `testp`: no instruction of `@p testp.finite.f32` is guarded.
/// - `set` with a float: `@P0 SEL R4, RZ, 0xffffffff, !P1; IABS R5, R4; I2FP.F32.S32 R5, R5` converts the old value as an integer.
/// - `set` of 16 bits with an integer of 32 bits: `@P0 SEL R4, …; PRMT R5, R4, 0x9910, RZ` extends the lower half of the old value.
pub fn loses_guard(form: &Form) -> bool {
    let types: Vec<&str> = form.words().rev().take(2).collect();
    match (form.head(), &types[..]) {
        ("testp", _) => true,
        ("set", [from, to]) => {
            matches!(*to, "f32" | "f16" | "bf16")
                || to.ends_with("32") && matches!(*from, "b16" | "u16" | "s16" | "f16" | "bf16")
        }
        _ => false,
    }
}

/// Returns true if ptxas takes an operand for the result where both operands are one register. `min` and `max` of one NaN give
/// that NaN then, and not the canonical one (9.7.3.11, 9.7.4.8).
pub fn folds_equal_operands(form: &Form) -> bool {
    matches!(form.head(), "min" | "max") && form.words().next_back().is_some_and(|ty| ty.contains('f'))
}

/// Returns true if ptxas may take a register that holds one type for what an instruction reads as another. It does so where it
///
/// - stores 8 bits of a float: `set.ne.bf16.u32 h, a, b; st.v2.u8 [p], {g, h}` stores the integral part by `F2I.U8.BF16`. ptxas 13.0
///   also does so with one element, and with an `.f32` in place of the `.bf16`;
/// - keeps 16 bits in the half of a register: after `cvt.rn.satfinite.e5m2x2.f16x2 h, a; st.v4.u16 [p], {e, f, h, g}`, `g` is `h`.
pub fn confuses(holds: &str, read: &str) -> bool {
    kind(holds) != kind(read) && values::bits(holds).min(values::bits(read)) <= 16
}

/// Returns true if ptxas folds an instruction with one of its kind that computed its operand, and computes something else:
///
/// - `cvt.rn.f16.bf16 h, x; cvt.rzi.s64.bf16 d, h` becomes `F2I.S64.BF16` of `x`, and `set.f16` in place of the first an integer;
/// - `cvt.rm.bf16.f16 h, x; cvt.rzi.s16.bf16 g, h` becomes `F2I.S16.BF16.FLOOR` of `x`, which is of another type and rounds otherwise;
/// - `cvt.rpi.sat.s64.f16 d, x; cvt.sat.s32.s64 r, d` becomes `F2I.F16.CEIL` of `x`, which gives another integer for NaN.
pub fn folds_conversions(form: &Form) -> bool {
    form.head() == "cvt"
}

/// Returns a type, or one name for all integers.
fn kind(ty: &str) -> &str {
    let is_integer = ty.starts_with(['u', 's', 'b']) && ty[1..].bytes().all(|digit| digit.is_ascii_digit());
    if is_integer { "integer" } else { ty }
}

/// The type of a predicate that `setp.ftz` writes, by which no kernel branches: from `setp.geu.and.ftz.f32 p, a, b, q` and
/// `@p bra`, ptxas makes a branch by `FSETP.GEU.AND`, which does not flush.
pub const FLUSHED: &str = "pred of .ftz";

/// Returns true if ptxas takes the result of `set` with an integer for a truth value where an instruction reads it as a float, although
/// all ones is NaN: `set.ge.u32.s64 r, a, b; setp.equ.f32 p, r, 0.0` becomes the negation of the first comparison.
pub fn compares_truths(form: &Form) -> bool {
    matches!(form.head(), "set" | "setp") && form.words().next_back().is_some_and(|ty| ty.contains('f'))
}

/// Returns true if ptxas makes an operation on shared memory a loop of `ATOMS.CAS`. ptxas (13.0 in driver 580, and 13.5) merges that
/// loop with a loop around it: in `LOOP: atom.shared.min.s64 d, [a], b; bar.sync 0; ld.shared.b64 …; bar.sync 0; bra LOOP`, lanes come
/// to the barriers in different rounds, and load what others have not yet stored.
pub fn merges_retries(form: &Form) -> bool {
    let is_native = |ty: &str| ["u32", "s32", "b32"].contains(&ty);
    matches!(form.head(), "atom" | "red")
        && form.words().any(|word| word.starts_with("shared"))
        && !form.words().next_back().is_some_and(is_native)
}

/// Returns true if ptxas (13.0 in driver 580, and 13.5) computes the second predicate without `.ftz` where it makes guards of a branch:
/// from `@p bra ELSE; setp.ge.ftz.f32 %p1|%p2, a, b; ELSE:` it makes `@!P2 FSETP.GTU.FTZ.AND P3, …` for `%p1`, and
/// `FSETP.GTU.AND P1, PT, R0, RZ, !P2` for `%p2`, so that both are true for 0 and a subnormal number.
pub fn loses_flush(form: &Form) -> bool {
    form.head() == "setp"
        && form.has("ftz")
        && form.operands.iter().any(|kind| matches!(kind, Kind::Pair(..)))
}
