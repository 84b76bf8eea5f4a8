//! A user's type is no operation, element type or fill mode.

use ptx::qualifier::{elemtype, fill_mode, op};
use ptx::tensor::{ElementTypeOf, FillOf, ReduceOp};

pub fn of_words(_: impl ReduceOp<u32>, _: impl ElementTypeOf<u32>, _: impl FillOf<u32>) {}

pub fn sum() {
    of_words(op::Add, elemtype::U32, fill_mode::Zero);
}
