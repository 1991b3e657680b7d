//! `composer.json`. Facts: `namespace` (the first of `autoload.psr-4`), `type`.

use serde_json::Value;

use super::kind::{Lines, Manifest, Use};

pub(super) fn read(text: &str, manifest: &mut Manifest) {
    let Ok(package) = serde_json::from_str::<Value>(text) else { return };
    if let Some(name) = package["name"].as_str() {
        manifest.call(name);
    }
    for person in package["authors"].as_array().into_iter().flatten() {
        if let Some(name) = person["name"].as_str() {
            manifest.author(name);
        }
    }
    let lines = Lines::of_quoted(text);
    for (table, used) in [("require", Use::Runtime), ("require-dev", Use::Development)] {
        for (name, version) in package[table].as_object().into_iter().flatten() {
            if name.contains('/') {
                manifest.depend(name, version.as_str(), used, lines.line(name));
            } else if name == "php" {
                manifest.facts.insert("php", version.as_str().unwrap_or_default().to_owned());
            }
        }
    }
    for (name, script) in package["scripts"].as_object().into_iter().flatten() {
        let said = script.as_str().or_else(|| script[0].as_str()).unwrap_or_default();
        manifest.scripts.insert(name.clone(), said.to_owned());
    }
    if let Some(spaces) = package["autoload"]["psr-4"].as_object()
        && let Some(space) = spaces.keys().next()
    {
        manifest.facts.insert("namespace", space.trim_end_matches('\\').to_owned());
    }
    if let Some(kind) = package["type"].as_str() {
        manifest.facts.insert("type", kind.to_owned());
    }
}
