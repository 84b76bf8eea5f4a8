//! `atom` with scalar types: section 9.7.13.5.

#[cfg(target_arch = "nvptx64")]
use super::cast;
use crate::qualifier::B128;

legal! {
    /// `.sem` of `atom`.
    AtomSem: "`{Self}` is no `.sem` of `atom`: it takes `.relaxed`, `.acquire`, `.release` or `.acq_rel`"
    { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel }
    /// `.scope` of `atom` and `red`.
    AtomScope: "`{Self}` is no `.scope` of `atom` or `red`: they take `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    /// `.type` of `atom.add` and `red.add`.
    // 9.7.13.5 lists `.s64` among the types; ptxas 13.5 refuses it with `.add`. `.u64` adds the same bits.
    AtomAddType(TypeTag): "`{Self}` is no `.type` of `.add`: it takes `.u32`, `.u64`, `.s32`, `.f32` or `.f64`"
    { ty::U32, ty::U64, ty::S32, ty::F32, ty::F64 }
    /// `.type` of `atom.add.noftz` and `red.add.noftz`.
    AtomAddNoftzType(TypeTag): "`{Self}` is no `.type` of `.add.noftz`: it takes `.f16`, `.bf16`, `.f16x2` or `.bf16x2`"
    { ty::F16 @ "6.3", ty::Bf16 @ "7.8" on "sm_90", ty::F16x2, ty::Bf16x2 @ "7.8" on "sm_90" }
    /// `.type` of `.inc` and `.dec` of `atom` and `red`.
    AtomIncType(TypeTag): "`{Self}` is no `.type` of `.inc` or `.dec`: they take `.u32`"
    { ty::U32 }
    /// `.type` of `.min` and `.max` of `atom` and `red`.
    AtomMinType(TypeTag): "`{Self}` is no `.type` of `.min` or `.max`: they take `.u32`, `.u64`, `.s32` or `.s64`"
    { ty::U32, ty::S32, ty::U64, ty::S64 }
    /// `.type` of `.and`, `.or` and `.xor` of `atom` and `red`, and of `atom.exch`, which has a `.b128` besides.
    AtomBitType(TypeTag): "`{Self}` is no `.type` of `.and`, `.or`, `.xor` or `.exch`: they take `.b32` or `.b64`"
    { ty::B32, ty::B64 }
    /// `.type` of `atom.cas`, which has a `.b128` besides.
    AtomCasType(TypeTag): "`{Self}` is no `.type` of `atom.cas`: it takes `.b16`, `.b32` or `.b64`"
    { ty::B16 @ "6.3", ty::B32, ty::B64 }
    /// `.space` of `atom` and `red`.
    AtomSpace(AddressSpace): "`{Self}` is no space of `atom` or `red`: they take `.global`, `.shared::cta`, `.shared::cluster` or none (generic)"
    {
        space::All, space::Global, space::SharedCta @ "7.8" no cache_hint,
        space::SharedCluster @ "7.8" on "sm_90" no cache_hint,
    }
    /// `.space` of `atom` and `red` with a vector type.
    AtomGlobalSpace(AddressSpace): "`{Self}` is no space of an `atom` or `red` with a vector type: they take `.global` or none (generic)"
    { space::All, space::Global }
    /// `.level::cache_hint` of `atom` and `red`, and its `cache-policy`.
    AtomCacheHint<Space>: "`{Self}` is no `.level::cache_hint` of an `atom` or `red` in `{Space}`: it takes `cache_hint::None` or, in `.global` or none (generic), `cache_hint::Policy` of a `cache-policy`"
    {
        cache_hint::None,
        cache_hint::Policy(cache_policy in reg64) @ "7.4" on "sm_80" for [ space::All, space::Global ],
    }
}

/// What `.op` of `atom` and `red` decides, for `$row!`: its text, its types, the PTX ISA, and what it is not in a peer's shared memory.
macro_rules! atom_op {
    ($row:ident $( $doc:literal $op:ident: $name:ident; )*) => { $( atom_op! { @$op $row $doc $name } )* };
    (@add $row:ident $($to:tt)*) => { $row! { $($to)* ".add" AtomAddType "6.0" [] } };
    (@add_noftz $row:ident $($to:tt)*) => { $row! { $($to)* ".add.noftz" AtomAddNoftzType "6.2" [
        "- of `.f16x2` and `.bf16x2`, not in another CTA's shared memory, by `.shared::cluster` or a generic address: ptxas 13.5"
        "  makes an `ATOM`, then a loop of compare-and-swap if the address is of the CTA's own shared memory, else a plain load,"
        "  integer addition and store, meant for local memory, and this is where a peer's address comes to (sm_90a and sm_100a; seen"
        "  on an H200). `.f16` and `.bf16` are right there."
    ] } };
    (@inc $row:ident $($to:tt)*) => { $row! { $($to)* ".inc" AtomIncType "6.0" [] } };
    (@dec $row:ident $($to:tt)*) => { $row! { $($to)* ".dec" AtomIncType "6.0" [] } };
    (@min $($to:tt)*) => { atom_op! { @wide ".min" AtomMinType $($to)* } };
    (@max $($to:tt)*) => { atom_op! { @wide ".max" AtomMinType $($to)* } };
    (@and $($to:tt)*) => { atom_op! { @wide ".and" AtomBitType $($to)* } };
    (@or $($to:tt)*) => { atom_op! { @wide ".or" AtomBitType $($to)* } };
    (@xor $($to:tt)*) => { atom_op! { @wide ".xor" AtomBitType $($to)* } };
    (@exch $row:ident $($to:tt)*) => { $row! { $($to)* ".exch" AtomBitType "6.0" [] } };
    (@wide $op:literal $Type:ident $row:ident $($to:tt)*) => { $row! { $($to)* $op $Type "6.0" [
        "- of 64 bits, not in another CTA's shared memory, by `.shared::cluster` or a generic address: ptxas 13.5 makes an `ATOM`,"
        "  then a loop of compare-and-swap if the address is of the CTA's own shared memory, else a plain load, operation and store,"
        "  meant for local memory, and this is where a peer's address comes to (sm_90a and sm_100a; on an H200 updates were lost)."
        "  A loop of [`atom_cas`](crate::raw::atom_cas) is right there, and so are `.add`, `.exch` and 32 bits."
    ] } };
}

