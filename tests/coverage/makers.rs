//! The safe ways to make a value of the typed layer: functions and methods (of types and of public traits, hidden or not) that
//! return such a value or pass it to a closure; constants; variants. Also the ways for a user's crate to interfere: a trait that
//! the crate could implement, or a field for a value of its own type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::shown::{Shown, last};

/// The options with lifetimes, because a handle's lifetime is its brand.
const SHOWN: Shown = Shown { lifetimes: true };

/// Modules whose types are plain data.
const PLAIN: [&str; 3] = ["mask", "qualifier", "raw"];
/// Traits of values that are plain data.
const PLAIN_VALUE: [&str; 3] = ["AtomicValue", "Element", "MulticastValue"];

/// Returns a text for each module: everything that makes a value, by name and signature, one per line.
pub fn by_module(json: &Value) -> BTreeMap<String, String> {
    let docs = Docs::new(json);
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |item: &Value, line: String| {
        modules.entry(module(item).into()).or_default().insert(line);
    };
    for item in docs.functions() {
        if docs.makes(item, &[], false) {
            add(item, docs.function("", item, None));
        }
    }
    for (block, item) in docs.methods() {
        let of_a_handle = docs.mentions_handle(&block["for"]);
        if docs.makes(item, &[&block["generics"]], of_a_handle) {
            add(
                item,
                docs.function(&format!("{}::", SHOWN.ty(&block["for"])), item, Some(&block["generics"])),
            );
        }
    }
    for (of, item) in docs.methods_of_traits() {
        if docs.makes_of_trait(of, item) {
            add(item, docs.function(&format!("trait {}::", name(of)), item, None));
        }
    }
    for item in docs.public() {
        for kind in ["constant", "assoc_const", "static"] {
            let ty = &item["inner"][kind]["type"];
            if docs.mentions_handle(ty) {
                add(item, format!("const {}: {}", name(item), SHOWN.ty(ty)));
            }
        }
        // A variant makes a value of its enum from its fields.
        for id in item["inner"]["enum"]["variants"].as_array().into_iter().flatten() {
            if !PLAIN.contains(&module(item)) {
                add(item, format!("enum {}::{}", name(item), docs.variant(id)));
            }
        }
        if item["inner"]["struct"]["kind"] == "unit" && !PLAIN.contains(&module(item)) {
            add(item, format!("struct {}", name(item)));
        }
    }
    let text = |lines: BTreeSet<String>| lines.into_iter().map(|line| line + "\n").collect();
    modules.into_iter().map(|(module, lines)| (module, text(lines))).collect()
}

/// Returns the methods of public traits that make a value of the typed layer in safe code, without a token of this crate.
pub fn without_token(json: &Value) -> BTreeSet<String> {
    let docs = Docs::new(json);
    let methods = docs.methods_of_traits().filter(|(of, item)| docs.makes_of_trait(of, item));
    let has_token = |item: &Value| {
        let inputs = item["inner"]["function"]["sig"]["inputs"].as_array().expect("inputs");
        inputs.iter().any(|input| {
            ["Token", "Passed"]
                .contains(&last(input[1]["resolved_path"]["path"].as_str().unwrap_or_default()))
        })
    };
    let without = methods.filter(|(_, item)| !has_token(item));
    without.map(|(of, item)| format!("{}::{}::{}", module(of), name(of), name(item))).collect()
}

/// Returns the public traits that another crate could implement without `unsafe`: traits that are not sealed, and traits with a
/// parameter for which the crate could use its own type, which the orphan rule allows for any `Self`.
pub fn open_traits(json: &Value) -> BTreeSet<String> {
    let docs = Docs::new(json);
    let is_closed = |of: &Value| {
        let inner = &of["inner"]["trait"];
        let params = inner["generics"]["params"].as_array().expect("parameters");
        let mut types = params.iter().map(|param| &param["kind"]["type"]).filter(|ty| !ty.is_null());
        docs.is_sealed(&inner["bounds"]) && types.all(|ty| docs.is_sealed(&ty["bounds"]))
    };
    let open = docs.traits().filter(|of| of["inner"]["trait"]["is_unsafe"] != true && !is_closed(of));
    // `Sealed` itself is in a private module, where no other crate can name it.
    let open = open.filter(|of| name(of) != "Sealed");
    open.map(|of| format!("{}::{}", module(of), name(of))).collect()
}

/// Returns the fields that hold a value of a type parameter, with the bounds of the parameters.
pub fn holders(json: &Value) -> String {
    let docs = Docs::new(json);
    let mut lines = BTreeSet::new();
    for item in docs.index().filter(|item| item["inner"].get("struct").is_some()) {
        let kind = &item["inner"]["struct"]["kind"];
        let generics = &item["inner"]["struct"]["generics"];
        let fields = [&kind["tuple"], &kind["plain"]["fields"]].into_iter().filter_map(Value::as_array);
        let fields = fields.filter(|_| !PLAIN.contains(&module(item)));
        for field in fields.flatten().map(|id| docs.item(id)) {
            let ty = &field["inner"]["struct_field"];
            if docs.holds_parameter(ty) {
                let owner = format!("{}::{}{}", module(item), name(item), SHOWN.parameters(generics));
                lines.insert(format!("{owner}.{}: {}\n", name(field), SHOWN.ty(ty)));
            }
        }
    }
    lines.into_iter().collect()
}

