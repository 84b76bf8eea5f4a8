//! Rows are gathered on sm_100 and later.

use ptx::tensor::{Box2, Gather4, TensorMap};

#[cfg(not(fixed))]
pub fn kernel(map: TensorMap<f32, Gather4<64>>) {
    let _rows = map.at([0, 7, 1, 9, 4]);
}

#[cfg(fixed)]
pub fn kernel(map: TensorMap<f32, Box2<64, 1>>) {
    let _rows = [7, 1, 9, 4].map(|row| map.at([0, row]));
}
