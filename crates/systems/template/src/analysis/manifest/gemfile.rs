//! `Gemfile` and `*.gemspec`, with versions from `Gemfile.lock` where they have none. Facts: `ruby`.

use super::{
    Shared,
    kind::{Manifest, Use, quoted},
};

pub(super) fn read(name: &str, text: &str, shared: &Shared, manifest: &mut Manifest) {
    let mut development = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let words = quoted(line);
        let first = line.split([' ', '(']).next().unwrap_or_default();
        if first == "group" {
            development = line.contains(":development") || line.contains(":test");
        } else if first == "end" {
            development = false;
        } else if first == "ruby" {
            if let Some(version) = words.first() {
                manifest.facts.insert("ruby", (*version).to_owned());
            }
        } else if first == "gem" || first.ends_with("dependency") {
            let Some(gem) = words.first() else { continue };
            let said = words.get(1).filter(|word| word.contains(|c: char| c.is_ascii_digit()));
            let locked = shared.gem(&manifest.path, gem);
            let version = locked.or_else(|| said.map(|said| (*said).to_owned()));
            let lent = development
                || first.contains("development")
                || line.contains("group: :test")
                || line.contains("group: :development");
            let used = if lent { Use::Development } else { Use::Runtime };
            manifest.depend(gem, version.as_deref(), used, at + 1);
        } else if name.ends_with(".gemspec") {
            if line.contains(".name ") || line.contains(".name=") {
                manifest.call(words.first().copied().unwrap_or_default());
            } else if line.contains(".author") {
                words.iter().for_each(|word| manifest.author(word));
            }
        }
    }
}
