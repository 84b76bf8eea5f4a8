//! Printing from a kernel (`printf`): [`print!`](crate::print!) and [`println!`](crate::println).
//!
//! The macros take Rust's format strings and call the driver's `vprintf`. They translate the string at compile time, so a kernel
//! has no formatting code. Each thread that reaches the call prints.
//!
//! ```
//! # fn kernel(cta: &ptx::group::Cta, sum: f32, flags: u32) {
//! if cta.is_leader() {
//!     ptx::println!("CTA {}: the sum is {sum:.3}, flags {flags:#010x}", cta.grid_rank());
//! }
//! # }
//! ```
//!
//! | Placeholder | Values | In C |
//! |---|---|---|
//! | `{}` | integers up to 64 bits, `bool`, `char`, `&CStr` | `%lld`, `%llu`, `%s` |
//! | `{}` | `f32`, `f64`, `f16` and `bf16` | `%g`: six digits |
//! | `{:?}` | the same without `char` | `%.9g` for `f32`, `%.17g` for `f64`: digits that identify the value |
//! | `{:.3}` | floats | `%.3f` |
//! | `{:e}`, `{:E}` | floats | `%e`, `%E` |
//! | `{:x}`, `{:X}`, `{:o}`; `{:#x}` with a prefix | integers up to 64 bits | `%llx`, `%llX`, `%llo` |
//! | `{:p}`, `{:?}` | pointers and, by `{:p}`, references | `0x%llx` |
//! | `{:5}`, `{:<5}`, `{:>5}`, `{:05}`, `{:+}` | numbers; text without `0` and `+` | `%5lld`, … |
//!
//! Arguments are positional (`{}`, `{0}`), named (`{name}` with `name = value`) or variables in scope (`{name}`), at most 32 in a
//! call. `{{` and `}}` print a brace. C formats floats differently: `{:?}` prints `1.0` as `1`, and there are `1e+10`, `nan`,
//! `inf`. The width and precision of text count bytes.
//!
//! - The driver keeps the output in a buffer of 1 MiB, and writes the buffer to the host's standard output when the host
//!   synchronizes with the device. When the buffer is full, the driver overwrites the oldest output. The host sets the size
//!   before the first launch: `cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, bytes)`.
//! - The output of one call stays together. Calls of different threads come in any order.
//! - The arguments take local memory (8 bytes each), and a call takes registers. A kernel that prints is for debugging, not for
//!   measurements.
//! - On the host the macros evaluate their arguments and print nothing.

use core::ffi::CStr;

/// How C's `printf` gets a value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// As `long long`.
    Signed,
    /// As `unsigned long long`.
    Unsigned,
    /// As `double`, with this number of significant digits if the placeholder states no precision.
    Float(u16),
    /// As `const char *`.
    Text,
    /// As `unsigned long long`, with the prefix `0x`.
    Address,
}

/// The format options of a placeholder such as `{:>8.3}`. `width` is 0 if the placeholder has none.
#[doc(hidden)]
#[allow(clippy::struct_excessive_bools, reason = "the flags of a placeholder")]
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The letter of the conversion: `g` for `{}` and `{:?}`.
    pub letter: char,
    /// `<`, `>` or a space.
    pub alignment: char,
    pub plus: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: u16,
    pub precision: Option<u16>,
}

/// A part of a Rust format string: text or a placeholder.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// Text.
    Text(&'static str),
    /// A placeholder.
    Placeholder(Value, Layout),
}

/// Translates the parts of a Rust format string to a format string of C's `printf`. The macros compute `N`, a bound of the
/// length, so the rest is NUL.
#[doc(hidden)]
#[must_use]
pub const fn format<const N: usize>(pieces: &[Piece]) -> [u8; N] {
    let mut format = Format { bytes: [0; N], len: 0 };
    let mut i = 0;
    while i < pieces.len() {
        match pieces[i] {
            Piece::Text(text) => format.text(text),
            Piece::Placeholder(value, layout) => format.placeholder(value, layout),
        }
        i += 1;
    }
    assert!(format.len < N, "the string ends with a NUL");
    format.bytes
}

struct Format<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Format<N> {
    const fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// Adds text that stands for itself.
    const fn text(&mut self, text: &str) {
        let mut i = 0;
        while i < text.len() {
            let byte = text.as_bytes()[i];
            self.push(byte);
            if byte == b'%' {
                self.push(b'%');
            }
            i += 1;
        }
    }

    /// Adds a number, unless it is 0.
    const fn number(&mut self, number: u16) {
        if number > 0 {
            self.number(number / 10);
            self.push(b'0' + (number % 10) as u8);
        }
    }

