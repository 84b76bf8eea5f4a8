//! Moves code to a place in the user's file, so that an error about the code points there. Names keep their meaning.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// Drops the first token, a type that a macro has matched, and returns the rest with its place.
pub fn expand(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    let place = tokens.next().map_or_else(Span::call_site, |ty| first(&ty));
    tokens.map(|token| locate(token, place)).collect()
}

/// Returns the place of the first token in what a macro has matched, which is a group without delimiters.
fn first(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::None => {
            group.stream().into_iter().next().map_or_else(|| group.span(), |inner| first(&inner))
        }
        other => other.span(),
    }
}

fn locate(token: TokenTree, place: Span) -> TokenTree {
    let span = token.span().located_at(place);
    match token {
        TokenTree::Group(group) => {
            let stream = group.stream().into_iter().map(|inner| locate(inner, place)).collect();
            let mut group = Group::new(group.delimiter(), stream);
            group.set_span(span);
            group.into()
        }
        mut other => {
            other.set_span(span);
            other
        }
    }
}
