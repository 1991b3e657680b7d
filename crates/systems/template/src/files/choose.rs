//! Chooses the files of the template.
//!
//! A small project is taken whole. Of a larger one: what it is built by, its entry points, some files
//! of each layer with their tests, and whatever these import, until there are as many as fit.

use std::collections::{BTreeMap, BTreeSet};

use consign_code::Class;

use super::{
    imports::{Index, folder, imports},
    layer::{is_configuration, is_manifest, is_test_of, layer},
    list::is_binary,
    read::TreeReader,
};
use crate::{analysis::Analysis, tree::Seen};

/// Source files and bytes of a project that is taken whole.
const MOST_SOURCES: usize = 2_000;
const MOST_BYTES: u64 = 8 << 20;
/// Files of a template that is chosen from a larger project, unless more are asked for.
const CHOSEN: usize = 400;
/// Files of one layer that a template begins with.
const OF_LAYER: usize = 3;
/// The limit, whatever the user asks for.
const MOST: usize = 8_000;
const MOST_BYTES_ASKED: u64 = 24 << 20;

/// The paths of the files to take, in order of path.
pub(super) fn choose(
    files: &[Seen],
    analysis: &Analysis,
    most: Option<usize>,
    index: &Index,
    reader: &mut TreeReader<'_>,
) -> Vec<String> {
    let sources = files.iter().filter(|file| is_source(&file.path)).count();
    // Pictures have a limit of their own.
    let texts = files.iter().filter(|file| !is_binary(&file.path));
    let bytes: u64 = texts.map(|file| file.bytes).sum();
    let cap = most.unwrap_or(MOST).min(MOST);
    let larger = most.is_some_and(|most| most > MOST_SOURCES);
    let room = if larger { MOST_BYTES_ASKED } else { MOST_BYTES };
    if (larger || sources <= MOST_SOURCES) && bytes <= room && files.len() <= cap {
        return files.iter().map(|file| file.path.clone()).collect();
    }
    let cap = most.unwrap_or(CHOSEN).min(MOST);
    let room = Room { cap, bytes: room, fill: most.is_some() };
    chosen(files, analysis, index, reader, room).into_iter().collect()
}

/// How much a template may have.
#[derive(Clone, Copy)]
struct Room {
    cap: usize,
    bytes: u64,
    /// Take what fits, and not only some of each layer.
    fill: bool,
}

fn chosen(
    files: &[Seen],
    analysis: &Analysis,
    index: &Index,
    reader: &mut TreeReader<'_>,
    room: Room,
) -> BTreeSet<String> {
    let cap = room.cap;
    let sizes = files.iter().map(|file| (file.path.as_str(), file.bytes)).collect();
    let (taken, known) = (BTreeSet::new(), BTreeMap::new());
    let mut chosen = Chosen { index, reader, taken, room, sizes, bytes: 0, known };
    // What it is built by, the nearest to the top first.
    let mut built: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    built.retain(|path| {
        (is_manifest(path) && path.matches('/').count() <= 1) || is_configuration(path)
    });
    built.sort_by_key(|path| (!is_manifest(path), path.matches('/').count(), *path));
    for path in built {
        chosen.alone(path);
    }
    for key in analysis.key_files.iter().filter(|it| it.role == "entry point") {
        chosen.alone(&key.path);
    }
    // One of each layer with its test, so that no layer is crowded out by what another one imports.
    let by_layer = by_layer(files, analysis);
    let mut tests: Vec<&str> = files.iter().map(|it| it.path.as_str()).collect();
    tests.retain(|it| Class::of(it) == Class::Test);
    let test_of = |path: &str| tests.iter().copied().find(|it| is_test_of(it, path));
    for path in by_layer.values().filter_map(|paths| paths.first()) {
        chosen.alone(path);
        test_of(path).into_iter().for_each(|test| chosen.alone(test));
    }
    // Half of the room is for what the entry points need.
    chosen.room.cap = cap / 2;
    for role in ["entry point", "routes"] {
        for key in analysis.key_files.iter().filter(|it| it.role == role) {
            chosen.with_imports(&key.path);
        }
    }
    chosen.room.cap = cap;
    let longest = by_layer.values().map(Vec::len).max().unwrap_or(0);
    for round in 0..if room.fill { longest } else { OF_LAYER } {
        for path in by_layer.values().filter_map(|paths| paths.get(round)) {
            chosen.with_imports(path);
            test_of(path).into_iter().for_each(|test| chosen.with_imports(test));
        }
    }
    let readme = files.iter().find(|it| it.path.eq_ignore_ascii_case("readme.md"));
    readme.into_iter().for_each(|it| chosen.alone(&it.path));
    for file in files.iter().filter(|it| room.fill || is_near(&it.path)) {
        chosen.alone(&file.path);
    }
    chosen.taken
}

