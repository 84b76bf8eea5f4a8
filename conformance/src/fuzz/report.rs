//! The coverage of the forms, and the differences by instruction.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::generate::Table;
use super::gpu::Outcome;
use super::kernel::{Kernel, Node};
use super::run::Difference;

/// How often kernels have each form.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// The number of kernels' statements with each form, by the form's number.
    pub counts: Vec<usize>,
}

fn count(nodes: &[Node], counts: &mut [usize]) {
    for node in nodes {
        if let Node::Step(step) = node {
            step.forms.iter().for_each(|form| counts[*form] += 1);
        }
        for body in node.bodies() {
            count(body, counts);
        }
    }
}

impl Coverage {
    /// Returns the coverage of no kernel.
    pub fn new(table: &Table) -> Self {
        Self { counts: vec![0; table.forms.len()] }
    }

    /// Counts the forms of a kernel.
    pub fn add(&mut self, kernel: &Kernel) {
        count(&kernel.nodes, &mut self.counts);
    }

    /// Returns the forms of the interpreter that no kernel has.
    pub fn missing<'t>(&self, table: &'t Table) -> Vec<&'t str> {
        let missing = table.known.iter().filter(|form| self.counts[**form] == 0);
        missing.map(|form| table.forms[*form].opcode.as_str()).collect()
    }

    /// Returns a table by instruction: its forms, those that the interpreter refuses, and how often kernels have them; then by
    /// modifier and type.
    pub fn text(&self, table: &Table) -> String {
        let mut heads: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
        let mut words: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let mut known = vec![false; table.forms.len()];
        table.known.iter().for_each(|form| known[*form] = true);
        for (i, form) in table.forms.iter().enumerate() {
            let row = heads.entry(form.head()).or_insert([0, 0, 0, usize::MAX]);
            row[0] += 1;
            row[1] += usize::from(!known[i]);
            row[2] += self.counts[i];
            if known[i] {
                row[3] = row[3].min(self.counts[i]);
            }
            for word in form.words().skip(1) {
                let row = words.entry(word).or_default();
                row[0] += 1;
                row[1] += self.counts[i];
            }
        }
        let mut text =
            format!("{:14}{:>8}{:>9}{:>12}{:>8}\n", "instruction", "forms", "refused", "generated", "least");
        let mut all = [0; 3];
        for (head, [forms, refused, generated, least]) in heads {
            let least = if forms == refused { String::new() } else { least.to_string() };
            let _ = writeln!(text, "{head:14}{forms:>8}{refused:>9}{generated:>12}{least:>8}");
            all.iter_mut().zip([forms, refused, generated]).for_each(|(all, count)| *all += count);
        }
        let _ = writeln!(text, "{:14}{:>8}{:>9}{:>12}\n", "all", all[0], all[1], all[2]);
        let _ = writeln!(text, "{:20}{:>8}{:>12}", "modifier or type", "forms", "generated");
        for (word, [forms, generated]) in words {
            let _ = writeln!(text, ".{word:19}{forms:>8}{generated:>12}");
        }
        text
    }
}

/// Returns the outcomes as text: counts, then what differs by instruction, with one smallest kernel for each.
pub fn text(device: &str, seed: u64, outcomes: &BTreeMap<usize, Outcome>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences: BTreeMap<&str, Vec<(usize, &Outcome)>> = BTreeMap::new();
    let mut others: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
    for (number, outcome) in outcomes {
        let name = match outcome {
            Outcome::Equal => "equal",
            Outcome::Different { difference, .. } => {
                differences.entry(&difference.opcode).or_default().push((*number, outcome));
                "different"
            }
            Outcome::Refused { what } => {
                others.entry(("refused", what.clone())).or_default().push(*number);
                "refused"
            }
            Outcome::Interpreter { what } => {
                others.entry(("interpreter", what.clone())).or_default().push(*number);
                "interpreter"
            }
            Outcome::Fault { what } => {
                others.entry(("fault", what.clone())).or_default().push(*number);
                "fault"
            }
            Outcome::Timeout => {
                others.entry(("timeout", String::new())).or_default().push(*number);
                "timeout"
            }
        };
        *counts.entry(name).or_default() += 1;
    }
    let mut text = format!("{device}: {} kernels of seed {seed}\n", outcomes.len());
    for (name, count) in &counts {
        let _ = writeln!(text, "{count:8} {name}");
    }
    for ((name, what), numbers) in &others {
        let shown: Vec<_> = numbers.iter().take(5).map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "\n{name}: {} kernels: {}\n    {}",
            numbers.len(),
            shown.join(", "),
            what.replace('\n', "\n    ")
        );
    }
    text += "\nDifferences: instruction, operands, the interpreter's result, the GPU's; kernels\n";
    for (opcode, list) in &differences {
        for (number, outcome) in list.iter().take(3) {
            let Outcome::Different { difference, .. } = outcome else { continue };
            let operands: Vec<_> = difference.operands.iter().map(|(_, value)| value.as_str()).collect();
            let _ = writeln!(
                text,
                "{opcode}\t{}\t{}\t{}\t{number}",
                operands.join(" "),
                difference.expected,
                difference.found
            );
        }
    }
    text += "\nThe smallest kernels\n";
    for (opcode, list) in &differences {
        let shrunk = list.iter().filter_map(|(number, outcome)| match outcome {
            Outcome::Different { difference, smallest: Some(kernel) } => Some((number, difference, kernel)),
            _ => None,
        });
        let Some((number, difference, kernel)) = shrunk.min_by_key(|(_, _, kernel)| kernel.len()) else {
            continue;
        };
        let _ = writeln!(
            text,
            "\n{opcode}: {} kernels; number {number}, thread {}",
            list.len(),
            difference.thread
        );
        let _ = writeln!(text, "    {}", difference.statement);
        for (register, value) in &difference.operands {
            let _ = writeln!(text, "    {register} = {value}");
        }
        let Difference { register, expected, found, .. } = difference;
        let _ = writeln!(text, "    {register}: expected {expected}, found {found}");
        let _ = writeln!(text, "{kernel}");
    }
    text
}
