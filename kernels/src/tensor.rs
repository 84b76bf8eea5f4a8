//! A transposition by tensor copies: a box is loaded, turned over in shared memory, and stored. Both boxes are swizzled, so
//! that the threads of a warp, which read a column, find its elements in several banks.

use ptx::launch::{AfterSync, Block, Cta};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::swizzle_mode;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapMut, TensorMapObject};

const SIDE: usize = 32;
const THREADS: u32 = 128;
/// Vectors of four words in a square.
const VECTORS: usize = SIDE * SIDE / 4;
type Square = Box2<SIDE, SIDE>;

ptx::shared_memory! {
    struct Smem {
        box_in: SharedArray<u32, { Square::LEN }>, box_out: SharedArray<u32, { Square::LEN }>, loaded: Mbarrier<Uninit>,
    }
}

/// output\[x\]\[y\] ← input\[y\]\[x\] for x < `width`, y < `height`. Any row of CTAs of 128 threads.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` is the tensor map of `height` rows of `width` words, `output` that of `width` rows of `height` words; both with
///   boxes of 32 by 32, without interleave, with the swizzle of 128 bytes. Neither has 2^31 words or more. The tensors do not overlap.
/// - until the grid ends nobody writes the maps and the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn tensor_transpose(
    input: *const TensorMapObject,
    output: *const TensorMapObject,
    width: u32,
    height: u32,
) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<THREADS>>() };
    // The output has as many boxes along its rows as the input is high.
    let boxes = [height.div_ceil(SIDE as u32), width.div_ceil(SIDE as u32)];
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) = unsafe {
        (TensorMap::<u32, Square>::from_raw(input), TensorMapMut::<u32, Square>::from_raw(output, boxes))
    };
    input.prefetch_tensormap(&cta);
    output.prefetch_tensormap(&cta);
    let mut mine = output.tiles(&cta);
    let thread = cta.thread_rank() as usize;
    let lent = ((smem.box_in, smem.box_out), smem.loaded.init(&cta));

    // What is outside of the tensor is loaded as zeros and not stored.
    let source = |[column, row]: [u32; 2]| input.box_at([row as i32, column as i32]);
    cta.async_scope_last(lent, |cta, ((mut free, box_out), mut loaded)| {
        // The load's phase is the barrier behind which the other box has been read; nothing reads it before the first.
        let mut stored = AfterSync::ready(box_out.into_fenced());
        while let Some((at, destination)) = mine.next_tile() {
            let (from, to);
            (loaded, from, _, to) = tensor::load_with(cta, loaded, free, source(at), stored).wait(cta);
            let to = to.into_free().vector_stores();
            let (rows_in, rows_out) = (
                from.as_2d::<SIDE>().swizzled(swizzle_mode::B128),
                to.as_2d::<SIDE>().swizzled(swizzle_mode::B128),
            );
            for round in 0..VECTORS / THREADS as usize {
                let vector = thread + round * THREADS as usize;
                let (x, y) = (vector % (SIDE / 4), vector / (SIDE / 4));
                let column = [0, 1, 2, 3].map(|k| rows_in.get([y, 4 * x + k]).unwrap_or(0));
                rows_out.set_vector([x, y], column);
            }
            let full;
            (free, full) = cta.sync_with((from.release_at_sync(), to.to_async_at_sync()));
            stored = tensor::store(cta, full, destination).commit(cta).wait_read_at_sync(cta).first();
        }
        ((free.end(), stored.end()), ())
    });
}
