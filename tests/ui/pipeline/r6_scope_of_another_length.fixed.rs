//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::pipeline::{FullStage, Consumer, IdleRing, Pipeline, Producer, Ring};

pub fn keep_idle<'s>(x: IdleRing<'s, f32, 64, 1, 2>) -> IdleRing<'s, f32, 64, 1, 2> {
    x
}

pub fn keep_ring<'s>(x: Ring<'s, f32, 64, 1, 2>) -> Ring<'s, f32, 64, 1, 2> {
    x
}

pub fn keep_pipeline<'s>(x: Pipeline<'s, [f32; 64], 2>) -> Pipeline<'s, [f32; 64], 2> {
    x
}

pub fn keep_producer<'s>(x: Producer<'s, [f32; 64], 2>) -> Producer<'s, [f32; 64], 2> {
    x
}

pub fn keep_consumer<'s>(x: Consumer<'s, [f32; 64], 2>) -> Consumer<'s, [f32; 64], 2> {
    x
}

pub fn keep_arrived<'s>(x: FullStage<'s, [f32; 64], 2>) -> FullStage<'s, [f32; 64], 2> {
    x
}
