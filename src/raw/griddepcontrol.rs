//! Programmatic dependent launch: `griddepcontrol` (PTX ISA 9.7.13.13).

legal! {
    GridDepAction: "`{Self}` is not an `.action` of `griddepcontrol`: use `.launch_dependents` or `.wait`"
    { action::LaunchDependents, action::Wait }
}

instruction! {
    /// `.launch_dependents` (`cudaTriggerProgrammaticLaunchCompletion()`) lets the dependent grids launch once each CTA of the
    /// grid has executed the instruction or completed. `.wait` (`cudaGridDependencySynchronize()`) waits until the prerequisite
    /// grids have completed and their memory operations are visible.
    fn griddepcontrol[Action: GridDepAction]();
    form: "griddepcontrol{.action};";
    ptx: "griddepcontrol" .. ";";
    isa: "7.8", target: "sm_90", section: "9.7.13.13";
    convergent: convergent;
}
