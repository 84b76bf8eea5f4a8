//! An element stays in its thread.

use ptx::multimem::MulticastRef;

fn send(_: impl Send) {}

pub fn kernel(value: MulticastRef<u32>) {
    send(value);
}
