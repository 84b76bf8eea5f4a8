//! Parses PTX text (PTX ISA 4), as LLVM and nvcc write it.

use winnow::ascii::{digit1, hex_digit1, till_line_ending};
use winnow::combinator::{
    alt, cut_err, delimited, dispatch, eof, not, opt, peek, preceded, repeat, separated, terminated,
};
use winnow::error::{ContextError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_until, take_while};

use crate::ast::{Function, Init, Instruction, Line, Loc, Module, Operand, Statement, Variable};

type Input<'a> = winnow::Stateful<LocatingSlice<&'a str>, &'a Lines>;

/// The reason why a text is not PTX that the interpreter reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the PTX: {problem}: `{text}`")]
pub struct ParseError {
    /// The number of the line, the first of which is 1.
    pub line: Line,
    /// What was expected.
    pub problem: String,
    /// The text of the line.
    pub text: String,
}

/// The offsets at which the lines of the text start.
#[derive(Debug)]
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, offset: usize) -> Line {
        self.0.partition_point(|start| *start <= offset) as Line
    }
}

/// Parses a PTX module.
///
/// # Errors
///
/// [`ParseError`] names the line that the parser cannot read.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let lines = Lines::of(text);
    let input = Input { input: LocatingSlice::new(text), state: &lines };
    let module = module.parse(input).map_err(|error| {
        let line = lines.line(error.offset());
        let problem = error.inner().context().next().map_or("not PTX".into(), |context| match context {
            StrContext::Expected(what) => format!("expected {what}"),
            other => other.to_string(),
        });
        let text = text.lines().nth(line as usize - 1).unwrap_or_default().trim().into();
        ParseError { line, problem, text }
    })?;
    Ok(Module { reasons: reasons(text).collect(), ..module })
}

/// Returns the comments after `trap;`, with their lines.
fn reasons(text: &str) -> impl Iterator<Item = (Line, String)> {
    let of_line = |line: &str| Some(line.trim().strip_prefix("trap; // ")?.to_owned());
    text.lines().zip(1..).filter_map(move |(line, number)| Some((number, of_line(line)?)))
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// Parses white space and comments.
fn space(i: &mut Input<'_>) -> ModalResult<()> {
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

/// Parses `parser` and the space after it.
fn token<'a, O>(
    parser: impl Parser<Input<'a>, O, winnow::error::ErrMode<ContextError>>,
) -> impl Parser<Input<'a>, O, winnow::error::ErrMode<ContextError>> {
    terminated(parser, space)
}

fn punctuation<'a>(c: char) -> impl Parser<Input<'a>, char, winnow::error::ErrMode<ContextError>> {
    token(c)
}

/// Parses a directive such as `.reg`, whose word is `word`.
fn directive<'a>(word: &'static str) -> impl Parser<Input<'a>, (), winnow::error::ErrMode<ContextError>> {
    token((".", word, not(one_of(is_in_name))).void())
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

