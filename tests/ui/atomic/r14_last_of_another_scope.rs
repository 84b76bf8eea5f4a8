//! CTAs of a grid count themselves in the scope of the GPU.

use ptx::atomic::GlobalAtomics;
use ptx::group::Cta;
use ptx::qualifier::scope;

pub fn kernel(
    cta: &Cta,
    #[cfg(not(fixed))] count: GlobalAtomics<u32, scope::Cta>,
    #[cfg(fixed)] count: GlobalAtomics<u32, scope::Gpu>,
) -> bool {
    count.get(0).is_some_and(|count| count.is_last_cta(cta))
}
