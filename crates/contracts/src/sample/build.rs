//! Builds a document from what a schema says about each of its places.

use std::{borrow::Cow, collections::HashSet};

use serde_json::Value;

use super::{Rules, number, text};
use crate::json::{Json, Object};

/// Which members an object gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Only those that must be there.
    Required,
    /// Every member that is spoken of.
    Everything,
}

/// Builds one document. Every limit is counted down over the whole of it.
#[derive(Debug)]
pub(crate) struct Builder {
    fill: Fill,
    /// Which of several values is taken.
    choice: usize,
    /// Put where a text is wanted, whatever else is said of that text.
    placeholder: Option<&'static str>,
    defaults: bool,
    /// Whether what cannot be met ends the work. Otherwise something near it is put there.
    strict: bool,
    depth: usize,
    values: usize,
    text: usize,
    /// What could not be met first.
    problem: Option<String>,
}

impl Builder {
    /// The smallest value everywhere.
    pub(super) fn least(choice: usize) -> Self {
        Self {
            fill: Fill::Required,
            choice,
            placeholder: None,
            defaults: false,
            strict: true,
            depth: 32,
            values: 20_000,
            text: 1 << 20,
            problem: None,
        }
    }

    /// Values that a person will type over.
    pub(super) fn shown(choice: usize) -> Self {
        Self { placeholder: Some("…"), defaults: true, depth: 8, ..Self::least(choice) }
    }

    /// A document that is likely to be valid, or is not and shows something.
    pub(crate) fn likely(fill: Fill) -> Self {
        Self { fill, strict: false, depth: 6, values: 200_000, text: 8 << 20, ..Self::least(0) }
    }

    /// One document, or what was in the way of it.
    pub(super) fn build(mut self, rules: &Rules<'_>) -> Result<Json<'static>, String> {
        let document = self.value(rules, 0, 0);
        match self.problem {
            Some(problem) => Err(problem),
            None => Ok(document),
        }
    }

    /// One document, whatever was in the way of a valid one. `depth` is where in a larger document it
    /// will stand.
    pub(crate) fn build_anyway(mut self, rules: &Rules<'_>, depth: usize) -> Value {
        self.value(rules, depth, 0).to_serde()
    }

    /// Whether nothing more is worth building.
    fn is_over(&self) -> bool {
        self.strict && self.problem.is_some() || self.values == 0
    }

    fn refuse(&mut self, why: impl Into<String>) {
        self.problem.get_or_insert_with(|| why.into());
    }

    /// Counts what is looked at: a small schema can ask for a lot.
    fn spend(&mut self, values: usize, text: usize) -> bool {
        let enough = self.values >= values && self.text >= text;
        self.values = self.values.saturating_sub(values);
        self.text = self.text.saturating_sub(text);
        if !enough {
            self.refuse("it needs a document that is too large");
        }
        enough && !self.is_over()
    }

    /// `vary` tells values apart that must not be the same.
    fn value(&mut self, rules: &Rules<'_>, depth: usize, vary: usize) -> Json<'static> {
        if let Some(problem) = rules.problem()
            && self.strict
        {
            self.refuse(problem);
        }
        if self.strict && depth > self.depth {
            self.refuse("it needs a document that is too large");
        }
        if !self.spend(1 + rules.len(), 0) {
            return Json::Null;
        }
        if let Some(value) = self.given(rules, vary) {
            let (values, text) = size(value);
            return if self.spend(values, text) { Json::from(value) } else { Json::Null };
        }
        match self.kind(rules) {
            "object" => self.object(rules, depth, vary),
            "array" => self.array(rules, depth, vary),
            "integer" => self.number(rules, true, vary),
            "number" => self.number(rules, false, vary),
            "boolean" if self.placeholder.is_some() => {
                Json::Bool((self.choice + vary).is_multiple_of(2))
            }
            "boolean" => Json::Bool(!(self.choice + vary).is_multiple_of(2)),
            "null" => Json::Null,
            _ => self.text(rules, vary),
        }
    }

    /// A value that the schema itself has.
    fn given<'a>(&mut self, rules: &Rules<'a>, vary: usize) -> Option<&'a Value> {
        if let Some(only) = rules.keyword("const").next() {
            return Some(only);
        }
        let mut lists = rules.keyword("enum").filter_map(Value::as_array);
        if let Some(first) = lists.next() {
            let others: Vec<&Vec<Value>> =
                if rules.all_must_hold() { lists.collect() } else { Vec::new() };
            return self.in_all(first, &others, vary);
        }
        if self.defaults { rules.keyword("default").next() } else { None }
    }

