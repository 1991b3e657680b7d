//! Measures Scribe's checker on real repositories: `scribe_eval [--cases N] [--each N] FOLDER…`.
//!
//! Every folder is one unpacked repository. All of its Markdown documents with at least three references are checked untouched, at most
//! `--each` of them; then documents are broken in `--cases` known ways. `docs/scribe.md` has the list of packages.

#![expect(clippy::print_stdout, reason = "it prints its figures")]

use std::{env, fs, path::Path};

use consign_authoring::scribe::{
    Facts, IssueKind, Snapshot, check,
    evaluate::{Specimen, evaluate},
    rules, targets,
};
use consign_contracts::authoring::{DocDepth, DocPack};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut cases, mut each, mut folders) = (200, 8, Vec::new());
    let (mut rules_only, mut all) = (false, false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cases" => cases = arguments.next().ok_or("--cases needs a number")?.parse()?,
            "--each" => each = arguments.next().ok_or("--each needs a number")?.parse()?,
            "--rules" => rules_only = true,
            "--sections" => all = true,
            _ => folders.push(argument),
        }
    }
    let mut repositories = Vec::new();
    for folder in &folders {
        let path = Path::new(folder);
        let name = path
            .file_name()
            .map_or("repository".into(), |name| name.to_string_lossy().into_owned());
        let mut snapshot = Snapshot::new("", &name);
        read(path, path, &mut snapshot)?;
        if let Some((owner, repository)) = hosted(&snapshot) {
            (snapshot.owner, snapshot.name) = (owner, repository);
        }
        let facts = Facts::of(&snapshot);
        repositories.push((snapshot, facts));
    }
    if rules_only {
        return write_by_rules(&repositories);
    }
    let mut specimens = Vec::new();
    for (snapshot, facts) in &repositories {
        let foreign = |path: &str| {
            path.split('/').any(|folder| {
                ["node_modules", "vendor", "testdata", "tests", "test", ".github"].contains(&folder)
            })
        };
        let documents =
            facts.documents.iter().filter(|path| !foreign(path) && path.ends_with(".md"));
        let mut ranked: Vec<(usize, &String)> = documents
            .map(|path| {
                (check(path, snapshot.text(path).unwrap_or(""), facts, snapshot).checked, path)
            })
            .filter(|(checked, _)| *checked >= 3)
            .collect();
        ranked.sort_by(|a, b| {
            a.1.matches('/')
                .count()
                .cmp(&b.1.matches('/').count())
                .then(b.0.cmp(&a.0))
                .then(a.1.cmp(b.1))
        });
        for (_, path) in ranked.into_iter().take(each) {
            specimens.push(Specimen { snapshot, facts, path: path.clone() });
        }
    }
    let figures = evaluate(&specimens, cases);
    for (path, issue) in &figures.flagged {
        println!("flagged  {path}:{}  {}  {}", issue.line, issue.kind, issue.reference);
    }
    for (path, broken) in &figures.missed {
        println!(
            "missed   {path}:{}  {:?}  {} -> {}",
            broken.line,
            broken.kind,
            broken.from.replace('\n', "⏎"),
            broken.to.replace('\n', "⏎")
        );
    }
    for specimen in specimens.iter().filter(|_| all) {
        let critique = check(
            &specimen.path,
            specimen.snapshot.text(&specimen.path).unwrap_or(""),
            specimen.facts,
            specimen.snapshot,
        );
        let missing: Vec<&str> =
            critique.of(IssueKind::Section).map(|issue| issue.reference.as_str()).collect();
        println!("sections {}/{}  missing {missing:?}", specimen.snapshot.name, specimen.path);
    }
    println!(
        "repositories {}  documents {}  references {}  flagged {}",
        repositories.len(),
        figures.documents,
        figures.checked,
        figures.flagged.len()
    );
    for (kind, (found, count)) in &figures.kinds {
        println!("{kind:?} {found}/{count}");
    }
    let (found, count) = figures.found();
    println!("found {found} of {count}");
    Ok(())
}

/// Owner and name of the repository, as its manifest says.
fn hosted(snapshot: &Snapshot) -> Option<(String, String)> {
    let manifests = ["package.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "go.mod"];
    let text: String = manifests.iter().filter_map(|path| snapshot.text(path)).collect();
    let (_, rest) = text.split_once("github.com/")?;
    let mut parts = rest.split(|c: char| !(c.is_alphanumeric() || "._-".contains(c)));
    Some((parts.next()?.to_owned(), parts.next()?.trim_end_matches(".git").to_owned()))
}

/// Writes all documents of the full pack by rules, and checks them.
fn write_by_rules(repositories: &[(Snapshot, Facts)]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut documents, mut references, mut wrong) = (0, 0, 0);
    for (snapshot, facts) in repositories {
        for target in targets::of_pack(DocPack::Full) {
            let text = rules::write(&target, facts, snapshot, DocDepth::Deep);
            let mut with = snapshot.clone();
            for target in targets::of_pack(DocPack::Full) {
                with.add(&target, b"");
            }
            let critique = check(&target, &text, facts, &with);
            (documents, references) = (documents + 1, references + critique.checked);
            for issue in &critique.issues {
                wrong += 1;
                let line = text.lines().nth(issue.line.saturating_sub(1)).unwrap_or("");
                println!(
                    "wrong    {}/{target}:{}  {}  {}  | {line}",
                    snapshot.name, issue.line, issue.kind, issue.reference
                );
            }
        }
    }
    println!(
        "repositories {}  documents {documents}  references {references}  issues {wrong}",
        repositories.len()
    );
    Ok(())
}

fn read(root: &Path, folder: &Path, snapshot: &mut Snapshot) -> std::io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && ![".git", "node_modules"].contains(&name.as_str()) {
            read(root, &path, snapshot)?;
        } else if kind.is_file() && name != ".cargo-checksum.json" {
            let inside = path
                .strip_prefix(root)
                .map_or_else(|_| name.clone(), |path| path.to_string_lossy().into_owned());
            snapshot.add(&inside, &fs::read(&path)?);
        }
    }
    Ok(())
}
