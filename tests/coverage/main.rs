//! Coverage of the typed layer. Every function has a twin in `tests/device/typed` and a case of misuse in `tests/ui`. Every
//! function that takes a group says which threads make the call together. Golden files hold the implementations of traits, the
//! safe ways to make a handle, the safe functions made of convergent instructions, and the index of instructions:
//! `BLESS=1 cargo test --test coverage` writes them. docs/GLOSSARY.md, written by hand, names every item and nothing else.
//!
//! The list of functions comes from rustdoc's JSON. The calls of the twins come from the functions that rustc instantiates.

mod api;
#[path = "../support/blocks.rs"]
mod blocks;
mod calls;
mod collective;
mod glossary;
mod implementations;
mod index;
mod makers;
mod shown;
#[path = "../support/mod.rs"]
mod support;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use api::{Function, Name};
use calls::{Called, Calls};
use serde_json::Value;
use support::ok;
use xtask::device::{self, Arch, Build, OptLevel};
use xtask::files;
use xtask::golden::{self, Golden};
use xtask::toolchain::{Kind, Toolchain};

/// Exceptions: a reason, and the functions as [`Function::shown`] names them.
type Exceptions = &'static [(&'static str, &'static [&'static str])];

const NO_TWIN: Exceptions = &[
    (
        "is plain loads and stores, whose machine code `tests/bench.rs` compares with CUDA C++ in the kernel that uses it",
        &[
            "global::FragmentMut::write",
            "global::Global::for_each_pair",
            "global::Global::get_vectors",
            "global::GlobalElementsMut::warp_elements",
            "global::GlobalMatrix::row",
            "global::GlobalMatrix::tile",
            "global::GlobalMatrixMut::tile",
            "global::GlobalRowsMut::rows",
            "global::GlobalRowsMut::rows_with",
            "global::GlobalRowsMut::warp_rows",
            "global::GlobalRowsMut::warp_rows_with",
            "global::MatrixTile::get_vector",
            "global::MatrixTileMut::fragment",
            "global::RowMut::elements",
            "global::RowMut::vectors",
            "global::VectorsMut::get",
            "global::VectorsMut::get_with",
            "shared::DynamicShared::take_thread_vectors",
            "shared::ThreadVector::get",
            "shared::ThreadVector::set",
            "shared::ThreadVectors::fill_from",
            "shared::ThreadVectors::vectors",
            "shared::ThreadVectors::write_to",
        ],
    ),
    (
        "is plain loads and stores, whose machine code `tests/sass.rs` reads",
        &["global::VectorsMut::for_each_update", "global::VectorsMut::for_each_write"],
    ),
    ("is a constant for the host", &["shared::DynamicShared::bytes_for"]),
    (
        "is called by the products on tensor cores, whose machine code `tests/sass.rs` reads, and whose time bench/README.md has beside cuBLAS",
        &[
            "atomic::GlobalAtomics::chunk",
            "group::Warpgroup::index",
            "group::Warpgroup::sync",
            "group::Warpgroup::thread_rank",
            "group::Warpgroup::warp",
            "pipeline::Consumer::operands",
            "pipeline::ExchangePart<tensor::Tile>::fill",
            "pipeline::ExchangedTile<tensor::Tile>::release",
            "pipeline::ExchangedTile<tensor::Tile>::tiles",
            "pipeline::FinishedWarpgroups::end",
            "pipeline::StageOperands::release",
            "pipeline::StageOperands::tiles",
            "registers::fold",
            "shared::Shared<_, _, Free, _>::into_store_ring",
            "tensor::Operand::of",
            "tensor::Operand::transposed",
            "tensor::StoreRing::end",
            "tensor::StoreRing::store",
            "tensor::TensorBlockMut::of",
            "tensor::TensorBlockMut::of_cta",
            "tensor::TensorBlocksMut::next_block",
            "tensor::TensorBlocksMut::positions",
            "tensor::TensorBlocksMut::zip",
            "tensor::TensorMapMut::blocks",
            "tensor::TensorMapMut::cluster_blocks",
            "tensor::TensorRowMut::empty",
            "tensor::TensorRowMut::next_box",
            "tensor::ZippedBlocksMut::next_block",
            "tensor::ZippedBlocksMut::positions",
            "wgmma::Accumulator::fold_rows",
            "wgmma::Accumulator::for_each_four",
            "wgmma::Accumulator::in_registers",
            "wgmma::Accumulator::map",
            "wgmma::Accumulator::map_at",
            "wgmma::Accumulator::map_columns",
            "wgmma::Accumulator::map_each_four",
            "wgmma::Accumulator::map_rows",
            "wgmma::Accumulator::overwrite",
            "wgmma::Accumulator::pack",
            "wgmma::Accumulator::zeros",
            "wgmma::Accumulator::zip",
            "wgmma::Flight::mma",
            "wgmma::Flight::mma_registers",
            "wgmma::Packed::store",
            "wgmma::Packed::store_transposed",
            "wgmma::Packed::zeros",
            "wgmma::PerRow::any",
            "wgmma::PerRow::map",
            "wgmma::PerRow::new",
            "wgmma::PerRow::zip",
            "wgmma::PerRow<f32, _>::for_each",
            "wgmma::PerRow<f32, _>::reduce",
            "wgmma::Wgmma::start",
            "wgmma::Wgmma<()<wgmma::Group<wgmma::Accumulator, _>>>::add",
            "wgmma::Wgmma<()>::wait",
            "wgmma::Wgmma<()>::wait_oldest",
            "wgmma::Zeros::new",
            "wgmma::column_place",
        ],
    ),
    (
        "is called by `gemm_tcgen05`, whose PTX is golden, whose machine code `tests/sass.rs` reads, and which `emu/tests/unrun_kernels.rs` runs",
        &[
            "pipeline::Consumer::operands_of_one",
            "pipeline::StageOperands::commit",
            "tcgen05::Accumulators::wait",
            "tcgen05::FullAccumulator::load",
            "tcgen05::FullAccumulator::release",
            "tcgen05::Issuer::start",
            "tcgen05::Products::commit",
            "tcgen05::Products::mma",
            "tcgen05::TensorMemory::run",
        ],
    ),
];

