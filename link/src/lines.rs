//! Reads the line tables of LLVM IR, which name the source line of each instruction.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use rustc_demangle::demangle;

/// The metadata of a module: the text of each node `!7 = …`, by `!7`.
pub struct Lines<'a>(HashMap<&'a str, &'a str>);

/// A place in Rust source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the function.
    pub function: String,
    file: String,
    /// The folder in which the crate was compiled.
    folder: String,
    line: u32,
    column: u32,
}

impl<'a> Lines<'a> {
    pub fn read(ir: &'a str) -> Self {
        let nodes = ir.lines().filter(|line| line.starts_with('!'));
        Self(nodes.filter_map(|line| line.split_once(" = ")).collect())
    }

    /// Returns the place of an instruction in the innermost inlined function that is the user's, else in the innermost function.
    pub fn place(&self, instruction: &str) -> Option<Place> {
        self.place_of_chain([instruction])
    }

    /// Returns the place of the first of these instructions, as [`place`](Self::place) does. The next instruction calls the function
    /// that contains the one before it.
    pub fn place_of_chain<'i>(&self, chain: impl IntoIterator<Item = &'i str>) -> Option<Place> {
        let places: Vec<Place> = chain.into_iter().flat_map(|instruction| self.places(instruction)).collect();
        let first = || places.iter().find(|place| place.line > 0);
        of_user(&places).or_else(first).cloned()
    }

    /// Returns the place of an instruction in the innermost inlined function that is the user's, if there is one.
    pub fn place_of_user(&self, instruction: &str) -> Option<Place> {
        of_user(&self.places(instruction)).cloned()
    }

    /// Returns the places of an instruction, from the innermost inlined function to the function that contains the code.
    fn places(&self, instruction: &str) -> Vec<Place> {
        let mut places = Vec::new();
        let mut location = instruction.rsplit_once(" !dbg ").map(|(_, rest)| first_word(rest));
        while let Some(node) = location.and_then(|node| self.0.get(node)) {
            let number = |name| field(node, name).and_then(|text| text.parse().ok()).unwrap_or(0);
            let Some(scope) = field(node, "scope") else { break };
            let Some((function, file, folder)) = self.function(scope) else { break };
            places.push(Place { function, file, folder, line: number("line"), column: number("column") });
            location = field(node, "inlinedAt");
        }
        places
    }

    /// Returns the name of the function of a scope, and the scope's file and folder.
    fn function(&self, scope: &str) -> Option<(String, String, String)> {
        let mut node = self.0.get(scope)?;
        let source = self.0.get(field(node, "file")?)?;
        let (file, folder) = (string(source, "filename")?, string(source, "directory").unwrap_or_default());
        while !node.contains("!DISubprogram(") {
            node = self.0.get(field(node, "scope")?)?;
        }
        let symbol = string(node, "linkageName").or_else(|| string(node, "name"))?;
        Some((readable(symbol), file.to_owned(), folder.to_owned()))
    }
}

/// Returns the first of the places, from the innermost inlined function on, that is in the user's code, not in that of `ptx` or `core`.
fn of_user(places: &[Place]) -> Option<&Place> {
    let outermost = places.last()?;
    let entry = outermost.path();
    // The entry of `#[ptx::kernel]` is code of `ptx`, and calls the kernel.
    let ptx = entry.parent().filter(|_| entry.ends_with("src/expansion.rs"));
    let is_of_user = |place: &&Place| match ptx {
        Some(ptx) => !place.path().starts_with(ptx) && !place.file.contains("/library/"),
        // Cargo compiles the user's workspace in one folder, and other packages in others or by absolute paths.
        None => {
            place.folder == outermost.folder
                && !Path::new(&place.file).is_absolute()
                && !place.file.contains("/library/core/")
        }
    };
    // An instruction that LLVM made of several lines has line 0.
    places.iter().filter(|place| place.line > 0).find(is_of_user)
}

impl Place {
    fn path(&self) -> PathBuf {
        Path::new(&self.folder).join(&self.file)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

fn first_word(text: &str) -> &str {
    text.split([',', ' ', ')']).next().unwrap_or_default()
}

/// Returns a field `name: value` of a node, without the quotes of a string.
pub fn field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("{name}: ");
    let at = node.match_indices(&key).find(|(at, _)| node[..*at].ends_with(['(', ' ']))?.0;
    Some(first_word(&node[at + key.len()..]))
}

fn string<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = node.split_once(&format!("{name}: \""))?;
    rest.split_once('"').map(|(text, _)| text)
}

