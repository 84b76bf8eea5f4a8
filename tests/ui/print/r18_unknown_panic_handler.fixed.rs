//! A handler traps, or prints and traps.

ptx::panic_handler!(print);
