//! Finds the agents that already exist.

use std::{collections::BTreeSet, path::Path};

use consign_files::{Kind, Root};

use super::file;
use crate::{package::ExistingAgents, plain};

/// The names of the agents that come with Consign.
pub const GLOBAL: [&str; 4] =
    ["agent-content-enhancer", "architectural-reviewer", "code-reviewer", "test-verifier"];

const MOST_FILES: usize = 500;
/// How many entries of one folder are read.
const MOST_ENTRIES: usize = 10_000;
const MOST_BYTES: u64 = 256 << 10;
/// How many lines of a file are read: front matter is at the beginning.
const MOST_LINES: usize = 100;

/// The agents of the user, of the project's template and of Consign. What cannot be read is
/// skipped.
#[must_use]
pub fn existing(project: &Path, home: Option<&Path>) -> ExistingAgents {
    let own = [Some(project), home].into_iter().flatten();
    let user_custom: BTreeSet<String> =
        own.flat_map(|root| names(root, ".claude/agents")).collect();
    let manifest = Root::open(project).and_then(|root| root.metadata("manifest.json"));
    let is_template = manifest.is_ok_and(|about| about.kind == Kind::File);
    let template = if is_template { names(project, "agents") } else { BTreeSet::new() };
    ExistingAgents {
        user_custom: user_custom.into_iter().collect(),
        template: template.into_iter().collect(),
        global: GLOBAL.map(str::to_owned).to_vec(),
    }
}

impl ExistingAgents {
    /// The set that has an agent of this name, in whatever spelling.
    #[must_use]
    pub fn whose(&self, name: &str) -> Option<&'static str> {
        let slug = plain::slug(name);
        let sets = [
            ("user_custom", &self.user_custom),
            ("template", &self.template),
            ("global", &self.global),
        ];
        let has = |names: &[String]| names.iter().any(|one| plain::slug(one) == slug);
        sets.into_iter().find(|(_, names)| has(names)).map(|(whose, _)| whose)
    }
}

/// The names of the agents in a folder. No link is followed on the way to it, or to a file in it.
fn names(root: &Path, folder: &str) -> BTreeSet<String> {
    let Ok(folder) = Root::open(root).and_then(|root| root.open_dir(folder)) else {
        return BTreeSet::new();
    };
    let Ok(entries) = folder.entries() else { return BTreeSet::new() };
    let mut files: Vec<String> = entries
        .take(MOST_ENTRIES)
        .filter_map(Result::ok)
        .filter(|entry| entry.kind == Kind::File)
        .filter_map(|entry| entry.name.into_string().ok())
        .filter(|name| name.ends_with(".md") && !name.contains(char::is_control))
        .filter(|name| folder.metadata(name).is_ok_and(|about| about.bytes <= MOST_BYTES))
        .collect();
    files.sort();
    files.truncate(MOST_FILES);
    files.iter().filter_map(|file| name(&folder, file)).collect()
}

fn name(folder: &Root, file: &str) -> Option<String> {
    let bytes = folder.read(file, MOST_BYTES).ok().filter(|bytes| !bytes.contains(&0))?;
    let text = String::from_utf8_lossy(&bytes);
    let first: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let stem = || plain::line(file.strip_suffix(".md")?, 64).into();
    file::name(&first.join("\n")).or_else(stem).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn agents_are_found_where_they_lie_and_named_by_their_front_matter() {
        let folder = tempfile::tempdir().unwrap();
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        write(&project, ".claude/agents/one.md", "---\nname: First Agent\n---\n");
        write(&project, ".claude/agents/plain.md", "no front matter");
        write(&project, ".claude/agents/notes.txt", "");
        write(&project, "agents/own.md", "---\nname: own\n---\n");
        write(&home, ".claude/agents/mine.md", "---\nname: mine\n---\n");
        write(&home, "agents/not-asked.md", "");
        let found = existing(&project, Some(&home));
        assert_eq!(found.user_custom, ["First Agent", "mine", "plain"]);
        assert_eq!(found.template, Vec::<String>::new(), "it is no template yet");
        assert_eq!(found.global, GLOBAL);
        write(&project, "manifest.json", "{}");
        assert_eq!(existing(&project, None).template, ["own"]);
        assert_eq!(existing(&project, None).user_custom, ["First Agent", "plain"]);
        assert_eq!(found.whose("first_agent"), Some("user_custom"));
        assert_eq!(found.whose("Code Reviewer"), Some("global"));
        assert_eq!(found.whose("stranger"), None);
    }

    #[test]
    fn a_link_is_never_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (project, other) = (folder.path().join("project"), folder.path().join("other"));
        write(&other, "agents/secret.md", "---\nname: secret\n---\n");
        write(&project, ".claude/agents/real.md", "");
        symlink("../../../other/agents/secret.md", project.join(".claude/agents/l.md")).unwrap();
        assert_eq!(existing(&project, None).user_custom, ["real"]);
        write(&project, "manifest.json", "{}");
        symlink("../other/agents", project.join("agents")).unwrap();
        assert_eq!(existing(&project, None).template, Vec::<String>::new());
        let linked = folder.path().join("linked");
        fs::create_dir(&linked).unwrap();
        symlink("../other", linked.join(".claude")).unwrap();
        assert_eq!(existing(&linked, None).user_custom, Vec::<String>::new());
    }

    #[test]
    fn a_folder_full_of_nonsense_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..MOST_FILES + 50 {
            write(folder.path(), &format!(".claude/agents/a{at:04}.md"), "---\nname: \"\u{1b}\"\n");
        }
        let large = "x".repeat(300 << 10);
        write(folder.path(), ".claude/agents/a.md", &large);
        write(folder.path(), ".claude/agents/b.md", "\0\u{1}");
        let found = existing(folder.path(), None).user_custom;
        assert_eq!(found.len(), MOST_FILES);
        assert_eq!(found.first().map(String::as_str), Some("a0000"));
        assert_eq!(existing(Path::new("/nowhere"), None).user_custom, Vec::<String>::new());
    }
}
