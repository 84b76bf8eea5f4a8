//! Checks of attention of one query per sequence, beside a computation in double precision.

use anyhow::{Context as _, Result, ensure};
use ptx::bf16;
use ptx_host::Tensor;
use ptx_kernels::attention_decode::attention_decode;

use crate::check::Check;
use crate::device::Device;
use crate::guard::compare_words;
use crate::half_checks::Half;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Elements of a head, and tokens of a block.
const SIZE: usize = 128;
const BLOCK: usize = 64;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: &[&str] = &["attention_decode_bf16"];

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let runs: [Run<D>; 1] = [attention_decode_bf16];
    let emulated: &[u32] = &[0, 1, 2, 3, 4];
    seeded(options, KERNELS.iter().zip(runs).map(|(name, run)| ((*name, run), emulated)))
}

/// What a seed computes.
struct Shape {
    /// Heads of keys and values.
    heads: usize,
    /// Heads of queries that share a head of keys.
    shared: usize,
    /// Blocks of a page.
    blocks: usize,
    /// Tokens of each sequence.
    lengths: Vec<usize>,
    /// Parts of the keys. Eleven are more than the blocks of a sequence, and than a thread loads at a time.
    splits: u32,
}

impl Shape {
    fn of(seed: u32) -> Self {
        let (heads, shared, blocks, lengths, splits): (_, _, _, &[usize], _) = match seed {
            0 => (2, 4, 1, &[0, 1], 2),
            1 => (1, 1, 2, &[63, 64, 65, 450], 1),
            2 => (1, 16, 2, &[127, 0, 330], 11),
            3 => (2, 3, 3, &[200], 3),
            4 => (1, 64, 1, &[129], 2),
            _ => {
                let seed = seed as usize;
                let lengths = (0..1 + seed % 4).map(|i| (seed * 977 + i * 7919) % 1500).collect();
                return Self {
                    heads: 1 + seed % 3,
                    shared: 1 + seed * 5 % 17,
                    blocks: 1 + seed % 5,
                    lengths,
                    splits: 1 + seed as u32 * 3 % 20,
                };
            }
        };
        Self { heads, shared, blocks, lengths: lengths.to_vec(), splits }
    }

    /// The tokens of a page.
    fn tokens(&self) -> usize {
        self.blocks * BLOCK
    }
}

/// Returns the element of a word, below 2.
fn element(word: u32) -> bf16 {
    bf16::nearest(f64::from(word as i32) / f64::from(1 << 30))
}

/// Keys or values in pages. What belongs to no token is NaN.
struct Pages {
    heads: usize,
    tokens: usize,
    elements: Vec<bf16>,
}

impl Pages {
    fn of(shape: &Shape, pages: usize) -> Self {
        let (heads, tokens) = (shape.heads, shape.tokens());
        Self { heads, tokens, elements: vec![bf16::NAN; pages * tokens * heads * SIZE] }
    }

    /// Returns where the elements of a token of a page are.
    fn row(&self, page: usize, token: usize, head: usize) -> std::ops::Range<usize> {
        let first = ((page * self.tokens + token) * self.heads + head) * SIZE;
        first..first + SIZE
    }

    /// Returns the tensor in `memory` as an argument of a typed launch.
    fn tensor<M>(&self, memory: M) -> Tensor<M, 4> {
        let of_page = self.tokens * self.heads * SIZE;
        let extents =
            [SIZE, self.tokens, self.heads, self.elements.len() / of_page].map(|extent| extent as u64);
        let strides = [SIZE * self.heads, SIZE, of_page].map(|elements| 2 * elements as u64);
        Tensor::new(memory, extents).strides(&strides)
    }
}

