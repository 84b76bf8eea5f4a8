//! `Device::load` returns for any text: it loads a module, or names the line that is wrong.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;

use ptx_emu::{Device, LoadError};
use regex_lite::Regex;

/// Variables of each space, in a module, in a kernel and in a function.
const MODULE: &str = r#".version 9.4
.target sm_100a
.address_size 64
.file 1 "kernel.rs"
.const .align 4 .b32 table[2][3] = {{1, 2, 3}, {4, 5, 6}};
.global .align 8 .u64 number = 5U;
.global .align 4 .v2 .f32 pairs[4];
.global .align 1 .b8 bytes[] = {1, 0xFF(number), 0xFF00(generic(bytes)+4), 0x10};
.global .align 8 .u64 pointers[2] = {number+8, generic(table)-4};
.extern .shared .align 128 .b8 dynamic[];
.func (.param .b32 sum) add (.param .b32 a, .param .align 8 .b8 pair[16])
{
    .local .align 16 .b8 frame[32];
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [a];
    ld.param.b32 %r2, [pair+8];
    add.s32 %r3, %r1, %r2;
    st.param.b32 [sum], %r3;
    ret;
}
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 64 .b8 map[128], .param .b32 n)
.maxntid 64, 2, 1
.reqntid 64, 2, 1
.explicitcluster
.reqnctapercluster 2, 1, 1
.minnctapersm 2
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .local .align 8 .b8 stack[24];
    .shared .align 16 .b8 tile[256];
    .shared .b64 barrier;
    ld.param.b64 %rd1, [p];
    ld.param.b32 %r1, [n];
    .loc 1 12 5
    setp.lt.s32 %p1, %r1, 3;
    @%p1 bra $L2;
    mov.b32 %r2, dynamic;
    mov.b64 %rd2, table+4;
    st.shared.b32 [tile+16], %r1;
    st.shared.b64 [barrier], %rd1;
    st.local.b32 [stack+4], %r1;
    shf.l.wrap.b32 %r3, %r1, %r2, 7;
    bfe.u32 %r3, %r1, 8, 4;
    lop3.b32 %r3, %r1, %r2, %r3, 0x96;
    prmt.b32 %r3, %r1, %r2, 0x5410;
    ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];
    shfl.sync.bfly.b32 %r3|%p2, %r1, 1, 31, -1;
    bar.sync 1, 64;
    cp.async.bulk.wait_group.read 2;
    {
        .param .b32 a;
        .param .align 8 .b8 pair[16];
        .param .b32 sum;
        st.param.b32 [a], %r1;
        st.param.b32 [pair+8], 7;
        call.uni (sum), add, (a, pair);
        ld.param.b32 %r5, [sum];
    }
    brx.idx %r5, $targets;
$targets: .branchtargets $L1, $L2;
$L1:
    mov.f32 %r6, 0f3F800000;
$L2:
    ret;
}
"#;

/// Returns a kernel of one instruction, with the registers of the golden files that the instruction names.
fn kernel(instruction: &str) -> String {
    const REGISTERS: [(&str, &str); 8] = [
        ("%b", ".b8"),
        ("%rs", ".b16"),
        ("%r", ".b32"),
        ("%f", ".b32"),
        ("%rd", ".b64"),
        ("%fd", ".b64"),
        ("%p", ".pred"),
        ("%rq", ".b128"),
    ];
    let mut text = ".version 9.4\n.target sm_100a\n.address_size 64\n.visible .entry k() {".to_owned();
    for (register, class) in REGISTERS.iter().filter(|(register, _)| instruction.contains(register)) {
        write!(text, " .reg {class} {register};").unwrap();
    }
    write!(text, "\n{instruction}\n}}\n").unwrap();
    text
}

/// Returns the texts of the files under a folder of the repository.
fn texts(folder: &str) -> Vec<String> {
    let files = xtask::files::under(&xtask::root().join(folder)).unwrap();
    let is_ptx = |path: &&std::path::PathBuf| path.extension().is_some_and(|extension| extension == "ptx");
    let texts: Vec<_> = files.iter().filter(is_ptx).map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(!texts.is_empty(), "{} has no PTX", Path::new(folder).display());
    texts
}

/// Returns the line without its end, for several ends. A copy of each truncated line ends with `;`.
fn truncated(line: &str) -> impl Iterator<Item = String> {
    let ends = line.char_indices().filter(|(_, c)| !c.is_ascii_alphanumeric()).map(|(at, _)| at);
    ends.flat_map(|at| [line[..at].to_owned(), format!("{};", &line[..at])])
}

/// Returns the line with each of its numbers replaced, one at a time.
fn renumbered(line: &str) -> impl Iterator<Item = String> {
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[0-9]+\b").unwrap());
    let places: Vec<_> = NUMBERS.find_iter(line).map(|number| number.range()).collect();
    let by = ["0", "3", "9223372036854775808", "18446744073709551615", "4294967295", "1073741825"];
    places.into_iter().flat_map(move |place| {
        by.map(|number| format!("{}{number}{}", &line[..place.start], &line[place.end..]))
    })
}

#[track_caller]
fn assert_loads_or_names_the_line(text: &str) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let module = Device::new().load(text)?;
        module.kernels().for_each(|kernel| drop(module.attributes(kernel)));
        Ok(())
    }));
    let Ok(result) = result else { panic!("a panic at\n{text}") };
    let line = match result {
        Ok(()) => return,
        Err(LoadError::Parse(error)) => error.line,
        Err(LoadError::Decode(error)) => error.line,
        Err(error) => panic!("{error} names no line, at\n{text}"),
    };
    assert!(line >= 1 && line as usize <= text.lines().count() + 1, "line {line} of\n{text}");
}

#[test]
fn a_module_with_a_changed_line_loads_or_is_refused() {
    Device::new().load(MODULE).unwrap();
    for text in texts("emu/tests/findings").iter().map(String::as_str).chain([MODULE]) {
        let lines: Vec<_> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let whole = [String::new(), format!("{line}\n{line}")];
            for change in truncated(line).chain(renumbered(line)).chain(whole) {
                let mut lines = lines.clone();
                lines[i] = &change;
                assert_loads_or_names_the_line(&lines.join("\n"));
            }
        }
    }
}

#[test]
fn a_changed_instruction_loads_or_is_refused() {
    let numbers = Regex::new("(%[a-z]+)[0-9]+").unwrap();
    let texts: Vec<_> = ["tests/golden/kernels", "tests/golden/raw"].into_iter().flat_map(texts).collect();
    let lines = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.split("//").next());
    let lines: BTreeSet<&str> = lines.map(str::trim).filter(|line| line.ends_with(';')).collect();
    let instructions: BTreeSet<_> = lines.iter().map(|line| numbers.replace_all(line, "$1")).collect();
    assert!(instructions.len() > 8000, "{}", instructions.len());
    let changed: BTreeSet<String> =
        instructions.iter().flat_map(|line| truncated(line).chain(renumbered(line))).collect();
    for instruction in changed {
        assert_loads_or_names_the_line(&kernel(&instruction));
    }
}
