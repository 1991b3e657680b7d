//! Documents that break a contract, and the breach that must be named.
//!
//! `tests/invalid/<family>/<contract>.json` is a list of cases. Each changes one golden file of the
//! contract (`set` and `remove`, by JSON pointer) and names the `breach` that this is. It must be
//! the only one, unless the case has `"others": true`.

use std::{collections::BTreeSet, fs, path::Path};

use consign_contracts::{
    Breach, Contract,
    json::{self, Json, Object},
};

use crate::golden::{Golden, crate_folder, entries, report};

/// One way to break a contract.
struct Case {
    contract: &'static Contract,
    why: String,
    base: String,
    set: Vec<(String, Json<'static>)>,
    remove: Vec<String>,
    pointer: String,
    keyword: String,
    others: bool,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (family, folder) in entries(&crate_folder().join("tests/invalid")) {
            for (file, path) in entries(Path::new(&folder)) {
                let name = format!("{family}/{}", file.trim_end_matches(".json"));
                let contract = Contract::find(&name).unwrap_or_else(|| panic!("{name}: unknown"));
                let bytes = fs::read(path).expect("a listed file can be read");
                let cases = json::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
                for case in cases.as_array().expect("the file is a list of cases") {
                    let read = Self::read(contract, case);
                    all.push(read.unwrap_or_else(|| panic!("{name}: not a case: {case}")));
                }
            }
        }
        all
    }

    fn read(contract: &'static Contract, case: &Json<'_>) -> Option<Self> {
        let known = ["why", "base", "set", "remove", "breach", "others"];
        let no_set = Object::new();
        let set = case.get("set").map_or(Some(&no_set), Json::as_object)?.iter();
        let remove = case.get("remove").map_or(Some(&[][..]), Json::as_array)?.iter();
        let text = |json: &Json<'_>| json.as_str().map(str::to_owned);
        case.as_object()?.keys().all(|key| known.contains(&key)).then_some(())?;
        Some(Self {
            contract,
            why: text(case.get("why")?)?,
            base: text(case.get("base")?)?,
            set: set.map(|(at, value)| (at.to_owned(), value.clone().into_owned())).collect(),
            remove: remove.map(text).collect::<Option<_>>()?,
            pointer: text(case.at("/breach/pointer")?)?,
            keyword: text(case.at("/breach/keyword")?)?,
            others: case.get("others").map_or(Some(false), Json::as_bool)?,
        })
    }

    fn name(&self) -> String {
        format!("{}: {}", self.contract.name, self.why)
    }

    /// The base with the case's changes made to it.
    fn document(&self, goldens: &[Golden]) -> Result<Json<'static>, String> {
        let base = goldens
            .iter()
            .find(|golden| golden.contract == self.contract.name && golden.slug == self.base)
            .ok_or_else(|| format!("there is no golden file {}", self.base))?;
        let mut document = base.document()?.into_owned();
        if !self.contract.schema().is_valid(&document) {
            return Err(format!("{} is invalid before the change", self.base));
        }
        for (pointer, value) in &self.set {
            document
                .set_at(pointer, value.clone())
                .ok_or_else(|| format!("nothing can be set at {pointer}"))?;
        }
        for pointer in &self.remove {
            document
                .remove_at(pointer)
                .ok_or_else(|| format!("nothing can be removed at {pointer}"))?;
        }
        Ok(document)
    }

    /// Whether the contract refuses the document for the reason that the case gives.
    fn check(&self, document: &Json<'_>) -> Result<(), String> {
        let schema = self.contract.schema();
        let breaches = schema.check(document).breaches;
        let expected =
            |breach: &&Breach| breach.pointer == self.pointer && breach.keyword == self.keyword;
        let Some(found) = breaches.iter().find(expected) else {
            return Err(format!("expected {} at {:?}: {breaches:?}", self.keyword, self.pointer));
        };
        if schema.is_valid(document) {
            return Err("is called valid although it has breaches".to_owned());
        }
        if breaches.len() > 1 && !self.others {
            return Err(format!("has other breaches: {breaches:?}"));
        }
        match found.message.chars().count() {
            1..600 => Ok(()),
            length => Err(format!("the message has {length} characters: {}", found.message)),
        }
    }
}

#[test]
fn every_invalid_document_is_refused_with_the_named_breach() {
    let (goldens, cases) = (Golden::all(), Case::all());
    let check = |case: &Case| case.check(&case.document(&goldens)?);
    let failed = |case: &Case| check(case).err().map(|why| format!("{}: {why}", case.name()));
    report(&cases.iter().filter_map(failed).collect::<Vec<_>>());
    assert!(cases.len() >= 100, "there are only {} invalid documents", cases.len());
}

#[test]
fn every_contract_is_broken_by_a_case() {
    let cases = Case::all();
    let has_case =
        |contract: &Contract| cases.iter().any(|case| case.contract.name == contract.name);
    let without = Contract::all().filter(|contract| !has_case(contract));
    report(&without.map(|contract| contract.name.to_owned()).collect::<Vec<_>>());
}

#[test]
fn no_two_cases_are_the_same() {
    let goldens = Golden::all();
    let mut failures = Vec::new();
    let (mut names, mut documents) = (BTreeSet::new(), BTreeSet::new());
    for case in Case::all() {
        if !names.insert(case.name()) {
            failures.push(format!("{}: is said twice", case.name()));
        }
        if let Ok(document) = case.document(&goldens)
            && !documents.insert((case.contract.name, document.to_string()))
        {
            failures.push(format!("{}: makes the same document as another", case.name()));
        }
    }
    report(&failures);
}

