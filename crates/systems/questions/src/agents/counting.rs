//! Reads from a question what is to be counted or listed.
//!
//! "How many public methods does Session have?" counts `methods`, and says `public` of them. Only
//! nouns that the tools can count exactly are known here. It reads the question and nothing else.

use std::ops::Range;

use super::entities;

/// Something that can be counted exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    Lines,
    Files,
    Folders,
    /// Cargo packages.
    Crates,
    Tests,
    /// Definitions of these kinds, and the words for them.
    Symbols(&'static [&'static str], &'static str),
    Modules,
    Variants,
    /// What extends or implements something.
    Heirs,
    Calls,
    Uses,
}

const NOUNS: &[(&str, Noun)] = &[
    ("lines line loc zeilen lignes líneas righe linhas", Noun::Lines),
    ("files file dateien fichiers archivos arquivos", Noun::Files),
    (
        "folders folder directories directory subfolders subdirectories dirs ordner verzeichnisse dossiers carpetas",
        Noun::Folders,
    ),
    ("crates crate", Noun::Crates),
    ("tests test testfälle pruebas", Noun::Tests),
    (
        "functions function funktionen fonctions funciones funzioni funções",
        Noun::Symbols(&["function", "method"], "functions and methods"),
    ),
    ("methods method methoden méthodes métodos metodi", Noun::Symbols(&["method"], "methods")),
    ("classes class klassen clases classi", Noun::Symbols(&["class"], "classes")),
    ("structs struct structures", Noun::Symbols(&["struct"], "structs")),
    ("enums enum enumerations", Noun::Symbols(&["enum"], "enums")),
    ("traits trait", Noun::Symbols(&["trait"], "traits")),
    ("interfaces interface", Noun::Symbols(&["interface"], "interfaces")),
    (
        "types type typen",
        Noun::Symbols(
            &["class", "struct", "enum", "trait", "interface"],
            "classes, structs, enums, traits and interfaces",
        ),
    ),
    ("constants constant konstanten", Noun::Symbols(&["constant"], "constants")),
    ("macros macro", Noun::Symbols(&["macro"], "macros")),
    ("modules module", Noun::Modules),
    ("variants variant", Noun::Variants),
    (
        "subclasses subclass implementations implementation implementers implementors implementor descendants",
        Noun::Heirs,
    ),
    ("calls call callers caller times", Noun::Calls),
    ("usages usage uses places references reference spots", Noun::Uses),
];

/// Words that end what is counted.
const AFTER: &str = " is are was were do does did have has had exist exists there in inside within on under of that \
    which who with from to for by can could will would should may get gets at and or this these the call calls use \
    uses using invoke invokes import imports reference references extend extends inherit inherits implement \
    implements subclass derive derives override overrides cover covers mention mentions test tests named called \
    whose \
    gibt sind hat haben werden y a hay existen tiene tienen en dans ci sono ha há existem tem em rufen verwenden ";

/// Words before what is counted that say nothing of it.
const BEFORE: &str = " the a an of all different distinct total de des d der die das are ";

/// Words around what is counted that add nothing to it.
const AROUND: &str = " is are was were do does did have has had exist exists there in inside within on under of \
    that which the a an all this these our its total altogether exactly overall currently entire whole be been and \
    me please repo repository project codebase code define defines defined declare declares declared contain \
    contains contained implemented present available directly found class struct enum trait interface type file \
    folder directory what's what give tell show can you to here where \
    gibt es sind hat haben der die das dem den im werden il y t le la les dans du hay en el los las \
    ci sono nel nella dei delle há em no na do da os as ";

/// Verbs that say in which way something is connected with a name.
pub(super) const CALLS: &str = " call calls called calling invoke invokes invoked caller callers rufen aufgerufen appellent llaman chiamano ";
pub(super) const USES: &str = " use uses used using reference references referenced import imports imported usages usage verwenden verwendet ";
pub(super) const HEIRS: &str = " extend extends extending inherit inherits inheriting implement implements \
    implementing subclass derive derives deriving derived from builds on subclasses implementations implementers ";
pub(super) const COVERS: &str =
    " cover covers covering covered exercise exercises mention mentions check checks for ";
/// Words that say that what follows is a part of the name.
pub(super) const NAMES: &str =
    " name names whose with their its contain contains containing include includes including ";

pub(super) const LANGUAGES: &[&str] = &[
    "rust",
    "python",
    "typescript",
    "javascript",
    "go",
    "java",
    "c#",
    "c++",
    "c",
    "markdown",
    "toml",
    "json",
    "yaml",
    "html",
    "css",
    "shell",
    "sql",
];

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// In the words of the question: `public methods`.
    pub(super) what: String,
    /// `None` if it cannot be counted.
    pub(super) noun: Option<Noun>,
    /// What is said of it before its name.
    pub(super) said: Vec<String>,
    /// All other words, without those that ask and without names.
    pub(super) rest: Vec<String>,
    /// Whether it is to be listed, not only counted.
    pub(super) list: bool,
}

