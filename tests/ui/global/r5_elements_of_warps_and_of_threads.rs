//! Elements are dealt out once, to warps or to threads.

use ptx::global::GlobalElementsMut;
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, y: GlobalElementsMut<f32>) {
    for (_, element) in y.warp_elements(cta) {
        element.inspect(|element| element.write(0.0));
    }
    #[cfg(not(fixed))]
    y.elements(cta).for_each(|(_, element)| element.write(1.0));
}
