//! The forms of the raw layer: the instructions that each row of `src/raw` emits, read from a build of its families.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use ptx_link::convergence::is_convergent;

use crate::device::{Arch, Build};
use crate::family;

/// The number of legal forms of PTX ISA 9.2 in the three chapters (9.7.9.25, 9.7.9.27, 9.7.13), counted from their grammar and tables:
/// by family, on sm_100a and sm_90. Defaults count as written out. Each space of an address is a separate form; a sink `_` is not.
pub const LEGAL: [(&str, usize, usize); 28] = [
    ("cp_async", 99, 99),
    ("cp_async_bulk", 11, 9),
    ("cp_async_bulk_commit_group", 1, 1),
    ("cp_async_bulk_wait_group", 2, 2),
    ("cp_async_bulk_prefetch", 2, 2),
    ("cp_async_bulk_tensor", 288, 64),
    ("cp_async_bulk_prefetch_tensor", 30, 16),
    ("cp_reduce_async_bulk", 66, 66),
    ("cp_reduce_async_bulk_tensor", 128, 128),
    ("multimem_cp_reduce_async_bulk", 27, 27),
    ("barrier", 18, 18),
    ("barrier_cluster", 6, 6),
    ("fence", 34, 34),
    ("clusterlaunchcontrol", 9, 0),
    ("atom", 2944, 2944),
    ("atom_vector", 2048, 2048),
    ("red", 1200, 1200),
    ("red_vector", 1024, 1024),
    ("red_async", 48, 24),
    ("vote", 4, 4),
    ("match_sync", 6, 6),
    ("bar_warp_sync", 1, 1),
    ("activemask", 1, 1),
    ("elect_sync", 1, 1),
    ("redux_sync", 17, 9),
    ("griddepcontrol", 2, 2),
    ("mbarrier", 145, 145),
    ("tensormap_cp_fenceproxy", 4, 4),
];

/// One raw instruction, as compiled in its probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The function's module in `ptx::raw`.
    pub family: String,
    /// The name of the function.
    pub name: String,
    /// The documented syntax.
    pub form: String,
    /// The PTX ISA version that the row claims.
    pub isa: (u32, u32),
    /// The oldest target that the row claims.
    pub target: String,
    /// The section in the PTX ISA.
    pub section: String,
    /// True if the row says that threads execute the instruction together. The linker uses its own table.
    pub convergent: bool,
    /// True if the row or one of its tags is limited to targets. Any other row compiles from the same text on all targets.
    pub gated: bool,
    /// The tags of the qualifiers, as in the macros of the row.
    pub tags: String,
    /// The forms that the row emits, each spelling once.
    pub forms: Vec<Form>,
}

/// One spelling of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The instruction, with registers by class.
    pub instruction: String,
    /// The PTX ISA version that the form claims.
    pub isa: (u32, u32),
    /// The oldest target that the form claims by number.
    pub target: String,
    /// The asm block that contains the instruction.
    pub block: AsmBlock,
    /// The targets whose probe has the form, oldest first.
    pub targets: Vec<Arch>,
}

impl Row {
    /// Returns the text of the golden file: the row's claims, then every form.
    pub fn golden(&self) -> String {
        let mut lines: Vec<String> = self.forms.iter().map(|form| self.line(form)).collect();
        lines.sort();
        let convergent: BTreeSet<_> = self.forms.iter().map(|form| is_convergent(&form.block.text)).collect();
        let convergent = match convergent.into_iter().collect::<Vec<_>>()[..] {
            [true] => "convergent",
            [false] => "not convergent",
            _ => panic!("{}: some forms are convergent and some are not", self.name),
        };
        format!(
            "// {}\n// PTX ISA {}, {} or higher, section {}, {convergent}\n{}\n",
            self.form,
            shown(self.isa),
            self.target,
            self.section,
            lines.join("\n")
        )
    }

    /// Returns the row as another target has it.
    fn on(&self, arch: Arch) -> Row {
        let on_this = |form: &Form| Form { targets: vec![arch], ..form.clone() };
        Row { forms: self.forms.iter().map(on_this).collect(), ..self.clone() }
    }

