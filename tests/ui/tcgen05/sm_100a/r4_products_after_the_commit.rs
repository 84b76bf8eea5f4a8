//! Products go into an accumulator before its commit.

use ptx::bf16;
use ptx::group::Thread;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{Issuer, Operand, Products};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;

pub fn part<'p>(
    thread: &Thread<'p>,
    products: Products<'p, N64, 2>,
    a: Operand<'_, bf16, Rows<128>, 1>,
    b: Operand<'_, bf16, Rows<64>, 1>,
) -> Issuer<'p, N64, 2> {
    #[cfg(not(fixed))]
    let issuer = products.commit(thread);
    #[cfg(not(fixed))]
    let _late = products.mma(thread, a, b);
    #[cfg(fixed)]
    let issuer = products.mma(thread, a, b).commit(thread);
    issuer
}
