//! `ld` and `st` in global memory, shared memory and distributed shared memory (DSMEM; PTX ISA 9.7.9.8 and 9.7.9.11).
//!
//! Weak and volatile accesses have no scope. The other accesses are atomic, with a `.sem` and a `.scope`. ptxas 13.5 accepts more
//! than the sections' syntax: `.v8` of 8-bit and 16-bit types, `.f16` and `.f16x2`. This module does not offer them.

use crate::qualifier::B128;

legal! {
    LdStSpace(AddressSpace): "`{Self}` is not a `.space` of `ld` or `st` in this crate: use `.global`, `.shared::cta` or `.shared::cluster`"
    { space::Global, space::SharedCta @ "7.8", space::SharedCluster @ "7.8" on "sm_90" }
    LdSem: "`{Self}` is not a `.sem` of `ld` with a `.scope`: use `.relaxed` or `.acquire`"
    { sem::Relaxed, sem::Acquire }
    StSem: "`{Self}` is not a `.sem` of `st` with a `.scope`: use `.relaxed` or `.release`"
    { sem::Relaxed, sem::Release }
    /// `.scope` of `ld`, `st` and `multimem`.
    LdStScope: "`{Self}` is not a `.scope` of `ld`, `st` or `multimem`: use `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys }
    /// `.type` of `ld` and `st`. For `.b128`, see `ld_b128`.
    LdStType(TypeTag): "`{Self}` is not a `.type` of `ld` or `st`: use `.b`, `.u` or `.s` of 8 to 64 bits, `.f32` or `.f64`"
    {
        ty::B8, ty::B16, ty::B32, ty::B64, ty::U8, ty::U16, ty::U32, ty::U64, ty::S8, ty::S16, ty::S32, ty::S64,
        ty::F32, ty::F64,
    }
    LdStGlobalSpace: "`{Self}` is not a `.space` of this `ld` or `st`: use `.global` or `All` (generic)"
    { space::All, space::Global }
    LdStV4Type(TypeTag): "`{Self}` is not a `.type` of a `.v4`: use `.b`, `.u` or `.s` of 8 to 32 bits, or `.f32`"
    { ty::B8, ty::B16, ty::B32, ty::U8, ty::U16, ty::U32, ty::S8, ty::S16, ty::S32, ty::F32 }
}

