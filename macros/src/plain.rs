//! Expands the derive, for a struct that the host passes by value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Result};

/// Expands to one call of `ptx::__plain!`, which has every `unsafe` and every path.
pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "`Plain` is derived for structs: pass an integer for an enum",
        ));
    };
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(parameter, "`Plain` is derived for structs without generics"));
    }
    let mut is_c = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            is_c |= meta.path.is_ident("C");
            if meta.input.peek(syn::token::Paren) {
                let _alignment: proc_macro2::Group = meta.input.parse()?;
            }
            Ok(())
        })?;
    }
    if !is_c {
        return Err(Error::new_spanned(
            &input.ident,
            "host and device must lay the struct out alike: add `#[repr(C)]` before it",
        ));
    }
    let name = &input.ident;
    let fields = data.fields.members().zip(&data.fields).enumerate().map(|(i, (member, field))| {
        // Errors about the field point to its type, which the expansion does not repeat.
        let binding = format_ident!("__ptx_field_{i}", span = field.ty.span());
        quote!(#member #binding, #binding;)
    });
    Ok(quote!(::ptx::__plain! { #name { #(#fields)* } }))
}
