//! The GPU targets of `ptx`, in one table. A new target is a line in the table, and a Cargo feature of its name in the packages that
//! have such features: `cargo test -p xtask --test targets` names them.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

macro_rules! targets {
    ($( $Arch:ident $name:literal ($major:literal, $minor:literal) [$( $Contained:ident )?] )*) => {
        /// A GPU target. The Cargo feature has the same name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the variants are the names of NVIDIA's targets")]
        pub enum Arch {
            $( $Arch, )*
        }

        impl Arch {
            /// All targets, oldest first.
            pub const ALL: [Arch; [$( $name ),*].len()] = [$( Arch::$Arch ),*];

            /// Returns the name that rustc, ptxas and the Cargo features use.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Arch::$Arch => $name, )*
                }
            }

            /// Returns the first version of PTX that has the target.
            pub const fn first_ptx(self) -> (u32, u32) {
                match self {
                    $( Arch::$Arch => ($major, $minor), )*
                }
            }

            /// Returns the nearest target all of whose instructions this target has, or `None` for the oldest.
            pub const fn contained(self) -> Option<Arch> {
                match self {
                    $( Arch::$Arch => targets!(@option $( $Contained )?), )*
                }
            }
        }
    };
    (@option) => { None };
    (@option $Arch:ident) => { Some(Arch::$Arch) };
}

// Target ISA Notes of PTX, 9.7.9.25 and 9.7.13; the versions: "Release Notes".
targets! {
    // target        PTX     contains
    Sm90   "sm_90"   (7, 8)  []
    Sm90a  "sm_90a"  (8, 0)  [Sm90]
    Sm100  "sm_100"  (8, 6)  [Sm90]
    Sm100f "sm_100f" (8, 8)  [Sm100]
    Sm100a "sm_100a" (8, 6)  [Sm100f]
    Sm103a "sm_103a" (8, 8)  [Sm100f]
    Sm110a "sm_110a" (9, 0)  [Sm100]
    Sm120a "sm_120a" (8, 7)  [Sm100]
}

/// The processors that are no target of this table, and the target that each contains.
const PROCESSORS: &[(&str, Arch)] = &[
    ("sm_103", Arch::Sm100),
    ("sm_103f", Arch::Sm100f),
    ("sm_110", Arch::Sm100),
    ("sm_110f", Arch::Sm100),
    ("sm_120", Arch::Sm100),
    ("sm_120f", Arch::Sm100),
    ("sm_121", Arch::Sm100),
    ("sm_121f", Arch::Sm100),
    ("sm_121a", Arch::Sm100),
];

impl Arch {
    /// Returns the targets whose instructions this target has, oldest first; itself last.
    pub fn provides(self) -> Vec<Arch> {
        let mut targets: Vec<_> = std::iter::successors(Some(self), |arch| arch.contained()).collect();
        targets.reverse();
        targets
    }
}

/// Returns the targets whose instructions the processor of `-Ctarget-cpu` has, or `None` for an unknown processor.
pub fn provided_by(processor: &str) -> Option<Vec<Arch>> {
    let of_others = || PROCESSORS.iter().find(|(name, _)| *name == processor).map(|&(_, arch)| arch);
    Some(processor.parse().ok().or_else(of_others)?.provides())
}

/// Returns the names of all processors: those of the targets, then the others.
pub fn processors() -> impl Iterator<Item = &'static str> {
    Arch::ALL.into_iter().map(Arch::name).chain(PROCESSORS.iter().map(|(name, _)| *name))
}

impl fmt::Display for Arch {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Arch {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Arch, UnknownTarget> {
        let target = Arch::ALL.into_iter().find(|arch| arch.name() == text);
        target.ok_or_else(|| UnknownTarget(text.to_owned()))
    }
}

/// A text that is not the name of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTarget(String);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let known = Arch::ALL.map(Arch::name).join(", ");
        write!(formatter, "unknown target `{}`: expected one of {known}", self.0)
    }
}

impl Error for UnknownTarget {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for arch in Arch::ALL {
            assert_eq!(arch.to_string().parse(), Ok(arch));
        }
        let error = "sm_89".parse::<Arch>().unwrap_err().to_string();
        assert!(error.contains("sm_89") && error.contains("sm_90a"), "{error}");
    }

    #[test]
    fn a_target_contains_older_ones_and_no_name_occurs_twice() {
        for arch in Arch::ALL {
            assert!(arch.contained().is_none_or(|contained| contained < arch), "{arch}");
        }
        let mut names: Vec<_> = processors().collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_processor_provides_what_it_contains() {
        let provided = |processor| {
            provided_by(processor).map(|targets| targets.into_iter().map(Arch::name).collect::<Vec<_>>())
        };
        assert_eq!(provided("sm_103a"), Some(vec!["sm_90", "sm_100", "sm_100f", "sm_103a"]));
        assert_eq!(provided("sm_103f"), Some(vec!["sm_90", "sm_100", "sm_100f"]));
        assert_eq!(provided("sm_121a"), Some(vec!["sm_90", "sm_100"]));
        assert_eq!(provided("sm_90a"), Some(vec!["sm_90", "sm_90a"]));
        assert_eq!(provided("sm_89"), None);
    }
}
