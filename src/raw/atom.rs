//! `atom` with scalar types: section 9.7.13.5.

#[cfg(target_arch = "nvptx64")]
use super::cast;
use crate::qualifier::B128;

legal! {
    /// `.sem` of `atom`.
    AtomSem: "`{Self}` is no `.sem` of `atom`: it takes `.relaxed`, `.acquire`, `.release` or `.acq_rel`"
    { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel }
}
legal! {
    /// `.scope` of `atom` and `red`.
    AtomScope: "`{Self}` is no `.scope` of `atom` or `red`: they take `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys }
}
legal! {
    /// `.type` of `atom.add` and `red.add`.
    // 9.7.13.5 lists `.s64` among the types; ptxas 13.5 refuses it with `.add`. `.u64` adds the same bits.
    AtomAddType(TypeTag): "`{Self}` is no `.type` of `.add`: it takes `.u32`, `.u64`, `.s32`, `.f32` or `.f64`"
    { ty::U32, ty::U64, ty::S32, ty::F32, ty::F64 }
}
legal! {
    /// `.type` of `atom.add.noftz` and `red.add.noftz`.
    AtomAddNoftzType(TypeTag): "`{Self}` is no `.type` of `.add.noftz`: it takes `.f16`, `.bf16`, `.f16x2` or `.bf16x2`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2 }
}
legal! {
    /// `.type` of `.inc` and `.dec` of `atom` and `red`.
    AtomIncType(TypeTag): "`{Self}` is no `.type` of `.inc` or `.dec`: they take `.u32`"
    { ty::U32 }
}
legal! {
    /// `.type` of `.min` and `.max` of `atom` and `red`.
    AtomMinType(TypeTag): "`{Self}` is no `.type` of `.min` or `.max`: they take `.u32`, `.u64`, `.s32` or `.s64`"
    { ty::U32, ty::U64, ty::S32, ty::S64 }
}
legal! {
    /// `.type` of `.and`, `.or` and `.xor` of `atom` and `red`, and of `atom.exch`, which has a `.b128` besides.
    AtomBitType(TypeTag): "`{Self}` is no `.type` of `.and`, `.or`, `.xor` or `.exch`: they take `.b32` or `.b64`"
    { ty::B32, ty::B64 }
}
legal! {
    /// `.type` of `atom.cas`, which has a `.b128` besides.
    AtomCasType(TypeTag): "`{Self}` is no `.type` of `atom.cas`: it takes `.b16`, `.b32` or `.b64`"
    { ty::B16, ty::B32, ty::B64 }
}

legal! {
    /// `.space` of `atom` and `red`.
    AtomSpace(AddressSpace): "`{Self}` is no space of `atom` or `red`: they take `.global`, `.shared::cta`, `.shared::cluster` or none (generic)"
    { space::All, space::Global, space::SharedCta, space::SharedCluster }
}
legal! {
    /// `.space` of `atom` and `red` with a cache policy or a vector type.
    AtomGlobalSpace(AddressSpace): "`{Self}` is no space of an `atom` or `red` with a cache policy or a vector type: they take `.global` or none (generic)"
    { space::All, space::Global }
}

