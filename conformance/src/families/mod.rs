//! The cases of each family of `ptx::raw`.

mod address;
mod async_store;
mod atom;
mod barrier;
mod control;
mod copies;
mod fence;
mod launch_control;
mod ld_st;
mod matrix;
mod mbarrier;
mod multimem;
pub mod pure;
mod special;
mod tcgen05;
mod tensor;
mod tensormap;
mod warp;
pub(crate) mod wgmma;

pub use barrier::HALVES;

use crate::builder::{Builder, Slot};
use crate::case::Case;
use crate::form::{Class, Form};

/// Returns why a form has no case, if none is wanted.
pub fn reason_without_case(form: &Form) -> Option<&'static str> {
    let has = |start: &str| form.words().any(|word| word.starts_with(start));
    let not_modelled = form.family == "fabric"
        || form.words().any(|word| word.ends_with("fabric"))
        || form.words().any(|word| word.starts_with("fabric::"))
        || has("mbarrier::report::validity")
        || form.has("sync_restrict::read")
        || form.has("query")
        || form.family.starts_with("tcgen05") && (form.has("ashift") || form.has("shift"));
    if not_modelled {
        return Some("the interpreter does not model it");
    }
    let is_multicast = form.family == "mbarrier" && form.has("multicast::cluster::32b");
    let is_of_tests = is_multicast || has("override::") || form.has("im2col_no_offs::w");
    is_of_tests.then_some("no GPU at hand has it; emu/tests/ptx95.rs runs it")
}

/// Returns the cases of a form. A form without a case fails the test `every_form_has_a_case`, unless there is a reason.
pub fn cases(form: &Form) -> Vec<Case<'_>> {
    match form.family.as_str() {
        "atom" | "atom_vector" | "red" | "red_vector" => atom::cases(form),
        "ld_st" => ld_st::cases(form),
        "activemask" | "bar_warp_sync" | "elect_sync" | "match_sync" | "redux_sync" | "shfl_sync"
        | "vote" => warp::cases(form),
        _ if reason_without_case(form).is_some() => Vec::new(),
        "applypriority_async_bulk"
        | "cp_async"
        | "cp_async_bulk"
        | "cp_async_bulk_commit_group"
        | "cp_async_bulk_ignore_oob"
        | "cp_async_bulk_prefetch"
        | "cp_async_bulk_wait_group"
        | "cp_reduce_async_bulk"
        | "prefetch"
        | "st_bulk" => copies::cases(form),
        "st_async" | "red_async" => async_store::cases(form),
        "applypriority_async_bulk_tensor"
        | "cp_async_bulk_prefetch_tensor"
        | "cp_async_bulk_tensor"
        | "cp_reduce_async_bulk_tensor" => tensor::cases(form),
        "prefetch_tensormap" | "tensormap" | "tensormap_cp_fenceproxy" => tensormap::cases(form),
        "fence" if form.has("tensormap::generic") => tensormap::cases(form),
        "multimem" | "multimem_async" | "multimem_cp_async_bulk" | "multimem_cp_reduce_async_bulk" => {
            multimem::cases(form)
        }
        "clusterlaunchcontrol" => launch_control::cases(form),
        "fence" => fence::cases(form),
        "ldmatrix" | "stmatrix" | "movmatrix" | "mma" | "mma_sp" => matrix::cases(form),
        "wgmma" => wgmma::cases(form),
        _ if form.family.starts_with("tcgen05") => tcgen05::cases(form),
        "createpolicy" => control::createpolicy(form),
        "griddepcontrol" => control::griddepcontrol(form),
        "setmaxnreg" => control::setmaxnreg(form),
        "barrier" => barrier::cta(form),
        "barrier_cluster" => barrier::cluster(form),
        "mbarrier" => mbarrier::cases(form),
        "special" => special::cases(form),
        "nanosleep" => special::nanosleep(form),
        "cvta" => address::cvta(form),
        "isspacep" => address::isspacep(form),
        "mapa" | "getctarank" => address::mapa(form),
        "cvt" | "half_precision" | "math" | "mixed_precision" => pure::cases(form),
        _ => Vec::new(),
    }
}

