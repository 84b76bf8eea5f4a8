//! Runs the kernel of each example in the interpreter, on any machine: under several schedules, on sizes around those of its
//! vectors, tiles and blocks. A race, a missing wait or an access out of bounds fails the test.

use examples::expected::{self, *};
use ptx_emu::{Emulator, Kernels, Matrix, Tensor};

fn gpu() -> (Emulator, Kernels) {
    let gpu = Emulator::new().schedules(3);
    let kernels = gpu.load(ptx_emu::kernels!()).unwrap();
    (gpu, kernels)
}

#[test]
fn vectors_are_added() {
    let (gpu, kernels) = gpu();
    let add = kernels.kernel(kernels::add_vectors).unwrap();
    for len in [0, 1, 3, 4, 1023, 1025] {
        let (x, y) = (numbers(len), numbers(len + 7)[7..].to_vec());
        let (on_x, on_y, mut sums) = (gpu.slice(&x), gpu.slice(&y), gpu.slice(&vec![0.0; len]));
        add.launch(&gpu, 2, (&on_x, &on_y, &mut sums)).unwrap();
        compare(&sums.to_vec(), &expected::sums(&x, &y)).unwrap();
    }
}

#[test]
fn rows_become_their_softmax() {
    let (gpu, kernels) = gpu();
    let softmax = kernels.kernel(kernels::softmax_rows).unwrap();
    for (rows, columns) in [(1, 4), (3, 1028)] {
        let matrix = matrix(rows, columns);
        let (input, mut output) = (gpu.slice(&matrix), gpu.slice(&vec![0.0; matrix.len()]));
        let [rows, width] = [rows as u32, columns as u32];
        let arguments = (Matrix::new(&input, rows, width), Matrix::new(&mut output, rows, width));
        softmax.launch(&gpu, 2, arguments).unwrap();
        compare_rounded(&output.to_vec(), &expected::softmax(&matrix, columns)).unwrap();
    }
}

#[test]
fn matrices_are_transposed() {
    let (gpu, kernels) = gpu();
    let transpose = kernels.kernel(kernels::transpose).unwrap();
    for (width, height) in [(4, 4), (36, 68)] {
        let matrix = numbers(width * height);
        let (input, mut output) = (gpu.slice(&matrix), gpu.slice(&vec![0.0; matrix.len()]));
        let [columns, rows] = [width as u64, height as u64];
        let arguments = (Tensor::new(&input, [columns, rows]), Tensor::new(&mut output, [rows, columns]));
        transpose.launch(&gpu, 2, arguments).unwrap();
        compare(&output.to_vec(), &transposed(&matrix, width)).unwrap();
    }
}

#[test]
fn bytes_are_counted() {
    let (gpu, kernels) = gpu();
    let count = kernels.kernel(kernels::count_bytes).unwrap();
    for len in [1, 127, 3000] {
        let words = words(len);
        let (input, mut counts) = (gpu.slice(&words), gpu.slice(&[0u32; 256]));
        // Two clusters of four blocks.
        count.launch(&gpu, 8, (&input, &mut counts)).unwrap();
        compare(&counts.to_vec(), &counts_of_low_bytes(&words)).unwrap();
    }
}

#[test]
fn a_block_of_288_threads_accumulates() {
    let (gpu, kernels) = gpu();
    let accumulate = kernels.kernel(kernels::accumulate_sums).unwrap();
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let (input, mut sums) = (gpu.slice(&x), gpu.slice(&[0.0f32; 288]));
    accumulate.launch(&gpu, 1, (&input, &mut sums)).unwrap();
    compare_rounded(&sums.to_vec(), &accumulated(&x)).unwrap();
}

#[test]
fn tiles_are_scaled_and_added() {
    let (gpu, kernels) = gpu();
    let axpy = kernels.kernel(kernels::axpy_tiles).unwrap();
    for len in [1, 3583, 3584, 10_001] {
        let (x, y) = (numbers(len), whole_numbers(len));
        let (on_x, mut on_y) = (gpu.slice(&x), gpu.slice(&y));
        axpy.launch(&gpu, 2, (2.0, &on_x, &mut on_y)).unwrap();
        compare(&on_y.to_vec(), &expected::axpy(2.0, &x, &y)).unwrap();
    }
}

