//! Host and device lay a struct out alike only if it is `repr(C)`.

#[derive(ptx::Plain, Clone, Copy)]
#[repr(C)]
pub struct Scale {
    pub by: f32,
}
