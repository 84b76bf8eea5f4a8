//! `unsafe impl` promises what a stage holds, what fills it, and who shares it.

use ptx::pipeline::{Sharing, SharingIn, StageSource, StageTiles};
use ptx::raw::L2CacheHint;

pub struct Mine;

#[cfg(not(fixed))]
impl StageTiles for Mine {
    const BYTES: usize = 64;
    const SIZE: usize = 128;
    type View<'a> = ();
    unsafe fn view<'a>(_: u32) -> Self::View<'a> {}
}

// SAFETY: no pipeline loads this type.
#[cfg(fixed)]
unsafe impl StageTiles for Mine {
    const BYTES: usize = 64;
    const SIZE: usize = 128;
    type View<'a> = ();
    unsafe fn view<'a>(_: u32) -> Self::View<'a> {}
}

#[derive(Clone, Copy)]
pub struct Pair;

#[cfg(not(fixed))]
impl Sharing for Pair {
    const CTAS: u32 = 2;
    fn cta(&self, i: u32) -> u32 {
        i
    }
    fn hold(&self) {}
}

#[cfg(not(fixed))]
impl<'c> SharingIn<'c> for Pair {}

#[cfg(not(fixed))]
impl StageSource<[f32; 64], ()> for Pair {
    const FITS: () = ();
    unsafe fn load(self, _: u32, _: (), _: u32, _: impl L2CacheHint) {}
}

// SAFETY: no pipeline loads this type.
#[cfg(fixed)]
unsafe impl Sharing for Pair {
    const CTAS: u32 = 2;
    fn cta(&self, i: u32) -> u32 {
        i
    }
    fn hold(&self) {}
}

// SAFETY: no pipeline loads this type.
#[cfg(fixed)]
unsafe impl<'c> SharingIn<'c> for Pair {}

// SAFETY: no pipeline loads this type.
#[cfg(fixed)]
unsafe impl StageSource<[f32; 64], ()> for Pair {
    const FITS: () = ();
    unsafe fn load(self, _: u32, _: (), _: u32, _: impl L2CacheHint) {}
}
