//! `build.gradle` and `build.gradle.kts`, as text: they are programs, and are not run. Versions come
//! from the line, from `val x = "…"`, from `gradle.properties` or from the version catalogue.
//!
//! Facts: `android`, `group`. Plugins are dependencies for building, under their ids.

use super::{
    Shared,
    gradle_words::{call, ids, variables},
    kind::{Manifest, Use, quoted},
};

/// How a dependency is declared, and what for.
const CONFIGURATIONS: &[(&str, Use)] = &[
    ("implementation", Use::Runtime),
    ("api", Use::Runtime),
    ("compileOnly", Use::Runtime),
    ("runtimeOnly", Use::Runtime),
    ("compile", Use::Runtime),
    ("developmentOnly", Use::Development),
    ("testImplementation", Use::Development),
    ("testRuntimeOnly", Use::Development),
    ("testCompile", Use::Development),
    ("androidTestImplementation", Use::Development),
    ("debugImplementation", Use::Development),
    ("annotationProcessor", Use::Build),
    ("kapt", Use::Build),
    ("ksp", Use::Build),
    ("classpath", Use::Build),
];

pub(super) fn read(text: &str, shared: &Shared, manifest: &mut Manifest) {
    let known = variables(text);
    let resolve = |said: &str| -> Option<String> {
        let Some(at) = said.find('$') else { return Some(said.to_owned()) };
        let name = said[at + 1..].trim_matches(['{', '}']);
        let name = name.trim_start_matches("property(\"").trim_end_matches("\")");
        let own = known.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        own.or_else(|| shared.gradle_property(&manifest.path, name))
    };
    let mut wanted: Vec<(String, Option<String>, Use, usize)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let said = line.split("//").next().unwrap_or_default().trim();
        for (id, version) in ids(said) {
            let version = version.and_then(|version| resolve(&version));
            wanted.push((id, version, Use::Build, at + 1));
        }
        // `alias(libs.plugins.spring.boot)`
        if let Some(inside) = call(said, "alias")
            && let Some(key) = inside.trim().strip_prefix("libs.plugins.")
            && let Some((id, version)) = shared.catalogue_plugin(&manifest.path, key)
        {
            wanted.push((id, version, Use::Build, at + 1));
        }
        for (word, used) in CONFIGURATIONS {
            let Some(inside) = call(said, word) else { continue };
            if let Some(key) = inside.trim().strip_prefix("libs.") {
                let key = key.trim_start_matches("bundles.");
                for (name, version) in shared.catalogue(&manifest.path, key) {
                    wanted.push((name, version, *used, at + 1));
                }
                continue;
            }
            let Some(quoted) = quoted(inside).first().copied() else { continue };
            // `kotlin("test")`
            if inside.contains("kotlin(") {
                let name = format!("org.jetbrains.kotlin:kotlin-{quoted}");
                wanted.push((name, None, *used, at + 1));
                continue;
            }
            let parts: Vec<&str> = quoted.splitn(3, ':').collect();
            if let [group, artifact, ..] = parts.as_slice() {
                let version = parts.get(2).and_then(|version| resolve(version));
                wanted.push((format!("{group}:{artifact}"), version, *used, at + 1));
            }
        }
        if let Some(group) = said.strip_prefix("group") {
            let group = quoted(group).first().copied().unwrap_or_default();
            manifest.facts.insert("group", group.to_owned());
        }
        if let Some(space) = said.strip_prefix("namespace") {
            let space = quoted(space).first().copied().unwrap_or_default();
            manifest.facts.insert("namespace", space.to_owned());
        }
    }
    if wanted.iter().any(|(name, _, _, _)| name.starts_with("com.android.")) {
        manifest.facts.insert("android", "true".to_owned());
    }
    if let Some(name) = shared.gradle_name(&manifest.path) {
        manifest.call(&name);
        manifest.workspace = shared.gradle_members(&manifest.path);
    }
    for (name, version, used, line) in wanted {
        manifest.depend(&name, version.as_deref(), used, line);
    }
}
