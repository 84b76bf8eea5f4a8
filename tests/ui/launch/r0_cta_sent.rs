//! A `Cta` belongs to the thread that entered.

use ptx::launch::Cta;

pub fn kernel(cta: Cta) {
    on_another_thread(move || cta.sync());
}

fn on_another_thread(f: impl FnOnce() + Send) {
    f()
}
