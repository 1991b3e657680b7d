//! Finds out which words of a question are names in the repository, and which names are not.
//!
//! `connect` in "who calls connect?" and `File` in "where is File defined?" look like words. They are
//! names if something is called so, and if they stand where a name would. The other way round,
//! `res.json` looks like a file and may be a method, and `app.db.models` like a method and may be a
//! folder. Only the repository can tell.

use consign_code::{Class, Kind as SymbolKind};
use consign_engine::Fault;

use super::{
    super::{
        super::tools::View,
        entities, perception,
        topic::{Path, Topic},
        words,
    },
    ground::{locate, ok},
    joined,
};

/// Words that are looked up, at most.
const LOOKED_UP: usize = 3;

/// Settles what of a topic is a name, a path or just a word.
pub(super) fn settle(view: &View, topic: &mut Topic) -> Result<(), Fault> {
    if !view.is_free("find_symbol") {
        return Ok(());
    }
    paths_that_are_symbols(view, topic)?;
    symbols_that_are_paths(view, topic)?;
    let mut looked_up = 0;
    for word in candidates(&topic.text) {
        let known = topic.symbols.iter().any(|name| words::last_name(name) == word.text);
        if known || looked_up >= LOOKED_UP {
            continue;
        }
        looked_up += 1;
        if is_defined(view, &word)? {
            topic.symbols.push(word.text);
        }
    }
    if topic.symbols.is_empty()
        && topic.paths.is_empty()
        && let Some(name) = joined::find(view, topic)?
    {
        topic.symbols.push(name);
    }
    // In the order of the question: it says which side is compared with which.
    let text = topic.text.clone();
    topic.symbols.sort_by_key(|name| text.find(name.as_str()).unwrap_or(usize::MAX));
    topic.drop_named();
    Ok(())
}

fn paths_that_are_symbols(view: &View, topic: &mut Topic) -> Result<(), Fault> {
    let mut at = 0;
    while let Some(path) = topic.paths.get(at) {
        let text = path.text.clone();
        let dotted = !text.contains('/') && path.line.is_none();
        if dotted && locate(view, &text)?.is_none() && defines(view, &text)? {
            topic.paths.remove(at);
            topic.symbols.push(text);
        } else {
            at += 1;
        }
    }
    Ok(())
}

fn symbols_that_are_paths(view: &View, topic: &mut Topic) -> Result<(), Fault> {
    let mut at = 0;
    while let Some(name) = topic.symbols.get(at).cloned() {
        let bare = name.trim_end_matches("()");
        let path = bare.replace("::", "/").replace('.', "/");
        if path.contains('/')
            && !defines(view, bare)?
            && let Some(found) = locate(view, &path)?
        {
            topic.symbols.remove(at);
            topic.paths.push(Path { text: found, line: None });
        } else {
            at += 1;
        }
    }
    Ok(())
}

fn defines(view: &View, name: &str) -> Result<bool, Fault> {
    Ok(ok(view.find_symbol(name, None))?.is_some_and(|found| !found.items.is_empty()))
}

/// A word that stands where a name would.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    text: String,
    /// Written like a type. Small letters want more to be taken for a name.
    capital: bool,
    /// One of two things that are set side by side: these are names more often than words.
    compared: bool,
}

fn is_defined(view: &View, word: &Word) -> Result<bool, Fault> {
    let Some(found) = ok(view.find_symbol(&word.text, None))? else { return Ok(false) };
    let fits = |kind: SymbolKind| match kind {
        SymbolKind::Function
        | SymbolKind::Method
        | SymbolKind::Macro
        | SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Enum
        | SymbolKind::Trait
        | SymbolKind::Interface => true,
        SymbolKind::Type | SymbolKind::Constant | SymbolKind::Variable => {
            word.capital || word.compared
        }
        SymbolKind::Module | SymbolKind::Field | SymbolKind::Variant => false,
    };
    Ok(found.items.iter().any(|symbol| {
        symbol.name == word.text
            && fits(symbol.kind)
            && (word.capital || Class::of(&symbol.path) == Class::Source)
    }))
}

/// Verbs after which comes what is called, used or changed.
const BEFORE: &str = " calls call uses use invokes imports extends extend implements implement inherits overrides \
    ruft verwendet benutzt appelle utilise llama chiama chama changed wrote added introduced removed renamed \
    defines instantiates creates raises throws ";
/// Nouns that belong to a name with `of` or `to`.
const OF: &str = " callers caller usages usage uses users references reference calls definition declaration \
    implementation implementations implementers implementors subclasses signature body source ";
