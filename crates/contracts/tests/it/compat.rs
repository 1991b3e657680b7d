//! Changes to the published contracts themselves, and what `compat` says of them.

use consign_contracts::{
    Contract,
    compat::{Compatibility, compare},
    json::{Json, Object},
    schema::Schema,
};
use serde_json::{Value, json};

/// A contract's schema with one rule made stricter.
struct Tightened {
    what: String,
    schema: Value,
}

/// Every way to make one rule of a schema stricter.
fn tightenings(root: &Value) -> Vec<Tightened> {
    let mut found = Vec::new();
    walk(root, root, "", &mut found);
    found
}

fn walk(root: &Value, schema: &Value, pointer: &str, found: &mut Vec<Tightened>) {
    let mut tighten = |keyword: &str, value: Value| {
        let mut stricter = root.clone();
        let place = stricter.pointer_mut(pointer).expect("the walk came from here");
        place[keyword] = value;
        found.push(Tightened { what: format!("{pointer}/{keyword}"), schema: stricter });
    };
    if let Some(kinds) = schema["type"].as_array() {
        let dropped = kinds.iter().position(|kind| kind == "null").unwrap_or(0);
        let mut others = kinds.clone();
        others.remove(dropped);
        tighten("type", json!(others));
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| words.len() > 1) {
        tighten("enum", json!(words[1..]));
    }
    for (keyword, by) in
        [("minimum", 1), ("maximum", -1), ("minLength", 1), ("maxLength", -1), ("minItems", 1)]
    {
        if let Some(limit) = schema[keyword].as_i64() {
            tighten(keyword, json!(limit + by));
        }
    }
    if schema["type"] == "string" && schema["enum"].is_null() && schema["pattern"].is_null() {
        tighten("pattern", json!("^never$"));
    }
    if schema["type"] == "object" && schema["additionalProperties"].is_null() {
        tighten("additionalProperties", json!(false));
    }
    let Some(properties) = schema["properties"].as_object() else {
        if schema["items"].is_object() {
            walk(root, &schema["items"], &format!("{pointer}/items"), found);
        }
        return;
    };
    if schema["type"] == "object" {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for name in properties.keys().filter(|name| !required.contains(&json!(name))) {
            let more: Vec<Value> = required.iter().cloned().chain([json!(name)]).collect();
            tighten("required", json!(more));
        }
    }
    for (name, property) in properties {
        walk(root, property, &format!("{pointer}/properties/{name}"), found);
    }
}

fn verdict(old: &Json<'_>, new: &Json<'_>) -> Compatibility {
    compare(old, new).expect("both are schemas")
}

#[test]
fn every_stricter_rule_is_found_out_with_a_document() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for contract in Contract::all() {
        let old = contract.source();
        for Tightened { what, schema } in tightenings(&old.to_serde()) {
            count += 1;
            let new = Json::from(&schema);
            match verdict(&old, &new) {
                Compatibility::Incompatible(example) => {
                    assert!(contract.schema().is_valid(&example.document));
                    let stricter = Schema::compile(&new).expect("it has just been compiled");
                    assert!(!stricter.is_valid(&example.document));
                }
                other @ (Compatibility::Compatible | Compatibility::Unknown(_)) => {
                    wrong.push(format!("{} {what}: {other:?}", contract.name));
                }
            }
        }
    }
    assert!(count > 700, "only {count} rules were made stricter");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_looser_rule_is_compatible() {
    let mut wrong = Vec::new();
    for (index, contract) in Contract::all().enumerate() {
        let new = contract.source();
        // Showing that nothing is lost takes a whole search, so each contract has a few turns.
        let stricter = tightenings(&new.to_serde()).into_iter().skip(index % 5).step_by(30);
        for Tightened { what, schema } in stricter {
            let found = verdict(&Json::from(&schema), &new);
            if found != Compatibility::Compatible {
                wrong.push(format!("{} {what}: {found:?}", contract.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_contract_is_compatible_with_itself() {
    for contract in Contract::all() {
        let schema = contract.source();
        assert_eq!(verdict(&schema, &schema), Compatibility::Compatible, "{}", contract.name);
    }
}

#[test]
fn drafts_that_differ_are_compared_by_search_alone() {
    let draft = |uri: &'static str, minimum: u64| {
        let mut schema = Object::new();
        schema.set("$schema", Json::from(uri));
        schema.set("type", Json::from("integer"));
        schema.set("minimum", Json::Number(minimum.into()));
        Json::Object(schema)
    };
    let seven = |minimum| draft("http://json-schema.org/draft-07/schema#", minimum);
    let newest = |minimum| draft("https://json-schema.org/draft/2020-12/schema", minimum);
    assert!(matches!(verdict(&seven(1), &newest(2)), Compatibility::Incompatible(_)));
    assert!(matches!(verdict(&seven(2), &newest(1)), Compatibility::Unknown(_)));
}
