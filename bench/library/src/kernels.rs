//! The kernels of the library, and their launches.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};
use ptx::qualifier::n::{N16, N32, N64, N128, N160, N192, N224, N256};
use ptx::{bf16, f16};
use ptx_host::cudarc::driver::CudaStream;
use ptx_host::{ForeignSlice, Grid, LoadedKernels, Matrix, Tensor};
use ptx_kernels::add_rms_norm::{add_rms_norm, instance_of, rows_of_cta};
use ptx_kernels::attention::attention;
use ptx_kernels::attention_backward::{
    Extents, attention_backward, attention_backward_finish, attention_backward_prepare,
};
use ptx_kernels::attention_decode::{attention_decode, splits as fast_splits};
use ptx_kernels::attention_plan::{backward_heads_at_a_time, heads_at_a_time};
use ptx_kernels::gemm::{
    E4m3, gemm, gemm_bias_gelu, gemm_grouped, gemm_residual, gemm_split, gemm_stack, gemm_tn,
};
use ptx_kernels::gemm_plan::Kernel::{Gemm, Split, Stack};
use ptx_kernels::gemm_plan::{Tile, plan};
use ptx_kernels::matrix_product::matrix_product;
use ptx_kernels::tensor::tensor_transpose;
use serde_json::{Value, json};

use crate::call::{Call, Operand};

/// A kernel that the library can load.
pub struct Kernel {
    /// The name. `./x bundle` calls the image `<name>-O3.cubin`.
    pub name: &'static str,
    /// What the kernel computes: kernels of one operation and variant take the same memory and numbers.
    pub operation: &'static str,
    /// For `gemm`, whether A and B are transposed, as BLAS says it: `n` is m × k or k × n, `t` is k × m or n × k, row by row.
    pub variant: &'static str,
    /// The memory, in the order of the call.
    pub memory: &'static [Operand],
    /// The names of the numbers, in the order of the call.
    pub numbers: &'static [&'static str],
    /// The tile of an instance of `gemm`, and the bytes of an element of its factors.
    pub tile: Option<(Tile, usize)>,
    /// Further kernels that a launch puts on the stream, each in an image of its own beside that of the kernel.
    pub parts: &'static [&'static str],
    /// Of attention, the elements of a head.
    pub head_size: Option<u32>,
    /// Finds the kernel in its image, and its parts in theirs.
    pub load: fn(&LoadedKernels, &[LoadedKernels]) -> Result<Box<Launch>>,
}

