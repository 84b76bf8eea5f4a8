//! Parameters of kernels that are passed by value (`__grid_constant__`), for which stock rustc has no syntax.
//!
//! `#[ptx::kernel]` declares such a parameter as a pointer, and states its bytes in the kernel's body, as a comment of inline
//! asm: `// entry: .param NUMBER SIZE ALIGNMENT`. The linker makes the pointer a `byval` pointer to bytes among the kernel's
//! parameters. LLVM then reads the bytes by `ld.param`, at any index, and takes their address by `cvta.param`. Nobody writes the bytes
//! (`readonly`), so LLVM reads an array in them where it lies, and makes no copy in local memory.

use crate::ir::{self, Callee};

const COMMENT: &str = "// entry: .param ";

/// A statement: the number, the size and the alignment of a parameter.
type Statement = [usize; 3];

/// Adds the stated bytes to the parameters of kernels, in LLVM IR as `opt -S` prints it, and removes the statements.
pub fn pass_by_value(ir: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut header = 0;
    for line in ir.lines() {
        if line.starts_with("define ") {
            header = lines.len();
        }
        match statement(line).and_then(|statement| with_bytes(lines.get(header)?, statement)) {
            Some(stated) => lines[header] = stated,
            None => lines.push(line.to_owned()),
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn statement(line: &str) -> Option<Statement> {
    // Avoids parsing the lines of other instructions.
    if !line.contains(COMMENT) {
        return None;
    }
    let Callee::Asm(text) = ir::call(line)?.callee else { return None };
    let mut numbers = text.strip_prefix(COMMENT)?.split(' ').map(|number| number.parse().ok());
    let statement = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(statement)
}

/// Returns the header of a kernel, with the bytes of one parameter added.
fn with_bytes(line: &str, [number, size, alignment]: Statement) -> Option<String> {
    let header = ir::header(line).filter(|header| header.is_kernel)?;
    let parameter = ir::parts(line, &header.parameters).into_iter().nth(number)?;
    // A second statement stays in the PTX, so ptxas refuses the kernel.
    if line[parameter.clone()].contains("byval(") {
        return None;
    }
    let name = line[parameter.clone()].split(' ').next_back()?;
    let stated = format!(
        "ptr noalias noundef readonly byval([{size} x i8]) align {alignment} \"nvvm.grid_constant\" {name}"
    );
    Some([&line[..parameter.start], &stated, &line[parameter.end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::pass_by_value;

    #[test]
    fn a_statement_gives_a_pointer_its_bytes() {
        let kernel = |parameters: &str, statements: &str| {
            format!(
                "define ptx_kernel void @k({parameters}) unnamed_addr #1 {{\nstart:\n{statements}  ret void\n}}\n\
                 define void @f(ptr noundef %a) {{\n  ret void\n}}\n"
            )
        };
        let statement =
            |text: &str| format!("  call void asm sideeffect \"{text}\", \"\"() #3, !srcloc !5\n");
        let stated = statement("// entry: .param 0 4 4") + &statement("// entry: .param 2 128 64");
        assert_eq!(
            pass_by_value(
                &kernel(
                    "ptr noundef %a, i32 range(i32 0, 9) %b, ptr noundef dereferenceable(8) %\"c d\"",
                    &stated
                )
                .replace("%\"c d\"", "%c")
            ),
            kernel(
                "ptr noalias noundef readonly byval([4 x i8]) align 4 \"nvvm.grid_constant\" %a, i32 range(i32 0, 9) %b, \
                 ptr noalias noundef readonly byval([128 x i8]) align 64 \"nvvm.grid_constant\" %c",
                ""
            )
        );
    }

    #[test]
    fn what_states_no_parameter_of_a_kernel_stays() {
        let text = "define void @f(ptr %a) {\n  call void asm sideeffect \"// entry: .param 0 4 4\", \"\"()\n}\n\
                    define ptx_kernel void @k(ptr %a) {\n  call void asm sideeffect \"// entry: .reqntid 1, 1, 1\", \"\"()\n\
                    call void asm sideeffect \"// entry: .param 1 4 4\", \"\"()\n}\n\
                    define ptx_kernel void @again(ptr noundef byval([4 x i8]) align 4 \"nvvm.grid_constant\" %a) {\n  \
                    call void asm sideeffect \"// entry: .param 0 4 1\", \"\"()\n}\n";
        assert_eq!(pass_by_value(text), text);
    }
}
