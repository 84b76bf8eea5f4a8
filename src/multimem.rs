//! Multicast memory (NVLink SHARP): `multimem.ld_reduce`, `multimem.st` and `multimem.red` (9.7.9.14), and
//! `multimem.cp.reduce.async.bulk` (9.7.9.27).
//!
//! A multimem address stands for one location on each GPU of a multicast object, which the host creates (`cuMulticastCreate`).
//! `load_reduce_…` reads all these locations and returns their reduction. `store` writes all of them. `reduce_…` combines each of
//! them with a value.
//!
//! ```text
//!                            GPU 0   GPU 1   GPU 2   GPU 3
//!   load_reduce_add() ◄── +    1       2       3       4        returns 10
//!   store(7)          ──►      7       7       7       7
//!   reduce_add(1)     ──►      8       8       8       8
//! ```
//!
//! A [`Multicast`] is a slice of such locations for operations of threads; a [`MulticastReduce`] is a slice for bulk reductions.
//! The constructors are `unsafe`, and only `multimem` operations take such addresses. 9.7.9.14: "Address operand `a` must be a
//! multimem address"; section "Multimem Addresses" of the memory consistency model: "the behavior of accessing a multimem address
//! in any other memory operation is undefined".
//!
//! # Operations
//!
//! | | types |
//! |---|---|
//! | `store`, `load_reduce_add` | all: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `[f32; 2]`, `[f32; 4]`; halves; bytes |
//! | `reduce_add` | all but bytes |
//! | `load_reduce_min`, `load_reduce_max` | `u32`, `i32`, `u64`, `i64`; halves; bytes |
//! | `reduce_min`, `reduce_max` | `u32`, `i32`, `u64`, `i64` |
//! | `load_reduce_and`, `_or`, `_xor`, `reduce_and`, `_or`, `_xor` | `u32`, `i32`, `u64`, `i64` |
//! | `load_reduce_add_acc_f32` | halves |
//! | `load_reduce_add_acc_f16` | bytes |
//!
//! *Halves* are `[f16; 2]`, `[f16; 4]`, `[f16; 8]`, `[[f16; 2]; 2]`, `[[f16; 2]; 4]`, and the same of
//! `bf16`. A single `f16` has no operation. *Bytes* are arrays of eight-bit floats ([`Fp8`]) of 4, 8 and 16 bytes, on sm_100f,
//! sm_110f and higher in their families, sm_120a and sm_121a. Vectors combine element by element.
//!
//! # Memory order
//!
//! The type of a slice names the scope of all its operations. `load_reduce_…` takes `sem::Relaxed` or `sem::Acquire`. `store` and
//! `reduce_…` take `sem::Relaxed` or `sem::Release`.
//!
//! On each GPU, the memory also has an ordinary address. Between an access through the multimem address and an access through the
//! ordinary address, call [`fence::proxy_alias`](crate::fence::proxy_alias). 9.7.13.4 on `.alias`: "memory accesses performed
//! using virtually aliased addresses to the same memory location".

use core::marker::PhantomData;

use crate::atomic::AtomicViewScope;
use crate::global::ALIGN;
use crate::qualifier::{Sealed, op, scope, ty};
use crate::raw::{
    self, LdStScope, MultimemBitOp, MultimemByteOp, MultimemLdSem, MultimemMinMaxOp, MultimemStSem,
};
use crate::shared::bits;

mod bulk;

pub use crate::fp8::Fp8;
pub use bulk::{BulkReduceMulticast, MulticastReduce, MulticastTile, bulk_reduce};

