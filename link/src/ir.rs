//! Reads LLVM IR as `opt -S` prints it: one instruction, header or global per line.

use std::ops::Range;

/// The target of a call.
#[derive(Debug, PartialEq)]
pub enum Callee<'a> {
    /// Inline asm; the text is escaped as in LLVM IR.
    Asm(&'a str),
    /// A symbol.
    Symbol(&'a str),
    /// A function pointer.
    Pointer,
}

/// A call site: `call`, `invoke` or `callbr`.
#[derive(Debug, PartialEq)]
pub struct Call<'a> {
    pub callee: Callee<'a>,
    /// The position between the arguments and the attributes of the call site.
    pub attributes: usize,
}

/// Reads the call on a line.
pub fn call(line: &str) -> Option<Call<'_>> {
    if !is_call(line) {
        return None;
    }
    // Attributes, bundles, labels and metadata follow the arguments. None of them has parentheses of its own.
    let arguments = groups(line).pop()?;
    let callee = match asm_text(&line[..arguments.start]) {
        Some(text) => Callee::Asm(text),
        None => symbol_before(line, arguments.start).map_or(Callee::Pointer, Callee::Symbol),
    };
    Some(Call { callee, attributes: arguments.end })
}

/// The header of a function: a line `define` or `declare`.
#[derive(Debug, PartialEq)]
pub struct Header<'a> {
    pub name: &'a str,
    pub defined: bool,
    pub is_kernel: bool,
    /// True if the function is visible outside the module.
    pub exported: bool,
    /// The parameters, in their parentheses.
    pub parameters: Range<usize>,
    /// The position for function attributes.
    pub attributes: usize,
}

/// Reads the function header on a line.
pub fn header(line: &str) -> Option<Header<'_>> {
    let defined = line.starts_with("define ");
    if !defined && !line.starts_with("declare ") {
        return None;
    }
    let (start, name) = symbols(line).next()?;
    let parameters = groups(line).into_iter().find(|group| group.start > start)?;
    let after = &line[parameters.end..];
    let is_said = |keyword| line[..start].split(' ').any(|word| word == keyword);
    let unnamed = [" local_unnamed_addr", " unnamed_addr"].into_iter().find(|words| after.starts_with(words));
    Some(Header {
        name,
        defined,
        is_kernel: is_said("ptx_kernel"),
        exported: defined && !is_said("internal") && !is_said("private"),
        attributes: parameters.end + unnamed.map_or(0, str::len),
        parameters,
    })
}

/// Returns the parts of a group in parentheses that commas separate.
pub fn parts(line: &str, group: &Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut depth, mut at) = (Vec::new(), 0usize, group.start + 1);
    let (mut start, end) = (at, group.end - 1);
    while at < end {
        match line.as_bytes()[at] {
            b'"' => {
                at = end_of_string(line, at);
                continue;
            }
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(start..at);
                // A space follows the comma.
                start = at + 2;
            }
            _ => {}
        }
        at += 1;
    }
    if start < end {
        parts.push(start..end);
    }
    parts
}

/// Returns the name that a line `@name = …` defines or declares at module scope.
pub fn global(line: &str) -> Option<&str> {
    let (start, name) = symbols(line).next()?;
    (start == 0).then_some(name)
}

/// Returns the text of a line of module asm, escaped as in LLVM IR. Since LLVM 23, the lines follow a line `module asm(…)`.
pub fn module_asm(line: &str) -> Option<&str> {
    let line = line.strip_prefix("module asm ").or_else(|| line.strip_prefix("    "))?;
    line.strip_prefix('"')?.strip_suffix('"')
}

