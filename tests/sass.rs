//! The machine code that ptxas generates: one allocation for each `shared_memory!`, only in the kernels that enter with it;
//! instructions for shared memory and bulk copies; no generic access and no stack.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::ok;
use xtask::cuda::Tools;
use xtask::device::{self, Arch, Build, OptLevel};

#[test]
fn each_declaration_is_one_allocation() {
    let tools = ok(Tools::find_or_fetch());
    // At "s", only the crate and the link use the level: no other test compiles `ptx` at that level.
    for (opt_level, of_crate) in [(OptLevel::O0, "0"), (OptLevel::O3, "3"), (OptLevel::O3, "s")] {
        let crate_flags = vec![format!("-Copt-level={of_crate}")];
        let build = Build { opt_level, crate_flags, ..Build::new("tests/device/shared", Arch::Sm90a) };
        let module = ok(build.run());

        // a::Smem: 4 bytes, then 128 at the next multiple of 128; b::Smem: 256; other::Smem: 384.
        let mut sizes = Vec::new();
        let mut names = BTreeSet::new();
        for line in module.text.lines().filter(|line| line.contains("__smem[")) {
            let rest =
                line.trim().strip_prefix(".shared .align 128 .b8 ").expect("a declaration, aligned to 128");
            let (name, size) = rest.split_once('[').expect("an array");
            names.insert(name);
            sizes.push(size.trim_end_matches("];").parse::<u32>().expect("its size"));
        }
        sizes.sort();
        assert_eq!(sizes, [256, 256, 384], "at opt-level {of_crate}");
        assert_eq!(names.len(), 3, "{names:?}");

        let cubin = module.path.with_extension("cubin");
        let report = ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
        let mut shared: Vec<_> = report.kernels.iter().map(|kernel| (&*kernel.name, kernel.shared)).collect();
        shared.sort();
        assert_eq!(shared, [("first", 256), ("fourth", 384), ("second", 256), ("third", 256)]);
    }
}

/// Returns the mnemonics in a crate's machine code, up to the first dot.
fn mnemonics(crate_dir: &str, arch: Arch) -> BTreeSet<String> {
    let module = ok(Build::new(crate_dir, arch).run());
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("sass.cubin");
    let report = ok(tools.assemble(&module.path, arch, &cubin));
    for kernel in &report.kernels {
        assert_eq!(kernel.faults(), [""; 0], "{}", kernel.name);
    }
    let sass = ok(tools.sass(&cubin));
    let mut all = BTreeSet::new();
    for function in sass.split("\t.section\t.text.").skip(1) {
        let (name, _) = function.split_once(',').expect("a section's name");
        let words = function.split_whitespace().map(|word| word.split('.').next().unwrap_or(word).to_owned());
        let mnemonics: BTreeSet<String> = words.collect();
        // Peer shared memory (DSMEM) has no instructions of its own: ptxas accesses it by its generic address.
        let has_peers = name.starts_with("cluster_") || name.starts_with("gemm_split_");
        let generic: &[&str] = if has_peers { &[] } else { &["LD", "ST"] };
        for wrong in generic.iter().chain(&["LDL", "STL"]) {
            assert!(
                !mnemonics.contains(*wrong),
                "{crate_dir}, {name}: {wrong} accesses shared or local memory by a generic address"
            );
        }
        all.extend(mnemonics);
    }
    all
}

