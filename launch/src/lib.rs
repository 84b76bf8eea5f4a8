//! Launches of kernels of `ptx` on any backend: their shapes, their arguments, their tensor maps, and the rules of these.
//!
//! A backend implements [`Function`] for its kernels, [`Memory`] and [`MemoryMut`] for its memory, and loads kernels.
//! [`Launcher`] then launches them by the types of `#[ptx::kernel]`. `ptx-host` is the backend for CUDA, and exports all of this
//! crate, so a program names `ptx-host` alone. An emulator is another backend.

mod argument;
mod arguments;
mod config;
mod launcher;
mod memory;
mod tensor;

pub use argument::{Argument, Matrix, Tensor};
pub use arguments::{Arguments, ByName, KernelArguments, NoPadding};
pub use config::{Dim3, LaunchConfig, LaunchLimits, LaunchProblem};
pub use launcher::{Function, Grid, Launcher};
pub use memory::{Memory, MemoryMut, Region};
pub use tensor::{
    CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle, TensorElement, TensorMapBuilder, TensorMapMode, TensorMapParameters,
    TensorMapProblem, TensorMemory,
};

/// Paths for [`__images!`], which its user cannot shadow.
#[doc(hidden)]
pub mod __private {
    pub use core;
}

/// Returns the images that `ptx-build` has written to the file of this name in the build script of the user's crate. The macros
/// `kernels!` have this part in common.
#[doc(hidden)]
#[macro_export]
macro_rules! __images {
    ($name:literal) => {{
        mod images {
            $crate::__private::core::include!($crate::__private::core::concat!(
                $crate::__private::core::env!("OUT_DIR"),
                "/",
                $name,
                ".rs"
            ));
        }
        const _: () = $crate::assert_file_name($name);
        images::made_by_ptx_link!([$crate::__made_by_ptx_link])
    }};
}

/// The word of a generated file that the images with these targets and names, in the same folder, are those of `ptx-link`. The
/// word names files, so it cannot be borrowed for images of another place.
#[doc(hidden)]
#[macro_export]
macro_rules! __made_by_ptx_link {
    (unsafe(made_by_ptx_link) $($target:literal: $file:literal),*) => {{
        // SAFETY: the file that names the images says the word.
        const IMAGES: $crate::Images = unsafe {
            $crate::Images::new(&[$((
                $target,
                $crate::__private::core::include_bytes!($crate::__private::core::concat!(
                    $crate::__private::core::env!("OUT_DIR"),
                    "/",
                    $file
                )),
            )),*])
        };
        IMAGES
    }};
}

/// The images of a device crate that `ptx-link` has made, each with its target. The file that `ptx-build` generates says so, by
/// the word `unsafe`: another file of the same folder gives no images unless it says the word too.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Images(&'static [(&'static str, &'static [u8])]);

impl Images {
    /// Makes the value for the file that has the images.
    ///
    /// # Safety
    ///
    /// The images are the PTX or cubins that `ptx-link` made of a device crate, unchanged.
    #[must_use]
    pub const unsafe fn new(images: &'static [(&'static str, &'static [u8])]) -> Self {
        Self(images)
    }

    /// Returns the images.
    #[must_use]
    pub const fn get(self) -> &'static [(&'static str, &'static [u8])] {
        self.0
    }
}

/// Refuses a name of `kernels!` that leads out of the folder that the build script writes to.
#[doc(hidden)]
pub const fn assert_file_name(name: &str) {
    let (name, mut i) = (name.as_bytes(), 0);
    while i < name.len() {
        assert!(
            !matches!(name[i], b'/' | b'\\' | b':'),
            "`kernels!` takes the name of a file that `ptx-build` has written, without a folder: give the name that the build \
             script gives `ptx_build::Kernels::name`, or none"
        );
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_of_kernels_names_no_folder() {
        let refuses =
            |name: &'static str| std::panic::catch_unwind(|| super::assert_file_name(name)).is_err();
        assert!(!refuses("ptx_kernels") && !refuses("more.kernels-2"));
        assert!(["../../x", "/tmp/x", "..\\x", "c:x"].into_iter().all(refuses));
    }
}
