//! Checks of the matrix products on tensor cores, of numbers whose products and sums are exact.

use anyhow::{Result, ensure};
use ptx::math::convert;
use ptx::qualifier::n::{N16, N32, N64, N128, N160, N192, N224, N256};
use ptx::{bf16, f16};
use ptx_host::Tensor;
use ptx_kernels::gemm::E4m3;
use ptx_kernels::gemm_plan::Kernel::{Gemm, Split, Stack};
use ptx_kernels::gemm_plan::{Tile, experts_of_blocks, padded};

use crate::check::Check;
use crate::device::{Device, Element};
use crate::half_checks::Half;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Makes the table of instances: of each, its name, the kernel, its type arguments, its tile, and the seeds on an emulated device.
macro_rules! instances {
    ($( $name:ident: $kernel:ident $T:ident $O:ident <$($argument:tt),*> $tile:expr, $emulated:expr; )*) => {
        /// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
        pub const KERNELS: &[&str] = &[$( stringify!($name), )* "gemm_tn", "gemm_bias_gelu_N256_2_4", "gemm_residual_N256_2_4", "gemm_grouped_N256_2_4"];

        $(
            #[allow(non_snake_case, reason = "the name of the instance")]
            fn $name<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
                let kernel = D::kernel(loaded, ptx_kernels::gemm::$kernel::<$T, $O, $($argument),*>)?;
                let launch = |(grid, group), [a, b, c]: &[Matrix; 3], [in_a, in_b]: [&_; 2], out: &mut _, scale: &_, k| {
                    let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
                    let (a, b, c) = (a.tensor::<$T, _>(in_a), b.tensor::<$T, _>(in_b), c.tensor::<$O, _>(out));
                    device.launch(&kernel, grid, (a, b, c, D::read(scale), D::read(scale), k, group))
                };
                product::<$T, $O, D>(device, seed, &Case { tile: $tile, along_k: false, scaled: true }, exact, launch)
            }
        )*

        pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
            let runs: &[(Run<D>, &[u32])] = &[
                $( ($name::<D>, $emulated), )*
                (gemm_tn::<D>, &[2, 3, 11]),
                (gemm_bias_gelu::<D>, &[1, 2, 3]),
                (gemm_residual::<D>, &[1, 2, 3]),
                (gemm_grouped::<D>, &[1, 2, 3]),
            ];
            seeded(options, KERNELS.iter().zip(runs).map(|(name, (run, emulated))| ((*name, *run), *emulated)))
        }
    };
}
instances! {
    gemm_bf16_bf16_N256_2_4: gemm bf16 bf16 <N256, 2, 4> Tile::of(Gemm, 128, 256), &[0, 1, 2, 3];
    gemm_bf16_bf16_N192_2_4: gemm bf16 bf16 <N192, 2, 4> Tile::of(Gemm, 128, 192), &[2, 3, 6];
    gemm_bf16_bf16_N128_2_6: gemm bf16 bf16 <N128, 2, 6> Tile::of(Gemm, 128, 128), &[2, 3, 7];
    gemm_bf16_bf16_N128_1_8: gemm bf16 bf16 <N128, 1, 8> Tile::of(Gemm, 64, 128), &[2, 3, 8];
    gemm_f16_f16_N256_2_4: gemm f16 f16 <N256, 2, 4> Tile::of(Gemm, 128, 256), &[2, 3];
    gemm_E4m3_bf16_N256_2_4: gemm E4m3 bf16 <N256, 2, 4> Tile::of(Gemm, 128, 256), &[3, 4, 10];
    gemm_stack_bf16_bf16_N192_2_4_2: gemm_stack bf16 bf16 <N192, 2, 4, 2> Tile::of(Stack(2), 128, 192), &[2, 3, 6];
    gemm_stack_bf16_bf16_N128_2_6_2: gemm_stack bf16 bf16 <N128, 2, 6, 2> Tile::of(Stack(2), 128, 128), &[2, 3, 7];
    gemm_stack_bf16_bf16_N192_2_4_4: gemm_stack bf16 bf16 <N192, 2, 4, 4> Tile::of(Stack(4), 128, 192), &[2, 3, 6];
    gemm_stack_bf16_bf16_N160_2_5_4: gemm_stack bf16 bf16 <N160, 2, 5, 4> Tile::of(Stack(4), 128, 160), &[2, 3, 6];
    gemm_stack_bf16_bf16_N224_2_4_2: gemm_stack bf16 bf16 <N224, 2, 4, 2> Tile::of(Stack(2), 128, 224), &[2, 3, 6];
    gemm_split_bf16_bf16_N16_1_1_12: gemm_split bf16 bf16 <N16, 1, 1, 12> Tile::of(Split(1), 16, 64), &[1, 2, 4];
    gemm_split_bf16_bf16_N32_1_1_12: gemm_split bf16 bf16 <N32, 1, 1, 12> Tile::of(Split(1), 32, 64), &[2, 3];
    gemm_split_bf16_bf16_N64_1_2_12: gemm_split bf16 bf16 <N64, 1, 2, 12> Tile::of(Split(2), 64, 64), &[1, 2, 3];
    gemm_split_bf16_bf16_N64_2_8_7: gemm_split bf16 bf16 <N64, 2, 8, 7> Tile::of(Split(8), 64, 128), &[0, 4];
}