/// Puts a loaded kernel on a stream.
pub type Launch = dyn Fn(&CudaStream, Call<'_>) -> Result<()> + Send + Sync;

/// An instance of `gemm`, `gemm_stack` or `gemm_split`: its name, its type arguments, and its tile. With `scaled`, it takes a scale of each
/// factor.
macro_rules! gemm {
    ($name:literal, $kernel:ident $T:ident $O:ident <$($argument:tt),*> $tile:expr) => {
        gemm! { @kernel $name, $kernel $T $O <$($argument),*> $tile; [] |_call| (&no_scale(), &no_scale()) }
    };
    ($name:literal, $kernel:ident $T:ident $O:ident <$($argument:tt),*> $tile:expr; scaled) => {
        gemm! { @kernel $name, $kernel $T $O <$($argument),*> $tile; [Operand::of::<f32>("scale_a"), Operand::of::<f32>("scale_b"),]
            |call| (&call.memory::<f32>()?, &call.memory::<f32>()?) }
    };
    (
        @kernel $name:literal, $kernel:ident $T:ident $O:ident <$($argument:tt),*> $tile:expr;
        [$($scales:tt)*] |$call:ident| $of_scales:expr
    ) => {
        Kernel {
            name: $name,
            operation: "gemm",
            variant: "nt",
            memory: &[Operand::of::<$T>("a"), Operand::of::<$T>("b"), Operand::of::<$O>("c"), $($scales)*],
            numbers: &["m", "n", "k"],
            tile: Some(($tile, size_of::<$T>())),
            parts: &[],
            head_size: None,
            load: |kernels, _| {
                type Instance = $kernel<$T, $O, $($argument),*>;
                const TILE: Tile = $tile;
                let kernel = kernels.kernel($kernel::<$T, $O, $($argument),*>)?;
                let resident = kernel.function().max_active_blocks(&Grid::new(TILE.cluster()).config::<Instance>())?;
                Ok(Box::new(move |stream, mut call| {
                    let [m, n, k] = call.numbers()?;
                    let (a, b, mut c) = (call.memory::<$T>()?, call.memory::<$T>()?, call.memory::<$O>()?);
                    let $call = &mut call;
                    let (scale_a, scale_b) = $of_scales;
                    let [wide_m, wide_n, wide_k] = [m, n, k].map(u64::from);
                    let (a, b) = (Tensor::new(&a, [wide_k, wide_m]), Tensor::new(&b, [wide_k, wide_n]));
                    let c = Tensor::new(&mut c, [wide_n, wide_m]);
                    // A multiprocessor has one CTA.
                    let plan = TILE.plan([m, n, k], size_of::<$T>(), resident);
                    Ok(kernel.launch(stream, plan.grid, (a, b, c, scale_a, scale_b, k, plan.group))?)
                }))
            },
        }
    };
}

/// A product of `bf16` whose sums have an epilogue: its name, the kernel, what it takes beside the matrices, and those arguments.
macro_rules! with_epilogue {
    ($name:literal, $kernel:ident; [$($more:expr),*] |$call:ident, $n:ident| ($($argument:expr),*)) => {
        Kernel {
            name: $name,
            operation: stringify!($kernel),
            variant: "nt",
            memory: &[Operand::of::<bf16>("a"), Operand::of::<bf16>("b"), Operand::of::<bf16>("c"), $($more),*],
            numbers: &["m", "n", "k"],
            tile: None,
            parts: &[],
            head_size: None,
            load: |kernels, _| {
                type Instance = $kernel<N256, 2, 4>;
                const TILE: Tile = Tile::of(Gemm, 128, 256);
                let kernel = kernels.kernel($kernel::<N256, 2, 4>)?;
                let resident = kernel.function().max_active_blocks(&Grid::new(1).config::<Instance>())?;
                Ok(Box::new(move |stream, mut $call| {
                    let [m, $n, k] = $call.numbers()?;
                    ensure!($n.is_multiple_of(2), "n = {} must be even", $n);
                    let (a, b, mut c) = ($call.memory::<bf16>()?, $call.memory::<bf16>()?, $call.memory::<bf16>()?);
                    let [wide_m, wide_n, wide_k] = [m, $n, k].map(u64::from);
                    let (a, b) = (Tensor::new(&a, [wide_k, wide_m]), Tensor::new(&b, [wide_k, wide_n]));
                    let c = Tensor::new(&mut c, [wide_n, wide_m]);
                    let plan = TILE.plan([m, $n, k], 2, resident);
                    Ok(kernel.launch(stream, plan.grid, (a, b, c, $($argument,)* k, plan.group))?)
                }))
            },
        }
    };
}

/// An instance of `attention_decode`: its name, and its element type. Keys and values are pages of tokens of heads.
macro_rules! attention_decode {
    ($name:literal, $T:ident) => {
        Kernel {
            name: $name,
            operation: "attention_decode",
            variant: "pshd",
            memory: &[
                Operand::of::<$T>("q"),
                Operand::of::<$T>("k"),
                Operand::of::<$T>("v"),
                Operand::of::<$T>("o"),
                Operand::of::<u32>("table"),
                Operand::of::<u32>("lengths"),
                Operand::of::<f32>("partials"),
                Operand::of::<u32>("counts"),
            ],
            numbers: &[
                "batch",
                "heads",
                "kv_heads",
                "most_length",
                "head_size",
                "page",
                "pages",
                "splits",
                "most_splits",
            ],
            tile: None,
            parts: &[],
            head_size: Some(128),
            load: |kernels, _| {
                type Instance = attention_decode<$T>;
                let kernel = kernels.kernel(attention_decode::<$T>)?;
                let room = kernel.function().max_active_blocks(&Grid::new(1).config::<Instance>())?;
                Ok(Box::new(move |stream, mut call| {
                    let [batch, heads, kv_heads, length, size, page, pages, splits, most] = call.numbers()?;
                    ensure!(size == 128, "the heads have {size} elements, not 128");
                    ensure!(
                        kv_heads > 0 && heads.is_multiple_of(kv_heads) && heads / kv_heads <= 64,
                        "{heads} heads cannot share {kv_heads} heads of keys and values, at most 64 each"
                    );
                    ensure!(page.is_multiple_of(64), "a page has {page} tokens, no multiple of 64");
                    let (q, k, v) = (call.memory::<$T>()?, call.memory::<$T>()?, call.memory::<$T>()?);
                    let (mut o, table) = (call.memory::<$T>()?, call.memory::<u32>()?);
                    let (lengths, mut partials) = (call.memory::<u32>()?, call.memory::<f32>()?);
                    let mut counts = call.memory::<u32>()?;
                    let shared = heads / kv_heads;
                    let q = Tensor::new(&q, [128, shared, kv_heads, batch].map(u64::from));
                    let extents = [128, page, kv_heads, pages].map(u64::from);
                    let of_token = 256 * u64::from(kv_heads);
                    let strides = [of_token, 256, of_token * u64::from(page)];
                    let k = Tensor::new(&k, extents).strides(&strides);
                    let v = Tensor::new(&v, extents).strides(&strides);
                    // 0 leaves the choice to the library.
                    let blocks = length.div_ceil(64);
                    let splits =
                        if splits == 0 { fast_splits(batch * kv_heads, blocks, room) } else { splits };
                    let splits = splits.min(most);
                    let scale = 128_f32.sqrt().recip() * std::f32::consts::LOG2_E;
                    let (o, partials, counts) = (&mut o, &mut partials, &mut counts);
                    let (table, lengths, of_page) = (&table, &lengths, page / 64);
                    let grid = room.min(splits * kv_heads * batch);
                    Ok(kernel.launch(
                        stream,
                        grid,
                        (q, k, v, o, table, lengths, partials, counts, shared, splits, of_page, scale),
                    )?)
                }))
            },
        }
    };
}

/// How many heads are worked on at a time for the last shape of a kernel of attention. The plan of a shape takes longer than a launch.
#[derive(Default)]
struct Planned(Mutex<Option<([u32; 4], u32)>>);

impl Planned {
    /// Returns the number for the shape, which `plan` computes if the last call had another shape.
    fn heads(&self, shape: [u32; 4], plan: impl FnOnce() -> u32) -> u32 {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((of_shape, heads)) if of_shape == shape => heads,
            _ => last.insert((shape, plan())).1,
        }
    }
}

