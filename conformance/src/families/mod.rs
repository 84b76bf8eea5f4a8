//! The cases of each family of `ptx::raw`.

mod pure;

use crate::case::Case;
use crate::form::Form;

/// The cases of a form. A form without one fails the test `every_form_has_a_case`.
pub fn cases(form: &Form) -> Vec<Case<'_>> {
    match form.family.as_str() {
        "cvt" | "math" => pure::cases(form),
        _ => Vec::new(),
    }
}
