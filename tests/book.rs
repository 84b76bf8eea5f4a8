//! Checks the parts of docs/book that are not Rust: links, cited files, excerpts of CUDA C++, and a finding of the interpreter.
//! `tests/examples.rs` and the doctests of `ptx-host` compile the Rust, and `tests/coverage` checks the names of items.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ptx_emu::{Device, Launch, Module, Options, Rule, Schedule, lay_out};
use support::ok;
use xtask::device::{self, Arch, Build};
use xtask::files;
use xtask::toolchain::{Kind, Toolchain};

const FOLDER: &str = "docs/book/src";

/// Returns the files of the book by their paths in `FOLDER`. A file that is not a page has no text.
fn book() -> BTreeMap<String, String> {
    let folder = xtask::root().join(FOLDER);
    let read = |file: &std::path::Path| {
        let name = file.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
        let text = if name.ends_with(".md") { fs::read_to_string(file).unwrap() } else { String::new() };
        (name, text)
    };
    files::under(&folder).unwrap().iter().map(|file| read(file)).collect()
}

/// Divides a page into its prose and its fenced blocks, each with its info string.
fn parts(page: &str) -> (String, Vec<(&str, String)>) {
    let (mut prose, mut blocks, mut open) = (String::new(), Vec::new(), None);
    for line in page.lines() {
        open = match (open, line.strip_prefix("```")) {
            (None, Some(info)) => Some((info, String::new())),
            (Some(block), Some(_)) => {
                blocks.push(block);
                None
            }
            (Some((info, text)), None) => Some((info, text + line + "\n")),
            (None, None) => {
                prose += line;
                prose.push('\n');
                None
            }
        };
    }
    assert!(open.is_none(), "a block has no end: {open:?}");
    (prose, blocks)
}

