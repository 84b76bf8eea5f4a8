//! Only `Cta::enter` makes a `Cta`.

use core::marker::PhantomData;

use ptx::launch::Cta;

pub fn kernel() {
    let cta = Cta { _thread: PhantomData };
    cta.sync();
}
