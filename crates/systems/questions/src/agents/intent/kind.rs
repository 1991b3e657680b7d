//! Classifies a question, by the words that ask.

use super::super::{counting, entities};

/// Kinds of questions. On the wire any other word may come from a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    TraceFlow,
    AnalyzeCode,
    Explain,
    FindUsage,
    FindDefinition,
    ListStructure,
    History,
    Compare,
    FindProblem,
    Count,
    /// Who extends or implements something.
    FindImplementers,
    /// What stands at a line.
    ShowLines,
    /// What tests something.
    FindTests,
    /// What a manifest says: dependencies, licence, versions, features.
    AboutProject,
    /// Where the program starts.
    FindEntryPoints,
}

impl Kind {
    pub(crate) const ALL: [Self; 15] = [
        Self::TraceFlow,
        Self::AnalyzeCode,
        Self::Explain,
        Self::FindUsage,
        Self::FindDefinition,
        Self::ListStructure,
        Self::History,
        Self::Compare,
        Self::FindProblem,
        Self::Count,
        Self::FindImplementers,
        Self::ShowLines,
        Self::FindTests,
        Self::AboutProject,
        Self::FindEntryPoints,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::TraceFlow => "trace_flow",
            Self::AnalyzeCode => "analyze_code",
            Self::Explain => "explain",
            Self::FindUsage => "find_usage",
            Self::FindDefinition => "find_definition",
            Self::ListStructure => "list_structure",
            Self::History => "history",
            Self::Compare => "compare",
            Self::FindProblem => "find_problem",
            Self::Count => "count",
            Self::FindImplementers => "find_implementers",
            Self::ShowLines => "show_lines",
            Self::FindTests => "find_tests",
            Self::AboutProject => "about_project",
            Self::FindEntryPoints => "find_entry_points",
        }
    }

    /// The kind of that name; another is treated as `explain`.
    pub(crate) fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.word() == word).unwrap_or(Self::Explain)
    }
}

