//! `shared_memory!` under the same name in two modules and in another crate. In one module, names of the user shadow those of
//! `core`. Several kernels enter with each struct, some through an inlined helper.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
// The crate is compiled for its PTX. Only `gpu/src/device_checks.rs` launches the kernels, with valid arguments.
#![allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]

use ptx::group::Cta;
use ptx::shared::{Place, SharedArray, SharedMemory};

mod a {
    use ptx::shared::SharedArray;
    ptx::shared_memory! {
        /// 4 + 128 bytes; the array is aligned.
        pub struct Smem { pub word: SharedArray<u8, 4>, pub tile: SharedArray<u32, 32> }
    }
}

/// A module in which names of `core` mean something else.
#[allow(dead_code, non_camel_case_types, unused_imports, unused_macros)]
mod b {
    use ptx::shared::SharedArray;

    mod core {
        pub mod arch {
            macro_rules! asm {
                ($text:literal, $name:ident = lateout($class:ident) $base:ident, $($rest:tt)*) => {
                    $base = 0
                };
            }
            macro_rules! global_asm {
                ($($anything:tt)*) => {};
            }
            pub(crate) use {asm, global_asm};
        }
    }
    macro_rules! assert {
        ($($anything:tt)*) => {};
    }
    macro_rules! stringify {
        ($($anything:tt)*) => {
            ()
        };
    }
    type Word = ::core::primitive::u32;
    type u32 = u64;

    ptx::shared_memory! {
        /// 256 bytes.
        pub struct Smem { pub tile: SharedArray<Word, 64> }
    }
}

ptx::panic_handler!();

/// Fills an array and reads it back reversed.
#[inline(always)]
fn fill<const N: usize>(cta: &mut Cta, tile: SharedArray<u32, N>, out: *mut u32) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as u32).publish().sync(cta);
        let i = cta.thread_rank() as usize % N;
        unsafe { out.add(i).write(tile.get(N - 1 - i).unwrap_or(0)) };
        tile.to_async().sync(cta).into_free()
    });
}

#[inline(always)]
fn kernel<S: SharedMemory, const N: usize>(tile: impl FnOnce(S) -> SharedArray<u32, N>, out: *mut u32)
where
    SharedArray<u32, N>: Place,
{
    let (mut cta, smem, _) = unsafe { Cta::enter::<S>() };
    fill(&mut cta, tile(smem), out);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn first(out: *mut u32) {
    kernel(|smem: a::Smem| smem.tile, out)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn second(out: *mut u32) {
    kernel(|smem: a::Smem| smem.tile, out)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn third(out: *mut u32) {
    kernel(|smem: b::Smem| smem.tile, out)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn fourth(out: *mut u32) {
    kernel(|smem: other::Smem| smem.tile, out)
}
