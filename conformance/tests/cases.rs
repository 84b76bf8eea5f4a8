//! The cases themselves: one for each form, and a kernel that ptxas takes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ptx_conformance::case::{Case, module};
use ptx_conformance::families;
use ptx_conformance::form::{self, Form};
use xtask::cuda::Tools;

fn forms() -> Vec<Form> {
    form::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/raw")).unwrap()
}

#[test]
fn every_form_has_a_case() {
    let forms = forms();
    let without: Vec<_> = forms.iter().filter(|form| families::cases(form).is_empty()).collect();
    let shown: Vec<_> = without.iter().take(50).map(|form| format!("{}: {form}", form.family)).collect();
    assert!(without.is_empty(), "{} forms have no case:\n{}", without.len(), shown.join("\n"));
}

#[test]
fn ptxas_takes_every_case() {
    let forms = forms();
    let tools = Tools::find_or_fetch().unwrap();
    let mut by_target: BTreeMap<&str, Vec<Case<'_>>> = BTreeMap::new();
    for form in &forms {
        by_target.entry(&form.target).or_default().extend(families::cases(form));
    }
    let mut refused = Vec::new();
    for (target, cases) in by_target {
        for chunk in cases.chunks(100) {
            let text = module(target, chunk.iter().enumerate().map(|(i, case)| case.entry(&format!("k{i}"))));
            for error in tools.check_text(&text, target).unwrap() {
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
