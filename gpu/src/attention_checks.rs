//! Checks of attention on tensor cores, beside a computation in double precision.

use anyhow::{Result, ensure};
use ptx::qualifier::n::{N64, N128, N256};
use ptx::{bf16, f16};
use ptx_host::Tensor;
use ptx_kernels::attention::attention;

use crate::check::Check;
use crate::device::Device;
use crate::half_checks::Half;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Makes the table of instances: of each, its name, its arguments, the elements of a head, and the seeds on an emulated device.
macro_rules! instances {
    ($(
        $name:ident: $T:ident <$N:ident, $K:ident, $W:literal, $STAGES:literal, $causal:literal> $size:literal, $emulated:expr;
    )*) => {
        /// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
        pub const KERNELS: &[&str] = &[$( stringify!($name) ),*];

        $(
            #[expect(non_snake_case, reason = "the name of the kernel has those of its arguments")]
            fn $name<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
                let kernel = D::kernel(loaded, attention::<$T, $N, $K, $W, $STAGES, $causal>)?;
                check::<D, $T>(device, seed, $size, $causal, |grid, [of_queries, of_keys], [q, k, v], o, lse, numbers, scale| {
                    let [to, from, all, group] = numbers;
                    let (q, k, v, o) = (
                        of_queries.tensor(D::read(q)),
                        of_keys.tensor(D::read(k)),
                        of_keys.tensor(D::read(v)),
                        of_queries.tensor(D::write(o)),
                    );
                    device.launch(&kernel, grid, (q, k, v, o, D::write(lse), to, from, all, group, scale, 2))
                })
            }
        )*

        pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
            let runs: &[(Run<D>, &[u32])] = &[$( ($name::<D>, $emulated) ),*];
            seeded(options, KERNELS.iter().zip(runs).map(|(name, (run, emulated))| ((*name, *run), *emulated)))
        }
    };
}
instances! {
    attention_bf16_N128_N128_2_4_false: bf16 <N128, N128, 2, 4, false> 128, &[0, 1, 2, 3];
    attention_bf16_N128_N128_2_4_true: bf16 <N128, N128, 2, 4, true> 128, &[1, 2, 3, 4];
    attention_f16_N128_N128_2_4_false: f16 <N128, N128, 2, 4, false> 128, &[2, 3];
    attention_f16_N128_N128_2_4_true: f16 <N128, N128, 2, 4, true> 128, &[2, 4];
    attention_bf16_N64_N128_3_6_false: bf16 <N64, N128, 3, 6, false> 64, &[0, 1, 2, 3];
    attention_bf16_N64_N128_3_6_true: bf16 <N64, N128, 3, 6, true> 64, &[1, 2, 3, 4];
    attention_bf16_N256_N64_2_4_false: bf16 <N256, N64, 2, 4, false> 256, &[0, 1, 2, 3];
    attention_bf16_N256_N64_2_4_true: bf16 <N256, N64, 2, 4, true> 256, &[1, 2, 3, 4];
}

/// What a seed computes.
#[derive(Clone, Copy)]
pub struct Shape {
    pub sequences: usize,
    pub heads: usize,
    /// Heads of queries that share a head of keys and values.
    pub shared: usize,
    pub queries: usize,
    pub keys: usize,
}

impl Shape {
    pub fn of(seed: u32) -> Self {
        let [sequences, heads, shared, queries, keys] = match seed {
            0 => [1, 1, 1, 128, 256],
            1 => [1, 1, 1, 1, 1],
            2 => [1, 2, 2, 130, 130],
            3 => [2, 1, 1, 67, 300],
            4 => [1, 1, 1, 257, 140],
            _ => {
                let seed = seed as usize;
                let shared = 1 + seed % 3;
                [1 + seed % 2, shared * (1 + seed % 2), shared, 1 + seed * 37 % 300, 1 + seed * 71 % 300]
            }
        };
        Self { sequences, heads, shared, queries, keys }
    }

    pub fn of_keys(self) -> usize {
        self.heads / self.shared
    }

    /// The number of keys that a query sees.
    pub fn seen(self, causal: bool, query: usize) -> usize {
        let Self { queries, keys, .. } = self;
        if causal { (query + 1 + keys).saturating_sub(queries).min(keys) } else { keys }
    }

