//! PTX versions: those that instructions need, and those that `llc` accepts.

use std::fmt;

/// The newest PTX version that this linker knows. A higher version in a comment is taken for a typing error.
pub const NEWEST: PtxVersion = PtxVersion { major: 9, minor: 5 };

/// A PTX ISA version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PtxVersion {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot: one digit in every version so far.
    pub minor: u32,
}

impl PtxVersion {
    /// Parses `8.6`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// Parses LLVM's spelling, `ptx86`.
    pub fn of_feature(feature: &str) -> Option<Self> {
        let digits: u32 = feature.strip_prefix("ptx")?.parse().ok()?;
        Some(Self { major: digits / 10, minor: digits % 10 })
    }

    /// Returns LLVM's spelling.
    pub fn feature(self) -> String {
        format!("ptx{}{}", self.major, self.minor)
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Returns the PTX versions in the comments of asm text (`// ptx:8.6`). An error holds a comment that cannot be read.
pub fn needs(asm: &str) -> impl Iterator<Item = Result<PtxVersion, &str>> {
    let comments = asm.lines().filter_map(|line| line.split_once("//"));
    comments.flat_map(|(_, comment)| comment.split_whitespace()).filter_map(|word| {
        let version = word.strip_prefix("ptx:")?;
        Some(PtxVersion::parse(version).ok_or(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        let versions =
            ["7.8", "8.0", "8.6", "9.0", "9.4", "10.0"].map(|text| PtxVersion::parse(text).unwrap());
        assert!(versions.is_sorted());
        for version in versions {
            assert_eq!(PtxVersion::of_feature(&version.feature()), Some(version));
        }
        assert_eq!(PtxVersion::parse("86"), None);
        assert_eq!(PtxVersion::of_feature("sm_90a"), None);
    }

    #[test]
    fn needs_stand_in_comments() {
        let v = |major, minor| PtxVersion { major, minor };
        let asm = "mov a, b; // ptx:8.6\n// ptx:9.0 elsewhere\nptx:1.0\n// ptx:86\n//ptx:7.8";
        assert_eq!(needs(asm).collect::<Vec<_>>(), [Ok(v(8, 6)), Ok(v(9, 0)), Err("ptx:86"), Ok(v(7, 8))]);
    }
}