    const fn placeholder(&mut self, value: Value, layout: Layout) {
        let is_number = !matches!(value, Value::Text);
        let is_float = matches!(value, Value::Float(_));
        assert!(
            !layout.plus || is_float || matches!(value, Value::Signed),
            "C writes `+` before signed integers and floats only: remove the `+`"
        );
        let zero = layout.zero && is_number;
        let mut width = layout.width;
        if matches!(value, Value::Address) || (layout.alternate && matches!(layout.letter, 'x' | 'X' | 'o')) {
            assert!(
                width == 0 || zero || layout.alignment == '<',
                "C puts no spaces before the prefix of an address: write `{{:018p}}` or `{{:<18p}}`"
            );
            self.text(if layout.letter == 'o' { "0o" } else { "0x" });
            width = width.saturating_sub(2);
        }
        self.push(b'%');
        // Rust puts text at the left, and numbers at the right.
        let left = if is_number { layout.alignment == '<' && !zero } else { layout.alignment != '>' };
        if left && width > 0 {
            self.push(b'-');
        }
        if layout.plus {
            self.push(b'+');
        }
        if zero && width > 0 {
            self.push(b'0');
        }
        self.number(width);
        match (value, layout.precision, layout.letter) {
            // Rust ignores the precision of an integer.
            (Value::Signed, _, _) => self.text("lld"),
            (Value::Unsigned, _, 'g') => self.text("llu"),
            (Value::Address, _, _) => self.text("llx"),
            (Value::Unsigned, _, letter) => {
                self.text("ll");
                self.push(letter as u8);
            }
            (Value::Float(_), Some(digits), letter) => {
                self.precision(digits);
                self.push(if matches!(letter, 'g') { b'f' } else { letter as u8 });
            }
            (Value::Float(digits), None, letter) => {
                if matches!(letter, 'g') && digits != 6 {
                    self.precision(digits);
                }
                self.push(letter as u8);
            }
            (Value::Text, precision, _) => {
                if let Some(bytes) = precision {
                    self.precision(bytes);
                }
                self.push(b's');
            }
        }
    }

    const fn precision(&mut self, digits: u16) {
        self.push(b'.');
        if digits == 0 {
            self.push(b'0');
        }
        self.number(digits);
    }
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

macro_rules! styles {
    ($( $(#[$attribute:meta])* $Style:ident = $letter:literal )*) => { $(
        $(#[$attribute])*
        pub trait $Style: Sealed {
            #[doc(hidden)]
            const VALUE: Value;
            /// The letter of the conversion in C's format string, such as `x` of `%x`.
            #[doc(hidden)]
            const LETTER: char = $letter;

            /// Returns the value as the 8 bytes that `vprintf` reads for one argument. `text` is memory for a value that is
            /// written as text.
            #[doc(hidden)]
            fn slot(&self, text: &mut u64) -> u64;
        }
    )* };
}
styles! {
    /// Values that `{}` prints: integers up to 64 bits, floats, `bool`, `char` and `&CStr`.
    #[diagnostic::on_unimplemented(
        message = "`{{}}` cannot print `{Self}` from a kernel",
        label = "C's `printf` has no conversion for this type",
        note = "`{{}}` prints integers up to 64 bits, floats, `bool`, `char` and `&CStr` (`c\"text\"`); print the fields of a struct, \
                the halves of a 128-bit integer, and a pointer by `{{:p}}`"
    )]
    Display = 'g'
    /// Values that `{:?}` prints: integers up to 64 bits, floats, `bool` and raw pointers.
    #[diagnostic::on_unimplemented(
        message = "`{{:?}}` cannot print `{Self}` from a kernel",
        label = "C's `printf` has no conversion for this type",
        note = "`{{:?}}` prints integers up to 64 bits, floats, `bool` and raw pointers; `{{}}` prints `char` and `&CStr`"
    )]
    Debug = 'g'
    /// Values that `{:x}` prints: integers up to 64 bits.
    #[diagnostic::on_unimplemented(
        message = "`{{:x}}` cannot print `{Self}` from a kernel",
        label = "not an integer of up to 64 bits",
        note = "print the bits of a float by `to_bits()`, and a pointer by `{{:p}}`"
    )]
    LowerHex = 'x'
    /// Values that `{:X}` prints: integers up to 64 bits.
    #[diagnostic::on_unimplemented(
        message = "`{{:X}}` cannot print `{Self}` from a kernel",
        label = "not an integer of up to 64 bits",
        note = "print the bits of a float by `to_bits()`, and a pointer by `{{:p}}`"
    )]
    UpperHex = 'X'
    /// Values that `{:o}` prints: integers up to 64 bits.
    #[diagnostic::on_unimplemented(
        message = "`{{:o}}` cannot print `{Self}` from a kernel",
        label = "not an integer of up to 64 bits"
    )]
    Octal = 'o'
    /// Values that `{:e}` prints: floats.
    #[diagnostic::on_unimplemented(
        message = "`{{:e}}` cannot print `{Self}` from a kernel",
        label = "not a float",
        note = "print an integer by `{{}}`, or convert it to `f64`"
    )]
    LowerExp = 'e'
    /// Values that `{:E}` prints: floats.
    #[diagnostic::on_unimplemented(
        message = "`{{:E}}` cannot print `{Self}` from a kernel",
        label = "not a float",
        note = "print an integer by `{{}}`, or convert it to `f64`"
    )]
    UpperExp = 'E'
    /// Values that `{:p}` prints: raw pointers and references.
    #[diagnostic::on_unimplemented(
        message = "`{{:p}}` cannot print `{Self}` from a kernel",
        label = "neither a pointer nor a reference"
    )]
    Pointer = 'x'
}

