//! A barrier has one kind of use: `barrier.cta.red` cannot run on a barrier of `.sync`.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, half: NamedBarrier<1, 64>, value: u32) -> u32 {
    half.red(&cta.warp(), value > 3)
}