/// Words for what a name can be.
const KINDS: &str = " function functions method methods class struct trait interface enum macro funktion methode \
    klasse fonction méthode classe función método clase funzione metodo função ";
/// What ends a question about where something is.
const WHERE: &str = " defined declared implemented used called raised thrown set checked returned read instantiated \
    created initialized initialised overridden imported handled validated assigned invoked constructed definiert \
    verwendet aufgerufen benutzt ";
/// Words that set two things side by side.
const COMPARES: &str = " difference differences between versus vs compare compared unterschied différence diferencia differenza diferença ";
const DOES: &str = " do does return returns mean means take takes accept accepts ";
const SMALL: &str = " each every everything both the a an this that its it them those these is are was were and or by in on of to from with for at \
    who what which where when why how all any der die das den dem ein eine le la les el los il ";

/// The words of a question that may be names, the likeliest first.
fn candidates(text: &str) -> Vec<Word> {
    let masked = entities::masked(text);
    let tokens: Vec<&str> = masked
        .split_whitespace()
        .map(|token| token.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')))
        .filter(|token| !token.is_empty())
        .collect();
    let lower: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let is = |at: Option<usize>, list: &str| {
        at.and_then(|at| lower.get(at)).is_some_and(|word| list.contains(&format!(" {word} ")))
    };
    let mut found: Vec<(u8, Word)> = Vec::new();
    let compares = lower.iter().any(|word| COMPARES.contains(&format!(" {word} ")));
    for (at, token) in tokens.iter().enumerate() {
        let beside =
            is(at.checked_sub(1), " between and versus vs compare und zwischen entre et y e tra ")
                && (at + 1 == tokens.len()
                    || is(Some(at + 1), " and versus vs with to und et y e "));
        let compared = compares && beside;
        let small = is(Some(at), SMALL) || *token == entities::MASK;
        // `g` is a word of a question only where it is compared with something.
        let short = token.len() < 2 && !compared;
        if small || short || !words::is_identifier(token) {
            continue;
        }
        // "the connect method", "who calls the connect method": an article says nothing.
        let article =
            at.checked_sub(1).filter(|before| is(Some(*before), " the a an der die das le la el "));
        let before = article.unwrap_or(at).checked_sub(1);
        let two_before = before.and_then(|before| before.checked_sub(1));
        let calls = is(before, BEFORE) && before.is_some_and(|before| before > 0);
        let of = is(before, " of to von de di ") && is(two_before, OF);
        let of_kind = is(before, KINDS) || is(at.checked_sub(1), KINDS);
        let kind_after = is(Some(at + 1), KINDS);
        let asked_where = is(before, " is are wird ist est ")
            && is(two_before, " where wo où dónde dove onde ")
            && is(Some(at + 1), WHERE);
        let does = article.is_none()
            && is(before, " does ")
            && is(two_before, " what ")
            && is(Some(at + 1), DOES);
        // A verb beside a kind is no name: "the struct declared in …".
        let noun = !perception::is_asking(&lower[at]);
        let strict =
            calls || of || asked_where || does || compared || noun && (of_kind || kind_after);
        let capital = token.starts_with(char::is_uppercase)
            && (token.chars().any(char::is_lowercase) || calls || asked_where)
            && (at > 0 || tokens.len() == 1);
        if strict || capital {
            let rank = match (strict, capital) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            };
            found.push((rank, Word { text: (*token).to_owned(), capital, compared }));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_stand_where_names_do_are_looked_up() {
        for (question, expected) in [
            ("who calls connect?", &["connect"][..]),
            ("who calls the connect method", &["connect"]),
            ("where is File defined?", &["File"]),
            ("where is the Step struct declared", &["Step"]),
            ("what does get do?", &["get"]),
            ("definition of add", &["add"]),
            ("which classes extend Field?", &["Field"]),
            ("What is the difference between Handle and HandleFunc?", &["Handle"]),
            ("difference between merge and nest", &["merge", "nest"]),
            ("difference between g and session", &["g", "session"]),
            ("who changed LIMIT?", &["LIMIT"]),
            ("How does caching work?", &[]),
            ("how does a worker take over?", &[]),
            ("Explain the login flow", &[]),
            ("who calls parse_config?", &[]),
            ("why is \"where is it defined\" printed", &[]),
        ] {
            let found: Vec<String> =
                candidates(question).into_iter().map(|word| word.text).collect();
            assert_eq!(found, expected, "{question}");
        }
    }
}
