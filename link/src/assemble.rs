//! From optimised IR to PTX: the processor, the PTX version, `llc`.

use std::path::Path;

use crate::options::Level;
use crate::program::{Asm, readable};
use crate::tools::run;
use crate::version::{self, NEWEST, PtxVersion};
use crate::{Error, Options};

/// What `llc` is told, and what is changed in its output because it cannot be told.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// A processor that `llc` knows.
    pub cpu: Option<String>,
    pub features: Vec<String>,
    /// Written in place of `llc`'s `.version`.
    pub version: Option<PtxVersion>,
    /// Written in place of `llc`'s `.target`.
    pub target: Option<String>,
}

/// What this `llc` knows.
#[derive(Debug, Default)]
pub struct Knowledge {
    cpus: Vec<String>,
    versions: Vec<PtxVersion>,
}

impl Knowledge {
    pub fn of(llc: &Path) -> Result<Self, Error> {
        Ok(Self::parse(&run(llc, ["-march=nvptx64", "-mcpu=help"])?))
    }

    fn parse(help: &str) -> Self {
        let mut known = Self::default();
        for name in help.lines().filter_map(|line| line.split_once(" - ")).map(|(name, _)| name.trim()) {
            known.versions.extend(PtxVersion::of_feature(name));
            if name.starts_with("sm_") {
                known.cpus.push(name.to_owned());
            }
        }
        known
    }

    /// The processor itself, or the nearest older one of its family, or the nearest older one.
    fn nearest(&self, cpu: &str) -> Option<&str> {
        let (number, suffix) = split_cpu(cpu)?;
        let older = self.cpus.iter().filter_map(|known| {
            let (n, s) = split_cpu(known)?;
            let fits = n < number || (n == number && (s == suffix || s.is_empty()));
            // Features of an `a` or `f` processor are promised for that one (or its family) only.
            (fits && (s.is_empty() || n == number)).then_some((n, s, known.as_str()))
        });
        older.max_by_key(|(n, s, _)| (*n, s.len())).map(|(_, _, known)| known)
    }
}

/// `sm_103a` as `(103, "a")`.
fn split_cpu(cpu: &str) -> Option<(u32, &str)> {
    let name = cpu.strip_prefix("sm_")?;
    let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
    Some((name[..digits].parse().ok()?, &name[digits..]))
}

impl Plan {
    pub fn make(options: &Options, asm: &[Asm<'_>], llc: &Path, empty_module: &Path) -> Result<Self, Error> {
        let known = Knowledge::of(llc)?;
        let cpu = options.target_cpu.as_deref().and_then(|cpu| known.nearest(cpu)).map(str::to_owned);
        let arguments = cpu.iter().map(|cpu| format!("-mcpu={cpu}"));
        let empty = run(llc, arguments.chain([empty_module.display().to_string(), "-o=-".to_owned()]))?;
        let default = directive(&empty, ".version")?;
        let default = PtxVersion::parse(default).ok_or(Error::NoDirective(".version"))?;
        Self::for_needs(options, cpu, &known, default, asm)
    }

    fn for_needs(
        options: &Options,
        cpu: Option<String>,
        known: &Knowledge,
        default: PtxVersion,
        asm: &[Asm<'_>],
    ) -> Result<Self, Error> {
        let (asked, mut features) = split_features(&options.target_feature);
        let newest = known.versions.iter().copied().chain([NEWEST]).max().unwrap_or(NEWEST);
        let need =
            asked.into_iter().chain([default]).chain(need_of_asm(asm, newest)?).max().unwrap_or(default);
        let told = known.versions.iter().copied().filter(|version| *version <= need).max();
        let told = told.filter(|version| *version > default);
        features.extend(told.map(|version| format!("+{}", version.feature())));
        Ok(Self {
            version: (told.unwrap_or(default) != need).then_some(need),
            target: options.target_cpu.clone().filter(|wanted| cpu.as_ref() != Some(wanted)),
            cpu,
            features,
        })
    }

    /// The arguments of `opt` and `llc` alike that name the processor.
    pub fn processor(&self) -> Vec<String> {
        let cpu = self.cpu.iter().map(|cpu| format!("-mcpu={cpu}"));
        let features = (!self.features.is_empty()).then(|| format!("-mattr={}", self.features.join(",")));
        cpu.chain(features).collect()
    }

    /// Runs `llc` and gives the finished PTX.
    pub fn assemble(&self, llc: &Path, module: &Path, level: Level) -> Result<String, Error> {
        let fixed = [level.of_llc().to_owned(), module.display().to_string(), "-o=-".to_owned()];
        self.correct(run(llc, self.processor().into_iter().chain(fixed))?)
    }

    fn correct(&self, mut ptx: String) -> Result<String, Error> {
        if let Some(version) = self.version {
            let old = format!(".version {}", directive(&ptx, ".version")?);
            ptx = ptx.replacen(
                &old,
                &format!(".version {version} // needed by inline asm; llc knows no newer than {old}"),
                1,
            );
        }
        if let (Some(target), Some(cpu)) = (&self.target, &self.cpu) {
            let old = format!(".target {}", directive(&ptx, ".target")?);
            ptx = ptx.replacen(
                &old,
                &format!(".target {target} // assembled for {cpu}: llc does not know {target}"),
                1,
            );
        }
        Ok(ptx)
    }
}

/// The PTX version among LLVM features, and the other features.
fn split_features(features: &str) -> (Option<PtxVersion>, Vec<String>) {
    let (versions, others): (Vec<_>, Vec<_>) = features
        .split(',')
        .filter(|feature| !feature.is_empty())
        .partition(|feature| PtxVersion::of_feature(&feature[1..]).is_some());
    let asked = versions.iter().filter_map(|f| PtxVersion::of_feature(f.strip_prefix('+')?)).max();
    (asked, others.into_iter().map(str::to_owned).collect())
}

fn need_of_asm(asm: &[Asm<'_>], newest: PtxVersion) -> Result<Option<PtxVersion>, Error> {
    let mut need = None;
    for block in asm {
        let place = || block.function.map_or("the module".to_owned(), |name| format!("`{}`", readable(name)));
        for version in version::needs(&block.text) {
            let version = version
                .map_err(|comment| Error::VersionComment { place: place(), comment: comment.to_owned() })?;
            if version > newest {
                return Err(Error::FutureVersion { place: place(), version, newest });
            }
            need = need.max(Some(version));
        }
    }
    Ok(need)
}

/// The value of the first line `.name value`.
fn directive<'a>(ptx: &'a str, name: &'static str) -> Result<&'a str, Error> {
    let value = ptx.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map(str::trim).ok_or(Error::NoDirective(name))
}
