//! `bytes_for` counts places that `take` returns: a barrier is not one, because its number exists once per CTA.

use ptx::barrier::NamedBarrier;
use ptx::shared::{DynamicShared, SharedArray};

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { half: NamedBarrier<1, 64> }
}

#[cfg(not(fixed))]
pub const BYTES: u32 = DynamicShared::bytes_for::<(SharedArray<f32, 4096>, NamedBarrier<1, 64>)>();
#[cfg(fixed)]
pub const BYTES: u32 = DynamicShared::bytes_for::<(SharedArray<f32, 4096>,)>();
