//! Reads the format string of `print!`, in Rust's syntax, into pieces from which `ptx::print` makes C's.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Error, Expr, LitStr, Result, Token};

/// The arguments of the macro.
pub struct Print {
    format: LitStr,
    /// The values, with the names of named arguments. The variables that the string names are added.
    arguments: Vec<(Option<Ident>, Expr)>,
}

impl Parse for Print {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.is_empty() {
            return Ok(Self { format: LitStr::new("", Span::call_site()), arguments: Vec::new() });
        }
        let Ok(format) = input.parse::<LitStr>() else {
            return Err(input.error(
                "the first argument is the format string, a literal: write `println!(\"{}\", value)`",
            ));
        };
        let mut arguments: Vec<(Option<Ident>, Expr)> = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name = if input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
                let name = Ident::parse_any(input)?;
                input.parse::<Token![=]>()?;
                Some(name)
            } else {
                None
            };
            let value: Expr = input.parse()?;
            if let (None, Some((Some(_), _))) = (&name, arguments.last()) {
                return Err(Error::new_spanned(value, "a named argument stands after the others"));
            }
            arguments.push((name, value));
        }
        Ok(Self { format, arguments })
    }
}

/// A placeholder `{argument:…}`.
struct Placeholder {
    argument: usize,
    /// The name of a trait of `ptx::print`.
    style: &'static str,
    alignment: char,
    plus: bool,
    alternate: bool,
    zero: bool,
    width: u16,
    precision: Option<u16>,
}

enum Piece {
    Text(String),
    Placeholder(Placeholder),
}

