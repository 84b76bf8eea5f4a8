//! The pictures of the book that are made of data: the order of a swizzled tile, and a trace of the interpreter.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

/// What all pictures of the book have: colors for a light and a dark page.
const STYLE: &str = "  <style>
    .page { fill: #ffffff; }
    text { font: 13px sans-serif; fill: #1b1f24; }
    .code { font-family: monospace; font-size: 12px; }
    .note { font-size: 11px; fill: #57606a; }
    .box { fill: #eef2f7; stroke: #57606a; }
    .copy { fill: #dcebff; stroke: #0969da; }
    .work { fill: #dff4e3; stroke: #1a7f37; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #161b22; }
      text { fill: #e6edf3; }
      .note { fill: #9da7b3; }
      .box { fill: #262c36; stroke: #9da7b3; }
      .copy { fill: #10305c; stroke: #58a6ff; }
      .work { fill: #12391e; stroke: #3fb950; }
    }
  </style>
";
const WIDTH: f64 = 660.0;

fn picture(height: u32, label: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{label}\">\n{STYLE}  <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\" rx=\"6\"/>\n\
         {body}</svg>\n"
    )
}

/// Draws where the eight 16-byte units of eight rows of 128 bytes lie, in order and under `swizzle_mode::B128`.
#[must_use]
pub fn swizzle() -> String {
    /// The unit whose places are marked: a column of the tile.
    const MARKED: u32 = 2;
    const SIDE: u32 = 32;
    let mut body = String::new();
    for (x, title, swizzled) in [(64, "in order", false), (384, "B128", true)] {
        let _ =
            writeln!(body, "  <text x=\"{}\" y=\"24\" text-anchor=\"middle\">{title}</text>", x + 4 * SIDE);
        for bank in 0..8 {
            let center = x + bank * SIDE + SIDE / 2;
            let _ = writeln!(
                body,
                "  <text class=\"note\" x=\"{center}\" y=\"42\" text-anchor=\"middle\">{}</text>",
                4 * bank
            );
        }
        for row in 0..8 {
            let y = 50 + row * SIDE;
            let _ = writeln!(
                body,
                "  <text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"end\">row {row}</text>",
                x - 8,
                y + 20
            );
            for place in 0..8 {
                let unit = if swizzled { place ^ row } else { place };
                let class = if unit == MARKED { "copy" } else { "box" };
                let left = x + place * SIDE;
                let _ = writeln!(
                    body,
                    "  <rect class=\"{class}\" x=\"{left}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\"/>\
                     <text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{unit}</text>",
                    left + SIDE / 2,
                    y + 20
                );
            }
        }
    }
    let _ = writeln!(
        body,
        "  <text class=\"note\" x=\"20\" y=\"330\">Units of 16 bytes by their column in the box; above, the first of their four \
         banks. Column {MARKED} is marked.</text>"
    );
    picture(344, "A tile in order, and swizzled", &body)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trace {
    trace_events: Vec<Event>,
}

/// The row of the copies that thread 0 has started.
const COPIES: u64 = 1;
/// The row of the waits of thread 32.
const FIRST_CONSUMER: u64 = 320;
/// The first row of an mbarrier.
const MBARRIER: u64 = 1 << 24;

/// An event of the interpreter's trace: a span of a row (`ts`, `dur`), or the name of a row.
#[derive(Deserialize)]
struct Event {
    name: String,
    /// The block.
    pid: u64,
    /// Ten times the thread, for its waits, or one more, for its copies; of an mbarrier, [`MBARRIER`] and its address.
    tid: u64,
    #[serde(default)]
    ts: u64,
    #[serde(default)]
    dur: u64,
}

impl Event {
    fn end(&self) -> u64 {
        self.ts + self.dur
    }
}

/// Draws the two roles of a pipeline over time, from the interpreter's trace of a launch, for block 0: the producer (thread 0) and
/// the consumers (by thread 32), with gaps where they wait for an mbarrier; and each stage, which a copy fills and consumers read.
///
/// # Errors
///
/// If the text is no trace, or a trace without the copies and mbarriers of a pipeline.
pub fn roles(trace: &str) -> Result<String> {
    const LEFT: f64 = 110.0;
    const RIGHT: f64 = 640.0;
    let trace: Trace = serde_json::from_str(trace).context("not a trace of the interpreter (`--trace`)")?;
    let events: Vec<_> = trace.trace_events.iter().filter(|event| event.pid == 0 && event.dur > 0).collect();
    let mut copies: Vec<_> =
        events.iter().filter(|event| event.tid == COPIES).map(|copy| (copy.ts, copy.end())).collect();
    copies.sort_unstable();
    // When each phase of each mbarrier has ended. A stage has two mbarriers, one after the other: full and empty.
    let mut phases: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.tid >= MBARRIER) {
        phases.entry(event.tid).or_default().push(event.end());
    }
    phases.values_mut().for_each(|ends| ends.sort_unstable());
    let ends: Vec<_> = phases.into_values().collect();
    let stages = ends.len() / 2;
    ensure!(
        !copies.is_empty() && stages > 0,
        "the trace has no pipeline: thread 0 loads, and a stage has two mbarriers"
    );

    let mut spans = Vec::new();
    for (tile, (issued, _)) in copies.iter().enumerate() {
        let (stage, round) = (tile % stages, tile / stages);
        let (full, empty) = (ends[2 * stage].get(round), ends[2 * stage + 1].get(round));
        let (Some(full), Some(empty)) = (full, empty) else {
            bail!(
                "tile {tile} of the trace does not become full and empty: it is not a trace of a pipeline of tiles"
            );
        };
        spans.push((stage, *issued, *full, *empty));
    }
    let first = copies[0].0;
    let last = spans.iter().map(|span| span.3).max().unwrap_or(first) + 1;
    let x =
        |time: u64| LEFT + (RIGHT - LEFT) * (time.clamp(first, last) - first) as f64 / (last - first) as f64;
    let bar = |class: &str, from: u64, to: u64, y: f64, height: f64| {
        let (left, width) = (x(from), (x(to) - x(from)).max(1.5));
        format!(
            "  <rect class=\"{class}\" x=\"{left:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\"/>\n"
        )
    };
    let label = |y: f64, text: &str| format!("  <text class=\"note\" x=\"20\" y=\"{y}\">{text}</text>\n");

    let mut body = String::new();
    let last_load = copies.last().map_or(first, |copy| copy.0);
    let first_full = spans.iter().map(|span| span.2).min().unwrap_or(first);
    let roles =
        [("producer", "copy", 0, first, last_load), ("consumers", "work", FIRST_CONSUMER, first_full, last)];
    let mut y = 24.0;
    for (name, class, thread, from, to) in roles {
        body += &label(y + 14.0, name);
        body += &bar(class, from, to, y, 20.0);
        let waits = events.iter().filter(|event| event.tid == thread && event.name.starts_with("mbarrier "));
        for wait in waits.filter(|wait| wait.ts >= from && wait.end() <= to) {
            body += &bar("page", wait.ts, wait.end(), y - 1.0, 22.0);
        }
        y += 28.0;
    }
    y += 8.0;
    for (stage, issued, full, empty) in spans {
        let y = y + 14.0 * stage as f64;
        body += &bar("copy", issued, full, y, 11.0);
        body += &bar("work", full, empty, y, 11.0);
    }
    for stage in 0..stages {
        body += &label(y + 14.0 * stage as f64 + 10.0, &format!("stage {stage}"));
    }
    y += 14.0 * stages as f64 + 22.0;
    body += &label(
        y,
        "Blue: a copy fills the stage. Green: the stage is full, until all consumers have released it. A gap above is a wait.",
    );
    body += &label(
        y + 18.0,
        &format!(
            "From a trace of the interpreter: {} tiles, {} executed instructions.",
            copies.len(),
            last - first
        ),
    );
    Ok(picture(y as u32 + 34, "The two roles of a pipeline over time", &body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_shows_the_swizzle_of_the_generator() {
        let file = crate::root().join("docs/book/src/img/swizzle.svg");
        let present = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(present == swizzle(), "{} is out of date: run `./x pictures`", file.display());
    }

    #[test]
    fn roles_are_drawn_from_a_trace() {
        let event = |name: &str, tid: u64, ts: u64, dur: u64| {
            format!("{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":0,\"tid\":{tid},\"ts\":{ts},\"dur\":{dur}}}")
        };
        let name = "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":1,\"args\":{\"name\":\"copies of thread 0\"}}";
        let (full, empty) = (MBARRIER + 0x400, MBARRIER + 0x408);
        let events = [
            name.to_owned(),
            event("64 bytes, line 3", COPIES, 10, 40),
            event("64 bytes, line 3", COPIES, 90, 20),
            event("phase 0", full, 5, 45),
            event("phase 1", full, 50, 60),
            event("phase 0", empty, 5, 80),
            event("phase 1", empty, 85, 45),
            event("mbarrier 0x408", 0, 55, 30),
            event("mbarrier 0x400", FIRST_CONSUMER, 86, 24),
        ];
        let trace = |events: &[String]| format!("{{\"traceEvents\":[{}]}}", events.join(","));
        let text = roles(&trace(&events)).unwrap();
        // The producer and two loads; the consumers and two full stages; a wait of each, and the page.
        let count = |class: &str| text.matches(&format!("class=\"{class}\"")).count();
        assert_eq!([count("copy"), count("work"), count("page")], [3, 3, 3], "{text}");
        assert!(text.contains("2 tiles, 121 executed instructions"), "{text}");

        let error = roles(&trace(&events[..6])).unwrap_err().to_string();
        assert!(error.contains("tile 1 of the trace"), "{error}");
        assert!(roles("{\"traceEvents\":[]}").unwrap_err().to_string().contains("has no pipeline"));
        assert!(roles("[]").unwrap_err().to_string().contains("not a trace"));
    }
}
