//! A user's type is no operation, element type or fill mode.

use ptx::qualifier::{elemtype, fill_mode, op};
use ptx::tensor::{ElementTypeOf, FillOf, ReduceOp};

pub struct Money(pub u32);

impl ReduceOp<Money> for op::Add {}
impl ElementTypeOf<Money> for elemtype::U32 {}
impl FillOf<Money> for fill_mode::OobNan {}
