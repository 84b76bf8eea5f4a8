//! Lists instructions beside the source lines that the instructions come from.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: PathBuf,
    line: usize,
}

/// A line of code, with its place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    place: Option<Place>,
    text: String,
}

/// Returns the code of a kernel in PTX with line tables. The place of an inlined instruction is the innermost place in `folder`,
/// the user's crate. If the user's code calls a library, the place is the call.
pub fn of_ptx(module: &str, kernel: &str, folder: &Path) -> Option<Vec<Line>> {
    let files = ptx_files(module);
    let (_, body) = module.split_once(&format!(".entry {kernel}("))?;
    let (head, body) = body.split_once("\n{\n")?;
    let (body, _) = body.split_once("\n}")?;
    let mut lines = vec![Line { place: None, text: format!(".entry {kernel}({head}") }, plain("{")];
    let mut callers: HashMap<Loc, Loc> = HashMap::new();
    let mut place = None;
    for line in body.lines() {
        let code = line.trim();
        if let Some(directive) = code.strip_prefix(".loc") {
            let Some((loc, caller)) = parse_loc(directive) else { continue };
            match caller {
                Some(caller) => callers.insert(loc, caller),
                None => callers.remove(&loc),
            };
            place = ptx_place(loc, &callers, &files, folder);
        } else if !is_noise(code) {
            let code = line.split("//").next().unwrap_or_default().trim_end();
            lines.push(Line { place: place.clone(), text: code.to_owned() });
        }
    }
    lines.push(plain("}"));
    Some(lines)
}

fn plain(text: &str) -> Line {
    Line { place: None, text: text.into() }
}

/// Returns true for empty lines, comments, and the labels of the line tables.
fn is_noise(code: &str) -> bool {
    ["//", "$L__tmp", "$L__func_"].iter().any(|start| code.starts_with(start)) || code.is_empty()
}

/// A location in PTX: the file's number, the line and the column.
type Loc = (u32, usize, u32);

/// Reads ` 2 113 9, function_name $L__info_string0, inlined_at 1 20 33 // …`.
fn parse_loc(directive: &str) -> Option<(Loc, Option<Loc>)> {
    let three = |text: &str| {
        let mut numbers = text.split_whitespace();
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    };
    let directive = directive.split("//").next()?;
    let caller = directive.split_once("inlined_at").and_then(|(_, caller)| three(caller));
    Some((three(directive.split(',').next()?)?, caller))
}

/// Returns the files that `.file` numbers: `.file 1 "/path/lib.rs"`.
fn ptx_files(module: &str) -> BTreeMap<u32, PathBuf> {
    let file = |line: &str| {
        let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(' ')?;
        Some((number.parse().ok()?, PathBuf::from(path.trim().trim_matches('"'))))
    };
    module.lines().filter_map(file).collect()
}

fn ptx_place(
    mut loc: Loc,
    callers: &HashMap<Loc, Loc>,
    files: &BTreeMap<u32, PathBuf>,
    folder: &Path,
) -> Option<Place> {
    // Recursion in the source can make a cycle of locations.
    for _ in 0..100 {
        let (file, line, _) = loc;
        if let Some(file) = files.get(&file).filter(|file| file.starts_with(folder))
            && line > 0
        {
            return Some(Place { file: file.clone(), line });
        }
        loc = *callers.get(&loc)?;
    }
    None
}

/// Returns the machine code of a kernel in the output of `nvdisasm -c -gi`, with the same places as [`of_ptx`].
pub fn of_sass(sass: &str, kernel: &str, folder: &Path) -> Option<Vec<Line>> {
    let (_, body) = sass.split_once(&format!("\n.text.{kernel}:\n"))?;
    let body = body.split("//-----").next()?;
    let mut lines = vec![plain(&format!("{kernel}:"))];
    let mut place = None;
    // The frames before an instruction, the innermost first.
    let mut frames: Vec<Place> = Vec::new();
    for line in body.lines() {
        if let Some(comment) = line.trim().strip_prefix("//## File ") {
            frames.extend(parse_frame(comment));
        } else if !line.trim().is_empty() {
            if !frames.is_empty() {
                place = frames.drain(..).find(|frame| frame.line > 0 && frame.file.starts_with(folder));
            }
            lines.push(Line { place: place.clone(), text: line.to_owned() });
        }
    }
    Some(lines)
}

/// Reads `"/path/lib.rs", line 20 inlined at …`.
fn parse_frame(comment: &str) -> Option<Place> {
    let (file, rest) = comment.strip_prefix('"')?.split_once('"')?;
    let line = rest.strip_prefix(", line ")?.split_whitespace().next()?.parse().ok()?;
    Some(Place { file: file.into(), line })
}

