//! The perception stage: normalizes the question, and finds the names in it.
//!
//! It reads the question and nothing else. Spaces, quotes and letters in several forms become one
//! form; nothing that looks like a name changes.

use consign_contracts::{
    Contract,
    envelope::PerceptionOutput,
    json::{Json, Object},
    wire::Message,
};
use consign_engine::Fault;

use super::{
    Brief, BuiltIn, Stop,
    built_in::contract,
    entities::{self, EntityKind},
    glossary,
    json::{IntoJson, object},
    language, words,
};

pub(super) struct Perception;

/// Longer questions are cut: a text of this length is a pasted log, not a question.
const LONGEST: usize = 20_000;
const MOST_TERMS: usize = 40;

impl BuiltIn for Perception {
    fn name(&self) -> &'static str {
        "perception"
    }

    fn contract(&self) -> &'static Contract {
        contract(PerceptionOutput::NAME)
    }

    fn reads(&self) -> &'static [&'static str] {
        &["raw_input", "envelope_id", "session_id", "metadata"]
    }

    fn work(&self, brief: &Brief, _stop: &Stop) -> Result<Json<'static>, Fault> {
        let seen = perceive(brief.text("raw_input").unwrap_or_default());
        let session = brief.envelope.get("metadata").and_then(|metadata| metadata.get("session"));
        let of_session = |key: &str| session.and_then(|session| session.get(key)).cloned();
        let history = of_session("session_history").or_else(|| of_session("history"));
        let preferences = of_session("user_preferences").or_else(|| of_session("preferences"));
        let context = object! {
            "session_history": history.filter(|it| it.as_array().is_some()).unwrap_or(Json::Array(Vec::new())),
            "user_preferences": preferences
                .filter(|it| it.as_object().is_some())
                .unwrap_or_else(|| Json::Object(Object::new())),
        };
        let listed: Vec<Object<'static>> = seen
            .entities
            .iter()
            .map(|entity| {
                let mut one = object! { "text": &entity.text, "kind": entity.kind.name() };
                if let Some(line) = entity.line {
                    one.set("line", line.into_json());
                }
                one
            })
            .collect();
        let names: Vec<String> = seen.entities.iter().map(|entity| entity.text.clone()).collect();
        Ok(object! {
            "normalized_input": seen.text,
            "detected_language": seen.language,
            "extracted_entities": names,
            "context": context,
            "entities": listed,
            "terms": seen.terms,
            "foreign_terms": seen.foreign,
            "source": "heuristic",
        }
        .into_json())
    }
}

/// A question as it was understood.
pub(super) struct Seen {
    pub(super) text: String,
    pub(super) language: &'static str,
    pub(super) entities: Vec<entities::Entity>,
    /// Content words, in English where they are known, in order, each once.
    pub(super) terms: Vec<String>,
    /// The content words in another language that could not be translated.
    pub(super) foreign: Vec<String>,
}

pub(super) fn perceive(raw: &str) -> Seen {
    let text = normalize(words::clip(raw, LONGEST));
    let language = language::detect(&text);
    let entities = entities::find(&text);
    let (terms, foreign) = terms(&text, language, &entities);
    Seen { text, language, entities, terms, foreign }
}

/// One form for what has several: spaces, quotes, dashes, letters with marks. No control characters.
pub(super) fn normalize(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    for letter in raw.chars() {
        match letter {
            // Byte order mark, zero-width, direction and soft-hyphen marks say nothing.
            '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{ad}' => {}
            letter if letter.is_whitespace() || letter.is_control() => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => text.push('"'),
            '‘' | '’' | '‚' | '‛' | '′' => text.push('\''),
            '´' => text.push('\''),
            '‐' | '‑' | '–' | '—' | '−' => text.push('-'),
            mark @ '\u{300}'..='\u{36f}' => {
                // A mark without a letter before it says nothing.
                if let Some(base) = text.pop() {
                    match composed(base, mark) {
                        Some(letter) => text.push(letter),
                        None => text.extend([base, mark]),
                    }
                }
            }
            letter => text.push(letter),
        }
    }
    let trimmed = text.trim();
    // Three question marks ask no more than one does. A name may end in dots or a bang, so only
    // repeats of the last mark go.
    let body = trimmed.trim_end_matches(['?', '!', '.', ' ']);
    match trimmed[body.len()..].chars().find(|mark| *mark != ' ') {
        _ if body.is_empty() => String::new(),
        Some(_) if trimmed[body.len()..].contains('?') => format!("{body}?"),
        Some(mark) => format!("{body}{mark}"),
        None => body.to_owned(),
    }
}

