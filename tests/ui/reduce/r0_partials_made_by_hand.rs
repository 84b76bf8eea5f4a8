//! The memory for the results of the warps is declared: nobody makes it from an address.

use ptx::launch::Cta;
use ptx::reduce::Partials;

pub fn kernel(cta: &Cta, value: f32) -> f32 {
    let mut partials: Partials<f32> = Partials { now: 0, next: 128, _values: core::marker::PhantomData };
    partials.reduce_add(cta, value)
}
