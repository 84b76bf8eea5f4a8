//! The checks of the feature `checked`: do all threads of a group make its collective calls together, from the same place?

#[cfg(feature = "checked")]
mod records;
#[cfg(feature = "checked")]
pub use records::{end, enter, meet_in_cta, meet_in_part, meet_in_warp};

/// `meet!(group)` states that all threads of the group make the call of the function, which has `#[track_caller]`: by a mark, for
/// the proof of `ptx-link`, and with the feature `checked` by a check. `meet!(cluster, cta)` checks the CTA alone.
macro_rules! meet {
    ($group:expr) => {
        meet!($group, $group)
    };
    ($group:expr, $checked:expr) => {
        $crate::mark::meet(&$group);
        #[cfg(feature = "checked")]
        $checked.meet();
    };
}
