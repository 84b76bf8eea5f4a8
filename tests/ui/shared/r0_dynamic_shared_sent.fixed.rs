//! The launch's shared memory is that of this CTA: its handle stays with its thread.

use ptx::shared::DynamicShared;

pub fn kernel(dynamic: DynamicShared) {
    on_this_thread(dynamic);
}

fn on_this_thread(_: DynamicShared) {}