    /// The tensors of queries and of keys, of heads of `size` elements.
    pub fn tensors(self, size: usize) -> [Heads; 2] {
        let Self { sequences, heads, queries, keys, .. } = self;
        [(queries, heads), (keys, self.of_keys())].map(|(tokens, heads)| Heads {
            size,
            tokens,
            heads,
            sequences,
        })
    }
}

/// A tensor of sequences of tokens of heads of `size` elements.
pub struct Heads {
    size: usize,
    tokens: usize,
    heads: usize,
    sequences: usize,
}

impl Heads {
    pub fn elements<T: Half>(&self, seed: u32) -> Vec<f64> {
        let count = self.sequences * self.tokens * self.heads * self.size;
        let element = |word: u32| T::nearest(f64::from(word as i32) / f64::from(1 << 30)).wide();
        input(seed, count).into_iter().map(element).collect()
    }

    /// Returns the elements of a token.
    pub fn row(&self, sequence: usize, head: usize, token: usize) -> std::ops::Range<usize> {
        let first = ((sequence * self.tokens + token) * self.heads + head) * self.size;
        first..first + self.size
    }

    /// Returns the tensor in `memory` as an argument of a typed launch.
    pub fn tensor<M>(&self, memory: M) -> Tensor<M, 4> {
        let [of_head, of_token] = [2 * self.size, 2 * self.size * self.heads].map(|bytes| bytes as u64);
        let extents = [self.size, self.tokens, self.heads, self.sequences].map(|extent| extent as u64);
        Tensor::new(memory, extents).strides(&[of_token, of_head, of_token * self.tokens as u64])
    }
}

/// Runs launches of attention, with a grid, the tensors, the memory of `q`, `k`, `v`, `o` and `lse`, the numbers, and the scale.
fn check<D: Device, T: Half>(
    device: &D,
    seed: u32,
    size: usize,
    causal: bool,
    launch: impl Fn(
        u32,
        [&Heads; 2],
        [&D::Memory<T>; 3],
        &mut D::Memory<T>,
        &mut D::Memory<f32>,
        [u32; 4],
        f32,
    ) -> Result<()>,
) -> Result<()> {
    let shape = Shape::of(seed);
    let Shape { sequences, heads, shared, queries, keys } = shape;
    let [of_queries, of_keys] = shape.tensors(size);
    let [q, k, v] =
        [(&of_queries, 0), (&of_keys, 1), (&of_keys, 2)].map(|(heads, i)| heads.elements::<T>(3 * seed + i));
    let memory =
        |elements: &[f64]| device.memory(&elements.iter().map(|x| T::nearest(*x)).collect::<Vec<_>>());
    let (in_q, in_k, in_v) = (memory(&q)?, memory(&k)?, memory(&v)?);
    // With the greater scale, a block of keys has scores that are so much greater than those before that the sums are corrected.
    let scale = if seed.is_multiple_of(2) { 6.0 } else { 1.0 } * (size as f64).sqrt().recip();
    // The weights and the result are rounded; elements are below 2.
    let most = 3.1 * T::ERROR;
    for grid in [1, 3] {
        let mut out = device.memory(&vec![T::nearest(f64::NAN); q.len()])?;
        let mut lse = device.memory(&vec![f32::NAN; sequences * heads * queries])?;
        let numbers = [queries, keys, heads, shared].map(|number| number as u32);
        let of_scores = (scale * std::f64::consts::LOG2_E) as f32;
        launch(grid, [&of_queries, &of_keys], [&in_q, &in_k, &in_v], &mut out, &mut lse, numbers, of_scores)?;
        let (out, lse) = (device.to_vec(&out)?, device.to_vec(&lse)?);
        for (sequence, head, query) in
            (0..sequences).flat_map(|s| (0..heads).flat_map(move |h| (0..queries).map(move |i| (s, h, i))))
        {
            let seen = shape.seen(causal, query);
            let row = of_queries.row(sequence, head, query);
            let of_key = |key| of_keys.row(sequence, head / shared, key);
            let score =
                |key| scale * q[row.clone()].iter().zip(&k[of_key(key)]).map(|(x, y)| x * y).sum::<f64>();
            let scores: Vec<f64> = (0..seen).map(score).collect();
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
            let sum: f64 = weights.iter().sum();
            let got = lse[(sequence * heads + head) * queries + query];
            let want = largest + sum.ln();
            let place = format!(
                "{shape}: query {query} of head {head} of sequence {sequence}",
                shape = numbers_of(shape)
            );
            ensure!(
                (f64::from(got) - want).abs() < 2e-3 || (seen == 0 && got < -1e20),
                "{place}, {grid} blocks: the logarithm is {got}, want {want}"
            );
            for (i, got) in row.clone().zip(&out[row.clone()]) {
                let column = i - row.start;
                let products =
                    weights.iter().enumerate().map(|(key, weight)| weight * v[of_key(key)][column]);
                let want = if seen == 0 { 0.0 } else { products.sum::<f64>() / sum };
                let error = (got.wide() - want).abs();
                ensure!(
                    error < most,
                    "{place}, {grid} blocks: element {column} is {}, want {want}",
                    got.wide()
                );
            }
        }
    }
    Ok(())
}

