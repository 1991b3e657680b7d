//! The grammar of Go.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::{Definition, Grammar, Site, last_name};
use crate::Kind;

pub(super) static GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_go::LANGUAGE.into(),
    defines: &[
        "function_declaration",
        "method_declaration",
        "type_spec",
        "type_alias",
        "const_spec",
        "var_spec",
        "field_declaration",
        "method_elem",
    ],
    define,
    calls: &[("call_expression", "function")],
    quiet: &["comment", "interpreted_string_literal", "raw_string_literal", "rune_literal"],
    loud: &[],
    imports: &["import_declaration"],
    types: &["type_identifier"],
    separator: ".",
    roles: OnceLock::new(),
};

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    match site.kind {
        "function_declaration" => site.named(Kind::Function),
        "method_declaration" => {
            let container = receiver(site).map(|name| site.text(name).to_owned());
            Some(Definition { container, ..site.named(Kind::Method)? })
        }
        "method_elem" => site.named(Kind::Method),
        "type_spec" => {
            let body = site.field("type")?;
            let kind = match body.kind() {
                "struct_type" => Kind::Struct,
                "interface_type" => Kind::Interface,
                _ => Kind::Type,
            };
            let body = (kind != Kind::Type).then(|| body.named_child(0).unwrap_or(body));
            Some(Definition { body, ..site.named(kind)? })
        }
        "type_alias" => site.named(Kind::Type),
        "const_spec" => site.value(site.field("name")?, true),
        "var_spec" => site.value(site.field("name")?, false),
        "field_declaration" => site.named(Kind::Field),
        _ => None,
    }
}

/// `Server` of `(s *Server[T])`.
fn receiver<'t>(site: &Site<'_, 't>) -> Option<Node<'t>> {
    let parameter = site.field("receiver")?.named_child(0)?;
    last_name(parameter.child_by_field_name("type")?)
}