/// Phrases that ask, and how much each says. `*` stands for one to ten words.
const CUES: &[(Kind, u32, &str)] = &[
    // Whatever happens then, be it a failure.
    (Kind::TraceFlow, 4, "what happens when|what happens if|what happens after|was passiert wenn"),
    (
        Kind::TraceFlow,
        3,
        "trace|walk me through|step by step|what happens when|what happens if|end to end|life cycle|lifecycle|follow the|path of a|path of the|data flow|control flow|flow of|ablauf|was passiert|que se passe|qué pasa|o que acontece|cosa succede|flujo|flusso|fluxo|flux de",
    ),
    (
        Kind::TraceFlow,
        2,
        "how does|how do|how is|how are|how did|how can|how will|how it|flow|wie funktioniert|wie funktionieren|wie wird|wie werden|wie läuft|comment fonctionne|comment est|comment sont|comment|cómo funciona|cómo se|cómo|como funciona|como é|como são|come funziona|come viene|come vengono|come",
    ),
    (
        Kind::Explain,
        3,
        "explain|describe|purpose of|what is the purpose|what does|what do|meaning of|tell me about|understand|erkläre|erklär|was macht|was ist|wozu|explique|expliquer|à quoi sert|qu'est-ce|explica|explicar|qué es|qué hace|o que é|o que faz|spiega|cos'è|cosa fa|a cosa serve",
    ),
    (
        Kind::Explain,
        1,
        "what is|what are|why|why does|why is|warum|pourquoi|por qué|por que|perché|about",
    ),
    (
        Kind::AnalyzeCode,
        4,
        "analyze|analyse|analysis of|review|assess|inspect|examine|audit|evaluate|quality of|complexity of|analysiere|untersuche|prüfe den code|analizar|analiza|analise|analizza|analyser",
    ),
    (
        Kind::FindUsage,
        5,
        "who calls|who uses|what calls|what uses|callers of|caller of|calls to|usages of|usage of|uses of|users of|references to|referenced|used by|called by|called from|where is * used|where are * used|where is * called|where are * called|where do we use|where do we call|which * uses|which * use|which * calls|which * call|depends on|depend on|who imports|imported|wer ruft|wo wird * verwendet|wo wird * aufgerufen|wo wird * benutzt|verwendungen von|qui appelle|où est utilisé|où est * utilisé|où est * appelé|utilisations de|quién llama|dónde se usa|dónde se llama|chi chiama|dove viene usato|dove viene usata|quem chama|onde é usado|onde é usada|where is * set|where is * checked|where is * returned|where is * read|where is * instantiated|where is * created|where is * initialized|where is * assigned|where is * validated|where is * invoked|where is * imported|where is * constructed",
    ),
    (
        Kind::FindUsage,
        8,
        "which files import|which modules import|who imports|what imports|files that import",
    ),
    (
        Kind::FindImplementers,
        7,
        "implements|implement|implementations of|implementers of|implementors of|subclasses of|subclasses does|subclass of|inherit from|inherits from|inherit|inherits|extends|extend|derived from|derive|derives|subclasses|implementierungen von|erben von|unterklassen von|implémentent|implementan|estendono",
    ),
    (
        Kind::FindDefinition,
        5,
        "where is * defined|where are * defined|where is * declared|where are * declared|where is * implemented|where are * implemented|definition of|declaration of|defined|declared|where does * live|where do * live|where can i find|which file defines|which file contains|wo ist * definiert|wo wird * definiert|où est définie|où est défini|où est * défini|où est * définie|dónde está definida|dónde está definido|dónde se define|dove è definita|dove è definito|onde está definida|onde está definido|onde é definida|onde é definido",
    ),
    (
        Kind::FindDefinition,
        3,
        "where is the function|where is the class|where is the method|where is the struct|where is the trait|where is the type|where is the interface|where is the enum|where is the constant|where is|where are|locate|find the|wo ist|wo sind|où est|où sont|dónde está|dónde están|dove è|dove sono|onde está|onde fica",
    ),
    (
        Kind::ListStructure,
        5,
        "structure of|overview of|layout of|how is * organized|how is * organised|how is * structured|what files|which files|list files|list the files|list all files|which modules|what modules|which packages|which folders|directory structure|folder structure|project structure|file tree|architecture of|contents of|list the structure|show me the structure|high level overview|table of contents|struktur|aufbau|überblick|welche dateien|welche module|structure du|structure de|quels fichiers|estructura|qué archivos|struttura|quali file|estrutura|quais arquivos",
    ),
    (
        Kind::ListStructure,
        3,
        "where do i start|where should i start|where to start reading|start reading|what is in|what's in|what is inside|structure|overview|architecture|layout|organized|organised|modules does|files does",
    ),
    (
        Kind::History,
        6,
        "who changed|who wrote|who added|who last|who introduced|who created|who modified|who committed|who edited|who removed|who owns|who maintains|who is the author|when was|when were|when did|last changed|last modified|recently changed|recent changes|change history|history of|git log|git blame|what changed|changed recently|latest changes|latest commits|recent commits|last commits|newest commits|commits by|what did * change|what has * changed|what did * commit|which commit|what commit|commits to|commits that|why was * changed|why was * added|why was * removed|why was * introduced|why was * dropped|why was * renamed|why was * deprecated|why was * replaced|why was * reverted|why was * moved|why were * removed|why were * changed|why were * added|wer hat|wann wurde|zuletzt geändert|was wurde geändert|was hat sich geändert|qui a|quand a|a changé|qué cambió|cosa è cambiato|o que mudou|quién cambió|quién escribió|cuándo|chi ha|quando è stato|quem mudou|quem escreveu|quando foi",
    ),
    (
        Kind::Compare,
        6,
        "difference between|differences between|compare|compared|comparison|versus|vs|differ|differs|different from|distinguishes|unterschied|unterschiede|vergleiche|différence|comparer|diferencia|comparar|compara|differenza|confronta|diferença|compare",
    ),
    (
        Kind::FindProblem,
        5,
        "raised|raises|thrown|throws|throw|raise|why do i get|why am i getting|why would * fail|why does * fail|error come from|error comes from|error from|what causes|cause of|causes the error|root cause|bug|bugs|crash|crashes|panics|stack trace|traceback|error message|geworfen|fehlermeldung|warum schlägt|levée|lancée|lanza|lanzada|sollevata|lançada",
    ),
    (
        Kind::FindProblem,
        2,
        "error|errors|exception|exceptions|fails|fail|failing|broken|wrong|fehler|erreur|excepción|errore|erro",
    ),
    (
        Kind::AboutProject,
        7,
        "what dependencies|which dependencies|what are the dependencies|list the dependencies|list all dependencies|which license|what license|which licence|what licence|what is the license|what is the licence|which rust version|what rust version|which python version|what python version|which node version|what node version|which go version|what go version|which java version|what java version|minimum rust version|minimum python version|version of rust|version of python|version of node|version of go|version of java|msrv|which features does it|what features does it|cargo features|crate features|feature flags does|what cargo features|which features does this|what features does this|welche abhängigkeiten|welche lizenz",
    ),
    (
        Kind::FindEntryPoints,
        8,
        "entry point|entry points|entrypoint|entrypoints|einstiegspunkt|einstiegspunkte|point d'entrée|points d'entrée|punto de entrada|puntos de entrada|punto di ingresso|ponto de entrada",
    ),
    (
        Kind::FindTests,
        8,
        "which tests|what tests|tests for|tests of|test of|tests cover|test covers|tests covering|tests exercise|tests check|which test covers|which test checks|where is * tested|where are * tested|how is * tested|how are * tested|how well is * tested|is * tested|are * tested|is there a test|is there any test|are there tests|are there any tests|test coverage of|tested by|welche tests|wo wird * getestet|wie wird * getestet",
    ),
];

