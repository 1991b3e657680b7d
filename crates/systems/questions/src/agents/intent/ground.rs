//! Finds out which parts of a question occur in the repository.

use consign_code::{Class, FileScore, Language, Node, Query};
use consign_contracts::json::{Json, Object};
use consign_engine::Fault;

use super::super::{
    super::tools::{Broken, View},
    Stop, entities, glossary,
    json::{IntoJson, object},
    topic::{Group, Path, Topic},
    words,
};

/// What a survey found.
#[derive(Default)]
pub(super) struct Ground {
    pub(super) files: Vec<FileScore>,
    /// Which of the topic's groups, names and phrases occur.
    pub(super) groups: Vec<bool>,
    pub(super) symbols: Vec<bool>,
    pub(super) phrases: Vec<bool>,
    /// Files and folders that the question names and that exist.
    pub(super) paths: Vec<String>,
    /// How distinctive each of the groups is here, from 0 to 1.
    pub(super) weights: Vec<f64>,
}

const FILES: usize = 120;
const CANDIDATES: usize = 20;
/// Files and folders that are looked through for a name.
const ENTRIES: usize = 2_000;
/// Lines that are looked at for one word.
const LINES: usize = 400;

impl Ground {
    pub(super) fn survey(view: &View, topic: &Topic) -> Result<Self, Fault> {
        let mut ground = Self {
            groups: vec![false; topic.groups.len()],
            symbols: vec![false; topic.symbols.len()],
            phrases: vec![false; topic.phrases.len()],
            ..Self::default()
        };
        for path in &topic.paths {
            ground.paths.extend(locate(view, &path.text)?);
        }
        let terms = topic.terms();
        if terms.is_empty() {
            return Ok(ground);
        }
        // Where nobody may look, nothing is known to be missing.
        if !view.is_free("code_search") {
            ground.groups.fill(true);
            ground.symbols.fill(true);
            ground.phrases.fill(true);
            return Ok(ground);
        }
        ground.files = ok(view.survey(&terms, FILES))?.map(|found| found.items).unwrap_or_default();
        let at = |text: &str| terms.iter().position(|term| term.text == text.trim().to_lowercase());
        let occurs = |text: &str| {
            at(text).is_some_and(|at| {
                ground.files.iter().any(|file| file.counts[at] > 0 && is_written(file.class))
            })
        };
        let mut groups = Vec::new();
        for group in &topic.groups {
            groups.push(occurs(&group.stem) && is_a_word(view, &group.stem)?);
        }
        let symbols = topic.symbols.iter().map(|name| occurs(words::last_name(name))).collect();
        let phrases = topic.phrases.iter().map(|phrase| occurs(phrase)).collect();
        let with = |text: &str| {
            at(text).map_or(0, |at| ground.files.iter().filter(|file| file.counts[at] > 0).count())
        };
        // What is nowhere must not make what is somewhere look common.
        let rarity = |group: &Group| match with(&group.stem) {
            0 => 0.0,
            some => (1.0 + ground.files.len() as f64 / some as f64).ln(),
        };
        let rarities: Vec<f64> = topic.groups.iter().map(rarity).collect();
        let most = rarities.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let weights = rarities.iter().map(|rarity| (rarity / most).clamp(0.25, 1.0)).collect();
        (ground.groups, ground.symbols, ground.phrases) = (groups, symbols, phrases);
        ground.weights = weights;
        Ok(ground)
    }

    /// Pairs of a word of the question that occurs nowhere and the word that was searched for
    /// instead.
    pub(super) fn reworded(&self, topic: &Topic) -> Vec<String> {
        let occurs = |text: &String| self.occurs(topic, text);
        let groups = topic.groups.iter().zip(&self.groups);
        groups
            .filter(|(_, there)| !**there)
            .filter_map(|(group, _)| Some((group, group.kin.iter().find(|kin| occurs(kin))?)))
            .flat_map(|(group, kin)| {
                // What was looked for is a stem, which is nobody's word.
                let other = glossary::synonyms(&group.word);
                let other = other.into_iter().find(|word| words::stem(word) == *kin);
                [group.word.clone(), other.map_or_else(|| kin.clone(), str::to_owned)]
            })
            .collect()
    }

