//! The derive: a struct that the host passes by value.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Result};

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
    let checks = data.fields.iter().map(|field| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> ::ptx::launch::assert_plain::<#ty>();)
    });
    Ok(quote! {
        const _: () = { #(#checks)* };
        // SAFETY: the struct is `repr(C)`, and each of its fields is `Plain`.
        unsafe impl ::ptx::launch::Plain for #name {}
    })
}
