//! `package.json`.
//!
//! Facts: `type`, `main`, `bin`, `manager` (as `packageManager` has it), `node`.

use serde_json::Value;

use super::kind::{Lines, Manifest, Use};

const TABLES: &[(&str, Use)] = &[
    ("dependencies", Use::Runtime),
    ("peerDependencies", Use::Runtime),
    ("devDependencies", Use::Development),
];

pub(super) fn read(text: &str, manifest: &mut Manifest) {
    let Ok(package) = serde_json::from_str::<Value>(text) else { return };
    if let Some(name) = package["name"].as_str() {
        manifest.call(name);
    }
    let contributors = package["contributors"].as_array().into_iter().flatten();
    for person in std::iter::once(&package["author"]).chain(contributors) {
        if let Some(name) = person.as_str().or_else(|| person["name"].as_str()) {
            manifest.author(name);
        }
    }
    let lines = Lines::of_quoted(text);
    for (table, used) in TABLES {
        for (name, version) in package[*table].as_object().into_iter().flatten() {
            // What is said twice counts once.
            if manifest.dependency(name).is_none() {
                manifest.depend(name, version.as_str(), *used, lines.line(name));
            }
        }
    }
    for (name, script) in package["scripts"].as_object().into_iter().flatten() {
        if let Some(script) = script.as_str() {
            manifest.scripts.insert(name.clone(), script.to_owned());
        }
    }
    for (fact, value) in [
        ("type", &package["type"]),
        ("main", &package["main"]),
        ("manager", &package["packageManager"]),
        ("node", &package["engines"]["node"]),
    ] {
        if let Some(value) = value.as_str() {
            manifest.facts.insert(fact, value.to_owned());
        }
    }
    if !package["bin"].is_null() {
        manifest.facts.insert("bin", "true".to_owned());
    }
    manifest.workspace = package["workspaces"].is_array() || package["workspaces"].is_object();
}
