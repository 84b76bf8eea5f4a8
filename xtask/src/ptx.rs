//! Splits PTX modules into one self-contained text per kernel, and extracts the instructions of inline assembly.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, bail, ensure};

/// A kernel with everything that it needs of its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The kernel's symbol.
    pub name: String,
    /// A module with this kernel only.
    pub text: String,
}

/// Splits a module into one module per `.entry`. Each has the header, and the variables and functions that the kernel reaches,
/// besides its fingerprint, which the host reads.
/// Debug sections describe the whole module and are omitted.
pub fn split(module: &str) -> Result<Vec<Kernel>> {
    let items = items(module)?;
    let mut declaring: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.kind == Kind::Named) {
        item.names.iter().for_each(|name| declaring.entry(name).or_default().push(at));
    }
    // A declaration and its definition share a name. Both are needed.
    let named_by =
        |item: &Item| item.words.iter().filter_map(|word| declaring.get(word)).flatten().copied().collect();
    let named: Vec<Vec<usize>> = items.iter().map(named_by).collect();
    let kernels = (0..items.len()).filter(|&at| items[at].kind == Kind::Entry);
    kernels
        .map(|at| Ok(Kernel { name: items[at].name()?.to_owned(), text: alone(at, &items, &named) }))
        .collect()
}

/// Returns whether a variable is the fingerprint of a kernel: `NAME__HASH`, with a hash of 16 digits.
fn is_fingerprint(variable: &str, kernel: Option<&&str>) -> bool {
    let hash = kernel.and_then(|kernel| variable.strip_prefix(kernel)?.strip_prefix("__"));
    hash.is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the text of the kernel at `entry` and of the items that it reaches. `named` has the items that each item names.
fn alone(entry: usize, items: &[Item], named: &[Vec<usize>]) -> String {
    let mut wanted = BTreeSet::from([entry]);
    let is_own = |item: &Item| item.names.iter().any(|name| is_fingerprint(name, items[entry].names.first()));
    wanted.extend((0..items.len()).filter(|&at| items[at].kind == Kind::Named && is_own(&items[at])));
    let mut unread = vec![entry];
    while let Some(item) = unread.pop() {
        unread.extend(named[item].iter().filter(|&&other| wanted.insert(other)));
    }
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        if item.kind == Kind::Header || wanted.contains(&at) {
            text.push_str(item.text);
            text.push_str(if item.kind == Kind::Header { "\n" } else { "\n\n" });
        }
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `.version`, `.target`, `.address_size`, `.file`, `.pragma`: belongs to every module.
    Header,
    /// `.section`: DWARF debug information.
    Debug,
    /// The definition of a kernel.
    Entry,
    /// A function, variable or alias.
    Named,
}

/// A statement at module scope.
#[derive(Debug)]
struct Item<'a> {
    kind: Kind,
    text: &'a str,
    /// The symbols that the statement declares or defines.
    names: Vec<&'a str>,
    /// All identifiers in the statement.
    words: BTreeSet<&'a str>,
}

impl<'a> Item<'a> {
    fn name(&self) -> Result<&'a str> {
        self.names.first().copied().with_context(|| format!("a kernel has no name: {}", self.text))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A word that begins with a dot, such as `.visible` or `.shared::cta`; also the modifiers of an opcode.
    Directive(&'a str),
    Word(&'a str),
    Punctuation(u8),
}

/// The tokens of a PTX text, each with its end. Comments, strings and numbers give no token.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    fn take_while(&mut self, start: usize, accept: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| !accept(byte)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn skip_past(&mut self, end: &str) {
        self.at = self.text[self.at..].find(end).map_or(self.text.len(), |found| self.at + found + end.len());
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%') || !byte.is_ascii()
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let start = self.at;
            let rest = &self.text[start..];
            let byte = *rest.as_bytes().first()?;
            self.at += 1;
            if rest.starts_with("//") {
                self.skip_past("\n");
            } else if rest.starts_with("/*") {
                self.at += 1;
                self.skip_past("*/");
            } else if byte == b'"' {
                self.skip_past("\"");
            } else if byte == b'.' {
                let text = self.take_while(start, |byte| is_word_byte(byte) || byte == b':');
                return Some(Token::Directive(text));
            } else if byte.is_ascii_digit() {
                self.take_while(start, is_word_byte);
            } else if is_word_byte(byte) {
                return Some(Token::Word(self.take_while(start, is_word_byte)));
            } else if byte.is_ascii_punctuation() {
                return Some(Token::Punctuation(byte));
            }
        }
    }
}

fn items(module: &str) -> Result<Vec<Item<'_>>> {
    let mut tokens = Tokens { text: module, at: 0 };
    let mut items = Vec::new();
    while let Some(first) = tokens.next() {
        items.push(item(&mut tokens, first)?);
    }
    ensure!(
        items.iter().any(|item| item.text.starts_with(".version")),
        "this is not a PTX module: it has no `.version`"
    );
    Ok(items)
}

