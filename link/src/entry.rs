//! Directives of a kernel's entry, which rustc cannot say: launch bounds, cluster extents.
//!
//! A kernel states a directive in its body, as a comment of inline asm: `// entry: .reqntid 256, 1, 1`. The comment is moved
//! to where PTX wants the directive: between the parameters and the body.

use crate::Error;
use crate::program::readable;

const COMMENT: &str = "// entry: ";

/// Moves the entry directives in the text of `llc`.
pub fn move_directives(ptx: &str) -> Result<String, Error> {
    let mut lines: Vec<&str> = Vec::new();
    let mut kernel: Option<Kernel<'_>> = None;
    let mut directives: Vec<(usize, Vec<&str>)> = Vec::new();
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
        let Some(directive) = line.trim_start().strip_prefix(COMMENT) else {
            lines.push(line);
            continue;
        };
        let owner = kernel.as_ref().filter(|kernel| kernel.is_entry);
        let Some(body) = owner.and_then(|kernel| kernel.body) else {
            let function = kernel.map_or("the module", |kernel| kernel.name);
            return Err(Error::EntryDirective {
                function: readable(function),
                directive: directive.trim().to_owned(),
            });
        };
        add(&mut directives, body, directive.trim(), kernel.as_ref().map_or("", |kernel| kernel.name))?;
        // Nothing is left of the asm block.
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
    }
    Ok(text)
}

/// Adds a directive to those of the kernel whose body begins at a line. LLVM may copy the comment, so a directive may come twice.
fn add<'a>(
    directives: &mut Vec<(usize, Vec<&'a str>)>,
    body: usize,
    directive: &'a str,
    kernel: &str,
) -> Result<(), Error> {
    if directives.last().is_none_or(|(last, _)| *last != body) {
        directives.push((body, Vec::new()));
    }
    let Some((_, of_kernel)) = directives.last_mut() else { return Ok(()) };
    let name = |directive: &'a str| directive.split_whitespace().next();
    match of_kernel.iter().find(|other| name(other) == name(directive)) {
        Some(other) if *other != directive => Err(Error::EntryDirectives {
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

/// The function that the lines belong to.
struct Kernel<'a> {
    name: &'a str,
    is_entry: bool,
    /// The line of the brace that opens its body.
    body: Option<usize>,
}

impl<'a> Kernel<'a> {
    /// The function that `llc` begins to define on this line.
    fn of_header(line: &'a str) -> Option<Self> {
        let mut words = line.split_whitespace().skip_while(|word| matches!(*word, ".visible" | ".weak"));
        let is_entry = match words.next()? {
            ".entry" => true,
            ".func" => false,
            _ => return None,
        };
        // A function with a result has it, in parentheses, before its name.
        let name = if is_entry { words.next()? } else { words.last()? };
        Some(Kernel { name: name.trim_end_matches(['(', ')']), is_entry, body: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let moved = move_directives(PTX).unwrap();
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
        assert_eq!(move_directives(text).unwrap(), text);
    }

    #[test]
    fn a_function_is_no_entry() {
        let text = PTX.replace(
            "{\n\tret;\n}\n.visible .entry one",
            "{\n\t// entry: .maxnreg 40\n}\n.visible .entry one",
        );
        let error = move_directives(&text).unwrap_err().to_string();
        assert!(
            error.contains("`helper`") && error.contains(".maxnreg 40") && error.contains("inline(always)"),
            "{error}"
        );
    }

    #[test]
    fn a_kernel_has_one_shape() {
        let text = PTX.replacen("256, 1, 1", "128, 1, 1", 1);
        let error = move_directives(&text).unwrap_err().to_string();
        assert!(
            error.contains("`one`") && error.contains("128, 1, 1") && error.contains("256, 1, 1"),
            "{error}"
        );
    }
}
