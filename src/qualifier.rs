//! Qualifiers of PTX instructions as zero-sized values: `.release` is [`sem::Release`], `.cta` is
//! [`scope::Cta`]. A function of [`raw`](crate::raw) takes them by value, as `cuda::ptx` does, and the
//! traits in its signature say which of them PTX allows there.

mod sealed {
    /// What only this crate implements.
    #[diagnostic::on_unimplemented(message = "`{Self}` is not one of the types that `ptx` has for this")]
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

/// A qualifier. Implemented by the types of this module and by nothing else.
///
/// ```
/// use ptx::qualifier::{Qualifier, scope, sem};
/// fn text<Q: Qualifier>(_: Q) -> &'static str {
///     Q::PTX
/// }
/// # fn kernel() {
/// let (sem, scope) = (text(sem::AcqRel), text(scope::Gpu)); // ".acq_rel", ".gpu"
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no qualifier of PTX",
    label = "not one of `ptx::qualifier`",
    note = "the qualifiers are the types of the modules of `ptx::qualifier`, such as `sem::Release`"
)]
pub trait Qualifier: Sealed + Copy {
    /// The PTX text, dot included; empty where the absence of a qualifier is the choice.
    const PTX: &'static str;
    /// What the raw layer's `match const` selects on: a hash of the type's path.
    #[doc(hidden)]
    const ID: u64;
}

/// A type: a qualifier whose operands are Rust values of that type.
///
/// ```
/// use ptx::{qualifier::{TypeTag, space, ty}, raw};
/// # unsafe fn kernel(addr: u32) {
/// // SAFETY: an `i16` of shared memory is at `addr`, and nobody writes it meanwhile.
/// let x: <ty::S16 as TypeTag>::Value = unsafe { raw::ld_weak(space::SharedCta, ty::S16, addr) };
/// let x: i16 = x;
/// # }
/// ```
pub trait TypeTag: Qualifier {
    /// The Rust type of an operand.
    type Value: Copy;
}

/// A state space: a qualifier whose operands are addresses in it.
///
/// ```
/// use ptx::{qualifier::{AddressSpace, space}, raw};
/// # unsafe fn kernel(shared: u32, generic: *mut u8) {
/// let shared: <space::SharedCta as AddressSpace>::Address = shared; // a `u32`
/// // SAFETY: both are addresses of eight bytes of shared memory for an mbarrier.
/// unsafe {
///     raw::mbarrier_init(space::SharedCta, shared, 1);
///     raw::mbarrier_init(space::All, generic, 1);
/// }
/// # }
/// ```
pub trait AddressSpace: Qualifier {
    /// The Rust type of an address: a `u32` in shared memory, else a pointer.
    type Address: AddressBits;
}

/// An address as what goes in its register: a conversion that costs the MIR inliner nothing where the types are the same.
///
/// # Safety
///
/// Implemented here only: both are the address.
#[doc(hidden)]
pub unsafe trait AddressBits: Copy {
    fn u32(self) -> u32;
    fn u64(self) -> u64;
}
macro_rules! address_bits {
    ($( $Address:ty ),*) => { $(
        // SAFETY: casts.
        unsafe impl AddressBits for $Address {
            #[inline(always)]
            fn u32(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn u64(self) -> u64 {
                self as u64
            }
        }
    )* };
}
address_bits! { u32, *mut u8 }

const fn fnv1a(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut hash, mut i) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x100_0000_01b3);
        i += 1;
    }
    hash
}