    fn occurs(&self, topic: &Topic, text: &str) -> bool {
        let at = topic.terms().iter().position(|term| term.text == *text);
        at.is_some_and(|at| self.files.iter().any(|file| file.counts[at] > 0))
    }

    /// Words of the question that occur nowhere, under any name.
    pub(super) fn absent(&self, topic: &Topic) -> Vec<String> {
        let occurs = |text: &String| self.occurs(topic, text);
        let groups = topic.groups.iter().zip(&self.groups);
        // Of `fallback-handler` the two words are looked for as well.
        let apart = |word: &str| {
            let mut parts = word.split('-');
            word.contains('-')
                && parts.all(|part| topic.groups.iter().any(|group| group.word == part))
        };
        groups
            .filter(|(group, there)| !**there && !group.kin.iter().any(occurs))
            .filter(|(group, _)| !apart(&group.word))
            .map(|(group, _)| group.word.clone())
            .collect()
    }

    /// A folder at the top is often named like any other word: what is in lib?
    pub(super) fn look_for_folders(&mut self, view: &View, topic: &Topic) -> Result<(), Fault> {
        if self.paths.is_empty() && view.is_free("list_tree") {
            for group in &topic.groups {
                if ok(view.list_tree(&group.word, 1, 1))?.is_some() {
                    self.paths.push(group.word.clone());
                }
            }
        }
        Ok(())
    }

    /// "What changed in the server?", "when was the changelog changed?": one word may be a folder or a file.
    pub(super) fn look_for_a_place(&mut self, view: &View, topic: &mut Topic) -> Result<(), Fault> {
        let named = !topic.symbols.is_empty() || !topic.paths.is_empty();
        let [group] = topic.groups.as_slice() else { return Ok(()) };
        if named {
            return Ok(());
        }
        if let Some(place) = place(view, &group.word, &[1, 2, 4, 8])? {
            topic.paths.push(Path { text: place.clone(), line: None });
            self.paths.push(place);
        }
        Ok(())
    }

    /// How much of the question is in the repository, from 0 to 1.
    pub(super) fn coverage(&self, topic: &Topic) -> f64 {
        let paths = topic.paths.iter().filter(|path| !entities::is_maybe_words(&path.text)).count();
        let named = topic.symbols.len() + paths.max(self.paths.len()) + topic.phrases.len();
        let there = count(&self.symbols) + self.paths.len() + count(&self.phrases);
        let weights = |only_there: bool| -> f64 {
            let groups = topic.groups.iter().zip(&self.groups);
            groups.filter(|(_, there)| !only_there || **there).map(|(group, _)| group.weight).sum()
        };
        let whole = 2.0 * named as f64 + weights(false);
        if whole == 0.0 { 0.0 } else { (2.0 * there as f64 + weights(true)) / whole }
    }

    /// What each word of the topic is worth here, by word.
    pub(super) fn weights_json(&self, topic: &Topic) -> Json<'static> {
        let mut weights = Object::new();
        for (group, weight) in topic.groups.iter().zip(&self.weights) {
            weights.set(group.word.clone(), weight.into_json());
        }
        Json::Object(weights)
    }

    /// The best files, for the plan to begin with.
    pub(super) fn candidates_json(&self) -> Json<'static> {
        let best = self.files.iter().take(CANDIDATES);
        best.map(|file| {
            let lines: Vec<usize> = file.lines.iter().map(|line| line.line).collect();
            object! { "path": &file.path, "score": file.score, "lines": lines, "class": file.class.name() }
        })
        .collect::<Vec<_>>()
        .into_json()
    }
}

