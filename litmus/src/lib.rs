//! Litmus tests: small programs of a few threads, with the outcomes that the memory model of PTX allows and forbids. `cases/` has
//! them as text, one file for each shape; `README.md` says how a test is written. The interpreter and a GPU run the same tests.
#![deny(unsafe_code)]

use std::collections::BTreeSet;

use include_dir::{Dir, include_dir};

static CASES: Dir = include_dir!("$CARGO_MANIFEST_DIR/cases");

/// Bytes of memory of an instance of a test.
pub const STRIDE: usize = 4096;
/// The offsets of the words `x`, `y` and `z` of an instance, and of the registers that its threads store at the end.
const WORDS: [(&str, usize); 3] = [("x", 0), ("y", 128), ("z", 256)];
const READ: usize = 512;
/// The number of registers of a thread that an outcome can contain.
const REGISTERS: usize = 4;

/// The place of a test's threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The threads are in warps of a block.
    Cta,
    /// The threads are in blocks of a cluster.
    Cluster,
    /// The threads are in blocks of a grid.
    Grid,
}

/// A value of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Observed {
    /// The number of a thread, and of its register `%r0` to `%r3`.
    Register(usize, usize),
    /// The offset of a word of memory, as it is after the run.
    Word(usize),
}

/// The values that a run has observed.
pub type Outcome = Vec<u32>;

/// The expected result of the runs of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// The model allows and forbids these outcomes.
    Outcomes {
        /// The outcomes that the model allows and the interpreter shows.
        allowed: BTreeSet<Outcome>,
        /// The outcomes that the model allows and the interpreter does not show.
        unshown: BTreeSet<Outcome>,
        /// The outcomes that the test is about. They never appear.
        forbidden: BTreeSet<Outcome>,
    },
    /// The model promises nothing, because of a data race or a missing proxy fence. The string names the rule.
    Broken(String),
}

/// A litmus test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The name of the file and of the test.
    pub name: String,
    /// The section of the PTX ISA that decides about the outcomes.
    pub section: String,
    /// The place of the threads.
    pub place: Place,
    /// The expected result of runs.
    pub expected: Expected,
    observed: Vec<Observed>,
    shared: String,
    threads: Vec<String>,
}

/// A test that is not well formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("litmus/cases/{file}, line {line}: {problem}")]
pub struct Error {
    file: String,
    line: usize,
    problem: String,
}

/// Reads all tests, in the order of the files and of the tests in each file.
///
/// # Errors
///
/// If a test is not well formed.
pub fn all() -> Result<Vec<Test>, Error> {
    let mut files: Vec<_> = CASES.files().collect();
    files.sort_by_key(|file| file.path());
    let mut tests = Vec::new();
    for file in files {
        let name = file.path().file_stem().unwrap_or_default().to_string_lossy();
        tests.extend(parse(&name, file.contents_utf8().unwrap_or_default())?);
    }
    Ok(tests)
}

/// Reads the tests of a file.
fn parse(file: &str, text: &str) -> Result<Vec<Test>, Error> {
    let mut tests: Vec<Draft> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fail = |problem: String| Error { file: file.into(), line: index + 1, problem };
        let line = line.split("//").next().unwrap_or_default().trim_end();
        if let Some(name) = line.strip_prefix("test ") {
            tests.push(Draft { name: format!("{file}/{name}"), line: index + 1, ..Draft::default() });
            continue;
        }
        if !line.is_empty() {
            let test = tests.last_mut().ok_or_else(|| fail("a file begins with `test NAME`".into()))?;
            test.line(line).map_err(fail)?;
        }
    }
    let finish = |draft: Draft| {
        let line = draft.line;
        draft.finish().map_err(|problem| Error { file: file.into(), line, problem })
    };
    tests.into_iter().map(finish).collect()
}

/// A test that is being read.
#[derive(Default)]
struct Draft {
    name: String,
    line: usize,
    section: String,
    place: Option<Place>,
    observed: Vec<Observed>,
    outcomes: [BTreeSet<Outcome>; 3],
    broken: Option<String>,
    shared: String,
    threads: Vec<String>,
}

