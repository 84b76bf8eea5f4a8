use ptx::cp_async;
use ptx::global::{Global, GlobalMut};
use ptx::group::Cta;
use ptx::shared::SharedArray;

const TILE: usize = 1024;
/// A tile, and a vector of four elements at each side, of which the stencil needs one.
const WINDOW: usize = TILE + 8;

ptx::shared_memory! {
    struct Smem { even: SharedArray<f32, WINDOW>, odd: SharedArray<f32, WINDOW> }
}

/// `y[i]` ← `x[i - 1]` + 2·`x[i]` + `x[i + 1]`. Zeros lie beyond the ends of `x`.
#[ptx::kernel(threads = 256)]
pub fn smooth(cta: Cta, #[shared] smem: Smem, x: Global<f32>, y: GlobalMut<f32, TILE>) {
    let whole = y.len() / TILE;
    let (mut mine, tail) = y.tiles(&cta);
    // The elements after the last whole tile read global memory.
    let at = |i: usize| x.get(i).unwrap_or(0.0);
    tail.update(&cta, |i, _| {
        let i = whole * TILE + i;
        at(i.wrapping_sub(1)) + 2.0 * at(i) + at(i + 1)
    });

    let window = |tile: usize| x.vector_window::<WINDOW>((tile * (TILE / 4)) as i64 - 1);
    let (first, step) = (cta.grid_rank() as usize, cta.grid_size() as usize);
    cta.finish((smem.even, smem.odd), |cta, (even, odd)| {
        // A window beyond the end is all zeros, so it needs no case of its own.
        let mut queue = cp_async::load_window(cta, even, window(first))
            .commit(cta)
            .then(cta, cp_async::load_window(cta, odd, window(first + step)));
        while let Some((tile, to)) = mine.next_tile() {
            let ((part, _), newer) = queue.wait_oldest().sync(cta); // the newer window is still on its way
            let at = |i: usize| part.get(i).unwrap_or(0.0);
            to.write(cta, |i| at(i + 3) + 2.0 * at(i + 4) + at(i + 5));
            let free = part.release().sync(cta);
            queue = newer.then(cta, cp_async::load_window(cta, free, window(tile + 2 * step)));
        }
        let ((even, ()), (odd, ())) = queue.wait().end();
        (even, odd)
    });
}
