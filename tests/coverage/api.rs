//! The public functions of the typed layer, from rustdoc's JSON. That includes items from macros, and excludes hidden items.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::ok;
use serde_json::Value;
use xtask::process::run;
use xtask::toolchain::Toolchain;

use crate::types::Type;

/// A public function or inherent method of `ptx`, except those of `ptx::raw` and `ptx::qualifier`.
pub struct Function {
    /// The public module: for a method, the module of its type.
    pub module: String,
    /// The module that contains the source, which may be a different one.
    pub written_in: String,
    /// The type, for a method.
    pub owner: Option<Type>,
    pub name: String,
    pub is_unsafe: bool,
    /// True if the function takes or returns a value that is not `Copy`, also by reference, or takes `self` by value.
    pub has_handles: bool,
    /// True if the function takes a value that is not `Copy` by itself or by `&mut`, so that its state changes.
    pub moves_handles: bool,
    /// True if the type of an argument selects the instruction or must fit it.
    pub has_tags: bool,
    /// The widest group among the arguments, receiver included.
    pub group: Option<Group>,
    pub docs: String,
}

/// Threads that make a call together, from the smallest group to the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Lanes,
    Warp,
    /// Any kind of group: a `ThreadGroup`.
    Any,
    /// The threads of a part: each warp separately, or all warps together.
    Part,
    Cta,
    Cluster,
}

impl Group {
    /// Returns the group with this type name in the crate.
    fn named(name: &str) -> Option<Group> {
        Some(match name {
            "Lanes" => Group::Lanes,
            "Warp" | "FirstWarp" => Group::Warp,
            "ThreadGroup" => Group::Any,
            "Thread" | "Warps" => Group::Part,
            "Cta" => Group::Cta,
            "Cluster" => Group::Cluster,
            _ => return None,
        })
    }
}

impl Function {
    /// Returns the name in the lists of exceptions, such as `shared::Shared<_, _, Free>::write` or `bulk::load`.
    pub fn shown(&self) -> String {
        match &self.owner {
            // The name has the module that exports the type, because the module that contains the type may be private.
            Some(owner) => {
                let owner = owner.to_string();
                let ty = owner.split_once("::").map_or(&*owner, |(_, ty)| ty);
                format!("{}::{ty}::{}", self.module, self.name)
            }
            None if self.module.is_empty() => self.name.clone(),
            None => format!("{}::{}", self.module, self.name),
        }
    }
}

/// Returns rustdoc's JSON of the crate with every feature, for public and private items.
pub fn json(toolchain: &Toolchain) -> Value {
    let mut cargo = toolchain.cargo();
    cargo.args(["rustdoc", "--quiet", "--package=ptx", "--all-features"]);
    cargo.args(["-Zunstable-options", "--output-format=json", "--", "-Zunstable-options"]);
    cargo.args(["--allow=rustdoc::all", "--document-hidden-items", "--document-private-items"]);
    ok(run(&mut cargo));
    let path = toolchain.target_dir().join("doc/ptx.json");
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect("rustdoc's JSON")
}

/// Returns the public functions in rustdoc's JSON that are not hidden.
pub fn functions(json: &Value) -> Vec<Function> {
    Docs { json, hidden: false }.functions()
}

/// Returns every function that a program can call, hidden or not.
pub fn callable(json: &Value) -> Vec<Function> {
    Docs { json, hidden: true }.functions()
}

/// The kind of a public name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A type, a type alias or a trait.
    Type,
    /// A function, or a method of a type or of a trait.
    Function,
    /// A constant, a variant, a macro, or an associated constant or type.
    Other,
}

/// A public name of the typed layer: `Type`, `function`, `Type::method` or `macro!`.
#[derive(Debug)]
pub struct Name {
    /// The module; empty for a macro, which is in the crate's root.
    pub module: String,
    pub name: String,
    pub kind: Kind,
    /// The names in CUDA by which the search of rustdoc finds the item, `#[doc(alias = "…")]`.
    pub aliases: Vec<String>,
}

/// Returns the public names in rustdoc's JSON that are not hidden.
pub fn names(json: &Value) -> Vec<Name> {
    Docs { json, hidden: false }.names()
}

