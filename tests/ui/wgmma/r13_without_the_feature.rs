//! `ptx::wgmma` is of the feature `tensor`.

#[cfg(not(fixed))]
pub fn columns() -> ptx::wgmma::Zeros<ptx::qualifier::n::N64> {
    ptx::wgmma::Zeros::new()
}

#[cfg(fixed)]
pub fn columns() -> [f32; 32] {
    [0.0; 32]
}
