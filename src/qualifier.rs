//! PTX instruction qualifiers as zero-sized types, like the tags of libcu++'s `cuda::ptx`: `.release` is [`sem::Release`], `.cta`
//! is [`scope::Cta`].
//!
//! A function of [`raw`](crate::raw) takes qualifiers by value. The traits in its signature name the qualifiers that PTX allows
//! at each place. The qualifier of an optional operand carries the operand: `cache_hint::Policy(policy)`.
//!
//! ```
//! use ptx::{qualifier::space, raw};
//! # unsafe fn kernel(shared: u32, generic: *mut u8) {
//! // SAFETY: both are addresses of eight bytes of shared memory for an mbarrier.
//! unsafe {
//!     raw::mbarrier_init(space::SharedCta, shared, 1); // mbarrier.init.shared::cta.b64
//!     raw::mbarrier_init(space::All, generic, 1); // mbarrier.init.b64, a generic address
//! }
//! # }
//! ```

mod sealed {
    /// A trait that only this crate implements: it seals the traits that require it.
    #[diagnostic::on_unimplemented(message = "`{Self}` is not a type that `ptx` defines for this bound")]
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

// The path, as `./x row` includes this file by its path.
#[cfg(feature = "tensor")]
#[path = "qualifier/tensor.rs"]
mod tensor;
#[cfg(feature = "tensor")]
pub use tensor::{Columns, Immediate, IntegerColumns, Repetitions, Sums};

/// A qualifier of a PTX instruction as a Rust type: `sem::Release` is `.release`. Only the types of this module implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a PTX qualifier",
    label = "expected a type of `ptx::qualifier`",
    note = "the qualifiers are the types in the modules of `ptx::qualifier`, such as `sem::Release`"
)]
pub trait Qualifier: Sealed + Copy {
    /// The PTX text with its dot; empty if the qualifier is the absence of a text.
    const PTX: &'static str;
    /// The place in the list of its module, which the `match` of the raw layer selects on.
    #[doc(hidden)]
    const ID: u8;
}

/// A `.type` qualifier, which determines the Rust type of the operands: `ty::S16` takes an `i16`.
pub trait TypeTag: Qualifier {
    /// The Rust type of an operand.
    type Value: Copy;
}

/// A state-space qualifier, which determines the Rust type of an address: a `u32` in shared memory, otherwise a pointer.
pub trait AddressSpace: Qualifier {
    /// The Rust type of an address in this space.
    type Address: AddressBits;
}

