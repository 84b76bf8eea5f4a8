//! A barrier is a number that a CTA has once, not bytes: `DynamicShared` could hand it out again and again.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;
use ptx::shared::DynamicShared;

pub fn kernel(cta: &Cta, dynamic: DynamicShared) {
    let (half, _) = dynamic.take::<NamedBarrier<1, 64>>();
    half.sync(&cta.warp());
}
