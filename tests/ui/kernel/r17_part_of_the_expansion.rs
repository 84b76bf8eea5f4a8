//! A part of what the attribute expands to makes no launch safe and calls no unsafe function, without a word of the author.

use ptx::global::GlobalElementsMut;
use ptx::group::Cta;

/// # Safety
///
/// `to` is the address of a `u32`.
#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub unsafe fn kernel(_cta: Cta, _to: *mut u32) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _to: GlobalElementsMut<u32>) {}

#[cfg(not(fixed))]
ptx::__kernel!(@safe safe kernel);

/// # Safety
///
/// Nobody calls the function.
#[cfg(not(fixed))]
pub unsafe fn never() {}

pub fn host() {
    #[cfg(not(fixed))]
    ptx::__kernel!(@call not_safe never ());
}