/// Converts an address to the integer that goes into its register, at no cost to the MIR inliner if the types are equal.
///
/// # Safety
///
/// Implemented in this module only: both results are the address.
#[doc(hidden)]
pub unsafe trait AddressBits: Copy {
    fn u32(self) -> u32;
    fn u64(self) -> u64;
}
macro_rules! address_bits {
    ($( $Address:ty ),*) => { $(
        // SAFETY: both methods cast the address.
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

macro_rules! qualifiers {
    ($( $(#[$axis_doc:meta])* mod $axis:ident $(of $feature:literal)? {
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
            $( #[cfg(feature = $feature)] )?
            pub mod $axis {
                $(
                    $(#[$doc])*
                    // The axis's page lists the tags. rustc must not see a `doc(hidden)`, which would change its messages.
                    #[cfg_attr(doc, doc(hidden))]
                    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
                    #[repr(transparent)]
                    pub struct $Tag $( (pub $Operand) )?;
                    #[diagnostic::do_not_recommend]
                    impl super::Sealed for $Tag {}
                )*
            }
        )*
        qualifiers! {
            @number [ 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 ]
            $( $axis [ $($feature)? ] [] [ $( $Tag $ptx )* ] )*
        }
    };
    (@number $ids:tt $( $axis:ident $feature:tt [ $( [ $Tag:ident $id:literal $ptx:literal ] )* ] [] )*) => {
        $( qualifiers! { @impls $feature [ $( [ $axis $Tag $id $ptx ] )* ] } )*
        qualifiers! { @texts ($) $( $( [ $axis $Tag $id $ptx ] )* )* }
    };
    (@impls [ $($feature:literal)? ] $tags:tt) => { $( #[cfg(feature = $feature)] )? qualifiers! { @impls $tags } };
    (@impls [ $( [ $axis:ident $Tag:ident $id:literal $ptx:literal ] )* ]) => { $(
            #[diagnostic::do_not_recommend]
            impl Qualifier for $axis::$Tag {
                const PTX: &'static str = $ptx;
                const ID: u8 = $id;
            }
    )* };
    // Numbers the next tag of each axis.
    (@number [ $id:literal $($ids:literal)* ]
        $( $axis:ident $feature:tt [ $($done:tt)* ] [ $( $Tag:ident $ptx:literal $($tags:tt)* )? ] )*
    ) => {
        qualifiers! { @number [ $($ids)* ] $( $axis $feature [ $($done)* $( [ $Tag $id $ptx ] )? ] [ $( $($tags)* )? ] )* }
    };
    (@texts ($d:tt) $( [ $axis:ident $Tag:ident $id:literal $ptx:literal ] )*) => {
        /// Puts the number and the PTX text of a tag between the tag and its register, and hands all to a macro.
        macro_rules! ptx_text {
            $( ($axis :: $Tag $register:tt $then:ident $d($d given:tt)*) => {
                $then! { @push $axis :: $Tag $id $ptx $register $d($d given)* }
            }; )*
            // A slip: rustc says that there is no such type.
            ($other:ident :: $any:ident $register:tt $then:ident $d($d given:tt)*) => {
                $then! { @push $other :: $any 0 "" $register $d($d given)* }
            };
        }
    };
}

qualifiers! {
    /// `.sem`: the memory ordering of an operation.
    mod sem {
        /// `.acquire`: later accesses of this thread see the accesses before the release that the operation observes.
        Acquire = ".acquire";
        /// `.release`: a thread that acquires from the operation sees this thread's earlier accesses.
        Release = ".release";
        /// `.relaxed`: atomic, without an order for other accesses.
        Relaxed = ".relaxed";
        /// `.acq_rel`: both `.acquire` and `.release`.
        AcqRel = ".acq_rel";
        /// `.sc`: sequentially consistent.
        Sc = ".sc";
    }
    /// `.scope`: the threads that observe the ordering directly.
    mod scope {
        /// `.cta`: the threads of the same CTA (thread block).
        Cta = ".cta";
        /// `.cluster`: the threads of the same cluster.
        Cluster = ".cluster";
        /// `.gpu`: the threads of the same GPU.
        Gpu = ".gpu";
        /// `.sys`: all threads of the system, the host's included.
        Sys = ".sys";
    }
    /// `.space`: the state space of an address.
    mod space {
        /// `.shared::cta`: shared memory of the executing CTA.
        SharedCta = ".shared::cta";
        /// `.shared::cluster`: shared memory of any CTA of the cluster (distributed shared memory).
        SharedCluster = ".shared::cluster";
        /// `.global`: global memory.
        Global = ".global";
        /// `.local`: the thread's local memory.
        Local = ".local";
        /// `.const`: constant memory.
        Const = ".const";
        /// `.param`: kernel parameters.
        Param = ".param";
        /// `.param::entry`: kernel parameters, by the name that PTX ISA 8.3 introduces.
        ParamEntry = ".param::entry";
        /// No qualifier: a generic address.
        All = "";
    }
    /// `.aligned`: whether all threads of the warp execute the same instruction together.
    mod convergence {
        /// `.aligned`: all threads of the warp execute the instruction together.
        Aligned = ".aligned";
        /// No qualifier: the threads of a warp may execute the instruction separately.
        Unaligned = "";
    }
    /// Eviction priorities of [`createpolicy_fractional`](crate::raw::createpolicy_fractional).
    mod evict {
        /// `.L2::evict_last`: the L2 cache evicts the line last.
        Last = ".L2::evict_last";
        /// `.L2::evict_normal`: the default priority.
        Normal = ".L2::evict_normal";
        /// `.L2::evict_first`: the L2 cache evicts the line first.
        First = ".L2::evict_first";
        /// `.L2::evict_unchanged`: the access leaves the line's priority unchanged.
        Unchanged = ".L2::evict_unchanged";
    }
    /// `.type`: the type of an operand.
    mod ty {
        /// `.b8`: 8 bits, a `u8`.
        B8 = ".b8";
        /// `.b16`: 16 bits, a `u16`.
        B16 = ".b16";
        /// `.b32`: 32 bits, a `u32`.
        B32 = ".b32";
        /// `.b64`: 64 bits, a `u64`.
        B64 = ".b64";
        /// `.b128`: 128 bits, a `qualifier::B128` of two halves.
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
        /// `.f16`: half precision, an `f16` of the crate `half`.
        F16 = ".f16";
        /// `.bf16`: bfloat16, a `bf16` of the crate `half`.
        Bf16 = ".bf16";
        /// `.f16x2`: two `.f16`, the first in the low bits.
        F16x2 = ".f16x2";
        /// `.bf16x2`: two `.bf16`, the first in the low bits.
        Bf16x2 = ".bf16x2";
        /// `.e4m3`: the bits of an 8-bit float.
        E4m3 = ".e4m3";
        /// `.e5m2`: the bits of an 8-bit float.
        E5m2 = ".e5m2";
        /// `.e4m3x2`: the bits of two `.e4m3`, the first in the low bits.
        E4m3x2 = ".e4m3x2";
        /// `.e5m2x2`: the bits of two `.e5m2`, the first in the low bits.
        E5m2x2 = ".e5m2x2";
        /// `.e4m3x4`: the bits of four `.e4m3`, the first in the low bits.
        E4m3x4 = ".e4m3x4";
        /// `.e5m2x4`: the bits of four `.e5m2`, the first in the low bits.
        E5m2x4 = ".e5m2x4";
        /// `.e2m3x2`: the bits of two 6-bit floats in bytes, the first in the low byte.
        E2m3x2 = ".e2m3x2";
        /// `.e3m2x2`: the bits of two 6-bit floats in bytes, the first in the low byte.
        E3m2x2 = ".e3m2x2";
        /// `.e2m3x4`: the bits of four 6-bit floats in bytes, the first in the low byte.
        E2m3x4 = ".e2m3x4";
        /// `.e3m2x4`: the bits of four 6-bit floats in bytes, the first in the low byte.
        E3m2x4 = ".e3m2x4";
    }
    /// `.level::prefetch_size`: a hint how much data around the accessed bytes the L2 cache may fetch.
    mod prefetch_size {
        /// No qualifier: no data beyond the accessed bytes.
        None = "";
        /// `.L2::64B`: the L2 cache may fetch 64 bytes.
        L2B64 = ".L2::64B";
        /// `.L2::128B`: the L2 cache may fetch 128 bytes.
        L2B128 = ".L2::128B";
        /// `.L2::256B`: the L2 cache may fetch 256 bytes.
        L2B256 = ".L2::256B";
    }
    /// `cp-size` of [`cp_async_ca`](crate::raw::cp_async_ca): the number of bytes to copy, an immediate.
    mod cp_size {
        /// The copy moves 4 bytes.
        B4 = "4";
        /// The copy moves 8 bytes.
        B8 = "8";
        /// The copy moves 16 bytes.
        B16 = "16";
    }
    /// `.op`: the operation that combines two values.
    mod op {
        /// `.add`: the sum.
        Add = ".add";
        /// `.min`: the minimum.
        Min = ".min";
        /// `.max`: the maximum.
        Max = ".max";
        /// `.and`: bitwise and; of predicates, true if all are true.
        And = ".and";
        /// `.or`: bitwise or; of predicates, true if any is true.
        Or = ".or";
        /// `.xor`: bitwise exclusive or.
        Xor = ".xor";
        /// `.inc`: adds 1; wraps to 0 if the old value is the operand or more.
        Inc = ".inc";
        /// `.dec`: subtracts 1; wraps to the operand if the old value is 0 or more than the operand.
        Dec = ".dec";
        /// `.add.acc::f16`: the sum, accumulated in `.f16`.
        AddAccF16 = ".add.acc::f16";
    }
    /// `.mode` of [`vote_sync`](crate::raw::vote_sync) and [`shfl_sync`](crate::raw::shfl_sync).
    mod mode {
        /// `.all`: true if the predicate is true in all threads.
        All = ".all";
        /// `.any`: true if the predicate is true in at least one thread.
        Any = ".any";
        /// `.uni`: true if the predicate has the same value in all threads.
        Uni = ".uni";
        /// `.up`: reads a lower lane, as `__shfl_up_sync()` does.
        Up = ".up";
        /// `.down`: reads a higher lane, as `__shfl_down_sync()` does.
        Down = ".down";
        /// `.bfly`: reads the lane whose number is the own lane's number xor the operand, as `__shfl_xor_sync()` does.
        Bfly = ".bfly";
        /// `.idx`: reads the lane whose number is the operand, as `__shfl_sync()` does.
        Idx = ".idx";
    }
    /// `.abs`: whether an operation takes absolute values.
    mod abs {
        /// `.abs`: takes the absolute values.
        Abs = ".abs";
        /// No qualifier: takes the signed values.
        Signed = "";
    }
    /// `.NaN`: how a NaN operand affects the result.
    mod nan {
        /// `.NaN`: the result is NaN if any operand is NaN.
        Propagate = ".NaN";
        /// No qualifier: the operation ignores NaN operands; the result is NaN if all operands are NaN.
        Ignore = "";
    }
    /// `.ftz`: whether subnormal operands and results become zero.
    mod ftz {
        /// `.ftz`: flushes subnormal operands and results to zero of the same sign.
        Flush = ".ftz";
        /// No qualifier: keeps subnormal operands and results.
        Keep = "";
    }
    /// `.sat`: whether results are clamped to 0 and 1.
    mod sat {
        /// `.sat`: clamps the result to the range from 0 to 1; NaN becomes +0.
        Sat = ".sat";
        /// No qualifier: keeps results below 0 and above 1.
        None = "";
    }
    /// `.xorsign.abs`: how `min` and `max` treat the signs of their operands.
    mod xorsign {
        /// `.xorsign.abs`: compares absolute values; the result's sign is the exclusive or of both signs.
        Abs = ".xorsign.abs";
        /// No qualifier: compares the values with their signs.
        None = "";
    }
    /// `.CmpOp`: a comparison. With a NaN operand, the comparisons up to `Ge` are false, those with a `u` true.
    mod cmp {
        /// `.eq`: equal.
        Eq = ".eq";
        /// `.ne`: not equal, and neither is NaN.
        Ne = ".ne";
        /// `.lt`: less.
        Lt = ".lt";
        /// `.le`: less or equal.
        Le = ".le";
        /// `.gt`: greater.
        Gt = ".gt";
        /// `.ge`: greater or equal.
        Ge = ".ge";
        /// `.equ`: equal, or an operand is NaN.
        Equ = ".equ";
        /// `.neu`: not equal, or an operand is NaN.
        Neu = ".neu";
        /// `.ltu`: less, or an operand is NaN.
        Ltu = ".ltu";
        /// `.leu`: less or equal, or an operand is NaN.
        Leu = ".leu";
        /// `.gtu`: greater, or an operand is NaN.
        Gtu = ".gtu";
        /// `.geu`: greater or equal, or an operand is NaN.
        Geu = ".geu";
        /// `.num`: neither operand is NaN.
        Num = ".num";
        /// `.nan`: an operand is NaN.
        Nan = ".nan";
    }
    /// Rounding of [`cvt_f32`](crate::raw::cvt_f32) and related conversions.
    mod rounding {
        /// `.rn`: rounds to the nearest value; a tie goes to the even one.
        Rn = ".rn";
        /// `.rz`: rounds towards zero.
        Rz = ".rz";
        /// `.rm`: rounds downwards.
        Rm = ".rm";
        /// `.rp`: rounds upwards.
        Rp = ".rp";
        /// `.rna`: rounds to the nearest value; a tie goes away from zero.
        Rna = ".rna";
        /// `.rni`: rounds to the nearest integer; a tie goes to the even one.
        Rni = ".rni";
        /// `.rzi`: rounds to an integer, towards zero.
        Rzi = ".rzi";
        /// `.rmi`: rounds to an integer, downwards.
        Rmi = ".rmi";
        /// `.rpi`: rounds to an integer, upwards.
        Rpi = ".rpi";
    }
    /// `.relu`: whether negative results become zero.
    mod relu {
        /// `.relu`: negative results become zero; NaN becomes the canonical NaN.
        Relu = ".relu";
        /// No qualifier: keeps negative results.
        None = "";
    }
    /// `.satfinite`: the result of a conversion that exceeds the range of its type.
    mod satfinite {
        /// `.satfinite`: a result out of range becomes the largest finite number of the same sign.
        Satfinite = ".satfinite";
        /// No qualifier: a result out of range becomes an infinity.
        None = "";
    }
    /// `.pzo`: the zeros that a conversion gives.
    mod pzo {
        /// `.pzo`: a zero is positive.
        Pzo = ".pzo";
        /// No qualifier: a zero has the sign of the operand.
        None = "";
    }
    /// `.trans`: whether a matrix is transposed on its way between registers and memory.
    mod trans of "tensor" {
        /// `.trans`: the matrix is loaded or stored in column-major order.
        Trans = ".trans";
        /// No qualifier: the matrix is loaded or stored in row-major order.
        None = "";
    }
    /// The type of the elements of a matrix.
    mod element of "tensor" {
        /// `.b8x16.b6x16_p32`: 16 elements of 6 bits and 32 bits of padding in memory, 16 bytes in registers.
        B8x16B6x16P32 = ".b8x16.b6x16_p32";
        /// `.b8x16.b4x16_p64`: 16 elements of 4 bits and 64 bits of padding in memory, 16 bytes in registers.
        B8x16B4x16P64 = ".b8x16.b4x16_p64";
        /// `.b8`: 8 bits.
        B8 = ".b8";
        /// `.e3m2`: a float of 6 bits, with 3 bits of exponent.
        E3m2 = ".e3m2";
        /// `.e2m3`: a float of 6 bits, with 2 bits of exponent.
        E2m3 = ".e2m3";
        /// `.e2m1`: a float of 4 bits, with 2 bits of exponent.
        E2m1 = ".e2m1";
        /// `.ue8m0`: a scale factor of 8 bits, a power of two.
        Ue8m0 = ".ue8m0";
        /// `.ue4m3`: a scale factor of 7 bits in a byte, with 4 bits of exponent.
        Ue4m3 = ".ue4m3";
        /// `.s8`: a signed integer of 8 bits.
        S8 = ".s8";
        /// `.u8`: an unsigned integer of 8 bits.
        U8 = ".u8";
        /// `.s4`: a signed integer of 4 bits.
        S4 = ".s4";
        /// `.u4`: an unsigned integer of 4 bits.
        U4 = ".u4";
    }
    /// `.alayout` and `.blayout`: the order of the elements of a matrix.
    mod layout of "tensor" {
        /// `.row`: row by row.
        Row = ".row";
        /// `.col`: column by column.
        Col = ".col";
    }
    /// `.spvariant`: the metadata of a sparse matrix.
    mod sparse of "tensor" {
        /// `.sp`: the indices of a group are in any order.
        Any = ".sp";
        /// `.sp::ordered_metadata`: the indices of a group increase.
        Ordered = ".sp::ordered_metadata";
    }
    /// The sparsity selector `f` of `mma.sp`, an immediate: the lanes of each four that hold the metadata.
    mod selector of "tensor" {
        /// The first lane, the first two lanes, or all four lanes.
        S0 = "0";
        /// The second lane, or the last two lanes.
        S1 = "1";
        /// The third lane.
        S2 = "2";
        /// The fourth lane.
        S3 = "3";
    }
    /// The columns of B and D of `wgmma`.
    mod n of "tensor" {
        /// `n8`: 8 columns.
        N8 = "n8";
        /// `n16`: 16 columns.
        N16 = "n16";
        /// `n24`: 24 columns.
        N24 = "n24";
        /// `n32`: 32 columns.
        N32 = "n32";
        /// `n40`: 40 columns.
        N40 = "n40";
        /// `n48`: 48 columns.
        N48 = "n48";
        /// `n56`: 56 columns.
        N56 = "n56";
        /// `n64`: 64 columns.
        N64 = "n64";
        /// `n72`: 72 columns.
        N72 = "n72";
        /// `n80`: 80 columns.
        N80 = "n80";
        /// `n88`: 88 columns.
        N88 = "n88";
        /// `n96`: 96 columns.
        N96 = "n96";
        /// `n104`: 104 columns.
        N104 = "n104";
        /// `n112`: 112 columns.
        N112 = "n112";
        /// `n120`: 120 columns.
        N120 = "n120";
        /// `n128`: 128 columns.
        N128 = "n128";
        /// `n136`: 136 columns.
        N136 = "n136";
        /// `n144`: 144 columns.
        N144 = "n144";
        /// `n152`: 152 columns.
        N152 = "n152";
        /// `n160`: 160 columns.
        N160 = "n160";
        /// `n168`: 168 columns.
        N168 = "n168";
        /// `n176`: 176 columns.
        N176 = "n176";
        /// `n184`: 184 columns.
        N184 = "n184";
        /// `n192`: 192 columns.
        N192 = "n192";
        /// `n200`: 200 columns.
        N200 = "n200";
        /// `n208`: 208 columns.
        N208 = "n208";
        /// `n216`: 216 columns.
        N216 = "n216";
        /// `n224`: 224 columns.
        N224 = "n224";
        /// `n232`: 232 columns.
        N232 = "n232";
        /// `n240`: 240 columns.
        N240 = "n240";
        /// `n248`: 248 columns.
        N248 = "n248";
        /// `n256`: 256 columns.
        N256 = "n256";
    }
    /// `imm-scale-a` and `imm-scale-b`, an immediate: whether a matrix is negated.
    mod scale of "tensor" {
        /// `1`: the matrix as it is.
        Plus = "1";
        /// `-1`: the matrix with the opposite sign.
        Minus = "-1";
    }
    /// `imm-trans-a` and `imm-trans-b`, an immediate: the order of a matrix in shared memory.
    mod major of "tensor" {
        /// `0`: the elements along K are beside each other.
        K = "0";
        /// `1`: the elements along M or N are beside each other.
        Mn = "1";
    }
    /// `.action` of [`griddepcontrol`](crate::raw::griddepcontrol) (programmatic dependent launch).
    mod action {
        /// `.launch_dependents`: allows the dependent grids to launch.
        LaunchDependents = ".launch_dependents";
        /// `.wait`: waits for the prerequisite grids.
        Wait = ".wait";
    }
    /// `ord` of `tensormap.replace`, an immediate: a dimension of the tensor. Dimension 0 is the innermost.
    mod ord {
        /// Dimension 0 of the tensor, the innermost.
        D0 = "0";
        /// Dimension 1 of the tensor.
        D1 = "1";
        /// Dimension 2 of the tensor.
        D2 = "2";
        /// Dimension 3 of the tensor.
        D3 = "3";
        /// Dimension 4 of the tensor.
        D4 = "4";
    }
    /// `new_val` of [`tensormap_replace_tile_elemtype`](crate::raw::tensormap_replace_tile_elemtype), an immediate: the element
    /// type.
    mod elemtype {
        /// Elements of type `.u8`.
        U8 = "0";
        /// Elements of type `.u16`.
        U16 = "1";
        /// Elements of type `.u32`.
        U32 = "2";
        /// Elements of type `.s32`.
        S32 = "3";
        /// Elements of type `.u64`.
        U64 = "4";
        /// Elements of type `.s64`.
        S64 = "5";
        /// Elements of type `.f16`.
        F16 = "6";
        /// Elements of type `.f32`.
        F32 = "7";
        /// Elements of type `.f32.ftz`.
        F32Ftz = "8";
        /// Elements of type `.f64`.
        F64 = "9";
        /// Elements of type `.bf16`.
        Bf16 = "10";
        /// Elements of type `.tf32`.
        Tf32 = "11";
        /// Elements of type `.tf32.ftz`.
        Tf32Ftz = "12";
        /// Elements of type `.b4x16`.
        B4x16 = "13";
        /// Elements of type `.b4x16_p64`.
        B4x16P64 = "14";
        /// Elements of type `.b6x16_p32` or `.b6p2x16`.
        B6x16P32 = "15";
    }
    /// `new_val` of [`tensormap_replace_tile_interleave_layout`](crate::raw::tensormap_replace_tile_interleave_layout).
    mod interleave_layout {
        /// No interleaving.
        None = "0";
        /// Interleaving by 16 bytes.
        B16 = "1";
        /// Interleaving by 32 bytes.
        B32 = "2";
    }
    /// `new_val` of [`tensormap_replace_tile_swizzle_mode`](crate::raw::tensormap_replace_tile_swizzle_mode).
    mod swizzle_mode {
        /// No swizzling.
        None = "0";
        /// 32-byte swizzle.
        B32 = "1";
        /// 64-byte swizzle.
        B64 = "2";
        /// 128-byte swizzle.
        B128 = "3";
        /// 96-byte swizzle.
        B96 = "4";
    }
    /// `new_val` of `tensormap_replace_tile_swizzle_atomicity`: the bytes that stay together.
    mod swizzle_atomicity {
        /// Units of 16 bytes stay together.
        B16 = "0";
        /// Units of 32 bytes stay together.
        B32 = "1";
        /// Units of 32 bytes stay together, and the 8-byte halves of each 16 bytes swap in every second row.
        B32FlipB8 = "2";
        /// Units of 64 bytes stay together.
        B64 = "3";
    }
    /// `new_val` of [`tensormap_replace_tile_fill_mode`](crate::raw::tensormap_replace_tile_fill_mode): the value of elements
    /// outside the tensor.
    mod fill_mode {
        /// Elements outside the tensor read as zero.
        Zero = "0";
        /// Elements outside the tensor read as OOB-NaN, a special NaN.
        OobNan = "1";
    }
    /// `::dimension` of `clusterlaunchcontrol.query_cancel.get_first_ctaid`.
    mod dimension {
        /// `::x`: the x coordinate of the CTA in its grid.
        X = "::x";
        /// `::y`: the y coordinate of the CTA in its grid.
        Y = "::y";
        /// `::z`: the z coordinate of the CTA in its grid.
        Z = "::z";
    }
    /// `.load_mode`: the layout of a tensor copy (TMA), for instructions whose operands leave a choice.
    mod load_mode {
        /// `.tile`: the copy keeps the layout of the tensor.
        Tile = ".tile";
        /// `.im2col_no_offs`: im2col without offsets, the pixels as a column.
        Im2colNoOffs = ".im2col_no_offs";
        /// `.im2col_no_offs::w`: `.im2col::w` with a halo and an offset of 0.
        Im2colNoOffsW = ".im2col_no_offs::w";
        /// `.im2col::w`: the pixels along W as a column.
        Im2colW = ".im2col::w";
        /// `.im2col::w::128`: 128 pixels along W as a column.
        Im2colW128 = ".im2col::w::128";
    }
    /// `.cta_group`: the CTA whose mbarrier a tensor copy signals, or whose tensor memory a `tcgen05` instruction works on.
    mod cta_group {
        /// No qualifier: same as `.cta_group::1`.
        None = "";
        /// `.cta_group::1`: an mbarrier of the destination's CTA, or the tensor memory of the executing CTA.
        One = ".cta_group::1";
        /// `.cta_group::2`: an mbarrier of either CTA of the pair, or the tensor memory of both.
        Two = ".cta_group::2";
    }
    /// `.num` of [`tcgen05_ld_32x32b`](crate::raw::tcgen05_ld_32x32b) and its like: how often the shape stands beside itself.
    mod num of "tensor" {
        /// `.x1`: once.
        X1 = ".x1";
        /// `.x2`: twice.
        X2 = ".x2";
        /// `.x4`: four times.
        X4 = ".x4";
        /// `.x8`: eight times.
        X8 = ".x8";
        /// `.x16`: sixteen times.
        X16 = ".x16";
        /// `.x32`: 32 times.
        X32 = ".x32";
        /// `.x64`: 64 times.
        X64 = ".x64";
        /// `.x128`: 128 times.
        X128 = ".x128";
    }
    /// `.pack` and `.unpack`: whether a register has the 16-bit elements of two columns of tensor memory.
    mod pack of "tensor" {
        /// `.pack::16b`: the low 16 bits of two columns become a register.
        Pack16b = ".pack::16b";
        /// `.unpack::16b`: the halves of a register become the low 16 bits of two columns.
        Unpack16b = ".unpack::16b";
        /// No qualifier: a register is a column.
        None = "";
    }
    /// `.shape` and `.multicast` of [`tcgen05_cp`](crate::raw::tcgen05_cp): lanes and bits of each.
    mod cp_shape of "tensor" {
        /// `.128x256b`: 256 bits of each of 128 lanes.
        S128x256b = ".128x256b";
        /// `.4x256b`: 256 bits of each of 4 lanes.
        S4x256b = ".4x256b";
        /// `.128x128b`: 128 bits of each of 128 lanes.
        S128x128b = ".128x128b";
        /// `.64x128b.warpx2::02_13`: 128 bits of each of 64 lanes; warps 0 and 2 receive the same, and warps 1 and 3.
        S64x128bWarpx2_02_13 = ".64x128b.warpx2::02_13";
        /// `.64x128b.warpx2::01_23`: 128 bits of each of 64 lanes; warps 0 and 1 receive the same, and warps 2 and 3.
        S64x128bWarpx2_01_23 = ".64x128b.warpx2::01_23";
        /// `.32x128b.warpx4`: 128 bits of each of 32 lanes, which all four warps receive.
        S32x128bWarpx4 = ".32x128b.warpx4";
    }
    /// `.dst_fmt` and `.src_fmt` of [`tcgen05_cp`](crate::raw::tcgen05_cp): whether the copy expands elements to bytes.
    mod expansion of "tensor" {
        /// No qualifier: the copy moves bytes as they are.
        None = "";
        /// `.b8x16.b6x16_p32`: from 16 elements of 6 bits and 32 bits of padding to 16 bytes.
        B8x16B6x16P32 = ".b8x16.b6x16_p32";
        /// `.b8x16.b4x16_p64`: from 16 elements of 4 bits and 64 bits of padding to 16 bytes.
        B8x16B4x16P64 = ".b8x16.b4x16_p64";
    }
    /// `.kind` of [`tcgen05_mma`](crate::raw::tcgen05_mma) and its like: the types of the elements, of which the instruction
    /// descriptor names one.
    mod kind of "tensor" {
        /// `.kind::f16`: `.f16` or `.bf16`.
        F16 = ".kind::f16";
        /// `.kind::tf32`: `.tf32`.
        Tf32 = ".kind::tf32";
        /// `.kind::f8f6f4`: floats of 8, 6 or 4 bits.
        F8f6f4 = ".kind::f8f6f4";
        /// `.kind::i8`: integers of 8 bits.
        I8 = ".kind::i8";
    }
    /// `.scale_vectorsize`: the elements of a row of A, or of a column of B, that have one scale factor.
    mod scale_vec of "tensor" {
        /// `.scale_vec::1X`: one scale factor for all K elements.
        X1 = ".scale_vec::1X";
        /// `.scale_vec::2X`: two scale factors for K elements.
        X2 = ".scale_vec::2X";
        /// `.scale_vec::4X`: four scale factors for K elements.
        X4 = ".scale_vec::4X";
        /// `.block16`: one scale factor for 16 elements.
        Block16 = ".block16";
        /// `.block32`: one scale factor for 32 elements.
        Block32 = ".block32";
    }
    /// `.collector_usage`: what becomes of the collector buffer of A, or of one of the four of B (`B0` …); with `.ashift` or
    /// without.
    mod collector of "tensor" {
        /// `.collector::a::fill`: A goes to the buffer.
        Fill = ".collector::a::fill";
        /// `.collector::a::use`: A may come from the buffer.
        Use = ".collector::a::use";
        /// `.collector::a::lastuse`: A may come from the buffer, whose content may go.
        LastUse = ".collector::a::lastuse";
        /// `.collector::a::discard`: the content of the buffer may go. The default.
        Discard = ".collector::a::discard";
        /// `.ashift.collector::a::lastuse`: as `LastUse`, and the rows of A are shifted down by one.
        AshiftLastUse = ".ashift.collector::a::lastuse";
        /// `.ashift.collector::a::discard`: as `Discard`, and the rows of A are shifted down by one.
        AshiftDiscard = ".ashift.collector::a::discard";
        /// `.collector::b0::fill`: B goes to buffer 0.
        B0Fill = ".collector::b0::fill";
        /// `.collector::b0::use`: B may come from buffer 0.
        B0Use = ".collector::b0::use";
        /// `.collector::b0::lastuse`: B may come from buffer 0, whose content may go.
        B0LastUse = ".collector::b0::lastuse";
        /// `.collector::b0::discard`: the content of buffer 0 may go. The default.
        B0Discard = ".collector::b0::discard";
        /// `.collector::b1::fill`: B goes to buffer 1.
        B1Fill = ".collector::b1::fill";
        /// `.collector::b1::use`: B may come from buffer 1.
        B1Use = ".collector::b1::use";
        /// `.collector::b1::lastuse`: B may come from buffer 1, whose content may go.
        B1LastUse = ".collector::b1::lastuse";
        /// `.collector::b1::discard`: the content of buffer 1 may go.
        B1Discard = ".collector::b1::discard";
        /// `.collector::b2::fill`: B goes to buffer 2.
        B2Fill = ".collector::b2::fill";
        /// `.collector::b2::use`: B may come from buffer 2.
        B2Use = ".collector::b2::use";
        /// `.collector::b2::lastuse`: B may come from buffer 2, whose content may go.
        B2LastUse = ".collector::b2::lastuse";
        /// `.collector::b2::discard`: the content of buffer 2 may go.
        B2Discard = ".collector::b2::discard";
        /// `.collector::b3::fill`: B goes to buffer 3.
        B3Fill = ".collector::b3::fill";
        /// `.collector::b3::use`: B may come from buffer 3.
        B3Use = ".collector::b3::use";
        /// `.collector::b3::lastuse`: B may come from buffer 3, whose content may go.
        B3LastUse = ".collector::b3::lastuse";
        /// `.collector::b3::discard`: the content of buffer 3 may go.
        B3Discard = ".collector::b3::discard";
    }
    /// `zero-column-mask-desc` of [`tcgen05_mma_ws`](crate::raw::tcgen05_mma_ws): which columns of B count as zeros.
    mod zero_columns of "tensor" {
        /// No operand: none.
        None = "";
        /// `zero-column-mask-desc`: those that a zero-column mask descriptor describes (PTX ISA 9.7.16.4.3).
        Mask(u64) = "";
    }
    /// `.wait_operation` of [`tcgen05_wait`](crate::raw::tcgen05_wait).
    mod wait of "tensor" {
        /// `::ld`: waits for loads from tensor memory.
        Ld = "::ld";
        /// `::st`: waits for stores to tensor memory.
        St = "::st";
    }
    /// The side of a synchronization between threads that [`tcgen05_fence`](crate::raw::tcgen05_fence) stands on.
    mod thread_sync of "tensor" {
        /// `::before_thread_sync`: orders earlier `tcgen05` instructions before the synchronization.
        Before = "::before_thread_sync";
        /// `::after_thread_sync`: orders later `tcgen05` instructions after the synchronization.
        After = "::after_thread_sync";
    }
    /// `.level::cache_hint` and `cache-policy`: the L2 eviction policy of an access.
    mod cache_hint {
        /// No qualifier and no operand: the default policy.
        None = "";
        /// `.L2::cache_hint`, `cache-policy`: a policy that a `createpolicy` instruction made.
        Policy(u64) = ".L2::cache_hint";
        /// `.L2::evict_last`, of bulk prefetches: the L2 cache evicts the lines last.
        EvictLast = ".L2::evict_last";
    }
    /// `.multicast` and `ctaMask`: the CTAs whose shared memory receives the data.
    mod multicast {
        /// No qualifier and no operand: one CTA receives the data.
        None = "";
        /// `.multicast::cluster`, `ctaMask`: each CTA of the set receives the data.
        Cluster(crate::mask::CtaMask) = ".multicast::cluster";
        /// `.multicast::cluster::32b`, `ctaMask`: each CTA of the set receives the data. Bit *i* is the CTA of rank *i*.
        Cluster32b(u32) = ".multicast::cluster::32b";
        /// `.multicast::cluster::all`: each CTA of the cluster receives the data.
        ClusterAll = ".multicast::cluster::all";
    }
    /// `.layout`: what an mbarrier keeps.
    mod mbarrier_layout {
        /// `.layout::v0`: counts up to 2^20 - 1, and no report. The default.
        V0 = ".layout::v0";
        /// `.layout::v1`: counts up to 2^9 - 1, and for each phase a report of asynchronous operations.
        V1 = ".layout::v1";
    }
    /// `.report_mechanism`: the pattern that a copy looks for in its data, and reports to its mbarrier of layout 1.
    mod report {
        /// `.mbarrier::report::disabled`: no pattern. The default.
        Disabled = ".mbarrier::report::disabled";
        /// `…::per_16bytes::80000000`: in a sampled element of each 16 bytes, -0 of a float of 32 bits.
        Per16Bytes80000000 = ".mbarrier::report::validity::per_16bytes::80000000";
        /// `…::per_16bytes::8000`: in a sampled element of each 16 bytes, -0 of a float of 16 bits.
        Per16Bytes8000 = ".mbarrier::report::validity::per_16bytes::8000";
        /// `…::per_16bytes::80`: in a sampled element of each 16 bytes, -0 of a float of 8 bits.
        Per16Bytes80 = ".mbarrier::report::validity::per_16bytes::80";
        /// `…::per_16bytes::8`: in a sampled element of each 16 bytes, -0 of a float of 4 bits.
        Per16Bytes8 = ".mbarrier::report::validity::per_16bytes::8";
        /// `…::per_element::ff`: in each element, the byte 0xff.
        PerElementFf = ".mbarrier::report::validity::per_element::ff";
    }
    /// The proxies of [`fence_proxy_fabric_alias_acquire`](crate::raw::fence_proxy_fabric_alias_acquire): that of the later
    /// accesses, then that of the earlier ones.
    mod fabric_proxies {
        /// `.generic::fabric`
        GenericFabric = ".generic::fabric";
        /// `.fabric::generic`
        FabricGeneric = ".fabric::generic";
        /// `.fabric::fabric`
        FabricFabric = ".fabric::fabric";
    }
    /// `.multimem` of `fabric` instructions: the kind of the logical endpoint.
    mod endpoint {
        /// No qualifier: a unicast endpoint, of one GPU.
        Unicast = "";
        /// `.multimem`: a multicast endpoint, which the executing GPU is a member of.
        Multimem = ".multimem";
    }
    /// `.cp_mask` and `byteMask`: the bytes of each 16-byte chunk that a copy writes.
    mod cp_mask {
        /// No qualifier and no operand: the copy writes all bytes.
        None = "";
        /// `.cp_mask`, `byteMask`: of each 16-byte chunk the copy writes the bytes of the set.
        Bytes(crate::mask::ByteMask) = ".cp_mask";
    }
    /// `src-size` or `ignore-src` of [`cp_async_ca`](crate::raw::cp_async_ca): the destination bytes that the copy fills with
    /// zeros.
    mod zfill {
        /// No operand: the copy fills no bytes with zeros.
        None = "";
        /// `src-size`: the copy fills the bytes after the first `src-size` bytes with zeros.
        SrcSize(u32) = "";
        /// `ignore-src`: the copy fills all bytes with zeros if the operand is true.
        IgnoreSrc(bool) = "";
    }
    /// `suspendTimeHint` of [`mbarrier_try_wait`](crate::raw::mbarrier_try_wait): the time limit of a thread's suspension.
    mod suspend_time_hint {
        /// No operand: a system-dependent limit of the suspension.
        None = "";
        /// `suspendTimeHint`: a limit of the suspension in nanoseconds.
        Nanoseconds(u32) = "";
    }
    /// `count` of [`mbarrier_arrive`](crate::raw::mbarrier_arrive): the number of arrivals that the instruction makes.
    mod arrivals {
        /// No operand: one arrival.
        One = "";
        /// `count`: that number of arrivals.
        Count(u32) = "";
    }
    /// `b` of [`barrier_cta_sync`](crate::raw::barrier_cta_sync): the number of threads that take part.
    mod threads {
        /// No operand: all threads of the CTA.
        All = "";
        /// `b`: that number of threads, a multiple of the warp size.
        Count(u32) = "";
    }
}

/// Names the registers of operands, and the bits that they hold, for values of a type and addresses in a space. It makes
/// `register_of!`, which hands a tag and its register to a macro, before the macro's other arguments: `[ty u32 reg32]`,
/// `[at u64 reg64]` or `[]`.
macro_rules! registers {
    ($( $axis:ident $register:tt { $($Tag:ident)* } )*) => {
        registers!(@rules ($) $( $( [ $axis $Tag $register ] )* )*);
    };
    (@rules ($d:tt) $( [ $axis:ident $Tag:ident $register:tt ] )*) => {
        #[allow(unused_macros, reason = "off the device nothing is emitted")]
        macro_rules! register_of {
            $( ($axis :: $Tag $then:ident $d($d given:tt)*) => { $then! { $axis :: $Tag $register $d($d given)* } }; )*
            ($other:ident :: $any:ident $then:ident $d($d given:tt)*) => { $then! { $other :: $any [] $d($d given)* } };
        }
    };
}
registers! {
    ty [ ty u8 reg16 ] { B8 U8 S8 E4m3 E5m2 }
    ty [ ty u16 reg16 ] { B16 U16 S16 F16 Bf16 E4m3x2 E5m2x2 E2m3x2 E3m2x2 }
    ty [ ty u32 reg32 ] { B32 U32 S32 F32 F16x2 Bf16x2 E4m3x4 E5m2x4 E2m3x4 E3m2x4 }
    ty [ ty u64 reg64 ] { B64 U64 S64 F64 }
    space [ at u32 reg32 ] { SharedCta SharedCluster }
    space [ at u64 reg64 ] { Global All }
}

/// The 128 bits of a `.b128` operand as two halves, aligned to 16 bytes; the low half comes first.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct B128 {
    /// Bits 0 to 63.
    pub lo: u64,
    /// Bits 64 to 127.
    pub hi: u64,
}
// The layout of PTX's `.b128`, in memory and as an operand.
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
    F16 = half::f16; Bf16 = half::bf16; F16x2 = [half::f16; 2]; Bf16x2 = [half::bf16; 2];
    E4m3 = u8; E5m2 = u8; E4m3x2 = u16; E5m2x2 = u16; E4m3x4 = u32; E5m2x4 = u32;
    E2m3x2 = u16; E3m2x2 = u16; E2m3x4 = u32; E3m2x4 = u32;
}
