//! The steps for a count. Only what can be counted exactly is counted.
//!
//! Every word of the question must be understood. One that is not may change what is counted ("public",
//! "deprecated"), and a number that is not what was asked for is worse than none: then nothing is counted,
//! and what there is about it is looked for instead.

use consign_code::{Class, Kind as SymbolKind, Language, Symbol};
use consign_contracts::json::Object;
use consign_engine::Fault;

use super::{
    super::super::{
        counting::{self, CALLS, COVERS, Counted, HEIRS, NAMES, Noun, USES, is_in},
        intent::ground::{self, ok},
        json::{IntoJson, object},
        words,
    },
    Planner, Step,
};

/// Where is counted, and what of it.
#[derive(Default)]
struct Scope {
    path: String,
    language: Option<String>,
    /// A type whose members are meant.
    within: Option<String>,
    /// It is said what is in the names.
    by_name: bool,
    /// Words in the names.
    parts: Vec<String>,
}

impl Planner<'_> {
    pub(super) fn count(&self) -> Result<(), Fault> {
        if let Some(step) = self.counted()? {
            self.add(step);
            self.topic.symbols.iter().take(1).for_each(|name| self.find(name));
            return Ok(());
        }
        self.topic.symbols.iter().take(2).for_each(|name| self.find(name));
        self.paths.iter().take(1).for_each(|path| self.outline(path));
        self.best(5);
        self.mention();
        Ok(())
    }

    /// The step that counts exactly what was asked for; none if there is none.
    fn counted(&self) -> Result<Option<Step>, Fault> {
        let Some(counted) = Counted::of(&self.topic.text) else { return Ok(None) };
        let Some(noun) = counted.noun else { return Ok(None) };
        let base = counting::base_of(&self.topic.text);
        let name = match self.topic.symbols.as_slice() {
            [] => base.as_deref(),
            [name] => Some(name.split('(').next().unwrap_or(name).trim_end_matches('!')),
            _ => return Ok(None),
        };
        // Who calls it from where, or builds on it in which folder, is not told apart.
        let placed = !self.topic.paths.is_empty() || !self.counted_in(&counted).is_empty();
        let related = match noun {
            _ if placed => None,
            Noun::Tests | Noun::Crates | Noun::Variants | Noun::Modules | Noun::Lines => None,
            Noun::Folders => None,
            Noun::Files | Noun::Symbols(..) | Noun::Heirs | Noun::Calls | Noun::Uses => name,
        };
        if let Some(name) = related {
            let asks_heirs = noun == Noun::Heirs || counted.says(HEIRS) && !counted.says(CALLS);
            if asks_heirs && is_type(noun) && self.explained(&counted, HEIRS) {
                return Ok(Some(heirs(name)));
            }
            let verbs = format!("{CALLS}{USES}");
            let asks_uses = matches!(noun, Noun::Calls | Noun::Uses) || counted.says(&verbs);
            if asks_uses && self.explained(&counted, &verbs) {
                return Ok(uses(&counted, noun, name));
            }
        }
        let Some(scope) = self.scope(&counted, noun)? else { return Ok(None) };
        match noun {
            Noun::Tests => Ok(Some(tests(&scope, name))),
            Noun::Lines | Noun::Files | Noun::Folders if name.is_none() => {
                Ok(census(noun, &scope, &counted))
            }
            Noun::Crates if name.is_none() && scope.path.is_empty() => Ok(Some(crates())),
            Noun::Modules if name.is_none() => self.modules(&scope),
            Noun::Variants | Noun::Symbols(..) => self.definitions(noun, scope, name),
            Noun::Lines | Noun::Files | Noun::Folders | Noun::Crates | Noun::Modules => Ok(None),
            Noun::Heirs | Noun::Calls | Noun::Uses => Ok(None),
        }
    }

    /// Whether every word is understood, if these are.
    fn explained(&self, counted: &Counted, verbs: &str) -> bool {
        counted.said.is_empty() && self.unknown(counted, verbs).is_empty()
    }

    /// Words that are not understood.
    fn unknown<'c>(&self, counted: &'c Counted, known: &str) -> Vec<&'c String> {
        let base = counting::base_of(&self.topic.text);
        let named = |word: &str| {
            let names = self.topic.symbols.iter().chain(&base);
            let mut places = self.paths.iter().flat_map(|path| path.split(['/', '.']));
            names.clone().any(|name| name.eq_ignore_ascii_case(word))
                || names.clone().any(|name| words::last_name(name).eq_ignore_ascii_case(word))
                || places.any(|part| part.eq_ignore_ascii_case(word))
        };
        let back = self.topic.taken_for.is_some();
        let understood = |word: &str| {
            counting::is_around(word) || is_in(word, known) || named(word) || back && word == "it"
        };
        counted.rest.iter().filter(|word| !understood(word)).collect()
    }

    /// Where it is counted. A folder that is called like what is counted is none of these.
    fn counted_in(&self, counted: &Counted) -> Vec<&String> {
        let what = |path: &str| {
            self.topic.paths.is_empty() && counted.what.split(' ').any(|word| word == path)
        };
        self.paths.iter().filter(|path| !what(path)).collect()
    }

    /// Where and of what is counted; none if a word is left that is not understood.
    fn scope(&self, counted: &Counted, noun: Noun) -> Result<Option<Scope>, Fault> {
        let mut scope = Scope::default();
        match self.counted_in(counted).as_slice() {
            [] if self.topic.paths.is_empty() => {}
            [path] => scope.path = (*path).clone(),
            _ => return Ok(None),
        }
        let languages = counting::LANGUAGES;
        let is_language = |word: &&String| languages.contains(&word.as_str());
        for word in &counted.said {
            let of_test = word == "test" && noun == Noun::Files;
            let of_type = matches!(noun, Noun::Variants | Noun::Symbols(..))
                && is_in(word, " enum class struct trait interface ");
            match word {
                _ if is_language(&word) && scope.language.is_none() => {
                    scope.language = Some(word.clone());
                }
                _ if of_test || of_type => {}
                _ => return Ok(None),
            }
        }
        let by_name = counted.says_name();
        let known = match by_name {
            _ if noun == Noun::Tests => COVERS,
            true => NAMES,
            false => "",
        };
        scope.by_name = by_name;
        let mut of_place = false;
        for word in self.unknown(counted, known) {
            if is_language(&word) && scope.language.is_none() {
                scope.language = Some(word.clone());
            } else if by_name && matches!(noun, Noun::Symbols(..)) {
                scope.parts.push(word.clone());
            } else if is_in(word, " module modules package packages crate ") {
                // "the parser module": the other word says which. "This crate" is all there is.
                of_place |= !counted.says(" this ");
            } else if let Some(place) = self.place(word)?.filter(|_| scope.path.is_empty()) {
                scope.path = place;
            } else {
                return Ok(None);
            }
        }
        if of_place && scope.path.is_empty() {
            return Ok(None);
        }
        let quoted = self.topic.phrases.iter().map(|phrase| phrase.to_lowercase());
        match by_name {
            true => scope.parts.extend(quoted),
            false if !self.topic.phrases.is_empty() => return Ok(None),
            false => {}
        }
        // A second word would say how the first stands in the name.
        let parts = scope.parts.len() + usize::from(by_name && !self.topic.symbols.is_empty());
        Ok((parts == usize::from(by_name)).then_some(scope))
    }

    /// The only folder, or the only file, of that name.
    fn place(&self, word: &str) -> Result<Option<String>, Fault> {
        match self.view {
            Some(view) => ground::place(view, word, &[8]),
            None => Ok(None),
        }
    }

    /// What a module is depends on the language: the one that most is written in.
    fn modules(&self, scope: &Scope) -> Result<Option<Step>, Fault> {
        let Some(view) = self.view.filter(|view| view.is_free("list_tree")) else {
            return Ok(None);
        };
        let Some(census) = ok(view.census(&scope.path))? else { return Ok(None) };
        let mut languages = census.rows.iter().filter_map(|row| row.language);
        let main = languages.find(|language| language.has_grammar());
        if main == Some(Language::Rust) && scope.parts.is_empty() {
            let mut params =
                object! { "path": root(&scope.path), "kinds": vec!["module".to_owned()] };
            params.set("language", "rust".into_json());
            let of = format!("modules that Rust files declare with `mod`{}", in_place(&scope.path));
            return Ok(Some(Step::new("outline", params, of).counting("total")));
        }
        if main == Some(Language::Python) && scope.parts.is_empty() {
            let params = census_params("files", &scope.path, Some("python"));
            let of = format!("Python files{}, each of which is a module", in_place(&scope.path));
            return Ok(Some(Step::new("list_tree", params, of).counting("total")));
        }
        Ok(None)
    }

    /// Definitions of some kinds, in a place or in a type.
    fn definitions(
        &self,
        noun: Noun,
        mut scope: Scope,
        name: Option<&str>,
    ) -> Result<Option<Step>, Fault> {
        let (mut kinds, mut label) = (&["variant"][..], "variants");
        if let Noun::Symbols(of, called) = noun {
            (kinds, label) = (of, called);
        }
        let mut of_several = 0;
        if let Some(name) = name.filter(|_| !scope.parts.is_empty() || scope.by_name) {
            // A name that was asked for as a part of others.
            scope.parts.push(words::last_name(name).to_lowercase());
        } else if let Some(name) = name {
            let mut holders = self.holders(name)?;
            if noun == Noun::Variants && holders.iter().any(|one| one.kind == SymbolKind::Enum) {
                holders.retain(|one| one.kind == SymbolKind::Enum);
            }
            let Some(holder) = holders.first() else { return Ok(None) };
            let python = Language::of(&holder.path) == Some(Language::Python);
            let counts = ["Enum", "Flag"].iter().any(|base| holder.signature.contains(base));
            if noun == Noun::Variants && holder.kind != SymbolKind::Enum {
                if !(python && counts) {
                    return Ok(None);
                }
                // Python has no word for it: what such a class sets are its variants.
                kinds = &["constant", "field"];
            } else if holder.kind != SymbolKind::Module && kinds.contains(&"method") {
                (kinds, label) = (&["method"], "methods");
            }
            of_several = holders.len();
            scope.within = Some(name.to_owned());
        }
        let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let mut params = object! { "path": root(&scope.path), "kinds": kinds };
        let language = scope.language.as_deref();
        let mut of = match language.and_then(Language::named) {
            Some(language) => format!("{label} in {language}"),
            None => label.to_owned(),
        };
        if let Some(language) = language {
            params.set("language", language.into_json());
        }
        if let Some(within) = &scope.within {
            params.set("within", words::last_name(within).into_json());
            of.push_str(&format!(" of `{within}`"));
            if of_several > 1 {
                of.push_str(&format!(" (there are {of_several} of that name, all are counted)"));
            }
        }
        if !scope.parts.is_empty() {
            params.set("words", scope.parts.clone().into_json());
            of.push_str(&format!(" with {} in their names", scope.parts.join(" and ")));
        }
        of.push_str(&in_place(&scope.path));
        Ok(Some(Step::new("outline", params, of).counting("total")))
    }

    /// The types and modules of that name, without those of tests where there are others.
    fn holders(&self, name: &str) -> Result<Vec<Symbol>, Fault> {
        let Some(view) = self.view.filter(|view| view.is_free("find_symbol")) else {
            return Ok(Vec::new());
        };
        let found = ok(view.find_symbol(name, None))?.map(|found| found.items).unwrap_or_default();
        let holds = |symbol: &Symbol| {
            symbol.name == words::last_name(name)
                && matches!(
                    symbol.kind,
                    SymbolKind::Class
                        | SymbolKind::Struct
                        | SymbolKind::Enum
                        | SymbolKind::Trait
                        | SymbolKind::Interface
                        | SymbolKind::Type
                        | SymbolKind::Module
                )
        };
        let all: Vec<Symbol> = found.into_iter().filter(holds).collect();
        // Another name for a type has nothing of its own.
        let better: [fn(&Symbol) -> bool; 2] =
            [|one| Class::of(&one.path) == Class::Source, |one| one.kind != SymbolKind::Type];
        Ok(better.into_iter().fold(all, |all, is_better| {
            let some: Vec<Symbol> = all.iter().filter(|one| is_better(one)).cloned().collect();
            if some.is_empty() { all } else { some }
        }))
    }
}

