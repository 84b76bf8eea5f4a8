//! The attribute: a function becomes an entry on the device, and the description of its launch on every target.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, FnArg, ItemFn, Pat, PatType, Result, ReturnType, Safety, Type};

use crate::shape::Shape;

/// Where the value of a parameter comes from.
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

pub fn expand(shape: &Shape, mut function: ItemFn) -> Result<TokenStream> {
    check_signature(&function)?;
    let parameters = parameters(&mut function)?;
    let of = |wanted| {
        parameters.iter().filter(move |(origin, _)| *origin == wanted).map(|(_, parameter)| parameter)
    };
    let memory = |origin| {
        of(origin).map(|parameter| &*parameter.ty).next().cloned().unwrap_or(Type::Verbatim(quote!(())))
    };
    let (shared, dynamic) = (memory(Origin::Shared), memory(Origin::Dynamic));
    let types: Vec<&Type> = of(Origin::Host).map(|parameter| &*parameter.ty).collect();
    let names = of(Origin::Host).map(|parameter| name_of(&parameter.pat));

    let (visibility, name) = (&function.vis, &function.sig.ident);
    let text = name.to_string();
    let is = |names: &'static [&str]| {
        function
            .attrs
            .iter()
            .filter(move |attribute| names.iter().any(|name| attribute.path().is_ident(name)))
    };
    let (docs, cfgs) = (is(&["doc", "deprecated", "cfg"]), is(&["cfg"]).collect::<Vec<_>>());
    let shape = shape.implementation()?;
    let is_safe = !matches!(function.sig.safety, Safety::Unsafe(_));
    let safe = is_safe.then(|| {
        // SAFETY: the function is safe, its author gives `unsafe(uniform)`, and `checks` has asserted the parameters.
        quote!(unsafe impl ::ptx::launch::SafeKernel for #name {})
    });
    let check = if is_safe { quote!(assert_safe_parameter) } else { quote!(assert_parameter) };
    let checks = types.iter().map(|ty| quote_spanned!(ty.span()=> ::ptx::launch::#check::<#ty>();));
    let fingerprint = fingerprint(&shape, &function);
    let (entry, stub) = (entry(&function, &parameters, &types, &shared, &fingerprint), stub(&function));
    Ok(quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #name;

        #(#cfgs)*
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[derive(Debug)]
            pub enum __PtxShape {}
            #shape

            // SAFETY: `__ptx_entry` is the entry; these are its parameters, its shape and its dynamic shared memory.
            unsafe impl ::ptx::launch::Kernel for #name {
                const NAME: &'static ::core::primitive::str = #text;
                const FINGERPRINT: &'static ::core::primitive::str = #fingerprint;
                const LAYOUT: ::core::primitive::u64 = ::ptx::launch::layout(&[
                    ::ptx::launch::layout_of_shape::<__PtxShape>(),
                    <#dynamic as ::ptx::launch::DynamicMemory>::BYTES as ::core::primitive::u64,
                    #(<#types as ::ptx::launch::Parameter>::LAYOUT),*
                ]);
                const PARAMETERS: &'static [&'static ::core::primitive::str] = &[#(#names),*];
                const DYNAMIC_SHARED: ::core::primitive::u32 = <#dynamic as ::ptx::launch::DynamicMemory>::BYTES;
                type Shape = __PtxShape;
                type Parameters = (#(#types,)*);
            }
            #safe
            const _: () = {
                ::ptx::launch::assert_shape::<__PtxShape>();
                #(#checks)*
            };
            #entry
            #stub
        };
    })
}

/// States to `ptx-link` the number, size and alignment of a parameter that is passed by value. The first word is no PTX, so that
/// ptxas refuses the kernel unless `ptx-link` has read the statement.
const STATEMENT: &str = concat!(
    "link_this_kernel_with_ptx_link_",
    env!("CARGO_PKG_VERSION_MAJOR"),
    "_",
    env!("CARGO_PKG_VERSION_MINOR"),
    "; // entry: .param {} {} {}"
);

