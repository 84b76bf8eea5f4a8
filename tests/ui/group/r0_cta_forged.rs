//! Only `Cta::enter` makes a `Cta`.

use core::marker::PhantomData;

use ptx::group::Cta;

pub fn kernel() {
    #[cfg(not(fixed))]
    let cta = Cta { _thread: PhantomData };
    // SAFETY: the kernel's first call.
    #[cfg(fixed)]
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    cta.sync();
}
