//! A user's type is no operation, element type or fill mode.

use ptx::qualifier::{elemtype, fill_mode, op};
use ptx::tensor::{ElementTypeOf, FillOf, ReduceOp};

#[cfg(not(fixed))]
pub struct Money(pub u32);

#[cfg(not(fixed))]
impl ReduceOp<Money> for op::Add {}
#[cfg(not(fixed))]
impl ElementTypeOf<Money> for elemtype::U32 {}
#[cfg(not(fixed))]
impl FillOf<Money> for fill_mode::OobNan {}

#[cfg(fixed)]
pub fn of_words(_: impl ReduceOp<u32>, _: impl ElementTypeOf<u32>, _: impl FillOf<u32>) {}

#[cfg(fixed)]
pub fn sum() {
    of_words(op::Add, elemtype::U32, fill_mode::Zero);
}
