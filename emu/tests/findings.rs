//! Each mistake that the interpreter detects has a kernel in `findings/`: as it stands with the lines marked `//broken`, it has the
//! finding of its first line under every schedule (`sometimes`: under one of twenty); with the lines marked `//fixed` in their place it is clean.

use std::path::Path;

use ptx_emu::device::{Device, lay_out};
use ptx_emu::machine::{Launch, Options, Report};
use ptx_emu::schedule::Schedule;

const BYTES: usize = 4096;
const REGISTERS: &str = "{
    .reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
    ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0;";

/// The PTX of a case: without the lines that end in `without`.
fn ptx(text: &str, without: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.ends_with(without)).collect();
    let body =
        lines.join("\n").replace("k(out) {", &format!(".visible .entry k(.param .u64 out) {REGISTERS}"));
    format!(".version 8.6\n.target sm_90a\n.address_size 64\n{body}\n")
}

/// The number behind a word of the case's first line.
fn number(line: &str, word: &str) -> Option<u32> {
    let rest = line.split(word).nth(1)?.trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn run(name: &str, ptx: &str, header: &str, schedule: u64) -> Report {
    let mut device = Device::new();
    let module = device.load(ptx).unwrap_or_else(|error| panic!("{name}: {error}\n{ptx}"));
    let memory = device.allocate(BYTES);
    device.write(memory, &[0; BYTES]).expect("the memory is allocated");
    let params = lay_out(module.parameters("k").expect("the kernel is `k`"), &[&memory.to_le_bytes()]);
    let launch = Launch {
        grid: [number(header, "grid").expect("a grid"), 1, 1],
        block: [number(header, "block").expect("a block"), 1, 1],
        cluster: [number(header, "cluster").unwrap_or(1), 1, 1],
        dynamic_shared: 0,
        params,
    };
    let options = Options { schedule: Schedule::of(schedule), limit: 1_000_000, ..Options::default() };
    device.launch(&module, "k", &launch, &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn each_mistake_is_found_and_its_cure_is_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let mut cases: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() > 30);
    let mut failures = String::new();
    for path in cases {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let header = text.lines().next().unwrap();
        let wanted = header.split_once(": ").unwrap().1;
        let (wanted, sometimes) = match wanted.strip_prefix("sometimes ") {
            Some(wanted) => (wanted, true),
            None => (wanted, false),
        };
        let mut misses = 0;
        for schedule in 0..20 {
            let report = run(name, &ptx(&text, "//fixed"), header, schedule);
            let mut shown: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
            shown.extend(report.fault.iter().map(|fault| format!("fault: {fault}")));
            let found = match wanted.strip_prefix("fault: ") {
                Some(fault) => {
                    shown.iter().any(|shown| shown.starts_with("fault: ") && shown.contains(fault))
                }
                // `a or b`: which of the two depends on the schedule.
                None => {
                    wanted.split(" or ").any(|wanted| shown.iter().any(|shown| shown.starts_with(wanted)))
                }
            };
            misses += u32::from(!found);
            if !found && (!sometimes || misses == 20) {
                failures += &format!("{name}, schedule {schedule}: not found\n{}\n", shown.join("\n"));
                break;
            }
        }
        for schedule in 0..100 {
            let report = run(name, &ptx(&text, "//broken"), header, schedule);
            if !report.is_clean() {
                let shown: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
                let fault = report.fault.map(|fault| fault.to_string()).unwrap_or_default();
                failures += &format!("{name} fixed, schedule {schedule}:\n{}{fault}\n", shown.join("\n"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
