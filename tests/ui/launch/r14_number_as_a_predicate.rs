//! `barrier.red` takes a predicate: compare the number first.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> u32 {
    let many = cta.sync_count(value);
    let all = cta.sync_and(value);
    let any = cta.sync_or(value);
    many + u32::from(all) + u32::from(any)
}
