//! Findings: what a kernel does wrong, which party does it, and the rule.

use std::fmt;

use crate::frontend::ast::Line;

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident: $name:literal, $section:literal;)*) => {
        /// The rule that a finding breaks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule { $($(#[$doc])* $rule,)* }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$rule),*];

            /// Returns the name, with which a finding begins.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }

            /// Returns the section of the PTX ISA.
            #[must_use]
            pub fn section(self) -> &'static str {
                match self { $(Self::$rule => $section,)* }
            }
        }
    };
}

rules! {
    /// Two accesses, one of them a write, that nothing orders.
    Race: "data race", "8.7.1";
    /// Two accesses through different proxies, in order, without a proxy fence between them.
    ProxyFence: "missing proxy fence", "8.6, 9.7.13.4";
    /// A read of memory that nothing has written.
    Uninitialized: "uninitialized memory", "8.2.6";
    /// An mbarrier used against its contract.
    Mbarrier: "mbarrier misuse", "9.7.13.15";
    /// A barrier of the CTA or of the cluster used against its contract.
    Barrier: "barrier misuse", "9.7.13.1, 9.7.13.3";
    /// `setmaxnreg` against its contract.
    Registers: "`setmaxnreg` misuse", "9.7.19.5";
    /// `wgmma` against its contract: registers accessed without a fence, or while an instruction has them.
    Wgmma: "`wgmma` misuse", "9.7.15.5.2, 9.7.15.7";
    /// `tcgen05` against its contract: tensor memory that is not allocated or not released, or operations on it without an order.
    Tensor: "`tcgen05` misuse", "9.7.16";
    /// A collective instruction that not all its threads execute.
    Divergence: "divergent collective instruction", "9.7.9.6, 9.7.13.1";
    /// A thread that ends while a copy still reads memory of its CTA.
    ExitInFlight: "exit with a copy in flight", "9.7.9.25.4";
    /// An access to the shared memory of a CTA that may have ended.
    PeerExited: "access to a CTA that may have exited", "9.7.13.3";
    /// An access to the shared memory of a CTA of the cluster that may not have started.
    PeerNotStarted: "access to a CTA that may not have started", "9.7.13.3";
    /// Threads that wait for something that never happens.
    Deadlock: "deadlock", "9.7.13";
    /// An operand that the instruction does not allow.
    Operand: "illegal operand", "9.7";
}

/// An instruction of a thread, or the asynchronous operation that it issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// Whether this is an asynchronous operation.
    pub asynchronous: bool,
    /// The index of the thread's block in the grid. Memory does not keep the index for an asynchronous operation.
    pub cta: Option<[u32; 3]>,
    /// The thread's rank in its block, where it is known.
    pub thread: Option<u32>,
    /// The line of the PTX.
    pub line: Line,
    /// File, line and column of the source, if the PTX has line tables.
    pub source: Option<String>,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.asynchronous {
            f.write_str("the asynchronous operation of ")?;
        }
        if let Some(thread) = self.thread {
            write!(f, "thread {thread}")?;
            self.cta.map_or(Ok(()), |[x, y, z]| write!(f, " of block ({x}, {y}, {z})"))?;
            f.write_str(", ")?;
        }
        write!(f, "line {} of the PTX", self.line)?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, ", {source}"))
    }
}

/// A mistake of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The broken rule.
    pub rule: Rule,
    /// What happened.
    pub what: String,
    /// The name of the kernel.
    pub kernel: String,
    /// The party that breaks the rule.
    pub here: Party,
    /// The other access, or the other thread.
    pub other: Option<Party>,
}

impl Finding {
    /// Returns whether both findings have one rule, the same text but for numbers, and the same known lines of the source.
    pub(crate) fn is_like(&self, other: &Finding) -> bool {
        let places = |finding: &Finding| {
            let other = match &finding.other {
                Some(party) => Some(party.source.clone()?),
                None => None,
            };
            Some((finding.here.source.clone()?, other))
        };
        fn words(finding: &Finding) -> impl Iterator<Item = &str> {
            finding.what.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        }
        self.rule == other.rule
            && words(self).eq(words(other))
            && places(self).is_some_and(|own| Some(own) == places(other))
    }
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