/// Returns the line of a message that names a place. Without a place, the line has `unknown` before the advice.
pub fn line_of(place: Option<&Place>, unknown: &str) -> String {
    match place {
        Some(place) => format!("\n  place: {place}, in `{}`", place.function),
        None => format!(
            "\n  place: {unknown}with `line_tables(true)` in the build script, or `cargo ptx build --line-tables`, this names the line"
        ),
    }
}

/// Returns a symbol's Rust name, without the hash.
pub fn readable(symbol: &str) -> String {
    format!("{:#}", demangle(symbol))
}

#[cfg(test)]
mod tests {
    use super::Lines;

    const IR: &str = r#"
!5 = !DIFile(filename: "src/lib.rs", directory: "/home/a crate")
!6 = !DIFile(filename: "/rustc/1/library/core/src/slice/index.rs", directory: "")
!7 = !DIFile(filename: "src/shared.rs", directory: "/home/a dependency")
!10 = distinct !DISubprogram(name: "index", linkageName: "_ZN4core5slice5index17h0123456789abcdefE", scope: !3, file: !6, line: 9)
!11 = distinct !DISubprogram(name: "k", scope: !3, file: !5, line: 20)
!13 = distinct !DISubprogram(name: "sync", scope: !3, file: !7, line: 20)
!23 = !DILocation(line: 9, column: 3, scope: !13, inlinedAt: !21)
!12 = !DILexicalBlock(scope: !11, file: !5, line: 21)
!20 = !DILocation(line: 7, column: 3, scope: !10, inlinedAt: !21)
!21 = distinct !DILocation(line: 22, column: 5, scope: !12)
!22 = !DILocation(line: 7, column: 3, scope: !10)
!8 = !DIFile(filename: "src/expansion.rs", directory: "/home/a dependency")
!14 = distinct !DISubprogram(name: "entry", scope: !3, file: !8, line: 80)
!15 = distinct !DISubprogram(name: "body", scope: !3, file: !5, line: 30)
!30 = distinct !DILocation(line: 90, column: 1, scope: !14)
!31 = distinct !DILocation(line: 31, column: 1, scope: !15, inlinedAt: !30)
!32 = !DILocation(line: 9, column: 3, scope: !13, inlinedAt: !31)
!33 = !DILocation(line: 9, column: 3, scope: !13, inlinedAt: !30)
!40 = distinct !DILocation(line: 0, scope: !12)
!41 = !DILocation(line: 9, column: 3, scope: !13, inlinedAt: !40)
"#;

    #[test]
    fn the_place_is_the_users() {
        let place = |text| Lines::read(IR).place(text);
        let of_user = place("  %1 = load i32, ptr %0, align 4, !dbg !20").expect("a place");
        assert_eq!((of_user.to_string().as_str(), of_user.function.as_str()), ("src/lib.rs:22:5", "k"));
        let of_user = place("  call void @f(), !dbg !23").expect("a place");
        assert_eq!(of_user.function, "k");
        let of_core = place("  store i32 1, ptr %0, !dbg !22, !noundef !1").expect("a place");
        assert_eq!(of_core.function, "core::slice::index");
        let of_user = place("  call void @f(), !dbg !32").expect("a place");
        assert_eq!((of_user.to_string().as_str(), of_user.function.as_str()), ("src/lib.rs:31:1", "body"));
        assert_eq!(place("  call void @f(), !dbg !33").expect("a place").to_string(), "src/shared.rs:9:3");
        assert_eq!(place("  call void @f(), !dbg !41").expect("a place").to_string(), "src/shared.rs:9:3");
        assert_eq!(place("  call void @f(), !dbg !40"), None);
        let in_core = "  call void @panic(), !dbg !22";
        let chain = Lines::read(IR).place_of_chain([in_core, "  call void @index(), !dbg !21"]);
        assert_eq!(chain.expect("a place").to_string(), "src/lib.rs:22:5");
        assert_eq!(place("  store i32 1, ptr %0, align 4"), None);
        assert_eq!(place("  store i32 1, ptr %0, align 4, !dbg !99"), None);
    }
}
