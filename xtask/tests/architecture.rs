//! What docs/ARCHITECTURE.md says of packages and files is so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};
use xtask::root;
use xtask::toolchain::Toolchain;

fn page() -> String {
    fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap()
}

/// Returns the rows of the table whose header begins with this text, each as its cells.
fn rows(page: &str, header: &str) -> Vec<Vec<String>> {
    let mut lines = page.lines().skip_while(|line| !line.starts_with(header));
    assert!(lines.next().is_some() && lines.next().is_some(), "docs/ARCHITECTURE.md has no table `{header}`");
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    rows.map(cells).collect()
}

/// Returns the spans of code in a text.
fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns whether the file defines the name: for `fn mark`, whether a line is that function's first, with or without visibility
/// and `const`; for `states!`, whether a line begins with that table; for another name, whether a line begins with that
/// attribute of `#[diagnostic]`. In a file that is not Rust, a line begins with the name.
fn defines(path: &str, text: &str, name: &str) -> bool {
    const KINDS: [&str; 8] = ["fn", "trait", "struct", "enum", "type", "const", "static", "macro_rules!"];
    let is_whole = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let begins = |line: &str, name: &str| line.strip_prefix(name).is_some_and(is_whole);
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    if !path.ends_with(".rs") || name.ends_with('!') {
        return lines.any(|line| begins(line, name));
    }
    let Some((kind, _)) = name.split_once(' ').filter(|(kind, _)| KINDS.contains(kind)) else {
        return lines.any(|line| begins(line, &format!("#[diagnostic::{name}")));
    };
    let is_before = |word: &str| word.starts_with("pub") || ["unsafe", "const", "async"].contains(&word);
    lines.any(|mut line| {
        while let Some((word, rest)) = line.split_once(' ') {
            if word == kind && begins(line, name) {
                return true;
            }
            if !is_before(word) {
                return false;
            }
            line = rest;
        }
        false
    })
}

/// Returns the names of the packages that each package of the workspace depends on, except for its tests: directly, and in all.
fn dependencies(metadata: &Metadata) -> BTreeMap<String, [BTreeSet<String>; 2]> {
    let nodes = &metadata.resolve.as_ref().unwrap().nodes;
    let name = |id: &PackageId| metadata[id].name.to_string();
    let direct = |id: &PackageId| -> Vec<&PackageId> {
        let node = nodes.iter().find(|node| node.id == *id).unwrap();
        let of_build = node.deps.iter().filter(|dependency| {
            dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
        });
        of_build.map(|dependency| &dependency.pkg).collect()
    };
    let members = metadata.workspace_members.iter().map(|member| {
        let (mut all, mut left) = (BTreeSet::new(), direct(member));
        while let Some(id) = left.pop() {
            if all.insert(name(id)) {
                left.extend(direct(id));
            }
        }
        (name(member), [direct(member).into_iter().map(name).collect(), all])
    });
    members.collect()
}

/// Returns the packages as this machine builds them: cargo may not have fetched those of other platforms.
fn metadata() -> Metadata {
    let host = Toolchain::active().unwrap().host().to_owned();
    let options = ["--offline".to_owned(), format!("--filter-platform={host}")];
    MetadataCommand::new().current_dir(root()).other_options(options).exec().unwrap()
}

#[test]
fn packages_never_depend_on_what_the_page_forbids() {
    let metadata = metadata();
    let packages = dependencies(&metadata);
    let mut named = BTreeSet::new();
    for row in rows(&page(), "| package |") {
        let [package, folder, entry, _, never] = &row[..] else { panic!("{row:?}") };
        let (package, never, but) = (code(package)[0], code(never), never.starts_with("all"));
        assert!(row[4] == "all" || !never.is_empty(), "{package} may depend on everything");
        assert!(root().join(code(folder)[0]).is_dir() && root().join(code(entry)[0]).is_file(), "{row:?}");
        let [direct, all] = packages.get(package).unwrap_or_else(|| panic!("there is no package {package}"));
        let wrong: Vec<_> = match but {
            true => direct.iter().filter(|name| !never.contains(&name.as_str())).collect(),
            false => all.iter().filter(|name| never.contains(&name.as_str())).collect(),
        };
        assert!(wrong.is_empty(), "{package} depends on {wrong:?}, which docs/ARCHITECTURE.md forbids");
        named.insert(package.to_owned());
    }
    assert_eq!(named, packages.into_keys().collect(), "the packages of the page and of the workspace");
}

