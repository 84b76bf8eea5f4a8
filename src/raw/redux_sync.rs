//! `redux.sync`: section 9.7.13.12.

#[cfg(target_arch = "nvptx64")]
use super::cast;

legal! {
    /// `.op` of `redux.sync` on integers.
    ReduxOp: "`{Self}` is no `.op` of `redux.sync` on integers: it takes `.add`, `.min` or `.max`"
    { op::Add, op::Min, op::Max }
    /// `.type` of `redux.sync` on integers.
    ReduxType(TypeTag): "`{Self}` is no `.type` of `redux.sync` on integers: it takes `.u32` or `.s32`"
    { ty::U32, ty::S32 }
    /// `.op` of `redux.sync` on bits.
    ReduxBitOp: "`{Self}` is no `.op` of `redux.sync` on bits: it takes `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
    /// `.op` of `redux.sync` on floats.
    ReduxFloatOp: "`{Self}` is no `.op` of `redux.sync` on floats: it takes `.min` or `.max`"
    { op::Min, op::Max }
    /// `.abs`, or nothing.
    ReduxAbs: "`{Self}` does not say whether a `redux.sync` takes absolute values: it takes `Abs` or `Signed`"
    { abs::Abs, abs::Signed }
    /// `.NaN`, or nothing.
    ReduxNan: "`{Self}` does not say what a `redux.sync` does with NaN: it takes `Propagate` or `Ignore`"
    { nan::Propagate, nan::Ignore }
}

instruction! {
    /// The sum (in 32 bits), least or greatest `src` of the threads of `membermask`.
    @unsafe fn redux_sync[
        Op: ReduxOp, Ty: ReduxType,
    ](src: Ty::Value = typed, membermask: u32 = reg32) -> Ty::Value = (dst: _ = typed) cast(dst);
    form: "redux.sync{.op}{.type} dst, src, membermask;";
    ptx: "redux.sync" .. " {dst}, {src}, {membermask};";
    isa: "7.0", target: "sm_80", section: "9.7.13.12";
    convergent: convergent;
    # Safety
    "- the thread is in `membermask`, and all threads of it that have not exited execute this same instruction with it."
}

instruction! {
    /// The bits of `src` of the threads of `membermask`, joined by `.and`, `.or` or `.xor`.
    @unsafe fn redux_sync_b32[
        Op: ReduxBitOp,
    ](src: u32 = reg32, membermask: u32 = reg32) -> u32 = (dst: u32 = reg32) dst;
    form: "redux.sync{.op}.b32 dst, src, membermask;";
    ptx: "redux.sync" .. ".b32 {dst}, {src}, {membermask};";
    isa: "7.0", target: "sm_80", section: "9.7.13.12";
    convergent: convergent;
    # Safety
    "- as [`redux_sync`]."
}

instruction! {
    /// The least or greatest `src`, or of their absolute values, of the threads of `membermask`; +0.0 is above -0.0.
    /// NaN counts as nothing, or with `.NaN` makes the result NaN.
    @unsafe fn redux_sync_f32[
        Op: ReduxFloatOp, Abs: ReduxAbs, Nan: ReduxNan,
    ](src: f32 = reg32, membermask: u32 = reg32) -> f32 = (dst: f32 = reg32) dst;
    form: "redux.sync{.op}{.abs}{.NaN}.f32 dst, src, membermask;";
    ptx: "redux.sync" .. ".f32 {dst}, {src}, {membermask};";
    isa: "8.6", target: "sm_100a", section: "9.7.13.12";
    gate: sm_100f;
    convergent: convergent;
    # Safety
    "- as [`redux_sync`]."
}
