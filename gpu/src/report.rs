//! The results of the checks, as lines on the terminal and as a JSON file.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Passed,
    Failed,
    Hung,
    Skipped,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Passed => "ok",
            Self::Failed => "FAIL",
            Self::Hung => "HANG",
            Self::Skipped => "skip",
        })
    }
}

/// The result of one check.
#[derive(Debug, Serialize)]
pub struct Report {
    pub name: String,
    pub outcome: Outcome,
    pub seconds: f64,
    pub detail: String,
    pub data: Value,
    /// The text that the check wrote to its standard error.
    pub said: String,
}

impl Report {
    pub fn skipped(name: String) -> Self {
        Self {
            name,
            outcome: Outcome::Skipped,
            seconds: 0.0,
            detail: String::new(),
            data: Value::Null,
            said: String::new(),
        }
    }

    /// Returns the lines below the line of a check that did not pass: the rest of its detail, what the check wrote, and on an
    /// emulated device the command that runs the check again under the schedule of its first finding.
    pub fn findings(&self, emulated: bool) -> String {
        const LINES: usize = 40;
        if !matches!(self.outcome, Outcome::Failed | Outcome::Hung) {
            return String::new();
        }
        let lines = || self.detail.lines().skip(1).chain(self.said.lines());
        let mut shown: String = lines().take(LINES).map(|line| format!("\n    {line}")).collect();
        let count = lines().count();
        if count > LINES {
            shown += &format!("\n    … and {} more lines", count - LINES);
        }
        if emulated {
            let number = |text: &str| text.split_once("schedule ")?.1.split_once(':')?.0.parse::<u64>().ok();
            let seed = number(&self.detail).or_else(|| number(&self.said)).unwrap_or_default();
            shown += &format!("\n    replay: ./x run --device emu --seed {seed} {}", self.name);
        }
        shown
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DETAIL: usize = 400;
        let detail = self.detail.lines().next().unwrap_or_default();
        let line = format!("{:4} {:6.1} s  {:28} {detail}", self.outcome, self.seconds, self.name);
        let mut shown: String = line.trim_end().chars().take(DETAIL).collect();
        if shown.len() < line.trim_end().len() {
            shown.push_str(" …");
        }
        f.write_str(&shown)
    }
}

/// The counts of a run. A hang counts as a failure.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Totals {
    pub fn of(reports: &[Report]) -> Self {
        let mut totals = Self::default();
        for report in reports {
            match report.outcome {
                Outcome::Passed => totals.passed += 1,
                Outcome::Failed | Outcome::Hung => totals.failed += 1,
                Outcome::Skipped => totals.skipped += 1,
            }
        }
        totals
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Writes the device, the totals and all reports to a JSON file.
pub fn write_json(path: &Path, device: Option<&Value>, reports: &[Report]) -> Result<()> {
    let totals = Totals::of(reports);
    let all = json!({
        "device": device,
        "checks": reports,
        "passed": totals.passed,
        "failed": totals.failed,
        "skipped": totals.skipped,
    });
    let text = serde_json::to_string_pretty(&all)?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(outcome: Outcome, detail: &str) -> Report {
        Report { outcome, seconds: 1.25, detail: detail.into(), ..Report::skipped("a/b".into()) }
    }

    #[test]
    fn a_hang_counts_as_failed() {
        let outcomes = [Outcome::Passed, Outcome::Hung, Outcome::Failed, Outcome::Skipped];
        let reports = outcomes.map(|outcome| report(outcome, ""));
        assert_eq!(Totals::of(&reports).to_string(), "1 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn a_finding_is_shown_with_the_command_that_replays_it() {
        let wrong = report(Outcome::Failed, "seed 3: schedule 5:\ndata race in `k`\n    thread 3\n");
        assert!(wrong.to_string().ends_with("seed 3: schedule 5:"), "{wrong}");
        let replay = "\n    replay: ./x run --device emu --seed 5 a/b";
        assert_eq!(wrong.findings(true), format!("\n    data race in `k`\n        thread 3{replay}"));
        let said = "ptx-emu: schedule 17: data race in `k`\n    thread 3\n";
        let failed = Report { said: said.into(), ..report(Outcome::Failed, "wrong") };
        let shown = failed.findings(true);
        assert!(
            shown.contains("\n    ptx-emu: schedule 17: data race in `k`\n        thread 3\n"),
            "{shown}"
        );
        assert!(shown.ends_with("\n    replay: ./x run --device emu --seed 17 a/b"), "{shown}");
        assert!(!failed.findings(false).contains("replay"));
        let long = Report { said: "line\n".repeat(50), ..report(Outcome::Hung, "") };
        assert!(long.findings(false).ends_with("… and 10 more lines"));
        assert_eq!(Report { said: said.into(), ..report(Outcome::Passed, "") }.findings(true), "");
    }

    #[test]
    fn a_line_names_outcome_time_check_and_detail() {
        let line = report(Outcome::Hung, "hang: kernel").to_string();
        assert_eq!(line, "HANG    1.2 s  a/b                          hang: kernel");
        assert!(report(Outcome::Failed, &"x".repeat(5000)).to_string().len() < 500);
    }
}
