//! Compares the kernels of `kernels/` with their CUDA C++ twins (`bench/cuda`) by the machine code (SASS) that ptxas generates.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use comfy_table::{CellAlignment, Table, presets};
use ptx_build::ptxas::mnemonics;
use serde::Deserialize;
use tempfile::TempDir;

use crate::cuda::Tools;
use crate::device::Arch;
use crate::nvcc::Compiler;
use crate::root;

/// The target that both sides are compiled for.
pub const ARCH: Arch = Arch::Sm90a;

/// Returns the folder of the twins. A twin has the name of its kernel.
pub fn folder() -> PathBuf {
    root().join("bench/cuda")
}

/// Compiles the sources in [`folder`] with nvcc, and returns the PTX.
pub fn twins() -> Result<String> {
    Compiler::find_or_fetch()?.compile(&folder(), ARCH)
}

/// Figures of a kernel's machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Instructions except `NOP`.
    pub instructions: u32,
    /// Instructions that wait for other warps: `BAR.*`, and `UCGABAR_WAIT` for a cluster.
    pub barriers: u32,
    /// Instructions that wait for other lanes: `WARPSYNC*`.
    pub warp_syncs: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of stack and spills.
    pub local: u32,
}

/// Returns the figures of each kernel in a module.
pub fn figures(tools: &Tools, module: &str) -> Result<BTreeMap<String, Figures>> {
    let scratch = TempDir::new()?;
    let (ptx, cubin) = (scratch.path().join("module.ptx"), scratch.path().join("module.cubin"));
    std::fs::write(&ptx, module)?;
    let report = tools.assemble(&ptx, ARCH, &cubin)?;
    let mut counted = count(&tools.sass(&cubin)?);
    let kernels = report.kernels.into_iter().map(|kernel| {
        let figures = counted.remove(&kernel.name);
        let figures = figures.with_context(|| format!("the cubin has no machine code of {}", kernel.name))?;
        let local = kernel.stack + kernel.spill_stores + kernel.spill_loads;
        Ok((kernel.name, Figures { registers: kernel.registers, local, ..figures }))
    });
    kernels.collect()
}

/// Counts the instructions of each function in the output of `nvdisasm -c --no-dataflow`.
fn count(sass: &str) -> BTreeMap<String, Figures> {
    let figures = |mnemonics: Vec<&str>| {
        let of = |is: fn(&str) -> bool| mnemonics.iter().filter(|mnemonic| is(mnemonic)).count() as u32;
        Figures {
            instructions: of(|_| true),
            barriers: of(|mnemonic| mnemonic.starts_with("BAR.") || mnemonic == "UCGABAR_WAIT"),
            warp_syncs: of(|mnemonic| mnemonic.starts_with("WARPSYNC")),
            ..Figures::default()
        }
    };
    mnemonics(sass).into_iter().map(|(name, own)| (name.to_owned(), figures(own))).collect()
}

/// A kernel and its twin. One of them may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name of both.
    pub kernel: String,
    /// The kernel of `kernels/`.
    pub rust: Option<Figures>,
    /// The twin in `bench/cuda`.
    pub twin: Option<Figures>,
}

/// Pairs the kernels of both sides by name.
pub fn pairs(rust: &BTreeMap<String, Figures>, twins: &BTreeMap<String, Figures>) -> Vec<Pair> {
    let mut names: Vec<_> = rust.keys().chain(twins.keys()).collect();
    names.sort();
    names.dedup();
    let pair = |name: &String| Pair {
        kernel: name.clone(),
        rust: rust.get(name).copied(),
        twin: twins.get(name).copied(),
    };
    names.into_iter().map(pair).collect()
}

/// An entry of `bench/excess.toml`: what a kernel may use beyond the bar that its twin sets, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowance {
    /// Maximum instructions.
    pub instructions: Option<u32>,
    /// Maximum barriers.
    pub barriers: Option<u32>,
    /// Maximum registers.
    pub registers: Option<u32>,
    /// What the kernel is timed beside in place of a twin: a library.
    pub instead: Option<String>,
    /// The reason why the kernel needs more than the bar, or has no twin.
    pub reason: String,
}

/// Allowances by kernel.
pub type Excess = BTreeMap<String, Allowance>;

/// Returns the path of `bench/excess.toml`.
pub fn excess_path() -> PathBuf {
    root().join("bench/excess.toml")
}

/// Reads `bench/excess.toml`.
pub fn read_excess() -> Result<Excess> {
    let path = excess_path();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in {}", path.display()))
}

/// A figure of a kernel, and the bar that its twin sets.
struct Measure {
    what: &'static str,
    got: u32,
    bar: u32,
    /// The amount by which an allowance may exceed the figure.
    slack: u32,
}