const NO_MISUSE: Exceptions = &[
    ("returns what the iterator returns", &["global::VectorsMut::get"]),
    (
        "returns a number from the handle, and changes nothing",
        &[
            "atomic::GlobalAtomics::is_empty",
            "atomic::GlobalAtomics::len",
            "cluster::Cluster::position",
            "cluster::Cluster::shape",
            "cluster::Cluster::cta_count",
            "global::AdjacentRowsMut::first",
            "global::GlobalElementsMut::is_empty",
            "global::GlobalElementsMut::len",
            "global::GlobalMatrixMut::columns",
            "global::GlobalMut::is_empty",
            "global::GlobalMut::len",
            "global::GlobalRowsMut::columns",
            "global::GlobalRowsMut::row_count",
            "global::GlobalScatter::len",
            "global::GlobalVectorsMut::is_empty",
            "global::GlobalVectorsMut::len",
            "global::RowMut::len",
            "global::TailMut::len",
            "global::TilesMut::rounds",
            "group::Cta::grid_position",
            "group::Cta::grid_shape",
            "group::Cta::grid_size",
            "group::Cta::grid_thread_count",
            "group::Cta::grid_thread_rank",
            "group::Cta::is_leader",
            "group::Cta::grid_rank",
            "group::Cta::shape",
            "group::Cta::thread_count",
            "group::Cta::thread_position",
            "group::Cta::thread_rank",
            "group::Cta::warp_rank",
            "group::Warpgroup::index",
            "group::Warpgroup::thread_rank",
            "group::Warps::thread_count",
            "group::Warps::thread_rank",
            "mask::LaneMask::count",
            "math::PairMask::all",
            "math::PairMask::any",
            "math::PairMask::to_array",
            "mbarrier::Mbarrier::addr",
            "multimem::Multicast::is_empty",
            "multimem::MulticastRef::addr",
            "pipeline::AsyncStage::addr",
            "shared::DynamicShared::is_empty",
            "shared::DynamicShared::len",
            "tensor::TensorBlocksMut::positions",
            "tensor::TensorTilesMut::rounds",
            "tensor::ZippedBlocksMut::positions",
            "warp::Lanes::mask",
            "wgmma::PerRow::any",
        ],
    ),
    (
        "takes the next of what is left, as an iterator does",
        &[
            "tensor::TensorBlocksMut::next_block",
            "tensor::TensorRowMut::next_box",
            "tensor::ZippedBlocksMut::next_block",
        ],
    ),
    ("hands a value of the caller from round to round", &["registers::fold"]),
];