/// What `.op` and the cache policy of `atom` and `red` decide, for `$row!`: the text of `.op` and its types; where the value
/// is and the points of `# Safety` on it, with what a peer's shared memory does not have; PTX ISA and target; the policy. Each without and with a policy.
macro_rules! atom_op {
    ($row:ident $( $doc:literal $op:ident: $name:ident, $hint:ident; )*) => { $(
        atom_op! { @$op $row $doc $name $hint }
    )* };
    (@add $($to:tt)*) => { atom_op! { @hints [] "6.0" [ ".add" AtomAddType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::F32 as u32 in reg32,
        ty::F64 as u64 in reg64,
    } ] $($to)* } };
    (@add_noftz $($to:tt)*) => { atom_op! { @hints [
        "- of `.f16x2` and `.bf16x2`, not in another CTA's shared memory, by `.shared::cluster` or a generic address: ptxas 13.5"
        "  makes an `ATOM`, then a loop of compare-and-swap if the address is of the CTA's own shared memory, else a plain load,"
        "  integer addition and store, meant for local memory, and this is where a peer's address comes to (sm_90a and sm_100a; seen"
        "  on an H200). `.f16` and `.bf16` are right there."
    ] "6.2" [ ".add.noftz" AtomAddNoftzType {
        ty::F16 as u16 in reg16 @ "6.3", ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90", ty::F16x2 as u32 in reg32,
        ty::Bf16x2 as u32 in reg32 @ "7.8" on "sm_90",
    } ] $($to)* } };
    (@inc $($to:tt)*) => { atom_op! { @hints [] "6.0" [ ".inc" AtomIncType { ty::U32 as u32 in reg32 } ] $($to)* } };
    (@dec $($to:tt)*) => { atom_op! { @hints [] "6.0" [ ".dec" AtomIncType { ty::U32 as u32 in reg32 } ] $($to)* } };
    (@min $($to:tt)*) => { atom_op! { @min_max ".min" $($to)* } };
    (@max $($to:tt)*) => { atom_op! { @min_max ".max" $($to)* } };
    (@min_max $op:literal $($to:tt)*) => { atom_op! { @hints [
        "- of 64 bits, not in another CTA's shared memory, by `.shared::cluster` or a generic address: ptxas 13.5 makes an `ATOM`,"
        "  then a loop of compare-and-swap if the address is of the CTA's own shared memory, else a plain load, operation and store,"
        "  meant for local memory, and this is where a peer's address comes to (sm_90a and sm_100a; on an H200 updates were lost)."
        "  A loop of [`atom_cas`] is right there, and so are `.add`, `.exch` and 32 bits."
    ] "6.0" [ $op AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    } ] $($to)* } };
    (@and $($to:tt)*) => { atom_op! { @wide ".and" $($to)* } };
    (@or $($to:tt)*) => { atom_op! { @wide ".or" $($to)* } };
    (@xor $($to:tt)*) => { atom_op! { @wide ".xor" $($to)* } };
    (@exch $($to:tt)*) => { atom_op! { @bits [] ".exch" $($to)* } };
    (@wide $($to:tt)*) => { atom_op! { @bits [
        "- of 64 bits, not in another CTA's shared memory, by `.shared::cluster` or a generic address: ptxas 13.5 makes an `ATOM`,"
        "  then a loop of compare-and-swap if the address is of the CTA's own shared memory, else a plain load, operation and store,"
        "  meant for local memory, and this is where a peer's address comes to (sm_90a and sm_100a; on an H200 updates were lost)."
        "  A loop of [`atom_cas`] is right there, and so are `.add`, `.exch` and 32 bits."
    ] $($to)* } };
    (@bits $note:tt $op:literal $($to:tt)*) => {
        atom_op! { @hints $note "6.0" [ $op AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 } ] $($to)* }
    };
    (@hints [ $($note:literal)* ] $isa:literal $op:tt $row:ident $doc:literal $name:ident $hint:ident) => {
        $row! { $name $doc $op
            [ AtomSpace {
                space::All at u64 in reg64, space::Global at u64 in reg64, space::SharedCta at u32 in reg32 @ "7.8",
                space::SharedCluster at u32 in reg32 @ "7.8" on "sm_90",
            } addr: Space::Address = address,
            "- `addr` is the address, in the given space, of such a value in global or shared memory, aligned to its size."
            "- in `.shared::cluster`, its CTA has not exited." $($note)* ]
            [ $isa, "sm_70" ] "" [] }
        $row! { $hint $doc $op
            [ AtomGlobalSpace { space::All, space::Global } addr: *mut u8 = reg64,
            "- `addr` is the address of such a value in global memory, aligned to its size." ]
            [ "7.4", "sm_80" ] ".L2::cache_hint" [ cache_policy ", {cache_policy}", ", cache-policy"
            "The value is in global memory; under an L2 cache policy."
            "- `cache_policy` comes from a `createpolicy` instruction." ] }
    };
}
pub(super) use atom_op;

