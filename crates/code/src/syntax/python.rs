//! The grammar of Python.

use std::sync::OnceLock;

use super::{Definition, Grammar, Site};
use crate::Kind;

pub(super) static GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_python::LANGUAGE.into(),
    defines: &["function_definition", "class_definition", "assignment", "type_alias_statement"],
    define,
    calls: &[("call", "function")],
    quiet: &["comment", "string"],
    loud: &["interpolation"],
    imports: &["import_statement", "import_from_statement", "future_import_statement"],
    types: &["type"],
    separator: ".",
    roles: OnceLock::new(),
};

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    match site.kind {
        "function_definition" => site.named(site.function()),
        "class_definition" => site.named(Kind::Class),
        "assignment" => {
            let name = site.field("left").filter(|left| left.kind() == "identifier")?;
            // The target of an inner `a = b = 1` is not worth more than its line.
            let parent = site.parent.filter(|parent| parent.kind() == "expression_statement");
            parent.and_then(|_| site.value(name, false))
        }
        "type_alias_statement" => {
            let name = site.field("left")?.named_child(0)?;
            site.called(Kind::Type, name)
        }
        _ => None,
    }
}
