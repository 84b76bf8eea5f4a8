//! One split at a time has the two barriers: the next has them when it returns.

use ptx::barrier::Handoff;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    handoff: Handoff<1, 2, 64, 64>,
    one: SharedArray<u32, 256>,
    two: SharedArray<u32, 256>,
) {
    let (handoff, _) = handoff.split(cta, one, |_, producer| producer, |_, consumer| consumer);
    let (_, _) = handoff.split(cta, two, |_, producer| producer, |_, consumer| consumer);
}
