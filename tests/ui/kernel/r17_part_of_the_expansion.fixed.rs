//! A part of what the attribute expands to makes no launch safe and calls no unsafe function, without a word of the author.

use ptx::global::GlobalElementsMut;
use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _to: GlobalElementsMut<u32>) {}

pub fn host() {}
