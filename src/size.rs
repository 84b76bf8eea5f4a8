//! Sizes of shared memory and of copies, computed in constants. The arithmetic is checked: in a release build a `const fn` wraps
//! even in a constant, and `as` truncates in every build. A size that does not fit is a compile error.

/// The alignment in bytes of slices in global memory.
pub(crate) const ALIGN: usize = 16;

/// The size of `N` elements in bytes.
pub(crate) const fn bytes<T, const N: usize>() -> usize {
    product([N, size_of::<T>()])
}

/// The size in bytes of a tile of `N` elements, which a bulk copy can move.
pub(crate) const fn tile<T, const N: usize>() -> u32 {
    assert!(N > 0, "a tile has at least one element: choose N > 0");
    assert!(
        bytes::<T, N>().is_multiple_of(16),
        "a bulk copy moves a multiple of 16 bytes: choose a tile of a multiple of 16 bytes (PTX ISA 9.7.9.25.4.1)"
    );
    assert!(
        bytes::<T, N>() < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most: choose a smaller tile (PTX ISA 9.7.13.15.2)"
    );
    narrow(bytes::<T, N>())
}

/// The number of whole 16-byte vectors in `N` elements.
pub(crate) const fn vectors<T, const N: usize>() -> usize {
    bytes::<T, N>() / 16
}

pub(crate) const fn product<const FACTORS: usize>(factors: [usize; FACTORS]) -> usize {
    let (mut product, mut i) = (1_usize, 0);
    while i < FACTORS {
        product = fits(product.checked_mul(factors[i]));
        i += 1;
    }
    product
}

pub(crate) const fn sum(a: usize, b: usize) -> usize {
    fits(a.checked_add(b))
}

/// The next multiple of `align`, which is a power of two.
pub(crate) const fn aligned(size: usize, align: u32) -> usize {
    fits(size.checked_next_multiple_of(align as usize))
}

const fn fits(size: Option<usize>) -> usize {
    match size {
        Some(size) => size,
        None => panic!("a size is out of range: choose fewer elements, tiles or stages"),
    }
}

/// Narrows to the 32 bits of an instruction's operand.
pub(crate) const fn narrow(number: usize) -> u32 {
    fits(if number <= u32::MAX as usize { Some(number) } else { None }) as u32
}

/// Narrows a number of bytes of shared memory: 2^20 at most.
pub(crate) const fn shared(bytes: usize) -> u32 {
    assert!(
        bytes <= 1 << 20,
        "no CTA has more than 2^20 bytes of shared memory: choose smaller arrays, fewer tiles or fewer stages"
    );
    bytes as u32
}
