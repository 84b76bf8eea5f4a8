//! `griddepcontrol`: section 9.7.13.13.

legal! {
    /// `.action` of `griddepcontrol`.
    GridDepAction: "`{Self}` is no `.action` of `griddepcontrol`: it takes `.launch_dependents` or `.wait`"
    { action::LaunchDependents, action::Wait }
}

instruction! {
    /// Lets the dependent grids launch once all CTAs did so or have ended (`.launch_dependents`), or waits until the
    /// prerequisite grids have completed and their memory operations are visible (`.wait`).
    fn griddepcontrol[Action: GridDepAction]();
    form: "griddepcontrol{.action};";
    ptx: "griddepcontrol" .. ";";
    isa: "7.8", target: "sm_90", section: "9.7.13.13";
    convergent: convergent;
}
