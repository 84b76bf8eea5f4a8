//! Rows are gathered from `sm_100` on.

use ptx::tensor::{Box2, TensorMap};

pub fn kernel(map: TensorMap<f32, Box2<64, 4>>) {
    let _rows = map.at([0, 7]);
}