/// Checks that 64 and 128 sums of a loop stay in registers as arrays: one instruction per sum and round, no local memory. (With
/// `for` loops over `0..8` and `0..16`, 128 sums need a stack frame of 544 bytes.)
#[test]
fn arrays_stay_in_registers() {
    let tools = ok(Tools::find_or_fetch());
    for opt_level in [OptLevel::O2, OptLevel::O3] {
        let build = Build { opt_level, ..Build::new("tests/device/registers", Arch::Sm90a) };
        let module = ok(build.run());
        assert!(!module.text.contains(".local") && !module.text.contains("%SP"), "{}", module.text);
        let cubin = module.path.with_extension("cubin");
        let report = ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
        let sass = ok(tools.sass(&cubin));
        for (name, sums) in [("outer_8x8", 64), ("outer_8x16", 128)] {
            let kernel = report.kernels.iter().find(|kernel| kernel.name == name).expect("a kernel");
            assert_eq!(kernel.faults(), [""; 0], "{name} at opt-level {opt_level}");
            let (_, code) = sass.split_once(&format!("\t.section\t.text.{name},")).expect("its code");
            let code = code.split("\t.section\t").next().unwrap_or_default();
            let count = |mnemonic: &str| code.split_whitespace().filter(|word| *word == mnemonic).count();
            assert_eq!(["LDL", "STL"].map(count), [0, 0], "{name} at opt-level {opt_level}");
            // LLVM may copy the body of the loop.
            let fma = count("FFMA");
            assert!(fma >= sums && fma.is_multiple_of(sums), "{name} at opt-level {opt_level}: {fma}");
        }
    }
}

#[test]
fn elements_are_accessed_as_shared_memory() {
    let mnemonics = mnemonics("tests/device/shared", Arch::Sm90a);
    assert!(["LDS", "STS"].iter().all(|&wanted| mnemonics.contains(wanted)), "{mnemonics:?}");
}

#[test]
fn kernels_use_the_copy_engine_and_mbarriers() {
    let mnemonics = mnemonics("kernels", Arch::Sm90a);
    assert!(
        ["UBLKCP", "SYNCS", "LDS", "STS"].iter().all(|&wanted| mnemonics.contains(wanted)),
        "{mnemonics:?}"
    );
}

/// Returns the instructions of a function that can follow on themselves: those in its loops.
fn in_loops(function: &str) -> Vec<&str> {
    let (mut instructions, mut labels) = (Vec::new(), BTreeMap::new());
    for line in function.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label, instructions.len());
        } else if let Some((_, instruction)) = line.strip_prefix("/*").and_then(|line| line.split_once("*/"))
        {
            instructions.push(instruction.trim().trim_end_matches([';', ' ']));
        }
    }
    let next = |at: usize| {
        let instruction = instructions[at];
        let target = instruction.split_once("`(").and_then(|(_, label)| labels.get(label.strip_suffix(')')?));
        let (jumps, ends) = (instruction.contains("BRA"), instruction == "EXIT" || instruction == "RET");
        // A branch with a predicate, or with a modifier such as `.ANY`, may also fall through.
        let falls = !(ends || jumps && instruction.starts_with("BRA `"));
        target.filter(|_| jumps).copied().into_iter().chain(falls.then_some(at + 1))
    };
    let repeats = |at: &usize| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![*at]);
        while let Some(here) = todo.pop() {
            for next in next(here).filter(|next| *next < instructions.len()) {
                if seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        seen.contains(at)
    };
    (0..instructions.len()).filter(repeats).map(|at| instructions[at]).collect()
}

/// Checks that an operation of a pair of halves is one instruction, and that an axpy of halves loads and stores 16 bytes.
#[test]
fn operations_of_pairs_are_one_instruction() {
    let module = ok(Build::new("tests/device/halves", Arch::Sm90a).run());
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("sass.cubin");
    let report = ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
    let sass = ok(tools.sass(&cubin));
    let mut packed = 0;
    for kernel in &report.kernels {
        assert_eq!(kernel.faults(), [""; 0], "{}", kernel.name);
        let (_, code) = sass.split_once(&format!("\t.section\t.text.{},", kernel.name)).expect("its code");
        let code = in_loops(code.split("\t.section\t").next().unwrap_or_default());
        let count = |names: &[&str]| {
            let is_named = |instruction: &&&str| {
                instruction.split([' ', '.']).any(|word| names.contains(&word))
                    && !instruction.contains("RZ, RZ")
            };
            code.iter().filter(is_named).count()
        };
        let halves = count(&["HFMA2", "HADD2", "HMUL2", "HMNMX2", "HSET2"]);
        let wide = count(&["FFMA", "FADD", "FMUL", "FSETP", "F2FP", "PRMT", "I2F"]);
        if kernel.name.starts_with("packed_") {
            packed += 1;
            // LLVM may copy the body of the loop.
            let stores = count(&["STG"]);
            assert_eq!((halves, wide), (stores, 0), "{}: {code:#?}", kernel.name);
        }
        if kernel.name.starts_with("axpy_") {
            let whole = code.iter().filter(|instruction| instruction.contains(".E.128")).count();
            assert_eq!((whole, halves, wide), (3, 5, 0), "{}: {code:#?}", kernel.name);
        }
    }
    assert!(packed > 0);
}