/// Declares the traits of the operations. All their functions have the same contract.
macro_rules! operation_traits {
    ($( $(#[$attribute:meta])* $Trait:ident: $Super:ident $(+ $AndSuper:ident)* {
        $( fn $name:ident $([ $( $Q:ident: $Legal:ident $(+ $AndLegal:ident)* ),* ])? ( $( $arg:ident: $Arg:ty ),* ) $( -> $Out:ty )?; )*
    } )*) => { $(
        $(#[$attribute])*
        #[cfg_attr(doc, doc(hidden))]
        pub trait $Trait: $Super $(+ $AndSuper)* {
            $(
                /// Executes the `multimem` instruction of this operation at the multimem address `addr`.
                ///
                /// # Safety
                ///
                /// `addr` is the multimem address of a `Self`, aligned to its size, in live memory. Accesses by other threads are
                /// `multimem` or atomic operations on it, in scopes that include each other.
                #[doc(hidden)]
                unsafe fn $name $(< $( $Q: $Legal $(+ $AndLegal)* ),* >)? ( $( $arg: $Arg ),* ) $( -> $Out )?;
            )*
        }
    )* };
}

operation_traits! {
    /// Types that `multimem.st` and `multimem.ld_reduce.add` take: values of these types can be at a multimem address.
    #[diagnostic::on_unimplemented(
        message = "a `{Self}` cannot be at a multimem address",
        label = "no `multimem` operation takes this type",
        note = "`multimem` takes `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `[f32; 2]` and `[f32; 4]`, `[f16; 2]`, `[f16; 4]`, `[f16; 8]`, `[[f16; 2]; 2]`, `[[f16; 2]; 4]`, and the same of `bf16`; with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a` also arrays of `Fp8` of 4, 8 or 16 bytes, such as `[Fp8<ty::E4m3>; 4]` (PTX ISA 9.7.9.14)"
    )]
    MulticastValue: Copy + Sealed {
        fn store[S: LdStScope, Sem: MultimemStSem](sem: Sem, scope: S, addr: *mut u8, b: Self);
        fn load_reduce_add[S: LdStScope, Sem: MultimemLdSem](sem: Sem, scope: S, addr: *const u8) -> Self;
    }

    /// Types that `multimem.red.add` takes.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be added to the values of all GPUs",
        label = "`multimem.red.add` does not take this type",
        note = "it takes every type of a `Multicast` except eight-bit floats: sum these by `load_reduce_add_acc_f16`, then store the sum"
    )]
    MulticastReduceAdd: MulticastValue {
        fn reduce_add[S: LdStScope, Sem: MultimemStSem](sem: Sem, scope: S, addr: *mut u8, b: Self);
    }

    /// Types that `multimem.ld_reduce.add.acc::f32` takes.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no sum that is accumulated in `f32`",
        label = "`multimem.ld_reduce.add.acc::f32` does not take this type",
        note = "`.acc::f32` takes arrays of `f16` and `bf16`; sum eight-bit floats by `load_reduce_add_acc_f16`, other types by `load_reduce_add`"
    )]
    MulticastAddAccF32: MulticastValue {
        fn load_reduce_acc_f32[S: LdStScope, Sem: MultimemLdSem](sem: Sem, scope: S, addr: *const u8) -> Self;
    }

    /// Types that `multimem.ld_reduce.add.acc::f16` takes.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no sum that is accumulated in `f16`",
        label = "`multimem.ld_reduce.add.acc::f16` does not take this type",
        note = "`.acc::f16` takes the eight-bit floats, arrays of `Fp8`, with the feature `sm_100f`, `sm_110f`, `sm_120a` or `sm_121a`; sum `f16` and `bf16` by `load_reduce_add_acc_f32`, other types by `load_reduce_add`"
    )]
    MulticastAddAccF16: MulticastValue {
        fn load_reduce_acc_f16[S: LdStScope, Sem: MultimemLdSem](sem: Sem, scope: S, addr: *const u8) -> Self;
    }

    /// Types that `.min` and `.max` of `multimem.ld_reduce` take.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no minimum and maximum over the GPUs",
        label = "`multimem.ld_reduce.min` and `.max` do not take this type",
        note = "they take `u32`, `i32`, `u64` and `i64`, arrays of `f16` and `bf16`, and arrays of `Fp8`; `f32` and `f64` have only the sum"
    )]
    MulticastMinMax: MulticastValue {
        fn load_reduce_min_max[S: LdStScope, Sem: MultimemLdSem, Op: MultimemMinMaxOp + MultimemByteOp](sem: Sem, scope: S, op: Op, addr: *const u8) -> Self;
    }

    /// Types that `.min` and `.max` of `multimem.red` take.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no minimum and maximum with the values of all GPUs",
        label = "`multimem.red.min` and `.max` do not take this type",
        note = "they take `u32`, `i32`, `u64` and `i64`; for floats, `multimem.red` has only the sum"
    )]
    MulticastReduceMinMax: MulticastValue {
        fn reduce_min_max[S: LdStScope, Sem: MultimemStSem, Op: MultimemMinMaxOp](sem: Sem, scope: S, op: Op, addr: *mut u8, b: Self);
    }

    /// Types that `.and`, `.or` and `.xor` of `multimem` take.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no bitwise operations over the GPUs",
        label = "`.and`, `.or` and `.xor` of `multimem` do not take this type",
        note = "they take `u32`, `i32`, `u64` and `i64`"
    )]
    MulticastBitwise: MulticastValue {
        fn load_reduce_bitwise[S: LdStScope, Sem: MultimemLdSem, Op: MultimemBitOp](sem: Sem, scope: S, op: Op, addr: *const u8) -> Self;
        fn reduce_bitwise[S: LdStScope, Sem: MultimemStSem, Op: MultimemBitOp](sem: Sem, scope: S, op: Op, addr: *mut u8, b: Self);
    }
}