/// An instance of `attention`: its name, its type arguments, and the elements of a head. The variant tells the order of the dimensions
/// in memory, and the operation takes those of the comparison that it computes.
macro_rules! attention {
    ($name:literal, $T:ident <$N:ident, $K:ident, $W:literal, $STAGES:literal, $causal:literal> $size:literal) => {
        Kernel {
            name: $name,
            operation: if $causal { "causal_attention" } else { "attention" },
            variant: "bshd",
            memory: &[
                Operand::of::<$T>("q"),
                Operand::of::<$T>("k"),
                Operand::of::<$T>("v"),
                Operand::of::<$T>("o"),
                Operand::of::<f32>("lse"),
            ],
            numbers: &["batch", "heads", "kv_heads", "length", "head_size"],
            tile: None,
            parts: &[],
            head_size: Some($size),
            load: |kernels, _| {
                /// Queries of a block.
                const BLOCK: u32 = 64 * $W;
                type Instance = attention<$T, $N, $K, $W, $STAGES, $causal>;
                let kernel = kernels.kernel(attention::<$T, $N, $K, $W, $STAGES, $causal>)?;
                let resident = kernel.function().max_active_blocks(&Grid::new(1).config::<Instance>())?;
                let planned = Planned::default();
                Ok(Box::new(move |stream, mut call| {
                    let [batch, heads, kv_heads, length, size] = call.numbers()?;
                    ensure!(size == $size, "the heads have {size} elements, not {}", $size);
                    ensure!(
                        kv_heads > 0 && heads.is_multiple_of(kv_heads),
                        "{heads} heads cannot share {kv_heads} heads of keys and values"
                    );
                    let (q, k, v) = (call.memory::<$T>()?, call.memory::<$T>()?, call.memory::<$T>()?);
                    let (mut o, mut lse) = (call.memory::<$T>()?, call.memory::<f32>()?);
                    let [wide_batch, wide_length] = [batch, length].map(u64::from);
                    let extents = |heads: u32| [$size, wide_length, u64::from(heads), wide_batch];
                    let strides = |heads: u32| {
                        let of_token = 2 * $size * u64::from(heads);
                        [of_token, 2 * $size, of_token * wide_length]
                    };
                    let q = Tensor::new(&q, extents(heads)).strides(&strides(heads));
                    let k = Tensor::new(&k, extents(kv_heads)).strides(&strides(kv_heads));
                    let v = Tensor::new(&v, extents(kv_heads)).strides(&strides(kv_heads));
                    let o = Tensor::new(&mut o, extents(heads)).strides(&strides(heads));
                    let rows = length.div_ceil(BLOCK);
                    let blocks = u64::from(rows) * u64::from(heads) * wide_batch;
                    let grid = u32::try_from(blocks)?.clamp(1, resident);
                    let shared = heads / kv_heads;
                    let group = planned.heads([batch, heads, kv_heads, length], || {
                        heads_at_a_time(rows, heads * batch, shared, 4 * $size * wide_length, $causal, grid)
                    });
                    let scale = ($size as f32).sqrt().recip() * std::f32::consts::LOG2_E;
                    let numbers = (q, k, v, o, &mut lse, length, length, heads, shared, scale, group);
                    Ok(kernel.launch(stream, grid, numbers)?)
                }))
            },
        }
    };
}