/// Writes code with the source line before the instructions of each place. Paths are relative to `folder`.
pub fn shown(code: &[Line], folder: &Path) -> String {
    let mut sources: HashMap<PathBuf, Vec<String>> = HashMap::new();
    let mut last = None;
    let mut text = String::new();
    for line in code {
        if let Some(place) = &line.place
            && last != Some(place)
        {
            let source = sources.entry(place.file.clone()).or_insert_with(|| {
                let source = fs::read_to_string(&place.file).unwrap_or_default();
                source.lines().map(|line| line.trim().to_owned()).collect()
            });
            let source = source.get(place.line - 1).map_or("", String::as_str);
            let file = place.file.strip_prefix(folder).unwrap_or(&place.file).display();
            text += &format!("\n// {file}:{}: {source}\n", place.line);
            last = Some(place);
        }
        text += &line.text.replace(" \t", " ").replace('\t', "    ");
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.visible .entry other(
)
{
	ret;
}
.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b32 	%r<3>;
$L__func_begin0:
	.loc	1 18 0                          // kernels/src/lib.rs:18:0

	.loc	2 113 9, function_name $L__info_string0, inlined_at 1 20 33 // src/shape.rs:113:9
	.loc	3 13 17, function_name $L__info_string0, inlined_at 2 113 9 // src/special.rs:13:17
	mov.u32 	%r2, %tid.x;
$L__tmp2:
	.loc	4 9 5, function_name $L__info_string0, inlined_at 1 20 33 // kernels/src/own.rs:9:5
	// begin inline asm
	bar.sync 0;
	// end inline asm
	.loc	1 0 0
	add.s32 	%r1, %r2, 1;
$L__BB0_6:                              // %._crit_edge
	ret;
}
	.file	1 \"/w/kernels/src/lib.rs\"
	.file	2 \"/ptx/src/shape.rs\"
	.file	3 \"/ptx/src/special.rs\"
	.file	4 \"/w/kernels/src/own.rs\"
";

    fn place(file: &str, line: usize) -> Option<Place> {
        Some(Place { file: Path::new("/w/kernels/src").join(file), line })
    }

    fn places(lines: &[Line]) -> Vec<(Option<Place>, String)> {
        lines
            .iter()
            .map(|line| (line.place.clone(), line.text.split_whitespace().collect::<Vec<_>>().join(" ")))
            .collect()
    }

    #[test]
    fn an_instruction_of_a_library_belongs_to_the_call_and_an_own_function_to_its_line() {
        let lines = of_ptx(PTX, "k", Path::new("/w/kernels")).unwrap();
        let expected = [
            (None, ".entry k( .param .u64 k_param_0 )"),
            (None, "{"),
            (None, ".reg .b32 %r<3>;"),
            (place("lib.rs", 20), "mov.u32 %r2, %tid.x;"),
            (place("own.rs", 9), "bar.sync 0;"),
            (None, "add.s32 %r1, %r2, 1;"),
            (None, "$L__BB0_6:"),
            (None, "ret;"),
            (None, "}"),
        ];
        assert_eq!(places(&lines), expected.map(|(place, text)| (place, text.to_owned())));
        assert!(of_ptx(PTX, "absent", Path::new("/w/kernels")).is_none());
    }

    #[test]
    fn frames_of_machine_code_are_read() {
        let sass = "\
//--------------------- .text.k                --------------------------
k:
.text.k:
	//## File \"/ptx/src/special.rs\", line 13 inlined at \"/w/kernels/src/lib.rs\", line 20
	//## File \"/w/kernels/src/lib.rs\", line 20
        /*0010*/                   S2R R6, SR_CTAID.X ;
.L_x_1:
	//## File \"/ptx/src/special.rs\", line 14
        /*0020*/                   EXIT ;
//--------------------- .text.other                --------------------------
";
        let lines = of_sass(sass, "k", Path::new("/w/kernels")).unwrap();
        let expected = [
            (None, "k:"),
            (place("lib.rs", 20), "/*0010*/ S2R R6, SR_CTAID.X ;"),
            (place("lib.rs", 20), ".L_x_1:"),
            (None, "/*0020*/ EXIT ;"),
        ];
        assert_eq!(places(&lines), expected.map(|(place, text)| (place, text.to_owned())));
    }

    #[test]
    fn a_source_line_stands_before_its_instructions_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("lib.rs");
        fs::write(&file, "fn k() {\n    step();\n}\n").unwrap();
        let at =
            |line, text: &str| Line { place: Some(Place { file: file.clone(), line }), text: text.into() };
        let code = [at(2, "\ta;"), at(2, "\tb;"), plain("\tc;"), at(3, "\tret;")];
        let expected = "\n// lib.rs:2: step();\n    a;\n    b;\n    c;\n\n// lib.rs:3: }\n    ret;\n";
        assert_eq!(shown(&code, folder.path()), expected);
    }
}