/// Returns the hidden functions and types of the typed layer of which another module has another item of the same name, with the
/// modules.
pub fn ambiguous_hidden_names(json: &Value) -> BTreeMap<&str, BTreeSet<&str>> {
    let docs = Docs { json, hidden: true };
    // The items of a name, by their ids, each with a module that a program can import by glob.
    let (mut items, mut hidden) = (BTreeMap::<&str, BTreeMap<String, &str>>::new(), BTreeSet::new());
    for module in docs.items(&docs.item(&json["root"])["inner"]["module"]["items"]) {
        let of = module["name"].as_str().unwrap_or_default();
        if of == "raw" || of == "qualifier" {
            continue;
        }
        let mut pending: Vec<_> = docs.items(&module["inner"]["module"]["items"]).collect();
        while let Some(item) = pending.pop() {
            let export = item["inner"].get("use");
            let target = export.map_or(item, |export| docs.item(&export["id"]));
            let content = target["inner"].get("module");
            if let Some(content) = content {
                if export.is_some_and(|export| export["is_glob"] == true) {
                    pending.extend(docs.items(&content["items"]));
                }
                continue;
            }
            let Some(name) = export.map_or(&target["name"], |export| &export["name"]).as_str() else {
                continue;
            };
            items.entry(name).or_default().insert(target["id"].to_string(), of);
            if is_hidden(item) || is_hidden(target) {
                hidden.insert(name);
            }
        }
    }
    items.retain(|name, items| items.len() > 1 && hidden.contains(name));
    items.into_iter().map(|(name, items)| (name, items.into_values().collect())).collect()
}

/// Returns the safe methods of the public traits of the typed layer, hidden or not: module, trait and name.
pub fn safe_trait_methods(json: &Value) -> BTreeSet<[String; 3]> {
    let index = json["index"].as_object().expect("an index");
    let mut methods = BTreeSet::new();
    for item in index.values().filter(|item| item["visibility"] == "public") {
        let path = &json["paths"][item["id"].to_string()]["path"];
        let (Some(items), Some(module)) = (item["inner"]["trait"]["items"].as_array(), path[1].as_str())
        else {
            continue;
        };
        for method in items.iter().map(|id| &index[&id.to_string()]) {
            if method["inner"]["function"]["header"]["is_unsafe"] == false {
                let name = |item: &Value| item["name"].as_str().expect("a name").to_owned();
                methods.insert([module.to_owned(), name(item), name(method)]);
            }
        }
    }
    methods
}

/// Returns the safe functions of `ptx::raw`.
pub fn safe_raw(json: &Value) -> BTreeSet<String> {
    let index = json["index"].as_object().expect("an index");
    let of_raw = |item: &&Value| json["paths"][item["id"].to_string()]["path"][1] == "raw";
    let safe = |item: &&Value| item["inner"]["function"]["header"]["is_unsafe"] == false;
    let functions = index.values().filter(|item| item["visibility"] == "public").filter(of_raw).filter(safe);
    functions.filter_map(|function| function["name"].as_str().map(str::to_owned)).collect()
}

struct Docs<'a> {
    json: &'a Value,
    /// True if hidden items count too.
    hidden: bool,
}