impl Draft {
    fn line(&mut self, line: &str) -> Result<(), String> {
        // The instructions of a thread are indented.
        if line.starts_with(' ') {
            let thread = self.threads.last_mut().ok_or("an instruction before `thread`")?;
            *thread += line;
            thread.push('\n');
            return Ok(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "section" => self.section = rest.into(),
            "threads" => {
                self.place = Some(match rest {
                    "cta" => Place::Cta,
                    "cluster" => Place::Cluster,
                    "grid" => Place::Grid,
                    other => {
                        return Err(format!(
                            "the threads are in `cta`, `cluster` or `grid`, not in `{other}`"
                        ));
                    }
                });
            }
            "observe" => self.observed = rest.split(' ').map(observed).collect::<Result<_, _>>()?,
            "allowed" | "unshown" | "forbidden" => {
                let list = &mut self.outcomes
                    [["allowed", "unshown", "forbidden"].iter().position(|name| *name == word).unwrap_or(0)];
                for outcome in rest.split('|') {
                    let numbers: Result<Outcome, _> = outcome.split_whitespace().map(str::parse).collect();
                    list.insert(numbers.map_err(|_| format!("`{outcome}` is no list of numbers"))?);
                }
            }
            "broken" => self.broken = Some(rest.into()),
            ".shared" => self.shared += &format!("{line}\n"),
            "thread" => self.threads.push(String::new()),
            other => return Err(format!("`{other}` is no word of a test")),
        }
        Ok(())
    }

    fn finish(self) -> Result<Test, String> {
        let [allowed, unshown, forbidden] = self.outcomes;
        let all: Vec<_> = allowed.iter().chain(&unshown).chain(&forbidden).collect();
        if all.iter().any(|outcome| outcome.len() != self.observed.len()) {
            return Err(format!("an outcome has {} values, as `observe` says", self.observed.len()));
        }
        if all.iter().collect::<BTreeSet<_>>().len() < all.len() {
            return Err("an outcome is listed twice".into());
        }
        let expected = match self.broken {
            Some(rule) if all.is_empty() => Expected::Broken(rule),
            None if !allowed.is_empty() => Expected::Outcomes { allowed, unshown, forbidden },
            _ => return Err("a test has `broken` or `allowed`".into()),
        };
        let Some(place) = self.place else { return Err("`threads` is missing".into()) };
        if self.section.is_empty() || self.threads.is_empty() {
            return Err("`section` or the threads are missing".into());
        }
        let Self { name, section, observed, shared, threads, .. } = self;
        Ok(Test { name, section, place, expected, observed, shared, threads })
    }
}

fn observed(word: &str) -> Result<Observed, String> {
    if let Some((_, at)) = WORDS.iter().find(|(name, _)| *name == word) {
        return Ok(Observed::Word(*at));
    }
    let parts = word
        .split_once(":r")
        .and_then(|(thread, register)| Some((thread.parse().ok()?, register.parse().ok()?)));
    match parts {
        Some((thread, register)) if register < REGISTERS => Ok(Observed::Register(thread, register)),
        _ => Err(format!("`{word}` is neither a word of memory nor a register, such as `1:r0`")),
    }
}

impl Test {
    /// The name of the kernel in [`module`](Self::module).
    pub const KERNEL: &str = "litmus";

    /// Returns the number of blocks in a grid of `instances` instances, of blocks in a cluster, and of threads in a block.
    #[must_use]
    pub fn shape(&self, instances: u32) -> (u32, u32, u32) {
        let threads = self.threads.len() as u32;
        match self.place {
            Place::Cta => (instances, 1, 32 * threads),
            Place::Cluster => (instances * threads, threads, 1),
            Place::Grid => (instances * threads, 1, 1),
        }
    }