/// Returns the figures and their bars. Instructions: 1.05 times the twin's, or 8 more. Barriers: the twin's. Registers: the
/// twin's, or 32, with which a multiprocessor still holds its maximum of threads.
fn measures(rust: Figures, twin: Figures) -> [Measure; 3] {
    const MORE: u32 = 8;
    const FREE_REGISTERS: u32 = 32;
    let bar = (twin.instructions * 21 / 20).max(twin.instructions + MORE);
    [
        Measure { what: "instructions", got: rust.instructions, bar, slack: MORE },
        Measure { what: "barriers", got: rust.barriers, bar: twin.barriers, slack: 0 },
        Measure {
            what: "registers",
            got: rust.registers,
            bar: twin.registers.max(FREE_REGISTERS),
            slack: MORE,
        },
    ]
}

impl Allowance {
    fn of(&self, what: &str) -> Option<u32> {
        match what {
            "instructions" => self.instructions,
            "barriers" => self.barriers,
            _ => self.registers,
        }
    }

    fn set(&mut self, what: &str, most: Option<u32>) {
        *match what {
            "instructions" => &mut self.instructions,
            "barriers" => &mut self.barriers,
            _ => &mut self.registers,
        } = most;
    }

    fn is_empty(&self) -> bool {
        (self.instructions, self.barriers, self.registers) == (None, None, None)
    }
}

/// Returns the faults: a kernel above both the bar and its allowance, and an allowance that is too high or not needed.
pub fn judge(pairs: &[Pair], excess: &Excess) -> Vec<String> {
    let mut faults = Vec::new();
    for Pair { kernel, rust, twin } in pairs {
        let (Some(rust), twin) = (*rust, *twin) else { continue };
        if rust.local > 0 {
            faults.push(format!("{kernel} has {} bytes of stack or spills", rust.local));
        }
        let none = Allowance::default();
        let allowance = excess.get(kernel).unwrap_or(&none);
        let Some(twin) = twin else {
            if allowance.instead.is_none() {
                faults.push(format!(
                    "{kernel} has no twin in bench/cuda: write one with this name, or say in bench/excess.toml what it is timed beside \
                     (`instead`)"
                ));
            }
            continue;
        };
        if allowance.instead.is_some() {
            faults.push(format!("{kernel} has a twin: remove `instead` from its entry of bench/excess.toml"));
        }
        for Measure { what, got, bar, slack } in measures(rust, twin) {
            match allowance.of(what) {
                None if got > bar => faults.push(format!("{kernel} has {got} {what}, the bar is {bar}")),
                Some(most) if got > most.max(bar) => faults.push(format!(
                    "{kernel} has {got} {what}, the bar is {bar} and bench/excess.toml allows {most}"
                )),
                Some(_) if got <= bar => faults.push(format!(
                    "{kernel} has {got} {what}, within the bar of {bar}: remove its allowance"
                )),
                Some(most) if most - got > slack => {
                    faults.push(format!("{kernel} has {got} {what}: lower its allowance of {most}"));
                }
                _ => {}
            }
        }
    }
    for (kernel, allowance) in excess {
        if !pairs.iter().any(|pair| pair.kernel == *kernel && pair.rust.is_some()) {
            faults.push(format!("bench/excess.toml names {kernel}, but kernels/ has no such kernel"));
        }
        if allowance.reason.trim().is_empty() {
            faults.push(format!("bench/excess.toml gives no reason for {kernel}: write one"));
        }
    }
    faults
}

/// Lowers the allowances to what the kernels need. A kernel above the bar gets an allowance only if it had none. The new
/// allowance has an empty reason, which [`judge`] refuses until someone writes one.
#[must_use]
pub fn lowered(pairs: &[Pair], excess: &Excess) -> Excess {
    let mut lowered = Excess::new();
    for Pair { kernel, rust, twin } in pairs {
        let recorded = excess.get(kernel);
        if let (Some(_), None, Some(alone)) = (rust, twin, recorded) {
            lowered.insert(kernel.clone(), alone.clone());
        }
        let (Some(rust), Some(twin)) = (*rust, *twin) else { continue };
        let mut allowance = recorded.cloned().unwrap_or_default();
        for Measure { what, got, bar, .. } in measures(rust, twin) {
            let most = match allowance.of(what) {
                _ if got <= bar => None,
                None if recorded.is_none() => Some(got),
                most => most.map(|most| most.min(got)),
            };
            allowance.set(what, most);
        }
        if !allowance.is_empty() {
            lowered.insert(kernel.clone(), allowance);
        }
    }
    lowered
}

