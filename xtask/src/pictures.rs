//! The pictures of the book that are made of data: the order of a swizzled tile, and a trace of the interpreter.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
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

/// An event of the interpreter's trace: a span of a row (`ts`, `dur`), or the name of a row.
#[derive(Deserialize)]
struct Event {
    name: String,
    /// The block.
    pid: u64,
    /// Ten times the thread, for its waits, or one more, for its copies.
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

/// Draws the two roles of a pipeline over time, from the interpreter's trace of a launch: the copies of the producer (thread 0 of
/// block 0), and the waits of the first thread of each other warp.
///
/// # Errors
///
/// If the text is no trace, or a trace without the copies and waits of a pipeline.
pub fn roles(trace: &str) -> Result<String> {
    const LEFT: f64 = 120.0;
    const RIGHT: f64 = 640.0;
    let trace: Trace = serde_json::from_str(trace).context("not a trace of the interpreter (`--trace`)")?;
    let of_block = |event: &&Event| event.pid == 0 && event.dur > 0;
    let mut copies: Vec<_> =
        trace.trace_events.iter().filter(of_block).filter(|event| event.tid == 1).collect();
    copies.sort_by_key(|copy| copy.ts);
    // The waits at mbarriers of the producer and of the first thread of each warp of consumers.
    let mut waits: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for event in
        trace.trace_events.iter().filter(of_block).filter(|event| event.name.starts_with("mbarrier "))
    {
        if event.tid % 320 == 0 {
            waits.entry(event.tid / 10).or_default().push(event);
        }
    }
    let warps = waits.keys().filter(|thread| **thread > 0).count();
    ensure!(
        !copies.is_empty() && warps > 0,
        "the trace has no pipeline: thread 0 loads, and other warps wait"
    );

    let first = copies[0].ts;
    let last = waits.values().flatten().map(|wait| wait.end()).chain(copies.iter().map(|copy| copy.end()));
    let last = last.max().unwrap_or(first) + 1;
    let x =
        |time: u64| LEFT + (RIGHT - LEFT) * (time.clamp(first, last) - first) as f64 / (last - first) as f64;
    let mut body = String::new();
    let bar = |body: &mut String, class: &str, from: u64, to: u64, y: f64, height: f64| {
        let (left, right) = (x(from), x(to));
        let _ = writeln!(
            body,
            "  <rect class=\"{class}\" x=\"{left:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{height}\"/>",
            (right - left).max(1.0)
        );
    };
    let label = |body: &mut String, y: f64, text: &str| {
        let _ = writeln!(body, "  <text class=\"note\" x=\"20\" y=\"{y}\">{text}</text>");
    };

    // Each copy is in the first lane that is free when it starts.
    let mut lanes: Vec<u64> = Vec::new();
    let top = 30.0;
    for copy in &copies {
        let lane = lanes.iter().position(|end| *end <= copy.ts).unwrap_or(lanes.len());
        if lane == lanes.len() {
            lanes.push(0);
        }
        lanes[lane] = copy.end();
        bar(&mut body, "copy", copy.ts, copy.end(), top + 12.0 * lane as f64, 10.0);
    }
    label(&mut body, top + 10.0, "copies in flight");
    let mut y = top + 12.0 * lanes.len() as f64 + 12.0;
    for (thread, waits) in &waits {
        let (name, work) = match thread {
            0 => ("producer".to_owned(), "copy"),
            thread => (format!("consumers, warp {}", thread / 32), "work"),
        };
        label(&mut body, y + 14.0, &name);
        bar(&mut body, work, first, waits.iter().map(|wait| wait.end()).max().unwrap_or(last), y, 20.0);
        for wait in waits.iter().filter(|wait| wait.end() > first) {
            bar(&mut body, "page", wait.ts, wait.end(), y - 1.0, 22.0);
        }
        y += 30.0;
    }
    label(
        &mut body,
        y + 10.0,
        &format!(
            "A gap is a wait for an mbarrier. From a trace of the interpreter, over {} executed instructions of block 0.",
            last - first
        ),
    );
    Ok(picture(y as u32 + 26, "The two roles of a pipeline over time", &body))
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
        let event = |name: &str, tid: u32, ts: u32, dur: u32| {
            format!("{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":0,\"tid\":{tid},\"ts\":{ts},\"dur\":{dur}}}")
        };
        let events = [
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":1,\"args\":{\"name\":\"copies of thread 0\"}}".to_owned(),
            event("64 bytes, line 3", 1, 10, 40),
            event("64 bytes, line 3", 1, 20, 20),
            event("mbarrier 0x400", 320, 12, 38),
            event("mbarrier 0x408", 0, 30, 30),
        ];
        let text = roles(&format!("{{\"traceEvents\":[{}]}}", events.join(","))).unwrap();
        // Two lanes of copies, and the rows of the producer and of a warp.
        assert_eq!(text.matches("class=\"copy\"").count(), 3, "{text}");
        assert!(
            text.contains("consumers, warp 1") && text.contains("over 51 executed instructions"),
            "{text}"
        );

        assert!(roles("{\"traceEvents\":[]}").unwrap_err().to_string().contains("has no pipeline"));
        assert!(roles("[]").unwrap_err().to_string().contains("not a trace"));
    }
}
