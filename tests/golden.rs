//! Compares the PTX from rustc with `tests/golden`, and the claims of the rows with ptxas.
//!
//! `BLESS=1 cargo test --test golden` rewrites the files.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use ptx_link::convergence::is_convergent;
use support::{body, ok};
use xtask::cuda::Tools;
use xtask::device::{Arch, Build, OptLevel};
use xtask::forms::{self, Form, Part, Row};
use xtask::golden::{self, Golden};
use xtask::judge;
use xtask::toolchain::{Kind, Toolchain};

/// The rows of each target, compiled once for all tests.
static PROBES: LazyLock<Vec<(Arch, Vec<Row>)>> = LazyLock::new(|| ok(forms::probe_all()));

/// The rows of all targets.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| ok(forms::union(&PROBES)));

#[test]
fn raw_instructions_are_golden() {
    let mut golden = Golden::new("raw");
    for row in &*ROWS {
        ok(golden.check(&format!("{}/{}.ptx", row.family, row.name), &row.golden()));
    }
    ok(golden.finish());
}

/// The number of forms that are newer than PTX ISA 9.2, in these and in other chapters, found by asking ptxas: by family, on sm_107a,
/// sm_100a and sm_90. Not counted are `elect.sync` with a sink, and defaults written out: `.layout::v0`, `.phase_type::primary`
/// without a report, `.multicast::cluster::16b`, `.weak`, `.relaxed.sys` of reductions, `.add.noftz.f32` of bulk reductions,
/// `mbarrier.pending_count.layout::v0`.
const NEWER: [(&str, usize, usize, usize); 28] = [
    ("cp_async_bulk", 252, 42, 18),
    ("cp_async_bulk_ignore_oob", 8, 8, 8),
    ("cp_async_bulk_wait_group", 1, 1, 1),
    ("cp_async_bulk_prefetch", 1, 0, 0),
    ("cp_async_bulk_tensor", 5180, 0, 0),
    ("cp_async_bulk_prefetch_tensor", 90, 0, 0),
    ("cp_reduce_async_bulk", 186, 186, 186),
    ("cp_reduce_async_bulk_tensor", 384, 0, 0),
    ("multimem_cp_async_bulk", 8, 8, 4),
    ("multimem_cp_reduce_async_bulk", 81, 81, 81),
    ("applypriority_async_bulk", 2, 0, 0),
    ("applypriority_async_bulk_tensor", 80, 0, 0),
    ("fence", 10, 10, 4),
    ("atom", 96, 96, 96),
    ("atom_vector", 128, 128, 128),
    ("red", 48, 48, 48),
    ("red_vector", 64, 64, 64),
    ("mbarrier", 182, 126, 126),
    ("multimem_async", 68, 68, 0),
    ("fabric", 303, 303, 0),
    ("createpolicy", 8, 8, 0),
    ("cvt", 293, 0, 0),
    ("ld_st", 88, 88, 88),
    ("ldmatrix", 6, 6, 0),
    ("prefetch", 2, 2, 2),
    ("math", 2, 2, 2),
    ("special", 1, 1, 0),
    ("tensormap", 2, 2, 0),
];

/// Families from other sections, which the instructions of the three chapters need, or which are newer than PTX ISA 9.2.
const AROUND: &[&str] = &[
    "applypriority_async_bulk",
    "applypriority_async_bulk_tensor",
    "cp_async_bulk_ignore_oob",
    "createpolicy",
    "cvt",
    "cvta",
    "fabric",
    "getctarank",
    "half_precision",
    "isspacep",
    "ldmatrix",
    "mapa",
    "mixed_precision",
    "multimem_async",
    "multimem_cp_async_bulk",
    "mma",
    "mma_sp",
    "movmatrix",
    "nanosleep",
    "prefetch",
    "setmaxnreg",
    "ld_st",
    "math",
    "multimem",
    "shfl_sync",
    "special",
    "st_async",
    "st_bulk",
    "stmatrix",
    "prefetch_tensormap",
    "tcgen05_alloc",
    "tcgen05_cp",
    "tcgen05_ld_st",
    "tcgen05_mma",
    "tcgen05_sync",
    "tensormap",
    "wgmma",
];

