//! The distance between vectors is not 0: the loop would never end.

use ptx::global::Global;

pub fn kernel(x: Global<f32>, y: Global<f32>) {
    #[cfg(not(fixed))]
    x.for_each_pair::<f32, 4, 0>(y, 0, |_, _| {});
    #[cfg(fixed)]
    x.for_each_pair::<f32, 4, 32>(y, 0, |_, _| {});
}
