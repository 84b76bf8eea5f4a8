//! Constant memory (`.const`, `__constant__`), for which stock rustc has no syntax.
//!
//! `ptx::constant_memory!` gives a static the section `.ptx.constant`. The linker moves such a variable into address space 4 before
//! LLVM's passes, which then read it by `ld.const`.

use std::collections::HashSet;

use crate::Error;
use crate::ir;
use crate::program::readable;

const SECTION: &str = ", section \".ptx.constant\"";

/// The size of constant memory in bytes (PTX ISA 5.1.3).
const MOST: u64 = 1 << 16;

/// Moves the variables of the section into constant memory, in LLVM IR as `opt -S` prints it.
///
/// # Errors
///
/// If the variables do not fit, or one of them is written.
pub fn in_constant_memory(ir: &str) -> Result<String, Error> {
    let variables: Vec<&str> = ir.lines().filter(|line| line.contains(SECTION)).collect();
    let names: HashSet<&str> = variables.iter().filter_map(|line| ir::global(line)).collect();
    if names.is_empty() {
        return Ok(ir.to_owned());
    }
    let bytes: u64 = variables.iter().map(|line| bytes(line)).sum();
    if bytes > MOST {
        let names = variables.iter().filter_map(|line| Some(format!("`{}`", readable(ir::global(line)?))));
        return Err(Error::ManyConstants { bytes, names: names.collect::<Vec<_>>().join(", ") });
    }
    let mut text = String::with_capacity(ir.len());
    for line in ir.lines() {
        let mut end = 0;
        // The name at the start of a line is that of the variable it declares.
        for (start, name) in ir::symbols(line).filter(|(start, name)| *start > 0 && names.contains(name)) {
            // Behind the name, which may be in quotes.
            let after = start + 1 + name.len() + 2 * usize::from(line[start + 1..].starts_with('"'));
            text.push_str(&line[end..start]);
            text.push_str("addrspacecast (ptr addrspace(4) ");
            text.push_str(&line[start..after]);
            text.push_str(" to ptr)");
            end = after;
        }
        match &line[end..] {
            rest if line.contains(SECTION) => {
                let constant = rest.replacen(" constant ", " addrspace(4) constant ", 1);
                if constant == rest {
                    let name = readable(ir::global(line).unwrap_or_default());
                    return Err(Error::WrittenConstant { name });
                }
                text.push_str(&constant.replacen(SECTION, "", 1));
            }
            rest => text.push_str(rest),
        }
        text.push('\n');
    }
    Ok(text)
}

/// Returns the size of a variable, whose type is an array of bytes or a struct of such arrays.
fn bytes(line: &str) -> u64 {
    let declared = line.split_once(" constant ").map_or("", |(_, declared)| declared);
    // Behind the type stands the value.
    let end = if declared.starts_with('[') { ']' } else { '}' };
    let of_type = declared.split(end).next().unwrap_or_default();
    let counts =
        of_type.split('[').skip(1).filter_map(|array| array.split_once(" x i8")?.0.parse::<u64>().ok());
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::{bytes, in_constant_memory};

    const USE: &str =
        "  %1 = getelementptr i8, ptr @\"a b\", i64 %0\n  call void @f(ptr align 4 @t, ptr @tt), !dbg !2\n";

    #[test]
    fn a_variable_of_the_section_moves_with_its_uses() {
        let ir = format!(
            "@t = internal constant [4 x i8] c\"ptr \", section \".ptx.constant\", align 4, !guid !1\n\
             @\"a b\" = internal unnamed_addr constant [1 x i8] c\"@t\", section \".ptx.constant\"\n\
             @tt = internal constant [1 x i8] c\"t\"\n@p = internal constant <{{ ptr, ptr }}> <{{ ptr @t, ptr @tt }}>\n{USE}"
        );
        let moved = "@t = internal addrspace(4) constant [4 x i8] c\"ptr \", align 4, !guid !1\n\
             @\"a b\" = internal unnamed_addr addrspace(4) constant [1 x i8] c\"@t\"\n\
             @tt = internal constant [1 x i8] c\"t\"\n\
             @p = internal constant <{ ptr, ptr }> <{ ptr addrspacecast (ptr addrspace(4) @t to ptr), ptr @tt }>\n  \
             %1 = getelementptr i8, ptr addrspacecast (ptr addrspace(4) @\"a b\" to ptr), i64 %0\n  \
             call void @f(ptr align 4 addrspacecast (ptr addrspace(4) @t to ptr), ptr @tt), !dbg !2\n";
        assert_eq!(in_constant_memory(&ir).expect("it fits"), moved);
        let without = ir.replace(", section \".ptx.constant\"", "");
        assert_eq!(in_constant_memory(&without).expect("nothing moves"), without);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let table = |name: &str, of: &str| {
            format!("@{name} = internal constant {of} zeroinitializer, section \".ptx.constant\", align 4\n")
        };
        let (half, rest) = (table("a", "[32768 x i8]"), "<{ [32767 x i8], [1 x i8] }>");
        assert!(in_constant_memory(&(half.clone() + &table("b", rest))).is_ok());
        let error = in_constant_memory(&(half + &table("b", rest) + &table("c", "[1 x i8]")));
        let message = error.expect_err("one byte too many").to_string();
        assert!(message.contains("65537 bytes") && message.contains("`a`, `b`, `c`"), "{message}");
    }

    #[test]
    fn the_size_is_that_of_the_type() {
        assert_eq!(bytes("@a = internal constant [12 x i8] c\"[9 x i8]\", section"), 12);
        let padded =
            "<{ [1 x i8], [3 x i8], [4 x i8] }> <{ [1 x i8] c\"a\", [3 x i8] undef, [4 x i8] c\"abcd\" }>";
        assert_eq!(bytes(&format!("@a = internal constant {padded}, section")), 8);
    }

    #[test]
    fn a_variable_that_can_be_written_is_refused() {
        let ir = "@t = internal global [4 x i8] c\"abcd\", section \".ptx.constant\", align 4\n";
        let message = in_constant_memory(ir).expect_err("it is written").to_string();
        assert!(message.contains("`t`"), "{message}");
    }
}
