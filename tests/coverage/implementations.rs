//! The types that implement each trait of the typed layer, which decide the operations on an element or in a state. Of the traits
//! of the language, the list has only those through which code could copy, make or send a handle.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::shown::{Shown, last};

const SHOWN: Shown = Shown { lifetimes: false };

/// Traits that make a value from nothing or from another value, or give access to a value away from its owner.
const OF_THE_LANGUAGE: [&str; 19] = [
    "AsMut", "AsRef", "Borrow", "Clone", "Copy", "Default", "Deref", "DerefMut", "Drop", "From", "FromStr",
    "Index", "IndexMut", "Into", "Iterator", "Send", "Sync", "ToOwned", "TryFrom",
];

/// Returns a text per module that defines a trait: each trait and its types, one per line. The language's traits are in `std`.
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
            // Tags are values without content, so they are left out.
            None if matches!(module(json, owner), None | Some("raw" | "qualifier")) => continue,
            None if OF_THE_LANGUAGE.contains(&name) => "std",
            None => continue,
        };
        let name = format!("{name}{}", SHOWN.args(&implemented["args"]));
        modules.entry(module.into()).or_default().entry(name).or_default().insert(SHOWN.ty(&block["for"]));
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

/// Returns the public fields of structs in the typed layer, through which code could make or change a value by hand.
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

/// Returns the module of this crate that contains an item.
fn module<'a>(json: &'a Value, id: &Value) -> Option<&'a str> {
    let path = &json["paths"][id.to_string()];
    (path["crate_id"] == 0).then(|| path["path"][1].as_str()).flatten()
}
