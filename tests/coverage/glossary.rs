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
    /// The names of each row, and its terms of CUDA.
    terms: Vec<(Vec<String>, Vec<String>)>,
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
            let all = |cell: &str| spans(cell).map(str::to_owned).collect();
            let terms = |cell: &str| spans(cell).filter_map(cuda_name).map(str::to_owned).collect();
            match (module, &*cells) {
                (Some(module), [names, counterpart, meaning]) => {
                    page.terms.push((all(names), terms(counterpart)));
                    page.rows.extend(spans(names).map(|name| (module.to_owned(), name.to_owned())));
                    page.mentions.extend(spans(meaning).map(str::to_owned));
                }
                (None, [term, names]) => {
                    page.terms.push((all(names), terms(term)));
                    page.mentions.extend(spans(names).map(str::to_owned));
                }
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
            // What is in the crate's root has no section of its own.
            let is_of = |module: &str| name.module.is_empty() || module == name.module;
            name.kind != Kind::Other
                && !self.rows.iter().any(|(module, row)| is_of(module) && *row == name.name)
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

impl Page {
    /// Returns CUDA's names on the page that are no alias of an item beside them.
    pub fn without_alias(&self, names: &[Name]) -> BTreeSet<&str> {
        let has = |term: &str| {
            let rows = self.terms.iter().filter(|(_, terms)| terms.iter().any(|other| other == term));
            let mut items = rows.flat_map(|(items, _)| items).flat_map(|item| named(names, item));
            items.any(|name| of_search(term).all(|alias| name.aliases.iter().any(|has| has == alias)))
        };
        self.terms.iter().flat_map(|(_, terms)| terms).map(|term| &**term).filter(|term| !has(term)).collect()
    }

    /// Returns the aliases that look like a name of CUDA, and do not stand beside their item on the page.
    pub fn invented_aliases(&self, names: &[Name]) -> BTreeSet<String> {
        let stands = |name: &Name, alias: &str| {
            let rows = self.terms.iter().filter(|(items, _)| {
                items.iter().any(|item| named(std::slice::from_ref(name), item).next().is_some())
            });
            rows.flat_map(|(_, terms)| terms).any(|term| of_search(term).any(|of| of == alias))
        };
        let of = |name: &Name| {
            let aliases =
                name.aliases.iter().filter(|alias| cuda_name(alias).is_some() && !stands(name, alias));
            aliases.map(|alias| format!("{}: `{}` has `{alias}`", name.module, name.name)).collect::<Vec<_>>()
        };
        names.iter().flat_map(of).collect()
    }
}

/// Returns the items that a span of the page names, which may begin with the module.
fn named<'a>(names: &'a [Name], span: &str) -> impl Iterator<Item = &'a Name> {
    names.iter().filter(move |name| {
        span == name.name
            || span.split_once("::").is_some_and(|(module, rest)| module == name.module && rest == name.name)
    })
}

/// Returns a name of CUDA, libcu++, CUTLASS or CuTe without its arguments. Other spans, such as PTX and C++ types, are no names.
fn cuda_name(span: &str) -> Option<&str> {
    let name = span.split(['(', '<']).next()?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    let begins = |prefix: &&str| {
        name.strip_prefix(*prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let lower = ["__", "cuda::", "cg::", "cutlass::", "cute::", "SM", "tma_", "producer_", "consumer_"];
    let camel = ["cuda", "atomic", "cuTensorMap", "CUtensorMap"];
    let is_camel = camel.iter().any(|prefix| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_uppercase))
    });
    (is_name && (is_camel && name.len() > 6 || lower.iter().any(begins))).then_some(name)
}

/// Returns what a user types into the search for a name of CUDA: the name, and a function of `cuda::ptx` also without its path.
fn of_search(term: &str) -> impl Iterator<Item = &str> {
    std::iter::once(term).chain(term.strip_prefix("cuda::ptx::"))
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
    let name = |module: &str, name: &str, kind| Name {
        module: module.into(),
        name: name.into(),
        kind,
        aliases: Vec::new(),
    };
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
fn names_of_cuda_are_aliases() {
    let name = |name: &str, aliases: &[&str]| Name {
        module: "one".into(),
        name: name.into(),
        kind: Kind::Function,
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
    };
    let text = "## `one`\n\n| Name | CUDA | Meaning |\n|---|---|---|\n| `a`, `b` | `__x()`; `cuda::ptx::y` | – |\n\
                | `c` | `ld.shared`, `float4`, `atomicAdd<T>` | – |\n";
    let page = Page::read(text);
    let right = [name("a", &["__x"]), name("b", &["cuda::ptx::y", "y", "load"]), name("c", &["atomicAdd"])];
    assert!(page.without_alias(&right).is_empty());
    assert!(page.invented_aliases(&right).is_empty());
    let wrong = [name("a", &["cuda::ptx::y"]), name("b", &[]), name("c", &["__x"])];
    assert_eq!(page.without_alias(&wrong), ["__x", "atomicAdd", "cuda::ptx::y"].into());
    assert_eq!(page.invented_aliases(&wrong), ["one: `c` has `__x`".to_owned()].into());
}

#[test]
fn methods_are_found_in_prose() {
    let page = "`Type::method`, `cuda::barrier`, `Type`, `Type::CONST`\n```rust\n`No::no`\n```\n| `A::b_2` | `c` |\n";
    assert_eq!(methods(page), ["Type::method", "A::b_2"]);
}
