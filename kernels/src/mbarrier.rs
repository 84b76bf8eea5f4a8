//! Tiles reversed: bulk loads complete on an mbarrier, threads reverse the tile in shared memory, bulk stores write it.

use ptx::bulk::{self, LoadBuffer};
use ptx::global::{Global, GlobalMut};
use ptx::group::{AfterSync, Cta};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

const N: usize = 512;

ptx::shared_memory! {
    struct Smem {
        backward: SharedArray<u32, N>, forward: LoadBuffer<u32, N>, turned: Mbarrier<Uninit, 2>,
    }
}

/// `output[i]` ← `input[j]`, where j mirrors i in its tile of 512 words.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
///
/// Technique: an mbarrier with two arrivals per thread replaces `__syncthreads()`.
#[ptx::kernel(threads = 128)]
pub fn mbarrier_reverse(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    #[len(n)] output: GlobalMut<u32, N>,
    n: u32,
) {
    let (tiles, _) = input.tiles::<N>();
    let (mut mine, _) = output.tiles(&cta);
    cta.finish((smem.forward, smem.backward, smem.turned), |cta, (mut forward, backward, mut turned)| {
        let mut next = || mine.next_tile().and_then(|(i, output)| Some((tiles.get(i)?, output)));
        // After the load's phase, the store has read the previous tile. Before the first round there is no store.
        let mut stored = AfterSync::ready(backward);
        let mut upcoming = next();
        while let Some((source, output)) = upcoming {
            let (full, backward) = forward.load_with(cta, source, stored).wait(cta);
            // Each thread arrives twice: when the tile has arrived, and when it has reversed its part.
            let early = turned.arrive_no_complete::<1>(cta);
            let written = backward.write(cta, |i| full.get(N - 1 - i).unwrap_or(0));
            // The phase is the barrier: all threads have read `full` and have written `written`.
            let transitions = (full.release(), written.to_async());
            let written;
            (turned, (forward, written)) = early.arrive_with(cta, transitions).wait(cta);
            let storing = bulk::store(cta, written, output).commit(cta);
            // The store reads shared memory meanwhile.
            upcoming = next();
            stored = storing.wait_read(cta);
        }
        (forward.end(), stored.end(), ())
    });
}
