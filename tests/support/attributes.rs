//! The procedural macros of the crates that `tests/kernel.rs` compiles: attributes and macros that a user may have.

use std::sync::Mutex;

use proc_macro::TokenStream;

/// Makes each `u8` of an item a `bool`.
#[proc_macro_attribute]
pub fn bools(_: TokenStream, item: TokenStream) -> TokenStream {
    item.to_string().replace("u8", "bool").parse().unwrap()
}

/// Adds an alias beside a function, of the name that `#[ptx::kernel]` gives the type of the second parameter.
#[proc_macro_attribute]
pub fn with_alias(_: TokenStream, item: TokenStream) -> TokenStream {
    format!("{item} type __PtxParameter1 = ptx::global::GlobalElementsMut<u32>;").parse().unwrap()
}

/// The numbers that `once` has seen, and an empty text for each expansion of `fewer`.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// `once!(number tokens)`: the tokens, or an error if it expands a second time with this number.
#[proc_macro]
pub fn once(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let number = tokens.next().unwrap().to_string();
    let mut seen = SEEN.lock().unwrap();
    if seen.contains(&number) {
        return format!("compile_error!(\"number {number} is expanded again\")").parse().unwrap();
    }
    seen.push(number);
    tokens.collect()
}

/// `fewer!()`: 1024 at first, a smaller number each later time.
#[proc_macro]
pub fn fewer(_: TokenStream) -> TokenStream {
    let mut seen = SEEN.lock().unwrap();
    seen.push(String::new());
    (1024 / seen.len()).to_string().parse().unwrap()
}