/// Whether a word occurs as a word: `mining` in `determining` does not count, and a capacitor is
/// not a capacity.
fn is_a_word(view: &View, stem: &str) -> Result<bool, Fault> {
    if !stem.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return Ok(true);
    }
    let (first, rest) = stem.split_at(1);
    let hump = format!("{}{rest}", first.to_uppercase());
    let mut query = Query::regex(format!("(^|[^A-Za-z])(?i:{stem})|[a-z0-9]{hump}"));
    query.case_sensitive = true;
    query.limit = LINES;
    let Some(found) = ok(view.search(&query))? else { return Ok(true) };
    let has = |text: &str| words::parts(text).iter().any(|part| words::has_stem(part, stem));
    Ok(found.items.iter().any(|hit| has(&hit.text)))
}

fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|flag| **flag).count()
}

/// Whether people write such files: what is only in generated or lock files does not count.
fn is_written(class: Class) -> bool {
    match class {
        Class::Source | Class::Config | Class::Docs | Class::Example | Class::Test => true,
        Class::Other | Class::Generated | Class::Changelog | Class::Lock => false,
    }
}

/// The only folder, or the only file, of that name, whatever its ending, so many levels deep; deeper where there is
/// none.
pub(in super::super) fn place(
    view: &View,
    word: &str,
    depths: &[usize],
) -> Result<Option<String>, Fault> {
    if !view.is_free("list_tree") {
        return Ok(None);
    }
    let is_it = |path: &str| {
        let own = path.rsplit('/').next().unwrap_or_default();
        own.split('.').next().unwrap_or_default().eq_ignore_ascii_case(word)
    };
    for depth in depths {
        let Some(tree) = ok(view.list_tree("", *depth, ENTRIES))? else { return Ok(None) };
        // Of what was left out nobody knows what it is called.
        if tree.truncated {
            return Ok(None);
        }
        let (mut folders, mut code, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for node in tree.nodes {
            match node {
                Node::Directory { path, .. } if is_it(&path) => folders.push(path),
                Node::File { path, language } if is_it(&path) => {
                    match language.is_some_and(Language::has_grammar) {
                        true => code.push(path),
                        false => files.push(path),
                    }
                }
                Node::Directory { .. } | Node::File { .. } => {}
            }
        }
        let found = [folders, code, files].into_iter().find(|found| !found.is_empty());
        let mut found = found.unwrap_or_default();
        match found.len() {
            0 => {}
            1 => return Ok(found.pop()),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The path in the repository for a path of the question: as it is written, or the file or folder
/// of that name.
pub(super) fn locate(view: &View, path: &str) -> Result<Option<String>, Fault> {
    let bare = path.trim_start_matches("./").trim_matches('/');
    if bare.is_empty() {
        return Ok(None);
    }
    // That there is such a file is no more than whoever names it knows; what it is not may not be searched for.
    if !view.is_free("code_search") {
        let there = ok(view.read_file(bare, 1, 1))?.is_some();
        return Ok(there.then(|| bare.to_owned()));
    }
    if ok(view.read_file(bare, 1, 1))?.is_some() || ok(view.list_tree(bare, 1, 1))?.is_some() {
        return Ok(Some(bare.to_owned()));
    }
    // Only what can be part of a glob by itself.
    if bare.contains(['*', '?', '[', ']', '{', '}', '\\', '!']) {
        return Ok(None);
    }
    let mut query = Query::regex(".");
    query.glob = Some(if bare.contains('/') { format!("**/{bare}") } else { bare.to_owned() });
    query.limit = 1;
    Ok(ok(view.search(&query))?
        .and_then(|found| found.items.into_iter().next())
        .map(|hit| hit.path))
}

/// Treats what cannot be read as missing; only a cancellation ends the work.
pub(in super::super) fn ok<T>(given: Result<T, Broken>) -> Result<Option<T>, Fault> {
    match given {
        Ok(value) => Ok(Some(value)),
        Err(Broken::Cancelled) => Err(Stop::fault()),
        Err(Broken::Params(_) | Broken::Denied(_) | Broken::Code(_)) => Ok(None),
    }
}
