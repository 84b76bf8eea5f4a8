//! `tcgen05.alloc`, `tcgen05.dealloc`, `tcgen05.relinquish_alloc_permit`: tensor memory (`cute::TMEM::Allocator1Sm`,
//! `cute::TMEM::Allocator2Sm`; PTX ISA 9.7.16.7.1).
//!
//! An address of tensor memory is a `u32`: the lane in the upper 16 bits, the column in the lower ones. Without rows are
//! `tcgen05.alloc.exclusive` and `tcgen05.dealloc.exclusive` of PTX ISA 9.4.

legal! {
    /// `.cta_group` of `tcgen05`.
    Tcgen05CtaGroup: "`{Self}` is not a `.cta_group` of `tcgen05`: use `cta_group::One` or `cta_group::Two`"
    { cta_group::One, cta_group::Two }
    /// The space of `dst`.
    Tcgen05AllocSpace(AddressSpace): "`{Self}` is not a space of `tcgen05.alloc`: use `space::SharedCta` or, for a generic address, `space::All`"
    { space::SharedCta, space::All }
}

instruction! {
    /// Allocates `columns` columns of tensor memory and writes their address to `dst`. Waits until there are so many.
    @unsafe fn tcgen05_alloc[CtaGroup: Tcgen05CtaGroup, Space: Tcgen05AllocSpace after ".sync.aligned"](
        dst: Space::Address = address, columns: u32 = reg32,
    );
    form: "tcgen05.alloc{.cta_group}.sync.aligned{.space}.b32 [dst], columns;";
    ptx: "tcgen05.alloc" .. ".b32 [{dst}], {columns};";
    isa: "8.6", target: "sm_100", section: "9.7.16.7.1";
    gate: tcgen05;
    convergent: convergent;
    # Safety
    "- All 32 threads of the warp execute this same instruction together, with the same operands, and none has exited. With `.cta_group::2`, \
        a warp of the peer CTA does so too."
    "- `dst` is the address, in the given space, of four bytes of shared memory of the executing CTA, aligned to 4. No other thread accesses \
        them at the same time."
    "- `columns` is 32, 64, 128, 256 or 512, and not more than in an earlier allocation of the CTA."
    "- No thread of the CTA has executed a [`tcgen05_relinquish_alloc_permit`]."
    "- A [`tcgen05_dealloc`] of the columns follows before the kernel ends."
    "- All `tcgen05` instructions of a kernel have the same `.cta_group`."
}
instruction! {
    /// Deallocates tensor memory.
    @unsafe fn tcgen05_dealloc[CtaGroup: Tcgen05CtaGroup](taddr: u32 = reg32, columns: u32 = reg32);
    form: "tcgen05.dealloc{.cta_group}.sync.aligned.b32 taddr, columns;";
    ptx: "tcgen05.dealloc" .. ".sync.aligned.b32 {taddr}, {columns};";
    isa: "8.6", target: "sm_100", section: "9.7.16.7.1";
    gate: tcgen05;
    convergent: convergent;
    # Safety
    "- All 32 threads of the warp execute this same instruction together, with the same operands, and none has exited. With `.cta_group::2`, \
        a warp of the peer CTA does so too."
    "- `taddr` is what a [`tcgen05_alloc`] of so many `columns`, with the same `.cta_group`, has written, and they are not deallocated yet."
    "- All accesses to the columns have ended, and happen before this."
}
instruction! {
    /// Gives up the right of the CTA to allocate tensor memory, so that other CTAs of the multiprocessor can allocate.
    @unsafe fn tcgen05_relinquish_alloc_permit[CtaGroup: Tcgen05CtaGroup]();
    form: "tcgen05.relinquish_alloc_permit{.cta_group}.sync.aligned;";
    ptx: "tcgen05.relinquish_alloc_permit" .. ".sync.aligned;";
    isa: "8.6", target: "sm_100", section: "9.7.16.7.1";
    gate: tcgen05;
    convergent: convergent;
    # Safety
    "- All 32 threads of the warp execute this same instruction together, and none has exited. With `.cta_group::2`, a warp of the peer CTA \
        does so too."
    "- No thread of the CTA executes a [`tcgen05_alloc`] after this."
}