/// The public functions that neither a kernel, nor an example, nor the book calls or names.
const NO_USER: Exceptions = &[
    (
        "is a length or its test, which clippy asks for in pairs (`len_without_is_empty`)",
        &[
            "atomic::GlobalAtomics::is_empty",
            "global::Global::is_empty",
            "global::GlobalElementsMut::is_empty",
            "global::GlobalElementsMut::len",
            "global::GlobalMatrixMut::columns",
            "global::GlobalMatrixMut::rows",
            "global::GlobalMut::is_empty",
            "global::GlobalScatter::len",
            "global::GlobalSlice::len",
            "global::GlobalVectorsMut::is_empty",
            "global::GlobalVectorsMut::len",
            "global::TailMut::len",
            "multimem::Multicast::is_empty",
            "multimem::Multicast::len",
            "multimem::MulticastReduce::count",
            "shared::DynamicShared::is_empty",
            "shared::DynamicShared::len",
        ],
    ),
    (
        "is the one name of its instruction, of its register, or of an operand, in the typed layer",
        &[
            "atomic::AtomicRef<_, _, Global>::add_async",
            "atomic::AtomicRef::fetch_dec",
            "atomic::AtomicRef<_, _, Global>::store_async",
            "bulk::prefetch",
            "bulk::store_masked",
            "cluster::Cluster::position",
            "cluster::Cluster::shape",
            "fence::mbarrier_init",
            "math::PairMask::all",
            "math::PairMask::any",
            "math::PairMask::to_array",
            "math::add_sat",
            "math::eq",
            "math::fma_relu",
            "math::fma_sat",
            "math::ge",
            "math::gt",
            "math::le",
            "math::max_nan",
            "math::min",
            "math::min_nan",
            "math::mul_sat",
            "math::ne",
            "math::relu",
            "math::sub",
            "math::sub_sat",
            "math::to_tf32",
            "multimem::Fp8::from_bits",
            "multimem::Fp8::to_bits",
            "multimem::MulticastReduce::from_raw",
            "multimem::MulticastReduce::get",
            "multimem::MulticastRef::load_reduce_add_acc_f16",
            "multimem::MulticastRef::load_reduce_add_acc_f32",
            "multimem::MulticastRef::load_reduce_and",
            "multimem::MulticastRef::load_reduce_max",
            "multimem::MulticastRef::load_reduce_min",
            "multimem::MulticastRef::load_reduce_or",
            "multimem::MulticastRef::load_reduce_xor",
            "multimem::MulticastRef::reduce_and",
            "multimem::MulticastRef::reduce_max",
            "multimem::MulticastRef::reduce_min",
            "multimem::MulticastRef::reduce_or",
            "multimem::MulticastRef::reduce_xor",
            "multimem::bulk_reduce",
            "tensor::Im2colOffset::new",
            "tensor::TensorMapDraft::elemtype",
            "tensor::TensorMapDraft::fill_mode",
            "tensor::TensorMapDraft::swizzle_atomicity",
            "tensor::TensorMapDraft::swizzle_mode",
            "tensor::TensorMapMut::at",
            "tensor::prefetch",
            "warp::Lanes::all",
            "warp::Lanes::invoke_elected",
            "warp::Lanes::mask",
            "warp::Lanes::match_all",
            "warp::Lanes::reduce_and",
            "warp::Lanes::reduce_max_f32",
            "warp::Lanes::reduce_min_f32",
            "warp::Lanes::reduce_or",
            "warp::Lanes::reduce_xor",
            "warp::Lanes::shuffle_down",
            "warp::Lanes::uniform",
            "warp::active_mask",
        ],
    ),
    ("reads the mask that a vote returns", &["mask::LaneMask::count", "mask::LaneMask::lane"]),
    (
        "gives the address to an instruction of `ptx::raw`",
        &["multimem::MulticastRef::addr", "pipeline::AsyncStage::addr"],
    ),
    (
        "makes the policy that `cache_hint` takes; no kernel here is faster with one",
        &["cache_policy::CachePolicy::fractional", "cache_policy::CachePolicy::range"],
    ),
    (
        "is a policy that CUTLASS's loads take, without the `Option` of `fractional`",
        &["cache_policy::CachePolicy::evict_first", "cache_policy::CachePolicy::evict_last"],
    ),
    (
        "is the one way to several copies in a group, to several groups in flight, or to the later wait for the writes, which look-back and split-K need",
        &[
            "async_group::InFlight<_, bulk::BulkGroup<_, Committed, _>>::wait",
            "async_group::InFlight<_, bulk::BulkGroup<_, Committed, _>>::wait_oldest",
            "bulk::BulkGroup::and",
            "bulk::BulkGroup::then",
            "bulk::BulkGroup::wait",
            "bulk::BulkGroup::wait_read_split",
            "cp_async::CpAsyncGroup::and",
        ],
    ),
    (
        "is the one way back to a handle or to memory, for another use in the kernel; `end` is for the last",
        &[
            "cluster::ArrivedCluster::cta",
            "cluster::Channel::into_inbox",
            "cluster::ClusterSmem::close",
            "cluster::PeerBarrier::close",
            "cluster::PeerBarrier<_, Retired>::inval",
            "cluster::Received<_, _, ByTile, _>::release",
            "clusterlaunchcontrol::WorkQueue::close",
            "pipeline::AsyncStage::release",
            "pipeline::FinishedRing::join",
            "pipeline::FinishedRunWith::join",
            "pipeline::Ring::finish",
            "shared::Shared<_, _, Fenced, _>::into_free",
        ],
    ),
    (
        "is for one thread what `finish_warp` is for a warp, or for the first warp what the CTA has",
        &["group::Cta::finish_one", "group::FirstWarp::invoke_one", "group::FirstWarp::warp"],
    ),
    (
        "reads or writes elements where the sibling with vectors does not fit, or vectors in place of elements",
        &["shared::View2d::get_vector"],
    ),
    (
        "bounds a loop with a collective call in each round, of which some CTAs of a cluster have no tile",
        &["global::TilesMut::rounds", "tensor::TensorTilesMut::rounds"],
    ),
    (
        "is the one way to read a tile that a copy has stored",
        &["shared::Shared<_, _, Fenced, _>::into_loaded"],
    ),
    ("lets the launch choose the size of the shared memory", &["shared::DynamicShared::bytes_for"]),
    ("gives a stage to `wgmma`", &["pipeline::Consumer::wait_async"]),
    ("bounds a loop by index; the iterators over tiles need no count", &["global::Tiles::count"]),
    (
        "the form of a warp of `rows_with`, as `warp_rows` is that of `rows`",
        &["global::GlobalRowsMut::warp_rows_with"],
    ),
];

const NO_CHECK: Exceptions = &[("takes a group of one thread", &["pipeline::Producer::load"])];

