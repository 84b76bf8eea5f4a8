//! Turns optimized IR into PTX: chooses the processor and the PTX version, and runs `llc`.

use std::path::{Path, PathBuf};

use ptx_targets::Arch;

use crate::program::{Program, readable};
use crate::tools::run;
use crate::version::{self, NEWEST, PtxVersion};
use crate::{Error, Options};

/// The processors that this `llc` knows, and the requested processor.
#[derive(Debug, Default)]
pub struct Processor {
    known: Vec<String>,
    versions: Vec<PtxVersion>,
    wanted: Option<String>,
}

impl Processor {
    /// Asks `llc` for its processors, and checks that one of them fits.
    pub fn choose(options: &Options, llc: &Path) -> Result<Self, Error> {
        let help = run(llc, ["-march=nvptx64", "-mcpu=help"])?;
        let chosen = Self::parse(&(help.output + &help.remarks), options.target_cpu.clone());
        match &chosen.wanted {
            Some(wanted) if chosen.nearest().is_none() => {
                Err(Error::UnknownProcessor { wanted: wanted.clone(), known: chosen.known.join(" ") })
            }
            _ => Ok(chosen),
        }
    }

    fn parse(help: &str, wanted: Option<String>) -> Self {
        let entries = help.lines().filter_map(|line| line.split_once(" - "));
        let mut known: Vec<_> = entries
            .clone()
            .filter(|(_, meaning)| meaning.ends_with("processor."))
            .map(|(name, _)| name.trim().to_owned())
            .collect();
        known.sort();
        known.dedup();
        let versions = entries.filter_map(|(name, _)| PtxVersion::of_feature(name.trim())).collect();
        Self { known, versions, wanted }
    }

    /// Returns the requested processor, or else the newest older processor whose instructions the requested one has.
    fn nearest(&self) -> Option<&str> {
        let (number, suffix) = split_processor(self.wanted.as_deref()?)?;
        let usable = self.known.iter().filter_map(|known| {
            let (n, s) = split_processor(known)?;
            // The instructions of an `a` or `f` processor exist on its own number only.
            let fits = if n == number { s == suffix || s.is_empty() } else { n < number && s.is_empty() };
            fits.then_some((n, s.len(), known.as_str()))
        });
        usable.max().map(|(_, _, known)| known)
    }

    /// Returns the argument of `opt` and `llc` that names the processor.
    pub fn argument(&self) -> Option<String> {
        self.nearest().map(|name| format!("-mcpu={name}"))
    }

    /// Returns the first PTX version that has the requested processor.
    fn first_version(&self) -> Option<PtxVersion> {
        let (major, minor) = self.wanted.as_deref()?.parse::<Arch>().ok()?.first_ptx();
        Some(PtxVersion { major, minor })
    }

    /// Writes the requested processor into `.target` if `llc` was given another one.
    fn correct_target(&self, ptx: String) -> Result<String, Error> {
        match (self.wanted.as_deref(), self.nearest()) {
            (Some(wanted), Some(named)) if wanted != named => {
                let why = format!("{wanted} // assembled for {named}: this llc does not know {wanted}");
                replace_directive(&ptx, ".target", &why)
            }
            _ => Ok(ptx),
        }
    }
}

/// Splits `sm_103a` into `(103, "a")`.
fn split_processor(name: &str) -> Option<(u32, &str)> {
    let name = name.strip_prefix("sm_")?;
    let (number, suffix) = name.split_at(name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len()));
    matches!(suffix, "" | "a" | "f").then_some((number.parse().ok()?, suffix))
}

/// Runs `llc` on optimized IR, and on the same IR with numbers in place of lines. Returns the finished PTX of the first, and that
/// of the second as it is.
///
/// `modules` are the files with the IR, `program` reads it, and `empty` is a file with an empty module.
pub fn assemble(
    options: &Options,
    processor: &Processor,
    llc: &Path,
    modules: &[PathBuf; 2],
    empty: &Path,
    program: &Program<'_>,
) -> Result<(String, String), Error> {
    let arguments = |module: &Path| {
        let fixed =
            [options.optimization.of_llc().to_owned(), "-o=-".to_owned(), module.display().to_string()];
        processor.argument().into_iter().chain(fixed)
    };
    let own = directive(&run(llc, arguments(empty))?.output, ".version").and_then(PtxVersion::parse);
    let own = own.ok_or(Error::NoDirective(".version"))?;
    let (asked, features) = split_features(&options.target_feature);
    let needs = need_of_asm(program, processor)?.into_iter().chain(asked).chain(processor.first_version());
    let need = needs.fold(own, PtxVersion::max);
    let told =
        processor.versions.iter().copied().filter(|version| *version <= need).fold(own, PtxVersion::max);

    let feature = (told > own).then(|| format!("+{}", told.feature()));
    let features: Vec<_> = features.into_iter().chain(feature).collect();
    let attributes = (!features.is_empty()).then(|| format!("-mattr={}", features.join(",")));
    let [module, numbered] = modules;
    let for_module: Vec<_> = arguments(module).chain(attributes.clone()).collect();
    // Otherwise an instruction without a number would have the number before it, and an arm that no thread takes would run into
    // the block after it.
    let options = ["-use-unknown-locations=Enable", "-trap-unreachable"].map(str::to_owned);
    let for_numbered: Vec<_> = arguments(numbered).chain(attributes).chain(options).collect();
    let (ptx, numbered) = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(llc, &for_numbered));
        let ptx = run(llc, &for_module);
        (ptx, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (ptx, numbered) = (processor.correct_target(ptx?.output)?, numbered?.output);
    if told == need {
        return Ok((ptx, numbered));
    }
    let why = format!(
        "{need} // for the target and the instructions of inline asm; this llc knows no version after {told}"
    );
    Ok((replace_directive(&ptx, ".version", &why)?, numbered))
}

