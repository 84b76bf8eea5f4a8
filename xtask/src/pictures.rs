//! The pictures of the book that are made of data: the order of a swizzled tile, the operands and the sums of `wgmma`, products over
//! time, and a trace of the interpreter.

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

/// The pictures that need no trace, by the names of their files.
#[must_use]
pub fn computed() -> [(&'static str, String); 4] {
    [
        ("swizzle.svg", swizzle()),
        ("operand.svg", operand()),
        ("fragment.svg", fragment()),
        ("products.svg", products()),
    ]
}

/// Draws where the eight 16-byte units of eight rows of 128 bytes lie, in order and under `swizzle_mode::B128`.
fn swizzle() -> String {
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

/// The side of a unit of 16 bytes in the picture of an operand, and of a pair of sums in that of an accumulator.
const CELL: u32 = 32;

fn cell(class: &str, [x, y]: [u32; 2], text: &str) -> String {
    format!(
        "  <rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>\
         <text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{text}</text>\n",
        x + CELL / 2,
        y + 20
    )
}

fn note(x: u32, y: u32, anchor: &str, text: &str) -> String {
    format!("  <text class=\"note\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

/// Draws the first eight rows of an operand of two panels of 128 bytes, K innermost, and what one `wgmma` reads of them.
fn operand() -> String {
    /// The instruction along K whose 32 bytes of each row are marked.
    const STEP: u32 = 1;
    const TOP: u32 = 50;
    let mut body = String::new();
    for panel in 0..2 {
        let left = 64 + panel * (8 * CELL + 48);
        let _ = writeln!(
            body,
            "  <text x=\"{}\" y=\"24\" text-anchor=\"middle\">panel {panel}: k = {} to {}</text>",
            left + 4 * CELL,
            64 * panel,
            64 * panel + 63
        );
        for row in 0..8 {
            let y = TOP + row * CELL;
            if panel == 0 {
                body += &note(left - 8, y + 20, "end", &format!("row {row}"));
            }
            for place in 0..8 {
                let unit = place ^ row;
                let class = if panel == 0 && unit / 2 == STEP { "copy" } else { "box" };
                body += &cell(class, [left + place * CELL, y], &(8 * panel + unit).to_string());
            }
        }
    }
    body += &note(
        20,
        330,
        "start",
        "Units of 16 bytes, or 8 elements along K, where they lie under the swizzle B128. After eight rows it repeats.",
    );
    body += &note(
        20,
        348,
        "start",
        &format!("Marked: the 32 bytes of each row that instruction {STEP} of a step along K multiplies."),
    );
    picture(362, "The first rows of an operand of two panels", &body)
}

/// The thread of a warp that has the sum in a row below 16 and a column, and the index of the sum among the thread's
/// (PTX ISA 9.7.15.5.1, figure of the fragment of D).
fn owner(row: u32, column: u32) -> (u32, u32) {
    let lane = row % 8 * 4 + column % 8 / 2;
    (lane, column / 8 * 4 + row / 8 * 2 + column % 2)
}

/// Draws which thread of the first warp of a warpgroup has which sums, in the first 16 columns.
fn fragment() -> String {
    /// The thread whose sums are marked.
    const MARKED: u32 = 5;
    let mut body = String::new();
    for pair in 0..8 {
        body += &note(64 + pair * 2 * CELL + CELL, 42, "middle", &format!("{}, {}", 2 * pair, 2 * pair + 1));
    }
    body += "  <text x=\"320\" y=\"24\" text-anchor=\"middle\">columns</text>\n";
    for row in 0..16 {
        let y = 50 + row * 24;
        body += &note(56, y + 16, "end", &format!("row {row}"));
        for pair in 0..8 {
            let (x, (lane, first)) = (64 + pair * 2 * CELL, owner(row, 2 * pair));
            let (class, text) = match lane == MARKED {
                true => ("work", format!("t{lane}: {first}, {}", first + 1)),
                false => ("box", format!("t{lane}")),
            };
            let _ = writeln!(
                body,
                "  <rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"24\"/>\
                 <text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
                2 * CELL,
                x + CELL,
                y + 16
            );
        }
    }
    body += &note(
        20,
        456,
        "start",
        &format!(
            "The threads of warp 0 that have the sums. Of thread {MARKED}, also the indices of its sums."
        ),
    );
    body += &note(
        20,
        474,
        "start",
        "Warp w has rows 16w to 16w + 15. The next 8 columns are the next 4 sums of each thread.",
    );
    picture(488, "The fragment of an accumulator", &body)
}

/// Draws the stages, the products and the stores of a warpgroup over time, by a model in which a load takes two steps.
fn products() -> String {
    const STAGES: usize = 4;
    const STEPS: usize = 10;
    const BLOCKS: usize = 2;
    /// The boxes of a block that a warpgroup stores, one in each of the first steps of the next block.
    const PARTS: usize = 4;
    /// Widths of a step, a load, a store and the rounding of a block's sums.
    const STEP: u32 = 20;
    const LOAD: u32 = 40;
    const STORE: u32 = 16;
    const PACK: u32 = 12;
    const LEFT: u32 = 96;
    let bar = |class: &str, x: u32, y: u32, width: u32| {
        format!("  <rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"16\"/>\n")
    };
    let mut body = String::new();
    for stage in 0..STAGES {
        body += &note(20, 32 + 20 * stage as u32, "start", &format!("stage {stage}"));
    }
    let (products, packs, stores) = (112, 136, 160);
    for (y, text) in [(products, "products"), (packs, "rounding"), (stores, "stores")] {
        body += &note(20, y + 12, "start", text);
    }
    // When the group of each step has been waited for, and its stage released: one step later, or at once after the last.
    let mut released: Vec<u32> = Vec::new();
    let mut issued = LEFT;
    let mut end = LEFT;
    for block in 0..BLOCKS {
        for step in 0..STEPS {
            let i = block * STEPS + step;
            let free = i.checked_sub(STAGES).map_or(LEFT, |before| released[before]);
            issued = issued.max(free);
            let (y, full) = (20 + 20 * (i % STAGES) as u32, issued + LOAD);
            let start = end.max(full);
            end = start + STEP;
            let release = if step + 1 == STEPS { end } else { end + STEP / 2 };
            body += &bar("copy", issued, y, LOAD);
            body += &bar("work", full, y, release - full);
            body += &bar("work", start, products, STEP);
            if block > 0 && step < PARTS {
                body += &bar("copy", start + 2, stores, STORE);
            }
            released.push(release);
        }
        body += &bar("box", end, packs, PACK);
        end += PACK;
    }
    for part in 0..PARTS as u32 {
        body += &bar("copy", end + 2 + STEP * part, stores, STORE);
    }
    body += &note(
        20,
        206,
        "start",
        "Blue: a copy by the async proxy, into a stage or out to the product. Green: a full stage, and a group of products.",
    );
    body += &note(
        20,
        224,
        "start",
        "The stores of a block run beside the first products of the next block. Only those of the last block run alone.",
    );
    picture(238, "Loads, products and stores of two blocks over time", &body)
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
    fn the_book_shows_the_pictures_of_the_generator() {
        for (name, text) in computed() {
            let file = crate::root().join("docs/book/src/img").join(name);
            let present = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(present == text, "{} is out of date: run `./x pictures`", file.display());
        }
    }

    #[test]
    fn each_sum_has_one_owner() {
        let owners: std::collections::BTreeSet<_> =
            (0..16).flat_map(|row| (0..16).map(move |column| owner(row, column))).collect();
        assert_eq!(owners.len(), 256);
        assert_eq!([owner(1, 2), owner(9, 2), owner(9, 11)], [(5, 0), (5, 2), (5, 7)]);
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
