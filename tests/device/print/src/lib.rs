//! Kernels that print and panic. `tests/print.rs` compares their PTX.

// The crate is compiled for its PTX.
#![allow(clippy::missing_safety_doc)]
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use core::ffi::CStr;

use ptx::global::Global;
use ptx::group::Cta;

ptx::panic_handler!(print);

/// Prints in one thread.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn print_in_a_branch(cta: Cta, value: f32) {
    if cta.is_leader() {
        ptx::println!("{value:.3} in CTA {}", cta.grid_rank());
    }
    cta.sync();
}

/// Prints every type and layout.
#[ptx::kernel(unsafe(uniform), threads = 1)]
pub fn print_all(_cta: Cta, byte: i8, word: u32, long: u64, float: f32, flag: bool) {
    let double = f64::from(float);
    let letter = char::from_u32(word).unwrap_or('?');
    let name: &CStr = c"a name";
    ptx::println!("{byte} {byte:x} {} {:#06x} {:o} {word:>9} {word:<9}|", byte as u8, word, byte as i16);
    ptx::println!("{long} {long:X} {long:#018x} {} {:?}", long as i64, usize::MAX);
    ptx::println!(
        "{float} {float:?} {float:.2} {float:e} {double} {double:?} {0:9.3}|{0:<9.3}|{0:+09.3}",
        double
    );
    ptx::println!("{flag} {:?} {flag:7}|{flag:>7}|{letter}{}{}|{letter:3}|", !flag, 'é', '√');
    ptx::print!("{name} {name:>8}|{{}} 100 %");
    ptx::println!();
    ptx::println!(
        "{:p} {:?} {:#p}",
        0x1234 as *const u8,
        core::ptr::null_mut::<u32>(),
        0xab_cdef as *const u8
    );
}

/// Panics in the threads whose index is too large.
#[ptx::kernel(unsafe(uniform), threads = 4)]
pub fn panic_at_an_index(cta: Cta, values: Global<u32>, divisor: u32) {
    let table = [1, 2, 3];
    if values.is_empty() {
        ptx::println!("{}", table[cta.thread_rank() as usize]);
    } else {
        ptx::println!("{}", 7 / divisor);
    }
}
