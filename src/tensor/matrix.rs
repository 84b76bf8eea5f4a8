//! Boxes that are matrices: operands of tensor cores, and what leaves them.

use super::{Box2, Box3, Box4, Box5, BoxShape, MapSwizzle};
use crate::size;

/// Boxes of matrices: of two dimensions, or with an extent of 1 in the third dimension and those after it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a box of a matrix",
    label = "not a `Box2`, nor a larger box",
    note = "name a box with a swizzle as wide as its rows: `Box2<64, 128, swizzle_mode::B128>` for 128 rows of 64 elements of 16 bits"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait MatrixBox: BoxShape<Bounds = ()> {
    /// The elements of a row, which is contiguous.
    #[doc(hidden)]
    const INNER: usize;
    /// The rows.
    #[doc(hidden)]
    const OUTER: usize;
    /// The elements in all further dimensions together.
    #[doc(hidden)]
    const MATRICES: usize;
    /// The bytes of the swizzle, which are those of a row.
    #[doc(hidden)]
    const ROW_BYTES: usize;
    /// The place `elements` further along the innermost dimension.
    #[doc(hidden)]
    fn beside(at: Self::At, elements: i32) -> Self::At;
}
macro_rules! matrix_boxes {
    ($( $Box:ident<$($More:ident),*>; )*) => { $(
        #[diagnostic::do_not_recommend]
        impl<const INNER: usize, const OUTER: usize, $(const $More: usize,)* M: MapSwizzle> MatrixBox for $Box<INNER, OUTER, $($More,)* M> {
            const INNER: usize = INNER;
            const OUTER: usize = OUTER;
            const MATRICES: usize = size::product([1, $($More),*]);
            const ROW_BYTES: usize = M::SPAN;
            #[inline(always)]
            fn beside(mut at: Self::At, elements: i32) -> Self::At {
                at[0] = at[0].wrapping_add(elements);
                at
            }
        }
    )* };
}
matrix_boxes! { Box2<>; Box3<D2>; Box4<D2, D3>; Box5<D2, D3, D4>; }
