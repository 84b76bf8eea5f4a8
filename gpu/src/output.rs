//! What a process writes to its standard output.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::fd::AsRawFd as _;

use anyhow::{Context as _, Result, ensure};

/// Returns the result of `work`, and what the process writes to its standard output meanwhile. The driver writes there what
/// kernels print.
pub fn with_output<T>(work: impl FnOnce() -> T) -> Result<(T, String)> {
    let mut file = tempfile::tempfile()?;
    // SAFETY: `dup` has no safety requirement.
    let stdout = unsafe { libc::dup(libc::STDOUT_FILENO) };
    ensure!(stdout >= 0, "cannot keep the standard output: {}", std::io::Error::last_os_error());
    redirect(file.as_raw_fd())?;
    let result = work();
    redirect(stdout)?;
    // SAFETY: `dup` returned this descriptor, and nothing uses the descriptor any more.
    unsafe { libc::close(stdout) };
    Ok((result, text(&mut file)?))
}

/// Flushes the streams of C, then makes the descriptor `to` the standard output.
fn redirect(to: i32) -> Result<()> {
    // SAFETY: `fflush` of a null pointer flushes all streams. Both descriptors are open.
    let done = unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::dup2(to, libc::STDOUT_FILENO)
    };
    ensure!(done >= 0, "cannot redirect the standard output: {}", std::io::Error::last_os_error());
    Ok(())
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes).context("cannot read what the kernel printed")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_kept() {
        let write = || {
            let text = c"from C\n";
            // SAFETY: `puts` reads a string that ends with a NUL.
            unsafe { libc::puts(text.as_ptr()) }
        };
        let (written, text) = with_output(write).unwrap();
        assert!(written >= 0 && text.contains("from C\n"), "{text:?}");
    }
}