/// Functions that change the state of a handle and leave no mark.
const NO_MARK: Exceptions = &[
    (
        "gives memory up for good: only the end of the kernel follows, which no call of another handle can tell from another order",
        &[
            "bulk::LoadTile::end",
            "cluster::Channel::end",
            "cluster::ChannelReceived::end",
            "cluster::ClusterSmem::end",
            "cluster::Inbox::end",
            "cluster::PeerBarrier::end",
            "cluster::Received::end",
            "group::AfterSync::end",
            "pipeline::FinishedRing::end",
            "pipeline::FinishedRun::end",
            "pipeline::FinishedRunWith::end",
            "shared::Shared::end",
        ],
    ),
    (
        "each thread waits for its own copies, and the transitions of the handles that come back are marked",
        &[
            "async_group::InFlight<_, cp_async::CpAsyncGroup<_, Committed>>::wait",
            "async_group::InFlight<_, cp_async::CpAsyncGroup<_, Committed>>::wait_oldest",
            "cp_async::CpAsyncGroup::wait",
        ],
    ),
    (
        "puts two groups of copies together, and no instruction follows from it",
        &["bulk::BulkGroup::and", "cp_async::CpAsyncGroup::and"],
    ),
    (
        "the calls that take the tile are marked: those of threads and those of copies",
        &["global::TilesMut::next_tile", "tensor::TensorTilesMut::next_tile"],
    ),
    ("borrows the CTA", &["cluster::Cluster::cta_mut"]),
    ("belongs to one thread", &["pipeline::Producer::load"]),
];

/// Exceptions: a reason, and the methods as [`makers::without_token`] names them.
const NO_TOKEN: Exceptions = &[
    (
        "borrows the same `Cta` as `Cluster::cta` does from a `&Cluster`",
        &["clusterlaunchcontrol::Requester::cta", "pipeline::Pipelines::cta", "pipeline::RunsPipeline::cta"],
    ),
    ("takes the pipelines themselves, and runs them", &["pipeline::Pipelines::run_warpgroups"]),
    ("waits, as `Mbarrier::wait` does", &["clusterlaunchcontrol::Requester::wait"]),
    ("returns the bytes of a parameter, whose user `from_raw_with` is unsafe", &["launch::Extents::with"]),
    ("takes places of a `DynamicShared`, as `DynamicShared::take` does", &["launch::DynamicMemory::take"]),
    ("is of a private field of `Lanes`, a value of which no safe code has", &["warp::Segments::selected"]),
    (
        "returns numbers",
        &[
            "atomic::AtomicSpace::after",
            "global::Length::of",
            "launch::Count::count",
            "tensor::BoxShape::at",
            "tensor::BoxShape::coords",
            "tensor::MatrixBox::beside",
        ],
    ),
    (
        "returns a half-precision value, which is plain data",
        &[
            "math::Arithmetic::absolute",
            "math::Arithmetic::add_rn",
            "math::Arithmetic::fma_rn",
            "math::Arithmetic::greater",
            "math::Arithmetic::lesser",
            "math::Arithmetic::mul_rn",
            "math::Arithmetic::negative",
            "math::Arithmetic::sub_rn",
            "math::Compare::choose",
            "math::Compare::equal",
            "math::Compare::less",
            "math::Compare::less_or_equal",
            "math::Compare::more",
            "math::Compare::more_or_equal",
            "math::Compare::unequal",
            "math::Convert::converted",
            "math::Ex2::ex2_approx",
            "math::Ex2Ftz::ex2_approx_ftz",
            "math::HalfArithmetic::fma_relu_rn",
            "math::HalfArithmetic::greater_or_nan",
            "math::HalfArithmetic::lesser_or_nan",
            "math::Saturate::add_sat_rn",
            "math::Saturate::fma_sat_rn",
            "math::Saturate::mul_sat_rn",
            "math::Saturate::sub_sat_rn",
            "math::Tanh::tanh_approx",
        ],
    ),
    (
        "returns a float",
        &[
            "math::FastFloat::by",
            "math::Float::ceil",
            "math::Float::cos",
            "math::Float::exp",
            "math::Float::exp2",
            "math::Float::floor",
            "math::Float::ln",
            "math::Float::log2",
            "math::Float::mul_add",
            "math::Float::round",
            "math::Float::round_ties_even",
            "math::Float::sin",
            "math::Float::sqrt",
            "math::Float::tanh",
            "math::Float::trunc",
        ],
    ),
    (
        "returns its argument, or the hint in its argument",
        &[
            "cache_policy::L2Policy::hint",
            "cache_policy::Bare::bare",
            "cache_policy::CacheHint::cache_hint",
            "cache_policy::MaybeHinted::split",
            "cp_async::CpAsyncSource::hint",
        ],
    ),
    ("consumes its handle, in any state", &["group::End::end"]),
    ("executes the barrier, or leaves it to the caller", &["group::HandOver::back", "group::Together::sync"]),
];

/// Traits for users to implement. The library checks an implementation, or a function that takes it states a contract for it.
const OPEN: [&str; 1] = ["launch::LaunchShape"];

/// The methods that `bitflags` generates for each mask: operations on an integer.
const BITFLAGS: [&str; 22] = [
    "all",
    "bits",
    "complement",
    "contains",
    "difference",
    "empty",
    "from_bits",
    "from_bits_retain",
    "from_bits_truncate",
    "from_name",
    "insert",
    "intersection",
    "intersects",
    "is_all",
    "is_empty",
    "iter",
    "iter_names",
    "remove",
    "set",
    "symmetric_difference",
    "toggle",
    "union",
];

/// rustdoc's JSON of the crate. `None` for any but the pinned toolchain, because this test reads the format of that toolchain.
static DOCS: LazyLock<Option<Value>> = LazyLock::new(|| {
    let toolchain = ok(Toolchain::active());
    if toolchain.kind() != Kind::Rustup {
        println!("not checked: the toolchain is {}", toolchain.name());
        return None;
    }
    Some(api::json(&toolchain))
});