impl<'a> Docs<'a> {
    fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        self.walk(&mut |module, kind, item| match kind {
            "function" => functions.push(self.function(item, module, None)),
            "struct" | "enum" => functions.extend(
                self.methods(&item["inner"][kind])
                    .map(|(owner, method)| self.function(method, module, Some(owner))),
            ),
            _ => {}
        });
        functions
    }

    fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        self.walk(&mut |module, kind, item| {
            let name = item["name"].as_str().unwrap_or_default();
            let mut add = |kind, name: String, item: &Value| {
                names.push(Name { module: module.into(), name, kind, aliases: aliases(item) });
            };
            let part = |item: &Value| format!("{name}::{}", item["name"].as_str().unwrap_or_default());
            let inner = &item["inner"][kind];
            match kind {
                "function" => add(Kind::Function, name.into(), item),
                "struct" | "enum" => {
                    add(Kind::Type, name.into(), item);
                    self.methods(inner).for_each(|(_, method)| add(Kind::Function, part(method), method));
                    self.items(&inner["variants"])
                        .for_each(|variant| add(Kind::Other, part(variant), variant));
                }
                "trait" => {
                    add(Kind::Type, name.into(), item);
                    for item in self.items(&inner["items"]) {
                        let is_method = item["inner"].get("function").is_some();
                        add(if is_method { Kind::Function } else { Kind::Other }, part(item), item);
                    }
                }
                "type_alias" => add(Kind::Type, name.into(), item),
                _ => add(Kind::Other, name.into(), item),
            }
        });
        let macros = self.items(&self.item(&self.json["root"])["inner"]["module"]["items"]);
        names.extend(macros.filter(|item| item["inner"].get("macro").is_some()).map(|item| Name {
            module: String::new(),
            name: format!("{}!", item["name"].as_str().unwrap_or_default()),
            kind: Kind::Other,
            aliases: aliases(item),
        }));
        names
    }

    fn item(&self, id: &Value) -> &'a Value {
        &self.json["index"][id.to_string()]
    }

    /// Returns the public items of a list, with hidden items only if wanted.
    fn items(&self, ids: &'a Value) -> impl Iterator<Item = &'a Value> {
        // `default` marks an item with the visibility of another: an `impl`, a method of a trait.
        let is_public = |item: &&Value| item["visibility"] == "public" || item["visibility"] == "default";
        let items = ids.as_array().into_iter().flatten().map(|id| self.item(id));
        let hidden = self.hidden;
        items.filter(is_public).filter(move |item| hidden || !is_hidden(item))
    }

    /// Returns true if the path `crate::…` is a public module or an item in one.
    fn is_public(&self, path: &str) -> bool {
        let Some(name) = path.strip_prefix("crate::").and_then(|path| path.split("::").next()) else {
            return false;
        };
        let of_the_root = &self.item(&self.json["root"])["inner"]["module"]["items"];
        self.items(of_the_root).any(|item| item["name"] == name && item["inner"].get("module").is_some())
    }

    /// Visits each item of the public modules of the typed layer, exported items included, with its module and kind.
    fn walk(&self, visit: &mut impl FnMut(&'a str, &'a str, &'a Value)) {
        for module in self.items(&self.item(&self.json["root"])["inner"]["module"]["items"]) {
            let name = module["name"].as_str().unwrap_or_default();
            if module["inner"].get("module").is_some() && !["raw", "qualifier"].contains(&name) {
                self.walk_module(module, name, visit);
            }
            // A function that the root exports from a private module.
            let exported = module["inner"].get("use").map(|export| self.item(&export["id"]));
            if let Some(function) = exported.filter(|item| item["inner"].get("function").is_some()) {
                visit("", "function", function);
            }
        }
    }

    fn walk_module(
        &self,
        module: &'a Value,
        name: &'a str,
        visit: &mut impl FnMut(&'a str, &'a str, &'a Value),
    ) {
        for item in self.items(&module["inner"]["module"]["items"]) {
            let item = match item["inner"].get("use") {
                // An item that another public module exports counts there.
                Some(export) if export["source"].as_str().is_some_and(|source| self.is_public(source)) => {
                    continue;
                }
                Some(export) => self.item(&export["id"]),
                None => item,
            };
            if !self.hidden && is_hidden(item) {
                continue;
            }
            match item["inner"].as_object().and_then(|inner| inner.keys().next()).map(String::as_str) {
                Some("module") => self.walk_module(item, name, visit),
                Some(kind) => visit(name, kind, item),
                None => {}
            }
        }
    }

    /// Returns the inherent methods of a type, each with the type of its `impl`.
    fn methods(&self, ty: &'a Value) -> impl Iterator<Item = (&'a Value, &'a Value)> {
        let blocks = self.items(&ty["impls"]).map(|block| &block["inner"]["impl"]);
        blocks.filter(|block| block["trait"].is_null()).flat_map(|block| {
            let items = self.items(&block["items"]).map(move |item| (&block["for"], item));
            items.filter(|(_, item)| item["inner"].get("function").is_some())
        })
    }

    fn function(&self, item: &Value, module: &str, owner: Option<&Value>) -> Function {
        let signature = &item["inner"]["function"]["sig"];
        let inputs: Vec<_> = signature["inputs"].as_array().into_iter().flatten().collect();
        let by_value = inputs.iter().any(|input| input[0] == "self" && input[1]["generic"] == "Self");
        let by_reference = inputs.iter().any(|input| input[0] == "self");
        let has_handles = by_value
            || self.mentions_handle(signature)
            || (by_reference && owner.is_some_and(|owner| self.mentions_handle(owner)));
        let moves = |input: &Value| {
            let is_shared = input[1]["borrowed_ref"]["is_mutable"] == false;
            let ty = input[1].get("borrowed_ref").map_or(&input[1], |reference| &reference["type"]);
            let is_of_owner =
                ty["generic"] == "Self" && owner.is_some_and(|owner| self.mentions_handle(owner));
            !is_shared && (is_of_owner || self.mentions_handle(ty))
        };
        let is_tag = |input: &Value| {
            input.get("impl_trait").is_some() || input["generic"].as_str().is_some_and(|name| name != "Self")
        };
        let file = item["span"]["filename"].as_str().expect("a file");
        let file = file.rsplit_once("src/").map_or(file, |(_, file)| file).trim_end_matches(".rs");
        Function {
            module: module.into(),
            written_in: file.split('/').next().unwrap_or_default().into(),
            owner: owner.map(|owner| self.pattern(owner)),
            name: item["name"].as_str().expect("a name").into(),
            is_unsafe: item["inner"]["function"]["header"]["is_unsafe"] == true,
            has_handles,
            moves_handles: inputs.iter().any(|input| moves(input)),
            has_tags: inputs.iter().any(|input| is_tag(&input[1])),
            group: inputs.iter().filter_map(|input| self.group(&input[1], owner)).max(),
            docs: item["docs"].as_str().unwrap_or_default().into(),
        }
    }

    /// Returns the group if the type is a group or a reference to one.
    fn group(&self, ty: &Value, owner: Option<&Value>) -> Option<Group> {
        let ty = ty.get("borrowed_ref").map_or(ty, |reference| &reference["type"]);
        // `G` is the group that holds a handle: the last parameter of the handle, or a parameter of the function.
        if ty["generic"] == "G" {
            return Some(Group::Any);
        }
        let ty = owner.filter(|_| ty["generic"] == "Self").unwrap_or(ty);
        let bound = ty["impl_trait"].as_array().and_then(|bounds| bounds.first());
        let path =
            bound.map_or_else(|| ty.get("resolved_path"), |bound| bound["trait_bound"].get("trait"))?;
        let is_of_the_crate = !self.item(&path["id"]).is_null();
        Group::named(path["path"].as_str()?.rsplit("::").next()?).filter(|_| is_of_the_crate)
    }

    /// Returns true if the value mentions a type of the crate that is not `Copy`.
    fn mentions_handle(&self, value: &Value) -> bool {
        let is_handle = |path: &Value| {
            let item = self.item(&path["id"]);
            let inner = item["inner"].get("struct").or(item["inner"].get("enum"));
            inner.is_some_and(|inner| {
                !self.items(&inner["impls"]).any(|block| block["inner"]["impl"]["trait"]["path"] == "Copy")
            })
        };
        value.get("resolved_path").is_some_and(is_handle)
            || match value {
                Value::Array(values) => values.iter().any(|value| self.mentions_handle(value)),
                Value::Object(values) => values.values().any(|value| self.mentions_handle(value)),
                _ => false,
            }
    }

    /// Returns the type as a pattern: each parameter of its `impl` stands for any type.
    fn pattern(&self, value: &Value) -> Type {
        let Some((kind, inner)) = value.as_object().and_then(|value| value.iter().next()) else {
            return Type::Any;
        };
        match kind.as_str() {
            "resolved_path" => {
                let path = &self.json["paths"][inner["id"].to_string()]["path"];
                let mut path: Vec<_> =
                    path.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                if path.is_empty() {
                    // A type hidden from rustdoc, such as a tag, has in the JSON the name as written.
                    path.extend(inner["path"].as_str().and_then(|path| path.rsplit("::").next()));
                }
                let args = inner["args"]["angle_bracketed"]["args"].as_array().into_iter().flatten();
                let args = args.filter(|arg| arg.get("lifetime").is_none());
                // A constant argument of an owner is always a parameter.
                Type::path(&path, args.map(|arg| arg.get("type").map_or(Type::Any, |ty| self.pattern(ty))))
            }
            "primitive" => Type::path(&[inner.as_str().unwrap_or_default()], []),
            "tuple" => Type::path(&["()"], inner.as_array().into_iter().flatten().map(|ty| self.pattern(ty))),
            _ => Type::Any,
        }
    }
}

/// Returns the aliases of an item for the search of rustdoc.
fn aliases(item: &Value) -> Vec<String> {
    let attrs = item["attrs"].as_array().into_iter().flatten().filter_map(|attr| attr["other"].as_str());
    let aliases = attrs.filter(|attr| attr.starts_with("#[doc(alias"));
    aliases.flat_map(|attr| attr.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn is_hidden(item: &Value) -> bool {
    let mut attrs = item["attrs"].as_array().into_iter().flatten();
    attrs.any(|attr| attr["other"] == "#[doc(hidden)]")
}

/// Returns the names of the calls in the lines of a case that a compiler's message quotes.
pub fn quoted_calls(message: &str) -> BTreeSet<&str> {
    let (mut names, mut of_the_case) = (BTreeSet::new(), false);
    for line in message.lines() {
        if let Some(place) = ["--> ", "::: "].iter().find_map(|arrow| line.trim_start().strip_prefix(arrow)) {
            of_the_case = place.starts_with("tests/ui/");
        }
        let Some(mut rest) = line.strip_prefix("LL |").filter(|_| of_the_case) else { continue };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        while let Some(start) = rest.find(is_word) {
            let word = &rest[start..];
            let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
            if after.starts_with('(') || after.starts_with("::<") {
                names.insert(word);
            }
            rest = after;
        }
    }
    names
}

#[test]
fn calls_are_read() {
    let message = "error: call `.no(&cta)`\n  --> tests/ui/a.rs:1:2\nLL |     a.one(two(3), no).three::<4>();\n   | ^ no(\n\
                   LL +  no()\nnote: method\n  --> src/a.rs:LL:CC\nLL |   pub fn no(no: u32)\n";
    assert_eq!(quoted_calls(message), BTreeSet::from(["one", "three", "two"]));
}
