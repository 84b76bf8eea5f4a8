//! The GPU targets of `ptx`, and what is open to which of them, in two tables. A new target is a line in the first, and in the second
//! its name after what it has and its contained target lacks. The Cargo features and the lists in the documents follow:
//! `BLESS=1 cargo test -p xtask --test targets` writes them.

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

/// What `ptx` has on some targets alone: an instruction, a tag, an item of the typed layer. `build.rs` sets a cfg of the gate's
/// name if the gate is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The name, which says what the gate opens.
    pub name: &'static str,
    /// The targets that have it. A target that contains one of them has it too.
    pub targets: &'static [Arch],
}

macro_rules! gates {
    ($( $name:ident: $( $Arch:ident ),+; )*) => {
        /// All gates.
        pub const GATES: [Gate; [$( stringify!($name) ),*].len()] = [$(
            Gate { name: stringify!($name), targets: &[$( Arch::$Arch ),+] },
        )*];
    };
}

// Target ISA Notes of the instructions. ptxas judges each form on each target.
gates! {
    // The instructions that Blackwell brought to all of its targets.
    sm_100: Sm100;
    // `redux.sync.min` and `.max` of `.f32`.
    redux_f32: Sm100f;
    // Of tensor copies: `.cta_group`, `.tile::gather4` and `.im2col::w` into the cluster and as prefetches, `.tile::scatter4`,
    // `.im2col::w::128`.
    tensor_modes: Sm100f, Sm110a;
    // Loads of maps with a `.swizzle_atomicity`.
    load_swizzle_atomicity: Sm100f, Sm110a;
    // `tensormap.replace`, and its fields or values on newer targets.
    tensormap_replace: Sm90a, Sm100f, Sm110a, Sm120a;
    tensormap_swizzle_atomicity: Sm100f, Sm110a, Sm120a;
    sub_byte_elemtype: Sm100f, Sm110a, Sm120a;
    swizzle_b96: Sm103a;
    setmaxnreg: Sm90a, Sm100f, Sm110a, Sm120a;
    // `clusterlaunchcontrol.try_cancel.multicast::cluster::all`.
    try_cancel_multicast: Sm100f, Sm110a, Sm120a;
    // `multimem` of eight-bit floats, and with `.acc::f16`.
    multimem_f8: Sm100f, Sm110a, Sm120a;
    // `cvt` between eight-bit floats and `.bf16x2`.
    cvt_f8_bf16: Sm100f, Sm110a, Sm120a;
    // `cvt.rs`.
    cvt_rs: Sm100a, Sm103a;
    // `ldmatrix` that expands elements of 4 or 6 bits, and `ldmatrix` and `stmatrix` of 8-bit elements.
    matrix_b8: Sm100f, Sm110a, Sm120a;
    // `ldmatrix.s8.s4`.
    ldmatrix_s8_s4: Sm90a, Sm100f, Sm110a, Sm120a;
    wgmma: Sm90a;
    // `mma.kind::f8f6f4`, and its types of 6 and 4 bits.
    mma_kinds: Sm100f, Sm110a, Sm120a;
    mma_f6f4: Sm120a;
}

impl Gate {
    /// Returns the targets as documents say it: "sm_100f or higher in its family, sm_110a".
    pub fn text(&self) -> String {
        let text = |arch: &Arch| match arch.name().as_bytes().last() {
            Some(b'a') => arch.to_string(),
            Some(b'f') => format!("{arch} or higher in its family"),
            _ => format!("{arch} or higher"),
        };
        self.targets.iter().map(text).collect::<Vec<_>>().join(", ")
    }
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
    fn a_gate_names_no_target_that_contains_another_of_its_targets() {
        for gate in GATES {
            for arch in gate.targets {
                let more = gate.targets.iter().filter(|other| arch.provides().contains(other)).count();
                assert_eq!(more, 1, "{}: {arch}", gate.name);
            }
        }
        let texts = ["tensor_modes", "sm_100"]
            .map(|name| GATES.iter().find(|gate| gate.name == name).unwrap().text());
        assert_eq!(texts, ["sm_100f or higher in its family, sm_110a", "sm_100 or higher"]);
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
