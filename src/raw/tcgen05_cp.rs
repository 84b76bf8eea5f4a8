//! `tcgen05.cp`, `tcgen05.shift`: copies to tensor memory, and in it (`cute::SM100_UTCCP_128dp256bit_1cta` …; PTX ISA 9.7.16.9).
//!
//! Without rows are the forms of `tcgen05.cp` with a table of values, which sm_107f alone has.

legal! {
    /// `.shape` and `.multicast` of `tcgen05.cp`.
    Tcgen05CpShape: "`{Self}` is not a `.shape` of `tcgen05.cp`: use a tag of `cp_shape`"
    {
        cp_shape::S128x256b, cp_shape::S4x256b, cp_shape::S128x128b, cp_shape::S64x128bWarpx2_02_13,
        cp_shape::S64x128bWarpx2_01_23, cp_shape::S32x128bWarpx4,
    }
    /// `.dst_fmt` and `.src_fmt` of `tcgen05.cp`.
    Tcgen05CpExpansion: "`{Self}` does not say whether `tcgen05.cp` expands elements: use `expansion::None`, `expansion::B8x16B6x16P32` or \
        `expansion::B8x16B4x16P64`"
    { expansion::None, expansion::B8x16B6x16P32, expansion::B8x16B4x16P64 }
}

instruction! {
    /// Starts a copy from shared memory to tensor memory. A [`tcgen05_commit`](super::tcgen05_commit) tracks it.
    @unsafe fn tcgen05_cp[CtaGroup: Tcgen05CtaGroup, Shape: Tcgen05CpShape, Expansion: Tcgen05CpExpansion](
        taddr: u32 = reg32, s: u64 = reg64,
    );
    form: "tcgen05.cp{.cta_group}{.shape}{.multicast}{.dst_fmt.src_fmt} [taddr], s-desc;";
    ptx: "tcgen05.cp" .. " [{taddr}], {s};";
    isa: "8.6", target: "sm_100", section: "9.7.16.9.2";
    gate: tcgen05;
    # Safety
    "- `taddr` is an address of tensor memory that the CTA has allocated, and so are the columns that the copy writes."
    "- `s` is the descriptor (PTX ISA 9.7.16.4.1) of a matrix in shared memory of the executing CTA."
    "- The matrix was written through the async proxy, or a `fence.proxy.async` follows the writes. Nothing writes it until an mbarrier \
        has tracked the copy."
    "- Nothing else accesses the columns at the same time, except `tcgen05` instructions that the PTX ISA orders (9.7.16.6.2)."
    "- With `.cta_group::2`, the peer CTA has not exited, and the same holds for its tensor memory."
    "- All `tcgen05` instructions of a kernel have the same `.cta_group`."
}
instruction! {
    /// Starts a shift of 32 bytes of each lane, except the last of a warp's lanes, to the lane below. A
    /// [`tcgen05_commit`](super::tcgen05_commit) tracks it.
    @unsafe fn tcgen05_shift[CtaGroup: Tcgen05CtaGroup](taddr: u32 = reg32);
    form: "tcgen05.shift{.cta_group}.down [taddr];";
    ptx: "tcgen05.shift" .. ".down [{taddr}];";
    isa: "8.6", target: "sm_100", section: "9.7.16.9.3";
    gate: tcgen05_a;
    # Safety
    "- `taddr` is an address of tensor memory that the CTA has allocated, with a lane that is a multiple of 32, and so are the 8 columns from \
        there on."
    "- Nothing else accesses them at the same time, except `tcgen05` instructions that the PTX ISA orders (9.7.16.6.2)."
    "- With `.cta_group::2`, the peer CTA has not exited, and the same holds for its tensor memory."
    "- All `tcgen05` instructions of a kernel have the same `.cta_group`."
}
