//! Types in the mangled names of functions, and patterns of such types.

use std::fmt;

/// A type by name, or a pattern for any type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    Any,
    /// The first module of the path, and the name, without lifetimes. The modules between depend on where the type is exported.
    Path {
        name: String,
        args: Vec<Type>,
    },
}

impl Type {
    /// Makes a type from a path that begins with the crate.
    pub fn path(path: &[&str], args: impl IntoIterator<Item = Type>) -> Type {
        let name = match path {
            ["ptx", module, .., name] => format!("{module}::{name}"),
            [.., name] => (*name).into(),
            [] => String::new(),
        };
        Type::Path { name, args: args.into_iter().collect() }
    }

    /// Parses a demangled type.
    pub fn parse(text: &str) -> Type {
        let text = text.trim();
        if let Some(tuple) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            return Type::path(&["()"], split(tuple).into_iter().map(Type::parse));
        }
        let (path, args) = match text.split_once('<') {
            Some((path, args)) if !path.is_empty() => (path, args.strip_suffix('>').unwrap_or(args)),
            _ => (text, ""),
        };
        Type::path(&path.split("::").collect::<Vec<_>>(), split(args).into_iter().map(Type::parse))
    }

    /// Returns true if a type matches this pattern. Either may omit trailing default arguments.
    pub fn takes(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Any, _) => true,
            (Type::Path { name, args }, Type::Path { name: other, args: others }) => {
                same_name(name, other)
                    && args.iter().zip(others).all(|(arg, other)| arg.takes(other))
                    && args.iter().skip(others.len()).all(|arg| *arg == Type::Any)
            }
            (Type::Path { .. }, Type::Any) => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Type::Path { name, args } = self else { return formatter.write_str("_") };
        formatter.write_str(name)?;
        if args.iter().all(|arg| *arg == Type::Any) {
            return Ok(());
        }
        let args: Vec<_> = args
            .iter()
            .map(|arg| {
                let shown = arg.to_string();
                // The module of an argument adds nothing.
                if matches!(arg, Type::Path { args, .. } if args.is_empty()) {
                    shown.rsplit("::").next().unwrap_or_default().to_owned()
                } else {
                    shown
                }
            })
            .collect();
        write!(formatter, "<{}>", args.join(", "))
    }
}

/// Returns true if two names are the same. A missing module matches any module.
fn same_name(one: &str, other: &str) -> bool {
    let end = |name: &str| name.rsplit("::").next().map(str::to_owned);
    one == other || (one.contains("::") != other.contains("::") && end(one) == end(other))
}

/// Splits a text at the commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut before) = (Vec::new(), 0_usize, 0, ' ');
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
        before = c;
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns the end of the bracket with which a text opens.
pub fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut before) = (0, ' ');
    for (i, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}
