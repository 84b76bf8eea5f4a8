//! The special registers of the launch shape (`threadIdx`, `blockDim`, `blockIdx`, `gridDim`), read by LLVM intrinsics. LLVM
//! knows the ranges of intrinsics, merges and hoists the reads, and folds the numbers that
//! [`LaunchShape`](crate::launch::LaunchShape) states. LLVM cannot do so with the inline assembly of [`raw`](crate::raw).

macro_rules! registers {
    ($( $name:ident = $intrinsic:ident; )*) => { $(
        #[inline(always)]
        pub(crate) fn $name() -> u32 {
            #[cfg(target_arch = "nvptx64")]
            #[allow(clippy::unnecessary_cast, reason = "compilers up to 1.96 give an `i32`")]
            // SAFETY: the intrinsic reads a register.
            unsafe {
                core::arch::nvptx::$intrinsic() as u32
            }
            #[cfg(not(target_arch = "nvptx64"))]
            crate::raw::$name()
        }
    )* };
}

registers! {
    tid_x = _thread_idx_x;
    tid_y = _thread_idx_y;
    tid_z = _thread_idx_z;
    ntid_x = _block_dim_x;
    ntid_y = _block_dim_y;
    ntid_z = _block_dim_z;
    ctaid_x = _block_idx_x;
    ctaid_y = _block_idx_y;
    ctaid_z = _block_idx_z;
    nctaid_x = _grid_dim_x;
    nctaid_y = _grid_dim_y;
    nctaid_z = _grid_dim_z;
}
