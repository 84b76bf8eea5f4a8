//! Compiles the kernels to PTX, for Hopper.

fn main() {
    ptx_build::kernels("kernels").arch(["sm_90a"]).build();
}
