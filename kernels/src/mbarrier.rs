//! Each tile reversed: loaded on an mbarrier, turned round in shared memory, stored.

use ptx::bulk;
use ptx::global::{Global, GlobalMut};
use ptx::launch::{Block, Cta};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

const N: usize = 512;

ptx::shared_memory! {
    struct Smem {
        forward: SharedArray<u32, N>, backward: SharedArray<u32, N>,
        loaded: Mbarrier<Uninit>, turned: Mbarrier<Uninit, 2>,
    }
}

/// output\[i\] ← input\[j\], j being i mirrored in its tile of 512 words. Any row of CTAs of 128 threads.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` words of global memory each, which do not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn mbarrier_reverse(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common; grids are rows.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<128>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalMut::<_, N>::from_raw(output, n as usize)) };
    let (tiles, _) = input.tiles::<N>();
    let (mut mine, _) = output.tiles(&cta);
    let (mut loaded, mut turned) = (smem.loaded.init(&cta), smem.turned.init(&cta));
    let mut arrays = (smem.forward, smem.backward);

    while let Some((index, output)) = mine.take_next() {
        let Some(source) = tiles.get(index) else { break };
        let lent = (arrays, loaded, turned);
        (arrays, loaded, turned) = cta.lend(lent, |cta, ((forward, backward), loaded, turned)| {
            let (loaded, forward, _) = bulk::load(cta, loaded, forward, source).wait(cta);
            // An arrival in two steps: one when the tile is there, one when this thread has turned its part round.
            let early = turned.arrive_no_complete::<1>(cta);
            let backward = backward.write(cta, |i| forward.get(N - 1 - i).unwrap_or(0));
            let turned = early.arrive(cta).wait(cta);
            let (backward, _) = bulk::store(cta, backward.to_async(cta), output).commit(cta).wait(cta);
            ((forward.release(cta), backward.into_free()), loaded, turned)
        });
    }
    loaded.inval(&cta);
    turned.inval(&cta);
}