/// The letter that a base and a mark make together, for the letters of Western Europe.
fn composed(base: char, mark: char) -> Option<char> {
    const TABLE: &[(char, &str, &str)] = &[
        ('\u{300}', "AEIOUaeiou", "ÀÈÌÒÙàèìòù"),
        ('\u{301}', "AEIOUYaeiouyCcNnSsZz", "ÁÉÍÓÚÝáéíóúýĆćŃńŚśŹź"),
        ('\u{302}', "AEIOUaeiou", "ÂÊÎÔÛâêîôû"),
        ('\u{303}', "ANOano", "ÃÑÕãñõ"),
        ('\u{308}', "AEIOUaeiouy", "ÄËÏÖÜäëïöüÿ"),
        ('\u{30a}', "AaUu", "ÅåŮů"),
        ('\u{30c}', "CcSsZz", "ČčŠšŽž"),
        ('\u{327}', "Cc", "Çç"),
    ];
    let (_, bases, letters) = TABLE.iter().find(|(known, _, _)| *known == mark)?;
    let at = bases.chars().position(|known| known == base)?;
    letters.chars().nth(at)
}

/// Verbs and nouns that ask, rather than say what is asked about.
const ASKING: &str = " work works working worked explain describe show list find tell trace analyze analyse review \
    examine inspect compare comparison difference differ different differences between versus define defined \
    defines definition declare declared implement implemented implementation implements used uses using usage \
    usages user's call calls called caller callers reference references overview structure layout organized \
    happen happens happening mean means purpose reason cause causes caused come comes file files code codebase \
    repository repo project function functions class classes method methods module modules variable struct \
    trait type interface flow step steps changed change changes last history commit commits author wrote written \
    raise raised raises throw thrown throws located exist exists thing stuff people number count part parts \
    look looks responsible logic mechanism system subsystem way ways kind details detail handled handle handles \
    handling done made goes go going take takes place via fail fails support supports supported supporting \
    provide provides provided offer offers \
    recently recent latest newest lately ruft rufen auf \
    passiert passieren funktioniert funktionieren erkläre zeige definiert aufgerufen fonctionne expliquer définie défini utilise \
    différence entre quels fichiers définissent définit changé modifié diferencia cambió último \
    unterschied zwischen geändert letzte letzten differenza cambiato diferença mudou \
    utilisé appelle funciona explica define definida usa funziona spiega definita definito explique usado ";

/// Verbs for what is done to a thing somewhere: `where is the port configured?` is about the port.
const ACTIONS: &str = " set configured triggered generated decided stored kept computed calculated created built \
    rendered registered loaded saved sent parsed checked validated started stopped initialized initialised chosen \
    selected determined resolved constructed instantiated allocated assigned emitted produced printed written \
    specified controlled managed documented ";

/// Whether a word says what is done, and not to what.
pub(super) fn is_action(word: &str) -> bool {
    ACTIONS.contains(&format!(" {word} "))
}

/// What stands after "how" and only asks.
const MEASURES: &[&str] =
    &["big", "large", "long", "many", "much", "often", "deep", "high", "fast", "small"];

/// Small words after a verb that belong to it: `log in` is `login` in code.
const PARTICLES: &str = " in out up off back down on over ";

/// A verb and its particle, as names with underscores write them: `checkout` is `check_out`.
pub(super) fn apart(word: &str) -> Option<String> {
    if !KNOWN_PAIRS.contains(&format!(" {word} ")) {
        return None;
    }
    let particle = PARTICLES.split_whitespace().find(|particle| word.ends_with(particle))?;
    Some(format!("{}_{particle}", word.strip_suffix(particle)?))
}

/// Whether a word asks rather than names.
pub(super) fn is_asking(word: &str) -> bool {
    ASKING.contains(&format!(" {word} "))
}

