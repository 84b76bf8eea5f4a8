//! A CTA has one tile of a matrix, and a thread one fragment of the tile.

use ptx::global::GlobalMatrixMut;
use ptx::group::Cta;

pub fn kernel(cta: &Cta, c: GlobalMatrixMut<f32, 64, 64>) -> Option<()> {
    let (_, tile) = c.tile(cta)?;
    #[cfg(not(fixed))]
    {
        let (_, again) = c.tile(cta)?;
        let (one, other) = (tile.fragment::<4, 16>(cta), tile.fragment::<1, 4>(cta));
        again.fragment::<4, 16>(cta).write([0, 0], [0.0; 4])?;
        one.write([0, 0], [1.0; 4])?;
        other.write([0, 0], [2.0; 4])
    }
    #[cfg(fixed)]
    {
        tile.fragment::<4, 16>(cta).write([0, 0], [0.0; 4])
    }
}
