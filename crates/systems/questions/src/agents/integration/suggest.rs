//! Suggests follow-up questions about things that were found.

use super::super::{
    super::tools::{Evidence, Role},
    Brief, critic,
    intent::kind::Kind,
    test_code::is_telling,
    topic::Topic,
    words,
};

pub(super) fn suggest(
    brief: &Brief,
    topic: &Topic,
    cited: &[&Evidence],
    has_history: bool,
) -> Vec<String> {
    let kind = critic::kind(brief);
    let mut suggestions: Vec<String> = Vec::new();
    // Nobody asks again what they have just asked.
    let mut add = |text: String, of: Kind, about: &str| {
        let again = kind == of && topic.text.contains(words::last_name(about));
        if suggestions.len() < 4 && !again && !suggestions.contains(&text) {
            suggestions.push(text);
        }
    };
    let asked = |name: &str| {
        topic.symbols.iter().any(|known| words::last_name(known) == words::last_name(name))
    };
    let telling = |one: &&&Evidence| one.symbol.as_deref().is_some_and(is_telling);
    let defined: Vec<&&Evidence> =
        cited.iter().filter(|one| one.role == Role::Definition).filter(telling).collect();
    let name_of = |one: &Evidence| one.symbol.clone().unwrap_or_default();
    if let Some(one) = defined.iter().find(|one| is_called(one)) {
        let name = name_of(one);
        add(format!("Who calls `{}`?", words::last_name(&name)), Kind::FindUsage, &name);
    }
    if let Some(one) = defined.iter().find(|one| is_built_on(one)) {
        let name = name_of(one);
        let last = words::last_name(&name);
        add(format!("Which classes extend or implement `{last}`?"), Kind::FindImplementers, &name);
    }
    let other = defined.iter().map(|one| name_of(one)).find(|name| !asked(name));
    let other = other.or_else(|| defined.first().map(|one| name_of(one)));
    if let Some(other) = other {
        add(format!("How does `{other}` work?"), Kind::TraceFlow, &other);
    }
    let mut called = cited.iter().flat_map(|one| &one.calls);
    if let Some(called) = called.find(|name| !asked(name) && is_telling(name)) {
        add(format!("Where is `{called}` defined?"), Kind::FindDefinition, called);
    }
    if let Some(one) = cited.first() {
        if has_history {
            add(format!("Who last changed `{}`, and why?", one.path), Kind::History, &one.path);
        }
        add(format!("What is in `{}`?", one.path), Kind::ListStructure, &one.path);
    }
    suggestions
}

fn is_called(one: &Evidence) -> bool {
    matches!(one.kind.as_deref(), Some("function" | "method" | "macro"))
}

fn is_built_on(one: &Evidence) -> bool {
    matches!(one.kind.as_deref(), Some("trait" | "interface"))
}
