//! Finds the definitions in the files: with a grammar where there is one, else line by line.

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
    /// Whether it is an interface: others implement it.
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
        // Nothing but modifiers stands before it: `self.class.name` defines nothing.
        let modifiers = [
            "",
            "abstract",
            "data",
            "final",
            "open",
            "override",
            "private",
            "protected",
            "public",
            "readonly",
            "sealed",
            "static",
            "suspend",
            "internal",
        ];
        let after = |marks: &[&str]| {
            let at = words.iter().position(|word| !modifiers.contains(word))?;
            if !marks.contains(&words[at]) {
                return None;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_grammar_reads_is_found_by_its_lines() {
        let text = "class Order\n  # def not_this\n  def create\n    self.class.other\n  end\nend\n\
                    abstract class Store {\n  public static function find_all() {}\n}\n";
        let found: Vec<_> = by_line("a.rb", text)
            .into_iter()
            .map(|it| {
                format!("{}.{} {}", it.container.unwrap_or_default(), it.name, it.is_interface)
            })
            .collect();
        assert_eq!(
            found,
            [".Order false", "Order.create false", ".Store true", "Store.find_all false"]
        );
    }
}
