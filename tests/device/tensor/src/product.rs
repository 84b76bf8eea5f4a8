//! A product of matrices by `wgmma`.

use core::arch::{asm, global_asm, nvptx};

use ptx::qualifier::{convergence, major, n, scale, space, threads, trans};
use ptx::raw::*;

global_asm!(".extern .shared .align 1024 .b8 tensor_tiles[];");

/// The rows of A and of B, which is stored by columns, and the elements along K of a tile.
const M: usize = 64;
const N: usize = 128;
const K: usize = 64;

fn tiles() -> u32 {
    let address: u32;
    // SAFETY: takes the address of a variable.
    unsafe { asm!("mov.u32 {0}, tensor_tiles;", out(reg32) address, options(pure, nomem, nostack)) };
    address
}

fn thread() -> usize {
    // SAFETY: reads a special register.
    (unsafe { nvptx::_thread_idx_x() }) as usize
}

/// Copies rows of 64 halves to shared memory, swizzled by 128 bytes. A row of the matrix has `row` words.
unsafe fn fill(to: u32, from: *const u32, rows: usize, row: usize) {
    let mut i = thread();
    while i < rows * K / 2 {
        let (line, word) = (i / 32, i % 32);
        let at = to + (128 * line + ((4 * word) ^ ((line & 7) << 4))) as u32;
        // SAFETY: the caller's tile has the rows, and the matrix too.
        unsafe {
            asm!("st.shared.b32 [{0}], {1};", in(reg32) at, in(reg32) from.add(row * line + word).read())
        };
        i += 128;
    }
}

/// Returns the descriptor of rows of 128 bytes, swizzled.
fn descriptor(address: u32) -> u64 {
    1 << 62 | 64 << 32 | 1 << 16 | u64::from((address & 0x3ffff) >> 4)
}

/// `d` ← `a * b` of a warpgroup. `a` has 64 rows and `b` 128 columns of `64 * steps` halves each; `d` has rows of 128.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn product(a: *const u32, b: *const u32, d: *mut f32, steps: u32) {
    let (a_tile, b_tile) = (tiles(), tiles() + 2 * (M * K) as u32);
    let row = K / 2 * steps as usize;
    let mut sums = [0.0; N / 2];
    // SAFETY: the launch has 128 threads, and memory for both tiles. The fences, barriers and waits are those that the text asks for.
    unsafe {
        for step in 0..steps as usize {
            fill(a_tile, a.add(K / 2 * step), M, row);
            fill(b_tile, b.add(K / 2 * step), N, row);
            asm!("fence.proxy.async.shared::cta;");
            barrier_cta_sync(convergence::Aligned, 0, threads::All);
            sums = wgmma_fence_with(sums);
            for part in 0..4 {
                let (a, b) = (descriptor(a_tile) + 2 * part, descriptor(b_tile) + 2 * part);
                let is_first = step == 0 && part == 0;
                sums = wgmma_mma_async_f32_f16(
                    n::N128,
                    scale::Plus,
                    scale::Plus,
                    major::K,
                    major::K,
                    sums,
                    a,
                    b,
                    !is_first,
                );
            }
            wgmma_commit_group();
            sums = wgmma_wait_group_with::<0, _>(sums);
            barrier_cta_sync(convergence::Aligned, 0, threads::All);
        }
        let (warp, lane) = (thread() / 32, thread() % 32);
        ptx::registers::unroll::<{ N / 2 }>(|i| {
            let (line, column) =
                (16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2);
            d.add(N * line + column).write(sums[i]);
        });
    }
}

/// `d` ← `a * b` of a warp, from matrices in shared memory: `a` has 16 rows and `b` eight columns of 16 halves.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn product_of_a_warp(a: *const u32, b: *const u32, d: *mut f32) {
    let (tile, lane) = (tiles(), thread() as u32);
    // SAFETY: the launch has 32 threads, and memory for both matrices.
    unsafe {
        let mut i = lane;
        while i < 128 + 64 {
            let word = if i < 128 { a.add(i as usize).read() } else { b.add(i as usize - 128).read() };
            asm!("st.shared.b32 [{0}], {1};", in(reg32) tile + 4 * i, in(reg32) word);
            i += 32;
        }
        bar_warp_sync(u32::MAX);
        // The rows of 32 bytes: the quarters of A, then the halves of B.
        let a = ldmatrix_m8n8_x4(trans::None, space::SharedCta, tile + 32 * (lane % 16) + 16 * (lane / 16));
        let b = ldmatrix_m8n8_x2(
            trans::None,
            space::SharedCta,
            tile + 512 + 32 * (lane % 8) + 16 * (lane / 8 % 2),
        );
        let sums = mma_m16n8k16_f32_f16(a, b, [0.0; 4]);
        let lane = lane as usize;
        ptx::registers::unroll::<4>(|i| {
            d.add(8 * (lane / 4 + 8 * (i / 2)) + 2 * (lane % 4) + i % 2).write(sums[i]);
        });
    }
}
