//! Collects the subschemas that apply to one place of a document.
//!
//! References are followed and `allOf` is taken whole. What else combines subschemas is read in one of two
//! ways: [`Rules::choosing`] takes one branch of each choice, to build a document; [`Rules::side_by_side`]
//! gathers everything that is said, whatever combines it, to find the values at which a schema could
//! change its verdict.

use serde_json::{Map, Value};

use super::pattern;

/// A reference chain or a pile of branches longer than this is not followed further.
const MOST_SIDE_BY_SIDE: usize = 64;
const MOST_CHOSEN: usize = 256;

/// How the branches of `anyOf`, `oneOf` and `if` are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branches {
    All,
    /// The branch with this number, counted round.
    One(usize),
}

/// What is said about a place, each with the document in which its references resolve.
#[derive(Clone)]
pub(crate) struct Rules<'a> {
    said: Vec<(&'a Value, &'a Map<String, Value>)>,
    branches: Branches,
    /// Why nothing can be built here. Known only where branches are chosen.
    problem: Option<String>,
}

impl<'a> Rules<'a> {
    /// What all of several schemas say about a whole document.
    pub(crate) fn side_by_side(roots: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut rules = Self::none(Branches::All);
        for root in roots {
            rules.add(root, root, &mut Vec::new());
        }
        rules
    }

    /// What a schema says about a whole document where it is read with one of its choices.
    pub(super) fn choosing(root: &'a Value, choice: usize) -> Self {
        let mut rules = Self::none(Branches::One(choice));
        rules.add(root, root, &mut Vec::new());
        rules
    }

    fn none(branches: Branches) -> Self {
        Self { said: Vec::new(), branches, problem: None }
    }

    /// Whether one branch of each choice was taken, so that all of this must hold.
    pub(super) fn all_must_hold(&self) -> bool {
        self.branches != Branches::All
    }

    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// How many subschemas speak about the place.
    pub(super) fn len(&self) -> usize {
        self.said.len()
    }

    fn refuse(&mut self, why: impl Into<String>) {
        self.problem.get_or_insert_with(|| why.into());
    }