/// Returns the text of `bench/excess.toml`.
pub fn excess_text(excess: &Excess) -> Result<String> {
    let mut text = "\
# Kernels of `kernels/` that exceed the bar set by their twins in `bench/cuda`, and why; bench/README.md has their times. The bar:
# 1.05 times the twin's instructions, or 8 more; the twin's barriers; the twin's registers, or 32. `tests/bench.rs` fails if a kernel
# exceeds the number here, or needs less: `BLESS=1 cargo test --test bench` lowers the numbers. To raise a number or add a kernel,
# write the reason. A kernel without a twin says what it is timed beside (`instead`).
"
    .to_owned();
    for (kernel, allowance) in excess {
        write!(text, "\n[{kernel}]\n")?;
        for what in ["instructions", "barriers", "registers"] {
            if let Some(most) = allowance.of(what) {
                writeln!(text, "{what} = {most}")?;
            }
        }
        let words = [("instead", allowance.instead.as_ref()), ("reason", Some(&allowance.reason))];
        for (what, words) in words.into_iter().filter_map(|(what, words)| Some((what, words?))) {
            ensure!(
                !words.contains(['"', '\\', '\n']),
                "the {what} of {kernel} contains a quote, a backslash or a line break: remove it"
            );
            writeln!(text, "{what} = \"{words}\"")?;
        }
    }
    Ok(text)
}

/// The lines before and after the table in `bench/README.md`.
const MARKS: [&str; 2] = ["<!-- ./x bench writes this table -->\n", "<!-- end of the table -->"];