/// Implements the traits by functions of [`raw`]. `as`, `sum` and `bits` name the `.type` of each type, for `.add` and for
/// bitwise operations.
macro_rules! operations {
    // `.add` has no `.s64`; `.u64` adds the same bits.
    (value { $( $T:ty as $Tag:ident sum $Sum:ident ),* } $rows:tt) => {
        $( operations!(@value $T as $Tag sum $Sum, $rows); )*
    };
    // The functions for eight-bit elements take the operation as an argument.
    (@value $T:ty as $Tag:ident sum $Sum:ident, {
        $st:ident $add:ident $(($add_op:ident))? $($red:ident)?
    }) => {
        #[diagnostic::do_not_recommend]
        impl MulticastValue for $T {
            #[inline(always)]
            unsafe fn store<S: LdStScope, Sem: MultimemStSem>(sem: Sem, scope: S, addr: *mut u8, b: Self) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { raw::$st(sem, scope, ty::$Tag, addr, bits(b)) }
            }
            #[inline(always)]
            unsafe fn load_reduce_add<S: LdStScope, Sem: MultimemLdSem>(sem: Sem, scope: S, addr: *const u8) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::$add(sem, scope, $(op::$add_op,)? ty::$Sum, addr)) }
            }
        }
        $(
            #[diagnostic::do_not_recommend]
            impl MulticastReduceAdd for $T {
                #[inline(always)]
                unsafe fn reduce_add<S: LdStScope, Sem: MultimemStSem>(sem: Sem, scope: S, addr: *mut u8, b: Self) {
                    // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                    unsafe { raw::$red(sem, scope, ty::$Sum, addr, bits(b)) }
                }
            }
        )?
    };
    (min_max { $( $T:ty as $Tag:ident ),* } $ordered:ident) => { $(
        #[diagnostic::do_not_recommend]
        impl MulticastMinMax for $T {
            #[inline(always)]
            unsafe fn load_reduce_min_max<S: LdStScope, Sem: MultimemLdSem, Op: MultimemMinMaxOp + MultimemByteOp>(
                sem: Sem, scope: S, op: Op, addr: *const u8,
            ) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::$ordered(sem, scope, op, ty::$Tag, addr)) }
            }
        }
    )* };
    (integer { $( $T:ty as $Tag:ident bits $Bits:ident ),* }) => { $(
        operations! { min_max { $T as $Tag } multimem_ld_reduce_min_max }
        #[diagnostic::do_not_recommend]
        impl MulticastReduceMinMax for $T {
            #[inline(always)]
            unsafe fn reduce_min_max<S: LdStScope, Sem: MultimemStSem, Op: MultimemMinMaxOp>(
                sem: Sem, scope: S, op: Op, addr: *mut u8, b: Self,
            ) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { raw::multimem_red_min_max(sem, scope, op, ty::$Tag, addr, bits(b)) }
            }
        }
        #[diagnostic::do_not_recommend]
        impl MulticastBitwise for $T {
            #[inline(always)]
            unsafe fn load_reduce_bitwise<S: LdStScope, Sem: MultimemLdSem, Op: MultimemBitOp>(
                sem: Sem, scope: S, op: Op, addr: *const u8,
            ) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::multimem_ld_reduce_bitwise(sem, scope, op, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn reduce_bitwise<S: LdStScope, Sem: MultimemStSem, Op: MultimemBitOp>(
                sem: Sem, scope: S, op: Op, addr: *mut u8, b: Self,
            ) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { raw::multimem_red_bitwise(sem, scope, op, ty::$Bits, addr, bits(b)) }
            }
        }
    )* };
    (acc_f32 $types:tt $rows:tt) => {
        operations!(@acc MulticastAddAccF32 load_reduce_acc_f32 $types $rows);
    };
    (acc_f16 $types:tt $rows:tt) => {
        operations!(@acc MulticastAddAccF16 load_reduce_acc_f16 $types $rows);
    };
    (@acc $Trait:ident $ordered:ident { $( $T:ty as $Tag:ident ),* } $rows:tt) => {
        $( operations!(@acc $Trait $ordered $T as $Tag, $rows); )*
    };
    (@acc $Trait:ident $ordered:ident $T:ty as $Tag:ident, {
        $row:ident $(($op:ident))?
    }) => {
        #[diagnostic::do_not_recommend]
        impl $Trait for $T {
            #[inline(always)]
            unsafe fn $ordered<S: LdStScope, Sem: MultimemLdSem>(sem: Sem, scope: S, addr: *const u8) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::$row(sem, scope, $(op::$op,)? ty::$Tag, addr)) }
            }
        }
    };
}

