//! Dynamic shared memory belongs to its CTA: its handle stays in its thread.

use ptx::shared::DynamicShared;

pub fn kernel(dynamic: DynamicShared) {
    #[cfg(not(fixed))]
    on_another_thread(dynamic);
    #[cfg(fixed)]
    on_this_thread(dynamic);
}

#[cfg(not(fixed))]
fn on_another_thread(_: impl Send) {}

#[cfg(fixed)]
fn on_this_thread(_: DynamicShared) {}
