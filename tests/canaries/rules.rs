//! The rules for the copies of a convergent instruction.

use std::collections::BTreeSet;
use std::fmt;

use crate::divergence::{Divergence, Divergent, reachable};
use crate::ptx::{Block, Instruction, Kernel};

/// The comment that marks where threads return early.
pub const LEAVE: &str = "// leave";

/// An instruction of the source, and its place there.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub kernel: &'static str,
    /// The text that each line with a copy of the instruction contains.
    pub mark: &'static str,
    pub place: Place,
}

/// The place of an instruction in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// All threads execute the instruction together: no copy lies on one path of a thread-dependent branch.
    Uniform,
    /// All threads that have not left before execute the instruction.
    AfterExit,
    /// In a loop that threads leave one after another: each copy lies on one path of a thread-dependent branch, and threads that
    /// diverge meet at the same copy.
    InDivergentLoop,
    /// In both arms of a thread-dependent branch: each arm has its own copy.
    InBothArms,
}

/// A copy of a site that is not where it should be.
#[derive(Clone, Debug)]
pub struct Violation {
    pub kernel: String,
    pub mark: String,
    pub what: &'static str,
    /// The lines of the branch and of the copies.
    pub lines: Vec<(usize, String)>,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}, `{}`: {}", self.kernel, self.mark, self.what)?;
        for (number, text) in &self.lines {
            write!(formatter, "\n    line {number}: {text}")?;
        }
        Ok(())
    }
}

impl Site {
    /// Returns the violations of the copies in the site's kernel.
    pub fn check(&self, kernel: &Kernel) -> Vec<Violation> {
        let view = View::new(self, kernel);
        if view.copies.is_empty() {
            return vec![view.violation("the instruction is gone", [])];
        }
        match self.place {
            Place::Uniform => view.copies_in_arms(),
            Place::AfterExit => {
                let is_exit = |block: &Block| block.instructions.iter().any(|i| i.text == LEAVE);
                if !kernel.blocks.iter().any(is_exit) {
                    return vec![view.violation("the mark of the early exit is gone", [])];
                }
                let rest = kernel.without(is_exit);
                let mut violations = View::new(self, &rest).copies_in_arms();
                violations.extend(view.copies_outside_arms());
                violations
            }
            Place::InDivergentLoop => {
                let mut violations = view.copies_outside_arms();
                violations.extend(view.different_copies_met());
                violations
            }
            Place::InBothArms => view.not_in_both_arms(),
        }
    }
}

/// A kernel, as one of its sites sees it.
struct View<'a> {
    site: &'a Site,
    kernel: &'a Kernel,
    divergence: Divergence,
    copies: Vec<Instance<'a>>,
}

/// One copy of the site's instruction.
#[derive(Clone, Copy)]
struct Instance<'a> {
    block: usize,
    instruction: &'a Instruction,
}

impl<'a> View<'a> {
    fn new(site: &'a Site, kernel: &'a Kernel) -> View<'a> {
        let marked = kernel.instructions().filter(|(_, instruction)| has_mark(&instruction.text, site.mark));
        let mut copies: Vec<Instance> =
            marked.map(|(block, instruction)| Instance { block, instruction }).collect();
        copies.dedup_by_key(|copy| copy.instruction.line);
        View { site, kernel, divergence: Divergence::of(kernel), copies }
    }

    fn violation<'b>(
        &self,
        what: &'static str,
        lines: impl IntoIterator<Item = &'b Instruction>,
    ) -> Violation {
        let lines = lines.into_iter().map(|instruction| (instruction.line, instruction.text.clone()));
        Violation {
            kernel: self.kernel.name.clone(),
            mark: self.site.mark.to_owned(),
            what,
            lines: lines.collect(),
        }
    }

    fn branch(&self, divergent: &Divergent) -> Option<&'a Instruction> {
        self.kernel.blocks[divergent.block].branch()
    }

    fn copies_in_arms(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        for copy in &self.copies {
            let around = self.divergence.branches.iter().filter(|branch| branch.region.contains(&copy.block));
            // The innermost branch is the most informative.
            if let Some(divergent) = around.min_by_key(|branch| branch.region.len()) {
                let lines = self.branch(divergent).into_iter().chain([copy.instruction]);
                violations.push(self.violation("a copy lies on one way of a thread-dependent branch", lines));
            }
            if self.divergence.guards(copy.instruction) {
                violations.push(self.violation("a copy has a thread-dependent guard", [copy.instruction]));
            }
        }
        violations
    }

    fn copies_outside_arms(&self) -> Vec<Violation> {
        let is_outside = |copy: &&Instance| {
            !self.divergence.branches.iter().any(|branch| branch.region.contains(&copy.block))
        };
        let outside = self.copies.iter().filter(is_outside);
        let what = "a copy lies above the thread-dependent branch that the source has before it";
        outside.map(|copy| self.violation(what, [copy.instruction])).collect()
    }

    /// Returns the lines of the copies that a thread may reach first from the start of a block.
    fn first_copies(&self, from: usize) -> BTreeSet<usize> {
        let has_copy = |block| self.copies.iter().any(|copy| copy.block == block);
        let without = reachable(self.kernel, [from], has_copy);
        let ends = without.iter().flat_map(|&block| &self.kernel.blocks[block].successors);
        let ends: BTreeSet<usize> = ends.copied().chain([from]).filter(|&block| has_copy(block)).collect();
        let first = |block| self.copies.iter().find(|copy| copy.block == block);
        ends.into_iter().filter_map(first).map(|copy| copy.instruction.line).collect()
    }

    /// Returns the copies that threads may reach first on each path of a branch.
    fn ways(&self, divergent: &Divergent) -> Vec<BTreeSet<usize>> {
        self.kernel.blocks[divergent.block].successors.iter().map(|&next| self.first_copies(next)).collect()
    }

    fn different_copies_met(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        for divergent in &self.divergence.branches {
            let ways: BTreeSet<_> = self.ways(divergent).into_iter().filter(|way| !way.is_empty()).collect();
            if ways.len() > 1 {
                let met: BTreeSet<usize> = ways.into_iter().flatten().collect();
                let copies = self.copies.iter().map(|copy| copy.instruction);
                let copies = copies.filter(|instruction| met.contains(&instruction.line));
                let what = "threads that part at a branch come to different copies";
                violations.push(self.violation(what, self.branch(divergent).into_iter().chain(copies)));
            }
        }
        violations
    }

    fn not_in_both_arms(&self) -> Vec<Violation> {
        let all: BTreeSet<usize> = self.copies.iter().map(|copy| copy.instruction.line).collect();
        let parts_them = |divergent: &&Divergent| {
            let ways = self.ways(divergent);
            let count: usize = ways.iter().map(BTreeSet::len).sum();
            let together: BTreeSet<usize> = ways.iter().flatten().copied().collect();
            ways.len() > 1
                && ways.iter().all(|way| !way.is_empty())
                && count == together.len()
                && together == all
        };
        if self.divergence.branches.iter().any(|divergent| parts_them(&divergent)) {
            return Vec::new();
        }
        let lines = self.divergence.branches.iter().filter_map(|divergent| self.branch(divergent));
        let lines = lines.chain(self.copies.iter().map(|copy| copy.instruction));
        vec![self.violation("no thread-dependent branch has a copy of its own in each arm", lines)]
    }
}

/// Returns true if a line contains a mark as a whole word.
fn has_mark(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let after = line[at + mark.len()..].chars().next();
        !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
