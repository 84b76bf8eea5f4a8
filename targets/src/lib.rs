//! The GPU targets of `ptx`, and what is open to which of them, in two tables. A new target is a line in the first, and in the second
//! its name after what it has and its contained target lacks. The Cargo features and the lists in the documents follow:
//! `BLESS=1 cargo test -p xtask --test targets` writes them.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

macro_rules! targets {
    ($( $Arch:ident $name:literal ($major:literal, $minor:literal) [$( $Contained:ident ),*] )*) => {
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

            /// Returns the nearest targets all of whose instructions this target has: none for the oldest.
            pub const fn contained(self) -> &'static [Arch] {
                match self {
                    $( Arch::$Arch => &[$( Arch::$Contained ),*], )*
                }
            }
        }
    };
}

// Target ISA Notes of PTX, 9.7.9.25 and 9.7.13; the versions: "Release Notes". ptxas says which target contains which: PTX for
// `sm_XY` becomes code for each later number, PTX for `sm_XYf` for each later number of the family. `contains` lists a family.
targets! {
    // target        PTX     contains
    Sm90   "sm_90"   (7, 8)  []
    Sm90a  "sm_90a"  (8, 0)  [Sm90]
    Sm100  "sm_100"  (8, 6)  [Sm90]
    Sm100f "sm_100f" (8, 8)  [Sm100]
    Sm100a "sm_100a" (8, 6)  [Sm100f]
    Sm103  "sm_103"  (8, 8)  [Sm100]
    Sm103f "sm_103f" (8, 8)  [Sm100f, Sm103]
    Sm103a "sm_103a" (8, 8)  [Sm103f]
    Sm107  "sm_107"  (9, 4)  [Sm103]
    Sm107f "sm_107f" (9, 4)  [Sm103f, Sm107]
    Sm107a "sm_107a" (9, 4)  [Sm107f]
    Sm110  "sm_110"  (9, 0)  [Sm107]
    Sm110f "sm_110f" (9, 0)  [Sm110]
    Sm110a "sm_110a" (9, 0)  [Sm110f]
    Sm120  "sm_120"  (8, 7)  [Sm110]
    Sm120f "sm_120f" (8, 8)  [Sm120]
    Sm120a "sm_120a" (8, 7)  [Sm120f]
    Sm121  "sm_121"  (8, 8)  [Sm120]
    Sm121f "sm_121f" (8, 8)  [Sm120f, Sm121]
    Sm121a "sm_121a" (8, 8)  [Sm121f]
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
    // The instructions and qualifiers of sm_107.
    sm_107f: Sm107f;
    // `cp.async.bulk.relaxed` from global memory to `.shared::cluster`.
    bulk_relaxed_cluster: Sm90a, Sm100f, Sm110f;
    // `redux.sync.min` and `.max` of `.f32`.
    redux_f32: Sm100f;
    // Of tensor copies: `.cta_group`, `.tile::gather4` and `.im2col::w` into the cluster and as prefetches, `.tile::scatter4`,
    // `.im2col::w::128`.
    tensor_modes: Sm100f, Sm110f;
    // Loads of maps with a `.swizzle_atomicity`.
    load_swizzle_atomicity: Sm100f, Sm110f;
    // `tensormap.replace`, and its fields or values on newer targets.
    tensormap_replace: Sm90a, Sm100f, Sm110f, Sm120f;
    tensormap_swizzle_atomicity: Sm100f, Sm110f, Sm120f;
    sub_byte_elemtype: Sm100f, Sm110f, Sm120f;
    swizzle_b96: Sm103a, Sm107a;
    tensormap_query: Sm90a, Sm100f, Sm110f, Sm120f;
    setmaxnreg: Sm90a, Sm100f, Sm110f, Sm120f;
    // `clusterlaunchcontrol.try_cancel.multicast::cluster::all`.
    try_cancel_multicast: Sm100f, Sm110f, Sm120f;
    // `multimem` of eight-bit floats, and with `.acc::f16`.
    multimem_f8: Sm100f, Sm110f, Sm120a, Sm121a;
    // `fabric.try_pullred` of eight-bit floats, and with an `.acc`.
    pullred_f8: Sm100f, Sm110f, Sm120f;
    // `cvt` between eight-bit floats and `.bf16x2`, and of floats of 6 and 4 bits and `.ue8m0`.
    cvt_narrow: Sm100f, Sm110f, Sm120f;
    // `cvt` of the fixed-point numbers `.s2f6`.
    cvt_s2f6: Sm100a, Sm103a, Sm107a, Sm110a, Sm120a, Sm121a;
    cvt_s2f6_rz: Sm107a;
    // `cvt.rs`.
    cvt_rs: Sm100a, Sm103a, Sm107a;
    // `ldmatrix` that expands elements of 4 or 6 bits, and `ldmatrix` and `stmatrix` of 8-bit elements.
    matrix_b8: Sm100f, Sm110f, Sm120f;
    // `ldmatrix.s8.s4`.
    ldmatrix_s8_s4: Sm90a, Sm100f, Sm110f, Sm120f;
    wgmma: Sm90a;
    // `mma.kind::f8f6f4`, and its types of 6 and 4 bits; block scale, of a sparse A of 4 bits on fewer targets.
    mma_kinds: Sm100f, Sm110f, Sm120f;
    mma_f6f4: Sm120f;
    mma_sp_mxf4: Sm120a, Sm121a;
    // `tcgen05`; its reductions of loads; its `.shift`, `.scale_vec` and sparse products of 4-bit floats with block scaling; its
    // `.kind::i8`; its `scale-input-d`.
    tcgen05: Sm100f, Sm110f;
    tcgen05_ld_red: Sm103f, Sm110f;
    tcgen05_a: Sm100a, Sm103a, Sm107a, Sm110a;
    tcgen05_i8: Sm100a, Sm110a;
    tcgen05_scale_d: Sm100f;
}

