//! Special registers: chapter 10 of the PTX ISA.

macro_rules! special_register {
    ($( $(#[$doc:meta])* $name:ident $register:literal, isa: $isa:literal, target: $target:literal, section: $section:literal; )*) => { $(
        instruction! {
            $(#[$doc])*
            fn $name() -> u32 = (d: u32 = reg32) d;
            form: $register;
            ptx: "mov.u32 {d}, " .. $register;
            isa: $isa, target: $target, section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}

special_register! {
    /// The thread's x index in its CTA.
    tid_x "%tid.x;", isa: "2.0", target: "sm_20", section: "10.1";
    /// The thread's y index in its CTA.
    tid_y "%tid.y;", isa: "2.0", target: "sm_20", section: "10.1";
    /// The thread's z index in its CTA.
    tid_z "%tid.z;", isa: "2.0", target: "sm_20", section: "10.1";
    /// The CTA's width in threads.
    ntid_x "%ntid.x;", isa: "2.0", target: "sm_20", section: "10.2";
    /// The CTA's height in threads.
    ntid_y "%ntid.y;", isa: "2.0", target: "sm_20", section: "10.2";
    /// The CTA's depth in threads.
    ntid_z "%ntid.z;", isa: "2.0", target: "sm_20", section: "10.2";
    /// The CTA's x index in the grid.
    ctaid_x "%ctaid.x;", isa: "2.0", target: "sm_20", section: "10.6";
    /// The CTA's y index in the grid.
    ctaid_y "%ctaid.y;", isa: "2.0", target: "sm_20", section: "10.6";
    /// The CTA's z index in the grid.
    ctaid_z "%ctaid.z;", isa: "2.0", target: "sm_20", section: "10.6";
    /// The grid's width in CTAs.
    nctaid_x "%nctaid.x;", isa: "2.0", target: "sm_20", section: "10.7";
    /// The grid's height in CTAs.
    nctaid_y "%nctaid.y;", isa: "2.0", target: "sm_20", section: "10.7";
    /// The grid's depth in CTAs.
    nctaid_z "%nctaid.z;", isa: "2.0", target: "sm_20", section: "10.7";
    /// Bytes of shared memory given to the CTA at launch, besides what the kernel declares.
    dynamic_smem_size "%dynamic_smem_size;", isa: "4.1", target: "sm_20", section: "10.31";
}
