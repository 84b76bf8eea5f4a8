//! Elements of shared and global memory: plain data (`.b8` to `.b128`), with their loads and stores.

use crate::fp8::Fp8;
use crate::qualifier::{B128, Sealed, scope, sem, space, ty};
use crate::raw;

/// A plain-data element of shared memory: any bit pattern is a value (as `bytemuck::Pod`).
///
/// # Safety
///
/// Implemented in this crate only.
///
/// 1. The type has 1, 2, 4, 8 or 16 bytes, without padding or invalid values.
/// 2. `Vector` is an array of `Self` with 16 bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of shared memory",
    label = "not a plain number",
    note = "a copy can leave any bits in an element, so an element is an integer of 8 to 64 bits, `f32`, `f64`, `B128`, `f16`, `bf16` or a pair of `f16` or `bf16`"
)]
pub unsafe trait Element: Copy + Sealed + 'static {
    /// Sixteen bytes of elements, as `float4`, moved by one instruction: `.v4.b32`, `.v2.b64` for elements of 64 bits, or `.b128`
    /// for elements of 128 bits.
    type Vector: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// Loads one element from the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// `addr` is the `.shared::cta` address of an element, aligned to the element's size. No thread and no copy writes the
    /// element at the same time.
    unsafe fn load(addr: u32) -> Self;

    /// Stores one element in the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// The clause of [`load`](Element::load) holds, and no thread and no copy reads the element at the same time.
    unsafe fn store(addr: u32, value: Self);

    /// Loads sixteen bytes of elements from the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// The clause of [`load`](Element::load) holds for the sixteen bytes at `addr`, which are aligned to 16.
    unsafe fn load_vector(addr: u32) -> Self::Vector;

    /// Stores sixteen bytes of elements in the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// The clauses of [`store`](Element::store) hold for the sixteen bytes at `addr`, which are aligned to 16.
    unsafe fn store_vector(addr: u32, value: Self::Vector);

    /// Loads one element from the shared memory of any CTA of the cluster (distributed shared memory, DSMEM).
    ///
    /// # Safety
    ///
    /// The clause of [`load`](Element::load) holds for the `.shared::cluster` address `addr`, in a CTA that has not exited.
    ///
    /// ```
    /// # use ptx::{raw, shared::{Element, Published, Shared}};
    /// # unsafe fn kernel(tile: &Shared<'_, u32, 64, Published>) {
    /// // SAFETY: CTA 1 publishes its tile before a cluster barrier that this thread has passed, and exits after a later one.
    /// let x = unsafe { u32::load_cluster(raw::mapa_shared_cluster(tile.addr(), 1)) };
    /// # }
    /// ```
    unsafe fn load_cluster(addr: u32) -> Self;

    /// Stores one element in the shared memory of any CTA of the cluster (DSMEM).
    ///
    /// # Safety
    ///
    /// The clauses of [`store`](Element::store) hold for the `.shared::cluster` address `addr`, in a CTA that has not exited.
    unsafe fn store_cluster(addr: u32, value: Self);

    /// Loads sixteen bytes of elements from the shared memory of any CTA of the cluster (DSMEM).
    ///
    /// # Safety
    ///
    /// The clause of [`load_vector`](Element::load_vector) holds for the `.shared::cluster` address `addr`, in a CTA that has not
    /// exited.
    unsafe fn load_vector_cluster(addr: u32) -> Self::Vector;

    /// Stores sixteen bytes of elements in the shared memory of any CTA of the cluster (DSMEM).
    ///
    /// # Safety
    ///
    /// The clauses of [`store_vector`](Element::store_vector) hold for the `.shared::cluster` address `addr`, in a CTA that has
    /// not exited.
    unsafe fn store_vector_cluster(addr: u32, value: Self::Vector);

    /// Stores one element in global memory, into which other threads of the GPU may store at the same time
    /// (`st.relaxed.gpu.global`).
    ///
    /// # Safety
    ///
    /// `at` is the address of an element of global memory, aligned to the element's size. Concurrent accesses to the element are
    /// atomic and of its size, in the scope of the GPU or of the system.
    unsafe fn store_relaxed(at: *mut Self, value: Self);
}

/// Reinterprets the bits of a value as another type of the same size.
///
/// # Safety
///
/// Both types are plain data.
#[inline(always)]
pub(crate) unsafe fn bits<From: Copy, To: Copy>(from: From) -> To {
    const { assert!(size_of::<From>() == size_of::<To>()) };
    // SAFETY: the sizes are equal (asserted), and any bit pattern is a value of `To` (`# Safety`).
    unsafe { core::mem::transmute_copy(&from) }
}

