//! The index of instructions: the name of each instruction in `ptx::raw`, and the typed functions that use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::api::Function;
use crate::calls::{Called, Calls};
use crate::is_called;
use crate::support::ok;
use crate::types::Type;
use xtask::files;
use xtask::index::{self, Entry};

/// Maximum number of typed functions to name per instruction. Functions that reach the fewest instructions come first.
const MOST_NAMED: usize = 4;

pub fn text(functions: &[Function], calls: &Calls) -> String {
    let entries = ok(index::entries());
    let (typed, modules) = (typed(functions, calls, &entries), modules(functions));
    index::text(entries, |name| {
        let made = typed.get(name).map(Vec::as_slice).unwrap_or_default();
        let mut named: Vec<_> = made.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
        let others = match made.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        if made.is_empty() {
            let using = modules.iter().filter(|(_, words)| words.contains(name));
            named.extend(using.map(|(module, _)| format!("in `{module}`")));
        }
        named.join(", ") + &others
    })
}

/// Returns the words in the code of each public module of the typed layer, without comments.
fn modules(functions: &[Function]) -> BTreeMap<String, BTreeSet<String>> {
    let is_public: BTreeSet<&String> = functions.iter().map(|function| &function.module).collect();
    let folder = xtask::root().join("src");
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in ok(files::under(&folder)) {
        let relative = path.strip_prefix(&folder).expect("a path in it").with_extension("");
        let module = match &*relative.iter().next().unwrap_or_default().to_string_lossy() {
            // `launch` exports what `group` has.
            "group" => "launch".to_owned(),
            module => module.to_owned(),
        };
        if is_public.contains(&module) {
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words = code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
            modules.entry(module).or_default().extend(words.map(str::to_owned));
        }
    }
    modules
}

/// Returns the public typed functions that reach each raw function, by its name. Functions that reach the fewest come first.
fn typed(functions: &[Function], calls: &Calls, entries: &[Entry]) -> BTreeMap<String, Vec<String>> {
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let raw = |symbol: &str| match calls.called(symbol) {
        Some(Called::Free(module, name)) if module == "raw" => names.get(name.as_str()).copied(),
        _ => None,
    };

    let mut made: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for symbol in calls.of_twins() {
        let Some(instance) = calls.called(symbol) else { continue };
        // `registers` calls the closures that it is given, including closures of this crate.
        let mut others = functions.iter().filter(|function| function.module != "registers");
        if let Some(function) = others.find(|function| is_called(function, instance)) {
            let below = calls.below(symbol, |symbol| raw(symbol).is_some() || calls.is_the_callers(symbol));
            made.entry(name(function)).or_default().extend(below.into_iter().filter_map(raw));
        }
    }
    let mut of_each: BTreeMap<String, BTreeSet<(usize, &String)>> = BTreeMap::new();
    for (name, raws) in &made {
        for &raw in raws {
            of_each.entry(raw.into()).or_default().insert((raws.len(), name));
        }
    }
    let in_order =
        |names: BTreeSet<(usize, &String)>| names.into_iter().map(|(_, name)| name.clone()).collect();
    of_each.into_iter().map(|(raw, names)| (raw, in_order(names))).collect()
}

/// Returns the function's public path, without the parameters of its type.
pub fn name(function: &Function) -> String {
    match &function.owner {
        Some(Type::Path { name, .. }) => {
            let name = name.rsplit("::").next().unwrap_or(name);
            format!("{}::{name}::{}", function.module, function.name)
        }
        _ => format!("{}::{}", function.module, function.name),
    }
}
