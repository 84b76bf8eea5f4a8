//! The reductions into shared memory of another CTA (9.7.13.7, 9.7.9.25.4.2).

use crate::qualifier::{Qualifier, op, space, ty};
use crate::raw;
use crate::shared::Element;

/// Operations that combine elements of `T` in a DSMEM buffer: one by one (`red.async`) or as tiles (`cp.reduce.async.bulk`), which
/// have the same operations and types.
///
/// ```
/// use ptx::cluster::{ByElement, Cluster, ClusterReduce, Inbox};
/// use ptx::qualifier::op;
/// fn over_all<'c, Op: ClusterReduce<u32>>(
///     cluster: &Cluster<'c>,
///     op: Op,
///     inbox: Inbox<'c, u32, 64, ByElement>,
///     mine: u32,
/// ) {
///     let received = inbox.reduce_to_others(cluster, op, |_| mine).receive(cluster.cta());
///     let _inbox = received.release(cluster);
/// }
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>, mine: u32) {
/// over_all(cluster, op::Max, inbox, mine);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no reduction `{Self}` of `{T}` into a DSMEM buffer",
    label = "not an operation on `{T}`",
    note = "`Add` takes u32, i32, u64 and i64; `Min`, `Max`, `And`, `Or`, `Xor` u32 and i32; `Inc`, `Dec` u32 (PTX ISA 9.7.13.7, 9.7.9.25.4.2)",
    note = "other elements, such as floats, are sent or stored, and combined by the threads that receive them"
)]
// The operation is `Self`: of a type with one operation, rustc would otherwise take any argument for that one.
pub trait ClusterReduce<T: Element>: Qualifier {
    /// Starts the reduction of one element.
    ///
    /// # Safety
    ///
    /// That of [`raw::red_async_add`].
    #[doc(hidden)]
    unsafe fn red_async(value: T, addr: u32, mbar: u32);
    /// Starts the reduction of a tile.
    ///
    /// # Safety
    ///
    /// That of [`raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add`].
    #[doc(hidden)]
    unsafe fn bulk_reduce(dst: u32, src: u32, size: u32, mbar: u32);
}

macro_rules! reductions {
    ($( $Op:ident $red:ident $bulk:ident $op:tt: $($T:ty as $Type:ident),+; )*) => { $( $(
        #[diagnostic::do_not_recommend]
        impl ClusterReduce<$T> for op::$Op {
            #[inline(always)]
            unsafe fn red_async(value: $T, addr: u32, mbar: u32) {
                // SAFETY: the caller's contract. The cast keeps the bits.
                unsafe { reductions!(@call $red [space::SharedCluster] $op ty::$Type, addr, value as _, mbar) }
            }
            #[inline(always)]
            unsafe fn bulk_reduce(dst: u32, src: u32, size: u32, mbar: u32) {
                // SAFETY: the caller's contract.
                unsafe { reductions!(@call $bulk [] $op ty::$Type, dst, src, size, mbar) }
            }
        }
    )+ )* };
    (@call $reduce:ident [ $($space:path)? ] [ $($op:path)? ] $($arg:expr),+) => {
        raw::$reduce($($space,)? $($op,)? $($arg),+)
    };
}

// The tables of both sections, which are equal. They have no `.s64` of `.add`: the sum of two's complements is that of `.u64`.
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
