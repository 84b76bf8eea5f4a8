//! Qualifiers of PTX instructions as zero-sized values: `.release` is [`sem::Release`], `.cta` is
//! [`scope::Cta`]. A function of [`raw`](crate::raw) takes them by value, as `cuda::ptx` does, and the
//! traits in its signature say which of them PTX allows there.

mod sealed {
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

/// A qualifier. Implemented by the types of this module and by nothing else.
pub trait Qualifier: Sealed + Copy {
    /// The PTX text, dot included; empty where the absence of a qualifier is the choice.
    const PTX: &'static str;
    /// What the raw layer's `match const` selects on: a hash of the type's path.
    #[doc(hidden)]
    const ID: u64;
}

const fn fnv1a(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut hash, mut i) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x100_0000_01b3);
        i += 1;
    }
    hash
}

macro_rules! qualifiers {
    ($( $(#[$axis_doc:meta])* mod $axis:ident { $( $(#[$doc:meta])* $Tag:ident = $ptx:literal; )* } )*) => {
        $(
            $(#[$axis_doc])*
            pub mod $axis {
                $(
                    $(#[$doc])*
                    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
                    pub struct $Tag;
                    impl super::Sealed for $Tag {}
                    impl super::Qualifier for $Tag {
                        const PTX: &'static str = $ptx;
                        const ID: u64 = super::fnv1a(concat!(stringify!($axis), "::", stringify!($Tag)));
                    }
                )*
            }
        )*
        /// The PTX text of a qualifier as a literal, for `concat!`.
        macro_rules! ptx_text {
            $( $( ($axis :: $Tag) => { $ptx }; )* )*
        }
    };
}

qualifiers! {
    /// `.sem`: the memory ordering of an operation.
    mod sem {
        /// `.acquire`: what the releasing threads did before is visible after.
        Acquire = ".acquire";
        /// `.release`: what this thread did before is visible to who acquires.
        Release = ".release";
        /// `.relaxed`: atomic, and orders nothing else.
        Relaxed = ".relaxed";
    }
    /// `.scope`: the threads that observe the ordering directly.
    mod scope {
        /// `.cta`: the threads of the same CTA.
        Cta = ".cta";
        /// `.cluster`: the threads of the same cluster.
        Cluster = ".cluster";
    }
    /// `.space`: the state space of an address.
    mod space {
        /// `.shared::cta`: shared memory of the executing CTA.
        SharedCta = ".shared::cta";
        /// `.shared::cluster`: shared memory of any CTA of the cluster.
        SharedCluster = ".shared::cluster";
        /// `.global`: global memory.
        Global = ".global";
        /// No qualifier: every state space.
        All = "";
    }
    /// `.aligned`: whether all threads of the warp execute the same instruction.
    mod convergence {
        /// `.aligned`: they all do, in convergence.
        Aligned = ".aligned";
        /// No qualifier: they may arrive separately.
        Unaligned = "";
    }
    /// Eviction priorities of [`createpolicy_fractional`](crate::raw::createpolicy_fractional).
    mod evict {
        /// `.L2::evict_last`: evicted last.
        Last = ".L2::evict_last";
        /// `.L2::evict_normal`: the default priority.
        Normal = ".L2::evict_normal";
        /// `.L2::evict_first`: evicted first.
        First = ".L2::evict_first";
        /// `.L2::evict_unchanged`: leaves the priority as it is.
        Unchanged = ".L2::evict_unchanged";
    }
    /// `.type`: an untyped size.
    mod bits {
        /// `.b8`
        B8 = ".b8";
        /// `.b16`
        B16 = ".b16";
        /// `.b32`
        B32 = ".b32";
        /// `.b64`
        B64 = ".b64";
    }
}