/// The product of factors whose rows lie along k.
fn gemm_tn<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm_tn)?;
    product::<bf16, bf16, D>(
        device,
        seed,
        &Case { tile: Tile::of(Gemm, 64, 128), along_k: true, scaled: false },
        exact,
        // The kernel's groups have 8 rows.
        |(grid, _), [a, b, c], [in_a, in_b], out, _, k| {
            let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
            let tensors = (a.tensor::<bf16, _>(in_a), b.tensor::<bf16, _>(in_b), c.tensor::<bf16, _>(out), k);
            device.launch(&kernel, grid, tensors)
        },
    )
}

/// A number of an epilogue for an element of `c`, or for a column: a small whole number.
fn number(row: usize, column: usize) -> f64 {
    ((7 * row + 3 * column) % 9) as f64 - 4.0
}

/// The product with a bias and the activation function GELU.
fn gemm_bias_gelu<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm_bias_gelu::<N256, 2, 4>)?;
    let case = Case { tile: Tile::of(Gemm, 128, 256), along_k: false, scaled: false };
    let want = |[_, column]: [usize; 2], sum: f64| {
        let x = sum + number(0, column);
        let of_tanh = 0.797_884_6 * (x + 0.044_715 * x.powi(3));
        // The hyperbolic tangent has a relative error of 2^-11, and the result is rounded to 8 bits.
        let gelu = 0.5 * x * (1.0 + of_tanh.tanh());
        (gelu, x.abs() / 2048.0 + gelu.abs() / 256.0)
    };
    product::<bf16, bf16, D>(
        device,
        seed,
        &case,
        want,
        |(grid, group), [a, b, c], [in_a, in_b], out, _, k| {
            let pair = |i| [2 * i, 2 * i + 1].map(|column| bf16::from_f64(number(0, column)));
            let bias = device.memory(&(0..c.columns.div_ceil(2)).map(pair).collect::<Vec<_>>())?;
            let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
            let (a, b, c) = (a.tensor::<bf16, _>(in_a), b.tensor::<bf16, _>(in_b), c.tensor::<bf16, _>(out));
            device.launch(&kernel, grid, (a, b, c, D::read(&bias), k, group))
        },
    )
}

