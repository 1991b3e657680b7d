//! The view of a project that the architecture rules use: folders, types, packages and texts.

use std::collections::BTreeMap;

use consign_code::Class;

use super::signs::{Signs, Sort};
use crate::analysis::{manifest::Declared, project::Project, sample::Sampled};

pub(super) struct Look<'a> {
    pub(super) project: &'a Project,
    /// A word of a folder's name, and the first folder that has it with its files of source.
    folders: BTreeMap<String, (&'a str, usize)>,
}

impl<'a> Look<'a> {
    pub(super) fn new(project: &'a Project) -> Self {
        let mut folders: BTreeMap<String, (&'a str, usize)> = BTreeMap::new();
        for file in &project.listed.files {
            if !matches!(file.class, Class::Source | Class::Other) {
                continue;
            }
            let Some((above, _)) = file.path.rsplit_once('/') else { continue };
            let mut end = 0;
            for part in above.split('/') {
                end += part.len();
                let word = part.rsplit(['.', '-']).next().unwrap_or(part).to_ascii_lowercase();
                folders.entry(word).or_insert((&above[..end], 0)).1 += 1;
                end += 1;
            }
        }
        Self { project, folders }
    }

    /// The folder that one of these words names.
    pub(super) fn folder(&self, words: &[&str]) -> Option<&'a str> {
        words.iter().find_map(|word| self.folders.get(*word)).map(|(folder, _)| *folder)
    }

    /// Adds a sign if such a folder exists.
    pub(super) fn see_folder(&self, signs: &mut Signs, words: &[&str]) -> bool {
        let Some(folder) = self.folder(words) else { return false };
        signs.see(Sort::Folder, folder, None, format!("a folder for {}", words[0]));
        true
    }

    /// Adds signs for types whose names end like this, at most this many.
    pub(super) fn see_types(&self, signs: &mut Signs, end: &str, most: usize) -> usize {
        let found = self.project.seen.ending(end);
        // The end alone is the name of something general.
        let found = found.filter(|one| one.name.trim_start_matches('I').len() > end.len());
        let found: Vec<_> = found.collect();
        for one in found.iter().take(most) {
            let kind = if one.is_abstract { "interface" } else { "type" };
            signs.see(Sort::Type, &one.path, Some(one.line), format!("{kind} `{}`", one.name));
        }
        found.len()
    }

    /// Adds a sign for a package whose name starts like this.
    pub(super) fn see_package(&self, signs: &mut Signs, names: &[&str]) -> bool {
        for manifest in &self.project.manifests {
            let named = |one: &&Declared| names.iter().any(|name| one.name.starts_with(name));
            if let Some(one) = manifest.dependencies.iter().find(named) {
                let what = format!("depends on `{}`", one.name);
                signs.see(Sort::Package, &manifest.path, Some(one.line), what);
                return true;
            }
        }
        false
    }

    /// Adds a sign for the first source below `folder` that imports one of these.
    pub(super) fn see_import(&self, signs: &mut Signs, from: &str, to: &[&str]) -> bool {
        let below = self.project.code().filter(|one| is_below(one, from));
        for one in below {
            if let Some((line, said)) = imports(one, to) {
                signs.see(Sort::Import, &one.path, Some(line), format!("imports `{said}`"));
                return true;
            }
        }
        false
    }

    /// Adds a sign if one of these occurs anywhere in the source.
    pub(super) fn see_text(&self, signs: &mut Signs, needles: &[&str]) -> bool {
        for one in self.project.code() {
            if let Some((line, needle)) = one.find(needles) {
                let what = format!("uses `{}`", needle.trim());
                signs.see(Sort::Import, &one.path, Some(line), what);
                return true;
            }
        }
        false
    }
}

pub(super) fn is_below(one: &Sampled, folder: &str) -> bool {
    one.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The first line that imports something with one of these words in it.
pub(super) fn imports<'t>(one: &'t Sampled, words: &[&str]) -> Option<(usize, &'t str)> {
    for (at, line) in one.text.lines().enumerate().take(120) {
        let said = line.trim();
        let is = ["import ", "use ", "using ", "from ", "require", "const ", "\"", "pub use "]
            .iter()
            .any(|start| said.starts_with(start));
        if !is || said.starts_with("const ") && !said.contains("require(") || said.len() > 300 {
            continue;
        }
        let lower = said.to_ascii_lowercase();
        let parts = || lower.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.iter().any(|word| parts().any(|part| part == *word)) {
            return Some((at + 1, said));
        }
    }
    None
}
