//! The boxes of a tensor are dealt out once, and each box is taken once.

use ptx::group::Cta;
use ptx::shared::{Fenced, Shared};
use ptx::tensor::{self, Box1, TensorMapMut};

pub fn kernel<'s>(cta: &Cta, map: TensorMapMut<f32, Box1<64>>, [one, other]: [Shared<'s, f32, 64, Fenced>; 2]) {
    #[cfg(not(fixed))]
    let (mut mine, mut again) = (map.tiles(cta), map.tiles(cta));
    #[cfg(not(fixed))]
    let (Some((_, to)), Some(_)) = (mine.next_tile(), again.next_tile()) else { return };
    #[cfg(not(fixed))]
    let _group = tensor::store(cta, one, to).and(tensor::store(cta, other, to)).commit(cta);
    #[cfg(fixed)]
    let mut mine = map.tiles(cta);
    #[cfg(fixed)]
    let (Some((_, to)), Some((_, next))) = (mine.next_tile(), mine.next_tile()) else { return };
    #[cfg(fixed)]
    let _group = tensor::store(cta, one, to).and(tensor::store(cta, other, next)).commit(cta);
}
