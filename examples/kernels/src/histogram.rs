use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::shared::SharedArray;

/// CTAs of a cluster, and bins that each CTA holds.
const SIZE: u32 = 4;
const BINS: usize = 64;

ptx::shared_memory! {
    struct Smem { bins: SharedArray<u32, BINS> }
}

/// Adds to `counts[b]` the number of words of the input whose low byte is `b`.
///
/// The bins lie in distributed shared memory: each CTA of a cluster of four holds 64 of the 256 bins, and the threads of all four
/// count in all of them. Then each CTA adds its bins to the output.
#[ptx::kernel(threads = 128, cluster = SIZE)]
pub fn count_bytes(
    cta: Cta,
    #[shared] smem: Smem,
    input: Global<u32>,
    counts: GlobalAtomics<u32, scope::Gpu>,
) {
    let (mut i, step) = (cta.grid_thread_rank() as usize, cta.grid_thread_count() as usize);
    cta.finish_cluster(smem.bins, |cluster, bins| {
        let bins = cluster.open_atomic(bins.write(cluster.cta(), |_| 0)).sync(&cluster);
        while let Some(word) = input.get(i) {
            let digit = (word % 256) as usize;
            // The rank of the CTA that holds the bin.
            let peer = bins.peer((digit / BINS) as u32);
            if let Some(bin) = peer.and_then(|peer| peer.atomic(digit % BINS)) {
                bin.add(1, sem::Relaxed);
            }
            i += step;
        }
        let bins = bins.publish().sync(&cluster);

        let cta = cluster.cta();
        let (own, first) = (cta.thread_rank() as usize, cluster.cta_rank() as usize * BINS);
        if let (Some(count), Some(total)) = (bins.get(own), counts.get(first + own)) {
            total.add(count, sem::Relaxed);
        }
        (cluster, bins.end())
    });
}
