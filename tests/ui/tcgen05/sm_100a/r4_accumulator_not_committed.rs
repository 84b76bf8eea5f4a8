//! The closure that multiplies commits what it has started, also what it forgets.

use ptx::bf16;
use ptx::group::Thread;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{Issuer, Operand};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

pub fn part<'p>(
    thread: &Thread<'p>,
    issuer: Issuer<'p, N64, 2>,
    a: Operand<'_, bf16, Rows<128>, 1>,
    b: Operand<'_, bf16, Rows<64>, 1>,
) -> Issuer<'p, N64, 2> {
    let products = issuer.start(thread, a, b);
    #[cfg(not(fixed))]
    core::mem::forget(products);
    #[cfg(fixed)]
    let issuer = products.commit(thread);
    issuer
}
