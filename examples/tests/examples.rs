//! Runs each example on the GPU, on sizes around those of its vectors, tiles and blocks. Without a GPU the tests say so and pass.

use std::io::Write as _;

use examples::{Gpu, is_no_gpu};
use ptx_host::Dim3;

/// Returns the GPU, or `None` if the machine has none.
fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error) if is_no_gpu(&*error) => {
            // By `write`: the test harness shows it even if the test passes.
            writeln!(std::io::stderr(), "skipped: {error}").unwrap();
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Numbers that look random, in 0..1.
fn numbers(len: usize) -> Vec<f32> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn vectors_are_added() {
    let Some(gpu) = gpu() else { return };
    for len in [1, 3, 4, 1023, 1024, 1025, 5_000_003] {
        let (x, y) = (numbers(len), numbers(len + 7)[7..].to_vec());
        let sum = gpu.vector_add(&x, &y).unwrap();
        assert!(sum.iter().zip(x.iter().zip(&y)).all(|(sum, (x, y))| *sum == x + y), "{len} elements");
    }
}

#[test]
fn rows_become_their_softmax() {
    let Some(gpu) = gpu() else { return };
    for (rows, columns) in [(1, 4), (3, 1024), (200, 1028), (5, 40_000)] {
        let matrix: Vec<f32> = numbers(rows * columns).into_iter().map(|x| 40.0 * x - 20.0).collect();
        let output = gpu.softmax(&matrix, columns as u32).unwrap();
        for (from, to) in matrix.chunks(columns).zip(output.chunks(columns)) {
            let greatest = from.iter().copied().fold(f32::MIN, f32::max);
            let sum: f64 = from.iter().map(|x| f64::from(x - greatest).exp()).sum();
            for (x, y) in from.iter().zip(to) {
                let expected = f64::from(x - greatest).exp() / sum;
                let error = (f64::from(*y) - expected).abs();
                assert!(error <= 1e-5 * expected + 1e-12, "{rows} by {columns}: {y} for {expected}");
            }
        }
    }
}

#[test]
fn matrices_are_transposed() {
    let Some(gpu) = gpu() else { return };
    for (width, height) in [(4, 4), (32, 32), (36, 100), (1024, 2052)] {
        let matrix = numbers(width * height);
        let output = gpu.transpose(&matrix, width as u64, height as u64).unwrap();
        for (i, element) in output.into_iter().enumerate() {
            let (row, column) = (i / height, i % height);
            assert_eq!(element, matrix[column * width + row], "{width} by {height}, element {i}");
        }
    }
}

#[test]
fn bytes_are_counted() {
    let Some(gpu) = gpu() else { return };
    for len in [1, 127, 128, 100_003, 3_000_000] {
        let words: Vec<u32> = numbers(len).into_iter().map(f32::to_bits).collect();
        let mut expected = vec![0; 256];
        words.iter().for_each(|word| expected[(word % 256) as usize] += 1);
        assert_eq!(gpu.histogram(&words).unwrap(), expected, "{len} words");
    }
}

#[test]
fn a_block_of_288_threads_with_many_registers_runs() {
    let Some(gpu) = gpu() else { return };
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let sums = gpu.accumulate(&x).unwrap();
    for (thread, sum) in sums.into_iter().enumerate() {
        let of_thread: Vec<f32> = x.iter().copied().skip(thread).step_by(288).collect();
        let expected: f32 =
            (0..96).map(|k| (k + 1) as f32 * of_thread.iter().map(|x| x + k as f32).sum::<f32>()).sum();
        assert!((sum - expected).abs() <= 1e-5 * expected, "thread {thread}: {sum} for {expected}");
    }
}

/// What the attribute states is what the driver reports.
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

/// Each stream waits for the work of the others on its memory, also where the last stream of the program is dropped with work on it.
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
