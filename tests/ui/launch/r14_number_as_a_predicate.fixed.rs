//! `barrier.red` takes a predicate: compare the number first.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> u32 {
    let many = cta.sync_count(value > 3);
    let all = cta.sync_and(value != 0);
    let any = cta.sync_or(value != 0);
    many + u32::from(all) + u32::from(any)
}