impl Gate {
    /// Returns true if the gate is one of the tensor cores' instructions, which exist with the Cargo feature `tensor`.
    pub fn of_tensor_cores(&self) -> bool {
        self.name == "wgmma" || self.name.starts_with("tcgen05")
    }

    /// Returns true if a target has what the gate opens.
    pub fn is_open(&self, arch: Arch) -> bool {
        self.targets.iter().any(|target| arch.contains(*target))
    }

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

impl Arch {
    /// Returns the targets whose instructions this target has, oldest first; itself last.
    pub fn provides(self) -> Vec<Arch> {
        Arch::ALL.into_iter().filter(|arch| self.contains(*arch)).collect()
    }

    /// Returns true if this target has the instructions of another, or is that one.
    pub fn contains(self, other: Arch) -> bool {
        self == other || self.contained().iter().any(|arch| arch.contains(other))
    }

    /// Returns the first target with the same open gates, and so with the same instructions.
    pub fn first_alike(self) -> Arch {
        self.first_alike_in(&GATES)
    }

    /// Returns the first target with the same ones of these gates open.
    pub fn first_alike_in<'a>(self, gates: impl IntoIterator<Item = &'a Gate> + Clone) -> Arch {
        let alike =
            |other: &Arch| gates.clone().into_iter().all(|gate| gate.is_open(*other) == gate.is_open(self));
        Arch::ALL.into_iter().find(alike).unwrap_or(self)
    }
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
            assert!(arch.contained().iter().all(|contained| *contained < arch), "{arch}");
        }
        let mut names = Arch::ALL.map(Arch::name).to_vec();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), Arch::ALL.len());
    }

    #[test]
    fn a_gate_names_no_target_that_contains_another_of_its_targets() {
        for gate in &GATES {
            for arch in gate.targets {
                let more = gate.targets.iter().filter(|other| arch.contains(**other)).count();
                assert_eq!(more, 1, "{}: {arch}", gate.name);
            }
        }
        let texts = ["tensor_modes", "sm_100"]
            .map(|name| GATES.iter().find(|gate| gate.name == name).unwrap().text());
        assert_eq!(
            texts,
            ["sm_100f or higher in its family, sm_110f or higher in its family", "sm_100 or higher"]
        );
    }

    #[test]
    fn a_target_provides_what_it_contains() {
        let provided = |arch: Arch| arch.provides().into_iter().map(Arch::name).collect::<Vec<_>>();
        assert_eq!(provided(Arch::Sm103a), ["sm_90", "sm_100", "sm_100f", "sm_103", "sm_103f", "sm_103a"]);
        assert_eq!(provided(Arch::Sm103f), ["sm_90", "sm_100", "sm_100f", "sm_103", "sm_103f"]);
        assert_eq!(provided(Arch::Sm90a), ["sm_90", "sm_90a"]);
        // The family of sm_110 is not that of sm_107, nor are the targets whose name ends with `a` in any other.
        let differ =
            [(Arch::Sm110a, Arch::Sm107f), (Arch::Sm121a, Arch::Sm120a), (Arch::Sm107a, Arch::Sm100a)];
        assert!(differ.iter().all(|(arch, other)| !arch.contains(*other)));
        assert!(Arch::Sm121a.contains(Arch::Sm120f) && Arch::Sm107a.contains(Arch::Sm100f));
    }

    #[test]
    fn targets_with_the_same_gates_are_alike() {
        for (arch, first) in [
            (Arch::Sm90, Arch::Sm90),
            (Arch::Sm121, Arch::Sm100),
            (Arch::Sm103f, Arch::Sm103f),
            (Arch::Sm103a, Arch::Sm103a),
            (Arch::Sm121f, Arch::Sm120f),
        ] {
            assert_eq!(arch.first_alike(), first, "{arch}");
        }
    }
}
