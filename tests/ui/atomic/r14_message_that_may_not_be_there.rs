//! A message may not be there yet: a thread that needs it waits.

use ptx::atomic::Messages;
use ptx::qualifier::scope;

pub fn kernel(messages: Messages<f32, scope::Gpu>) -> f32 {
    #[cfg(not(fixed))]
    return messages.receive(0, 1);
    #[cfg(fixed)]
    loop {
        if let Some(sum) = messages.receive(0, 1) {
            return sum;
        }
    }
}
