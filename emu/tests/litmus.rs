//! The litmus tests of `litmus/`, under every schedule.

use std::collections::BTreeSet;

use ptx_emu::{Device, Launch, Options, Report, Rule};
use ptx_litmus::{Expected, Outcome, STRIDE, Test};

/// Runs a test under every schedule. Returns its outcomes, and the last report: the one with a finding, if there is one.
fn explore(test: &Test) -> (BTreeSet<Outcome>, Report) {
    let mut device = Device::new();
    let ptx = test.module();
    let module = device.load(&ptx).unwrap_or_else(|error| panic!("{}: {error}\n{ptx}", test.name));
    let memory = device.allocate(STRIDE);
    device.write(memory, &[0; STRIDE]).expect("the memory is allocated");
    let (grid, cluster, block) = test.shape(1);
    let params = memory.to_le_bytes().to_vec();
    let launch = Launch { cluster: [cluster, 1, 1], params, ..Launch::new(grid, block) };
    let options = Options { limit: 100_000, ..Options::default() };
    let mut outcomes = BTreeSet::new();
    let explored = device.explore(&module, Test::KERNEL, &launch, &options, 200_000, |device| {
        let mut bytes = [0; STRIDE];
        device.read(memory, &mut bytes).expect("the memory is allocated");
        outcomes.insert(test.outcome(&bytes));
        true
    });
    let explored = explored.unwrap();
    assert!(
        explored.is_complete || !explored.report.is_clean(),
        "{}: more than {} runs",
        test.name,
        explored.runs
    );
    (outcomes, explored.report)
}

/// Returns what is wrong with the outcomes of a test.
fn problem(test: &Test) -> Option<String> {
    let (outcomes, report) = explore(test);
    match &test.expected {
        Expected::Broken(rules) => {
            let found: Vec<Rule> = report.findings.iter().map(|finding| finding.rule).collect();
            let wanted = rules.split(" or ").any(|rule| found.iter().any(|found| found.name() == rule));
            (!wanted).then(|| format!("no {rules}; outcomes {outcomes:?}, {report}"))
        }
        Expected::Outcomes { .. } if !report.is_clean() => Some(report.to_string()),
        Expected::Outcomes { allowed, .. } => {
            let more: Vec<_> = outcomes.difference(allowed).collect();
            let fewer: Vec<_> = allowed.difference(&outcomes).collect();
            (!more.is_empty() || !fewer.is_empty()).then(|| format!("{more:?} appear, {fewer:?} do not"))
        }
    }
}

#[test]
fn every_schedule_gives_what_the_model_allows() {
    let tests = ptx_litmus::all().unwrap_or_else(|error| panic!("{error}"));
    let problems: Vec<_> =
        tests.iter().filter_map(|test| Some(format!("{}: {}", test.name, problem(test)?))).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
