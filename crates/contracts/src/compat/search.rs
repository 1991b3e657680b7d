//! Searches for a document that the old schema accepts and the new one refuses.
//!
//! Documents to start from are built from a schema that leads the way: the old one, or one of what
//! is lost. Then one place at a time is changed, to each value at which the schemas could differ.

use serde_json::Value;

use super::{
    Compatibility, CounterExample,
    candidates::{candidates, lengths},
};
use crate::{
    json::Json,
    sample::{Builder, Fill, Rules},
    schema::Schema,
};

/// Values in all the documents that are tried before the search gives up.
const MOST_VALUES: usize = 20_000_000;

/// Changes below this depth of a document are not tried.
const DEEPEST: usize = 8;

/// The two schemas, compiled.
pub(super) struct Judge {
    pub(super) old: Schema,
    pub(super) new: Schema,
}

impl Judge {
    /// Whether the document was valid and no longer is.
    fn is_lost(&self, document: &Value) -> bool {
        let document = Json::from(document);
        self.old.is_valid(&document) && !self.new.is_valid(&document)
    }

    /// The verdict that a lost document proves.
    pub(super) fn condemn(&self, document: &Value) -> Compatibility {
        let document = Json::from(document);
        let breaches = self.new.check(&document).breaches;
        Compatibility::Incompatible(Box::new(CounterExample { document, breaches }))
    }

    /// A lost document, made as small as it can be. The search starts from what `lead` describes.
    pub(super) fn find(&self, lead: &Value, old: &Value, new: &Value) -> Option<Value> {
        let rules = Rules::side_by_side([lead, old, new]);
        let mut starts = Vec::new();
        for root in alternatives(lead) {
            for fill in [Fill::Required, Fill::Everything] {
                let build = |rules| Builder::likely(fill).build_anyway(&rules, 0);
                starts.push(build(Rules::side_by_side([root])));
                starts.push(build(Rules::side_by_side([lead, root])));
            }
        }
        starts.dedup();
        starts.extend(candidates(&rules));
        // Small documents first: they show as much, and many more of them can be tried.
        starts.sort_by_cached_key(size);
        let mut left = MOST_VALUES;
        for start in &starts {
            if self.is_lost(start) {
                return Some(self.shrink(start.clone()));
            }
        }
        for start in &starts {
            let mut found = None;
            let cost = size(start) + 1;
            change(start, &rules, 0, &mut |document| {
                left = left.saturating_sub(cost);
                if found.is_none() && self.is_lost(&document) {
                    found = Some(document);
                }
                left > 0 && found.is_none()
            });
            if let Some(document) = found {
                return Some(self.shrink(document));
            }
        }
        None
    }

    /// Takes away whatever is not needed to be lost.
    fn shrink(&self, document: Value) -> Value {
        minimise(document, &|candidate| self.is_lost(candidate))
    }
}

/// How many values a document holds.
fn size(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// The schema itself and the branches at its top, each a place to start from.
fn alternatives(schema: &Value) -> Vec<&Value> {
    let branches =
        ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|keyword| schema.get(keyword));
    let branches = branches.filter_map(Value::as_array).flatten();
    std::iter::once(schema).chain(branches).take(16).collect()
}

/// Offers every document that differs from `value` in one place, until `offer` says stop.
fn change(
    value: &Value,
    rules: &Rules<'_>,
    depth: usize,
    offer: &mut dyn FnMut(Value) -> bool,
) -> bool {
    for candidate in candidates(rules) {
        if !offer(candidate) {
            return false;
        }
    }
    if depth >= DEEPEST {
        return true;
    }
    match value {
        Value::Object(members) => {
            let patterns = rules.pattern_names();
            let mut names = rules.member_names();
            names.extend(patterns.iter().map(String::as_str));
            names.extend(members.keys().map(String::as_str));
            names.push("unknown");
            names.sort_unstable();
            names.dedup();
            for name in names {
                let with = |member: Option<Value>| {
                    let mut members = members.clone();
                    match member {
                        Some(member) => members.insert(name.to_owned(), member),
                        None => members.remove(name),
                    };
                    Value::Object(members)
                };
                let here = rules.member(name);
                let go_on = match members.get(name) {
                    Some(member) => {
                        offer(with(None))
                            && change(member, &here, depth + 1, &mut |new| offer(with(Some(new))))
                    }
                    None => candidates(&here).into_iter().all(|new| offer(with(Some(new)))),
                };
                if !go_on {
                    return false;
                }
            }
            true
        }
        Value::Array(items) => {
            let here = rules.item(0);
            for length in lengths(rules) {
                let filler = items.first().cloned().unwrap_or_else(|| {
                    Builder::likely(Fill::Required).build_anyway(&here, depth + 1)
                });
                if !offer(Value::Array(vec![filler; length])) {
                    return false;
                }
            }
            for (index, item) in items.iter().enumerate().take(2) {
                let with = |new: Value| {
                    let mut items = items.clone();
                    items[index] = new;
                    Value::Array(items)
                };
                if !change(item, &rules.item(index), depth + 1, &mut |new| offer(with(new))) {
                    return false;
                }
            }
            true
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Leaves out every member and item without which `keeps` still holds.
fn minimise(value: Value, keeps: &dyn Fn(&Value) -> bool) -> Value {
    match value {
        Value::Object(mut members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                let Some(member) = members.remove(&name) else { continue };
                if keeps(&Value::Object(members.clone())) {
                    continue;
                }
                let smaller = minimise(member, &|candidate| {
                    let mut members = members.clone();
                    members.insert(name.clone(), candidate.clone());
                    keeps(&Value::Object(members))
                });
                members.insert(name, smaller);
            }
            Value::Object(members)
        }
        Value::Array(mut items) => {
            let mut index = 0;
            while index < items.len() {
                let item = items.remove(index);
                if keeps(&Value::Array(items.clone())) {
                    continue;
                }
                let smaller = minimise(item, &|candidate| {
                    let mut items = items.clone();
                    items.insert(index, candidate.clone());
                    keeps(&Value::Array(items))
                });
                items.insert(index, smaller);
                index += 1;
            }
            Value::Array(items)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
