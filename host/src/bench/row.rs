//! The result of a benchmark, as text and as a line of JSON.

use std::fmt::{self, Write as _};

use crate::KernelAttributes;

pub struct Row<'a> {
    pub name: &'a str,
    pub kernel: &'a str,
    pub seconds: f64,
    /// The time of the resets before a launch, which `seconds` does not have.
    pub resets: Option<f64>,
    /// The bytes that a launch reads and writes; 0 if the time of a copy says nothing about the kernel.
    pub bytes: usize,
    /// The time of a copy that reads and writes the same bytes.
    pub copy: Option<f64>,
    pub attributes: &'a KernelAttributes,
}

impl Row<'_> {
    /// Returns the line of JSON that `cargo ptx bench` reads.
    pub fn json(&self, device: &str) -> String {
        let number = |value: Option<f64>| value.map_or("null".into(), |value| format!("{value}"));
        let KernelAttributes { registers, local_bytes, .. } = self.attributes;
        format!(
            r#"{{"name":{},"kernel":{},"device":{},"seconds":{},"bytes":{},"copy_seconds":{},"registers":{registers},"local_bytes":{local_bytes}}}"#,
            quoted(self.name),
            quoted(self.kernel),
            quoted(device),
            self.seconds,
            self.bytes,
            number(self.copy),
        )
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.2} µs", self.name, self.seconds * 1e6)?;
        if let Some(copy) = self.copy {
            let speed = self.bytes as f64 / self.seconds / 1e9;
            write!(f, ", {speed:.0} GB/s, {:.3} of a copy", copy / self.seconds)?;
        }
        if let Some(resets) = self.resets {
            write!(f, ", without {:.2} µs of resets", resets * 1e6)?;
        }
        write!(f, ", {} registers", self.attributes.registers)?;
        match self.attributes.local_bytes {
            0 => Ok(()),
            bytes => write!(f, ", {bytes} B of local memory"),
        }
    }
}

/// Returns a string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Writing to a `String` does not fail.
            '\0'..='\x1f' => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_a_line_and_json() {
        let attributes = KernelAttributes {
            registers: 24,
            static_shared_bytes: 0,
            local_bytes: 8,
            max_threads: 1024,
            max_dynamic_shared_bytes: 0,
            required_block: None,
            required_cluster: None,
        };
        let name = "a \"b\"\n";
        let row = Row {
            name,
            kernel: "k",
            seconds: 2e-6,
            resets: None,
            bytes: 6000,
            copy: Some(1.5e-6),
            attributes: &attributes,
        };
        let text = "2.00 µs, 3 GB/s, 0.750 of a copy, 24 registers, 8 B of local memory";
        assert_eq!(row.to_string(), format!("{name}: {text}"));
        assert_eq!(
            row.json("GPU"),
            r#"{"name":"a \"b\"\u000a","kernel":"k","device":"GPU","seconds":0.000002,"bytes":6000,"copy_seconds":0.0000015,"registers":24,"local_bytes":8}"#
        );
        let resets = Row { name: "k", resets: Some(5e-7), ..row };
        assert!(resets.to_string().contains(" of a copy, without 0.50 µs of resets, 24 registers"));
        let bare = Row { name: "k", bytes: 0, copy: None, ..row };
        assert!(bare.to_string().starts_with("k: 2.00 µs, 24 registers"));
        assert!(bare.json("GPU").contains(r#""copy_seconds":null"#));
    }
}
