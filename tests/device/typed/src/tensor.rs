//! Tensor copies (TMA).

use half::{bf16, f16};
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::Global;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{
    arrivals, cache_hint, cta_group, evict, load_mode, multicast, op, scope, sem, space, suspend_time_hint,
    ty,
};
use ptx::raw;
use ptx::shared::SharedArray;
use ptx::tensor::{
    self, BoundingBox, Box1, Box2, Box3, Box4, Box5, Im2col3, Im2col4, Im2col5, Im2colOffset, TensorMap,
    TensorMapMut, TensorMapObject, TensorMapReduce, TensorMapSlot,
};
use ptx::trap;

use super::bulk_reduce::reduce;
use super::{cta_rank, each_own, elected, fence_async, init, scope as closure, sync, thread_rank};

const BYTES: u32 = 1024;
const BAR: u32 = BYTES;

ptx::shared_memory! {
    struct Smem { tile: SharedArray<f32, 256>, bar: Mbarrier<Uninit> }
}

ptx::shared_memory! {
    struct Words { tile: SharedArray<u32, 256>, end: Mbarrier<Uninit> }
}

/// A pair of kernels over shared memory, with an initialized mbarrier and a tensor map.
macro_rules! pair {
    ($typed:ident($cta:ident, $tile:ident, $bar:ident, $map:ident, $out:ident) $typed_body:block
     $raw:ident($base:ident, $rbar:ident, $rmap:ident, $rout:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed($map: *const TensorMapObject, $out: *mut u32) {
            #[allow(unused_mut)]
            let (mut $cta, smem, _) = unsafe { Cta::enter::<Smem>() };
            #[allow(unused)]
            let ($tile, $bar) = (smem.tile, smem.bar.init(&$cta).sync(&$cta));
            $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($rmap: *const u8, $rout: *mut u32) {
            let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
            #[allow(unused)]
            let ($base, $rbar) = (smem.bar.addr() - BAR, smem.bar.addr());
            unsafe { init($rbar) };
            unsafe { $raw_body }
        }
    };
}

/// A pair of kernels that load, and differ only in the copy.
macro_rules! load_pair {
    ($typed:ident $Shape:ty, $at:expr; $raw:ident |$base:ident, $bar:ident, $map:ident| $copy:expr) => {
        pair! {
            $typed(cta, tile, bar, map, out) {
                let map = unsafe { TensorMap::<f32, $Shape>::from_raw_within(map, Starts::STARTS) };
                cta.async_scope(tile, |cta, tile| {
                    let (bar, tile, _) = tensor::load(cta, bar, tile, place(map.at($at))).wait(cta);
                    unsafe { out.write(tile.get(3).map_or(0, f32::to_bits)) };
                    tile.release().sync(cta)
                });
            }
            $raw(base, bar, map, out) {
                closure(|| {
                    let ($base, $bar, $map) = (base, bar, map);
                    let state = if elected() {
                        let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, BYTES);
                        $copy;
                        state
                    } else {
                        raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
                    };
                    while !raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None) {}
                    out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
                    sync();
                })
            }
        }
    };
}

const GROUP: cta_group::None = cta_group::None;

#[inline(always)]
fn offset5(offset: u16) -> Im2colOffset {
    match Im2colOffset::new(offset) {
        Some(offset) => offset,
        None => ptx::trap(),
    }
}

#[inline(always)]
fn place<T>(place: Option<T>) -> T {
    match place {
        Some(place) => place,
        None => ptx::trap(),
    }
}

/// The start of a copy, for columns and for other shapes.
pub trait Starts {
    const STARTS: Self;
}
impl Starts for () {
    const STARTS: () = ();
}
impl<const DIMS: usize> Starts for BoundingBox<DIMS> {
    const STARTS: Self = BoundingBox { first: [-1; DIMS], last: [8; DIMS] };
}

