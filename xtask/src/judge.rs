//! Checks the claims of the rows of `ptx::raw` against ptxas and the linker.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use ptx_link::convergence::is_convergent;

use crate::cuda::Tools;
use crate::device::Arch;
use crate::forms::{Form, Row, by_two, number, shown};

/// The PTX ISA versions that a row may need.
const VERSIONS: [(u32, u32); 27] = [
    (6, 3),
    (6, 4),
    (6, 5),
    (7, 0),
    (7, 1),
    (7, 2),
    (7, 3),
    (7, 4),
    (7, 5),
    (7, 6),
    (7, 7),
    (7, 8),
    (8, 0),
    (8, 1),
    (8, 2),
    (8, 3),
    (8, 4),
    (8, 5),
    (8, 6),
    (8, 7),
    (8, 8),
    (9, 0),
    (9, 1),
    (9, 2),
    (9, 3),
    (9, 4),
    (9, 5),
];

/// The targets below sm_90 that ptxas still knows, with the first PTX version of each. A claim of an older target cannot be checked.
const BELOW: [(&str, (u32, u32)); 2] = [("sm_75", (6, 3)), ("sm_80", (7, 0))];

/// Returns every target that claims are checked on, with the first PTX version of each.
fn targets() -> Vec<(&'static str, (u32, u32))> {
    BELOW.into_iter().chain(Arch::ALL.map(|arch| (arch.name(), arch.first_ptx()))).collect()
}

/// Returns true if a form claims a target. For targets below sm_90 nothing was compiled, so the form's own target number counts.
fn claims(form: &Form, target: &str) -> bool {
    let compiled = target.parse().unwrap_or(Arch::Sm90);
    form.targets.contains(&compiled) && number(&form.target) <= number(target)
}

