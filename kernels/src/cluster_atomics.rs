//! Atomic operations on the shared memory of peers, by all threads of a cluster at once.

use half::{bf16, f16};
use ptx::atomic::{Atomic, AtomicRef, AtomicValue};
use ptx::cluster::{Cluster, ClusterSmem};
use ptx::global::Global;
use ptx::launch::{Cta, trap};
use ptx::qualifier::{B128, scope, sem, space};
use ptx::shared::{Element, Free, Shared, SharedArray};

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

/// The words of output of a CTA.
const WORDS: usize = 96 + 36 + 36 + 2 + 1 + 2 + 1 + 8 + 1 + 4;

/// Makes an array atomic, in every CTA.
#[inline(always)]
fn open<'c, T: AtomicValue + Element, const N: usize>(
    cluster: &Cluster<'c>,
    memory: Shared<'c, T, N, Free>,
    value: impl FnMut(usize) -> T,
) -> ClusterSmem<'c, T, N, Atomic> {
    cluster.open_atomic(memory.write(cluster.cta(), value))
}

/// Element `i` of the CTA of that rank.
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

/// Ends the atomic operations, and writes the words of the array, `word(element, i)`, from `output` on.
#[inline(always)]
fn close<'c, T: Element + AtomicValue, const N: usize>(
    cluster: &Cluster<'c>,
    memory: ClusterSmem<'c, T, N, Atomic>,
    output: *mut u32,
    words: usize,
    word: impl Fn(T, usize) -> u32,
) -> Shared<'c, T, N, Free> {
    let (cta, memory) = (cluster.cta(), memory.close(cluster));
    let mut i = cta.thread_rank() as usize;
    while i < words {
        if let Some(element) = memory.get(i * size_of::<u32>() / size_of::<T>().max(4)) {
            // SAFETY: the kernel's contract; one thread has the word.
            unsafe { output.add(i).write(word(element, i)) };
        }
        i += cta.thread_count() as usize;
    }
    memory.to_async(cta).into_free()
}

/// Word `i` of 64 bits.
#[inline(always)]
fn half_of(bits: u64, i: usize) -> u32 {
    (bits >> (32 * (i % 2))) as u32
}

