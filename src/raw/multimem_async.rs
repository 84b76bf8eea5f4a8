//! `multimem.st.async` (PTX ISA 9.7.9.15 of 9.3) and `multimem.red.async`: asynchronous stores and reductions in multicast memory.

legal! {
    MultimemAsyncScope: "`{Self}` is not a `.scope` of `multimem.st.async` or `multimem.red.async`: use `.gpu` or `.sys`"
    { scope::Gpu, scope::Sys }
    MultimemAsyncSpace: "`{Self}` is not a space of `multimem.st.async` or `multimem.red.async`: use `.global` or `All` (generic)"
    { space::All, space::Global }
    MultimemRedAsyncType(TypeTag): "`{Self}` is not a `.type` of `multimem.red.async.add`: use `.u32`, `.s32` or `.u64`"
    { ty::U32, ty::S32, ty::U64 }
}

instruction! {
    /// Starts storing the value `b` at each location of the multimem address `addr`, with release semantics. The stores are done when
    /// the CTA has ended.
    @unsafe fn multimem_st_async_release[
        Scope: MultimemAsyncScope, Space: MultimemAsyncSpace, Ty: LdStType,
    ](addr: *mut u8 = reg64, b: Ty::Value = typed);
    form: "multimem.st.async.release{.scope}{.space}{.type} [addr], b;";
    ptx: "multimem.st.async.release" .. " [{addr}], {b};";
    isa: "9.3", target: "sm_100", section: "9.7.9.15 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- `addr` is a multimem address in global memory, aligned to the value's size. The memory stays valid until the CTA ends."
    "- Concurrent accesses to the locations are atomic, in scopes that include each other."
}

instruction! {
    /// Starts adding `b` to the value at each location of the multimem address `addr`, with release semantics. The additions are done
    /// when the CTA has ended.
    @unsafe fn multimem_red_async_release_add[
        Scope: MultimemAsyncScope, Space: MultimemAsyncSpace, Ty: MultimemRedAsyncType after ".add",
    ](addr: *mut u8 = reg64, b: Ty::Value = typed);
    form: "multimem.red.async.release{.scope}{.space}.add{.type} [addr], b;";
    ptx: "multimem.red.async.release" .. " [{addr}], {b};";
    isa: "9.3", target: "sm_100", section: "9.7.14.9 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- As [`multimem_st_async_release`]."
}
