//! `atom` on scalars: atomic read-modify-write operations that return the old value (`atomicAdd()` …; PTX ISA 9.7.13.5).

use crate::qualifier::B128;

legal! {
    AtomSem: "`{Self}` is not a `.sem` of `atom`: use `.relaxed`, `.acquire`, `.release` or `.acq_rel`"
    { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel }
    AtomScope: "`{Self}` is not a `.scope` of `atom` or `red`: use `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    // Section 9.7.13.5 lists `.s64`, but ptxas 13.5 refuses it with `.add`. `.u64` gives the same bits.
    AtomAddType(TypeTag): "`{Self}` is not a `.type` of `.add`: use `.u32`, `.u64`, `.s32`, `.f32` or `.f64`"
    { ty::U32, ty::U64, ty::S32, ty::F32, ty::F64 }
    AtomAddNoftzType(TypeTag): "`{Self}` is not a `.type` of `.add.noftz`: use `.f16`, `.bf16`, `.f16x2`, `.bf16x2` or `.f32`"
    {
        ty::F16 @ "6.3", ty::Bf16 @ "7.8" on "sm_90", ty::F16x2, ty::Bf16x2 @ "7.8" on "sm_90",
        ty::F32 @ "9.4" on "sm_90",
    }
    AtomIncType(TypeTag): "`{Self}` is not a `.type` of `.inc` or `.dec`: use `.u32`"
    { ty::U32 }
    AtomMinType(TypeTag): "`{Self}` is not a `.type` of `.min` or `.max`: use `.u32`, `.u64`, `.s32` or `.s64`"
    { ty::U32, ty::S32, ty::U64, ty::S64 }
    /// `.type` of `.and`, `.or` and `.xor` of `atom` and `red`, and of `atom.exch`. For `.b128`, see `atom_exch_b128`.
    AtomBitType(TypeTag): "`{Self}` is not a `.type` of `.and`, `.or`, `.xor` or `.exch`: use `.b32` or `.b64`"
    { ty::B32, ty::B64 }
    /// `.type` of `atom.cas`. For `.b128`, see `atom_cas_b128`.
    AtomCasType(TypeTag): "`{Self}` is not a `.type` of `atom.cas`: use `.b16`, `.b32` or `.b64`"
    { ty::B16 @ "6.3", ty::B32, ty::B64 }
    AtomSpace(AddressSpace): "`{Self}` is not a space of `atom` or `red`: use `.global`, `.shared::cta`, `.shared::cluster` or `All` (generic)"
    {
        space::All, space::Global, space::SharedCta @ "7.8" no cache_hint,
        space::SharedCluster @ "7.8" on "sm_90" no cache_hint,
    }
    AtomGlobalSpace(AddressSpace): "`{Self}` is not a space of `atom` or `red` on vectors: use `.global` or `All` (generic)"
    { space::All, space::Global }
    /// `.level::cache_hint` of `atom` and `red`, with its `cache-policy`.
    AtomCacheHint<Space>: "`{Self}` is not a `.level::cache_hint` of `atom` or `red` in `{Space}`: use `cache_hint::None` or, in `.global` or `All` (generic), `cache_hint::Policy(policy)`"
    {
        cache_hint::None,
        cache_hint::Policy(cache_policy in reg64) @ "7.4" on "sm_80" for [ space::All, space::Global ],
    }
}

/// Calls `$row!` for each `.op` of `atom` and `red`, with the text, types and PTX ISA version of `.op`, and with the clause of
/// `# Safety` about the shared memory of other CTAs.
//
// The clause avoids a defect of ptxas 13.5 (sm_90a and sm_100a). For a `.shared::cluster` or generic address ptxas emits three
// paths: an `ATOM`; a compare-and-swap loop, for the CTA's own shared memory; a plain load, operation and store, meant for local
// memory. An address in another CTA takes the plain path (updates were lost on an H200).
macro_rules! atom_op {
    ($row:ident $( $doc:literal $op:ident: $name:ident; )*) => { $( atom_op! { @$op $row $doc $name } )* };
    (@add $row:ident $($to:tt)*) => { $row! { $($to)* ".add" AtomAddType "6.0" [] } };
    (@add_noftz $row:ident $($to:tt)*) => { $row! { $($to)* ".add.noftz" AtomAddNoftzType "6.2" [
        "- With `.f16x2` or `.bf16x2`, the value is not in the shared memory of another CTA: the code that ptxas 13.5 emits for"
        "  `.shared::cluster` and generic addresses is not atomic there. `.f16` and `.bf16` are correct there."
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
        "- With a type of 64 bits, the value is not in the shared memory of another CTA: the code that ptxas 13.5 emits for"
        "  `.shared::cluster` and generic addresses is not atomic there. Types of 32 bits, `.add`, `.exch` and a loop of"
        "  [`atom_cas`](crate::raw::atom_cas) are correct there."
    ] } };
}

