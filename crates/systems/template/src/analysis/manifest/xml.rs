//! As much of XML as manifests need: elements with their attributes and text, in order, with lines.
//!
//! It reads what people wrote and whatever else comes, in one pass and without calling itself: an element
//! that is never closed ends with the file. Nothing is expanded, fetched or believed.

/// Deeper elements are read as if they were at this depth.
const DEEPEST: usize = 64;
const MOST: usize = 20_000;
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
    let mut all: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(at) = rest.find('<') {
        if let Some(&inside) = open.last() {
            all[inside].text.push_str(rest[..at].trim());
        }
        line += breaks(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else if rest.starts_with("<![CDATA[") {
            rest.find("]]>").map(|end| end + 3)
        } else {
            close(rest)
        };
        let Some(end) = end else { break };
        let tag = &rest[..end];
        if tag.starts_with("</") {
            let name = local(tag.trim_matches(['<', '>', '/']).trim());
            // What was left open inside of it ends with it.
            if let Some(from) = open.iter().rposition(|&at| all[at].name() == name) {
                open.truncate(from);
            }
        } else if !tag.starts_with("<!") && !tag.starts_with("<?") && all.len() < MOST {
            let empty = tag.ends_with("/>");
            let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
            let parent = open.last().copied();
            let mut element = begin(inner, parent.map(|at| all[at].path.as_str()));
            (element.line, element.parent) = (line, parent);
            all.push(element);
            if !empty && open.len() < DEEPEST {
                open.push(all.len() - 1);
            }
        }
        line += breaks(tag);
        rest = &rest[end..];
    }
    all
}

/// What a child of an element says.
pub(super) fn child<'a>(all: &'a [Element], parent: usize, name: &str) -> Option<&'a str> {
    // What is inside of it follows it; the first that is not is outside.
    let inside = all.iter().skip(parent + 1);
    let inside = inside.take_while(|element| element.parent.is_some_and(|at| at >= parent));
    let mut own = inside.filter(|element| element.parent == Some(parent));
    own.find(|element| element.name() == name).map(|element| element.text.as_str())
}

/// The place after the `>` that ends a tag; one in quotes does not.
fn close(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn begin(inner: &str, above: Option<&str>) -> Element {
    let inner = inner.trim();
    let end = inner.find(char::is_whitespace).unwrap_or(inner.len());
    let (name, mut rest) = inner.split_at(end);
    let name = local(name);
    let path = match above {
        Some(above) if above.len() < LONGEST_PATH => format!("{above}/{name}"),
        Some(_) | None => name.to_owned(),
    };
    let mut attributes = Vec::new();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|quote| ['"', '\''].contains(quote)) else {
            break;
        };
        let Some((value, after)) = after[1..].split_once(quote) else { break };
        attributes.push((local(key.trim()).to_owned(), plain(value)));
        rest = after;
    }
    Element { path, attributes, ..Element::default() }
}

/// Without its namespace.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn plain(value: &str) -> String {
    value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn breaks(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_paths_attributes_text_and_lines() {
        let all = elements("<?xml?>\n<a x=\"1 > 0\">\n <b>two</b><!-- <c/> -->\n <d/></a>");
        let seen: Vec<_> = all.iter().map(|e| (e.path.as_str(), e.text.as_str(), e.line)).collect();
        assert_eq!(seen, [("a", "", 2), ("a/b", "two", 3), ("a/d", "", 4)]);
        assert_eq!(all[0].attribute("X"), Some("1 > 0"));
    }

    #[test]
    fn what_is_never_closed_ends_with_the_file() {
        assert_eq!(elements("<a><b>").len(), 2);
        assert_eq!(elements("<a><b x='").len(), 1);
        assert_eq!(elements("</a></b>").len(), 0);
    }
}
