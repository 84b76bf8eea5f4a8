//! Atomic operations on distributed shared memory (DSMEM): all threads of a cluster change the shared memory of each of its CTAs.

use half::{bf16, f16};
use ptx::atomic::{Atomic, AtomicRef, AtomicValue};
use ptx::cluster::ClusterSmem;
use ptx::global::{Global, GlobalMut};
use ptx::group::{Cta, Together};
use ptx::qualifier::{B128, scope, sem, space};
use ptx::shared::{Element, SharedArray};
use ptx::trap;

ptx::shared_memory! {
    struct Smem {
        bits: SharedArray<u64, 48>,
        longs: SharedArray<u64, 18>,
        signed: SharedArray<i64, 18>,
        words: SharedArray<u32, 4>,
        float: SharedArray<f32, 4>,
        double: SharedArray<f64, 2>,
        halves: SharedArray<[f16; 2], 4>,
        brains: SharedArray<[bf16; 2], 8>,
        short: SharedArray<u16, 8>,
        pair: SharedArray<B128, 1>,
    }
}

/// The words of output of a CTA. The last word is 0.
const WORDS: usize = 96 + 36 + 36 + 2 + 1 + 2 + 1 + 8 + 1 + 4 + 1;

/// Returns element `i` in the CTA of rank `rank`.
#[inline(always)]
fn of<'a, T: AtomicValue + Element, const N: usize>(
    memory: &'a ClusterSmem<'_, T, N, Atomic>,
    rank: u32,
    i: usize,
) -> AtomicRef<'a, T, scope::Cluster, space::SharedCluster> {
    match memory.peer(rank).and_then(|peer| peer.atomic(i)) {
        Some(element) => element,
        None => trap(),
    }
}

/// Returns the low word of `bits` for an even `i`, the high word for an odd `i`.
#[inline(always)]
fn half_of(bits: u64, i: usize) -> u32 {
    (bits >> (32 * (i % 2))) as u32
}