/// The state space of an address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Global,
    SharedCta,
    SharedCluster,
    Generic,
}

/// The memory that the addresses of a run point to, as the kernel reads it.
struct Where {
    slot: Slot,
    /// The predicate that is true in a run on global memory.
    global: Option<String>,
    /// The register that is 1 in a run on the peer's shared memory.
    peer: String,
}

impl Space {
    fn of(form: &Form) -> Self {
        match form.one_of(&["global", "shared::cta", "shared::cluster"]) {
            Some("global") => Self::Global,
            Some("shared::cta") => Self::SharedCta,
            Some(_) => Self::SharedCluster,
            None => Self::Generic,
        }
    }

    /// Reads the memory that the addresses of a run point to: 0 own shared memory, 1 the peer's, 2 global memory.
    fn mode(self, b: &mut Builder<'_>) -> Where {
        let (slot, word) = b.uniform("0 own shared memory, 1 the peer's, 2 global memory", Class::B32, 0);
        let global =
            (self == Self::Generic).then(|| b.set(Class::Pred, format!("setp.eq.u32 {{}}, {word}, 2")));
        let peer = b.set(Class::B32, format!("and.b32 {{}}, {word}, 1"));
        Where { slot, global, peer }
    }

    /// Returns the register of the address `offset` bytes into the region, or into its part in shared memory. A block has
    /// `block_bytes`. With `joint`, all blocks take the address in block 0, except in a run on own shared memory.
    #[expect(clippy::too_many_arguments, reason = "places")]
    fn address(
        self,
        b: &mut Builder<'_>,
        mode: &Where,
        offset: &str,
        slot: Slot,
        shared: usize,
        block_bytes: usize,
        joint: bool,
    ) -> String {
        let at = b.at(slot);
        let global = |b: &mut Builder<'_>| {
            let base = b.set(Class::B64, format!("add.u64 {{}}, %memory, {at}"));
            let base = if joint {
                base
            } else {
                b.set(Class::B64, format!("mad.wide.u32 {{}}, %cta, {block_bytes}, {base}"))
            };
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {offset}"));
            b.set(Class::B64, format!("add.u64 {{}}, {base}, {wide}"))
        };
        if self == Self::Global {
            return global(b);
        }
        let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {offset}"));
        let own = b.set(Class::B32, format!("add.u32 {{}}, {own}, {shared}"));
        if self == Self::SharedCta {
            return own;
        }
        let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
        let rank = if joint {
            // Own memory, or that of block 0.
            let is_own = b.set(Class::Pred, format!("setp.eq.u32 {{}}, {}, 0", mode.peer));
            b.set(Class::B32, format!("selp.b32 {{}}, {rank}, 0, {is_own}"))
        } else {
            b.set(Class::B32, format!("xor.b32 {{}}, {rank}, {}", mode.peer))
        };
        let mapped = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, {rank}"));
        if self == Self::SharedCluster {
            return mapped;
        }
        let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {mapped}"));
        let generic = b.set(Class::B64, format!("cvta.shared::cluster.u64 {{}}, {wide}"));
        let there = global(b);
        let there = b.set(Class::B64, format!("cvta.global.u64 {{}}, {there}"));
        match &mode.global {
            Some(is_global) => b.set(Class::B64, format!("selp.b64 {{}}, {there}, {generic}, {is_global}")),
            None => generic,
        }
    }

    /// Adds a run for each memory that the addresses can point to.
    fn runs(self, b: &mut Builder<'_>, mode: &Where, global_only: bool) {
        match self {
            Self::Global => {}
            Self::SharedCta => b.run_with("", &[]),
            Self::SharedCluster => {
                b.run_with("own shared memory", &[(mode.slot, 0)]);
                b.run_with("the peer's shared memory", &[(mode.slot, 1)]);
            }
            Self::Generic => {
                b.run_with("global memory", &[(mode.slot, 2)]);
                if !global_only {
                    b.run_with("own shared memory", &[(mode.slot, 0)]);
                    b.run_with("the peer's shared memory", &[(mode.slot, 1)]);
                }
            }
        }
    }
}