/// Checks that the rows have exactly the legal forms of the three chapters, and the newer forms.
#[test]
fn the_forms_are_the_legal_forms() {
    let mut older = ROWS.clone();
    older.iter_mut().for_each(|row| row.forms.retain(|form| form.isa <= (9, 2)));
    let mut newer = ROWS.clone();
    newer.iter_mut().for_each(|row| row.forms.retain(|form| form.isa > (9, 2)));
    let on = |arch| Arch::ALL.iter().position(|&other| other == arch).expect("a target");
    let (sm_107a, sm_100a, sm_90) = (on(Arch::Sm107a), on(Arch::Sm100a), on(Arch::Sm90));
    let counts = forms::counts(&older);
    let mut all = (0, 0);
    for (family, on_100a, on_90) in forms::LEGAL {
        let have = counts.get(family).map_or((0, 0), |count| (count[sm_100a], count[sm_90]));
        assert_eq!(have, (on_100a, on_90), "{family} on sm_100a and sm_90");
        all = (all.0 + have.0, all.1 + have.1);
    }
    assert_eq!(all, (8166, 7885));
    let mut all = 0;
    for (family, counts) in forms::counts(&newer) {
        let have = (family, counts[sm_107a], counts[sm_100a], counts[sm_90]);
        let expected = NEWER.into_iter().find(|(other, ..)| *other == family).unwrap_or((family, 0, 0, 0));
        assert_eq!(have, expected, "forms newer than PTX ISA 9.2 on sm_107a, sm_100a and sm_90");
        all += have.1;
    }
    assert_eq!(all, 7574);
    let counts = forms::counts(&ROWS);
    let known: BTreeSet<_> =
        forms::LEGAL.iter().map(|(family, ..)| *family).chain(AROUND.iter().copied()).collect();
    let families: BTreeSet<_> = counts.keys().copied().collect();
    let differ: Vec<_> = families.symmetric_difference(&known).collect();
    assert!(
        differ.is_empty(),
        "{differ:?} are in src/raw or in this file, but not in both: `forms::LEGAL` has the families of 9.7.9.25, 9.7.9.27 and \
         9.7.13 with their number of forms, `AROUND` the others"
    );
}

/// Checks that `./x forms` and the golden files contain the same forms.
#[test]
fn every_form_is_a_golden_line() {
    // With `BLESS=1`, another test is writing the files.
    if golden::blesses() {
        return;
    }
    let golden = xtask::root().join("tests/golden/raw");
    for (family, counts) in forms::counts(&ROWS) {
        let files = std::fs::read_dir(golden.join(family)).expect("a folder of the family");
        let text: String = files
            .map(|file| std::fs::read_to_string(file.expect("an entry").path()).expect("a golden file"))
            .collect();
        // The targets that the comment of each line names.
        let targets = text.lines().filter(|line| !line.starts_with("//")).map(|line| {
            let comment = line.split_once(" // ").map_or("", |(_, comment)| comment);
            comment.split(", ").filter_map(|name| name.parse().ok()).collect()
        });
        let targets: Vec<Vec<Arch>> = targets.collect();
        for (arch, count) in Arch::ALL.iter().zip(counts) {
            let has =
                |named: &&Vec<Arch>| named.is_empty() || named.iter().any(|named| arch.contains(*named));
            assert_eq!(targets.iter().filter(has).count(), count, "{family} on {arch}");
        }
    }
}

/// With the stock linker, a convergent instruction becomes an asm goto: another block, but the same instruction.
#[test]
fn the_label_form_is_the_same_instructions() {
    // Sorted, because LLVM arranges the blocks of asm gotos in any order.
    let instructions = |rows: &[Row]| -> Vec<String> {
        let forms = rows.iter().filter(|row| row.convergent).flat_map(|row| &row.forms);
        let mut instructions: Vec<_> = forms.map(|form| form.instruction.clone()).collect();
        instructions.sort();
        instructions
    };
    let labeled = ok(forms::probe(Arch::Sm90, Part::Labeled));
    let convergent = labeled.iter().flat_map(|row| &row.forms).filter(|form| is_convergent(&form.block.text));
    assert!(convergent.count() > 0);
    let (_, plain) = PROBES.iter().find(|(arch, _)| *arch == Arch::Sm90).expect("a probe");
    let (labeled, plain) = (instructions(&labeled), instructions(plain));
    assert!(labeled == plain, "{}", golden::diff(&plain.join("\n"), &labeled.join("\n")));
}

