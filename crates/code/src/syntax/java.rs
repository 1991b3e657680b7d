//! The grammar of Java.

use std::sync::OnceLock;

use super::{Definition, Grammar, Site};
use crate::Kind;

pub(super) static GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_java::LANGUAGE.into(),
    defines: &[
        "class_declaration",
        "record_declaration",
        "interface_declaration",
        "annotation_type_declaration",
        "enum_declaration",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "field_declaration",
        "constant_declaration",
        "enum_constant",
    ],
    define,
    calls: &[("method_invocation", "name"), ("object_creation_expression", "type")],
    quiet: &["line_comment", "block_comment", "string_literal", "character_literal"],
    loud: &["string_interpolation"],
    imports: &["import_declaration", "package_declaration"],
    types: &["type_identifier"],
    separator: ".",
    roles: OnceLock::new(),
};

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    match site.kind {
        "class_declaration" | "record_declaration" => site.named(Kind::Class),
        "interface_declaration" | "annotation_type_declaration" => site.named(Kind::Interface),
        "enum_declaration" => site.named(Kind::Enum),
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            site.named(Kind::Method)
        }
        "field_declaration" | "constant_declaration" => {
            let name = site.field("declarator")?.child_by_field_name("name")?;
            site.value(name, false)
        }
        "enum_constant" => site.named(Kind::Variant),
        _ => None,
    }
}
