//! The checks of the feature `checked`: do all threads of a group make its collective calls together, from the same place?

#[cfg(feature = "checked")]
mod records;
#[cfg(feature = "checked")]
pub use records::{end, enter, meet_in_cta, meet_in_part, meet_in_warp};

/// `meet!(group)` checks, with the feature `checked`, that all threads of the group make the call of the function, which has
/// `#[track_caller]`. Without the feature it expands to `let _`, which costs rustc's inliner nothing.
macro_rules! meet {
    ($group:ident $($part:tt)*) => {
        #[cfg(feature = "checked")]
        $group $($part)*.meet();
        #[cfg(not(feature = "checked"))]
        let _ = $group;
    };
}