/// The kernel's entry on the device. The function itself stands inside of it, so its body sees the names of its module.
fn entry(
    function: &ItemFn,
    parameters: &[(Origin, PatType)],
    types: &[&Type],
    shared: &Type,
    fingerprint: &str,
) -> TokenStream {
    let name = &function.sig.ident;
    let text = name.to_string();
    let places: Vec<Ident> = (0..types.len()).map(|i| format_ident!("parameter_{i}")).collect();
    let (statement, numbers) = (STATEMENT, 0..types.len());
    let mut from_host = places.iter();
    let values = parameters.iter().map(|(origin, parameter)| {
        let ty = &parameter.ty;
        match origin {
            Origin::Cta => quote_spanned!(ty.span()=> cta),
            Origin::Shared => quote_spanned!(ty.span()=> shared),
            Origin::Dynamic => {
                quote_spanned!(ty.span()=> <#ty as ::ptx::launch::DynamicMemory>::take(dynamic))
            }
            Origin::Host => {
                let place = from_host.next();
                quote_spanned!(ty.span()=> #place)
            }
        }
    });
    let values: Vec<_> = values.collect();
    // A safe function is called outside of `unsafe`: an attribute that makes it unsafe is an error.
    let call = match &function.sig.safety {
        // SAFETY: the caller of the unsafe launch keeps the function's `# Safety`.
        Safety::Unsafe(_) => quote!(unsafe { #name(#(#values),*) };),
        // rustc refuses a `safe fn` here.
        Safety::Safe(_) | Safety::Default => quote!(#name(#(#values),*);),
    };
    let symbol = format!(".visible .global .align 8 .u64 {fingerprint} = {{}}U;");
    let inner = inner(function);
    quote! {
        #[cfg(target_arch = "nvptx64")]
        #[unsafe(export_name = #text)]
        #[allow(improper_ctypes_definitions)]
        pub unsafe extern "ptx-kernel" fn __ptx_entry(
            #(#places: *const <#types as ::ptx::launch::Parameter>::Raw),*
        ) {
            #[inline(always)]
            #inner
            ::ptx::__canary!();
            #(::ptx::__parameter!(#statement, #numbers, #types);)*
            // SAFETY: the author gives `unsafe(uniform)`; a launch has this shape, and passes values that keep the contracts of
            // their types (`SafeKernel`, or the caller of an unsafe launch).
            let (cta, shared, dynamic, values) = unsafe {
                let (cta, shared, dynamic) = ::ptx::launch::Cta::enter_with::<#shared, __PtxShape>();
                (cta, shared, dynamic, (#(<#types as ::ptx::launch::Parameter>::from_raw(#places),)*))
            };
            let _ = (&shared, &dynamic);
            let (#(#places,)*) = values;
            #call
            ::ptx::launch::end_of_dependent_grid::<{ false #(|| <#types as ::ptx::launch::Parameter>::PREREQUISITE)* }>();
            ::ptx::launch::end_of_thread();
        }

        // A module, since this macro is an item and not a statement.
        #[cfg(target_arch = "nvptx64")]
        mod __ptx_fingerprint {
            ::core::arch::global_asm!(#symbol, const <super::#name as ::ptx::launch::Kernel>::LAYOUT);
        }
    }
}

/// The function inside of an item that has its visibility, its `cfg`s and its documentation.
fn inner(function: &ItemFn) -> ItemFn {
    let mut inner = function.clone();
    inner.vis = syn::Visibility::Inherited;
    inner.attrs.retain(|attribute| !attribute.path().is_ident("cfg") && !attribute.path().is_ident("doc"));
    inner
}

/// Names a symbol by the kernel and a hash of its package and its source. Compilers print tokens with different spaces.
fn fingerprint(shape: &TokenStream, function: &ItemFn) -> String {
    let package = ["CARGO_PKG_NAME", "CARGO_PKG_VERSION"].map(|name| std::env::var(name).unwrap_or_default());
    let mut function = function.clone();
    function.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let version = env!("CARGO_PKG_VERSION");
    let source = format!("{version} {package:?} {shape} {}", quote!(#function));
    let bytes = source.bytes().filter(|byte| !byte.is_ascii_whitespace());
    // FNV-1a: the hash of `std` may change with the compiler, and host and device are compiled by two.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}__{hash:016x}", function.sig.ident)
}

/// The function on the host: without its body, which may need features of the nightly, except for rust-analyzer. It uses the names
/// in the signature.
fn stub(function: &ItemFn) -> TokenStream {
    let with_body = inner(function);
    let mut stub = with_body.clone();
    stub.block.stmts.clear();
    quote! {
        #[cfg(all(not(target_arch = "nvptx64"), not(rust_analyzer)))]
        #[allow(unused, clippy::all)]
        #stub
        #[cfg(all(not(target_arch = "nvptx64"), rust_analyzer))]
        #[allow(unused)]
        #with_body
    }
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
    if let Some(parameter) = signature.generics.params.first() {
        return Err(Error::new_spanned(
            parameter,
            "a kernel is one entry of the module, so it has no generics: write a generic function, and a kernel for each use",
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

/// Returns the parameters, and removes the attributes that say where they come from.
fn parameters(function: &mut ItemFn) -> Result<Vec<(Origin, PatType)>> {
    const CTA: &str =
        "the first parameter of a kernel is its thread block: write `cta: Cta`, or `mut cta: Cta`";
    let name = function.sig.ident.clone();
    let mut parameters: Vec<(Origin, PatType)> = Vec::new();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(parameter) = input else {
            return Err(Error::new_spanned(input, "a kernel is a free function: remove `self`"));
        };
        let origin = if parameters.is_empty() { Origin::Cta } else { take_origin(&mut parameter.attrs)? };
        if origin == Origin::Cta && !is_cta(&parameter.ty) {
            return Err(Error::new_spanned(&parameter.ty, CTA));
        }
        if origin != Origin::Host && parameters.iter().any(|(other, _)| *other == origin) {
            return Err(Error::new_spanned(
                parameter,
                "a kernel has one `#[shared]` and one `#[dynamic]` parameter: put several places into a struct of \
                 `shared_memory!`, or into a tuple",
            ));
        }
        parameters.push((origin, parameter.clone()));
    }
    if parameters.is_empty() { Err(Error::new(name.span(), CTA)) } else { Ok(parameters) }
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

/// The name of a parameter, for messages.
fn name_of(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        _ => "_".into(),
    }
}
