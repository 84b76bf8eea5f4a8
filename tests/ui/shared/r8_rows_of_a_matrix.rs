//! A matrix has whole rows, and a swizzled one consists of whole 128-byte units.

use ptx::qualifier::swizzle_mode;
use ptx::shared::{Loaded, Shared};

pub fn broken_rows(tile: &Shared<'_, f32, 1024, Loaded>) -> Option<f32> {
    #[cfg(not(fixed))]
    {
        tile.as_2d::<48>().get([0, 1])
    }
    #[cfg(fixed)]
    {
        tile.as_2d::<64>().get([0, 0])
    }
}

pub fn no_rows(tile: &Shared<'_, f32, 1024, Loaded>) {
    #[cfg(not(fixed))]
    let _ = tile.as_2d::<0>();
    #[cfg(fixed)]
    let _ = tile.as_2d::<1024>();
}

#[cfg(not(fixed))]
pub fn broken_swizzle(tile: &Shared<'_, f32, 40, Loaded>) -> Option<f32> {
    tile.as_2d::<8>().swizzled(swizzle_mode::B32).get([0, 1])
}

#[cfg(fixed)]
pub fn broken_swizzle(tile: &Shared<'_, f32, 64, Loaded>) -> Option<f32> {
    tile.as_2d::<8>().swizzled(swizzle_mode::B32).get([0, 0])
}

pub fn broken_vectors(tile: &Shared<'_, f32, 1024, Loaded>) -> Option<[f32; 4]> {
    #[cfg(not(fixed))]
    {
        tile.as_2d::<2>().get_vector([0, 1])
    }
    #[cfg(fixed)]
    {
        tile.as_2d::<4>().get_vector([0, 1])
    }
}