/// `ld{.weak}{.ss}{.vec}.type d, [a];`, `ld.volatile{.ss}{.vec}.type d, [a];`, `ld.sem.scope{.ss}{.vec}.type d, [a];`,
/// and `st` likewise.
///
/// The arguments: the names; the name of the value in the documentation; the PTX ISA version; `.vec` and `.type` in `form:`; the
/// `.scope`s and types; the head, tail and result of `ld`; the head, tail and operand of `st`.
macro_rules! ld_st {
    (
        [ $ld_weak:ident $ld_volatile:ident $ld:ident $st_weak:ident $st_volatile:ident $st:ident ]
        $what:literal $isa:literal $form:literal $scopes:tt $ty:tt $head:literal $ld_tail:literal $ld_out:tt
        $st_head:literal $st_tail:literal $st_in:tt
    ) => {
        ld_st!(@ld $ld_weak "Loads" "ld.weak" "" [] "- No thread and no asynchronous copy writes the value at the same time."
            $what $isa $form $ty $head $ld_tail $ld_out);
        ld_st!(@ld $ld_volatile "Loads, as often and in the order that the program states," "ld.volatile" "" []
            "- Concurrent accesses to the value are volatile, or atomic in `.sys` scope."
            $what $isa $form $ty $head $ld_tail $ld_out);
        ld_st!(@ld $ld "Atomically loads" "ld" "{.sem}{.scope}"
            [ Sem: LdSem, Scope: LdStScope $scopes, ]
            "- Concurrent accesses to the value are atomic, in scopes that include each other."
            $what $isa $form $ty $head $ld_tail $ld_out);
        ld_st!(@st $st_weak "Stores" "st.weak" "" []
            "- No other thread and no asynchronous copy reads or writes the value at the same time."
            $what $isa $form $ty $st_head $st_tail $st_in);
        ld_st!(@st $st_volatile "Stores, as often and in the order that the program states," "st.volatile" "" []
            "- Concurrent accesses to the value are volatile, or atomic in `.sys` scope."
            $what $isa $form $ty $st_head $st_tail $st_in);
        ld_st!(@st $st "Atomically stores" "st" "{.sem}{.scope}"
            [ Sem: StSem, Scope: LdStScope $scopes, ]
            "- Concurrent accesses to the value are atomic, in scopes that include each other."
            $what $isa $form $ty $st_head $st_tail $st_in);
    };
    (@ld $name:ident $does:literal $mnemonic:literal $order_form:literal [ $($order:tt)* ] $others:literal
        $what:literal $isa:literal $form:literal [ $($ty:tt)* ] $head:literal $tail:literal [ $($out:tt)* ]
    ) => {
        instruction! {
            #[doc = concat!($does, " the ", $what, " at `addr`.")]
            @unsafe fn $name[$($order)* Space: LdStSpace, $($ty)*](addr: Space::Address = address) -> $($out)*;
            form: $mnemonic $order_form "{.space}" $form " d, [addr];";
            ptx: $head $mnemonic .. $tail;
            isa: $isa, target: "sm_70", section: "9.7.9.8";
            # Safety
            "- `addr` is the address of the value in `Space`, aligned to the value's size, in a CTA that has not exited."
            $others
        }
    };
    (@st $name:ident $does:literal $mnemonic:literal $order_form:literal [ $($order:tt)* ] $others:literal
        $what:literal $isa:literal $form:literal [ $($ty:tt)* ] $head:literal $tail:literal [ $($in:tt)* ]
    ) => {
        instruction! {
            #[doc = concat!($does, " the ", $what, " `b` at `addr`.")]
            @unsafe fn $name[$($order)* Space: LdStSpace, $($ty)*](addr: Space::Address = address, $($in)*);
            form: $mnemonic $order_form "{.space}" $form " [addr], b;";
            ptx: $head $mnemonic .. $tail;
            isa: $isa, target: "sm_70", section: "9.7.9.11";
            # Safety
            "- `addr` is the address of the value in `Space`, aligned to the value's size, in a CTA that has not exited."
            $others
        }
    };
}

ld_st! {
    [ ld_weak ld_volatile ld st_weak st_volatile st ] "value" "6.0" "{.type}"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    [ Ty: LdStType ]
    "" " {d}, [{addr}];" [ Ty::Value = (d: _ = typed) super::cast(d) ]
    "" " [{addr}], {b};" [ b: Ty::Value = typed ]
}
ld_st! {
    [ ld_weak_v2 ld_volatile_v2 ld_v2 st_weak_v2 st_volatile_v2 st_v2 ] "two-element vector" "6.0" ".v2{.type}"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    [ Ty: LdStType after ".v2" ]
    "" " {{{d0}, {d1}}}, [{addr}];" [ [Ty::Value; 2] = (d0: _ = typed, d1: _ = typed) [super::cast(d0), super::cast(d1)] ]
    "" " [{addr}], {{{b0}, {b1}}};" [ b: [Ty::Value; 2] = [b0 b1] ]
}
ld_st! {
    [ ld_weak_v4 ld_volatile_v4 ld_v4 st_weak_v4 st_volatile_v4 st_v4 ] "four-element vector" "6.0" ".v4{.type}"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    [ Ty: LdStV4Type after ".v4" ]
    "" " {{{d0}, {d1}, {d2}, {d3}}}, [{addr}];"
    [ [Ty::Value; 4] = (d0: _ = typed, d1: _ = typed, d2: _ = typed, d3: _ = typed)
        [super::cast(d0), super::cast(d1), super::cast(d2), super::cast(d3)] ]
    "" " [{addr}], {{{b0}, {b1}, {b2}, {b3}}};" [ b: [Ty::Value; 4] = [b0 b1 b2 b3] ]
}
ld_st! {
    [ ld_weak_b128 ld_volatile_b128 ld_b128 st_weak_b128 st_volatile_b128 st_b128 ] "128-bit value" "8.3" ".b128"
    { scope::Cta, scope::Cluster on "sm_90", scope::Gpu, scope::Sys @ "8.4" }
    []
    "{{ .reg .b128 q; " ".b128 q, [{addr}]; mov.b128 {{{lo}, {hi}}}, q; }}"
    [ B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi } ]
    "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; " ".b128 [{addr}], q; }}" [ b: B128 = { lo: b_lo, hi: b_hi } ]
}

