//! Mutations of kernels: each removes or weakens one instruction that orders something. A kernel needs each of these instructions
//! if every mutation of it is found; [`Missed`] lists the mutations that are not found, with the reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::root;

/// A module with one instruction removed or weakened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The instruction without its operands, its number among the kernel's instructions of this text, and the change.
    pub name: String,
    /// The line of the instruction, counted from 1.
    pub line: usize,
    /// The module.
    pub text: String,
}

/// Returns the mutations of a module with one kernel.
pub fn mutations(module: &str) -> Vec<Mutation> {
    let lines: Vec<&str> = module.lines().collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut mutations = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for statement in code.split_inclusive(';') {
            let Some(instruction) = Instruction::of(statement) else { continue };
            let changes = instruction.changes();
            if changes.is_empty() {
                continue;
            }
            let number = counts.entry(instruction.opcode).or_default();
            *number += 1;
            for (change, instead) in changes {
                let end = statement.as_ptr() as usize + statement.len() - line.as_ptr() as usize;
                let begin = end - instruction.text.len();
                let changed = format!("{}{instead}{}", &line[..begin], &line[end..]);
                let mut lines = lines.clone();
                lines[at] = &changed;
                mutations.push(Mutation {
                    name: format!("{} {number}, {change}", instruction.opcode),
                    line: at + 1,
                    text: lines.join("\n") + "\n",
                });
            }
        }
    }
    mutations
}

/// A statement `@p opcode operands;`.
struct Instruction<'a> {
    text: &'a str,
    guard: &'a str,
    opcode: &'a str,
    /// The text between the opcode and the semicolon.
    operands: &'a str,
}

/// Instructions that a mutation can remove. A removed wait looks like a wait that has completed.
const REMOVED: [&str; 20] = [
    "bar.",
    "barrier.",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group",
    "cp.async.commit_group",
    "cp.async.mbarrier.arrive",
    "cp.async.wait_",
    "fence",
    "griddepcontrol.wait",
    "mbarrier.arrive",
    "mbarrier.complete_tx",
    "mbarrier.expect_tx",
    "mbarrier.inval",
    "mbarrier.test_wait",
    "mbarrier.try_wait",
    "membar",
    "tensormap.cp_fenceproxy",
    "wgmma.commit_group",
    "wgmma.fence",
    "wgmma.wait_group",
];

/// Instructions with qualifiers of semantics and scope that can be weakened.
const WEAKENED: [&str; 10] = [
    "atom.",
    "barrier.cluster.",
    "fence.",
    "ld.",
    "mbarrier.",
    "membar.",
    "multimem.",
    "red.",
    "st.",
    "tensormap.",
];

/// A qualifier and a weaker one.
const WEAKER: [(&str, &str); 10] = [
    ("sc", "acq_rel"),
    ("acq_rel", "acquire"),
    ("acq_rel", "release"),
    ("acq_rel", "relaxed"),
    ("release", "relaxed"),
    ("acquire", "relaxed"),
    ("sys", "gpu"),
    ("gpu", "cluster"),
    ("gpu", "cta"),
    ("cluster", "cta"),
];

impl<'a> Instruction<'a> {
    fn of(statement: &'a str) -> Option<Self> {
        let text = statement.trim_start_matches(['{', '}', ' ', '\t']);
        let rest = text.strip_suffix(';')?;
        let word = |text: &'a str| text.split_at(text.find([' ', '\t']).unwrap_or(text.len()));
        let (guard, rest) = if rest.starts_with('@') { word(rest) } else { ("", rest) };
        let (opcode, operands) = word(rest.trim_start());
        opcode.starts_with(|c: char| c.is_ascii_lowercase()).then_some(Self { text, guard, opcode, operands })
    }

    /// Returns a statement under the guard of this instruction.
    fn guarded(&self, statement: &str) -> String {
        let space = if self.guard.is_empty() { "" } else { " " };
        format!("{}{space}{statement};", self.guard)
    }

