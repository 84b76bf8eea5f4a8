//! The checks of the feature `checked`: do all threads of a group make its collective calls together, from the same place?

#[cfg(feature = "checked")]
mod records;
#[cfg(feature = "checked")]
pub use records::{end, enter, meet_in_cta, meet_in_part, meet_in_warp};

/// `meet!(group)` states that all threads of the group make the call of the function, which has `#[track_caller]`: by a mark, for
/// the proof of `ptx-link`, and with the feature `checked` by a check.
macro_rules! meet {
    ($group:ident $($part:tt)*) => {
        $group $($part)*.meet();
    };
}
