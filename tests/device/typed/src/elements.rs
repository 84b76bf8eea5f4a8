//! Elements and vectors of global memory that threads write individually.

use ptx::global::{Global, GlobalElementsMut, GlobalMut, GlobalVectorsMut};
use ptx::group::Cta;

use crate::{cta_count, cta_rank, thread_count, thread_rank};

const N: usize = 256;

/// A vector of sixteen bytes, which one instruction moves.
#[repr(C, align(16))]
struct Vector([u32; 4]);

/// Returns this thread's rank in the grid and the number of threads of the grid.
#[inline(always)]
fn place() -> (usize, usize) {
    let threads = thread_count() as usize;
    (cta_rank() as usize * threads + thread_rank() as usize, cta_count() as usize * threads)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_get_vector(x: *const u32, n: usize, i: usize, out: *mut u32) {
    let x = unsafe { Global::from_raw(x, n) };
    unsafe { out.write(x.get_vector(i).map_or(7, |vector| vector[0] ^ vector[1] ^ vector[2] ^ vector[3])) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_get_vector(x: *const u32, n: usize, i: usize, out: *mut u32) {
    unsafe {
        out.write(if i < n / 4 {
            let Vector(vector) = x.cast::<Vector>().add(i).read();
            vector[0] ^ vector[1] ^ vector[2] ^ vector[3]
        } else {
            7
        });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_for_each(x: *const u32, n: usize, out: *mut u32) {
    let mut sum = 0_u32;
    unsafe { Global::from_raw(x, n) }.for_each::<2>(5, 32, |x| sum = sum.wrapping_mul(31).wrapping_add(x));
    unsafe { out.write(sum) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_for_each(x: *const u32, n: usize, out: *mut u32) {
    let (mut sum, mut i) = (0_u32, 5);
    while i < n {
        let a = unsafe { x.add(i).read() };
        let mut b = 0;
        if i + 32 < n {
            b = unsafe { x.add(i + 32).read() };
        }
        sum = sum.wrapping_mul(31).wrapping_add(a);
        if i + 32 < n {
            sum = sum.wrapping_mul(31).wrapping_add(b);
        }
        i += 64;
    }
    unsafe { out.write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_rounds(y: *mut u32, n: usize, out: *mut usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (tiles, _) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles(&cta);
    unsafe { out.write(tiles.rounds()) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_rounds(y: *mut u32, n: usize, out: *mut usize) {
    unsafe { out.write((n / N).div_ceil(cta_count() as usize)) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_tile_write(y: *mut u32, n: usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (mut tiles, _) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles(&cta);
    if let Some((_, tile)) = tiles.next_tile() {
        tile.write(&cta, |i| i as u32);
    }
}
/// Returns the first of `count` tiles that belongs to the CTA of rank `rank`.
#[inline(always)]
fn first_tile(y: *mut u32, rank: usize, count: usize) -> Option<*mut u32> {
    if rank >= count {
        return None;
    }
    Some(unsafe { y.add(rank * N) })
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_tile_write(y: *mut u32, n: usize) {
    let count = n / N;
    if let Some(tile) = first_tile(y, cta_rank() as usize, count) {
        let (mut i, threads) = (thread_rank() as usize, thread_count() as usize);
        while i < N {
            unsafe { tile.add(i).write(i as u32) };
            i += threads;
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_elements(y: *mut u32, n: usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    for (i, element) in unsafe { GlobalElementsMut::from_raw(y, n) }.elements(&cta) {
        element.write(element.read() ^ i as u32);
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_elements(y: *mut u32, n: usize) {
    let (mut i, step) = place();
    while i < n {
        unsafe { y.add(i).write(y.add(i).read() ^ i as u32) };
        i += step;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_vectors(y: *mut u32, n: usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (vectors, rest) = unsafe { GlobalVectorsMut::from_raw(y, n) }.vectors(&cta);
    for (i, vector) in vectors {
        vector.write(vector.read().map(|y| y ^ i as u32));
    }
    for (i, element) in rest {
        element.write(i as u32);
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_vectors(y: *mut u32, n: usize) {
    let (rank, step) = place();
    let whole = n / 4;
    let mut i = rank;
    while i < whole {
        unsafe {
            let vector = y.cast::<Vector>().add(i);
            vector.write(Vector(vector.read().0.map(|y| y ^ i as u32)));
        }
        i += step;
    }
    let mut i = 4 * whole + rank;
    while i < n {
        unsafe { y.add(i).write(i as u32) };
        i += step;
    }
}