impl Counted {
    /// What a question wants counted or listed; `None` if neither.
    pub(super) fn of(text: &str) -> Option<Self> {
        let words = tokens(text);
        let (cue, list) = how_many(&words)
            .map(|cue| (cue, false))
            .or_else(|| listing(&words).map(|end| (0..end, true)))?;
        let known = |word: &str| noun(word).is_some();
        let begin = cue.end + words[cue.end..].iter().take_while(|it| is_in(it, BEFORE)).count();
        let rest = &words[begin..];
        // "test files" go on, "tests cover" do not.
        let end = rest.iter().enumerate().position(|(at, word)| {
            let goes_on = at == 0 || rest.get(at + 1).is_some_and(|next| known(next));
            word.as_str() == entities::MASK || is_in(word, AFTER) && !(known(word) && goes_on)
        });
        let end = begin + end.unwrap_or(rest.len());
        let mut said: Vec<String> = words[begin..end].to_vec();
        said.retain(|word| !is_in(word, BEFORE));
        let what = said.join(" ");
        let rest: Vec<String> = words[..cue.start]
            .iter()
            .chain(&words[end..])
            .filter(|word| word.as_str() != entities::MASK)
            .cloned()
            .collect();
        let noun = match said.pop() {
            Some(cases) if cases == "cases" && said == ["test"] => {
                said.clear();
                Some(Noun::Tests)
            }
            Some(head) => noun(&head),
            // "How often is it called?"
            None if rest.iter().any(|word| is_in(word, CALLS)) => Some(Noun::Calls),
            None if rest.iter().any(|word| is_in(word, USES)) => Some(Noun::Uses),
            None => None,
        };
        Some(Self { what, noun, said, rest, list })
    }

    /// Whether it is said what the names have in them: "with token in their name", "whose names contain token".
    pub(super) fn says_name(&self) -> bool {
        let rest = format!(" {} ", self.rest.join(" "));
        let inside = ["their", "its", "the"].iter().any(|whose| {
            rest.contains(&format!(" in {whose} name "))
                || rest.contains(&format!(" in {whose} names "))
        });
        inside
            || self.says(" name names ")
                && self.says(" contain contains containing include includes including ")
    }

    pub(super) fn says(&self, list: &str) -> bool {
        self.rest.iter().any(|word| is_in(word, list))
    }
}

/// Whether a question asks for a number of things that are in the code. A number that is set, checked or
/// used is a value: where it comes from is another question.
pub(super) fn asks_how_many(words: &[String]) -> bool {
    how_many(words).is_some()
}

/// Whether a question wants all of something that can be told exactly.
pub(super) fn asks_for_list(text: &str) -> bool {
    Counted::of(text).is_some_and(|counted| {
        // One word may be the name of a type; more say something that is not understood.
        let is_name = |word: &String| {
            let mut tokens = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            tokens
                .any(|token| token.starts_with(char::is_uppercase) && token.to_lowercase() == *word)
        };
        let others: Vec<&String> = counted.rest.iter().filter(|word| !is_around(word)).collect();
        counted.list
            && others.len() <= 1
            && others.into_iter().all(is_name)
            && counted.said.is_empty()
            && matches!(counted.noun, Some(Noun::Symbols(..) | Noun::Variants | Noun::Tests))
    })
}

/// The words that ask for a number.
fn how_many(words: &[String]) -> Option<Range<usize>> {
    const MANY: &[&str] = &[
        "how many",
        "wie viele",
        "wieviele",
        "combien de",
        "combien d",
        "cuántos",
        "cuántas",
        "quanti",
        "quante",
        "quantos",
        "quantas",
        "how often",
        "wie oft",
    ];
    const NUMBER: &[&str] = &["number of", "count of", "count the", "count all", "count", "anzahl"];
    const ASKS: &str =
        " where who which what when why how controls decides limits determines sets wo wer où qui ";
    const LEADS: &str = " what is are the what's whats give me tell us total exact please show and can you compute ";
    let at = |cues: &[&str]| {
        cues.iter().find_map(|cue| {
            let cue: Vec<&str> = cue.split(' ').collect();
            let at = words.windows(cue.len()).position(|some| some.iter().eq(cue.iter()))?;
            Some((at, at + cue.len()))
        })
    };
    if let Some((at, end)) = at(MANY) {
        return (!words[..at].iter().any(|word| is_in(word, ASKS))).then_some(at..end);
    }
    let (at, end) = at(NUMBER)?;
    words[..at].iter().all(|word| is_in(word, LEADS)).then_some(at..end)
}

/// Where what is to be listed begins.
fn listing(words: &[String]) -> Option<usize> {
    const LEADS: &[&str] = &[
        "list all",
        "list the",
        "list",
        "what are all the",
        "what are the",
        "which",
        "what",
        "show me all",
        "show all",
        "name all",
        "enumerate",
    ];
    LEADS.iter().find_map(|lead| {
        let lead: Vec<&str> = lead.split(' ').collect();
        let begins = words.len() > lead.len() && words.iter().zip(&lead).all(|(a, b)| a == b);
        begins.then_some(lead.len())
    })
}

