//! Elements of global memory.

use ptx::global::{Global, GlobalElementsMut, GlobalMut, GlobalVectorsMut};
use ptx::group::Cta;

use crate::{cta_count, cta_rank, thread_count, thread_rank};

const N: usize = 256;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_get(x: *const u32, n: usize, i: usize, out: *mut u32) {
    let x = unsafe { Global::from_raw(x, n) };
    let (_, tail) = x.tiles::<N>();
    unsafe { out.write(x.get(i).unwrap_or(7)) };
    unsafe { out.add(1).write(if tail.is_empty() { 7 } else { tail.len() as u32 }) };
    unsafe { out.add(2).write(tail.get(i).unwrap_or(7)) };
    unsafe { out.add(3).write(if x.is_empty() { 7 } else { x.len() as u32 }) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_get(x: *const u32, n: usize, i: usize, out: *mut u32) {
    let (tail, left) = (unsafe { x.add(n / N * N) }, n % N);
    unsafe {
        out.write(if i < n { x.add(i).read() } else { 7 });
        out.add(1).write(if left == 0 { 7 } else { left as u32 });
        out.add(2).write(if i < left { tail.add(i).read() } else { 7 });
        out.add(3).write(if n == 0 { 7 } else { n as u32 });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_lengths(y: *mut u32, n: usize, m: u32, out: *mut u32) {
    let (tiled, vectors) =
        unsafe { (GlobalMut::<u32, N>::from_raw(y, n), GlobalVectorsMut::from_raw(y, n / 2)) };
    let elements = unsafe { GlobalElementsMut::from_raw(y, m) };
    unsafe { out.write(if tiled.is_empty() { 7 } else { tiled.len() as u32 }) };
    unsafe { out.add(1).write(if vectors.is_empty() { 7 } else { vectors.len() as u32 }) };
    unsafe { out.add(2).write(if elements.is_empty() { 7 } else { elements.len() }) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_lengths(_y: *mut u32, n: usize, m: u32, out: *mut u32) {
    unsafe { out.write(if n == 0 { 7 } else { n as u32 }) };
    unsafe { out.add(1).write(if n / 2 == 0 { 7 } else { (n / 2) as u32 }) };
    unsafe { out.add(2).write(if m == 0 { 7 } else { m }) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_tail_update(y: *mut u32, n: usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (_, tail) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles(&cta);
    tail.update(&cta, |i, y| y ^ i as u32);
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_tail_update(y: *mut u32, n: usize) {
    let (tail, left) = (unsafe { y.add(n / N * N) }, n % N);
    let threads = thread_count() as usize;
    let mut i = cta_rank() as usize * threads + thread_rank() as usize;
    while i < left {
        unsafe { tail.add(i).write(tail.add(i).read() ^ i as u32) };
        i += threads * cta_count() as usize;
    }
}