/// Splits LLVM features into the PTX version and the others.
fn split_features(features: &str) -> (Option<PtxVersion>, Vec<String>) {
    let (versions, others): (Vec<_>, Vec<_>) = features
        .split(',')
        .filter(|feature| !feature.is_empty())
        .partition(|feature| PtxVersion::of_feature(&feature[1..]).is_some());
    let asked = versions.iter().filter_map(|f| PtxVersion::of_feature(f.strip_prefix('+')?)).max();
    (asked, others.into_iter().map(str::to_owned).collect())
}

fn need_of_asm(program: &Program<'_>, processor: &Processor) -> Result<Option<PtxVersion>, Error> {
    let newest = processor.versions.iter().copied().fold(NEWEST, PtxVersion::max);
    let mut need = None;
    for block in program.asm() {
        let function =
            || block.function.map_or("the module".to_owned(), |name| format!("`{}`", readable(name)));
        let place = || block.function.and_then(|name| program.place_of_asm(name, &block.text)).map(Box::new);
        for version in version::needs(&block.text) {
            let version = version.map_err(|comment| Error::VersionComment {
                function: function(),
                place: place(),
                comment: comment.to_owned(),
            })?;
            if version > newest {
                return Err(Error::FutureVersion { function: function(), place: place(), version, newest });
            }
            need = need.max(Some(version));
        }
    }
    Ok(need)
}

/// Returns the value of the first line `.name value`.
fn directive<'a>(ptx: &'a str, name: &str) -> Option<&'a str> {
    ptx.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(str::trim)
}

fn replace_directive(ptx: &str, name: &'static str, value: &str) -> Result<String, Error> {
    let old = directive(ptx, name).ok_or(Error::NoDirective(name))?;
    Ok(ptx.replacen(&format!("{name} {old}"), &format!("{name} {value}"), 1))
}

/// Returns the functions that the PTX declares as `.extern`.
pub fn external_functions(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines().filter_map(|line| {
        let signature = line.strip_prefix(".extern .func")?.trim_end_matches([';', '(', ')', ' ']);
        signature.rsplit(char::is_whitespace).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "\
Available CPUs for this target:
  sm_100  - Select the sm_100 processor.
  sm_100a - Select the sm_100a processor.
  sm_120  - Select the sm_120 processor.
  sm_90   - Select the sm_90 processor.
  sm_90a  - Select the sm_90a processor.
Available features for this target:
  ptx86   - Use PTX version 86.
  sm_80   - Target SM 90.
";

    fn processor(wanted: &str) -> Processor {
        Processor::parse(HELP, Some(wanted.to_owned()))
    }

    #[test]
    fn the_nearest_processor_is_one_whose_code_runs() {
        for (wanted, nearest) in [
            ("sm_100a", Some("sm_100a")),
            ("sm_100f", Some("sm_100")),
            ("sm_103a", Some("sm_100")),
            ("sm_107f", Some("sm_100")),
            ("sm_121f", Some("sm_120")),
            ("sm_95", Some("sm_90")),
            ("sm_90a", Some("sm_90a")),
            ("sm_80", None),
            ("sm_90x", None),
            ("gfx90a", None),
        ] {
            assert_eq!(processor(wanted).nearest(), nearest, "{wanted}");
        }
    }

    #[test]
    fn the_target_is_corrected_only_where_it_differs() {
        let ptx = ".version 8.6\n.target sm_100\n".to_owned();
        let corrected = processor("sm_103a").correct_target(ptx.clone()).unwrap();
        assert!(corrected.contains("\n.target sm_103a // assembled for sm_100"), "{corrected}");
        assert_eq!(processor("sm_100").correct_target(ptx.clone()).unwrap(), ptx);
    }

    #[test]
    fn a_target_has_a_first_version() {
        let first = |name: &str| processor(name).first_version().map(|version| version.to_string());
        assert_eq!(first("sm_107a").as_deref(), Some("9.4"));
        assert_eq!(first("sm_90").as_deref(), Some("7.8"));
        assert_eq!(first("sm_95"), None);
    }

    #[test]
    fn asm_says_which_ptx_it_needs() {
        let need = |text: &str| {
            let text = text.replace('\n', "\\0A");
            let ir = format!("define void @k() {{\n  call void asm \"{text}\", \"\"()\n  ret void\n}}\n");
            need_of_asm(&Program::read(&ir), &processor("sm_100")).map_err(|error| error.to_string())
        };
        assert_eq!(need("mov a, b; // ptx:8.6\nmov a, b; // ptx:7.8"), Ok(PtxVersion::parse("8.6")));
        assert_eq!(need("mov a, b;"), Ok(None));
        let future = need("mov a, b; // ptx:86.0").unwrap_err();
        assert!(future.contains("`k`") && future.contains("86.0") && future.contains("9.5"), "{future}");
        assert!(need("// ptx:86").unwrap_err().contains("ptx:86"));
    }

    #[test]
    fn features_are_split() {
        assert_eq!(split_features(""), (None, vec![]));
        let (version, others) = split_features("+ptx70,+sm_90,+ptx86,-ptx90");
        assert_eq!((version, others), (PtxVersion::parse("8.6"), vec!["+sm_90".to_owned()]));
    }

    #[test]
    fn external_functions_are_found() {
        let ptx = ".extern .func  (.param .b32 func_retval0) vprintf\n(\n.extern .func f\n()\n.extern .func g();\n.func h\n";
        assert_eq!(external_functions(ptx).collect::<Vec<_>>(), ["vprintf", "f", "g"]);
    }
}
