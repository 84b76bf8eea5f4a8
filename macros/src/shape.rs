//! The arguments of the attribute: the author's word, the launch shape, and the instances.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, Token, parenthesized};

use crate::instance::Instances;

const UNIFORM: &str = "the only word of a kernel's author is `unsafe(uniform)`: collective calls are made in uniform control flow, \
    though `ptx-link` cannot prove it. `ptx::group::Cta::enter` has the whole rule";

/// The launch shape that the attribute states.
pub struct Shape {
    /// The author gives the word `unsafe(uniform)`.
    pub uniform: bool,
    /// The word `instances`, and what stands in its parentheses.
    pub instances: Option<(Ident, Instances)>,
    /// The threads of a block, and whether they are the most.
    threads: (Expr, bool),
    cluster: Option<Expr>,
    min_ctas: Option<Expr>,
    max_registers: Option<Expr>,
    any_grid: bool,
}

impl Parse for Shape {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let (mut uniform, mut any_grid) = (false, false);
        let mut instances = None;
        let [mut threads, mut max_threads, mut cluster, mut min_ctas, mut max_registers] =
            [const { None }; 5];
        while !input.is_empty() {
            if input.peek(Token![unsafe]) {
                input.parse::<Token![unsafe]>()?;
                let inner;
                parenthesized!(inner in input);
                let word: Ident = inner.parse()?;
                if word != "uniform" {
                    return Err(syn::Error::new(word.span(), UNIFORM));
                }
                uniform = true;
            } else {
                let name: Ident = input.parse()?;
                if name == "any_grid" {
                    any_grid = true;
                } else if name == "instances" {
                    let inner;
                    parenthesized!(inner in input);
                    let stated = inner.call(parse_instances)?;
                    if instances.replace((name.clone(), stated)).is_some() {
                        return Err(twice(&name));
                    }
                } else {
                    let value = match name.to_string().as_str() {
                        "threads" => &mut threads,
                        "max_threads" => &mut max_threads,
                        "cluster" => &mut cluster,
                        "min_ctas" => &mut min_ctas,
                        "max_registers" => &mut max_registers,
                        _ => {
                            return Err(syn::Error::new(
                                name.span(),
                                format!(
                                    "`{name}` is no property of a kernel: expected `unsafe(uniform)`, `threads = 256`, \
                                     `max_threads = 1024`, `cluster = 2`, `min_ctas = 2`, `max_registers = 128`, `any_grid` or \
                                     `instances(<f32>)`"
                                ),
                            ));
                        }
                    };
                    input.parse::<Token![=]>()?;
                    if value.replace(input.parse()?).is_some() {
                        return Err(twice(&name));
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let threads = match (threads, max_threads) {
            (Some(threads), None) => (threads, false),
            (None, Some(most)) => (most, true),
            (None, None) => {
                return Err(syn::Error::new(
                    Span::call_site(),
                    "a kernel states the threads of its block: write `threads = 256`, or `threads = (16, 16)` for x and y; or \
                     `max_threads = 1024`, if each launch chooses its block",
                ));
            }
            (Some(_), Some(most)) => {
                return Err(syn::Error::new_spanned(
                    most,
                    "`threads` are those of every launch, so there is no choice: remove `threads` or `max_threads`",
                ));
            }
        };
        Ok(Shape { uniform, instances, threads, cluster, min_ctas, max_registers, any_grid })
    }
}

/// Reads `<f32, 128>, <f16, 64>`.
fn parse_instances(input: ParseStream) -> syn::Result<Instances> {
    let mut instances = Instances::new();
    while !input.is_empty() {
        if !input.peek(Token![<]) {
            return Err(input.error(
                "write the arguments of each instance as for a generic function: `instances(<f32>, <f16>)`",
            ));
        }
        instances.push(input.parse()?);
        if !input.is_empty() {
            instances.push_punct(input.parse()?);
        }
    }
    Ok(instances)
}

fn twice(name: &Ident) -> syn::Error {
    syn::Error::new(name.span(), format!("`{name}` is stated twice: remove one"))
}

impl Shape {
    /// Returns the values that `ptx::__kernel!` takes: block, whether launches have smaller ones, cluster, rank of the grid, minimum CTAs, maximum registers.
    pub fn tokens(&self) -> syn::Result<TokenStream> {
        let (threads, smaller_blocks) = &self.threads;
        let block = extents(threads)?;
        let cluster = self.cluster.as_ref().map(extents).transpose()?;
        let Shape { min_ctas, max_registers, any_grid, .. } = self;
        Ok(quote!(#block; #smaller_blocks; #cluster; #any_grid; #min_ctas; #max_registers))
    }
}

/// Reads `x`, `(x, y)` or `(x, y, z)`.
fn extents(value: &Expr) -> syn::Result<TokenStream> {
    let Expr::Tuple(tuple) = value else { return Ok(quote!([#value, 1, 1])) };
    let mut extents: Vec<_> = tuple.elems.iter().map(|extent| quote!(#extent)).collect();
    if extents.is_empty() || extents.len() > 3 {
        return Err(syn::Error::new_spanned(tuple, "expected one to three extents: x, (x, y) or (x, y, z)"));
    }
    extents.resize(3, quote!(1));
    Ok(quote!([#(#extents),*]))
}
