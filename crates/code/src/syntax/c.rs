//! The grammar of C and C++. A name is at the bottom of its declarator: `int *(*find)(void)` declares `find`.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::{Definition, Grammar, Inside, Site};
use crate::Kind;

pub(super) static C: Grammar = grammar(|| tree_sitter_c::LANGUAGE.into());
pub(super) static CPP: Grammar = grammar(|| tree_sitter_cpp::LANGUAGE.into());

const fn grammar(language: fn() -> tree_sitter::Language) -> Grammar {
    Grammar {
        language,
        defines: &[
            "function_definition",
            "declaration",
            "field_declaration",
            "struct_specifier",
            "class_specifier",
            "union_specifier",
            "enum_specifier",
            "enumerator",
            "type_definition",
            "alias_declaration",
            "namespace_definition",
            "preproc_def",
            "preproc_function_def",
        ],
        define,
        calls: &[("call_expression", "function"), ("new_expression", "type")],
        quiet: &[
            "comment",
            "string_literal",
            "raw_string_literal",
            "char_literal",
            "system_lib_string",
        ],
        loud: &[],
        imports: &["preproc_include", "using_declaration"],
        types: &["type_identifier", "base_class_clause"],
        separator: "::",
        roles: OnceLock::new(),
    }
}

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    let typed = |kind| site.field("body").and_then(|_| site.named(kind));
    match site.kind {
        "function_definition" => function(site, site.field("declarator")?),
        "declaration" if site.inside != Inside::Function => {
            let declarator = site.field("declarator")?;
            // A prototype counts: in a header it is all there is.
            function(site, declarator).or_else(|| site.value(bottom(declarator)?, false))
        }
        "field_declaration" => {
            let declarator = site.field("declarator")?;
            let field = || site.called(Kind::Field, bottom(declarator)?);
            function(site, declarator).or_else(field)
        }
        "struct_specifier" | "union_specifier" => typed(Kind::Struct),
        "class_specifier" => typed(Kind::Class),
        "enum_specifier" => typed(Kind::Enum),
        "enumerator" => site.named(Kind::Variant),
        "type_definition" => {
            let kind = match site.field("type").map(|of| of.kind()) {
                Some("struct_specifier" | "union_specifier") => Kind::Struct,
                Some("enum_specifier") => Kind::Enum,
                Some(_) | None => Kind::Type,
            };
            let body = site.field("type").and_then(|of| of.child_by_field_name("body"));
            let name = bottom(site.field("declarator")?)?;
            Some(Definition { body, ..site.called(kind, name)? })
        }
        "alias_declaration" => site.named(Kind::Type),
        "namespace_definition" => site.named(Kind::Module),
        "preproc_def" => site.named(Kind::Constant),
        "preproc_function_def" => site.named(Kind::Macro),
        _ => None,
    }
}

/// Levels of a declarator that are looked at; people write four.
const DEEPEST: usize = 16;

fn function<'t>(site: &Site<'_, 't>, declarator: Node<'t>) -> Option<Definition<'t>> {
    let mut node = declarator;
    for _ in 0..DEEPEST {
        if node.kind() == "function_declarator" {
            break;
        }
        node = below(node)?;
    }
    let mut name = node.child_by_field_name("declarator")?;
    // A pointer to a function is a value.
    if node.kind() != "function_declarator" || name.kind() == "parenthesized_declarator" {
        return None;
    }
    let begin = name.start_byte();
    for _ in 0..DEEPEST {
        match name.kind() {
            "qualified_identifier" | "template_function" => {
                name = name.child_by_field_name("name")?;
            }
            _ => break,
        }
    }
    let scope = site.source.get(begin..name.start_byte()).unwrap_or_default();
    let scope = String::from_utf8_lossy(scope).trim().trim_end_matches("::").to_owned();
    let container = (!scope.is_empty()).then_some(scope);
    let kind = if container.is_some() { Kind::Method } else { site.function() };
    Some(Definition { container, ..site.called(kind, name)? })
}

fn bottom(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator;
    for _ in 0..DEEPEST {
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return Some(node),
            _ => node = below(node)?,
        }
    }
    None
}

fn below(node: Node<'_>) -> Option<Node<'_>> {
    // References and parentheses have no field for what they are around.
    node.child_by_field_name("declarator").or_else(|| match node.kind() {
        "reference_declarator" | "parenthesized_declarator" => node.named_child(0),
        _ => None,
    })
}
