//! Rows are gathered on sm_100 and later.

use ptx::tensor::{Gather4, TensorMap};

pub fn kernel(map: TensorMap<f32, Gather4<64>>) {
    let _rows = map.at([0, 7, 1, 9, 4]);
}
