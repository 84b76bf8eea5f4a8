//! Checks of the kernels in half precision, against models on the host in double precision.

use anyhow::{Context as _, Result, ensure};
use ptx::{bf16, f16};
use ptx_host::Matrix;
use rayon::prelude::*;

use crate::check::Check;
use crate::device::{Device, Element};
use crate::library_checks::{Run, seeded, small_floats};
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 2] = ["add_rms_norm_f16", "add_rms_norm_bf16"];

/// Seeds of each of [`KERNELS`] on an emulated device: for less than a vector of each thread, and for several.
const EMULATED: [&[u32]; 2] = [&[6, 3, 0], &[7, 4, 1]];

/// Returns the check of each of [`KERNELS`] for one seed.
fn runs<D: Device>() -> [Run<D>; 2] {
    [add_rms_norm_f16, add_rms_norm_bf16]
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    seeded(options, KERNELS.into_iter().zip(runs::<D>()).zip(EMULATED))
}

/// A type of half precision.
pub trait Half: Element + Send + Sync {
    /// Half of the greatest distance of adjacent numbers, relative to them.
    const ERROR: f64;
    const NAN: Self;
    /// Rounds to the nearest number.
    fn nearest(x: f64) -> Self;
    fn wide(self) -> f64;
    fn bits(self) -> u16;
    fn of_bits(bits: u16) -> Self;
}

macro_rules! halves {
    ($( $T:ident $bits:literal )*) => { $(
        impl Half for $T {
            const ERROR: f64 = 1.0 / (1_u32 << $bits) as f64;
            const NAN: Self = $T::NAN;
            fn nearest(x: f64) -> Self {
                $T::from_f64(x)
            }
            fn wide(self) -> f64 {
                self.to_f64()
            }
            fn bits(self) -> u16 {
                self.to_bits()
            }
            fn of_bits(bits: u16) -> Self {
                $T::from_bits(bits)
            }
        }
    )* };
}
halves! { f16 11 bf16 8 }

/// Returns halves between -1 and 1.
pub fn small_halves<T: Half>(seed: u32, n: usize) -> Vec<T> {
    small_floats(seed, n).into_par_iter().map(|x| T::nearest(x.into())).collect()
}

/// Fails unless each element is the expected one, rounded to `T`, within a relative error of 2^-16 before the rounding.
pub fn check_rounded<T: Half>(got: &[T], want: impl IntoIterator<Item = f64>) -> Result<()> {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let tolerance = want.abs() * (T::ERROR + 1.0 / 65536.0) + 1e-7;
        ensure!((got.wide() - want).abs() <= tolerance, "element {i} is {}, want {want}", got.wide());
    }
    Ok(())
}

/// Returns the sums of two rows, and the sums divided by their root mean square, times the weights.
pub fn added_and_normalized<T: Half>(
    x: &[T],
    residual: &[T],
    weights: &[T],
    epsilon: f32,
) -> (Vec<T>, Vec<f64>) {
    let sums: Vec<T> = x.iter().zip(residual).map(|(x, y)| T::nearest(x.wide() + y.wide())).collect();
    let mean = sums.iter().map(|x| x.wide().powi(2)).sum::<f64>() / sums.len() as f64;
    let scale = 1.0 / (mean + f64::from(epsilon)).sqrt();
    let normalized = sums.iter().zip(weights).map(|(x, weight)| x.wide() * scale * weight.wide()).collect();
    (sums, normalized)
}

/// Makes a check for each instance of a kernel.
macro_rules! instances {
    ($( $check:ident $T:ident; )* |$device:ident, $kernel:ident, $seed:ident| $module:ident::$name:ident, $run:block) => { $(
        fn $check<D: Device>($device: &D, loaded: &D::Loaded, $seed: u32) -> Result<()> {
            type T = $T;
            let $kernel = D::entry(loaded, ptx_kernels::$module::$name::<T>)?;
            $run
        }
    )* };
}

instances! {
    add_rms_norm_f16 f16;
    add_rms_norm_bf16 bf16;
    |device, kernel, seed| add_rms_norm::add_rms_norm, {
        const EPSILON: f32 = 1e-3;
        // Fewer vectors than threads, as many, more, and the maximum.
        const COLUMNS: [usize; 8] = [8, 1024, 2040, 2048, 2056, 8192, 12_296, 16_384];
        let (rows, columns) = (1 + seed as usize * 5 % 7, COLUMNS[seed as usize % COLUMNS.len()]);
        let (x, residual): (Vec<T>, Vec<T>) =
            (small_halves(seed, rows * columns), small_halves(seed + 1, rows * columns));
        let weights: Vec<T> = small_halves(seed + 2, columns);
        let (of_x, factors) = (device.memory(&x)?, device.memory(&weights)?);
        for grid in [1, 3, 2 * rows as u32] {
            let (mut sums, mut output) = (device.memory(&residual)?, device.memory(&vec![T::NAN; x.len()])?);
            let [m, n] = [rows as u32, columns as u32];
            let of_twin =
                (D::address(&of_x), D::address(&sums), D::address(&factors), D::address(&output), m, n, EPSILON);
            let (from, old) = (Matrix::new(D::read(&of_x), m, n), Matrix::new(D::write(&mut sums), m, n));
            let arguments =
                (from, old, D::read(&factors), Matrix::new(D::write(&mut output), m, n), m, n, EPSILON);
            // SAFETY: the rows are packed, their length is a multiple of eight, and there is a weight for each column.
            unsafe { kernel.launch(device, grid, arguments, of_twin)? };
            let (sums, output) = (device.to_vec(&sums)?, device.to_vec(&output)?);
            for row in 0..rows {
                let of_row = row * columns..(row + 1) * columns;
                let (want, normalized) =
                    added_and_normalized(&x[of_row.clone()], &residual[of_row.clone()], &weights, EPSILON);
                let of = || format!("row {row} of {rows} of {columns} columns, {grid} blocks");
                ensure!(sums[of_row.clone()] == want, "the sums of {} are wrong", of());
                check_rounded(&output[of_row], normalized).with_context(of)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_norm_has_a_root_mean_square_of_one() {
        let [x, residual, ones] = [[3.0, 0.5], [0.0, -4.5], [1.0, 1.0]].map(|row| row.map(f16::from_f32));
        let (sums, normalized) = added_and_normalized(&x, &residual, &ones, 0.0);
        assert_eq!(sums, [3.0, -4.0].map(f16::from_f32));
        assert!((normalized.iter().map(|x| x * x).sum::<f64>() - 2.0).abs() < 1e-12, "{normalized:?}");
    }

    #[test]
    fn an_element_may_have_the_error_of_its_rounding() {
        let [x, next] = [1.0, 1.0 + 1.0 / 128.0].map(bf16::from_f32);
        assert!(check_rounded(&[x], [1.0 + 1.0 / 256.0]).is_ok());
        assert!(check_rounded(&[next], [1.0]).is_err());
    }
}
