//! Formats types, bounds and parameters of rustdoc's JSON as in source code, without the modules of paths.

use serde_json::Value;

/// Formatting options.
#[derive(Clone, Copy)]
pub struct Shown {
    pub lifetimes: bool,
}

/// Returns the last part of a path.
pub fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Shown {
    pub fn ty(self, ty: &Value) -> String {
        let Some((kind, inner)) = ty.as_object().and_then(|ty| ty.iter().next()) else {
            return text(ty).into();
        };
        match kind.as_str() {
            "resolved_path" => self.path(inner),
            "generic" | "primitive" => text(inner).into(),
            "tuple" => format!("({})", self.types(inner)),
            "array" => format!("[{}; {}]", self.ty(&inner["type"]), text(&inner["len"])),
            "slice" => format!("[{}]", self.ty(inner)),
            "borrowed_ref" => {
                let lifetime = self.lifetime(&inner["lifetime"]);
                let space = if lifetime.is_empty() { "" } else { " " };
                let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
                format!("&{lifetime}{space}{mutable}{}", self.ty(&inner["type"]))
            }
            "raw_pointer" if inner["is_mutable"] == true => format!("*mut {}", self.ty(&inner["type"])),
            "raw_pointer" => format!("*const {}", self.ty(&inner["type"])),
            "qualified_path" => format!(
                "{}::{}{}",
                self.ty(&inner["self_type"]),
                text(&inner["name"]),
                self.args(&inner["args"])
            ),
            "impl_trait" => format!("impl {}", self.bounds(inner)),
            "function_pointer" => {
                let signature = &inner["sig"];
                let inputs = signature["inputs"].as_array().into_iter().flatten();
                let inputs = joined(inputs.map(|input| self.ty(&input[1])), ", ");
                let output = match &signature["output"] {
                    Value::Null => String::new(),
                    output => format!(" -> {}", self.ty(output)),
                };
                format!("fn({inputs}){output}")
            }
            other => panic!("a kind of type that this test does not know: {other}"),
        }
    }

    fn lifetime(self, lifetime: &Value) -> String {
        if self.lifetimes { text(lifetime).into() } else { String::new() }
    }

    /// Formats the name with its angle brackets, or with the arguments and the result of a closure.
    fn path(self, path: &Value) -> String {
        let name = last(text(&path["path"]));
        if let Some(closure) = path["args"].get("parenthesized") {
            let output = match &closure["output"] {
                Value::Null => String::new(),
                output => format!(" -> {}", self.ty(output)),
            };
            return format!("{name}({}){output}", self.types(&closure["inputs"]));
        }
        format!("{name}{}", self.args(&path["args"]))
    }

    pub fn args(self, args: &Value) -> String {
        let args = &args["angle_bracketed"];
        let listed = args["args"].as_array().into_iter().flatten().map(|arg| match arg.get("type") {
            Some(ty) => self.ty(ty),
            None if arg.get("lifetime").is_some() => self.lifetime(&arg["lifetime"]),
            None => text(&arg["const"]["expr"]).into(),
        });
        let constraints = args["constraints"].as_array().into_iter().flatten().map(|constraint| {
            format!("{} = {}", text(&constraint["name"]), self.ty(&constraint["binding"]["equality"]["type"]))
        });
        in_brackets(listed.chain(constraints))
    }

    fn types(self, types: &Value) -> String {
        joined(types.as_array().into_iter().flatten().map(|ty| self.ty(ty)), ", ")
    }

    fn bounds(self, bounds: &Value) -> String {
        let bounds = bounds.as_array().into_iter().flatten().map(|bound| {
            let Some(bound) = bound.get("trait_bound") else { return self.lifetime(&bound["outlives"]) };
            let of_any = joined(self.parameters_of(&bound["generic_params"]), ", ");
            let of_any = if of_any.is_empty() { of_any } else { format!("for<{of_any}> ") };
            of_any + &self.path(&bound["trait"])
        });
        joined(bounds, " + ")
    }

    fn with_bounds(self, name: &str, bounds: &Value) -> String {
        let bounds = self.bounds(bounds);
        if bounds.is_empty() { name.to_owned() } else { format!("{name}: {bounds}") }
    }

    /// Formats the parameters with their bounds, without the parameters that stand for an `impl Trait`.
    fn parameters_of(self, params: &Value) -> impl Iterator<Item = String> {
        params.as_array().into_iter().flatten().map(move |param| {
            let (name, kind) = (text(&param["name"]), &param["kind"]);
            match &kind["type"] {
                ty if ty["is_synthetic"] == true => String::new(),
                Value::Null if kind.get("lifetime").is_some() => self.lifetime(&param["name"]),
                ty => self.with_bounds(name, &ty["bounds"]),
            }
        })
    }

    /// Formats parameters such as `<T: Element, N>`.
    pub fn parameters(self, generics: &Value) -> String {
        in_brackets(self.parameters_of(&generics["params"]))
    }

    /// Formats the requirements on the parameters of an `impl`: bounds, and the `where` clause.
    pub fn conditions(self, generics: &Value) -> Vec<String> {
        let mut conditions: Vec<_> =
            self.parameters_of(&generics["params"]).filter(|param| param.contains(": ")).collect();
        conditions.extend(self.predicates(generics));
        conditions
    }

    /// Formats the predicates of the `where` clause.
    pub fn predicates(self, generics: &Value) -> impl Iterator<Item = String> {
        let predicates = generics["where_predicates"].as_array().into_iter().flatten();
        let bounds =
            predicates.map(|predicate| &predicate["bound_predicate"]).filter(|bound| !bound.is_null());
        bounds.map(move |bound| self.with_bounds(&self.ty(&bound["type"]), &bound["bounds"]))
    }
}

/// Joins the texts that are not empty. Lifetimes may have an empty text.
fn joined(texts: impl Iterator<Item = String>, between: &str) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(between)
}

fn in_brackets(texts: impl Iterator<Item = String>) -> String {
    let texts = joined(texts, ", ");
    if texts.is_empty() { texts } else { format!("<{texts}>") }
}
