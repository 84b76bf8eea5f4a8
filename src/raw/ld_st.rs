//! `ld` and `st` on `.shared::cta`: sections 9.7.9.8 and 9.7.9.11 of the PTX ISA.

instruction! {
    /// Loads one byte.
    @unsafe fn ld_shared_cta_b8(addr: u32 = reg32) -> u8 = (d: u16 = reg16) d as u8;
    form: "ld.weak.shared::cta.b8 d, [addr];";
    ptx: "ld.weak.shared::cta.b8" .. " {d}, [{addr}];";
    isa: "7.8", target: "sm_70", section: "9.7.9.8";
    # Safety
    "- `addr` is a `.shared::cta` address of memory of the executing CTA."
}

instruction! {
    /// Loads two bytes.
    @unsafe fn ld_shared_cta_b16(addr: u32 = reg32) -> u16 = (d: u16 = reg16) d;
    form: "ld.weak.shared::cta.b16 d, [addr];";
    ptx: "ld.weak.shared::cta.b16" .. " {d}, [{addr}];";
    isa: "7.8", target: "sm_70", section: "9.7.9.8";
    # Safety
    "- `addr` is a `.shared::cta` address of memory of the executing CTA, aligned to 2 bytes."
}

instruction! {
    /// Loads four bytes.
    @unsafe fn ld_shared_cta_b32(addr: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "ld.weak.shared::cta.b32 d, [addr];";
    ptx: "ld.weak.shared::cta.b32" .. " {d}, [{addr}];";
    isa: "7.8", target: "sm_70", section: "9.7.9.8";
    # Safety
    "- `addr` is a `.shared::cta` address of memory of the executing CTA, aligned to 4 bytes."
}

instruction! {
    /// Loads eight bytes.
    @unsafe fn ld_shared_cta_b64(addr: u32 = reg32) -> u64 = (d: u64 = reg64) d;
    form: "ld.weak.shared::cta.b64 d, [addr];";
    ptx: "ld.weak.shared::cta.b64" .. " {d}, [{addr}];";
    isa: "7.8", target: "sm_70", section: "9.7.9.8";
    # Safety
    "- `addr` is a `.shared::cta` address of memory of the executing CTA, aligned to 8 bytes."
}

instruction! {
    /// Loads sixteen bytes as four words.
    @unsafe fn ld_shared_cta_v4_b32(addr: u32 = reg32) -> [u32; 4] =
        (d0: u32 = reg32, d1: u32 = reg32, d2: u32 = reg32, d3: u32 = reg32) [d0, d1, d2, d3];
    form: "ld.weak.shared::cta.v4.b32 d, [addr];";
    ptx: "ld.weak.shared::cta.v4.b32" .. " {{{d0}, {d1}, {d2}, {d3}}}, [{addr}];";
    isa: "7.8", target: "sm_70", section: "9.7.9.8";
    # Safety
    "- `addr` is a `.shared::cta` address of memory of the executing CTA, aligned to 16 bytes."
}

instruction! {
    /// Stores one byte.
    @unsafe fn st_shared_cta_b8(addr: u32 = reg32, b: u8 = reg16);
    form: "st.weak.shared::cta.b8 [addr], b;";
    ptx: "st.weak.shared::cta.b8" .. " [{addr}], {b};";
    isa: "7.8", target: "sm_70", section: "9.7.9.11";
    # Safety
    "- `addr` is a `.shared::cta` address of memory of the executing CTA."
    "- no asynchronous copy reads or writes that memory."
}

instruction! {
    /// Stores two bytes.
    @unsafe fn st_shared_cta_b16(addr: u32 = reg32, b: u16 = reg16);
    form: "st.weak.shared::cta.b16 [addr], b;";
    ptx: "st.weak.shared::cta.b16" .. " [{addr}], {b};";
    isa: "7.8", target: "sm_70", section: "9.7.9.11";
    # Safety
    "- as [`st_shared_cta_b8`], `addr` aligned to 2 bytes."
}

instruction! {
    /// Stores four bytes.
    @unsafe fn st_shared_cta_b32(addr: u32 = reg32, b: u32 = reg32);
    form: "st.weak.shared::cta.b32 [addr], b;";
    ptx: "st.weak.shared::cta.b32" .. " [{addr}], {b};";
    isa: "7.8", target: "sm_70", section: "9.7.9.11";
    # Safety
    "- as [`st_shared_cta_b8`], `addr` aligned to 4 bytes."
}

instruction! {
    /// Stores eight bytes.
    @unsafe fn st_shared_cta_b64(addr: u32 = reg32, b: u64 = reg64);
    form: "st.weak.shared::cta.b64 [addr], b;";
    ptx: "st.weak.shared::cta.b64" .. " [{addr}], {b};";
    isa: "7.8", target: "sm_70", section: "9.7.9.11";
    # Safety
    "- as [`st_shared_cta_b8`], `addr` aligned to 8 bytes."
}

instruction! {
    /// Stores sixteen bytes from four words.
    @unsafe fn st_shared_cta_v4_b32(
        addr: u32 = reg32, b0: u32 = reg32, b1: u32 = reg32, b2: u32 = reg32, b3: u32 = reg32,
    );
    form: "st.weak.shared::cta.v4.b32 [addr], b;";
    ptx: "st.weak.shared::cta.v4.b32" .. " [{addr}], {{{b0}, {b1}, {b2}, {b3}}};";
    isa: "7.8", target: "sm_70", section: "9.7.9.11";
    # Safety
    "- as [`st_shared_cta_b8`], `addr` aligned to 16 bytes."
}
