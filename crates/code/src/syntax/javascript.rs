//! The grammar of JavaScript and TypeScript, with and without JSX.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::{Definition, Grammar, Inside, Site};
use crate::Kind;

pub(super) static JAVASCRIPT: Grammar = grammar(|| tree_sitter_javascript::LANGUAGE.into());
pub(super) static TYPESCRIPT: Grammar =
    grammar(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into());
pub(super) static TSX: Grammar = grammar(|| tree_sitter_typescript::LANGUAGE_TSX.into());

const fn grammar(language: fn() -> tree_sitter::Language) -> Grammar {
    Grammar {
        language,
        defines: &[
            "function_declaration",
            "generator_function_declaration",
            "function_signature",
            "class_declaration",
            "abstract_class_declaration",
            "method_definition",
            "method_signature",
            "abstract_method_signature",
            "interface_declaration",
            "type_alias_declaration",
            "enum_declaration",
            "enum_assignment",
            "property_identifier",
            "internal_module",
            "module",
            "variable_declarator",
            "pair",
            "field_definition",
            "public_field_definition",
            "property_signature",
            "assignment_expression",
        ],
        define,
        calls: &[("call_expression", "function"), ("new_expression", "constructor")],
        quiet: &["comment", "string", "template_string", "regex", "jsx_text"],
        loud: &["template_substitution"],
        imports: &["import_statement"],
        types: &["type_identifier", "class_heritage", "extends_clause"],
        separator: ".",
        roles: OnceLock::new(),
    }
}

fn define<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    match site.kind {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            site.named(Kind::Function)
        }
        "class_declaration" | "abstract_class_declaration" => site.named(Kind::Class),
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            site.named(Kind::Method)
        }
        "interface_declaration" => site.named(Kind::Interface),
        "type_alias_declaration" => site.named(Kind::Type),
        "enum_declaration" => site.named(Kind::Enum),
        "enum_assignment" => site.named(Kind::Variant),
        // A member without a value is nothing but its name.
        "property_identifier" => {
            let parent = site.parent.filter(|parent| parent.kind() == "enum_body");
            parent.and_then(|_| site.called(Kind::Variant, site.node))
        }
        "internal_module" | "module" => site.named(Kind::Module),
        "property_signature" => site.named(Kind::Field),
        "variable_declarator" => {
            let name = site.field("name").filter(|name| name.kind() == "identifier")?;
            let constant = site.parent.is_some_and(|parent| site.text(parent).starts_with("const"));
            valued(site, name, "value", Kind::Function).or_else(|| site.value(name, constant))
        }
        "pair" => valued(site, site.field("key")?, "value", Kind::Function),
        "field_definition" | "public_field_definition" => {
            let name = site.field("property").or_else(|| site.field("name"))?;
            let field = || site.called(Kind::Field, name);
            valued(site, name, "value", Kind::Method).or_else(field)
        }
        "assignment_expression" if site.inside != Inside::Function => assigned(site),
        _ => None,
    }
}

/// A function or class that has its name from what it is put into.
fn valued<'t>(
    site: &Site<'_, 't>,
    name: Node<'t>,
    field: &str,
    function: Kind,
) -> Option<Definition<'t>> {
    let value = site.field(field)?;
    let kind = match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => function,
        "class" => Kind::Class,
        _ => return None,
    };
    let body = value.child_by_field_name("body");
    Some(Definition { kind: Some(kind), name, body, container: None })
}

/// `exports.login = function () {}` and `Session.prototype.close = () => {}`.
fn assigned<'t>(site: &Site<'_, 't>) -> Option<Definition<'t>> {
    let left = site.field("left").filter(|left| left.kind() == "member_expression")?;
    let name = left.child_by_field_name("property")?;
    let mut definition = valued(site, name, "right", Kind::Function)?;
    let object = site.text(left.child_by_field_name("object")?);
    let object = object.strip_suffix(".prototype").unwrap_or(object);
    let plain = object.len() < 100 && object.bytes().all(|byte| byte != b'\n' && byte != b'(');
    if plain && !["exports", "module.exports", "this", "window", "self"].contains(&object) {
        definition.container = Some(object.to_owned());
        definition.kind = definition.kind.map(|kind| match kind.is_function() {
            true => Kind::Method,
            false => kind,
        });
    }
    Some(definition)
}
