//! The functions that the kernels of a module call, and the places that they pass, from LLVM IR in which no function is inlined.

use std::collections::{BTreeMap, BTreeSet};

use crate::types::{Type, closing};

/// A function of `ptx`, as the symbol of an instance names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Called {
    /// An inherent method, with its complete type.
    Method(Type, String),
    /// A free function, and the first module of its path.
    Free(String, String),
}

/// The call graph of a module of IR, by symbols.
pub struct Calls<'a> {
    callees: BTreeMap<&'a str, BTreeSet<&'a str>>,
    names: BTreeMap<&'a str, Name>,
}

/// The item that a symbol of Rust names.
#[derive(Clone)]
pub struct Name {
    pub path: String,
    pub called: Option<Called>,
}

impl<'a> Calls<'a> {
    pub fn read(ir: &'a str) -> Calls<'a> {
        let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut body: Option<&mut BTreeSet<&str>> = None;
        for line in ir.lines() {
            if line.starts_with("define ") {
                body = symbols(line).next().map(|name| calls.entry(name).or_default());
            } else if line == "}" {
                body = None;
            } else if let Some(body) = &mut body {
                body.extend(symbols(line));
            }
        }
        let symbols: BTreeSet<&str> = calls.keys().chain(calls.values().flatten()).copied().collect();
        let names = symbols.into_iter().filter_map(|symbol| Some((symbol, Name::of(symbol)?))).collect();
        Calls { callees: calls, names }
    }

    /// Returns the call graph without the functions of a module and their calls.
    pub fn without(&self, module: &str) -> Calls<'a> {
        let is_left = |symbol: &&str| self.name(symbol).is_none_or(|name| !name.path.starts_with(module));
        let callees = self.callees.iter().filter(|(symbol, _)| is_left(symbol));
        let left = |(&symbol, of): (&&'a str, &BTreeSet<&'a str>)| {
            (symbol, of.iter().copied().filter(is_left).collect())
        };
        Calls { callees: callees.map(left).collect(), names: self.names.clone() }
    }

    /// Returns what a symbol names, or `None` if the symbol is not from Rust.
    pub fn name(&self, symbol: &str) -> Option<&Name> {
        self.names.get(symbol)
    }

    /// Returns the function of `ptx` that a symbol names.
    pub fn called(&self, symbol: &str) -> Option<&Called> {
        self.name(symbol)?.called.as_ref()
    }

    /// Returns true for the caller's own functions: code that a caller passed in does not count.
    pub fn is_the_callers(&self, symbol: &str) -> bool {
        self.name(symbol).is_some_and(|name| name.path.trim_start_matches('<').starts_with("typed::"))
    }

    /// Returns all symbols that the twins reach.
    pub fn of_twins(&self) -> BTreeSet<&'a str> {
        self.reached_from(|symbol| symbol.starts_with("typed_"))
    }

    /// Returns all symbols that those functions reach for which `starts` is true.
    pub fn reached_from(&self, starts: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<_> = self.callees.keys().copied().filter(|name| starts(name)).collect();
        while let Some(name) = next.pop() {
            if reached.insert(name) {
                next.extend(self.callees.get(name).into_iter().flatten());
            }
        }
        reached
    }

    /// Returns the symbols that a function reaches. The search includes a function for which `ends` is true, but ends there.
    pub fn below(&self, symbol: &str, ends: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<_> = self.callees.get(symbol).into_iter().flatten().copied().collect();
        while let Some(name) = next.pop() {
            if reached.insert(name) && !ends(name) {
                next.extend(self.callees.get(name).into_iter().flatten());
            }
        }
        reached
    }
}

impl Name {
    fn of(symbol: &str) -> Option<Name> {
        let path = format!("{:#}", rustc_demangle::try_demangle(symbol).ok()?);
        Some(Name { called: called(&path), path })
    }
}

/// A function's use of a constant place in a source file.
pub struct Passed<'a> {
    pub by: &'a str,
    /// The function that is called with the place, or `by` if the place is not an argument of a direct call.
    pub to: &'a str,
    pub file: &'a str,
}

