//! The instances of a generic kernel: `instances(<f32, 128>, <f16, 64>)`.
//!
//! Each instance is compiled as a function of its own, in which a type parameter is an alias and a constant parameter a constant.
//! So `{ M * N }` can be the length of an array, which rustc refuses in a generic function.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    AngleBracketedGenericArguments, Error, Expr, GenericArgument, GenericParam, ItemFn, Result, Signature,
    Token, parse2,
};

/// The arguments of each instance, as the attribute states them.
pub type Instances = Punctuated<AngleBracketedGenericArguments, Token![,]>;

/// One entry of a kernel.
pub struct Instance {
    /// The name of the entry in PTX.
    pub entry: Ident,
    /// The type's arguments, by the names of `arguments`: `<__PtxArgument0, …>`. Nothing if the kernel is not generic.
    pub of: TokenStream,
    /// Names the arguments.
    pub arguments: TokenStream,
    /// Gives the parameters their values, and checks their bounds.
    pub parameters: TokenStream,
}

/// Returns the entries of a kernel.
pub fn instances(signature: &Signature, stated: Option<&(Ident, Instances)>) -> Result<Vec<Instance>> {
    let generics = &signature.generics.params;
    if let Some(lifetime) = generics.iter().find(|parameter| matches!(parameter, GenericParam::Lifetime(_))) {
        return Err(Error::new_spanned(
            lifetime,
            "a kernel has no lifetime parameter: what the host passes lives until the grid ends",
        ));
    }
    match (generics.is_empty(), stated) {
        (true, None) => Ok(vec![Instance {
            entry: signature.ident.clone(),
            of: quote!(),
            arguments: quote!(),
            parameters: quote!(),
        }]),
        (true, Some((word, _))) => Err(Error::new(
            word.span(),
            "this kernel has no generic parameters, so it is its only instance: remove `instances(…)`",
        )),
        (false, None) => {
            let example = generics.iter().map(|parameter| match parameter {
                GenericParam::Const(_) => "128",
                _ => "f32",
            });
            let example = example.collect::<Vec<_>>().join(", ");
            Err(Error::new_spanned(
                generics,
                format!(
                    "a generic kernel states its instances, each of which becomes an entry: add `instances(<{example}>)` to \
                     `#[ptx::kernel(…)]`"
                ),
            ))
        }
        (false, Some((word, stated))) => {
            if stated.is_empty() {
                return Err(Error::new(word.span(), "a kernel has at least one instance"));
            }
            let mut instances: Vec<Instance> = Vec::new();
            for arguments in stated {
                let made = instance(signature, arguments)?;
                if instances.iter().any(|other| other.entry == made.entry) {
                    return Err(Error::new_spanned(
                        arguments,
                        format!(
                            "two instances have the entry `{}`: remove one, or name an argument by an alias or a constant",
                            made.entry
                        ),
                    ));
                }
                instances.push(made);
            }
            Ok(instances)
        }
    }
}

fn instance(signature: &Signature, stated: &AngleBracketedGenericArguments) -> Result<Instance> {
    let Signature { ident: kernel, generics, .. } = signature;
    if stated.args.len() != generics.params.len() {
        return Err(Error::new_spanned(
            stated,
            format!(
                "`{kernel}` has {} generic parameters, this instance {} arguments",
                generics.params.len(),
                stated.args.len()
            ),
        ));
    }
    let [mut arguments, mut parameters, mut of] = [const { Vec::new() }; 3];
    for (i, (parameter, argument)) in generics.params.iter().zip(&stated.args).enumerate() {
        let (span, tokens) = (argument.span(), argument.to_token_stream());
        match parameter {
            GenericParam::Const(constant) => {
                let (name, ty) = (&constant.ident, &constant.ty);
                let value: Expr = match argument {
                    GenericArgument::Const(_) | GenericArgument::Type(_) => parse2(tokens).ok(),
                    _ => None,
                }
                .ok_or_else(|| Error::new(span, format!("`{name}` is a constant: write its value")))?;
                let alias = format_ident!("__PTX_ARGUMENT_{i}", span = span);
                arguments.push(quote!(const #alias: #ty = #value;));
                parameters.push(quote!(#[allow(dead_code)] const #name: #ty = #alias;));
                of.push(quote!({ #alias }));
            }
            _ => {
                let GenericParam::Type(of_type) = parameter else { continue };
                let name = &of_type.ident;
                let GenericArgument::Type(ty) = argument else {
                    return Err(Error::new(span, format!("`{name}` is a type: write the name of one")));
                };
                let alias = format_ident!("__PtxArgument{i}", span = span);
                arguments.push(quote!(type #alias = #ty;));
                parameters.push(quote!(#[allow(dead_code)] type #name = #alias;));
                of.push(quote!(#alias));
            }
        }
    }
    let of = quote!(<#(#of),*>);
    let (declared, _, bounds) = generics.split_for_impl();
    parameters.push(quote! {
        const _: fn() = {
            fn #kernel #declared() #bounds {}
            #kernel::#of
        };
    });
    Ok(Instance {
        entry: format_ident!("{kernel}_{}", name(&stated.args.to_token_stream()), span = kernel.span()),
        of,
        arguments: quote!(#(#arguments)*),
        parameters: quote!(#(#parameters)*),
    })
}

/// Returns the words of the tokens, joined by `_`: letters and digits that a name in PTX may have.
fn name(tokens: &TokenStream) -> String {
    let words = all_tokens(tokens.clone()).map(|token| match token {
        TokenTree::Ident(_) | TokenTree::Literal(_) => {
            token.to_string().replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_")
        }
        TokenTree::Punct(punct) if punct.as_char() == '-' => "minus".into(),
        _ => String::new(),
    });
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// Returns the tokens, with those inside of groups.
pub fn all_tokens(tokens: TokenStream) -> Box<dyn Iterator<Item = TokenTree>> {
    Box::new(tokens.into_iter().flat_map(|token| match token {
        TokenTree::Group(group) => all_tokens(group.stream()),
        token => Box::new(std::iter::once(token)),
    }))
}

/// Returns the parameters of the kernel's type, without bounds, and those of them that are types.
pub fn declared(function: &ItemFn) -> (Vec<TokenStream>, Vec<Ident>) {
    let parameters = &function.sig.generics.params;
    let declared = parameters.iter().map(|parameter| match parameter {
        GenericParam::Const(constant) => {
            let (name, ty) = (&constant.ident, &constant.ty);
            quote!(const #name: #ty)
        }
        GenericParam::Type(of_type) => of_type.ident.to_token_stream(),
        GenericParam::Lifetime(_) => quote!(),
    });
    let types = function.sig.generics.type_params().map(|parameter| parameter.ident.clone());
    (declared.collect(), types.collect())
}
