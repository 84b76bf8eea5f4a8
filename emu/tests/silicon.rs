//! Plain instructions compute what an H100 computes: the cases of `silicon/plain.txt` and `silicon/video.txt`, and the numbers in
//! instructions that ptxas folds.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use ptx_emu::{Device, Launch, Options};

/// A register of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Pred,
    B16,
    B32,
    B64,
}

impl Class {
    fn of(ty: &str) -> Self {
        match ty {
            "pred" => Self::Pred,
            _ if ty.ends_with("x2") => Self::B32,
            _ if ty.ends_with("64") => Self::B64,
            _ if ty.ends_with("32") => Self::B32,
            _ => Self::B16,
        }
    }

    fn ty(self) -> &'static str {
        match self {
            Self::Pred => "pred",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
        }
    }
}

struct Case {
    instruction: String,
    inputs: Vec<String>,
    value: u64,
    note: Option<String>,
}

fn number(text: &str) -> u64 {
    let hex = |digits| u64::from_str_radix(digits, 16).unwrap();
    match text.split_at_checked(2) {
        Some(("0x" | "0f" | "0d", digits)) => hex(digits),
        _ => text.parse::<i64>().map_or_else(|_| text.parse().unwrap(), |number| number as u64),
    }
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/silicon/plain.txt");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let of_line = |line: &str| {
        let (instruction, cases) = line.split_once(": ").unwrap();
        let case = |case: &str| {
            let (case, note) = case.split_once(" [").unwrap_or((case, ""));
            let (inputs, value) = case.split_once(" = ").unwrap();
            Case {
                instruction: instruction.into(),
                inputs: inputs.split(' ').map(str::to_owned).collect(),
                value: number(value),
                note: note.strip_suffix(']').map(str::to_owned),
            }
        };
        cases.split("; ").map(case).collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

/// Returns the registers of a result and of the sources of one opcode.
fn classes(opcode: &str) -> (Class, Vec<Class>) {
    let words: Vec<_> = opcode.split('.').collect();
    let last = Class::of(words[words.len() - 1]);
    let before = || Class::of(words[words.len() - 2]);
    match words[0] {
        "cvt" => (before(), vec![last]),
        "set" => (before(), vec![last, last, Class::Pred]),
        "setp" => (Class::Pred, vec![last, last, Class::Pred]),
        "testp" => (Class::Pred, vec![last]),
        "slct" => (before(), vec![before(), before(), Class::B32]),
        "mad" if words[1] == "wide" => {
            let wide = if last == Class::B16 { Class::B32 } else { Class::B64 };
            (wide, vec![last, last, wide])
        }
        "bfe" => (last, vec![last, Class::B32, Class::B32]),
        _ => (last, vec![last; 4]),
    }
}

/// Writes a case as a block of PTX, which reads its inputs from `%in` and stores the result to `%out`.
fn block(text: &mut String, i: usize, case: &Case) {
    let (opcode, second) = match case.instruction.split_once('|') {
        Some((opcode, _)) => (opcode.to_owned(), true),
        None => (case.instruction.clone(), false),
    };
    // The instructions in their order, each with its sources and the number of its first input.
    let sequence: Vec<(String, bool)> = match (opcode.split_once('+'), opcode.split_once('/')) {
        (Some((first, then)), _) => {
            let ty = first.rsplit_once('.').unwrap().1;
            vec![(first.into(), false), (format!("{then}.{ty}"), false)]
        }
        (_, Some((first, then))) => {
            let (then, ty) = then.split_once(' ').unwrap();
            vec![(format!("{first}.{ty}"), false), (format!("{then}.{ty}"), true)]
        }
        _ => vec![(opcode.clone(), false)],
    };
    let (result, sources) = classes(&sequence[0].0);
    write!(text, "{{ .reg .{} %d, %e;", result.ty()).unwrap();
    let mut operands = Vec::new();
    for (k, input) in case.inputs.iter().enumerate() {
        let class = if sequence.len() == 2 { sources[0] } else { sources[k] };
        if input.starts_with("0x") {
            write!(text, " .reg .{} %s{k};", class.ty()).unwrap();
            let at = 8 * (4 * i + k);
            match class {
                Class::Pred => {
                    write!(
                        text,
                        " .reg .b32 %w{k}; ld.global.b32 %w{k}, [%in+{at}]; setp.ne.u32 %s{k}, %w{k}, 0;"
                    )
                }
                class => write!(text, " ld.global.{} %s{k}, [%in+{at}];", class.ty()),
            }
            .unwrap();
            operands.push(format!("%s{k}"));
        } else {
            operands.push(input.clone());
        }
    }
    let mut left = &operands[..];
    let count = if sequence.len() == 2 { 2 } else { operands.len() };
    for (opcode, of_zeros) in &sequence {
        let sources = if *of_zeros {
            "0, 0".to_owned()
        } else {
            let (now, rest) = left.split_at(count);
            left = rest;
            now.join(", ")
        };
        let d = if second { "%e|%d" } else { "%d" };
        write!(text, " {opcode} {d}, {sources};").unwrap();
    }
    write!(text, " .reg .b64 %r; ").unwrap();
    match result {
        Class::Pred => write!(text, "selp.b64 %r, 1, 0, %d;"),
        Class::B16 => write!(text, "cvt.u64.u16 %r, %d;"),
        Class::B32 => write!(text, "cvt.u64.u32 %r, %d;"),
        Class::B64 => write!(text, "mov.b64 %r, %d;"),
    }
    .unwrap();
    writeln!(text, " st.global.b64 [%out+{}], %r; }}", 8 * i).unwrap();
}

/// Runs the kernel `k` of a module with two buffers. Returns the first one.
fn run(ptx: &str, bytes: usize, input: &[u8]) -> Vec<u8> {
    let mut device = Device::new();
    let module = device.load(ptx).unwrap_or_else(|error| panic!("{error}"));
    let (out, from) = (device.allocate(bytes), device.allocate(input.len().max(8)));
    device.write(out, &vec![0; bytes]).unwrap();
    device.write(from, input).unwrap();
    let params = [out.to_le_bytes(), from.to_le_bytes()].concat();
    let launch = Launch { params, ..Launch::new(1, 1) };
    let report = device.launch(&module, "k", &launch, &Options::default()).unwrap();
    assert!(report.is_clean(), "{report}");
    let mut result = vec![0; bytes];
    device.read(out, &mut result).unwrap();
    result
}

fn close(case: &Case, value: u64) -> bool {
    let [value, exact] = [value, case.value].map(|bits| f64::from(f32::from_bits(bits as u32)));
    match case.note.as_deref() {
        Some("2^-11") => (value - exact).abs() <= exact.abs() * 2f64.powi(-11),
        Some("2^-14.7") => (value - exact).abs() <= (-14.7f64).exp2(),
        Some("open") => value.abs() <= 1.0,
        _ => false,
    }
}

#[test]
fn plain_instructions_compute_what_an_h100_computes() {
    let cases = cases();
    assert!(cases.len() > 750, "{} cases", cases.len());
    let mut text = ".version 9.3\n.target sm_90a\n.address_size 64
.visible .entry k(.param .u64 po, .param .u64 pi) {
.reg .b64 %in, %out; ld.param.u64 %out, [po]; ld.param.u64 %in, [pi];\n"
        .to_owned();
    let mut input = vec![0u64; 4 * cases.len()];
    for (i, case) in cases.iter().enumerate() {
        block(&mut text, i, case);
        for (k, text) in case.inputs.iter().enumerate() {
            input[4 * i + k] = number(text);
        }
    }
    text += "ret; }\n";
    let input: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let result = run(&text, 8 * cases.len(), &input);
    let mut wrong = Vec::new();
    for (case, value) in cases.iter().zip(result.as_chunks().0) {
        let value = u64::from_le_bytes(*value);
        if value != case.value && !close(case, value) {
            wrong.push(format!(
                "{} {}: {value:#x}, not {:#x}",
                case.instruction,
                case.inputs.join(" "),
                case.value
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn video_instructions_compute_what_an_h100_computes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/silicon/video.txt");
    let cases = fs::read_to_string(path).unwrap();
    let cases: Vec<(&str, Vec<u32>, u32)> = cases
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (instruction, case) = line.split_once(": ").unwrap();
            let (inputs, value) = case.split_once(" = ").unwrap();
            let inputs = inputs.split(' ').map(|input| number(input) as u32).collect();
            (instruction, inputs, number(value) as u32)
        })
        .collect();
    assert!(cases.len() > 200, "{} cases", cases.len());
    let mut text = ".version 9.3\n.target sm_90a\n.address_size 64
.visible .entry k(.param .u64 po, .param .u64 pi) {
.reg .b64 %in, %out; ld.param.u64 %out, [po]; ld.param.u64 %in, [pi]; .reg .b32 %a, %b, %c, %d;\n"
        .to_owned();
    let mut input = vec![0u32; 3 * cases.len()];
    for (i, (instruction, inputs, _)) in cases.iter().enumerate() {
        for (k, register) in ["%a", "%b", "%c"].into_iter().enumerate().take(inputs.len()) {
            input[3 * i + k] = inputs[k];
            write!(text, "ld.global.b32 {register}, [%in+{}]; ", 4 * (3 * i + k)).unwrap();
        }
        writeln!(text, "{instruction}; st.global.b32 [%out+{}], %d;", 4 * i).unwrap();
    }
    text += "ret; }\n";
    let input: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let result = run(&text, 4 * cases.len(), &input);
    let mut wrong = Vec::new();
    for ((instruction, inputs, right), value) in cases.iter().zip(result.as_chunks().0) {
        let value = u32::from_le_bytes(*value);
        if value != *right {
            wrong.push(format!("{instruction} of {inputs:#x?}: {value:#x}, not {right:#x}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The words of 64 and of 32 bits that the kernel of a file stores.
fn words(file: &str) -> (Vec<u64>, Vec<u32>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/silicon").join(file);
    let result = run(&fs::read_to_string(path).unwrap(), 64, &[0; 64]);
    let long = result.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let short = result.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    (long, short)
}

#[test]
fn a_number_has_the_width_of_its_operand() {
    let right = [4, u64::MAX, 0x1122_3344_5566_7788, 2, 0x1234_567d, -12i64 as u64, u64::MAX, 4468];
    assert_eq!(words("immediates.ptx").0, right);
}

#[test]
fn no_modifier_is_ignored() {
    let right = [
        0x1_0005,
        0x1_000a,
        0,
        0x6b07,
        0xf800_0000,
        0,
        0x7fff_ffff,
        0x3f80_3c00,
        0x3c00_0000,
        0x3f80_0000,
        0xffff,
        0x7fff_ffff,
    ];
    assert_eq!(words("modifiers.ptx").1[..12], right);
}

#[test]
fn an_addition_in_global_memory_keeps_a_signaling_nan() {
    let text = ".version 9.3\n.target sm_90a\n.address_size 64
.visible .entry k(.param .u64 po, .param .u64 pi) {
.reg .b64 %in, %out; ld.param.u64 %out, [po]; ld.param.u64 %in, [pi];
.reg .b64 %r<3>; ld.global.b64 %r0, [%in]; st.global.b64 [%out], %r0;
red.global.add.f64 [%out], 0d3FF0000000000000; ret; }";
    for nan in [0xfff0_0000_66cd_24e8u64, 0x7ff0_0000_2a8b_d016] {
        assert_eq!(run(text, 8, &nan.to_le_bytes()), nan.to_le_bytes());
    }
    // Of two NaN, an H100 keeps the operand.
    for (old, operand) in
        [(0xfffe_fffe_fffe_fffeu64, 0x7ff0_0000_0000_0001u64), (u64::MAX, 0xfff0_0000_0000_0001)]
    {
        let text = text.replace("0d3FF0000000000000", &format!("0d{operand:016X}"));
        assert_eq!(run(&text, 8, &old.to_le_bytes()), operand.to_le_bytes());
    }
}

#[test]
fn the_name_of_a_shared_variable_says_its_space() {
    let text = ".version 9.3\n.target sm_90a\n.address_size 64
.shared .align 8 .b64 words[2];
.visible .entry k(.param .u64 po, .param .u64 pi) {
.reg .b64 %out, %r<3>; ld.param.u64 %out, [po];
st.b64 [words+8], 42; ld.b64 %r0, [words+8]; st.global.b64 [%out], %r0; ret; }";
    assert_eq!(run(text, 8, &[]), 42u64.to_le_bytes());
}
