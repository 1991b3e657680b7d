//! Filters: what must be true of a chunk before it is looked at.
//!
//! Every key must be equal; a list means any of its values; a key that nothing has finds nothing. Values are compared as
//! text, so that `--filter page_number=3` and `{"page_number": 3}` are the same. A document's own list, such as tags,
//! is equal to each of its values.

use std::collections::{BTreeMap, BTreeSet};

use consign_contracts::{
    crew::LayoutType,
    json::{Json, Number, Object},
};

/// Keys that differ from chunk to chunk. All others belong to the document.
const OF_CHUNK: [&str; 2] = [PAGE, LAYOUT];
const PAGE: &str = "page_number";
const LAYOUT: &str = "layout_type";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters(BTreeMap<String, BTreeSet<String>>);

impl Filters {
    /// The filters of a query.
    #[must_use]
    pub fn of(filters: &Object<'_>) -> Self {
        let values = |value: &Json<'_>| match value.as_array() {
            Some(any) => any.iter().filter_map(as_text).collect(),
            None => as_text(value).into_iter().collect(),
        };
        Self(filters.iter().map(|(key, value)| (key.to_owned(), values(value))).collect())
    }

    /// These, and that `key` is `value` besides.
    #[must_use]
    pub fn and(mut self, key: &str, value: &str) -> Self {
        match self.0.get_mut(key) {
            Some(any) => any.retain(|one| one == value),
            None => {
                self.0.insert(key.to_owned(), [value.to_owned()].into());
            }
        }
        self
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the document must be: key, and any of these values.
    pub fn of_document(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> {
        self.0.iter().map(|(key, any)| (key.as_str(), any)).filter(|(key, _)| !is_of_chunk(key))
    }

    /// Whether a document with these labels may be looked at.
    #[must_use]
    pub fn allow_document(&self, labels: &BTreeSet<(String, String)>) -> bool {
        self.of_document().all(|(key, any)| {
            any.iter().any(|value| labels.contains(&(key.to_owned(), value.clone())))
        })
    }

    /// Whether a chunk of a document that may be looked at may be, too.
    #[must_use]
    pub fn allow_chunk(&self, page: Option<u32>, layout: LayoutType) -> bool {
        let is = |key: &str, value: &str| self.0.get(key).is_none_or(|any| any.contains(value));
        if !OF_CHUNK.iter().any(|key| self.0.contains_key(*key)) {
            return true;
        }
        let page = page.map_or_else(|| "null".to_owned(), |page| page.to_string());
        is(PAGE, &page) && is(LAYOUT, layout.as_str())
    }
}

pub(crate) fn is_of_chunk(key: &str) -> bool {
    OF_CHUNK.contains(&key)
}

/// A value as the text that is compared. Lists and objects have none.
pub(crate) fn as_text(value: &Json<'_>) -> Option<String> {
    match value {
        Json::Null => Some("null".to_owned()),
        Json::Bool(value) => Some(value.to_string()),
        Json::String(text) => Some(text.clone().into_owned()),
        Json::Number(number) => Some(as_digits(number)),
        Json::Array(_) | Json::Object(_) => None,
    }
}

/// A whole number is written one way: `3.0` is `3`.
fn as_digits(number: &Number<'_>) -> String {
    const EXACT: f64 = 9e15;
    let value = number.as_f64();
    if number.is_integer() && value.abs() < EXACT {
        return format!("{}", value as i64);
    }
    number.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use consign_contracts::json;

    use super::*;

    fn filters(text: &str) -> Filters {
        let tree = json::parse(text.as_bytes()).unwrap();
        Filters::of(tree.as_object().unwrap())
    }

    fn labels(all: &[(&str, &str)]) -> BTreeSet<(String, String)> {
        all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_key_must_be_equal_and_a_list_means_any() {
        let document = labels(&[
            ("kind", "pdf"),
            ("tag", "a"),
            ("tag", "b"),
            ("year", "2024"),
            ("open", "true"),
        ]);
        let check = |text: &str, allowed| {
            assert_eq!(filters(text).allow_document(&document), allowed, "{text}")
        };
        check("{}", true);
        check(r#"{"kind":"pdf"}"#, true);
        check(r#"{"kind":"PDF"}"#, false);
        check(r#"{"kind":["txt","pdf"]}"#, true);
        check(r#"{"kind":[]}"#, false);
        check(r#"{"kind":"pdf","year":2024}"#, true);
        check(r#"{"kind":"pdf","year":2025}"#, false);
        check(r#"{"year":"2024"}"#, true);
        check(r#"{"year":2024.0}"#, true);
        check(r#"{"open":true}"#, true);
        check(r#"{"tag":"b"}"#, true);
        check(r#"{"unknown":"x"}"#, false);
        check(r#"{"unknown":null}"#, false);
        check(r#"{"kind":{"a":1}}"#, false);
    }

    #[test]
    fn pages_and_layouts_are_of_the_chunk() {
        let check = |text: &str, page, layout, allowed| {
            let filters = filters(text);
            assert!(filters.allow_document(&labels(&[])), "{text}");
            assert_eq!(filters.allow_chunk(page, layout), allowed, "{text}");
        };
        check(r#"{"page_number":3}"#, Some(3), LayoutType::Text, true);
        check(r#"{"page_number":"3"}"#, Some(3), LayoutType::Text, true);
        check(r#"{"page_number":3}"#, Some(4), LayoutType::Text, false);
        check(r#"{"page_number":3}"#, None, LayoutType::Text, false);
        check(r#"{"page_number":null}"#, None, LayoutType::Text, true);
        check(r#"{"page_number":[3,4],"layout_type":"table"}"#, Some(4), LayoutType::Table, true);
        check(r#"{"page_number":[3,4],"layout_type":"table"}"#, Some(4), LayoutType::Text, false);
    }

    #[test]
    fn a_second_value_for_a_key_narrows() {
        let both = filters(r#"{"collection":["a","b"]}"#).and("collection", "a");
        assert_eq!(both, filters(r#"{"collection":["a"]}"#));
        assert_eq!(
            filters(r#"{"collection":"b"}"#).and("collection", "a"),
            filters(r#"{"collection":[]}"#)
        );
        assert_eq!(Filters::default().and("collection", "a"), filters(r#"{"collection":"a"}"#));
    }
}