/// The public functions.
static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let Some(docs) = &*DOCS else { return Vec::new() };
    let mut functions = api::functions(docs);
    functions.retain(|function| function.module != "mask" || !BITFLAGS.contains(&&*function.name));
    assert!(functions.len() > 300, "{} functions", functions.len());
    functions
});

/// The public names of the typed layer, without the methods that `bitflags` generates.
static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| {
    let Some(docs) = &*DOCS else { return Vec::new() };
    let mut names = api::names(docs);
    names.retain(|name| {
        let method = name.name.split_once("::").map_or("", |(_, method)| method);
        name.module != "mask" || !BITFLAGS.contains(&method)
    });
    assert!(names.len() > 500, "{} names", names.len());
    names
});

#[test]
fn the_implementations_are_golden() {
    let Some(docs) = &*DOCS else { return };
    let mut golden = Golden::new("implementations");
    for (module, text) in implementations::by_module(docs) {
        ok(golden.check(&format!("{module}.txt"), &text));
    }
    ok(golden.finish());
}

/// Checks that every field of a handle is private, so that nobody can make a handle by hand.
#[test]
fn only_plain_data_has_public_fields() {
    let Some(docs) = &*DOCS else { return };
    // `Needs` describes an implementation of the unsafe trait `Place`, and `BoundingBox` is an argument of the unsafe
    // `from_raw_within`. `RawSlice` and its like are the bytes of a kernel's parameter, `MemoryLength` is a part of an implementation
    // of the unsafe trait `Kernel`. `Layout` is a part of a format string,
    // whose user `print::vprintf` is unsafe.
    let needs = ["Needs.align", "Needs.barriers", "Needs.cancels", "Needs.size"];
    let raw = ["RawSlice.base", "RawSlice.len", "RawMatrix.base", "RawMatrix.rows", "RawMatrix.columns"];
    let raw = raw.into_iter().chain(["RawTensorMut.object", "RawTensorMut.boxes"]);
    let raw = raw.chain(["MemoryLength.parameter", "MemoryLength.extents"]);
    let layout = ["letter", "alignment", "plus", "alternate", "zero", "width", "precision"];
    let plain =
        ["BoundingBox.first", "BoundingBox.last"].into_iter().chain(needs).chain(raw).map(String::from);
    let plain = plain.chain(layout.map(|field| format!("Layout.{field}")));
    assert_eq!(implementations::public_fields(docs), plain.collect());
}

/// Compares the safe functions that make a handle, a state, a corner, a token or a map, by signature. Read each new line as an
/// attack: do the arguments prove everything that the value stands for?
#[test]
fn what_makes_a_handle_is_golden() {
    let Some(docs) = &*DOCS else { return };
    let mut golden = Golden::new("makers");
    for (module, text) in makers::by_module(docs) {
        ok(golden.check(&format!("{module}.txt"), &text));
    }
    // Fields are dropped, formatted or cloned with their holder. For a user's type, this runs the user's code.
    ok(golden.check("holders.txt", &makers::holders(docs)));
    ok(golden.finish());
}

/// Checks that a method of a public trait that makes a handle takes a token: anybody can call such a method, even a hidden one.
#[test]
fn a_method_of_a_trait_makes_a_handle_for_a_token_alone() {
    let Some(docs) = &*DOCS else { return };
    let excepted: BTreeSet<String> =
        NO_TOKEN.iter().flat_map(|(_, names)| names.iter().map(|&name| name.to_owned())).collect();
    let without = makers::without_token(docs);
    let open: Vec<_> = without.difference(&excepted).collect();
    assert!(
        open.is_empty(),
        "safe methods of public traits make a handle without a `Token`: add a `Token` argument; or, if the result is no handle, \
         an entry in `NO_TOKEN` of tests/coverage/main.rs: {open:#?}"
    );
    let stale: Vec<_> = excepted.difference(&without).collect();
    assert!(stale.is_empty(), "needless exceptions, remove them: {stale:#?}");
}

/// `Sealed` closes a trait without parameters. The orphan rule lets any crate implement a trait with a parameter for a parameter
/// type of its own, unless that parameter must be of a sealed trait too.
#[test]
fn no_crate_implements_a_trait_of_this_without_unsafe() {
    let Some(docs) = &*DOCS else { return };
    assert_eq!(makers::open_traits(docs), BTreeSet::from(OPEN.map(str::to_owned)));
}

/// Checks that only the raw layer exists with the stock linker: nothing marks convergence, so safe code cannot rely on it.
#[test]
fn the_typed_layer_is_left_out_behind_the_stock_linker() {
    // `docs` has no code.
    const OF_THE_RAW_LAYER: [&str; 4] = ["docs", "mask", "qualifier", "raw"];
    const GATE: &str = "\ncfg_select! {\n    any(doc, not(feature = \"stock-linker\")) => {\n";
    // Macros have a gate of their own: rustc refuses the paths of macros that `cfg_select!` expands to.
    const EXPANSION: &str = "\n#[cfg(any(doc, not(feature = \"stock-linker\")))]\nmod expansion;\n";
    let source = fs::read_to_string(xtask::root().join("src/lib.rs")).expect("the crate's root");
    let source = source.replacen(EXPANSION, "\n", 1);
    let (before, gated) = source.split_once(GATE).expect("the gate of the typed layer");
    let (gated, after) = gated.split_once("\n    }\n").expect("the end of the gate");
    // The module with its own gate.
    let before = before.replace("#[cfg(any(doc, not(feature = \"stock-linker\")))]\nmod expansion;\n", "");
    let modules = |source: &str| -> BTreeSet<String> {
        let names = source.lines().filter_map(|line| {
            let line = line.trim_start();
            line.strip_prefix("pub mod ").or(line.strip_prefix("mod "))?.strip_suffix(';')
        });
        names.map(str::to_owned).collect()
    };
    assert!(modules(gated).contains("shared"), "no `mod shared;` behind the gate");
    assert_eq!(
        modules(&format!("{before}{after}")),
        OF_THE_RAW_LAYER.map(str::to_owned).into(),
        "modules without the gate `not(stock-linker)`"
    );
}

