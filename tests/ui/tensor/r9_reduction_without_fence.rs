//! Stores of threads are fenced before a reduction reads them, in a group too.

use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Shared, Written};
use ptx::tensor::{self, Box1, TensorReduceTile, TensorTileMut};

pub fn kernel<'s>(
    cta: &Cta,
    [a, b, c]: [Shared<'s, f32, 64, Written>; 3],
    dst: TensorTileMut<f32, Box1<64>>,
    sums: TensorReduceTile<f32, Box1<64>>,
) {
    #[cfg(not(fixed))]
    let group = tensor::reduce(cta, op::Add, a, sums);
    #[cfg(not(fixed))]
    let group = group.and(tensor::store(cta, b, dst));
    #[cfg(not(fixed))]
    let group = group.and(tensor::reduce(cta, op::Add, c, sums));
    #[cfg(fixed)]
    let group = tensor::reduce(cta, op::Add, a.to_async().sync(cta), sums);
    #[cfg(fixed)]
    let group = group.and(tensor::store(cta, b.to_async().sync(cta), dst));
    #[cfg(fixed)]
    let group = group.and(tensor::reduce(cta, op::Add, c.to_async().sync(cta), sums));
    let _ = group.commit(cta).wait(cta).sync(cta);
}
