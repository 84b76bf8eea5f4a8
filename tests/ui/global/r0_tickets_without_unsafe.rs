//! A counter in global memory has a contract.

use ptx::global::GlobalTickets;

pub fn kernel(counter: *mut u64) {
    #[cfg(not(fixed))]
    let _tickets = GlobalTickets::from_raw(counter, 1);
    // SAFETY: only this grid accesses the number at `counter`, and only by tickets.
    #[cfg(fixed)]
    let _tickets = unsafe { GlobalTickets::from_raw(counter, 1) };
}
