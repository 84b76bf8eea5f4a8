//! The plain forms: opcodes with all modifiers and types, and the kinds of their operands.

use std::collections::BTreeSet;
use std::fmt;

use crate::values;

/// The legal forms, as patterns. `BLESS=1 cargo test -p ptx-conformance --test fuzz` writes the file.
const LEGAL: &str = include_str!("forms.txt");

/// The PTX versions of the table: the one that the driver 580 compiles, and the newest.
pub const VERSIONS: [&str; 2] = ["9.0", "9.5"];

/// The targets of the table: that of the GPUs that run the kernels, and one that also has the conversions of narrow floats and mixed
/// precision.
pub const TARGETS: [&str; 2] = ["sm_90a", "sm_107a"];

/// The parts of the table, each with the forms that those before lack. A target behind the first one has the newest version.
pub const PARTS: [(&str, &str); 3] =
    [(VERSIONS[0], TARGETS[0]), (VERSIONS[1], TARGETS[0]), (VERSIONS[1], TARGETS[1])];

/// The kind of an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A register or an immediate of a type.
    Value(String),
    /// A type of 8 bits that is in a register of 8 bits.
    Byte(String),
    /// A register of an integer type, or of a wider one: `cvt`, `ld` and `st` allow both.
    AtLeast(String),
    /// `d|p`.
    Pair(String, String),
    /// `{a, b}`.
    Group(Vec<String>),
    /// A predicate or its negation.
    Predicate,
    /// A `.u32` less than this.
    Below(u32),
    /// A divisor: not zero.
    Nonzero(String),
    /// An immediate less than 256.
    Table,
    /// An immediate less than 16.
    Event,
    /// The lanes of the warp.
    Members,
    /// Private memory in the space of the opcode.
    Address,
    /// An address, as `isspacep` and `cvta` read it.
    Pointer,
    /// The result of `cvta`, of which kernels keep the distance to the address that it should be.
    Distance,
    /// A source of a video instruction with a selector of bytes or halves: 1, 2 or 4 elements.
    Part(u32),
    /// A destination of a video instruction with a mask, which keeps the other bits of the last source.
    Masked(u32),
}

/// A legal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The opcode, with its modifiers and types.
    pub opcode: String,
    /// The kinds of the operands, in order.
    pub operands: Vec<Kind>,
    /// The operands as the pattern has them.
    shape: &'static str,
    /// The part of [`PARTS`] that has the form.
    pub part: usize,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.opcode, self.shape)
    }
}

impl Form {
    fn new(opcode: String, shape: &'static str, part: usize) -> Self {
        let operands =
            shape.split(' ').filter(|word| !word.is_empty()).map(|word| kind(&opcode, word)).collect();
        Self { opcode, operands, shape, part }
    }

    /// Returns the parts of the opcode between dots.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.opcode.split('.')
    }

    /// Returns true if the opcode has a part.
    pub fn has(&self, word: &str) -> bool {
        self.words().any(|other| other == word)
    }

    /// Returns the name of the instruction without modifiers.
    pub fn head(&self) -> &str {
        self.words().next().unwrap_or_default()
    }

    /// Returns the number of operands that are written, which come first.
    pub fn destinations(&self) -> usize {
        usize::from(!matches!(
            self.operands.first(),
            None | Some(Kind::Address | Kind::Below(_) | Kind::Event)
        ))
    }

    /// Returns true if all lanes of a warp execute the form together.
    pub fn is_collective(&self) -> bool {
        self.operands.contains(&Kind::Members)
    }

    /// Returns true if the form reads the carry flag.
    pub fn reads_carry(&self) -> bool {
        matches!(self.head(), "addc" | "subc" | "madc")
    }

    /// Returns true if the form writes the carry flag.
    pub fn writes_carry(&self) -> bool {
        self.has("cc")
    }
}

/// Returns the prefix of the registers of a type, which have its size.
pub fn class(ty: &str) -> char {
    match ty {
        "pred" => 'p',
        _ => match values::bits(ty) {
            64 => 'd',
            128 => 'q',
            32 => 'r',
            _ => 'h',
        },
    }
}

/// The directives of the registers that the statements of [`Form::sample`] use.
pub const SAMPLE_REGISTERS: &str =
    ".reg .pred %p<4>; .reg .b8 %c<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .b128 %q<4>;";

impl Form {
    /// Returns a statement of this form without its semicolon, on registers alone where the form allows it.
    pub fn sample(&self) -> String {
        let register = |ty: &String| format!("%{}1", class(ty));
        let operand = |kind: &Kind| match kind {
            Kind::Value(ty) | Kind::AtLeast(ty) | Kind::Nonzero(ty) => register(ty),
            Kind::Pair(d, p) => format!("%{}1|%{}2", class(d), class(p)),
            Kind::Group(types) => {
                format!("{{{}}}", types.iter().map(register).collect::<Vec<_>>().join(", "))
            }
            Kind::Byte(_) => "%c1".into(),
            Kind::Predicate => "%p1".into(),
            Kind::Below(_) | Kind::Part(_) => "%r1".into(),
            Kind::Table => "0x6c".into(),
            Kind::Event => "3".into(),
            Kind::Members => "0xffffffff".into(),
            Kind::Address => "[%d1]".into(),
            Kind::Pointer | Kind::Distance => "%d1".into(),
            Kind::Masked(1 | 4) => "%r1.b0".into(),
            Kind::Masked(_) => "%r1.h0".into(),
        };
        let operands: Vec<_> = self.operands.iter().map(operand).collect();
        format!("{} {}", self.opcode, operands.join(", "))
    }
}

