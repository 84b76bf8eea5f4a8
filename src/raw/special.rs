//! Special registers (`threadIdx`, `blockIdx`, `clock64()` …; PTX ISA 10).

/// A register of 32 or 64 bits; `volatile…` if its value may change from one read to the next. The registers after `and` have no
/// page of their own: the page of the first register names them.
macro_rules! special_register {
    ($(
        $(#[$doc:meta])* $kind:ident $name:ident $register:literal $( and $like:ident $like_register:literal )*,
        $isa:literal $target:literal $section:literal;
    )*) => { $(
        special_register!(@$kind
            [ $(#[$doc])* $( #[doc = concat!("Also `", stringify!($like), "`: `", $like_register, "`")] )* ]
            $name $register, $isa $target $section);
        $(
            special_register!(@$kind [
                #[doc = concat!("[`", stringify!($name), "`], for another component.")]
                #[cfg_attr(doc, doc(hidden))]
            ] $like $like_register, $isa $target $section);
        )*
    )* };
    (@u32 $($row:tt)*) => { special_register!(@row "mov.u32 {d}, " (u32, reg32) [ pure, nomem, nostack, preserves_flags ] $($row)*); };
    (@u64 $($row:tt)*) => { special_register!(@row "mov.u64 {d}, " (u64, reg64) [ pure, nomem, nostack, preserves_flags ] $($row)*); };
    (@volatile32 $($row:tt)*) => { special_register!(@row "mov.u32 {d}, " (u32, reg32) [ nostack, preserves_flags ] $($row)*); };
    (@volatile64 $($row:tt)*) => { special_register!(@row "mov.u64 {d}, " (u64, reg64) [ nostack, preserves_flags ] $($row)*); };
    (@row $mov:literal ($D:ty, $class:ident) [ $($option:ident),* ]
        [ $(#[$doc:meta])* ] $name:ident $register:literal, $isa:literal $target:literal $section:literal
    ) => {
        instruction! {
            $(#[$doc])*
            fn $name() -> $D = (d: $D = $class) d;
            form: $register;
            ptx: $mov .. $register;
            isa: $isa, target: $target, section: $section;
            options: $($option),*;
        }
    };
}

special_register! {
    /// Returns the thread's x index in its CTA (`threadIdx.x`).
    u32 tid_x "%tid.x;" and tid_y "%tid.y;" and tid_z "%tid.z;", "2.0" "sm_20" "10.1";
    /// Returns the number of threads of the CTA in dimension x (`blockDim.x`).
    u32 ntid_x "%ntid.x;" and ntid_y "%ntid.y;" and ntid_z "%ntid.z;", "2.0" "sm_20" "10.2";
    /// Returns the thread's lane in its warp.
    u32 laneid "%laneid;", "1.3" "sm_10" "10.3";
    /// Returns the warp's identifier in its CTA. The identifier may change while the thread runs: tell warps apart by [`tid_x`].
    volatile32 warpid "%warpid;", "1.3" "sm_10" "10.4";
    /// Returns the maximum number of warp identifiers ([`warpid`]).
    u32 nwarpid "%nwarpid;", "2.0" "sm_20" "10.5";
    /// Returns the CTA's x index in the grid (`blockIdx.x`).
    u32 ctaid_x "%ctaid.x;" and ctaid_y "%ctaid.y;" and ctaid_z "%ctaid.z;", "2.0" "sm_20" "10.6";
    /// Returns the number of CTAs of the grid in dimension x (`gridDim.x`).
    u32 nctaid_x "%nctaid.x;" and nctaid_y "%nctaid.y;" and nctaid_z "%nctaid.z;", "2.0" "sm_20" "10.7";
    /// Returns the identifier of the multiprocessor (SM) that executes the thread. The identifier may change while the thread
    /// runs.
    volatile32 smid "%smid;", "1.3" "sm_10" "10.8";
    /// Returns the maximum number of SM identifiers ([`smid`]). The identifiers may have gaps, so the GPU may have fewer SMs.
    u32 nsmid "%nsmid;", "2.0" "sm_20" "10.9";
    /// Returns the grid's number in its context.
    u64 gridid "%gridid;", "3.0" "sm_20" "10.10";
    /// Returns the cluster's x index in the grid.
    u32 clusterid_x "%clusterid.x;" and clusterid_y "%clusterid.y;" and clusterid_z "%clusterid.z;", "7.8" "sm_90" "10.12";
    /// Returns the number of clusters of the grid in dimension x.
    u32 nclusterid_x "%nclusterid.x;" and nclusterid_y "%nclusterid.y;"
        and nclusterid_z "%nclusterid.z;", "7.8" "sm_90" "10.13";
    /// Returns the CTA's x index in its cluster.
    u32 cluster_ctaid_x "%cluster_ctaid.x;" and cluster_ctaid_y "%cluster_ctaid.y;"
        and cluster_ctaid_z "%cluster_ctaid.z;", "7.8" "sm_90" "10.14";
    /// Returns the number of CTAs of the cluster in dimension x.
    u32 cluster_nctaid_x "%cluster_nctaid.x;" and cluster_nctaid_y "%cluster_nctaid.y;"
        and cluster_nctaid_z "%cluster_nctaid.z;", "7.8" "sm_90" "10.15";
    /// Returns the CTA's rank in its cluster (`cluster.block_rank()`).
    u32 cluster_ctarank "%cluster_ctarank;", "7.8" "sm_90" "10.16";
    /// Returns the number of CTAs of the cluster (`cluster.num_blocks()`).
    u32 cluster_nctarank "%cluster_nctarank;", "7.8" "sm_90" "10.17";
    /// Returns a mask with the bit of the thread's own lane. The other registers have the bits of the lanes up to (`le`), below
    /// (`lt`), from (`ge`) and above (`gt`) the own lane.
    u32 lanemask_eq "%lanemask_eq;" and lanemask_le "%lanemask_le;" and lanemask_lt "%lanemask_lt;"
        and lanemask_ge "%lanemask_ge;" and lanemask_gt "%lanemask_gt;", "2.0" "sm_20" "10.18 to 10.22";
    /// Returns the low 32 bits of the cycle counter (`clock()`); `clock_hi` returns the high 32 bits.
    volatile32 clock "%clock;" and clock_hi "%clock_hi;", "1.3" "sm_10" "10.23";
    /// Returns the cycle counter (`clock64()`).
    volatile64 clock64 "%clock64;", "2.0" "sm_20" "10.24";
    /// Returns the global timer of the GPU, in nanoseconds. The register is intended for NVIDIA's tools; its behavior depends on
    /// the target.
    volatile64 globaltimer "%globaltimer;", "3.1" "sm_30" "10.28";
    /// Returns the low 32 bits of [`globaltimer`]; `globaltimer_hi` returns the high 32 bits.
    volatile32 globaltimer_lo "%globaltimer_lo;" and globaltimer_hi "%globaltimer_hi;", "3.1" "sm_30" "10.28";
    /// Returns the size in bytes of the CTA's shared memory, static and dynamic, without the memory that the system reserves.
    u32 total_smem_size "%total_smem_size;", "4.1" "sm_20" "10.30";
    /// Returns the size in bytes of the CTA's shared memory, static and dynamic, with the memory that the system reserves.
    u32 aggr_smem_size "%aggr_smem_size;", "8.1" "sm_90" "10.31";
    /// Returns the size in bytes of the CTA's dynamic shared memory.
    u32 dynamic_smem_size "%dynamic_smem_size;", "4.1" "sm_20" "10.32";
    /// Returns the identifier of the CUDA device graph that executes the grid, or 0 if there is none.
    u64 current_graph_exec "%current_graph_exec;", "8.0" "sm_50" "10.33";
}

instruction! {
    /// Returns whether the grid was launched with clusters.
    fn is_explicit_cluster() -> bool = (d: u32 = reg32) d != 0;
    form: "%is_explicit_cluster;";
    ptx: "{{ .reg .pred p; mov.pred p, %is_explicit_cluster" .. "; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_90", section: "10.11";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns the number of the locality domain of the GPU that executes the thread. ptxas 13.5 takes the register; the PTX ISA up to
    /// 9.4 has no text on it.
    fn locality_domain_id() -> u32 = (d: u32 = reg32) d;
    form: "%locality_domain_id;";
    ptx: "mov.u32 {d}, " .. "%locality_domain_id;";
    isa: "9.5", target: "sm_100", section: "none of PTX ISA 9.4";
    gate: sm_100;
    options: nostack, preserves_flags;
}
