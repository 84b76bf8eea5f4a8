//! A transposition by tensor copies: a box is loaded, turned over in shared memory, and stored. Both boxes are swizzled, so
//! that the threads of a warp, which read a column, find its elements in several banks.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::swizzle_mode;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapMut, TensorMapObject};

const SIDE: usize = 32;
type Square = Box2<SIDE, SIDE>;

ptx::shared_memory! {
    struct Smem {
        box_in: SharedArray<u32, { Square::LEN }>, box_out: SharedArray<u32, { Square::LEN }>, loaded: Mbarrier<Uninit>,
    }
}

/// output\[x\]\[y\] ← input\[y\]\[x\] for x < `width`, y < `height`. Any grid.
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
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // The output has as many boxes along its rows as the input is high.
    let boxes = [height.div_ceil(SIDE as u32), width.div_ceil(SIDE as u32)];
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) = unsafe {
        (TensorMap::<u32, Square>::from_raw(input), TensorMapMut::<u32, Square>::from_raw(output, boxes))
    };
    input.prefetch_tensormap(&cta);
    output.prefetch_tensormap(&cta);
    let mut mine = output.boxes(&cta);
    let mut lent = ((smem.box_in, smem.box_out), smem.loaded.init(&cta));

    while let Some(([x, y], destination)) = mine.take_next() {
        // What is outside of the tensor is loaded as zeros and not stored.
        let source = input.box_at([y as i32, x as i32]);
        lent = cta.lend(lent, |cta, ((box_in, box_out), loaded)| {
            let (loaded, box_in, _) = tensor::load(cta, loaded, box_in, source).wait(cta);
            let (from, to) = (box_in.swizzle(swizzle_mode::B128), box_out.swizzle(swizzle_mode::B128));
            let turned = |i| box_in.get(from(to(i) % SIDE * SIDE + to(i) / SIDE)).unwrap_or(0);
            let box_out = box_out.write(cta, turned).to_async(cta);
            let (box_out, _) = tensor::store(cta, box_out, destination).commit(cta).wait(cta);
            ((box_in.release(cta), box_out.into_free()), loaded)
        });
    }
    lent.1.inval(&cta);
}
