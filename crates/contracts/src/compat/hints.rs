//! The subschemas that speak about one place of a document.
//!
//! The search needs no exact reading of a schema, only the values at which it could change its
//! mind. So everything that is said about a place is gathered, whatever combines it: references
//! are followed, and the branches of `allOf`, `anyOf`, `oneOf`, `not` and `if` are laid side by side.

use serde_json::{Map, Value};

use super::pattern;

/// A reference chain or a pile of branches longer than this is somebody's game.
const MOST_HINTS: usize = 64;

/// What is said about a place, each with the document in which its references resolve.
#[derive(Clone)]
pub(super) struct Hints<'a>(Vec<(&'a Value, &'a Map<String, Value>)>);

impl<'a> Hints<'a> {
    /// What is said about the whole document.
    pub(super) fn of(roots: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut hints = Self(Vec::new());
        for root in roots {
            hints.add(root, root);
        }
        hints
    }

    fn add(&mut self, root: &'a Value, schema: &'a Value) {
        let Some(keywords) = schema.as_object() else { return };
        let known = self.0.iter().any(|(_, known)| std::ptr::eq(*known, keywords));
        if known || self.0.len() >= MOST_HINTS {
            return;
        }
        self.0.push((root, keywords));
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
            let pointer = target.strip_prefix('#').unwrap_or_default();
            if let Some(target) = root.pointer(pointer) {
                self.add(root, target);
            }
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in keywords.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.add(root, branch);
            }
        }
        for keyword in ["not", "if", "then", "else"] {
            if let Some(branch) = keywords.get(keyword) {
                self.add(root, branch);
            }
        }
    }

    /// Every value that a keyword has here.
    pub(super) fn keyword(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter_map(move |(_, schema)| schema.get(keyword))
    }

    /// Names that match the patterns which are spoken of.
    pub(super) fn pattern_names(&self) -> Vec<String> {
        let patterns = self.keyword("patternProperties").filter_map(Value::as_object);
        let names = patterns.flat_map(Map::keys).flat_map(|pattern| pattern::matches(pattern));
        names.take(MOST_HINTS).collect()
    }

    /// The names of all members that are spoken of.
    pub(super) fn member_names(&self) -> Vec<&'a str> {
        let properties = self.keyword("properties").filter_map(Value::as_object);
        let required = self.keyword("required").filter_map(Value::as_array).flatten();
        let mut names: Vec<&str> = properties
            .flat_map(Map::keys)
            .map(String::as_str)
            .chain(required.filter_map(Value::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What is said about a member.
    pub(super) fn member(&self, name: &str) -> Self {
        let mut hints = Self(Vec::new());
        for (root, schema) in &self.0 {
            let by_name = schema.get("properties").and_then(|properties| properties.get(name));
            let by_pattern = schema.get("patternProperties").and_then(Value::as_object);
            for said in by_name.into_iter().chain(by_pattern.into_iter().flat_map(Map::values)) {
                hints.add(root, said);
            }
            if by_name.is_none()
                && let Some(said) = schema.get("additionalProperties")
            {
                hints.add(root, said);
            }
        }
        hints
    }

    /// What is said about an item.
    pub(super) fn item(&self, index: usize) -> Self {
        let mut hints = Self(Vec::new());
        for (root, schema) in &self.0 {
            for keyword in ["prefixItems", "items"] {
                match schema.get(keyword) {
                    Some(Value::Array(places)) => {
                        if let Some(said) = places.get(index) {
                            hints.add(root, said);
                        }
                    }
                    Some(said) => hints.add(root, said),
                    None => {}
                }
            }
            for keyword in ["additionalItems", "contains"] {
                if let Some(said) = schema.get(keyword) {
                    hints.add(root, said);
                }
            }
        }
        hints
    }
}
