//! A vector has sixteen bytes.

use ptx::global::FragmentMut;

pub fn kernel(mine: FragmentMut<f32, 64, 64, 4, 16>) -> Option<()> {
    #[cfg(not(fixed))]
    {
        mine.write([0, 0], [0.0; 8])
    }
    #[cfg(fixed)]
    {
        mine.write([0, 0], [0.0; 4])?;
        mine.write([1, 0], [0.0; 4])
    }
}
