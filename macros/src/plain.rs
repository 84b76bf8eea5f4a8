//! The derive: a struct that the host passes by value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
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
    let members: Vec<_> = data.fields.members().collect();
    let bindings: Vec<_> = (0..members.len()).map(|i| format_ident!("field_{i}")).collect();
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let checks = bindings.iter().zip(&data.fields).map(
        |(binding, field)| quote_spanned!(field.ty.span()=> ::ptx::launch::assert_plain_value(#binding);),
    );
    Ok(quote! {
        const _: () = {
            // The fields as they are compiled: another attribute may have changed them. No field is left out.
            #[allow(dead_code, unused_variables)]
            fn fields(value: #name) {
                let #name { #(#members: #bindings),* } = value;
                #(#checks)*
            }
        };
        // SAFETY: the struct is `repr(C)`, and each of its fields is `Plain`.
        unsafe impl ::ptx::launch::Plain for #name {
            const LAYOUT: ::core::primitive::u64 = ::ptx::launch::layout(&[
                ::core::mem::size_of::<#name>() as ::core::primitive::u64,
                ::core::mem::align_of::<#name>() as ::core::primitive::u64,
                #(
                    ::core::mem::offset_of!(#name, #members) as ::core::primitive::u64,
                    <#types as ::ptx::launch::Plain>::LAYOUT,
                )*
            ]);

            #[cfg(not(target_arch = "nvptx64"))]
            #[allow(unused_variables)]
            fn write_to(self, bytes: &mut [::core::primitive::u8]) {
                #(
                    let start = ::core::mem::offset_of!(#name, #members);
                    let end = start + ::core::mem::size_of::<#types>();
                    <#types as ::ptx::launch::Plain>::write_to(self.#members, &mut bytes[start..end]);
                )*
            }
        }
    })
}
