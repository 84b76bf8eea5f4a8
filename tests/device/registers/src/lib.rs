//! Sums of outer products, in arrays that stay in registers. `tests/sass.rs` reads their machine code.

#![no_std]
// The crate is compiled for its machine code. Only `gpu/src/device_checks.rs` launches the kernels, with valid arguments.
#![allow(clippy::missing_safety_doc)]
#![feature(abi_ptx)]

use ptx::math::fma;
use ptx::registers::{from_fn, unroll, zeroed};

ptx::panic_handler!();

/// `out[i][j]` ← the sum over k of `a[k][i] * b[k][j]`.
macro_rules! outer_products {
    ($( $name:ident: $I:literal by $J:literal; )*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(a: *const f32, b: *const f32, out: *mut f32, n: u32) {
            let mut sums: [[f32; $J]; $I] = zeroed();
            for k in 0..n as usize {
                let a: [f32; $I] = from_fn(|i| unsafe { a.add($I * k + i).read() });
                let b: [f32; $J] = from_fn(|j| unsafe { b.add($J * k + j).read() });
                unroll::<$I>(|i| unroll::<$J>(|j| sums[i][j] = fma(a[i], b[j], sums[i][j])));
            }
            unroll::<$I>(|i| unroll::<$J>(|j| unsafe { out.add($J * i + j).write(sums[i][j]) }));
        }
    )* };
}
outer_products! { outer_8x8: 8 by 8; outer_8x16: 8 by 16; }
