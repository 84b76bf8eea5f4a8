//! The index of instructions: where each is in `ptx::raw`, and what of the typed layer is made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::api::Function;
use crate::calls::{Calls, called, demangled};
use crate::{files, is_called};

/// So many typed functions are named of an instruction: those that are made of the fewest.
const MOST_NAMED: usize = 4;

const HEADER: &str = "\
# Instructions

Each function of `ptx::raw` by its PTX, and what of the typed layer reaches it in the twins of `tests/device/typed`: those first
that reach the fewest instructions. Where no twin does, the module that has it, for another type of element say; where there is
nothing, the instruction is raw only. `BLESS=1 cargo test --test coverage index` writes this file.
";

struct Row {
    form: String,
    /// PTX ISA version, target, section.
    needs: [String; 3],
    family: String,
    name: String,
}

pub fn text(functions: &[Function], ir: &str) -> String {
    let mut rows = rows();
    let opcode_of = |form: &str| match form.split(['.', '{', ' ', ';']).next().unwrap_or_default() {
        register if register.starts_with('%') => "Special registers".to_owned(),
        opcode => format!("`{opcode}`"),
    };
    rows.sort_by_key(|row| {
        (row.form.starts_with('%'), opcode_of(&row.form), row.form.clone(), row.name.clone())
    });
    let (typed, modules) = (typed(functions, ir), modules());
    let (mut text, mut opcode) = (HEADER.to_owned(), String::new());
    for Row { form, needs: [isa, target, section], family, name } in rows {
        if opcode_of(&form) != opcode {
            opcode = opcode_of(&form);
            text += &format!(
                "\n## {opcode}\n\n| PTX | `ptx::raw` | PTX ISA, target | section | typed |\n|---|---|---|---|---|\n"
            );
        }
        let made = typed.get(&(family, name.clone())).map(Vec::as_slice).unwrap_or_default();
        let mut named: Vec<_> = made.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
        let others = match made.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        if made.is_empty() {
            let using = modules.iter().filter(|(_, words)| words.contains(&name));
            named.extend(using.map(|(module, _)| format!("in `{module}`")));
        }
        let form = form.replace('|', "\\|");
        text += &format!(
            "| `{form}` | `{name}` | {isa}, {target} | {section} | {}{others} |\n",
            named.join(", ")
        );
    }
    text
}

/// The rows of the raw layer, as the golden files' headers say them.
fn rows() -> Vec<Row> {
    let folder = xtask::root().join("tests/golden/raw");
    let row = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("a golden file");
        let mut lines = text.lines().map(|line| line.trim_start_matches("// "));
        let (form, claims) = (lines.next()?.to_owned(), lines.next()?);
        let claims = claims.strip_prefix("PTX ISA ")?.replace("section ", "");
        let mut claims = claims.split(", ").map(|claim| claim.replace(" or higher", "+"));
        let needs = [claims.next()?, claims.next()?, claims.next()?];
        let name = |path: &std::path::Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
        Some(Row { form, needs, family: name(path.parent()?)?, name: name(&path)? })
    };
    files(&folder)
        .into_iter()
        .map(|path| row(path.clone()).unwrap_or_else(|| panic!("{}", path.display())))
        .collect()
}

/// The words of each module of the typed layer, comments left out.
fn modules() -> BTreeMap<String, BTreeSet<String>> {
    let folder = xtask::root().join("src");
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&folder) {
        let relative = path.strip_prefix(&folder).expect("a path in it").with_extension("");
        let module = relative.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        if !["lib", "qualifier", "raw"].contains(&&*module) {
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words = code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
            modules.entry(module).or_default().extend(words.map(str::to_owned));
        }
    }
    modules
}

/// The public functions of the typed layer that reach each raw one, by its family and name.
fn typed(functions: &[Function], ir: &str) -> BTreeMap<(String, String), Vec<String>> {
    let calls = Calls::read(ir);
    let symbols = calls.reached("typed_");
    let paths: BTreeMap<&str, String> =
        symbols.iter().filter_map(|&symbol| Some((symbol, demangled(symbol)?))).collect();
    let public: BTreeMap<&str, &Function> = paths
        .iter()
        .filter_map(|(&symbol, path)| {
            let called = called(path)?;
            Some((symbol, functions.iter().find(|function| is_called(function, &called))?))
        })
        .collect();
    // What a caller passed in is not the function's.
    let ends = |symbol: &str| {
        let path = paths.get(symbol).map_or(symbol, String::as_str);
        raw(path).is_some() || path.trim_start_matches('<').starts_with("typed")
    };
    let mut made: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for (symbol, function) in &public {
        let below = calls.below(symbol, ends);
        let raws = below.iter().filter_map(|symbol| raw(paths.get(symbol)?));
        made.entry(name(function)).or_default().extend(raws);
    }
    let mut of_each: BTreeMap<(String, String), Vec<(usize, &String)>> = BTreeMap::new();
    for (name, raws) in &made {
        for raw in raws {
            of_each.entry(raw.clone()).or_default().push((raws.len(), name));
        }
    }
    let sorted = |mut names: Vec<(usize, &String)>| {
        names.sort();
        names.into_iter().map(|(_, name)| name.clone()).collect()
    };
    of_each.into_iter().map(|(raw, names)| (raw, sorted(names))).collect()
}

/// The family and name of a raw function's instance.
fn raw(path: &str) -> Option<(String, String)> {
    let path = path.split_once("::<").map_or(path, |(path, _)| path);
    match path.split("::").collect::<Vec<_>>()[..] {
        ["ptx", "raw", family, name] => Some((family.into(), name.into())),
        _ => None,
    }
}

/// Its path, without the parameters of the type that has it.
fn name(function: &Function) -> String {
    let shown = function.shown();
    let (mut depth, mut name) = (0, String::new());
    for c in shown.chars() {
        depth += usize::from(c == '<');
        if depth == 0 {
            name.push(c);
        }
        depth -= usize::from(c == '>');
    }
    name
}
