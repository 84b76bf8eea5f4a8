//! `st.bulk`: section 9.7.9.13 of the PTX ISA.
//!
//! Its `size` is offered in 64 bits only: the text of the 32-bit operand is the same, and it needs PTX ISA 9.0.

/// `st.bulk.weak{.shared::cta} [a], size, 0;`
macro_rules! st_bulk {
    ($name:ident $Addr:ty, $class:ident, $mnemonic:literal, $address:literal) => {
        instruction! {
            /// Stores zeros to the `size` bytes of shared memory of the executing CTA from `addr` on.
            #[doc = concat!("The address is ", $address, ".")]
            @unsafe fn $name(addr: $Addr = $class, size: u64 = reg64);
            form: $mnemonic " [addr], size, 0;";
            ptx: $mnemonic .. " [{addr}], {size}, 0;";
            isa: "8.6", target: "sm_100", section: "9.7.9.13";
            gate: sm_100;
            # Safety
            "- the bytes lie in shared memory of the executing CTA, and `addr` is aligned to 8."
            "- `size` is a multiple of 8 and at most 16777216."
            "- nobody else reads or writes the bytes meanwhile, asynchronous copies included."
        }
    };
}

st_bulk! { st_bulk_weak *mut u8, reg64, "st.bulk.weak", "generic" }
st_bulk! { st_bulk_weak_shared_cta u32, reg32, "st.bulk.weak.shared::cta", "of `.shared::cta`" }