/// Tells the numbers of a shape.
pub fn numbers_of(Shape { sequences, heads, shared, queries, keys }: Shape) -> String {
    format!(
        "{sequences} sequences, {heads} heads, {shared} of which share keys, {queries} queries, {keys} keys"
    )
}

#[cfg(test)]
mod tests {
    use ptx_kernels::attention_plan::{backward_heads_at_a_time, heads_at_a_time};

    /// Returns the most work of a CTA, over the mean. A block of row `row` has `work_of(row)`.
    fn imbalance(rows: u32, heads: u32, group: u32, ctas: usize, work_of: impl Fn(u32) -> u32) -> f64 {
        let mut work = vec![0.0; ctas];
        let groups = (0..heads).step_by(group as usize);
        let blocks = groups.flat_map(|first| {
            (0..rows).rev().flat_map(move |row| (first..heads.min(first + group)).map(move |_| row))
        });
        for (i, row) in blocks.enumerate() {
            let place = i % (2 * ctas);
            work[place.min(2 * ctas - 1 - place)] += f64::from(work_of(row));
        }
        work.iter().copied().fold(0.0, f64::max) * ctas as f64 / work.iter().sum::<f64>()
    }

    #[test]
    fn heads_at_a_time_stay_in_the_cache_and_balance_the_work() {
        for length in [1024, 2048, 4096, 8192, 16_384] {
            let (rows, heads, bytes) = (length / 128, 16 * (16_384 / length), 512 * u64::from(length));
            let group = heads_at_a_time(rows, heads, 1, bytes, true, 132);
            let imbalance = imbalance(rows, heads, group, 132, |row| row + 1);
            assert!(imbalance < 1.05, "{length}: {group} heads, the most work is {imbalance:.3} of the mean");
            // Of 16,384 keys, no few heads have balanced work.
            assert!(u64::from(group) * bytes <= 32 << 20 || length == 16_384, "{length}: {group} heads");
            assert_eq!(heads_at_a_time(rows, heads, 1, bytes, false, 132), (66 / rows).max(1));
        }
        // Each four heads share their keys.
        assert!(heads_at_a_time(32, 64, 4, 512 * 4096, true, 132) > 15);
        assert_eq!(heads_at_a_time(0, 0, 0, 0, true, 0), 1);
    }

    #[test]
    fn backward_heads_at_a_time_stay_in_the_cache_and_balance_the_work() {
        for length in [1024, 2048, 4096, 8192, 16_384] {
            let (rows, heads, bytes) = (length / 128, 16 * (16_384 / length), 1024 * u64::from(length));
            let group = backward_heads_at_a_time(rows, heads, bytes, true, 132);
            let imbalance = imbalance(rows, heads, group, 132, |row| rows - row);
            assert!(imbalance < 1.1, "{length}: {group} heads, the most work is {imbalance:.3} of the mean");
            // Of 16,384 queries, no few heads have balanced work.
            assert!(u64::from(group) * bytes <= 32 << 20 || length == 16_384, "{length}: {group} heads");
            assert_eq!(backward_heads_at_a_time(rows, heads, bytes, false, 132), (66 / rows).max(1));
        }
        assert_eq!(backward_heads_at_a_time(0, 0, 0, true, 0), 1);
    }
}