/// Expands to one call of `ptx::__print!`, which has every `unsafe` and every path. `end` is added to the string.
pub fn expand(mut print: Print, end: &str) -> Result<TokenStream> {
    let pieces = pieces(&mut print, end)?;
    let mut used = vec![Vec::new(); print.arguments.len()];
    for piece in &pieces {
        if let Piece::Placeholder(placeholder) = piece {
            used[placeholder.argument].push(Ident::new(placeholder.style, Span::call_site()));
        }
    }
    if let Some(unused) = used.iter().position(Vec::is_empty) {
        return Err(Error::new_spanned(
            &print.arguments[unused].1,
            "no placeholder of the string names this argument",
        ));
    }
    let slots = pieces.iter().filter(|piece| matches!(piece, Piece::Placeholder(_))).count();
    if slots > 32 {
        return Err(Error::new(
            print.format.span(),
            "`vprintf` takes at most 32 arguments: print in two calls",
        ));
    }
    let capacity: usize = pieces.iter().map(Piece::capacity).sum::<usize>() + 1;
    let values: Vec<_> = print.arguments.iter().map(|(_, value)| value).collect();
    // The span of a name decides where its errors point: errors about a value to the value, and errors about a style to the call.
    let names: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(i, value)| format_ident!("__ptx_argument_{i}", span = value.span()))
        .collect();
    let function = format_ident!("__ptx_print");
    let types: Vec<_> = (0..values.len()).map(|i| format_ident!("T{i}")).collect();
    let mut slot = 0;
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => quote!([= #text]),
        Piece::Placeholder(placeholder) => {
            let Placeholder { argument, style, alignment, plus, alternate, zero, width, precision } = placeholder;
            let (ty, name, text) = (&types[*argument], &names[*argument], format_ident!("__ptx_text_{slot}", span = Span::mixed_site()));
            slot += 1;
            let style = Ident::new(style, Span::call_site());
            quote!([
                ? #ty #name #text #style
                alignment: #alignment, plus: #plus, alternate: #alternate, zero: #zero, width: #width, precision: { #precision }
            ])
        }
    });
    Ok(quote! {
        ::ptx::__print! {
            capacity { #capacity }
            call { #function (#(#names),*) }
            arguments { #([#types #names (#values) #(#used)*])* }
            pieces { #(#pieces)* }
        }
    })
}

impl Piece {
    /// Returns an upper bound of the bytes of the piece in C's format string.
    fn capacity(&self) -> usize {
        match self {
            Self::Text(text) => text.len() + text.matches('%').count(),
            // The bound covers `0x`, `%`, a flag or two, `.17`, `ll` and a letter.
            Self::Placeholder(placeholder) => {
                let digits = |number: u16| number.checked_ilog10().map_or(0, |log| log as usize + 1);
                12 + digits(placeholder.width) + placeholder.precision.map_or(0, |p| digits(p) + 2)
            }
        }
    }
}

fn pieces(print: &mut Print, end: &str) -> Result<Vec<Piece>> {
    let span = print.format.span();
    let text = print.format.value() + end;
    if text.contains('\0') {
        return Err(Error::new(span, "a NUL ends the string in C: remove `\\0`"));
    }
    let (mut pieces, mut plain, mut next) = (Vec::new(), String::new(), 0);
    let positional = print.arguments.iter().filter(|(name, _)| name.is_none()).count();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after;
            continue;
        }
        if brace == "}" {
            return Err(Error::new(span, "a `}` closes no placeholder: write `}}` to print one"));
        }
        let Some((inside, after)) = rest.split_once('}') else {
            return Err(Error::new(
                span,
                "a `{` opens a placeholder that does not end: write `{{` to print one",
            ));
        };
        rest = after;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        let (argument, layout) = inside.split_once(':').unwrap_or((inside, ""));
        let argument = match argument.trim() {
            "" => {
                next += 1;
                if next > positional {
                    let message = format!("placeholder {next} has no argument: {}", given(positional));
                    return Err(Error::new(span, message));
                }
                next - 1
            }
            number if number.starts_with(|c: char| c.is_ascii_digit()) => match number.parse() {
                Ok(index) if index < print.arguments.len() => index,
                _ => {
                    let message = format!("`{{{number}}}` has no argument: {}", given(print.arguments.len()));
                    return Err(Error::new(span, message));
                }
            },
            name => named(print, name)?,
        };
        pieces.push(Piece::Placeholder(placeholder(argument, layout.trim_end(), span)?));
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

fn given(arguments: usize) -> String {
    match arguments {
        0 => "there are no arguments".into(),
        1 => "there is one argument".into(),
        _ => format!("there are {arguments} arguments"),
    }
}

/// Returns the index of the argument `name`: a given argument, or a variable in scope, which is added.
fn named(print: &mut Print, name: &str) -> Result<usize> {
    let span = print.format.span();
    if let Some(index) =
        print.arguments.iter().position(|(given, _)| given.as_ref().is_some_and(|given| given == name))
    {
        return Ok(index);
    }
    let Ok(mut variable) = syn::parse_str::<Ident>(name) else {
        let message =
            format!("`{name}` is no name: pass the value as an argument, `println!(\"{{}}\", {name})`");
        return Err(Error::new(span, message));
    };
    variable.set_span(span);
    print.arguments.push((Some(variable.clone()), syn::parse_quote_spanned!(span=> #variable)));
    Ok(print.arguments.len() - 1)
}

/// Reads the layout of a placeholder: `[[fill]align][sign]['#']['0'][width]['.' precision][type]`.
fn placeholder(argument: usize, layout: &str, span: Span) -> Result<Placeholder> {
    let refuse = |message: &str| Error::new(span, format!("`{{:{layout}}}`: {message}"));
    let is_alignment = |c: Option<char>| matches!(c, Some('<' | '^' | '>'));
    let (mut rest, mut alignment) = (layout, None);
    let mut chars = rest.chars();
    let (first, second) = (chars.next(), chars.next());
    if is_alignment(second) {
        if first != Some(' ') {
            return Err(refuse(
                "C fills with spaces only: remove the fill, or pad a number with zeros, `{:08}`",
            ));
        }
        (alignment, rest) = (second, chars.as_str());
    } else if is_alignment(first) {
        (alignment, rest) = (first, &rest[1..]);
    }
    if alignment == Some('^') {
        return Err(refuse("C centers no text: align it by `<` or `>`"));
    }
    let mut flag = |text: &str| rest.strip_prefix(text).map(|after| rest = after).is_some();
    if flag("-") {
        return Err(refuse("`-` has no meaning: align by `<`"));
    }
    let (plus, alternate) = (flag("+"), flag("#"));
    let zero = rest.starts_with('0') && !rest.starts_with("0$");
    let number = |text: &mut &str| -> Result<Option<u16>> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = text.split_at(digits);
        if after.starts_with('$') || text.starts_with('*') {
            return Err(refuse("a width or precision is a number, not an argument"));
        }
        *text = after;
        match number.parse::<u16>() {
            _ if number.is_empty() => Ok(None),
            Ok(number) if number < 1000 => Ok(Some(number)),
            _ => Err(refuse("a width or precision is less than 1000")),
        }
    };
    let width = number(&mut rest)?.unwrap_or(0);
    let precision = match rest.strip_prefix('.') {
        Some(after) => {
            rest = after;
            let digits = number(&mut rest)?;
            if digits.is_none() {
                return Err(refuse("a number follows the `.`: write `{:.3}`"));
            }
            digits
        }
        None => None,
    };
    let style = match rest {
        "" => "Display",
        "?" => "Debug",
        "x" => "LowerHex",
        "X" => "UpperHex",
        "o" => "Octal",
        "e" => "LowerExp",
        "E" => "UpperExp",
        "p" => "Pointer",
        "b" => return Err(refuse("C has no binary numbers: write `{:x}`")),
        _ if rest.ends_with('$') => {
            return Err(refuse("a width or precision is a number, not an argument"));
        }
        _ => {
            return Err(refuse(&format!(
                "`{rest}` is no type of a placeholder: known are ``, `?`, `x`, `X`, `o`, `e`, `E` and `p`"
            )));
        }
    };
    let is_bits = matches!(style, "LowerHex" | "UpperHex" | "Octal" | "Pointer");
    if plus && is_bits {
        return Err(refuse("C writes no sign before such a number: remove the `+`"));
    }
    // `{:#p}` prints all digits of the address, as in Rust.
    let (zero, width) = if style == "Pointer" && alternate { (true, width.max(18)) } else { (zero, width) };
    if is_bits && (alternate || style == "Pointer") && width > 0 && !zero && alignment != Some('<') {
        return Err(refuse(&format!(
            "C puts no spaces before a prefix: write `{{:#0{width}{rest}}}` or `{{:<#{width}{rest}}}`"
        )));
    }
    let alignment = alignment.unwrap_or(' ');
    Ok(Placeholder { argument, style, alignment, plus, alternate, zero, width, precision })
}
