//! Checks of the gradients of attention on tensor cores, beside a computation in double precision.

use std::f64::consts::{LN_2, LOG2_E};

use anyhow::{Result, ensure};
use ptx::bf16;
use ptx::wgmma::column_place;
use ptx_kernels::attention_backward::{
    Extents, attention_backward, attention_backward_finish, attention_backward_prepare,
};

use crate::attention_checks::{Heads, Shape, numbers_of};
use crate::check::Check;
use crate::device::Device;
use crate::half_checks::Half;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Queries of a block.
const QUERIES: usize = 64;
/// Numbers of a block of queries, and sums.
const NUMBERS: usize = 2 * QUERIES;
const SUMS: usize = SIZE * QUERIES;
/// Elements of a head.
const SIZE: usize = 128;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 4] = [
    "attention_backward_prepare_bf16",
    "attention_backward_bf16_false",
    "attention_backward_bf16_true",
    "attention_backward_finish_bf16",
];

/// Runs an instance of `attention_backward`.
macro_rules! gradients {
    ($causal:literal) => {
        |device, loaded, seed| {
            let kernel = D::kernel(loaded, attention_backward::<bf16, $causal>)?;
            check_gradients(
                device,
                seed,
                $causal,
                |grid, problem, [q, k, v, d_o], numbers, [dk, dv], sums| {
                    let shape = problem.shape;
                    let [of_queries, of_keys] = shape.tensors(SIZE);
                    let (q, d_o) = (of_queries.tensor(D::read(q)), of_queries.tensor(D::read(d_o)));
                    let (k, v) = (of_keys.tensor(D::read(k)), of_keys.tensor(D::read(v)));
                    let (dk, dv) = (of_keys.tensor(D::write(dk)), of_keys.tensor(D::write(dv)));
                    let [queries, keys, heads, shared] =
                        [shape.queries, shape.keys, shape.heads, shape.shared].map(|number| number as u32);
                    let extents = Extents { queries, keys, heads, shared };
                    let (numbers, sums, scale) = (D::read(numbers), D::write(sums), scale_of_scores());
                    let arguments = (q, k, v, d_o, numbers, sums, dk, dv, extents, scale, 2);
                    device.launch(&kernel, grid, arguments)
                },
            )
        }
    };
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let runs: [(Run<D>, &[u32]); 4] = [
        (prepare::<D>, &[1, 2, 3]),
        (gradients!(false), &[0, 1, 2, 3]),
        (gradients!(true), &[1, 2, 3, 4]),
        (finish::<D>, &[1, 2, 3]),
    ];
    seeded(options, KERNELS.into_iter().zip(runs).map(|(name, (run, emulated))| ((name, run), emulated)))
}

/// The scale of the scores.
fn scale() -> f64 {
    (SIZE as f64).sqrt().recip()
}

/// The scale of the scores, by the logarithm of 2.
fn scale_of_scores() -> f32 {
    (scale() * LOG2_E) as f32
}

fn blocks_of(shape: Shape) -> usize {
    shape.queries.div_ceil(QUERIES)
}

/// The inputs of a seed, and what attention makes of them.
struct Problem {
    shape: Shape,
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    d_o: Vec<f64>,
    /// For each head of queries of each sequence: its queries, with the logarithm of the sum of exponentials and the product of the
    /// gradient with the result.
    queries: Vec<[f64; 2]>,
}

impl Problem {
    fn new(seed: u32, causal: bool) -> Self {
        let shape = Shape::of(seed);
        let [of_queries, of_keys] = shape.tensors(SIZE);
        let elements = |heads: &Heads, i| heads.elements::<bf16>(4 * seed + i);
        let mut problem = Self {
            shape,
            q: elements(&of_queries, 0),
            k: elements(&of_keys, 1),
            v: elements(&of_keys, 2),
            d_o: elements(&of_queries, 3),
            queries: Vec::new(),
        };
        problem.queries = problem.rows().map(|row| problem.of_query(causal, row)).collect();
        problem
    }