/// The product with a matrix that is added to it, which has rows of another length than `c`.
fn gemm_residual<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm_residual::<N256, 2, 4>)?;
    let case = Case { tile: Tile::of(Gemm, 128, 256), along_k: false, scaled: false };
    let want = |[row, column]: [usize; 2], sum: f64| (sum + number(row, column), 0.0);
    product::<bf16, bf16, D>(
        device,
        seed,
        &case,
        want,
        |(grid, group), [a, b, c], [in_a, in_b], out, _, k| {
            let pairs = c.columns.div_ceil(2) + seed as usize % 3;
            let element = |row, column| if column < c.columns { number(row, column) } else { f64::NAN };
            let pair = |i| [0, 1].map(|second| bf16::from_f64(element(i / pairs, 2 * (i % pairs) + second)));
            let residual = device.memory(&(0..c.rows * pairs).map(pair).collect::<Vec<_>>())?;
            let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
            let (a, b, c) = (a.tensor::<bf16, _>(in_a), b.tensor::<bf16, _>(in_b), c.tensor::<bf16, _>(out));
            device.launch(&kernel, grid, (a, b, c, D::read(&residual), pairs as u32, k, group))
        },
    )
}

/// The products of experts of 0 to 299 rows, padded to whole blocks.
fn gemm_grouped<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm_grouped::<N256, 2, 4>)?;
    let tile = Tile::of(Gemm, 128, 256);
    let [_, n, k] = extents(seed);
    // About a third of the experts have no rows.
    let rows: Vec<u32> =
        input(seed + 1, 5).iter().map(|word| if word % 3 == 0 { 0 } else { word % 300 }).collect();
    let first = padded(&rows, tile.height());
    let experts = experts_of_blocks(&first, tile.height())?;
    let m = first[rows.len()] as usize;
    let a = Matrix::new(m.max(1), k, seed);
    let b = Matrix::new(n * rows.len(), k, seed / 3);
    let c = Matrix::new(m.max(1), n, seed / 9);
    // Rows that no expert has are not numbers. Their products are not read.
    let owner = |row: usize| {
        let expert = experts.get(row / tile.height() as usize).map(|expert| *expert as usize);
        expert.filter(|expert| row < (first[*expert] + rows[*expert]) as usize)
    };
    let (mut of_a, of_b) = (a.elements(2 * seed), b.elements(2 * seed + 1));
    for (i, element) in of_a.iter_mut().enumerate() {
        if owner(i / a.pitch).is_none() {
            *element = f64::NAN;
        }
    }
    let memory = |elements: &[f64]| device.memory(&elements.iter().map(|x| bf16::of(*x)).collect::<Vec<_>>());
    let (in_a, in_b, of_blocks) = (memory(&of_a)?, memory(&of_b)?, device.memory(&experts)?);

    let plan = tile.plan([m, n, k].map(|extent| extent as u32), 2, device.multiprocessors()?);
    for (grid, group) in [(1 + seed % 3, 1 + seed % 4), (plan.grid, plan.group)] {
        let mut out = device.memory(&vec![bf16::from_f64(f64::NAN); c.rows * c.pitch])?;
        let of_experts = [k, n, rows.len()].map(|extent| extent as u64);
        let strides = [2 * b.pitch as u64, 2 * (b.pitch * n) as u64];
        let stacked = Tensor::new(D::read(&in_b), of_experts).strides(&strides);
        let (packed, to) = (a.tensor::<bf16, _>(D::read(&in_a)), c.tensor::<bf16, _>(D::write(&mut out)));
        device.launch(&kernel, grid, (packed, stacked, to, D::read(&of_blocks), k as u32, group))?;
        for (i, got) in device.to_vec(&out)?.into_iter().enumerate() {
            let (row, column) = (i / c.pitch, i % c.pitch);
            let Some(expert) = owner(row).filter(|_| column < n) else { continue };
            let of_rows = |i| of_a[row * a.pitch + i] * of_b[(n * expert + column) * b.pitch + i];
            let want = bf16::from_f64((0..k).map(of_rows).sum::<f64>());
            ensure!(
                got == want,
                "experts with {rows:?} rows, n = {n}, k = {k}, {grid} CTAs, groups of {group}: the element in row {row} and column \
                 {column} is {got}, want {want}"
            );
        }
    }
    Ok(())
}

/// An element of a factor.
trait Factor: Element {
    fn of(whole: f64) -> Self;
}
impl Factor for bf16 {
    fn of(whole: f64) -> Self {
        bf16::from_f64(whole)
    }
}
impl Factor for f16 {
    fn of(whole: f64) -> Self {
        f16::from_f64(whole)
    }
}
impl Factor for E4m3 {
    fn of(whole: f64) -> Self {
        convert(whole as f32)
    }
}

