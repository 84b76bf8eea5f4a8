//! The macros of `ptx`. Use them as `ptx::kernel`, `ptx::Plain`, `ptx::print!` and `ptx::println!`, whose documentation is in
//! `ptx`.

mod instance;
mod kernel;
mod locate;
mod page;
mod plain;
mod print;
mod shape;

use proc_macro::TokenStream;
use quote::ToTokens;
use syn::{DeriveInput, ItemFn, LitStr, parse_macro_input};

/// Makes a function a kernel. `ptx::kernel` has the documentation.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let shape = parse_macro_input!(arguments as shape::Shape);
    let function = parse_macro_input!(item as ItemFn);
    kernel::expand(&shape, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives `ptx::launch::Plain`. `ptx::Plain` has the documentation.
#[proc_macro_derive(Plain)]
pub fn plain(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    plain::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Prints from a kernel. `ptx::print!` has the documentation.
#[proc_macro]
pub fn print(arguments: TokenStream) -> TokenStream {
    let print = parse_macro_input!(arguments as print::Print);
    print::expand(print, "").unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Prints a line from a kernel. `ptx::println!` has the documentation.
#[proc_macro]
pub fn println(arguments: TokenStream) -> TokenStream {
    let print = parse_macro_input!(arguments as print::Print);
    print::expand(print, "\n").unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Gives code the place of a type in the user's file: the first argument is the type, which is not expanded, and the rest the code.
#[doc(hidden)]
#[proc_macro]
pub fn at_type(input: TokenStream) -> TokenStream {
    locate::expand(input.into()).into()
}

/// Reads a document of the package for rustdoc: its links lead to modules of `ptx::docs`.
#[doc(hidden)]
#[proc_macro]
pub fn page(file: TokenStream) -> TokenStream {
    let page = page::read(&parse_macro_input!(file as LitStr));
    page.map_or_else(syn::Error::into_compile_error, |page| page.into_token_stream()).into()
}
