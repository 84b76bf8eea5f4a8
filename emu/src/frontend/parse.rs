//! Parses PTX text (PTX ISA 4), as LLVM and nvcc write it.

use winnow::ascii::till_line_ending;
use winnow::combinator::{
    alt, cut_err, delimited, dispatch, eof, fail, not, opt, peek, preceded, repeat, separated, terminated,
};
use winnow::error::{AddContext, ContextError, ErrMode, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{any, one_of, take_until, take_while};

use crate::frontend::ast::{
    Alias, Function, Init, Instruction, Line, Loc, Module, Operand, Registers, Statement, Variable, bytes_of,
};
use crate::frontend::expression::{PRODUCT, Value, binary, expression, literal};
use crate::frontend::tokens::{Context, Input, is_in_name, nested, punctuation, space, token};

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

/// Parses a PTX module.
///
/// # Errors
///
/// [`ParseError`] names the line that the parser cannot read.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let context = Context::of(text);
    let input = Input { input: LocatingSlice::new(text), state: &context };
    let module = module.parse(input).map_err(|error| {
        let line = context.lines.line(error.offset());
        let problem = error.inner().context().next().map_or("not PTX".into(), |context| match context {
            StrContext::Expected(what) => format!("expected {what}"),
            other => other.to_string(),
        });
        let text = shown(text.lines().nth(line as usize - 1).unwrap_or_default());
        ParseError { line, problem, text }
    })?;
    Ok(Module { reasons: reasons(text).collect(), ..module })
}

/// Returns the start of a text, for a message.
pub fn shown(text: &str) -> String {
    const MOST: usize = 120;
    match text.trim().char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text.trim()[..end]),
        None => text.trim().into(),
    }
}

/// Returns the comments after `trap;`, with their lines.
fn reasons(text: &str) -> impl Iterator<Item = (Line, String)> {
    let of_line = |line: &str| Some(line.trim().strip_prefix("trap; // ")?.to_owned());
    text.lines().zip(1..).filter_map(move |(line, number)| Some((number, of_line(line)?)))
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// Parses a directive such as `.reg`, whose word is `word`.
fn directive<'a>(word: &'static str) -> impl Parser<Input<'a>, (), ErrMode<ContextError>> {
    token((".", word, not(one_of(is_in_name))).void())
}

