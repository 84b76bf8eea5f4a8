//! Ends a run when the user interrupts a program that has a handler of its own for that, such as Python.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether the user has interrupted the program since the run began.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The program's handler, and whether it takes three arguments.
static HANDLER: AtomicUsize = AtomicUsize::new(0);
static TAKES_THREE: AtomicBool = AtomicBool::new(false);

/// Notes the interrupt, and calls the program's handler.
extern "C" fn note(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    INTERRUPTED.store(true, Ordering::Relaxed);
    let handler = HANDLER.load(Ordering::Relaxed);
    if TAKES_THREE.load(Ordering::Relaxed) {
        // SAFETY: `sigaction` has returned this handler with SA_SIGINFO: it has this type.
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: `sigaction` has returned this handler without SA_SIGINFO: it has this type.
        let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
        handler(signal);
    }
}

/// While it lives, an interrupt sets [`INTERRUPTED`].
pub struct Noted(libc::sigaction);

impl Noted {
    /// Returns `None` if the program has no handler: the interrupt then ends the program, or is ignored.
    pub fn new() -> Option<Self> {
        INTERRUPTED.store(false, Ordering::Relaxed);
        let mut before = MaybeUninit::uninit();
        // SAFETY: a null action changes nothing, and `before` has room for the current one.
        if unsafe { libc::sigaction(libc::SIGINT, ptr::null(), before.as_mut_ptr()) } != 0 {
            return None;
        }
        // SAFETY: `sigaction` has succeeded, and has written it.
        let before: libc::sigaction = unsafe { before.assume_init() };
        if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
            return None;
        }
        HANDLER.store(before.sa_sigaction, Ordering::Relaxed);
        TAKES_THREE.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
        let mut own = before;
        own.sa_flags |= libc::SA_SIGINFO;
        own.sa_sigaction = note as *const () as usize;
        // SAFETY: `note` has the type of a handler with SA_SIGINFO; it writes atomics, and calls a handler of the program.
        let set = unsafe { libc::sigaction(libc::SIGINT, &own, ptr::null_mut()) };
        (set == 0).then_some(Self(before))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        // SAFETY: the action is the one that the program had set.
        unsafe { libc::sigaction(libc::SIGINT, &self.0, ptr::null_mut()) };
    }
}