    fn is(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.opcode.starts_with(word))
    }

    fn has(&self, qualifier: &str) -> bool {
        self.opcode.split('.').any(|word| word == qualifier)
    }

    /// Returns the operands, split at the outermost commas.
    fn list(&self) -> Vec<&'a str> {
        let mut depth = 0;
        let apart = |c: char| {
            depth += i32::from("[{(".contains(c)) - i32::from("]})".contains(c));
            c == ',' && depth == 0
        };
        self.operands.split(apart).map(str::trim).collect()
    }

    /// Returns the names of the changes, each with the statements in place of the instruction.
    fn changes(&self) -> Vec<(String, String)> {
        let mut changes = Vec::new();
        if self.is(&REMOVED) {
            let waits = self.is(&["mbarrier.try_wait", "mbarrier.test_wait"]);
            let instead = match self.list().first() {
                Some(done) if waits => self.guarded(&format!("setp.eq.u32 {done}, 0, 0")),
                _ => String::new(),
            };
            changes.push(("removed".into(), instead));
        }
        changes.extend(
            self.weaker()
                .into_iter()
                .map(|(change, opcode)| (change, self.guarded(&format!("{opcode}{}", self.operands)))),
        );
        if self.has("expect_tx")
            && let Some(bytes) = self.list().last()
        {
            let operands = self.operands.trim_end().strip_suffix(bytes).unwrap_or_default();
            let expect = self.guarded(&format!("{}{operands}fewer", self.opcode));
            let fewer = format!("{{ .reg .b32 fewer; sub.u32 fewer, {bytes}, 16; {expect} }}");
            changes.push(("16 bytes fewer".into(), fewer));
        }
        if self.is(&["cp.async.bulk.wait_group", "cp.async.wait_group", "wgmma.wait_group"])
            && let Ok(pending) = self.operands.trim().parse::<u32>()
        {
            changes
                .push(("one group fewer".into(), self.guarded(&format!("{} {}", self.opcode, pending + 1))));
        }
        changes
    }

    /// Returns the changes of qualifiers, each with the weaker opcode.
    fn weaker(&self) -> Vec<(String, String)> {
        let words: Vec<&str> = self.opcode.split('.').collect();
        let with = |at: usize, word: &str| {
            let mut words = words.clone();
            words[at] = word;
            words.join(".")
        };
        let mut weaker = Vec::new();
        match words[..] {
            // The fence of an initialization and the wait at the barrier of a cluster have one form each.
            ["fence", "mbarrier_init", ..] | ["barrier", "cluster", "wait", ..] => return weaker,
            ["fence", "proxy", "async"] => {
                for space in ["global", "shared::cta"] {
                    weaker.push((format!("for {space}"), format!("{}.{space}", self.opcode)));
                }
            }
            ["fence", "proxy", "async", space @ ("global" | "shared::cta")] => {
                let other = if space == "global" { "shared::cta" } else { "global" };
                weaker.push((format!("for {other}"), with(3, other)));
            }
            ["fence", "proxy", "async::generic", "release", "sync_restrict::shared::cta", "cluster"] => {
                weaker.push(("for reads alone".into(), with(4, "sync_restrict::shared::cluster::read")));
            }
            ["cp", "async", "bulk", "wait_group"] => {
                weaker.push((".read".into(), format!("{}.read", self.opcode)))
            }
            _ => {}
        }
        // `red.async` and `st.async` have one semantics and one scope in each form.
        if !self.is(&WEAKENED) || self.is(&["red.async.", "st.async."]) {
            return weaker;
        }
        // A restricted fence has one semantics and one scope.
        if words.iter().any(|word| word.starts_with("sync_restrict")) {
            return weaker;
        }
        // These instructions have one semantics.
        let fixed = matches!(words[..], ["fence", "proxy", ..] | ["tensormap", ..]);
        for (at, word) in words.iter().enumerate().skip(1) {
            if words[..2] == ["barrier", "cluster"] && at == 1 {
                continue;
            }
            for (_, instead) in WEAKER.iter().filter(|(strong, _)| strong == word) {
                let semantics = matches!(*instead, "acq_rel" | "acquire" | "release" | "relaxed");
                // A fence is never relaxed. A vector has no acquire, nor has `red`, which returns no result.
                let none = words[0] == "fence" && *instead == "relaxed"
                    || words[0] == "red" && *instead == "acquire";
                if !(semantics && (fixed || none)) {
                    weaker.push((format!(".{instead}"), with(at, instead)));
                }
            }
        }
        weaker
    }
}

/// Mutations that are not found, by reason: `kernels/missed.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Missed(BTreeMap<String, Reason>);

/// The reason why mutations are not found.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    /// The argument, with the sections of the PTX ISA that it rests on.
    reason: String,
    /// The mutations of each kernel.
    kernels: BTreeMap<String, Vec<String>>,
}

