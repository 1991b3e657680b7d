//! Whether brackets are all that a cut-off value has lost.
//!
//! A value that ends early may have lost members, and the text cannot show that it did not. The
//! schema can: where every object that was left open already has all members that it may have, and
//! every such array all its items, only the brackets can be missing. The schema is taken at its
//! word; what it forbids cannot have been lost. A model that was cut off may also have begun again, in
//! the middle of what it had written: where a value inside would be an answer of its own, that cannot
//! be excluded. Everything that is not understood here proves nothing, and the value is then left for
//! the next rung.

use consign_contracts::json::{Json, Object};

use super::Expected;

/// Whether the value, whose last `open` levels of brackets were missing, is valid and full.
pub(super) fn nothing_is_lost(
    value: &Json<'_>,
    open: usize,
    expected: Option<Expected<'_>>,
) -> bool {
    let Some(Expected { schema, source: Some(source) }) = expected else { return false };
    if open > MOST_OPEN || !schema.is_valid(value) {
        return false;
    }
    let Ok(source) = source.tree() else { return false };
    let mut levels = vec![value];
    while levels.len() < open {
        let Some(last) = levels.last().and_then(|level| last_of(level)) else { return false };
        levels.push(last);
    }
    let newer = source.get("$schema").and_then(Json::as_str);
    let newer = newer.is_some_and(|draft| draft.contains("2020-12"));
    let mut proof = Proof { source: &source, newer, levels: &levels, target: 0, steps: 0 };
    let full = (0..levels.len()).all(|target| {
        proof.target = target;
        proof.shows(&source, 0, 0)
    });
    let whole = levels.last().and_then(|level| last_of(level));
    full && !levels[1..].iter().copied().chain(whole).any(|inner| schema.is_valid(inner))
}

/// Each level is held against the whole schema, so their number must not be the hostile side's choice.
const MOST_OPEN: usize = 16;

/// What was being written when the text ended is the last of what is there.
fn last_of<'v>(value: &'v Json<'v>) -> Option<&'v Json<'v>> {
    match value {
        Json::Array(items) => items.last(),
        Json::Object(members) => members.iter().last().map(|(_, value)| value),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

/// A schema may refer to itself without end.
const MOST_STEPS: usize = 20_000;
const DEEPEST: usize = 400;

struct Proof<'s> {
    source: &'s Json<'s>,
    /// Draft 2020-12; else draft 7.
    newer: bool,
    /// The containers that were open, from the outermost.
    levels: &'s [&'s Json<'s>],
    /// Which of them must be shown to be full.
    target: usize,
    steps: usize,
}

impl<'s> Proof<'s> {
    /// Whether no value that fits `schema` at `level` and begins like ours has more at the target.
    fn shows(&mut self, schema: &'s Json<'s>, level: usize, depth: usize) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS || depth > DEEPEST {
            return false;
        }
        let Json::Object(rules) = schema else {
            // Nothing at all fits `false`.
            return *schema == Json::Bool(false);
        };
        // Below an identifier of its own, references mean something else.
        if rules.get("$id").is_some() && !std::ptr::eq(schema, self.source) {
            return false;
        }
        // In draft 7 the neighbours of a reference do not count; leaving them out is right in both.
        if let Some(reference) = rules.get("$ref") {
            let target = reference.as_str().and_then(|reference| self.resolve(reference));
            return target.is_some_and(|target| self.shows(target, level, depth + 1));
        }
        if self.is_of_another_type(rules, level) {
            return true;
        }
        let here = if level == self.target {
            self.is_full(rules, self.levels[level])
        } else {
            let below = self.below(rules, level);
            below.is_some_and(|below| self.shows(below, level + 1, depth + 1))
        };
        let branches = |keyword| rules.get(keyword).and_then(Json::as_array).unwrap_or_default();
        here || branches("allOf").iter().any(|one| self.shows(one, level, depth + 1))
            || ["anyOf", "oneOf"].into_iter().any(|keyword| {
                let forms = branches(keyword);
                !forms.is_empty() && forms.iter().all(|one| self.shows(one, level, depth + 1))
            })
    }

    fn is_of_another_type(&self, rules: &Object<'_>, level: usize) -> bool {
        let kind = self.levels[level].kind();
        match rules.get("type") {
            Some(Json::String(only)) => only != kind,
            Some(Json::Array(some)) => !some.iter().any(|one| one.as_str() == Some(kind)),
            Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) | None => false,
        }
    }

    fn is_full(&self, rules: &Object<'_>, value: &Json<'_>) -> bool {
        let most = |keyword| rules.get(keyword).and_then(Json::as_number)?.as_u64();
        let reached =
            |most: Option<u64>, count: usize| most.is_some_and(|most| count as u64 >= most);
        let is_false = |keyword| rules.get(keyword) == Some(&Json::Bool(false));
        match value {
            Json::Object(members) => {
                let named = rules.get("properties").and_then(Json::as_object);
                let closed = is_false("additionalProperties")
                    && rules.get("patternProperties").is_none()
                    && named
                        .is_none_or(|named| named.keys().all(|name| members.get(name).is_some()));
                closed || reached(most("maxProperties"), members.len())
            }
            Json::Array(items) => {
                let (places, rest) = if self.newer {
                    ("prefixItems", "items")
                } else {
                    ("items", "additionalItems")
                };
                let places = rules.get(places).and_then(Json::as_array);
                let closed =
                    is_false(rest) && places.is_some_and(|places| items.len() >= places.len());
                closed || reached(most("maxItems"), items.len())
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
        }
    }

    /// The schema of the last member or item of a level.
    fn below(&self, rules: &'s Object<'s>, level: usize) -> Option<&'s Json<'s>> {
        match self.levels[level] {
            Json::Object(members) => {
                let (name, _) = members.iter().last()?;
                let named = rules.get("properties").and_then(Json::as_object);
                match named.and_then(|named| named.get(name)) {
                    Some(schema) => Some(schema),
                    None if rules.get("patternProperties").is_some() => None,
                    None => rules.get("additionalProperties"),
                }
            }
            Json::Array(items) => {
                let last = items.len().checked_sub(1)?;
                let (places, rest) = if self.newer {
                    ("prefixItems", "items")
                } else {
                    ("items", "additionalItems")
                };
                match rules.get(places) {
                    Some(Json::Array(places)) => places.get(last).or_else(|| rules.get(rest)),
                    _ => rules.get("items"),
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    }

    /// What a reference within the schema leads to, by plain pointers only.
    fn resolve(&self, reference: &str) -> Option<&'s Json<'s>> {
        let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'))?;
        let source = self.source;
        let own_identifier = |(at, _): (usize, &str)| {
            at > 0 && source.at(&pointer[..at]).is_some_and(|around| around.get("$id").is_some())
        };
        if pointer.match_indices('/').any(own_identifier) {
            return None;
        }
        source.at(pointer)
    }
}

#[cfg(test)]
mod tests;
