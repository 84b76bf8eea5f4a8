//! Compares the registers that warpgroups take by `setmaxnreg` with those with which the launch bounds let a block start.
//!
//! A function states its budgets in its body, as a comment of inline asm: `// registers: 40 + 2 * 232`. There, one warpgroup gives
//! registers up until each thread has 40, and each of two takes them until each thread has 232. A warpgroup that finds too few
//! waits, on a GPU forever.

use std::fmt;

use crate::entry;
use crate::lines::Place;
use crate::program::{Path, Program, readable, write_way};

/// The registers of a multiprocessor, the unit in which a thread has them, and the least that ptxas gives one.
const REGISTERS: u32 = 65536;
const UNIT: u32 = 8;
const LEAST: u32 = 24;
/// ptxas computes with whole warpgroups.
const WARPGROUP: u32 = 128;

/// A kernel whose launch bounds do not fit its budgets.
pub struct Unfit<'a> {
    way: Path<'a>,
    place: Option<Place>,
    budgets: Budgets,
    bounds: Bounds<'a>,
    start: Option<u32>,
}

/// The registers of a thread of the warpgroup that produces, and of the warpgroups that consume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Budgets {
    producer: u32,
    consumers: u32,
    consumer: u32,
}

/// The directives of an entry that bound its registers.
#[derive(Debug, Default)]
struct Bounds<'a> {
    texts: Vec<&'a str>,
    threads: Option<u32>,
    min_ctas: Option<u32>,
    max_registers: Option<u32>,
}

/// Returns the kernels whose launch bounds do not fit the budgets that they reach.
pub fn unfit<'a>(program: &'a Program<'a>) -> Vec<Unfit<'a>> {
    let mut found = Vec::new();
    let mut stated: Vec<(&str, &str)> = program
        .asm()
        .iter()
        .filter_map(|asm| Some((asm.function?, asm.text.trim().strip_prefix(entry::BUDGETS)?)))
        .collect();
    // LLVM may copy the comment.
    stated.dedup();
    for (function, text) in stated {
        let Some(budgets) = Budgets::read(text) else { continue };
        for way in program.ways_without_panics(|name| name == function) {
            if !program.kernels().contains(&way.start()) {
                continue;
            }
            let bounds = Bounds::of(program, way.start());
            let start = bounds.start(budgets);
            if start.is_none_or(|start| start < budgets.start() || start * budgets.threads() > REGISTERS) {
                let place = program.place_of_asm(function, &format!("{}{text}", entry::BUDGETS));
                found.push(Unfit { way, place, budgets, bounds, start });
            }
        }
    }
    found
}

impl Budgets {
    /// Reads `40 + 2 * 232`.
    fn read(text: &str) -> Option<Self> {
        let (producer, rest) = text.split_once(" + ")?;
        let (consumers, consumer) = rest.split_once(" * ")?;
        let number = |text: &str| text.trim().parse().ok();
        Some(Self { producer: number(producer)?, consumers: number(consumers)?, consumer: number(consumer)? })
    }

    /// The registers of one thread of each warpgroup.
    fn sum(self) -> u32 {
        self.producer + self.consumers * self.consumer
    }

    fn threads(self) -> u32 {
        WARPGROUP * (self.consumers + 1)
    }

    /// The least registers with which each thread has to start.
    fn start(self) -> u32 {
        self.sum().div_ceil(self.consumers + 1).next_multiple_of(UNIT)
    }
}

impl<'a> Bounds<'a> {
    fn of(program: &'a Program<'_>, kernel: &str) -> Self {
        let mut bounds = Self::default();
        let of_kernel = program.asm().iter().filter(|asm| asm.function == Some(kernel));
        for text in of_kernel.filter_map(|asm| asm.text.trim().strip_prefix(entry::COMMENT)) {
            let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
            let name = words.next().unwrap_or_default();
            let numbers = words.map_while(|word| word.parse::<u32>().ok());
            let product = numbers.reduce(u32::saturating_mul);
            match name {
                ".reqntid" | ".maxntid" => bounds.threads = product,
                ".minnctapersm" => bounds.min_ctas = product,
                ".maxnreg" => bounds.max_registers = product,
                _ => continue,
            }
            if !bounds.texts.contains(&text) {
                bounds.texts.push(text);
            }
        }
        bounds
    }

    /// Returns the registers with which each thread starts: ptxas gives a kernel with `setmaxnreg` all that the directives allow.
    fn start(&self, budgets: Budgets) -> Option<u32> {
        let of_blocks = |threads: u32| {
            let threads = threads.max(1).next_multiple_of(WARPGROUP);
            REGISTERS / threads.saturating_mul(self.min_ctas.unwrap_or(1).max(1)) / UNIT * UNIT
        };
        // More than the budgets is of no use.
        let most = budgets.producer.max(budgets.consumer);
        let of_thread =
            self.max_registers.map(|most_of_thread| most_of_thread.next_multiple_of(UNIT).min(most));
        let start = match (self.threads.map(of_blocks), of_thread) {
            (Some(of_blocks), Some(of_thread)) if self.min_ctas.is_some() => of_blocks.min(of_thread),
            (of_blocks, of_thread) => of_thread.or(of_blocks)?,
        };
        Some(start.max(LEAST))
    }
}