    /// The sequence, the head and the query of each query.
    fn rows(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let Shape { sequences, heads, queries, .. } = self.shape;
        (0..sequences).flat_map(move |s| (0..heads).flat_map(move |h| (0..queries).map(move |i| [s, h, i])))
    }

    /// The places of a query's and a key's elements.
    fn places(&self, [sequence, head, query]: [usize; 3], key: usize) -> [std::ops::Range<usize>; 2] {
        let [of_queries, of_keys] = self.shape.tensors(SIZE);
        [of_queries.row(sequence, head, query), of_keys.row(sequence, head / self.shape.shared, key)]
    }

    fn score(&self, row: [usize; 3], key: usize) -> f64 {
        let [of_query, of_key] = self.places(row, key);
        scale() * product(&self.q[of_query], &self.k[of_key])
    }

    /// The product of a query's gradient with the values of a key.
    fn gradient_of_weight(&self, row: [usize; 3], key: usize) -> f64 {
        let [of_query, of_key] = self.places(row, key);
        product(&self.d_o[of_query], &self.v[of_key])
    }

    fn of_query(&self, causal: bool, row: [usize; 3]) -> [f64; 2] {
        let seen = self.shape.seen(causal, row[2]);
        let scores: Vec<f64> = (0..seen).map(|key| self.score(row, key)).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
        let lse = if seen == 0 { -1e30 } else { largest + sum.ln() };
        let products = scores.iter().enumerate();
        let products = products.map(|(key, score)| (score - lse).exp() * self.gradient_of_weight(row, key));
        [lse, products.sum()]
    }
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn halves(elements: &[f64]) -> Vec<bf16> {
    elements.iter().map(|x| bf16::nearest(*x)).collect()
}

/// Sums of products, and of their magnitudes.
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    magnitude: f64,
}

impl Sum {
    fn add(&mut self, product: f64) {
        self.sum += product;
        self.magnitude += product.abs();
    }

    /// Whether the kernel's sum is right: the factors that it computes are rounded to 8 bits, and the result may be.
    fn is(self, scale: f64, got: f64) -> bool {
        let Self { sum, magnitude } = self;
        (got - scale * sum).abs() <= scale * (sum.abs() + magnitude) / 256.0 + 1e-3
    }
}

/// The gradients of `q`, `k` and `v`, those of `q` and `k` by the scale.
fn gradients(problem: &Problem, causal: bool) -> [Vec<Sum>; 3] {
    let [mut dq, mut dk, mut dv] =
        [&problem.q, &problem.k, &problem.k].map(|like| vec![Sum::default(); like.len()]);
    for (row, [lse, delta]) in problem.rows().zip(&problem.queries) {
        for key in 0..problem.shape.seen(causal, row[2]) {
            let weight = (problem.score(row, key) - lse).exp();
            let of_score = weight * (problem.gradient_of_weight(row, key) - delta);
            let [of_query, of_key] = problem.places(row, key);
            for (i, j) in of_query.zip(of_key) {
                dq[i].add(of_score * problem.k[j]);
                dk[j].add(of_score * problem.q[i]);
                dv[j].add(weight * problem.d_o[i]);
            }
        }
    }
    [dq, dk, dv]
}

/// The numbers of each block of queries, as `attention_backward` takes them.
fn numbers(problem: &Problem) -> Vec<f32> {
    let shape = problem.shape;
    let mut numbers = Vec::new();
    for of_head in problem.queries.chunks(shape.queries) {
        for of_block in of_head.chunks(QUERIES) {
            let mut block = [[f32::NEG_INFINITY; QUERIES], [0.0; QUERIES]];
            for (i, [lse, delta]) in of_block.iter().enumerate() {
                let place = column_place(i);
                block[0][place] = if *lse < -1e20 { f32::NEG_INFINITY } else { -(lse * LOG2_E) as f32 };
                block[1][place] = *delta as f32;
            }
            numbers.extend(block.concat());
        }
    }
    numbers
}