    /// Returns the PTX: a kernel with one parameter, the address of [`STRIDE`] zero bytes for each instance.
    #[must_use]
    pub fn module(&self) -> String {
        let threads = self.threads.len();
        // Each thread of the test is the first lane of a warp, or the only thread of a block.
        let role = match self.place {
            Place::Cta => {
                "mov.u32 %role, %tid.x; and.b32 %lane, %role, 31; setp.ne.u32 %p, %lane, 0; @%p ret;
                shr.u32 %role, %role, 5; mov.u32 %instance, %ctaid.x;"
                    .to_owned()
            }
            Place::Cluster | Place::Grid => format!(
                "mov.u32 %instance, %ctaid.x; rem.u32 %role, %instance, {threads}; div.u32 %instance, %instance, {threads};"
            ),
        };
        let mut body = String::new();
        for (index, code) in self.threads.iter().enumerate() {
            body += &format!(
                "setp.ne.u32 %p, %role, {index}; @%p bra $after{index};\n{code}bra $end;\n$after{index}:\n"
            );
        }
        let words: String = WORDS.iter().map(|(name, at)| format!("add.u64 %{name}, %base, {at};")).collect();
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n{}.visible .entry {}(.param .u64 memory) {{
            .reg .pred %p, %q; .reg .b32 %r<{REGISTERS}>, %s<8>, %role, %lane, %instance;
            .reg .b64 %base, %x, %y, %z, %read, %rd<8>, %state;
            ld.param.u64 %base, [memory]; cvta.to.global.u64 %base, %base;
            {role}
            mul.wide.u32 %rd0, %instance, {STRIDE}; add.u64 %base, %base, %rd0; {words}
            mul.wide.u32 %rd0, %role, {}; add.u64 %read, %base, %rd0; add.u64 %read, %read, {READ};
            mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
            {body}$end:
            st.global.v4.u32 [%read], {{%r0, %r1, %r2, %r3}};
            }}\n",
            self.shared,
            Self::KERNEL,
            4 * REGISTERS,
        )
    }

    /// Returns what an instance has observed, from its memory after the run.
    #[must_use]
    pub fn outcome(&self, memory: &[u8]) -> Outcome {
        let word = |at: usize| {
            memory.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_le_bytes)
        };
        let value = |observed: &Observed| match observed {
            Observed::Register(thread, register) => word(READ + 4 * (REGISTERS * thread + register)),
            Observed::Word(at) => word(*at),
        };
        self.observed.iter().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
// A comment.
test plain
section 8.10
threads grid
observe 0:r1 x
allowed 0 1 | 1 1
forbidden 1 0
thread
    st.relaxed.gpu.global.u32 [%x], 1; // another
thread
    ld.relaxed.gpu.global.u32 %r1, [%x];
";

    #[test]
    fn a_test_is_read_and_what_is_wrong_with_it_is_said() {
        let test = &parse("file", TEST).unwrap()[0];
        assert_eq!((test.name.as_str(), test.shape(3)), ("file/plain", (6, 1, 1)));
        let mut memory = vec![0; STRIDE];
        (memory[0], memory[READ + 4]) = (7, 9);
        assert_eq!(test.outcome(&memory), [9, 7]);
        for (from, to, problem) in [
            ("threads grid", "threads warp", "line 4: the threads are in"),
            ("0:r1", "0:r7", "line 5: `0:r7` is neither"),
            ("forbidden 1 0", "forbidden 1", "line 2: an outcome has 2 values"),
            ("forbidden 1 0", "forbidden 0 1", "line 2: an outcome is listed twice"),
            ("forbidden 1 0", "broken data race", "line 2: a test has `broken` or"),
            ("section 8.10\n", "", "line 2: `section`"),
            ("section", "sections", "line 3: `sections` is no word"),
            ("test plain", "", "line 3: a file begins"),
        ] {
            let error = parse("file", &TEST.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn names_differ() {
        let tests = all().unwrap();
        let names: BTreeSet<_> = tests.iter().map(|test| &test.name).collect();
        assert!(tests.len() > 40 && names.len() == tests.len(), "{} tests", tests.len());
    }
}
