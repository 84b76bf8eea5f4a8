//! The feature `checked` on the device: kernels that check their collective calls. `tests/coverage` tests that each collective
//! call does so, and that the places are those of the caller.

mod support;

use support::{assert_ptxas_accepts, body, ok};
use xtask::cuda::Tools;
use xtask::device::{Arch, Build};
use xtask::forms::map_words;
use xtask::golden::Golden;
use xtask::ptx::places;
use xtask::toolchain::{Kind, Toolchain};

const CRATE: &str = "tests/device/checked";

fn module() -> String {
    ok(Build::new(CRATE, Arch::Sm90a).run()).text
}

#[test]
fn kernels_that_check_are_golden() {
    if ok(Toolchain::active()).kind() != Kind::Rustup {
        return;
    }
    let ptx = module();
    // Turns each function into an entry, whose name has no crate hash, so that `support::body` can read the function.
    let ptx = map_words(&ptx.replace(".func ", ".entry "), |word| {
        let name =
            word.split_once("7checked7records").map(|(_, name)| name.trim_start_matches(char::is_numeric));
        name.unwrap_or(word).to_owned()
    });
    // The name of a constant depends on the crate's folder.
    let constant = |word: &str| if word.starts_with("anon_") { "place".into() } else { word.to_owned() };
    let mut golden = Golden::new("checked");
    for name in ["in_a_branch", "in_cta", "in_warp"] {
        ok(golden.check(&format!("{name}.ptx"), &map_words(&body(&ptx, name), constant)));
    }
    ok(golden.finish());
}

/// Checks that a kernel passes the places of its calls, in the order of the source.
#[test]
fn the_places_are_those_of_the_calls() {
    let source = std::fs::read_to_string(xtask::root().join(CRATE).join("src/lib.rs")).unwrap();
    let calls = source.lines().zip(1u32..).filter_map(|(line, number)| {
        let at = [".sync()", ".ballot("].iter().find_map(|call| line.find(call))?;
        Some((number, at as u32 + 2))
    });
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls.len(), 8);
    let mut places = places(&module());
    places.retain(|place| place.file.ends_with("checked/src/lib.rs"));
    let mut places: Vec<_> = places.iter().map(|place| (place.line, place.column)).collect();
    places.sort_unstable();
    assert_eq!(places, calls);
}

#[test]
fn ptxas_accepts_the_kernels() {
    // Not optimized, for the same target as in `tests/coverage`, so that both share this build of `ptx`.
    assert_ptxas_accepts(CRATE, Arch::Sm100a, "in_a_branch");
}

/// Checks kernels with calls of warps, lanes, parts of a CTA and clusters.
#[test]
fn the_kernels_can_check() {
    let features = vec!["ptx/checked".into()];
    let module = ok(Build { features, ..Build::new("kernels", Arch::Sm90a) }.run()).text;
    assert!(module.contains("ptx_checked[4096]"));
    let errors = ok(ok(Tools::find_or_fetch()).check_text(&module, Arch::Sm90a));
    assert!(errors.is_empty(), "{errors:?}");
}

/// Checks that a kernel without the feature contains no part of it.
#[test]
fn the_feature_is_off_by_default() {
    let ptx = ok(Build::new("tests/device/print", Arch::Sm90a).run()).text;
    assert!(!ptx.contains("checked"), "{ptx}");
    assert!(module().contains("ptx_checked[4096]"));
}
