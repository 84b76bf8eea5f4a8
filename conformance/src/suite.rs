//! The cases that a GPU runs: their numbers, the names of their kernels, and the modules that contain the kernels.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash as _, Hasher as _};
use std::str::FromStr;

use crate::case::{self, Case, Extra};
use crate::families;
use crate::form::{Form, HOPPER};

/// The number of forms in a module.
const PER_MODULE: usize = 64;

/// A run, by the numbers of its form, of its case within the form, and of the run within the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of the form.
    pub form: usize,
    /// The number of the case.
    pub case: usize,
    /// The number of the run.
    pub run: usize,
}

impl Place {
    /// The first run of all.
    pub const FIRST: Self = Self { form: 0, case: 0, run: 0 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.form, self.case, self.run)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<usize>, _> = text.split(':').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([form, case, run]) => Ok(Self { form: *form, case: *case, run: *run }),
            _ => Err(format!("`{text}` is no place: expected FORM:CASE:RUN")),
        }
    }
}

/// Returns true if the GPUs at hand run a case: their target has the form, and the case needs no multicast object.
pub fn runs_on_gpu(case: &Case<'_>) -> bool {
    case.form.is_hopper() && !case.runs.iter().any(|run| matches!(run.extra, Extra::Multicast(_)))
}

/// Returns the cases that a GPU runs, beginning at a place, each with its place.
pub fn from(forms: &[Form], start: Place) -> impl Iterator<Item = (Place, Case<'_>)> {
    let forms = forms.iter().enumerate().skip(start.form).filter(|(_, form)| form.is_hopper());
    let cases = forms.flat_map(|(form, of)| {
        let cases = families::cases(of).into_iter().enumerate();
        cases.map(move |(case, of)| (Place { form, case, run: 0 }, of))
    });
    cases.filter(move |(place, case)| *place >= Place { run: 0, ..start } && runs_on_gpu(case))
}

/// Returns the name of a kernel, with a hash of its text: a module of another version of this program lacks the name.
pub fn kernel_name(place: Place, case: &Case<'_>) -> String {
    let mut hasher = DefaultHasher::new();
    case.kernel.hash(&mut hasher);
    format!("f{}_{}_{:016x}", place.form, place.case, hasher.finish())
}

/// Returns the file name, without extension, of the module that contains a case.
pub fn module_name(place: Place) -> String {
    format!("m{:04}", place.form / PER_MODULE)
}

/// Returns the file names and the PTX of the modules of all cases that a GPU runs.
pub fn modules(forms: &[Form]) -> Vec<(String, String)> {
    let mut modules: Vec<(String, Vec<String>)> = Vec::new();
    for (place, case) in from(forms, Place::FIRST) {
        let (name, entry) = (module_name(place), case.entry(&kernel_name(place, &case)));
        match modules.last_mut() {
            Some((last, entries)) if *last == name => entries.push(entry),
            _ => modules.push((name, vec![entry])),
        }
    }
    modules.into_iter().map(|(name, entries)| (name, case::module(HOPPER, entries))).collect()
}
