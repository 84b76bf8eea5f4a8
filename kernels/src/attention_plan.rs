//! The launch of attention: how many heads it works on at a time, so that CTAs find keys and values in the L2 cache and get as much work.

/// Bytes of keys and values that stay in the L2 cache (50 MB on an H100) beside what streams through it.
const CACHED: u64 = 32 << 20;

/// Returns the argument `group` of [`attention`](crate::attention::attention): how many heads are worked on at a time.
///
/// There are `heads` of queries in all sequences together, with `rows` blocks of queries each. Each `shared` heads of queries
/// share a head of keys and values, which has `bytes` in both tensors together.
///
/// Without a mask, half as many blocks as CTAs read the same keys. In causal attention, blocks differ in their work: of the numbers
/// of heads whose keys and values stay in the cache, the one for which the CTA with the most work has the least; or of all numbers, if
/// it has a sixteenth less then. That takes the host up to half a millisecond: plan a shape once, not for each launch.
#[must_use]
pub fn heads_at_a_time(rows: u32, heads: u32, shared: u32, bytes: u64, causal: bool, ctas: u32) -> u32 {
    let (rows, heads, shared, ctas) = (rows.max(1), heads.max(1), shared.max(1), ctas.clamp(1, 1 << 30));
    if !causal {
        return (ctas.div_ceil(2) / rows).max(1).saturating_mul(shared);
    }
    let cached = u32::try_from(CACHED / bytes.max(1)).unwrap_or(u32::MAX).saturating_mul(shared);
    least_work(heads, cached, |group| most_work(rows, heads, group, ctas, |row| u64::from(rows) - row))
}

/// Returns the argument `group` of [`attention_backward`](crate::attention_backward::attention_backward): how many heads of keys and
/// values are worked on at a time.
///
/// There are `heads` of these in all sequences together, with `rows` blocks of 128 keys each. The queries that share such a head, with
/// their gradients and sums, have `bytes`. The number is chosen as [`heads_at_a_time`] does.
#[must_use]
pub fn backward_heads_at_a_time(rows: u32, heads: u32, bytes: u64, causal: bool, ctas: u32) -> u32 {
    let (rows, heads, ctas) = (rows.max(1), heads.max(1), ctas.clamp(1, 1 << 30));
    if !causal {
        return (ctas.div_ceil(2) / rows).max(1);
    }
    let cached = u32::try_from(CACHED / bytes.max(1)).unwrap_or(u32::MAX);
    // The last keys, which come first, are seen by the fewest queries.
    least_work(heads, cached, |group| most_work(rows, heads, group, ctas, |row| row + 1))
}

/// Returns the number of heads at a time, at most `cached`, with the least `work`; or of all numbers, if it has a sixteenth less then.
fn least_work(heads: u32, cached: u32, work: impl Fn(u32) -> u64) -> u32 {
    /// More heads at a time would have no further use.
    const MOST: u32 = 64;
    let most = heads.min(MOST);
    let cached = cached.clamp(1, most);
    let (mut of_cached, mut of_all) = ((u64::MAX, 1), (u64::MAX, 1));
    for group in 1..=most {
        let one = (work(group), group);
        of_all = of_all.min(one);
        if group <= cached {
            of_cached = of_cached.min(one);
        }
    }
    if of_all.0 + of_all.0 / 16 < of_cached.0 { of_all.1 } else { of_cached.1 }
}

/// Returns the most work of a CTA, in fifths of a product of two blocks, if the CTAs take turns there and back, as
/// [`TensorMapMut::blocks`](ptx::tensor::TensorMapMut::blocks) says. A block of row `row`, counted from the last one, has
/// `products(row)`.
fn most_work(rows: u32, heads: u32, group: u32, ctas: u32, products: impl Fn(u64) -> u64) -> u64 {
    /// What a block costs beside its products: about 1.2 of these.
    const OF_BLOCK: u64 = 6;
    let (rows, heads, group, ctas) = (u64::from(rows), u64::from(heads), u64::from(group), u64::from(ctas));
    let work = |i: u64| {
        let (first, i) = (i / (group * rows) * group, i % (group * rows));
        let row = i / group.min(heads - first);
        5 * products(row) + OF_BLOCK
    };
    let of_cta = |cta: u64| {
        let turns =
            (0..).map(|turn| if turn % 2 == 0 { turn * ctas + cta } else { (turn + 1) * ctas - 1 - cta });
        turns.take_while(|&i| i < rows * heads).map(work).sum::<u64>()
    };
    (0..ctas).map(of_cta).max().unwrap_or(0)
}
