//! `ptx::shared`: parts of an array, and swizzles.

use ptx::group::Cta;
use ptx::qualifier::{space, swizzle_atomicity, swizzle_mode, ty};
use ptx::raw;
use ptx::shared::SharedArray;

use crate::{each_own, fence_async, scope as closure, sync};

const N: usize = 256;

ptx::shared_memory! {
    struct Smem { tile: SharedArray<u32, N> }
}
/// Writes vectors of four words: each thread writes the vector of its rank.
#[inline(always)]
unsafe fn write(tile: u32, words: u32, f: impl Fn(u32) -> u32) {
    each_own(words / 4, |v| {
        let first = 4 * v;
        let values = [f(first), f(first + 1), f(first + 2), f(first + 3)];
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, tile + 16 * v, values) };
    });
}

/// Reads word `i` of a tile under each swizzle.
macro_rules! swizzles {
    ($( $typed:ident $raw:ident: $mode:expr, $bits:literal by $above:literal; )*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(i: usize, out: *mut u32) {
            let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
            cta.async_scope(smem.tile, |cta, tile| {
                let at = tile.swizzle_index($mode);
                let tile = tile.write(cta, |i| at(i) as u32).publish().sync(cta);
                unsafe { out.write(tile.get(at(i)).unwrap_or(0)) };
                tile.to_async().sync(cta).into_free()
            });
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(i: usize, out: *mut u32) {
            let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
            let tile: u32 = unsafe { core::mem::transmute_copy(&smem) };
            closure(|| unsafe {
                let at = |i: usize| {
                    let addr = tile + 4 * i as u32;
                    (addr ^ addr >> $above & $bits).wrapping_sub(tile) as usize / 4
                };
                write(tile, N as u32, |i| at(i as usize) as u32);
                sync();
                let at = at(i);
                let word = if at < N { raw::ld_weak(space::SharedCta, ty::B32, tile + 4 * at as u32) } else { 0 };
                out.write(word);
                fence_async();
            });
        }
    )* };
}
swizzles! {
    typed_shared_swizzle_32 raw_shared_swizzle_32: swizzle_mode::B32, 0x10 by 3;
    typed_shared_swizzle_64 raw_shared_swizzle_64: swizzle_mode::B64, 0x30 by 3;
    typed_shared_swizzle_128 raw_shared_swizzle_128: swizzle_mode::B128, 0x70 by 3;
    typed_shared_swizzle_128_by_32 raw_shared_swizzle_128_by_32:
        (swizzle_mode::B128, swizzle_atomicity::B32), 0x60 by 2;
    typed_shared_swizzle_128_by_64 raw_shared_swizzle_128_by_64:
        (swizzle_mode::B128, swizzle_atomicity::B64), 0x40 by 1;
}
