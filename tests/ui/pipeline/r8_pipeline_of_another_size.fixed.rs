//! A pipeline fits the shared memory of a CTA, and its tiles have elements.

use ptx::launch::Cta;
use ptx::pipeline::Pipeline;

pub fn stages<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [u8; 16], 8>) -> Pipeline<'s, [u8; 16], 8> {
    pipeline.run(cta, |_, producer| producer, |_, consumer| consumer)
}

pub fn tiles<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [u8; 16], 2>) -> Pipeline<'s, [u8; 16], 2> {
    pipeline.run(cta, |_, producer| producer, |_, consumer| consumer)
}
