//! Tests of the cases: each form has a case, and ptxas accepts the kernel of each case.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use ptx_conformance::case::{Case, module};
use ptx_conformance::form::{self, Form};
use ptx_conformance::{emu, families, suite};
use xtask::cuda::Tools;

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    form::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/raw")).unwrap()
});

/// The cases of each form.
static CASES: LazyLock<Vec<(&Form, Vec<Case<'_>>)>> =
    LazyLock::new(|| FORMS.iter().map(|form| (form, families::cases(form))).collect());

#[test]
fn every_form_has_a_case() {
    let is_missing =
        |form: &Form, cases: &[Case<'_>]| cases.is_empty() == families::reason_without_case(form).is_none();
    let without: Vec<_> =
        CASES.iter().filter(|(form, cases)| is_missing(form, cases)).map(|(form, _)| form).collect();
    let shown: Vec<_> = without.iter().take(50).map(|form| format!("{}: {form}", form.family)).collect();
    assert!(
        without.is_empty(),
        "{} forms have no case, or one in spite of a reason to have none: add one in conformance/src/families, where `mod.rs` has an arm for each family:\n{}",
        without.len(),
        shown.join("\n")
    );
}

/// Checks the text of every case. `./x conformance --bundle` assembles all cases that a GPU runs, so this test assembles only
/// the first of them in each row, and all cases that no GPU runs.
#[test]
fn ptxas_takes_every_case() {
    let tools = Tools::find_or_fetch().unwrap();
    let mut by_target: BTreeMap<&str, Vec<&Case<'_>>> = BTreeMap::new();
    for (form, cases) in CASES.iter() {
        by_target.entry(&form.target).or_default().extend(cases);
    }
    let mut refused = Vec::new();
    let mut rows = BTreeSet::new();
    for (target, cases) in by_target {
        for chunk in cases.chunks(100) {
            let name = |i: usize| format!("k{i}");
            let text = module(target, chunk.iter().enumerate().map(|(i, case)| case.entry(&name(i))));
            let mut made = vec![name(0)];
            for (i, case) in chunk.iter().enumerate().skip(1) {
                if !suite::runs_on_gpu(case) || rows.insert(&case.form.row) {
                    made.push(name(i));
                }
            }
            for error in tools.check_text_making(Some(&made), &text, target).unwrap() {
                let line = text.lines().nth(error.line - 1).unwrap_or_default();
                refused.push(format!("{target}: {line}\n    {}", error.message));
            }
        }
    }
    refused.sort();
    refused.dedup();
    refused.truncate(30);
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Runs a tensor copy into shared memory in the interpreter. Returns the tensor and the tile.
fn tensor_copy(rank: usize, run: &str) -> (Vec<u8>, Vec<u8>) {
    let text = format!("cp.async.bulk.tensor.{rank}d.shared::cta.global.tile.mbarrier::complete_tx::bytes ");
    let form = FORMS.iter().find(|form| form.text.starts_with(&text)).unwrap();
    let case = families::cases(form).remove(0);
    let run = case.runs.iter().find(|other| other.name == format!("{run}, own block")).unwrap();
    let after = emu::run(&case, run, 0).unwrap();
    let region = |name: &str| {
        let region = case.regions.iter().find(|region| region.name == name).unwrap();
        after[region.range()].to_vec()
    };
    (region("tensor"), region("tile"))
}

#[test]
fn a_copy_of_tf32_rounds() {
    for run in ["element type 11", "element type 12"] {
        let (tensor, tile) = tensor_copy(1, run);
        for (i, (from, to)) in tensor.as_chunks().0.iter().zip(tile.as_chunks().0).take(8).enumerate() {
            let (from, to) = (u32::from_le_bytes(*from), u32::from_le_bytes(*to));
            assert_eq!(to % (1 << 13), 0, "{run}, element {i}: {to:#x}");
            let is_nan = f32::from_bits(from).is_nan() && f32::from_bits(to).is_nan();
            assert!(is_nan || to.abs_diff(from) <= 1 << 12, "{run}, element {i}: {from:#x} became {to:#x}");
        }
        // The copy does not keep all bits.
        assert_ne!(tensor[..32], tile[..32], "{run}");
    }
}

#[test]
fn outside_of_a_tensor_each_16_bits_are_a_nan() {
    for element in 6..=12 {
        let (_, tile) = tensor_copy(1, &format!("NaN outside, element type {element}"));
        assert_eq!(tile[..16], [0xf7, 0x7f].repeat(8), "element type {element}");
    }
}

#[test]
fn a_box_of_an_interleaved_layout_has_whole_slices() {
    // The dimensions W, slices and images are 11, 3 and 2 in the map, and 8, 1 and 2 in the box.
    for slice in [16, 32] {
        let (tensor, tile) = tensor_copy(3, &format!("slices of {slice} bytes"));
        for (i, number) in (12..20).chain(45..53).enumerate() {
            for half in 0..slice / 16 {
                let from = number * slice + 16 * half;
                let to = i * slice + 16 * half;
                // The swizzle of 32 bytes exchanges the halves in every other 128 bytes.
                let to = if slice == 32 && to & 128 != 0 { to ^ 16 } else { to };
                assert_eq!(tensor[from..from + 16], tile[to..to + 16], "slices of {slice} bytes, {i}");
            }
        }
    }
}
