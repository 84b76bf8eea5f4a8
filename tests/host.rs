//! Checks that everything type-checks on the host, and that a call panics with the name of its instruction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ptx::group::Cta;
use ptx::launch::Prerequisite;
use ptx::qualifier::{arrivals, scope, sem, space};
use ptx::raw;

fn message(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("no GPU here");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn a_raw_call_panics_with_its_instruction() {
    let calls: [(&str, fn()); 4] = [
        ("mbarrier_arrive", || {
            // SAFETY: the call panics before any effect.
            _ = unsafe { raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, 0, arrivals::One) }
        }),
        // SAFETY: the call panics before any effect.
        ("cp_async_bulk_wait_group_read", || unsafe { raw::cp_async_bulk_wait_group_read::<3>() }),
        ("fence_proxy_async", || raw::fence_proxy_async(space::Global)),
        ("tid_x", || _ = raw::tid_x()),
    ];
    for (name, call) in calls {
        let message = message(call);
        assert!(message.contains(&format!("`ptx::raw::{name}`")), "{message}");
        assert!(message.contains("nvptx64-nvidia-cuda"), "{message}");
    }
}

#[test]
fn a_typed_call_panics_with_the_instruction_that_it_needs() {
    // SAFETY: the call panics before it returns a handle.
    let message = message(|| _ = unsafe { Cta::enter::<()>() });
    assert!(message.contains("`ptx::raw::dynamic_smem_size`"), "{message}");
}

/// Checks that a `Prerequisite` runs neither `Drop` nor `Debug` of its payload before the wait: both could use the payload's
/// handles.
#[test]
fn what_is_put_away_does_nothing_before_the_wait() {
    struct Payload<'a>(&'a std::cell::Cell<u32>);
    impl Drop for Payload<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    impl std::fmt::Debug for Payload<'_> {
        fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {
            self.0.set(self.0.get() + 1);
            Ok(())
        }
    }
    let uses = std::cell::Cell::new(0);
    // SAFETY: the payload contains no handle of a grid's memory.
    let memory = unsafe { Prerequisite::new(Payload(&uses)) };
    assert_eq!(format!("{memory:?}"), "Prerequisite { .. }");
    drop(memory);
    assert_eq!(uses.get(), 0);
}
