//! A `Cta` belongs to the thread that entered.

use ptx::group::Cta;

pub fn kernel(cta: Cta) {
    #[cfg(not(fixed))]
    on_another_thread(move || cta.sync());
    #[cfg(fixed)]
    on_this_thread(move || cta.sync());
}

#[cfg(not(fixed))]
fn on_another_thread(f: impl FnOnce() + Send) {
    f()
}

#[cfg(fixed)]
fn on_this_thread(f: impl FnOnce()) {
    f()
}
