//! A small document that fits a schema.
//!
//! [`instance`] walks the schema, takes what is least everywhere, and holds the result against the
//! whole schema: what it gives is valid, or it gives nothing. It does not search: where the least is
//! not valid it tries the next choices a few times and then says so.

mod number;
mod pattern;
mod text;

use consign_contracts::{
    json,
    schema::{Schema, SchemaError},
};
use serde_json::{Map, Value, json};

/// How deep a document may become, for schemas that contain themselves.
const MOST_DEPTH: usize = 32;
/// How many values a document may have.
const MOST_VALUES: usize = 20_000;
/// How large a schema may be.
const MOST_BYTES: usize = 1 << 20;
/// How often other choices are tried.
const TRIES: usize = 4;

/// The smallest document that the schema is happy with.
pub(super) fn instance(schema: &Value) -> Result<Value, String> {
    let text = schema.to_string();
    if text.len() > MOST_BYTES {
        return Err(format!("it has more than {MOST_BYTES} bytes"));
    }
    let source = json::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let compiled = Schema::compile(&source).map_err(|error: SchemaError| error.to_string())?;
    let mut why = "it allows nothing".to_owned();
    for choice in 0..TRIES {
        let mut walk = Walk { root: schema, choice, values: 0 };
        let value = match walk.value(schema, 0, 0) {
            Ok(value) => value,
            Err(told) => {
                why = told;
                continue;
            }
        };
        let written = value.to_string();
        let document = json::parse(written.as_bytes()).map_err(|error| error.to_string())?;
        match compiled.check(&document).breaches.first() {
            None => return Ok(value),
            Some(breach) => why = format!("the nearest that was found breaks it: {breach}"),
        }
    }
    Err(why)
}

struct Walk<'a> {
    root: &'a Value,
    /// Which of several choices is taken.
    choice: usize,
    values: usize,
}

impl<'a> Walk<'a> {
    /// `vary` tells values apart that must not be the same.
    fn value(&mut self, schema: &Value, depth: usize, vary: usize) -> Result<Value, String> {
        self.step(depth)?;
        if *schema == Value::Bool(true) {
            return Ok(json!("text"));
        }
        let Value::Object(members) = schema else {
            return Err("it allows nothing somewhere".to_owned());
        };
        let members = &self.merged(members, depth)?;
        if let Some(value) = members.get("const") {
            return Ok(value.clone());
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            let place = (self.choice + vary) % values.len().max(1);
            return values.get(place).cloned().ok_or_else(|| "an `enum` is empty".to_owned());
        }
        match self.kind(members) {
            "object" => self.object(members, depth, vary),
            "array" => self.array(members, depth, vary),
            "integer" => number::integer(members, vary),
            "number" => number::number(members, vary),
            "boolean" => Ok(Value::Bool((self.choice + vary) % 2 == 1)),
            "null" => Ok(Value::Null),
            _ => text::text(members, vary).map(Value::from),
        }
    }

    /// Counts what is looked at: small schemas can ask for a lot.
    fn step(&mut self, depth: usize) -> Result<(), String> {
        self.values += 1;
        if depth > MOST_DEPTH || self.values > MOST_VALUES {
            return Err("it asks for a document that is too large".to_owned());
        }
        Ok(())
    }

