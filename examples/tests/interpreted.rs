//! Runs the kernel of each example in the interpreter, on any machine: under several schedules, on sizes around those of its
//! vectors, tiles and blocks. A race, a missing wait or an access out of bounds fails the test.

mod support;

use ptx_emu::{Emulator, Kernels, Matrix, Tensor};
use support::*;

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
        assert_sums(&x, &y, &sums.to_vec());
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
        assert_softmax(&matrix, columns, &output.to_vec());
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
        assert_transposed(&matrix, width, height, &output.to_vec());
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
        assert_eq!(counts.to_vec(), counts_of_low_bytes(&words), "{len} words");
    }
}

#[test]
fn a_block_of_288_threads_accumulates() {
    let (gpu, kernels) = gpu();
    let accumulate = kernels.kernel(kernels::accumulate_sums).unwrap();
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let (input, mut sums) = (gpu.slice(&x), gpu.slice(&[0.0f32; 288]));
    accumulate.launch(&gpu, 1, (&input, &mut sums)).unwrap();
    assert_accumulated(&x, &sums.to_vec());
}