impl Missed {
    /// Returns the path of the list.
    pub fn path() -> PathBuf {
        root().join("kernels/missed.toml")
    }

    /// Reads the list.
    pub fn read() -> Result<Self> {
        let path = Self::path();
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not well formed", path.display()))
    }

    /// Returns the name of the reason of a mutation.
    pub fn reason(&self, kernel: &str, mutation: &str) -> Option<&str> {
        let has = |reason: &Reason| {
            reason.kernels.get(kernel).is_some_and(|list| list.iter().any(|name| name == mutation))
        };
        self.0.iter().find(|(_, reason)| has(reason)).map(|(name, _)| name.as_str())
    }

    /// Returns what is wrong with the list, given the mutations of each kernel that was run, and whether each was found.
    pub fn faults(
        &self,
        run: &BTreeMap<String, BTreeMap<String, bool>>,
        kernels: &BTreeSet<&str>,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        for (kernel, mutations) in run {
            for (mutation, _) in mutations.iter().filter(|(_, found)| !**found) {
                if self.reason(kernel, mutation).is_none() {
                    faults.push(format!(
                        "{kernel}: {mutation}: missed, and kernels/missed.toml gives no reason. Mend the interpreter, drop the instruction, or write the reason"
                    ));
                }
            }
        }
        for (name, reason) in &self.0 {
            if reason.reason.trim().is_empty() {
                faults.push(format!("kernels/missed.toml: [{name}] has no text"));
            }
            for (kernel, list) in &reason.kernels {
                if !kernels.contains(kernel.as_str()) {
                    faults.push(format!(
                        "kernels/missed.toml: [{name}] names {kernel}, but kernels/ has no such kernel"
                    ));
                }
                let Some(run) = run.get(kernel) else { continue };
                for mutation in list {
                    match run.get(mutation) {
                        None => faults.push(format!("kernels/missed.toml: [{name}]: {kernel} has no mutation `{mutation}`")),
                        Some(true) => faults.push(format!(
                            "kernels/missed.toml: [{name}]: {kernel}: {mutation}: it is found; remove the line"
                        )),
                        Some(false) => {}
                    }
                }
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(statement: &str) -> Vec<String> {
        mutations(statement)
            .into_iter()
            .map(|mutation| format!("{} => {}", mutation.name, mutation.text.trim()))
            .collect()
    }

    #[test]
    fn each_ordering_instruction_is_removed_and_weakened() {
        assert_eq!(
            changes(
                "\t{ .reg .pred p; mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%r1], %rd1; selp.b32 %r2, 1, 0, p; } // ptx:8.0"
            ),
            [
                "mbarrier.try_wait.acquire.cluster.shared::cta.b64 1, removed => { .reg .pred p; setp.eq.u32 p, 0, 0; selp.b32 %r2, 1, 0, p; } // ptx:8.0",
                "mbarrier.try_wait.acquire.cluster.shared::cta.b64 1, .relaxed => { .reg .pred p; mbarrier.try_wait.relaxed.cluster.shared::cta.b64 p, [%r1], %rd1; selp.b32 %r2, 1, 0, p; } // ptx:8.0",
                "mbarrier.try_wait.acquire.cluster.shared::cta.b64 1, .cta => { .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%r1], %rd1; selp.b32 %r2, 1, 0, p; } // ptx:8.0",
            ]
        );
        assert_eq!(
            changes("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"),
            [
                "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster 1, removed => ",
                "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster 1, for reads alone => fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;",
            ]
        );
        assert_eq!(
            changes("wgmma.wait_group.sync.aligned 1; wgmma.commit_group.sync.aligned;"),
            [
                "wgmma.wait_group.sync.aligned 1, removed => wgmma.commit_group.sync.aligned;",
                "wgmma.wait_group.sync.aligned 1, one group fewer => wgmma.wait_group.sync.aligned 2; wgmma.commit_group.sync.aligned;",
                "wgmma.commit_group.sync.aligned 1, removed => wgmma.wait_group.sync.aligned 1;",
            ]
        );
        assert_eq!(
            changes("@%p1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r4+8], 2048;"),
            [
                "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 1, removed => ",
                "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 1, .relaxed => @%p1 mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r4+8], 2048;",
                "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 1, 16 bytes fewer => { .reg .b32 fewer; sub.u32 fewer, 2048, 16; @%p1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r4+8], fewer; }",
            ]
        );
    }
}
