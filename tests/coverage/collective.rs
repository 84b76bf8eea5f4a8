//! The safe functions made of convergent instructions, which the threads of a warp, a CTA or a cluster must execute together.
//! Review each new line of the golden file: does an argument of the function prove that the threads call it together?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::api::{self, Function, Group};
use crate::calls::{Called, Calls, Name, Passed, places_passed, trait_method};
use crate::is_called;
use crate::support::ok;
use xtask::files;

/// Lists each safe function that a program can call, hidden or not, with the convergent rows of `ptx::raw` that the function
/// reaches, except through another such function. The twins of `tests/device/typed` call all these functions.
pub fn text(json: &Value, calls: &Calls) -> String {
    let rows = convergent_rows();
    let mut functions = api::callable(json);
    functions.retain(|function| !function.is_unsafe);
    let methods = api::safe_trait_methods(json);

    // Maps each symbol to its safe function, and each symbol to its convergent row.
    let (mut safe, mut raw) = (BTreeMap::new(), BTreeMap::new());
    for symbol in calls.of_twins() {
        let Some(of) = calls.name(symbol) else { continue };
        match &of.called {
            Some(Called::Free(module, name)) if module == "raw" => {
                if rows.contains(name) {
                    raw.insert(symbol, shown(name, &of.path));
                }
            }
            Some(instance) => {
                if let Some(method) = trait_method(&of.path).filter(|method| methods.contains(method)) {
                    let [module, owner, name] = method;
                    safe.insert(symbol, format!("{module}::{owner}::{name}"));
                } else if let Some(function) = functions.iter().find(|function| is_called(function, instance))
                {
                    safe.insert(symbol, function.shown());
                }
            }
            None => {}
        }
    }

    // The safe functions of the raw layer are rows themselves.
    let mut made: BTreeMap<String, BTreeSet<&String>> = BTreeMap::new();
    made.extend(
        rows.intersection(&api::safe_raw(json)).map(|name| (format!("raw::{name}"), BTreeSet::new())),
    );
    for (symbol, name) in &safe {
        let ends = |symbol: &str| {
            raw.contains_key(symbol) || safe.contains_key(symbol) || calls.is_the_callers(symbol)
        };
        let reached = calls.below(symbol, ends);
        let rows: BTreeSet<_> = reached.iter().filter_map(|symbol| raw.get(symbol)).collect();
        if !rows.is_empty() {
            made.entry(name.clone()).or_default().extend(rows);
        }
    }
    let lines = |(name, rows): (String, BTreeSet<&String>)| {
        let rows: String = rows.iter().map(|row| format!("    {row}\n")).collect();
        format!("{name}\n{rows}")
    };
    made.into_iter().map(lines).collect()
}

const NOT: &str = "Not collective.";

/// The paragraph of a function's documentation that says which threads make the call together.
const LINES: [&str; 9] = [
    "Collective in the CTA.",
    "Collective in the CTA or the cluster that makes the request.",
    "Collective in the CTA or the cluster that runs it.",
    "Collective in the cluster.",
    "Collective among the lanes.",
    "Collective in the group.",
    "Collective in the warp.",
    "Collective in the warpgroup.",
    NOT,
];

/// Functions that take a `Cta` and are collective in its cluster.
const IN_THE_CLUSTER: [&str; 2] = ["group::Cta::cluster_scope", "group::Cta::finish_cluster"];

/// Rows that each thread executes individually. They are convergent only so that LLVM does not move them.
const OF_A_THREAD: [&str; 1] = ["griddepcontrol"];

/// Returns the legal paragraphs, besides [`NOT`], of a function that takes this group.
fn lines(function: &Function, group: Group) -> &'static [&'static str] {
    match group {
        Group::Cta if !IN_THE_CLUSTER.contains(&&*function.shown()) => &["Collective in the CTA."],
        Group::Cta | Group::Cluster => &["Collective in the cluster."],
        Group::Lanes => &["Collective among the lanes."],
        Group::Warp => &["Collective in the warp."],
        Group::Any => &["Collective in the group."],
        Group::Part => {
            &["Collective in the group.", "Collective in the warp.", "Collective in the warpgroup."]
        }
    }
}

/// Returns the fault in a function's paragraph on collective calls, if there is one.
pub fn fault(function: &Function) -> Option<String> {
    let docs = &function.docs;
    let is_line = |text: &str| text.starts_with("Collective") || text.starts_with("Not collective");
    let paragraphs: Vec<_> = docs.split("\n\n").map(str::trim).collect();
    let said: Vec<_> = (0..paragraphs.len()).filter(|&i| is_line(paragraphs[i])).collect();
    let fault = match (function.group, &said[..]) {
        (None, []) => return None,
        (Some(group), []) => {
            format!("lacks the paragraph `{}` or `{NOT}`", lines(function, group).join("` or `"))
        }
        (_, [_, _, ..]) => {
            "has more than one paragraph that begins with `Collective` or `Not collective`".into()
        }
        (group, &[at]) => {
            let said = paragraphs[at];
            let ptx = paragraphs.iter().position(|text| text.starts_with("PTX"));
            match group.map(|group| lines(function, group)) {
                _ if !LINES.contains(&said) => format!("says `{said}`"),
                Some(lines) if !lines.contains(&said) && said != NOT => {
                    format!("says `{said}`, but its arguments require `{}`", lines.join("` or `"))
                }
                _ if ptx.is_some_and(|ptx| ptx != at + 1) => {
                    "does not have the paragraph directly before `PTX`".into()
                }
                _ => return None,
            }
        }
    };
    Some(format!("{} {fault}", function.shown()))
}

