//! `bytes_for` takes a tuple of one to eight places.

use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{DynamicShared, SharedArray};

type Bar = Mbarrier<Uninit>;

#[cfg(not(fixed))]
pub const ONE: u32 = DynamicShared::bytes_for::<SharedArray<f32, 4096>>();
#[cfg(fixed)]
pub const ONE: u32 = DynamicShared::bytes_for::<(SharedArray<f32, 4096>,)>();
#[cfg(not(fixed))]
pub const NONE: u32 = DynamicShared::bytes_for::<()>();
#[cfg(fixed)]
pub const NONE: u32 = 0;
#[cfg(not(fixed))]
pub const NINE: u32 = DynamicShared::bytes_for::<(Bar, Bar, Bar, Bar, Bar, Bar, Bar, Bar, Bar)>();
#[cfg(fixed)]
pub const NINE: u32 = DynamicShared::bytes_for::<(Bar, Bar, Bar, Bar, Bar, Bar, Bar, Bar)>() + 8;
#[cfg(not(fixed))]
pub const PLAIN: u32 = DynamicShared::bytes_for::<(Bar, [f32; 4096])>();
#[cfg(fixed)]
pub const PLAIN: u32 = DynamicShared::bytes_for::<(Bar, SharedArray<f32, 4096>)>();
