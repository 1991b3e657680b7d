//! What could be asked next, about things that were really found.

use super::super::{
    super::tools::{Evidence, Role},
    Brief, critic,
    intent::kind::Kind,
    test_code::is_telling,
    topic::Topic,
    words,
};

pub(super) fn suggest(brief: &Brief, topic: &Topic, cited: &[&Evidence]) -> Vec<String> {
    let kind = critic::kind(brief);
    let mut suggestions: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if suggestions.len() < 4 && !suggestions.contains(&text) {
            suggestions.push(text);
        }
    };
    let asked = |name: &str| {
        topic.symbols.iter().any(|known| words::last_name(known) == words::last_name(name))
    };
    let mut defined = cited
        .iter()
        .filter(|one| one.role == Role::Definition)
        .filter_map(|one| one.symbol.as_deref())
        .filter(|name| is_telling(name));
    let any = || cited.iter().filter_map(|one| one.symbol.as_deref()).find(|name| is_telling(name));
    let first = defined.next().or_else(any);
    if let Some(name) = first {
        match kind {
            Kind::FindUsage => add(format!("How does `{name}` work?")),
            Kind::FindDefinition
            | Kind::TraceFlow
            | Kind::AnalyzeCode
            | Kind::Explain
            | Kind::ListStructure
            | Kind::History
            | Kind::Compare
            | Kind::FindProblem
            | Kind::Count => add(format!("Who calls `{}`?", words::last_name(name))),
        }
    }
    if let Some(other) = defined.find(|name| !asked(name)) {
        add(format!("How does `{other}` work?"));
    }
    let mut called = cited.iter().flat_map(|one| &one.calls);
    if let Some(called) = called.find(|name| !asked(name) && is_telling(name)) {
        add(format!("Where is `{called}` defined?"));
    }
    if let Some(one) = cited.first() {
        match kind {
            Kind::History => add(format!("What is in `{}`?", one.path)),
            Kind::TraceFlow
            | Kind::AnalyzeCode
            | Kind::Explain
            | Kind::FindUsage
            | Kind::FindDefinition
            | Kind::ListStructure
            | Kind::Compare
            | Kind::FindProblem
            | Kind::Count => add(format!("Who last changed `{}`, and why?", one.path)),
        }
        if let Some((folder, _)) = one.path.rsplit_once('/') {
            add(format!("What is in `{folder}`?"));
        }
    }
    suggestions
}
