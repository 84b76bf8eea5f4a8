//! A kernel of ten instructions, built without optimization. The test `ten_calls_of_a_debug_build_are_ten_blocks` counts them.

#![no_std]
// The crate is compiled for its PTX and never run.
#![allow(clippy::missing_safety_doc)]
#![feature(abi_ptx)]

use ptx::qualifier::{
    action, arrivals, cache_hint, convergence, cp_mask, op, scope, sem, space, threads, ty,
};
use ptx::raw;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn ten(shared: u32, global: *mut u8, size: u32) {
    unsafe {
        raw::mbarrier_init(space::SharedCta, shared, size);
        raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, shared, arrivals::One);
        raw::atom_add(sem::Relaxed, scope::Gpu, space::Global, ty::U32, global, size, cache_hint::None);
        raw::atom_add(sem::AcqRel, scope::Sys, space::Global, ty::F64, global, 1.0, cache_hint::None);
        raw::red_min(sem::Release, scope::Cluster, space::SharedCta, ty::S32, shared, -1, cache_hint::None);
        raw::fence(sem::Sc, scope::Cluster);
        raw::barrier_cta_sync(convergence::Unaligned, 3, threads::All);
        raw::cp_async_bulk_global_shared_cta(global, shared, size, cache_hint::None, cp_mask::None);
        raw::redux_sync(op::Max, ty::S32, 5, size);
        raw::griddepcontrol(action::Wait);
    }
}
