//! Mutated PTX: texts near those that compilers write, which the interpreter has to load and run, or to refuse.

use std::path::Path;

use fastrand::Rng;
use ptx_emu::{Device, Launch, Options, Schedule, lay_out};
use regex_lite::Regex;

use crate::case;

/// Makes a module of the code of a kernel in a golden file.
fn module(code: &str) -> String {
    let code =
        Regex::new(r"[a-zA-Z_0-9]+(::[a-zA-Z_0-9]+)+__smem").unwrap().replace_all(code, "static_shared");
    let parameters: Vec<_> = (0..12).map(|i| format!(".param .b64 param_{i}")).collect();
    format!(
        ".version 9.4\n.target sm_100a\n.address_size 64\n.shared .align 128 .b8 static_shared[8192];
        .extern .shared .align 128 .b8 ptx_dynamic_shared[];\n.visible .entry k({}) {{
        .reg .pred %p<999>; .reg .b16 %rs<999>; .reg .b32 %r<9999>; .reg .b64 %rd<9999>; .reg .b128 q, q<9>; .reg .pred p, p<9>;\n{code}\n}}\n",
        parameters.join(", ")
    )
}

/// The PTX of the kernels, of the findings, and of the seeds of this package.
pub fn seeds() -> Vec<String> {
    let read = |folder: &str| {
        let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(|path| std::fs::read_to_string(path).unwrap())
    };
    let kernels = read("../tests/golden/kernels").map(|code| module(&code));
    let findings = case::all().into_iter().map(|case| case.ptx("//fixed"));
    kernels.chain(read("tests/seeds")).chain(findings).collect()
}

/// Numbers at the limits of what instructions and directives take.
const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "16",
    "31",
    "32",
    "33",
    "64",
    "255",
    "1023",
    "65535",
    "65536",
    "1048576",
    "2147483647",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9223372036854775808",
    "18446744073709551615",
    "1.5",
    "0f7FC00000",
    "(1<<40)",
];

/// Pieces that open and close what contains itself, and others that seeds seldom have.
const PIECES: [&str; 28] = [
    "{", "}", "(", ")", "[", "]", "<", ">", ",", ";", ":", "|", "+", "-", "!", "~", "@", "_", ".", "/*",
    "//", "\"", "\\", "?", "é", "\0", "WARP_SZ", "%envreg1",
];

/// Splits a text into words, numbers and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let is_same = |c: &char| is_word(*c) && is_word(first) || c.is_whitespace() && first.is_whitespace();
        let len = rest.chars().take_while(is_same).map(char::len_utf8).sum::<usize>().max(first.len_utf8());
        tokens.push(&rest[..len]);
        rest = &rest[len..];
    }
    tokens
}

