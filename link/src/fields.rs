//! Bit fields at constant places, which LLVM extracts by `bfe`.
//!
//! ptxas makes a `SHF` and an `SGXT` of `bfe`. Of the shifts and masks that nvcc writes it makes instructions that more units of a
//! multiprocessor run: `LOP3`, and `IMAD` for a shift to the left.

/// Replaces each `bfe` with constants by shifts and masks, in the PTX of LLVM. Inline asm stays as its author wrote it.
pub fn shifted(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    let mut in_asm = false;
    for line in ptx.lines() {
        match line.trim() {
            "// begin inline asm" => in_asm = true,
            "// end inline asm" => in_asm = false,
            _ => {}
        }
        match shifts(line).filter(|_| !in_asm) {
            Some(shifts) => text.push_str(&shifts),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// Returns the instructions in place of a line `bfe.TYPE d, a, POSITION, LENGTH;`.
fn shifts(line: &str) -> Option<String> {
    let (ty, operands) = line.trim().strip_prefix("bfe.")?.split_once(char::is_whitespace)?;
    let operands: Vec<_> = operands.strip_suffix(';')?.split(',').map(str::trim).collect();
    let [to, from, position, length] = operands[..] else { return None };
    let (position, length): (u32, u32) = (position.parse().ok()?, length.parse().ok()?);
    let (is_signed, bits) = (ty.starts_with('s'), ty[1..].parse::<u32>().ok()?);
    let end = position.checked_add(length).filter(|end| *end <= bits && length > 0)?;
    // The instruction on the one end of the value, then the one on the other; either may have nothing to do.
    let (first, second) = match is_signed {
        true => {
            let above = bits - end;
            ((above > 0).then(|| ("shl.b", u64::from(above))), Some(("shr.s", u64::from(bits - length))))
        }
        false => {
            let mask = u64::MAX >> (64 - length);
            ((position > 0).then(|| ("shr.u", u64::from(position))), (end < bits).then_some(("and.b", mask)))
        }
    };
    let mut from = from;
    let mut lines = Vec::new();
    for (mnemonic, number) in first.into_iter().chain(second) {
        lines.push(format!("\t{mnemonic}{bits} \t{to}, {from}, {number};"));
        from = to;
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::shifted;

    #[track_caller]
    fn assert_becomes(line: &str, lines: &[&str]) {
        let expected: String = lines.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(shifted(line), expected);
    }

    #[test]
    fn fields_become_shifts_and_masks() {
        assert_becomes(
            "\tbfe.u32 \t%r7, %r35, 4, 4;",
            &["\tshr.u32 \t%r7, %r35, 4;", "\tand.b32 \t%r7, %r7, 15;"],
        );
        assert_becomes("\tbfe.u32 \t%r7, %r35, 0, 12;", &["\tand.b32 \t%r7, %r35, 4095;"]);
        assert_becomes("\tbfe.u32 \t%r7, %r35, 24, 8;", &["\tshr.u32 \t%r7, %r35, 24;"]);
        assert_becomes(
            "\tbfe.s32 \t%r7, %r35, 8, 4;",
            &["\tshl.b32 \t%r7, %r35, 20;", "\tshr.s32 \t%r7, %r7, 28;"],
        );
        assert_becomes("\tbfe.s32 \t%r7, %r35, 28, 4;", &["\tshr.s32 \t%r7, %r35, 28;"]);
        assert_becomes(
            "\tbfe.u64 \t%rd7, %rd3, 40, 9;",
            &["\tshr.u64 \t%rd7, %rd3, 40;", "\tand.b64 \t%rd7, %rd7, 511;"],
        );
    }

    #[test]
    fn other_lines_stay() {
        for line in [
            "\tbfe.u32 \t%r7, %r35, %r2, 4;",
            "\tbfe.u32 \t%r7, %r35, 30, 4;",
            "\tbfe.u32 \t%r7, %r35, 3, 0;",
            "\tbfe.u32 \t%r7, %r35, 0, 32;",
            "\tbfi.b32 \t%r7, %r35, %r1, 4, 4;",
            "// begin inline asm\n\tbfe.u32 %r7, %r35, 4, 4;\n\t// end inline asm",
        ] {
            assert_eq!(shifted(line), format!("{line}\n"));
        }
    }
}