macro_rules! elements {
    ($( $T:ty: $lanes:literal, $Bits:ident, $ld_vector:ident $st_vector:ident $VectorBits:ident; )*) => { $(
        impl Sealed for $T {}
        // SAFETY: a number, or two numbers, without padding and without invalid values.
        unsafe impl Element for $T {
            type Vector = [$T; $lanes];
            #[inline(always)]
            unsafe fn load(addr: u32) -> Self {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of one size.
                unsafe { bits(raw::ld_weak(space::SharedCta, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn store(addr: u32, value: Self) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of one size.
                unsafe { raw::st_weak(space::SharedCta, ty::$Bits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_vector(addr: u32) -> Self::Vector {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { bits(raw::$ld_vector(space::SharedCta, ty::$VectorBits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_vector(addr: u32, value: Self::Vector) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { raw::$st_vector(space::SharedCta, ty::$VectorBits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_cluster(addr: u32) -> Self {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of one size.
                unsafe { bits(raw::ld_weak(space::SharedCluster, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_cluster(addr: u32, value: Self) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of one size.
                unsafe { raw::st_weak(space::SharedCluster, ty::$Bits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_vector_cluster(addr: u32) -> Self::Vector {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { bits(raw::$ld_vector(space::SharedCluster, ty::$VectorBits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_vector_cluster(addr: u32, value: Self::Vector) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { raw::$st_vector(space::SharedCluster, ty::$VectorBits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn store_relaxed(at: *mut Self, value: Self) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of one size.
                unsafe { raw::st(sem::Relaxed, scope::Gpu, space::Global, ty::$Bits, at.cast(), bits(value)) }
            }
        }
    )* };
}

elements! {
    u8: 16, B8, ld_weak_v4 st_weak_v4 B32;
    i8: 16, B8, ld_weak_v4 st_weak_v4 B32;
    Fp8<ty::E4m3>: 16, B8, ld_weak_v4 st_weak_v4 B32;
    Fp8<ty::E5m2>: 16, B8, ld_weak_v4 st_weak_v4 B32;
    u16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    i16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    u32: 4, B32, ld_weak_v4 st_weak_v4 B32;
    i32: 4, B32, ld_weak_v4 st_weak_v4 B32;
    f32: 4, B32, ld_weak_v4 st_weak_v4 B32;
    u64: 2, B64, ld_weak_v2 st_weak_v2 B64;
    i64: 2, B64, ld_weak_v2 st_weak_v2 B64;
    f64: 2, B64, ld_weak_v2 st_weak_v2 B64;
    half::f16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    half::bf16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    [half::f16; 2]: 4, B32, ld_weak_v4 st_weak_v4 B32;
    [half::bf16; 2]: 4, B32, ld_weak_v4 st_weak_v4 B32;
}

impl Sealed for B128 {}
// SAFETY: two integers of 64 bits, without padding.
#[diagnostic::do_not_recommend]
unsafe impl Element for B128 {
    type Vector = [B128; 1];
    #[inline(always)]
    unsafe fn load(addr: u32) -> Self {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`).
        unsafe { raw::ld_weak_b128(space::SharedCta, addr) }
    }
    #[inline(always)]
    unsafe fn store(addr: u32, value: Self) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`).
        unsafe { raw::st_weak_b128(space::SharedCta, addr, value) }
    }
    #[inline(always)]
    unsafe fn load_vector(addr: u32) -> Self::Vector {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`); one element has sixteen bytes.
        unsafe { [raw::ld_weak_b128(space::SharedCta, addr)] }
    }
    #[inline(always)]
    unsafe fn store_vector(addr: u32, value: Self::Vector) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`); one element has sixteen bytes.
        unsafe { raw::st_weak_b128(space::SharedCta, addr, value[0]) }
    }
    #[inline(always)]
    unsafe fn load_cluster(addr: u32) -> Self {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`).
        unsafe { raw::ld_weak_b128(space::SharedCluster, addr) }
    }
    #[inline(always)]
    unsafe fn store_cluster(addr: u32, value: Self) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`).
        unsafe { raw::st_weak_b128(space::SharedCluster, addr, value) }
    }
    #[inline(always)]
    unsafe fn load_vector_cluster(addr: u32) -> Self::Vector {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`); one element has sixteen bytes.
        unsafe { [raw::ld_weak_b128(space::SharedCluster, addr)] }
    }
    #[inline(always)]
    unsafe fn store_vector_cluster(addr: u32, value: Self::Vector) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`); one element has sixteen bytes.
        unsafe { raw::st_weak_b128(space::SharedCluster, addr, value[0]) }
    }
    #[inline(always)]
    unsafe fn store_relaxed(at: *mut Self, value: Self) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`).
        unsafe { raw::st_b128(sem::Relaxed, scope::Gpu, space::Global, at.cast(), value) }
    }
}
