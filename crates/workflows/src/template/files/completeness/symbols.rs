//! What the files define, by grammar where there is one and by line where there is none.

use std::path::Path;

use consign_code::{Cancel, Kind, Language, Repository};

/// Files that are parsed.
const MOST: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Defined {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) container: Option<String>,
    pub(super) is_function: bool,
    /// It says what others must do, and does nothing itself.
    pub(super) is_interface: bool,
}

pub(super) fn symbols(
    project: &Path,
    sources: &[(String, String)],
    cancel: &Cancel,
) -> Vec<Defined> {
    let limits = consign_code::Limits::default();
    let repository = Repository::open_with(project, limits, cancel.clone()).ok();
    let mut all = Vec::new();
    for (path, text) in sources.iter().take(MOST) {
        match Language::of(path) {
            Some(language) if language.has_grammar() => {
                let outline = repository.as_ref().and_then(|it| it.outline(path).ok());
                let outline = outline.map(|it| it.items).unwrap_or_default();
                all.extend(outline.into_iter().map(|symbol| Defined {
                    is_function: matches!(symbol.kind, Kind::Function | Kind::Method),
                    is_interface: matches!(symbol.kind, Kind::Interface | Kind::Trait)
                        || is_abstract(&symbol.signature),
                    name: symbol.name,
                    path: symbol.path,
                    container: symbol.container,
                }));
            }
            Some(Language::Ruby | Language::Php | Language::Kotlin | Language::Swift) => {
                all.extend(by_line(path, text));
            }
            Some(_) | None => {}
        }
    }
    all
}

fn is_abstract(signature: &str) -> bool {
    signature.contains("abstract class ")
        || signature.contains("(ABC)")
        || signature.contains("(Protocol)")
}

/// `def name`, `function name`, `fun name`, `class Name`, `interface Name`.
fn by_line(path: &str, text: &str) -> Vec<Defined> {
    let mut class: Option<String> = None;
    let mut all = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> =
            line.split(|it: char| !(it.is_alphanumeric() || it == '_')).collect();
        let after = |marks: &[&str]| {
            let at = words.iter().position(|word| marks.contains(word))?;
            words.get(at + 1).filter(|name| name.len() > 1).map(|name| (*name).to_owned())
        };
        let defined = |name, is_function, is_interface, container| Defined {
            name,
            path: path.to_owned(),
            container,
            is_function,
            is_interface,
        };
        if line.trim_start().starts_with(['#', '*', '/']) {
            continue;
        }
        if let Some(name) = after(&["class", "interface", "trait", "protocol"]) {
            let interface = line.contains("interface ") || line.contains("abstract class ");
            class = Some(name.clone());
            all.push(defined(name, false, interface, None));
        } else if let Some(name) = after(&["def", "function", "fun", "func"]) {
            all.push(defined(name, true, false, class.clone()));
        }
    }
    all
}