/// Checks that the linker's table, by which it marks instructions, and the rows, by which the stock linker's asm gotos are made,
/// agree on every form.
#[test]
fn rows_and_the_linkers_table_agree_on_convergence() {
    ok(judge::convergence(&ROWS));
}

#[test]
fn no_form_has_two_rows() {
    for (arch, rows) in &*PROBES {
        let mut seen = BTreeMap::new();
        for row in rows {
            assert!(!row.forms.is_empty(), "{} has no form on {arch}", row.name);
            for form in &row.forms {
                if let Some(other) = seen.insert(&form.instruction, &row.name) {
                    panic!("`{}` is both {other} and {}", form.instruction, row.name);
                }
            }
        }
    }
}

#[test]
fn ptxas_takes_every_form_where_it_is_claimed_and_nowhere_else() {
    let tools = ok(Tools::find_or_fetch());
    let forms: Vec<&Form> = ROWS.iter().flat_map(|row| &row.forms).collect();
    println!("{}", ok(judge::judge(&tools, &forms)));
}

/// Checks that an option that is not chosen costs nothing, even without optimization: ten calls are ten blocks of asm.
#[test]
fn ten_calls_of_a_debug_build_are_ten_blocks() {
    let folder = xtask::root().join("tests/device/debug");
    let crate_flags = vec!["-Cdebug-assertions".into()];
    let module = ok(Build { opt_level: OptLevel::O0, crate_flags, ..Build::new(folder, Arch::Sm90a) }.run());
    let blocks = forms::asm_blocks(&module.text);
    let instructions: Vec<_> =
        blocks.iter().flat_map(|block| &block.instructions).map(String::as_str).collect();
    let expected = [
        "mbarrier.init.shared::cta.b64 [%r], %r;",
        "mbarrier.arrive.release.cta.shared::cta.b64 %rd, [%r];",
        "atom.relaxed.gpu.global.add.u32 %r, [%rd], %r;",
        "atom.acq_rel.sys.global.add.f64 %rd, [%rd], %rd;",
        "red.release.cluster.shared::cta.min.s32 [%r], %r;",
        "fence.sc.cluster;",
        "barrier.cta.sync %r;",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd], [%r], %r;",
        "redux.sync.max.s32 %r, %r, %r;",
        "griddepcontrol.wait;",
    ];
    let mut sorted = instructions.clone();
    sorted.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!((blocks.len(), sorted), (10, expected), "{}", module.text);
}

/// Returns true if whole bodies can be compared, on the pinned toolchain only. Another toolchain numbers registers and orders
/// instructions differently, and sometimes arranges the branches of two twins differently. `./x compare` compares the other
/// toolchains.
fn holds_whole_bodies() -> bool {
    let toolchain = ok(Toolchain::active());
    let pinned = toolchain.kind() == Kind::Rustup;
    if !pinned {
        println!("whole bodies are not compared with golden files: the toolchain is {}", toolchain.name());
    }
    pinned
}

#[test]
fn kernels_are_golden() {
    let mut golden = Golden::new("kernels");
    if !holds_whole_bodies() {
        return;
    }
    let mut bodies: BTreeMap<String, Vec<(Arch, String)>> = BTreeMap::new();
    for arch in [Arch::Sm90a, Arch::Sm100a] {
        let build = Build::new(xtask::root().join("kernels"), arch);
        let module = ok(build.run());
        for kernel in ok(xtask::ptx::split(&module.text)) {
            let body = body(&kernel.text, &kernel.name);
            assert!(!has_barriers_in_a_row(&body), "{} for {arch} has two barriers in a row", kernel.name);
            bodies.entry(kernel.name).or_default().push((arch, body));
        }
    }
    for (name, texts) in &bodies {
        ok(golden.check_targets(name, texts));
    }
    ok(golden.finish());
}