/// Returns every `@name` outside quotes, with its position.
pub fn symbols(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = line.as_bytes().get(at) {
            let start = at;
            match byte {
                b'"' => at = end_of_string(line, at),
                b'@' => {
                    let name;
                    (name, at) = symbol_at(line, start);
                    return Some((start, name));
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Unescapes `\0A`, `\22` and `$$`. The result is asm text as ptxas reads it, except for operands.
pub fn asm_source(escaped: &str) -> String {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'\\', [b'\\', tail @ ..]) => {
                bytes.push(b'\\');
                tail
            }
            (b'\\', [high, low, tail @ ..]) if let Some(byte) = hex(*high, *low) => {
                bytes.push(byte);
                tail
            }
            (b'$', [b'$', tail @ ..]) => {
                bytes.push(b'$');
                tail
            }
            _ => {
                bytes.push(*first);
                tail
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

fn is_call(line: &str) -> bool {
    let Some(mut text) = line.strip_prefix("  ").map(str::trim_start) else { return false };
    if text.starts_with('%') {
        let name_end = if text[1..].starts_with('"') { end_of_string(text, 1) } else { 1 };
        match text[name_end..].split_once(" = ") {
            Some((_, value)) => text = value,
            None => return false,
        }
    }
    let word = text.split(' ').find(|word| !matches!(*word, "tail" | "musttail" | "notail"));
    matches!(word, Some("call" | "invoke" | "callbr"))
}

/// Returns the template of the `asm sideeffect … "template", "constraints"` at the end of `head`.
fn asm_text(head: &str) -> Option<&str> {
    let mut at = 0;
    while let Some(quote) = head[at..].find('"').map(|found| at + found) {
        let end = end_of_string(head, quote);
        let mut words = head[..quote].split_whitespace().rev();
        let keyword = words.find(|w| !matches!(*w, "sideeffect" | "alignstack" | "inteldialect" | "unwind"));
        if keyword == Some("asm") && head[..quote].ends_with(' ') {
            return Some(&head[quote + 1..end - 1]);
        }
        at = end;
    }
    None
}

/// Returns the symbol that ends at `end`.
fn symbol_before(line: &str, end: usize) -> Option<&str> {
    symbols(&line[..end]).last().filter(|(start, _)| symbol_at(line, *start).1 == end).map(|(_, name)| name)
}

/// Returns the name after the `@` at `start`, and its end.
fn symbol_at(line: &str, start: usize) -> (&str, usize) {
    let from = start + 1;
    if line[from..].starts_with('"') {
        let end = end_of_string(line, from);
        return (&line[from + 1..end - 1], end);
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-$._".contains(byte);
    let length = line.as_bytes()[from..].iter().take_while(|byte| is_name(byte)).count();
    (&line[from..from + length], from + length)
}

/// Returns the end of the string that opens at `quote`. Inside a string, LLVM writes a quote as `\22`.
fn end_of_string(line: &str, quote: usize) -> usize {
    line[quote + 1..].find('"').map_or(line.len(), |length| quote + length + 2)
}

/// Returns the outermost parenthesized parts of a line that are not inside brackets, braces or quotes.
fn groups(line: &str) -> Vec<Range<usize>> {
    let (mut groups, mut depth, mut opened, mut at) = (Vec::new(), 0usize, 0, 0);
    while let Some(byte) = line.as_bytes().get(at) {
        match byte {
            b'"' => {
                at = end_of_string(line, at);
                continue;
            }
            b'(' | b'[' | b'{' => {
                if depth == 0 {
                    opened = at;
                }
                depth += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && *byte == b')' {
                    groups.push(opened..at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        let cases = [
            ("  call void @f()", Some((Callee::Symbol("f"), "  call void @f()"))),
            (
                "  %9 = tail call noundef range(i32 0, 9) i32 @\"a b\"(ptr dereferenceable(8) %x) #1, !dbg !7",
                Some((
                    Callee::Symbol("a b"),
                    "  %9 = tail call noundef range(i32 0, 9) i32 @\"a b\"(ptr dereferenceable(8) %x)",
                )),
            ),
            (
                "  %\"a = b\" = call i32 (ptr, ...) %8(ptr @g, i64 %1) #2 [ \"bundle\"(i32 1) ]",
                Some((Callee::Pointer, "  %\"a = b\" = call i32 (ptr, ...) %8(ptr @g, i64 %1)")),
            ),
            (
                "  %2 = call { i32, i32 } asm sideeffect alignstack \"@p bra (\\22; $$\", \"=r,~{memory}\"(ptr @t) #3, !srcloc !9",
                Some((
                    Callee::Asm("@p bra (\\22; $$"),
                    "  %2 = call { i32, i32 } asm sideeffect alignstack \"@p bra (\\22; $$\", \"=r,~{memory}\"(ptr @t)",
                )),
            ),
            (
                "  callbr void asm \"bra ${0:l};\", \"!i\"() #3",
                Some((Callee::Asm("bra ${0:l};"), "  callbr void asm \"bra ${0:l};\", \"!i\"()")),
            ),
            ("  invoke void @f(i32 1) #1", Some((Callee::Symbol("f"), "  invoke void @f(i32 1)"))),
            (
                "  call void inttoptr (i64 4 to ptr)(i32 1)",
                Some((Callee::Pointer, "  call void inttoptr (i64 4 to ptr)(i32 1)")),
            ),
            ("  %1 = load ptr, ptr @call, align 8", None),
            ("  store i32 1, ptr %call, align 4", None),
            ("declare void @call()", None),
        ];
        for (line, expected) in cases {
            let found = call(line).map(|call| (call.callee, &line[..call.attributes]));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn headers_are_read() {
        let line = "define ptx_kernel void @k(ptr align(16) %0, { i32 } %1) unnamed_addr #1 !guid !94 {";
        let found = header(line).unwrap();
        assert_eq!((found.name, found.defined, found.is_kernel, found.exported), ("k", true, true, true));
        assert!(line[..found.attributes].ends_with(") unnamed_addr"));

        let line = "declare noundef range(i32 0, 9) i32 @\"a b\"(ptr) #7";
        let found = header(line).unwrap();
        assert_eq!((found.name, found.defined, found.is_kernel), ("a b", false, false));
        assert!(line[..found.attributes].ends_with("(ptr)"));

        assert!(!header("define internal void @f() {").unwrap().exported);
        assert_eq!(header("@define = global i32 0"), None);
    }

    #[test]
    fn symbols_stand_outside_quotes() {
        let line = "@v = constant { ptr, [2 x i8] } { ptr @\"f g\", [2 x i8] c\"@n\" }, !x !{ptr @h.llvm.12}";
        assert_eq!(symbols(line).map(|(_, name)| name).collect::<Vec<_>>(), ["v", "f g", "h.llvm.12"]);
        assert_eq!(global(line), Some("v"));
        assert_eq!(global("  call void @f()"), None);
    }

    #[test]
    fn asm_is_unescaped() {
        assert_eq!(
            asm_source(r"mov.u32 $0, %a;\0A\09// \22q\22 $$1 \5C \\ \zz"),
            "mov.u32 $0, %a;\n\t// \"q\" $1 \\ \\ \\zz"
        );
        assert_eq!(module_asm(r#"module asm ".shared .b8 x[4];\0A""#), Some(r".shared .b8 x[4];\0A"));
        assert_eq!(module_asm(r#"    ".shared .b8 x[4];""#), Some(".shared .b8 x[4];"));
        assert_eq!(module_asm(r#"module asm(target_cpu: "sm_90a")"#), None);
    }
}