fn terms(text: &str, language: &str, entities: &[entities::Entity]) -> (Vec<String>, Vec<String>) {
    let (mut terms, mut foreign): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut add = |term: String| {
        if term.chars().count() > 1 && !terms.contains(&term) && terms.len() < MOST_TERMS {
            terms.push(term);
        }
    };
    let plain = entities::without(text).to_lowercase();
    let tokens: Vec<&str> = plain
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-'))
        .map(|token| token.trim_matches(['-', '_']))
        .filter(|token| !token.is_empty())
        .collect();
    for (at, token) in tokens.iter().enumerate() {
        let particle = tokens.get(at + 1).filter(|next| PARTICLES.contains(&format!(" {next} ")));
        if let Some(particle) =
            particle.filter(|_| language != "de" && !language::is_small(token, language))
        {
            let joined = format!("{}{particle}", words::stem(token));
            if KNOWN_PAIRS.contains(&format!(" {joined} ")) {
                add(joined);
                continue;
            }
        }
        // "How big is the cache?" is about the cache.
        let measures = at > 0 && tokens[at - 1] == "how" && MEASURES.contains(token);
        if language::is_small(token, language)
            || measures
            || is_asking(token)
            // A number of three digits or more is a status or a limit that somebody has seen.
            || token.len() < 3 && token.chars().all(char::is_numeric)
        {
            continue;
        }
        let english = glossary::english(token, language);
        if english.is_empty() && token.contains('-') {
            // `sont-ils` is two small words, `client-side` two others and a name.
            let parts: Vec<&str> =
                token.split('-').filter(|part| !language::is_small(part, language)).collect();
            if parts.len() > 1 {
                add((*token).to_owned());
            }
            parts.iter().filter(|part| part.len() > 2).for_each(|part| add((*part).to_owned()));
        } else if english.is_empty() {
            add((*token).to_owned());
            if !["en", language::UNDETERMINED].contains(&language) {
                foreign.push((*token).to_owned());
            }
        } else {
            english
                .into_iter()
                .filter(|word| !is_asking(word))
                .for_each(|word| add(word.to_owned()));
        }
    }
    // The words of a phrase, and of names that may not exist, are worth a search of their own.
    for entity in entities {
        if entity.kind == EntityKind::Phrase {
            for word in entity.text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
                if !language::is_small(word, language) && word.len() > 2 {
                    add(word.to_owned());
                }
            }
        }
    }
    (terms, foreign)
}

/// Verbs with a particle that code writes as one word.
const KNOWN_PAIRS: &str = " login logout logon logoff signin signout signup signoff checkout checkin setup cleanup \
    startup shutdown rollback rollout timeout lookup backup teardown fallback callback opt-in optin optout writeback \
    fadeout spinup spindown pushback failover rollover takeover handover ";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_question_has_one_form() {
        for (raw, expected) in [
            ("  How\tdoes\n it work ???", "How does it work?"),
            ("“quoted” ‘too’ — yes", "\"quoted\" 'too' - yes"),
            ("Cafe\u{301} u\u{308}ber", "Café über"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("stop!!!", "stop!"),
            ("what?!", "what?"),
            ("???", ""),
            ("", ""),
        ] {
            assert_eq!(normalize(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn content_words_are_kept_and_translated() {
        for (question, expected) in [
            ("How does authentication work?", &["authentication"][..]),
            (
                "Wie funktioniert die Anmeldung eines Benutzers?",
                &["login", "authentication", "user"],
            ),
            ("How is a connection checked out of the pool?", &["connection", "checkout", "pool"]),
            ("What happens when a user logs in?", &["user", "login"]),
            ("How does it work?", &[]),
            ("Who calls parse_config?", &[]),
            ("¿Cómo se resuelven los nombres DNS?", &["resolve", "name", "dns"]),
        ] {
            assert_eq!(perceive(question).terms, expected, "{question}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_perceived(raw in any::<String>()) {
            let seen = perceive(&raw);
            prop_assert!(!seen.text.chars().any(char::is_control));
            prop_assert_eq!(normalize(&seen.text), seen.text.clone());
        }

        #[test]
        fn no_name_is_lost(
            before in "[a-zA-Z ,.?!äöü]{0,40}",
            name in "(src/)?[a-z]{2,8}_[a-z]{2,8}(\\.rs|\\.py|\\(\\))?|[A-Z][a-z]{2,6}[A-Z][a-z]{2,6}(\\.[a-z]{2,6}_[a-z]{2,6})?|--[a-z]{2,8}|/api/[a-z]{2,8}",
            after in "[a-zA-Z ,?!]{0,40}",
        ) {
            let seen = perceive(&format!("{before} {name} {after}"));
            prop_assert!(
                seen.entities.iter().any(|entity| entity.text == name),
                "{name} is not in {:?}", seen.entities
            );
        }
    }
}
