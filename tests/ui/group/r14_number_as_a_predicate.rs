//! `barrier.red` takes a predicate: compare the number first.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: u32) -> u32 {
    #[cfg(not(fixed))]
    let many = cta.sync_count(value);
    #[cfg(not(fixed))]
    let all = cta.sync_and(value);
    #[cfg(not(fixed))]
    let any = cta.sync_or(value);
    #[cfg(fixed)]
    let many = cta.sync_count(value > 3);
    #[cfg(fixed)]
    let all = cta.sync_and(value != 0);
    #[cfg(fixed)]
    let any = cta.sync_or(value != 0);
    many + u32::from(all) + u32::from(any)
}