/// `ld.mmio.acquire.sys{.ss}.type d, [a];` and `st.mmio.release.sys{.ss}.type [a], b;`
macro_rules! mmio {
    ($ld:ident $st:ident $what:literal [ $($ty:tt)* ] $form:literal $head:literal $ld_tail:literal [ $($out:tt)* ]
        $st_head:literal $st_tail:literal [ $($in:tt)* ]
    ) => {
        instruction! {
            #[doc = concat!("Loads the ", $what, " at `addr`, in global memory, as one operation on memory-mapped I/O, with acquire")]
            /// semantics in `.sys` scope.
            @unsafe fn $ld[Space: LdStGlobalSpace, $($ty)*](addr: *const u8 = reg64) -> $($out)*;
            form: "ld.mmio.acquire.sys{.space}" $form " d, [addr];";
            ptx: $head "ld.mmio.acquire.sys" .. $ld_tail;
            isa: "9.3", target: "sm_70", section: "9.7.9.8";
            # Safety
            "- `addr` is the address of the value in global memory, aligned to the value's size."
            "- Concurrent accesses to the value are atomic, in `.sys` scope."
        }
        instruction! {
            #[doc = concat!("Stores the ", $what, " `b` at `addr`, in global memory, as one operation on memory-mapped I/O, with release")]
            /// semantics in `.sys` scope.
            @unsafe fn $st[Space: LdStGlobalSpace, $($ty)*](addr: *mut u8 = reg64, $($in)*);
            form: "st.mmio.release.sys{.space}" $form " [addr], b;";
            ptx: $st_head "st.mmio.release.sys" .. $st_tail;
            isa: "9.3", target: "sm_70", section: "9.7.9.11";
            # Safety
            "- `addr` is the address of the value in global memory, aligned to the value's size."
            "- Concurrent accesses to the value are atomic, in `.sys` scope."
        }
    };
}

mmio! {
    ld_mmio_acquire st_mmio_release "value" [ Ty: LdStType ] "{.type}"
    "" " {d}, [{addr}];" [ Ty::Value = (d: _ = typed) super::cast(d) ] "" " [{addr}], {b};" [ b: Ty::Value = typed ]
}
mmio! {
    ld_mmio_acquire_b128 st_mmio_release_b128 "128-bit value" [] ".b128"
    "{{ .reg .b128 q; " ".b128 q, [{addr}]; mov.b128 {{{lo}, {hi}}}, q; }}"
    [ B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi } ]
    "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; " ".b128 [{addr}], q; }}" [ b: B128 = { lo: b_lo, hi: b_hi } ]
}

// ptxas 13.5 takes vectors too, which none of the sources has.
instruction! {
    /// Loads the value at `addr`, in global memory, through the read-only proxy.
    @unsafe fn ld_proxy_readonly[Space: LdStGlobalSpace, Ty: LdStType](
        addr: *const u8 = reg64,
    ) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "ld.proxy::readonly{.space}{.type} d, [addr];";
    ptx: "ld.proxy::readonly" .. " {d}, [{addr}];";
    isa: "9.4", target: "sm_90", section: "9.7.9.8";
    # Safety
    "- `addr` is the address of the value in global memory, aligned to the value's size."
    "- Nothing writes the value while the kernel runs."
}