/// `atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d, [a], b{, cache-policy};`
macro_rules! atom {
    ($doc:literal $name:ident $op:literal $Type:ident $isa:literal [ $($of_peers:literal)* ]) => {
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Sem: AtomSem, Scope: AtomScope, Space: AtomSpace, ?CacheHint: AtomCacheHint<Space> after $op, Ty: $Type,
            ](addr: Space::Address = address, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: "atom{.sem}{.scope}{.space}" $op "{.L2::cache_hint}{.type} d, [addr], b{, cache-policy};";
            ptx: "atom" .. " {d}, [{addr}], {b}" .. ";";
            isa: $isa, target: "sm_70", section: "9.7.13.5";
            # Safety
            "- `addr` is the address, in `Space`, of a value in global or shared memory, aligned to the value's size. With a"
            "  cache policy, the value is in global memory."
            "- A CTA in whose shared memory the value lies has not exited."
            $($of_peers)*
            "- Concurrent accesses to the value are atomic, in scopes that include each other."
            "- A cache policy comes from a `createpolicy` instruction."
        }
    };
}

atom_op! { atom
    "Adds `b` to the value at `addr` and returns the old value (`atomicAdd()`)."
    add: atom_add;
    "Adds `b` to the value at `addr`, without flushing subnormal numbers, and returns the old value. The addition of a pair is atomic per element, not as a whole."
    add_noftz: atom_add_noftz;
    "Increments the value at `addr`, or stores 0 if the old value is `b` or more, and returns the old value (`atomicInc()`)."
    inc: atom_inc;
    "Decrements the value at `addr`, or stores `b` if the old value is 0 or more than `b`, and returns the old value (`atomicDec()`)."
    dec: atom_dec;
    "Replaces the value at `addr` with the minimum of the value and `b`, and returns the old value (`atomicMin()`)."
    min: atom_min;
    "Replaces the value at `addr` with the maximum of the value and `b`, and returns the old value (`atomicMax()`)."
    max: atom_max;
    "Replaces the value at `addr` with the bitwise `and` of the value and `b`, and returns the old value (`atomicAnd()`)."
    and: atom_and;
    "Replaces the value at `addr` with the bitwise `or` of the value and `b`, and returns the old value (`atomicOr()`)."
    or: atom_or;
    "Replaces the value at `addr` with the bitwise `xor` of the value and `b`, and returns the old value (`atomicXor()`)."
    xor: atom_xor;
    "Stores `b` at `addr` and returns the old value (`atomicExch()`)."
    exch: atom_exch;
}

instruction! {
    /// Stores `c` at `addr` if the old value equals `b`, and returns the old value (`atomicCAS()`).
    @unsafe fn atom_cas[
        Sem: AtomSem, Scope: AtomScope, Space: AtomSpace, Ty: AtomCasType after ".cas",
    ](addr: Space::Address = address, b: Ty::Value = typed, c: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "atom{.sem}{.scope}{.space}.cas{.type} d, [addr], b, c;";
    ptx: "atom" .. " {d}, [{addr}], {b}, {c};";
    isa: "6.0", target: "sm_70", section: "9.7.13.5";
    # Safety
    "- As [`atom_add`]."
}

instruction! {
    /// Stores the 128 bits of `c` at `addr` if the old bits equal `b`, and returns the old bits (`atomicCAS()`).
    @unsafe fn atom_cas_b128[
        Sem: AtomSem, Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" }, Space: AtomSpace,
    ](addr: Space::Address = address, b: B128 = { lo: b_lo, hi: b_hi }, c: B128 = { lo: c_lo, hi: c_hi })
        -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
    form: "atom{.sem}{.scope}{.space}.cas.b128 d, [addr], b, c;";
    ptx: "{{ .reg .b128 q, q1; mov.b128 q, {{{b_lo}, {b_hi}}}; mov.b128 q1, {{{c_lo}, {c_hi}}}; atom" ..
        ".cas.b128 q, [{addr}], q, q1; mov.b128 {{{lo}, {hi}}}, q; }}";
    isa: "8.3", target: "sm_90", section: "9.7.13.5";
    # Safety
    "- As [`atom_add`]."
}

instruction! {
    /// Stores the 128 bits of `b` at `addr` and returns the old bits (`atomicExch()`).
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
    "- As [`atom_add`]."
}