    /// Returns a form's line in the golden file. Needs beyond the row's claims follow as a comment.
    pub fn line(&self, form: &Form) -> String {
        let mut needs = Vec::new();
        if form.isa > self.isa {
            needs.push(format!("PTX ISA {}", shown(form.isa)));
        }
        if form.targets.len() < Arch::ALL.len() {
            // A target that contains one of them has the form too.
            let contains_another =
                |arch: &&Arch| form.targets.iter().any(|other| other != *arch && arch.contains(*other));
            needs.extend(form.targets.iter().filter(|arch| !contains_another(arch)).map(Arch::to_string));
        } else if form.target != self.target {
            needs.push(form.target.clone());
        }
        let newer = if needs.is_empty() { String::new() } else { format!(" // {}", needs.join(", ")) };
        format!("{}{newer}", form.instruction)
    }
}

/// The rows of the raw layer to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Every row.
    All,
    /// The rows that differ between targets. Of the other rows of their families, the claims and tags.
    Gated,
    /// The convergent rows, with the feature `stock-linker`.
    Labeled,
}

impl Part {
    /// Returns the value of the cfg `probe` that leaves out the other rows.
    fn probe(self) -> Option<&'static str> {
        match self {
            Part::All => None,
            Part::Gated => Some("gated"),
            Part::Labeled => Some("convergent"),
        }
    }
}

/// Returns the rows of a target, in the order of their families.
pub fn probe(arch: Arch, part: Part) -> Result<Vec<Row>> {
    let (folder, families) = match part {
        Part::All => ("all", family::sources()?.into_keys().collect()),
        Part::Gated => ("gated", family::gated()?),
        Part::Labeled => ("labeled", family::with("convergent")?),
    };
    build(&family::written(folder, &families)?, arch, part)
}

/// Returns the rows of every target.
pub fn probe_all() -> Result<Vec<(Arch, Vec<Row>)>> {
    probe_targets("all", &family::sources()?.into_keys().collect())
}

/// Returns the rows of one family on all targets.
pub fn of_family(name: &str) -> Result<Vec<Row>> {
    let rows = union(&probe_targets(name, &BTreeSet::from([name.to_owned()]))?)?;
    ensure!(!rows.is_empty(), "src/raw/{name}.rs has no `instruction!`: add a row");
    Ok(rows)
}

/// Compiles a crate that [`family`] has written, and returns its rows.
pub fn build(folder: &Path, arch: Arch, part: Part) -> Result<Vec<Row>> {
    let mut build = Build::new(folder, arch);
    build.rustflags = vec!["--cfg=probe".into()];
    build.rustflags.extend(part.probe().map(|value| format!("--cfg=probe=\"{value}\"")));
    // A call of an instruction has blocks for each form of the row, and only the blocks of one form are reachable. LLVM's pass
    // removes the others from rustc's output. Without storage markers, rustc's own passes leave fewer blocks, which saves a tenth
    // of the time.
    build.crate_flags = ["-Cpasses=unreachableblockelim", "-Zmir-enable-passes=+RemoveStorageMarkers"]
        .map(String::from)
        .into();
    build.features.push("tensor".into());
    if part == Part::Labeled {
        build.features.push("stock-linker".into());
    }
    rows(&build.run()?.text, arch).with_context(|| format!("the rows for {arch}"))
}

/// The target whose probe has every row. The other targets' probes have the gated rows only.
const WHOLE: Arch = Arch::Sm107a;

/// Returns the rows of some families on every target. Their crates are compiled in `target/row/<folder>`, two at a time: one for all
/// targets that have the same ones of the families' gates.
fn probe_targets(folder: &str, families: &BTreeSet<String>) -> Result<Vec<(Arch, Vec<Row>)>> {
    let whole = family::written(folder, families)?;
    let gated: BTreeSet<_> = families.intersection(&family::gated()?).cloned().collect();
    let gates = family::gates(families)?;
    let alike = |arch: Arch| match arch.first_alike_in(&gates) {
        first if first == WHOLE.first_alike_in(&gates) => WHOLE,
        first => first,
    };
    let is_compiled = |arch: &Arch| !gated.is_empty() && *arch != WHOLE && alike(*arch) == *arch;
    let others: Vec<_> = Arch::ALL.into_iter().filter(is_compiled).collect();
    let gated_rows = family::written(&format!("{folder}-gated"), &gated)?;
    // The whole probe takes the longest, so it comes first.
    let archs: Vec<Arch> = [WHOLE].into_iter().chain(others).collect();
    let probes = by_two(&archs, |&arch| match arch {
        WHOLE => build(&whole, arch, Part::All),
        _ => build(&gated_rows, arch, Part::Gated),
    });
    let probes = archs.into_iter().zip(probes).map(|(arch, rows)| Ok((arch, rows?)));
    let probes = with_ungated(probes.collect::<Result<_>>()?, &gated)?;
    Ok(Arch::ALL
        .into_iter()
        .map(|arch| {
            let rows = probes.get(&alike(arch)).unwrap_or(&probes[&WHOLE]);
            (arch, rows.iter().map(|row| row.on(arch)).collect())
        })
        .collect())
}

