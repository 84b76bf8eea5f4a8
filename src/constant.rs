//! Constant memory: tables that are part of the module (`__constant__`), declared by
//! [`constant_memory!`](crate::constant_memory).

use crate::launch::Plain;

/// Asserts that constant memory can hold a `T`.
#[doc(hidden)]
pub const fn assert_constant<T: Plain>() {
    assert!(
        size_of::<T>() > 0 && size_of::<T>() <= 1 << 16,
        "a module has 64 KiB of constant memory: make the table smaller, read it from global memory (`Global`), or load it into \
         shared memory"
    );
}

/// Declares tables in constant memory (`__constant__`), which the driver fills when it loads the module.
///
/// A declaration is a `static` of [`Plain`](crate::launch::Plain) data with a constant value. Every thread reads it as any other
/// static of Rust, on the host too. All tables that the kernels of a module read have 64 KiB together.
///
/// The constant cache gives a warp one address at a time: constant memory is for what all threads of a warp read alike. Where
/// threads read different elements, shared memory ([`SharedTable`](crate::shared::SharedTable)) is faster. An index that is known at
/// run time is checked: `TABLE[i & 63]` and `TABLE.get(i)` have no path to a panic.
///
/// A table that the host changes between two launches is a parameter of the kernel, by value
/// ([`#[derive(Plain)]`](crate::Plain)): each launch then has its own, where a second launch would overwrite a `__constant__` variable
/// under the first.
///
/// PTX: `.const .align A .b8 name[SIZE] = {…};`, read by `ld.const`
///
/// ```
/// # use ptx::{global::GlobalElementsMut, group::Cta};
/// const fn squares() -> [u32; 64] {
///     let (mut table, mut i) = ([0; 64], 0);
///     while i < 64 {
///         table[i] = (i * i) as u32;
///         i += 1;
///     }
///     table
/// }
/// ptx::constant_memory! {
///     /// The squares of 0 to 63.
///     static SQUARES: [u32; 64] = squares();
///     pub static WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
/// }
/// # fn kernel(cta: &Cta, out: GlobalElementsMut<u32>) {
/// for (i, out) in out.elements(cta) {
///     out.write(SQUARES[i & 63]);
/// }
/// # }
/// ```
#[macro_export]
#[doc(alias = "__constant__")]
macro_rules! constant_memory {
    ($( $(#[$attribute:meta])* $vis:vis static $NAME:ident: $T:ty = $value:expr; )*) => { $(
        $(#[$attribute])*
        // `ptx-link` moves the variables of this section into constant memory.
        #[cfg_attr(target_arch = "nvptx64", unsafe(link_section = ".ptx.constant"))]
        $vis static $NAME: $T = {
            const { $crate::constant::assert_constant::<$T>() };
            $value
        };
    )* };
}
