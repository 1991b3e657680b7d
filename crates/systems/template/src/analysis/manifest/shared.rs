//! What manifests refer to: versions of a workspace, a solution, a catalogue, a lock.
//!
//! A lookup uses the nearest file above the manifest that has the answer.

use std::collections::HashMap;

use toml::{Table, Value};

use super::{cargo::dependency, gradle_words::variables, xml};

type Names = HashMap<String, String>;
/// A module of a catalogue, `group:artifact`, and its version.
type Module = (String, Option<String>);

/// By the folder in which the file is.
#[derive(Default)]
pub(in super::super) struct Shared {
    cargo: HashMap<String, Names>,
    nuget: HashMap<String, Names>,
    properties: HashMap<String, Names>,
    gems: HashMap<String, Names>,
    gradle: HashMap<String, Names>,
    settings: HashMap<String, (String, bool)>,
    modules: HashMap<String, HashMap<String, Module>>,
    plugins: HashMap<String, HashMap<String, Module>>,
    bundles: HashMap<String, HashMap<String, Vec<String>>>,
    /// Files that say that there are many packages in one tree.
    pub(in super::super) workspaces: Vec<String>,
}

impl Shared {
    /// Reads what a file has for others. Broken parts are skipped.
    pub(in super::super) fn learn(&mut self, path: &str, text: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = folder.to_owned();
        match name {
            "Cargo.toml" => self.learn_cargo(folder, text),
            "Gemfile.lock" => {
                self.gems.insert(folder, locked(text));
            }
            "Directory.Packages.props" => {
                let all = xml::elements(text);
                let versions = all.iter().filter(|element| element.name() == "PackageVersion");
                let versions = versions.filter_map(|element| {
                    let name = element.attribute("Include")?;
                    Some((name.to_owned(), element.attribute("Version")?.to_owned()))
                });
                self.nuget.insert(folder.clone(), versions.collect());
                self.learn_properties(folder, &all);
            }
            "Directory.Build.props" => self.learn_properties(folder, &xml::elements(text)),
            "gradle.properties" => {
                let pairs = text.lines().filter_map(|line| line.split_once('='));
                let pairs = pairs.map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()));
                self.gradle.insert(folder, pairs.collect());
            }
            "settings.gradle" | "settings.gradle.kts" => {
                let known = variables(text);
                let name = known.iter().find(|(key, _)| key == "name").map(|(_, v)| v.clone());
                let members = text.lines().any(|line| {
                    line.trim().starts_with("include(") || line.trim().starts_with("include ")
                });
                if members {
                    self.workspaces.push(path.to_owned());
                }
                self.settings.insert(folder, (name.unwrap_or_default(), members));
            }
            "pnpm-workspace.yaml" | "go.work" => self.workspaces.push(path.to_owned()),
            _ if name.ends_with(".versions.toml") => {
                // The catalogue is in `gradle/`, and holds for the folder around it.
                let above = folder.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
                self.learn_catalogue(&above, text);
            }
            _ => {}
        }
    }

    fn learn_cargo(&mut self, folder: String, text: &str) {
        let Ok(file) = text.parse::<Table>() else { return };
        let table = file.get("workspace").and_then(|w| w.get("dependencies"));
        let Some(table) = table.and_then(Value::as_table) else { return };
        let versions = table.iter().filter_map(|(key, value)| {
            let (_, version) = dependency(key, value);
            version.map(|version| (key.clone(), version))
        });
        self.cargo.insert(folder, versions.collect());
    }

    fn learn_properties(&mut self, folder: String, all: &[xml::Element]) {
        let own = all.iter().filter(|element| element.path.contains("PropertyGroup/"));
        let own = own.map(|element| (element.name().to_owned(), element.text.clone()));
        self.properties.entry(folder).or_default().extend(own);
    }

    fn learn_catalogue(&mut self, folder: &str, text: &str) {
        let Ok(file) = text.parse::<Table>() else { return };
        let versions = file.get("versions").and_then(Value::as_table);
        let version = |entry: &Value| -> Option<String> {
            let said = entry.get("version")?;
            let named = said.get("ref").and_then(Value::as_str);
            let value = match named {
                Some(name) => versions?.get(name)?.as_str(),
                None => said.as_str(),
            };
            value.map(str::to_owned)
        };
        let key = |name: &str| name.replace(['-', '_'], ".");
        let each = |table: &str| file.get(table).and_then(Value::as_table).into_iter().flatten();
        let mut modules = HashMap::new();
        for (name, entry) in each("libraries") {
            let text = |field: &str| entry.get(field).and_then(Value::as_str);
            let module = match (text("module"), text("group"), text("name"), entry.as_str()) {
                (Some(module), ..) => (module.to_owned(), version(entry)),
                (None, Some(group), Some(name), _) => (format!("{group}:{name}"), version(entry)),
                (None, _, _, Some(all)) => split(all),
                _ => continue,
            };
            modules.insert(key(name), module);
        }
        let mut plugins = HashMap::new();
        for (name, entry) in each("plugins") {
            let id = entry.get("id").and_then(Value::as_str);
            if let Some(id) = id {
                plugins.insert(key(name), (id.to_owned(), version(entry)));
            } else if let Some((id, version)) = entry.as_str().and_then(|all| all.split_once(':')) {
                plugins.insert(key(name), (id.to_owned(), Some(version.to_owned())));
            }
        }
        let bundles = each("bundles").map(|(name, list)| {
            let list = list.as_array().into_iter().flatten().filter_map(Value::as_str);
            (key(name), list.map(key).collect())
        });
        self.bundles.insert(folder.to_owned(), bundles.collect());
        self.modules.insert(folder.to_owned(), modules);
        self.plugins.insert(folder.to_owned(), plugins);
    }

    pub(super) fn cargo(&self, manifest: &str, name: &str) -> Option<String> {
        nearest(&self.cargo, manifest, |known| known.get(name).cloned())
    }

    pub(super) fn nuget(&self, manifest: &str, name: &str) -> Option<String> {
        nearest(&self.nuget, manifest, |known| known.get(name).cloned())
    }

    pub(super) fn property(&self, manifest: &str, name: &str) -> Option<String> {
        nearest(&self.properties, manifest, |known| known.get(name).cloned())
    }

    pub(super) fn gem(&self, manifest: &str, name: &str) -> Option<String> {
        nearest(&self.gems, manifest, |known| known.get(name).cloned())
    }

    pub(super) fn gradle_property(&self, manifest: &str, name: &str) -> Option<String> {
        nearest(&self.gradle, manifest, |known| known.get(name).cloned())
    }

    /// The name of the build, for the manifest that is beside its settings.
    pub(super) fn gradle_name(&self, manifest: &str) -> Option<String> {
        self.settings.get(folder(manifest)).map(|(name, _)| name.clone())
    }

    pub(super) fn gradle_members(&self, manifest: &str) -> bool {
        self.settings.get(folder(manifest)).is_some_and(|(_, members)| *members)
    }

    pub(super) fn catalogue(&self, manifest: &str, key: &str) -> Vec<Module> {
        let key = key.trim_end_matches(')').replace(['-', '_'], ".");
        let one = |key: &str| nearest(&self.modules, manifest, |known| known.get(key).cloned());
        let bundle = nearest(&self.bundles, manifest, |known| known.get(&key).cloned());
        match one(&key) {
            Some(module) => vec![module],
            None => bundle.into_iter().flatten().filter_map(|key| one(&key)).collect(),
        }
    }

    pub(super) fn catalogue_plugin(&self, manifest: &str, key: &str) -> Option<Module> {
        let key = key.trim_end_matches(')').replace(['-', '_'], ".");
        nearest(&self.plugins, manifest, |known| known.get(&key).cloned())
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The first answer on the way from a manifest's folder up to the root.
fn nearest<T, R>(
    known: &HashMap<String, T>,
    manifest: &str,
    ask: impl Fn(&T) -> Option<R>,
) -> Option<R> {
    if known.is_empty() {
        return None;
    }
    let mut at = folder(manifest);
    loop {
        if let Some(found) = known.get(at).and_then(&ask) {
            return Some(found);
        }
        if at.is_empty() {
            return None;
        }
        at = folder(at);
    }
}

fn split(all: &str) -> Module {
    let parts: Vec<&str> = all.splitn(3, ':').collect();
    let name = parts.get(..2).map_or_else(|| all.to_owned(), |parts| parts.join(":"));
    (name, parts.get(2).map(|version| (*version).to_owned()))
}

/// `    rails (7.1.3)` of `GEM specs`.
fn locked(text: &str) -> Names {
    let own = text.lines().filter(|line| line.starts_with("    ") && !line.starts_with("      "));
    let own = own.filter_map(|line| {
        let (name, version) = line.trim().split_once(" (")?;
        Some((name.to_owned(), version.trim_end_matches(')').to_owned()))
    });
    own.take(5_000).collect()
}