operations! {
    value {
        u32 as U32 sum U32, i32 as S32 sum S32, u64 as U64 sum U64, i64 as S64 sum U64, f32 as F32 sum F32,
        f64 as F64 sum F64
    }
    { multimem_st multimem_ld_reduce_add multimem_red_add }
}
operations! {
    value { [f32; 2] as F32 sum F32 }
    { multimem_st_v2 multimem_ld_reduce_add_v2 multimem_red_add_v2 }
}
operations! {
    value { [f32; 4] as F32 sum F32 }
    { multimem_st_v4 multimem_ld_reduce_add_v4 multimem_red_add_v4 }
}
operations! { integer { u32 as U32 bits B32, i32 as S32 bits B32, u64 as U64 bits B64, i64 as S64 bits B64 } }

const _: () = {
    use half::{bf16, f16};

    operations! {
        value { [f16; 2] as F16x2 sum F16x2, [bf16; 2] as Bf16x2 sum Bf16x2 }
        { multimem_st multimem_ld_reduce_add multimem_red_add }
    }
    operations! {
        value { [[f16; 2]; 2] as F16x2 sum F16x2, [[bf16; 2]; 2] as Bf16x2 sum Bf16x2 }
        { multimem_st_v2 multimem_ld_reduce_add_v2 multimem_red_add_v2 }
    }
    operations! {
        value {
            [f16; 4] as F16 sum F16, [bf16; 4] as Bf16 sum Bf16, [[f16; 2]; 4] as F16x2 sum F16x2,
            [[bf16; 2]; 4] as Bf16x2 sum Bf16x2
        }
        { multimem_st_v4 multimem_ld_reduce_add_v4 multimem_red_add_v4 }
    }
    operations! {
        value { [f16; 8] as F16 sum F16, [bf16; 8] as Bf16 sum Bf16 }
        { multimem_st_v8 multimem_ld_reduce_add_v8 multimem_red_add_v8 }
    }

    operations! {
        min_max { [f16; 2] as F16x2, [bf16; 2] as Bf16x2 } multimem_ld_reduce_min_max
    }
    operations! {
        min_max { [[f16; 2]; 2] as F16x2, [[bf16; 2]; 2] as Bf16x2 }
        multimem_ld_reduce_min_max_v2
    }
    operations! {
        min_max { [f16; 4] as F16, [bf16; 4] as Bf16, [[f16; 2]; 4] as F16x2, [[bf16; 2]; 4] as Bf16x2 }
        multimem_ld_reduce_min_max_v4
    }
    operations! {
        min_max { [f16; 8] as F16, [bf16; 8] as Bf16 } multimem_ld_reduce_min_max_v8
    }

    operations! {
        acc_f32 { [f16; 2] as F16x2, [bf16; 2] as Bf16x2 }
        { multimem_ld_reduce_add_acc_f32 }
    }
    operations! {
        acc_f32 { [[f16; 2]; 2] as F16x2, [[bf16; 2]; 2] as Bf16x2 }
        { multimem_ld_reduce_add_acc_f32_v2 }
    }
    operations! {
        acc_f32 { [f16; 4] as F16, [bf16; 4] as Bf16, [[f16; 2]; 4] as F16x2, [[bf16; 2]; 4] as Bf16x2 }
        { multimem_ld_reduce_add_acc_f32_v4 }
    }
    operations! {
        acc_f32 { [f16; 8] as F16, [bf16; 8] as Bf16 }
        { multimem_ld_reduce_add_acc_f32_v8 }
    }
};

