//! The instructions of tensor cores are of the feature `tensor`.

#[cfg(not(fixed))]
pub fn kernel(a: [u32; 4], b: [u32; 2], c: [f32; 4]) -> [f32; 4] {
    // SAFETY: the example assumes that all threads of the warp make this call.
    unsafe { ptx::raw::mma_m16n8k16_f32_f16(a, b, c) }
}

#[cfg(not(fixed))]
pub fn fence(sums: [f32; 4]) -> [f32; 4] {
    // SAFETY: the example assumes that all threads of the warpgroup make this call.
    unsafe { ptx::raw::wgmma_fence_with(sums) }
}

#[cfg(fixed)]
pub fn kernel(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}
