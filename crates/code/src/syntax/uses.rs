//! Where a name is used in a tree, and what can be said about each use.
//!
//! A part of the walk in [`super::scan`]: it looks at the leaves that have the name. What defines or
//! declares the name is no use of it, also where the grammar sees nothing but tokens.

use std::ops::Range;

use tree_sitter::Node;

use super::{
    Inside,
    before::{self, Before},
    scan::{Frame, Walk},
};
use crate::{Language, Usage, words};

pub(crate) struct Use {
    pub(crate) at: usize,
    pub(crate) row: usize,
    pub(crate) usage: Usage,
    /// The definition that it is in.
    pub(crate) within: Option<usize>,
    pub(crate) before: Before,
    /// The type that it is in: what `self` means here.
    pub(crate) holder: Option<Holder>,
    /// The module around it, if the text has one.
    pub(crate) module: Option<String>,
    /// The whole of the import that it is in.
    pub(crate) import: Option<Range<usize>>,
}

/// A type around a use.
#[derive(Clone)]
pub(crate) struct Holder {
    pub(crate) name: String,
    /// Where it begins and its body: what it inherits and implements is there.
    pub(crate) head: Range<usize>,
}

/// How many uses of one file are listed: a name may be one letter.
const MOST: usize = 20_000;
/// Levels between a name and what it is a member of: `generic_name` in C# is one.
const HIGHEST: usize = 6;
/// How many definitions around a use are looked at: a file may nest ten thousand.
const FARTHEST: usize = 64;
/// Bytes of an import or of the head of a type.
const LONGEST: usize = 2_000;

impl<'t> Walk<'_, 't> {
    /// Notes a use of the name that is asked for.
    pub(super) fn note_use(&mut self, frame: &Frame<'t>, field: Option<&str>) {
        let Some(name) = self.want.name else { return };
        let (node, end) = (frame.node, frame.node.end_byte());
        if node.byte_range().len() != name.len()
            || self.source.get(node.byte_range()) != Some(name.as_bytes())
            || self.names.contains(&node.start_byte())
            || (frame.import.is_none() && self.is_declared(node, field))
        {
            return;
        }
        if self.scan.uses.len() >= MOST {
            self.scan.cut = true;
            return;
        }
        let above = self.frames.last();
        let usage = if frame.import.is_some() {
            Usage::Import
        } else if is_called(self.source, end, self.parsed.language) {
            Usage::Call
        } else if frame.types || field == Some("superclass") || above.is_some_and(|at| at.types) {
            Usage::Type
        } else {
            Usage::Other
        };
        let near = || self.scopes.iter().rev().take(FARTHEST);
        let module = near().find(|scope| scope.inside == Inside::Module);
        let found = Use {
            at: node.start_byte(),
            row: node.start_position().row,
            usage,
            within: near().find_map(|scope| scope.index),
            before: self.before(),
            holder: near().find_map(|scope| scope.holder.clone()),
            module: module.map(|scope| scope.name.clone()),
            import: frame.import.clone(),
        };
        self.scan.uses.push(found);
    }

    /// Macros that only wrap items are not in the tree.
    pub(super) fn note_macros(&mut self) {
        let Some(wanted) = self.want.name else { return };
        let is_wanted =
            |name: &&Range<usize>| self.source.get((*name).clone()) == Some(wanted.as_bytes());
        let (mut row, mut counted) = (0, 0);
        for name in self.parsed.macros.iter().filter(is_wanted).take(MOST) {
            // They are in the order of the text.
            let between = self.source.get(counted..name.start).unwrap_or_default();
            row += memchr::memchr_iter(b'\n', between).count();
            counted = name.start;
            self.scan.uses.push(Use {
                at: name.start,
                row,
                usage: Usage::Call,
                within: None,
                before: before::close(self.source, name.start),
                holder: None,
                module: None,
                import: None,
            });
        }
    }

    /// Whether a name is declared where it stands.
    fn is_declared(&self, node: Node<'t>, field: Option<&str>) -> bool {
        // A prototype in C, which also looks like a variable with arguments.
        let declares = |above: &Frame<'t>| above.node.kind() == "function_declarator";
        (field == Some("declarator") && self.frames.last().is_some_and(declares))
            || introduced(self.source, node.start_byte(), self.parsed.language)
    }

    /// What the name is a member of. Siblings are remembered as they pass: asking the tree for them
    /// would take longer the more there are.
    fn before(&self) -> Before {
        let language = self.parsed.language;
        for frame in self.frames.iter().rev().take(HIGHEST) {
            let Some(last) = frame.last.clone() else { continue };
            let operator = self.source.get(last.clone()).unwrap_or_default();
            let known = match operator {
                b"." => frame.previous.is_some() || language == Language::CSharp,
                b"::" | b"?." => frame.previous.is_some(),
                // Elsewhere a type comes after it.
                b"->" => {
                    frame.previous.is_some() && matches!(language, Language::C | Language::Cpp)
                }
                _ => false,
            };
            if !known {
                return Before::Nothing;
            }
            let end = frame.previous.as_ref().map_or(last.start, |previous| previous.end);
            return before::read(self.source, operator, end);
        }
        Before::Nothing
    }

    /// The type that a definition opens or says it belongs to.
    pub(super) fn holder(&self, node: Node<'t>, body: Option<Node<'t>>, name: &str) -> Holder {
        let start = node.start_byte();
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        Holder { name: name.to_owned(), head: start..end.clamp(start, start + LONGEST) }
    }

    /// The import that a node is.
    pub(super) fn import(node: Node<'t>) -> Range<usize> {
        let start = node.start_byte();
        start..node.end_byte().min(start + LONGEST)
    }

    /// Calls inside of macros, where there are only tokens.
    pub(super) fn note_token(&mut self, frame: &Frame<'t>) {
        let node = frame.node;
        if self.want.calls.is_none() || node.kind() != "identifier" {
            return;
        }
        let tokens = self.frames.last().is_some_and(|above| above.node.kind() == "token_tree");
        let called = self.source.get(node.end_byte()) == Some(&b'(');
        if tokens && called && !introduced(self.source, node.start_byte(), self.parsed.language) {
            self.called(node, node.start_byte());
        }
    }
}