/// Checks the kernels in half precision of `kernels/`: vectors of 16 bytes, their loads before their first use, one instruction of an
/// operation of a pair.
#[test]
fn kernels_of_halves_are_made_of_vectors_and_pairs() {
    let module = ok(Build::new("kernels", Arch::Sm90a).run());
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("halves.cubin");
    ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
    let sass = ok(tools.sass(&cubin));
    // The kernel, its loads before its first store, its stores, and its additions of pairs.
    let cases = [
        // A loop for rows of a warp, and one for those of a CTA. Of the weights, one vector is loaded before the first store.
        ("add_rms_norm_f16_128_4", 9, 16, 32),
        ("add_rms_norm_bf16_256_2", 5, 8, 16),
        ("add_rms_norm_bf16_512_2", 5, 8, 16),
        ("add_rms_norm_bf16_512_4", 9, 16, 32),
        // Two for the angles of the token; the sine of the first half of a head is negated.
        ("rotary_embedding", 10, 4, 4),
        ("embedding_gather", 4, 4, 0),
        ("layer_norm_backward", 4, 2, 0),
    ];
    for (name, in_flight, stores, additions) in cases {
        let (_, code) = sass.split_once(&format!("\t.section\t.text.{name},")).expect("its code");
        let looped = in_loops(code.split("\t.section\t").next().unwrap_or_default());
        let count = |code: &[&str], words: &[&str]| {
            code.iter().filter(|one| words.iter().any(|word| one.contains(word))).count()
        };
        let first = looped.iter().position(|one| one.contains("STG")).expect("a store");
        assert_eq!(count(&looped[..first], &["LDG.E.128"]), in_flight, "{name}: {looped:#?}");
        assert_eq!(count(&looped, &["STG.E.128"]), stores, "{name}");
        assert_eq!(count(&looped, &["STG"]), stores, "{name}: a store is not of a vector");
        // ptxas spreads them over two pipes: `HADD2 d, a, b` and `HFMA2 d, a, 1, 1, b`.
        let zeros = |code: &&str| code.contains("RZ, RZ") || code.contains("HADD2.F32");
        let pairs: Vec<_> = looped.iter().copied().filter(|one| !zeros(one)).collect();
        assert_eq!(count(&pairs, &["HADD2", "HFMA2"]), additions, "{name}: {looped:#?}");
    }
}

/// Returns the mnemonics of a function's instructions, up to the first dot.
fn words_of(function: &str) -> Vec<&str> {
    let words = function.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    words.map(|word| word.split('.').next().unwrap_or(word)).collect()
}