/// A matrix of small whole numbers, row by row, with rows of a multiple of 16 bytes and NaN behind them.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    pitch: usize,
}

impl Matrix {
    /// Makes a matrix; of some seeds with more behind each row than has to be there.
    fn new(rows: usize, columns: usize, seed: u32) -> Self {
        Self { rows, columns, pitch: columns.next_multiple_of(16) + 16 * (seed as usize % 3) }
    }

    fn elements(&self, seed: u32) -> Vec<f64> {
        let words = input(seed, self.rows * self.pitch);
        let element = |(i, word): (usize, u32)| {
            let inside = i % self.pitch < self.columns;
            if inside { f64::from(word % 9) - 4.0 } else { f64::NAN }
        };
        words.into_iter().enumerate().map(element).collect()
    }

    /// Returns the matrix in `memory` as an argument of a typed launch.
    fn tensor<T, M>(&self, memory: M) -> Tensor<M, 2> {
        let stride = (size_of::<T>() * self.pitch) as u64;
        Tensor::new(memory, [self.columns as u64, self.rows as u64]).strides(&[stride])
    }
}

/// The extents m, n and k of a seed: first a block, an element, several blocks of more steps along k than there are stages, several
/// with fewer steps than a block has parts, more steps of eight-bit elements, and large matrices; then samples from 1 to 300.
fn extents(seed: u32) -> [usize; 3] {
    const FIRST: [[usize; 3]; 6] =
        [[128, 256, 64], [1, 1, 1], [130, 8, 400], [70, 520, 130], [64, 8, 1030], [257, 513, 1065]];
    let sampled = || {
        let sizes = input(seed, 3);
        [0, 1, 2].map(|i| 1 + sizes[i] as usize % 300)
    };
    FIRST.get(seed as usize).copied().unwrap_or_else(sampled)
}

/// What an instance computes.
struct Case {
    tile: Tile,
    /// Whether the rows of the factors lie along k.
    along_k: bool,
    /// Whether the kernel takes scales.
    scaled: bool,
}

/// The element of a product without an epilogue: the sum, and no error.
fn exact(_: [usize; 2], sum: f64) -> (f64, f64) {
    (sum, 0.0)
}