    /// A schema with all that it refers to, all of `allOf`, and one of its choices.
    fn merged(
        &mut self,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Result<Map<String, Value>, String> {
        self.step(depth)?;
        let mut merged = members.clone();
        if let Some(Value::String(target)) = merged.remove("$ref") {
            let root: &'a Value = self.root;
            let found = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
            let Some(Value::Object(found)) = found else {
                return Err(format!("the reference {target} leads nowhere"));
            };
            add(&mut merged, self.merged(found, depth + 1)?);
        }
        if let Some(Value::Array(all)) = merged.remove("allOf") {
            for part in all.iter().filter_map(Value::as_object) {
                add(&mut merged, self.merged(part, depth + 1)?);
            }
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = merged.remove(word) {
                let place = self.choice % choices.len().max(1);
                if let Some(Value::Object(part)) = choices.get(place) {
                    add(&mut merged, self.merged(part, depth + 1)?);
                }
            }
        }
        Ok(merged)
    }

    fn kind<'m>(&self, members: &'m Map<String, Value>) -> &'m str {
        match members.get("type") {
            Some(Value::String(kind)) => kind,
            Some(Value::Array(kinds)) => {
                let place = self.choice % kinds.len().max(1);
                kinds.get(place).and_then(Value::as_str).unwrap_or_default()
            }
            _ => {
                let has = |words: &[&str]| words.iter().any(|word| members.contains_key(*word));
                if has(&["properties", "required", "additionalProperties", "minProperties"]) {
                    "object"
                } else if has(&["items", "prefixItems", "minItems", "contains"]) {
                    "array"
                } else if has(&["minimum", "maximum", "multipleOf", "exclusiveMinimum"]) {
                    "number"
                } else {
                    "string"
                }
            }
        }
    }

    fn object(
        &mut self,
        members: &Map<String, Value>,
        depth: usize,
        vary: usize,
    ) -> Result<Value, String> {
        let none = Map::new();
        let properties = members.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = members.get("required").and_then(Value::as_array);
        let mut names: Vec<String> = Vec::new();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        let least = count(members, "minProperties")?;
        let optional: Vec<String> =
            properties.keys().filter(|name| !names.contains(name)).cloned().collect();
        let made = (1..).map(|number| format!("key{number}"));
        for name in optional.into_iter().chain(made) {
            if names.len() >= least {
                break;
            }
            names.push(name);
        }
        let mut object = Map::new();
        for name in names {
            let other = members.get("additionalProperties").unwrap_or(&Value::Bool(true));
            let schema = properties.get(&name).unwrap_or(other);
            object.insert(name, self.value(schema, depth + 1, vary)?);
        }
        Ok(object.into())
    }

    fn array(
        &mut self,
        members: &Map<String, Value>,
        depth: usize,
        vary: usize,
    ) -> Result<Value, String> {
        let first = match (members.get("prefixItems"), members.get("items")) {
            (Some(Value::Array(first)), _) | (None, Some(Value::Array(first))) => first.as_slice(),
            _ => &[],
        };
        let rest = match members.get("items") {
            Some(schema) if !schema.is_array() => schema.clone(),
            _ => members.get("additionalItems").cloned().unwrap_or(Value::Bool(true)),
        };
        let mut array = Vec::new();
        if let Some(wanted) = members.get("contains") {
            let least =
                members.get("minContains").map_or(Ok(1), |_| count(members, "minContains"))?;
            for place in 0..least {
                array.push(self.value(wanted, depth + 1, vary + place)?);
            }
        }
        let least = count(members, "minItems")?;
        for place in array.len()..least {
            let schema = first.get(place).unwrap_or(&rest);
            array.push(self.value(schema, depth + 1, vary + place)?);
        }
        Ok(array.into())
    }
}

/// A count of a schema, if it is one that can be met.
fn count(members: &Map<String, Value>, word: &str) -> Result<usize, String> {
    let Some(value) = members.get(word) else { return Ok(0) };
    let count = value.as_u64().or_else(|| {
        // JSON Schema takes 2.0 for 2.
        value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0).map(|it| it as u64)
    });
    count
        .and_then(|count| usize::try_from(count).ok())
        .filter(|count| *count <= MOST_VALUES)
        .ok_or_else(|| format!("`{word}` asks for too much"))
}

/// Adds the rules of another schema. Properties and what is required are joined; of other words the
/// first one counts, and the last check finds out whether that was right.
fn add(to: &mut Map<String, Value>, from: Map<String, Value>) {
    for (word, value) in from {
        match (to.get_mut(&word), value) {
            (Some(Value::Object(known)), Value::Object(more)) if word == "properties" => {
                for (name, schema) in more {
                    known.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if word == "required" => {
                known.extend(more);
            }
            (Some(_), _) => {}
            (None, value) => {
                to.insert(word, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
