//! Which documents are asked for, and how much may be written.

use consign_contracts::authoring::{DocDepth, DocPack};

use crate::Contract;

/// The most tokens of one job.
pub const CAP: u64 = 64_000;
/// The most commits that are read.
pub const MOST_COMMITS: usize = 100;

/// The documents of a pack.
#[must_use]
pub fn of_pack(pack: DocPack) -> Vec<String> {
    let standard = ["README.md", "docs/ARCHITECTURE.md", "docs/API.md", "docs/DEVELOPMENT.md"];
    let full = ["docs/DEPLOYMENT.md", "docs/CONTRIBUTING.md", "docs/FAQ.md", "docs/CHANGELOG.md"];
    let names: Vec<&str> = match pack {
        DocPack::Readme => standard[..1].to_vec(),
        DocPack::Standard => standard.to_vec(),
        DocPack::Full => standard.into_iter().chain(full).collect(),
    };
    names.into_iter().map(str::to_owned).collect()
}

/// The documents of a job. With a pack, `outputTargets` narrows it; without one it is the list itself, then
/// `targetPath`, then `README.md`. A `targetPath` that ends in `/` is a folder for the targets.
#[must_use]
pub fn targets(pack: Option<DocPack>, wanted: &[String], path: Option<&str>) -> Vec<String> {
    let path = path.map(str::trim).filter(|path| !path.is_empty());
    let folder = path.filter(|path| path.ends_with('/'));
    let mut found: Vec<String> = match (pack, wanted) {
        (Some(pack), []) => of_pack(pack),
        (Some(pack), wanted) => of_pack(pack)
            .into_iter()
            .filter(|target| wanted.iter().any(|wanted| same(wanted, target)))
            .collect(),
        (None, []) => path
            .filter(|_| folder.is_none())
            .map_or_else(|| vec!["README.md".to_owned()], |path| vec![path.to_owned()]),
        (None, wanted) => wanted.to_vec(),
    };
    if let Some(folder) = folder {
        found = found.into_iter().map(|target| format!("{folder}{target}")).collect();
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|target| seen.insert(target.clone()));
    found
}

/// Whether a file of this name may hold a document: code and data may not.
#[must_use]
pub fn may_be_document(path: &str) -> bool {
    use consign_code::Language::{Html, Markdown, Text};
    let language = consign_code::Language::of(path);
    language.is_none_or(|language| matches!(language, Markdown | Text | Html))
        || crate::facts::is_prose(path)
}

/// The file of a folder that has a target's name in other letters, such as `Readme.md`: where case does not
/// count both cannot be.
#[must_use]
pub fn same_file<'a>(target: &str, mut paths: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folder = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let (above, name) = target.split_at(folder(target));
    paths.find(|path| {
        let (other_above, other_name) = path.split_at(folder(path));
        *path != target && other_above == above && other_name.eq_ignore_ascii_case(name)
    })
}

/// Endings of files with text for people, Markdown first.
const ENDINGS: [&str; 15] = [
    "md", "markdown", "mdown", "mkd", "", "rst", "adoc", "asciidoc", "txt", "org", "textile",
    "rdoc", "pod", "html", "htm",
];
/// How many of them are Markdown, or may be.
const MARKDOWN: usize = 5;

/// Whether a document at this path is Markdown: others cannot be taken apart.
#[must_use]
pub fn is_markdown(path: &str) -> bool {
    let ending = stem_and_ending(path).1;
    ENDINGS.iter().position(|known| *known == ending).is_none_or(|at| at < MARKDOWN)
}

/// The file that holds a document of a pack already, under another name, in another folder or with another ending:
/// `History.md` for `docs/CHANGELOG.md`, `README.rst` for `README.md`.
#[must_use]
pub fn held_by<'a>(target: &str, paths: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (wanted, _) = stem_and_ending(target);
    // A README of another folder is about that folder.
    let folders = if wanted == "readme" { &[""][..] } else { &["", "docs", "doc", ".github"] };
    let is_log = |path: &str| Contract::of(path) == Contract::Changelog;
    let found = paths.filter(|path| *path != target).filter_map(|path| {
        let (above, _) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = folders.iter().position(|folder| folder.eq_ignore_ascii_case(above))?;
        let (stem, ending) = stem_and_ending(path);
        let ending = ENDINGS.iter().position(|known| *known == ending)?;
        let is_same = stem == wanted || !stem.contains('.') && is_log(target) && is_log(path);
        is_same.then_some((ending >= MARKDOWN, folder, ending, path))
    });
    found.min().map(|(_, _, _, path)| path)
}

/// The name of a file without its ending, and the ending, both in small letters.
fn stem_and_ending(path: &str) -> (String, String) {
    let name = crate::facts::name_of(path).to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    (stem.to_owned(), ending.to_owned())
}

/// `API`, `api.md` and `docs/API.md` name the same document.
fn same(wanted: &str, target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    wanted == target
        || wanted.eq_ignore_ascii_case(name)
        || wanted.eq_ignore_ascii_case(name.trim_end_matches(".md"))
}

/// How much may be written, and how often each document is gone over.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Budget {
    pub tokens: u64,
    pub passes: u64,
    /// What was asked for and is more than allowed, in words for `diagnostics.clamped`.
    pub clamped: Vec<String>,
}

/// `maxOutputTokens` and `passes` win over the depth; 64,000 tokens are the cap. `full` and `deep` mean two passes.
#[must_use]
pub fn budget(
    pack: Option<DocPack>,
    depth: DocDepth,
    tokens: Option<u64>,
    passes: Option<u64>,
) -> Budget {
    let by_depth = match depth {
        DocDepth::Lite => 4_000,
        DocDepth::Standard => 16_000,
        DocDepth::Deep => CAP,
    };
    let wanted = tokens.unwrap_or(by_depth);
    let mut clamped = Vec::new();
    if wanted > CAP {
        clamped
            .push(format!("maxOutputTokens {wanted} is more than the cap of {CAP}; {CAP} is used"));
    }
    let twice = matches!(pack, Some(DocPack::Full)) || matches!(depth, DocDepth::Deep);
    let passes = passes.unwrap_or(if twice { 2 } else { 1 }).clamp(1, 2);
    Budget { tokens: wanted.min(CAP), passes, clamped }
}
