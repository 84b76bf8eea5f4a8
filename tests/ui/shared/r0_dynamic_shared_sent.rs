//! The launch's shared memory is that of this CTA: its handle stays with its thread.

use ptx::shared::DynamicShared;

pub fn kernel(dynamic: DynamicShared) {
    on_another_thread(dynamic);
}

fn on_another_thread(_: impl Send) {}
