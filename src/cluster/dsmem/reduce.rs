//! Reductions into the shared memory of another CTA: `red.async` (9.7.13.7) and `cp.reduce.async.bulk` (9.7.9.25.4.2).

use crate::qualifier::{Qualifier, op, space, ty};
use crate::raw;
use crate::shared::Element;

/// Tags of the reductions into a DSMEM buffer of elements `T`, such as [`op::Add`]: element by element (`red.async`) or by tiles
/// (`cp.reduce.async.bulk`). Both instructions have the same operations and types.
#[diagnostic::on_unimplemented(
    message = "a DSMEM buffer has no reduction `{Self}` of `{T}`",
    label = "no operation on `{T}` in a DSMEM buffer",
    note = "`Add` takes u32, i32, u64 and i64; `Min`, `Max`, `And`, `Or` and `Xor` take u32 and i32; `Inc` and `Dec` take u32 (PTX ISA 9.7.13.7, 9.7.9.25.4.2)",
    note = "send or store other elements, such as floats, and combine them in the threads that receive them"
)]
// The operation is `Self`, not `T`: for a type with a single operation, rustc would take any argument for that operation.
#[doc(alias("cuda::ptx::op_add", "op_add"))]
pub trait ClusterReduce<T: Element>: Qualifier {
    /// Starts the reduction of `value` into the element at `addr` (`red.async`), whose completion the mbarrier `mbar` counts.
    ///
    /// # Safety
    ///
    /// The clauses of [`raw::red_async_add`].
    #[doc(hidden)]
    unsafe fn red_async(value: T, addr: u32, mbar: u32);
    /// Starts the reduction of the `size` bytes at `src` into those at `dst` (`cp.reduce.async.bulk`), which the mbarrier `mbar`
    /// counts.
    ///
    /// # Safety
    ///
    /// The clauses of [`raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add`].
    #[doc(hidden)]
    unsafe fn bulk_reduce(dst: u32, src: u32, size: u32, mbar: u32);
}

macro_rules! reductions {
    ($( $Op:ident $red:ident $bulk:ident $op:tt: $($T:ty as $Type:ident),+; )*) => { $( $(
        #[diagnostic::do_not_recommend]
        impl ClusterReduce<$T> for op::$Op {
            #[inline(always)]
            unsafe fn red_async(value: $T, addr: u32, mbar: u32) {
                // SAFETY: the caller meets the contract of this instruction (`# Safety`). The cast keeps the bits.
                unsafe { reductions!(@call $red [space::SharedCluster] $op ty::$Type, addr, value as _, mbar) }
            }
            #[inline(always)]
            unsafe fn bulk_reduce(dst: u32, src: u32, size: u32, mbar: u32) {
                // SAFETY: the caller meets the contract of this instruction (`# Safety`).
                unsafe { reductions!(@call $bulk [] $op ty::$Type, dst, src, size, mbar) }
            }
        }
    )+ )* };
    (@call $reduce:ident [ $($space:path)? ] [ $($op:path)? ] $($arg:expr),+) => {
        raw::$reduce($($space,)? $($op,)? $($arg),+)
    };
}

// The tables of the two sections, which are equal. They have no `.s64` of `.add`: addition in two's complement is that of `.u64`.
reductions! {
    Add red_async_add cp_reduce_async_bulk_shared_cluster_shared_cta_add []:
        u32 as U32, i32 as S32, u64 as U64, i64 as U64;
    Min red_async_min_max cp_reduce_async_bulk_shared_cluster_shared_cta_min_max [op::Min]: u32 as U32, i32 as S32;
    Max red_async_min_max cp_reduce_async_bulk_shared_cluster_shared_cta_min_max [op::Max]: u32 as U32, i32 as S32;
    Inc red_async_inc_dec cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec [op::Inc]: u32 as U32;
    Dec red_async_inc_dec cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec [op::Dec]: u32 as U32;
    And red_async_bitwise cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise [op::And]: u32 as B32, i32 as B32;
    Or red_async_bitwise cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise [op::Or]: u32 as B32, i32 as B32;
    Xor red_async_bitwise cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise [op::Xor]: u32 as B32, i32 as B32;
}
