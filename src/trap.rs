//! `trap` stops a kernel with an error (`__trap()`), and `panic_handler!` makes panics do so.

use core::ffi::CStr;
use core::panic::PanicInfo;

use crate::special_register::{ctaid_x, ctaid_y, ctaid_z, tid_x, tid_y, tid_z};

/// The body of a function that traps: the text of the asm, and what a host that calls the function is told.
macro_rules! stop {
    ($text:expr, $off_device:literal) => {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: `trap` ends the grid, so the `asm!` does not return (`noreturn`).
        unsafe {
            core::arch::asm!($text, options(noreturn))
        }
        #[cfg(not(target_arch = "nvptx64"))]
        panic!($off_device)
    };
}
pub(crate) use stop;

/// Stops the kernel with an error that the host sees (`CUDA_ERROR_ILLEGAL_INSTRUCTION`), as `__trap()` does.
///
/// ```
/// # fn kernel(input: Option<u32>) {
/// let Some(input) = input else { ptx::launch::trap() };
/// # }
/// ```
#[cold]
#[inline(always)]
pub fn trap() -> ! {
    stop!("trap;", "`ptx::launch::trap` was called off the device");
}

/// Stops the kernel as [`trap`](crate::launch::trap) does. The reason is a comment of the PTX: the interpreter's message has it.
macro_rules! trap_because {
    ($reason:literal) => {{
        #[cold]
        #[inline(always)]
        fn trap() -> ! {
            $crate::trap::stop!(concat!("trap; // ", $reason), $reason);
        }
        trap()
    }};
}
pub(crate) use trap_because;

/// Defines the panic handler of a kernel crate: a panic stops the grid with an error, as [`trap`](crate::launch::trap) does.
///
/// - `ptx::panic_handler!();` traps.
/// - `ptx::panic_handler!(print);` first prints the place of the panic and its message, as [`println!`](crate::println) prints:
///   `panic at src/lib.rs:12:9: CTA (3, 0, 0), thread (64, 0, 0): attempt to divide by zero`. Only a message without arguments is
///   printed, such as those of `panic!("text")`, `assert!` and `Option::unwrap`, and its first 127 bytes: arguments, as those of an
///   index out of bounds and of `expect`, take the formatting code of `core::fmt`.
///
/// A kernel crate has one call, at the top level. On the host, where `std` has the handler, the macro expands to nothing.
///
/// A handler that prints keeps what it prints: each place of a panic passes its location and its message, and a kernel that can
/// panic has the code that prints. A message with arguments keeps their formatting code too, which nothing calls. Neither handler
/// costs anything in a kernel that cannot panic. `ptx-link` warns of each kernel that can, and `-Clink-arg=--deny-panics` makes the
/// warning an error.
///
/// ```no_run
/// ptx::panic_handler!(print);
/// ```
#[macro_export]
macro_rules! panic_handler {
    () => {
        #[cfg(target_arch = "nvptx64")]
        #[panic_handler]
        fn __ptx_panic(_: &$crate::__private::core::panic::PanicInfo<'_>) -> ! {
            $crate::launch::trap()
        }
    };
    (print) => {
        #[cfg(target_arch = "nvptx64")]
        #[panic_handler]
        fn __ptx_panic(info: &$crate::__private::core::panic::PanicInfo<'_>) -> ! {
            $crate::__private::print_panic(info)
        }
    };
    ($($other:tt)*) => {
        $crate::__private::core::compile_error!(
            "write `ptx::panic_handler!()`, which traps, or `ptx::panic_handler!(print)`"
        );
    };
}

/// The number of bytes for a panic's message and its NUL. The rest of a longer message is not printed.
const MESSAGE: usize = 128;

/// Prints the place of a panic and its message (`vprintf`), and stops the kernel (`trap`). A message with arguments is left out:
/// it takes the code of `core::fmt`.
#[inline(always)]
pub fn print_panic(info: &PanicInfo<'_>) -> ! {
    if let Some(place) = info.location() {
        let message = info.message().as_str().unwrap_or("");
        let before = if message.is_empty() { c"" } else { c": " };
        let mut text = [0; MESSAGE];
        let mut len = 0;
        for byte in message.bytes() {
            if byte == 0 || len == MESSAGE - 1 {
                break;
            }
            // SAFETY: `len` is less than the length of the array.
            unsafe { *text.get_unchecked_mut(len) = byte };
            len += 1;
        }
        // SAFETY: `len` is less than the length of the array. The first `len` bytes are no NUL, and the byte after them is one.
        let message = unsafe { CStr::from_bytes_with_nul_unchecked(text.get_unchecked(..=len)) };
        crate::println!(
            "panic at {}:{}:{}: CTA ({}, {}, {}), thread ({}, {}, {}){before}{message}",
            place.file_as_c_str(),
            place.line(),
            place.column(),
            ctaid_x(),
            ctaid_y(),
            ctaid_z(),
            tid_x(),
            tid_y(),
            tid_z()
        );
    }
    trap()
}
