//! A committed group takes no more copies.

use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};
use ptx::tensor::{self, Box1, TensorReduceTile, TensorTileMut};

pub fn kernel<'s>(
    cta: &Cta,
    [a, b, c, d]: [Shared<'s, f32, 64, Fenced>; 4],
    dst: TensorTileMut<f32, Box1<64>>,
    sums: TensorReduceTile<f32, Box1<64>>,
) {
    #[cfg(not(fixed))]
    let group = tensor::reduce(cta, op::Add, a, sums).commit(cta);
    #[cfg(fixed)]
    let group = tensor::reduce(cta, op::Add, a, sums);
    let _group = group.and(tensor::reduce(cta, op::Add, b, sums)).commit(cta);
    #[cfg(not(fixed))]
    let group = tensor::reduce(cta, op::Add, c, sums).commit(cta);
    #[cfg(fixed)]
    let group = tensor::reduce(cta, op::Add, c, sums);
    let _group = group.and(tensor::store(cta, d, dst)).commit(cta);
}
