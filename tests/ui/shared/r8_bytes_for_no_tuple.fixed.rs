//! `bytes_for` takes a tuple of one to eight places.

use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{DynamicShared, SharedArray};

type Bar = Mbarrier<Uninit>;

pub const ONE: u32 = DynamicShared::bytes_for::<(SharedArray<f32, 4096>,)>();
pub const NONE: u32 = 0;
pub const NINE: u32 = DynamicShared::bytes_for::<(Bar, Bar, Bar, Bar, Bar, Bar, Bar, Bar)>() + 8;
pub const PLAIN: u32 = DynamicShared::bytes_for::<(Bar, SharedArray<f32, 4096>)>();
