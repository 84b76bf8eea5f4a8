//! Rows are gathered from `sm_100` on.

use ptx::tensor::{Gather4, TensorMap, TensorTile};

pub fn kernel(map: TensorMap<f32, Gather4<64>>) {
    let _rows: TensorTile<_, _> = map.at([0, 7, 1, 9, 4]);
}