/// What a question names, as far as that says what it is after.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    pub(super) path: bool,
    /// A path with a line.
    pub(super) line: bool,
    pub(super) name: bool,
    /// Words in quotes: mostly a message that the user has seen.
    pub(super) phrase: bool,
    /// The repository as a whole, and nothing in it.
    pub(super) whole: bool,
}

/// The kind of a question, and how sure that is, from 0 to 1.
pub(super) fn classify(text: &str, names: Names) -> (Kind, f64) {
    // What is quoted or named does not ask: a message may say "called from".
    let words: Vec<String> = entities::masked(text)
        .to_lowercase()
        .split(|letter: char| {
            !(letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '/' | '.'))
        })
        .map(|word| word.trim_matches(['.', '\'']).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let mut scores = [0_u32; Kind::ALL.len()];
    for (kind, weight, cues) in CUES {
        // One cue of a line is enough; a second says the same again.
        if cues.split('|').any(|cue| says(&words, cue)) {
            scores[*kind as usize] += weight;
        }
    }
    if counting::asks_how_many(&counting::tokens(text)) {
        scores[Kind::Count as usize] += 9;
    }
    // All members of a type, or all definitions of a place: as exact as a number of them.
    if (names.name || names.path) && counting::asks_for_list(text) {
        scores[Kind::Count as usize] += 4;
    }
    if names.path && scores[Kind::ListStructure as usize] > 0 {
        scores[Kind::ListStructure as usize] += 2;
    }
    if !names.name {
        // Without a name there is nothing to be defined or used; it asks how something is done.
        if !names.path {
            scores[Kind::FindUsage as usize] /= 2;
        }
        if counting::base_of(text).is_none() {
            scores[Kind::FindImplementers as usize] = 0;
        }
    }
    if names.name {
        // Something that has a name is more than where the program starts.
        scores[Kind::FindEntryPoints as usize] = 0;
    }
    if names.name || names.path {
        // What something in it needs or offers is another question.
        scores[Kind::AboutProject as usize] = 0;
    }
    // How many there may be is set somewhere, and not counted.
    const SET: &str =
        "by default|at most|the default|maximum|at once|in parallel|per default|allowed";
    if scores[Kind::Count as usize] > 0 && SET.split('|').any(|cue| says(&words, cue)) {
        scores[Kind::Count as usize] = 0;
        scores[Kind::FindDefinition as usize] += 5;
    }
    if names.phrase {
        scores[Kind::FindProblem as usize] += 4;
    }
    let best = Kind::ALL
        .into_iter()
        .max_by_key(|kind| (scores[*kind as usize], std::cmp::Reverse(*kind as usize)));
    let best = best.filter(|kind| scores[*kind as usize] > 0);
    let total: u32 = scores.iter().sum();
    let (kind, sure) = match best {
        Some(kind) => {
            (kind, 0.55 + 0.4 * f64::from(scores[kind as usize]) / f64::from(total.max(1)))
        }
        // Just a name: where and what is it? Just a path: what is in it?
        None if names.path => (Kind::ListStructure, 0.5),
        None if names.name => (Kind::Explain, 0.5),
        None => (Kind::Explain, 0.35),
    };
    let about_a_place = match kind {
        Kind::TraceFlow | Kind::Explain | Kind::FindDefinition | Kind::ListStructure => true,
        Kind::AnalyzeCode
        | Kind::FindUsage
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
    if names.line && about_a_place {
        (Kind::ShowLines, 0.9)
    } else if names.whole && about_a_place {
        (Kind::ListStructure, 0.7)
    } else {
        (kind, sure)
    }
}

fn says(words: &[String], cue: &str) -> bool {
    let cue: Vec<&str> = cue.split(' ').collect();
    (0..words.len()).any(|at| fits(&words[at..], &cue))
}

fn fits(words: &[String], cue: &[&str]) -> bool {
    match cue {
        [] => true,
        ["*", rest @ ..] => (1..=10.min(words.len())).any(|skip| fits(&words[skip..], rest)),
        [first, rest @ ..] => {
            words.first().is_some_and(|word| word == first) && fits(&words[1..], rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        for (text, path, name, expected) in [
            ("How does caching work?", false, false, "trace_flow"),
            ("What happens when a file is saved?", false, false, "trace_flow"),
            ("What happens when a task panics?", false, false, "trace_flow"),
            ("Explain the scheduler", false, false, "explain"),
            ("What does parse_header do?", false, true, "explain"),
            ("Review the locking code", false, false, "analyze_code"),
            ("Who calls parse_header?", false, true, "find_usage"),
            ("Where is the queue length used?", false, true, "find_usage"),
            ("Where is parse_header defined?", false, true, "find_definition"),
            ("Give me an overview of src/net", true, false, "list_structure"),
            ("src/net", true, false, "list_structure"),
            ("Who last changed src/net/mod.rs?", true, false, "history"),
            ("What is the difference between Reader and Writer?", false, true, "compare"),
            ("Where is TimeoutError raised?", false, true, "find_problem"),
            ("Why do I get \"connection reset\"?", false, false, "find_problem"),
            ("How many parsers are there?", false, false, "count"),
            ("How many redirects are followed by default?", false, false, "find_definition"),
            ("¿Qué cambió en el último commit?", false, false, "history"),
            ("Wie funktioniert der Parser?", false, false, "trace_flow"),
            ("Wo ist Parser definiert?", false, true, "find_definition"),
            ("Qui appelle parse_header ?", false, true, "find_usage"),
            ("Cuántos analizadores hay?", false, false, "count"),
            ("parse_header", false, true, "explain"),
            ("Which classes extend Field?", false, true, "find_implementers"),
            ("Which files import src/net.rs?", true, false, "find_usage"),
            ("How many classes extend Field?", false, true, "count"),
            ("Which classes extend Exception?", false, false, "find_implementers"),
            ("How do we implement retries?", false, false, "trace_flow"),
            ("Who derives Debug?", false, false, "find_implementers"),
            ("What dependencies does it have?", false, false, "about_project"),
            ("Which licence does this project have?", false, false, "about_project"),
            ("Which Rust version does it need?", false, false, "about_project"),
            ("What dependencies does parse_header have?", false, true, "explain"),
            ("Where do I start reading?", false, false, "list_structure"),
            ("Where is SECRET_KEY checked?", false, true, "find_usage"),
            ("Where is the answer checked?", false, false, "find_definition"),
            ("What changed recently?", false, false, "history"),
            ("What tests cover blame?", false, false, "find_tests"),
            ("Where is parse_header tested?", false, true, "find_tests"),
            ("How is the scheduler tested?", false, false, "find_tests"),
            ("How many tests cover parse_header?", false, true, "count"),
            ("Where is the number of workers set?", false, false, "find_definition"),
            ("How is the number of retries determined?", false, false, "trace_flow"),
            ("What are the variants of Kind?", false, true, "count"),
            ("Which methods does Session have?", false, true, "count"),
            ("Which functions call parse_header?", false, true, "find_usage"),
        ] {
            let names = Names { path, name, ..Names::default() };
            assert_eq!(classify(text, names).0.word(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_named_decides_where_words_do_not() {
        let quoted = Names { phrase: true, ..Names::default() };
        let kind = |text: &str, names| classify(text, names).0.word();
        assert_eq!(
            kind("where does \"must be called from a runtime\" come from?", quoted),
            "find_problem"
        );
        let line = Names { path: true, line: true, ..Names::default() };
        assert_eq!(kind("what is on line src/a.rs:7?", line), "show_lines");
        assert_eq!(kind("who last changed src/a.rs:7?", line), "history");
        let whole = Names { whole: true, ..Names::default() };
        assert_eq!(kind("what does this project do?", whole), "list_structure");
    }

    #[test]
    fn every_kind_is_known_by_its_word() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(kind.word()), kind);
        }
        assert_eq!(Kind::of("something_else"), Kind::Explain);
    }
}
