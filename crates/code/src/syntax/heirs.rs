//! Reads the base types in the head of a type.
//!
//! A part of the walk in [`super::scan`]: it looks at definitions of types, at a Rust `impl` and at
//! `#[derive]`. Comments and texts are no code, so that nothing in them counts.

use std::ops::Range;

use tree_sitter::Node;

use super::{
    scan::{Frame, Walk},
    text,
};

/// A type whose definition names the wanted base.
pub(crate) struct Heir {
    pub(crate) name: String,
    /// The base as it is written: `db.models.Model`, `super::Trait<T>`.
    pub(crate) base: String,
    pub(crate) how: &'static str,
    pub(crate) row: usize,
}

/// Nodes that define a type and may say what it builds on.
const TYPES: &[&str] = &[
    "class_definition",
    "class_declaration",
    "abstract_class_declaration",
    "class",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "struct_declaration",
    "class_specifier",
    "struct_specifier",
    "trait_item",
];

/// Nodes in which it says so, and what it does then.
const HEADS: &[(&str, &str)] = &[
    ("superclass", "extends"),
    ("super_interfaces", "implements"),
    ("extends_interfaces", "extends"),
    ("class_heritage", "extends"),
    ("extends_clause", "extends"),
    ("extends_type_clause", "extends"),
    ("implements_clause", "implements"),
    ("base_list", "extends"),
    ("base_class_clause", "extends"),
    ("trait_bounds", "asks for"),
    ("type_list", ""),
];

/// What stands among bases and is none.
const BESIDE: &[&str] = &[
    "comment",
    "line_comment",
    "block_comment",
    "keyword_argument",
    "dictionary_splat",
    "list_splat",
    "type_arguments",
    "argument_list",
    "access_specifier",
    "attribute_declaration",
    "lifetime",
];

/// Attributes that are remembered until what they are about comes.
const MOST_ATTRIBUTES: usize = 64;
/// Bases of one type that are looked at.
const MOST_BASES: usize = 200;
/// Bytes of a name.
const LONGEST: usize = 300;

impl<'t> Walk<'_, 't> {
    /// Remembers the attributes of Rust, which stand before what they are about.
    pub(super) fn note_attribute(&mut self, node: Node<'t>) {
        if node.kind() == "attribute_item" && self.attributes.len() < MOST_ATTRIBUTES {
            self.attributes.push(node.byte_range());
        }
    }

    /// Notes a type that builds on the one that is asked for.
    pub(super) fn note_heir(&mut self, frame: &Frame<'t>) {
        let Some(wanted) = self.want.base else { return };
        let node = frame.node;
        match node.kind() {
            "impl_item" => {
                let of = node.child_by_field_name("trait");
                let (Some(of), Some(own)) = (of, node.child_by_field_name("type")) else { return };
                let before = self.source.get(..of.start_byte()).unwrap_or_default();
                if !before.trim_ascii_end().ends_with(b"!") {
                    let name = one_line(text(self.source, own));
                    self.heir(wanted, of, "implements", name, node.start_position().row);
                }
            }
            "struct_item" | "enum_item" | "union_item" => {
                let Some(name) = node.child_by_field_name("name") else { return };
                if let Some(base) = self.derived(wanted) {
                    self.scan.heirs.push(Heir {
                        name: one_line(text(self.source, name)),
                        base,
                        how: "derives",
                        row: name.start_position().row,
                    });
                }
            }
            kind if TYPES.contains(&kind) => {
                let named = node.child_by_field_name("name");
                let row = named.unwrap_or(node).start_position().row;
                let name = match named {
                    Some(name) => one_line(text(self.source, name)),
                    // It has its name from what it is put into.
                    None => self.scopes.last().map(|scope| scope.name.clone()).unwrap_or_default(),
                };
                if name.is_empty() {
                    return;
                }
                for (base, how) in bases(node) {
                    self.heir(wanted, base, how, name.clone(), row);
                }
            }
            _ => {}
        }
    }

    fn heir(&mut self, wanted: &str, of: Node<'t>, how: &'static str, name: String, row: usize) {
        let base = one_line(text(self.source, of));
        let same = |known: &Heir| known.name == name && known.row == row;
        if parts(&base).last() == Some(&wanted) && !self.scan.heirs.last().is_some_and(same) {
            self.scan.heirs.push(Heir { name, base, how, row });
        }
    }

    /// The name in a `#[derive(…)]` before this place, as it is written there.
    fn derived(&self, wanted: &str) -> Option<String> {
        self.attributes.iter().find_map(|range| {
            let text = std::str::from_utf8(self.source.get(range.clone())?).ok()?;
            let (_, list) = text.split_once("derive(").filter(|(before, _)| {
                // `cfg_attr(test, derive(…))` holds only sometimes, and is said all the same.
                before.trim_start().starts_with("#[")
            })?;
            let list = list.split(')').next().unwrap_or_default();
            let mut names = list.split(',').map(str::trim);
            names.find(|name| parts(name).last() == Some(&wanted)).map(str::to_owned)
        })
    }
}

/// What a type says that it builds on, in order.
fn bases(node: Node<'_>) -> Vec<(Node<'_>, &'static str)> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let python = child.kind() == "argument_list" && node.kind() == "class_definition";
        let head = HEADS.iter().find(|(kind, _)| *kind == child.kind());
        let how = if python { Some("extends") } else { head.map(|(_, how)| *how) };
        if let Some(how) = how {
            gather(child, how, 0, &mut found);
        }
    }
    found
}

fn gather<'t>(
    head: Node<'t>,
    how: &'static str,
    depth: usize,
    found: &mut Vec<(Node<'t>, &'static str)>,
) {
    let mut cursor = head.walk();
    for child in head.named_children(&mut cursor) {
        if found.len() >= MOST_BASES || BESIDE.contains(&child.kind()) {
            continue;
        }
        match HEADS.iter().find(|(kind, _)| *kind == child.kind()) {
            Some((_, own)) if depth < 3 => {
                gather(child, if own.is_empty() { how } else { own }, depth + 1, found);
            }
            Some(_) => {}
            None => found.push((child, how)),
        }
    }
}

/// The words of a written type, without what is in brackets: `db`, `models`, `Model`.
pub(crate) fn parts(written: &str) -> Vec<&str> {
    let bare = written.trim_start_matches(['?', '&', '*']).trim_start();
    let end = bare.find(['<', '[', '(', '{', ' ']).unwrap_or(bare.len());
    bare[..end].split(['.', ':']).filter(|part| !part.is_empty()).collect()
}

/// A text on one line, not longer than a name is.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}

/// Where attributes stand that are not used up yet.
pub(super) type Attributes = Vec<Range<usize>>;
