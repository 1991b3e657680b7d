//! Looking for a document that the old schema takes and the new one refuses.
//!
//! Documents to start from are built from the old schema and from the difference, if there is one.
//! Then one place at a time is changed, to each value at which either schema could change its mind.

use serde_json::Value;

use super::{
    hints::Hints,
    sample::{Fill, candidates, instance, lengths},
};
use crate::{json::Json, schema::Schema};

/// Documents tried before the search gives up.
const MOST_TRIES: usize = 200_000;

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

    /// A lost document, made as small as it can be.
    pub(super) fn find(&self, old: &Value, new: &Value, lost: Option<&Value>) -> Option<Value> {
        let hints = Hints::of([old, new].into_iter().chain(lost));
        let mut starts = Vec::new();
        for schema in lost.into_iter().chain([old]) {
            for root in alternatives(schema) {
                for fill in [Fill::Required, Fill::Everything] {
                    starts.push(instance(&Hints::of([root]), fill, 0));
                    starts.push(instance(&Hints::of([schema, root]), fill, 0));
                }
            }
        }
        starts.extend(candidates(&hints));
        let mut tries = MOST_TRIES;
        for start in &starts {
            if self.is_lost(start) {
                return Some(self.shrink(start.clone()));
            }
        }
        for start in &starts {
            let mut found = None;
            change(start, &hints, 0, &mut |document| {
                if tries > 0 && found.is_none() {
                    tries -= 1;
                    if self.is_lost(&document) {
                        found = Some(document);
                    }
                }
                tries > 0 && found.is_none()
            });
            if let Some(document) = found {
                return Some(self.shrink(document));
            }
        }
        None
    }

    /// Takes away whatever is not needed to be lost.
    fn shrink(&self, mut document: Value) -> Value {
        loop {
            let mut smaller = None;
            cut(&document, &mut |candidate| {
                let lost = self.is_lost(&candidate);
                if lost {
                    smaller = Some(candidate);
                }
                !lost
            });
            match smaller {
                Some(candidate) => document = candidate,
                None => return document,
            }
        }
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
    hints: &Hints<'_>,
    depth: usize,
    offer: &mut dyn FnMut(Value) -> bool,
) -> bool {
    for candidate in candidates(hints) {
        if !offer(candidate) {
            return false;
        }
    }
    if depth >= DEEPEST {
        return true;
    }
    match value {
        Value::Object(members) => {
            let mut names = hints.member_names();
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
                let here = hints.member(name);
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
            let here = hints.item(0);
            for length in lengths(hints) {
                let filler = items.first().cloned();
                let filler = filler.unwrap_or_else(|| instance(&here, Fill::Required, depth + 1));
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
                if !change(item, &hints.item(index), depth + 1, &mut |new| offer(with(new))) {
                    return false;
                }
            }
            true
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Offers every document that has one member or item less, until `offer` says stop.
fn cut(value: &Value, offer: &mut dyn FnMut(Value) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().all(|(name, member)| {
            let with = |member: Option<Value>| {
                let mut members = members.clone();
                match member {
                    Some(member) => members.insert(name.clone(), member),
                    None => members.remove(name),
                };
                Value::Object(members)
            };
            offer(with(None)) && cut(member, &mut |new| offer(with(Some(new))))
        }),
        Value::Array(items) => (0..items.len()).all(|index| {
            let mut fewer = items.clone();
            let item = fewer.remove(index);
            offer(Value::Array(fewer))
                && cut(&item, &mut |new| {
                    let mut items = items.clone();
                    items[index] = new;
                    offer(Value::Array(items))
                })
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}