/// `atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d, [a], b{, cache-policy};`
macro_rules! atom {
    ($doc:literal $name:ident $op:literal $Type:ident $isa:literal [ $($of_peers:literal)* ]) => {
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Sem: AtomSem, Scope: AtomScope, Space: AtomSpace, ?CacheHint: AtomCacheHint<Space> after $op, Ty: $Type,
            ](addr: Space::Address = address, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
            form: "atom{.sem}{.scope}{.space}" $op "{.L2::cache_hint}{.type} d, [addr], b{, cache-policy};";
            ptx: "atom" .. " {d}, [{addr}], {b}" .. ";";
            isa: $isa, target: "sm_70", section: "9.7.13.5";
            # Safety
            "- `addr` is the address, in the given space, of such a value in global or shared memory, aligned to its size;"
            "  with a cache policy, in global memory."
            "- in `.shared::cluster`, its CTA has not exited."
            $($of_peers)*
            "- what others do to it meanwhile is atomic, in scopes that include each other."
            "- a cache policy comes from a `createpolicy` instruction."
        }
    };
}

atom_op! { atom
    "Adds `b` to the value at `addr`, and returns the value before."
    add: atom_add;
    "Adds `b` to the value at `addr`, subnormals preserved, and returns the value before. Of a pair each is atomic for itself."
    add_noftz: atom_add_noftz;
    "Increments the value at `addr`, or makes it 0 if it is `b` or more, and returns the value before."
    inc: atom_inc;
    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`, and returns the value before."
    dec: atom_dec;
    "Makes the value at `addr` the minimum of itself and `b`, and returns the value before."
    min: atom_min;
    "Makes the value at `addr` the maximum of itself and `b`, and returns the value before."
    max: atom_max;
    "Makes the value at `addr` its bitwise and with `b`, and returns the value before."
    and: atom_and;
    "Makes the value at `addr` its bitwise or with `b`, and returns the value before."
    or: atom_or;
    "Makes the value at `addr` its bitwise exclusive or with `b`, and returns the value before."
    xor: atom_xor;
    "Makes the value at `addr` `b`, and returns the value before."
    exch: atom_exch;
}

instruction! {
    /// Makes the value at `addr` `c` if it equals `b`, and returns the value before.
    @unsafe fn atom_cas[
        Sem: AtomSem, Scope: AtomScope, Space: AtomSpace, Ty: AtomCasType after ".cas",
    ](addr: Space::Address = address, b: Ty::Value = typed, c: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
    form: "atom{.sem}{.scope}{.space}.cas{.type} d, [addr], b, c;";
    ptx: "atom" .. " {d}, [{addr}], {b}, {c};";
    isa: "6.0", target: "sm_70", section: "9.7.13.5";
    # Safety
    "- as [`atom_add`]."
}

instruction! {
    /// Makes the 128 bits at `addr` `c` if they equal `b`, and returns the bits before.
    @unsafe fn atom_cas_b128[
        Sem: AtomSem, Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" }, Space: AtomSpace,
    ](addr: Space::Address = address, b: B128 = { lo: b_lo, hi: b_hi }, c: B128 = { lo: c_lo, hi: c_hi })
        -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
    form: "atom{.sem}{.scope}{.space}.cas.b128 d, [addr], b, c;";
    ptx: "{{ .reg .b128 q, q1; mov.b128 q, {{{b_lo}, {b_hi}}}; mov.b128 q1, {{{c_lo}, {c_hi}}}; atom" ..
        ".cas.b128 q, [{addr}], q, q1; mov.b128 {{{lo}, {hi}}}, q; }}";
    isa: "8.3", target: "sm_90", section: "9.7.13.5";
    # Safety
    "- as [`atom_add`]."
}

instruction! {
    /// Makes the 128 bits at `addr` `b`, and returns the bits before.
    @unsafe fn atom_exch_b128[
        Sem: AtomSem, Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" }, Space: AtomSpace,
        ?CacheHint: AtomCacheHint<Space> after ".exch",
    ](addr: Space::Address = address, b: B128 = { lo: b_lo, hi: b_hi })
        -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
    form: "atom{.sem}{.scope}{.space}.exch{.L2::cache_hint}.b128 d, [addr], b{, cache-policy};";
    ptx: "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; atom" ..
        ".b128 q, [{addr}], q" .. "; mov.b128 {{{lo}, {hi}}}, q; }}";
    isa: "8.3", target: "sm_90", section: "9.7.13.5";
    # Safety
    "- as [`atom_add`]."
}
