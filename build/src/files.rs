//! Writes files and folders atomically: they appear complete or not at all.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};

/// Writes a file through a temporary file next to it. Leaves a file with equal content untouched.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let content = content.as_ref();
    if holds(path, content) {
        return Ok(());
    }
    let staging = Staging::beside(path)?;
    let fresh = staging.0.join("file");
    fs::write(&fresh, content).with_context(|| format!("cannot write {}", fresh.display()))?;
    fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a program, as [`write()`] does.
///
/// A separate process writes the file. A file that this process has open for writing is also open in each process that another
/// thread starts, until that process executes its program, and a program that is open for writing does not run (`ETXTBSY` of
/// execve(2)).
pub fn write_executable(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let content = content.as_ref();
    if holds(path, content) {
        return Ok(());
    }
    let staging = Staging::beside(path)?;
    let fresh = staging.0.join("program");
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(&fresh)
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot run sh")?;
    let sent = writer.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(content));
    let status = writer.wait().context("cannot run sh")?;
    sent.with_context(|| format!("cannot write {}", path.display()))?;
    ensure!(status.success(), "cannot write {}: sh ended with {status}", path.display());
    fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

fn holds(path: &Path, content: &[u8]) -> bool {
    fs::read(path).is_ok_and(|present| present == content)
}

/// Makes a file executable.
pub fn make_executable(path: &Path) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", path.display()))
}

/// Returns every file in a folder and in the folders below, in order; none if the folder does not exist.
pub fn under(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| format!("cannot list {}", folder.display()))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() { files.extend(under(&path)?) } else { files.push(path) }
    }
    files.sort();
    Ok(files)
}

/// Fills a temporary folder next to `path` and renames it to `path`, replacing the old content. If `fill` fails, `path` stays
/// unchanged, and nothing else is left behind.
pub fn replace_folder(path: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let staging = Staging::beside(path)?;
    let fresh = staging.0.join("fresh");
    fs::create_dir(&fresh)?;
    fill(&fresh)?;
    if path.exists() {
        fs::rename(path, staging.0.join("old"))
            .with_context(|| format!("cannot replace {}", path.display()))?;
    }
    fs::rename(&fresh, path).with_context(|| format!("cannot create {}", path.display()))
}

/// Locks the lock file `path` against other processes and threads, for as long as the returned file lives.
pub fn lock(path: &Path) -> Result<File> {
    created_parent(path)?;
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

const STAGING: &str = ".staging-";

/// Removes the folders that killed processes have left in `parent`.
fn remove_abandoned(parent: &Path) {
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return;
    }
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(STAGING)?.split_once('-'));
        if process.is_some_and(|(process, _)| !processes.join(process).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A folder that exists as long as this value.
struct Staging(PathBuf);

impl Staging {
    /// Makes a folder beside `path` that no other thread or process uses.
    fn beside(path: &Path) -> Result<Staging> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let parent = created_parent(path)?;
        remove_abandoned(parent);
        let folder = parent.join(format!("{STAGING}{}-{number}", std::process::id()));
        // A killed process of the same number may have left the folder.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).with_context(|| format!("cannot write in {}", folder.display()))?;
        Ok(Staging(folder))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An empty folder for temporary files, which exists as long as this value.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder, in place of the one that a killed process has left. The caller has locked the folder around it.
    pub fn new(folder: PathBuf) -> Result<Scratch> {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the parent folder of `path`. Creates the folder if it does not exist.
fn created_parent(path: &Path) -> Result<&Path> {
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        Some(_) => Path::new("."),
        None => bail!("{} is not the path of a file", path.display()),
    };
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    Ok(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_fill_leaves_the_old_folder_and_nothing_else() {
        let home = TempDir::new().unwrap();
        let path = home.path().join("tools");
        replace_folder(&path, |fresh| Ok(fs::write(fresh.join("a"), "old")?)).unwrap();
        let failed = replace_folder(&path, |fresh| {
            fs::write(fresh.join("a"), "half")?;
            bail!("the download failed")
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(path.join("a")).unwrap(), "old");
        assert_eq!(entries(home.path()), ["tools"]);
        replace_folder(&path, |fresh| Ok(fs::write(fresh.join("b"), "new")?)).unwrap();
        assert_eq!(entries(&path), ["b"]);
        assert_eq!(entries(home.path()), ["tools"]);
    }

    #[test]
    fn what_a_killed_process_has_left_is_removed() {
        let home = TempDir::new().unwrap();
        // No process has such a number.
        let (dead, own) = (".staging-999999999-0", format!(".staging-{}-other", std::process::id()));
        for folder in [dead, &own, ".staging-x"] {
            fs::create_dir(home.path().join(folder)).unwrap();
        }
        write(&home.path().join("file"), "one").unwrap();
        assert_eq!(entries(home.path()), [&*own, ".staging-x", "file"]);
    }

    #[test]
    fn write_leaves_an_equal_file_untouched() {
        let home = TempDir::new().unwrap();
        let path = home.path().join("deep/file");
        write(&path, "one").unwrap();
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        write(&path, "one").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(entries(path.parent().unwrap()), ["file"]);
    }

    #[test]
    fn a_written_program_runs_at_once_whatever_other_threads_start() {
        let home = TempDir::new().unwrap();
        let write_and_run = |thread: usize| {
            for round in 0..100 {
                let path = home.path().join(format!("{thread}-{round}"));
                write_executable(&path, "#!/bin/sh\necho ran\n").unwrap();
                let output = Command::new(&path).output().unwrap_or_else(|error| panic!("{round}: {error}"));
                assert_eq!(output.stdout, b"ran\n");
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|thread| _ = scope.spawn(move || write_and_run(thread))));
    }
}
