//! The bytes for places are of what `take` gives: a barrier is a number that a CTA has once.

use ptx::barrier::NamedBarrier;
use ptx::shared::{DynamicShared, SharedArray};

pub const BYTES: u32 = DynamicShared::bytes_for::<(SharedArray<f32, 4096>, NamedBarrier<1, 64>)>();
