//! A `Cta` belongs to the thread that entered.

use ptx::launch::Cta;

pub fn kernel(cta: Cta) {
    on_this_thread(move || cta.sync());
}

fn on_this_thread(f: impl FnOnce()) {
    f()
}