    /// A value of a list that other lists have too.
    fn in_all<'a>(
        &mut self,
        first: &'a [Value],
        others: &[&'a Vec<Value>],
        vary: usize,
    ) -> Option<&'a Value> {
        /// Of a longer list the beginning is compared.
        const MOST: usize = 1000;
        let compared: usize = others.iter().map(|list| list.len()).sum();
        self.spend(first.len().min(MOST) * compared / MOST, 0);
        let place = |length: usize| (self.choice + vary).checked_rem(length);
        let found = if others.is_empty() {
            place(first.len()).and_then(|at| first.get(at))
        } else {
            let in_others = |value: &&Value| others.iter().all(|list| list.contains(value));
            let common: Vec<&Value> = first.iter().take(MOST).filter(in_others).collect();
            place(common.len()).and_then(|at| common.get(at).copied())
        };
        if found.is_none() {
            self.refuse("no value of an `enum` fits its other rules");
        }
        found
    }

    /// The type of the value. `null` is taken last: it shows nothing.
    fn kind<'a>(&self, rules: &Rules<'a>) -> &'a str {
        let mut lists = rules.keyword("type").filter_map(|kind| match kind {
            Value::String(kind) => Some(vec![kind.as_str()]),
            Value::Array(kinds) => Some(kinds.iter().filter_map(Value::as_str).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        });
        let Some(mut kinds) = lists.next() else { return implied_kind(rules) };
        if rules.all_must_hold() {
            for other in lists {
                let common: Vec<&str> =
                    kinds.iter().filter_map(|kind| in_both(kind, &other)).collect();
                if !common.is_empty() {
                    kinds = common;
                }
            }
        }
        kinds.sort_by_key(|kind| *kind == "null");
        let at = self.choice.checked_rem(kinds.len()).unwrap_or(0);
        kinds.get(at).copied().unwrap_or_default()
    }

    fn number(&mut self, rules: &Rules<'_>, whole: bool, vary: usize) -> Json<'static> {
        let (value, problem) = number::nearest(rules, whole, vary);
        if let Some(problem) = problem {
            self.refuse(problem);
        }
        value
    }

    fn text(&mut self, rules: &Rules<'_>, vary: usize) -> Json<'static> {
        if let Some(placeholder) = self.placeholder {
            return Json::from(placeholder);
        }
        let least = self.count(rules, "minLength");
        // What is too long is found out before it is written.
        if !self.spend(0, least) {
            return Json::Null;
        }
        match text::shortest(rules, least, vary) {
            Ok(text) if self.spend(0, text.len().saturating_sub(least)) => {
                Json::String(Cow::Owned(text))
            }
            Ok(_) => Json::Null,
            Err(problem) => {
                self.refuse(problem);
                Json::Null
            }
        }
    }

    fn object(&mut self, rules: &Rules<'_>, depth: usize, vary: usize) -> Json<'static> {
        let mut object = Object::new();
        if depth >= self.depth && !self.strict {
            return Json::Object(object);
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let more = if self.fill == Fill::Everything { rules.member_names() } else { Vec::new() };
        let names = rules.required().chain(more);
        let mut members: Vec<(Cow<'static, str>, Json<'static>)> = Vec::new();
        for name in names.filter(|name| seen.insert(name)) {
            let value = self.value(&rules.member(name), depth + 1, vary);
            members.push((Cow::Owned(name.to_owned()), value));
        }
        let least = self.count(rules, "minProperties");
        if members.len() < least {
            let optional = rules.member_names();
            self.spend(optional.len(), 0);
            let optional = optional.into_iter().map(|name| (name.to_owned(), rules.member(name)));
            let by_pattern = rules.pattern_members().into_iter();
            let mut taken: HashSet<String> = seen.iter().map(|name| (*name).to_owned()).collect();
            for (name, rules) in optional.chain(by_pattern).chain(made_members(rules, least)) {
                if members.len() >= least || self.is_over() {
                    break;
                }
                // A member that cannot be is not needed: another one may do.
                if (self.strict && rules.problem().is_some()) || !taken.insert(name.clone()) {
                    continue;
                }
                let value = self.value(&rules, depth + 1, vary);
                members.push((Cow::Owned(name), value));
            }
        }
        object = members.into_iter().collect();
        Json::Object(object)
    }

    fn array(&mut self, rules: &Rules<'_>, depth: usize, vary: usize) -> Json<'static> {
        if depth >= self.depth && !self.strict {
            return Json::Array(Vec::new());
        }
        let mut length = self.count(rules, "minItems");
        if rules.all_must_hold() {
            let wanted = |_| self.count(rules, "minContains");
            length = length.max(
                rules
                    .keyword("contains")
                    .next()
                    .map_or(0, |_| rules.keyword("minContains").next().map_or(1, wanted)),
            );
        } else if self.fill == Fill::Everything || depth == 0 {
            // An item to look into.
            let most = rules.keyword("maxItems").filter_map(Value::as_u64).max();
            length = length.max(usize::from(most != Some(0)));
        }
        let item = |at: usize| self.value(&rules.item(at), depth + 1, vary + at);
        Json::Array((0..length).map(item).collect())
    }

    /// A count of a schema, if it is one that can be met.
    fn count(&mut self, rules: &Rules<'_>, keyword: &str) -> usize {
        let most = if keyword == "minLength" { self.text } else { self.values };
        let counts = rules.keyword(keyword).map(|value| {
            // JSON Schema takes 2.0 for 2.
            let whole = |number: &f64| number.fract() == 0.0 && *number >= 0.0;
            let count = value.as_u64().or_else(|| value.as_f64().filter(whole).map(|it| it as u64));
            count.unwrap_or(0)
        });
        let count = counts.max().unwrap_or(0);
        match usize::try_from(count) {
            Ok(count) if count <= most => count,
            _ => {
                self.refuse(format!("`{keyword}` is too large"));
                0
            }
        }
    }
}

/// Members of made-up names, as many as could be needed.
fn made_members<'a>(
    rules: &Rules<'a>,
    least: usize,
) -> impl Iterator<Item = (String, Rules<'a>)> + use<'a> {
    let rules = rules.clone();
    let names = rules.names();
    let listed = names.keyword("enum").filter_map(Value::as_array).flatten();
    let listed = names.keyword("const").chain(listed).filter_map(Value::as_str);
    let listed: Vec<&str> = listed.collect();
    (0..least.saturating_mul(2).saturating_add(16)).filter_map(move |number| {
        let name = match listed.get(number) {
            Some(name) => (*name).to_owned(),
            None if !listed.is_empty() => return None,
            None if names.len() == 0 => format!("key{}", number + 1),
            None => text::shortest(&names, 0, number).ok()?,
        };
        let member = rules.member(&name);
        Some((name, member))
    })
}

/// The type that a value of one of two has too, where there is one.
fn in_both<'a>(kind: &'a str, others: &[&'a str]) -> Option<&'a str> {
    let has = |wanted: &str| others.contains(&wanted);
    match kind {
        "number" if !has("number") && has("integer") => Some("integer"),
        "integer" if has("number") => Some(kind),
        _ => has(kind).then_some(kind),
    }
}

/// What a schema without a type seems to be about.
fn implied_kind(rules: &Rules<'_>) -> &'static str {
    const OBJECT: &[&str] =
        &["properties", "required", "additionalProperties", "minProperties", "patternProperties"];
    const ARRAY: &[&str] = &["items", "prefixItems", "minItems", "maxItems", "contains"];
    const NUMBER: &[&str] =
        &["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"];
    let kinds = [("object", OBJECT), ("array", ARRAY), ("number", NUMBER)];
    let speaks = |keywords: &[&str]| keywords.iter().any(|keyword| rules.has(keyword));
    kinds.into_iter().find(|(_, keywords)| speaks(keywords)).map_or("string", |(kind, _)| kind)
}

/// How many values there are in one, and how much text.
fn size(value: &Value) -> (usize, usize) {
    let add =
        |(values, text): (usize, usize), more: (usize, usize)| (values + more.0, text + more.1);
    match value {
        Value::String(text) => (0, text.len()),
        Value::Array(items) => items.iter().map(size).fold((items.len(), 0), add),
        Value::Object(members) => {
            let names = members.keys().map(String::len).sum();
            members.values().map(size).fold((members.len(), names), add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => (0, 0),
    }
}
