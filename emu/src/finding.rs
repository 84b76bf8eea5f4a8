//! Findings: what a kernel does wrong, who does it, and the rule.

use std::fmt;

use crate::ast::Line;

/// What a finding breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// Two accesses, one of them a write, that nothing orders.
    Race,
    /// Two accesses through different proxies, in order, without a proxy fence between.
    ProxyFence,
    /// A read of memory that nothing has written.
    Uninitialised,
    /// An mbarrier used against its contract.
    Mbarrier,
    /// A barrier of the CTA or of the cluster used against its contract.
    Barrier,
    /// A collective instruction that not all its threads execute.
    Divergence,
    /// A thread that ends while a copy still reads memory of its CTA.
    ExitInFlight,
    /// An access to the shared memory of a CTA that may have ended.
    PeerExited,
    /// Threads that wait for what never comes.
    Deadlock,
    /// An operand that the instruction does not allow.
    Operand,
}

impl Rule {
    /// The section of the PTX ISA.
    #[must_use]
    pub fn section(self) -> &'static str {
        match self {
            Self::Race => "8.9.2",
            Self::ProxyFence => "8.4, 9.7.13.4",
            Self::Uninitialised => "5.1",
            Self::Mbarrier => "9.7.13.15",
            Self::Barrier => "9.7.13.1, 9.7.13.3",
            Self::Divergence => "9.7.13.1",
            Self::ExitInFlight => "9.7.9.25.4",
            Self::PeerExited => "9.7.13.3",
            Self::Deadlock => "9.7.13",
            Self::Operand => "9.7",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Race => "data race",
            Self::ProxyFence => "missing proxy fence",
            Self::Uninitialised => "uninitialised memory",
            Self::Mbarrier => "mbarrier misuse",
            Self::Barrier => "barrier misuse",
            Self::Divergence => "divergent collective instruction",
            Self::ExitInFlight => "exit with a copy in flight",
            Self::PeerExited => "access to a CTA that may have exited",
            Self::Deadlock => "deadlock",
            Self::Operand => "illegal operand",
        }
    }
}

/// An instruction of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// The block's index in the grid.
    pub cta: [u32; 3],
    /// The thread's rank in its block. `None`: an asynchronous operation.
    pub thread: Option<u32>,
    /// The line of the PTX.
    pub line: Line,
    /// File, line and column of the source, if the PTX has line tables.
    pub source: Option<String>,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.cta;
        match self.thread {
            Some(thread) => write!(f, "thread {thread} of block ({x}, {y}, {z}), ")?,
            None => f.write_str("an asynchronous operation, ")?,
        }
        write!(f, "line {} of the PTX", self.line)?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, ", {source}"))
    }
}

/// A mistake of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is broken.
    pub rule: Rule,
    /// What happened.
    pub what: String,
    /// The name of the kernel.
    pub kernel: String,
    /// Who.
    pub here: Party,
    /// The other access, or the other thread.
    pub other: Option<Party>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} in `{}` (PTX ISA {}): {}",
            self.rule.name(),
            self.kernel,
            self.rule.section(),
            self.what
        )?;
        write!(f, "    {}", self.here)?;
        self.other.as_ref().map_or(Ok(()), |other| write!(f, "\n    {other}"))
    }
}