/// An instance of `add_rms_norm`: its name, its element type, its threads and the vectors of each.
macro_rules! add_rms_norm {
    ($name:literal, $T:ident, $threads:literal, $vectors:literal) => {
        Kernel {
            name: $name,
            operation: "add_rms_norm",
            variant: "",
            memory: &[
                Operand::of::<$T>("x"),
                Operand::of::<$T>("residual"),
                Operand::of::<$T>("weights"),
                Operand::of::<$T>("output"),
            ],
            numbers: &["rows", "columns"],
            tile: None,
            parts: &[],
            head_size: None,
            load: |kernels, _| {
                let kernel = kernels.kernel(add_rms_norm::<$T, $threads, $vectors>)?;
                Ok(Box::new(move |stream, mut call| {
                    let [rows, columns] = call.numbers()?;
                    let instance = ($threads, $vectors);
                    ensure!(
                        instance_of(columns) == Some(instance),
                        "another instance is for {columns} columns"
                    );
                    let (x, mut residual) = (call.memory::<$T>()?, call.memory::<$T>()?);
                    let (weights, mut output) = (call.memory::<$T>()?, call.memory::<$T>()?);
                    let x = Matrix::new(&x, rows, columns);
                    let residual = Matrix::new(&mut residual, rows, columns);
                    let output = Matrix::new(&mut output, rows, columns);
                    let grid = rows.div_ceil(rows_of_cta(instance, columns)).max(1);
                    Ok(kernel.launch(stream, grid, (x, residual, &weights, output, rows, columns, 1e-3))?)
                }))
            },
        }
    };
}