fn name(i: &mut Input<'_>) -> ModalResult<String> {
    let start = one_of(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    token((start, take_while(0.., is_in_name)).take()).map(String::from).parse_next(i)
}

/// Parses a name, or a special register such as `%tid.x`.
fn operand_name(i: &mut Input<'_>) -> ModalResult<String> {
    let start = one_of(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    let part = (".", one_of(['x', 'y', 'z', 'w']), not(one_of(is_in_name)));
    token((start, take_while(0.., is_in_name), opt(part)).take()).map(String::from).parse_next(i)
}

fn digits(i: &mut Input<'_>) -> ModalResult<u64> {
    let number = alt((
        preceded(alt(("0x", "0X")), hex_digit1).verify_map(|digits| u64::from_str_radix(digits, 16).ok()),
        preceded(alt(("0b", "0B")), digit1).verify_map(|digits| u64::from_str_radix(digits, 2).ok()),
        digit1.verify_map(|digits: &str| {
            let radix = if digits.len() > 1 && digits.starts_with('0') { 8 } else { 10 };
            u64::from_str_radix(digits, radix).ok()
        }),
    ));
    token(terminated(number, opt("U"))).parse_next(i)
}

fn integer(i: &mut Input<'_>) -> ModalResult<u64> {
    (opt(punctuation('-')), digits)
        .map(|(sign, number)| if sign.is_some() { number.wrapping_neg() } else { number })
        .parse_next(i)
}

fn float(i: &mut Input<'_>) -> ModalResult<Operand> {
    let bits = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let hex = |count| take_while(count, |c: char| c.is_ascii_hexdigit());
    token(alt((
        preceded(alt(("0f", "0F")), hex(8)).verify_map(bits).map(|bits| Operand::Float32(bits as u32)),
        preceded(alt(("0d", "0D")), hex(16)).verify_map(bits).map(Operand::Float64),
    )))
    .parse_next(i)
}

/// Parses the offset in `name+4` and `name-4`.
fn offset(i: &mut Input<'_>) -> ModalResult<i64> {
    (token(one_of(['+', '-'])), integer)
        .map(|(sign, number)| if sign == '-' { (number as i64).wrapping_neg() } else { number as i64 })
        .parse_next(i)
}

fn operands(i: &mut Input<'_>) -> ModalResult<Vec<Operand>> {
    separated(0.., operand, punctuation(',')).parse_next(i)
}

fn operand(i: &mut Input<'_>) -> ModalResult<Operand> {
    let one = dispatch! { peek(any);
        '{' => delimited(punctuation('{'), operands, punctuation('}')).map(Operand::Vector),
        '[' => delimited(punctuation('['), operands, punctuation(']')).map(Operand::Address),
        '(' => delimited(punctuation('('), operands, punctuation(')')).map(Operand::List),
        '!' => preceded(punctuation('!'), operand_name).map(Operand::Not),
        '0'..='9' | '-' => alt((float, integer.map(Operand::Number))),
        '_' => alt((token(("_", not(one_of(is_in_name)))).value(Operand::Sink), named)),
        _ => named,
    };
    let (first, second) = (one, opt(preceded(punctuation('|'), operand))).parse_next(i)?;
    Ok(match second {
        Some(second) => Operand::Pair(Box::new(first), Box::new(second)),
        None => first,
    })
}

/// Parses a name, and an offset that may follow.
fn named(i: &mut Input<'_>) -> ModalResult<Operand> {
    (operand_name, opt(offset))
        .map(|(name, offset)| match offset {
            Some(offset) => Operand::Offset(name, offset),
            None => Operand::Name(name),
        })
        .parse_next(i)
}

fn opcode(i: &mut Input<'_>) -> ModalResult<String> {
    let start = one_of(|c: char| c.is_ascii_lowercase());
    let rest = take_while(0.., |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'));
    token((start, rest).take()).map(String::from).parse_next(i)
}

fn instruction(i: &mut Input<'_>) -> ModalResult<Instruction> {
    let line = i.state.line(i.current_token_start());
    let guard = opt(preceded(punctuation('@'), (opt(punctuation('!')), name))).parse_next(i)?;
    let guard = guard.map(|(not, name)| (name, not.is_some()));
    let opcode = opcode.context(expected("an instruction")).parse_next(i)?;
    let operands = cut_err(operands).context(expected("operands")).parse_next(i)?;
    cut_err(punctuation(';')).context(expected("`;`")).parse_next(i)?;
    Ok(Instruction { guard, opcode, operands, line })
}

fn loc(i: &mut Input<'_>) -> ModalResult<Statement> {
    let function = (token("function_name"), name, opt(offset), punctuation(','), token("inlined_at"));
    let caller = preceded(function, place).map(Some);
    let more = preceded(punctuation(','), alt((caller, (till_line_ending, space).value(None))));
    (preceded(directive("loc"), place), opt(more))
        .map(|(place, caller)| Statement::Loc(place, caller.flatten()))
        .parse_next(i)
}

/// Parses a file, a line and a column.
fn place(i: &mut Input<'_>) -> ModalResult<Loc> {
    (digits, digits, digits)
        .map(|(file, line, column)| Loc { file: file as u32, line: line as u32, column: column as u32 })
        .parse_next(i)
}

/// The maximum number of registers of one name.
const MAX_REGISTERS: u64 = 1 << 20;

fn registers(i: &mut Input<'_>) -> ModalResult<Statement> {
    let count = cut_err(digits.verify(|count| *count <= MAX_REGISTERS))
        .context(expected("at most 1048576 registers of a name"));
    let names = (name, opt(delimited(punctuation('<'), count, punctuation('>'))));
    (directive("reg"), word, separated(1.., names, punctuation(',')), punctuation(';'))
        .map(|(_, ty, names, _): (_, String, Vec<(String, Option<u64>)>, _)| {
            let expand = |(name, count): (String, Option<u64>)| match count {
                Some(count) => (0..count).map(|n| format!("{name}{n}")).collect(),
                None => vec![name],
            };
            Statement::Registers(ty, names.into_iter().flat_map(expand).collect())
        })
        .parse_next(i)
}

/// Parses a dot and the word after it.
fn word(i: &mut Input<'_>) -> ModalResult<String> {
    token(preceded(".", take_while(1.., is_in_name))).map(String::from).parse_next(i)
}

/// Returns the bytes of a type that a variable or a register can have.
pub(crate) fn bytes_of(ty: &str) -> Option<u64> {
    Some(match ty {
        "b8" | "u8" | "s8" => 1,
        "b16" | "u16" | "s16" | "f16" | "bf16" => 2,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" => 4,
        "b64" | "u64" | "s64" | "f64" => 8,
        "b128" => 16,
        "b1024" => 128,
        _ => return None,
    })
}

fn initializer(i: &mut Input<'_>) -> ModalResult<Vec<Init>> {
    let list = delimited(punctuation('{'), separated(0.., initializer, punctuation(',')), punctuation('}'));
    let of_address = |byte, symbol, offset: Option<i64>, generic| {
        vec![Init::Address { symbol, offset: offset.unwrap_or(0), generic, byte }]
    };
    let generic = || {
        (delimited((token("generic"), punctuation('(')), name, punctuation(')')), opt(offset))
            .map(|(symbol, offset)| (symbol, offset, true))
    };
    let address = || alt((generic(), (name, opt(offset)).map(|(symbol, offset)| (symbol, offset, false))));
    // `0xFF00(symbol)`: the byte of the address that the mask selects.
    let masked = (digits.verify(|mask| *mask != 0), delimited(punctuation('('), address(), punctuation(')')));
    alt((
        list.map(|lists: Vec<Vec<Init>>| lists.into_iter().flatten().collect()),
        masked.map(move |(mask, (symbol, offset, generic))| {
            of_address(Some(mask.trailing_zeros() / 8), symbol, offset, generic)
        }),
        float.map(|number| match number {
            Operand::Float32(bits) => vec![Init::Number(bits.into())],
            Operand::Float64(bits) => vec![Init::Number(bits)],
            _ => vec![],
        }),
        integer.map(|number| vec![Init::Number(number)]),
        address().map(move |(symbol, offset, generic)| of_address(None, symbol, offset, generic)),
    ))
    .parse_next(i)
}

/// Parses a variable after its linking directives, without the `;`.
fn variable(i: &mut Input<'_>) -> ModalResult<Variable> {
    let line = i.state.line(i.current_token_start());
    let space = word
        .verify(|word: &String| ["global", "const", "shared", "local", "param"].contains(&word.as_str()))
        .parse_next(i)?;
    let (mut align, mut element, mut vector, mut points) = (None, None, 1, false);
    while let Some(word) = opt(word).parse_next(i)? {
        match word.as_str() {
            // After `.ptr`, the alignment is that of what the parameter points to.
            "align" if points => drop(digits.parse_next(i)?),
            "align" => align = Some(digits.parse_next(i)?),
            "ptr" => points = true,
            "v2" => vector = 2,
            "v4" => vector = 4,
            // The space that a parameter points to: `.ptr .global`.
            "global" | "const" | "shared" | "local" => {}
            "attribute" => {
                (punctuation('('), take_until(0.., ")"), punctuation(')')).void().parse_next(i)?;
            }
            ty => element = bytes_of(ty).or(element),
        }
    }
    let element = element.unwrap_or(8) * vector;
    let name = name.context(expected("the name of a variable")).parse_next(i)?;
    let extents: Vec<Option<u64>> =
        repeat(0.., delimited(punctuation('['), opt(digits), punctuation(']'))).parse_next(i)?;
    let init = opt(preceded(punctuation('='), initializer)).parse_next(i)?.unwrap_or_default();
    let count =
        extents.iter().try_fold(1u64, |product, extent| extent.map(|extent| product.saturating_mul(extent)));
    let count = count.or((!init.is_empty()).then_some(init.len() as u64));
    Ok(Variable {
        space,
        name,
        align: align.unwrap_or(element),
        element,
        count,
        init,
        is_extern: false,
        line,
    })
}

fn linking(i: &mut Input<'_>) -> ModalResult<bool> {
    let words = ["extern", "visible", "weak", "common"];
    let mut is_extern = false;
    loop {
        let start = i.checkpoint();
        match opt(word).parse_next(i)? {
            Some(word) if words.contains(&word.as_str()) => is_extern |= word == "extern",
            _ => {
                winnow::stream::Stream::reset(i, &start);
                return Ok(is_extern);
            }
        }
    }
}

fn global(i: &mut Input<'_>) -> ModalResult<Variable> {
    (linking, variable, punctuation(';'))
        .map(|(is_extern, variable, _)| Variable { is_extern, ..variable })
        .parse_next(i)
}

fn statement(i: &mut Input<'_>) -> ModalResult<Option<Statement>> {
    dispatch! { peek(any);
        '{' => delimited(punctuation('{'), statements, punctuation('}')).map(|body| Some(Statement::Block(body))),
        '.' => alt((
            loc.map(Some),
            registers.map(Some),
            (alt((directive("pragma"), directive("branchtargets"))), until_semicolon).map(|_| None),
            cut_err(global).map(|variable| Some(Statement::Variable(variable))),
        )),
        ';' => punctuation(';').map(|_| None),
        _ => alt((labeled, instruction.map(Statement::Instruction).map(Some))),
    }
    .parse_next(i)
}

/// Parses a label, and the directive that it names, if there is one.
fn labeled(i: &mut Input<'_>) -> ModalResult<Option<Statement>> {
    let label = terminated(name, token((":", not(":")))).parse_next(i)?;
    // A prototype adds nothing to the call.
    if opt((directive("callprototype"), until_semicolon)).parse_next(i)?.is_some() {
        return Ok(None);
    }
    let directive = alt((directive("branchtargets"), directive("calltargets")));
    let targets = delimited(directive, separated(1.., name, punctuation(',')), punctuation(';'));
    Ok(Some(match opt(targets).parse_next(i)? {
        Some(targets) => Statement::Targets(label, targets),
        None => Statement::Label(label),
    }))
}

fn until_semicolon(i: &mut Input<'_>) -> ModalResult<()> {
    (take_until(0.., ";"), punctuation(';')).void().parse_next(i)
}

fn statements(i: &mut Input<'_>) -> ModalResult<Vec<Statement>> {
    let all: Vec<Option<Statement>> = repeat(0.., preceded(not('}'), statement)).parse_next(i)?;
    Ok(all.into_iter().flatten().collect())
}

fn parameters(i: &mut Input<'_>) -> ModalResult<Vec<Variable>> {
    // A `.func` may have registers as parameters.
    delimited(punctuation('('), separated(0.., variable, punctuation(',')), punctuation(')')).parse_next(i)
}

fn function(i: &mut Input<'_>) -> ModalResult<Function> {
    let line = i.state.line(i.current_token_start());
    linking.parse_next(i)?;
    let is_entry = alt((directive("entry").value(true), directive("func").value(false))).parse_next(i)?;
    let returns = opt(parameters).parse_next(i)?.unwrap_or_default();
    let name = name.context(expected("the name of a function")).parse_next(i)?;
    let params = opt(parameters).parse_next(i)?.unwrap_or_default();
    let mut directives = Vec::new();
    while let Some(word) = opt(word).parse_next(i)? {
        directives.push((word, separated(0.., digits, punctuation(',')).parse_next(i)?));
    }
    let body = alt((
        punctuation(';').map(|_| None),
        delimited(punctuation('{'), cut_err(statements), cut_err(punctuation('}'))).map(Some),
    ))
    .context(expected("the body of a function"))
    .parse_next(i)?;
    Ok(Function { name, is_entry, returns, params, directives, body, line })
}

fn module(i: &mut Input<'_>) -> ModalResult<Module> {
    space.parse_next(i)?;
    let mut module = Module::default();
    let rest_of_line = |i: &mut Input<'_>| -> ModalResult<String> {
        token(till_line_ending)
            .map(|text: &str| text.split("//").next().unwrap_or_default().trim().into())
            .parse_next(i)
    };
    while opt(eof).parse_next(i)?.is_none() {
        if opt(directive("version")).parse_next(i)?.is_some() {
            module.version = rest_of_line(i)?;
        } else if opt(directive("target")).parse_next(i)?.is_some() {
            module.target = rest_of_line(i)?;
        } else if opt(directive("address_size")).parse_next(i)?.is_some() {
            rest_of_line(i)?;
        } else if opt(directive("file")).parse_next(i)?.is_some() {
            let number = digits.parse_next(i)?;
            let path = rest_of_line(i)?;
            let path = path.trim_start_matches('"').split('"').next().unwrap_or_default();
            module.files.push((number as u32, path.into()));
        } else if opt(alt((directive("pragma"), directive("alias")))).parse_next(i)?.is_some() {
            until_semicolon.parse_next(i)?;
        } else if opt(directive("section")).parse_next(i)?.is_some() {
            // The interpreter reads only the lines of the debug information.
            (take_until(0.., "}"), punctuation('}')).void().parse_next(i)?;
        } else if opt(loc).parse_next(i)?.is_some() || opt(punctuation('}')).parse_next(i)?.is_some() {
        } else if peek(opt((linking, alt((directive("entry"), directive("func")))))).parse_next(i)?.is_some()
        {
            module.functions.push(cut_err(function).parse_next(i)?);
        } else {
            peek(any).context(expected("a variable or a function")).parse_next(i)?;
            module
                .variables
                .push(cut_err(global).context(expected("a variable or a function")).parse_next(i)?);
        }
    }
    Ok(module)
}
