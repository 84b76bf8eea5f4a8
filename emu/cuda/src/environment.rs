//! The settings from the environment variables.

use std::path::PathBuf;

use cudarc::driver::sys::CUresult::CUDA_ERROR_INVALID_VALUE;
use ptx_emu::{Options, Readings, Schedule};

use crate::boundary::{Result, fail, say};
use crate::interrupt::INTERRUPTED;

/// The settings under which kernels run.
#[derive(Debug, Clone)]
pub struct Environment {
    /// `PTX_EMU_SEED`: the number of the first schedule.
    pub seed: u64,
    /// `PTX_EMU_SCHEDULES`: the number of schedules under which each launch runs.
    pub schedules: u64,
    /// False with `PTX_EMU_CHECK=0`: accesses are not checked.
    pub check: bool,
    /// False with `PTX_EMU_FINDINGS=print`: a launch with findings succeeds.
    pub findings_fail: bool,
    /// `PTX_EMU_LIMIT`: the most thread-instructions of a launch.
    pub limit: u64,
    /// `PTX_EMU_READINGS`: the stricter readings of the ISA, `exchanges`, `init`, `lanes`, `peers` and `reads`, separated by
    /// commas.
    pub readings: Readings,
    /// `PTX_EMU_TRACE`: the file for the trace of the last launch.
    pub trace: Option<PathBuf>,
    /// True if `CUDA_VISIBLE_DEVICES` is set and does not start with 0.
    pub hidden: bool,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            seed: 0,
            schedules: 1,
            check: true,
            findings_fail: true,
            limit: Options::default().limit,
            readings: Readings::default(),
            trace: None,
            hidden: false,
        }
    }
}

impl Environment {
    pub fn read() -> Result<Self> {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let number = |name: &str, default: u64| match get(name) {
            None => Ok(default),
            Some(text) => text.parse().or_else(|_| {
                fail(
                    CUDA_ERROR_INVALID_VALUE,
                    format!("the variable {name} is `{text}`; it must be a number"),
                )
            }),
        };
        let choice = |name: &str, words: [&str; 2]| match get(name).as_deref() {
            None => Ok(true),
            Some(text) if text == words[0] => Ok(true),
            Some(text) if text == words[1] => Ok(false),
            Some(text) => fail(
                CUDA_ERROR_INVALID_VALUE,
                format!("the variable {name} is `{text}`; it must be `{}` or `{}`", words[0], words[1]),
            ),
        };
        let schedules = number("PTX_EMU_SCHEDULES", 1)?;
        if schedules == 0 {
            return fail(
                CUDA_ERROR_INVALID_VALUE,
                "the variable PTX_EMU_SCHEDULES is 0; it must be 1 or more",
            );
        }
        let mut readings = Readings::default();
        for reading in get("PTX_EMU_READINGS").iter().flat_map(|list| list.split(',')) {
            match reading {
                "exchanges" => readings.exchanges_order_nothing = true,
                "init" => readings.init_needs_proxy_fence = true,
                "lanes" => readings.active_lanes_differ = true,
                "peers" => readings.peer_copies_need_cluster_scope = true,
                "reads" => readings.reads_need_proxy_fence = true,
                "" => {}
                other => {
                    return fail(
                        CUDA_ERROR_INVALID_VALUE,
                        format!(
                            "the variable PTX_EMU_READINGS has `{other}`; it must be a list of `exchanges`, `init`, \
                             `lanes`, `peers` and `reads`"
                        ),
                    );
                }
            }
        }
        let visible = get("CUDA_VISIBLE_DEVICES");
        Ok(Self {
            seed: number("PTX_EMU_SEED", 0)?,
            schedules,
            check: choice("PTX_EMU_CHECK", ["1", "0"])?,
            findings_fail: choice("PTX_EMU_FINDINGS", ["fail", "print"])?,
            limit: number("PTX_EMU_LIMIT", Options::default().limit)?,
            readings,
            trace: get("PTX_EMU_TRACE").map(PathBuf::from),
            hidden: visible
                .is_some_and(|list| list.split(',').next().is_none_or(|first| first.trim() != "0")),
        })
    }

    /// Returns the options of the run under a schedule.
    pub fn options(&self, schedule: u64) -> Options {
        Options {
            schedule: Schedule::of(schedule),
            check: self.check,
            limit: self.limit,
            readings: self.readings,
            trace: self.trace.is_some(),
            // If findings do not fail a launch, no number of findings ends it early.
            findings: if self.findings_fail { Options::default().findings } else { usize::MAX },
            progress: Some(|progress| say(progress)),
            interrupt: Some(&INTERRUPTED),
            ..Options::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, value: &str) -> Result<Environment> {
        Environment::of(|asked| (asked == name).then(|| value.into()))
    }

    #[test]
    fn variables_are_read_and_nonsense_is_refused_by_name() {
        let plain = of("", "").unwrap();
        assert!(plain.check && plain.findings_fail && !plain.hidden);
        assert_eq!((plain.seed, plain.schedules, plain.limit), (0, 1, Options::default().limit));
        assert_eq!(of("PTX_EMU_SEED", "17").unwrap().seed, 17);
        assert!(!of("PTX_EMU_CHECK", "0").unwrap().check);
        assert!(!of("PTX_EMU_FINDINGS", "print").unwrap().findings_fail);
        assert_eq!(plain.readings, Readings::default());
        assert_eq!(
            of("PTX_EMU_READINGS", "exchanges,init,lanes,peers,reads").unwrap().readings,
            Readings::strictest()
        );
        for (visible, hidden) in [("0", false), ("0,1", false), ("-1", true), ("", true), ("1", true)] {
            assert_eq!(of("CUDA_VISIBLE_DEVICES", visible).unwrap().hidden, hidden, "{visible}");
        }
        for (name, value) in [
            ("PTX_EMU_SEED", "x"),
            ("PTX_EMU_SCHEDULES", "0"),
            ("PTX_EMU_CHECK", "no"),
            ("PTX_EMU_FINDINGS", "2"),
            ("PTX_EMU_LIMIT", "-1"),
            ("PTX_EMU_READINGS", "all"),
        ] {
            let why = of(name, value).unwrap_err().why.unwrap();
            assert!(why.contains(name) && why.contains("must be"), "{why}");
        }
    }
}
