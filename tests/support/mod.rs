//! Helpers of the golden tests, which read PTX as instructions.

#![allow(dead_code)]

use std::collections::BTreeMap;

use xtask::cuda::Tools;
use xtask::device::{Arch, Build, OptLevel};
use xtask::forms::map_words;

/// Numbers registers and labels in the order of their appearance, so that two allocations of one sequence are equal.
pub fn ordered_registers(body: &str) -> String {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    map_words(body, |word| {
        let class = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let is_label = word.starts_with("$L__BB");
        if !(is_label || (word.starts_with('%') && class.len() < word.len())) {
            return word.into();
        }
        let class = if is_label { "$L" } else { class };
        let count = counts.entry(class.into()).or_default();
        names
            .entry(word.into())
            .or_insert_with(|| {
                *count += 1;
                format!("{class}{count}")
            })
            .clone()
    })
}

/// Returns the body of a kernel, one instruction per line: without comments, directives and declarations; asm blocks are split.
pub fn body(module: &str, kernel: &str) -> String {
    let (_, from) =
        module.split_once(&format!(".entry {kernel}(")).unwrap_or_else(|| panic!("no kernel {kernel}"));
    let (_, from) = from.split_once("\n{\n").expect("a body");
    let (body, _) = from.split_once("\n}").expect("a body's end");
    let mut lines = Vec::new();
    for line in body.lines() {
        let line = line.split_once("//").map_or(line, |(code, _)| code).trim().replace('\t', " ");
        if line.is_empty() || line.starts_with('.') {
            continue;
        }
        if line.starts_with('$') {
            lines.push(line);
            continue;
        }
        let line =
            line.strip_prefix("{ ").and_then(|line| line.strip_suffix('}')).unwrap_or(&line).to_owned();
        for statement in line.split(';').map(str::trim).filter(|s| !s.is_empty() && !s.starts_with(".reg")) {
            lines.push(format!("{};", plain_symbols(statement, kernel)));
        }
    }
    ordered_registers(&(lines.join("\n") + "\n"))
}

/// Replaces symbols that depend on the kernel's name or, through the crate's hash, on the crate's folder.
fn plain_symbols(statement: &str, kernel: &str) -> String {
    let words = map_words(statement, |word| {
        let (symbol, suffix) = word.split_at(word.find("__smem").unwrap_or(word.len()));
        match rustc_demangle::try_demangle(symbol) {
            Ok(name) => {
                format!("{name:#}{suffix}").replace(['<', '>', '(', ')', ' ', ',', '[', ']', ';'], "")
            }
            Err(_) => word.into(),
        }
    });
    words.replace(&format!("{kernel}_param_"), "param_")
}

/// Returns the value of a step. An error ends the test.
#[track_caller]
pub fn ok<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error:#}"))
}

/// Asserts that ptxas accepts the module of a crate: optimized, for sm_90a, and not optimized, for `unoptimized`. For the module
/// that is not optimized, ptxas generates the code of one kernel only: the code of all kernels takes seconds.
#[track_caller]
pub fn assert_ptxas_accepts(crate_dir: &str, unoptimized: Arch, kernel: &str) {
    let tools = ok(Tools::find_or_fetch());
    let of_kernel = [kernel.to_owned()];
    for (opt_level, arch, made) in
        [(OptLevel::O0, unoptimized, Some(&of_kernel[..])), (OptLevel::O3, Arch::Sm90a, None)]
    {
        let build = Build { opt_level, ..Build::new(crate_dir, arch) };
        let errors = ok(tools.check_text_making(made, &ok(build.run()).text, arch));
        assert!(errors.is_empty(), "{opt_level}: {errors:?}");
    }
}