/// Checks the machine code of `tests/device/groups`: arrays in parameters and constants are read where they lie, all tiles of a warp are
/// reduced by shuffles alone, and a loop over vectors has its loads before its stores.
#[test]
fn groups_tables_and_loops_over_vectors() {
    let module = ok(Build::new("tests/device/groups", Arch::Sm90a).run());
    assert!(module.text.contains(".const .align 4 .b8") && module.text.contains("ld.const.b32"));
    let entries = module.text.split(".entry ").skip(1).map(|entry| entry.split_once('(').expect("a name"));
    for (name, entry) in entries {
        assert!(!entry.contains(".local"), "{name}: {entry}");
    }
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("sass.cubin");
    ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
    let sass = ok(tools.sass(&cubin));
    let code = |name: &str| {
        let (_, code) = sass.split_once(&format!("\t.section\t.text.{name},")).expect("its code");
        code.split("\t.section\t").next().unwrap_or_default()
    };
    for (name, bank) in [("indexed_parameter", "c[0x0][R"), ("constants", "c[0x3][R")] {
        assert!(
            code(name).lines().any(|line| line.contains("LDC") && line.contains(bank)),
            "{name}: {}",
            code(name)
        );
    }
    // A field of bits is a shift and a mask, or two shifts, as nvcc writes them.
    assert!(!words_of(code("four_bits")).contains(&"SGXT"), "{}", code("four_bits"));
    // A shuffle, a `MATCH`, a `REDUX`, a vote and a `WARPSYNC`.
    for (name, counts) in [("sums_of_a_tile", [0, 0, 1, 0, 1]), ("sums_of_all_tiles", [4, 0, 0, 0, 0])] {
        let words = words_of(code(name));
        let count = |mnemonic: &str| words.iter().filter(|word| **word == mnemonic).count();
        assert_eq!(["SHFL", "MATCH", "REDUX", "VOTEU", "WARPSYNC"].map(count), counts, "{name}: {words:?}");
    }
    for (name, loads) in [("scale", 4), ("update", 8), ("sums", 8)] {
        let looped = in_loops(code(name));
        let place =
            |what: &str| looped.iter().position(|instruction| instruction.contains(what)).expect("a vector");
        let from = place("LDG.E.128");
        let in_flight = looped[from..place("STG.E.128")].iter().filter(|one| one.contains("LDG.E.128"));
        assert_eq!(in_flight.count(), loads, "{name}: {looped:#?}");
    }
}

/// Consumers that read the stages of a cluster asynchronously alone.
const ASYNC_CONSUMERS: &str = r#"
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
use core::arch::asm;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::launch::Block;
use ptx::trap;
use ptx::pipeline::PipelineMemory;
ptx::panic_handler!();
ptx::shared_memory! { struct Smem { stages: PipelineMemory<[u32; 512], 3> } }
/// # Safety
///
/// `input` is the 16-byte aligned address of `n` words of global memory that no thread writes.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn async_consumers(input: *const u32, n: usize) {
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<128>>() };
    let (tiles, _) = unsafe { Global::from_raw(input, n) }.tiles::<512>();
    cta.finish_cluster(smem.stages, |mut cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let run = pipeline.multicast(pair).run(
            &mut cluster,
            |thread, mut producer| {
                let mut i = 0;
                while let Some(tile) = tiles.get(i) {
                    producer = producer.load(thread, tile);
                    i += 1;
                }
                producer
            },
            |warps, mut consumer| {
                for _ in 0..tiles.count() {
                    let stage = consumer.wait_async(warps);
                    unsafe { asm!("// reads {0}", in(reg32) stage.addr(), options(nostack)) };
                    consumer = stage.release(warps);
                }
                consumer
            },
        );
        (cluster, run.end())
    });
}
"#;

/// The loops of a pipeline of a cluster order shared memory alone. If only asynchronous operations read the stages, they have no
/// fence at all.
#[test]
fn the_stages_of_a_cluster_need_no_fence_of_the_gpu() {
    let tools = ok(Tools::find_or_fetch());
    let asynchronous = ok(device::write_kernels("async_consumers", ASYNC_CONSUMERS));
    let cases: [(_, &[&str], &[&str]); 2] = [
        (
            "kernels".into(),
            &["pipeline_multicast", "pipeline_products", "tensor_multicast"],
            &["FENCE.VIEW.ASYNC.S", "MEMBAR.ALL.CTA"],
        ),
        (asynchronous, &["async_consumers"], &[]),
    ];
    for (folder, kernels, fences) in cases {
        let module = ok(Build::new(folder, Arch::Sm90a).run());
        let cubin = module.path.with_extension("sass.cubin");
        ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
        let sass = ok(tools.sass(&cubin));
        for name in kernels {
            let (_, code) = sass.split_once(&format!("\t.section\t.text.{name},")).expect("its code");
            let looped = in_loops(code.split("\t.section\t").next().unwrap_or_default());
            assert!(
                looped
                    .iter()
                    .any(|instruction| instruction.contains("UBLKCP") || instruction.contains("UTMALDG"))
            );
            let found: BTreeSet<_> = looped
                .iter()
                .flat_map(|instruction| instruction.split_whitespace())
                .filter(|word| {
                    ["MEMBAR", "CCTL", "FENCE", "ERRBAR"].iter().any(|fence| word.starts_with(fence))
                })
                .collect();
            assert_eq!(found, fences.iter().copied().collect(), "{name}");
        }
    }
}

