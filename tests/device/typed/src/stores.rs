//! `ptx::shared`: stores at any index, and tiles as matrices.

use ptx::group::Cta;
use ptx::qualifier::{space, swizzle_mode, ty};
use ptx::raw;
use ptx::shared::SharedArray;

use crate::{fence_async, scope as closure, sync, thread_rank};

const N: usize = 256;
/// Elements of a row.
const W: usize = 32;

ptx::shared_memory! {
    struct Smem { tile: SharedArray<u32, N> }
}

#[inline(always)]
fn memory() -> u32 {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    unsafe { core::mem::transmute(smem.tile) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_stores(i: usize, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |cta, tile| {
        let rank = cta.thread_rank();
        let tile = tile.element_stores();
        unsafe { out.write(tile.set(i, rank).is_some() as u32) };
        let tile = tile.publish().sync(cta);
        unsafe { out.add(1).write(tile.get(5).unwrap_or(0)) };
        let tile = tile.release().sync(cta).vector_stores();
        unsafe { out.add(2).write(tile.set_vector(i, [rank, 2, 3, 4]).is_some() as u32) };
        let tile = tile.to_async().sync(cta).into_loaded();
        unsafe { out.add(3).write(tile.get(6).unwrap_or(0)) };
        tile.release().sync(cta)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_stores(i: usize, out: *mut u32) {
    let tile = memory();
    closure(|| unsafe {
        let rank = thread_rank();
        let set = (i < N).then(|| raw::st_weak(space::SharedCta, ty::B32, tile + (i * 4) as u32, rank));
        out.write(set.is_some() as u32);
        sync();
        out.add(1).write(raw::ld_weak(space::SharedCta, ty::B32, tile + 20));
        sync();
        let vector = [rank, 2, 3, 4];
        let set =
            (i < N / 4).then(|| raw::st_weak_v4(space::SharedCta, ty::B32, tile + 16 * i as u32, vector));
        out.add(2).write(set.is_some() as u32);
        fence_async();
        out.add(3).write(raw::ld_weak(space::SharedCta, ty::B32, tile + 24));
        sync();
    });
}

/// Stores chunks of two vectors.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_write_chunks(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |cta, tile| {
        let tile = tile.write_chunks::<2>(cta, |i| [[i as u32; 4], [7; 4]]).publish().sync(cta);
        unsafe { out.write(tile.get(5).unwrap_or(0)) };
        tile.to_async().sync(cta).into_free()
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_write_chunks(out: *mut u32) {
    let tile = memory();
    closure(|| unsafe {
        crate::each_own((N / 8) as u32, |chunk| {
            raw::st_weak_v4(space::SharedCta, ty::B32, tile + 32 * chunk, [chunk; 4]);
            raw::st_weak_v4(space::SharedCta, ty::B32, tile + 32 * chunk + 16, [7; 4]);
        });
        sync();
        out.write(raw::ld_weak(space::SharedCta, ty::B32, tile + 20));
        fence_async();
    });
}

/// Stores to element `[x, y]` of a swizzled matrix, and loads element `[y, x]` of a plain matrix.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_view_2d(x: usize, y: usize, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |cta, tile| {
        let tile = tile.element_stores();
        let set = tile.as_2d::<W>().swizzled(swizzle_mode::B128).set([x, y], cta.thread_rank());
        unsafe { out.write(set.is_some() as u32) };
        let tile = tile.publish().sync(cta);
        unsafe { out.add(1).write(tile.as_2d::<W>().get([y, x]).unwrap_or(7)) };
        tile.to_async().sync(cta).into_free()
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_view_2d(x: usize, y: usize, out: *mut u32) {
    let tile = memory();
    let at = |x: usize, y: usize| (x < W && y < N / W).then(|| tile + ((y * W + x) * 4) as u32);
    closure(|| unsafe {
        let rank = thread_rank();
        let set = at(x, y).map(|at| raw::st_weak(space::SharedCta, ty::B32, at ^ at >> 3 & 0x70, rank));
        out.write(set.is_some() as u32);
        sync();
        out.add(1).write(at(y, x).map_or(7, |at| raw::ld_weak(space::SharedCta, ty::B32, at)));
        fence_async();
    });
}

/// Does what [`typed_shared_view_2d`] does, with vectors of sixteen bytes.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_shared_view_2d_vectors(x: usize, y: usize, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |cta, tile| {
        let tile = tile.vector_stores();
        let vector = [cta.thread_rank(), 2, 3, 4];
        let set = tile.as_2d::<W>().swizzled(swizzle_mode::B128).set_vector([x, y], vector);
        unsafe { out.write(set.is_some() as u32) };
        let tile = tile.publish().sync(cta);
        unsafe { out.add(1).write(tile.as_2d::<W>().get_vector([y, x]).map_or(7, |vector| vector[2])) };
        tile.to_async().sync(cta).into_free()
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_shared_view_2d_vectors(x: usize, y: usize, out: *mut u32) {
    let tile = memory();
    let at = |x: usize, y: usize| (x < W / 4 && y < N / W).then(|| tile + (y * W * 4 + 16 * x) as u32);
    closure(|| unsafe {
        let vector = [thread_rank(), 2, 3, 4];
        let set = at(x, y).map(|at| raw::st_weak_v4(space::SharedCta, ty::B32, at ^ at >> 3 & 0x70, vector));
        out.write(set.is_some() as u32);
        sync();
        out.add(1).write(at(y, x).map_or(7, |at| raw::ld_weak_v4(space::SharedCta, ty::B32, at)[2]));
        fence_async();
    });
}
