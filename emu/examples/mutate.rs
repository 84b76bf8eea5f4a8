//! `cargo run --release -p ptx-emu --example mutate -- COUNT [FIRST]`: loads and runs COUNT mutated PTX texts, from number FIRST
//! on, in processes of their own, and prints the inputs that panic, abort, take more than 5 s or more than 2 GB. With `--show N`,
//! prints input N.

#[allow(dead_code)] // Other tests launch the cases.
#[path = "../tests/support/case.rs"]
mod case;
#[path = "../tests/support/mutated.rs"]
mod mutated;

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use mutated::{input, load_and_run, seeds};

/// The most that an input may take.
const TIME: Duration = Duration::from_secs(5);
const MEMORY: u64 = 2 << 30;
/// The instructions that a kernel of an input may execute.
const LIMIT: u64 = 5000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["--show", number] => print!("{}", input(&seeds(), number.parse()?)),
        ["--worker", first, end] => work(first.parse()?, end.parse()?)?,
        [count] => return run(0, count.parse()?),
        [count, first] => return run(first.parse()?, count.parse()?),
        _ => return Err("usage: mutate COUNT [FIRST]".into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the inputs from `first` to `end`, and prints a line before and after each.
fn work(first: u64, end: u64) -> Result<(), Box<dyn Error>> {
    let seeds = seeds();
    let mut out = std::io::stdout().lock();
    for number in first..end {
        writeln!(out, "start {number}")?;
        out.flush()?;
        let text = input(&seeds, number);
        match catch_unwind(AssertUnwindSafe(|| load_and_run(&text, number, LIMIT))) {
            Ok(outcome) => writeln!(out, "end {outcome:?}")?,
            Err(_) => writeln!(out, "end Panicked")?,
        }
        let peak = peak();
        if peak > MEMORY {
            writeln!(out, "memory {peak}")?;
            break;
        }
    }
    Ok(out.flush()?)
}

/// The most memory that this process has had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}

fn run(first: u64, count: u64) -> Result<ExitCode, Box<dyn Error>> {
    let start = Instant::now();
    let (mut at, end) = (first, first + count);
    let (mut counts, mut longest, mut wrong) = ([0u64; 4], (Duration::ZERO, first), Vec::new());
    while at < end {
        let mut worker = spawn(at, end)?;
        let out = worker.stdout.take().ok_or("the worker has an output")?;
        let (to, lines) = channel();
        let reader = std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| to.send(line)).is_ok()
        });
        let mut began = Instant::now();
        loop {
            match lines.recv_timeout(TIME) {
                Ok(line) => match line.split_once(' ') {
                    Some(("start", _)) => began = Instant::now(),
                    Some(("end", outcome)) => {
                        longest = longest.max((began.elapsed(), at));
                        let kinds = ["Refused", "Loaded", "Ran", "Panicked"];
                        counts[kinds.iter().position(|kind| *kind == outcome).unwrap_or(3)] += 1;
                        if outcome == "Panicked" {
                            wrong.push(format!("input {at} panics"));
                        }
                        at += 1;
                        if at.is_multiple_of(10_000) {
                            eprintln!("{at} inputs after {:.0?}: {counts:?}", start.elapsed());
                        }
                    }
                    _ => wrong.push(format!("input {} takes more than 2 GB", at - 1)),
                },
                Err(RecvTimeoutError::Timeout) => {
                    wrong.push(format!("input {at} takes more than {TIME:?}"));
                    at += 1;
                    worker.kill()?;
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    if !worker.wait()?.success() {
                        wrong.push(format!("input {at} ends the process"));
                        at += 1;
                    }
                    break;
                }
            }
        }
        worker.wait()?;
        drop(lines);
        reader.join().map_err(|_| "the reader of the worker's output")?;
    }
    wrong.iter().for_each(|line| println!("{line}"));
    let [refused, loaded, ran, panicked] = counts;
    println!(
        "{count} inputs in {:.0?}: {refused} refused, {loaded} loaded, {ran} ran, {panicked} panicked; the longest, {}, took {:.1?}",
        start.elapsed(),
        longest.1,
        longest.0
    );
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn spawn(first: u64, end: u64) -> std::io::Result<Child> {
    let own = std::env::current_exe()?;
    let (first, end) = (first.to_string(), end.to_string());
    Command::new(own).args(["--worker", &first, &end]).stdout(Stdio::piped()).spawn()
}
