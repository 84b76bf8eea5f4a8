//! A kernel declares 48 KiB of shared memory at most.

use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 12288>, pub bar: Mbarrier<Uninit> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 12280>, pub bar: Mbarrier<Uninit> }
}