/// Returns the input of a number: a seed with one to eight changes.
pub fn input(seeds: &[String], number: u64) -> String {
    let mut rng = Rng::with_seed(number);
    let text = &seeds[rng.usize(..seeds.len())];
    let other = tokens(&seeds[rng.usize(..seeds.len())]);
    let mut tokens: Vec<String> = tokens(text).into_iter().map(str::to_owned).collect();
    let changes = [1, 1, 2, 8][rng.usize(..4)];
    for _ in 0..1 + rng.usize(..changes) {
        let at = rng.usize(..tokens.len().max(1));
        if at >= tokens.len() {
            break;
        }
        let any = |rng: &mut Rng| other[rng.usize(..other.len())].to_owned();
        // The last kinds leave more texts that load.
        match rng.usize(..24).min(15) {
            0 => drop(tokens.remove(at)),
            1 => tokens[at] = any(&mut rng),
            2 => tokens.insert(at, any(&mut rng)),
            3 => tokens.insert(at, PIECES[rng.usize(..PIECES.len())].into()),
            4 => tokens.truncate(at),
            5 => {
                let with = rng.usize(..tokens.len());
                tokens.swap(at, with);
            }
            // A number becomes another.
            6 | 7 => {
                let digits =
                    (0..tokens.len()).filter(|i| tokens[*i].starts_with(|c: char| c.is_ascii_digit()));
                let digits: Vec<_> = digits.collect();
                if !digits.is_empty() {
                    tokens[digits[rng.usize(..digits.len())]] = NUMBERS[rng.usize(..NUMBERS.len())].into();
                }
            }
            // An operand becomes another one of its kind.
            11 => {
                let start =
                    |token: &String| token.chars().take_while(|c| !c.is_ascii_digit()).collect::<String>();
                let names: Vec<_> = (0..tokens.len()).filter(|i| tokens[*i].starts_with('%')).collect();
                if !names.is_empty() {
                    let at = names[rng.usize(..names.len())];
                    let alike = names.iter().filter(|i| start(&tokens[**i]) == start(&tokens[at]));
                    let alike: Vec<_> = alike.collect();
                    tokens[at] = tokens[*alike[rng.usize(..alike.len())]].clone();
                }
            }
            // A word of an opcode becomes another word.
            8 => {
                let words = |all: &[String]| (1..all.len()).filter(|i| all[i - 1] == ".").collect::<Vec<_>>();
                let of_other = (1..other.len()).filter(|i| other[i - 1] == ".").collect::<Vec<_>>();
                let own = words(&tokens);
                if !own.is_empty() && !of_other.is_empty() {
                    tokens[own[rng.usize(..own.len())]] = other[of_other[rng.usize(..of_other.len())]].into();
                }
            }
            // A statement is doubled, moved or left out.
            9 | 12.. => {
                let ends: Vec<_> = (0..tokens.len()).filter(|i| tokens[*i] == ";").collect();
                if let Some(&[from, to]) = ends.windows(2).nth(rng.usize(..ends.len().max(2) - 1)) {
                    let statement: Vec<String> = tokens[from + 1..=to].to_vec();
                    if rng.usize(..2) == 0 {
                        tokens.drain(from + 1..=to);
                    }
                    if rng.usize(..3) > 0 && !tokens.is_empty() {
                        let ends: Vec<_> = (0..tokens.len()).filter(|i| tokens[*i] == ";").collect();
                        let to = if ends.is_empty() { 0 } else { ends[rng.usize(..ends.len())] + 1 };
                        tokens.splice(to..to, statement);
                    }
                }
            }
            10 => {
                let piece = if rng.usize(..2) == 0 {
                    any(&mut rng)
                } else {
                    PIECES[rng.usize(..PIECES.len())].into()
                };
                let many = [10, 100, 5000][rng.usize(..3)];
                tokens[at] = piece.repeat(many);
            }
        }
    }
    tokens.concat()
}

/// The bytes of memory that each 64-bit parameter points to.
const MEMORY: usize = 1 << 14;

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Refused,
    Loaded,
    Ran,
}

/// Loads a text, and runs its kernels for at most `limit` instructions each.
pub fn load_and_run(text: &str, number: u64, limit: u64) -> Outcome {
    let mut rng = Rng::with_seed(number);
    let mut device = Device::new();
    let module = match device.load(text) {
        Ok(module) => module,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Outcome::Refused;
        }
    };
    let mut outcome = Outcome::Loaded;
    let kernels: Vec<String> = module.kernels().map(str::to_owned).collect();
    for kernel in kernels.iter().take(3) {
        let Some(attributes) = module.attributes(kernel) else { continue };
        let values: Vec<Vec<u8>> = attributes
            .parameters
            .iter()
            .map(|parameter| match parameter.bytes {
                8 => {
                    let memory = device.allocate(MEMORY);
                    device.write(memory, &[0; MEMORY]).unwrap();
                    memory.to_le_bytes().to_vec()
                }
                bytes => (0..bytes).map(|i| if i == 0 { 16 } else { 0 }).collect(),
            })
            .collect();
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let block = [1, 32, 64, 128][rng.usize(..4)];
        let cluster = attributes.required_cluster.unwrap_or([1; 3]);
        let launch = Launch {
            grid: cluster,
            block: attributes.required_block.unwrap_or([block, 1, 1]),
            cluster,
            dynamic_shared: 1 << 14,
            cooperative: rng.usize(..8) == 0,
            params: lay_out(&attributes.parameters, &values),
            ..Launch::new(1, 1)
        };
        let options = Options {
            schedule: Schedule::of(number),
            limit,
            check: rng.usize(..8) > 0,
            ..Options::default()
        };
        if let Ok(report) = device.launch(&module, kernel, &launch, &options) {
            outcome = Outcome::Ran;
            drop(report.to_string());
        }
    }
    outcome
}
