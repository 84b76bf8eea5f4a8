//! `st.bulk`: section 9.7.9.13 of the PTX ISA.
//!
//! Its `size` is offered in 64 bits only: the text of the 32-bit operand is the same, and it needs PTX ISA 9.0.

legal! {
    /// `.shared::cta` of `st.bulk`.
    StBulkSpace(AddressSpace): "`{Self}` is no space of `st.bulk`: it takes `.shared::cta` or none (generic)"
    { space::All, space::SharedCta }
}

instruction! {
    /// Stores zeros to the `size` bytes of shared memory of the executing CTA from `addr` on.
    @unsafe fn st_bulk_weak[Space: StBulkSpace](addr: Space::Address = address, size: u64 = reg64);
    form: "st.bulk.weak{.shared::cta} [addr], size, 0;";
    ptx: "st.bulk.weak" .. " [{addr}], {size}, 0;";
    isa: "8.6", target: "sm_100", section: "9.7.9.13";
    gate: sm_100;
    # Safety
    "- the bytes lie in shared memory of the executing CTA, and `addr`, in the given space, is aligned to 8."
    "- `size` is a multiple of 8 and at most 16777216."
    "- nobody else reads or writes the bytes meanwhile, asynchronous copies included."
}
