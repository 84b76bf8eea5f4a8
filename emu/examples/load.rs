//! `cargo run -p ptx-emu --example load -- FILE…`: loads PTX files, and prints how many the interpreter parses and decodes, and why it
//! refuses the others.

use std::process::ExitCode;
use std::time::Instant;

use ptx_emu::{Device, LoadError};

fn main() -> ExitCode {
    let (mut parsed, mut decoded, mut kernels, mut all) = (0, 0, 0, 0);
    for path in std::env::args().skip(1) {
        all += 1;
        let start = Instant::now();
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let module = Device::new().load(&text);
        parsed += usize::from(!matches!(module, Err(LoadError::Parse(_))));
        match module {
            Ok(module) => {
                decoded += 1;
                kernels += module.kernels().count();
                println!(
                    "{path}: {} lines, {} kernels, {:.0?}",
                    text.lines().count(),
                    module.kernels().count(),
                    start.elapsed()
                );
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
    println!("{all} files: {parsed} parsed, {decoded} decoded, with {kernels} kernels");
    if decoded == all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
