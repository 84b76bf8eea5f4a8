//! The order of events: what happened before what, and what a conflict lacks. It knows the qualifiers of instructions and the
//! places of memory, and imports no module but `address` and `frontend`.

pub mod clock;
pub mod explore;
pub mod location;
pub mod shadow;
pub mod sync;
pub mod taint;
