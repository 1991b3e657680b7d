//! The elements of an XML manifest with their attributes and text, in order, with lines.
//!
//! Nothing is expanded or fetched: a document with a type definition is not read. What is not well-formed
//! has no elements, as it has none for the tool that it is written for.

use std::collections::HashMap;

use roxmltree::{Document, Node, NodeId, ParsingOptions};

/// Elements that are looked at.
const MOST: usize = 20_000;
/// Elements, comments and pieces of text; a document with more is not read.
const MOST_NODES: u32 = 200_000;
/// Bytes of a path; below that an element forgets what is around it.
const LONGEST_PATH: usize = 300;

/// An element, flattened: where it is, what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// The names of those around it and its own, with `/`.
    pub(super) path: String,
    pub(super) attributes: Vec<(String, String)>,
    /// Its own text, trimmed.
    pub(super) text: String,
    pub(super) line: usize,
    /// The place of the element around it.
    pub(super) parent: Option<usize>,
}

impl Element {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let named = |(key, _): &&(String, String)| key.eq_ignore_ascii_case(name);
        self.attributes.iter().find(named).map(|(_, value)| value.as_str())
    }
}

/// All elements in the order in which they begin.
pub(super) fn elements(text: &str) -> Vec<Element> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    // A declaration after an empty line is a mistake that most tools let pass.
    let start = text.find(|letter: char| !letter.is_whitespace()).unwrap_or(0);
    let Ok(document) = Document::parse_with_options(&text[start..], options) else {
        return Vec::new();
    };
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut all: Vec<Element> = Vec::new();
    let mut places: HashMap<NodeId, usize> = HashMap::new();
    for node in document.descendants().filter(Node::is_element).take(MOST) {
        let parent = node.parent().and_then(|parent| places.get(&parent.id()).copied());
        let line = lines.of(start + node.range().start);
        let element = element(node, parent.map(|at| all[at].path.as_str()));
        places.insert(node.id(), all.len());
        all.push(Element { line, parent, ..element });
    }
    all
}

fn element(node: Node<'_, '_>, above: Option<&str>) -> Element {
    let name = node.tag_name().name();
    let path = match above {
        Some(above) if above.len() < LONGEST_PATH => format!("{above}/{name}"),
        Some(_) | None => name.to_owned(),
    };
    let attributes = node.attributes();
    let attributes = attributes.map(|said| (said.name().to_owned(), said.value().to_owned()));
    let text = node.children().filter(Node::is_text).filter_map(|piece| piece.text());
    let text = text.map(str::trim).collect();
    Element { path, attributes: attributes.collect(), text, ..Element::default() }
}

/// Counts lines in one pass: the places that are asked for follow each other.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, place: usize) -> usize {
        let passed = self.text.as_bytes().get(self.at..place).unwrap_or_default();
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.at = place;
        self.line
    }
}

/// What a child of an element says.
pub(super) fn child<'a>(all: &'a [Element], parent: usize, name: &str) -> Option<&'a str> {
    // What is inside of it follows it; the first that is not is outside.
    let inside = all.iter().skip(parent + 1);
    let inside = inside.take_while(|element| element.parent.is_some_and(|at| at >= parent));
    let mut own = inside.filter(|element| element.parent == Some(parent));
    own.find(|element| element.name() == name).map(|element| element.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_paths_attributes_text_and_lines() {
        let all = elements(
            "\n<?xml version=\"1.0\"?>\n<a x=\"1 > 0\">\n <b>two</b><!-- <c/> -->\n <d/></a>",
        );
        let seen: Vec<_> = all.iter().map(|e| (e.path.as_str(), e.text.as_str(), e.line)).collect();
        assert_eq!(seen, [("a", "", 3), ("a/b", "two", 4), ("a/d", "", 5)]);
        assert_eq!(all[0].attribute("X"), Some("1 > 0"));
        assert_eq!((all[1].parent, child(&all, 0, "b")), (Some(0), Some("two")));
    }

    #[test]
    fn names_lose_their_namespace_and_text_its_references() {
        let all = elements(
            "\u{feff}<m:a xmlns:m='urn:m'><m:b>R&amp;D &#x26; <![CDATA[<more>]]></m:b></m:a>",
        );
        assert_eq!(all[1].path, "a/b");
        assert_eq!(all[1].text, "R&D & <more>");
    }

    #[test]
    fn what_is_not_well_formed_or_defines_its_own_words_is_not_read() {
        for text in ["", "<a><b>", "<a><b x='", "</a></b>", "<a/><b/>"] {
            assert_eq!(elements(text), [], "{text}");
        }
        assert_eq!(elements("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), []);
        assert_eq!(elements(&"<a>".repeat(300_000)), []);
        assert_eq!(elements(&format!("<a>{}</a>", "<b/>".repeat(30_000))).len(), MOST);
    }
}
