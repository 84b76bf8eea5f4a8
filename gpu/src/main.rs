//! `ptx-gpu`: see `ptx-gpu --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ptx_gpu::main()
}
