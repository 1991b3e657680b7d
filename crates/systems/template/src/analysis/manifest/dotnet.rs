//! `*.csproj`, `*.fsproj` and `*.vbproj`, with versions of `Directory.Packages.props` and properties of
//! `Directory.Build.props`.
//!
//! Facts: `sdk`, `target` (as `net8.0`), `output` (`Exe`, `Library`), `maui`, `wpf`, `forms`, `namespace`,
//! `test`.

use std::collections::HashMap;

use super::{
    Shared,
    kind::{Manifest, Use},
    xml,
};

pub(super) fn read(text: &str, shared: &Shared, manifest: &mut Manifest) {
    let all = xml::elements(text);
    let stem = manifest.path.rsplit('/').next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).to_owned();
    if !all.is_empty() {
        manifest.call(&stem);
    }
    let mut known: HashMap<&str, &str> = HashMap::new();
    for element in all.iter().filter(|element| !element.text.is_empty()) {
        known.entry(element.name()).or_insert(&element.text);
    }
    let own = |name: &str| known.get(name).map(|text| (*text).to_owned());
    let property = |name: &str| own(name).or_else(|| shared.property(&manifest.path, name));
    let resolve = |said: &str| -> Option<String> {
        let name = said.strip_prefix("$(").and_then(|said| said.strip_suffix(')'));
        name.map_or(Some(said.to_owned()), property)
    };
    let sdk = all.iter().find(|element| element.path == "Project");
    let sdk = sdk.and_then(|element| element.attribute("Sdk"));
    let target = property("TargetFramework").or_else(|| property("TargetFrameworks"));
    let target = target.map(|all| all.split(';').next().unwrap_or_default().to_owned());
    let facts = [
        ("sdk", sdk.map(str::to_owned)),
        ("target", target),
        ("output", property("OutputType")),
        ("maui", property("UseMaui")),
        ("maui-version", property("MauiVersion")),
        ("wpf", property("UseWPF")),
        ("forms", property("UseWindowsForms")),
        ("namespace", own("RootNamespace")),
        ("test", own("IsTestProject")),
    ];
    let authors: Vec<String> = ["Authors", "Company"].into_iter().filter_map(property).collect();
    let mut wanted = Vec::new();
    for (place, element) in all.iter().enumerate() {
        let name = element.attribute("Include").or_else(|| element.attribute("Update"));
        let Some(name) = name else { continue };
        if element.name() == "PackageReference" {
            let inner = || xml::child(&all, place, "Version");
            let version = element.attribute("Version").or_else(inner);
            let version = version.and_then(resolve).or_else(|| shared.nuget(&manifest.path, name));
            wanted.push((name.to_owned(), version, element.line));
        } else if element.name() == "FrameworkReference" {
            wanted.push((name.to_owned(), None, element.line));
        }
    }
    for (fact, value) in facts {
        if let Some(value) = value {
            manifest.facts.insert(fact, value);
        }
    }
    for author in authors.iter().flat_map(|said| said.split([';', ','])) {
        manifest.author(author);
    }
    let tests = wanted.iter().any(|(name, _, _)| name == "Microsoft.NET.Test.Sdk")
        || manifest.fact("test").is_some_and(|test| test.eq_ignore_ascii_case("true"));
    for (name, version, line) in wanted {
        let used = if tests { Use::Development } else { Use::Runtime };
        manifest.depend(&name, version.as_deref(), used, line);
    }
    if tests {
        manifest.facts.insert("test", "true".to_owned());
    }
}
