//! A handler traps, or prints and traps.

#[cfg(not(fixed))]
ptx::panic_handler!(abort);

#[cfg(fixed)]
ptx::panic_handler!(print);