/// The gradients of an instance of `attention`, as `attention!` makes it.
macro_rules! attention_backward {
    ($name:literal, $operation:literal, $causal:literal) => {
        Kernel {
            name: $name,
            operation: $operation,
            variant: "bshd",
            memory: &[
                Operand::of::<bf16>("q"),
                Operand::of::<bf16>("k"),
                Operand::of::<bf16>("v"),
                Operand::of::<bf16>("o"),
                Operand::of::<f32>("lse"),
                Operand::of::<bf16>("do"),
                Operand::of::<bf16>("dq"),
                Operand::of::<bf16>("dk"),
                Operand::of::<bf16>("dv"),
                Operand::of::<f32>("numbers"),
                Operand::of::<f32>("sums"),
            ],
            numbers: &["batch", "heads", "kv_heads", "length", "head_size"],
            tile: None,
            parts: &["attention_backward_prepare_bf16", "attention_backward_finish_bf16"],
            head_size: Some(128),
            load: |kernels, parts| {
                type Instance = attention_backward<bf16, $causal>;
                let [of_prepare, of_finish] = parts else { bail!("{} has two parts", $name) };
                let prepare = of_prepare.kernel(attention_backward_prepare::<bf16>)?;
                let kernel = kernels.kernel(attention_backward::<bf16, $causal>)?;
                let finish = of_finish.kernel(attention_backward_finish::<bf16>)?;
                let [prepares, resident, finishes] = [
                    prepare
                        .function()
                        .max_active_blocks(&Grid::new(1).config::<attention_backward_prepare<bf16>>())?,
                    kernel.function().max_active_blocks(&Grid::new(1).config::<Instance>())?,
                    finish
                        .function()
                        .max_active_blocks(&Grid::new(1).config::<attention_backward_finish<bf16>>())?,
                ];
                let planned = Planned::default();
                Ok(Box::new(move |stream, mut call| {
                    let [batch, heads, kv_heads, length, size] = call.numbers()?;
                    ensure!(size == 128, "the heads have {size} elements, not 128");
                    ensure!(
                        kv_heads > 0 && heads.is_multiple_of(kv_heads),
                        "{heads} heads cannot share {kv_heads} heads of keys and values"
                    );
                    let (q, k, v) = (call.memory::<bf16>()?, call.memory::<bf16>()?, call.memory::<bf16>()?);
                    let (o, lse, d_o) =
                        (call.memory::<bf16>()?, call.memory::<f32>()?, call.memory::<bf16>()?);
                    let (mut dq, mut dk) = (call.memory::<bf16>()?, call.memory::<bf16>()?);
                    let (mut dv, mut of_blocks) = (call.memory::<bf16>()?, call.memory::<f32>()?);
                    let mut sums = call.memory::<f32>()?;
                    let [wide_batch, wide_length] = [batch, length].map(u64::from);
                    let blocks = wide_batch * u64::from(heads) * wide_length.div_ceil(64);
                    let extents = |heads: u32| [128, wide_length, u64::from(heads), wide_batch];
                    let strides =
                        |heads: u32| [256 * u64::from(heads), 256, 256 * u64::from(heads) * wide_length];
                    // Vectors of 16 bytes.
                    let of_o = [16 * heads, 16, 16 * heads * length];
                    let grid = u32::try_from(blocks)?.clamp(1, prepares);
                    let numbers = (&o, &d_o, &lse, &mut of_blocks, &mut sums, of_o, length, heads, batch);
                    prepare.launch(stream, grid, numbers)?;
                    let scale = 128_f32.sqrt().recip() * std::f32::consts::LOG2_E;
                    let q = Tensor::new(&q, extents(heads)).strides(&strides(heads));
                    let d_o = Tensor::new(&d_o, extents(heads)).strides(&strides(heads));
                    let k = Tensor::new(&k, extents(kv_heads)).strides(&strides(kv_heads));
                    let v = Tensor::new(&v, extents(kv_heads)).strides(&strides(kv_heads));
                    let dk = Tensor::new(&mut dk, extents(kv_heads)).strides(&strides(kv_heads));
                    let dv = Tensor::new(&mut dv, extents(kv_heads)).strides(&strides(kv_heads));
                    let of_keys = wide_length.div_ceil(128) * u64::from(kv_heads) * wide_batch;
                    let grid = u32::try_from(of_keys)?.clamp(1, resident);
                    let shared = heads / kv_heads;
                    let group = planned.heads([batch, heads, kv_heads, length], || {
                        let (rows, all) = (length.div_ceil(128), kv_heads * batch);
                        let bytes = 1024 * wide_length * u64::from(shared);
                        backward_heads_at_a_time(rows, all, bytes, $causal, grid)
                    });
                    let of_launch = Extents { queries: length, keys: length, heads, shared };
                    let numbers = (q, k, v, d_o, &of_blocks, &mut sums, dk, dv, of_launch, scale, group);
                    kernel.launch(stream, grid, numbers)?;
                    let grid = u32::try_from(2 * blocks)?.clamp(1, finishes);
                    let dq = Tensor::new(&mut dq, extents(heads)).strides(&strides(heads));
                    Ok(finish.launch(stream, grid, (&sums, dq, length, heads, scale))?)
                }))
            },
        }
    };
}