/// Returns the types among the words of an opcode, the last one first.
fn types(opcode: &str) -> impl Iterator<Item = &str> {
    opcode.split('.').skip(1).collect::<Vec<_>>().into_iter().rev().filter(|word| is_type(word))
}

fn is_type(word: &str) -> bool {
    let number = |prefix: &str| {
        let bits = word.strip_prefix(prefix)?;
        bits.chars().next().filter(char::is_ascii_digit)
    };
    ["u", "s", "b", "f", "bf", "tf", "e", "ue"].into_iter().any(|prefix| number(prefix).is_some())
        || word == "pred"
}

/// Returns the type of twice the bits.
fn wide(ty: &str) -> String {
    format!("{}{}", &ty[..1], 2 * values::bits(ty))
}

fn kind(opcode: &str, word: &str) -> Kind {
    let ty = |word: &str| -> String {
        let mut types = types(opcode);
        let last = types.next().unwrap_or("b32");
        match word {
            "T" => last.into(),
            "U" => types.next().unwrap_or(last).into(),
            "W" => wide(last),
            word => word.into(),
        }
    };
    let lanes = |word: &str| word.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1);
    match word {
        "?pred" => Kind::Predicate,
        "nonzero" => Kind::Nonzero(ty("T")),
        "lut" => Kind::Table,
        "event" => Kind::Event,
        "members" => Kind::Members,
        "address" => Kind::Address,
        "pointer" => Kind::Pointer,
        "distance" => Kind::Distance,
        "V" => {
            let element = ty("T");
            match opcode.split('.').find_map(|word| word.strip_prefix('v')?.parse::<usize>().ok()) {
                Some(count) => Kind::Group(vec![element; count]),
                None if opcode.starts_with("atom") => Kind::Value(element),
                None => Kind::AtLeast(element),
            }
        }
        _ => {
            if let Some(limit) = word.strip_prefix("below").and_then(|limit| limit.parse().ok()) {
                Kind::Below(limit)
            } else if word.starts_with("part") {
                Kind::Part(lanes(word))
            } else if word.starts_with("mask") || word == "merged" {
                Kind::Masked(lanes(word))
            } else if let Some(list) = word.strip_prefix('{') {
                Kind::Group(list.trim_end_matches('}').split(',').map(ty).collect())
            } else if let Some((d, p)) = word.split_once('|') {
                Kind::Pair(ty(d), ty(p))
            } else if let Some(word) = word.strip_prefix('~') {
                Kind::AtLeast(ty(word))
            } else {
                match ty(word) {
                    ty if ty == "e2m1x2" || ty == "ue8m0" => Kind::Byte(ty),
                    ty => Kind::Value(ty),
                }
            }
        }
    }
}

/// A pattern: in each place, one of several texts.
type Places = Vec<Vec<String>>;

fn places(pattern: &str) -> Places {
    let mut places = Vec::new();
    let mut rest = pattern;
    while let Some((text, more)) = rest.split_once('{') {
        let (alternatives, after) = more.split_once('}').unwrap_or((more, ""));
        places.push(vec![text.to_owned()]);
        places.push(alternatives.split('|').map(Into::into).collect());
        rest = after;
    }
    places.push(vec![rest.to_owned()]);
    places
}

fn expand(places: &[Vec<String>]) -> Vec<Vec<&str>> {
    let mut all = vec![Vec::new()];
    for alternatives in places {
        all = all
            .iter()
            .flat_map(|start: &Vec<&str>| {
                alternatives.iter().map(|next| start.iter().copied().chain([next.as_str()]).collect())
            })
            .collect();
    }
    all
}

/// Returns the forms of a pattern.
pub fn of_pattern(pattern: &str, shape: &'static str, part: usize) -> Vec<Form> {
    expand(&places(pattern)).into_iter().map(|texts| Form::new(texts.concat(), shape, part)).collect()
}

/// Returns the line in the table before the forms of a part.
pub fn heading((version, target): (&str, &str)) -> String {
    format!(".version {version} .target {target}")
}

/// Returns patterns for some of the expansions of a pattern: products of alternatives, joined place by place.
pub fn factor(pattern: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let places = places(pattern);
    let chosen = expand(&places).into_iter().filter(|texts| wanted(&texts.concat()));
    let mut products: Vec<Vec<Vec<&str>>> =
        chosen.map(|texts| texts.into_iter().map(|text| vec![text]).collect()).collect();
    // The last place is that of the type; its alternatives are joined first.
    for place in (0..places.len()).rev() {
        let mut joined: Vec<Vec<Vec<&str>>> = Vec::new();
        for product in products {
            let is_same =
                |other: &&mut Vec<Vec<&str>>| (0..places.len()).all(|i| i == place || other[i] == product[i]);
            match joined.iter_mut().find(is_same) {
                Some(other) => other[place].extend(&product[place]),
                None => joined.push(product),
            }
        }
        products = joined;
    }
    let shown = |alternatives: &Vec<&str>| match &alternatives[..] {
        [one] => (*one).to_owned(),
        several => format!("{{{}}}", several.join("|")),
    };
    products.iter().map(|product| product.iter().map(shown).collect()).collect()
}

/// Returns the legal forms.
pub fn all() -> Vec<Form> {
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    let mut part = 0;
    for line in LEGAL.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if let Some(next) = PARTS.into_iter().position(|part| line == heading(part)) {
            part = next;
            continue;
        }
        let (pattern, shape) = line.split_once(' ').unwrap_or((line, ""));
        let forms = of_pattern(pattern, shape, part).into_iter();
        all.extend(forms.filter(|form| seen.insert(form.to_string())));
    }
    all
}
