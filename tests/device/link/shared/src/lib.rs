//! Shared memory used by several crates and codegen units, and the functions that their kernels call.

#![no_std]
#![feature(asm_experimental_arch)]

/// Returns the index of the executing thread.
#[inline(always)]
pub fn thread() -> u32 {
    let index: u32;
    unsafe {
        core::arch::asm!("mov.u32 {0}, %tid.x;", out(reg32) index, options(pure, nomem, nostack, preserves_flags))
    }
    index
}

#[macro_export]
macro_rules! shared_memory {
    ($name:ident, $bytes:literal) => {
        pub mod $name {
            #[inline(never)]
            pub fn tag() {}

            core::arch::global_asm!(
                ".shared .align 16 .b8 {tag}__smem[{bytes}]; // of $name",
                tag = sym tag,
                bytes = const $bytes,
            );

            #[inline(always)]
            pub fn address() -> u32 {
                let address: u32;
                unsafe {
                    core::arch::asm!(
                        "mov.u32 {0}, {1}__smem;",
                        out(reg32) address,
                        sym tag,
                        options(pure, nomem, nostack, preserves_flags)
                    )
                }
                address
            }
        }
    };
}

shared_memory!(tile, 64);

// `#[ptx::kernel]` writes such a fingerprint beside each kernel.
core::arch::global_asm!(".visible .global .align 8 .u64 fingerprint = 12U;");

pub mod first {
    #[inline(never)]
    pub fn address() -> u32 {
        super::tile::address()
    }
}

pub mod second {
    #[inline(never)]
    pub fn address(offset: u32) -> u32 {
        super::tile::address() + offset
    }
}
