//! The functions that the library exports: each call runs under the lock, and no panic crosses to C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};

use cudarc::driver::sys::CUresult::{self, *};

use crate::boundary::{Failure, Result, is_in_host_function, say};
use crate::driver::Driver;

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(Mutex::default);

/// Runs an exported function, under the lock. A panic ends here.
pub fn call(name: &str, needs_init: bool, body: impl FnOnce(&mut Driver) -> Result) -> CUresult {
    if is_in_host_function() {
        return CUDA_ERROR_NOT_PERMITTED;
    }
    let run = || {
        let mut driver = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
        if needs_init && !driver.initialized {
            return Err(CUDA_ERROR_NOT_INITIALIZED.into());
        }
        body(&mut driver)
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => CUDA_SUCCESS,
        Ok(Err(Failure { code, why })) => {
            why.iter().for_each(|why| say(format_args!("{name}: {why}")));
            code
        }
        Err(_) => {
            say(format_args!("{name}: the panic above is a bug of ptx-emu; the call fails"));
            CUDA_ERROR_UNKNOWN
        }
    }
}

/// Defines exported functions, and `find`, which returns their addresses by name. `before init` allows calls before `cuInit`.
macro_rules! exports {
    ($($(#[$doc:meta])* $(before $init:ident)? fn $name:ident($($arg:ident: $ty:ty),* $(,)?) |$driver:pat_param| $body:block)*) => {
        $(
            $(#[$doc])*
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> cudarc::driver::sys::CUresult {
                let needs_init = true $(&& stringify!($init) != "init")?;
                $crate::exports::call(stringify!($name), needs_init, |$driver: &mut $crate::driver::Driver| {
                    $body
                    #[allow(unreachable_code)]
                    Ok(())
                })
            }
        )*

        pub fn find(name: &str) -> Option<usize> {
            match name {
                $(stringify!($name) => Some(($name as extern "C" fn($($ty),*) -> cudarc::driver::sys::CUresult) as usize),)*
                _ => None,
            }
        }
    };
}
pub(crate) use exports;