fn name(i: &mut Input<'_>) -> ModalResult<String> {
    let start = one_of(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    token((start, take_while(0.., is_in_name)).take()).map(String::from).parse_next(i)
}

/// Parses a name, an element of a vector such as `%tid.x`, or a register with the bytes or halves that a video instruction selects.
fn operand_name(i: &mut Input<'_>) -> ModalResult<String> {
    let start = one_of(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    let selector = (one_of(['b', 'h']), take_while(1..=4, '0'..='7')).void();
    let element = one_of(['x', 'y', 'z', 'w', 'r', 'g', 'b', 'a']).void();
    let part = (".", alt((selector, element)), not(one_of(is_in_name)));
    token((start, take_while(0.., is_in_name), opt(part)).take()).map(String::from).parse_next(i)
}

/// Parses a number that is no expression.
fn digits(i: &mut Input<'_>) -> ModalResult<u64> {
    literal.verify_map(Value::integer).parse_next(i)
}

/// Parses the offset in `name+4` and `name-4`.
fn offset(i: &mut Input<'_>) -> ModalResult<i64> {
    let plus = preceded(punctuation('+'), expression.verify_map(Value::integer));
    let minus = |i: &mut Input<'_>| binary(i, PRODUCT);
    let minus = preceded(punctuation('-'), minus.verify_map(Value::integer)).map(u64::wrapping_neg);
    repeat(1.., alt((plus, minus)))
        .fold(|| 0i64, |all, term: u64| all.wrapping_add(term as i64))
        .parse_next(i)
}

fn operands(i: &mut Input<'_>) -> ModalResult<Vec<Operand>> {
    separated(0.., operand, punctuation(',')).parse_next(i)
}

fn operand(i: &mut Input<'_>) -> ModalResult<Operand> {
    let constant = || expression.map(Value::operand);
    let one = dispatch! { peek(any);
        '{' => nested(delimited(punctuation('{'), operands, punctuation('}'))).map(Operand::Vector),
        '[' => nested(delimited(punctuation('['), operands, punctuation(']'))).map(Operand::Address),
        '!' => alt((constant(), preceded(punctuation('!'), operand_name).map(Operand::Not))),
        '-' => alt((constant(), preceded(punctuation('-'), operand_name).map(Operand::Negated))),
        '0'..='9' | '.' | '+' | '~' | '(' => constant(),
        '_' => alt((token(("_", not(one_of(is_in_name)))).value(Operand::Sink), named)),
        'W' => alt((constant(), named)),
        _ => named,
    };
    let (first, second) = (one, opt(preceded(punctuation('|'), nested(operand)))).parse_next(i)?;
    Ok(match second {
        Some(second) => Operand::Pair(Box::new(first), Box::new(second)),
        None => first,
    })
}

/// Parses an operand of a call, which may be a list in parentheses.
fn operand_of_call(i: &mut Input<'_>) -> ModalResult<Operand> {
    alt((delimited(punctuation('('), operands, punctuation(')')).map(Operand::List), operand)).parse_next(i)
}

/// Parses a name, and an offset or an index that may follow.
fn named(i: &mut Input<'_>) -> ModalResult<Operand> {
    let index = delimited(punctuation('['), expression.verify_map(Value::integer), punctuation(']'));
    let more = alt((index.map(|index| (true, index as i64)), offset.map(|offset| (false, offset))));
    (operand_name, opt(more))
        .map(|(name, more)| match more {
            Some((true, index)) => Operand::Element(name, index),
            Some((false, offset)) => Operand::Offset(name, offset),
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
    let line = i.state.lines.line(i.current_token_start());
    let guard = opt(preceded(punctuation('@'), (opt(punctuation('!')), name))).parse_next(i)?;
    let guard = guard.map(|(not, name)| (name, not.is_some()));
    let opcode = opcode.context(expected("an instruction")).parse_next(i)?;
    let operands = match opcode.split('.').next() {
        Some("call") => cut_err(separated(0.., operand_of_call, punctuation(',')))
            .context(expected("operands"))
            .parse_next(i)?,
        _ => cut_err(operands).context(expected("operands")).parse_next(i)?,
    };
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

/// Parses a name, and the number of names of which it is the prefix.
fn prefix(i: &mut Input<'_>) -> ModalResult<(String, Option<u64>)> {
    (name, opt(delimited(punctuation('<'), digits, punctuation('>')))).parse_next(i)
}

fn registers(i: &mut Input<'_>) -> ModalResult<Statement> {
    let line = i.state.lines.line(i.current_token_start());
    directive("reg").parse_next(i)?;
    let (ty, vector, _) = cut_err(element_type).parse_next(i)?;
    let names = cut_err(terminated(separated(1.., prefix, punctuation(',')), punctuation(';')));
    let names = names.context(expected("the names of registers, and `;`")).parse_next(i)?;
    Ok(Statement::Registers(Registers { ty, vector, names, line }))
}

/// Parses the type of a variable or of a register, and what may stand before it: the number of scalars and the alignment.
fn element_type(i: &mut Input<'_>) -> ModalResult<(String, u64, Option<u64>)> {
    let (mut vector, mut align, mut ty) = (1, None, None);
    let mut points = false;
    while let Some(word) = opt(word).parse_next(i)? {
        match word.as_str() {
            // After `.ptr`, the alignment is that of what the parameter points to.
            "align" if points => drop(digits.parse_next(i)?),
            "align" => align = Some(cut_err(digits).context(expected("a number")).parse_next(i)?),
            "ptr" => points = true,
            "v2" => vector = 2,
            "v4" => vector = 4,
            // The space that a parameter points to: `.ptr .global`.
            "global" | "const" | "shared" | "local" => {}
            "attribute" => {
                (punctuation('('), take_until(0.., ")"), punctuation(')')).void().parse_next(i)?;
            }
            word if word == "pred" || bytes_of(word).is_some() => ty = Some(word.to_owned()),
            _ => return invalid_type(i),
        }
    }
    match ty {
        Some(ty) => Ok((ty, vector, align)),
        None => invalid_type(i),
    }
}

fn invalid_type<O>(i: &mut Input<'_>) -> ModalResult<O> {
    let start = i.checkpoint();
    Err(ErrMode::Cut(ContextError::new().add_context(i, &start, expected("a type such as `.b32`"))))
}

/// Parses a dot and the word after it.
fn word(i: &mut Input<'_>) -> ModalResult<String> {
    token(preceded(".", take_while(1.., is_in_name))).map(String::from).parse_next(i)
}

fn initializer(i: &mut Input<'_>) -> ModalResult<Init> {
    let list =
        nested(delimited(punctuation('{'), separated(0.., initializer, punctuation(',')), punctuation('}')));
    let generic = || delimited((token("generic"), punctuation('(')), name, punctuation(')'));
    let address = || (alt((generic(), name)), opt(offset));
    // `0xFF00(symbol)`: the byte of the address that the mask selects.
    let masked = (digits.verify(|mask| *mask != 0), delimited(punctuation('('), address(), punctuation(')')));
    let of_address = |byte, (symbol, offset): (String, Option<i64>)| Init::Address {
        symbol,
        offset: offset.unwrap_or(0),
        byte,
    };
    alt((
        list.map(Init::List),
        masked.map(move |(mask, address)| of_address(Some(mask.trailing_zeros() / 8), address)),
        expression.map(|value| Init::Value(value.operand())),
        address().map(move |address| of_address(None, address)),
    ))
    .parse_next(i)
}

/// The most variables of one declaration `name<n>`.
const MOST_VARIABLES: u64 = 1 << 16;

/// Parses variables after their linking directives, without the `;`.
fn variables(i: &mut Input<'_>) -> ModalResult<Vec<Variable>> {
    let line = i.state.lines.line(i.current_token_start());
    let space = space_of_variable.parse_next(i)?;
    let (ty, vector, stated_align) = element_type.parse_next(i)?;
    let mut all = Vec::new();
    loop {
        let (name, count) = cut_err(prefix).context(expected("the name of a variable")).parse_next(i)?;
        let extents: Vec<Option<u64>> =
            repeat(0.., delimited(punctuation('['), opt(digits), punctuation(']'))).parse_next(i)?;
        let init = opt(preceded(punctuation('='), cut_err(initializer).context(expected("a value"))))
            .parse_next(i)?;
        let (space, ty) = (space.clone(), ty.clone());
        let one = Variable { space, name, ty, stated_align, vector, extents, init, is_extern: false, line };
        match count {
            None => all.push(one),
            Some(count) if count <= MOST_VARIABLES => {
                all.extend((0..count).map(|n| Variable { name: format!("{}{n}", one.name), ..one.clone() }));
            }
            Some(_) => {
                return cut_err(fail).context(expected("at most 65536 variables of a name")).parse_next(i);
            }
        }
        if opt(punctuation(',')).parse_next(i)?.is_none() {
            return Ok(all);
        }
    }
}

fn space_of_variable(i: &mut Input<'_>) -> ModalResult<String> {
    let spaces = ["global", "const", "shared", "local", "param"];
    word.verify(|word: &String| spaces.contains(&word.as_str())).parse_next(i)
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

fn globals(i: &mut Input<'_>) -> ModalResult<Vec<Variable>> {
    let is_extern = linking(i)?;
    let all = terminated(variables, punctuation(';')).parse_next(i)?;
    Ok(all.into_iter().map(|variable| Variable { is_extern, ..variable }).collect())
}

/// Parses a statement, and adds it to `to`.
fn statement(i: &mut Input<'_>, to: &mut Vec<Statement>) -> ModalResult<()> {
    match cut_err(peek(any)).context(expected("`}`")).parse_next(i)? {
        '{' => {
            let block = nested(delimited(punctuation('{'), statements, punctuation('}'))).parse_next(i)?;
            to.push(Statement::Block(block));
        }
        '.' => {
            let ignored = (alt((directive("pragma"), directive("branchtargets"))), until_semicolon);
            match opt(alt((loc.map(Some), registers.map(Some), ignored.map(|_| None)))).parse_next(i)? {
                Some(statement) => to.extend(statement),
                None => {
                    let all = cut_err(globals).context(expected("a directive")).parse_next(i)?;
                    to.extend(all.into_iter().map(Statement::Variable));
                }
            }
        }
        ';' => drop(punctuation(';').parse_next(i)?),
        _ => match opt(labeled).parse_next(i)? {
            Some(statement) => to.extend(statement),
            None => to.push(Statement::Instruction(instruction(i)?)),
        },
    }
    Ok(())
}

/// Parses a label, and the directive that it names, if there is one.
fn labeled(i: &mut Input<'_>) -> ModalResult<Option<Statement>> {
    let line = i.state.lines.line(i.current_token_start());
    let label = terminated(name, token((":", not(":")))).parse_next(i)?;
    // A prototype adds nothing to the call.
    if opt((directive("callprototype"), until_semicolon)).parse_next(i)?.is_some() {
        return Ok(None);
    }
    let directive = alt((directive("branchtargets"), directive("calltargets")));
    let targets = delimited(directive, separated(1.., name, punctuation(',')), punctuation(';'));
    Ok(Some(match opt(targets).parse_next(i)? {
        Some(targets) => Statement::Targets(label, targets, line),
        None => Statement::Label(label, line),
    }))
}

fn until_semicolon(i: &mut Input<'_>) -> ModalResult<()> {
    (take_until(0.., ";"), punctuation(';')).void().parse_next(i)
}

fn statements(i: &mut Input<'_>) -> ModalResult<Vec<Statement>> {
    let mut all = Vec::new();
    while !i.starts_with('}') {
        statement(i, &mut all)?;
    }
    Ok(all)
}

fn parameters(i: &mut Input<'_>) -> ModalResult<Vec<Variable>> {
    delimited(punctuation('('), separated(0.., parameter, punctuation(',')), punctuation(')')).parse_next(i)
}

/// Parses a parameter: one in memory, or a register of a `.func`.
fn parameter(i: &mut Input<'_>) -> ModalResult<Variable> {
    let line = i.state.lines.line(i.current_token_start());
    let space = alt((directive("reg").value("reg"), directive("param").value("param"))).parse_next(i)?;
    let (ty, vector, stated_align) = element_type.parse_next(i)?;
    let name = name.context(expected("the name of a parameter")).parse_next(i)?;
    let extents = repeat(0.., delimited(punctuation('['), opt(digits), punctuation(']'))).parse_next(i)?;
    let (space, init, is_extern) = (space.into(), None, false);
    Ok(Variable { space, name, ty, stated_align, vector, extents, init, is_extern, line })
}

fn function(i: &mut Input<'_>) -> ModalResult<Function> {
    let line = i.state.lines.line(i.current_token_start());
    linking.parse_next(i)?;
    let is_entry = alt((directive("entry").value(true), directive("func").value(false))).parse_next(i)?;
    let returns = opt(parameters).parse_next(i)?.unwrap_or_default();
    let name = name.context(expected("the name of a function")).parse_next(i)?;
    let params = opt(parameters).parse_next(i)?.unwrap_or_default();
    let mut directives = Vec::new();
    while let Some(word) = opt(word).parse_next(i)? {
        if word == "pragma" {
            until_semicolon.parse_next(i)?;
        } else {
            directives.push((word, separated(0.., digits, punctuation(',')).parse_next(i)?));
        }
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
        } else if opt(directive("pragma")).parse_next(i)?.is_some() {
            until_semicolon.parse_next(i)?;
        } else if opt(directive("alias")).parse_next(i)?.is_some() {
            let line = i.state.lines.line(i.current_token_start());
            let names = cut_err((name, punctuation(','), name, punctuation(';')));
            let (name, _, of, _) = names.context(expected("a name, `,` and a name")).parse_next(i)?;
            module.aliases.push(Alias { name, of, line });
        } else if opt(directive("section")).parse_next(i)?.is_some() {
            // The interpreter reads only the lines of the debug information.
            (take_until(0.., "}"), punctuation('}')).void().parse_next(i)?;
        } else if opt(loc).parse_next(i)?.is_some() || opt(punctuation('}')).parse_next(i)?.is_some() {
        } else if peek(opt((linking, alt((directive("entry"), directive("func")))))).parse_next(i)?.is_some()
        {
            module.functions.push(cut_err(function).parse_next(i)?);
        } else {
            peek(any).context(expected("a variable or a function")).parse_next(i)?;
            let all = cut_err(globals).context(expected("a variable or a function")).parse_next(i)?;
            module.variables.extend(all);
        }
    }
    Ok(module)
}
