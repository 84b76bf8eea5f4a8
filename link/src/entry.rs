//! Moves the directives of a kernel's entry (`__launch_bounds__`, `__cluster_dims__`) and its static shared memory (`__shared__`),
//! for which rustc has no syntax.
//!
//! A kernel states a directive in its body, as a comment of inline asm: `// entry: .reqntid 256, 1, 1`. The linker moves the
//! directive to its place in PTX, between the parameters and the body. A function states a variable of the module in the same way:
//! `// module: .shared .align 128 .b8 tile[4096];`. The linker declares the variable once, before the functions. So a generic
//! function can have a variable for each instance.

use crate::Error;
use crate::lines::Place;
use crate::program::{Asm, Program, name_in_ptx, readable};

pub const COMMENT: &str = "// entry: ";

/// The start of a comment that states the registers of warpgroups.
pub const BUDGETS: &str = "// registers: ";
const OF_MODULE: &str = "// module: ";
/// The last directive before the variables and functions.
const LAST_OF_HEADER: &str = ".address_size";

/// Moves the entry directives and the variables of the module in the PTX that `llc` wrote of a program.
pub fn move_directives(ptx: &str, program: &Program<'_>) -> Result<String, Error> {
    let mut lines: Vec<&str> = Vec::new();
    let mut kernel: Option<Kernel<'_>> = None;
    let mut directives: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut variables: Vec<&str> = Vec::new();
    let mut source = ptx.lines().peekable();
    while let Some(line) = source.next() {
        if let Some(named) = Kernel::of_header(line) {
            kernel = Some(named);
        }
        if line == "{"
            && let Some(kernel) = &mut kernel
        {
            kernel.body.get_or_insert(lines.len());
        }
        let text = line.trim_start();
        if let Some(variable) = text.strip_prefix(OF_MODULE) {
            // LLVM may copy the comment, and several kernels may use the variable.
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        } else if let Some(directive) = text.strip_prefix(COMMENT) {
            let owner = kernel.as_ref().filter(|kernel| kernel.is_entry);
            let Some(body) = owner.and_then(|kernel| kernel.body) else {
                let function = kernel.map_or("the module", |kernel| kernel.name);
                return Err(Error::EntryDirective {
                    function: readable(function),
                    place: place(program, function, directive).map(Box::new),
                    directive: directive.trim().to_owned(),
                });
            };
            let name = kernel.as_ref().map_or("", |kernel| kernel.name);
            add(&mut directives, body, directive.trim(), name, program)?;
        } else if !text.starts_with(BUDGETS) {
            lines.push(line);
            continue;
        }
        // Removes the asm block, if it is empty now.
        if lines.last().is_some_and(|line| line.trim() == "// begin inline asm")
            && source.next_if(|line| line.trim() == "// end inline asm").is_some()
        {
            lines.pop();
        }
    }
    let mut text = String::with_capacity(ptx.len() + 64 * directives.len());
    let mut directives = directives.into_iter().peekable();
    for (i, line) in lines.into_iter().enumerate() {
        if let Some((_, of_kernel)) = directives.next_if(|(body, _)| *body == i) {
            text.extend(of_kernel.into_iter().flat_map(|directive| [directive, "\n"]));
        }
        text.extend([line, "\n"]);
        if line.starts_with(LAST_OF_HEADER) {
            text.extend(variables.drain(..).flat_map(|variable| [variable, "\n"]));
        }
    }
    Ok(text)
}

/// Returns the function that a line of PTX begins to define or declare.
pub fn function(line: &str) -> Option<&str> {
    Kernel::of_header(line).map(|kernel| kernel.name)
}

/// Adds a directive to the kernel whose body begins at line `body`. LLVM may copy the comment, so a directive may come twice.
fn add<'a>(
    directives: &mut Vec<(usize, Vec<&'a str>)>,
    body: usize,
    directive: &'a str,
    kernel: &str,
    program: &Program<'_>,
) -> Result<(), Error> {
    if directives.last().is_none_or(|(last, _)| *last != body) {
        directives.push((body, Vec::new()));
    }
    let Some((_, of_kernel)) = directives.last_mut() else { return Ok(()) };
    let name = |directive: &'a str| directive.split_whitespace().next();
    match of_kernel.iter().find(|other| name(other) == name(directive)) {
        Some(other) if *other != directive => Err(Error::EntryDirectives {
            place: place(program, kernel, directive).map(Box::new),
            kernel: readable(kernel),
            one: (*other).to_owned(),
            other: directive.to_owned(),
        }),
        Some(_) => Ok(()),
        None => {
            of_kernel.push(directive);
            Ok(())
        }
    }
}