fn name(item: &Value) -> &str {
    item["name"].as_str().unwrap_or_default()
}

/// Returns the module that contains the source of an item.
fn module(item: &Value) -> &str {
    let file = item["span"]["filename"].as_str().unwrap_or_default();
    // What `build.rs` writes belongs to the raw layer.
    let file = file.rsplit_once("src/").map_or("raw", |(_, file)| file).trim_end_matches(".rs");
    file.split('/').next().unwrap_or_default()
}

#[derive(Clone, Copy)]
struct Docs<'a>(&'a Value);

impl<'a> Docs<'a> {
    fn new(json: &'a Value) -> Self {
        let docs = Docs(json);
        assert!(
            docs.traits().count() > 50 && docs.methods().count() > 300,
            "rustdoc's JSON has an unexpected format"
        );
        docs
    }

    fn item(self, id: &Value) -> &'a Value {
        &self.0["index"][id.to_string()]
    }

    /// Returns every item of the crate, public or not.
    fn index(self) -> impl Iterator<Item = &'a Value> {
        let items = self.0["index"].as_object().expect("an index").values();
        items.filter(|item| item["crate_id"] == 0)
    }

    /// Returns the items declared `pub`, even if their module is private.
    fn public(self) -> impl Iterator<Item = &'a Value> {
        self.index().filter(|item| item["visibility"] == "public")
    }

    fn traits(self) -> impl Iterator<Item = &'a Value> {
        self.public().filter(|item| item["inner"].get("trait").is_some())
    }

    /// Returns the public functions that are not methods.
    fn functions(self) -> impl Iterator<Item = &'a Value> {
        let methods: BTreeSet<String> = self.methods().map(|(_, item)| item["id"].to_string()).collect();
        self.public()
            .filter(|item| item["inner"].get("function").is_some())
            .filter(move |item| !methods.contains(&item["id"].to_string()))
    }

    /// Returns the public methods, each with its `impl`.
    fn methods(self) -> impl Iterator<Item = (&'a Value, &'a Value)> {
        let blocks = self.index().filter_map(|item| item["inner"].get("impl"));
        let inherent = blocks.filter(|block| block["trait"].is_null());
        inherent
            .flat_map(move |block| self.of_list(&block["items"]).map(move |item| (block, item)))
            .filter(|(_, item)| item["inner"].get("function").is_some() && item["visibility"] == "public")
    }

    /// Returns the methods of public traits, each with its trait.
    fn methods_of_traits(self) -> impl Iterator<Item = (&'a Value, &'a Value)> {
        let methods = self
            .traits()
            .flat_map(move |of| self.of_list(&of["inner"]["trait"]["items"]).map(move |item| (of, item)));
        methods.filter(|(_, item)| item["inner"].get("function").is_some())
    }

    fn of_list(self, ids: &'a Value) -> impl Iterator<Item = &'a Value> {
        ids.as_array().into_iter().flatten().map(move |id| self.item(id))
    }

    /// Returns true if a safe function returns a value that is not plain data, or passes such a value to a closure. `of_a_handle`
    /// says whether `Self` is a handle.
    fn makes(self, item: &Value, around: &[&Value], of_a_handle: bool) -> bool {
        let function = &item["inner"]["function"];
        if function["header"]["is_unsafe"] == true {
            return false;
        }
        let mut generics = vec![&function["generics"]];
        generics.extend(around);
        let plain = self.plain_parameters(&generics, of_a_handle);
        let mut made = vec![&function["sig"]["output"]];
        let mut bounds = Vec::new();
        find(&function["sig"]["inputs"], "parenthesized", &mut bounds);
        generics.iter().for_each(|generics| find(generics, "parenthesized", &mut bounds));
        made.extend(bounds.into_iter().map(|closure| &closure["inputs"]));
        made.into_iter().any(|ty| self.is_made(ty, &plain))
    }

    fn makes_of_trait(self, of: &Value, item: &Value) -> bool {
        let is_plain = self.is_plain(&of["inner"]["trait"]["bounds"]) || PLAIN_VALUE.contains(&name(of));
        !PLAIN.contains(&module(of)) && self.makes(item, &[&of["inner"]["trait"]["generics"]], !is_plain)
    }

    /// Returns the type parameters that stand for plain data.
    fn plain_parameters(self, generics: &[&Value], of_a_handle: bool) -> BTreeSet<String> {
        let mut plain: BTreeSet<String> = BTreeSet::new();
        for generics in generics {
            for param in generics["params"].as_array().into_iter().flatten() {
                if self.is_plain(&param["kind"]["type"]["bounds"]) {
                    plain.insert(name(param).into());
                }
            }
            for predicate in generics["where_predicates"].as_array().into_iter().flatten() {
                let bound = &predicate["bound_predicate"];
                if let (Some(of), true) = (bound["type"]["generic"].as_str(), self.is_plain(&bound["bounds"]))
                {
                    plain.insert(of.into());
                }
            }
        }
        if !of_a_handle {
            plain.insert("Self".into());
        }
        plain
    }

    /// Returns true if a part of a returned type is not plain data: a type of the crate, or a type parameter.
    fn is_made(self, ty: &Value, plain: &BTreeSet<String>) -> bool {
        if ty.get("raw_pointer").is_some() {
            return false;
        }
        if let Some(of) = ty["generic"].as_str() {
            return !plain.contains(of);
        }
        if let Some(path) = ty.get("qualified_path") {
            return self.is_made(&path["self_type"], plain);
        }
        ty.get("resolved_path").is_some_and(|path| self.is_handle(path))
            || match ty {
                Value::Array(parts) => parts.iter().any(|part| self.is_made(part, plain)),
                Value::Object(parts) => parts.values().any(|part| self.is_made(part, plain)),
                _ => false,
            }
    }

    fn mentions_handle(self, ty: &Value) -> bool {
        self.is_made(ty, &BTreeSet::from(["Self".into()]))
    }

    /// Returns true if a path names a type of the crate that is not plain data.
    fn is_handle(self, path: &Value) -> bool {
        let item = self.item(&path["id"]);
        let is_type =
            ["struct", "enum", "type_alias", "union"].iter().any(|kind| item["inner"].get(kind).is_some());
        is_type && item["crate_id"] == 0 && !PLAIN.contains(&module(item))
    }

    /// Returns true if the bounds, or the bounds that they imply, include one of these names.
    fn implies(self, bounds: &Value, names: &[&str]) -> bool {
        let bounds = bounds.as_array().into_iter().flatten().map(|bound| &bound["trait_bound"]["trait"]);
        bounds.filter(|of| !of.is_null()).any(|of| {
            names.contains(&last(of["path"].as_str().unwrap_or_default()))
                || self.implies(&self.item(&of["id"])["inner"]["trait"]["bounds"], names)
        })
    }

    fn is_plain(self, bounds: &Value) -> bool {
        self.implies(bounds, &PLAIN_VALUE)
    }

    fn is_sealed(self, bounds: &Value) -> bool {
        self.implies(bounds, &["Sealed"])
    }

    /// Returns true if a value of the type contains a value of a type parameter. Types of the crate are not searched: their own
    /// fields are listed.
    fn holds_parameter(self, ty: &Value) -> bool {
        if let Some(path) = ty.get("resolved_path") {
            let name = last(path["path"].as_str().unwrap_or_default());
            let is_foreign = self.item(&path["id"]).is_null() || self.item(&path["id"])["crate_id"] != 0;
            return name != "PhantomData" && is_foreign && self.holds_parameter(&path["args"]);
        }
        if ty.get("raw_pointer").is_some() || ty.get("function_pointer").is_some() {
            return false;
        }
        ty["generic"].is_string()
            || ty.get("qualified_path").is_some()
            || match ty {
                Value::Array(parts) => parts.iter().any(|part| self.holds_parameter(part)),
                Value::Object(parts) => parts.values().any(|part| self.holds_parameter(part)),
                _ => false,
            }
    }

    fn function(self, owner: &str, item: &Value, around: Option<&Value>) -> String {
        let function = &item["inner"]["function"];
        let inputs = function["sig"]["inputs"].as_array().expect("inputs").iter().map(|input| {
            let ty = SHOWN.ty(&input[1]);
            match (input[0].as_str().unwrap_or_default(), &*ty) {
                ("self", "Self") => "self".into(),
                ("self", ty) => ty.replace("Self", "self"),
                (name, ty) => format!("{}: {ty}", name.trim_start_matches('_')),
            }
        });
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        let output = match &function["sig"]["output"] {
            Value::Null => String::new(),
            output => format!(" -> {}", SHOWN.ty(output)),
        };
        let mut bounds = Vec::new();
        if let Some(generics) = around {
            bounds.extend(SHOWN.conditions(generics));
        }
        bounds.extend(SHOWN.predicates(&function["generics"]));
        let bounds = if bounds.is_empty() { String::new() } else { format!(" where {}", bounds.join(", ")) };
        format!("{owner}{}{}({inputs}){output}{bounds}", name(item), SHOWN.parameters(&function["generics"]))
    }

    fn variant(self, id: &Value) -> String {
        let item = self.item(id);
        let kind = &item["inner"]["variant"]["kind"];
        let fields =
            [&kind["tuple"], &kind["struct"]["fields"]].into_iter().filter_map(Value::as_array).flatten();
        let fields: Vec<_> = fields.map(|id| SHOWN.ty(&self.item(id)["inner"]["struct_field"])).collect();
        format!("{}({})", name(item), fields.join(", "))
    }
}

/// Collects the values of a key at any depth.
fn find<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| find(value, key, found)),
        Value::Object(values) => {
            for (name, value) in values {
                if name == key {
                    found.push(value);
                }
                find(value, key, found);
            }
        }
        _ => {}
    }
}
