//! The size of dynamic shared memory (`sharedMemBytes`) that a launch needs for a kernel's [`DynamicShared`].

use super::memory::bytes_only;
use super::{ALIGN, DynamicShared, Needs, Place, layout_of_places};

mod sealed {
    /// Seals `Places`. The `Sealed` of `qualifier` is implemented for other pairs.
    pub trait Sealed {}
}

/// A tuple of one to eight types of shared memory (arrays, mbarriers and the like), in the order in which a kernel takes them
/// from [`DynamicShared`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of places in shared memory",
    label = "not a tuple of one to eight places",
    note = "name the places in the order in which the kernel takes them: `(SharedArray<f32, 4096>, Mbarrier<Uninit>)`, or `(SharedArray<f32, 4096>,)` for one place"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Places: sealed::Sealed {
    #[doc(hidden)]
    const BYTES: u32;
}

macro_rules! places {
    ($( ($($P:ident),+) )*) => { $(
        impl<$($P: Place),+> sealed::Sealed for ($($P,)+) {}
        impl<$($P: Place),+> Places for ($($P,)+) {
            const BYTES: u32 = {
                $( bytes_only::<$P>(); )+
                let (_, end, align) = layout_of_places([
                    $( Needs { size: $P::SIZE, align: $P::ALIGN, barriers: $P::BARRIERS, cancels: $P::CANCELS } ),+
                ]);
                // Dynamic memory starts at a multiple of `ALIGN`.
                end + align - ALIGN
            };
        }
    )* };
}
places! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
}

impl DynamicShared {
    /// Computes the bytes of dynamic shared memory (`sharedMemBytes`) that a launch needs for a kernel that takes the arrays,
    /// mbarriers and the like of `P`.
    ///
    /// `P` is a tuple of one to eight places, in the order in which the kernel takes them from the start of the memory. The host
    /// calls this function with the types that the kernel names.
    ///
    /// PTX: none.
    ///
    /// ```
    /// use ptx::mbarrier::{Mbarrier, Uninit};
    /// use ptx::shared::{DynamicShared, SharedArray};
    ///
    /// type Tile = SharedArray<f32, 16384>;
    /// # fn kernel(dynamic: DynamicShared) {
    /// let (tile, dynamic) = dynamic.take::<Tile>();
    /// let (bar, _) = dynamic.take::<Mbarrier<Uninit>>();
    /// # }
    ///
    /// // On the host, in the launch's configuration:
    /// const BYTES: u32 = DynamicShared::bytes_for::<(Tile, Mbarrier<Uninit>)>();
    /// const _: () = assert!(BYTES == 64 * 1024 + 8);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn bytes_for<P: Places>() -> u32 {
        P::BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::super::SharedArray;
    use super::*;

    /// A place of any size and alignment.
    struct Bytes<const SIZE: u32, const ALIGN: u32>;
    // SAFETY: `at` uses no memory.
    unsafe impl<const SIZE: u32, const ALIGN: u32> Place for Bytes<SIZE, ALIGN> {
        const SIZE: u32 = SIZE;
        const ALIGN: u32 = ALIGN;
        unsafe fn at(addr: u32) -> Self {
            assert!(addr.is_multiple_of(ALIGN));
            Bytes
        }
    }
    type Bar = Bytes<8, 8>;

    /// The dynamic memory of a launch with this many bytes, at an address that is a multiple of 128 and of no higher power of
    /// two.
    fn launched_with(bytes: u32) -> DynamicShared {
        let next = 128 * 9;
        DynamicShared { next, end: next + bytes, _thread: core::marker::PhantomData }
    }

    /// Asserts that `bytes_for` gives enough bytes, and that with one byte less the last place, and no other, does not fit.
    macro_rules! suffice {
        ($( $($First:ty),* => $Last:ty; )*) => { $(
            let bytes = const { DynamicShared::bytes_for::<($($First,)* $Last,)>() };
            for less in [0, 1] {
                let dynamic = launched_with(bytes - less);
                $( let (_, dynamic) = dynamic.try_take::<$First>().expect("not the last"); )*
                let last = dynamic.try_take::<$Last>();
                assert_eq!(last.is_ok(), less == 0, "{}, {bytes} bytes, {less} fewer", stringify!($($First,)* $Last));
                assert!(last.is_err() || last.is_ok_and(|(_, rest)| rest.is_empty()));
            }
        )* };
    }

    #[test]
    fn the_bytes_for_places_are_those_that_they_are_taken_from() {
        suffice! {
            => Bar;
            => Bytes<1, 1>;
            => SharedArray<u8, { 1 << 20 }>;
            Bytes<0, 1> => Bytes<3, 1>;
            SharedArray<u8, 1> => SharedArray<u8, 1>;
            Bar => SharedArray<f32, 33>;
            SharedArray<f32, 33> => Bar;
            SharedArray<u8, 3>, Bar => Bar;
            Bytes<57376, 128> => SharedArray<u16, 7>;
            SharedArray<u8, 1>, Bar, SharedArray<u8, 129> => Bytes<24, 64>;
            Bytes<1, 1>, Bytes<1, 2>, Bytes<1, 4>, Bytes<1, 8> => Bytes<1, 128>;
            Bytes<5, 1>, Bar, Bytes<3, 1>, Bytes<12, 4>, Bytes<16, 16> => SharedArray<u8, 1>;
            Bar, SharedArray<u8, 1>, Bar, SharedArray<u8, 1>, Bar, SharedArray<u8, 1> => Bar;
            Bytes<1, 128>, Bytes<1, 128>, Bytes<1, 128>, Bytes<1, 128>, Bytes<1, 128>, Bytes<1, 128>,
            SharedArray<u8, { (1 << 20) - 7 * 128 }> => SharedArray<u8, 128>;
        }
    }
}