/// Applies atomic operations with each of the `n` words to the shared memory of every CTA of a cluster. In each cluster, one
/// thread has the word. The function of the same name in `gpu/src/kernels.rs` computes the results.
///
/// Launch: 1-D grid of 8 CTAs of 128 threads, in clusters of 4.
#[ptx::kernel(threads = 128, cluster = 4)]
pub fn cluster_atomics(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    #[len(8 * WORDS)] output: GlobalMut<u32, WORDS>,
    n: u32,
) {
    let Some((_, output)) = output.tiles(&cta).0.next_tile() else { trap() };
    let integers = (smem.bits, smem.longs, smem.signed, smem.words);
    let floats = (smem.float, smem.double, smem.halves, smem.brains);
    cta.finish_cluster((integers, floats, (smem.short, smem.pair)), |cluster, (integers, floats, others)| {
        let cta = cluster.cta();
        let ((bits, longs, signed, words), (float, double, halves, brains), (short, pair)) =
            (integers, floats, others);
        let (bits, longs, signed, float, double, halves, brains, words, short, pair) = (
            // Zeros for `or`, ones for `and`.
            cluster.open_atomic(bits.write(cta, |i| if i < 24 { 0 } else { !0 })),
            // A sum, a checksum, eight minima, eight maxima.
            cluster.open_atomic(longs.write(cta, |i| if (2..10).contains(&i) { !0 } else { 0 })),
            cluster.open_atomic(signed.write(cta, |i| match i {
                0 | 1 => 0,
                2..10 => i64::MAX,
                _ => i64::MIN,
            })),
            cluster.open_atomic(float.write(cta, |_| 0.0)),
            cluster.open_atomic(double.write(cta, |_| 0.0)),
            cluster.open_atomic(halves.write(cta, |_| [f16::ZERO; 2])),
            cluster.open_atomic(brains.write(cta, |_| [bf16::ZERO; 2])),
            cluster.open_atomic(words.write(cta, |_| 0)),
            cluster.open_atomic(short.write(cta, |_| 0)),
            cluster.open_atomic(pair.write(cta, |_| B128::default())),
        )
            .sync(&cluster);

        let mut j = (cluster.cta_rank() * cta.thread_count() + cta.thread_rank()) as usize;
        while let Some(word) = input.get(j) {
            let long = (word as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            // `atom` and `red` alternate; all threads of a warp use the same instruction.
            let (fetches, bit) = (j / 32 % 2 == 1, 1 << (j % 64));
            let flag = (word & 1) as u8;
            let mut rank = 0;
            while rank < cluster.cta_count() {
                let (set, clear) = (of(&bits, rank, j / 64), of(&bits, rank, 24 + j / 64));
                let (sum, checksum) = (of(&longs, rank, 0), of(&longs, rank, 1));
                let (least, most) = (of(&longs, rank, 2 + j % 8), of(&longs, rank, 10 + j % 8));
                let (total, parity) = (of(&signed, rank, 0), of(&signed, rank, 1));
                let (lowest, highest) = (of(&signed, rank, 2 + j % 8), of(&signed, rank, 10 + j % 8));
                // Each bit changes once. `again` counts the threads that find their bit changed already.
                let mut again = 0;
                if fetches {
                    again += u32::from(set.fetch_or(bit, sem::Relaxed) & bit != 0);
                    again += u32::from(clear.fetch_and(!bit, sem::Relaxed) & bit == 0);
                    sum.fetch_add(long, sem::Relaxed);
                    checksum.fetch_xor(long, sem::Relaxed);
                    again +=
                        u32::from(least.fetch_min(long, sem::Relaxed) < least.fetch_min(!0, sem::Relaxed));
                    again += u32::from(most.fetch_max(long, sem::Relaxed) > most.fetch_max(0, sem::Relaxed));
                    total.fetch_add(long as i64, sem::Relaxed);
                    parity.fetch_xor(long as i64, sem::Relaxed);
                    lowest.fetch_min(long as i64, sem::Relaxed);
                    highest.fetch_max(long as i64, sem::Relaxed);
                } else {
                    set.or(bit, sem::Relaxed);
                    clear.and(!bit, sem::Relaxed);
                    sum.add(long, sem::Relaxed);
                    checksum.xor(long, sem::Relaxed);
                    least.min(long, sem::Relaxed);
                    most.max(long, sem::Relaxed);
                    total.add(long as i64, sem::Relaxed);
                    parity.xor(long as i64, sem::Relaxed);
                    lowest.min(long as i64, sem::Relaxed);
                    highest.max(long as i64, sem::Relaxed);
                }
                of(&words, rank, 0).add(word, sem::Relaxed);
                // `again` also counts minima that rise and maxima that fall: the result is 0.
                of(&words, rank, 1).add(again, sem::Relaxed);
                // Integers: the sums are exact in any order.
                of(&float, rank, 0).add(f32::from(flag), sem::Relaxed);
                of(&double, rank, 0).add(f64::from(word), sem::Relaxed);
                let (halves, brains) = (of(&halves, rank, 0), of(&brains, rank, j % 8));
                let (one, flags) = ([f16::ONE, f16::from(flag)], [bf16::from(flag), bf16::ONE]);
                if fetches {
                    halves.fetch_add(one, sem::Relaxed);
                    brains.add(flags, sem::Relaxed);
                } else {
                    halves.add(one, sem::Relaxed);
                    brains.fetch_add(flags, sem::Relaxed);
                }
                let (short, pair) = (of(&short, rank, 0), of(&pair, rank, 0));
                short.fetch_update(0, |now| now.wrapping_add(1), sem::Relaxed);
                let update = |now: B128| B128 { lo: now.lo + 1, hi: now.hi ^ long };
                pair.fetch_update(B128::default(), update, sem::Relaxed);
                rank += 1;
            }
            j += (cluster.cta_count() * cta.thread_count()) as usize;
        }

        let ((bits, longs, signed, words), (float, double, halves, brains), (short, pair)) = (
            (bits.publish(), longs.publish(), signed.publish(), words.publish()),
            (float.publish(), double.publish(), halves.publish(), brains.publish()),
            (short.publish(), pair.publish()),
        )
            .sync(&cluster);
        let two = |[a, b]: [u16; 2]| u32::from(a) | u32::from(b) << 16;
        let word = |i: usize| {
            Some(match i {
                0..96 => half_of(bits.get(i / 2)?, i),
                96..132 => half_of(longs.get((i - 96) / 2)?, i),
                132..168 => half_of(signed.get((i - 132) / 2)?.cast_unsigned(), i),
                168..170 => words.get(i - 168)?,
                170 => float.get(0)?.to_bits(),
                171..173 => half_of(double.get(0)?.to_bits(), i - 171),
                173 => two(halves.get(0)?.map(f16::to_bits)),
                174..182 => two(brains.get(i - 174)?.map(bf16::to_bits)),
                182 => short.get(0)?.into(),
                183..185 => half_of(pair.get(0)?.lo, i - 183),
                185..187 => half_of(pair.get(0)?.hi, i - 185),
                _ => return None,
            })
        };
        output.write(cta, |i| word(i).unwrap_or(0));
        let integers = (bits.end(), longs.end(), signed.end(), words.end());
        let floats = (float.end(), double.end(), halves.end(), brains.end());
        (cluster, (integers, floats, (short.end(), pair.end())))
    });
}
