//! `pom.xml`. Facts: `java`, `packaging`, `group`; members of a reactor make a workspace.

use std::collections::HashMap;

use super::{
    kind::{Manifest, Use},
    xml,
};

pub(super) fn read(text: &str, manifest: &mut Manifest) {
    let all = xml::elements(text);
    let mut properties: HashMap<&str, &str> = HashMap::new();
    for element in &all {
        if element.path.starts_with("project/properties/") {
            properties.insert(element.name(), &element.text);
        }
    }
    let at = |path: &str| all.iter().find(|element| element.path == path).map(|e| e.text.as_str());
    let own_version = at("project/version").or_else(|| at("project/parent/version"));
    let resolve = |said: &str| -> Option<String> {
        let Some(name) = said.strip_prefix("${").and_then(|said| said.strip_suffix('}')) else {
            return Some(said.to_owned());
        };
        let own = name == "project.version" || name == "revision";
        properties.get(name).copied().or(own_version.filter(|_| own)).map(str::to_owned)
    };
    manifest.call(at("project/artifactId").unwrap_or_default());
    let group = at("project/groupId").or_else(|| at("project/parent/groupId"));
    for (fact, value) in [
        ("group", group),
        ("packaging", at("project/packaging")),
        ("java", properties.get("java.version").copied()),
    ] {
        if let Some(value) = value {
            manifest.facts.insert(fact, value.to_owned());
        }
    }
    manifest.workspace = at("project/modules/module").is_some();
    for element in &all {
        if element.path == "project/developers/developer/name"
            || element.path == "project/organization/name"
        {
            manifest.author(&element.text);
        }
    }
    for (place, element) in all.iter().enumerate() {
        let parent = element.path == "project/parent";
        let dependency = element.path.ends_with("dependencies/dependency");
        let plugin = element.path.ends_with("plugins/plugin");
        if !parent && !dependency && !plugin {
            continue;
        }
        let said = |name: &str| xml::child(&all, place, name);
        let Some(artifact) = said("artifactId") else { continue };
        let group = said("groupId").unwrap_or("org.apache.maven.plugins");
        let version = said("version").and_then(resolve);
        let used = match said("scope") {
            Some("test") => Use::Development,
            _ if plugin => Use::Build,
            _ => Use::Runtime,
        };
        let name = format!("{group}:{artifact}");
        manifest.depend(&name, version.as_deref(), used, element.line);
    }
}
