//! `invoke_one` takes handles and a closure that returns them.

use ptx::group::Cta;

pub fn kernel(cta: &mut Cta, flag: &mut bool) {
    #[cfg(not(fixed))]
    cta.invoke_one(|thread| *flag = true).sync(cta);
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| *flag = true);
}