/// Returns the table of the figures of both sides.
pub fn table(pairs: &[Pair], preset: &str) -> Table {
    let mut table = Table::new();
    table.load_preset(preset);
    table.set_header(["kernel", "SASS Rust / C++", "ratio", "barriers", "warp syncs", "registers"]);
    for Pair { kernel, rust, twin } in pairs {
        let both = |figure: fn(Figures) -> u32| {
            let shown = |side: Option<Figures>| side.map_or("–".into(), |side| figure(side).to_string());
            format!("{} / {}", shown(*rust), shown(*twin))
        };
        let ratio = match (rust, twin) {
            (Some(rust), Some(twin)) => {
                format!("{:.2}", f64::from(rust.instructions) / f64::from(twin.instructions))
            }
            _ => "–".into(),
        };
        table.add_row([
            kernel.clone(),
            both(|side| side.instructions),
            ratio,
            both(|side| side.barriers),
            both(|side| side.warp_syncs),
            both(|side| side.registers),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Returns the path of `bench/README.md`.
pub fn readme_path() -> PathBuf {
    root().join("bench/README.md")
}

/// Reads `bench/README.md`.
pub fn read_readme() -> Result<String> {
    let path = readme_path();
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the text of `bench/README.md` with the table of these pairs.
pub fn with_table(text: &str, pairs: &[Pair]) -> Result<String> {
    let table = format!("{}\n", table(pairs, presets::ASCII_MARKDOWN).trim_fmt());
    replace_between(text, MARKS, &table).with_context(|| {
        format!("{} has no comments around the table: put them back", readme_path().display())
    })
}

fn replace_between(text: &str, [start, end]: [&str; 2], new: &str) -> Option<String> {
    let (before, rest) = text.split_once(start)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{start}{new}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SASS: &str = "\
\t.section\t.text.k,\"ax\",@progbits
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P1 BRA `(.L_x_1) ;
.L_x_1:
        /*0020*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0030*/                   WARPSYNC.ALL ;
        /*0040*/                   UCGABAR_ARV ;
        /*0050*/                   UCGABAR_WAIT ;
        /*0060*/                   ERRBAR;
        /*0070*/                   NOP ;
\t.section\t.text.other,\"ax\",@progbits
        /*0000*/                   EXIT ;
";

    #[test]
    fn instructions_are_counted_by_function() {
        let counted = count(SASS);
        let k = Figures { instructions: 7, barriers: 2, warp_syncs: 1, ..Figures::default() };
        assert_eq!(counted["k"], k);
        assert_eq!(counted["other"].instructions, 1);
    }

    fn pair(rust: (u32, u32, u32), twin: (u32, u32, u32)) -> [Pair; 1] {
        let figures = |(instructions, barriers, registers)| {
            Some(Figures { instructions, barriers, registers, ..Figures::default() })
        };
        [Pair { kernel: "k".into(), rust: figures(rust), twin: figures(twin) }]
    }

    fn allowed(instructions: Option<u32>, barriers: Option<u32>) -> Excess {
        Excess::from([(
            "k".into(),
            Allowance { instructions, barriers, registers: None, instead: None, reason: "because".into() },
        )])
    }

    #[test]
    fn within_the_bar_nothing_is_said() {
        for (rust, twin) in [((108, 2, 32), (100, 2, 10)), ((420, 0, 40), (400, 0, 40))] {
            assert_eq!(judge(&pair(rust, twin), &Excess::new()), [""; 0]);
        }
    }

    #[test]
    fn what_is_over_the_bar_needs_a_record() {
        let over = pair((109, 3, 33), (100, 2, 10));
        let faults = judge(&over, &Excess::new());
        assert_eq!(
            faults,
            [
                "k has 109 instructions, the bar is 108",
                "k has 3 barriers, the bar is 2",
                "k has 33 registers, the bar is 32"
            ]
        );
        let recorded = lowered(&over, &Excess::new());
        assert_eq!(judge(&over, &recorded), ["bench/excess.toml gives no reason for k: write one"]);
    }

    #[test]
    fn a_record_is_neither_exceeded_nor_looser_than_needed() {
        let of = |got, most| judge(&pair((got, 2, 8), (100, 2, 8)), &allowed(Some(most), None));
        assert_eq!(of(200, 200), [""; 0]);
        assert_eq!(of(200, 208), [""; 0]);
        assert_eq!(of(201, 200), ["k has 201 instructions, the bar is 108 and bench/excess.toml allows 200"]);
        assert_eq!(of(200, 209), ["k has 200 instructions: lower its allowance of 209"]);
        assert_eq!(of(108, 200), ["k has 108 instructions, within the bar of 108: remove its allowance"]);
    }

    #[test]
    fn a_record_is_lowered_and_never_raised() {
        let of = |got, excess: &Excess| lowered(&pair((got, 3, 8), (100, 2, 8)), excess);
        assert_eq!(of(150, &allowed(Some(200), Some(4))), allowed(Some(150), Some(3)));
        assert_eq!(of(250, &allowed(Some(200), Some(3))), allowed(Some(200), Some(3)));
        assert_eq!(of(108, &allowed(Some(200), Some(3))), allowed(None, Some(3)));
        assert_eq!(of(150, &allowed(None, Some(3))), allowed(None, Some(3)));
    }

    #[test]
    fn stacks_missing_twins_and_records_of_no_kernel_are_faults() {
        let mut pairs = pair((10, 0, 8), (10, 0, 8));
        pairs[0].rust = pairs[0].rust.map(|rust| Figures { local: 8, ..rust });
        assert_eq!(judge(&pairs, &Excess::new()), ["k has 8 bytes of stack or spills"]);
        let alone = [Pair { twin: None, ..pair((10, 0, 8), (10, 0, 8))[0].clone() }];
        assert_eq!(
            judge(&alone, &Excess::new()),
            [
                "k has no twin in bench/cuda: write one with this name, or say in bench/excess.toml what it is timed beside (`instead`)"
            ]
        );
        let instead = Excess::from([(
            "k".to_owned(),
            Allowance { instead: Some("a library".into()), reason: "why".into(), ..Allowance::default() },
        )]);
        assert_eq!(judge(&alone, &instead), [""; 0]);
        assert_eq!(lowered(&alone, &instead), instead);
        let twin = pair((10, 0, 8), (10, 0, 8));
        assert_eq!(
            judge(&twin, &instead),
            ["k has a twin: remove `instead` from its entry of bench/excess.toml"]
        );
        let faults = judge(&[], &allowed(Some(1), None));
        assert_eq!(faults, ["bench/excess.toml names k, but kernels/ has no such kernel"]);
    }

    #[test]
    fn the_record_is_read_as_it_is_written() {
        let excess = allowed(Some(200), Some(4));
        let text = excess_text(&excess).unwrap();
        assert_eq!(toml::from_str::<Excess>(&text).unwrap(), excess);
    }

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let [start, end] = MARKS;
        let text = format!("before\n{start}old\n{end}\nafter");
        assert_eq!(
            replace_between(&text, MARKS, "new\n").unwrap(),
            format!("before\n{start}new\n{end}\nafter")
        );
        assert_eq!(replace_between("before", MARKS, "new\n"), None);
    }

    #[test]
    fn a_kernel_without_a_twin_has_a_row() {
        let rust = Some(Figures { instructions: 21, ..Figures::default() });
        let of =
            |twin| table(&[Pair { kernel: "k".into(), rust, twin }], presets::ASCII_MARKDOWN).to_string();
        assert!(of(None).contains("21 / –"));
        assert!(of(Some(Figures { instructions: 10, ..Figures::default() })).contains("2.10"));
    }
}
