//! `redux.sync`: reductions among the lanes of a warp (`__reduce_add_sync()` …; PTX ISA 9.7.13.12).

legal! {
    ReduxOp: "`{Self}` is not an `.op` of `redux.sync` on integers: use `.add`, `.min` or `.max`"
    { op::Add, op::Min, op::Max }
    ReduxType(TypeTag): "`{Self}` is not a `.type` of `redux.sync` on integers: use `.u32` or `.s32`"
    { ty::U32, ty::S32 }
    ReduxBitOp: "`{Self}` is not an `.op` of `redux.sync` on bits: use `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
    ReduxFloatOp: "`{Self}` is not an `.op` of `redux.sync` on floats: use `.min` or `.max`"
    { op::Min, op::Max }
    /// `.abs`, or nothing.
    ReduxAbs: "`{Self}` does not say whether a `redux.sync` takes absolute values: use `abs::Abs` or `abs::Signed`"
    { abs::Abs, abs::Signed }
    /// `.NaN`, or nothing.
    ReduxNan: "`{Self}` does not say what a `redux.sync` does with NaN: use `nan::Propagate` or `nan::Ignore`"
    { nan::Propagate, nan::Ignore }
}

instruction! {
    /// Returns the sum (truncated to 32 bits), the minimum or the maximum of `src` among the threads of `membermask`
    /// (`__reduce_add_sync()` …).
    @unsafe fn redux_sync[
        Op: ReduxOp, Ty: ReduxType,
    ](src: Ty::Value = typed, membermask: u32 = reg32) -> Ty::Value = (dst: _ = typed) super::cast(dst);
    form: "redux.sync{.op}{.type} dst, src, membermask;";
    ptx: "redux.sync" .. " {dst}, {src}, {membermask};";
    isa: "7.0", target: "sm_80", section: "9.7.13.12";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
}

instruction! {
    /// Returns the bitwise `and`, `or` or `xor` of `src` among the threads of `membermask` (`__reduce_and_sync()` …).
    @unsafe fn redux_sync_b32[
        Op: ReduxBitOp,
    ](src: u32 = reg32, membermask: u32 = reg32) -> u32 = (dst: u32 = reg32) dst;
    form: "redux.sync{.op}.b32 dst, src, membermask;";
    ptx: "redux.sync" .. ".b32 {dst}, {src}, {membermask};";
    isa: "7.0", target: "sm_80", section: "9.7.13.12";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
}

instruction! {
    /// Returns the minimum or maximum of `src`, or of the absolute values of `src`, among the threads of `membermask`. +0.0 is
    /// greater than -0.0.
    ///
    /// NaN is ignored; the result is NaN if all values are NaN. With `.NaN`, the result is NaN if any value is NaN.
    @unsafe fn redux_sync_f32[
        Op: ReduxFloatOp, Abs: ReduxAbs, Nan: ReduxNan,
    ](src: f32 = reg32, membermask: u32 = reg32) -> f32 = (dst: f32 = reg32) dst;
    form: "redux.sync{.op}{.abs}{.NaN}.f32 dst, src, membermask;";
    ptx: "redux.sync" .. ".f32 {dst}, {src}, {membermask};";
    isa: "8.6", target: "sm_100a", section: "9.7.13.12";
    gate: redux_f32;
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
}
