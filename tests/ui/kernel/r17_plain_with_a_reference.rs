//! The device cannot follow a reference of the host.

#[cfg(not(fixed))]
#[derive(ptx::Plain, Clone, Copy)]
#[repr(C)]
pub struct Scale {
    pub by: &'static f32,
}

#[cfg(fixed)]
#[derive(ptx::Plain, Clone, Copy)]
#[repr(C)]
pub struct Scale {
    pub by: f32,
}
