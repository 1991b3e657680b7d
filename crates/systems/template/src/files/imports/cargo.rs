//! Cargo: a manifest needs the roots of its crate, its members and the crates that it has by path.

use super::{
    Import, Index,
    index::{folder, join},
};

pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    let here = folder(path);
    let Ok(manifest) = content.parse::<toml::Table>() else { return Vec::new() };
    let at = |to: &str| join(here, to).unwrap_or_default();
    let mut all = Vec::new();
    if manifest.contains_key("package") {
        let mut roots = vec![at("src/lib.rs"), at("src/main.rs"), at("build.rs")];
        roots.retain(|root| index.has(root));
        let others = index.below(&at("src/bin")).chain(index.below(&at("benches")));
        roots.extend(others.filter(|it| it.ends_with(".rs")).cloned());
        all.push(Import::new("the crate's roots", roots));
        for kind in ["bin", "lib", "test", "example", "bench"] {
            let items = manifest.get(kind).map(|it| match it.as_array() {
                Some(items) => items.clone(),
                None => vec![it.clone()],
            });
            for item in items.into_iter().flatten() {
                if let Some(file) = item.get("path").and_then(toml::Value::as_str) {
                    let file = Some(at(file)).filter(|it| index.has(it));
                    all.push(Import::new(&format!("[{kind}] path"), file.into_iter().collect()));
                }
            }
        }
    }
    let mut tables = vec![&manifest];
    tables.extend(manifest.get("workspace").and_then(toml::Value::as_table));
    for table in &tables {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let dependencies = table.get(kind).and_then(toml::Value::as_table);
            for (name, dependency) in dependencies.into_iter().flatten() {
                if let Some(to) = dependency.get("path").and_then(toml::Value::as_str) {
                    let file = Some(at(&format!("{to}/Cargo.toml"))).filter(|it| index.has(it));
                    all.push(Import::new(&format!("{name} at {to}"), file.into_iter().collect()));
                }
            }
        }
    }
    let members = tables.get(1).and_then(|it| it.get("members")).and_then(toml::Value::as_array);
    for member in members.into_iter().flatten().filter_map(toml::Value::as_str) {
        let files: Vec<String> = match member.split_once('*') {
            None => Some(at(&format!("{member}/Cargo.toml")))
                .filter(|it| index.has(it))
                .into_iter()
                .collect(),
            Some((before, _)) => {
                let above = at(before);
                let depth = above.split('/').filter(|it| !it.is_empty()).count() + 2;
                let below = index.below(&above).filter(|it| it.ends_with("/Cargo.toml"));
                below.filter(|it| it.split('/').count() == depth).cloned().collect()
            }
        };
        all.push(Import::new(&format!("member {member}"), files));
    }
    all
}