/// The IR of the twins with the feature `checked`, and of the functions that they call.
static CHECKED_TWINS: LazyLock<String> = LazyLock::new(|| {
    // This target has all functions. At level 0, rustc inlines no function. `tests/checked.rs` uses this build of `ptx` too.
    let mut build = Build::new(xtask::root().join("tests/device/typed"), Arch::Sm100a);
    build.opt_level = OptLevel::O0;
    build.features = vec!["ptx/checked".into()];
    ok(build.ir())
});

/// The call graph of [`CHECKED_TWINS`].
static CHECKED_CALLS: LazyLock<Calls<'static>> = LazyLock::new(|| Calls::read(&CHECKED_TWINS));

/// The call graph of the twins without the feature, which adds the calls of one module and no others: `checked_code_only_adds`.
static CALLS: LazyLock<Calls<'static>> = LazyLock::new(|| CHECKED_CALLS.without("ptx::checked::"));

/// Returns true if `called` is an instance of the function.
fn is_called(function: &Function, called: &Called) -> bool {
    match (called, &function.owner) {
        (Called::Method(ty, name), Some(owner)) => *name == function.name && owner.takes(ty),
        // A symbol has the module that contains the function, which may be private.
        (Called::Free(module, name), None) => {
            *name == function.name && [&function.module, &function.written_in].contains(&module)
        }
        _ => false,
    }
}

/// The number of public functions of the typed layer. A new one has a user, or a reason in `NO_USER`.
const MOST_FUNCTIONS: usize = 577;

#[test]
fn public_functions_are_few() {
    println!("{} public functions", FUNCTIONS.len());
    assert!(
        FUNCTIONS.len() <= MOST_FUNCTIONS,
        "the typed layer has {} public functions, and had {MOST_FUNCTIONS}: is the new one the only way to say what it says?",
        FUNCTIONS.len()
    );
    // `evict_last` is PTX's name.
    let suffixed = FUNCTIONS.iter().map(|function| &*function.name);
    let suffixed: BTreeSet<_> =
        suffixed.filter(|name| name.ends_with("_at_sync") || name.ends_with("_last")).collect();
    assert!(suffixed.iter().all(|name| *name == "evict_last"), "one method per transition: {suffixed:?}");
}

/// The IR of the kernels, of the examples, and of the book's blocks of Rust, in which no function is inlined.
static USERS: LazyLock<String> = LazyLock::new(|| {
    let book = ok(device::write_kernels("book", &blocks::crate_of(&blocks::of_book())));
    let kernels = xtask::root().join("kernels");
    // The one target has all functions but those of `wgmma`, which the other has.
    let crates = [
        (kernels.clone(), Arch::Sm100a),
        (kernels, Arch::Sm90a),
        (xtask::root().join("examples/kernels"), Arch::Sm100a),
        (book, Arch::Sm100a),
    ];
    let ir = |(folder, arch): &(PathBuf, Arch)| {
        let mut build = Build::new(folder, *arch);
        build.opt_level = OptLevel::O0;
        build.crate_flags = vec!["-Clink-dead-code".into()];
        // The crates of the repository ask for the tensor cores themselves.
        build.features.extend(folder.ends_with("book").then(|| "ptx/tensor".into()));
        ok(build.ir())
    };
    crates.iter().map(ir).collect()
});

/// Checks that a kernel, an example or the book calls each function, itself or through another, or that the book names it by its
/// path, such as `Cta::sync`.
#[test]
fn every_function_has_a_user() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let calls = Calls::read(&USERS);
    let of_users = ["kernels::", "example_kernels::", "book::"];
    // The name of an entry is not Rust's.
    let is_of_user = |symbol: &str| {
        calls.name(symbol).is_none_or(|name| {
            of_users.iter().any(|user| name.path.trim_start_matches('<').starts_with(user))
        })
    };
    let reached: BTreeSet<_> =
        calls.reached_from(is_of_user).into_iter().filter_map(|symbol| calls.called(symbol)).collect();
    let book: Vec<_> = blocks::list(&xtask::root().join("docs/book/src"))
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| fs::read_to_string(path).expect("a page"))
        .collect();
    let is_named = |function: &Function| {
        // The page names a method by its type, and a free function by its module.
        let path = index::name(function);
        let path = match (&function.owner, path.split_once("::")) {
            (Some(_), Some((_, path))) => path,
            _ => &path,
        };
        book.iter().any(|page| page.contains(&format!("`{path}`")))
    };
    let has_user =
        |function: &Function| reached.iter().any(|called| is_called(function, called)) || is_named(function);
    check("a user in kernels/, examples/ or docs/book", NO_USER, FUNCTIONS.iter(), has_user);
}