/// Returns the place of a statement in the function with this name in PTX.
fn place(program: &Program<'_>, function: &str, directive: &str) -> Option<Place> {
    let stated = |asm: &&Asm<'_>| asm.function.is_some_and(|name| name_in_ptx(name) == function);
    let function = program.asm().iter().find(stated)?.function?;
    program.place_of_asm(function, &format!("{COMMENT}{directive}"))
}

/// The function that contains the current line.
struct Kernel<'a> {
    name: &'a str,
    is_entry: bool,
    /// The line of the brace that opens the body.
    body: Option<usize>,
}

impl<'a> Kernel<'a> {
    /// Reads a header: the line on which `llc` begins to define a function.
    fn of_header(line: &'a str) -> Option<Self> {
        let mut words = line.split_whitespace().skip_while(|word| matches!(*word, ".visible" | ".weak"));
        let is_entry = match words.next()? {
            ".entry" => true,
            ".func" => false,
            _ => return None,
        };
        // A function's result, in parentheses, comes before its name.
        let name = if is_entry { words.next()? } else { words.last()? };
        Some(Kernel { name: name.trim_end_matches(['(', ')']), is_entry, body: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(ptx: &str) -> Result<String, Error> {
        move_directives(ptx, &Program::read(""))
    }

    const PTX: &str = "\
.version 8.0
.visible .func  (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	ret;
}
.visible .entry one(
	.param .u64 one_param_0
)
{
	.reg .b32 %r<2>;
	// begin inline asm
	// entry: .reqntid 256, 1, 1
	// end inline asm
	// begin inline asm
	{
	mov.u32 %r1, %tid.x;
}
	// end inline asm
	// begin inline asm
	// entry: .minnctapersm 2
	// end inline asm
	// begin inline asm
	// entry: .reqntid 256, 1, 1
	// end inline asm
	ret;
}
.visible .entry two()
{
	ret;
}
";

    #[test]
    fn directives_stand_before_the_body() {
        let moved = moved(PTX).unwrap();
        assert!(
            moved.contains("_param_0\n)\n.reqntid 256, 1, 1\n.minnctapersm 2\n{\n\t.reg .b32 %r<2>;\n"),
            "{moved}"
        );
        assert!(!moved.contains("entry: "), "{moved}");
        assert_eq!(moved.matches("begin inline asm").count(), 1, "{moved}");
        assert!(moved.contains(".visible .entry two()\n{\n\tret;\n"), "{moved}");
    }

    #[test]
    fn text_without_directives_stays() {
        let text = ".visible .entry two()\n{\n\tret;\n}\n";
        assert_eq!(moved(text).unwrap(), text);
    }

    #[test]
    fn a_variable_is_declared_once_before_the_functions() {
        let asm = "{\n\t// begin inline asm\n\t// module: .shared .align 128 .b8 tile[16];\n\tmov.u32 %r1, tile;\n\t// end inline asm\n";
        let text = PTX
            .replace(".version 8.0\n", ".version 8.0\n.target sm_90\n.address_size 64\n")
            .replace("{\n\tret;", &format!("{asm}\tret;"));
        let moved = moved(&text).unwrap();
        assert!(
            moved.contains(".address_size 64\n.shared .align 128 .b8 tile[16];\n.visible .func"),
            "{moved}"
        );
        assert_eq!(
            (moved.matches("tile[16]").count(), moved.matches("mov.u32 %r1, tile;").count()),
            (1, 2),
            "{moved}"
        );
    }

    #[test]
    fn a_function_is_no_entry() {
        let text = PTX.replace(
            "{\n\tret;\n}\n.visible .entry one",
            "{\n\t// entry: .maxnreg 40\n}\n.visible .entry one",
        );
        let error = moved(&text).unwrap_err().to_string();
        assert!(
            error.contains("`helper`") && error.contains(".maxnreg 40") && error.contains("inline(always)"),
            "{error}"
        );
    }

    #[test]
    fn a_kernel_has_one_shape() {
        let text = PTX.replacen("256, 1, 1", "128, 1, 1", 1);
        let error = moved(&text).unwrap_err().to_string();
        assert!(
            error.contains("`one`") && error.contains("128, 1, 1") && error.contains("256, 1, 1"),
            "{error}"
        );
    }
}
