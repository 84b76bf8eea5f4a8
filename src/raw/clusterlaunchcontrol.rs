//! Cluster launch control: `clusterlaunchcontrol.try_cancel` (PTX ISA 9.7.13.17) and `.query_cancel` (9.7.13.18).

legal! {
    TryCancelSpace(AddressSpace): "`{Self}` is not a space of `clusterlaunchcontrol.try_cancel`: use `.shared::cta` or `space::All` (generic)"
    { space::All, space::SharedCta }
    TryCancelMulticast: "`{Self}` is not a `.multicast` of `clusterlaunchcontrol.try_cancel`: use `multicast::None` or, with the feature `sm_100f`, `sm_110f` or `sm_120f`, `multicast::ClusterAll`"
    { multicast::None, multicast::ClusterAll gate try_cancel_multicast }
    /// `::dimension` of `clusterlaunchcontrol.query_cancel.get_first_ctaid`.
    CtaidDimension: "`{Self}` is not a `::dimension` of `clusterlaunchcontrol.query_cancel.get_first_ctaid`: use `::x`, `::y` or `::z`"
    { dimension::X, dimension::Y, dimension::Z }
}

instruction! {
    /// Requests the cancellation of a cluster that has not started. The 16-byte response is written to `addr`, then the mbarrier
    /// at `mbar` gets a complete-tx of 16. With `.multicast::cluster::all`, each CTA of the cluster gets the response and the
    /// complete-tx, at the same offsets in its shared memory.
    @unsafe fn clusterlaunchcontrol_try_cancel[
        Space: TryCancelSpace, Multicast: TryCancelMulticast after ".mbarrier::complete_tx::bytes",
    ](addr: Space::Address = address, mbar: Space::Address = address);
    form: "clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128"
        " [addr], [mbar];";
    ptx: "clusterlaunchcontrol.try_cancel.async" .. ".b128 [{addr}], [{mbar}];";
    isa: "8.6", target: "sm_100", section: "9.7.13.17";
    gate: sm_100;
    # Safety
    "- Both addresses, in the given space, are in shared memory of the executing CTA. `addr` is aligned to 16 bytes; `mbar` is"
    "  the address of a valid mbarrier."
    "- With `.multicast::cluster::all`, the same holds at these offsets in each CTA of the cluster, and none has exited."
    "- Until the phase of the mbarrier completes, nothing accesses the response, and the CTA does not exit."
    "- The CTA has not observed a failed response yet."
}

instruction! {
    /// Returns whether `try_cancel_response` says that a cluster was canceled.
    fn clusterlaunchcontrol_query_cancel_is_canceled(
        try_cancel_response: crate::qualifier::B128 = { lo: lo, hi: hi },
    ) -> bool = (d: u32 = reg32) d != 0;
    form: "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 pred, try_cancel_response;";
    ptx: "{{ .reg .b128 q; .reg .pred p; mov.b128 q, {{{lo}, {hi}}}; clusterlaunchcontrol.query_cancel.is_canceled" ..
        ".pred.b128 p, q; selp.b32 {d}, 1, 0, p; }}";
    isa: "8.6", target: "sm_100", section: "9.7.13.18";
    gate: sm_100;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns the index (`%ctaid`) of the first CTA of the canceled cluster: x, y and z. PTX leaves the fourth element of the
    /// vector unspecified.
    @unsafe fn clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(
        try_cancel_response: crate::qualifier::B128 = { lo: lo, hi: hi },
    ) -> [u32; 3] = (x: u32 = reg32, y: u32 = reg32, z: u32 = reg32) [x, y, z];
    form: "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {xdim, ydim, zdim, _}, try_cancel_response;";
    ptx: "{{ .reg .b128 q; mov.b128 q, {{{lo}, {hi}}}; clusterlaunchcontrol.query_cancel.get_first_ctaid" ..
        ".v4.b32.b128 {{{x}, {y}, {z}, _}}, q; }}";
    isa: "8.6", target: "sm_100", section: "9.7.13.18";
    gate: sm_100;
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `try_cancel_response` says that a cluster was canceled ([`clusterlaunchcontrol_query_cancel_is_canceled`])."
}

instruction! {
    /// Returns the index (`%ctaid`) of the first CTA of the canceled cluster in one dimension.
    @unsafe fn clusterlaunchcontrol_query_cancel_get_first_ctaid[
        Dimension: CtaidDimension,
    ](try_cancel_response: crate::qualifier::B128 = { lo: lo, hi: hi }) -> u32 = (d: u32 = reg32) d;
    form: "clusterlaunchcontrol.query_cancel.get_first_ctaid{::dimension}.b32.b128 reg, try_cancel_response;";
    ptx: "{{ .reg .b128 q; mov.b128 q, {{{lo}, {hi}}}; clusterlaunchcontrol.query_cancel.get_first_ctaid" ..
        ".b32.b128 {d}, q; }}";
    isa: "8.6", target: "sm_100", section: "9.7.13.18";
    gate: sm_100;
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `try_cancel_response` says that a cluster was canceled ([`clusterlaunchcontrol_query_cancel_is_canceled`])."
}
