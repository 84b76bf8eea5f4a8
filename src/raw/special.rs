//! Special registers: chapter 10 of the PTX ISA.

/// A register of 32 or 64 bits. One that may change from one read to the next is `volatile`. Its like, `and …`, have no
/// page of their own: its page names them.
macro_rules! special_register {
    ($(
        $(#[$doc:meta])* $kind:ident $name:ident $register:literal $( and $like:ident $like_register:literal )*,
        $isa:literal $target:literal $section:literal;
    )*) => { $(
        special_register!(@$kind
            [ $(#[$doc])* $( #[doc = concat!("Likewise `", stringify!($like), "`: `", $like_register, "`")] )* ]
            $name $register, $isa $target $section);
        $(
            special_register!(@$kind [
                #[doc = concat!("[`", stringify!($name), "`], of another part.")]
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
    /// The thread's x index in its CTA.
    u32 tid_x "%tid.x;" and tid_y "%tid.y;" and tid_z "%tid.z;", "2.0" "sm_20" "10.1";
    /// The CTA's width in threads.
    u32 ntid_x "%ntid.x;" and ntid_y "%ntid.y;" and ntid_z "%ntid.z;", "2.0" "sm_20" "10.2";
    /// The thread's lane in its warp.
    u32 laneid "%laneid;", "1.3" "sm_10" "10.3";
    /// The warp's number in its CTA. It may change while the thread runs: use [`tid_x`] to tell warps apart.
    volatile32 warpid "%warpid;", "1.3" "sm_10" "10.4";
    /// The most warps that a multiprocessor takes.
    u32 nwarpid "%nwarpid;", "2.0" "sm_20" "10.5";
    /// The CTA's x index in the grid.
    u32 ctaid_x "%ctaid.x;" and ctaid_y "%ctaid.y;" and ctaid_z "%ctaid.z;", "2.0" "sm_20" "10.6";
    /// The grid's width in CTAs.
    u32 nctaid_x "%nctaid.x;" and nctaid_y "%nctaid.y;" and nctaid_z "%nctaid.z;", "2.0" "sm_20" "10.7";
    /// The multiprocessor that the thread runs on. It may change while the thread runs.
    volatile32 smid "%smid;", "1.3" "sm_10" "10.8";
    /// The least number above those of all multiprocessors.
    u32 nsmid "%nsmid;", "2.0" "sm_20" "10.9";
    /// The grid's number in its context.
    u64 gridid "%gridid;", "3.0" "sm_20" "10.10";
    /// The cluster's x index in the grid.
    u32 clusterid_x "%clusterid.x;" and clusterid_y "%clusterid.y;" and clusterid_z "%clusterid.z;", "7.8" "sm_90" "10.12";
    /// The grid's width in clusters.
    u32 nclusterid_x "%nclusterid.x;" and nclusterid_y "%nclusterid.y;"
        and nclusterid_z "%nclusterid.z;", "7.8" "sm_90" "10.13";
    /// The CTA's x index in its cluster.
    u32 cluster_ctaid_x "%cluster_ctaid.x;" and cluster_ctaid_y "%cluster_ctaid.y;"
        and cluster_ctaid_z "%cluster_ctaid.z;", "7.8" "sm_90" "10.14";
    /// The cluster's width in CTAs.
    u32 cluster_nctaid_x "%cluster_nctaid.x;" and cluster_nctaid_y "%cluster_nctaid.y;"
        and cluster_nctaid_z "%cluster_nctaid.z;", "7.8" "sm_90" "10.15";
    /// The CTA's rank in its cluster.
    u32 cluster_ctarank "%cluster_ctarank;", "7.8" "sm_90" "10.16";
    /// How many CTAs the cluster has.
    u32 cluster_nctarank "%cluster_nctarank;", "7.8" "sm_90" "10.17";
    /// The thread's bit among the lanes; by the others the bits up to it, before it, from it on, after it.
    u32 lanemask_eq "%lanemask_eq;" and lanemask_le "%lanemask_le;" and lanemask_lt "%lanemask_lt;"
        and lanemask_ge "%lanemask_ge;" and lanemask_gt "%lanemask_gt;", "2.0" "sm_20" "10.18 to 10.22";
    /// Cycles of the multiprocessor: the low 32 bits.
    volatile32 clock "%clock;" and clock_hi "%clock_hi;", "1.3" "sm_10" "10.23";
    /// Cycles of the multiprocessor.
    volatile64 clock64 "%clock64;", "2.0" "sm_20" "10.24";
    /// Nanoseconds, the same for the whole GPU.
    volatile64 globaltimer "%globaltimer;", "3.1" "sm_30" "10.28";
    /// Nanoseconds, the same for the whole GPU: the low 32 bits.
    volatile32 globaltimer_lo "%globaltimer_lo;" and globaltimer_hi "%globaltimer_hi;", "3.1" "sm_30" "10.28";
    /// Bytes of shared memory of the CTA, static and dynamic, without what the system keeps for itself.
    u32 total_smem_size "%total_smem_size;", "4.1" "sm_20" "10.30";
    /// Bytes of shared memory of the CTA, static and dynamic, with what the system keeps for itself.
    u32 aggr_smem_size "%aggr_smem_size;", "8.1" "sm_90" "10.31";
    /// Bytes of shared memory given to the CTA at launch, besides what the kernel declares.
    u32 dynamic_smem_size "%dynamic_smem_size;", "4.1" "sm_20" "10.32";
    /// The CUDA graph that executes the grid, or 0.
    u64 current_graph_exec "%current_graph_exec;", "8.0" "sm_50" "10.33";
}

instruction! {
    /// Whether the grid was launched with clusters.
    fn is_explicit_cluster() -> bool = (d: u32 = reg32) d != 0;
    form: "%is_explicit_cluster;";
    ptx: "{{ .reg .pred p; mov.pred p, %is_explicit_cluster" .. "; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_90", section: "10.11";
    options: pure, nomem, nostack, preserves_flags;
}
