//! Dynamic shared memory, and the properties of an array.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{space, ty};
use ptx::raw;
use ptx::registers::unroll;
use ptx::shared::{DynamicShared, SharedArray, SharedTable};
use ptx::trap;

use crate::{sync, thread_count, thread_rank};

const N: usize = 256;

ptx::shared_memory! {
    struct Smem { tile: SharedArray<f32, N> }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_queries(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |_, tile| {
        unsafe { out.write(tile.addr() % 128) };
        tile
    });
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_queries(out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let tile: u32 = unsafe { core::mem::transmute(smem.tile) };
    unsafe { out.write(tile % 128) };
}

/// Returns the address at which dynamic shared memory begins.
#[inline(always)]
fn dynamic() -> u32 {
    let (_, (), dynamic) = unsafe { Cta::enter::<()>() };
    unsafe { core::mem::transmute_copy::<DynamicShared, u32>(&dynamic) }
}

/// Takes eight bytes, starting at `next`. Returns their address and the address of the rest.
#[inline(always)]
fn take(next: u32, end: u32) -> Result<(u32, u32), u32> {
    let addr = next.next_multiple_of(8);
    if addr > end || end - addr < 8 {
        return Err(next);
    }
    Ok((addr, addr + 8))
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_dynamic(out: *mut u32) {
    let (_, (), dynamic) = unsafe { Cta::enter::<()>() };
    unsafe { out.write(if dynamic.is_empty() { 7 } else { dynamic.len() }) };
    let (first, dynamic) = dynamic.take::<Mbarrier<Uninit>>();
    let (second, dynamic) = match dynamic.try_take::<Mbarrier<Uninit>>() {
        Ok((bar, rest)) => (bar.addr(), rest),
        Err(dynamic) => (0, dynamic),
    };
    unsafe { out.add(1).write(first.addr()) };
    unsafe { out.add(2).write(second) };
    unsafe { out.add(3).write(dynamic.len()) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_dynamic(out: *mut u32) {
    let start = dynamic();
    let end = start + raw::dynamic_smem_size();
    let left = end - start;
    unsafe { out.write(if left == 0 { 7 } else { left }) };
    let (first, next) = match take(start, end) {
        Ok(taken) => taken,
        Err(_) => trap(),
    };
    let (second, next) = match take(next, end) {
        Ok(taken) => taken,
        Err(next) => (0, next),
    };
    unsafe { out.add(1).write(first) };
    unsafe { out.add(2).write(second) };
    unsafe { out.add(3).write(end - next) };
}

ptx::shared_memory! {
    struct Table { words: SharedTable<u32, 64> }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_table(x: *const u32, i: usize, out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Table>() };
    let words = smem.words.fill(&cta, |i| unsafe { x.add(i).read() });
    unsafe { out.write(words.get(i).unwrap_or(7)) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_table(x: *const u32, i: usize, out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Table>() };
    let words: u32 = unsafe { core::mem::transmute(smem.words) };
    let (mut k, threads) = (thread_rank(), thread_count());
    while k < 64 {
        let at = |n: u32| k + n * threads;
        let mut all = [0_u32; 4];
        unroll::<4>(|n| {
            if at(n as u32) < 64 {
                all[n] = unsafe { x.add(at(n as u32) as usize).read() };
            }
        });
        unroll::<4>(|n| {
            if at(n as u32) < 64 {
                unsafe { raw::st_weak(space::SharedCta, ty::B32, words + 4 * at(n as u32), all[n]) };
            }
        });
        k = at(4);
    }
    unsafe { sync() };
    let word =
        if i >= 64 { 7 } else { unsafe { raw::ld_weak(space::SharedCta, ty::B32, words + 4 * i as u32) } };
    unsafe { out.write(word) };
}
