//! Finds the conventions of a project: names, failures, indentation.

mod case;

use std::collections::BTreeMap;

use consign_code::{Class, Language};

use self::case::style;
use super::{Conventions, Count, project::Project, sample::Sampled, symbols::Named};

/// Below one place in this many, something is an exception and no convention.
const RARE: usize = 10;

pub(super) fn of(project: &Project, language: Option<Language>) -> Conventions {
    Conventions {
        naming: naming(project, language),
        error_handling: failures(project),
        indentation: indentation(project, language),
    }
}

fn naming(project: &Project, language: Option<Language>) -> Vec<Count> {
    let files = project.sources.iter().filter(|source| {
        source.class == Class::Source && language.is_none_or(|language| source.language == language)
    });
    let files = files.map(|source| source.name().split('.').next().unwrap_or_default());
    let types = project.seen.types.iter().filter(is_free).map(|one| one.name.as_str());
    let functions = project.seen.functions.iter().filter(is_free).map(|one| one.name.as_str());
    let mut all = tally("files", files);
    all.extend(tally("types", types));
    all.extend(tally("functions", functions));
    all
}

/// In Go the first letter decides who may use a name, so its case is no convention.
fn is_free(one: &&Named) -> bool {
    Language::of(&one.path) != Some(Language::Go)
}

fn tally<'a>(of: &str, names: impl Iterator<Item = &'a str>) -> Vec<Count> {
    let (mut styles, mut plain) = (BTreeMap::<&str, usize>::new(), 0);
    for name in names {
        match style(name) {
            Some(style) => *styles.entry(style).or_default() += 1,
            None if name.chars().all(|c| c.is_lowercase() || c.is_numeric()) => plain += 1,
            None => {}
        }
    }
    // Where all names are of one word, that is all that can be said.
    if styles.is_empty() && plain > 0 {
        styles.insert("lowercase", plain);
    }
    common(of, styles)
}

/// Those that are no exceptions, the most frequent first.
fn common(of: &str, counts: BTreeMap<&str, usize>) -> Vec<Count> {
    let all: usize = counts.values().sum();
    let mut common: Vec<Count> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0 && count * RARE >= all)
        .map(|(value, count)| Count { of: of.to_owned(), value: value.to_owned(), count })
        .collect();
    common.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    common
}

/// A way to report failures, its languages, and what it looks like in them.
type Way = (&'static str, &'static [Language], &'static [&'static str]);

const THROWING: &[Language] = &[
    Language::CSharp,
    Language::Java,
    Language::Kotlin,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Vue,
    Language::Svelte,
    Language::Php,
    Language::Cpp,
];

const WAYS: &[Way] = &[
    ("exceptions", THROWING, &["throw ", "catch (", "catch(", "} catch"]),
    ("exceptions", &[Language::Kotlin], &["require(", "requireNotNull(", "check(", "error(\""]),
    ("exceptions", &[Language::Python], &["raise ", "except ", "except:"]),
    ("exceptions", &[Language::Ruby], &["raise ", "rescue ", "rescue_from"]),
    ("Result", &[Language::Rust], &["Result<", "?;", "?)"]),
    ("Result", THROWING, &["ErrorOr<", "Result<", "Either<", "Result.Failure"]),
    ("thiserror", &[Language::Rust], &["thiserror"]),
    ("anyhow", &[Language::Rust], &["anyhow"]),
    ("panics", &[Language::Rust], &[".unwrap()", "panic!("]),
    ("error values", &[Language::Go], &["err != nil", "errors.New", "fmt.Errorf"]),
    ("panics", &[Language::Go], &["panic("]),
];

fn failures(project: &Project) -> Vec<Count> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in project.code() {
        for (way, languages, marks) in WAYS {
            if languages.contains(&one.language) {
                let seen: usize = marks.iter().map(|mark| one.count(mark)).sum();
                *counts.entry(way).or_default() += seen;
            }
        }
    }
    common("failures", counts)
}

fn indentation(project: &Project, language: Option<Language>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let own = |one: &&Sampled| language.is_none_or(|language| is_of(one.language, language));
    for one in project.code().filter(own).take(300) {
        let mut before = 0;
        for line in one.text.lines().take(400).filter(|line| !line.trim().is_empty()) {
            if line.starts_with('\t') {
                *counts.entry("tabs".to_owned()).or_default() += 1;
                continue;
            }
            let depth = line.len() - line.trim_start_matches(' ').len();
            // A step inwards is what an author's editor makes; what follows keeps it.
            if depth > before && [2, 3, 4, 8].contains(&(depth - before)) {
                let step = format!("spaces-{}", depth - before);
                *counts.entry(step).or_default() += 1;
            }
            before = depth;
        }
    }
    counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0))).map(|(of, _)| of)
}

fn is_of(language: Language, leading: Language) -> bool {
    let components = [Language::Tsx, Language::Vue, Language::Svelte];
    let script = [Language::TypeScript, Language::JavaScript];
    language == leading || script.contains(&leading) && components.contains(&language)
}
