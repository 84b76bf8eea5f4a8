//! No launch can promise that the threads of one CTA alone use memory.

use ptx::atomic::GlobalAtomics;
use ptx::group::Cta;
use ptx::qualifier::scope;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _count: GlobalAtomics<u32, scope::Cta>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _count: GlobalAtomics<u32, scope::Gpu>) {}