#[test]
fn what_the_page_points_to_is_there() {
    let page = page();
    let rows = rows(&page, "| what | file |");
    assert!(!rows.is_empty());
    for row in rows {
        let files: Vec<_> = code(&row[1]).into_iter().filter(|path| path.contains('.')).collect();
        let text =
            fs::read_to_string(root().join(files[0])).unwrap_or_else(|error| panic!("{}: {error}", files[0]));
        for name in code(&row[2]) {
            assert!(
                defines(files[0], &text, name),
                "{} does not define `{name}` (`fn`, `trait`, `const` … and the name): say where {} is",
                files[0],
                row[0]
            );
        }
        assert!(files.iter().all(|file| root().join(file).is_file()), "{row:?}");
    }
    // A span with a slash is a path, unless it is a pattern or of `target/`, which may be empty.
    let is_path =
        |span: &&str| span.contains('/') && !span.contains(['*', ' ', '<']) && !span.starts_with("target/");
    let gone: Vec<_> =
        code(&page).into_iter().filter(is_path).filter(|path| !root().join(path).exists()).collect();
    assert!(gone.is_empty(), "docs/ARCHITECTURE.md names files that are not there: {gone:?}");
}

#[test]
fn the_page_names_what_is_in_the_folders() {
    let page = page();
    let rows = rows(&page, "| folder | what is in it |");
    let folders =
        ["link/src", "link/src/proof", "emu/src", "emu/src/numbers", "emu/src/frontend", "emu/src/order"];
    for folder in folders.into_iter().chain(["emu/src/execution", "tests/device", "tests/golden"]) {
        // A folder without a row of its own stands in the row of the one around it; `emu/src` in that of `emu/`.
        let is_row = |row: &&Vec<String>| {
            let named = code(&row[0])[0].trim_end_matches('/');
            folder == named || folder.strip_suffix("/src") == Some(named)
        };
        let around = |row: &&Vec<String>| folder.starts_with(code(&row[0])[0]);
        let row = rows
            .iter()
            .find(is_row)
            .or_else(|| rows.iter().find(around))
            .unwrap_or_else(|| panic!("{folder}"));
        let said = row[1].to_lowercase();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let is_part = path.is_dir() || path.extension().is_some_and(|extension| extension == "rs");
            if is_part && name != "lib" {
                let is_named =
                    said.contains(&format!("`{name}`")) || page.contains(&format!("`{folder}/{name}`"));
                assert!(is_named, "docs/ARCHITECTURE.md does not name `{name}` of {folder}");
            }
        }
    }
}

/// Returns the names that a page places in a file: "`NAME` of `FILE`", "`NAME` in `FILE`".
fn placed(page: &str) -> Vec<(&str, &str)> {
    let spans: Vec<_> = page.split('`').collect();
    let is_name = |span: &str| {
        let name = span.strip_suffix('!').unwrap_or(span);
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let is_of = |text: &str| matches!(text.split_whitespace().collect::<Vec<_>>()[..], ["of" | "in"]);
    let triples = spans.windows(3).skip(1).step_by(2);
    let placed = triples.filter(|triple| is_name(triple[0]) && is_of(triple[1]));
    placed.map(|triple| (triple[0], triple[2])).collect()
}

#[test]
fn names_that_a_recipe_places_in_a_file_are_there() {
    let mut count = 0;
    for page in ["CONTRIBUTING.md", "docs/ADDING_AN_INSTRUCTION.md", "docs/INSTRUCTION_MACRO.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for (name, file) in placed(&text).into_iter().filter(|(_, file)| root().join(file).is_file()) {
            let source = fs::read_to_string(root().join(file)).unwrap();
            let mut words = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let is_there = words.any(|word| word == name.trim_end_matches('!'));
            assert!(is_there, "{page} places `{name}` in {file}, which does not have it");
            count += 1;
        }
    }
    assert!(count > 5, "{count} names");
    assert_eq!(placed("x `A` of `b.rs`, `c!` in\n`d.rs` `e f` of `g`"), [("A", "b.rs"), ("c!", "d.rs")]);
}
