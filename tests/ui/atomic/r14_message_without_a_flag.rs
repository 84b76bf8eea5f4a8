//! A message has a flag, which the receiver waits for.

use ptx::atomic::Messages;
use ptx::qualifier::scope;

pub fn kernel(messages: Messages<f32, scope::Gpu>, sum: f32) {
    #[cfg(not(fixed))]
    messages.send(0, sum);
    #[cfg(fixed)]
    messages.send(0, sum, 1);
}