/// Whether what begins here comes right after a word that defines: `fn login`, `function login`.
pub(crate) fn introduced(source: &[u8], at: usize, language: Language) -> bool {
    let text = source.get(at.saturating_sub(100)..at).unwrap_or_default();
    let trimmed = text.trim_ascii_end();
    if trimmed.len() == text.len() {
        // `function*each` has no blank.
        return trimmed.ends_with(b"function*");
    }
    if trimmed.ends_with(b"macro_rules!") {
        return true;
    }
    let trimmed = trimmed.strip_suffix(b"*").map_or(trimmed, |text| {
        // Only a function is followed by a star, `type *name` is C.
        if text.trim_ascii_end().ends_with(b"function") { text.trim_ascii_end() } else { trimmed }
    });
    let from = trimmed.iter().rposition(|&byte| !words::is_word(byte)).map_or(0, |at| at + 1);
    let (rest, word) = trimmed.split_at(from);
    match word {
        b"fn" | b"func" | b"fun" | b"function" | b"def" | b"defp" | b"defmodule" | b"interface"
        | b"trait" | b"protocol" | b"namespace" | b"mod" => true,
        // In C these stand before names of types wherever they are used.
        b"class" | b"struct" | b"enum" | b"union" => {
            !matches!(language, Language::C | Language::Cpp)
        }
        b"type" => {
            matches!(language, Language::Rust | Language::Go | Language::TypeScript | Language::Tsx)
        }
        // `*const T` and `&'static T` are types.
        b"const" | b"static" => {
            language == Language::Rust && !rest.ends_with(b"*") && !rest.ends_with(b"'")
        }
        _ => false,
    }
}

/// Whether a name that ends here is called: `f(`, `f::<T>(`, `f<T>(`, `f!(`.
fn is_called(source: &[u8], end: usize, language: Language) -> bool {
    let rest = source.get(end..source.len().min(end + 200)).unwrap_or_default();
    let rest = rest.strip_prefix(b"::").unwrap_or(rest);
    let marked = rest.strip_prefix(b"!");
    let rest = marked.unwrap_or(rest).trim_ascii_start();
    match rest.first() {
        Some(b'(') => true,
        // Macros are called with any brackets.
        Some(b'[' | b'{') => marked.is_some() && language == Language::Rust,
        Some(b'<') => {
            let mut depth = 0_usize;
            for (at, &byte) in rest.iter().enumerate() {
                match byte {
                    b'<' => depth += 1,
                    b'>' => depth -= 1,
                    b',' | b' ' | b':' | b'.' | b'*' | b'&' | b'[' | b']' | b'?' => {}
                    _ if words::is_word(byte) => {}
                    _ => return false,
                }
                if depth == 0 {
                    return rest.get(at + 1) == Some(&b'(');
                }
            }
            false
        }
        Some(_) | None => false,
    }
}