/// Implements styles for a type. A slot is a function of the value and of the memory for text.
macro_rules! values {
    ($( $generics:tt $T:ty: $($Style:ident)+ = $value:expr, |$this:ident, $text:ident| $slot:expr; )*) => { $( $(
        values!(@one $generics, $T, $Style, $value, $this, $text, $slot);
    )+ )* };
    (@one [$($generics:tt)*], $T:ty, $Style:ident, $value:expr, $this:ident, $text:ident, $slot:expr) => {
        impl<$($generics)*> $Style for $T {
            const VALUE: Value = $value;

            #[inline(always)]
            fn slot(&self, $text: &mut u64) -> u64 {
                let ($this, _) = (self, &$text);
                $slot
            }
        }
    };
}

macro_rules! integers {
    ($($Signed:ty, $Unsigned:ty;)*) => { $(
        impl Sealed for $Signed {}
        impl Sealed for $Unsigned {}
        values! {
            [] $Signed: Display Debug = Value::Signed, |value, text| (*value as i64).cast_unsigned();
            // Digits of the bits: as many as the type has.
            [] $Signed: LowerHex UpperHex Octal = Value::Unsigned, |value, text| value.cast_unsigned() as u64;
            [] $Unsigned: Display Debug LowerHex UpperHex Octal = Value::Unsigned, |value, text| *value as u64;
        }
    )* };
}
integers! { i8, u8; i16, u16; i32, u32; i64, u64; isize, usize; }

macro_rules! floats {
    ($($(#[$attribute:meta])* $T:ty, $digits:literal;)*) => { $(
        $(#[$attribute])*
        const _: () = {
            impl Sealed for $T {}
            values! {
                [] $T: Display LowerExp UpperExp = Value::Float(6), |value, text| f64::from(*value).to_bits();
                [] $T: Debug = Value::Float($digits), |value, text| f64::from(*value).to_bits();
            }
        };
    )* };
}
floats! {
    f32, 9;
    f64, 17;
    half::f16, 5;
    half::bf16, 4;
}

impl Sealed for bool {}
impl Sealed for char {}
impl Sealed for CStr {}
impl<T: ?Sized> Sealed for *const T {}
impl<T: ?Sized> Sealed for *mut T {}
impl<T: ?Sized> Sealed for &T {}
impl<T: ?Sized> Sealed for &mut T {}
values! {
    [] bool: Display Debug = Value::Text, |value, text| (if *value { c"true" } else { c"false" }).slot(text);
    [] char: Display = Value::Text, |value, text| {
        *text = utf8(*value);
        core::ptr::from_mut(text).expose_provenance() as u64
    };
    [] CStr: Display = Value::Text, |value, text| value.as_ptr().expose_provenance() as u64;
    [T: ?Sized] *const T: Debug Pointer = Value::Address, |value, text| value.addr() as u64;
    [T: ?Sized] *mut T: Debug Pointer = Value::Address, |value, text| value.addr() as u64;
    [T: ?Sized] &T: Pointer = Value::Address, |value, text| core::ptr::from_ref::<T>(value).addr() as u64;
    [T: ?Sized] &mut T: Pointer = Value::Address, |value, text| core::ptr::from_ref::<T>(value).addr() as u64;
}

macro_rules! references {
    ($($Style:ident)*) => { $(
        values! {
            [T: $Style + ?Sized] &T: $Style = T::VALUE, |value, text| T::slot(value, text);
            [T: $Style + ?Sized] &mut T: $Style = T::VALUE, |value, text| T::slot(value, text);
        }
    )* };
}
references! { Display Debug LowerHex UpperHex Octal LowerExp UpperExp }

/// Returns the UTF-8 of a character, with NULs after it, as a number whose first byte in memory is the lowest.
const fn utf8(value: char) -> u64 {
    const fn next(code: u64, place: u32) -> u64 {
        0x80 | (code >> (6 * place) & 0x3f)
    }
    let code = value as u64;
    match code {
        0..0x80 => code,
        0x80..0x800 => 0xc0 | code >> 6 | next(code, 0) << 8,
        0x800..0x1_0000 => 0xe0 | code >> 12 | next(code, 1) << 8 | next(code, 0) << 16,
        _ => 0xf0 | code >> 18 | next(code, 2) << 8 | next(code, 1) << 16 | next(code, 0) << 24,
    }
}

/// Calls CUDA's `vprintf`, which prints `slots` as `format` says; off the device it prints nothing.
///
/// # Safety
///
/// `format` is a format string of C that ends with a NUL, and `slots` are the arguments of its conversions, in their order.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn vprintf<const LEN: usize, const SLOTS: usize>(format: &'static [u8; LEN], slots: [u64; SLOTS]) {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            fn vprintf(format: *const u8, arguments: *const u64) -> i32;
        }
        // SAFETY: the arguments of `printf` lie one after another, each aligned to its size, which is 8 bytes (`# Safety`).
        unsafe { vprintf(format.as_ptr(), slots.as_ptr()) };
    }
    #[cfg(not(target_arch = "nvptx64"))]
    let _ = (format, slots);
}