impl fmt::Display for Unfit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Budgets { producer, consumers, consumer } = self.budgets;
        let (needed, sum, parts) = (self.budgets.start(), self.budgets.sum(), consumers + 1);
        write!(f, "`{}`: ", readable(self.way.start()))?;
        let bounds = self.bounds.texts.join(" ");
        match self.start {
            None => write!(
                f,
                "warpgroups change their registers (`setmaxnreg`), which ptxas ignores in a kernel that states no block"
            )?,
            Some(start) if start < needed => write!(
                f,
                "with its launch bounds each thread starts with {start} registers, and its warpgroups need {needed}: \
                 they would wait for registers forever\n  \
                 launch bounds: `{bounds}`\n  \
                 need: `MaxRegisters<{producer}, {consumer}>` with {consumers} warpgroups that consume, {producer} + {consumers} * {consumer} \
                 = {sum} for a thread of each; {parts} * {start} = {} are there",
                parts * start
            )?,
            Some(start) => write!(
                f,
                "with its launch bounds each thread starts with {start} registers, and a multiprocessor has {} for each: no launch \
                 would succeed\n  \
                 launch bounds: `{bounds}`",
                REGISTERS / self.budgets.threads() / UNIT * UNIT
            )?,
        }
        write_way(f, &self.way, self.place.as_ref(), "")?;
        match self.start {
            None => write!(f, "\n  cure: state `threads = {}` in `#[ptx::kernel]`", self.budgets.threads()),
            Some(_) => write!(
                f,
                "\n  cure: leave `max_registers` and `min_ctas` out of `#[ptx::kernel]`, and state `threads = {}`: then the launch has \
                 all registers of a multiprocessor",
                self.budgets.threads()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages for a kernel with directives, which calls a function with `// registers: 40 + 2 * 232`.
    fn messages(directives: &[&str]) -> Vec<String> {
        let stated: String = directives
            .iter()
            .map(|text| format!("  call void asm sideeffect \"// entry: {text}\", \"\"()\n"))
            .collect();
        let ir = format!(
            "define ptx_kernel void @k() {{\n{stated}  call void @f()\n  ret void\n}}\n\
             define internal void @f() {{\n  call void asm sideeffect \"// registers: 40 + 2 * 232\", \"\"()\n  ret void\n}}\n\
             define ptx_kernel void @other() {{\n  ret void\n}}\n"
        );
        unfit(&Program::read(&ir)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn budgets_that_fit_are_taken() {
        for directives in [
            &[".reqntid 384, 1, 1"][..],
            &[".reqntid 128, 3, 1"],
            &[".maxntid 384, 1, 1", ".minnctapersm 1"],
            &[".reqntid 384, 1, 1", ".maxnreg 168"],
            // In units of 8.
            &[".reqntid 384, 1, 1", ".maxnreg 161"],
            &[".reqntid 384, 1, 1", ".maxnreg 255", ".minnctapersm 1"],
        ] {
            assert_eq!(messages(directives), <[String; 0]>::default(), "{directives:?}");
        }
    }

    /// The registers are those that ptxas 13.5 reports for such directives.
    #[test]
    fn budgets_that_do_not_fit_are_refused() {
        for (directives, start) in [
            (&[".reqntid 384, 1, 1", ".minnctapersm 2"][..], 80),
            (&[".reqntid 384, 1, 1", ".maxnreg 128"], 128),
            (&[".reqntid 384, 1, 1", ".maxnreg 160"], 160),
            (&[".reqntid 384, 1, 1", ".maxnreg 128", ".minnctapersm 2"], 80),
            (&[".reqntid 384, 1, 1", ".maxnreg 32", ".minnctapersm 2"], 32),
            (&[".reqntid 384, 1, 1", ".maxnreg 8"], 24),
            (&[".maxntid 1024, 1, 1"], 64),
            (&[".maxntid 1024, 1, 1", ".minnctapersm 2"], 32),
        ] {
            let [message] = &messages(directives)[..] else { panic!("not refused: {directives:?}") };
            for part in [
                format!("`k`: with its launch bounds each thread starts with {start} registers"),
                "need 168".into(),
                format!("`{}`", directives.join(" ")),
                format!("40 + 2 * 232 = 504 for a thread of each; 3 * {start} = {} are there", 3 * start),
                "way: `k` -> `f`".into(),
                "state `threads = 384`".into(),
            ] {
                assert!(message.contains(&part), "{part}\n{message}");
            }
        }
        let [message] = &messages(&[".reqntid 384, 1, 1", ".maxnreg 255"])[..] else { panic!("not refused") };
        assert!(message.contains("starts with 232") && message.contains("has 168 for each"), "{message}");
        let [message] = &messages(&[])[..] else { panic!("not refused") };
        assert!(message.contains("ptxas ignores"), "{message}");
    }
}