#[cfg(multimem_f8)]
const _: () = {
    use crate::raw::MultimemByteType;

    type E4m3 = Fp8<ty::E4m3>;
    type E5m2 = Fp8<ty::E5m2>;

    macro_rules! seal {
        ($( $T:ty ),*) => { $( impl<F: MultimemByteType> Sealed for $T {} )* };
    }
    seal! { [[Fp8<F>; 1]; 4], [[Fp8<F>; 2]; 2], [[Fp8<F>; 2]; 4], [[Fp8<F>; 2]; 8] }
    seal! { [[Fp8<F>; 4]; 2], [[Fp8<F>; 4]; 4] }

    operations! {
        value { [E4m3; 4] as E4m3x4 sum E4m3x4, [E5m2; 4] as E5m2x4 sum E5m2x4 }
        { multimem_st multimem_ld_reduce_add }
    }
    operations! {
        value {
            [[E4m3; 2]; 2] as E4m3x2 sum E4m3x2, [[E5m2; 2]; 2] as E5m2x2 sum E5m2x2,
            [[E4m3; 4]; 2] as E4m3x4 sum E4m3x4, [[E5m2; 4]; 2] as E5m2x4 sum E5m2x4
        }
        { multimem_st_v2 multimem_ld_reduce_add_v2 }
    }
    operations! {
        value {
            [[E4m3; 2]; 4] as E4m3x2 sum E4m3x2, [[E5m2; 2]; 4] as E5m2x2 sum E5m2x2,
            [[E4m3; 4]; 4] as E4m3x4 sum E4m3x4, [[E5m2; 4]; 4] as E5m2x4 sum E5m2x4
        }
        { multimem_st_v4 multimem_ld_reduce_add_v4 }
    }
    operations! {
        value { [[E4m3; 2]; 8] as E4m3x2 sum E4m3x2, [[E5m2; 2]; 8] as E5m2x2 sum E5m2x2 }
        { multimem_st_v8 multimem_ld_reduce_add_v8 }
    }
    operations! {
        value { [[E4m3; 1]; 4] as E4m3 sum E4m3, [[E5m2; 1]; 4] as E5m2 sum E5m2 }
        {
            multimem_st_v4_byte
            multimem_ld_reduce_v4_byte(Add)
        }
    }
    operations! {
        value { [E4m3; 8] as E4m3 sum E4m3, [E5m2; 8] as E5m2 sum E5m2 }
        {
            multimem_st_v8_byte
            multimem_ld_reduce_v8_byte(Add)
        }
    }

    operations! {
        min_max { [E4m3; 4] as E4m3x4, [E5m2; 4] as E5m2x4 } multimem_ld_reduce_min_max
    }
    operations! {
        min_max {
            [[E4m3; 2]; 2] as E4m3x2, [[E5m2; 2]; 2] as E5m2x2, [[E4m3; 4]; 2] as E4m3x4, [[E5m2; 4]; 2] as E5m2x4
        }
        multimem_ld_reduce_min_max_v2
    }
    operations! {
        min_max {
            [[E4m3; 2]; 4] as E4m3x2, [[E5m2; 2]; 4] as E5m2x2, [[E4m3; 4]; 4] as E4m3x4, [[E5m2; 4]; 4] as E5m2x4
        }
        multimem_ld_reduce_min_max_v4
    }
    operations! {
        min_max { [[E4m3; 2]; 8] as E4m3x2, [[E5m2; 2]; 8] as E5m2x2 }
        multimem_ld_reduce_min_max_v8
    }
    operations! {
        min_max { [[E4m3; 1]; 4] as E4m3, [[E5m2; 1]; 4] as E5m2 }
        multimem_ld_reduce_v4_byte
    }
    operations! {
        min_max { [E4m3; 8] as E4m3, [E5m2; 8] as E5m2 } multimem_ld_reduce_v8_byte
    }

    operations! {
        acc_f16 { [E4m3; 4] as E4m3x4, [E5m2; 4] as E5m2x4 }
        { multimem_ld_reduce_add_acc_f16 }
    }
    operations! {
        acc_f16 {
            [[E4m3; 2]; 2] as E4m3x2, [[E5m2; 2]; 2] as E5m2x2, [[E4m3; 4]; 2] as E4m3x4, [[E5m2; 4]; 2] as E5m2x4
        }
        { multimem_ld_reduce_add_acc_f16_v2 }
    }
    operations! {
        acc_f16 {
            [[E4m3; 2]; 4] as E4m3x2, [[E5m2; 2]; 4] as E5m2x2, [[E4m3; 4]; 4] as E4m3x4, [[E5m2; 4]; 4] as E5m2x4
        }
        { multimem_ld_reduce_add_acc_f16_v4 }
    }
    operations! {
        acc_f16 { [[E4m3; 2]; 8] as E4m3x2, [[E5m2; 2]; 8] as E5m2x2 }
        { multimem_ld_reduce_add_acc_f16_v8 }
    }
    operations! {
        acc_f16 { [[E4m3; 1]; 4] as E4m3, [[E5m2; 1]; 4] as E5m2 }
        { multimem_ld_reduce_v4_byte(AddAccF16) }
    }
    operations! {
        acc_f16 { [E4m3; 8] as E4m3, [E5m2; 8] as E5m2 }
        { multimem_ld_reduce_v8_byte(AddAccF16) }
    }
};