load_pair! {
    typed_tensor_load_1d Box1<256>, [8];
    raw_tensor_load_1d |dst, bar, map| raw::cp_async_bulk_tensor_1d_global_tile(space::SharedCta, GROUP, dst, map, [8], bar, multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_2d Box2<32, 8>, [8, -1];
    raw_tensor_load_2d |dst, bar, map| raw::cp_async_bulk_tensor_2d_global_tile(space::SharedCta, GROUP, dst, map, [8, -1], bar, multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_3d Box3<16, 4, 4>, [8, -1, 2];
    raw_tensor_load_3d |dst, bar, map| raw::cp_async_bulk_tensor_3d_global_tile(space::SharedCta, GROUP, dst, map, [8, -1, 2], bar, multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_4d Box4<8, 4, 4, 2>, [8, -1, 2, 3];
    raw_tensor_load_4d |dst, bar, map| raw::cp_async_bulk_tensor_4d_global_tile(space::SharedCta, GROUP, dst, map, [8, -1, 2, 3], bar, multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_5d Box5<4, 4, 4, 2, 2>, [8, -1, 2, 3, 4];
    raw_tensor_load_5d |dst, bar, map| raw::cp_async_bulk_tensor_5d_global_tile(space::SharedCta, GROUP, dst, map, [8, -1, 2, 3, 4], bar, multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_im2col_3d Im2col3<32, 8>, ([8, -1, 2], [300]);
    raw_tensor_load_im2col_3d |dst, bar, map| raw::cp_async_bulk_tensor_3d_global_im2col(space::SharedCta, GROUP, dst, map, [8, -1, 2], bar, [300], multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_im2col_4d Im2col4<32, 8>, ([8, -1, 2, 3], [1, 2]);
    raw_tensor_load_im2col_4d |dst, bar, map| raw::cp_async_bulk_tensor_4d_global_im2col(space::SharedCta, GROUP, dst, map, [8, -1, 2, 3], bar, [1, 2], multicast::None, cache_hint::None)
}

load_pair! {
    typed_tensor_load_im2col_5d Im2col5<32, 8>, ([8, -1, 2, 3, 4], [offset5(1), offset5(2), offset5(31)]);
    raw_tensor_load_im2col_5d |dst, bar, map| raw::cp_async_bulk_tensor_5d_global_im2col(space::SharedCta, GROUP, dst, map, [8, -1, 2, 3, 4], bar, [1, 2, 31], multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_gather4 tensor::Gather4<64>, [8, 1, 9, 4, 4];
    raw_tensor_load_gather4 |dst, bar, map| raw::cp_async_bulk_tensor_2d_global_tile_gather4(space::SharedCta, GROUP, dst, map, [8, 1, 9, 4, 4], bar, multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_im2col_w_3d tensor::Im2colW3<32, 8>, ([8, -1, 2], offset5(3));
    raw_tensor_load_im2col_w_3d |dst, bar, map| raw::cp_async_bulk_tensor_3d_global_im2col_w(space::SharedCta, load_mode::Im2colW, GROUP, dst, map, [8, -1, 2], bar, [0, 3], multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_im2col_w_4d tensor::Im2colW4<32, 8>, ([8, -1, 2, 3], offset5(3));
    raw_tensor_load_im2col_w_4d |dst, bar, map| raw::cp_async_bulk_tensor_4d_global_im2col_w(space::SharedCta, load_mode::Im2colW, GROUP, dst, map, [8, -1, 2, 3], bar, [0, 3], multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_im2col_w_5d tensor::Im2colW5<32, 8>, ([8, -1, 2, 3, 4], offset5(3));
    raw_tensor_load_im2col_w_5d |dst, bar, map| raw::cp_async_bulk_tensor_5d_global_im2col_w(space::SharedCta, load_mode::Im2colW, GROUP, dst, map, [8, -1, 2, 3, 4], bar, [0, 3], multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_im2col_w_halo_3d tensor::Im2colW3<32, 6, 2>, ([8, -1, 2], offset5(3));
    raw_tensor_load_im2col_w_halo_3d |dst, bar, map| raw::cp_async_bulk_tensor_3d_global_im2col_w(space::SharedCta, load_mode::Im2colW, GROUP, dst, map, [8, -1, 2], bar, [2, 3], multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_im2col_w_halo_4d tensor::Im2colW4<32, 6, 2>, ([8, -1, 2, 3], offset5(3));
    raw_tensor_load_im2col_w_halo_4d |dst, bar, map| raw::cp_async_bulk_tensor_4d_global_im2col_w(space::SharedCta, load_mode::Im2colW, GROUP, dst, map, [8, -1, 2, 3], bar, [2, 3], multicast::None, cache_hint::None)
}

#[cfg(feature = "sm_100a")]
load_pair! {
    typed_tensor_load_im2col_w_halo_5d tensor::Im2colW5<32, 6, 2>, ([8, -1, 2, 3, 4], offset5(3));
    raw_tensor_load_im2col_w_halo_5d |dst, bar, map| raw::cp_async_bulk_tensor_5d_global_im2col_w(space::SharedCta, load_mode::Im2colW, GROUP, dst, map, [8, -1, 2, 3, 4], bar, [2, 3], multicast::None, cache_hint::None)
}

/// Copies by `.im2col::w::128`, which has at least 128 pixels: of 32 bytes each, with and without a halo.
#[cfg(feature = "sm_100a")]
mod im2col_w_128 {
    use super::*;

    ptx::shared_memory! {
        struct Plain { tile: SharedArray<u8, 4096>, bar: Mbarrier<Uninit> }
    }
    ptx::shared_memory! {
        struct Halo { tile: SharedArray<u8, { 32 * 4 * (32 + 31) }>, bar: Mbarrier<Uninit> }
    }

    macro_rules! pair {
        ([$Smem:ident $bytes:expr] $typed:ident $Shape:ty, $at:expr; $raw:ident |$base:ident, $bar:ident, $map:ident| $copy:expr) => {
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $typed(map: *const TensorMapObject, out: *mut u8) {
                let (mut cta, smem, _) = unsafe { Cta::enter::<$Smem>() };
                let bar = smem.bar.init(&cta).sync(&cta);
                let map = unsafe { TensorMap::<u8, $Shape>::from_raw_within(map, Starts::STARTS) };
                cta.async_scope(smem.tile, |cta, tile| {
                    let (bar, tile, _) = tensor::load(cta, bar, tile, place(map.at($at))).wait(cta);
                    unsafe { out.write(tile.get(3).unwrap_or(0)) };
                    tile.release().sync(cta)
                });
            }
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $raw($map: *const u8, out: *mut u8) {
                let (_, smem, _) = unsafe { Cta::enter::<$Smem>() };
                let ($base, $bar) = (smem.bar.addr() - $bytes, smem.bar.addr());
                unsafe { init($bar) };
                closure(|| unsafe {
                    let state = if elected() {
                        let state = raw::mbarrier_arrive_expect_tx(
                            sem::Release,
                            scope::Cta,
                            space::SharedCta,
                            $bar,
                            $bytes,
                        );
                        $copy;
                        state
                    } else {
                        raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, $bar, arrivals::One)
                    };
                    while !raw::mbarrier_try_wait(
                        sem::Acquire,
                        scope::Cta,
                        space::SharedCta,
                        $bar,
                        state,
                        suspend_time_hint::None,
                    ) {}
                    out.write(raw::ld_weak(space::SharedCta, ty::B8, $base + 3));
                    sync();
                })
            }
        };
    }

    pair! {
        [Plain 4096]
        typed_tensor_load_im2col_w_128 tensor::Im2colW128x4<32>, ([16, -1, 2, 3], offset5(3));
        raw_tensor_load_im2col_w_128 |dst, bar, map| raw::cp_async_bulk_tensor_4d_global_im2col_w(space::SharedCta, load_mode::Im2colW128, GROUP, dst, map, [16, -1, 2, 3], bar, [0, 3], multicast::None, cache_hint::None)
    }
    pair! {
        [Halo 8064]
        typed_tensor_load_im2col_w_128_halo tensor::Im2colW128x4<32, 31>, ([16, -1, 2, 3], offset5(3));
        raw_tensor_load_im2col_w_128_halo |dst, bar, map| raw::cp_async_bulk_tensor_4d_global_im2col_w(space::SharedCta, load_mode::Im2colW128, GROUP, dst, map, [16, -1, 2, 3], bar, [31, 3], multicast::None, cache_hint::None)
    }
}

/// Writes to each element of the tile its index.
#[inline(always)]
unsafe fn write(base: u32) {
    each_own(BYTES / 16, |v| {
        let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
        unsafe {
            raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [bits(0), bits(1), bits(2), bits(3)])
        };
    });
    unsafe { fence_async() }
}

/// Commits the group and waits for it.
#[inline(always)]
unsafe fn finish() {
    unsafe {
        if elected() {
            raw::cp_async_bulk_commit_group();
        }
        if elected() {
            raw::cp_async_bulk_wait_group::<0>();
        }
        sync();
    }
}

pair! {
    typed_tensor_store_1d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Box1<256>>::from_raw(map, [2]).at([12]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_1d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_1d_global_shared_cta(load_mode::Tile, map, [12], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_2d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Box2<32, 8>>::from_raw(map, [2, 2]).at([12, 8]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_2d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_2d_global_shared_cta(load_mode::Tile, map, [12, 8], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_3d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Box3<16, 4, 4>>::from_raw(map, [2, 2, 2]).at([12, 8, 7]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_3d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_3d_global_shared_cta(load_mode::Tile, map, [12, 8, 7], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_4d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Box4<8, 4, 4, 2>>::from_raw(map, [2, 2, 2, 2]).at([12, 8, 7, 6]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_4d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_4d_global_shared_cta(load_mode::Tile, map, [12, 8, 7, 6], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_5d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Box5<4, 4, 4, 2, 2>>::from_raw(map, [2, 2, 2, 2, 2]).at([12, 8, 7, 6, 5]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_5d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_5d_global_shared_cta(load_mode::Tile, map, [12, 8, 7, 6, 5], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_1d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Box1<256>>::from_raw(map).at([12]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_1d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_1d_global_shared_cta(op::Add, load_mode::Tile, map, [12], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_2d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Box2<32, 8>>::from_raw(map).at([12, 8]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_2d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_2d_global_shared_cta(op::Add, load_mode::Tile, map, [12, 8], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_3d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Box3<16, 4, 4>>::from_raw(map).at([12, 8, 7]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_3d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_3d_global_shared_cta(op::Add, load_mode::Tile, map, [12, 8, 7], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_4d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Box4<8, 4, 4, 2>>::from_raw(map).at([12, 8, 7, 6]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_4d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_4d_global_shared_cta(op::Add, load_mode::Tile, map, [12, 8, 7, 6], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_5d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Box5<4, 4, 4, 2, 2>>::from_raw(map).at([12, 8, 7, 6, 5]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_5d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_5d_global_shared_cta(op::Add, load_mode::Tile, map, [12, 8, 7, 6, 5], base, cache_hint::None);
            }
            finish();
        })
    }
}

/// A pair of kernels that reduce a tile by each operation in turn.
macro_rules! reductions {
    ($typed:ident $raw:ident: $($Op:ident),+) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(map: *const TensorMapObject) {
            let (mut cta, smem, _) = unsafe { Cta::enter::<Words>() };
            let dst = place(unsafe { TensorMapReduce::<u32, Box2<32, 8>>::from_raw(map).at([12, 8]) });
            cta.async_scope(smem.tile, |cta, tile| {
                let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
                $( let (tile, _) = tensor::reduce(cta, op::$Op, tile, dst).commit(cta).wait(cta).sync(cta); )+
                tile.into_free()
            });
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(map: *const u8) {
            let base = {
                let (_, smem, _) = unsafe { Cta::enter::<Words>() };
                smem.end.addr() - BYTES
            };
            closure(|| unsafe {
                each_own(BYTES / 16, |v| {
                    let values = [4 * v, 4 * v + 1, 4 * v + 2, 4 * v + 3];
                    raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, values);
                });
                fence_async();
                $(
                    reduce(|| raw::cp_reduce_async_bulk_tensor_2d_global_shared_cta(op::$Op, load_mode::Tile, map, [12, 8], base, cache_hint::None));
                )+
            })
        }
    };
}
reductions! { typed_tensor_reduce_ops raw_tensor_reduce_ops: Add, Min, Max, Inc, Dec, And, Or, Xor }

pair! {
    typed_tensor_store_im2col_3d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Im2col3<32, 8>>::from_raw(map, ()).at([12, 8, 7]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_im2col_3d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_3d_global_shared_cta(load_mode::Im2colNoOffs, map, [12, 8, 7], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_im2col_3d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Im2col3<32, 8>>::from_raw_within(map, Starts::STARTS).at([12, 8, 7]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_im2col_3d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_3d_global_shared_cta(op::Add, load_mode::Im2colNoOffs, map, [12, 8, 7], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_im2col_4d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Im2col4<32, 8>>::from_raw(map, ()).at([12, 8, 7, 6]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_im2col_4d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_4d_global_shared_cta(load_mode::Im2colNoOffs, map, [12, 8, 7, 6], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_im2col_4d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Im2col4<32, 8>>::from_raw_within(map, Starts::STARTS).at([12, 8, 7, 6]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_im2col_4d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_4d_global_shared_cta(op::Add, load_mode::Im2colNoOffs, map, [12, 8, 7, 6], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_im2col_5d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Im2col5<32, 8>>::from_raw(map, ()).at([12, 8, 7, 6, 5]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_im2col_5d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_5d_global_shared_cta(load_mode::Im2colNoOffs, map, [12, 8, 7, 6, 5], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_im2col_5d(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Im2col5<32, 8>>::from_raw_within(map, Starts::STARTS).at([12, 8, 7, 6, 5]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_im2col_5d(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_5d_global_shared_cta(op::Add, load_mode::Im2colNoOffs, map, [12, 8, 7, 6, 5], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_store_cache_hint(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, Box2<32, 8>>::from_raw(map, [2, 2]).at([12, 8]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let policy = CachePolicy::evict_first();
            let (tile, _) = tensor::store(cta, tile, dst.cache_hint(policy)).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_store_cache_hint(base, bar, map, out) {
        closure(|| {
            write(base);
            let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
            if elected() {
                raw::cp_async_bulk_tensor_2d_global_shared_cta(load_mode::Tile, map, [12, 8], base, cache_hint::Policy(policy));
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_reduce_cache_hint(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapReduce::<f32, Box2<32, 8>>::from_raw(map).at([12, 8]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let policy = CachePolicy::evict_first();
            let (tile, _) = tensor::reduce(cta, op::Add, tile, dst.cache_hint(policy)).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_reduce_cache_hint(base, bar, map, out) {
        closure(|| {
            write(base);
            let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_2d_global_shared_cta(op::Add, load_mode::Tile, map, [12, 8], base, cache_hint::Policy(policy));
            }
            finish();
        })
    }
}

#[cfg(feature = "sm_100a")]
pair! {
    typed_tensor_scatter4(cta, tile, bar, map, out) {
        let dst = place(unsafe { TensorMapMut::<f32, tensor::Scatter4<64>>::from_raw(map, ()).at([12, 1, 2, 5, 3]) });
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_scatter4(base, bar, map, out) {
        closure(|| {
            write(base);
            if elected() {
                raw::cp_async_bulk_tensor_2d_global_shared_cta_tile_scatter4(map, [12, 1, 2, 5, 3], base, cache_hint::None);
            }
            finish();
        })
    }
}

pair! {
    typed_tensor_load_cache_hint(cta, tile, bar, map, out) {
        let map = unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) };
        cta.async_scope(tile, |cta, tile| {
            let policy = CachePolicy::evict_first();
            let (bar, tile, _) = tensor::load(cta, bar, tile, place(map.at([8, -1])).cache_hint(policy)).wait(cta);
            unsafe { out.write(tile.get(3).map_or(0, f32::to_bits)) };
            tile.release().sync(cta)
        });
    }
    raw_tensor_load_cache_hint(base, bar, map, out) {
        closure(|| {
            let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
            let state = if elected() {
                let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, BYTES);
                raw::cp_async_bulk_tensor_2d_global_tile(space::SharedCta, GROUP, base, map, [8, -1], bar, multicast::None, cache_hint::Policy(policy));
                state
            } else {
                raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
            };
            while !raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None) {}
            out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            sync();
        })
    }
}

ptx::shared_memory! {
    struct Product { matrix: SharedArray<f32, 256>, vector: SharedArray<f32, 32>, bar: Mbarrier<Uninit> }
}
const VECTOR: u32 = 128;

/// Loads a box and a tile of global memory on one mbarrier.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_tensor_load_beside_a_tile(
    map: *const TensorMapObject,
    src: *const f32,
    out: *mut u32,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Product>() };
    let map = unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) };
    let Some(src) = unsafe { Global::from_raw(src, 32) }.tiles::<32>().0.get(0) else { trap() };
    let (lent, bar) = ((smem.matrix, smem.vector), smem.bar.init(&cta).sync(&cta));
    cta.async_scope(lent, |cta, tiles| {
        let policy = CachePolicy::evict_first();
        let load = tensor::load(
            cta,
            bar,
            tiles,
            (place(map.at([8, -1])).cache_hint(policy), src.cache_hint(policy)),
        );
        let (bar, (matrix, vector), _) = load.wait(cta);
        unsafe { out.write(matrix.get(3).map_or(0, f32::to_bits) ^ vector.get(3).map_or(0, f32::to_bits)) };
        (matrix.release().sync(cta), vector.release().sync(cta))
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_tensor_load_beside_a_tile(
    map: *const u8,
    src: *const f32,
    out: *mut u32,
) {
    unsafe {
        let (_, smem, _) = Cta::enter::<Product>();
        let (matrix, vector, bar) =
            (smem.bar.addr() - BYTES - VECTOR, smem.bar.addr() - VECTOR, smem.bar.addr());
        init(bar);
        closure(|| {
            let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
            let state = if elected() {
                let bytes = BYTES + VECTOR;
                let state =
                    raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, bytes);
                raw::cp_async_bulk_tensor_2d_global_tile(
                    space::SharedCta,
                    GROUP,
                    matrix,
                    map,
                    [8, -1],
                    bar,
                    multicast::None,
                    cache_hint::Policy(policy),
                );
                raw::cp_async_bulk_shared_cta_global(
                    vector,
                    src.cast(),
                    VECTOR,
                    bar,
                    cache_hint::Policy(policy),
                );
                state
            } else {
                raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
            };
            while !raw::mbarrier_try_wait(
                sem::Acquire,
                scope::Cta,
                space::SharedCta,
                bar,
                state,
                suspend_time_hint::None,
            ) {}
            let element = |tile| raw::ld_weak(space::SharedCta, ty::B32, tile + 12);
            out.write(element(matrix) ^ element(vector));
            sync();
            sync();
        })
    }
}

pair! {
    typed_tensor_prefetch(cta, tile, bar, map, out) {
        let map = unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) };
        let policy = CachePolicy::evict_last();
        tensor::prefetch_tensormap(&cta, &map);
        tensor::prefetch(&cta, place(map.at([8, -1])));
        tensor::prefetch(&cta, place(map.at([8, 7])).cache_hint(policy));
    }
    raw_tensor_prefetch(base, bar, map, out) {
        let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
        if elected() {
            raw::prefetch_tensormap(space::All, map);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [8, -1], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [8, 7], cache_hint::Policy(policy));
        }
    }
}

pair! {
    typed_tensor_prefetch_maps(cta, tile, bar, map, out) {
        tensor::prefetch_tensormap(&cta, &unsafe { TensorMapMut::<f32, Box1<256>>::from_raw(map, [4]) });
        tensor::prefetch_tensormap(&cta, &unsafe { TensorMapReduce::<f32, Box2<32, 8>>::from_raw(map) });
    }
    raw_tensor_prefetch_maps(base, bar, map, out) {
        if elected() {
            raw::prefetch_tensormap(space::All, map);
        }
        if elected() {
            raw::prefetch_tensormap(space::All, map);
        }
    }
}

// Coordinates that are known at run time need checks. Boxes by index need no checks.

pair! {
    typed_tensor_at(cta, tile, bar, map, out) {
        let (x, y) = unsafe { (out.read() as i32, out.add(1).read() as i32) };
        let map = unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) };
        if let Some(tile) = map.at([x, y]) {
            tensor::prefetch(&cta, tile);
        }
        tensor::prefetch(&cta, map.box_at([x, y]));
    }
    raw_tensor_at(base, bar, map, out) {
        let (x, y) = (out.read() as i32, out.add(1).read() as i32);
        if elected() && x & 3 == 0 {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [x, y], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [32 * x, 8 * y], cache_hint::None);
        }
    }
}

pair! {
    typed_tensor_at_column(cta, tile, bar, map, out) {
        let (c, w) = unsafe { (out.read() as i32, out.add(1).read() as i32) };
        let map = unsafe { TensorMap::<f32, Im2col3<32, 8>>::from_raw_within(map, Starts::STARTS) };
        unsafe { out.write(map.at(([c, w, 0], [0])).is_some().into()) };
    }
    raw_tensor_at_column(base, bar, map, out) {
        let (c, w) = (out.read() as i32, out.add(1).read() as i32);
        out.write(((c & 3 == 0) & (-1..=8).contains(&w)).into());
    }
}

pair! {
    typed_tensor_at_reduction(cta, tile, bar, map, out) {
        let (x, y) = unsafe { (out.read() as i32, out.add(1).read() as i32) };
        let sums = unsafe { TensorMapReduce::<f32, Box2<32, 8>>::from_raw(map) };
        unsafe { out.write(sums.at([x, y]).is_some().into()) };
    }
    raw_tensor_at_reduction(base, bar, map, out) {
        let (x, y) = (out.read() as i32, out.add(1).read() as i32);
        out.write(((x & 3 == 0) & (x | y >= 0)).into());
    }
}

// Multiples of a row and constant coordinates need no checks.
pair! {
    typed_tensor_at_rows(cta, tile, bar, map, out) {
        let y = unsafe { out.read() } as i32;
        let map = unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) };
        let mut x = 0;
        while x < y {
            tensor::prefetch(&cta, place(map.at([x, y])));
            x += 32;
        }
        tensor::prefetch(&cta, place(map.at([12 * y - 8, y])));
        tensor::prefetch(&cta, place(map.at([-4, 1])));
    }
    raw_tensor_at_rows(base, bar, map, out) {
        let y = out.read() as i32;
        let mut x = 0;
        while x < y {
            if elected() {
                raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [x, y], cache_hint::None);
            }
            x += 32;
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [12 * y - 8, y], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [-4, 1], cache_hint::None);
        }
    }
}

// Constant coordinates of each rank.
pair! {
    typed_tensor_at_known(cta, tile, bar, map, out) {
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box1<256>>::from_raw(map) }.at([4])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) }.at([4, -1])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box3<16, 4, 4>>::from_raw(map) }.at([4, -1, 2])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box4<8, 4, 4, 2>>::from_raw(map) }.at([4, -1, 2, 3])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box5<4, 4, 4, 2, 2>>::from_raw(map) }.at([4, -1, 2, 3, 5])));
        cta.async_scope(tile, |cta, tile| {
            let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
            let part = place(unsafe { TensorMapReduce::<f32, Box1<256>>::from_raw(map) }.at([4]));
            let group = tensor::reduce(cta, op::Add, tile, part).commit(cta);
            let (tile, _) = group.wait(cta).sync(cta);
            let part = place(unsafe { TensorMapReduce::<f32, Box2<32, 8>>::from_raw(map) }.at([4, 1]));
            let group = tensor::reduce(cta, op::Add, tile, part).commit(cta);
            let (tile, _) = group.wait(cta).sync(cta);
            let part = place(unsafe { TensorMapReduce::<f32, Box3<16, 4, 4>>::from_raw(map) }.at([4, 1, 2]));
            let group = tensor::reduce(cta, op::Add, tile, part).commit(cta);
            let (tile, _) = group.wait(cta).sync(cta);
            let part = place(unsafe { TensorMapReduce::<f32, Box4<8, 4, 4, 2>>::from_raw(map) }.at([4, 1, 2, 3]));
            let group = tensor::reduce(cta, op::Add, tile, part).commit(cta);
            let (tile, _) = group.wait(cta).sync(cta);
            let part = place(unsafe { TensorMapReduce::<f32, Box5<4, 4, 4, 2, 2>>::from_raw(map) }.at([4, 1, 2, 3, 5]));
            let group = tensor::reduce(cta, op::Add, tile, part).commit(cta);
            let (tile, _) = group.wait(cta).sync(cta);
            tile.into_free()
        });
    }
    raw_tensor_at_known(base, bar, map, out) {
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_1d_global_tile(map, [4], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [4, -1], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_3d_global_tile(map, [4, -1, 2], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_4d_global_tile(map, [4, -1, 2, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_5d_global_tile(map, [4, -1, 2, 3, 5], cache_hint::None);
        }
        closure(|| {
            write(base);
            if elected() {
                raw::cp_reduce_async_bulk_tensor_1d_global_shared_cta(op::Add, load_mode::Tile, map, [4], base, cache_hint::None);
            }
            finish();
            if elected() {
                raw::cp_reduce_async_bulk_tensor_2d_global_shared_cta(op::Add, load_mode::Tile, map, [4, 1], base, cache_hint::None);
            }
            finish();
            if elected() {
                raw::cp_reduce_async_bulk_tensor_3d_global_shared_cta(op::Add, load_mode::Tile, map, [4, 1, 2], base, cache_hint::None);
            }
            finish();
            if elected() {
                raw::cp_reduce_async_bulk_tensor_4d_global_shared_cta(op::Add, load_mode::Tile, map, [4, 1, 2, 3], base, cache_hint::None);
            }
            finish();
            if elected() {
                raw::cp_reduce_async_bulk_tensor_5d_global_shared_cta(op::Add, load_mode::Tile, map, [4, 1, 2, 3, 5], base, cache_hint::None);
            }
            finish();
        })
    }
}

/// Returns the index and the coordinates of box `next`.
#[inline(always)]
fn take(boxes: [u32; 2], next: u32, count: u32) -> Option<([u32; 2], [i32; 2])> {
    if next >= count {
        return None;
    }
    let i = next;
    unsafe { core::hint::assert_unchecked(boxes[0] != 0) };
    let (x, y) = (i % boxes[0], i / boxes[0]);
    Some(([x, y], [(32 * x) as i32, (8 * y) as i32]))
}

pair! {
    typed_tensor_rounds(cta, tile, bar, map, out) {
        let boxes = unsafe { [out.read(), out.add(1).read()] };
        let mine = unsafe { TensorMapMut::<f32, Box2<32, 8>>::from_raw(map, boxes) }.tiles(&cta);
        unsafe { out.write(mine.rounds() as u32) };
    }
    raw_tensor_rounds(base, bar, map, out) {
        let count: u32 = out.read() * out.add(1).read();
        out.write(count.div_ceil(super::cta_count().min(1 << 31)));
    }
}

pair! {
    typed_tensor_boxes(cta, tile, bar, map, out) {
        let boxes = unsafe { [out.read(), out.add(1).read()] };
        let mut mine = unsafe { TensorMapMut::<f32, Box2<32, 8>>::from_raw(map, boxes) }.tiles(&cta);
        if let Some(([x, y], dst)) = mine.next_tile() {
            unsafe {
                out.write(x.cast_unsigned());
                out.add(1).write(y.cast_unsigned());
            }
            cta.async_scope(tile, |cta, tile| {
                // The copies are in place: the CTA owns the box, so it can load and store the box.
                let (bar, tile, dst) = tensor::load(cta, bar, tile, dst).wait(cta);
                let (tile, group) = tensor::store(cta, tile, dst).commit(cta).wait_read_split(cta).sync(cta);
                group.wait(cta).sync(cta);
                tile
            });
        }
    }
    raw_tensor_boxes(base, bar, map, out) {
        let boxes = [out.read(), out.add(1).read()];
        let (next, count) = (cta_rank(), boxes[0] * boxes[1]);
        if let Some(([x, y], at)) = take(boxes, next, count) {
            out.write(x);
            out.add(1).write(y);
            closure(|| {
                let state = if elected() {
                    let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, BYTES);
                    raw::cp_async_bulk_tensor_2d_global_tile(space::SharedCta, GROUP, base, map, at, bar, multicast::None, cache_hint::None);
                    state
                } else {
                    raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
                };
                while !raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None) {}
                if elected() {
                    raw::cp_async_bulk_tensor_2d_global_shared_cta(load_mode::Tile, map, at, base, cache_hint::None);
                }
                if elected() {
                    raw::cp_async_bulk_commit_group();
                }
                if elected() {
                    raw::cp_async_bulk_wait_group_read::<0>();
                }
                sync();
                if elected() {
                    raw::cp_async_bulk_wait_group::<0>();
                }
                sync();
            })
        }
    }
}

ptx::shared_memory! {
    struct Three { a: SharedArray<f32, 256>, b: SharedArray<f32, 256>, c: SharedArray<f32, 256>, bar: Mbarrier<Uninit> }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_tensor_group(
    map: *const TensorMapObject,
    sums: *const TensorMapObject,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Three>() };
    let (map, sums) = unsafe {
        (
            TensorMapMut::<f32, Box1<256>>::from_raw(map, [2]),
            TensorMapReduce::<f32, Box1<256>>::from_raw(sums),
        )
    };
    let (first, second) = unsafe { (place(map.at([0])), place(map.at([256]))) };
    cta.async_scope((smem.a, smem.b, smem.c), |cta, (a, b, c)| {
        let a = a.write(cta, |i| i as f32).to_async().sync(cta);
        let b = b.write(cta, |i| i as f32).to_async().sync(cta);
        let c = c.write(cta, |i| i as f32).to_async().sync(cta);
        let group = tensor::store(cta, a, first).and(tensor::store(cta, b, second));
        let group = group.and(tensor::reduce(cta, op::Add, c, place(sums.at([8])))).commit(cta);
        let (((a, b), c), group) = group.wait_read_split(cta).sync(cta);
        group.wait(cta).sync(cta);
        (a, b, c)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_tensor_group(map: *const u8, sums: *const u8) {
    let (_, smem, _) = unsafe { Cta::enter::<Three>() };
    let base = smem.bar.addr() - 3 * BYTES;
    closure(|| unsafe {
        write(base);
        write(base + BYTES);
        write(base + 2 * BYTES);
        if elected() {
            raw::cp_async_bulk_tensor_1d_global_shared_cta(load_mode::Tile, map, [0], base, cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_tensor_1d_global_shared_cta(
                load_mode::Tile,
                map,
                [256],
                base + BYTES,
                cache_hint::None,
            );
        }
        if elected() {
            let src = base + 2 * BYTES;
            raw::cp_reduce_async_bulk_tensor_1d_global_shared_cta(
                op::Add,
                load_mode::Tile,
                sums,
                [8],
                src,
                cache_hint::None,
            );
        }
        if elected() {
            raw::cp_async_bulk_commit_group();
        }
        if elected() {
            raw::cp_async_bulk_wait_group_read::<0>();
        }
        sync();
        if elected() {
            raw::cp_async_bulk_wait_group::<0>();
        }
        sync();
    })
}

ptx::shared_memory! {
    struct WithMap { tile: SharedArray<f32, 256>, map: SharedArray<u64, 16>, bar: Mbarrier<Uninit> }
}
const MAP: u32 = BYTES;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_tensor_draft(
    map: *const TensorMapObject,
    slot: *mut TensorMapObject,
    address: *const f32,
    out: *mut u32,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<WithMap>() };
    let bar = smem.bar.init(&cta).sync(&cta);
    let (map, slot) =
        unsafe { (TensorMap::<f32, Box2<32, 8>>::from_raw(map), TensorMapSlot::from_raw(slot)) };
    cta.async_scope((smem.tile, smem.map), |cta, (tile, memory)| {
        let draft = tensor::draft(cta, memory, &map);
        #[cfg(feature = "sm_100a")]
        let draft = {
            use ptx::qualifier::ord;
            draft.global_address(cta, address).global_dim(cta, ord::D1, 77).global_stride(cta, ord::D0, 1024)
        };
        let (memory, published) = unsafe { draft.publish(cta, slot) }.sync(cta);
        let map = published.acquire(cta);
        let (bar, tile, _) = tensor::load(cta, bar, tile, place(map.at([8, -1]))).wait(cta);
        unsafe { out.write(tile.get(3).map_or(0, f32::to_bits)) };
        (tile.release().sync(cta), memory)
    });
}

/// Copies a tensor map in the first warp.
#[inline(always)]
unsafe fn draft_of(map: *const u8, draft: u32) {
    let (rank, threads) = (thread_rank(), super::thread_count());
    if rank < 32 {
        let mut i = rank;
        while i < 16 {
            let word = unsafe { map.cast::<u64>().add(i as usize).read() };
            unsafe { raw::st_weak(space::SharedCta, ty::B64, draft + 8 * i, word) };
            i += threads.min(32);
        }
        unsafe { raw::bar_warp_sync(u32::MAX) };
    }
}

#[inline(always)]
unsafe fn release(slot: *mut u8, draft: u32) {
    unsafe { raw::bar_warp_sync(u32::MAX) };
    let dst = raw::cvta_to(space::Global, slot) as *mut u8;
    unsafe { raw::tensormap_cp_fenceproxy(scope::Gpu, dst, draft) };
    raw::fence_proxy_async(space::SharedCta);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_tensor_draft(
    map: *const u8,
    slot: *mut u8,
    address: *const f32,
    out: *mut u32,
) {
    let (_, smem, _) = unsafe { Cta::enter::<WithMap>() };
    let bar = smem.bar.addr();
    let base = bar - MAP - 128;
    let draft = base + MAP;
    unsafe { init(bar) };
    closure(|| unsafe {
        draft_of(map, draft);
        #[cfg(feature = "sm_100a")]
        {
            use ptx::qualifier::ord;
            if elected() {
                raw::tensormap_replace_tile_global_address(space::SharedCta, draft, address.cast());
            }
            if elected() {
                raw::tensormap_replace_tile_global_dim(space::SharedCta, ord::D1, draft, 77);
            }
            if elected() {
                raw::tensormap_replace_tile_global_stride(space::SharedCta, ord::D0, draft, 1024);
            }
        }
        if thread_rank() < 32 {
            release(slot, draft);
        }
        sync();
        raw::fence_proxy_tensormap_generic_acquire(scope::Gpu, slot);
        let state = if elected() {
            let state =
                raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, BYTES);
            raw::cp_async_bulk_tensor_2d_global_tile(
                space::SharedCta,
                GROUP,
                base,
                slot,
                [8, -1],
                bar,
                multicast::None,
                cache_hint::None,
            );
            state
        } else {
            raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
        };
        while !raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        ) {}
        out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
        sync();
    })
}

pair! {
    typed_tensor_prefetch_shapes(cta, tile, bar, map, out) {
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box1<256>>::from_raw(map) }.at([8])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box2<32, 8>>::from_raw(map) }.at([8, -1])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box3<16, 4, 4>>::from_raw(map) }.at([8, -1, 2])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box4<8, 4, 4, 2>>::from_raw(map) }.at([8, -1, 2, 3])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Box5<4, 4, 4, 2, 2>>::from_raw(map) }.at([8, -1, 2, 3, 4])));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Im2col3<32, 8>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2], [300]))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Im2col4<32, 8>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2, 3], [1, 2]))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, Im2col5<32, 8>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2, 3, 4], [offset5(1), offset5(2), offset5(31)]))));
    }
    raw_tensor_prefetch_shapes(base, bar, map, out) {
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_1d_global_tile(map, [8], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile(map, [8, -1], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_3d_global_tile(map, [8, -1, 2], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_4d_global_tile(map, [8, -1, 2, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_5d_global_tile(map, [8, -1, 2, 3, 4], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_3d_global_im2col(map, [8, -1, 2], [300], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_4d_global_im2col(map, [8, -1, 2, 3], [1, 2], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_5d_global_im2col(map, [8, -1, 2, 3, 4], [1, 2, 31], cache_hint::None);
        }
    }
}

#[cfg(feature = "sm_100a")]
pair! {
    typed_tensor_prefetch_rows(cta, tile, bar, map, out) {
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Im2colW3<32, 8>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2], offset5(3)))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Im2colW128x3<32, 2>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2], offset5(3)))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Im2colW4<32, 8>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2, 3], offset5(3)))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Im2colW128x4<32, 2>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2, 3], offset5(3)))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Im2colW5<32, 8>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2, 3, 4], offset5(3)))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Im2colW128x5<32, 2>>::from_raw_within(map, Starts::STARTS) }.at(([8, -1, 2, 3, 4], offset5(3)))));
        tensor::prefetch(&cta, place(unsafe { TensorMap::<f32, tensor::Gather4<64>>::from_raw(map) }.at([8, 1, 9, 4, 4])));
    }
    raw_tensor_prefetch_rows(base, bar, map, out) {
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_3d_global_im2col_w(load_mode::Im2colW, map, [8, -1, 2], [0, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_3d_global_im2col_w(load_mode::Im2colW128, map, [8, -1, 2], [2, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_4d_global_im2col_w(load_mode::Im2colW, map, [8, -1, 2, 3], [0, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_4d_global_im2col_w(load_mode::Im2colW128, map, [8, -1, 2, 3], [2, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_5d_global_im2col_w(load_mode::Im2colW, map, [8, -1, 2, 3, 4], [0, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_5d_global_im2col_w(load_mode::Im2colW128, map, [8, -1, 2, 3, 4], [2, 3], cache_hint::None);
        }
        if elected() {
            raw::cp_async_bulk_prefetch_tensor_2d_global_tile_gather4(map, [8, 1, 9, 4, 4], cache_hint::None);
        }
    }
}

ptx::shared_memory! {
    struct Halves { tile: SharedArray<f16, 256>, other: SharedArray<bf16, 256>, bar: Mbarrier<Uninit> }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_tensor_reduce_halves(
    sums: *const TensorMapObject,
    most: *const TensorMapObject,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Halves>() };
    let sums = unsafe { TensorMapReduce::<f16, Box2<64, 4>>::from_raw(sums) };
    let most = unsafe { TensorMapReduce::<bf16, Box1<256>>::from_raw(most) };
    cta.async_scope((smem.tile, smem.other), |cta, (tile, other)| {
        let tile = tile.write(cta, |_| f16::ONE).to_async().sync(cta);
        let other = other.write(cta, |_| bf16::ONE).to_async().sync(cta);
        let group = tensor::reduce(cta, op::Add, tile, place(sums.at([16, 8])));
        let group = group.and(tensor::reduce(cta, op::Max, other, place(most.at([8]))));
        let ((tile, _), (other, _)) = group.commit(cta).wait(cta).sync(cta);
        (tile.into_free(), other.into_free())
    });
}

/// Writes 512 bytes.
#[inline(always)]
unsafe fn fill(base: u32, bits: u16) {
    each_own(512 / 16, |v| {
        let pair = u32::from(bits) << 16 | u32::from(bits);
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [pair; 4]) };
    });
    unsafe { fence_async() }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_tensor_reduce_halves(sums: *const u8, most: *const u8) {
    let (_, smem, _) = unsafe { Cta::enter::<Halves>() };
    let base = smem.bar.addr() - 1024;
    closure(|| unsafe {
        fill(base, f16::ONE.to_bits());
        fill(base + 512, bf16::ONE.to_bits());
        if elected() {
            raw::cp_reduce_async_bulk_tensor_2d_global_shared_cta(
                op::Add,
                load_mode::Tile,
                sums,
                [16, 8],
                base,
                cache_hint::None,
            );
        }
        if elected() {
            raw::cp_reduce_async_bulk_tensor_1d_global_shared_cta(
                op::Max,
                load_mode::Tile,
                most,
                [8],
                base + 512,
                cache_hint::None,
            );
        }
        finish();
    })
}

/// The fields that `retype` and the other methods write, in a tensor map in a slot.
#[cfg(feature = "sm_100a")]
mod draft {
    use ptx::qualifier::{elemtype, fill_mode, ord, swizzle_atomicity, swizzle_mode};

    use super::*;

    ptx::shared_memory! {
        struct Smem { map: SharedArray<u64, 16> , bar: Mbarrier<Uninit> }
    }

    /// A pair of kernels that change a draft and publish it.
    macro_rules! pair {
        ($typed:ident [$From:ty] |$cta:ident, $draft:ident| $change:expr; $raw:ident |$addr:ident| $write:block) => {
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $typed(map: *const TensorMapObject, slot: *mut TensorMapObject) {
                let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
                let (map, slot) = unsafe { (TensorMap::<f32, $From>::from_raw_within(map, Starts::STARTS), TensorMapSlot::from_raw(slot)) };
                _ = smem.bar.init(&cta).sync(&cta);
                cta.async_scope(smem.map, |$cta, memory| {
                    let $draft = tensor::draft($cta, memory, &map);
                    let (memory, published) = unsafe { { $change }.publish($cta, slot) }.sync($cta);
                    published.acquire($cta);
                    memory
                });
            }
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $raw(map: *const u8, slot: *mut u8) {
                let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
                let $addr = smem.bar.addr() - 128;
                unsafe { init(smem.bar.addr()) };
                closure(|| unsafe {
                    draft_of(map, $addr);
                    $write
                    // In this form, LLVM branches as in the typed twin.
                    if thread_rank() > 31 {
                    } else {
                        release(slot, $addr);
                    }
                    sync();
                    raw::fence_proxy_tensormap_generic_acquire(scope::Gpu, slot);
                })
            }
        };
    }

    // These kernels write all fields of a tensor of another rank, element type and box.
    pair! {
        typed_tensor_draft_retype [Box2<32, 8>] |cta, draft| {
            let draft = draft.retype::<f16, Box4<64, 2, 3, 4>>(cta).global_address(cta, core::ptr::without_provenance(4096));
            let draft = draft.global_dim(cta, ord::D0, 640).global_dim(cta, ord::D1, 9);
            let draft = draft.global_dim(cta, ord::D2, 8).global_dim(cta, ord::D3, 7);
            draft.global_stride(cta, ord::D0, 1280).global_stride(cta, ord::D1, 16384).global_stride(cta, ord::D2, 1 << 20)
        };
        raw_tensor_draft_retype |addr| {
            if elected() {
                raw::tensormap_replace_tile_rank(space::SharedCta, addr, 3);
                raw::tensormap_replace_tile_box_dim(space::SharedCta, ord::D0, addr, 64);
                raw::tensormap_replace_tile_box_dim(space::SharedCta, ord::D1, addr, 2);
                raw::tensormap_replace_tile_box_dim(space::SharedCta, ord::D2, addr, 3);
                raw::tensormap_replace_tile_element_stride(space::SharedCta, ord::D2, addr, 1);
                raw::tensormap_replace_tile_box_dim(space::SharedCta, ord::D3, addr, 4);
                raw::tensormap_replace_tile_element_stride(space::SharedCta, ord::D3, addr, 1);
                raw::tensormap_replace_tile_elemtype(space::SharedCta, elemtype::F16, addr);
                raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::None, addr);
                raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, swizzle_atomicity::B16, addr);
                raw::tensormap_replace_tile_fill_mode(space::SharedCta, fill_mode::Zero, addr);
                raw::tensormap_replace_tile_global_address(space::SharedCta, addr, core::ptr::without_provenance(4096));
                raw::tensormap_replace_tile_global_dim(space::SharedCta, ord::D0, addr, 640);
                raw::tensormap_replace_tile_global_dim(space::SharedCta, ord::D1, addr, 9);
                raw::tensormap_replace_tile_global_dim(space::SharedCta, ord::D2, addr, 8);
                raw::tensormap_replace_tile_global_dim(space::SharedCta, ord::D3, addr, 7);
                raw::tensormap_replace_tile_global_stride(space::SharedCta, ord::D0, addr, 1280);
                raw::tensormap_replace_tile_global_stride(space::SharedCta, ord::D1, addr, 16384);
                raw::tensormap_replace_tile_global_stride(space::SharedCta, ord::D2, addr, 1 << 20);
            }
        }
    }

    // These kernels keep the rank, and write the fields that do not depend on the element type.
    pair! {
        typed_tensor_draft_fields [Box2<32, 8>] |cta, draft| {
            let draft = draft.swizzle_mode(cta, swizzle_mode::B128).fill_mode(cta, fill_mode::OobNan);
            let draft = draft.elemtype(cta, elemtype::Tf32).swizzle_atomicity(cta, swizzle_atomicity::B32);
            draft.retype::<i64, tensor::Gather4<8>>(cta).swizzle_mode(cta, swizzle_mode::B64)
        };
        raw_tensor_draft_fields |addr| {
            if elected() {
                raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::B128, addr);
                raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, swizzle_atomicity::B16, addr);
                raw::tensormap_replace_tile_fill_mode(space::SharedCta, fill_mode::OobNan, addr);
                raw::tensormap_replace_tile_elemtype(space::SharedCta, elemtype::Tf32, addr);
                raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::B128, addr);
                raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, swizzle_atomicity::B32, addr);
                raw::tensormap_replace_tile_box_dim(space::SharedCta, ord::D0, addr, 8);
                raw::tensormap_replace_tile_box_dim(space::SharedCta, ord::D1, addr, 1);
                raw::tensormap_replace_tile_elemtype(space::SharedCta, elemtype::S64, addr);
                raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::None, addr);
                raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, swizzle_atomicity::B16, addr);
                raw::tensormap_replace_tile_fill_mode(space::SharedCta, fill_mode::Zero, addr);
                raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::B64, addr);
                raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, swizzle_atomicity::B16, addr);
            }
        }
    }
}