/// Whether what is counted are types: then it can be asked what they build on.
fn is_type(noun: Noun) -> bool {
    match noun {
        Noun::Symbols(kinds, _) => kinds.contains(&"class") || kinds.contains(&"struct"),
        Noun::Heirs => true,
        Noun::Lines | Noun::Files | Noun::Folders | Noun::Crates | Noun::Tests => false,
        Noun::Modules | Noun::Variants | Noun::Calls | Noun::Uses => false,
    }
}

fn heirs(name: &str) -> Step {
    super::implementers::builds_on(name).counting("total")
}

fn uses(counted: &Counted, noun: Noun, name: &str) -> Option<Step> {
    let callers = is_in(&counted.what, " callers caller ");
    let calls = counted.says(CALLS) || is_in(&counted.what, " calls call ") || callers;
    let (key, of) = match noun {
        Noun::Symbols(kinds, _) if kinds.contains(&"function") || kinds.contains(&"method") => {
            // Who uses a type is no function of its own in the text.
            if !calls {
                return None;
            }
            ("callers", format!("functions that were found to call `{name}`"))
        }
        _ if callers => ("callers", format!("functions that were found to call `{name}`")),
        Noun::Files if calls => ("files", format!("files that were found to call `{name}`")),
        Noun::Files => ("files", format!("files that were found to use `{name}`")),
        Noun::Calls | Noun::Uses if calls => {
            ("total", format!("calls of `{name}` that were found"))
        }
        Noun::Calls | Noun::Uses => ("total", format!("uses of `{name}` that were found")),
        Noun::Symbols(..) | Noun::Lines | Noun::Folders | Noun::Crates | Noun::Tests => {
            return None;
        }
        Noun::Modules | Noun::Variants | Noun::Heirs => return None,
    };
    let mut params = object! { "name": name, "limit": 200_u32 };
    if calls {
        params.set("calls", true.into_json());
    }
    Some(Step::new("find_references", params, of).counting(key))
}