fn attention_decode_bf16<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, attention_decode::<bf16>)?;
    let shape = Shape::of(seed);
    let Shape { heads, shared, blocks, ref lengths, splits } = shape;
    let (sequences, tokens) = (lengths.len(), shape.tokens());
    // Page 0 belongs to no sequence. The others belong to the sequences in an order without a pattern.
    let pages_of = |length: &usize| length.div_ceil(tokens);
    let columns = lengths.iter().map(pages_of).max().unwrap_or(0).max(1);
    let count = lengths.iter().map(pages_of).sum::<usize>() + 1;
    let mut order: Vec<usize> = (1..count).collect();
    order.sort_by_key(|page| input(seed + *page as u32, 1)[0]);
    let mut table = vec![0_u32; sequences * columns];
    let (mut k, mut v) = (Pages::of(&shape, count), Pages::of(&shape, count));
    let mut words = input(3 * seed, 2 * lengths.iter().sum::<usize>() * heads * SIZE).into_iter();
    for (sequence, length) in lengths.iter().enumerate() {
        for token in 0..*length {
            let entry = &mut table[sequence * columns + token / tokens];
            if token % tokens == 0 {
                *entry = order.pop().context("there is a page for each")? as u32;
            }
            for head in 0..heads {
                let row = k.row(*entry as usize, token % tokens, head);
                k.elements[row.clone()].fill_with(|| element(words.next().unwrap_or(0)));
                v.elements[row].fill_with(|| element(words.next().unwrap_or(0)));
            }
        }
    }
    let q: Vec<bf16> =
        input(3 * seed + 1, sequences * heads * shared * SIZE).into_iter().map(element).collect();
    let wanted = {
        let row_of = |pages: &Pages, sequence: usize, head, token: usize| {
            let page = table[sequence * columns + token / tokens] as usize;
            pages.elements[pages.row(page, token % tokens, head)].iter().map(|x| x.wide()).collect::<Vec<_>>()
        };
        let mut wanted = Vec::new();
        for (sequence, length) in lengths.iter().enumerate() {
            for head in 0..heads {
                let rows = |pages| (0..*length).map(|token| row_of(pages, sequence, head, token)).collect();
                let (keys, values): (Vec<_>, Vec<_>) = (rows(&k), rows(&v));
                for row in 0..shared {
                    let first = ((sequence * heads + head) * shared + row) * SIZE;
                    let query: Vec<f64> = q[first..first + SIZE].iter().map(|x| x.wide()).collect();
                    wanted.extend(exact(&query, &keys, &values));
                }
            }
        }
        wanted
    };

    let (in_q, in_k, in_v) = (device.memory(&q)?, device.memory(&k.elements)?, device.memory(&v.elements)?);
    let in_table = device.memory(&table)?;
    let in_lengths = device.memory(&lengths.iter().map(|length| *length as u32).collect::<Vec<_>>())?;
    let mut counts = device.memory(&vec![0_u32; sequences * heads])?;
    let place = |row: usize| {
        let (head, sequence) = (row / shared % heads, row / shared / heads);
        format!(
            "{splits} splits, {shared} heads of queries share {heads} heads of keys, pages of {tokens}: query {row}, \
             head {head} of keys, sequence {sequence} of {length} tokens",
            row = row % shared,
            length = lengths[sequence]
        )
    };
    let rows = sequences * heads * shared;
    let mut out = device.memory(&vec![bf16::NAN; rows * SIZE])?;
    let mut partials = device.memory(&vec![f32::NAN; rows * splits as usize * (SIZE + 2)])?;
    let extents = [SIZE, shared, heads, sequences].map(|extent| extent as u64);
    let scale = ((SIZE as f64).sqrt().recip() * std::f64::consts::LOG2_E) as f32;
    // CTAs have several parts of the keys, and not all as many.
    let grid = (splits * (heads * sequences) as u32).div_ceil(1 + seed % 3);
    device.launch(
        &kernel,
        grid,
        (
            Tensor::new(D::read(&in_q), extents),
            k.tensor(D::read(&in_k)),
            v.tensor(D::read(&in_v)),
            D::write(&mut out),
            D::read(&in_table),
            D::read(&in_lengths),
            D::write(&mut partials),
            D::write(&mut counts),
            shared as u32,
            splits,
            blocks as u32,
            scale,
        ),
    )?;
    for (i, (got, wanted)) in device.to_vec(&out)?.iter().zip(&wanted).enumerate() {
        // Weights and results are rounded to 8 bits; elements are below 2.
        ensure!(
            (got.wide() - wanted).abs() < 0.012,
            "{}: element {} is {got}, want {wanted}",
            place(i / SIZE),
            i % SIZE
        );
    }
    compare_words(&device.to_vec(&counts)?, &vec![0; sequences * heads]).context("the counts")?;
    Ok(())
}

/// Returns attention of one query, in double precision.
fn exact(query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> Vec<f64> {
    let scale = (SIZE as f64).sqrt().recip();
    let scores: Vec<f64> =
        keys.iter().map(|key| scale * query.iter().zip(key).map(|(x, y)| x * y).sum::<f64>()).collect();
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let of_column = |i: usize| weights.iter().zip(values).map(|(weight, row)| weight * row[i]).sum::<f64>();
    (0..SIZE).map(|i| if keys.is_empty() { 0.0 } else { of_column(i) / sum }).collect()
}