/// Operations that the GPU cannot do atomically on peer shared memory (DSMEM). For these, ptxas emits a plain load, operation and
/// store after an `ATOM` that fails, code that is meant for local memory.
const NOT_ON_PEERS: [&str; 9] =
    ["AND.64", "OR.64", "XOR.64", "MIN.64", "MIN.S64", "MAX.64", "MAX.S64", "ADD.F16x2.RN", "ADD.BF16x2.RN"];

/// Operations that the GPU does on peer memory, although ptxas emits such code for them too.
const DONE_ON_PEERS: [&str; 3] = ["ADD.64", "EXCH.64", "CAS.64"];

/// Returns the generic `ATOM`s of a kernel (the operation alone), whether the kernel tests for a peer address (`QSPC.E.D`), and
/// the number of its plain stores that may go to a peer.
fn generic_atomics(function: &str) -> (Vec<&str>, bool, usize) {
    let instructions = function.lines().filter_map(|line| line.trim().strip_prefix("/*")?.split_once("*/"));
    let mut found = (Vec::new(), false, 0);
    for (_, instruction) in instructions {
        for word in instruction.split_whitespace() {
            if let Some(operation) = word.strip_prefix("ATOM.E.") {
                let (operation, _order) =
                    operation.split_once(".STRONG").expect("an atomic operation is strong");
                found.0.push(operation);
            }
            found.1 |= word == "QSPC.E.D";
            found.2 += usize::from(word == "ST.E" || word.starts_with("ST.E.") && !word.contains("STRONG"));
        }
    }
    found
}

#[test]
fn atomics_on_a_peer_are_atomic() {
    let tools = ok(Tools::find_or_fetch());
    for arch in [Arch::Sm90a, Arch::Sm100a] {
        let module = ok(Build::new("tests/device/peers", arch).run());
        let cubin = module.path.with_extension("cubin");
        ok(tools.assemble(&module.path, arch, &cubin));
        let sass = ok(tools.sass(&cubin));
        let (mut typed, mut raw) = (0, 0);
        for function in sass.split("\t.section\t.text.").skip(1) {
            let (name, _) = function.split_once(',').expect("a section's name");
            let (operations, asks_for_peers, stores) = generic_atomics(function);
            assert!(!operations.is_empty(), "{name} for {arch} has no generic atomic operation");
            let wrong = operations.iter().any(|operation| NOT_ON_PEERS.contains(operation));
            if name.starts_with("raw_") {
                // If this fails, ptxas has been corrected: then remove the warnings in `raw` and `atomic`.
                assert!(wrong && !asks_for_peers && stores > 0, "{name} for {arch}: {operations:?}");
                raw += 1;
                continue;
            }
            typed += 1;
            assert!(!wrong, "{name} for {arch} is not atomic on a peer: {operations:?}");
            let done = operations.iter().any(|operation| DONE_ON_PEERS.contains(operation));
            assert!(
                stores == 0 || done || asks_for_peers,
                "{name} for {arch} has a plain store that may go to a peer's address: {operations:?}"
            );
        }
        assert_eq!((typed, raw), (50, 18), "kernels for {arch}");
    }
}

/// Returns a kernel's instructions in the output of `nvdisasm -c`, with their predicates.
fn instructions(function: &str) -> Vec<&str> {
    let lines = function.lines().filter_map(|line| line.trim().strip_prefix("/*")?.split_once("*/"));
    lines.map(|(_, instruction)| instruction.trim().trim_end_matches([';', ' '])).collect()
}

/// Returns the instructions of kernel `name` in the code of a module.
fn code_of<'a>(sass: &'a str, name: &str) -> Vec<&'a str> {
    let (_, code) = sass.split_once(&format!("\t.section\t.text.{name},")).expect("its code");
    instructions(code.split("\t.section\t").next().unwrap_or_default())
}

