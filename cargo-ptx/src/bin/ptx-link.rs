//! The linker of device code, as a program of this package, so that one `cargo install` installs the linker and `cargo ptx`.

fn main() -> std::process::ExitCode {
    ptx_link::main()
}
