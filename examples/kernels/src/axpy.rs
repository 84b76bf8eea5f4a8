use ptx::global::{Global, GlobalMut};
use ptx::group::Cta;
use ptx::math::fma;
use ptx::pipeline::RingMemory;

/// Elements of a tile: 14 KiB.
const TILE: usize = 3584;

/// `y` ← a·`x` + `y`. While the block computes a tile, copies (TMA) load the next and store the last.
#[ptx::kernel(threads = 256)]
pub fn axpy_tiles(
    cta: Cta,
    #[dynamic] ring: RingMemory<[f32; TILE], 2>,
    a: f32,
    x: Global<f32>,
    y: GlobalMut<f32, TILE>,
) {
    let (x, x_tail) = x.tiles::<TILE>();
    let (y, y_tail) = y.tiles(&cta);
    y_tail.update(&cta, |i, y| x_tail.get(i).map_or(y, |x| fma(a, x, y)));
    cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| fma(a, x, y)).end());
}