/// Returns the uses of constants of the type `core::panic::Location` in a module of IR.
pub fn places_passed(ir: &str) -> Vec<Passed<'_>> {
    // A place consists of two constants: the path, and the place, which begins with the path's address.
    let (mut paths, mut places) = (BTreeMap::new(), BTreeMap::new());
    for line in ir.lines().filter(|line| line.starts_with('@')) {
        let constant = symbols(line).next();
        if let Some((_, rest)) = line.split_once(" x i8] c\"")
            && let Some((path, _)) = rest.split_once("\\00\"")
        {
            paths.extend(constant.filter(|_| path.ends_with(".rs")).map(|name| (name, path)));
        }
        if line.contains("<{ ptr, [16 x i8] }> <{ ptr @") {
            places.extend(constant.zip(symbols(line).nth(1)));
        }
    }
    let file = |name: &str| paths.get(places.get(name)?).copied();
    let (mut by, mut passed) = ("", Vec::new());
    for line in ir.lines().filter(|line| !line.starts_with('@')) {
        if line.starts_with("define ") {
            by = symbols(line).next().unwrap_or_default();
            continue;
        }
        let called = line.split_once("call ").and_then(|(_, call)| symbols(call).next());
        let to = called.filter(|&name| file(name).is_none()).unwrap_or(by);
        passed.extend(symbols(line).filter_map(file).map(|file| Passed { by, to, file }));
    }
    passed
}

/// Returns the global names in a line of IR.
fn symbols(line: &str) -> impl Iterator<Item = &str> {
    let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    line.split('@').skip(1).map(move |rest| {
        let rest = rest.strip_prefix('"').unwrap_or(rest);
        &rest[..rest.bytes().take_while(is_in_name).count()]
    })
}

/// Parses a demangled name. Closures and methods of traits give `None`.
pub fn called(name: &str) -> Option<Called> {
    if let Some(rest) = name.strip_prefix('<') {
        let end = closing(name)?;
        let (owner, method) = (&rest[..end - 1], name[end + 1..].strip_prefix("::")?);
        let method = method.split_once("::<").map_or(method, |(method, _)| method);
        let owner = Type::parse(owner);
        return (!method.contains("::")).then(|| Called::Method(owner, method.to_owned()));
    }
    let path = name.split_once("::<").map_or(name, |(path, _)| path);
    match path.split("::").collect::<Vec<_>>()[..] {
        ["ptx", module, .., name] => Some(Called::Free(module.into(), name.into())),
        _ => None,
    }
}

/// Parses the demangled name of a method of a trait of `ptx`: the first module of the trait's path, the trait and the method.
pub fn trait_method(name: &str) -> Option<[String; 3]> {
    let rest = name.strip_prefix('<')?;
    let end = closing(name)?;
    let (inner, method) = (&rest[..end - 1], name[end + 1..].strip_prefix("::")?);
    let (mut depth, mut at, mut before) = (0, None, ' ');
    for (i, c) in inner.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' => depth -= 1,
            ' ' if depth == 0 && inner[i..].starts_with(" as ptx::") => at = Some(i + " as ".len()),
            _ => {}
        }
        before = c;
    }
    let path = &inner[at?..];
    let path = path.split_once('<').map_or(path, |(path, _)| path);
    let method = method.split_once("::<").map_or(method, |(method, _)| method);
    match path.split("::").collect::<Vec<_>>()[..] {
        ["ptx", module, .., name] if !method.contains("::") => Some([module, name, method].map(String::from)),
        _ => None,
    }
}

#[test]
fn names_are_read() {
    let method = |owner: &str, name: &str| Some(Called::Method(Type::parse(owner), name.into()));
    assert_eq!(
        called("<ptx::a::B<f32, 4, (u8, ptx::a::C)>>::d::<e::F, 3>"),
        method("ptx::a::B<f32, 4, (u8, ptx::a::C)>", "d")
    );
    assert_eq!(called("<ptx::a::B>::d::{closure#0}"), None);
    assert_eq!(called("<ptx::a::B as ptx::a::T>::d").map(|_| ()), Some(()));
    assert_eq!(
        trait_method("<ptx::a::B<<u8 as ptx::c::D>::E> as ptx::a::b::T<u8>>::d::<F>"),
        Some(["a", "T", "d"].map(String::from))
    );
    assert_eq!(trait_method("<ptx::a::B as ptx::a::T>::d::{closure#0}"), None);
    assert_eq!(trait_method("<ptx::a::B as core::a::T>::d"), None);
    assert_eq!(called("ptx::a::x::b::<C>"), Some(Called::Free("a".into(), "b".into())));
}

#[test]
fn places_are_read() {
    let ir = r#"
@path = private constant [10 x i8] c"src/lib.rs\00", align 1
@place = private constant <{ ptr, [16 x i8] }> <{ ptr @path, [16 x i8] c"\09\00" }>, align 8
define void @f(ptr %0) {
  call void @g(ptr align 8 %0) #1
  call void @g(ptr align 8 @place) #1
  %1 = call ptr %0(ptr align 8 @place) #1
  store ptr @place, ptr %0
  call void @g(ptr align 8 @path) #1
"#;
    let passed: Vec<_> = places_passed(ir).iter().map(|call| [call.by, call.to, call.file]).collect();
    assert_eq!(passed, [["f", "g", "src/lib.rs"], ["f", "f", "src/lib.rs"], ["f", "f", "src/lib.rs"]]);
}