/// What can be counted under a word.
pub(super) fn noun(word: &str) -> Option<Noun> {
    NOUNS
        .iter()
        .find(|(named, _)| named.split(' ').any(|known| known == word))
        .map(|(_, noun)| *noun)
}

/// A text without what types are given: `Service<Request>` is `Service`.
fn without_arguments(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' if depth > 0
                || kept.ends_with(|last: char| last.is_alphanumeric() || last == '_') =>
            {
                depth += 1;
            }
            '>' if depth > 0 => depth -= 1,
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    // What is not closed was no list of arguments.
    if depth == 0 { kept } else { text.to_owned() }
}

/// The base type in a question, if it is written like a type. It need not be defined in the
/// repository.
pub(super) fn base_of(text: &str) -> Option<String> {
    const BETWEEN: &str = " from of the trait interface class type on ";
    let trimmed = |token: &str| {
        token.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).to_owned()
    };
    let text = without_arguments(text);
    let mut tokens = text.split_whitespace().map(trimmed).skip_while(|token| {
        let verb = token.to_lowercase();
        !is_in(&verb, HEIRS) || is_in(&verb, BETWEEN)
    });
    tokens.next()?;
    let name = tokens.find(|token| !is_in(&token.to_lowercase(), BETWEEN))?;
    name.starts_with(char::is_uppercase).then_some(name)
}

/// Whether a word is in such a list.
pub(super) fn is_in(word: &str, list: &str) -> bool {
    list.contains(&format!(" {word} "))
}

/// Whether a word says nothing that would change what is counted.
pub(super) fn is_around(word: &str) -> bool {
    is_in(word, AROUND)
}

/// The words of a question, in lower case, names masked.
pub(super) fn tokens(text: &str) -> Vec<String> {
    without_arguments(&entities::masked(text))
        .to_lowercase()
        .split(|letter: char| !(letter.is_alphanumeric() || "#+_'".contains(letter)))
        .map(|word| word.trim_matches('\'').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told_with_all_that_is_said_of_it() {
        for (text, what, known) in [
            ("How many routes are there?", "routes", false),
            ("how many public methods does Session have", "public methods", true),
            ("how many lines of code are in src/app.rs?", "lines", true),
            ("How many test files are there", "test files", true),
            ("how many tests cover parse_config?", "tests", true),
            ("In src/lib.rs, how many functions are there?", "functions", true),
            ("What is the number of classes in src?", "classes", true),
            ("count the structs", "structs", true),
            ("how many retries are made by default?", "retries", false),
            ("how many times is run_it called?", "times", true),
            ("how many functions call run_it?", "functions", true),
            ("how many subclasses does Base_x have?", "subclasses", true),
            ("Wie viele Funktionen gibt es in src/a.rs?", "funktionen", true),
            ("Combien de fonctions y a-t-il dans src/a.rs ?", "fonctions", true),
            ("how many commits are there?", "commits", false),
            ("how many enum variants are there", "enum variants", true),
        ] {
            let counted = Counted::of(text).unwrap();
            assert_eq!((counted.what.as_str(), counted.noun.is_some()), (what, known), "{text}");
            assert!(!counted.list, "{text}");
        }
    }

    #[test]
    fn a_number_that_is_set_somewhere_is_no_count() {
        for text in [
            "Where is the number of workers set?",
            "How is the number of retries determined?",
            "What limits how many connections are open?",
            "what does the retry count do?",
            "Which setting decides how many threads there are?",
        ] {
            assert!(!asks_how_many(&tokens(text)), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_name_is_not_the_name() {
        for (text, expected) in [
            ("how many classes have Session in their name?", true),
            ("how many functions whose names contain parse are there?", true),
            ("how many classes are named Session?", false),
            ("how many functions whose name is parse are in src?", false),
        ] {
            assert_eq!(Counted::of(text).unwrap().says_name(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_built_on_need_not_be_known() {
        for (text, base) in [
            ("How many classes extend Exception?", Some("Exception")),
            ("list all subclasses of Exception", Some("Exception")),
            ("which types implement the trait Iterator?", Some("Iterator")),
            ("who inherits from `Base`?", Some("Base")),
            ("how many types implement Service<Request>?", Some("Service")),
            ("how do we implement retries?", None),
            ("Exception", None),
        ] {
            assert_eq!(base_of(text).as_deref(), base, "{text}");
        }
    }

    #[test]
    fn what_can_be_told_exactly_can_be_listed() {
        for text in [
            "What are the variants of Kind?",
            "list all methods of Session",
            "which classes are in src/net?",
            "list all tests in src/a.rs",
        ] {
            assert!(asks_for_list(text), "{text}");
        }
        for text in [
            "what are the main parts of Kind?",
            "list the public methods of Session",
            "which files are there",
            "what type is returned by parse_header?",
            "which method of Session validates tokens?",
        ] {
            assert!(!asks_for_list(text), "{text}");
        }
    }
}
