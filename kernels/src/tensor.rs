//! Transpose by tensor copies (TMA): a box is loaded, transposed in shared memory, and stored. Both boxes are swizzled, so a warp
//! that reads a column accesses several banks.

use ptx::bulk::LoadBuffer;
use ptx::group::{AfterSync, Cta, Together};
use ptx::qualifier::swizzle_mode;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapMut};

const SIDE: usize = 32;
const THREADS: u32 = 128;
/// Vectors of four words in a box.
const VECTORS: usize = SIDE * SIDE / 4;
type Square = Box2<SIDE, SIDE, swizzle_mode::B128>;

ptx::shared_memory! {
    struct Smem {
        box_out: SharedArray<u32, { Square::LEN }>, box_in: LoadBuffer<u32, { Square::LEN }>,
    }
}

/// `output[x][y]` ← `input[y][x]` for x < `width`, y < `height`.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
#[ptx::kernel(threads = THREADS)]
pub fn tensor_transpose(
    cta: Cta,
    #[shared] smem: Smem,
    input: TensorMap<u32, Square>,
    output: TensorMapMut<u32, Square>,
) {
    tensor::prefetch_tensormap(&cta, &input);
    tensor::prefetch_tensormap(&cta, &output);
    let mut mine = output.tiles(&cta);
    let thread = cta.thread_rank() as usize;

    // A copy loads zeros for elements outside the tensor, and does not store them.
    let source = |[column, row]: [i32; 2]| input.box_at([row, column]);
    cta.finish((smem.box_in, smem.box_out), |cta, (mut free, box_out)| {
        // After the load's phase, the store has read the other box. Before the first round there is no store.
        let mut stored = AfterSync::ready(box_out);
        while let Some((at, destination)) = mine.next_tile() {
            let (from, to) = free.load_with(cta, source(at), stored).wait(cta);
            let to = to.vector_stores();
            let (rows_in, rows_out) = (
                from.as_2d::<SIDE>().swizzled(Square::SWIZZLE),
                to.as_2d::<SIDE>().swizzled(Square::SWIZZLE),
            );
            for round in 0..VECTORS / THREADS as usize {
                let vector = thread + round * THREADS as usize;
                let (x, y) = (vector % (SIDE / 4), vector / (SIDE / 4));
                let column = [0, 1, 2, 3].map(|k| rows_in.get([y, 4 * x + k]).unwrap_or(0));
                rows_out.set_vector([x, y], column);
            }
            let full;
            (free, full) = (from.release(), to.to_async()).sync(cta);
            stored = tensor::store(cta, full, destination).commit(cta).wait_read(cta);
        }
        (free.end(), stored.end())
    });
}
