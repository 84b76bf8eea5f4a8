//! Softmax of scores that come block by block, for kernels of attention.

use ptx::math::{ex2_ftz, fma};
use ptx::qualifier::Columns;
use ptx::wgmma::{Accumulator, PerRow};

/// What is subtracted from the scores of each row, and the thread's sums of exponentials.
pub(crate) struct Softmax {
    pub(crate) largest: PerRow<f32>,
    pub(crate) sums: PerRow<f32>,
}

impl Softmax {
    /// Before the first score. A finite number, so that no exponent is infinity minus infinity.
    pub(crate) const LOWEST: f32 = -1e30;

    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { largest: PerRow::new(Self::LOWEST), sums: PerRow::new(0.0) }
    }

    /// Returns the exponentials of the scores relative to `largest`, which is from now on subtracted, and the factors that correct
    /// what was computed with the value before. `scale` is that of the scores by the logarithm of 2.
    #[inline(always)]
    pub(crate) fn step<N: Columns>(
        &mut self,
        scores: Accumulator<N>,
        largest: PerRow<f32>,
        scale: f32,
    ) -> (Accumulator<N>, PerRow<f32>) {
        let correction = self.largest.zip(largest, |before, now| ex2_ftz((before - now) * scale));
        let exponentials = scores
            .map_rows(largest.map(|x| x * -scale), |score, largest| ex2_ftz(fma(score, scale, largest)));
        self.largest = largest;
        self.sums = self.sums.zip(correction, |sum, factor| sum * factor);
        self.sums = self.sums.zip(exponentials.fold_rows(|x, y| x + y), |x, y| x + y);
        (exponentials, correction)
    }
}