/// The place, among the sums of a block of queries, of an element of a query.
fn place_of_sum(query: usize, element: usize) -> usize {
    let (warpgroup, row) = (element / 64, element % 64);
    let thread = row / 16 * 32 + row % 8 * 4 + query % 8 / 2;
    let vector = warpgroup * (SUMS / 8) + query / 8 * 128 + thread;
    4 * vector + row % 16 / 8 * 2 + query % 2
}

/// Checks what is computed before the gradients.
fn prepare<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, attention_backward_prepare::<bf16>)?;
    let problem = Problem::new(seed, true);
    let shape = problem.shape;
    // Any tensor of this shape is a result.
    let o = device.memory(&halves(&problem.q))?;
    let d_o = device.memory(&halves(&problem.d_o))?;
    let lse: Vec<f32> = problem.queries.iter().map(|[lse, _]| *lse as f32).collect();
    let lse = device.memory(&lse)?;
    let blocks = shape.sequences * shape.heads * blocks_of(shape);
    let [queries, heads, sequences] =
        [shape.queries, shape.heads, shape.sequences].map(|number| number as u32);
    let of_token = heads * SIZE as u32 / 8;
    let strides = [of_token, SIZE as u32 / 8, of_token * queries];
    let mut with_product = Problem { queries: problem.queries.clone(), ..problem };
    for (row, of_query) in with_product.rows().zip(0..) {
        let [place, _] = with_product.places(row, 0);
        let sum = product(&with_product.q[place.clone()], &with_product.d_o[place]);
        with_product.queries[of_query][1] = sum;
    }
    let want = numbers(&with_product);
    for grid in [1, 3] {
        let mut out = device.memory(&vec![f32::NAN; blocks * NUMBERS])?;
        let mut sums = device.memory(&vec![f32::NAN; blocks * SUMS])?;
        let (o, d_o, lse) = (D::read(&o), D::read(&d_o), D::read(&lse));
        let (numbers, zeros) = (D::write(&mut out), D::write(&mut sums));
        let arguments = (o, d_o, lse, numbers, zeros, strides, queries, heads, sequences);
        device.launch(&kernel, grid, arguments)?;
        for (i, (got, want)) in device.to_vec(&out)?.into_iter().zip(&want).enumerate() {
            let right = got == *want || (got - want).abs() < 1e-4 * (1.0 + want.abs());
            ensure!(
                right,
                "{}, {grid} blocks: number {} of block {} is {got}, want {want}",
                numbers_of(shape),
                i % NUMBERS,
                i / NUMBERS
            );
        }
        ensure!(
            device.to_vec(&sums)?.iter().all(|sum| *sum == 0.0),
            "{}, {grid} blocks: not all sums are 0",
            numbers_of(shape)
        );
    }
    Ok(())
}

