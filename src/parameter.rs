//! What host and device agree on for the parameters of kernels: the kinds of arguments, and hashes of types.

/// Hashes words (FNV-1a), for the `LAYOUT`s of host and device. Two compilers compile these, so the hash is not that of `core`.
#[doc(hidden)]
pub const fn layout(words: &[u64]) -> u64 {
    let (mut hash, mut i) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while i < words.len() {
        let bytes = words[i].to_le_bytes();
        let mut byte = 0;
        while byte < 8 {
            hash = (hash ^ bytes[byte] as u64).wrapping_mul(0x0100_0000_01b3);
            byte += 1;
        }
        i += 1;
    }
    hash
}

/// Hashes a name, such as that of a type, for a `LAYOUT` that host and device compare.
#[doc(hidden)]
pub const fn layout_of_name(name: &str) -> u64 {
    let (mut hash, mut i) = (name.len() as u64, 0);
    while i < name.len() {
        hash = layout(&[hash, name.as_bytes()[i] as u64]);
        i += 1;
    }
    hash
}

/// What a host passes for a [`Parameter`](crate::launch::Parameter). `ptx-launch` has an argument for each.
#[doc(hidden)]
#[allow(missing_docs)]
pub mod kind {
    use core::marker::PhantomData;

    use crate::qualifier::Sealed;

    /// Kinds of launch arguments whose contract the launch can establish, so that a kernel with them can be safe.
    #[diagnostic::on_unimplemented(
        message = "a launch cannot keep the contract of this parameter, so the kernel cannot be safe",
        label = "a raw pointer, or atomics of a narrower scope than `scope::Gpu`",
        note = "pass memory as a handle, such as `Global<T>`, or declare the kernel as `unsafe fn` with a `# Safety` section"
    )]
    pub trait SafeKind: Sealed {}

    macro_rules! kinds {
        ($( $(#[$doc:meta])* $Kind:ident<$($T:ident),* $(; $N:ident)?> )*) => { $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $Kind<$($T,)* $(const $N: usize)?>(PhantomData<($($T,)*)>);
            impl<$($T,)* $(const $N: usize)?> Sealed for $Kind<$($T,)* $($N)?> {}
        )* };
    }
    kinds! {
        /// Launch argument of a [`Plain`](crate::launch::Plain) parameter: a value of type `T`.
        Value<T>
        /// Launch argument of a raw-pointer parameter: a device address, which the launch cannot check.
        Address<T>
        /// Launch argument of a read-only slice (`Global`): device memory that the grid only reads, aligned to 16 bytes.
        Slice<T>
        /// Launch argument of a writable slice (such as `GlobalMut`): exclusive device memory, aligned to `ALIGN` bytes and to
        /// an element.
        SliceMut<T; ALIGN>
        /// Launch argument of a writable slice with 32-bit indices: exclusive device memory, aligned to an element, whose length,
        /// plus the number of threads of the grid, is less than 2^32.
        SliceMut32<T>
        /// Launch argument of a `GlobalAtomics`: exclusive device memory for atomic operations in scope `S`.
        Atomics<T, S>
        /// Launch argument of a read-only matrix (`GlobalMatrix`): device memory that the grid only reads, with rows and columns.
        Matrix<T>
        /// Launch argument of a writable matrix (such as `GlobalMatrixMut`): exclusive device memory with rows and columns.
        MatrixMut<T>
        /// Launch argument of a `TensorMap`: a tensor that the grid reads by copies of shape `S` (TMA).
        Tensor<T, S>
        /// Launch argument of a `TensorMapMut`: a tensor that the grid stores to by copies of shape `S` (TMA).
        TensorMut<T, S>
        /// Launch argument of a `TensorMapReduce`: a tensor that the grid reduces into by copies of shape `S` (TMA).
        TensorReduce<T, S>
    }

    impl<T> SafeKind for Value<T> {}
    impl<T> SafeKind for Slice<T> {}
    impl<T, const ALIGN: usize> SafeKind for SliceMut<T, ALIGN> {}
    impl<T> SafeKind for SliceMut32<T> {}
    impl<T> SafeKind for Atomics<T, crate::qualifier::scope::Gpu> {}
    impl<T> SafeKind for Atomics<T, crate::qualifier::scope::Sys> {}
    impl<T> SafeKind for Matrix<T> {}
    impl<T> SafeKind for MatrixMut<T> {}
    impl<T, S> SafeKind for Tensor<T, S> {}
    impl<T, S> SafeKind for TensorMut<T, S> {}
    impl<T, S> SafeKind for TensorReduce<T, S> {}
}
