//! The input of the parsers, and what all of them share: space, tokens, and the depth of what is nested.

use std::cell::Cell;

use winnow::ascii::till_line_ending;
use winnow::combinator::{alt, opt, terminated};
use winnow::error::{AddContext, ContextError, ErrMode, StrContext};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Stream};
use winnow::token::{take_until, take_while};

use crate::frontend::ast::Line;

pub type Input<'a> = winnow::Stateful<LocatingSlice<&'a str>, &'a Context>;

/// What the parsers share.
#[derive(Debug)]
pub struct Context {
    pub lines: Lines,
    /// The number of `nested` parsers that run.
    depth: Cell<u32>,
}

impl Context {
    pub fn of(text: &str) -> Self {
        Self { lines: Lines::of(text), depth: Cell::new(0) }
    }
}

/// The most blocks, lists and expressions in one another.
const MOST_NESTED: u32 = 64;

/// The offsets at which the lines of the text start.
#[derive(Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    pub fn line(&self, offset: usize) -> Line {
        self.0.partition_point(|start| *start <= offset) as Line
    }
}

/// Parses white space and comments.
pub fn space(i: &mut Input<'_>) -> ModalResult<()> {
    loop {
        take_while(0.., |c: char| c.is_ascii_whitespace()).void().parse_next(i)?;
        if !i.starts_with('/') {
            return Ok(());
        }
        let comment = alt((("//", till_line_ending).void(), ("/*", take_until(0.., "*/"), "*/").void()));
        if opt(comment).parse_next(i)?.is_none() {
            return Ok(());
        }
    }
}

/// Parses what may contain itself, to a limited depth.
pub fn nested<'a, O>(
    mut parser: impl Parser<Input<'a>, O, ErrMode<ContextError>>,
) -> impl Parser<Input<'a>, O, ErrMode<ContextError>> {
    move |i: &mut Input<'a>| {
        let depth = &i.state.depth;
        if depth.get() == MOST_NESTED {
            let start = i.checkpoint();
            let context = StrContext::Label("nesting: there are at most 64 levels");
            return Err(ErrMode::Cut(ContextError::new().add_context(i, &start, context)));
        }
        depth.set(depth.get() + 1);
        let result = parser.parse_next(i);
        i.state.depth.set(i.state.depth.get() - 1);
        result
    }
}

/// Parses `parser` and the space after it.
pub fn token<'a, O>(
    parser: impl Parser<Input<'a>, O, ErrMode<ContextError>>,
) -> impl Parser<Input<'a>, O, ErrMode<ContextError>> {
    terminated(parser, space)
}

pub fn punctuation<'a>(c: char) -> impl Parser<Input<'a>, char, ErrMode<ContextError>> {
    token(c)
}

pub fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}
