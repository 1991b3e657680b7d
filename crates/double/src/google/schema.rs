//! Google's older form of schemas, made into JSON Schema: types in capitals, `nullable`, and words
//! of its own.

use serde_json::{Value, json};

/// The schema as JSON Schema.
pub(super) fn plain(schema: Value) -> Value {
    let Value::Object(members) = schema else { return schema };
    let mut plain = serde_json::Map::new();
    let mut nullable = false;
    for (name, value) in members {
        match (name.as_str(), value) {
            ("type", Value::String(kind)) => {
                plain.insert(name, kind.to_ascii_lowercase().into());
            }
            ("nullable", value) => nullable = value == Value::Bool(true),
            // Order and names for people mean nothing to a validator; `enum` is no format.
            ("propertyOrdering" | "property_ordering", _) => {}
            ("format", Value::String(format)) if format == "enum" => {}
            ("properties", Value::Object(properties)) => {
                let properties: serde_json::Map<_, _> =
                    properties.into_iter().map(|(name, its)| (name, self::plain(its))).collect();
                plain.insert(name, properties.into());
            }
            ("items", value) => {
                plain.insert(name, self::plain(value));
            }
            ("anyOf" | "any_of", Value::Array(choices)) => {
                let choices: Vec<Value> = choices.into_iter().map(self::plain).collect();
                plain.insert("anyOf".to_owned(), choices.into());
            }
            // Counts are 64 bits wide, and so in quotes.
            (
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties"
                | "maxProperties" | "min_items" | "max_items" | "min_length" | "max_length",
                value,
            ) => {
                let count = value.as_str().and_then(|text| text.parse::<u64>().ok());
                plain.insert(camel(&name), count.map_or(value, Value::from));
            }
            (_, value) => {
                plain.insert(name, value);
            }
        }
    }
    if nullable {
        match plain.remove("type") {
            Some(kind) => plain.insert("type".to_owned(), json!([kind, "null"])),
            None => None,
        };
        if let Some(Value::Array(words)) = plain.get_mut("enum") {
            words.push(Value::Null);
        }
    }
    Value::Object(plain)
}

/// `max_items` is `maxItems`.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut capital = false;
    for letter in name.chars() {
        match letter {
            '_' if !camel.is_empty() => capital = true,
            letter if capital => {
                camel.push(letter.to_ascii_uppercase());
                capital = false;
            }
            letter => camel.push(letter),
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_in_googles_form_become_json_schemas() {
        let check = |given: Value, expected: Value| assert_eq!(plain(given), expected);
        check(
            json!({"type": "STRING", "format": "enum", "enum": ["A"]}),
            json!({"type": "string", "enum": ["A"]}),
        );
        check(json!({"type": "INTEGER", "nullable": true}), json!({"type": ["integer", "null"]}));
        check(
            json!({"type": "OBJECT", "properties": {"type": {"type": "ARRAY", "minItems": "2",
                "items": {"type": "NUMBER"}}}, "propertyOrdering": ["type"]}),
            json!({"type": "object", "properties": {"type": {"type": "array", "minItems": 2,
                "items": {"type": "number"}}}}),
        );
    }
}
