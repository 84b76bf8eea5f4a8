//! The opt-levels.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error, Result};

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
    fn names_are_read_back() {
        for level in OptLevel::ALL {
            assert_eq!(level.to_string().parse::<OptLevel>().unwrap(), level);
        }
        assert!("4".parse::<OptLevel>().is_err());
    }
}
