//! The forms of `ptx::raw`, read from the golden files: one instruction per line, with registers by class.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The class of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// A byte.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// 128 bits.
    B128,
    /// A predicate.
    Pred,
}

impl Class {
    /// Returns the name of the class's registers, without their number.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::B8 => "%b",
            Self::B16 => "%rs",
            Self::B32 => "%r",
            Self::B64 => "%rd",
            Self::B128 => "%rq",
            Self::Pred => "%p",
        }
    }

    /// Returns the type with which the class's registers are declared.
    pub fn declared(self) -> &'static str {
        match self {
            Self::B8 => ".b8",
            Self::B16 => ".b16",
            Self::B32 => ".b32",
            Self::B64 => ".b64",
            Self::B128 => ".b128",
            Self::Pred => ".pred",
        }
    }

    /// Returns the bytes of a register. A predicate is stored as a word.
    pub fn bytes(self) -> usize {
        match self {
            Self::B8 => 1,
            Self::B16 => 2,
            Self::B32 | Self::Pred => 4,
            Self::B64 => 8,
            Self::B128 => 16,
        }
    }

    /// Returns the class of registers of `bits` bits.
    pub fn of_bits(bits: u32) -> Self {
        match bits {
            8 => Self::B8,
            16 => Self::B16,
            32 => Self::B32,
            64 => Self::B64,
            _ => Self::B128,
        }
    }

    fn of(name: &str) -> Option<Self> {
        let all = [Self::B8, Self::B16, Self::B32, Self::B64, Self::B128, Self::Pred];
        all.into_iter().find(|class| class.prefix() == name)
    }
}

/// The target of the GPUs at hand.
pub const HOPPER: &str = "sm_90a";

/// One spelling of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The folder of the golden file.
    pub family: String,
    /// The name of the golden file.
    pub row: String,
    /// The instruction, with registers by class and without `;`.
    pub text: String,
    /// The target that a module with this form is assembled for: `sm_90a` if it has the form.
    pub target: String,
}

impl Form {
    /// Returns the words of the opcode.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').next().unwrap_or_default().split('.')
    }

    /// Returns true if the opcode has a word.
    pub fn has(&self, word: &str) -> bool {
        self.words().any(|other| other == word)
    }

    /// Returns the last word of the opcode, which is the type in most forms.
    pub fn last(&self) -> &str {
        self.words().last().unwrap_or_default()
    }

    /// Returns the first of these words that the opcode has.
    pub fn one_of<'w>(&self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().copied().find(|word| self.has(word))
    }

    /// Returns the number of elements of a vector: 1 without `.v2` and its like.
    pub fn vector(&self) -> usize {
        self.one_of(&["v2", "v4", "v8"]).map_or(1, |word| usize::from(word.as_bytes()[1] - b'0'))
    }

    /// Returns true if sm_90a has the form.
    pub fn is_hopper(&self) -> bool {
        self.target == HOPPER
    }

    /// Returns the texts between registers, and the classes of the registers.
    fn parts(&self) -> (Vec<&str>, Vec<Class>) {
        let (mut texts, mut classes) = (Vec::new(), Vec::new());
        let (mut start, mut from) = (0, 0);
        while let Some(at) = self.text[from..].find('%').map(|at| from + at) {
            let end = self.text[at + 1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let end = end.map_or(self.text.len(), |end| at + 1 + end);
            if let Some(class) = Class::of(&self.text[at..end]) {
                texts.push(&self.text[start..at]);
                classes.push(class);
                start = end;
            }
            from = end;
        }
        texts.push(&self.text[start..]);
        (texts, classes)
    }

    /// Returns the classes of the form's registers, in the order of the text.
    pub fn classes(&self) -> Vec<Class> {
        self.parts().1
    }

    /// Returns the instruction with these registers.
    ///
    /// # Panics
    ///
    /// If the form has more or fewer registers, which is a mistake of the family.
    pub fn with<S: AsRef<str>>(&self, registers: &[S]) -> String {
        let (texts, classes) = self.parts();
        assert_eq!(classes.len(), registers.len(), "registers of {self}");
        let mut text = texts[0].to_owned();
        for (register, rest) in registers.iter().zip(&texts[1..]) {
            text.push_str(register.as_ref());
            text.push_str(rest);
        }
        text
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the number of a target: 90 for `sm_90a`.
fn number(target: &str) -> u32 {
    target.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

/// Returns the target to assemble a form for. `needs` is the comment after the form, `row` the target that the row claims.
fn target(needs: &str, row: &str) -> String {
    let named: Vec<_> = needs.split(", ").map(str::trim).filter(|need| need.starts_with("sm_")).collect();
    let named = if named.is_empty() { vec![row] } else { named };
    if named.iter().any(|target| number(target) <= 90) {
        return HOPPER.into();
    }
    let is_older = |target: &&str| ["sm_100", "sm_100f", "sm_100a"].contains(target);
    if named.iter().any(is_older) { "sm_100a".into() } else { named[0].into() }
}

/// Reads all forms below a folder of golden files.
///
/// # Errors
///
/// If a file cannot be read, or is not a golden file of the raw layer.
pub fn read(folder: &Path) -> Result<Vec<Form>> {
    let list = |folder: &Path| -> Result<Vec<_>> {
        let entries = std::fs::read_dir(folder).with_context(|| {
            format!("cannot read the forms in {}: give the folder with --forms", folder.display())
        })?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    };
    let mut forms = Vec::new();
    for family in list(folder)? {
        for path in list(&family)? {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let claims = text.lines().nth(1).and_then(|line| line.split(", ").nth(1));
            let claims = claims.and_then(|claims| claims.strip_suffix(" or higher"));
            let claims = claims.with_context(|| format!("{} has no line of claims", path.display()))?;
            for line in text.lines().skip(2) {
                let (instruction, needs) = line.split_once("; // ").unwrap_or((line, ""));
                forms.push(Form {
                    family: name(&family),
                    row: name(&path),
                    text: instruction.trim_end_matches(';').into(),
                    target: target(needs, claims),
                });
            }
        }
    }
    ensure!(!forms.is_empty(), "there are no forms in {}", folder.display());
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_the_names_of_classes_alone() {
        let form = |text: &str| Form {
            family: String::new(),
            row: String::new(),
            text: text.into(),
            target: "sm_90a".into(),
        };
        let special = form("mov.u32 %r, %tid.x");
        assert_eq!(special.classes(), [Class::B32]);
        assert_eq!(special.with(&["%r7"]), "mov.u32 %r7, %tid.x");
        let vector = form("ld.relaxed.cta.shared::cta.v2.b8 {%rs, %rs}, [%r]");
        assert_eq!(
            vector.with(&["%rs0", "%rs1", "%r2"]),
            "ld.relaxed.cta.shared::cta.v2.b8 {%rs0, %rs1}, [%r2]"
        );
        assert_eq!(vector.vector(), 2);
        assert_eq!(form("shfl.sync.up.b32 %r|%p, %r").classes(), [Class::B32, Class::Pred, Class::B32]);
    }

    #[test]
    fn the_target_is_hopper_where_hopper_has_the_form() {
        assert_eq!(target("", "sm_70"), "sm_90a");
        assert_eq!(target("PTX ISA 7.8, sm_90", "sm_70"), "sm_90a");
        assert_eq!(target("sm_90a, sm_100f, sm_100a", "sm_90a"), "sm_90a");
        assert_eq!(target("PTX ISA 8.6, sm_100f, sm_110f", "sm_100"), "sm_100a");
        assert_eq!(target("PTX ISA 8.8, sm_103a", "sm_90a"), "sm_103a");
    }
}