fn tests(scope: &Scope, name: Option<&str>) -> Step {
    let mut params = object! { "path": root(&scope.path), "tests": true };
    let mut of = "tests".to_owned();
    if let Some(language) = &scope.language {
        params.set("language", language.into_json());
        let said = Language::named(language).map_or(language.as_str(), |known| known.name());
        of.push_str(&format!(" in {said}"));
    }
    if let Some(name) = name {
        params.set("mentions", vec![words::last_name(name).to_owned()].into_json());
        of.push_str(&format!(" that mention `{name}`"));
    }
    of.push_str(&in_place(&scope.path));
    Step::new("outline", params, of).counting("total")
}

fn census(noun: Noun, scope: &Scope, counted: &Counted) -> Option<Step> {
    let language = scope.language.as_deref();
    let said = language.and_then(Language::named).map(Language::name);
    let tests = counted.said.iter().any(|word| word == "test");
    let (count, of) = if noun == Noun::Lines {
        let of = said.map(|language| format!(" of {language}")).unwrap_or_default();
        ("lines", format!("lines{of} with blank ones and comments"))
    } else if noun == Noun::Files && tests {
        ("test_files", "test files, by their names and folders".to_owned())
    } else if noun == Noun::Files {
        ("files", said.map_or("files".to_owned(), |language| format!("{language} files")))
    } else if language.is_none() {
        ("folders", "folders with files in them".to_owned())
    } else {
        // A folder is in no language.
        return None;
    };
    let params = census_params(count, &scope.path, language);
    let place =
        if scope.path.is_empty() { " in the repository".to_owned() } else { in_place(&scope.path) };
    Some(Step::new("list_tree", params, format!("{of}{place}")).counting("total"))
}

fn census_params(count: &str, path: &str, language: Option<&str>) -> Object<'static> {
    let mut params = object! { "depth": 1_u32, "count": count };
    if !path.is_empty() {
        params.set("path", path.into_json());
    }
    if let Some(language) = language {
        params.set("language", language.into_json());
    }
    params
}

fn crates() -> Step {
    Step::new(
        "code_search",
        object! { "query": r"^\[package\]", "regex": true, "glob": "**/Cargo.toml", "limit": 200_u32 },
        "packages in Cargo.toml files",
    )
    .counting("total")
}

fn root(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

fn in_place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" in {path}") }
}
