//! The inputs of the tests, and the checks of their results.

/// Returns numbers that look random, in 0..1.
pub fn numbers(len: usize) -> Vec<f32> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..len).map(|_| next()).collect()
}

pub fn assert_sums(x: &[f32], y: &[f32], sums: &[f32]) {
    assert_eq!(sums.len(), x.len());
    for (i, sum) in sums.iter().enumerate() {
        assert_eq!(*sum, x[i] + y[i], "element {i} of {}", x.len());
    }
}

/// Returns a matrix of numbers between -20 and 20.
pub fn matrix(rows: usize, columns: usize) -> Vec<f32> {
    numbers(rows * columns).into_iter().map(|x| 40.0 * x - 20.0).collect()
}

pub fn assert_softmax(matrix: &[f32], columns: usize, output: &[f32]) {
    assert_eq!(output.len(), matrix.len());
    for (row, (from, to)) in matrix.chunks(columns).zip(output.chunks(columns)).enumerate() {
        let greatest = from.iter().copied().fold(f32::MIN, f32::max);
        let sum: f64 = from.iter().map(|x| f64::from(x - greatest).exp()).sum();
        for (x, y) in from.iter().zip(to) {
            let expected = f64::from(x - greatest).exp() / sum;
            let error = (f64::from(*y) - expected).abs();
            assert!(error <= 1e-5 * expected + 1e-12, "row {row} of {columns}: {y} for {expected}");
        }
    }
}

pub fn assert_transposed(matrix: &[f32], width: usize, height: usize, output: &[f32]) {
    assert_eq!(output.len(), matrix.len());
    for (i, element) in output.iter().enumerate() {
        let (row, column) = (i / height, i % height);
        assert_eq!(*element, matrix[column * width + row], "{width} by {height}, element {i}");
    }
}

/// Returns words that look random.
pub fn words(len: usize) -> Vec<u32> {
    numbers(len).into_iter().map(f32::to_bits).collect()
}

/// Returns how often each low byte occurs in the words.
pub fn counts_of_low_bytes(words: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; 256];
    words.iter().for_each(|word| counts[(word % 256) as usize] += 1);
    counts
}

/// Checks the sums of 288 threads, each with 96 accumulators.
pub fn assert_accumulated(x: &[f32], sums: &[f32]) {
    assert_eq!(sums.len(), 288);
    for (thread, sum) in sums.iter().enumerate() {
        let of_thread: Vec<f32> = x.iter().copied().skip(thread).step_by(288).collect();
        let expected: f32 =
            (0..96).map(|k| (k + 1) as f32 * of_thread.iter().map(|x| x + k as f32).sum::<f32>()).sum();
        assert!((sum - expected).abs() <= 1e-5 * expected, "thread {thread}: {sum} for {expected}");
    }
}
