//! The grammar of Rust.

use std::sync::OnceLock;

use super::{Definition, Grammar, Site, last_name};
use crate::Kind;

pub(super) static GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_rust::LANGUAGE.into(),
    defines: &[
        "function_item",
        "function_signature_item",
        "struct_item",
        "union_item",
        "enum_item",
        "trait_item",
        "type_item",
        "associated_type",
        "const_item",
        "static_item",
        "mod_item",
        "macro_definition",
        "enum_variant",
        "field_declaration",
        "impl_item",
    ],
    define,
    calls: &[("call_expression", "function"), ("macro_invocation", "macro")],
    quiet: &[
        "line_comment",
        "block_comment",
        "string_literal",
        "raw_string_literal",
        "char_literal",
    ],
    loud: &[],
    imports: &["use_declaration", "extern_crate_declaration"],
    types: &["type_identifier"],
    separator: "::",
    roles: OnceLock::new(),
};

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    match site.kind {
        "function_item" | "function_signature_item" => site.named(site.function()),
        "struct_item" | "union_item" => site.named(Kind::Struct),
        "enum_item" => site.named(Kind::Enum),
        "trait_item" => site.named(Kind::Trait),
        "type_item" | "associated_type" => site.named(Kind::Type),
        "const_item" | "static_item" => site.named(Kind::Constant),
        "mod_item" => site.named(Kind::Module),
        "macro_definition" => site.named(Kind::Macro),
        "enum_variant" => site.named(Kind::Variant),
        "field_declaration" => site.named(Kind::Field),
        "impl_item" => {
            let name = last_name(site.field("type")?)?;
            Some(Definition { kind: None, name, body: site.field("body"), container: None })
        }
        _ => None,
    }
}