/// Returns the functions that say [`NOT`] but reach an instruction that threads execute together.
pub fn executed_together(functions: &[Function], calls: &Calls) -> BTreeSet<String> {
    let rows = convergent_rows();
    let row = |symbol: &str| match calls.called(symbol)? {
        Called::Free(module, name) if module == "raw" && rows.contains(name) => Some(name),
        _ => None,
    };
    let mut faults = BTreeSet::new();
    let not = functions.iter().filter(|function| function.docs.split("\n\n").any(|text| text.trim() == NOT));
    let not: Vec<_> = not.collect();
    for symbol in calls.of_twins() {
        let Some(instance) = calls.called(symbol) else { continue };
        let Some(function) = not.iter().find(|function| is_called(function, instance)) else { continue };
        let reached = calls.below(symbol, |symbol| calls.is_the_callers(symbol));
        let reached = reached.iter().filter_map(|symbol| row(symbol));
        let reached = reached.filter(|name| !OF_A_THREAD.contains(&name.as_str()));
        faults.extend(reached.map(|name| format!("{}: {name}", function.shown())));
    }
    faults
}

/// Returns true if the threads of a group make calls of the function together.
pub fn is_collective(function: &Function) -> bool {
    function.docs.split("\n\n").map(str::trim).any(|text| text != NOT && LINES.contains(&text))
}

/// Returns the functions of `ptx` that the twins reach, by their symbols.
pub fn instances<'a>(calls: &'a Calls<'a>) -> Vec<(&'a str, &'a Called)> {
    let reached = calls.of_twins().into_iter();
    let names = reached.filter_map(|symbol| Some((symbol, calls.name(symbol)?)));
    let names = names.filter(|(_, name)| !name.path.contains("{closure"));
    names.filter_map(|(symbol, name)| Some((symbol, name.called.as_ref()?))).collect()
}

/// Returns true if each instance of the function checks that all threads of the group make the call. A group of one thread has
/// nothing to check.
pub fn is_checked(function: &Function, calls: &Calls, instances: &[(&str, &Called)]) -> bool {
    let checks = |name: &Name| {
        name.path.starts_with("ptx::checked::records::meet")
            || name.path.starts_with("<ptx::group::Thread as ptx::group::")
    };
    instances.iter().filter(|(_, called)| is_called(function, called)).all(|(symbol, _)| {
        let below = calls.below(symbol, |symbol| calls.is_the_callers(symbol));
        below.iter().filter_map(|symbol| calls.name(symbol)).any(checks)
    })
}

/// Returns true if each instance of the function leaves a mark for the proof of uniform control flow. The handles of one thread need
/// none.
pub fn is_marked(function: &Function, calls: &Calls, instances: &[(&str, &Called)]) -> bool {
    let marks = |name: &Name| {
        let is_of_one = name.path.contains("ptx::group::Thread>");
        name.path.starts_with("ptx::mark::") || is_of_one
    };
    instances.iter().filter(|(_, called)| is_called(function, called)).all(|(symbol, _)| {
        let below = calls.below(symbol, |symbol| calls.is_the_callers(symbol));
        below.iter().chain([symbol]).filter_map(|symbol| calls.name(symbol)).any(marks)
    })
}

/// Returns the calls that pass a constant place on the way to a check.
pub fn places_of_checks<'a>(ir: &'a str, calls: &Calls) -> Vec<Passed<'a>> {
    let is_check = |symbol: &str| {
        calls.name(symbol).is_some_and(|name| name.path.starts_with("ptx::checked::records::meet"))
    };
    let is_place_of_caller = |symbol: &str| {
        let start = "<core::panic::location::Location>::caller";
        calls.name(symbol).is_some_and(|name| name.path.starts_with(start))
    };
    let mut known = BTreeMap::new();
    let mut leads = |symbol| *known.entry(symbol).or_insert_with(|| leads_to(symbol, calls, is_check));
    let mut passed = places_passed(ir);
    passed.retain(|call| leads(call.to) || (is_place_of_caller(call.to) && leads(call.by)));
    passed
}

fn leads_to(symbol: &str, calls: &Calls, is_end: impl Fn(&str) -> bool) -> bool {
    is_end(symbol) || calls.below(symbol, |_| false).iter().any(|symbol| is_end(symbol))
}

/// Returns the convergent rows of the raw layer, according to the headers of the golden files.
fn convergent_rows() -> BTreeSet<String> {
    let is_convergent =
        |text: &str| text.lines().nth(1).is_some_and(|claims| claims.ends_with(", convergent"));
    let paths = ok(files::under(&xtask::root().join("tests/golden/raw")));
    let paths = paths.iter().filter(|path| is_convergent(&fs::read_to_string(path).expect("a golden file")));
    paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}

/// Returns a row's name, with the qualifier that requires a whole CTA or warp at the same instruction.
fn shown(name: &str, path: &str) -> String {
    let aligned = if path.contains("::convergence::Aligned") { " .aligned" } else { "" };
    format!("{name}{aligned}")
}