/// A slice at a multimem address: each element is one location on every GPU of the multicast object. Threads access an
/// element by the operations of [`MulticastRef`], in scope `S`.
///
/// ```
/// # use ptx::{multimem::Multicast, qualifier::sem};
/// # unsafe fn kernel(gradients: *mut f32) {
/// // SAFETY: the host passes the multicast address of 4096 elements. Until this grid ends, only kernels like this one
/// // access them, on any GPU: hence the scope `Sys`, which is the default.
/// let gradients = unsafe { Multicast::<f32>::from_raw(gradients, 4096) };
/// if let Some(gradient) = gradients.get(17) {
///     let sum = gradient.load_reduce_add(sem::Relaxed); // multimem.ld_reduce.relaxed.sys.global.add.f32
///     gradient.store(sum, sem::Relaxed); // multimem.st.relaxed.sys.global.f32
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Multicast<T, S = scope::Sys> {
    base: *mut T,
    len: usize,
    scope: PhantomData<S>,
}

impl<T, S> Clone for Multicast<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S> Copy for Multicast<T, S> {}

impl<T, S> Multicast<T, S> {
    /// Makes a handle of a slice from a multimem address (of a multicast object, `cuMulticastCreate`) and a length in elements.
    ///
    /// # Safety
    ///
    /// 1. `base` is the multimem address, aligned to the size of `T`, of `len` elements of global memory, until the grid ends.
    ///    Only the operations of this module and `multimem` instructions get an address in that range.
    /// 2. Until the grid ends, every access to the memory at the address, on any of the GPUs and through any address, is a
    ///    `multimem` or an atomic operation on whole elements (for a vector `T`: on the elements of the vector), in a scope that
    ///    includes every thread that accesses them. `S` is such a scope: with `scope::Gpu`, only threads of this GPU access the
    ///    elements.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self
    where
        T: MulticastValue,
        S: AtomicViewScope,
    {
        Multicast { base, len, scope: PhantomData }
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Returns whether the slice has no elements.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns a reference to element `i`, or `None` if `i` is past the end.
    #[inline(always)]
    pub fn get(self, i: usize) -> Option<MulticastRef<T, S>>
    where
        T: MulticastValue,
        S: AtomicViewScope,
    {
        if i >= self.len {
            return None;
        }
        // SAFETY: `i` is below `len`, the number of elements at `base` (clause 1 of `from_raw`).
        Some(MulticastRef { addr: unsafe { self.base.add(i) }, scope: S::default() })
    }

    /// Returns the slice as vectors of `N` elements, or `None` if the slice is not aligned to 16 bytes. Elements after the last
    /// whole vector are left out.
    ///
    /// ```
    /// # use ptx::{multimem::Multicast, qualifier::sem};
    /// # fn kernel(gradients: Multicast<f32>) -> Option<[f32; 4]> {
    /// let first = gradients.vectors::<4>()?.get(0)?;
    /// Some(first.load_reduce_add(sem::Acquire)) // multimem.ld_reduce.acquire.sys.global.add.v4.f32
    /// # }
    /// ```
    #[inline(always)]
    pub fn vectors<const N: usize>(self) -> Option<Multicast<[T; N], S>>
    where
        [T; N]: MulticastValue,
    {
        // A vector is aligned to its size, which is 16 bytes at most.
        if !self.base.addr().is_multiple_of(ALIGN) {
            return None;
        }
        Some(Multicast { base: self.base.cast(), len: self.len / N, scope: PhantomData })
    }
}

/// A reference to one element of a [`Multicast`]: a value of type `T` on each GPU. Any number of threads may refer to the same
/// element, and each thread uses its reference independently.
///
/// In the PTX of its methods, `.sem` is the argument `sem`, `.scope` is `S`, and `.type` is the type of `T`, after `.v2`, `.v4`
/// or `.v8` for a vector: `[f16; 2]` is `.f16x2`, `[f16; 4]` is `.v4.f16`, `[[f16; 2]; 2]` is `.v2.f16x2`. `[Fp8<F>; 4]` is
/// `.e4m3x4` or `.e5m2x4`, `[Fp8<F>; 8]` is `.v8.e4m3`, `[[Fp8<F>; 2]; 2]` is `.v2.e4m3x2`, `[[Fp8<F>; 1]; 4]` is `.v4.e4m3`. For
/// signed and unsigned integers alike, `.type` is `.b32` or `.b64` where the operation is bitwise; for `.add` of an `i64` it is
/// `.u64`.
///
/// ```
/// # use ptx::{multimem::MulticastRef, qualifier::sem};
/// # fn kernel(arrived: MulticastRef<u32>) {
/// arrived.reduce_add(1, sem::Release); // multimem.red.release.sys.global.add.u32
/// let most = arrived.load_reduce_max(sem::Relaxed); // multimem.ld_reduce.relaxed.sys.global.max.u32
/// # }
/// ```
#[derive(Debug)]
pub struct MulticastRef<T, S = scope::Sys> {
    /// Invariant: the clauses of `Multicast::from_raw`, for one element.
    addr: *mut T,
    scope: S,
}

impl<T, S: Copy> Clone for MulticastRef<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: Copy> Copy for MulticastRef<T, S> {}

impl<T: MulticastValue, S: AtomicViewScope> MulticastRef<T, S> {
    /// Returns the multimem address of the value, for `multimem` instructions only.
    #[inline(always)]
    pub fn addr(self) -> *mut T {
        self.addr
    }