/// Runs launches of a product, whose elements are `want` of their places and sums, within an error. `launch` gets a grid and a group, the matrices, the memory of the factors and of the product, a scale, and k.
fn product<T: Factor, O: Half, D: Device>(
    device: &D,
    seed: u32,
    &Case { tile, along_k, scaled }: &Case,
    want: impl Fn([usize; 2], f64) -> (f64, f64),
    launch: impl Fn(
        (u32, u32),
        &[Matrix; 3],
        [&D::Memory<T>; 2],
        &mut D::Memory<O>,
        &D::Memory<f32>,
        u32,
    ) -> Result<()>,
) -> Result<()> {
    let [m, n, k] = extents(seed);
    // Whether the rows of the factors lie along k.
    let factor = |rows, seed| if along_k { Matrix::new(k, rows, seed) } else { Matrix::new(rows, k, seed) };
    let matrices = [factor(m, seed), factor(n, seed / 3), Matrix::new(m, n, seed / 9)];
    let [a, b, c] = &matrices;
    let (of_a, of_b) = (a.elements(2 * seed), b.elements(2 * seed + 1));
    let memory = |elements: &[f64]| device.memory(&elements.iter().map(|x| T::of(*x)).collect::<Vec<_>>());
    let (in_a, in_b) = (memory(&of_a)?, memory(&of_b)?);
    let at = |matrix: &Matrix, row: usize, i: usize| {
        if along_k { i * matrix.pitch + row } else { row * matrix.pitch + i }
    };
    let sum = |row, column| (0..k).map(|i| of_a[at(a, row, i)] * of_b[at(b, column, i)]).sum::<f64>();
    let sums: Vec<f64> = (0..m * n).map(|i| sum(i / n, i % n)).collect();

    let plan = tile.plan([m, n, k].map(|extent| extent as u32), size_of::<T>(), device.multiprocessors()?);
    let (planned, cluster) = ((plan.grid, plan.group), tile.cluster());
    // Each cluster computes one block.
    let is_whole = matches!(tile.kernel, Split(_));
    let launches = [
        (if is_whole { plan.grid } else { cluster }, 1 + seed % 3),
        if seed.is_multiple_of(2) && !is_whole { (3 * cluster, 2) } else { planned },
    ];
    let scales: [&[f32]; 2] = if scaled { [&[], &[0.5]] } else { [&[], &[]] };
    for ((grid, group), scale) in launches.into_iter().zip(scales) {
        let mut out = device.memory(&vec![O::nearest(f64::NAN); m * c.pitch])?;
        let of_scale = device.memory(scale)?;
        launch((grid, group), &matrices, [&in_a, &in_b], &mut out, &of_scale, k as u32)?;
        // Both factors have the scale.
        let scale = scale.iter().map(|scale| f64::from(scale * scale)).product::<f64>();
        // A copy may write the rest of the last 16 bytes of a row.
        let end = n.next_multiple_of(16 / size_of::<O>());
        for (i, got) in device.to_vec(&out)?.into_iter().enumerate() {
            let (row, column, got) = (i / c.pitch, i % c.pitch, got.wide());
            let place = || {
                format!(
                    "{m} x {n} x {k}, {grid} CTAs, groups of {group}: the element in row {row} and column {column} is {got}"
                )
            };
            if column < n {
                let (want, error) = want([row, column], scale * sums[row * n + column] + 0.0);
                let want = if error == 0.0 { O::nearest(want).wide() } else { want };
                ensure!(
                    (got - want).abs() <= error,
                    "{}, want {want} and an error of at most {error}",
                    place()
                );
            } else if column >= end {
                ensure!(got.is_nan(), "{}, behind the row", place());
            }
        }
    }
    // No tensor map has rows that are not a multiple of 16 bytes apart.
    for packed in 0..3 {
        let mut matrices = matrices.clone();
        matrices[packed].pitch = matrices[packed].columns;
        let size = if packed == 2 { size_of::<O>() } else { size_of::<T>() };
        if (size * matrices[packed].pitch).is_multiple_of(16) || matrices[packed].rows == 1 {
            continue;
        }
        let mut out = device.memory(&vec![O::nearest(f64::NAN); m * c.pitch])?;
        let launched =
            launch((cluster, 1), &matrices, [&in_a, &in_b], &mut out, &device.memory(&[])?, k as u32);
        let told = launched.err().map(|error| format!("{error:#}")).unwrap_or_default();
        let matrix = ["a", "b", "c"][packed];
        ensure!(
            told.contains("is not a multiple of 16: pad the rows"),
            "{m} x {n} x {k}, with packed rows of {matrix}: the launch says `{told}`"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx_kernels::gemm_plan::{Plan, plan};

    use super::*;

    const H100: u32 = 132;

    fn chosen(extents: [u32; 3]) -> (u32, u32, u32) {
        let Plan { tile, grid, .. } = plan(&Tile::ALL, extents, 2, H100);
        (tile.rows, tile.columns, grid)
    }

    #[test]
    fn a_product_has_the_tile_of_the_fewest_cycles() {
        // 512 and 2048 blocks of the largest tile are nearly whole waves.
        assert_eq!(chosen([4096; 3]), (128, 256, 132));
        assert_eq!(chosen([8192; 3]), (128, 256, 132));
        // 288 blocks of 256 columns need three waves, 384 of 192 columns three that are shorter.
        assert_eq!(chosen([3072; 3]), (128, 192, 132));
        // One wave of small blocks, in place of a part of a wave of large ones.
        assert_eq!(chosen([1024; 3]), (64, 128, 128));
        // Clusters of eight CTAs compute the eight blocks.
        assert_eq!(chosen([256, 256, 8192]), (64, 128, 64));
        // No row of the tiles lies outside.
        assert_eq!(chosen([16, 8192, 8192]), (16, 64, 128));
    }

    #[test]
    fn a_product_has_the_tile_that_is_the_fastest_on_a_gpu() {
        let products = include_str!("gemm_times.txt").lines().filter(|line| !line.starts_with('#'));
        let (mut count, mut slow) = (0, 0);
        for line in products {
            let (extents, times) = line.split_once("  ").expect("extents and times");
            let extents: Vec<u32> =
                extents.split(' ').map(|extent| extent.parse().expect("an extent")).collect();
            let times: Vec<f64> = times.split(' ').map(|time| time.parse().expect("a time")).collect();
            let tiles = &Tile::ALL[..times.len()];
            let tile = plan(tiles, extents.try_into().expect("three extents"), 2, H100).tile;
            let of_chosen = times[tiles.iter().position(|one| *one == tile).expect("a tile of the list")];
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(of_chosen <= 1.06 * least, "{line}: {tile:?} takes {of_chosen} µs, another {least} µs");
            count += 1;
            slow += usize::from(of_chosen > 1.02 * least);
        }
        assert_eq!((count, slow), (45, 1));
    }

    #[test]
    fn the_rows_of_experts_begin_at_borders_of_blocks() {
        let first = padded(&[0, 1, 128, 0, 129, 0], 128);
        assert_eq!(first, [0, 0, 128, 256, 256, 512, 512]);
        assert_eq!(experts_of_blocks(&first, 128).unwrap(), [1, 2, 4, 4]);
        assert_eq!(experts_of_blocks(&[0, 128, 200], 128).unwrap(), [0, 1], "the last rows are clipped");
        assert_eq!(experts_of_blocks(&[], 128).unwrap(), [0; 0]);
        let told = experts_of_blocks(&[0, 130, 256], 128).unwrap_err().to_string();
        assert!(
            told.starts_with("the rows of expert 1 begin at row 130, which is not a multiple of 128"),
            "{told}"
        );
        let told = experts_of_blocks(&[128, 0], 128).unwrap_err().to_string();
        assert!(told.starts_with("expert 0 has rows from 128 to 0"), "{told}");
    }

    #[test]
    fn no_tile_is_faster_than_the_chosen_one() {
        for seed in 0..1000 {
            let sizes = input(seed, 4);
            let extents = [0, 1, 2].map(|i| sizes[i] % 9000);
            let multiprocessors = 1 + sizes[3] % 150;
            for element in [1, 2] {
                let best = plan(&Tile::ALL, extents, element, multiprocessors);
                for tile in Tile::ALL {
                    let other = tile.plan(extents, element, multiprocessors);
                    assert!(best.cycles <= other.cycles, "{extents:?}: {best:?}, {other:?}");
                    let rows = extents[0].div_ceil(tile.height()).max(1);
                    let blocks = rows * extents[1].div_ceil(tile.columns).max(1);
                    assert!((1..=rows).contains(&other.group), "{extents:?}: {other:?}");
                    let clusters = other.grid / tile.cluster();
                    assert_eq!(other.grid % tile.cluster(), 0, "{extents:?}: {other:?}");
                    let at_a_time = tile.clusters_at_a_time(multiprocessors);
                    assert!(at_a_time == 1 || at_a_time * tile.cluster() <= multiprocessors, "{tile:?}");
                    let most = if matches!(tile.kernel, Split(_)) { blocks } else { blocks.min(at_a_time) };
                    assert_eq!(clusters, most, "{extents:?}: {other:?}");
                }
            }
        }
    }

    #[test]
    fn the_blocks_of_a_wave_are_about_a_square() {
        let group = |extents| Tile::of(Gemm, 128, 256).plan(extents, 2, H100).group;
        // 132 blocks of 128 × 256: 16 rows of them, and 8 or 9 columns.
        assert_eq!(group([8192, 8192, 8192]), 16);
        // 17 rows of blocks are groups of 9 and 8, not of 16 and 1.
        assert_eq!(group([17 * 128, 8192, 8192]), 9);
        assert_eq!(group([128, 8192, 8192]), 1);
    }
}
