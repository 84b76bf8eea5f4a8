//! Expands the attribute: a function becomes an entry on the device, and the description of its launch on every target. A generic
//! function becomes an entry for each instance.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Expr, FnArg, Generics, ItemFn, Pat, Result, ReturnType, Safety, Token, Type};

use crate::instance::{Instance, all_tokens, declared, instances};
use crate::shape::Shape;

/// The source of a parameter's value.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    /// The thread's place in the launch.
    Cta,
    /// Static shared memory.
    Shared,
    /// Dynamic shared memory.
    Dynamic,
    /// The host.
    Host,
}

struct Parameter {
    origin: Origin,
    /// The name of the value in the entry. Errors about the value point to the type.
    place: Ident,
    /// The parameter's own name, for messages.
    name: String,
    /// The alias of the type, which the expansion has in place of the type: a macro inside of the type may expand to another
    /// type each time. Errors about the alias point to the type.
    alias: Ident,
    ty: Type,
    /// The extents that `#[len(…)]` states.
    length: Vec<Expr>,
}

/// Expands to one call of `ptx::__kernel!`, which has every `unsafe` and every path.
pub fn expand(shape: &Shape, mut function: ItemFn) -> Result<TokenStream> {
    check_signature(&function)?;
    let instances = instances(&function.sig, shape.instances.as_ref())?;
    let source = function.clone();
    let uniform = shape.uniform;
    let shape = shape.tokens()?;
    let parameters = parameters(&mut function)?;
    replace_types(&mut function, &parameters);
    let memory = |origin| match parameters.iter().find(|parameter| parameter.origin == origin) {
        Some(Parameter { place, alias, .. }) => quote!(#place: #alias),
        None => {
            let place = place("memory", parameters.len() + origin as usize, Span::mixed_site());
            quote!(#place: ())
        }
    };
    let (shared, dynamic) = (memory(Origin::Shared), memory(Origin::Dynamic));
    let cta = &parameters[0].place;
    let of_host: Vec<_> = parameters.iter().filter(|parameter| parameter.origin == Origin::Host).collect();
    let (passed, lengths) = passed(&of_host);
    // The thread block's type stands in the function alone.
    let types: TokenStream =
        parameters[1..].iter().map(|Parameter { alias, ty, .. }| quote!(#alias = #ty;)).collect();
    let arguments = parameters.iter().map(|parameter| &parameter.place);
    let call = quote!((#(#arguments),*));

    let (visibility, name) = (&function.vis, &function.sig.ident);
    let is = |names: &'static [&str]| {
        function
            .attrs
            .iter()
            .filter(move |attribute| names.iter().any(|name| attribute.path().is_ident(name)))
    };
    let (docs, cfgs) = (is(&["doc", "deprecated", "cfg"]), is(&["cfg"]));
    let proof = if uniform { quote!(stated) } else { quote!(proven) };
    let safety = match function.sig.safety {
        Safety::Unsafe(_) => quote!(not_safe),
        // rustc refuses a `safe fn` here.
        Safety::Safe(_) | Safety::Default => quote!(safe),
    };
    let inner = inner(&function);
    let mut stub = inner.clone();
    stub.block.stmts.clear();
    let generics = match declared(&source) {
        (declared, _) if declared.is_empty() => quote!(),
        (declared, types) => {
            let never = place(&format!("never_{name}"), 0, name.span());
            quote!({ #(#declared),* } { #(#types,)* } #never)
        }
    };
    let instances = instances.iter().map(|instance| {
        let Instance { entry, of, arguments, parameters } = instance;
        let fingerprint = fingerprint(&source, &[&shape, arguments], entry);
        quote! { {
            entry { #entry #fingerprint #name #of }
            arguments { #arguments }
            generics { #parameters }
            shape { #shape }
            types { #types }
            memory { #cta, #shared, #dynamic }
            parameters { #passed }
            lengths { #lengths }
            call { #call }
            function { #inner }
            stub { #stub }
        } }
    });
    Ok(quote! {
        ::ptx::__kernel! {
            unsafe(uniform) #proof #safety
            docs { #(#docs)* }
            cfgs { #(#cfgs)* }
            name { #visibility #name #generics }
            instances { #(#instances)* }
        }
    })
}

/// Returns the parameters that the host passes, and the lengths that their attributes state. An extent is the value of another
/// parameter, or a constant, which the device takes of the lengths: a user's expression stands outside of the `unsafe` block.
fn passed(parameters: &[&Parameter]) -> (TokenStream, TokenStream) {
    let (mut passed, mut lengths, mut stated) = (TokenStream::new(), TokenStream::new(), 0);
    for (i, Parameter { place, alias, name, length, .. }) in parameters.iter().enumerate() {
        let i = Literal::usize_unsuffixed(i);
        passed.extend(quote!(#i #name #place: #alias));
        if !length.is_empty() {
            let number = Literal::usize_unsuffixed(stated);
            let extents = length.iter().enumerate().map(|(k, extent)| {
                let value = |(_, parameter): &(usize, &&Parameter)| is_named(extent, &parameter.name);
                match parameters.iter().enumerate().find(value) {
                    Some((of, Parameter { place, alias, .. })) => {
                        let of = Literal::usize_unsuffixed(of);
                        (quote!((#of #alias)), quote!((#place)))
                    }
                    None => {
                        let k = Literal::usize_unsuffixed(k);
                        (quote!([#extent]), quote!((#number #k)))
                    }
                }
            });
            let (of_launch, of_device): (TokenStream, TokenStream) = extents.unzip();
            let count = Literal::usize_unsuffixed(length.len());
            lengths.extend(quote!(#i #alias; #count [#of_launch]));
            passed.extend(quote!(; [#of_device]));
            stated += 1;
        }
        passed.extend(quote!(,));
    }
    (passed, lengths)
}

fn is_named(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Path(path) if path.path.get_ident().is_some_and(|ident| ident == name))
}

/// Gives the function's parameters the aliases of their types. A parameter that gives a length needs no other use.
fn replace_types(function: &mut ItemFn, parameters: &[Parameter]) {
    for (input, Parameter { alias, name, .. }) in function.sig.inputs.iter_mut().zip(parameters).skip(1) {
        if let FnArg::Typed(parameter) = input {
            *parameter.ty = syn::parse_quote!(#alias);
            if parameters.iter().flat_map(|other| &other.length).any(|extent| is_named(extent, name)) {
                parameter.attrs.push(syn::parse_quote!(#[allow(unused_variables)]));
            }
        }
    }
}

/// Returns the function without its visibility, its `cfg`s and its documentation, which the item around the function has, and
/// without its generic parameters, which are items beside the function.
fn inner(function: &ItemFn) -> ItemFn {
    let mut inner = function.clone();
    inner.sig.generics = Generics::default();
    inner.vis = syn::Visibility::Inherited;
    inner.attrs.retain(|attribute| !attribute.path().is_ident("cfg") && !attribute.path().is_ident("doc"));
    inner
}

/// Returns a symbol of the entry's name and a hash of its package and its source. The hash skips the spaces, which compilers
/// print differently between tokens.
fn fingerprint(function: &ItemFn, of_instance: &[&TokenStream], entry: &Ident) -> Ident {
    let package = ["CARGO_PKG_NAME", "CARGO_PKG_VERSION"].map(|name| std::env::var(name).unwrap_or_default());
    let mut function = function.clone();
    function.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let version = env!("CARGO_PKG_VERSION");
    let source = format!("{version} {package:?} {} {}", quote!(#(#of_instance)*), quote!(#function));
    let bytes = source.bytes().filter(|byte| !byte.is_ascii_whitespace());
    // The hash is FNV-1a: that of `std` may change with the compiler, and two compilers compile host and device.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format_ident!("{entry}__{hash:016x}")
}

fn check_signature(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    const TAKEN: [&str; 10] = [
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "bcmp",
        "strlen",
        "malloc",
        "free",
        "vprintf",
        "__assertfail",
    ];
    if TAKEN.contains(&signature.ident.to_string().as_str()) {
        return Err(Error::new_spanned(
            &signature.ident,
            "the compiler or CUDA calls a function of this name: choose another name for the kernel",
        ));
    }
    if let Some(keyword) = &signature.asyncness {
        return Err(Error::new_spanned(keyword, "a kernel is not `async`"));
    }
    if let Some(keyword) = &signature.constness {
        return Err(Error::new_spanned(keyword, "a kernel is not `const`"));
    }
    if let Some(abi) = &signature.abi {
        return Err(Error::new_spanned(abi, "`#[ptx::kernel]` gives the function its ABI: remove `extern`"));
    }
    if let Some(variadic) = &signature.variadic {
        return Err(Error::new_spanned(variadic, "a kernel has a fixed number of parameters"));
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        return Err(Error::new_spanned(
            ty,
            "a kernel returns nothing: write results to memory that the host passes",
        ));
    }
    Ok(())
}

/// Returns the parameters, and removes the attributes that name the sources of their values.
fn parameters(function: &mut ItemFn) -> Result<Vec<Parameter>> {
    const CTA: &str =
        "the first parameter of a kernel is its thread block: write `cta: Cta`, or `mut cta: Cta`";
    let name = function.sig.ident.clone();
    let mut parameters: Vec<Parameter> = Vec::new();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(parameter) = input else {
            return Err(Error::new_spanned(input, "a kernel is a free function: remove `self`"));
        };
        let length = take_length(&mut parameter.attrs)?;
        let origin = if parameters.is_empty() { Origin::Cta } else { take_origin(&mut parameter.attrs)? };
        if origin != Origin::Host
            && let Some(extent) = length.first()
        {
            return Err(Error::new_spanned(extent, "`#[len(…)]` is for memory that the host passes"));
        }
        if origin == Origin::Cta && !is_cta(&parameter.ty) {
            return Err(Error::new_spanned(&parameter.ty, CTA));
        }
        if origin == Origin::Host {
            check_type(&name_of(&parameter.pat), &parameter.ty)?;
        }
        if origin != Origin::Host && parameters.iter().any(|other| other.origin == origin) {
            return Err(Error::new_spanned(
                parameter,
                "a kernel has one `#[shared]` and one `#[dynamic]` parameter: put several places into a struct of \
                 `shared_memory!`, or into a tuple",
            ));
        }
        let (number, span) = (parameters.len(), parameter.ty.span());
        parameters.push(Parameter {
            origin,
            place: place("parameter", number, span),
            name: name_of(&parameter.pat),
            alias: format_ident!("__PtxParameter{number}", span = span),
            ty: *parameter.ty.clone(),
            length,
        });
    }
    if parameters.is_empty() { Err(Error::new(name.span(), CTA)) } else { Ok(parameters) }
}

/// Refuses references, which a device cannot follow, and types without a name.
fn check_type(name: &str, ty: &Type) -> Result<()> {
    let (element, mutable) = match ty {
        Type::Group(group) => return check_type(name, &group.elem),
        Type::Paren(paren) => return check_type(name, &paren.elem),
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => (&*slice.elem, reference.mutability.is_some()),
            element => (element, reference.mutability.is_some()),
        },
        Type::ImplTrait(_) | Type::Infer(_) => {
            return Err(Error::new_spanned(
                ty,
                "a kernel is one entry of the module, so its parameters have types: name the type",
            ));
        }
        _ => {
            let of_reference = |token: &TokenTree| match token {
                TokenTree::Punct(punct) => punct.as_char() == '&',
                _ => false,
            };
            return match all_tokens(ty.to_token_stream()).find(of_reference) {
                Some(token) => Err(Error::new(token.span(), REFERENCE)),
                None => Ok(()),
            };
        }
    };
    let element: String = element.to_token_stream().to_string().split(' ').collect();
    let instead = match mutable {
        false => format!(
            "write `{name}: Global<{element}>` for memory that the kernel reads, or `{name}: {element}` for a value"
        ),
        true => format!(
            "write `{name}: GlobalElementsMut<{element}>` for memory of which each thread writes its elements, or \
             `{name}: GlobalMut<{element}, N>` for tiles of `N` elements"
        ),
    };
    Err(Error::new_spanned(ty, format!("{REFERENCE}: {instead} (`ptx::global`)")))
}

const REFERENCE: &str = "a kernel takes no reference, as the device has memory of its own";

/// Removes `#[len(…)]`, and returns the extents that it states.
fn take_length(attributes: &mut Vec<Attribute>) -> Result<Vec<Expr>> {
    let Some(i) = attributes.iter().position(|attribute| attribute.path().is_ident("len")) else {
        return Ok(Vec::new());
    };
    let attribute = attributes.remove(i);
    let extents = attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
    if extents.is_empty() || extents.len() > 2 {
        return Err(Error::new_spanned(
            attribute,
            "write the elements of a slice, `#[len(n)]`, or the rows and columns of a matrix, `#[len(rows, columns)]`",
        ));
    }
    Ok(extents.into_iter().collect())
}

fn take_origin(attributes: &mut Vec<Attribute>) -> Result<Origin> {
    let mut origin = Origin::Host;
    let mut rest = Vec::new();
    for attribute in attributes.drain(..) {
        let named = match () {
            () if attribute.path().is_ident("shared") => Origin::Shared,
            () if attribute.path().is_ident("dynamic") => Origin::Dynamic,
            () => {
                rest.push(attribute);
                continue;
            }
        };
        attribute.meta.require_path_only()?;
        if origin != Origin::Host {
            return Err(Error::new_spanned(
                attribute,
                "a parameter is `#[shared]` or `#[dynamic]`, not both",
            ));
        }
        origin = named;
    }
    *attributes = rest;
    Ok(origin)
}

fn is_cta(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Cta"))
}

/// Returns a name that cannot clash with the user's names.
fn place(name: &str, number: usize, span: Span) -> Ident {
    format_ident!("__ptx_{name}_{number}", span = Span::mixed_site().located_at(span))
}

/// Returns the name of a parameter, for messages.
fn name_of(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        _ => "_".into(),
    }
}
