//! The grammar of C#.

use std::sync::OnceLock;

use super::{Definition, Grammar, Site};
use crate::Kind;

pub(super) static GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    defines: &[
        "class_declaration",
        "record_declaration",
        "struct_declaration",
        "interface_declaration",
        "enum_declaration",
        "delegate_declaration",
        "method_declaration",
        "constructor_declaration",
        "local_function_statement",
        "property_declaration",
        "field_declaration",
        "event_field_declaration",
        "enum_member_declaration",
        "namespace_declaration",
    ],
    define,
    calls: &[("invocation_expression", "function"), ("object_creation_expression", "type")],
    quiet: &[
        "comment",
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "character_literal",
        "interpolated_string_expression",
    ],
    loud: &["interpolation"],
    imports: &["using_directive"],
    types: &["base_list", "type_argument_list", "generic_name", "nullable_type", "array_type"],
    separator: ".",
    roles: OnceLock::new(),
};

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    match site.kind {
        "class_declaration" | "record_declaration" => site.named(Kind::Class),
        "struct_declaration" => site.named(Kind::Struct),
        "interface_declaration" => site.named(Kind::Interface),
        "enum_declaration" => site.named(Kind::Enum),
        "delegate_declaration" => site.named(Kind::Type),
        "method_declaration" | "constructor_declaration" => site.named(Kind::Method),
        "local_function_statement" => site.named(Kind::Function),
        "property_declaration" => {
            Some(Definition { body: site.field("accessors"), ..site.named(Kind::Field)? })
        }
        "field_declaration" | "event_field_declaration" => {
            let mut cursor = site.node.walk();
            let declaration = site
                .node
                .named_children(&mut cursor)
                .find(|child| child.kind() == "variable_declaration")?;
            let mut cursor = declaration.walk();
            let declarator = declaration
                .named_children(&mut cursor)
                .find(|child| child.kind() == "variable_declarator")?;
            site.value(declarator.child_by_field_name("name")?, false)
        }
        "enum_member_declaration" => site.named(Kind::Variant),
        "namespace_declaration" => site.named(Kind::Module),
        _ => None,
    }
}