#[test]
fn every_rule_of_every_contract_is_broken_by_a_case() {
    let cases = Case::all();
    let mut unbroken = Vec::new();
    for contract in Contract::all() {
        let mut rules = rules_of(contract);
        // The next test breaks these in more ways than are worth writing down.
        rules.retain(|rule| rule.keyword != "type");
        let of_contract = || cases.iter().filter(|case| case.contract.name == contract.name);
        rules.retain(|rule| !of_contract().any(|case| rule.is_broken_by(case)));
        unbroken.extend(rules.into_iter().map(|rule| format!("{}: {rule:?}", contract.name)));
    }
    report(&unbroken);
}

#[test]
fn a_value_of_any_other_kind_is_refused_where_it_stands() {
    let goldens = Golden::all();
    let mut failures = Vec::new();
    for contract in Contract::all() {
        let documents = goldens.iter().filter(|golden| golden.contract == contract.name);
        let documents: Vec<_> = documents.filter_map(|golden| golden.document().ok()).collect();
        for rule in rules_of(contract).iter().filter(|rule| rule.keyword == "type") {
            let mut places = documents.iter().filter_map(|document| {
                pointer_to(document, &rule.place).map(|pointer| (document, pointer))
            });
            let Some((document, pointer)) = places.next() else {
                failures.push(format!("{}: no golden file has {}", contract.name, rule.place));
                continue;
            };
            for value in rule.values_of_other_kinds() {
                let mut document = document.clone().into_owned();
                document.set_at(&pointer, value.clone()).expect("the place was just found");
                let at_place = |breach: &Breach| {
                    breach.pointer == pointer && ["type", "enum"].contains(&&*breach.keyword)
                };
                if !contract.schema().check(&document).breaches.iter().any(at_place) {
                    failures.push(format!("{}: {pointer} may be {value}", contract.name));
                }
            }
        }
    }
    report(&failures);
}

/// One thing that a schema demands. In `place`, `*` is any item or any key of a map.
#[derive(Debug)]
struct Rule {
    place: String,
    keyword: String,
    /// What the keyword says; of `required`, one name.
    value: Json<'static>,
}

impl Rule {
    fn is_broken_by(&self, case: &Case) -> bool {
        let place: Vec<_> = self.place.split('/').collect();
        let pointer: Vec<_> = case.pointer.split('/').collect();
        let removed = |member| case.remove.contains(&format!("{}/{member}", case.pointer));
        self.keyword == case.keyword
            && place.len() == pointer.len()
            && place.iter().zip(&pointer).all(|(ours, theirs)| *ours == "*" || ours == theirs)
            && (self.keyword != "required" || self.value.as_str().is_some_and(removed))
    }

    /// For a `type`: values that it does not name.
    fn values_of_other_kinds(&self) -> Vec<Json<'static>> {
        let kinds = self.value.as_array().unwrap_or(std::slice::from_ref(&self.value));
        let named = |kind: &str| kinds.iter().any(|one| one.as_str() == Some(kind));
        let fits = |kind: &str| named(kind) || (kind == "integer" && named("number"));
        let values = json::parse(br#"[null, false, 0, 1.5, "0", [], {}]"#).expect("it is JSON");
        let values = values.as_array().expect("it is a list").iter();
        let others = values.filter(|value| !fits(value.kind()));
        others.map(|value| value.clone().into_owned()).collect()
    }
}

fn rules_of(contract: &Contract) -> Vec<Rule> {
    let mut rules = Vec::new();
    collect_rules(&contract.source(), "", &mut rules);
    rules
}

fn collect_rules(schema: &Json<'_>, place: &str, rules: &mut Vec<Rule>) {
    let zero = |value: &Json<'_>| value.as_number().is_some_and(|n| n.as_u64() == Some(0));
    for (keyword, value) in schema.as_object().expect("our schemas are objects").iter() {
        let mut rule = |value: &Json<'_>| {
            let (place, keyword) = (place.to_owned(), keyword.to_owned());
            rules.push(Rule { place, keyword, value: value.clone().into_owned() });
        };
        match keyword {
            "$schema" | "title" | "description" | "default" => {}
            // These choose a payload's contract, which has rules and cases of its own.
            "if" | "allOf" => {}
            "minItems" if zero(value) => {}
            "type" | "enum" | "pattern" | "format" | "minimum" | "maximum" | "minLength"
            | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "anyOf" => rule(value),
            "required" => value.as_array().expect("`required` is a list").iter().for_each(rule),
            "properties" => {
                for (name, schema) in value.as_object().expect("`properties` is an object").iter() {
                    collect_rules(schema, &format!("{place}/{name}"), rules);
                }
            }
            "items" => collect_rules(value, &format!("{place}/*"), rules),
            "else" => collect_rules(value, place, rules),
            "additionalProperties" => match value.as_bool() {
                Some(true) => {}
                Some(false) => rule(value),
                None => collect_rules(value, &format!("{place}/*"), rules),
            },
            unknown => panic!("nothing here knows how to break `{unknown}`"),
        }
    }
}

/// The first pointer to a place of a schema that a document has.
fn pointer_to(document: &Json<'_>, place: &str) -> Option<String> {
    let mut pointers = vec![String::new()];
    for token in place.split('/').skip(1) {
        let inside = |pointer: &String| match (token, document.at(pointer)) {
            ("*", Some(Json::Array(items))) => {
                (0..items.len()).map(|at| format!("{pointer}/{at}")).collect()
            }
            ("*", Some(Json::Object(members))) => {
                members.keys().map(|key| format!("{pointer}/{}", escaped(key))).collect()
            }
            _ => vec![format!("{pointer}/{token}")],
        };
        pointers = pointers.iter().flat_map(inside).collect();
        pointers.retain(|pointer| document.at(pointer).is_some());
    }
    pointers.into_iter().next()
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
