//! `st.bulk`: stores zeros to a range of shared memory (PTX ISA 9.7.9.13).
//!
//! `size` is a 64-bit operand. A 32-bit operand has the same text and needs PTX ISA 9.0, so this module does not offer it.

legal! {
    StBulkSpace(AddressSpace): "`{Self}` is not a space of `st.bulk`: use `.shared::cta` or `All` (generic)"
    { space::All, space::SharedCta }
}

instruction! {
    /// Stores zeros to the `size` bytes from `addr` on, in shared memory of the executing CTA.
    @unsafe fn st_bulk_weak[Space: StBulkSpace](addr: Space::Address = address, size: u64 = reg64);
    form: "st.bulk.weak{.shared::cta} [addr], size, 0;";
    ptx: "st.bulk.weak" .. " [{addr}], {size}, 0;";
    isa: "8.6", target: "sm_100", section: "9.7.9.13";
    gate: sm_100;
    # Safety
    "- `addr` is an address in `Space`, aligned to 8 bytes. All bytes lie in the shared memory of the executing CTA."
    "- `size` is a multiple of 8, at most 16777216."
    "- No other thread and no asynchronous copy reads or writes the bytes at the same time."
}
