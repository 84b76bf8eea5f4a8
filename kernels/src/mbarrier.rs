//! Each tile reversed: loaded on an mbarrier, turned round in shared memory, stored.

use ptx::bulk;
use ptx::global::{Global, GlobalMut};
use ptx::launch::{AfterSync, Block, Cta};
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
    cta.async_scope_last((smem.forward, smem.backward), |cta, (mut forward, backward)| {
        let (mut loaded, mut turned) =
            cta.sync_with((smem.loaded.init_at_sync(cta), smem.turned.init_at_sync(cta)));
        let mut next = || mine.next_tile().and_then(|(i, output)| Some((tiles.get(i)?, output)));
        // Behind the load's phase the copy has read the tile before; nothing reads it before the first.
        let mut stored = AfterSync::ready(backward.into_fenced());
        let mut upcoming = next();
        while let Some((source, output)) = upcoming {
            let (full, backward);
            (loaded, full, _, backward) = bulk::load_with(cta, loaded, forward, source, stored).wait(cta);
            // An arrival in two steps: one when the tile is there, one when this thread has turned its part round.
            let early = turned.arrive_no_complete::<1>(cta);
            let written = backward.into_free().write(cta, |i| full.get(N - 1 - i).unwrap_or(0));
            // The phase is the barrier: all threads have read the one tile and written the other.
            let transitions = (full.release_at_sync(), written.to_async_at_sync());
            let written;
            (turned, (forward, written)) = early.arrive_with(cta, transitions).wait(cta);
            let storing = bulk::store(cta, written, output).commit(cta);
            // While the copy reads.
            upcoming = next();
            stored = storing.wait_read_at_sync(cta).first();
        }
        (forward.end(), stored.end())
    });
}