/// Returns the numbers of the registers that an instruction names.
fn registers(instruction: &str) -> impl Iterator<Item = u32> {
    let words = instruction.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.strip_prefix('R')?.parse().ok())
}

/// Checks the products into tensor memory: one thread starts the four of a step one after another, with descriptors in uniform registers, and
/// a thread of the warpgroup holds a part of the columns in registers.
#[test]
fn products_into_tensor_memory_follow_one_another() {
    let module = ok(Build::new("kernels", Arch::Sm100a).run());
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("gemm_tcgen05.cubin");
    let report = ok(tools.assemble(&module.path, Arch::Sm100a, &cubin));
    let sass = ok(tools.sass(&cubin));
    let kernels: Vec<_> =
        report.kernels.iter().filter(|kernel| kernel.name.starts_with("gemm_tcgen05_")).collect();
    assert_eq!(kernels.len(), 4);
    for kernel in kernels {
        let name = &kernel.name;
        assert_eq!(kernel.faults(), [""; 0], "{name}");
        let code = code_of(&sass, name);
        let count = |word: &str| code.iter().filter(|instruction| instruction.contains(word)).count();
        assert_eq!(count("LDL") + count("STL"), 0, "{name}");
        // A load for each 64 columns. A commit of the stage at two places, of the accumulator, and of the run.
        assert_eq!(count("LDTM.x64"), if name.contains("_N256_") { 4 } else { 2 }, "{name}");
        assert_eq!(count("UTCBAR"), 4, "{name}");
        let products: Vec<_> = (0..code.len())
            .filter(|&at| ["UTCHMMA", "UTCQMMA"].iter().any(|name| code[at].starts_with(name)))
            .collect();
        assert_eq!(products.len(), 8, "{name}");
        for step in products.chunks(4) {
            for &instruction in &code[step[0]..=step[3]] {
                let waits = ["BRA", "SYNCS", "BAR", "VOTE"].iter().any(|word| instruction.contains(word));
                assert!(!waits, "{name}: `{instruction}` is among the products of a step");
            }
        }
    }
}

/// Checks the matrix products: the four products of a step follow one another without a wait, and nothing reads or writes their sums
/// meanwhile. Descriptors are in uniform registers, and the warpgroups divide the registers.
#[test]
fn products_of_a_step_are_in_flight_together() {
    let module = ok(Build::new("kernels", Arch::Sm90a).run());
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("gemm.cubin");
    let report = ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
    let sass = ok(tools.sass(&cubin));
    let kernels: Vec<_> = report
        .kernels
        .iter()
        .filter(|kernel| kernel.name.starts_with("gemm_") && kernel.name != "gemm_tn")
        .collect();
    assert_eq!(kernels.len(), 18);
    for kernel in kernels {
        let name = &kernel.name;
        assert_eq!(kernel.faults(), [""; 0], "{name}");
        let fields = name.split('_').skip_while(|field| !field.starts_with('N'));
        let mut numbers = fields.map(|field| field.trim_start_matches('N').parse::<u32>().expect("a number"));
        let [columns, warpgroups] = [(); 2].map(|()| numbers.next().expect("a field of the name"));
        let code = code_of(&sass, name);
        let count = |word: &str| code.iter().filter(|instruction| instruction.contains(word)).count();
        // Two warpgroups have all registers that a thread can have, but in `gemm_split` with few columns, which needs fewer.
        let divides = warpgroups == 2 && (!name.starts_with("gemm_split_") || columns >= 128);
        assert_eq!(count("USETMAXREG"), if divides { 2 } else { 0 }, "{name}");
        assert_eq!(count("LDL") + count("STL"), 0, "{name}");

        let products: Vec<_> = (0..code.len())
            .filter(|&at| ["HGMMA", "QGMMA"].iter().any(|name| code[at].starts_with(name)))
            .collect();
        assert!(products.len() >= 8 && products.len().is_multiple_of(4), "{name}: {}", products.len());
        for step in products.chunks(4) {
            let first = registers(code[step[0]]).next().expect("the first of the sums");
            let sums = first..first + columns / 2;
            for (at, &instruction) in code.iter().enumerate().take(step[3] + 1).skip(step[0]) {
                if step.contains(&at) {
                    assert_eq!(registers(instruction).next(), Some(first), "{name}: {instruction}");
                    continue;
                }
                let waits = instruction.contains("WARPGROUP") || instruction.contains("BAR");
                let touches = registers(instruction).any(|register| sums.contains(&register));
                assert!(!waits && !touches, "{name}: `{instruction}` is among the products of a step");
            }
            // The address of a descriptor comes from a loop in vector registers: at most one for A and one for B.
            let start =
                code[..step[0]].iter().rposition(|one| one.starts_with("WARPGROUP.ARRIVE")).expect("a fence");
            let moves = code[start..step[3]].iter().filter(|one| one.contains("R2UR")).count();
            assert!(moves <= 2, "{name}: {moves} moves into uniform registers in a step");
        }
    }
}