/// Checks the gradients by launches with a grid, the problem, the memory of `q`, `k`, `v` and `d_o`, the numbers, the memory of `dk` and
/// `dv`, and the sums.
fn check_gradients<D: Device>(
    device: &D,
    seed: u32,
    causal: bool,
    launch: impl Fn(
        u32,
        &Problem,
        [&D::Memory<bf16>; 4],
        &D::Memory<f32>,
        [&mut D::Memory<bf16>; 2],
        &mut D::Memory<f32>,
    ) -> Result<()>,
) -> Result<()> {
    let problem = Problem::new(seed, causal);
    let shape = problem.shape;
    let memory = |elements: &[f64]| device.memory(&halves(elements));
    let (q, k) = (memory(&problem.q)?, memory(&problem.k)?);
    let (v, d_o) = (memory(&problem.v)?, memory(&problem.d_o)?);
    let of_queries = device.memory(&numbers(&problem))?;
    let [want_dq, want_dk, want_dv] = gradients(&problem, causal);
    let blocks = shape.sequences * shape.heads * blocks_of(shape);
    // The interpreter wants the same bits under all schedules. The sums of three blocks of keys have them in one block's order alone.
    let grids: &[u32] = if shape.keys <= 256 { &[1, 3] } else { &[1] };
    for &grid in grids {
        let place = format!("{}, {grid} blocks", numbers_of(shape));
        let mut dk = device.memory(&vec![bf16::NAN; want_dk.len()])?;
        let mut dv = device.memory(&vec![bf16::NAN; want_dv.len()])?;
        let mut sums = device.memory(&vec![0.0; blocks * SUMS])?;
        launch(grid, &problem, [&q, &k, &v, &d_o], &of_queries, [&mut dk, &mut dv], &mut sums)?;
        let outputs = [("dk", &dk, &want_dk, scale()), ("dv", &dv, &want_dv, 1.0)];
        for (name, out, want, scale) in outputs {
            for (i, (got, want)) in device.to_vec(out)?.iter().zip(want).enumerate() {
                let (of_token, got) = (shape.of_keys() * SIZE, got.wide());
                ensure!(
                    want.is(scale, got),
                    "{place}: `{name}` of element {} of key {} is {got}, want {}",
                    i % of_token,
                    i / of_token,
                    scale * want.sum
                );
            }
        }
        let sums = device.to_vec(&sums)?;
        ensure!(sums.iter().all(|sum| sum.is_finite()), "{place}: a sum is not finite");
        for ([sequence, head, query], want) in
            problem.rows().map(|row| (row, &want_dq[problem.places(row, 0)[0].clone()]))
        {
            let block = (sequence * shape.heads + head) * blocks_of(shape) + query / QUERIES;
            for (element, want) in want.iter().enumerate() {
                let got = f64::from(sums[block * SUMS + place_of_sum(query % QUERIES, element)]);
                ensure!(
                    want.is(1.0, got),
                    "{place}: the sum of element {element} of query {query} of head {head} is {got}, want {}",
                    want.sum
                );
            }
        }
    }
    Ok(())
}

/// Checks what is computed after the gradients.
fn finish<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, attention_backward_finish::<bf16>)?;
    let shape = Shape::of(seed);
    let [of_queries, _] = shape.tensors(SIZE);
    let Shape { sequences, heads, queries, .. } = shape;
    let blocks = sequences * heads * blocks_of(shape);
    let sums: Vec<f32> =
        input(seed, blocks * SUMS).into_iter().map(|word| word as i32 as f32 / (1 << 24) as f32).collect();
    let in_sums = device.memory(&sums)?;
    let count = sequences * heads * queries * SIZE;
    for grid in [1, 3] {
        let mut out = device.memory(&vec![bf16::NAN; count])?;
        let dq = of_queries.tensor(D::write(&mut out));
        let numbers = [queries, heads].map(|number| number as u32);
        device.launch(&kernel, grid, (D::read(&in_sums), dq, numbers[0], numbers[1], scale_of_scores()))?;
        let out = device.to_vec(&out)?;
        for sequence in 0..sequences {
            for head in 0..heads {
                for query in 0..queries {
                    let block = (sequence * heads + head) * blocks_of(shape) + query / QUERIES;
                    for (element, i) in of_queries.row(sequence, head, query).enumerate() {
                        let sum = sums[block * SUMS + place_of_sum(query % QUERIES, element)];
                        let want = f64::from(sum) * f64::from(scale_of_scores()) * LN_2;
                        let got = out[i].wide();
                        ensure!(
                            (got - want).abs() <= want.abs() / 255.0,
                            "{}, {grid} blocks: element {element} of query {query} of head {head} is {got}, want {want}",
                            numbers_of(shape)
                        );
                    }
                }
            }
        }
    }
    Ok(())
}
