//! `st.async`: asynchronous stores to distributed shared memory (DSMEM) and to global memory (PTX ISA 9.7.9.12).

use crate::qualifier::B128;

legal! {
    /// `.type` of `st.async.weak`. For `.b128`, see `st_async_weak_b128`.
    StAsyncType(TypeTag): "`{Self}` is not a `.type` of `st.async.weak`: use `.b`, `.u` or `.s` of 32 or 64 bits, `.f32` or `.f64`"
    { ty::B32, ty::B64, ty::U32, ty::U64, ty::S32, ty::S64, ty::F32, ty::F64 }
    StAsyncV4Type(TypeTag): "`{Self}` is not a `.type` of a `.v4` of `st.async.weak`: use `.b32`, `.u32`, `.s32` or `.f32`"
    { ty::B32, ty::U32, ty::S32, ty::F32 }
    StAsyncWeakSpace(AddressSpace): "`{Self}` is not a space of `st.async.weak`: use `.shared::cluster` or `All` (generic)"
    { space::All, space::SharedCluster }
    StAsyncScope: "`{Self}` is not a `.scope` of `st.async.release`: use `.gpu` or `.sys`"
    { scope::Gpu, scope::Sys }
    StAsyncSpace: "`{Self}` is not a space of `st.async.release`: use `.global` or `All` (generic)"
    { space::Global, space::All }
    /// `.type` of `st.async.release`. For types of eight bits, see `st_async_release_byte`.
    StAsyncReleaseType(TypeTag): "`{Self}` is not a `.type` of `st.async.release`: use `.b`, `.u` or `.s` of 16 to 64 bits, `.f32` or `.f64`"
    {
        ty::B16, ty::B32, ty::B64, ty::U16, ty::U32, ty::U64, ty::S16, ty::S32, ty::S64, ty::F32, ty::F64,
    }
    StAsyncReleaseByteType(TypeTag): "`{Self}` is not a `.type` of eight bits of `st.async.release`: use `.b8`, `.u8` or `.s8`"
    { ty::B8, ty::U8, ty::S8 }
}

/// `st.async.weak{.ss}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar];`
macro_rules! st_async {
    ($name:ident $what:literal $isa:literal $form:literal [ $($ty:tt)* ] $head:literal $tail:literal [ $($in:tt)* ]) => {
        instruction! {
            #[doc = concat!("Starts storing the ", $what, " `b` at `addr`, in shared memory of a CTA of the cluster.")]
            /// When the store is done, the mbarrier at `mbar` gets a complete-tx of the size of `b` in bytes, with release
            /// semantics in cluster scope.
            @unsafe fn $name[
                Space: StAsyncWeakSpace, $($ty)*
            ](addr: Space::Address = address, $($in)*, mbar: Space::Address = address);
            form: "st.async.weak{.ss}.mbarrier::complete_tx::bytes" $form " [addr], b, [mbar];";
            ptx: $head "st.async.weak" .. $tail;
            isa: $isa, target: "sm_90", section: "9.7.9.12";
            # Safety
            "- `addr` is aligned to the size of `b`. `mbar` is the address of a valid mbarrier."
            "- Both addresses are in the shared memory of the same CTA of the cluster. The cluster has more than one CTA."
            "- That CTA does not exit before the store is done."
            "- No thread and no copy reads or writes the bytes at `addr` before a wait on the mbarrier shows that the store is"
            "  done."
        }
    };
}

st_async! {
    st_async_weak "value" "8.1" "{.type}"
    [ Ty: StAsyncType after ".mbarrier::complete_tx::bytes" ]
    "" " [{addr}], {b}, [{mbar}];" [ b: Ty::Value = typed ]
}
st_async! {
    st_async_weak_v2 "two-element vector" "8.1" ".v2{.type}"
    [ Ty: StAsyncType after ".mbarrier::complete_tx::bytes.v2" ]
    "" " [{addr}], {{{b0}, {b1}}}, [{mbar}];" [ b: [Ty::Value; 2] = [b0 b1] ]
}
st_async! {
    st_async_weak_v4 "four-element vector" "8.1" ".v4{.type}"
    [ Ty: StAsyncV4Type after ".mbarrier::complete_tx::bytes.v4" ]
    "" " [{addr}], {{{b0}, {b1}, {b2}, {b3}}}, [{mbar}];" [ b: [Ty::Value; 4] = [b0 b1 b2 b3] ]
}
st_async! {
    st_async_weak_b128 "128-bit value" "9.2" ".b128" []
    "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; " ".mbarrier::complete_tx::bytes.b128 [{addr}], q, [{mbar}]; }}"
    [ b: B128 = { lo: b_lo, hi: b_hi } ]
}

/// `st.async{.mmio}.release.scope{.ss}.type [a], b;`
macro_rules! st_async_release {
    ($release:ident $mmio:ident $what:literal $Type:ident $head:literal $tail:literal) => {
        st_async_release!(@row $release "" "st.async.release" "{.scope}"
            [ Scope: StAsyncScope, ] $what $Type $head $tail);
        st_async_release!(@row $mmio ", as one operation on memory-mapped I/O"
            "st.async.mmio.release.sys" "" [] $what $Type $head $tail);
    };
    (@row $name:ident $does:literal $mnemonic:literal $scope_form:literal [ $($scope:tt)* ]
        $what:literal $Type:ident $head:literal $tail:literal
    ) => {
        instruction! {
            #[doc = concat!("Starts storing the ", $what, " `b` at `addr`, in global memory", $does, ", with release semantics.")]
            /// The store is done when the CTA has ended.
            @unsafe fn $name[ $($scope)* Space: StAsyncSpace, Ty: $Type ](
                addr: *mut u8 = reg64, b: Ty::Value = typed,
            );
            form: $mnemonic $scope_form "{.space}{.type} [addr], b;";
            ptx: $head $mnemonic .. $tail;
            isa: "8.7", target: "sm_100", section: "9.7.9.12";
            gate: sm_100;
            # Safety
            "- `addr` is the address of a value in global memory, aligned to the value's size. The memory stays valid until the"
            "  CTA ends."
            "- Concurrent accesses to the value are atomic, in scopes that include each other."
        }
    };
}

st_async_release! {
    st_async_release st_async_mmio_release "value"
    StAsyncReleaseType
    "" " [{addr}], {b};"
}
// Unlike for `st`, ptxas 13.5 requires a register of eight bits here, which `asm!` does not have.
st_async_release! {
    st_async_release_byte st_async_mmio_release_byte "8-bit value"
    StAsyncReleaseByteType
    "{{ .reg .b8 e; cvt.u8.u16 e, {b}; " " [{addr}], e; }}"
}
