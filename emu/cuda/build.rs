//! Gives the library the name of the driver's, and keeps it loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
        // A program may load and unload the driver to see whether it exists. The state of the driver stays.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
