//! A released stage is loaded again: what stood for its tiles is gone.

use ptx::pipeline::{Arrived, Consumer};

type Stage = ([f32; 64], [f32; 64]);

pub fn consume<'p>(stage: Arrived<'p, Stage, 2>) -> (Consumer<'p, Stage, 2>, Option<f32>) {
    let (x, _) = stage.tiles();
    let consumer = stage.release();
    (consumer, x.get(0))
}
