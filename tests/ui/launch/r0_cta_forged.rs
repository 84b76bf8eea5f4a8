//! A `Cta` comes from `Cta::enter` alone.

use core::marker::PhantomData;

use ptx::launch::Cta;

pub fn kernel() {
    let cta = Cta { _thread: PhantomData };
    cta.sync();
}