#[test]
fn every_typed_method_has_a_twin() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let reached = CALLS.of_twins();
    let reached: Vec<_> = reached.into_iter().filter_map(|symbol| CALLS.called(symbol)).collect();
    let has_twin = |function: &Function| reached.iter().any(|called| is_called(function, called));
    check("a kernel `typed_…` in tests/device/typed that calls it", NO_TWIN, FUNCTIONS.iter(), has_twin);
}

/// Checks that docs/INSTRUCTIONS.md lists each raw function, and the public functions of the typed layer that reach it.
#[test]
fn the_index_of_instructions_is_up_to_date() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let qualifiers = ok(xtask::index::qualifiers());
    for (path, text) in [
        (xtask::index::path(), index::text(&FUNCTIONS, &CALLS)),
        (xtask::index::qualifiers_path(), qualifiers),
    ] {
        if golden::blesses() {
            fs::write(&path, text).expect("the index");
            continue;
        }
        let present = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            present == text,
            "{} is out of date; run this test with `BLESS=1` and read the diff\n{}",
            path.display(),
            golden::diff(&present, &text)
        );
    }
}

/// Checks that docs/GLOSSARY.md lists every type, trait, function and method with its counterpart in CUDA.
#[test]
fn the_glossary_names_every_item() {
    if NAMES.is_empty() {
        return;
    }
    let lacking = glossary().lacks(&NAMES);
    assert!(
        lacking.is_empty(),
        "docs/GLOSSARY.md lacks public items: add each to a row of its module's section, with its counterpart in CUDA and its \
         meaning: {lacking:#?}"
    );
}

#[test]
fn the_glossary_names_nothing_else() {
    if NAMES.is_empty() {
        return;
    }
    let invented = glossary().invents(&NAMES);
    assert!(
        invented.is_empty(),
        "docs/GLOSSARY.md names items that the crate, or the section's module, does not have: write the present name, move or delete \
         the row, or remove the backticks if the name is not from this crate: {invented:#?}"
    );
}

/// Checks that the search of rustdoc finds each item by its names in CUDA: the tables of docs/GLOSSARY.md and `#[doc(alias)]`
/// agree.
#[test]
fn the_names_of_cuda_are_aliases() {
    if NAMES.is_empty() {
        return;
    }
    let page = glossary();
    let lacking = page.without_alias(&NAMES);
    assert!(
        lacking.is_empty(),
        "docs/GLOSSARY.md has names of CUDA that no item beside them has as `#[doc(alias = \"…\")]`; a name of `cuda::ptx` is an \
         alias with and without its path: {lacking:#?}"
    );
    let invented = page.invented_aliases(&NAMES);
    assert!(
        invented.is_empty(),
        "add these aliases to the rows of their items in docs/GLOSSARY.md, or remove them: {invented:#?}"
    );
}

/// Checks that the tables of the chapter on porting have CUDA's term and the names of items, like the index of the glossary.
#[test]
fn the_porting_tables_of_the_book_name_items() {
    if NAMES.is_empty() {
        return;
    }
    let text = fs::read_to_string(xtask::root().join("docs/book/src/porting.md")).unwrap();
    let page = glossary::Page::read(&text);
    assert!(page.mentioned() > 80, "found only {} names in the tables", page.mentioned());
    let invented = page.invents(&NAMES);
    assert!(
        invented.is_empty(),
        "docs/book/src/porting.md names items that the crate does not have: {invented:#?}"
    );
}

/// Checks that a span `Type::method` on a page of the book is a method of `ptx`, or a function of `ptx-launch`, `ptx-host`,
/// `ptx-build` or `ptx-emu`.
#[test]
fn the_methods_that_the_book_names_exist() {
    if NAMES.is_empty() {
        return;
    }
    let texts = |folder: &str| files::under(&xtask::root().join(folder)).unwrap();
    let host: String = ["launch/src", "host/src", "build/src", "emu/src"]
        .iter()
        .flat_map(|folder| texts(folder))
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let (mut lacking, mut count) = (Vec::new(), 0);
    for page in texts("docs/book/src")
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
    {
        for span in glossary::methods(&fs::read_to_string(page).unwrap()) {
            count += 1;
            let function = span.rsplit("::").next().unwrap();
            let of_host =
                || host.contains(&format!("fn {function}(")) || host.contains(&format!("fn {function}<"));
            if !NAMES.iter().any(|name| name.name == span) && !of_host() {
                lacking.push(format!("{}: `{span}`", page.file_name().unwrap().display()));
            }
        }
    }
    assert!(count > 100, "found only {count} methods");
    assert!(lacking.is_empty(), "the book names methods that do not exist: {lacking:#?}");
}

/// Checks that a name in the glossary, or in a compiler's message, means one item.
#[test]
fn no_two_types_have_the_same_name() {
    let homonyms = glossary::homonyms(&NAMES);
    assert!(homonyms.is_empty(), "types or traits have the same name; rename all but one: {homonyms:#?}");
}

/// Checks that no module has a hidden function or type of a name that another module has: with glob imports of both modules, the
/// name would be ambiguous, although nobody writes it.
#[test]
fn a_hidden_name_is_in_one_module() {
    let Some(docs) = &*DOCS else { return };
    assert_eq!(api::ambiguous_hidden_names(docs), BTreeMap::new());
}

