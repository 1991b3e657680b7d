//! The rules of providers for schemas that they enforce.

use serde_json::Value;

/// OpenAI's strict mode: an object at the root, every property required, nothing beside them.
pub(super) fn openai(schema: &Value) -> Result<(), String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("schema must be a JSON Schema of 'type: \"object\"'.".to_owned());
    }
    walk(schema, &mut Vec::new(), &mut |schema, at| {
        const REFUSED: [&str; 7] =
            ["allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];
        if let Some(word) = REFUSED.into_iter().find(|word| schema.contains_key(*word)) {
            return Err(format!("In context={at}, '{word}' is not permitted."));
        }
        if !is_object(schema) {
            return Ok(());
        }
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Err(format!(
                "In context={at}, 'additionalProperties' is required to be supplied and to be false."
            ));
        }
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|names| names.iter().any(|its| its.as_str() == Some(name)))
        };
        match properties(schema).find(|name| !is_required(name)) {
            Some(name) => Err(format!(
                "In context={at}, 'required' is required to be supplied and to be an array including \
                 every key in properties. Missing '{name}'."
            )),
            None => Ok(()),
        }
    })
}

/// Anthropic's structured outputs: closed objects, and no rules about sizes.
pub(super) fn anthropic(schema: &Value) -> Result<(), String> {
    walk(schema, &mut Vec::new(), &mut |schema, _| {
        if is_object(schema) && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            let told = "For 'object' type, 'additionalProperties' must be explicitly set to false";
            return Err(told.to_owned());
        }
        const REFUSED: [(&str, &str); 8] = [
            ("number", "minimum"),
            ("number", "maximum"),
            ("number", "exclusiveMinimum"),
            ("number", "exclusiveMaximum"),
            ("number", "multipleOf"),
            ("string", "minLength"),
            ("string", "maxLength"),
            ("array", "maxItems"),
        ];
        if let Some((kind, word)) = REFUSED.into_iter().find(|(_, word)| schema.contains_key(*word))
        {
            return Err(format!("For '{kind}' type, property '{word}' is not supported"));
        }
        match schema.get("minItems").and_then(Value::as_u64) {
            Some(least) if least > 1 => {
                let told =
                    "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
                Err(told.to_owned())
            }
            _ => Ok(()),
        }
    })
}

fn is_object(schema: &serde_json::Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => schema.contains_key("properties"),
    }
}

fn properties(schema: &serde_json::Map<String, Value>) -> impl Iterator<Item = &String> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys())
}

type Rule<'a> = dyn FnMut(&serde_json::Map<String, Value>, &str) -> Result<(), String> + 'a;

/// Looks at every schema within a schema. Reading the request has bounded its depth.
fn walk(schema: &Value, path: &mut Vec<String>, rule: &mut Rule<'_>) -> Result<(), String> {
    let Value::Object(members) = schema else { return Ok(()) };
    let at = path.iter().map(|part| format!("'{part}'")).collect::<Vec<_>>().join(", ");
    rule(members, &format!("({at})"))?;
    for (word, value) in members {
        match (word.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                for (name, schema) in named {
                    path.extend([word.clone(), name.clone()]);
                    walk(schema, path, rule)?;
                    path.truncate(path.len() - 2);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                for (place, schema) in list.iter().enumerate() {
                    path.extend([word.clone(), place.to_string()]);
                    walk(schema, path, rule)?;
                    path.truncate(path.len() - 2);
                }
            }
            ("items" | "not" | "contains", schema) => {
                path.push(word.clone());
                walk(schema, path, rule)?;
                path.pop();
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn openai_wants_closed_objects_with_everything_required() {
        let check = |schema: Value, says: Option<&str>| match (openai(&schema), says) {
            (Ok(()), None) => {}
            (Err(why), Some(says)) => assert!(why.contains(says), "{why}"),
            (result, _) => panic!("{schema}: {result:?}"),
        };
        let closed = |inner: Value| {
            json!({"type": "object", "properties": {"a": inner}, "required": ["a"],
                "additionalProperties": false})
        };
        check(closed(json!({"type": "string"})), None);
        check(json!({"type": "string"}), Some("'type: \"object\"'"));
        check(
            json!({"type": "object", "properties": {}}),
            Some("context=(), 'additionalProperties'"),
        );
        check(
            closed(json!({"type": "array", "items": {"type": "object", "properties": {}}})),
            Some("context=('properties', 'a', 'items'), 'additionalProperties'"),
        );
        check(
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
            Some("Missing 'a'"),
        );
        check(closed(json!({"allOf": []})), Some("'allOf' is not permitted"));
    }

    #[test]
    fn anthropic_wants_closed_objects_without_sizes() {
        let check = |schema: Value, says: Option<&str>| match (anthropic(&schema), says) {
            (Ok(()), None) => {}
            (Err(why), Some(says)) => assert!(why.contains(says), "{why}"),
            (result, _) => panic!("{schema}: {result:?}"),
        };
        check(json!({"type": "array", "minItems": 1}), None);
        check(json!({"type": "array", "minItems": 2}), Some("'minItems'"));
        check(json!({"type": "integer", "minimum": 1}), Some("'minimum'"));
        check(json!({"anyOf": [{"type": "object"}]}), Some("explicitly set to false"));
    }
}