/// Returns a module with one instruction per line, and the line number of each instruction. A kernel has a few hundred lines:
/// with all lines in one kernel, ptxas takes six times as long.
fn module(lines: &[String], target: &str, isa: (u32, u32)) -> (String, Vec<usize>) {
    let wide = if isa >= (8, 3) { " .reg .b128 %rq;" } else { "" };
    let registers =
        ".reg .b8 %b; .reg .b16 %rs; .reg .b32 %r, %d<128>; .reg .b64 %rd; .reg .f32 %f; .reg .pred %p;";
    let mut text = format!(".version {}\n.target {target}\n.address_size 64\n", shown(isa));
    let (mut line, mut places) = (4, Vec::new());
    let complete = |line: &String| {
        // The accumulators of a `wgmma` take registers until something waits for them.
        if line.starts_with("wgmma.mma_async") {
            return format!("{line} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
        }
        // The results of a load from tensor memory are different registers.
        match line.split_once('}') {
            Some((results, rest)) if line.starts_with("tcgen05.ld") => {
                let mut parts = results.split("%r");
                let first = parts.next().unwrap_or_default();
                let results: String = parts.enumerate().map(|(i, part)| format!("%d{i}{part}")).collect();
                format!("{first}{results}}}{rest}")
            }
            _ => line.clone(),
        }
    };
    // A kernel has one `.cta_group` in all of its `tcgen05`.
    let group = |line: &String| line.starts_with("tcgen05") && line.contains(".cta_group::2");
    let runs = lines.chunk_by(|line, next| group(line) == group(next));
    for (k, lines) in runs.flat_map(|run| run.chunks(300)).enumerate() {
        let whole: Vec<_> = lines.iter().map(complete).collect();
        text += &format!(".visible .entry part{k}() {{ {registers}{wide}\n{}\nret; }}\n", whole.join("\n"));
        places.extend(line + 1..=line + lines.len());
        line += lines.len() + 2;
    }
    (text, places)
}

/// Returns the lines that ptxas refuses, with its messages.
fn refused(
    tools: &Tools,
    lines: &[String],
    target: &str,
    isa: (u32, u32),
) -> Result<BTreeMap<String, String>> {
    let (text, places) = module(lines, target, isa);
    let errors = tools.check_text(&text, target)?;
    let refused = errors.iter().map(|error| {
        let at = places.binary_search(&error.line);
        let at = at
            .ok()
            .with_context(|| format!("ptxas: {}, in line {} of\n{text}", error.message, error.line))?;
        Ok((lines[at].clone(), error.message.clone()))
    });
    refused.collect()
}

/// Checks with ptxas that each form is accepted on every target that the form claims, with the claimed or a newer PTX version,
/// and nowhere else. Returns a table of the checks.
pub fn judge(tools: &Tools, forms: &[&Form]) -> Result<String> {
    let all: BTreeSet<String> = forms.iter().map(|form| form.instruction.clone()).collect();
    let all: Vec<String> = all.into_iter().collect();
    let takes = |version: &&(u32, u32)| tools.check_text(&module(&[], "sm_90", **version).0, "sm_90").is_ok();
    let newest = *VERSIONS.iter().rev().find(takes).context("ptxas accepts no PTX version")?;
    let targets = targets();
    let by_target = by_two(&targets, |(target, _)| {
        let unclaimed = forms.iter().filter(|form| !claims(form, target));
        let expected: BTreeSet<String> = unclaimed.map(|form| form.instruction.clone()).collect();
        let refused = refused(tools, &all, target, newest)?;
        let wrong = |title: &str, forms: Vec<String>| match forms.is_empty() {
            true => String::new(),
            false => format!("\n{target}: {title}\n  {}", forms.join("\n  ")),
        };
        let claimed = refused.iter().filter(|(form, _)| !expected.contains(*form));
        let claimed = claimed.map(|(form, message)| format!("{form}\n    {message}")).collect();
        let unclaimed = expected.iter().filter(|form| !refused.contains_key(*form)).cloned().collect();
        let wrong = wrong("claimed, but ptxas refuses", claimed)
            + &wrong("not claimed, but ptxas accepts", unclaimed);
        ensure!(
            wrong.is_empty(),
            "rows and ptxas disagree: change the text of the rows, the classes of their operands, their sets, or their `target:`, `on` or \
             `gate`{wrong}"
        );
        Ok(format!("{target:9} {:8} {:8}\n", all.len() - refused.len(), refused.len()))
    });

    // The claimed PTX version is accepted and the version before is not, on the claimed target that PTX introduced first.
    let mut groups: BTreeMap<(&str, (u32, u32)), Vec<String>> = BTreeMap::new();
    for form in forms {
        let claimed = targets.iter().filter(|(target, _)| claims(form, target));
        let (target, first) = claimed
            .min_by_key(|(_, first)| first)
            .with_context(|| format!("no target claims `{}`", form.instruction))?;
        // A module for sm_90 needs 7.8 at least. (ptxas accepts `.shared::cta` of `cp.async` before 7.8, the version in which
        // 9.7.9.25.3.1 introduces it.)
        if form.isa > (*first).max((7, 8)) {
            groups.entry((target, form.isa)).or_default().push(form.instruction.clone());
        }
    }
    let groups: Vec<_> = groups.into_iter().collect();
    let by_version = by_two(&groups, |((target, isa), lines)| {
        let place = VERSIONS.iter().position(|version| version == isa).filter(|&place| place > 0);
        let before =
            VERSIONS[place.with_context(|| format!("{} is not a PTX ISA version", shown(*isa)))? - 1];
        let early = refused(tools, lines, target, *isa)?;
        ensure!(
            early.is_empty(),
            "{target}: rows claim PTX ISA {}, but ptxas refuses them there:\n  {}",
            shown(*isa),
            early.into_keys().collect::<Vec<_>>().join("\n  ")
        );
        let all: BTreeSet<_> = lines.iter().cloned().collect();
        let later = refused(tools, lines, target, before)?;
        let accepted: Vec<_> = all.iter().filter(|form| !later.contains_key(*form)).cloned().collect();
        ensure!(
            accepted.is_empty(),
            "{target}: rows claim PTX ISA {}, but ptxas accepts them in {} already:\n  {}",
            shown(*isa),
            shown(before),
            accepted.join("\n  ")
        );
        let count = all.len();
        Ok(format!("{target:9} {count:8} {count:8}  .version {} and {}\n", shown(*isa), shown(before)))
    });
    let lines = by_target.into_iter().chain(by_version).collect::<Result<Vec<_>>>()?;
    Ok(format!("target    accepted  refused\n{}", lines.concat()))
}

/// Compares the convergence of the rows with the table by which the linker marks instructions.
pub fn convergence(rows: &[Row]) -> Result<()> {
    let mut faults = Vec::new();
    for row in rows {
        let wrong = |form: &&Form| is_convergent(&form.block.text) != row.convergent;
        let Some(form) = row.forms.iter().find(wrong) else { continue };
        let (has, but, cure) = match row.convergent {
            true => (
                "`convergent: convergent;`",
                "has its mnemonic",
                "if threads execute the instruction together, remove the mnemonic there, otherwise the line of the row",
            ),
            false => (
                "no `convergent: convergent;`",
                "lacks its mnemonic, or the mnemonic has `.sync` or `.aligned`, which always count as convergent",
                "if threads execute the instruction together, write `convergent: convergent;` in the row, otherwise add the mnemonic there",
            ),
        };
        faults.push(format!(
            "{}/{} has {has}, but link/src/nonconvergent.txt {but}: {cure}\n  {}",
            row.family, row.name, form.instruction
        ));
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}
