//! Recognises tests, by how each language marks them.
//!
//! A part of the walk in [`super::scan`]. Whether a file is one that tests are looked for in is said by
//! [`crate::tests`], which knows its name.

use tree_sitter::Node;

use super::{
    Inside,
    heirs::one_line,
    scan::{Frame, Walk},
    text,
};
use crate::{Kind, Language};

pub(crate) struct TestAt {
    pub(crate) name: String,
    /// The rows of its name, of its first and of its last line, from 0.
    pub(crate) row: usize,
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

/// The last word of an attribute that makes a test of a Rust function.
const RUST: &[&str] =
    &["test", "rstest", "test_case", "wasm_bindgen_test", "proptest", "quickcheck"];
const JAVA: &[&str] = &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory"];
const CSHARP: &[&str] = &["Test", "TestCase", "Fact", "Theory", "TestMethod", "DataTestMethod"];
const CPP: &[&str] = &["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TEST_CASE"];
const JAVASCRIPT: &[&str] = &["it", "test", "specify"];
/// What may follow these after a dot.
const HOW: &[&str] = &["only", "skip", "todo", "each", "concurrent", "failing", "fails", "serial"];

impl<'t> Walk<'_, 't> {
    /// Notes a test that was just defined, or is a call.
    pub(super) fn note_test(&mut self, frame: &Frame<'t>, defined: Option<usize>) {
        if !self.want.tests {
            return;
        }
        let language = self.parsed.language;
        let calls = [Language::JavaScript, Language::TypeScript, Language::Tsx].contains(&language);
        let name = match calls {
            true => self.called_test(frame),
            false => defined.and_then(|at| self.defined_test(frame, at, language)),
        };
        let Some(name) = name.map(|name| one_line(&name)).filter(|name| !name.is_empty()) else {
            return;
        };
        let begin = frame.node.start_position().row;
        let row = defined.map_or(begin, |at| self.scan.defined[at].row);
        self.scan.tests.push(TestAt { name, row, begin, end: frame.node.end_position().row });
    }

    fn defined_test(&self, frame: &Frame<'t>, at: usize, language: Language) -> Option<String> {
        let defined = self.scan.defined.get(at)?;
        if !defined.kind.is_function() || defined.kind == Kind::Macro {
            return None;
        }
        let name = defined.name.as_str();
        let node = frame.node;
        let is_test = if language == Language::Rust {
            self.attributes.iter().any(|range| {
                let text = self.source.get(range.clone()).unwrap_or_default();
                let text = String::from_utf8_lossy(&text[..text.len().min(200)]);
                let path = text.trim_start_matches("#[").trim_start();
                let end = path.find(['(', ']', '=', ' ']).unwrap_or(path.len());
                RUST.contains(&path[..end].rsplit("::").next().unwrap_or_default())
            })
        } else if language == Language::Python {
            // Around it is what its own scope is in.
            let around = self.scopes.iter().rev().nth(1);
            let inner = around.is_some_and(|scope| scope.inside == Inside::Function);
            let rest = name.strip_prefix("test");
            !inner
                && rest.is_some_and(|rest| {
                    rest.starts_with('_') || rest.starts_with(|c: char| c.is_uppercase())
                })
        } else if language == Language::Go {
            let rest = name.strip_prefix("Test");
            defined.kind == Kind::Function
                && name != "TestMain"
                && rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        } else if language == Language::Java {
            self.marked(node, &["modifiers"], &["marker_annotation", "annotation"], JAVA)
        } else if language == Language::CSharp {
            self.marked(node, &["attribute_list"], &["attribute"], CSHARP)
        } else {
            return CPP.contains(&name).then(|| self.arguments_of(node)).flatten();
        };
        is_test.then(|| name.to_owned())
    }

    /// Whether a definition has one of these marks.
    fn marked(&self, node: Node<'t>, lists: &[&str], kinds: &[&str], marks: &[&str]) -> bool {
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor);
        children.filter(|list| lists.contains(&list.kind())).any(|list| {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).filter(|one| kinds.contains(&one.kind())).any(|one| {
                let name = one.child_by_field_name("name").map(|name| text(self.source, name));
                let last = name.and_then(|name| name.rsplit('.').next());
                last.is_some_and(|last| {
                    marks.contains(&last.strip_suffix("Attribute").unwrap_or(last))
                })
            })
        })
    }

    /// `Suite, name` of `TEST(Suite, name) { … }`, which looks like a function.
    fn arguments_of(&self, node: Node<'t>) -> Option<String> {
        let list = node.child_by_field_name("declarator")?.child_by_field_name("parameters")?;
        let text = text(self.source, list).trim_matches(['(', ')']);
        Some(text.split(',').map(str::trim).collect::<Vec<_>>().join("."))
    }

    /// The words of `it("gives back what it took", …)`.
    fn called_test(&self, frame: &Frame<'t>) -> Option<String> {
        if frame.node.kind() != "call_expression" {
            return None;
        }
        let called = frame.node.child_by_field_name("function")?;
        let bytes = self.source.get(called.byte_range())?;
        let called = std::str::from_utf8(&bytes[..bytes.len().min(60)]).ok()?;
        let end = called.find(['(', '<', '`', '[']).unwrap_or(called.len());
        let mut words = called[..end].split('.');
        let first = words.next()?;
        if !JAVASCRIPT.contains(&first) || !words.all(|word| HOW.contains(&word)) {
            return None;
        }
        let said = frame.node.child_by_field_name("arguments")?.named_child(0)?;
        matches!(said.kind(), "string" | "template_string")
            .then(|| text(self.source, said).trim_matches(['"', '\'', '`']).to_owned())
    }
}