/// Each of `n` words, by one thread of each cluster, to every CTA of the cluster: see `cluster_atomics` of the checks for what
/// is done with it. A grid of 8 CTAs of 128 threads, in clusters of 4.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` words, 1536 at most, and of 8 times 187 words of global
///   memory, which do not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cluster_atomics(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; collective calls depend on nothing but the launch.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // SAFETY: the contract above.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), output.add(WORDS * cta.rank() as usize)) };

    let sixty_four = (smem.bits, smem.longs, smem.signed);
    let floats = ((smem.float, smem.double), (smem.halves, smem.brains));
    let others = (smem.words, smem.short, smem.pair);
    cta.cluster((sixty_four, floats, others), |cluster, (sixty_four, floats, others)| {
        let (bits, longs, signed) = sixty_four;
        // Zeros to be set, ones to be cleared.
        let bits = open(&cluster, bits, |i| if i < 24 { 0 } else { !0 });
        // A sum, a checksum, eight minima, eight maxima.
        let longs = open(&cluster, longs, |i| if (2..10).contains(&i) { !0 } else { 0 });
        let signed = open(&cluster, signed, |i| {
            if i < 2 {
                0
            } else if i < 10 {
                i64::MAX
            } else {
                i64::MIN
            }
        });
        let ((float, double), (halves, brains)) = floats;
        let (float, double) = (open(&cluster, float, |_| 0.0), open(&cluster, double, |_| 0.0));
        let halves = open(&cluster, halves, |_| [f16::ZERO; 2]);
        let brains = open(&cluster, brains, |_| [bf16::ZERO; 2]);
        let (words, short, pair) = others;
        let (words, short) = (open(&cluster, words, |_| 0), open(&cluster, short, |_| 0));
        let pair = open(&cluster, pair, |_| B128::default());

        let cta = cluster.cta();
        let mut j = (cluster.rank() * cta.thread_count() + cta.thread_rank()) as usize;
        while let Some(word) = input.get(j) {
            let long = (word as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (odd, bit) = (j % 2 == 1, 1 << (j % 64));
            let flag = (word & 1) as u8;
            let mut rank = 0;
            while rank < cluster.size() {
                let (set, clear) = (of(&bits, rank, j / 64), of(&bits, rank, 24 + j / 64));
                let (sum, checksum) = (of(&longs, rank, 0), of(&longs, rank, 1));
                let (least, most) = (of(&longs, rank, 2 + j % 8), of(&longs, rank, 10 + j % 8));
                let (total, parity) = (of(&signed, rank, 0), of(&signed, rank, 1));
                let (lowest, highest) = (of(&signed, rank, 2 + j % 8), of(&signed, rank, 10 + j % 8));
                // Each bit is changed once, by a thread that sees it as it was.
                let mut again = 0;
                if odd {
                    again += u32::from(set.fetch_or(bit, sem::Relaxed) & bit != 0);
                    again += u32::from(clear.fetch_and(!bit, sem::AcqRel) & bit == 0);
                    sum.fetch_add(long, sem::Relaxed);
                    checksum.fetch_xor(long, sem::Acquire);
                    again +=
                        u32::from(least.fetch_min(long, sem::Release) < least.fetch_min(!0, sem::Relaxed));
                    again += u32::from(most.fetch_max(long, sem::Relaxed) > most.fetch_max(0, sem::Relaxed));
                    total.fetch_add(long as i64, sem::Relaxed);
                    parity.fetch_xor(long as i64, sem::Relaxed);
                    lowest.fetch_min(long as i64, sem::Relaxed);
                    highest.fetch_max(long as i64, sem::Relaxed);
                } else {
                    set.or(bit, sem::Release);
                    clear.and(!bit, sem::Relaxed);
                    sum.add(long, sem::Relaxed);
                    checksum.xor(long, sem::Relaxed);
                    least.min(long, sem::Relaxed);
                    most.max(long, sem::Release);
                    total.add(long as i64, sem::Relaxed);
                    parity.xor(long as i64, sem::Relaxed);
                    lowest.min(long as i64, sem::Relaxed);
                    highest.max(long as i64, sem::Relaxed);
                }
                of(&words, rank, 0).add(word, sem::Relaxed);
                // A minimum never rises, and a maximum never falls.
                of(&words, rank, 1).add(again, sem::Relaxed);
                // Whole numbers, exact in any order.
                of(&float, rank, 0).add(f32::from(flag), sem::Relaxed);
                of(&double, rank, 0).add(f64::from(word), sem::Relaxed);
                let (halves, brains) = (of(&halves, rank, 0), of(&brains, rank, j % 8));
                let (one, flags) = ([f16::ONE, f16::from(flag)], [bf16::from(flag), bf16::ONE]);
                if odd {
                    halves.fetch_add(one, sem::Relaxed);
                    brains.add(flags, sem::Relaxed);
                } else {
                    halves.add(one, sem::Relaxed);
                    brains.fetch_add(flags, sem::Relaxed);
                }
                let (short, pair) = (of(&short, rank, 0), of(&pair, rank, 0));
                let mut now = 0;
                while let Err(other) = short.compare_exchange(now, now.wrapping_add(1), sem::Relaxed) {
                    now = other;
                }
                let mut now = B128::default();
                while let Err(other) =
                    pair.compare_exchange(now, B128 { lo: now.lo + 1, hi: now.hi ^ long }, sem::Relaxed)
                {
                    now = other;
                }
                rank += 1;
            }
            j += (cluster.size() * cta.thread_count()) as usize;
        }

        let mut at = output;
        let mut next = |words| {
            let output = at;
            at = at.wrapping_add(words);
            output
        };
        let bits = close(&cluster, bits, next(96), 96, half_of);
        let longs = close(&cluster, longs, next(36), 36, half_of);
        let signed = close(&cluster, signed, next(36), 36, |long, i| half_of(long as u64, i));
        let words = close(&cluster, words, next(2), 2, |word, _| word);
        let float = close(&cluster, float, next(1), 1, |float, _| float.to_bits());
        let double = close(&cluster, double, next(2), 2, |double, i| half_of(double.to_bits(), i));
        let two = |[a, b]: [u16; 2]| u32::from(a) | u32::from(b) << 16;
        let halves = close(&cluster, halves, next(1), 1, |pair, _| two(pair.map(f16::to_bits)));
        let brains = close(&cluster, brains, next(8), 8, |pair, _| two(pair.map(bf16::to_bits)));
        let short = close(&cluster, short, next(1), 1, |short, _| short.into());
        let pair = close(&cluster, pair, next(4), 4, |pair, i| {
            ((u128::from(pair.lo) | u128::from(pair.hi) << 64) >> (32 * i)) as u32
        });
        let floats = ((float, double), (halves, brains));
        (cluster, ((bits, longs, signed), floats, (words, short, pair)))
    });
}
