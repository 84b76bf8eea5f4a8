//! The names of GPU targets and opt-levels.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error, Result};

/// A GPU target. The Cargo feature has the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the variants are the names of NVIDIA's targets")]
pub enum Arch {
    Sm90,
    Sm90a,
    Sm100,
    Sm100f,
    Sm100a,
    Sm103a,
    Sm110a,
    Sm120a,
}

impl Arch {
    /// All targets, oldest first.
    pub const ALL: [Arch; 8] = [
        Arch::Sm90,
        Arch::Sm90a,
        Arch::Sm100,
        Arch::Sm100f,
        Arch::Sm100a,
        Arch::Sm103a,
        Arch::Sm110a,
        Arch::Sm120a,
    ];

    /// Returns the name that rustc, ptxas and the Cargo features use.
    pub fn name(self) -> &'static str {
        match self {
            Arch::Sm90 => "sm_90",
            Arch::Sm90a => "sm_90a",
            Arch::Sm100 => "sm_100",
            Arch::Sm100f => "sm_100f",
            Arch::Sm100a => "sm_100a",
            Arch::Sm103a => "sm_103a",
            Arch::Sm110a => "sm_110a",
            Arch::Sm120a => "sm_120a",
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Arch {
    type Err = Error;

    fn from_str(text: &str) -> Result<Arch> {
        let known = Arch::ALL.map(Arch::name);
        Arch::ALL
            .into_iter()
            .find(|arch| arch.name() == text)
            .with_context(|| format!("unknown target `{text}`: expected one of {}", known.join(", ")))
    }
}

/// An opt-level of rustc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the variants are rustc's own names")]
pub enum OptLevel {
    O0,
    O1,
    O2,
    O3,
    Os,
    Oz,
}

impl OptLevel {
    /// All levels.
    pub const ALL: [OptLevel; 6] =
        [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3, OptLevel::Os, OptLevel::Oz];

    /// Returns the value of `-C opt-level=`.
    pub fn name(self) -> &'static str {
        match self {
            OptLevel::O0 => "0",
            OptLevel::O1 => "1",
            OptLevel::O2 => "2",
            OptLevel::O3 => "3",
            OptLevel::Os => "s",
            OptLevel::Oz => "z",
        }
    }
}

impl fmt::Display for OptLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for OptLevel {
    type Err = Error;

    fn from_str(text: &str) -> Result<OptLevel> {
        OptLevel::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .with_context(|| format!("unknown opt-level `{text}`: expected 0, 1, 2, 3, s or z"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_targets_and_levels_are_read_back() {
        for arch in Arch::ALL {
            assert_eq!(arch.to_string().parse::<Arch>().unwrap(), arch);
        }
        for level in OptLevel::ALL {
            assert_eq!(level.to_string().parse::<OptLevel>().unwrap(), level);
        }
        let error = "sm_89".parse::<Arch>().unwrap_err().to_string();
        assert!(error.contains("sm_89") && error.contains("sm_90a"), "{error}");
        assert!("4".parse::<OptLevel>().is_err());
    }
}