/// Returns the excerpts of a page, each with the path of its file: the blocks after a line that ends with "from", the path and a
/// colon.
fn excerpts(page: &str) -> Vec<(&str, String)> {
    let (mut found, mut named, mut open) = (Vec::new(), None, None);
    for line in page.lines() {
        match (&mut open, line.starts_with("```")) {
            (None, true) => open = Some(String::new()),
            (None, false) if line.is_empty() => {}
            (None, false) => {
                named = line.strip_suffix("`:").and_then(|rest| Some(rest.rsplit_once("rom `")?.1));
            }
            (Some(_), true) => found.extend(named.take().zip(open.take())),
            (Some(text), false) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    found
}

/// Returns the targets of the links and images of a text.
fn links(prose: &str) -> impl Iterator<Item = &str> {
    prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// Returns the anchors of a page, as mdBook makes them of its headings.
fn anchors(page: &str) -> BTreeSet<String> {
    let (prose, _) = parts(page);
    let headings = prose
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|rest| rest.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings
        .map(|heading| heading.chars().filter(kept).collect::<String>().to_lowercase().replace(' ', "-"))
        .collect()
}

/// Returns the links that lead to no file or heading of the book, each with its page. Links into the web are not checked.
fn dead_links(book: &BTreeMap<String, String>) -> Vec<String> {
    let mut dead = Vec::new();
    for (name, page) in book {
        for link in links(&parts(page).0).filter(|link| !link.starts_with("https://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = book.get(if file.is_empty() { name.as_str() } else { file });
            if !target.is_some_and(|page| anchor.is_empty() || anchors(page).contains(anchor)) {
                dead.push(format!("{name}: {link}"));
            }
        }
    }
    dead
}

#[test]
fn the_summary_and_the_doctests_have_every_page() {
    let book = book();
    let pages: BTreeSet<_> =
        book.keys().filter(|name| name.ends_with(".md") && *name != "SUMMARY.md").collect();
    let summary: Vec<_> = links(&book["SUMMARY.md"]).map(str::to_owned).collect();
    assert_eq!(
        summary.iter().collect::<BTreeSet<_>>(),
        pages,
        "docs/book/src/SUMMARY.md differs from the pages"
    );
    assert_eq!(summary.len(), pages.len(), "docs/book/src/SUMMARY.md lists a page twice");

    let host = fs::read_to_string(xtask::root().join("host/src/lib.rs")).unwrap();
    let (_, list) = host.split_once("pages! {").unwrap();
    let listed = list.split_once('}').unwrap().0.split_whitespace().map(|page| format!("{page}.md"));
    let listed: BTreeSet<_> = listed.collect();
    assert_eq!(
        listed.iter().collect::<BTreeSet<_>>(),
        pages,
        "`pages!` of host/src/lib.rs differs from the pages"
    );
}

#[test]
fn every_link_leads_to_a_page_a_heading_or_an_image() {
    let dead = dead_links(&book());
    assert!(dead.is_empty(), "correct the links: {dead:#?}");
}

#[test]
fn every_image_is_shown() {
    let book = book();
    let shown: BTreeSet<_> = book.values().flat_map(|page| links(page)).collect();
    let idle: Vec<_> =
        book.keys().filter(|name| !name.ends_with(".md") && !shown.contains(name.as_str())).collect();
    assert!(idle.is_empty(), "no page shows {idle:?}");
}

#[test]
fn every_file_of_the_repository_that_a_page_cites_exists() {
    let mut count = 0;
    for (name, page) in book() {
        let (prose, _) = parts(&page);
        for span in prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            if ["docs/", "bench/", "emu/", "conformance/", "examples/", "kernels/src"]
                .iter()
                .any(|folder| span.starts_with(folder))
            {
                assert!(xtask::root().join(span).exists(), "{name}: there is no file `{span}`");
                count += 1;
            }
        }
    }
    assert!(count > 4, "found only {count} citations");
}

/// Checks that a test compiles each block. A block of `rust` alone is for the device; `no_run` and `compile_fail` are for the
/// host. `tests/build_script.rs` reads those of `toml`. Those of `cpp` and `rust,ignore` are excerpts of files that other tests
/// compile.
#[test]
fn every_block_of_code_is_compiled() {
    let known = |info: &str| {
        matches!(info, "rust" | "rust,no_run" | "rust,ignore" | "sh" | "text" | "toml" | "cpp")
            || info.starts_with("rust,compile_fail,E")
    };
    for (name, page) in book() {
        let excerpts = excerpts(&page);
        for (info, text) in parts(&page).1 {
            assert!(known(info), "{name}: no test compiles a block of `{info}`");
            if matches!(info, "cpp" | "rust,ignore") {
                let is_excerpt = excerpts.iter().any(|(path, of)| {
                    *of == text
                        && ["bench/cuda/", "examples/", "kernels/"]
                            .iter()
                            .any(|folder| path.starts_with(folder))
                });
                assert!(
                    is_excerpt,
                    "{name}: name the file of bench/cuda, examples or kernels before this block:\n{text}"
                );
            }
        }
    }
}

/// Checks that an excerpt is in the file that the page names, and that each recipe is a whole file of `examples`.
#[test]
fn every_excerpt_is_in_its_file() {
    let book = book();
    for (name, page) in &book {
        for (path, text) in excerpts(page) {
            let file = fs::read_to_string(xtask::root().join(path))
                .unwrap_or_else(|error| panic!("{name} names `{path}`: {error}"));
            assert!(
                file.contains(&text),
                "{name}: this is not in `{path}`; copy the file's present text:\n{text}"
            );
        }
    }
    let recipes = excerpts(&book["recipes.md"]);
    let whole: Vec<_> = recipes
        .iter()
        .filter(|(path, text)| fs::read_to_string(xtask::root().join(path)).unwrap() == *text)
        .map(|(path, _)| path)
        .collect();
    let headings = book["recipes.md"].lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(headings, 11);
    assert_eq!(whole.len(), headings, "a recipe is not the whole file that it names: {whole:?}");
}

/// Checks that kernels which are shown ask for the proof. The only one that states its author's word is wrong.
#[test]
fn kernels_that_are_shown_ask_for_the_proof() {
    let word = "unsafe(uniform)";
    let stated = |text: &str| {
        text.lines().filter(|line| line.starts_with("#[ptx::kernel") && line.contains(word)).count()
    };
    for (name, page) in book() {
        assert_eq!(stated(&page), usize::from(name == "soundness.md"), "{name}: a kernel states `{word}`");
    }
    let mut kernels = 0;
    for folder in ["kernels/src", "examples/kernels/src", "cargo-ptx/template"] {
        for file in files::under(&xtask::root().join(folder)).unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            assert_eq!(stated(&text), 0, "{}: a kernel states `{word}`", file.display());
            kernels += text.lines().filter(|line| line.starts_with("#[ptx::kernel")).count();
        }
    }
    assert!(kernels > 50, "found {kernels} kernels");
}

#[test]
fn dead_links_are_named_with_their_pages() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let book = BTreeMap::from([
        file(
            "a.md",
            "# A `b`, c\n[x](b.md) [x](b.md#two-words) [x](#a-b-c) ![x](p.svg) [x](https://x.y)\n```rust\na[b](c)\n```\n",
        ),
        file("b.md", "## Two words\n[x](c.md) [x](a.md#none) [x](#none)\n```text\n# none\n```\n"),
        file("p.svg", ""),
    ]);
    assert_eq!(dead_links(&book), ["b.md: c.md", "b.md: a.md#none", "b.md: #none"]);
    assert_eq!(parts(&book["b.md"]).1, [("text", "# none\n".to_owned())]);
}

/// Checks that the chapter's kernel gives the finding that the chapter quotes, and that with the barrier the kernel is right
/// under every schedule.
#[test]
fn the_interpreter_finds_what_the_chapter_on_testing_says() {
    let book = book();
    let blocks = parts(&book["testing.md"]).1;
    let block = |info: &str, has: &str| {
        let found = blocks.iter().find(|(other, text)| *other == info && text.contains(has));
        found.unwrap_or_else(|| panic!("testing.md has no block of `{info}` with `{has}`")).1.clone()
    };
    let (kernel, quoted) = (block("rust", "pub fn reverse"), block("text", "data race"));
    let comment = "// `cta.sync();` is missing here.";
    assert_eq!(kernel.matches(comment).count(), 1, "testing.md: the comment names the place of the barrier");

    let mut wrong = Reverse::new("book-wrong", &kernel);
    let options = Options { schedule: Schedule::of(0), ..Options::default() };
    let report = wrong.device.launch(&wrong.module, "reverse", &wrong.launch, &options).unwrap();
    assert!(report.findings.iter().any(|finding| finding.rule == Rule::Race), "{report}");
    // Another toolchain numbers the lines of the PTX differently.
    if ok(Toolchain::active()).kind() == Kind::Rustup {
        assert_eq!(format!("schedule 0:\n{report}"), quoted, "testing.md quotes another finding");
    }

    let right = Reverse::new("book-right", &kernel.replace(comment, "cta.sync();"));
    let options = Options::default();
    let all = right.device.explore(&right.module, "reverse", &right.launch, &options, 1, |_| true).unwrap();
    assert!(all.report.is_clean(), "{}", all.report);
    assert!(all.is_complete, "testing.md says that the barrier leaves a single run");
}

/// The kernel of the chapter on testing, ready for a launch on 64 elements.
struct Reverse {
    device: Device,
    module: Module,
    launch: Launch,
}

impl Reverse {
    /// Compiles the kernel in a crate of this name.
    fn new(name: &str, kernel: &str) -> Self {
        let head = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\nptx::panic_handler!();\n";
        let folder = ok(device::write_kernels(name, &format!("{head}{kernel}")));
        let ptx = ok(Build::new(&folder, Arch::Sm90a).run()).text;
        let mut device = Device::new();
        let module = ok(device.load(&ptx));
        let (x, y) = (device.allocate(256), device.allocate(256));
        device.write(x, &[0; 256]).unwrap();
        let slice = |address: u64| [address, 64].map(u64::to_le_bytes).concat();
        let params = lay_out(module.parameters("reverse").unwrap(), &[&slice(x), &slice(y)]);
        Self { device, module, launch: Launch { params, ..Launch::new(1, 64) } }
    }
}