#[test]
fn elements_are_summed() {
    let (gpu, kernels) = gpu();
    let sum = kernels.kernel(kernels::sum_elements).unwrap();
    for len in [0, 1, 255, 5000] {
        let x = whole_numbers(len);
        let (on_x, mut total) = (gpu.slice(&x), gpu.slice(&[0.0f32]));
        sum.launch(&gpu, 2, (&on_x, &mut total)).unwrap();
        compare(&total.to_vec(), &[x.iter().sum()]).unwrap();
    }
}

#[test]
fn rows_are_normalized() {
    let (gpu, kernels) = gpu();
    let norm = kernels.kernel(kernels::normalize_rows).unwrap();
    for (rows, columns) in [(1, 4), (3, 1028)] {
        let (matrix, weights) = (matrix(rows, columns), numbers(columns));
        let (input, of_columns) = (gpu.slice(&matrix), gpu.slice(&weights));
        let mut output = gpu.slice(&vec![0.0; matrix.len()]);
        let [rows, width] = [rows as u32, columns as u32];
        let (from, to) = (Matrix::new(&input, rows, width), Matrix::new(&mut output, rows, width));
        norm.launch(&gpu, 2, (from, &of_columns, to, 1e-5)).unwrap();
        compare_rounded(&output.to_vec(), &normalized(&matrix, &weights, 1e-5)).unwrap();
    }
}

#[test]
fn lines_are_smoothed() {
    let (gpu, kernels) = gpu();
    let smooth = kernels.kernel(kernels::smooth).unwrap();
    for len in [1, 1023, 1024, 5001] {
        let x = whole_numbers(len);
        let (on_x, mut y) = (gpu.slice(&x), gpu.slice(&vec![0.0f32; len]));
        smooth.launch(&gpu, 2, (&on_x, &mut y)).unwrap();
        compare(&y.to_vec(), &smoothed(&x)).unwrap();
    }
}

#[test]
fn words_are_scanned() {
    let (gpu, kernels) = gpu();
    let total = kernels.kernel(kernels::total_tiles).unwrap();
    let scan = kernels.kernel(kernels::scan_tiles).unwrap();
    for tiles in [1, 2, 7] {
        let words = words(1024 * tiles);
        let (input, mut totals) = (gpu.slice(&words), gpu.slice(&vec![0u32; tiles]));
        let mut output = gpu.slice(&vec![0u32; words.len()]);
        total.launch(&gpu, 2, (&input, &mut totals)).unwrap();
        scan.launch(&gpu, 2, (&input, &totals, &mut output)).unwrap();
        compare(&output.to_vec(), &scanned(&words)).unwrap();
    }
}

#[test]
fn words_are_scanned_by_look_back() {
    let (gpu, kernels) = gpu();
    let scan = kernels.kernel(kernels::scan_by_look_back).unwrap();
    for len in [0, 1, 300, 4096, 4097, 5 * 4096 + 1000] {
        let words = words(len);
        let (input, mut output) = (gpu.slice(&words), gpu.slice(&vec![0u32; len]));
        let (mut sums, mut tickets) = (gpu.slice(&vec![0u64; len / 4096]), gpu.slice(&[0u64]));
        scan.launch(&gpu, 3, (&input, &mut sums, &mut tickets, &mut output)).unwrap();
        compare(&output.to_vec(), &sums_before(&words)).unwrap();
    }
}

#[test]
fn tiles_are_summed_by_a_pipeline() {
    let (gpu, kernels) = gpu();
    let sum = kernels.kernel(kernels::sum_in_parts).unwrap();
    for tiles in [0, 1, 11] {
        let x = whole_numbers(1024 * tiles);
        let (on_x, mut total) = (gpu.slice(&x), gpu.slice(&[0.0f32]));
        sum.launch(&gpu, 2, (&on_x, &mut total)).unwrap();
        compare(&total.to_vec(), &[x.iter().sum()]).unwrap();
    }
}

#[test]
fn matrices_are_multiplied_by_vectors() {
    let (gpu, kernels) = gpu();
    let multiply = kernels.kernel(kernels::multiply_by_vector).unwrap();
    for (rows, columns) in [(1, 4), (19, 260)] {
        let (matrix, x) = (whole_numbers(rows * columns), whole_numbers(columns));
        let (on_matrix, on_x, mut y) = (gpu.slice(&matrix), gpu.slice(&x), gpu.slice(&vec![0.0f32; rows]));
        let on_matrix = Matrix::new(&on_matrix, rows as u32, columns as u32);
        multiply.launch(&gpu, 2, (on_matrix, &on_x, &mut y)).unwrap();
        compare(&y.to_vec(), &product(&matrix, &x)).unwrap();
    }
}
