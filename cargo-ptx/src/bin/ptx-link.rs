//! The linker of device code, as a program. It lies here so that one `cargo install` brings the linker and `cargo ptx`.

fn main() -> std::process::ExitCode {
    ptx_link::main()
}