/// Adds to the probes of gated rows the rows without a gate, as [`WHOLE`] has them. A row without a gate has the same claims and
/// tags wherever it was compiled, in each of the families `gated`. Therefore it has the same forms.
fn with_ungated(
    mut probes: BTreeMap<Arch, Vec<Row>>,
    gated: &BTreeSet<String>,
) -> Result<BTreeMap<Arch, Vec<Row>>> {
    let whole = probes.remove(&WHOLE).unwrap_or_default();
    if let Some(row) = whole.iter().find(|row| row.gated && !gated.contains(&row.family)) {
        bail!("{} has a gate, but src/raw/{}.rs names none: name the gate there", row.name, row.family);
    }
    let ungated: Vec<&Row> = whole.iter().filter(|row| !row.gated).collect();
    let mut all = BTreeMap::new();
    for (arch, rows) in probes {
        let (mut rows, listed): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.gated);
        let expected = ungated.iter().filter(|row| gated.contains(&row.family));
        let bare = |row: &Row| Row { forms: Vec::new(), ..row.clone() };
        let expected: BTreeMap<String, Row> = expected.map(|row| (row.name.clone(), bare(row))).collect();
        let listed: BTreeMap<String, Row> = listed.iter().map(|row| (row.name.clone(), bare(row))).collect();
        let names: BTreeSet<&String> = expected.keys().chain(listed.keys()).collect();
        if let Some(name) = names.into_iter().find(|&name| expected.get(name) != listed.get(name)) {
            bail!(
                "{name} is different on {arch} and {WHOLE}, but has no gate: add a gate to the row or to the tag"
            );
        }
        rows.extend(ungated.iter().map(|row| row.on(arch)));
        all.insert(arch, rows);
    }
    all.insert(WHOLE, whole);
    Ok(all)
}

/// Merges the rows of several targets into one list, sorted by family and name. Each form lists its targets.
pub fn union(probes: &[(Arch, Vec<Row>)]) -> Result<Vec<Row>> {
    let mut all: BTreeMap<(String, String), Row> = BTreeMap::new();
    for row in probes.iter().flat_map(|(_, rows)| rows) {
        let have = all
            .entry((row.family.clone(), row.name.clone()))
            .or_insert_with(|| Row { forms: Vec::new(), ..row.clone() });
        let claims = |row: &Row| (row.form.clone(), row.isa, row.target.clone(), row.section.clone());
        ensure!(claims(have) == claims(row), "{} makes different claims on different targets", row.name);
        let mut places: BTreeMap<String, usize> =
            have.forms.iter().enumerate().map(|(i, form)| (form.instruction.clone(), i)).collect();
        for form in &row.forms {
            match places.get(&form.instruction) {
                Some(&i) => have.forms[i].targets.extend(&form.targets),
                None => {
                    places.insert(form.instruction.clone(), have.forms.len());
                    have.forms.push(form.clone());
                }
            }
        }
    }
    Ok(all.into_values().collect())
}

/// Counts the forms of each family on each of [`Arch::ALL`].
pub fn counts(rows: &[Row]) -> BTreeMap<&str, [usize; Arch::ALL.len()]> {
    let mut counts = BTreeMap::new();
    for row in rows {
        let family: &mut [usize; Arch::ALL.len()] = counts.entry(row.family.as_str()).or_default();
        for (count, arch) in family.iter_mut().zip(Arch::ALL) {
            *count += row.forms.iter().filter(|form| form.targets.contains(&arch)).count();
        }
    }
    counts
}

