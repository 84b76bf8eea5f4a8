//! A 3-D tensor map made on the device (`tensormap.replace`), from the map of a matrix of another element type.

use ptx::global::GlobalMut;
use ptx::group::{Cta, Together};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::ord;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, Box3, TensorMap, TensorMapObject, TensorMapSlot};

type Square = Box2<32, 32>;
type Cuboid = Box3<32, 4, 2>;

ptx::shared_memory! {
    struct Smem { part: SharedArray<u16, { Cuboid::LEN }>, map: SharedArray<u64, 16>, loaded: Mbarrier<Uninit> }
}

/// `output` ← the boxes of the tensor at `elements`, one after another, with zeros for elements outside the tensor.
///
/// Launch: 1 CTA of 128 threads.
///
/// The function is unsafe: it publishes a map of an address of its own, and no type states the memory behind such a map.
///
/// # Safety
///
/// - `words` is a tensor map of words, with boxes of 32 by 32, no interleave and no swizzle.
/// - `elements` is the 16-byte aligned address of a tensor of `width`, `height` and `depth` elements, the innermost dimension
///   first. Its rows are `row` bytes apart, its matrices `matrix` bytes; both are multiples of 16. `output` is 16-byte aligned
///   and has room for all boxes, of 256 elements each.
/// - `map` is the 128-byte aligned address of global memory for a tensor map.
/// - Until the grid ends, no thread writes the map at `words` and the elements, and only this grid accesses `map` and the output.
#[ptx::kernel(threads = 128)]
pub unsafe fn tensor_retype(
    cta: Cta,
    #[shared] smem: Smem,
    words: *const TensorMapObject,
    elements: *const u16,
    map: *mut TensorMapObject,
    output: *mut u32,
    width: u32,
    height: u32,
    depth: u32,
    row: u64,
    matrix: u64,
) {
    let boxes = [width.div_ceil(32), height.div_ceil(4), depth.div_ceil(2)];
    let size = Cuboid::LEN * (boxes[0] * boxes[1] * boxes[2]) as usize;
    // SAFETY: clauses 1 to 4 of `# Safety`. Every thread makes each handle once, with equal arguments.
    let (words, slot, output) = unsafe {
        (
            TensorMap::<u32, Square>::from_raw(words),
            TensorMapSlot::from_raw(map),
            GlobalMut::<u32, { Cuboid::LEN }>::from_raw(output, size),
        )
    };
    let (mut outputs, _) = output.tiles(&cta);
    cta.finish((smem.part, smem.map), |cta, (mut part, memory)| {
        let draft = tensor::draft(cta, memory, &words).retype::<u16, Cuboid>(cta);
        let draft = draft.global_address(cta, elements);
        let draft = draft.global_dim(cta, ord::D0, width).global_dim(cta, ord::D1, height);
        let draft = draft.global_dim(cta, ord::D2, depth);
        let draft = draft.global_stride(cta, ord::D0, row).global_stride(cta, ord::D1, matrix);
        // SAFETY: the address, sizes and strides of clause 2 of `# Safety`. All threads of the CTA make this call.
        let published = unsafe { draft.publish(cta, slot) };
        let ((memory, released), mut loaded) = (published, smem.loaded.init(cta)).sync(cta);
        let tensor = released.acquire(cta);

        let [mut x, mut y, mut z] = [0; 3];
        while let Some((_, output)) = outputs.next_tile() {
            let (ready, filled, _) =
                tensor::load(cta, loaded, part, tensor.box_at([x, y, z].map(u32::cast_signed))).wait(cta);
            output.write(cta, |i| filled.get(i).map_or(0, u32::from));
            (part, loaded) = (filled.release().sync(cta), ready);
            x += 1;
            if x == boxes[0] {
                (x, y) = (0, y + 1);
            }
            if y == boxes[1] {
                (y, z) = (0, z + 1);
            }
        }
        (part.end(), memory.end())
    });
}