/// Returns true if only register instructions stand between two barriers of the CTA or the cluster. One barrier would be enough.
fn has_barriers_in_a_row(body: &str) -> bool {
    // The arrival stands for the barrier of the cluster.
    let is_barrier =
        |line: &str| line.starts_with("barrier.cta.sync") || line.starts_with("barrier.cluster.arrive");
    let is_of_registers = |line: &str| {
        let operations =
            ["mov.", "add.", "sub.", "mul.", "mad.", "shl.", "shr.", "and.", "or.", "setp.", "selp.", "cvt."];
        operations.iter().any(|operation| line.starts_with(operation))
            || line.starts_with("ld.param")
            || line.starts_with("barrier.cluster.wait")
    };
    let mut after_barrier = false;
    body.lines().any(|line| {
        let in_a_row = after_barrier && is_barrier(line);
        after_barrier = is_barrier(line) || after_barrier && is_of_registers(line);
        in_a_row
    })
}

#[test]
fn barriers_in_a_row_are_found() {
    let apart =
        "barrier.cta.sync.aligned %r1;\nld.weak.shared::cta.b32 %r2, [%r3];\nbarrier.cta.sync.aligned %r1;";
    let cluster = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nret;";
    assert!(!has_barriers_in_a_row(apart) && !has_barriers_in_a_row(cluster));
    assert!(has_barriers_in_a_row(
        "barrier.cta.sync.aligned %r1;\nmov.b32  %r2, 0;\nbarrier.cluster.arrive.release.aligned;"
    ));
}

/// Returns the instructions of a body without the differences that do not matter: names of registers; labels, of which LLVM
/// makes another if it puts the read of a parameter before a loop; order (LLVM numbers induction variables in the order in which it meets them); which outcome of a test takes the branch; and a product and
/// a sum as one instruction or two.
fn multiset(body: &str) -> Vec<String> {
    let undirected = |line: String| {
        let opposites = [(".ge.", ".lt."), (".gt.", ".le."), (".ne.", ".eq.")];
        let test = opposites.iter().find(|(one, _)| line.starts_with("setp") && line.contains(one));
        let line = test.map_or_else(|| line.clone(), |(one, other)| line.replacen(one, other, 1));
        line.replacen("@!", "@", 1)
    };
    let spaced = |line: String| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let instructions = body.lines().filter(|line| !line.trim_end().ends_with(':'));
    let mut lines: Vec<_> = instructions.map(forms::generic_registers).map(undirected).map(spaced).collect();
    // The order in which LLVM meets products and sums decides which of them become a `mad`. ptxas joins the others.
    let mads = lines.extract_if(.., |line| line.starts_with("mad.lo.s32")).count();
    let parts = ["mul.lo.s32 %r, %r, %r;", "add.s32 %r, %r, %r;"].map(str::to_owned);
    lines.extend(std::iter::repeat_n(parts, mads).flatten());
    lines.sort();
    lines
}

/// Returns the [`multiset`] without copies of loop variables, which ptxas removes.
fn loop_multiset(body: &str) -> Vec<String> {
    let mut lines = multiset(body);
    lines.retain(|line| !line.starts_with("mov.b"));
    lines
}

/// Returns the [`loop_multiset`] without sums and products, and the number of these.
fn without_addresses(body: &str) -> (Vec<String>, usize) {
    let arithmetic = ["add.", "sub.", "shl.", "or.b", "and.b", "mul.", "mad."];
    let is_other = |line: &String| !arithmetic.iter().any(|start| line.starts_with(start));
    let (others, sums): (Vec<_>, Vec<_>) = loop_multiset(body).into_iter().partition(is_other);
    (others, sums.len())
}

/// Returns the [`loop_multiset`] without tests and branches, for branches that LLVM arranges in two ways.
fn branch_multiset(body: &str) -> Vec<String> {
    let mut lines = multiset(body);
    lines.retain(|line| !line.starts_with("mov.b"));
    lines.retain(|line| {
        !["setp.", "and.pred", "or.pred", "@", "bra"].iter().any(|start| line.starts_with(start))
    });
    lines
}

