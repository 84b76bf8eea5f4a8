//! docs/GLOSSARY.md: the public names of the typed layer and their counterparts in CUDA.
//!
//! A table under `` ## `module` `` has the columns name, counterpart, meaning. Any other table has CUDA's term and the names.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{Kind, Name};

/// The code spans of the page that name items of this crate.
#[derive(Default)]
pub struct Page {
    /// Module and name, from the first column of the tables of modules.
    rows: BTreeSet<(String, String)>,
    /// Names from the meanings and from the index, which may begin with their module.
    mentions: BTreeSet<String>,
}

impl Page {
    pub fn read(text: &str) -> Page {
        let (mut page, mut module) = (Page::default(), None);
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                module = spans(heading).next();
            }
            let Some(cells) = line.strip_prefix('|').and_then(|line| line.trim_end().strip_suffix('|'))
            else {
                continue;
            };
            let cells: Vec<_> = cells.split('|').collect();
            match (module, &*cells) {
                (Some(module), [names, _, meaning]) => {
                    page.rows.extend(spans(names).map(|name| (module.to_owned(), name.to_owned())));
                    page.mentions.extend(spans(meaning).map(str::to_owned));
                }
                (None, [_, names]) => page.mentions.extend(spans(names).map(str::to_owned)),
                _ => panic!(
                    "a row of docs/GLOSSARY.md has {} cells, which is not the number of columns: {line}",
                    cells.len()
                ),
            }
        }
        page
    }

    /// Returns how many different names the page mentions.
    pub fn mentioned(&self) -> usize {
        self.mentions.len()
    }

    /// Returns the types, traits, functions and methods without a row in their module's section.
    pub fn lacks(&self, names: &[Name]) -> BTreeSet<String> {
        let lacking = names.iter().filter(|name| {
            name.kind != Kind::Other && !self.rows.contains(&(name.module.clone(), name.name.clone()))
        });
        lacking.map(|name| format!("{}: `{}`", name.module, name.name)).collect()
    }

    /// Returns the names on the page that are not items, or in a module's section not items of that module.
    pub fn invents(&self, names: &[Name]) -> BTreeSet<String> {
        let is_of =
            |module: &str, text: &str| names.iter().any(|name| name.module == module && name.name == text);
        let is_known = |text: &str| {
            names.iter().any(|name| name.name == text || name.module == text)
                || text.split_once("::").is_some_and(|(module, name)| is_of(module, name))
        };
        let rows = self.rows.iter().filter(|(module, name)| !is_of(module, name) && !is_of("", name));
        let rows = rows.map(|(module, name)| format!("{module}: `{name}`"));
        let mentions = self.mentions.iter().filter(|text| !is_known(text)).map(|text| format!("`{text}`"));
        rows.chain(mentions).collect()
    }
}

/// Returns the texts between backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the code spans of the form `Type::method` in the prose of a page.
pub fn methods(page: &str) -> Vec<&str> {
    let mut in_block = false;
    let prose = page.lines().filter(|line| {
        let fence = line.starts_with("```");
        in_block ^= fence;
        !in_block && !fence
    });
    let is_name = |name: &str, first: fn(&char) -> bool| {
        name.chars().next().is_some_and(|c| first(&c))
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_method = |span: &&str| {
        span.split_once("::").is_some_and(|(of, name)| {
            is_name(of, char::is_ascii_uppercase) && is_name(name, char::is_ascii_lowercase)
        })
    };
    prose.flat_map(spans).filter(is_method).collect()
}

/// Returns the types and traits that share their name with another type or trait, with their modules.
pub fn homonyms(names: &[Name]) -> Vec<String> {
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in names.iter().filter(|name| name.kind == Kind::Type) {
        modules.entry(&name.name).or_default().push(&name.module);
    }
    let shared = modules.into_iter().filter(|(_, modules)| modules.len() > 1);
    shared.map(|(name, modules)| format!("`{name}` in {}", modules.join(", "))).collect()
}

#[test]
fn a_page_is_read() {
    let name = |module: &str, name: &str, kind| Name { module: module.into(), name: name.into(), kind };
    let names = [
        name("one", "Type", Kind::Type),
        name("one", "Type::method", Kind::Function),
        name("one", "Type::CONST", Kind::Other),
        name("two", "function", Kind::Function),
        name("two", "Type", Kind::Type),
        name("", "made!", Kind::Other),
    ];
    let text = "Prose of `anything`.\n\n## By term\n\n| CUDA | Here |\n|---|---|\n| `atomicAdd` | `two::function`, `one::no` |\n\n\
                ## `one`\n\n| Name | CUDA | Meaning |\n|---|---|---|\n| `Type`, `Type::CONST`, `made!` | `cuda` | As `gone`. |\n\
                | `function` | – | Of `two`. |\n";
    let page = Page::read(text);
    assert_eq!(
        page.lacks(&names),
        ["one: `Type::method`", "two: `Type`", "two: `function`"].map(String::from).into()
    );
    assert_eq!(page.invents(&names), ["`gone`", "`one::no`", "one: `function`"].map(String::from).into());
    assert_eq!(homonyms(&names), ["`Type` in one, two"]);
}

#[test]
fn methods_are_found_in_prose() {
    let page = "`Type::method`, `cuda::barrier`, `Type`, `Type::CONST`\n```rust\n`No::no`\n```\n| `A::b_2` | `c` |\n";
    assert_eq!(methods(page), ["Type::method", "A::b_2"]);
}
