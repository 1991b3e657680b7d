//! Finds the names of types and functions in the sample: with a grammar where there is one, else
//! line by line.

use consign_code::{Class, Error, Kind, Language, Repository};

use super::sample::Sampled;

/// Files that are parsed.
const MOST: usize = 400;
/// Bytes of them.
const MOST_BYTES: usize = 8 << 20;
/// Types and functions that are remembered, of each.
const MOST_NAMES: usize = 10_000;

/// Something that is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: usize,
    /// An interface, a trait or a protocol: other types implement it.
    pub(super) is_abstract: bool,
}

#[derive(Default)]
pub(super) struct Seen {
    pub(super) types: Vec<Named>,
    pub(super) functions: Vec<Named>,
}

impl Seen {
    /// Types whose name ends so.
    pub(super) fn ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = &'a Named> {
        self.types.iter().filter(move |one| one.name.len() > end.len() && one.name.ends_with(end))
    }
}

/// What the source of the sample defines; tests are left out.
pub(super) fn of(repository: &Repository, sample: &[Sampled]) -> Result<Seen, Error> {
    let mut seen = Seen::default();
    let code: Vec<&Sampled> = sample.iter().filter(|one| one.class == Class::Source).collect();
    let step = code.len().div_ceil(MOST).max(1);
    let mut parsed = 0;
    for one in code.into_iter().step_by(step) {
        parsed += one.text.len();
        if parsed > MOST_BYTES {
            break;
        }
        if !one.language.has_grammar() {
            scan(one, &mut seen);
            continue;
        }
        match repository.outline(&one.path) {
            Ok(found) => {
                for symbol in found.items {
                    let named = Named {
                        is_abstract: matches!(symbol.kind, Kind::Interface | Kind::Trait),
                        name: symbol.name,
                        path: symbol.path,
                        line: symbol.line,
                    };
                    if matches!(
                        symbol.kind,
                        Kind::Class | Kind::Struct | Kind::Enum | Kind::Trait | Kind::Interface
                    ) || symbol.kind == Kind::Type
                    {
                        seen.types.push(named);
                    } else if matches!(symbol.kind, Kind::Function | Kind::Method) {
                        seen.functions.push(named);
                    }
                }
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            // What cannot be parsed defines nothing that we know of.
            Err(_) => {}
        }
    }
    seen.types.truncate(MOST_NAMES);
    seen.functions.truncate(MOST_NAMES);
    Ok(seen)
}

/// Words before the name of a type or a function, in languages without a grammar here.
const TYPES: &[&str] = &["class", "interface", "trait", "object", "enum", "module", "record"];
const FUNCTIONS: &[&str] = &["fun", "def", "function", "func"];

fn scan(one: &Sampled, seen: &mut Seen) {
    for (at, line) in one.text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with(['/', '*', '#']) || line.len() > 400 {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().take(8).collect();
        for pair in words.windows(2) {
            let types = TYPES.contains(&pair[0]);
            if !types && !FUNCTIONS.contains(&pair[0]) {
                // Only words such as `public`, `data` and `abstract` stand before.
                if pair[0].chars().all(|c| c.is_ascii_lowercase()) {
                    continue;
                }
                break;
            }
            let name = pair[1].trim_start_matches("self.");
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &name[..end.unwrap_or(name.len())];
            if name.is_empty() || one.language == Language::Ruby && pair[0] == "module" {
                break;
            }
            let named = Named {
                name: name.to_owned(),
                path: one.path.clone(),
                line: at + 1,
                is_abstract: pair[0] == "interface",
            };
            if types {
                seen.types.push(named);
            } else {
                seen.functions.push(named);
            }
            break;
        }
    }
}
