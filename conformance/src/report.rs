//! The results of a run on a GPU, as text and JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::compare::Difference;

/// The outcome of a run on the GPU, compared with the interpreter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    /// The memory is equal, or within the error that the ISA states.
    Equal,
    /// The memory differs.
    Different {
        /// The elements that differ.
        differences: Vec<Difference>,
    },
    /// The GPU ends the grid with an error.
    Fault {
        /// The error.
        what: String,
    },
    /// The run does not end in time.
    Timeout,
    /// The kernel is missing, or the launch is not allowed.
    Refused {
        /// The message.
        what: String,
    },
    /// The interpreter has no result to compare with.
    Interpreter {
        /// The message.
        what: String,
    },
    /// Too many runs before this one have failed.
    NotRun {
        /// The reason.
        why: String,
    },
}

impl Outcome {
    /// Returns the name of the outcome in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Different { .. } => "different",
            Self::Fault { .. } => "fault",
            Self::Timeout => "timeout",
            Self::Refused { .. } => "refused",
            Self::Interpreter { .. } => "interpreter",
            Self::NotRun { .. } => "not run",
        }
    }
}

/// A run and its outcome.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// The family of the form.
    pub family: String,
    /// The row of the form.
    pub row: String,
    /// The instruction, and the variant of its case.
    pub case: String,
    /// The name of the inputs.
    pub run: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// A known departure of the silicon or of ptxas, which explains the outcome.
    pub departure: Option<String>,
}

/// All results.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The GPU.
    pub device: String,
    /// The time of all runs.
    pub seconds: f64,
    /// The runs.
    pub entries: Vec<Entry>,
}

impl Report {
    /// Returns the runs that are not equal and that no known departure explains.
    pub fn unexplained(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.outcome != Outcome::Equal && entry.departure.is_none())
    }

    /// Returns the text: a table by family, the departures, then each run that is neither equal nor explained.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {} runs in {:.0} s\n\n", self.device, self.entries.len(), self.seconds);
        let names = ["equal", "different", "fault", "timeout", "refused", "interpreter", "not run"];
        let mut table: BTreeMap<&str, [usize; 7]> = BTreeMap::new();
        for entry in &self.entries {
            let column = names.iter().position(|name| *name == entry.outcome.name()).unwrap_or_default();
            table.entry(&entry.family).or_default()[column] += 1;
        }
        let row = |name: &str, cells: Vec<String>| {
            format!("{name:34}{}\n", cells.iter().map(|cell| format!("{cell:>12}")).collect::<String>())
        };
        text += &row("family", names.iter().map(ToString::to_string).collect());
        for (family, counts) in &table {
            text += &row(family, counts.iter().map(ToString::to_string).collect());
        }
        let mut departures: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for entry in &self.entries {
            if let Some(departure) = &entry.departure {
                *departures.entry((departure, entry.outcome.name())).or_default() += 1;
            }
        }
        text += "\nKnown departures\n";
        for ((departure, outcome), count) in departures {
            let _ = writeln!(text, "{count:6} {outcome:12} {departure}");
        }
        text += "\nNot equal, and not explained\n";
        for entry in self.unexplained() {
            text += &entry.text();
        }
        text
    }
}

impl Entry {
    /// Returns the run and its outcome as text, with the inputs of the elements that differ.
    pub fn text(&self) -> String {
        let run = if self.run.is_empty() { String::new() } else { format!(" [{}]", self.run) };
        let mut text = format!("{}: {}{run}\n", self.outcome.name(), self.case);
        match &self.outcome {
            Outcome::Different { differences } => {
                for difference in differences {
                    let nan = if difference.only_nan { ", all NaNs of other bits" } else { "" };
                    let _ = writeln!(
                        text,
                        "    {} {}: expected {}, found {} ({} elements differ{nan})",
                        difference.region,
                        difference.element,
                        difference.expected,
                        difference.found,
                        difference.count
                    );
                    for (name, value) in &difference.inputs {
                        let _ = writeln!(text, "        {name}: {value}");
                    }
                }
            }
            Outcome::Fault { what }
            | Outcome::Refused { what }
            | Outcome::Interpreter { what }
            | Outcome::NotRun { why: what } => {
                let _ = writeln!(text, "    {}", what.replace('\n', "\n    "));
            }
            Outcome::Equal | Outcome::Timeout => {}
        }
        text
    }
}
