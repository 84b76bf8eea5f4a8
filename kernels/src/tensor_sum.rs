//! A sum of matrices by tensor reductions, each CTA with a tensor map that it makes.

use ptx::launch::{Block, Cta, trap};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::op;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapObject, TensorMapReduce, TensorMapSlot};

const SIDE: usize = 32;
type Square = Box2<SIDE, SIDE>;

ptx::shared_memory! {
    struct Smem { square: SharedArray<u32, { Square::LEN }>, map: SharedArray<u64, 16>, loaded: Mbarrier<Uninit> }
}

/// sums ← the sum of the matrices, of which CTA b adds the b-th. A row of CTAs of 128 threads, one a matrix.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `first` is the tensor map of the matrix at `matrices`, of `height` rows of `width` words; the matrix of the CTA of rank b is
///   `words * b` words after it, and like it. `sums` is a map of `height` rows of `width` words, zero. The maps have boxes of
///   32 by 32, without interleave and swizzle; `sums` has elements of `.u32`. `words` is a multiple of 4.
/// - `maps` is the address, aligned to 128, of global memory for a map for each CTA.
/// - until the grid ends nobody writes the maps and the matrices, and nobody else uses the sums and `maps`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn tensor_sum(
    first: *const TensorMapObject,
    sums: *const TensorMapObject,
    matrices: *const u32,
    maps: *mut TensorMapObject,
    width: u32,
    height: u32,
    words: usize,
) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common; grids are rows.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<128>>() };
    let rank = cta.grid_rank() as usize;
    // SAFETY: the contract above; every thread makes the same handles, once, and a CTA's slot and matrix are its own.
    let (first, sums, slot, matrix) = unsafe {
        (
            TensorMap::<u32, Square>::from_raw(first),
            TensorMapReduce::<u32, Square>::from_raw(sums),
            TensorMapSlot::from_raw(maps.add(rank)),
            matrices.add(words * rank),
        )
    };
    cta.async_scope_last((smem.square, smem.map), |cta, (square, memory)| {
        // One warp makes the map, of which one thread adds the matrix.
        let (square, memory, ()) =
            cta.invoke_warp_last((square, memory, smem.loaded), |warp, (square, memory, loaded)| {
                let draft = tensor::draft(warp, memory, &first).global_address(warp, matrix);
                // SAFETY: the CTA's matrix is like the first; all threads of the warp come here.
                let (memory, released) = unsafe { draft.publish(warp, slot) };
                let mine = released.acquire(warp);

                let (square, ()) = warp.invoke_one_last((square, loaded), |thread, (mut square, loaded)| {
                    let mut loaded = loaded.init(thread);
                    let mut y = 0;
                    while y < height as i32 {
                        let mut x = 0;
                        while x < width as i32 {
                            let (Some(part), Some(sum)) = (mine.at([x, y]), sums.at([x, y])) else { trap() };
                            let (ready, filled, _) = tensor::load(thread, loaded, square, part).wait(thread);
                            // What a copy has loaded, another can read at once.
                            let (read, _adding) =
                                tensor::reduce(thread, op::Add, filled, sum).commit(thread).wait_read(thread);
                            (square, loaded) = (read.into_free(), ready);
                            x += SIDE as i32;
                        }
                        y += SIDE as i32;
                    }
                    (square.end(), ())
                });
                (square, memory.end(), ())
            });
        (square, memory)
    });
}
