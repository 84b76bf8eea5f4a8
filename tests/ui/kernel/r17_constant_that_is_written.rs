//! Constant memory holds plain data, which no thread can write.

use core::sync::atomic::AtomicU32;

#[cfg(not(fixed))]
ptx::constant_memory! {
    static COUNT: AtomicU32 = AtomicU32::new(0);
}

#[cfg(fixed)]
ptx::constant_memory! {
    static COUNT: u32 = 0;
}

pub fn kernel() -> u32 {
    #[cfg(not(fixed))]
    {
        COUNT.fetch_add(1, core::sync::atomic::Ordering::Relaxed)
    }
    #[cfg(fixed)]
    {
        let _unused: Option<AtomicU32> = None;
        COUNT
    }
}
