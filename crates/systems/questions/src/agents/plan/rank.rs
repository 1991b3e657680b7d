//! Which definitions a question is about, best first.
//!
//! A definition is judged by its name, by what it is in, by its first sentence and by its file. Big
//! functions carry more than small ones, and tests only show that something works.

use consign_code::{Class, Kind, Symbol};
use consign_engine::Fault;

use super::super::{
    super::tools::{View, full_name},
    Brief, Stop,
    intent::ground::ok,
    json, test_code,
    topic::Topic,
};

/// A file that the question is probably about.
#[derive(Clone, Debug)]
pub(in super::super) struct Candidate {
    pub(in super::super) path: String,
    pub(in super::super) score: f64,
}

pub(in super::super) struct Ranked {
    pub(in super::super) symbol: Symbol,
    pub(in super::super) score: f64,
}

/// The files that intent handed on.
pub(in super::super) fn candidates(brief: &Brief) -> Vec<Candidate> {
    let Some(intent) = brief.output("intent") else { return Vec::new() };
    json::objects(intent, "candidates")
        .filter_map(|one| {
            let score =
                one.get("score").and_then(|score| score.as_number()).map(|score| score.as_f64());
            Some(Candidate {
                path: json::text(one, "path")?.to_owned(),
                score: score.unwrap_or(0.0),
            })
        })
        .collect()
}

/// Definitions of the first so many files that have to do with the topic.
pub(in super::super) fn symbols(
    view: &View,
    topic: &Topic,
    candidates: &[Candidate],
    files: usize,
    stop: &Stop,
) -> Result<Vec<Ranked>, Fault> {
    if !view.is_free("outline") {
        return Ok(Vec::new());
    }
    let most = candidates.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
    let mut ranked: Vec<Ranked> = Vec::new();
    for candidate in candidates.iter().take(files) {
        stop.check()?;
        let Some(outline) = ok(view.outline(&candidate.path))? else { continue };
        let share = 0.4 + 0.6 * (candidate.score / most).clamp(0.0, 1.0);
        for symbol in outline.items {
            let score = judge(topic, &symbol) * share;
            if score > 0.15 {
                ranked.push(Ranked { symbol, score });
            }
        }
    }
    ranked.sort_by(|a, b| {
        let place = |one: &Ranked| (one.symbol.path.clone(), one.symbol.line);
        b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    Ok(ranked)
}

/// How much a definition has to do with a topic, its file aside.
pub(in super::super) fn judge(topic: &Topic, symbol: &Symbol) -> f64 {
    let name = topic.fits(&symbol.name);
    let container = symbol.container.as_deref().map_or(0.0, |container| topic.fits(container));
    let doc = symbol.doc.as_deref().map_or(0.0, |doc| topic.speaks(doc));
    let path = topic.fits(symbol.path.rsplit('/').next().unwrap_or_default()).min(1.0);
    // A name that does not fit needs something else that does.
    let fit = name + 0.35 * container.min(2.0) + 0.3 * doc.min(2.0) + 0.15 * path;
    if name < 0.3 && doc < 0.9 {
        return 0.0;
    }
    // What has every word of the question in its name is what was asked for, whatever it is.
    let covers = topic.covers(&symbol.name);
    let kind = match symbol.kind {
        Kind::Constant if topic.value => 1.3 + 0.7 * f64::from(u8::from(covers)),
        _ if covers => 1.3,
        Kind::Variable | Kind::Field if topic.value => 0.9,
        Kind::Function | Kind::Method if topic.acts => 1.2,
        Kind::Function
        | Kind::Method
        | Kind::Class
        | Kind::Struct
        | Kind::Trait
        | Kind::Interface => 1.0,
        Kind::Enum | Kind::Macro => 0.85,
        Kind::Type => 0.6,
        // `mod throttle;` only says that there is a file.
        Kind::Module if symbol.end_line <= symbol.line => 0.15,
        Kind::Module | Kind::Constant => 0.5,
        Kind::Variable | Kind::Field | Kind::Variant => 0.3,
    };
    let lines = symbol.end_line.saturating_sub(symbol.line) as f64;
    let size = 0.8 + 0.08 * lines.min(60.0).ln_1p();
    let precise = 0.65 + 0.35 * topic.precision(&symbol.name);
    fit * kind * size * precise * place(symbol)
}

/// What the place of a definition is worth.
fn place(symbol: &Symbol) -> f64 {
    let container = symbol.container.as_deref().unwrap_or_default().to_lowercase();
    let tested = test_code::is_test_name(&full_name(symbol))
        || container.split(['.', ':']).any(|part| part.starts_with("test"));
    match Class::of(&symbol.path) {
        _ if tested => 0.25,
        Class::Source => 1.0,
        Class::Config | Class::Docs | Class::Example | Class::Test | Class::Other => 0.35,
        Class::Generated | Class::Changelog | Class::Lock => 0.15,
    }
}
