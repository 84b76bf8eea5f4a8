//! Turns documents into text for rustdoc: links lead to the modules of `ptx::docs`, and images become data addresses.

use std::fs;
use std::path::{Component, Path, PathBuf};

use syn::{Error, LitStr, Result};

/// Returns the page of a document of the package.
pub fn read(file: &LitStr) -> Result<String> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let read = |path: &Path| {
        let problem = |error| Error::new(file.span(), format!("cannot read {}: {error}", path.display()));
        fs::read_to_string(package.join(path)).map_err(problem)
    };
    let path = PathBuf::from(file.value());
    page(&read(&path)?, path.parent().unwrap_or(Path::new("")), read)
}

/// Returns the page of a text whose links are relative to `folder`. `read` reads images.
fn page(text: &str, folder: &Path, read: impl Fn(&Path) -> Result<String>) -> Result<String> {
    let mut page = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        is_code ^= line.trim_start().starts_with("```");
        let mut rest = line;
        // A link is `[text](target)`, an image `![text](target)`.
        while let Some((before, (target, after))) =
            rest.split_once("](").and_then(|(before, link)| Some((before, link.split_once(')')?)))
        {
            page.push_str(before);
            rest = after;
            let (file, heading) = target.split_at(target.find('#').unwrap_or(target.len()));
            let file: PathBuf =
                folder.join(file).components().filter(|part| *part != Component::CurDir).collect();
            if is_code || target.contains("://") || target.starts_with('#') {
                page.extend(["](", target, ")"]);
            } else if target.ends_with(".svg") {
                page.extend(["](", &address(&read(&file)?), ")"]);
            } else if let Some(module) = module(&file) {
                page.extend(["](", &module, heading, ")"]);
            } else if let Some(bracket) = page.rfind('[') {
                // The package lacks the file: the text of the link stays.
                page.remove(bracket);
            }
        }
        page.push_str(rest);
    }
    Ok(page)
}

/// Returns the module of a document: `docs/SOUNDNESS.md` is `crate::docs::soundness`.
fn module(path: &Path) -> Option<String> {
    let (folder, name) = (path.parent()?.to_str()?, path.file_stem()?.to_str()?);
    match (folder, name) {
        ("docs/book/src", "SUMMARY") => Some("crate::docs::book".into()),
        ("docs/book/src", page) => Some(format!("crate::docs::book::{page}")),
        ("docs", "SOUNDNESS" | "GLOSSARY" | "DEBUGGING" | "INSTRUCTIONS") => {
            Some(format!("crate::docs::{}", name.to_lowercase()))
        }
        _ => None,
    }
}

/// Returns an address that contains an image.
fn address(svg: &str) -> String {
    let mut address = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => address.push(byte.into()),
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_modules_and_images_are_addresses() {
        let read = |path: &Path| Ok(format!("<svg>{}", path.display()));
        let page = |folder: &str, text: &str| page(text, Path::new(folder), read).unwrap();
        assert_eq!(
            page("", "[the book](docs/book/src/SUMMARY.md), [A](docs/SOUNDNESS.md#a) and [b](https://b.c)"),
            "[the book](crate::docs::book), [A](crate::docs::soundness#a) and [b](https://b.c)"
        );
        assert_eq!(
            page("docs/book/src", "![x](img/x.svg) [y](./mbarriers.md) [z](#z)"),
            "![x](data:image/svg+xml,%3Csvg%3Edocs%2Fbook%2Fsrc%2Fimg%2Fx.svg) [y](crate::docs::book::mbarriers) [z](#z)"
        );
        assert_eq!(page("", "See [MIT](LICENSE-MIT).\n```\na[i](b)\n```\n"), "See MIT.\n```\na[i](b)\n```\n");
    }
}
