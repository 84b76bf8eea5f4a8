//! A pipeline fits the shared memory of a CTA, and its tiles have elements.

use ptx::group::Cta;
use ptx::pipeline::Pipeline;

#[cfg(not(fixed))]
pub fn stages<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [u8; 16], 4294967297>) -> Pipeline<'s, [u8; 16], 4294967297> {
    pipeline.run(cta, |_, producer| producer, |_, consumer| consumer).join(cta)
}

#[cfg(fixed)]
pub fn stages<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [u8; 16], 8>) -> Pipeline<'s, [u8; 16], 8> {
    pipeline.run(cta, |_, producer| producer, |_, consumer| consumer).join(cta)
}

#[cfg(not(fixed))]
pub fn tiles<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [u8; 0], 2>) -> Pipeline<'s, [u8; 0], 2> {
    pipeline.run(cta, |_, producer| producer, |_, consumer| consumer).join(cta)
}

#[cfg(fixed)]
pub fn tiles<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [u8; 16], 2>) -> Pipeline<'s, [u8; 16], 2> {
    pipeline.run(cta, |_, producer| producer, |_, consumer| consumer).join(cta)
}