fn glossary() -> glossary::Page {
    let path = xtask::root().join("docs/GLOSSARY.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    glossary::Page::read(&text)
}

/// Safe code reaches convergent instructions through reviewed functions only. Each is collective by its arguments.
#[test]
fn what_is_made_of_convergent_instructions_is_golden() {
    let Some(docs) = &*DOCS else { return };
    let mut golden = Golden::new("collective");
    ok(golden.check("safe_functions.txt", &collective::text(docs, &CALLS)));
    ok(golden.finish());
}

/// Types do not express which threads make a call together. So every function that takes a group documents it.
#[test]
fn what_takes_a_group_says_whether_it_is_collective() {
    let faults: Vec<_> = FUNCTIONS.iter().filter_map(collective::fault).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn what_is_not_collective_has_no_instruction_that_threads_execute_together() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let faults = collective::executed_together(&FUNCTIONS, &CALLS);
    assert!(
        faults.is_empty(),
        "functions say `Not collective.`, but reach instructions that threads execute together: {faults:#?}"
    );
}

/// Checks that the feature `checked` removes no code but the empty checks.
#[test]
fn checked_code_only_adds() {
    let sources = ok(files::under(&xtask::root().join("src")));
    let text = |path: &PathBuf| fs::read_to_string(path).expect("a source");
    let left_out = sources.iter().filter(|path| text(path).contains("not(feature = \"checked\")"));
    let left_out: Vec<_> = left_out.filter(|path| !path.ends_with("src/checked.rs")).collect();
    assert!(
        left_out.is_empty(),
        "code that the feature `checked` removes, so CALLS lacks its calls: {left_out:?}"
    );
}

/// Checks that with the feature `checked`, each collective call checks that all threads of its group make the call.
#[test]
fn what_is_collective_is_checked() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let instances = collective::instances(&CHECKED_CALLS);
    let collective = FUNCTIONS.iter().filter(|function| collective::is_collective(function));
    check("a `meet!(group)`, which checks the calls of the group", NO_CHECK, collective, |function| {
        collective::is_checked(function, &CHECKED_CALLS, &instances)
    });
}

/// Checks that each function that changes the state of a handle leaves a mark, by which `ptx-link` proves that all threads of the group make
/// the call, on the same handle.
#[test]
fn what_takes_a_handle_is_marked() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let instances = collective::instances(&CALLS);
    let with_handles = FUNCTIONS.iter().filter(|function| function.moves_handles && !function.is_unsafe);
    check("a mark (`meet!`, `mark::hold`, `mark::deal`)", NO_MARK, with_handles, |function| {
        collective::is_marked(function, &CALLS, &instances)
    });
}

/// Checks that a check prints the place of the user's call: a function on the way to a check passes on its caller's place, and
/// only twins pass places of their own.
#[test]
fn a_check_names_the_place_of_the_caller() {
    if FUNCTIONS.is_empty() {
        return;
    }
    let places = collective::places_of_checks(&CHECKED_TWINS, &CHECKED_CALLS);
    let (of_twins, own): (Vec<_>, Vec<_>) =
        places.iter().partition(|place| place.file.starts_with("typed/src/"));
    assert!(of_twins.len() > 500, "{} places", of_twins.len());
    let path = |symbol| CHECKED_CALLS.name(symbol).map_or(symbol, |name| &name.path);
    let own: BTreeSet<_> = own
        .iter()
        .map(|call| format!("{} passes a place in {} to {}", path(call.by), call.file, path(call.to)))
        .collect();
    assert!(
        own.is_empty(),
        "places of the library, not of its caller: a function on the way lacks `#[track_caller]`, or is a closure: {own:#?}"
    );
}

#[test]
fn every_typestate_method_has_a_misuse() {
    // A case covers the calls that its message quotes.
    let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let cases = xtask::root().join("tests/ui");
    for message in ok(files::under(&cases)) {
        if message.extension().is_some_and(|extension| extension == "stderr") {
            let module = message.strip_prefix(&cases).ok().and_then(|path| path.iter().next());
            let module = module.expect("a folder").to_string_lossy();
            let text = fs::read_to_string(&message).expect("a message");
            let names = api::quoted_calls(&text).into_iter().map(str::to_owned);
            called.entry(module.into_owned()).or_default().extend(names);
        }
    }
    let has_case = |function: &Function| {
        let modules = [&function.module, &function.written_in];
        modules.iter().any(|&module| called.get(module).is_some_and(|names| names.contains(&function.name)))
    };
    let typestate = FUNCTIONS.iter().filter(|function| function.has_handles || function.has_tags);
    check(
        "a case in tests/ui, in the folder of its module, whose message quotes a call of it",
        NO_MISUSE,
        typestate,
        has_case,
    );
}

/// Checks that each function has what it needs or is excepted, and that every exception is needed.
fn check<'a>(
    needed: &str,
    exceptions: Exceptions,
    functions: impl Iterator<Item = &'a Function>,
    has: impl Fn(&Function) -> bool,
) {
    let missing: BTreeSet<String> =
        functions.filter(|function| !has(function)).map(Function::shown).collect();
    let excepted: BTreeSet<String> =
        exceptions.iter().flat_map(|(_, names)| names.iter().map(|&name| name.to_owned())).collect();
    let without: Vec<_> = missing.difference(&excepted).collect();
    assert!(without.is_empty(), "these functions lack {needed}: {without:#?}");
    let stale: Vec<_> = excepted.difference(&missing).collect();
    assert!(stale.is_empty() || FUNCTIONS.is_empty(), "needless exceptions, remove them: {stale:#?}");
}