    /// Stores `value` to this element on every GPU (`multimem.st`).
    ///
    /// PTX: `multimem.st{.sem}{.scope}.global{.type} [addr], value;`
    #[inline(always)]
    #[doc(alias("cuda::ptx::multimem_st", "multimem_st"))]
    pub fn store(self, value: T, sem: impl MultimemStSem) {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::store(sem, self.scope, self.addr.cast(), value) }
    }

    /// Returns the sum of this element's values on all GPUs (`multimem.ld_reduce.add`); integers wrap.
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.add{.type} d, [addr];`
    #[doc(alias = "load")]
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    #[doc(alias("cuda::ptx::multimem_ld_reduce", "multimem_ld_reduce"))]
    pub fn load_reduce_add(self, sem: impl MultimemLdSem) -> T {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_add(sem, self.scope, self.addr.cast()) }
    }

    /// Returns the sum of this element's half-precision values on all GPUs, accumulated in `f32`
    /// (`multimem.ld_reduce.add.acc::f32`).
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.add.acc::f32{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_add_acc_f32(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastAddAccF32,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_acc_f32(sem, self.scope, self.addr.cast()) }
    }

    /// Returns the sum of this element's eight-bit floats on all GPUs, accumulated in `f16` (`multimem.ld_reduce.add.acc::f16`).
    /// [`load_reduce_add`](Self::load_reduce_add) rounds each partial sum to eight bits instead.
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.add.acc::f16{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_add_acc_f16(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastAddAccF16,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_acc_f16(sem, self.scope, self.addr.cast()) }
    }

    /// Returns the minimum of this element's values on all GPUs (`multimem.ld_reduce.min`).
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.min{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_min(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastMinMax,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_min_max(sem, self.scope, op::Min, self.addr.cast()) }
    }

    /// Returns the maximum of this element's values on all GPUs (`multimem.ld_reduce.max`).
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.max{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_max(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastMinMax,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_min_max(sem, self.scope, op::Max, self.addr.cast()) }
    }

    /// Returns the bitwise AND of this element's values on all GPUs (`multimem.ld_reduce.and`).
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.and{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_and(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastBitwise,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_bitwise(sem, self.scope, op::And, self.addr.cast()) }
    }

    /// Returns the bitwise OR of this element's values on all GPUs (`multimem.ld_reduce.or`).
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.or{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_or(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastBitwise,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_bitwise(sem, self.scope, op::Or, self.addr.cast()) }
    }

    /// Returns the bitwise XOR of this element's values on all GPUs (`multimem.ld_reduce.xor`).
    ///
    /// PTX: `multimem.ld_reduce{.sem}{.scope}.global.xor{.type} d, [addr];`
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load_reduce_xor(self, sem: impl MultimemLdSem) -> T
    where
        T: MulticastBitwise,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::load_reduce_bitwise(sem, self.scope, op::Xor, self.addr.cast()) }
    }

    /// Adds `b` to this element's value on every GPU (`multimem.red.add`); integers wrap.
    ///
    /// PTX: `multimem.red{.sem}{.scope}.global.add{.type} [addr], b;`
    #[doc(alias = "fetch_add")]
    #[inline(always)]
    #[doc(alias("cuda::ptx::multimem_red", "multimem_red"))]
    pub fn reduce_add(self, b: T, sem: impl MultimemStSem)
    where
        T: MulticastReduceAdd,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::reduce_add(sem, self.scope, self.addr.cast(), b) }
    }

    /// Replaces this element's value on every GPU by its minimum with `b` (`multimem.red.min`).
    ///
    /// PTX: `multimem.red{.sem}{.scope}.global.min{.type} [addr], b;`
    #[inline(always)]
    pub fn reduce_min(self, b: T, sem: impl MultimemStSem)
    where
        T: MulticastReduceMinMax,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::reduce_min_max(sem, self.scope, op::Min, self.addr.cast(), b) }
    }

    /// Replaces this element's value on every GPU by its maximum with `b` (`multimem.red.max`).
    ///
    /// PTX: `multimem.red{.sem}{.scope}.global.max{.type} [addr], b;`
    #[inline(always)]
    pub fn reduce_max(self, b: T, sem: impl MultimemStSem)
    where
        T: MulticastReduceMinMax,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::reduce_min_max(sem, self.scope, op::Max, self.addr.cast(), b) }
    }

    /// Replaces this element's value on every GPU by its bitwise AND with `b` (`multimem.red.and`).
    ///
    /// PTX: `multimem.red{.sem}{.scope}.global.and{.type} [addr], b;`
    #[inline(always)]
    pub fn reduce_and(self, b: T, sem: impl MultimemStSem)
    where
        T: MulticastBitwise,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::reduce_bitwise(sem, self.scope, op::And, self.addr.cast(), b) }
    }

    /// Replaces this element's value on every GPU by its bitwise OR with `b` (`multimem.red.or`).
    ///
    /// PTX: `multimem.red{.sem}{.scope}.global.or{.type} [addr], b;`
    #[inline(always)]
    pub fn reduce_or(self, b: T, sem: impl MultimemStSem)
    where
        T: MulticastBitwise,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::reduce_bitwise(sem, self.scope, op::Or, self.addr.cast(), b) }
    }

    /// Replaces this element's value on every GPU by its bitwise XOR with `b` (`multimem.red.xor`).
    ///
    /// PTX: `multimem.red{.sem}{.scope}.global.xor{.type} [addr], b;`
    #[inline(always)]
    pub fn reduce_xor(self, b: T, sem: impl MultimemStSem)
    where
        T: MulticastBitwise,
    {
        // SAFETY: the invariant of `addr` is the contract of the operation.
        unsafe { T::reduce_bitwise(sem, self.scope, op::Xor, self.addr.cast(), b) }
    }
}

handles! { Copy: Multicast<u32>, MulticastRef<u32> }