/// Checks attention: the products with keys follow one another, and so do those with values. The exponentials run before the wait for the
/// products with values. ptxas could move them behind it.
#[test]
fn exponentials_run_during_products() {
    /// Instances of each type of element, each full and causal, with the elements of a head and the keys of a block.
    const INSTANCES: [(&str, usize, usize); 4] = [
        ("attention_bf16_N128_N128_2_4_", 128, 128),
        ("attention_f16_N128_N128_2_4_", 128, 128),
        ("attention_bf16_N64_N128_3_6_", 64, 128),
        ("attention_bf16_N256_N64_2_4_", 256, 64),
    ];
    let module = ok(Build::new("kernels", Arch::Sm90a).run());
    let tools = ok(Tools::find_or_fetch());
    let cubin = module.path.with_extension("attention.cubin");
    let report = ok(tools.assemble(&module.path, Arch::Sm90a, &cubin));
    let sass = ok(tools.sass(&cubin));
    let mut checked = 0;
    for kernel in &report.kernels {
        let name = &kernel.name;
        let Some(&(_, size, keys)) = INSTANCES.iter().find(|(start, ..)| name.starts_with(start)) else {
            continue;
        };
        checked += 1;
        assert_eq!(kernel.faults(), [""; 0], "{name}");
        let code = code_of(&sass, name);
        let count = |word: &str| code.iter().filter(|instruction| instruction.contains(word)).count();
        assert_eq!([count("USETMAXREG"), count("LDL") + count("STL")], [2, 0], "{name}");

        let products: Vec<_> = (0..code.len()).filter(|&at| code[at].starts_with("HGMMA")).collect();
        // Of the first keys, of two steps, and of the last values: each multiplies 16 elements along K.
        let (of_keys, of_values) = (size / 16, keys / 16);
        assert_eq!(products.len(), 3 * (of_keys + of_values), "{name}");
        let mut rest = &products[..];
        for count in [of_keys, of_keys, of_values, of_keys, of_values, of_values] {
            let (group, others) = rest.split_at(count);
            rest = others;
            let between = &code[group[0]..=group[count - 1]];
            for instruction in between {
                let is_apart = ["WARPGROUP", "BAR.SYNC"].iter().any(|one| instruction.contains(one));
                assert!(!is_apart, "{name}: `{instruction}` is among the products of a group");
            }
        }
        let waits: Vec<_> = (0..code.len()).filter(|&at| code[at].starts_with("WARPGROUP.DEPBAR")).collect();
        let steps: Vec<_> = waits.windows(2).filter(|pair| code[pair[0]].contains("gsb0, 0x1")).collect();
        assert_eq!(steps.len(), 2, "{name}");
        for step in steps {
            let exponentials = code[step[0]..step[1]].iter().filter(|one| one.contains("MUFU.EX2")).count();
            // A thread has as many scores.
            assert!(
                exponentials >= keys / 2,
                "{name}: {exponentials} exponentials run during the products with values"
            );
        }
    }
    assert_eq!(checked, 2 * INSTANCES.len());
}
