//! Host functions that run the kernels of the examples. None of them contains `unsafe`.

pub mod expected;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use ptx_host::cudarc::driver::{CudaContext, CudaStream};
use ptx_host::{LoadedKernels, Matrix, Tensor};

/// The result of a computation on the GPU.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A GPU with the kernels of the examples.
pub struct Gpu {
    kernels: LoadedKernels,
    stream: Arc<CudaStream>,
}

impl Gpu {
    /// Opens the first GPU and loads the kernels.
    ///
    /// # Errors
    ///
    /// If the machine has no GPU ([`is_no_gpu`]), or none of the images runs on the GPU.
    pub fn open() -> Result<Self> {
        let context: Arc<CudaContext> = ptx_host::open(0)?;
        let kernels = ptx_host::kernels!().load(&context)?;
        Ok(Self { kernels, stream: context.default_stream() })
    }

    /// Returns the loaded kernels.
    #[must_use]
    pub fn kernels(&self) -> &LoadedKernels {
        &self.kernels
    }

    /// Returns the stream of the computations.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Returns the sums of the elements of `x` and `y`.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn vector_add(&self, x: &[f32], y: &[f32]) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let (x, y) = (stream.clone_htod(x)?, stream.clone_htod(y)?);
        let mut sum = stream.alloc_zeros(x.len())?;
        let blocks = blocks_for(x.len(), 4 * 256);
        self.kernels.kernel(kernels::add_vectors)?.launch(stream, blocks, (&x, &y, &mut sum))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&sum)?)
    }

    /// Returns the softmax of each row of `columns` elements.
    ///
    /// # Errors
    ///
    /// If `columns` is not a multiple of 4, or if the kernel cannot be launched, or fails.
    pub fn softmax(&self, matrix: &[f32], columns: u32) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let [rows, columns] = extents(matrix.len(), columns as usize)?;
        let input = stream.clone_htod(matrix)?;
        let mut output = stream.alloc_zeros(matrix.len())?;
        let arguments = (Matrix::new(&input, rows, columns), Matrix::new(&mut output, rows, columns));
        self.kernels.kernel(kernels::softmax_rows)?.launch(stream, rows.clamp(1, 65536), arguments)?;
        self.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    }

    /// Returns the transposed matrix, which has `width` rows. Both extents are multiples of 4.
    ///
    /// # Errors
    ///
    /// If an extent is not a multiple of 4, or if the kernel cannot be launched, or fails.
    pub fn transpose(&self, matrix: &[f32], width: u64, height: u64) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let input = stream.clone_htod(matrix)?;
        let mut output = stream.alloc_zeros(matrix.len())?;
        let from = Tensor::new(&input, [width, height]);
        let to = Tensor::new(&mut output, [height, width]);
        let boxes = width.div_ceil(32) * height.div_ceil(32);
        let blocks = u32::try_from(boxes)?.min(1024);
        self.kernels.kernel(kernels::transpose)?.launch(stream, blocks, (from, to))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    }

    /// Returns the number of words with each low byte.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn histogram(&self, words: &[u32]) -> Result<Vec<u32>> {
        let stream = &self.stream;
        let words = stream.clone_htod(words)?;
        let mut counts = stream.alloc_zeros(256)?;
        // Whole clusters of four blocks.
        let blocks = blocks_for(words.len(), 4 * 4 * 128) * 4;
        self.kernels.kernel(kernels::count_bytes)?.launch(stream, blocks, (&words, &mut counts))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&counts)?)
    }

    /// Returns a·`x` + `y`.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn axpy(&self, a: f32, x: &[f32], y: &[f32]) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let (x, mut y) = (stream.clone_htod(x)?, stream.clone_htod(y)?);
        let blocks = blocks_for(y.len(), 3584);
        self.kernels.kernel(kernels::axpy_tiles)?.launch(stream, blocks, (a, &x, &mut y))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&y)?)
    }

    /// Returns the sum of the elements of `x`.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn sum(&self, x: &[f32]) -> Result<f32> {
        let stream = &self.stream;
        let (on_gpu, mut total) = (stream.clone_htod(x)?, stream.alloc_zeros(1)?);
        let blocks = blocks_for(x.len(), 4 * 256);
        self.kernels.kernel(kernels::sum_elements)?.launch(stream, blocks, (&on_gpu, &mut total))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&total)?[0])
    }

    /// Returns the sum of the whole tiles of 1024 elements of `x`. One warp of a block loads, and three add up.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn sum_in_parts(&self, x: &[f32]) -> Result<f32> {
        let stream = &self.stream;
        let (on_gpu, mut total) = (stream.clone_htod(x)?, stream.alloc_zeros(1)?);
        let blocks = blocks_for(x.len(), 4 * 1024);
        self.kernels.kernel(kernels::sum_in_parts)?.launch(stream, blocks, (&on_gpu, &mut total))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&total)?[0])
    }

    /// Returns each row, divided by the root of the mean of its squares and `epsilon`, times `weights`.
    ///
    /// # Errors
    ///
    /// If a row has more than 8192 elements, or not a multiple of 4, or if the kernel cannot be launched, or fails.
    pub fn normalize(&self, matrix: &[f32], weights: &[f32], epsilon: f32) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let [rows, columns] = extents(matrix.len(), weights.len())?;
        let (input, weights) = (stream.clone_htod(matrix)?, stream.clone_htod(weights)?);
        let mut output = stream.alloc_zeros(matrix.len())?;
        let (from, to) = (Matrix::new(&input, rows, columns), Matrix::new(&mut output, rows, columns));
        let norm = self.kernels.kernel(kernels::normalize_rows)?;
        norm.launch(stream, rows.clamp(1, 1024), (from, &weights, to, epsilon))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    }

    /// Returns each element twice, with its neighbors added.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn smooth(&self, x: &[f32]) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let (on_gpu, mut y) = (stream.clone_htod(x)?, stream.alloc_zeros(x.len())?);
        let blocks = blocks_for(x.len(), 1024);
        self.kernels.kernel(kernels::smooth)?.launch(stream, blocks, (&on_gpu, &mut y))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&y)?)
    }

    /// Returns for each word the sum of all words up to it, wrapping.
    ///
    /// # Errors
    ///
    /// If the number of words is not a multiple of 1024, or if a kernel cannot be launched, or fails.
    pub fn scan(&self, words: &[u32]) -> Result<Vec<u32>> {
        if !words.len().is_multiple_of(1024) {
            return Err(format!("{} words are no whole tiles of 1024", words.len()).into());
        }
        let stream = &self.stream;
        let (input, mut output) = (stream.clone_htod(words)?, stream.alloc_zeros(words.len())?);
        let mut totals = stream.alloc_zeros(words.len() / 1024)?;
        let blocks = blocks_for(words.len(), 1024);
        self.kernels.kernel(kernels::total_tiles)?.launch(stream, blocks, (&input, &mut totals))?;
        self.kernels.kernel(kernels::scan_tiles)?.launch(stream, blocks, (&input, &totals, &mut output))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    }

    /// Returns for each word the sum of all words before it, wrapping.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn scan_by_look_back(&self, words: &[u32]) -> Result<Vec<u32>> {
        const TILE: usize = 4096;
        let stream = &self.stream;
        let (input, mut output) = (stream.clone_htod(words)?, stream.alloc_zeros(words.len())?);
        let (mut sums, mut tickets) =
            (stream.alloc_zeros(words.len().div_ceil(TILE))?, stream.alloc_zeros(1)?);
        let arguments = (&input, &mut sums, &mut tickets, &mut output);
        self.kernels.kernel(kernels::scan_by_look_back)?.launch(
            stream,
            blocks_for(words.len(), TILE),
            arguments,
        )?;
        self.wait()?;
        Ok(stream.clone_dtoh(&output)?)
    }

    /// Returns the matrix times the vector `x`.
    ///
    /// # Errors
    ///
    /// If the length of `x` is not a multiple of 4, or if the kernel cannot be launched, or fails.
    pub fn multiply(&self, matrix: &[f32], x: &[f32]) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let [rows, columns] = extents(matrix.len(), x.len())?;
        let (input, x) = (stream.clone_htod(matrix)?, stream.clone_htod(x)?);
        let mut y = stream.alloc_zeros(rows as usize)?;
        let multiply = self.kernels.kernel(kernels::multiply_by_vector)?;
        let arguments = (Matrix::new(&input, rows, columns), &x, &mut y);
        multiply.launch(stream, blocks_for(rows as usize, 8), arguments)?;
        self.wait()?;
        Ok(stream.clone_dtoh(&y)?)
    }

    /// Returns the sums of [`kernels::accumulate_sums`], computed by one block of 288 threads.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched, or fails.
    pub fn accumulate(&self, x: &[f32]) -> Result<Vec<f32>> {
        let stream = &self.stream;
        let x = stream.clone_htod(x)?;
        let mut sums = stream.alloc_zeros(288)?;
        self.kernels.kernel(kernels::accumulate_sums)?.launch(stream, 1, (&x, &mut sums))?;
        self.wait()?;
        Ok(stream.clone_dtoh(&sums)?)
    }

    /// Waits for the kernel. A kernel that hangs becomes an error.
    fn wait(&self) -> Result<()> {
        Ok(ptx_host::wait(&self.stream, Duration::from_secs(10))?)
    }
}

/// Returns the rows and columns of a matrix of `len` elements.
fn extents(len: usize, columns: usize) -> Result<[u32; 2]> {
    Ok([u32::try_from(len / columns.max(1))?, u32::try_from(columns)?])
}

/// Returns the number of thread blocks for `len` elements: one for every `of_block` elements, from 1 to 1024.
fn blocks_for(len: usize, of_block: usize) -> u32 {
    u32::try_from(len.div_ceil(of_block)).unwrap_or(u32::MAX).clamp(1, 1024)
}

/// Returns true if an error says that the machine has no GPU to use: a reason to skip a test.
#[must_use]
pub fn is_no_gpu(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(ptx_host::Error::is_no_gpu)
}
