//! XML of Office files as a tree: within a depth, without entities, also when its end is missing.

use quick_xml::{Reader, events::Event};

use crate::{Limit, ParseError, decode, options::Limits};

/// An element.
#[derive(Debug, Default)]
pub(super) struct Element {
    /// Its name without the prefix.
    pub(super) name: Box<str>,
    attributes: Vec<(Box<str>, String)>,
    pub(super) children: Vec<Node>,
}

#[derive(Debug)]
pub(super) enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// An attribute, by its name without the prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| &*element.name == name)
    }

    /// The element at the end of a path of names.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// All elements of a name, at any depth, in order; none inside another.
    pub(super) fn all<'a>(&'a self, name: &str, found: &mut Vec<&'a Self>) {
        for element in self.elements() {
            if &*element.name == name { found.push(element) } else { element.all(name, found) }
        }
    }

    /// Its text, at any depth.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.add_text(&mut text);
        text
    }

    fn add_text(&self, text: &mut String) {
        for node in &self.children {
            match node {
                Node::Text(said) => text.push_str(said),
                Node::Element(element) => element.add_text(text),
            }
        }
    }
}

/// A tree, and whether its end is missing.
pub(super) struct Tree {
    pub(super) root: Element,
    pub(super) cut: bool,
}

/// Reads XML. Entities that a file declares itself are never put in place; what is damaged ends the tree.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Tree, ParseError> {
    let Some(decoded) = decode::decode(bytes, None) else {
        return Ok(Tree { root: Element::default(), cut: true });
    };
    let mut reader = Reader::from_str(&decoded.text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut open = vec![Element::default()];
    let cut = loop {
        let event = match reader.read_event() {
            Ok(Event::Eof) => break open.len() > 1,
            Ok(event) => event,
            Err(_) => break true,
        };
        match event {
            Event::Start(tag) => {
                if open.len() > limits.depth {
                    let most = limits.depth;
                    let details = format!("elements of the file are nested more than {most} deep");
                    return Err(ParseError::limited(Limit::Depth, details));
                }
                open.push(element(&tag));
            }
            Event::Empty(tag) => add(&mut open, Node::Element(element(&tag))),
            Event::End(_) => {
                if open.len() > 1
                    && let Some(done) = open.pop()
                {
                    add(&mut open, Node::Element(done));
                }
            }
            Event::Text(said) => add_text(&mut open, &said.xml10_content()),
            Event::CData(said) => add_text(&mut open, &said.xml10_content()),
            Event::GeneralRef(reference) => {
                if let Ok(Some(c)) = reference.resolve_char_ref() {
                    add_text(&mut open, c.encode_utf8(&mut [0; 4]));
                } else {
                    let c = match &*reference.xml10_content() {
                        "lt" => "<",
                        "gt" => ">",
                        "amp" => "&",
                        "quot" => "\"",
                        "apos" => "'",
                        // Declared in the file: that is how a bomb is made.
                        _ => "",
                    };
                    add_text(&mut open, c);
                }
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => {}
        }
    };
    while open.len() > 1 {
        if let Some(done) = open.pop() {
            add(&mut open, Node::Element(done));
        }
    }
    Ok(Tree { root: open.pop().unwrap_or_default(), cut })
}

fn element(tag: &quick_xml::events::BytesStart<'_>) -> Element {
    let local = |name: &str| -> Box<str> { name.rsplit(':').next().unwrap_or(name).into() };
    let mut attributes: Vec<(Box<str>, String)> = Vec::new();
    for attribute in tag.attributes().with_checks(false).filter_map(Result::ok) {
        let Ok(value) = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0) else {
            continue;
        };
        // Two attributes may have one local name, as `w:id` and `r:id`; the one of relationships is asked for by its
        // whole name.
        let key = attribute.key.as_ref();
        if key.starts_with("r:") {
            attributes.push((key.into(), value.into_owned()));
        } else {
            attributes.push((local(key), value.into_owned()));
        }
    }
    Element { name: local(tag.name().as_ref()), attributes, children: Vec::new() }
}

fn add(open: &mut [Element], node: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(node);
    }
}

fn add_text(open: &mut [Element], said: &str) {
    if said.is_empty() {
        return;
    }
    if let Some(parent) = open.last_mut() {
        if let Some(Node::Text(text)) = parent.children.last_mut() {
            text.push_str(said);
        } else {
            parent.children.push(Node::Text(said.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_gives_what_came_before() {
        let whole =
            "<?xml version=\"1.0\"?><w:a x='1' r:id='r7'>one &amp; &#x263a;<b>two</b></w:a>";
        let tree = read(whole.as_bytes(), &Limits::default()).unwrap();
        let a = tree.root.child("a").unwrap();
        assert_eq!(
            (a.text().as_str(), a.attribute("x"), a.attribute("r:id")),
            ("one & ☺two", Some("1"), Some("r7"))
        );
        assert!(!tree.cut);
        for cut in 0..whole.len() {
            if let Some(part) = whole.get(..cut) {
                let tree = read(part.as_bytes(), &Limits::default()).unwrap();
                assert!(cut <= 21 || tree.cut, "cut at {cut}");
            }
        }
    }

    #[test]
    fn entities_of_the_file_stay_what_they_are() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]><x>&b;&b;.</x>";
        assert_eq!(read(bomb.as_bytes(), &Limits::default()).unwrap().root.text(), ".");
    }

    #[test]
    fn deep_nesting_is_refused() {
        let error = read("<a>".repeat(100_000).as_bytes(), &Limits::default());
        assert_eq!(error.err().and_then(|error| error.limit()), Some(Limit::Depth));
    }
}
