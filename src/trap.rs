//! `trap` stops a kernel with an error (`__trap()`), and `panic_handler!` makes panics do so.

use core::ffi::CStr;
use core::fmt::{self, Write as _};
use core::panic::PanicInfo;

use crate::mark;
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
/// let Some(input) = input else { ptx::trap() };
/// # }
/// ```
#[cold]
#[inline(always)]
#[doc(alias = "__trap")]
pub fn trap() -> ! {
    stop!("trap;", "`ptx::trap` was called off the device");
}

/// Stops the kernel as [`trap`](crate::trap) does. The reason is a comment of the PTX: the interpreter's message has it.
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

/// Defines the panic handler of a kernel crate: a panic stops the grid with an error, as [`trap`](crate::trap) does.
///
/// - `ptx::panic_handler!();` traps.
/// - `ptx::panic_handler!(print);` first prints the place of the panic and the first 127 bytes of its message, as
///   [`println!`](crate::println) prints: `panic at src/lib.rs:12:9: CTA (3, 0, 0), thread (64, 0, 0): attempt to divide by zero`.
///   A message with arguments follows in a line of its own: `panic in CTA (3, 0, 0), thread (64, 0, 0): index out of bounds: the
///   len is 4 but the index is 64`.
///
/// `ptx-link` proves kernels with these handlers alone: of another it does not know what a panic does. With `print`, a panic runs the
/// `Display` and `Debug` of what its message names, so a kernel whose types have loops or collective calls there is refused.
///
/// A kernel crate has one call, at the top level. On the host, where `std` has the handler, the macro expands to nothing.
///
/// A handler that prints keeps what it prints: each place of a panic passes its location and its message, and a kernel that can
/// panic has the code that prints. A message with arguments keeps their formatting code (`core::fmt`) too, whose stack ptxas cannot
/// determine. The formatting of a float may need more than the 1024 bytes that a thread has by default (`CU_LIMIT_STACK_SIZE`): the
/// message is then lost, and the line with the place is not. Neither handler costs anything in a kernel that cannot panic. `ptx-link` warns of each kernel that can, and `-Clink-arg=--deny-panics` makes the
/// warning an error.
///
/// ```no_run
/// ptx::panic_handler!(print);
/// ```
#[macro_export]
#[doc(alias = "__assertfail")]
macro_rules! panic_handler {
    () => {
        #[cfg(target_arch = "nvptx64")]
        #[panic_handler]
        fn __ptx_panic(_: &$crate::__private::core::panic::PanicInfo<'_>) -> ! {
            // SAFETY: this is the panic handler.
            unsafe { $crate::__private::trap_in_panic() }
        }
    };
    (print) => {
        #[cfg(target_arch = "nvptx64")]
        #[panic_handler]
        fn __ptx_panic(info: &$crate::__private::core::panic::PanicInfo<'_>) -> ! {
            // SAFETY: this is the panic handler.
            unsafe { $crate::__private::print_panic(info) }
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

/// The first bytes of a message, which end in a NUL.
struct Message {
    text: [u8; MESSAGE],
    len: usize,
}

impl Message {
    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.text).unwrap_or_default()
    }
}

impl fmt::Write for Message {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for byte in part.bytes() {
            // The last byte stays a NUL.
            match self.text[..MESSAGE - 1].get_mut(self.len) {
                Some(place) if byte != 0 => *place = byte,
                _ => return Err(fmt::Error),
            }
            self.len += 1;
        }
        Ok(())
    }
}

/// Stops the kernel (`trap`).
///
/// # Safety
///
/// Called at the start of the panic handler: `ptx-link` concludes that a panic ends the grid.
#[inline(always)]
pub unsafe fn trap_in_panic() -> ! {
    mark::panic_traps();
    trap()
}

/// Prints the place of a panic and its message (`vprintf`), and stops the kernel (`trap`).
///
/// # Safety
///
/// Called at the start of the panic handler: `ptx-link` concludes that a panic ends the grid.
#[inline(always)]
pub unsafe fn print_panic(info: &PanicInfo<'_>) -> ! {
    mark::panic_prints();
    let whole = info.message();
    let constant = whole.as_str();
    let mut message = Message { text: [0; MESSAGE], len: 0 };
    // The error of a message that is too long: its first bytes are printed.
    let _ = message.write_str(constant.unwrap_or(""));
    if let Some(place) = info.location() {
        let before = if message.len == 0 { c"" } else { c": " };
        let message = message.as_c_str();
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
    if constant.is_none() {
        // In a line of its own: the stack of a thread may be too small for the formatting code.
        let _ = write!(message, "{whole}");
        let message = message.as_c_str();
        crate::println!(
            "panic in CTA ({}, {}, {}), thread ({}, {}, {}): {message}",
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