/// Memory without a scale.
fn no_scale() -> ForeignSlice<f32> {
    // SAFETY: it has no elements.
    unsafe { ForeignSlice::new(0, 0) }
}

/// The kernels.
pub static KERNELS: &[Kernel] = &[
    Kernel {
        name: "matrix_product",
        operation: "gemm",
        variant: "nn",
        memory: &[Operand::of::<f32>("a"), Operand::of::<f32>("b"), Operand::of::<f32>("c")],
        numbers: &["m", "n", "k"],
        tile: None,
        parts: &[],
        head_size: None,
        load: |kernels, _| {
            /// Rows and columns of a CTA's tile, and the depth of a round.
            const TILE: u32 = 128;
            const DEPTH: u32 = 16;
            let kernel = kernels.kernel(matrix_product)?;
            Ok(Box::new(move |stream, mut call| {
                let [m, n, k] = call.numbers()?;
                ensure!(
                    [m, n].iter().all(|side| side.is_multiple_of(TILE)) && k.is_multiple_of(DEPTH),
                    "m = {m} and n = {n} must be multiples of {TILE}, and k = {k} of {DEPTH}"
                );
                let (a, b, mut c) = (call.memory::<f32>()?, call.memory::<f32>()?, call.memory::<f32>()?);
                let (a, b, c) = (Matrix::new(&a, m, k), Matrix::new(&b, k, n), Matrix::new(&mut c, m, n));
                Ok(kernel.launch(stream, (n / TILE, m / TILE), (a, b, c, m, n, k))?)
            }))
        },
    },
    gemm!("gemm_bf16_bf16_N256_2_4", gemm bf16 bf16 <N256, 2, 4> Tile::of(Gemm, 128, 256)),
    gemm!("gemm_bf16_bf16_N192_2_4", gemm bf16 bf16 <N192, 2, 4> Tile::of(Gemm, 128, 192)),
    gemm!("gemm_bf16_bf16_N128_2_6", gemm bf16 bf16 <N128, 2, 6> Tile::of(Gemm, 128, 128)),
    gemm!("gemm_bf16_bf16_N128_1_8", gemm bf16 bf16 <N128, 1, 8> Tile::of(Gemm, 64, 128)),
    gemm!("gemm_f16_f16_N256_2_4", gemm f16 f16 <N256, 2, 4> Tile::of(Gemm, 128, 256)),
    gemm!("gemm_E4m3_bf16_N256_2_4", gemm E4m3 bf16 <N256, 2, 4> Tile::of(Gemm, 128, 256); scaled),
    gemm!("gemm_stack_bf16_bf16_N192_2_4_2", gemm_stack bf16 bf16 <N192, 2, 4, 2> Tile::of(Stack(2), 128, 192)),
    gemm!("gemm_stack_bf16_bf16_N128_2_6_2", gemm_stack bf16 bf16 <N128, 2, 6, 2> Tile::of(Stack(2), 128, 128)),
    gemm!("gemm_stack_bf16_bf16_N192_2_4_4", gemm_stack bf16 bf16 <N192, 2, 4, 4> Tile::of(Stack(4), 128, 192)),
    gemm!("gemm_stack_bf16_bf16_N160_2_5_4", gemm_stack bf16 bf16 <N160, 2, 5, 4> Tile::of(Stack(4), 128, 160)),
    gemm!("gemm_stack_bf16_bf16_N224_2_4_2", gemm_stack bf16 bf16 <N224, 2, 4, 2> Tile::of(Stack(2), 128, 224)),
    with_epilogue!("gemm_bias_gelu_N256_2_4", gemm_bias_gelu; [Operand::of::<[bf16; 2]>("bias")]
        |call, n| (&call.memory::<[bf16; 2]>()?)),
    with_epilogue!("gemm_residual_N256_2_4", gemm_residual; [Operand::of::<[bf16; 2]>("residual")]
        |call, n| (&call.memory::<[bf16; 2]>()?, n / 2)),
    Kernel {
        name: "gemm_grouped_N256_2_4",
        operation: "gemm_grouped",
        variant: "nt",
        memory: &[
            Operand::of::<bf16>("a"),
            Operand::of::<bf16>("b"),
            Operand::of::<bf16>("c"),
            Operand::of::<u32>("experts_of_blocks"),
        ],
        numbers: &["m", "n", "k", "experts"],
        tile: None,
        parts: &[],
        head_size: None,
        load: |kernels, _| {
            type Instance = gemm_grouped<N256, 2, 4>;
            const TILE: Tile = Tile::of(Gemm, 128, 256);
            let kernel = kernels.kernel(gemm_grouped::<N256, 2, 4>)?;
            let resident = kernel.function().max_active_blocks(&Grid::new(1).config::<Instance>())?;
            Ok(Box::new(move |stream, mut call| {
                let [m, n, k, experts] = call.numbers()?;
                let (a, b, mut c) = (call.memory::<bf16>()?, call.memory::<bf16>()?, call.memory::<bf16>()?);
                let of_blocks = call.memory::<u32>()?;
                let [wide_m, wide_n, wide_k, stacked] = [m, n, k, experts].map(u64::from);
                let (a, b) = (Tensor::new(&a, [wide_k, wide_m]), Tensor::new(&b, [wide_k, wide_n, stacked]));
                let c = Tensor::new(&mut c, [wide_n, wide_m]);
                let plan = TILE.plan([m, n, k], 2, resident);
                // About the rows of blocks of an expert, so that its matrix is read while it is in the L2 cache.
                let group = (m.div_ceil(TILE.height()) / experts.max(1)).clamp(1, plan.group);
                Ok(kernel.launch(stream, plan.grid, (a, b, c, &of_blocks, k, group))?)
            }))
        },
    },
    gemm!("gemm_split_bf16_bf16_N16_1_1_12", gemm_split bf16 bf16 <N16, 1, 1, 12> Tile::of(Split(1), 16, 64)),
    gemm!("gemm_split_bf16_bf16_N32_1_1_12", gemm_split bf16 bf16 <N32, 1, 1, 12> Tile::of(Split(1), 32, 64)),
    gemm!("gemm_split_bf16_bf16_N64_1_2_12", gemm_split bf16 bf16 <N64, 1, 2, 12> Tile::of(Split(2), 64, 64)),
    gemm!("gemm_split_bf16_bf16_N64_2_8_7", gemm_split bf16 bf16 <N64, 2, 8, 7> Tile::of(Split(8), 64, 128)),
    Kernel {
        name: "gemm_tn",
        operation: "gemm",
        variant: "tn",
        memory: &[Operand::of::<bf16>("a"), Operand::of::<bf16>("b"), Operand::of::<bf16>("c")],
        numbers: &["m", "n", "k"],
        tile: None,
        parts: &[],
        head_size: None,
        load: |kernels, _| {
            let kernel = kernels.kernel(gemm_tn)?;
            let resident = kernel.function().max_active_blocks(&Grid::new(1).config::<gemm_tn>())?;
            Ok(Box::new(move |stream, mut call| {
                let [m, n, k] = call.numbers()?;
                let (a, b, mut c) = (call.memory::<bf16>()?, call.memory::<bf16>()?, call.memory::<bf16>()?);
                let [wide_m, wide_n, wide_k] = [m, n, k].map(u64::from);
                let (a, b) = (Tensor::new(&a, [wide_m, wide_k]), Tensor::new(&b, [wide_n, wide_k]));
                let c = Tensor::new(&mut c, [wide_n, wide_m]);
                let grid = u32::try_from(wide_m.div_ceil(64) * wide_n.div_ceil(128))?.clamp(1, resident);
                Ok(kernel.launch(stream, grid, (a, b, c, k))?)
            }))
        },
    },
    attention_decode!("attention_decode_bf16", bf16),
    attention!("attention_bf16_N128_N128_2_4_false", bf16 < N128, N128, 2, 4, false > 128),
    attention!("attention_bf16_N128_N128_2_4_true", bf16 < N128, N128, 2, 4, true > 128),
    attention!("attention_f16_N128_N128_2_4_false", f16 < N128, N128, 2, 4, false > 128),
    attention!("attention_f16_N128_N128_2_4_true", f16 < N128, N128, 2, 4, true > 128),
    attention!("attention_bf16_N64_N128_3_6_false", bf16 < N64, N128, 3, 6, false > 64),
    attention!("attention_bf16_N64_N128_3_6_true", bf16 < N64, N128, 3, 6, true > 64),
    attention!("attention_bf16_N256_N64_2_4_false", bf16 < N256, N64, 2, 4, false > 256),
    attention!("attention_bf16_N256_N64_2_4_true", bf16 < N256, N64, 2, 4, true > 256),
    add_rms_norm!("add_rms_norm_f16_128_4", f16, 128, 4),
    add_rms_norm!("add_rms_norm_f16_256_2", f16, 256, 2),
    add_rms_norm!("add_rms_norm_f16_512_2", f16, 512, 2),
    add_rms_norm!("add_rms_norm_f16_512_4", f16, 512, 4),
    add_rms_norm!("add_rms_norm_bf16_128_4", bf16, 128, 4),
    add_rms_norm!("add_rms_norm_bf16_256_2", bf16, 256, 2),
    add_rms_norm!("add_rms_norm_bf16_512_2", bf16, 512, 2),
    add_rms_norm!("add_rms_norm_bf16_512_4", bf16, 512, 4),
    attention_backward!("attention_backward_bf16_false", "attention_backward", false),
    attention_backward!("attention_backward_bf16_true", "causal_attention_backward", true),
    Kernel {
        name: "tensor_transpose",
        operation: "transpose",
        variant: "",
        memory: &[Operand::of::<u32>("input"), Operand::of::<u32>("output")],
        numbers: &["width", "height"],
        tile: None,
        parts: &[],
        head_size: None,
        load: |kernels, _| {
            const SIDE: u32 = 32;
            let kernel = kernels.kernel(tensor_transpose)?;
            Ok(Box::new(move |stream, mut call| {
                let [width, height] = call.numbers()?;
                let (input, mut output) = (call.memory::<u32>()?, call.memory::<u32>()?);
                // Each thread block has one square.
                let squares = u64::from(width.div_ceil(SIDE)) * u64::from(height.div_ceil(SIDE));
                let squares = u32::try_from(squares)?;
                let input = Tensor::new(&input, [width, height].map(u64::from));
                let output = Tensor::new(&mut output, [height, width].map(u64::from));
                Ok(kernel.launch(stream, squares, (input, output))?)
            }))
        },
    },
];