macro_rules! qualifiers {
    ($( $(#[$axis_doc:meta])* mod $axis:ident {
        $( $(#[$doc:meta])* $Tag:ident $(($Operand:ty))? = $ptx:literal; )*
    } )*) => {
        $(
            $(#[$axis_doc])*
            ///
            /// Its values:
            $(
                #[doc = concat!("- `", stringify!($Tag), $( "(", stringify!($Operand), ")", )? "`:")]
                $(#[$doc])*
            )*
            pub mod $axis {
                $(
                    $(#[$doc])*
                    // Listed on the axis's page; hidden from rustdoc only, which rustc's messages would otherwise take up.
                    #[cfg_attr(doc, doc(hidden))]
                    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
                    #[repr(transparent)]
                    pub struct $Tag $( (pub $Operand) )?;
                    #[diagnostic::do_not_recommend]
                    impl super::Sealed for $Tag {}
                    #[diagnostic::do_not_recommend]
                    impl super::Qualifier for $Tag {
                        const PTX: &'static str = $ptx;
                        const ID: u64 = super::fnv1a(concat!(stringify!($axis), "::", stringify!($Tag)));
                    }
                )*
            }
        )*
        /// The PTX text of a qualifier as a literal, for `concat!`.
        #[allow(unused_macros, reason = "off the device nothing is emitted")]
        macro_rules! ptx_text {
            $( $( ($axis :: $Tag) => { $ptx }; )* )*
        }
    };
}

qualifiers! {
    /// `.sem`: the memory ordering of an operation.
    mod sem {
        /// `.acquire`: what the releasing threads did before is visible after.
        Acquire = ".acquire";
        /// `.release`: what this thread did before is visible to who acquires.
        Release = ".release";
        /// `.relaxed`: atomic, and orders nothing else.
        Relaxed = ".relaxed";
        /// `.acq_rel`: both `.acquire` and `.release`.
        AcqRel = ".acq_rel";
        /// `.sc`: sequentially consistent.
        Sc = ".sc";
    }
    /// `.scope`: the threads that observe the ordering directly.
    mod scope {
        /// `.cta`: the threads of the same CTA.
        Cta = ".cta";
        /// `.cluster`: the threads of the same cluster.
        Cluster = ".cluster";
        /// `.gpu`: the threads of the same GPU.
        Gpu = ".gpu";
        /// `.sys`: all threads of the system, the host's too.
        Sys = ".sys";
    }
    /// `.space`: the state space of an address.
    mod space {
        /// `.shared::cta`: shared memory of the executing CTA.
        SharedCta = ".shared::cta";
        /// `.shared::cluster`: shared memory of any CTA of the cluster.
        SharedCluster = ".shared::cluster";
        /// `.global`: global memory.
        Global = ".global";
        /// `.local`: the thread's local memory.
        Local = ".local";
        /// `.const`: constant memory.
        Const = ".const";
        /// `.param`: parameters of the kernel.
        Param = ".param";
        /// `.param::entry`: parameters of the kernel, as newer versions of PTX distinguish them.
        ParamEntry = ".param::entry";
        /// No qualifier: every state space.
        All = "";
    }
    /// `.aligned`: whether all threads of the warp execute the same instruction.
    mod convergence {
        /// `.aligned`: they all do, in convergence.
        Aligned = ".aligned";
        /// No qualifier: they may arrive separately.
        Unaligned = "";
    }
    /// Eviction priorities of [`createpolicy_fractional`](crate::raw::createpolicy_fractional).
    mod evict {
        /// `.L2::evict_last`: evicted last.
        Last = ".L2::evict_last";
        /// `.L2::evict_normal`: the default priority.
        Normal = ".L2::evict_normal";
        /// `.L2::evict_first`: evicted first.
        First = ".L2::evict_first";
        /// `.L2::evict_unchanged`: leaves the priority as it is.
        Unchanged = ".L2::evict_unchanged";
    }
    /// `.type`: the type of an operand.
    mod ty {
        /// `.b8`: eight bits, a `u8`.
        B8 = ".b8";
        /// `.b16`: sixteen bits, a `u16`.
        B16 = ".b16";
        /// `.b32`: 32 bits, a `u32`.
        B32 = ".b32";
        /// `.b64`: 64 bits, a `u64`.
        B64 = ".b64";
        /// `.b128`: 128 bits, two halves.
        B128 = ".b128";
        /// `.u8`: a `u8`.
        U8 = ".u8";
        /// `.u16`: a `u16`.
        U16 = ".u16";
        /// `.u32`: a `u32`.
        U32 = ".u32";
        /// `.u64`: a `u64`.
        U64 = ".u64";
        /// `.s8`: an `i8`.
        S8 = ".s8";
        /// `.s16`: an `i16`.
        S16 = ".s16";
        /// `.s32`: an `i32`.
        S32 = ".s32";
        /// `.s64`: an `i64`.
        S64 = ".s64";
        /// `.f32`: an `f32`.
        F32 = ".f32";
        /// `.f64`: an `f64`.
        F64 = ".f64";
        /// `.f16`: half precision, as `half::f16` with the feature `half`, as bits without.
        F16 = ".f16";
        /// `.bf16`: bfloat16, as `half::bf16` with the feature `half`, as bits without.
        Bf16 = ".bf16";
        /// `.f16x2`: two `.f16`, the first in the low bits.
        F16x2 = ".f16x2";
        /// `.bf16x2`: two `.bf16`, the first in the low bits.
        Bf16x2 = ".bf16x2";
        /// `.e4m3`: an eight-bit float, as its bits.
        E4m3 = ".e4m3";
        /// `.e5m2`: an eight-bit float, as its bits.
        E5m2 = ".e5m2";
        /// `.e4m3x2`: two `.e4m3` as bits, the first in the low ones.
        E4m3x2 = ".e4m3x2";
        /// `.e5m2x2`: two `.e5m2` as bits, the first in the low ones.
        E5m2x2 = ".e5m2x2";
        /// `.e4m3x4`: four `.e4m3` as bits, the first in the low ones.
        E4m3x4 = ".e4m3x4";
        /// `.e5m2x4`: four `.e5m2` as bits, the first in the low ones.
        E5m2x4 = ".e5m2x4";
    }
    /// `.level::prefetch_size`: what the L2 cache may fetch around the data.
    mod prefetch_size {
        /// No qualifier: nothing more than the data.
        None = "";
        /// `.L2::64B`: 64 bytes.
        L2B64 = ".L2::64B";
        /// `.L2::128B`: 128 bytes.
        L2B128 = ".L2::128B";
        /// `.L2::256B`: 256 bytes.
        L2B256 = ".L2::256B";
    }
    /// `cp-size` of [`cp_async_ca`](crate::raw::cp_async_ca): the bytes that it copies, an immediate.
    mod cp_size {
        /// 4 bytes.
        B4 = "4";
        /// 8 bytes.
        B8 = "8";
        /// 16 bytes.
        B16 = "16";
    }
    /// `.op`: what combines the values.
    mod op {
        /// `.add`: the sum.
        Add = ".add";
        /// `.min`: the least.
        Min = ".min";
        /// `.max`: the greatest.
        Max = ".max";
        /// `.and`: all.
        And = ".and";
        /// `.or`: any.
        Or = ".or";
        /// `.xor`: an odd number.
        Xor = ".xor";
        /// `.inc`: one more, or 0 from the operand on.
        Inc = ".inc";
        /// `.dec`: one less, or the operand from 0 or above it.
        /// `.dec`: one less, or the operand from 0 and from above the operand.
        Dec = ".dec";
        /// `.add.acc::f16`: the sum, accumulated in `.f16`.
        AddAccF16 = ".add.acc::f16";
    }
    /// `.mode` of [`vote_sync`](crate::raw::vote_sync) and [`shfl_sync`](crate::raw::shfl_sync).
    mod mode {
        /// `.all`: true in all threads.
        All = ".all";
        /// `.any`: true in a thread.
        Any = ".any";
        /// `.uni`: the same in all threads.
        Uni = ".uni";
        /// `.up`: from a lower lane.
        Up = ".up";
        /// `.down`: from a higher lane.
        Down = ".down";
        /// `.bfly`: from the lane exclusive or a number.
        Bfly = ".bfly";
        /// `.idx`: from a lane by its number.
        Idx = ".idx";
    }
    /// `.abs`: whether an operation takes the absolute values.
    mod abs {
        /// `.abs`: it does.
        Abs = ".abs";
        /// No qualifier: it takes the values as they are.
        Signed = "";
    }
    /// `.NaN`: what one NaN does to the result.
    mod nan {
        /// `.NaN`: the result is NaN.
        Propagate = ".NaN";
        /// No qualifier: the other values count.
        Ignore = "";
    }
    /// `.ftz`: what becomes of subnormal operands and results.
    mod ftz {
        /// `.ftz`: zero, of the same sign.
        Flush = ".ftz";
        /// No qualifier: they stay as they are.
        Keep = "";
    }
    /// Rounding of [`cvt_f32`](crate::raw::cvt_f32) and its like.
    mod rounding {
        /// `.rn`: to the nearest, of two equally near ones to the even one.
        Rn = ".rn";
        /// `.rz`: towards zero.
        Rz = ".rz";
    }
    /// `.relu`: what becomes of negative results.
    mod relu {
        /// `.relu`: zero. NaN becomes the canonical NaN.
        Relu = ".relu";
        /// No qualifier: they stay as they are.
        None = "";
    }
    /// `.satfinite`: what becomes of results too large for their type.
    mod satfinite {
        /// `.satfinite`: the largest finite number of their sign.
        Satfinite = ".satfinite";
        /// No qualifier: an infinity.
        None = "";
    }
    /// `.action` of [`griddepcontrol`](crate::raw::griddepcontrol).
    mod action {
        /// `.launch_dependents`: the dependent grids may launch.
        LaunchDependents = ".launch_dependents";
        /// `.wait`: waits for the prerequisite grids.
        Wait = ".wait";
    }
    /// `ord` of `tensormap.replace`, an immediate: a dimension of the tensor, the innermost first.
    mod ord {
        /// Dimension 0.
        D0 = "0";
        /// Dimension 1.
        D1 = "1";
        /// Dimension 2.
        D2 = "2";
        /// Dimension 3.
        D3 = "3";
        /// Dimension 4.
        D4 = "4";
    }
    /// `new_val` of [`tensormap_replace_tile_elemtype`](crate::raw::tensormap_replace_tile_elemtype), an immediate.
    mod elemtype {
        /// `.u8`.
        U8 = "0";
        /// `.u16`.
        U16 = "1";
        /// `.u32`.
        U32 = "2";
        /// `.s32`.
        S32 = "3";
        /// `.u64`.
        U64 = "4";
        /// `.s64`.
        S64 = "5";
        /// `.f16`.
        F16 = "6";
        /// `.f32`.
        F32 = "7";
        /// `.f32.ftz`.
        F32Ftz = "8";
        /// `.f64`.
        F64 = "9";
        /// `.bf16`.
        Bf16 = "10";
        /// `.tf32`.
        Tf32 = "11";
        /// `.tf32.ftz`.
        Tf32Ftz = "12";
        /// `.b4x16`.
        B4x16 = "13";
        /// `.b4x16_p64`.
        B4x16P64 = "14";
        /// `.b6x16_p32` or `.b6p2x16`.
        B6x16P32 = "15";
    }
    /// `new_val` of [`tensormap_replace_tile_interleave_layout`](crate::raw::tensormap_replace_tile_interleave_layout).
    mod interleave_layout {
        /// No interleave.
        None = "0";
        /// 16 bytes.
        B16 = "1";
        /// 32 bytes.
        B32 = "2";
    }
    /// `new_val` of [`tensormap_replace_tile_swizzle_mode`](crate::raw::tensormap_replace_tile_swizzle_mode).
    mod swizzle_mode {
        /// No swizzling.
        None = "0";
        /// 32 bytes.
        B32 = "1";
        /// 64 bytes.
        B64 = "2";
        /// 128 bytes.
        B128 = "3";
        /// 96 bytes.
        B96 = "4";
    }
    /// `new_val` of `tensormap_replace_tile_swizzle_atomicity`.
    mod swizzle_atomicity {
        /// 16 bytes.
        B16 = "0";
        /// 32 bytes.
        B32 = "1";
        /// 32 bytes, with a flip of 8 bytes.
        B32FlipB8 = "2";
        /// 64 bytes.
        B64 = "3";
    }
    /// `new_val` of [`tensormap_replace_tile_fill_mode`](crate::raw::tensormap_replace_tile_fill_mode).
    mod fill_mode {
        /// Zeros.
        Zero = "0";
        /// A NaN that tells of it.
        OobNan = "1";
    }
    /// `::dimension` of `clusterlaunchcontrol.query_cancel.get_first_ctaid`.
    mod dimension {
        /// `::x`.
        X = "::x";
        /// `::y`.
        Y = "::y";
        /// `::z`.
        Z = "::z";
    }
    /// `.load_mode`: how a tensor copy arranges the data, where its operands do not tell.
    mod load_mode {
        /// `.tile`: as in the tensor.
        Tile = ".tile";
        /// `.im2col_no_offs`: pixels as a column, without offsets.
        Im2colNoOffs = ".im2col_no_offs";
        /// `.im2col::w`: pixels along W as a column.
        Im2colW = ".im2col::w";
        /// `.im2col::w::128`: 128 pixels along W as a column.
        Im2colW128 = ".im2col::w::128";
    }
    /// `.cta_group`: whose mbarrier a tensor copy signals.
    mod cta_group {
        /// No qualifier: as `.cta_group::1`.
        None = "";
        /// `.cta_group::1`: that of the destination's CTA.
        One = ".cta_group::1";
        /// `.cta_group::2`: that of either CTA of the pair.
        Two = ".cta_group::2";
    }
    /// `.level::cache_hint` and `cache-policy`: how an access goes through the L2 cache.
    mod cache_hint {
        /// No qualifier and no operand: by the default policy.
        None = "";
        /// `.L2::cache_hint`, `cache-policy`: by this policy, which a `createpolicy` has made.
        Policy(u64) = ".L2::cache_hint";
    }
    /// `.multicast` and `ctaMask`: whose shared memory a copy goes to.
    mod multicast {
        /// No qualifier and no operand: that of one CTA.
        None = "";
        /// `.multicast::cluster`, `ctaMask`: that of each CTA of the set.
        Cluster(crate::mask::CtaMask) = ".multicast::cluster";
        /// `.multicast::cluster::all`: that of each CTA of the cluster.
        ClusterAll = ".multicast::cluster::all";
    }
    /// `.cp_mask` and `byteMask`: which bytes of each chunk of 16 a copy writes.
    mod cp_mask {
        /// No qualifier and no operand: all.
        None = "";
        /// `.cp_mask`, `byteMask`: those of the set.
        Bytes(crate::mask::ByteMask) = ".cp_mask";
    }
    /// `src-size` or `ignore-src` of [`cp_async_ca`](crate::raw::cp_async_ca): what it fills with zeros.
    mod zfill {
        /// No operand: nothing.
        None = "";
        /// `src-size`: what follows that number of bytes.
        SrcSize(u32) = "";
        /// `ignore-src`: everything, if it is true.
        IgnoreSrc(bool) = "";
    }
    /// `suspendTimeHint` of [`mbarrier_try_wait`](crate::raw::mbarrier_try_wait): how long a thread is suspended at most.
    mod suspend_time_hint {
        /// No operand: a time that depends on the system.
        None = "";
        /// `suspendTimeHint`: that number of nanoseconds.
        Nanoseconds(u32) = "";
    }
    /// `count` of [`mbarrier_arrive`](crate::raw::mbarrier_arrive): how many arrivals it is.
    mod arrivals {
        /// No operand: one.
        One = "";
        /// `count`: that number.
        Count(u32) = "";
    }
    /// `b` of [`barrier_cta_sync`](crate::raw::barrier_cta_sync): how many threads take part.
    mod threads {
        /// No operand: all of the CTA.
        All = "";
        /// `b`: that number.
        Count(u32) = "";
    }
}

/// In which registers operands go, and as which bits: values of a type, addresses in a state space. It makes `register_of!`,
/// which hands a qualifier's to a macro, before what else it is given: `[ty u32 reg32]`, `[at u64 reg64]`, or `[]`.
macro_rules! registers {
    ($( $axis:ident $register:tt { $($Tag:ident)* } )*) => {
        registers!(@rules ($) $( $( [ $axis $Tag $register ] )* )*);
    };
    (@rules ($d:tt) $( [ $axis:ident $Tag:ident $register:tt ] )*) => {
        #[allow(unused_macros, reason = "off the device nothing is emitted")]
        macro_rules! register_of {
            $( ($axis :: $Tag $then:ident $d($d given:tt)*) => { $then! { @push $register $d($d given)* } }; )*
            ($other:ident :: $any:ident $then:ident $d($d given:tt)*) => { $then! { @push [] $d($d given)* } };
        }
    };
}
registers! {
    ty [ ty u8 reg16 ] { B8 U8 S8 E4m3 E5m2 }
    ty [ ty u16 reg16 ] { B16 U16 S16 F16 Bf16 E4m3x2 E5m2x2 }
    ty [ ty u32 reg32 ] { B32 U32 S32 F32 F16x2 Bf16x2 E4m3x4 E5m2x4 }
    ty [ ty u64 reg64 ] { B64 U64 S64 F64 }
    space [ at u32 reg32 ] { SharedCta SharedCluster }
    space [ at u64 reg64 ] { Global All }
}

/// 128 bits, low half first.
///
/// ```
/// use ptx::qualifier::B128;
/// const ONE: B128 = B128 { lo: 1, hi: 0 };
/// const _: () = assert!(size_of::<B128>() == 16 && align_of::<B128>() == 16);
/// /// As one number.
/// fn number(x: B128) -> u128 {
///     u128::from(x.hi) << 64 | u128::from(x.lo)
/// }
/// ```
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct B128 {
    /// Bits 0 to 63.
    pub lo: u64,
    /// Bits 64 to 127.
    pub hi: u64,
}
// As PTX has `.b128`, in memory and as an operand.
static_assertions::assert_eq_size!(B128, [u64; 2]);
static_assertions::const_assert_eq!(align_of::<B128>(), 16);

macro_rules! spaces {
    ($( $Tag:ident = $Address:ty; )*) => {
        $( #[diagnostic::do_not_recommend] impl AddressSpace for space::$Tag { type Address = $Address; } )*
    };
}

spaces! { SharedCta = u32; SharedCluster = u32; Global = *mut u8; All = *mut u8; }

macro_rules! types {
    ($( $Tag:ident = $Value:ty; )*) => { $( #[diagnostic::do_not_recommend] impl TypeTag for ty::$Tag { type Value = $Value; } )* };
}

types! {
    B8 = u8; B16 = u16; B32 = u32; B64 = u64; B128 = B128;
    U8 = u8; U16 = u16; U32 = u32; U64 = u64;
    S8 = i8; S16 = i16; S32 = i32; S64 = i64;
    F32 = f32; F64 = f64;
    E4m3 = u8; E5m2 = u8; E4m3x2 = u16; E5m2x2 = u16; E4m3x4 = u32; E5m2x4 = u32;
}

#[cfg(feature = "half")]
types! { F16 = half::f16; Bf16 = half::bf16; F16x2 = [half::f16; 2]; Bf16x2 = [half::bf16; 2]; }
#[cfg(not(feature = "half"))]
types! { F16 = u16; Bf16 = u16; F16x2 = u32; Bf16x2 = u32; }
