//! Host and device lay a struct out alike only if it is `repr(C)`.

#[cfg(not(fixed))]
#[derive(ptx::Plain, Clone, Copy)]
pub struct Scale {
    pub by: f32,
}

#[cfg(fixed)]
#[derive(ptx::Plain, Clone, Copy)]
#[repr(C)]
pub struct Scale {
    pub by: f32,
}