    /// `within` are the subschemas that led here.
    fn add(
        &mut self,
        root: &'a Value,
        schema: &'a Value,
        within: &mut Vec<&'a Map<String, Value>>,
    ) {
        let Some(keywords) = schema.as_object() else {
            if *schema == Value::Bool(false) {
                self.refuse("a part of it allows no value");
            }
            return;
        };
        if within.iter().any(|outer| std::ptr::eq(*outer, keywords)) {
            self.refuse("it needs a document that is too large: a reference leads to itself");
        }
        if self.said.iter().any(|(_, known)| std::ptr::eq(*known, keywords)) {
            return;
        }
        let most = if self.all_must_hold() { MOST_CHOSEN } else { MOST_SIDE_BY_SIDE };
        if self.said.len() >= most {
            self.refuse("it has too many rules for one value");
            return;
        }
        self.said.push((root, keywords));
        within.push(keywords);
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
            match target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
                Some(found) => self.add(root, found, within),
                None => self.refuse(format!("the reference {target} does not exist")),
            }
        }
        self.add_branches(root, keywords, within);
        within.pop();
    }

    fn add_branches(
        &mut self,
        root: &'a Value,
        keywords: &'a Map<String, Value>,
        within: &mut Vec<&'a Map<String, Value>>,
    ) {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = keywords.get(keyword) else { continue };
            match self.branches {
                Branches::One(choice) if keyword != "allOf" => {
                    if let Some(branch) = branches.get(choice % branches.len().max(1)) {
                        self.add(root, branch, within);
                    }
                }
                Branches::One(_) | Branches::All => {
                    for branch in branches {
                        self.add(root, branch, within);
                    }
                }
            }
        }
        let more: &[&str] = match self.branches {
            Branches::All => &["not", "if", "then", "else"],
            Branches::One(_) if !keywords.contains_key("if") => &[],
            Branches::One(choice) if choice.is_multiple_of(2) => &["else"],
            Branches::One(_) => &["if", "then"],
        };
        for keyword in more {
            if let Some(branch) = keywords.get(*keyword) {
                self.add(root, branch, within);
            }
        }
    }

    /// Every value that a keyword has here.
    pub(crate) fn keyword(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.said.iter().filter_map(move |(_, schema)| schema.get(keyword))
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.keyword(keyword).next().is_some()
    }

    /// Names that match the patterns which are spoken of.
    pub(crate) fn pattern_names(&self) -> Vec<String> {
        let names = self.patterns().flat_map(|(_, pattern, _)| pattern::matches(pattern));
        names.take(MOST_SIDE_BY_SIDE).collect()
    }

    /// Members whose names match a pattern, with what is said about each.
    pub(super) fn pattern_members(&self) -> Vec<(String, Self)> {
        let mut members = Vec::new();
        for (root, pattern, said) in self.patterns() {
            for name in pattern::matches(pattern) {
                let mut rules = Self::none(self.branches);
                rules.add(root, said, &mut Vec::new());
                members.push((name, rules));
            }
        }
        members.truncate(MOST_SIDE_BY_SIDE);
        members
    }

    fn patterns(&self) -> impl Iterator<Item = (&'a Value, &'a str, &'a Value)> {
        self.said.iter().flat_map(|(root, schema)| {
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            let patterns = patterns.into_iter().flatten();
            patterns.map(|(pattern, said)| (*root, pattern.as_str(), said))
        })
    }

    /// The names of all members that are spoken of.
    pub(crate) fn member_names(&self) -> Vec<&'a str> {
        let properties = self.keyword("properties").filter_map(Value::as_object);
        let mut names: Vec<&str> =
            properties.flat_map(Map::keys).map(String::as_str).chain(self.required()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names of the members that must be there, some of them more than once.
    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> {
        self.keyword("required").filter_map(Value::as_array).flatten().filter_map(Value::as_str)
    }

    /// What is said about a member.
    pub(crate) fn member(&self, name: &str) -> Self {
        let mut rules = Self::none(self.branches);
        for (root, schema) in &self.said {
            let by_name = schema.get("properties").and_then(|properties| properties.get(name));
            if let Some(said) = by_name {
                rules.add(root, said, &mut Vec::new());
            }
            // Which patterns a name matches is for the validator to say.
            if !self.all_must_hold() {
                let by_pattern = schema.get("patternProperties").and_then(Value::as_object);
                for said in by_pattern.into_iter().flat_map(Map::values) {
                    rules.add(root, said, &mut Vec::new());
                }
            }
            if by_name.is_none()
                && let Some(said) = schema.get("additionalProperties")
            {
                rules.add(root, said, &mut Vec::new());
            }
        }
        rules
    }

    /// What is said about the names of members.
    pub(super) fn names(&self) -> Self {
        let mut rules = Self::none(self.branches);
        for (root, schema) in &self.said {
            if let Some(said) = schema.get("propertyNames") {
                rules.add(root, said, &mut Vec::new());
            }
        }
        rules
    }

    /// What is said about an item. Where branches are chosen, the first items are also those that an
    /// array must contain.
    pub(crate) fn item(&self, index: usize) -> Self {
        let mut rules = Self::none(self.branches);
        for (root, schema) in &self.said {
            let lists = ["prefixItems", "items"].map(|keyword| schema.get(keyword));
            let here = lists.iter().flatten().find_map(|said| said.as_array()?.get(index));
            let rest = lists[1].filter(|said| !said.is_array()).or(schema.get("additionalItems"));
            let contained = schema.get("contains");
            let said: [Option<&Value>; 3] = if self.all_must_hold() {
                let wanted = schema.get("minContains").and_then(Value::as_u64).unwrap_or(1);
                let contained = contained.filter(|_| (index as u64) < wanted);
                [here.or(rest), contained, None]
            } else {
                [here, rest, contained]
            };
            for said in said.into_iter().flatten() {
                rules.add(root, said, &mut Vec::new());
            }
        }
        rules
    }
}