/// `atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d, [a], b{, cache-policy};`
macro_rules! atom {
    ($name:ident $doc:literal [ $op:literal $Type:ident { $($tag:tt)* } ]
        [ $Space:ident { $($space:tt)* } $addr:ident: $Addr:ty = $class:ident, $($where:literal)+ ]
        [ $isa:literal, $target:literal ] $hint:literal
        [ $($policy:ident $policy_text:literal, $policy_form:literal $how:literal $policy_note:literal)? ]
    ) => {
        instruction! {
            #[doc = $doc]
            $( #[doc = $how] )?
            @unsafe fn $name[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Space: $Space { $($space)* },
                Ty: $Type after $op $hint { $($tag)* },
            ]($addr: $Addr = $class, b: Ty::Value = typed, $( $policy: u64 = reg64, )?)
                -> Ty::Value = (d: _ = typed) cast(d);
            form: "atom{.sem}{.scope}{.space}" $op $hint "{.type} d, [addr], b" $( $policy_form )? ";";
            ptx: "atom" .. " {d}, [{addr}], {b}" $( $policy_text )? ";";
            isa: $isa, target: $target, section: "9.7.13.5";
            # Safety
            $( $where )+
            "- what others do to it meanwhile is atomic, in scopes that include each other."
            $( $policy_note )?
        }
    };
}

atom_op! { atom
    "Adds `b` to the value at `addr`, and returns the value before."
    add: atom_add, atom_add_cache_hint;
    "Adds `b` to the value at `addr`, subnormals preserved, and returns the value before. Of a pair each is atomic for itself."
    add_noftz: atom_add_noftz, atom_add_noftz_cache_hint;
    "Increments the value at `addr`, or makes it 0 if it is `b` or more, and returns the value before."
    inc: atom_inc, atom_inc_cache_hint;
    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`, and returns the value before."
    dec: atom_dec, atom_dec_cache_hint;
    "Makes the value at `addr` the minimum of itself and `b`, and returns the value before."
    min: atom_min, atom_min_cache_hint;
    "Makes the value at `addr` the maximum of itself and `b`, and returns the value before."
    max: atom_max, atom_max_cache_hint;
    "Makes the value at `addr` its bitwise and with `b`, and returns the value before."
    and: atom_and, atom_and_cache_hint;
    "Makes the value at `addr` its bitwise or with `b`, and returns the value before."
    or: atom_or, atom_or_cache_hint;
    "Makes the value at `addr` its bitwise exclusive or with `b`, and returns the value before."
    xor: atom_xor, atom_xor_cache_hint;
    "Makes the value at `addr` `b`, and returns the value before."
    exch: atom_exch, atom_exch_cache_hint;
}

instruction! {
    /// Makes the value at `addr` `c` if it equals `b`, and returns the value before.
    @unsafe fn atom_cas[
        Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
        Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
        Space: AtomSpace {
            space::All at u64 in reg64, space::Global at u64 in reg64, space::SharedCta at u32 in reg32 @ "7.8",
            space::SharedCluster at u32 in reg32 @ "7.8" on "sm_90",
        },
        Ty: AtomCasType after ".cas" {
            ty::B16 as u16 in reg16 @ "6.3", ty::B32 as u32 in reg32, ty::B64 as u64 in reg64,
        },
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
        Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
        Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" },
        Space: AtomSpace {
            space::All at u64 in reg64, space::Global at u64 in reg64, space::SharedCta at u32 in reg32,
            space::SharedCluster at u32 in reg32,
        },
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
        Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
        Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" },
        Space: AtomSpace {
            space::All at u64 in reg64, space::Global at u64 in reg64, space::SharedCta at u32 in reg32,
            space::SharedCluster at u32 in reg32,
        },
    ](addr: Space::Address = address, b: B128 = { lo: b_lo, hi: b_hi })
        -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
    form: "atom{.sem}{.scope}{.space}.exch.b128 d, [addr], b;";
    ptx: "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; atom" ..
        ".exch.b128 q, [{addr}], q; mov.b128 {{{lo}, {hi}}}, q; }}";
    isa: "8.3", target: "sm_90", section: "9.7.13.5";
    # Safety
    "- as [`atom_add`]."
}

instruction! {
    /// Makes the 128 bits at `addr`, in global memory, `b`, and returns the bits before; under an L2 cache policy.
    @unsafe fn atom_exch_b128_cache_hint[
        Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
        Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" },
        Space: AtomGlobalSpace { space::All, space::Global },
    ](addr: *mut u8 = reg64, b: B128 = { lo: b_lo, hi: b_hi }, cache_policy: u64 = reg64)
        -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
    form: "atom{.sem}{.scope}{.space}.exch.L2::cache_hint.b128 d, [addr], b, cache-policy;";
    ptx: "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; atom" ..
        ".exch.L2::cache_hint.b128 q, [{addr}], q, {cache_policy}; mov.b128 {{{lo}, {hi}}}, q; }}";
    isa: "8.3", target: "sm_90", section: "9.7.13.5";
    # Safety
    "- as [`atom_add_cache_hint`]."
}
