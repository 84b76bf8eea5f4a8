//! The checks of the feature `checked`: do all threads of a group make its collective calls together, from the same place?

#[cfg(feature = "checked")]
mod records;
#[cfg(feature = "checked")]
pub use records::{end, enter, meet_in_cta, meet_in_part, meet_in_warp};

/// `meet!(group)` states that all threads of the group make the call of the function, which has `#[track_caller]`: by a mark, for
/// the proof of `ptx-link`, and with the feature `checked` by a check. `meet!(cluster, cta)` checks the CTA alone. `meet!(group; address)` also states that
/// the address of a handle is equal in the threads of the group.
macro_rules! meet {
    ($group:expr) => {
        meet!($group, $group)
    };
    ($group:expr; $($address:expr),+) => {
        meet!($group, $group; $($address),+)
    };
    ($group:expr, $checked:expr; $($address:expr),+) => {
        $( $crate::mark::holding(&$group, $address); )+
        #[cfg(feature = "checked")]
        $checked.meet();
    };
    ($group:expr, $checked:expr) => {
        $crate::mark::meet(&$group);
        #[cfg(feature = "checked")]
        $checked.meet();
    };
}