/// Reads the rest of a statement that begins with `first`.
fn item<'a>(tokens: &mut Tokens<'a>, first: Token<'a>) -> Result<Item<'a>> {
    let Token::Directive(directive) = first else {
        bail!("expected a directive at module scope, found {first:?}");
    };
    let start = tokens.at - directive.len();
    if matches!(directive, ".version" | ".target" | ".address_size" | ".file" | ".loc") {
        tokens.skip_past("\n");
        let text = tokens.text[start..tokens.at].trim_end();
        return Ok(Item { kind: Kind::Header, text, names: Vec::new(), words: BTreeSet::new() });
    }
    let mut statement = Statement::new(directive);
    for token in tokens.by_ref() {
        if statement.ends_with(token) {
            return Ok(statement.into_item(&tokens.text[start..tokens.at]));
        }
    }
    bail!(
        "the module ends inside the statement `{}`",
        tokens.text[start..].lines().next().unwrap_or_default()
    )
}

struct Statement<'a> {
    directive: &'a str,
    entry: bool,
    function: bool,
    depth: usize,
    /// True if the next word outside all brackets is the symbol that the statement declares.
    at_name: bool,
    names: Vec<&'a str>,
    words: BTreeSet<&'a str>,
}

impl<'a> Statement<'a> {
    fn new(directive: &'a str) -> Statement<'a> {
        let (entry, function) = (directive == ".entry", directive == ".func");
        let (names, words) = (Vec::new(), BTreeSet::new());
        Statement { directive, entry, function, depth: 0, at_name: true, names, words }
    }

    /// Takes a token, and returns true if the token ends the statement.
    fn ends_with(&mut self, token: Token<'a>) -> bool {
        match token {
            Token::Directive(directive) if self.depth == 0 => {
                self.entry |= directive == ".entry";
                self.function |= directive == ".func";
            }
            Token::Directive(_) => {}
            Token::Word(word) => {
                self.words.insert(word);
                if self.depth == 0 && self.at_name {
                    self.names.push(word);
                    self.at_name = false;
                }
            }
            Token::Punctuation(b'(' | b'[' | b'{') => self.depth += 1,
            Token::Punctuation(closing @ (b')' | b']' | b'}')) => {
                self.depth = self.depth.saturating_sub(1);
                let has_body = self.entry || self.function || self.directive == ".section";
                return closing == b'}' && self.depth == 0 && has_body;
            }
            Token::Punctuation(b',') => {
                let declares_many = !self.entry && !self.function && self.directive != ".alias";
                self.at_name |= self.depth == 0 && declares_many;
            }
            Token::Punctuation(byte) => return byte == b';' && self.depth == 0,
        }
        false
    }

    fn into_item(self, text: &'a str) -> Item<'a> {
        let kind = match self.directive {
            ".section" => Kind::Debug,
            ".pragma" => Kind::Header,
            _ if self.entry => Kind::Entry,
            _ => Kind::Named,
        };
        Item { kind, text, names: self.names, words: self.words }
    }
}

/// A place in a Rust source: a constant of the type `core::panic::Location`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path of the file.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

/// Returns the source locations that a module has as constants.
pub fn places(module: &str) -> Vec<Place> {
    let lists = module.lines().filter_map(|line| {
        let (head, list) = line.strip_prefix(".global ")?.split_once(" = {")?;
        let (name, _) = head.rsplit(' ').next()?.split_once('[')?;
        Some((name, list.trim_end_matches("};")))
    });
    let lists: BTreeMap<&str, &str> = lists.collect();
    let text = |name: &str| {
        let bytes = lists.get(name)?.split(',').map(|byte| byte.trim().parse());
        let text = String::from_utf8(bytes.collect::<Result<Vec<u8>, _>>().ok()?).ok()?;
        Some(text.trim_end_matches('\0').to_owned())
    };
    let places = lists.values().filter_map(|list| {
        // The list has the address and the length of the path, then line and column.
        let (file, numbers) = list.strip_prefix("generic(")?.split_once("), ")?;
        let (_, place) = numbers.split_once(", ")?;
        let place: u64 = place.parse().ok()?;
        let file = text(file).filter(|file| file.ends_with(".rs"))?;
        Some(Place { file, line: place as u32, column: (place >> 32) as u32 })
    });
    places.collect()
}

/// Counts the instructions from inline assembly in a text. Numbers of registers and labels, and mangled symbols, which differ
/// between compilers, are replaced.
pub fn inline_instructions(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim() {
            "// begin inline asm" => inside = true,
            "// end inline asm" => inside = false,
            code if inside => {
                let code = code.split("//").next().unwrap_or_default();
                for statement in code.split(';').map(normalized).filter(|statement| !statement.is_empty()) {
                    *counts.entry(statement).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    counts
}

fn normalized(statement: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%.".contains(c);
    let spaced = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut text, mut rest) = (String::new(), &*spaced);
    while let Some(start) = rest.find(is_word) {
        let (between, word) = rest.split_at(start);
        let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
        text.push_str(between);
        text.push_str(word_without_number(word));
        rest = after;
    }
    text + rest
}

fn word_without_number(word: &str) -> &str {
    if word.starts_with("$L") || word.starts_with("$_") {
        "$label"
    } else if word.starts_with("_ZN") || word.starts_with("_R") {
        "symbol"
    } else if word.starts_with('%') && !word.contains('.') {
        word.trim_end_matches(|c: char| c.is_ascii_digit())
    } else {
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
//
// Generated by LLVM NVPTX Back-End
//
.version 8.6
.target sm_90a // a comment; with { and \"
.address_size 64
\t.file 1 \"src/lib.rs\"
\t// .globl first
.shared .align 16 .b8 _RNv3tag__smem[1024];
.extern .shared .align 128 .b8 dynamic[];
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.global .u64 to_table[2] = {table, generic(other_table)};
.global .align 4 .b8 other_table[4];
.const .b32 one, two = 2;
.extern .func  (.param .b32 func_retval0) vprintf
(
\t.param .b64 vprintf_param_0
);
.func (.param .b32 r) helper(.param .b32 a);
.func (.param .b32 r) deep(.param .b32 a) .noreturn
{ .reg .b32 %r<2>; mov.u32 %r1, dynamic; ret; }
.alias shallow, deep;
.func (.param .b32 r) helper(.param .b32 a)
{
\t{ call (x), shallow, (y); } /* unused } */
\tret;
}

.visible .entry first(
\t.param .u64 .ptr .align 1 first_param_0
)
.maxntid 128, 1, 1
{
\t.reg .b32 %r<2>;
\tmov.u32 %r1, _RNv3tag__smem; // two
\tcall (x), helper, (y);
$L__BB0_1:
\tret;
}
.weak .entry second()
{
\tmov.u64 %rd1, to_table;
\tld.const.b32 %r1, [two];
}
.entry third() { ret; }
.section .debug_str { .b8 102, 105 }
";

    fn kernel(name: &str) -> String {
        let kernels = split(MODULE).unwrap();
        kernels.into_iter().find(|kernel| kernel.name == name).unwrap().text
    }

    /// Returns the symbols of `MODULE` that a text declares or defines.
    fn symbols(text: &str) -> Vec<String> {
        items(text).unwrap().iter().flat_map(|item| item.names.iter().map(|name| name.to_string())).collect()
    }

    #[test]
    fn every_kernel_is_split_off_in_order() {
        let names: Vec<_> = split(MODULE).unwrap().into_iter().map(|kernel| kernel.name).collect();
        assert_eq!(names, ["first", "second", "third"]);
    }

    #[test]
    fn functions_are_followed_through_calls_and_aliases() {
        let expected = ["_RNv3tag__smem", "dynamic", "helper", "deep", "shallow", "helper", "first"];
        assert_eq!(symbols(&kernel("first")), expected);
    }

    #[test]
    fn variables_are_followed_through_initializers() {
        let expected = ["table", "to_table", "other_table", "one", "two", "second"];
        assert_eq!(symbols(&kernel("second")), expected);
    }

    #[test]
    fn a_kernel_keeps_its_own_fingerprint() {
        let of = |kernel: &str| format!(".visible .global .align 8 .u64 {kernel}__00112233445566ff = 7U;\n");
        let module =
            MODULE.replace(".shared .align", &format!("{}{}.shared .align", of("first"), of("third")));
        let texts: Vec<_> = split(&module).unwrap().into_iter().map(|kernel| kernel.text).collect();
        let has = |text: &String| ["first", "third"].map(|kernel| text.contains(of(kernel).trim()));
        assert_eq!(texts.iter().map(has).collect::<Vec<_>>(), [[true, false], [false, false], [false, true]]);
    }

    #[test]
    fn a_kernel_that_needs_nothing_keeps_the_header_only() {
        let expected = "\
.version 8.6
.target sm_90a // a comment; with { and \"
.address_size 64
.file 1 \"src/lib.rs\"
.entry third() { ret; }

";
        assert_eq!(kernel("third"), expected);
    }

    #[test]
    fn no_module_and_half_a_module_are_errors() {
        assert!(split("nonsense").is_err());
        assert!(split("").is_err());
        let error = split(".version 8.6\n.visible .entry k() {\n ret;\n").unwrap_err().to_string();
        assert!(error.contains(".visible .entry k()"), "{error}");
    }

    #[test]
    fn inline_instructions_are_counted_without_their_numbers() {
        let text = "\
\tadd.u32 %r1, %r2, 1;
\t// begin inline asm
\tmov.u32 %r3, _RNvCs1_3tag__smem;
\t// end inline asm
\t// begin inline asm
\tmov.u32 %r17,   _ZN3tag17h0123E__smem; // ptx:8.6
\t// end inline asm
\t// begin inline asm
\t{ .reg .pred p;
\tsetp.ne.u32 p, %tid.x, 16; @p bra $L__BB0_2; }
\t// end inline asm
";
        let counts = inline_instructions(text);
        let expected = [
            ("@p bra $label", 1),
            ("mov.u32 %r, symbol", 2),
            ("setp.ne.u32 p, %tid.x, 16", 1),
            ("{ .reg .pred p", 1),
            ("}", 1),
        ];
        assert_eq!(counts, expected.map(|(text, count)| (text.to_owned(), count)).into());
    }
}
