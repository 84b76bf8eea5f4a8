//! The result of a run: findings, a fault, and what the kernel printed.

use crate::finding::{Finding, Party};
use crate::trace::Trace;

/// The kind of a fault, as a driver reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access to an address outside of all memory.
    Address,
    /// An address that is not a multiple of the alignment that the instruction requires.
    Misaligned,
    /// Operands that the instruction does not allow.
    Instruction,
    /// `trap`.
    Trap,
    /// An assertion of the kernel that does not hold (`assert` of CUDA).
    Assert,
    /// More instructions than [`Options::limit`](crate::Options::limit).
    Limit,
    /// The user has ended the run ([`Options::interrupt`](crate::Options::interrupt)).
    Interrupt,
}

impl FaultKind {
    /// Returns the name, with which a fault begins.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "illegal address",
            Self::Misaligned => "misaligned address",
            Self::Instruction => "illegal instruction",
            Self::Trap => "`trap`",
            Self::Assert => "failed assertion",
            Self::Limit => "limit of instructions",
            Self::Interrupt => "interrupt",
        }
    }
}

/// What ends a grid before its threads end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What a driver reports.
    pub kind: FaultKind,
    /// The name of the kernel.
    pub kernel: Box<str>,
    /// The section of the PTX ISA on the instruction. `None`: the fault is of no instruction.
    pub section: Option<&'static str>,
    /// What happened.
    pub what: String,
    /// The instruction. `None`: the fault is of no instruction.
    pub here: Option<Party>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // That of a `trap` begins with its name, and needs no section.
        if self.kind != FaultKind::Trap {
            write!(f, "{} in `{}`", self.kind.name(), self.kernel)?;
            self.section.map_or(Ok(()), |section| write!(f, " (PTX ISA {section})"))?;
            f.write_str(": ")?;
        }
        f.write_str(&self.what)?;
        self.here.as_ref().map_or(Ok(()), |here| write!(f, "\n    {here}"))
    }
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// What the kernel does wrong.
    pub findings: Vec<Finding>,
    /// What has ended the grid, if its threads did not end.
    pub fault: Option<Fault>,
    /// The number of thread-instructions that were executed.
    pub instructions: u64,
    /// What the kernel printed.
    pub printed: String,
    /// The trace of the run, if the options ask for it.
    pub trace: Option<Trace>,
    /// Whether the run was given up, since it would have repeated another.
    pub(crate) repeats: bool,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Later findings mostly follow from the first ones.
        const SHOWN: usize = 8;
        let groups = self.groups();
        for (finding, alike) in groups.iter().take(SHOWN) {
            writeln!(f, "{finding}")?;
            if !alike.is_empty() {
                let lines: Vec<_> = alike.iter().map(|finding| finding.here.line.to_string()).collect();
                let (more, lines) = (alike.len(), lines.join(", "));
                writeln!(f, "    and {more} more at the same lines of the source (of the PTX: {lines})")?;
            }
        }
        if let more @ 1.. = groups.iter().skip(SHOWN).map(|(_, alike)| 1 + alike.len()).sum::<usize>() {
            writeln!(f, "and {more} more")?;
        }
        self.fault.iter().try_for_each(|fault| writeln!(f, "{fault}"))?;
        if !self.printed.is_empty() {
            write!(f, "the kernel printed:\n{}", self.printed)?;
        }
        Ok(())
    }
}

impl Report {
    /// Returns whether the run ended without a finding or a fault.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.fault.is_none()
    }

    /// Returns the findings that differ, each with those that are like it: a line of the source makes several instructions.
    fn groups(&self) -> Vec<(&Finding, Vec<&Finding>)> {
        let mut groups: Vec<(&Finding, Vec<&Finding>)> = Vec::new();
        for finding in &self.findings {
            match groups.iter_mut().find(|(first, _)| first.is_like(finding)) {
                Some((_, alike)) => alike.push(finding),
                None => groups.push((finding, Vec::new())),
            }
        }
        groups
    }
}