/// Kernels with separate branches for CTAs of whole warps and for other CTAs, for the warps of two parts, or for two conditions.
const BRANCHES: [&str; 12] = [
    "bulk_load_slice",
    "pipeline_barrier_pair",
    "pipeline_barrier_pair_end",
    "pipeline_barrier_pair_with",
    "pipeline_barrier_pair_with_end",
    "reduce_bits",
    "reduce_integers",
    "reduce_of_any",
    "reduce_scans",
    "reduce_sums",
    "warp_reduce_add_f32",
    "warp_reduce_of_any",
];

/// Kernels that consist of a loop.
const LOOPS: [&str; 2] = ["pipeline_ring", "pipeline_run"];

/// Loops in which LLVM computes an address from a different value than in the raw twin: the second tile from the stage or from
/// the first tile, the next tile from its number or from the previous tile.
const ADDRESSED_OTHERWISE: [&str; 3] =
    ["pipeline_ring_update_all", "pipeline_ring_update_all_end", "pipeline_run_multicast"];

/// Checks that the typed and the raw twin of each kernel in `tests/device/typed` compile to the same instructions.
#[test]
fn typed_calls_cost_nothing() {
    let mut golden = Golden::new("typed");
    let golden_too = holds_whole_bodies();
    let mut faults = Vec::new();
    let mut bodies: BTreeMap<String, Vec<(Arch, String)>> = BTreeMap::new();
    for arch in [Arch::Sm90a, Arch::Sm100a] {
        let build = Build::new(xtask::root().join("tests/device/typed"), arch);
        let module = ok(build.run());
        let kernels = ok(xtask::ptx::split(&module.text));
        let twins: BTreeMap<&str, String> =
            kernels.iter().map(|kernel| (&*kernel.name, body(&kernel.text, &kernel.name))).collect();
        let names: Vec<_> = kernels.iter().filter_map(|kernel| kernel.name.strip_prefix("typed_")).collect();
        assert!(names.len() > 8, "{names:?}");
        for name in names {
            let twin = |name: String| twins.get(&*name).unwrap_or_else(|| panic!("no kernel {name}")).clone();
            let [typed, raw] = [format!("typed_{name}"), format!("raw_{name}")].map(twin);
            let costs_nothing = if !golden_too {
                // Other toolchains copy loop variables in one twin only.
                loop_multiset(&typed).len() <= loop_multiset(&raw).len()
            } else if LOOPS.contains(&name) {
                loop_multiset(&typed) == loop_multiset(&raw)
            } else if ADDRESSED_OTHERWISE.contains(&name) {
                let ((typed, sums), (raw, raw_sums)) = (without_addresses(&typed), without_addresses(&raw));
                typed == raw && sums <= raw_sums + 1
            } else if BRANCHES.contains(&name) {
                branch_multiset(&typed) == branch_multiset(&raw)
            } else {
                multiset(&typed) == multiset(&raw)
            };
            if !costs_nothing {
                faults.push(format!(
                    "`typed_{name}` and `raw_{name}` have other instructions on {arch}; write the raw twin with the same loops \
                     and conditions, and mend the typed call if an instruction is left. Lines with + are the typed call's:\n{}",
                    golden::diff(&raw, &typed)
                ));
            }
            if typed.contains(".local") || typed.contains("%SP") {
                faults.push(format!("{name} for {arch} has a stack frame"));
            }
            bodies.entry(name.to_owned()).or_default().push((arch, typed));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if golden_too {
        for (name, texts) in &bodies {
            ok(golden.check_targets(name, texts));
        }
        ok(golden.finish());
    }
}

/// Compares the exact PTX of ten main calls of the typed layer, from the kernels of `tests/device/typed`, without set-up of
/// predicates and reads of special registers. Each kernel initializes what it uses. The stores of threads appear twice: in the
/// rounds that all threads have, and in the last round.
#[test]
fn the_main_ten_are_these_instructions() {
    let build = Build::new(xtask::root().join("tests/device/typed"), Arch::Sm90a);
    let module = ok(build.run());
    for (name, expected) in MAIN {
        let (_, from) = module.text.split_once(&format!(".entry typed_{name}(")).expect("a kernel");
        let (body, _) = from.split_once("\n}").expect("a body's end");
        let blocks = forms::asm_blocks(body);
        let set_up =
            |line: &&str| ["mov.u32 ", ".reg ", "selp.", "setp."].iter().any(|start| line.starts_with(start));
        let have: Vec<_> = blocks.iter().flat_map(|block| &block.instructions).map(String::as_str).collect();
        let have: Vec<_> = have.into_iter().filter(|line| !set_up(line)).collect();
        let expected = expected.trim_start().lines().map(str::trim).collect::<Vec<_>>();
        assert_eq!(have, expected, "{name}");
    }
}

const MAIN: [(&str, &str); 10] = [
    (
        "mbarrier_init",
        "mbarrier.init.shared::cta.b64 [%r], %r;
        fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;",
    ),
    (
        "mbarrier_arrive_wait",
        "mbarrier.init.shared::cta.b64 [%r], %r;
        fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        mbarrier.arrive.release.cta.shared::cta.b64 %rd, [%r];
        mbarrier.try_wait.acquire.cta.shared::cta.b64 %p, [%r], %rd;",
    ),
    (
        "bulk_load",
        "mbarrier.init.shared::cta.b64 [%r], %r;
        fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        mbarrier.arrive.release.cta.shared::cta.b64 %rd, [%r];
        mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd, [%r], %r;
        cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r], [%rd], %r, [%r];
        mbarrier.try_wait.acquire.cta.shared::cta.b64 %p, [%r], %rd;
        ld.weak.shared::cta.b32 %r, [%r];
        barrier.cta.sync.aligned %r;",
    ),
    (
        "bulk_store",
        "mbarrier.init.shared::cta.b64 [%r], %r;
        fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        st.weak.shared::cta.v4.b32 [%r], {%r, %r, %r, %r};
        st.weak.shared::cta.v4.b32 [%r], {%r, %r, %r, %r};
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        cp.async.bulk.global.shared::cta.bulk_group [%rd], [%r], %r;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        barrier.cta.sync.aligned %r;
        cp.async.bulk.wait_group 0;
        barrier.cta.sync.aligned %r;",
    ),
    (
        "cp_async_load",
        "cp.async.cg.shared::cta.global [%r], [%rd], 16;
        cp.async.cg.shared::cta.global [%r], [%rd], 16;
        cp.async.commit_group;
        cp.async.wait_group 0;
        barrier.cta.sync.aligned %r;
        ld.weak.shared::cta.b32 %r, [%r];
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;",
    ),
    (
        "tensor_load_2d",
        "mbarrier.init.shared::cta.b64 [%r], %r;
        fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        mbarrier.arrive.release.cta.shared::cta.b64 %rd, [%r];
        mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd, [%r], %r;
        cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r], [%rd, {%r, %r}], [%r];
        mbarrier.try_wait.acquire.cta.shared::cta.b64 %p, [%r], %rd;
        ld.weak.shared::cta.b32 %r, [%r];
        barrier.cta.sync.aligned %r;",
    ),
    (
        "tensor_store_2d",
        "mbarrier.init.shared::cta.b64 [%r], %r;
        fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        st.weak.shared::cta.v4.b32 [%r], {%r, %r, %r, %r};
        st.weak.shared::cta.v4.b32 [%r], {%r, %r, %r, %r};
        fence.proxy.async.shared::cta;
        barrier.cta.sync.aligned %r;
        cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd, {%r, %r}], [%r];
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        barrier.cta.sync.aligned %r;",
    ),
    (
        "cluster_sync",
        "barrier.cluster.arrive.release.aligned;
        barrier.cluster.wait.acquire.aligned;
        barrier.cluster.arrive.release.aligned;
        barrier.cluster.wait.acquire.aligned;
        barrier.cluster.arrive.release.aligned;
        barrier.cluster.wait.acquire.aligned;",
    ),
    (
        "barrier_sync",
        "barrier.cta.sync.aligned %r, %r;",
    ),
    (
        "atomic_add_u32",
        "atom.acq_rel.gpu.global.add.u32 %r, [%rd], %r;
        red.release.gpu.global.add.u32 [%rd], %r;",
    ),
];
