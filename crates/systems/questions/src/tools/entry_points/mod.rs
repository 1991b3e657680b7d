//! The part of `outline` that finds where programs start instead of definitions.
//!
//! Functions `main` are found by their text and then looked up among the symbols of their file, so that
//! one in a comment or string does not count. Manifests and the like are read line by line, and only
//! where files may be read.

mod manifest;
mod source;

use std::collections::BTreeMap;

use consign_code::{Class, File, Symbol};

use self::manifest::Said;
use super::{Broken, Evidence, Role, View, Yield, find_symbol::of_symbol};
use crate::json::object;

/// A place where something starts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Start {
    /// From 1.
    line: usize,
    /// What starts there, in a few words.
    what: String,
    /// 0 is the most important.
    rank: u8,
}

/// Larger files are neither programs' first files nor manifests.
const MOST_BYTES: u64 = 512 << 10;
/// How many files with a function `main` are parsed, and how many places are listed.
const PARSED: usize = 200;
const LISTED: usize = 60;

pub(super) fn run(view: &View, path: &str) -> Result<Yield, Broken> {
    let folder = if path == "." { "" } else { path.trim_end_matches('/') };
    let reads = view.is_free("read_file");
    let listed = view.files()?;
    let inside = |file: &&File| {
        let rest = file.path.strip_prefix(folder);
        folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let files: Vec<&str> = listed
        .files
        .iter()
        .filter(inside)
        .filter(|file| source::may_start(file) || reads && manifest::is_known(&file.path))
        .map(|file| file.path.as_str())
        .collect();
    let read = view.read_each(&files, MOST_BYTES, |path, bytes| {
        let text = String::from_utf8_lossy(bytes);
        match manifest::is_known(path) {
            true => Read::Manifest(manifest::said(path, &text)),
            false => Read::Source(source::starts(path, &text)),
        }
    })?;
    let mut found: Vec<(&str, Start, Option<Symbol>)> = Vec::new();
    let (mut binaries, mut sources) = (BTreeMap::new(), Vec::new());
    for (path, read) in files.iter().copied().zip(read) {
        match read {
            Some(Read::Manifest(Said { starts, names })) => {
                found.extend(starts.into_iter().map(|start| (path, start, None)));
                binaries.extend(names.into_iter().map(|(of, name)| (beside(path, &of), name)));
            }
            Some(Read::Source(starts)) if !starts.is_empty() => sources.push((path, starts)),
            Some(Read::Source(_)) | None => {}
        }
    }
    sources.sort_by_key(|(path, _)| (Class::of(path), path.matches('/').count(), *path));
    let cut = sources.len() > PARSED;
    for (path, starts) in sources.into_iter().take(PARSED) {
        let outline = if source::is_parsed(path) { Some(symbols(view, path)?) } else { None };
        for mut start in starts {
            let symbol = match &outline {
                None => None,
                Some(symbols) => match source::main_at(path, symbols, start.line) {
                    Some(symbol) => Some(symbol.clone()),
                    None => continue,
                },
            };
            source::describe(path, symbol.as_ref(), &binaries, &mut start);
            found.push((path, start, symbol));
        }
    }
    found.sort_by_key(|(path, start, _)| {
        let other = !path.rsplit('/').next().is_some_and(|name| name.starts_with("main."));
        (aside(path), start.rank, path.matches('/').count(), other, *path, start.line)
    });
    let places: Vec<_> = found
        .iter()
        .take(LISTED)
        .map(|(path, start, _)| {
            let aside = aside(path) > 0;
            object! { "path": *path, "line": start.line, "what": &start.what, "aside": aside }
        })
        .collect();
    let evidence = found.iter().take(LISTED).enumerate();
    let evidence = evidence.map(|(at, (path, start, symbol))| {
        let mut one = match symbol {
            Some(symbol) => of_symbol(symbol, start.what.clone()),
            None => Evidence::at(path, start.line, Role::Usage, start.what.clone()),
        };
        one.score = 1.0 / (1.0 + at as f64 * 0.02);
        one
    });
    let evidence = evidence.collect();
    let result = object! {
        "path": path,
        "entry_points": places,
        "total": found.len(),
        "more": cut || listed.truncated,
        "manifests": reads,
    };
    Ok(Yield { result, evidence })
}

/// What a file says.
enum Read {
    Manifest(Said),
    Source(Vec<Start>),
}

/// Whether people would look there last: 1 in examples and the like, 2 in tests.
fn aside(path: &str) -> u8 {
    if path.split('/').any(|folder| folder == "fuzz") {
        return 2;
    }
    match Class::of(path) {
        Class::Source | Class::Config | Class::Other => 0,
        Class::Docs | Class::Example | Class::Generated | Class::Changelog | Class::Lock => 1,
        Class::Test => 2,
    }
}

/// What a file defines; nothing if it cannot be parsed.
fn symbols(view: &View, path: &str) -> Result<Vec<Symbol>, Broken> {
    match view.outline(path) {
        Ok(found) => Ok(found.items),
        Err(Broken::Cancelled) => Err(Broken::Cancelled),
        Err(Broken::Params(_) | Broken::Denied(_) | Broken::Code(_)) => Ok(Vec::new()),
    }
}

/// A path that is written in a manifest, from the root.
fn beside(manifest: &str, path: &str) -> String {
    let path = path.trim_start_matches("./");
    match manifest.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{path}"),
        None => path.to_owned(),
    }
}
