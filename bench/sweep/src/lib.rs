//! `axpy_bulk` with other tiles and stages, for `ptx-gpu sweep`: `axpy_bulk_s3_t16` has three stages of 16 KiB tiles.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch, core_float_math)]

#[path = "../../../kernels/src/axpy_bulk.rs"]
mod axpy_bulk;

use ptx::global::{Global, GlobalMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

ptx::panic_handler!();

macro_rules! sweep {
    ($( $name:ident: $kib:literal, $stages:literal; )*) => { $(
        /// # Safety
        ///
        /// As [`axpy_bulk::axpy_bulk`], of CTAs of any size.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(a: f32, x: *const f32, y: *mut f32, n: usize) {
            // SAFETY: the kernel's first call; below, control flow depends on kernel arguments and on the ring alone.
            let (cta, (), dynamic) = unsafe { Cta::enter::<()>() };
            // SAFETY: the contract above; every thread makes the same handles, once.
            let (x, y) = unsafe { (Global::from_raw(x, n), GlobalMut::from_raw(y, n)) };
            let (ring, _) = dynamic.take::<RingMemory<[f32; $kib * 256], $stages>>();
            axpy_bulk::axpy(cta, ring, a, x, y);
        }
    )* };
}

sweep! {
    axpy_bulk_s1_t16: 16, 1;
    axpy_bulk_s1_t32: 32, 1;
    axpy_bulk_s2_t8: 8, 2;
    axpy_bulk_s2_t12: 12, 2;
    axpy_bulk_s2_t14: 14, 2;
    axpy_bulk_s2_t16: 16, 2;
    axpy_bulk_s2_t20: 20, 2;
    axpy_bulk_s2_t24: 24, 2;
    axpy_bulk_s2_t32: 32, 2;
    axpy_bulk_s3_t8: 8, 3;
    axpy_bulk_s3_t10: 10, 3;
    axpy_bulk_s3_t12: 12, 3;
    axpy_bulk_s3_t16: 16, 3;
    axpy_bulk_s3_t32: 32, 3;
    axpy_bulk_s4_t4: 4, 4;
    axpy_bulk_s4_t8: 8, 4;
    axpy_bulk_s4_t16: 16, 4;
    axpy_bulk_s6_t4: 4, 6;
    axpy_bulk_s6_t8: 8, 6;
    axpy_bulk_s6_t16: 16, 6;
    axpy_bulk_s8_t4: 4, 8;
}
