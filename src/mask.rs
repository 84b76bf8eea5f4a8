//! Bit masks as sets: CTAs of a multicast (`ctaMask`: [`CtaMask`]), lanes of a warp (`membermask`: [`LaneMask`]), bytes of a
//! copy (`byteMask`: [`ByteMask`]).

bitflags::bitflags! {
    /// A set of CTAs of a cluster, by `%cluster_ctarank`: the destinations of a multicast (`ctaMask`).
    ///
    /// ```
    /// use ptx::mask::CtaMask;
    /// const EVEN: CtaMask = CtaMask::CTA_0.union(CtaMask::CTA_2);
    /// /// All CTAs of a cluster of `size` CTAs.
    /// fn all(size: u32) -> CtaMask {
    ///     CtaMask::from_bits_truncate(((1_u32 << size) - 1) as u16)
    /// }
    /// ```
    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct CtaMask: u16 {
        /// The CTA of rank 0 in its cluster, as a destination of a multicast.
        const CTA_0 = 1 << 0;
        /// The CTA of rank 1 in its cluster, as a destination of a multicast.
        const CTA_1 = 1 << 1;
        /// The CTA of rank 2 in its cluster, as a destination of a multicast.
        const CTA_2 = 1 << 2;
        /// The CTA of rank 3 in its cluster, as a destination of a multicast.
        const CTA_3 = 1 << 3;
        /// The CTA of rank 4 in its cluster, as a destination of a multicast.
        const CTA_4 = 1 << 4;
        /// The CTA of rank 5 in its cluster, as a destination of a multicast.
        const CTA_5 = 1 << 5;
        /// The CTA of rank 6 in its cluster, as a destination of a multicast.
        const CTA_6 = 1 << 6;
        /// The CTA of rank 7 in its cluster, as a destination of a multicast.
        const CTA_7 = 1 << 7;
        /// The CTA of rank 8 in its cluster, as a destination of a multicast.
        const CTA_8 = 1 << 8;
        /// The CTA of rank 9 in its cluster, as a destination of a multicast.
        const CTA_9 = 1 << 9;
        /// The CTA of rank 10 in its cluster, as a destination of a multicast.
        const CTA_10 = 1 << 10;
        /// The CTA of rank 11 in its cluster, as a destination of a multicast.
        const CTA_11 = 1 << 11;
        /// The CTA of rank 12 in its cluster, as a destination of a multicast.
        const CTA_12 = 1 << 12;
        /// The CTA of rank 13 in its cluster, as a destination of a multicast.
        const CTA_13 = 1 << 13;
        /// The CTA of rank 14 in its cluster, as a destination of a multicast.
        const CTA_14 = 1 << 14;
        /// The CTA of rank 15 in its cluster, as a destination of a multicast.
        const CTA_15 = 1 << 15;
    }
}

bitflags::bitflags! {
    /// A set of bytes of each 16-byte chunk: the bytes that a `.cp_mask` copy writes (`byteMask`).
    ///
    /// `ByteMask::from_bits_retain(0x000f)` holds the first four bytes, such as the first `f32` of each chunk.
    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ByteMask: u16 {
        /// Byte 0 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_0 = 1 << 0;
        /// Byte 1 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_1 = 1 << 1;
        /// Byte 2 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_2 = 1 << 2;
        /// Byte 3 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_3 = 1 << 3;
        /// Byte 4 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_4 = 1 << 4;
        /// Byte 5 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_5 = 1 << 5;
        /// Byte 6 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_6 = 1 << 6;
        /// Byte 7 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_7 = 1 << 7;
        /// Byte 8 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_8 = 1 << 8;
        /// Byte 9 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_9 = 1 << 9;
        /// Byte 10 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_10 = 1 << 10;
        /// Byte 11 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_11 = 1 << 11;
        /// Byte 12 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_12 = 1 << 12;
        /// Byte 13 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_13 = 1 << 13;
        /// Byte 14 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_14 = 1 << 14;
        /// Byte 15 of each 16-byte chunk that a `.cp_mask` copy writes.
        const BYTE_15 = 1 << 15;
    }
}

bitflags::bitflags! {
    /// A set of lanes of a warp, as the `membermask` of warp instructions or the result of a ballot (`__ballot_sync()`).
    ///
    /// ```
    /// use ptx::mask::LaneMask;
    /// let lanes = LaneMask::lane(3) | LaneMask::lane(17);
    /// assert_eq!((lanes.count(), lanes.bits().trailing_zeros()), (2, 3));
    /// assert!(LaneMask::lane(32).is_empty() && (!lanes).count() == 30);
    /// ```
    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct LaneMask: u32 {
        /// All 32 lanes.
        const ALL = u32::MAX;
        /// Makes every bit known to `bitflags`, so that `!` keeps all lanes.
        const _ = u32::MAX;
    }
}

impl LaneMask {
    /// Returns the set of the one lane with this number; the empty set if the number is 32 or more.
    #[inline(always)]
    pub const fn lane(lane: u32) -> Self {
        match 1_u32.checked_shl(lane) {
            Some(bit) => LaneMask::from_bits_retain(bit),
            None => LaneMask::empty(),
        }
    }

    /// Returns the number of lanes in the set.
    #[inline(always)]
    #[doc(alias = "__popc")]
    pub const fn count(self) -> u32 {
        self.bits().count_ones()
    }
}
