//! `Cargo.toml`, with versions of the workspace. Facts: `edition`, `bin`, `lib`.

use toml::{Table, Value};

use super::{
    Shared,
    kind::{Lines, Manifest, Use},
};

pub(super) fn read(text: &str, shared: &Shared, manifest: &mut Manifest) {
    let Ok(file) = text.parse::<Table>() else { return };
    let package = file.get("package").and_then(Value::as_table);
    if let Some(package) = package {
        if let Some(name) = package.get("name").and_then(Value::as_str) {
            manifest.call(name);
        }
        for author in package.get("authors").and_then(Value::as_array).into_iter().flatten() {
            manifest.author(author.as_str().unwrap_or_default());
        }
        if let Some(edition) = package.get("edition").and_then(Value::as_str) {
            manifest.facts.insert("edition", edition.to_owned());
        }
    }
    for fact in ["bin", "lib"] {
        if file.contains_key(fact) {
            manifest.facts.insert(fact, "true".to_owned());
        }
    }
    manifest.workspace = file.contains_key("workspace");
    let lines = Lines::of_keys(text);
    let mut tables = vec![&file];
    let targets = file.get("target").and_then(Value::as_table).into_iter().flatten();
    tables.extend(targets.filter_map(|(_, target)| target.as_table()));
    for table in tables {
        for (name, used) in [
            ("dependencies", Use::Runtime),
            ("dev-dependencies", Use::Development),
            ("build-dependencies", Use::Build),
        ] {
            for (key, value) in table.get(name).and_then(Value::as_table).into_iter().flatten() {
                let (name, version) = dependency(key, value);
                let version = if value.get("workspace").is_some() {
                    shared.cargo(&manifest.path, key).or(version)
                } else {
                    version
                };
                let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
                if optional && used == Use::Runtime {
                    manifest.may_depend(&name, version.as_deref(), lines.line(key));
                } else {
                    manifest.depend(&name, version.as_deref(), used, lines.line(key));
                }
            }
        }
    }
}

/// The name of the crate, which may be called otherwise here, and its version.
pub(super) fn dependency(key: &str, value: &Value) -> (String, Option<String>) {
    let version = value.as_str().or_else(|| value.get("version").and_then(Value::as_str));
    let name = value.get("package").and_then(Value::as_str).unwrap_or(key);
    (name.to_owned(), version.map(str::to_owned))
}