#[cfg(test)]
mod tests {
    use super::{Layout, Piece, Value, format, utf8};

    const PLAIN: Layout = Layout {
        letter: 'g',
        alignment: ' ',
        plus: false,
        alternate: false,
        zero: false,
        width: 0,
        precision: None,
    };

    #[track_caller]
    fn assert_format(value: Value, layout: Layout, expected: &str) {
        let bytes = format::<64>(&[Piece::Text("1%"), Piece::Placeholder(value, layout), Piece::Text(".")]);
        let len = bytes.iter().position(|byte| *byte == 0).expect("a NUL");
        assert_eq!(core::str::from_utf8(&bytes[..len]), Ok(expected), "{layout:?}");
    }

    #[test]
    fn placeholders_become_conversions() {
        let hex = Layout { letter: 'x', ..PLAIN };
        for (value, layout, expected) in [
            (Value::Signed, PLAIN, "1%%%lld."),
            (Value::Signed, Layout { precision: Some(3), width: 120, ..PLAIN }, "1%%%120lld."),
            (
                Value::Signed,
                Layout { plus: true, zero: true, width: 5, alignment: '<', ..PLAIN },
                "1%%%+05lld.",
            ),
            (Value::Unsigned, Layout { alignment: '<', width: 5, ..PLAIN }, "1%%%-5llu."),
            (Value::Unsigned, Layout { zero: true, width: 8, ..hex }, "1%%%08llx."),
            (Value::Unsigned, Layout { alternate: true, ..hex }, "1%%0x%llx."),
            (Value::Unsigned, Layout { alternate: true, zero: true, width: 10, ..hex }, "1%%0x%08llx."),
            (Value::Unsigned, Layout { alternate: true, letter: 'o', ..PLAIN }, "1%%0o%llo."),
            (Value::Float(6), PLAIN, "1%%%g."),
            (Value::Float(9), PLAIN, "1%%%.9g."),
            (Value::Float(9), Layout { precision: Some(0), width: 8, ..PLAIN }, "1%%%8.0f."),
            (Value::Float(6), Layout { letter: 'e', precision: Some(12), ..PLAIN }, "1%%%.12e."),
            (Value::Float(6), Layout { letter: 'E', ..PLAIN }, "1%%%E."),
            (Value::Text, Layout { zero: true, ..PLAIN }, "1%%%s."),
            (Value::Text, Layout { zero: true, width: 7, precision: Some(2), ..PLAIN }, "1%%%-7.2s."),
            (Value::Text, Layout { alignment: '>', width: 7, ..PLAIN }, "1%%%7s."),
            (Value::Address, PLAIN, "1%%0x%llx."),
            (Value::Address, Layout { zero: true, width: 18, ..hex }, "1%%0x%016llx."),
        ] {
            assert_format(value, layout, expected);
        }
    }

    #[test]
    fn characters_become_utf8() {
        for character in
            ['\u{7f}', 'a', '\u{80}', 'é', '\u{7ff}', '\u{800}', '√', '\u{ffff}', '\u{10000}', '\u{10ffff}']
        {
            let mut bytes = [0; 8];
            character.encode_utf8(&mut bytes);
            assert_eq!(utf8(character).to_le_bytes(), bytes, "{character:?}");
        }
    }
}
