//! Runs each example on the GPU, on sizes around those of its vectors, tiles and blocks. Without a GPU the tests say so and pass.

use std::io::Write as _;

use examples::expected::{self, *};
use examples::{Gpu, is_no_gpu};
use ptx_host::Dim3;

/// Returns the GPU, or `None` if the machine has none.
fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error) if is_no_gpu(&*error) => {
            // The test harness does not capture `writeln!`, so it shows the line even if the test passes.
            writeln!(std::io::stderr(), "skipped: {error}").unwrap();
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn vectors_are_added() {
    let Some(gpu) = gpu() else { return };
    for len in [1, 3, 4, 1023, 1024, 1025, 5_000_003] {
        let (x, y) = (numbers(len), numbers(len + 7)[7..].to_vec());
        let sum = gpu.vector_add(&x, &y).unwrap();
        compare(&sum, &expected::sums(&x, &y)).unwrap();
    }
}

#[test]
fn rows_become_their_softmax() {
    let Some(gpu) = gpu() else { return };
    for (rows, columns) in [(1, 4), (3, 1024), (200, 1028), (5, 40_000)] {
        let matrix = matrix(rows, columns);
        let output = gpu.softmax(&matrix, columns as u32).unwrap();
        compare_rounded(&output, &softmax(&matrix, columns)).unwrap();
    }
}

#[test]
fn matrices_are_transposed() {
    let Some(gpu) = gpu() else { return };
    for (width, height) in [(4, 4), (32, 32), (36, 100), (1024, 2052)] {
        let matrix = numbers(width * height);
        let output = gpu.transpose(&matrix, width as u64, height as u64).unwrap();
        compare(&output, &transposed(&matrix, width)).unwrap();
    }
}

#[test]
fn bytes_are_counted() {
    let Some(gpu) = gpu() else { return };
    for len in [1, 127, 128, 100_003, 3_000_000] {
        let words = words(len);
        compare(&gpu.histogram(&words).unwrap(), &counts_of_low_bytes(&words)).unwrap();
    }
}

#[test]
fn the_recipes_are_right() {
    let Some(gpu) = gpu() else { return };
    for len in [1, 3583, 3584, 1_000_003] {
        let (x, y) = (numbers(len), whole_numbers(len));
        compare(&gpu.axpy(2.0, &x, &y).unwrap(), &axpy(2.0, &x, &y)).unwrap();
        compare(&gpu.smooth(&y).unwrap(), &smoothed(&y)).unwrap();
        compare(&[gpu.sum(&y).unwrap()], &[y.iter().sum()]).unwrap();
    }
    for tiles in [1, 2, 1000] {
        let (x, words) = (whole_numbers(1024 * tiles), words(1024 * tiles));
        compare(&[gpu.sum_in_parts(&x).unwrap()], &[x.iter().sum()]).unwrap();
        compare(&gpu.scan(&words).unwrap(), &scanned(&words)).unwrap();
    }
    for (rows, columns) in [(1, 4), (300, 1028), (5, 8192)] {
        let (from, weights) = (matrix(rows, columns), numbers(columns));
        let output = gpu.normalize(&from, &weights, 1e-5).unwrap();
        compare_rounded(&output, &normalized(&from, &weights, 1e-5)).unwrap();
        let (whole, x) = (whole_numbers(rows * columns), whole_numbers(columns));
        compare(&gpu.multiply(&whole, &x).unwrap(), &product(&whole, &x)).unwrap();
    }
    assert!(gpu.scan(&[1; 1000]).is_err());
    for len in [1, 4096, 5_000_003] {
        let words = words(len);
        compare(&gpu.scan_by_look_back(&words).unwrap(), &sums_before(&words)).unwrap();
    }
}

#[test]
fn a_block_of_288_threads_with_many_registers_runs() {
    let Some(gpu) = gpu() else { return };
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let sums = gpu.accumulate(&x).unwrap();
    compare_rounded(&sums, &accumulated(&x)).unwrap();
}

/// Checks that the driver reports what the attribute states.
#[test]
fn the_driver_knows_the_stated_shapes() {
    let Some(gpu) = gpu() else { return };
    let kernels = gpu.kernels();
    let accumulate = *kernels.kernel(kernels::accumulate_sums).unwrap().function().attributes();
    assert!(accumulate.max_threads >= 288 && accumulate.registers <= 224, "{accumulate:?}");
    assert!(accumulate.registers >= 96 && accumulate.local_bytes == 0, "{accumulate:?}");
    let histogram = *kernels.kernel(kernels::count_bytes).unwrap().function().attributes();
    assert_eq!(histogram.required_cluster, Some(Dim3::from(4)));
    assert_eq!(histogram.required_block, Some(Dim3::from(128)));
}

/// Checks that each stream waits for the work of the others on its memory, also where the last stream of the program is dropped
/// with work on it.
#[test]
fn launches_on_several_streams_are_ordered() {
    const LEN: usize = 1 << 26;
    let Some(gpu) = gpu() else { return };
    let add = gpu.kernels().kernel(kernels::add_vectors).unwrap();
    let (default, context) = (gpu.stream(), gpu.stream().context());
    let ones = default.clone_htod(&vec![1.0f32; LEN]).unwrap();
    for round in 0..4 {
        let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let mut sums = [default.alloc_zeros::<f32>(LEN).unwrap(), first.alloc_zeros(LEN).unwrap()];
        for step in 0..40 {
            let [from, to] = &mut sums;
            let stream = [&first, &second][(step + round) % 2];
            add.launch(stream, 132, (&ones, &*from, &mut *to)).unwrap();
            // A read by another stream, whose event takes the place of the launch's.
            let other = [&second, default][step % 2];
            let mut copy = other.alloc_zeros::<f32>(1).unwrap();
            other.memcpy_dtod(&from.slice(..1), &mut copy).unwrap();
            sums.swap(0, 1);
        }
        drop((first, second));
        let [mut sum, rest] = sums;
        add.launch(default, 132, (&ones, &rest, &mut sum)).unwrap();
        drop(rest);
        let sum = default.clone_dtoh(&sum).unwrap();
        assert!(
            sum.iter().all(|sum| *sum == 40.0),
            "round {round}: {:?}",
            sum.iter().find(|sum| **sum != 40.0)
        );
    }
}
