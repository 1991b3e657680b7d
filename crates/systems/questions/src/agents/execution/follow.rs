//! Follows up on the definitions that were found: what they call, and what they consist of.

use std::collections::BTreeMap;

use consign_code::{Kind as SymbolKind, Symbol};
use consign_engine::Fault;

use super::super::{
    super::tools::{Evidence, Role, View, full_name, of_symbol},
    Brief, Stop,
    intent::{ground::ok, kind::Kind},
    plan::rank,
    topic::Topic,
    words,
};

/// Definitions that are followed, files that are looked into for what they call, and what is kept.
const FOLLOWED: usize = 5;
const FILES: usize = 8;
const PER_DEFINITION: usize = 4;

pub(super) fn follow(
    brief: &Brief,
    view: &View,
    topic: &Topic,
    kind: Kind,
    evidence: &mut Vec<Evidence>,
    stop: &Stop,
) -> Result<(), Fault> {
    let follows = match kind {
        Kind::TraceFlow | Kind::Explain | Kind::AnalyzeCode => true,
        Kind::FindUsage
        | Kind::FindDefinition
        | Kind::ListStructure
        | Kind::History
        | Kind::Compare
        | Kind::FindProblem
        | Kind::Count
        | Kind::FindImplementers
        | Kind::ShowLines
        | Kind::FindTests
        | Kind::AboutProject
        | Kind::FindEntryPoints => false,
    };
    // It is the work of these two tools, whoever asks for it.
    let free = |tool: &str| brief.allows(tool) && brief.free(tool);
    if !follows || !free("outline") || !free("find_symbol") {
        return Ok(());
    }
    let mut files: Vec<String> = Vec::new();
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    let worth =
        |one: &Evidence| one.score * (0.3 + topic.fits(one.symbol.as_deref().unwrap_or_default()));
    order.sort_by(|a, b| worth(&evidence[*b]).total_cmp(&worth(&evidence[*a])));
    order.retain(|at| evidence[*at].role == Role::Definition);
    for at in &order {
        if files.len() < FILES && !files.contains(&evidence[*at].path) {
            files.push(evidence[*at].path.clone());
        }
    }
    let mut outlines: BTreeMap<String, Vec<Symbol>> = BTreeMap::new();
    for path in files {
        stop.check()?;
        let outline = ok(view.outline(&path))?.map(|found| found.items).unwrap_or_default();
        outlines.insert(path, outline);
    }
    let mut more = Vec::new();
    for at in order.into_iter().take(FOLLOWED) {
        stop.check()?;
        let found = &mut evidence[at];
        let Some(symbol) = outlines
            .get(&found.path)
            .and_then(|outline| outline.iter().find(|symbol| symbol.line == found.line).cloned())
        else {
            continue;
        };
        if is_function(symbol.kind) {
            let calls = ok(view.calls_in(&symbol))?.unwrap_or_default();
            let names: Vec<String> = calls.into_iter().map(|call| call.name).collect();
            more.extend(called(found, &symbol, &names, &outlines, topic));
        } else {
            more.extend(members(found, &symbol, &outlines, topic));
        }
    }
    evidence.extend(more);
    Ok(())
}

fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro)
}

/// What a function calls and where that is defined, as far as it is in one of these files.
fn called(
    found: &mut Evidence,
    symbol: &Symbol,
    names: &[String],
    outlines: &BTreeMap<String, Vec<Symbol>>,
    topic: &Topic,
) -> Vec<Evidence> {
    let mut known: Vec<(f64, &Symbol)> = Vec::new();
    for name in names {
        let defined = outlines.iter().flat_map(|(path, outline)| {
            let near: f64 = if *path == symbol.path { 1.0 } else { 0.6 };
            outline.iter().filter(|one| one.name == *name).map(move |one| (near, one))
        });
        // Its own file first: a name that is defined twice is more often the near one.
        let nearest = defined.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((near, target)) = nearest
            && !(target.path == symbol.path && target.line == symbol.line)
        {
            known.push((near * (0.5 + topic.fits(name).min(1.0)), target));
        }
    }
    let unknown = names.iter().filter(|name| topic.fits(name) > 0.0).cloned();
    let mut listed: Vec<String> = known.iter().map(|(_, target)| target.name.clone()).collect();
    unknown
        .filter(|name| !listed.contains(name))
        .collect::<Vec<_>>()
        .into_iter()
        .for_each(|it| listed.push(it));
    listed.dedup();
    listed.truncate(8);
    found.calls = listed;
    let caller = full_name(symbol);
    let parent = found.score;
    known.sort_by(|a, b| b.0.total_cmp(&a.0));
    known
        .into_iter()
        .take(PER_DEFINITION)
        .map(|(near, target)| {
            let mut one = of_symbol(
                target,
                format!("`{caller}` calls {} `{}`", target.kind.name(), full_name(target)),
            );
            one.score = parent * 0.75 * near.min(1.0);
            one
        })
        .collect()
}

/// The members of a type that have most to do with the topic.
fn members(
    found: &Evidence,
    symbol: &Symbol,
    outlines: &BTreeMap<String, Vec<Symbol>>,
    topic: &Topic,
) -> Vec<Evidence> {
    let Some(outline) = outlines.get(&symbol.path) else { return Vec::new() };
    let inside = outline.iter().filter(|one| {
        let container = one.container.as_deref().map(words::last_name);
        is_function(one.kind) && container == Some(symbol.name.as_str())
    });
    let mut ranked: Vec<(f64, &Symbol)> = inside
        .map(|one| {
            let lines = one.end_line.saturating_sub(one.line) as f64;
            (rank::judge(topic, one) + 0.02 * lines.min(30.0), one)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.line.cmp(&b.1.line)));
    ranked
        .into_iter()
        .take(PER_DEFINITION)
        .map(|(worth, one)| {
            let relevance = format!("`{}` has {} `{}`", symbol.name, one.kind.name(), one.name);
            let mut member = of_symbol(one, relevance);
            member.score = found.score * (0.55 + 0.15 * worth.min(2.0));
            member
        })
        .collect()
}
