//! Compiles the kernels to PTX, for Hopper and for Blackwell.

fn main() {
    ptx_build::kernels("kernels").arch(["sm_90", "sm_100"]).build();
}
