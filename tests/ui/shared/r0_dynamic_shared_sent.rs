//! Dynamic shared memory belongs to its CTA: its handle stays in its thread.

use ptx::shared::DynamicShared;

pub fn kernel(dynamic: DynamicShared) {
    on_another_thread(dynamic);
}

fn on_another_thread(_: impl Send) {}
