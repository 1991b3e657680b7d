//! The repositories, and which of their documents are taken.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use consign_documentation::{Facts, Snapshot};
use serde::Deserialize;

/// A repository of the corpus, as a person describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub name: String,
    #[expect(dead_code, reason = "it is for readers of the file")]
    language: String,
    /// The checker was not changed after looking at this one.
    pub held_out: bool,
    owner: String,
    repository: String,
    /// Programs that it installs.
    pub programs: Vec<String>,
    /// Names under which other code uses it.
    pub packages: Vec<String>,
    pub version: String,
}

pub(super) struct Repository {
    pub entry: Entry,
    pub snapshot: Snapshot,
    pub facts: Facts,
    /// All text that is no prose, to look words up in.
    pub code: String,
}

pub(super) fn read(folder: Option<&Path>) -> Result<Vec<Repository>, Box<dyn Error>> {
    let folder = folder.map_or_else(cache, |folder| Some(folder.to_owned()));
    let folder = folder.ok_or("there is no home directory: say --corpus FOLDER")?;
    let entries: Vec<Entry> = serde_json::from_str(include_str!("../../data/scribe/corpus.json"))?;
    entries
        .into_iter()
        .map(|entry| {
            let root = folder.join(&entry.name);
            if !root.is_dir() {
                let say = "run scripts/scribe-corpus.sh to fetch it";
                return Err(format!("{} is not there: {say}", root.display()).into());
            }
            let mut snapshot = Snapshot::new(&entry.owner, &entry.repository);
            add(&root, &root, &mut snapshot)?;
            let facts = Facts::of(&snapshot);
            let is_prose =
                |path: &str| [".md", ".rst", ".txt", ".adoc"].iter().any(|end| path.ends_with(end));
            let files = snapshot.files.iter().filter(|(path, _)| !is_prose(path));
            let code = files.map(|(_, file)| file.text.as_str()).collect::<Vec<_>>().join("\n");
            Ok(Repository { entry, snapshot, facts, code })
        })
        .collect()
}

fn cache() -> Option<PathBuf> {
    let base = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
    Some(base.join("consign/scribe"))
}

fn add(root: &Path, folder: &Path, snapshot: &mut Snapshot) -> std::io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && entry.file_name() != ".git" {
            add(root, &path, snapshot)?;
        } else if kind.is_file() {
            let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            snapshot.add(&inside, &fs::read(&path)?);
        }
    }
    Ok(())
}

impl Repository {
    /// Markdown with something to look up (links or code), nearest to the root and longest first.
    pub(super) fn documents(&self, most: usize) -> Vec<String> {
        let foreign = [
            "tests",
            "test",
            "testdata",
            "vendor",
            "node_modules",
            "third_party",
            "syntaxes",
            "themes",
        ];
        // Translations say the same again, and are often older.
        let translated = ["zh-CN", "README-ja", "README-ko", "README-ru", "README-zh"];
        let is_own = |path: &str| {
            path.ends_with(".md")
                && !translated.iter().any(|mark| path.contains(mark))
                && path.split('/').all(|part| !foreign.contains(&part) && !part.starts_with('.'))
        };
        let says = |text: &str| text.matches('`').count() / 2 + text.matches("](").count();
        let mut found: Vec<(usize, std::cmp::Reverse<usize>, &String)> = self
            .snapshot
            .files
            .iter()
            .filter(|(path, file)| is_own(path) && says(&file.text) >= 5)
            .map(|(path, file)| {
                (path.matches('/').count(), std::cmp::Reverse(file.text.len()), path)
            })
            .collect();
        found.sort();
        found.into_iter().take(most).map(|(_, _, path)| path.clone()).collect()
    }

    /// Whether the code has this word, with no letter beside it.
    pub(super) fn has_word(&self, word: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.code.match_indices(word).any(|(at, _)| {
            !self.code[..at].ends_with(is_part)
                && !self.code[at + word.len()..].starts_with(is_part)
        })
    }

    pub(super) fn has_path(&self, path: &str) -> bool {
        self.snapshot.paths().any(|other| other == path)
    }
}
