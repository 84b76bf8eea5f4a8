//! docs/INSTRUCTIONS.md: the name of each instruction in `ptx::raw`, and the typed functions that use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::device::Arch;
use crate::{files, root};

const HEADER: &str = "\
# Instructions

This page lists each function of `ptx::raw` with its PTX. The last column lists the typed functions whose twin in
`tests/device/typed` contains the instruction, those with the fewest instructions first. If no twin contains the instruction, the
column names the module that does. An empty cell means that the instruction is raw only. `BLESS=1 cargo test --test coverage index`
writes this file.

`sm_90+` is sm_90 and every newer target. A target without `+` is that one and those that contain it: sm_100a and sm_103f contain
sm_100f. Of several targets, one is enough; some forms of a function may need more, which its golden file says.

`bar.sync`, `bar.arrive` and `bar.red` are other spellings of `barrier.cta.sync.aligned`, `barrier.cta.arrive.aligned` and
`barrier.cta.red.aligned`; `membar` is another spelling of `fence.sc` and `fence.proxy`.
";

/// A raw function, as the header of its golden file describes it.
pub struct Entry {
    /// The PTX syntax.
    pub form: String,
    /// The function's name in `ptx::raw`.
    pub name: String,
    /// PTX ISA version, target, section.
    needs: [String; 3],
}

/// Returns the path of docs/INSTRUCTIONS.md.
pub fn path() -> PathBuf {
    root().join("docs/INSTRUCTIONS.md")
}

/// Returns the raw functions that have golden files.
pub fn entries() -> Result<Vec<Entry>> {
    let entry = |path: &Path| {
        let text = fs::read_to_string(path).ok()?;
        let mut lines = text.lines().map(|line| line.trim_start_matches("// "));
        let (form, claims) = (lines.next()?.to_owned(), lines.next()?);
        let claims = claims.strip_prefix("PTX ISA ")?.replace("section ", "");
        let mut claims = claims.split(", ").map(|claim| claim.replace(" or higher", "+"));
        let mut needs = [claims.next()?, claims.next()?, claims.next()?];
        if let Some(targets) = targets(lines) {
            needs[1] = targets;
        }
        Some(Entry { form, needs, name: path.file_stem()?.to_str()?.to_owned() })
    };
    let paths = files::under(&root().join("tests/golden/raw"))?;
    paths
        .iter()
        .map(|path| entry(path).with_context(|| format!("{} has no header", path.display())))
        .collect()
}

/// Returns the targets of a row's forms, if newer targets lack all of them: those of which no other one is a part.
fn targets<'a>(forms: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut all = BTreeSet::new();
    for form in forms {
        let (_, needs) = form.split_once(" // ")?;
        let named: Vec<Arch> = needs.split(", ").filter_map(|need| need.parse().ok()).collect();
        // A target without a letter is contained in the newer ones.
        if named.iter().all(|arch| !arch.name().ends_with(['a', 'f'])) {
            return None;
        }
        all.extend(named);
    }
    let least = all.iter().filter(|arch| !all.iter().any(|other| other != *arch && arch.contains(*other)));
    Some(least.map(|arch| arch.name()).collect::<Vec<_>>().join(", "))
}

/// Returns the forms in the golden files of all families but one, each with the name of its row.
pub fn forms(but: &str) -> Result<BTreeMap<String, String>> {
    let mut forms = BTreeMap::new();
    for path in files::under(&root().join("tests/golden/raw"))? {
        let family = path.parent().and_then(Path::file_name);
        if family.is_some_and(|family| family != but) {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let row = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let lines = text.lines().filter(|line| !line.starts_with("//"));
            let instructions = lines.filter_map(|line| line.split(" //").next());
            forms.extend(instructions.map(|instruction| (instruction.to_owned(), row.clone())));
        }
    }
    Ok(forms)
}

/// Returns the path of the qualifiers of each raw function, which `cargo ptx forms` reads.
pub fn qualifiers_path() -> PathBuf {
    root().join("cargo-ptx/QUALIFIERS.txt")
}

/// Returns a line for each raw function that has a golden file: its name, and the opcode and the qualifiers of all its forms.
pub fn qualifiers() -> Result<String> {
    let mut of_each = BTreeMap::<String, BTreeSet<String>>::new();
    for (form, row) in forms("")? {
        let name = form.trim_start_matches(['{', ' ']).split([' ', ';']).next().unwrap_or_default();
        of_each.entry(row).or_default().extend(name.split('.').map(str::to_owned));
    }
    let line = |(row, pieces): (String, BTreeSet<String>)| {
        format!("{row}: {}\n", pieces.into_iter().collect::<Vec<_>>().join(" "))
    };
    Ok(of_each.into_iter().map(line).collect())
}

/// Returns the text of the index. `typed` gives the last column for a raw function.
pub fn text(mut entries: Vec<Entry>, typed: impl Fn(&str) -> String) -> String {
    let opcode_of = |form: &str| match form.split(['.', '{', ' ', ';']).next().unwrap_or_default() {
        register if register.starts_with('%') => "Special registers".to_owned(),
        opcode => format!("`{opcode}`"),
    };
    entries.sort_by_key(|entry| {
        (entry.form.starts_with('%'), opcode_of(&entry.form), entry.form.clone(), entry.name.clone())
    });
    let (mut text, mut opcode) = (HEADER.to_owned(), String::new());
    for Entry { form, needs: [isa, target, section], name } in entries {
        if opcode_of(&form) != opcode {
            opcode = opcode_of(&form);
            text += &format!(
                "\n## {opcode}\n\n| PTX | `ptx::raw` | PTX ISA, target | section | typed |\n|---|---|---|---|---|\n"
            );
        }
        let form = form.replace('|', "\\|");
        text += &format!("| `{form}` | `{name}` | {isa}, {target} | {section} | {} |\n", typed(&name));
    }
    text
}

/// Returns the last column of the existing file, by raw function.
pub fn typed() -> BTreeMap<String, String> {
    let text = fs::read_to_string(path()).unwrap_or_default();
    let cells = text.lines().filter_map(|line| {
        let (rest, typed) = line.strip_suffix(" |")?.rsplit_once(" | ")?;
        let name = rest.rsplit(" | ").nth(2)?.trim_matches('`');
        Some((name.to_owned(), typed.to_owned()))
    });
    cells.collect()
}