/// Calls `work` on each item, on two threads. Returns the results in the order of the items.
pub fn by_two<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(items.iter().enumerate());
    let worker = || {
        let mut done = Vec::new();
        loop {
            // The lock is released at the end of the statement, before the work.
            let item = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            let Some((i, item)) = item else { return done };
            done.push((i, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let other = scope.spawn(worker);
        let mut done = worker();
        done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        done
    });
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Formats `(8, 6)` as `8.6`.
pub fn shown((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// Returns 90 for `sm_90a`.
pub fn number(target: &str) -> u32 {
    target.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic).parse().expect("sm_N")
}

/// Reads the rows from the PTX of a probe.
pub fn rows(module: &str, arch: Arch) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for block in asm_blocks(module) {
        if let Some(row) = block.text.strip_prefix("// row:") {
            rows.push(row_of(row)?);
        } else {
            let row = rows.last_mut().context("an asm block comes before the name of its row")?;
            row.forms.push(form_of(row, block, arch)?);
        }
    }
    Ok(rows)
}

fn row_of(text: &str) -> Result<Row> {
    let fields: Vec<&str> = text.split("@@").collect();
    let [module, name, form, isa, target, section, convergent, gates, tags] = fields[..] else {
        bail!("cannot read this row: {text}")
    };
    let is_target = |target: &str| {
        let number = target.strip_prefix("sm_").map(|number| number.trim_end_matches(['a', 'f']));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    ensure!(is_target(target), "{name}: `target: {target:?}` is not a target: write `sm_90`");
    let is_version =
        |(major, minor): (&str, &str)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok();
    ensure!(
        isa.split_once('.').is_some_and(is_version),
        "{name}: `isa: {isa:?}` is not a version: write `8.6`"
    );
    Ok(Row {
        family: module.rsplit("::").next().unwrap_or(module).into(),
        name: name.into(),
        form: form.into(),
        isa: version(isa),
        target: target.into(),
        section: section.into(),
        convergent: convergent == "convergent",
        gated: !gates.trim().is_empty(),
        tags: tags.into(),
        forms: Vec::new(),
    })
}

/// Returns the form in an asm block. The block also sets up and reads out predicates, and operands that are wider or narrower
/// than the registers of `asm!`. The remaining statement is the instruction.
fn form_of(row: &Row, block: AsmBlock, arch: Arch) -> Result<Form> {
    const SET_UP: [&str; 9] = [
        ".reg ",
        "selp.b32 ",
        "setp.ne.b32 ",
        "setp.ne.u32 ",
        "mov.b32 ",
        "mov.b64 ",
        "mov.b128 ",
        "cvt.u8.u16 ",
        "cvt.u32.u8 ",
    ];
    let set_up = |statement: &&String| SET_UP.iter().any(|start| statement.starts_with(start));
    let left: Vec<_> = block.instructions.iter().filter(|statement| !set_up(statement)).collect();
    let [instruction] = left[..] else {
        bail!("{} does not emit exactly one instruction: {:?}", row.name, block.instructions)
    };
    let targets = block.text.split_whitespace().filter_map(|word| word.strip_prefix("target:"));
    let target = targets.chain([row.target.as_str()]).max_by_key(|target| number(target));
    let target = target.unwrap_or(&row.target).to_owned();
    Ok(Form { instruction: instruction.clone(), isa: block.isa, target, block, targets: vec![arch] })
}

/// A block of inline asm as normalized instructions, without the comment with the PTX version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmBlock {
    /// The text from rustc.
    pub text: String,
    /// The statements.
    pub instructions: Vec<String>,
    /// The highest PTX version in the comments.
    pub isa: (u32, u32),
}

/// Returns the blocks of inline asm in a function's body.
pub fn asm_blocks(body: &str) -> Vec<AsmBlock> {
    let mut blocks = Vec::new();
    let mut rest = body;
    while let Some((_, from)) = rest.split_once("// begin inline asm\n") {
        let (text, after) = from.split_once("// end inline asm").expect("every asm block ends");
        blocks.push(asm_block(text.trim()));
        rest = after;
    }
    blocks
}

fn asm_block(text: &str) -> AsmBlock {
    let mut isa = (0, 0);
    let mut code = String::new();
    for line in text.lines() {
        let (instructions, comment) = line.split_once("//").unwrap_or((line, ""));
        code.push_str(instructions);
        for need in comment.split_whitespace().filter_map(|word| word.strip_prefix("ptx:")) {
            isa = isa.max(version(need));
        }
    }
    AsmBlock { text: text.to_owned(), instructions: statements(&code), isa }
}

/// Parses `8.6` into a pair.
pub fn version(text: &str) -> (u32, u32) {
    let (major, minor) = text.split_once('.').expect("major.minor");
    (major.parse().expect("a number"), minor.parse().expect("a number"))
}

/// Returns the normalized statements of a block, without the braces of a scope.
fn statements(code: &str) -> Vec<String> {
    let code = code.trim();
    let code = code.strip_prefix("{ ").and_then(|code| code.strip_suffix('}')).unwrap_or(code);
    let statements = code.split(';').map(str::trim).filter(|statement| !statement.is_empty());
    statements.map(|statement| format!("{};", generic_registers(statement))).collect()
}

/// Replaces registers by their class: `%r12` becomes `%r`, the scratch predicates `p` and `p1` become `%p`, the 128-bit `q` and `q1`
/// become `%rq`, and the 8-bit `e` and `e0` to `e7` become `%b`.
pub fn generic_registers(statement: &str) -> String {
    map_words(statement, |word| match word.strip_prefix('%') {
        // The only special register whose name ends with digits.
        Some("clock64") => word.into(),
        Some(register) => format!("%{}", register.trim_end_matches(|c: char| c.is_ascii_digit())),
        None if word.starts_with("$L") => "$L".into(),
        None if matches!(word, "p" | "p1") => "%p".into(),
        None if matches!(word, "q" | "q1") => "%rq".into(),
        None if matches!(word, "e" | "e0" | "e1" | "e2" | "e3" | "e4" | "e5" | "e6" | "e7") => "%b".into(),
        _ => word.into(),
    })
}

/// Maps each word of a text: a name, number, register or label.
pub fn map_words(text: &str, mut map: impl FnMut(&str) -> String) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '%' | '_' | '$' | '.' | ':');
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if end > 0 {
            // The colon after a label is not part of the label.
            let word = rest[..end].trim_end_matches(':');
            out.push_str(&map(word));
            rest = &rest[word.len()..];
        }
        let end = rest.find(|c| is_word(c) && c != ':').unwrap_or(rest.len());
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(tags: &[&str]) -> String {
        let row = "\t// begin inline asm\n\t// row:ptx::raw::fam@@f@@f{.x};@@7.8@@sm_80@@9.7@@@@@@[x]\n\t// end inline asm\n";
        let form = |tag: &&str| {
            format!(
                "\t// begin inline asm\n\t{{ .reg .pred p; setp.ne.b32 p, %r4, 0; f{tag} p, %rd12; }} \
                 // ptx:7.8 ptx:8.6 target:sm_90\n\t// end inline asm\n"
            )
        };
        row.to_owned() + &tags.iter().map(form).collect::<String>()
    }

    #[test]
    fn a_form_is_on_the_targets_whose_probe_has_it() {
        let probes = Arch::ALL.map(|arch| {
            let tags: &[&str] = if arch.contains(Arch::Sm120f) { &[".b", ".a"] } else { &[".a"] };
            (arch, rows(&module(tags), arch).unwrap())
        });
        let all = union(&probes).unwrap();
        let lines: Vec<_> = all[0].forms.iter().map(|form| all[0].line(form)).collect();
        assert_eq!(lines, ["f.a %p, %rd; // PTX ISA 8.6, sm_90", "f.b %p, %rd; // PTX ISA 8.6, sm_120f"]);
        assert_eq!(
            counts(&all)["fam"],
            Arch::ALL.map(|arch| if arch.contains(Arch::Sm120f) { 2 } else { 1 })
        );
    }

    /// Checks that what differs between targets has a gate. Other rows are judged on one target for all.
    #[test]
    fn what_differs_between_targets_has_a_gate() {
        let probes = |tags: &str| -> BTreeMap<Arch, Vec<Row>> {
            let with = |arch, text: &str| (arch, rows(text, arch).unwrap());
            let listed = module(&[]).replace("[x]", tags);
            let others = Arch::ALL.into_iter().filter(|&arch| arch != WHOLE);
            others.map(|arch| with(arch, &listed)).chain([with(WHOLE, &module(&[".a"]))]).collect()
        };
        let gated = BTreeSet::from(["fam".to_owned()]);
        let all = with_ungated(probes("[x]"), &gated).unwrap();
        assert!(all.iter().all(|(arch, rows)| rows[0].forms[0].targets == [*arch]), "{all:?}");
        let error = with_ungated(probes("[x y]"), &gated).unwrap_err().to_string();
        assert_eq!(
            error,
            "f is different on sm_90 and sm_107a, but has no gate: add a gate to the row or to the tag"
        );
        let none_listed =
            BTreeMap::from([(Arch::Sm90, Vec::new()), (WHOLE, rows(&module(&[".a"]), WHOLE).unwrap())]);
        assert!(
            with_ungated(none_listed, &gated).unwrap_err().to_string().starts_with("f is different on sm_90")
        );
    }

    #[test]
    fn two_instructions_in_a_block_are_an_error() {
        let two = module(&[".a p, %r1; f"]);
        let error = rows(&two, Arch::Sm90).unwrap_err().to_string();
        assert!(error.starts_with("f does not emit exactly one instruction:"), "{error}");
    }

    #[test]
    fn work_by_two_keeps_the_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(by_two(&items, |item| *item), items);
    }
}
