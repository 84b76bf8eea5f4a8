//! A sum of matrices by tensor reductions (`cp.reduce.async.bulk.tensor`). Each CTA makes its own tensor map on the device.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::op;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapObject, TensorMapReduce, TensorMapSlot};
use ptx::trap;

const SIDE: usize = 32;
type Square = Box2<SIDE, SIDE>;

ptx::shared_memory! {
    struct Smem { square: SharedArray<u32, { Square::LEN }>, map: SharedArray<u64, 16>, loaded: Mbarrier<Uninit> }
}

/// `sums` ← the sum of the matrices. CTA b adds matrix b.
///
/// Launch: a 1-D grid with one CTA per matrix, 128 threads per CTA.
///
/// The function is unsafe: it publishes a map of an address of its own, and no type states the memory behind such a map.
///
/// # Safety
///
/// - `first` is the tensor map of the matrix at `matrices`, of `height` rows of `width` words. The matrix of CTA b begins
///   `words * b` words later and has the same shape. `words` is a multiple of 4.
/// - `sums` is the tensor map of `height` rows of `width` words of type `.u32`, all zero. Both maps have boxes of 32 by 32, no
///   interleave and no swizzle.
/// - `maps` is the 128-byte aligned address of global memory for one tensor map per CTA.
/// - Until the grid ends, no thread writes the tensor maps `first` and `sums` and the matrices, and only this grid accesses the
///   sums and `maps`.
#[ptx::kernel(threads = 128)]
pub unsafe fn tensor_sum(
    cta: Cta,
    #[shared] smem: Smem,
    first: *const TensorMapObject,
    sums: *const TensorMapObject,
    matrices: *const u32,
    maps: *mut TensorMapObject,
    width: u32,
    height: u32,
    words: usize,
) {
    let rank = cta.grid_rank() as usize;
    // SAFETY: clauses 1 to 4 of `# Safety`. Every thread makes each handle once, with equal arguments. Each CTA has its own slot
    // and matrix.
    let (first, sums, slot, matrix) = unsafe {
        (
            TensorMap::<u32, Square>::from_raw(first),
            TensorMapReduce::<u32, Square>::from_raw(sums),
            TensorMapSlot::from_raw(maps.add(rank)),
            matrices.add(words * rank),
        )
    };
    cta.finish((smem.square, smem.map), |cta, (square, memory)| {
        // One warp makes the tensor map, and one thread of it adds the matrix.
        let (square, memory, ()) =
            cta.finish_warp((square, memory, smem.loaded), |warp, (square, memory, loaded)| {
                let draft = tensor::draft(warp, memory, &first).global_address(warp, matrix);
                // SAFETY: the CTA's matrix has the shape of the first (clause 1 of `# Safety`). All threads of the warp make this
                // call.
                let (memory, released) = unsafe { draft.publish(warp, slot) }.sync(warp);
                let mine = released.acquire(warp);

                let (square, ()) = warp.finish_one((square, loaded), |thread, (mut square, loaded)| {
                    let mut loaded = loaded.init(thread).sync(thread);
                    let mut y = 0;
                    while y < height as i32 {
                        let mut x = 0;
                        while x < width as i32 {
                            let (Some(part), Some(sum)) = (mine.at([x, y]), sums.at([x, y])) else { trap() };
                            let (ready, filled, _) = tensor::load(thread, loaded, square, part).wait(thread);
                            // Both copies use the async proxy: no fence is needed between them.
                            let read =
                                tensor::reduce(thread, op::Add, filled, sum).commit(thread).wait_read(thread);
                            (square, loaded) = (read.sync(thread), ready);
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
