//! `nanosleep` (`__nanosleep()`; PTX ISA 9.7.19.2).

instruction! {
    /// Suspends the thread for 0 to `2 * t` nanoseconds, at most 1 ms (`__nanosleep()`).
    fn nanosleep(t: u32 = reg32);
    form: "nanosleep.u32 t;";
    ptx: "nanosleep" .. ".u32 {t};";
    isa: "6.3", target: "sm_70", section: "9.7.19.2";
}
