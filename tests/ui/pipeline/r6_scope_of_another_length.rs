//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::pipeline::{Consumer, FullStage, IdleRing, Pipeline, Producer, Ring};

#[cfg(not(fixed))]
pub fn shorten_idle<'short, 'long: 'short>(x: IdleRing<'long, [f32; 64], 2>) -> IdleRing<'short, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_idle<'short, 'long: 'short>(x: IdleRing<'short, [f32; 64], 2>) -> IdleRing<'long, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_ring<'short, 'long: 'short>(x: Ring<'long, [f32; 64], 2>) -> Ring<'short, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_ring<'short, 'long: 'short>(x: Ring<'short, [f32; 64], 2>) -> Ring<'long, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_pipeline<'short, 'long: 'short>(x: Pipeline<'long, [f32; 64], 2>) -> Pipeline<'short, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_pipeline<'short, 'long: 'short>(x: Pipeline<'short, [f32; 64], 2>) -> Pipeline<'long, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_producer<'short, 'long: 'short>(x: Producer<'long, [f32; 64], 2>) -> Producer<'short, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_producer<'short, 'long: 'short>(x: Producer<'short, [f32; 64], 2>) -> Producer<'long, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_consumer<'short, 'long: 'short>(x: Consumer<'long, [f32; 64], 2>) -> Consumer<'short, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_consumer<'short, 'long: 'short>(x: Consumer<'short, [f32; 64], 2>) -> Consumer<'long, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_arrived<'short, 'long: 'short>(x: FullStage<'long, [f32; 64], 2>) -> FullStage<'short, [f32; 64], 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_arrived<'short, 'long: 'short>(x: FullStage<'short, [f32; 64], 2>) -> FullStage<'long, [f32; 64], 2> {
    x
}

#[cfg(fixed)]
pub fn keep_idle<'s>(x: IdleRing<'s, [f32; 64], 2>) -> IdleRing<'s, [f32; 64], 2> {
    x
}

#[cfg(fixed)]
pub fn keep_ring<'s>(x: Ring<'s, [f32; 64], 2>) -> Ring<'s, [f32; 64], 2> {
    x
}

#[cfg(fixed)]
pub fn keep_pipeline<'s>(x: Pipeline<'s, [f32; 64], 2>) -> Pipeline<'s, [f32; 64], 2> {
    x
}

#[cfg(fixed)]
pub fn keep_producer<'s>(x: Producer<'s, [f32; 64], 2>) -> Producer<'s, [f32; 64], 2> {
    x
}

#[cfg(fixed)]
pub fn keep_consumer<'s>(x: Consumer<'s, [f32; 64], 2>) -> Consumer<'s, [f32; 64], 2> {
    x
}

#[cfg(fixed)]
pub fn keep_arrived<'s>(x: FullStage<'s, [f32; 64], 2>) -> FullStage<'s, [f32; 64], 2> {
    x
}