/// Whether it is a picture or the like that a project has near its top, or that builds it.
fn is_near(path: &str) -> bool {
    is_binary(path)
        && (path.matches('/').count() <= 1 || path.ends_with("wrapper/gradle-wrapper.jar"))
}

fn is_source(path: &str) -> bool {
    matches!(Class::of(path), Class::Source | Class::Test)
}

/// Candidates of each layer, the most typical first: of middling size, in the shallowest folder.
fn by_layer<'a>(files: &'a [Seen], analysis: &Analysis) -> BTreeMap<String, Vec<&'a str>> {
    let mut all: BTreeMap<String, Vec<&Seen>> = BTreeMap::new();
    for file in files.iter().filter(|file| is_source(&file.path)) {
        let layers = all.entry(layer(analysis, &file.path)).or_default();
        layers.push(file);
    }
    let entity = analysis.names.entities.first().map(|it| it.to_ascii_lowercase());
    let sorted = all.into_iter().map(|(name, mut files)| {
        files.sort_by_key(|file| {
            let about = entity
                .as_ref()
                .is_some_and(|it| file.path.to_ascii_lowercase().contains(it.as_str()));
            (!about, file.bytes.abs_diff(3_000) / 1_000, file.path.matches('/').count(), &file.path)
        });
        (name, files.into_iter().map(|file| file.path.as_str()).collect())
    });
    sorted.collect()
}

struct Chosen<'a, 'b> {
    index: &'a Index,
    reader: &'a mut TreeReader<'b>,
    taken: BTreeSet<String>,
    room: Room,
    sizes: BTreeMap<&'a str, u64>,
    bytes: u64,
    /// What files were found to import.
    known: BTreeMap<String, Vec<String>>,
}

impl Chosen<'_, '_> {
    fn alone(&mut self, path: &str) {
        let size = self.sizes.get(path).copied();
        if let Some(size) = size
            && self.taken.len() < self.room.cap
            && self.bytes + size <= self.room.bytes
            && self.taken.insert(path.to_owned())
        {
            self.bytes += size;
        }
    }

    /// Takes a file with all that it needs, as far as there is room. The nearest come first, so that
    /// what is missing at the end is what is furthest away.
    fn with_imports(&mut self, path: &str) {
        let mut waiting = std::collections::VecDeque::from([path.to_owned()]);
        let mut seen = BTreeSet::new();
        while let Some(path) = waiting.pop_front() {
            if self.taken.len() >= self.room.cap {
                return;
            }
            if !seen.insert(path.clone()) || !self.sizes.contains_key(path.as_str()) {
                continue;
            }
            self.alone(&path);
            let mut above = folder(&path).to_owned();
            while !above.is_empty() {
                let near: Vec<String> = manifests(self.index, &above);
                near.iter().for_each(|it| self.alone(it));
                above = folder(&above).to_owned();
            }
            waiting.extend(self.imports_of(&path).iter().cloned());
        }
    }

    fn imports_of(&mut self, path: &str) -> &[String] {
        if !self.known.contains_key(path) {
            let content = self.reader.text(path).unwrap_or_default();
            let found = imports(self.index, path, &content);
            let files = found.into_iter().flat_map(|it| it.files).collect();
            self.known.insert(path.to_owned(), files);
        }
        self.known.get(path).map_or(&[], Vec::as_slice)
    }
}

fn manifests(index: &Index, folder: &str) -> Vec<String> {
    index.beside(folder).filter(|it| is_manifest(it)).cloned().collect()
}