/// Returns the table of kernels for the caller.
pub fn description() -> Value {
    let one = |kernel: &Kernel| {
        let Kernel { name, operation, variant, memory, numbers, tile: _, parts: _, head_size, load: _ } =
            kernel;
        let memory: Vec<_> = memory.iter().map(|operand| [operand.name, operand.element]).collect();
        json!({ "name": name, "operation": operation, "variant": variant, "memory": memory, "numbers": numbers, "head_size": head_size })
    };
    KERNELS.iter().map(one).collect()
}

/// Returns the number, in the table, of the instance of `gemm` for a product of m × k by k × n elements of this type.
pub fn chosen(element: &str, extents: [u32; 3], multiprocessors: u32) -> Result<usize> {
    let of_element = KERNELS.iter().enumerate().filter(|(_, kernel)| kernel.memory[0].element == element);
    let instances: Vec<_> = of_element.filter_map(|(number, kernel)| Some((number, kernel.tile?))).collect();
    let bytes = instances.first().map(|(_, (_, bytes))| *bytes);
    let bytes = bytes.with_context(|| format!("the library has no `gemm` of {element}"))?;
    let tiles: Vec<Tile> = instances.iter().map(|(_, (tile, _))| *tile).collect();
    let plan = plan(&tiles, extents, bytes, multiprocessors);
    let instance = instances.iter().find(|(_, (tile, _))| *tile == plan.tile);
    instance.map(|(number, _)| *number).context("the plan has the tile of an instance")
}
