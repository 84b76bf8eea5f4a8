//! The device cannot follow a reference of the host.

#[derive(ptx::Plain, Clone, Copy)]
#[repr(C)]
pub struct Scale {
    pub by: &'static f32,
}
