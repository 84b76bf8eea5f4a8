//! A user's convergent asm, in both forms.

/// `convergent!("text", operands)`: the text as plain asm, or as `asm goto` under the feature `label`.
macro_rules! convergent {
    ($text:literal $(, [$($operands:tt)*])?) => {{
        #[cfg(not(feature = "label"))]
        core::arch::asm!($text, $($($operands)*,)? options(nostack, preserves_flags));
        #[cfg(feature = "label")]
        core::arch::asm!(
            concat!($text, " {never}"),
            $($($operands)*,)?
            // SAFETY: the text names the label in a comment only, so the asm never jumps there.
            never = label { unsafe { core::intrinsics::unreachable() } },
            options(nostack, preserves_flags)
        );
    }};
}
