//! Which type implements which trait of the typed layer: what operation exists on what element, what a state may do. Of the
//! traits of the language, those by which a handle could be doubled, made or sent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// By which a value comes from nothing or from another, or goes where its owner is not.
const OF_THE_LANGUAGE: [&str; 12] = [
    "AsMut", "AsRef", "Borrow", "Clone", "Copy", "Default", "Deref", "DerefMut", "From", "Into", "Send",
    "Sync",
];

/// A text of each module that defines a trait: each trait and, in a line each, the types; of the language's in `std`.
pub fn by_module(json: &Value) -> BTreeMap<String, String> {
    let mut modules: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    let index = json["index"].as_object().expect("an index");
    for block in index.values().filter_map(|item| item["inner"].get("impl")) {
        let implemented = &block["trait"];
        if implemented.is_null() || !block["blanket_impl"].is_null() || block["is_negative"] == true {
            continue;
        }
        let (id, owner) = (&implemented["id"], &block["for"]["resolved_path"]["id"]);
        let name = last(implemented["path"].as_str().expect("a path"));
        let module = match module(json, id) {
            Some("raw" | "qualifier") => continue,
            Some(module) => module,
            // Tags are values that say nothing but which they are.
            None if matches!(module(json, owner), None | Some("raw" | "qualifier")) => continue,
            None if OF_THE_LANGUAGE.contains(&name) => "std",
            None => continue,
        };
        let name = format!("{name}{}", args(&implemented["args"]));
        modules.entry(module.into()).or_default().entry(name).or_default().insert(shown(&block["for"]));
    }
    let text = |traits: BTreeMap<String, BTreeSet<String>>| {
        let mut text = String::new();
        for (name, types) in traits {
            text += &format!("{name}\n");
            types.iter().for_each(|ty| text += &format!("    {ty}\n"));
        }
        text
    };
    modules.into_iter().map(|(module, traits)| (module, text(traits))).collect()
}

/// The public fields of the structs of the typed layer, by which a value could be made or changed by hand.
pub fn public_fields(json: &Value) -> BTreeSet<String> {
    let index = json["index"].as_object().expect("an index");
    let of_the_layer = |item: &&Value| !matches!(module(json, &item["id"]), None | Some("raw" | "qualifier"));
    let structs = index.values().filter(|item| item["inner"].get("struct").is_some()).filter(of_the_layer);
    structs
        .flat_map(|item| {
            let kind = &item["inner"]["struct"]["kind"];
            let fields = [&kind["tuple"], &kind["plain"]["fields"]].into_iter().filter_map(Value::as_array);
            let public = fields.flatten().map(|id| &json["index"][id.to_string()]);
            let public = public.filter(|field| field["visibility"] == "public");
            public.map(|field| {
                format!(
                    "{}.{}",
                    item["name"].as_str().unwrap_or_default(),
                    field["name"].as_str().unwrap_or_default()
                )
            })
        })
        .collect()
}

/// The module of this crate that an item is in.
fn module<'a>(json: &'a Value, id: &Value) -> Option<&'a str> {
    let path = &json["paths"][id.to_string()];
    (path["crate_id"] == 0).then(|| path["path"][1].as_str()).flatten()
}

pub fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// A type as it is written, without lifetimes and the modules of paths.
pub fn shown(ty: &Value) -> String {
    let Some((kind, inner)) = ty.as_object().and_then(|ty| ty.iter().next()) else {
        return ty.as_str().unwrap_or_default().into();
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "resolved_path" => format!("{}{}", last(&text(&inner["path"])), args(&inner["args"])),
        "generic" | "primitive" => text(inner),
        "tuple" => format!("({})", list(inner, shown)),
        "array" => format!("[{}; {}]", shown(&inner["type"]), text(&inner["len"])),
        "slice" => format!("[{}]", shown(inner)),
        "borrowed_ref" if inner["is_mutable"] == true => format!("&mut {}", shown(&inner["type"])),
        "borrowed_ref" => format!("&{}", shown(&inner["type"])),
        "raw_pointer" if inner["is_mutable"] == true => format!("*mut {}", shown(&inner["type"])),
        "raw_pointer" => format!("*const {}", shown(&inner["type"])),
        "qualified_path" => format!("{}::{}", shown(&inner["self_type"]), text(&inner["name"])),
        "impl_trait" => format!("impl {}", list(inner, bound).replace(", ", " + ")),
        other => panic!("a type of another kind: {other}"),
    }
}

/// A bound, none of one that is a lifetime.
pub fn bound(bound: &Value) -> String {
    let of = &bound["trait_bound"]["trait"];
    format!("{}{}", last(of["path"].as_str().unwrap_or_default()), args(&of["args"]))
}

fn args(args: &Value) -> String {
    if let Some(closure) = args.get("parenthesized") {
        let output = match &closure["output"] {
            Value::Null => String::new(),
            output => format!(" -> {}", shown(output)),
        };
        return format!("({}){output}", list(&closure["inputs"], shown));
    }
    let shown = list(&args["angle_bracketed"]["args"], |arg| match arg.get("type") {
        Some(ty) => shown(ty),
        None => arg["const"]["expr"].as_str().unwrap_or_default().into(),
    });
    if shown.is_empty() { shown } else { format!("<{shown}>") }
}

/// Those that have a text, which lifetimes have not.
fn list(values: &Value, text: impl Fn(&Value) -> String) -> String {
    let texts = values.as_array().into_iter().flatten().map(text);
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
}
