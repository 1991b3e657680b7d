//! Every way to break a valid document in one place.

use std::borrow::Cow;

use consign_contracts::json::{Json, Object};

use super::keywords::{bound, holds, length, list, names, properties, types};

/// One change that makes a valid document invalid.
#[derive(Debug)]
pub(crate) struct Violation {
    /// The value that is changed.
    place: String,
    change: Change,
    /// The breach that must be reported.
    pub(crate) pointer: String,
    pub(crate) keyword: &'static str,
}

#[derive(Debug)]
enum Change {
    To(Json<'static>),
    Without(String),
    With(String, Json<'static>),
}

impl Violation {
    /// The document with the change made.
    pub(crate) fn of(&self, document: &Json<'static>) -> Json<'static> {
        let mut document = document.clone();
        let place = reach(&mut document, &self.place);
        match (&self.change, place) {
            (Change::To(value), place) => *place = value.clone(),
            (Change::Without(name), Json::Object(object)) => drop(object.remove(name)),
            (Change::With(name, value), Json::Object(object)) => {
                object.set(name.clone(), value.clone());
            }
            (Change::Without(_) | Change::With(..), _) => unreachable!("only objects have members"),
        }
        document
    }
}

fn reach<'a>(document: &'a mut Json<'static>, pointer: &str) -> &'a mut Json<'static> {
    pointer.split('/').skip(1).fold(document, |here, token| {
        let token = token.replace("~1", "/").replace("~0", "~");
        let member = match here {
            Json::Object(object) => object.get_mut(&token),
            Json::Array(items) => token.parse::<usize>().ok().and_then(|at| items.get_mut(at)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        };
        member.expect("the place is in the document")
    })
}

/// Every single change that the schema forbids whatever else it says.
pub(crate) fn violations(schema: &Json<'static>, document: &Json<'static>) -> Vec<Violation> {
    let mut found = Found { place: String::new(), violations: Vec::new() };
    found.collect(schema, document);
    found.violations
}

struct Found {
    place: String,
    violations: Vec<Violation>,
}

impl Found {
    fn push(&mut self, keyword: &'static str, change: Change) {
        let (place, pointer) = (self.place.clone(), self.place.clone());
        self.violations.push(Violation { place, change, pointer, keyword });
    }

    fn to(&mut self, keyword: &'static str, value: Json<'static>) {
        self.push(keyword, Change::To(value));
    }

    fn texts(&mut self, keyword: &'static str, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            self.to(keyword, Json::String(Cow::Owned(text)));
        }
    }

    fn numbers(&mut self, keyword: &'static str, texts: &[String]) {
        for text in texts {
            self.to(keyword, Json::Number(text.parse().expect("it is a number")));
        }
    }

    fn inside(&mut self, member: &str, schema: &Json<'static>, document: &Json<'static>) {
        let length = self.place.len();
        self.place.push('/');
        self.place.push_str(&member.replace('~', "~0").replace('/', "~1"));
        self.collect(schema, document);
        self.place.truncate(length);
    }

    fn collect(&mut self, schema: &Json<'static>, document: &Json<'static>) {
        let types = types(schema);
        if schema.get("type").is_some() {
            for (kind, sample) in samples() {
                let whole = kind == "integer" && types.contains(&"number");
                if !types.contains(&kind) && !whole {
                    self.to("type", sample);
                }
            }
        }
        self.words(schema);
        if types.contains(&"string") {
            self.strings(schema, document);
        }
        if types.contains(&"number") || types.contains(&"integer") {
            self.ranges(schema);
        }
        match document {
            Json::Array(items) => self.array(schema, items),
            Json::Object(object) => self.object(schema, document, object),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
        for branch in list(schema, "allOf") {
            self.collect(branch, document);
        }
    }

    fn words(&mut self, schema: &Json<'static>) {
        for keyword in ["enum", "const"] {
            let Some(said) = schema.get(keyword) else { continue };
            let words = said.as_array().unwrap_or(std::slice::from_ref(said));
            let word = words.iter().find_map(Json::as_str).expect("our vocabularies are words");
            let flipped = |c: char| {
                if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
            };
            let others = [
                "no such word".to_owned(),
                String::new(),
                format!("{word} "),
                format!("{word}\n"),
                word.chars().map(flipped).collect(),
            ];
            let foreign = |text: &String| !words.iter().any(|word| word.as_str() == Some(text));
            self.texts(keyword, others.into_iter().filter(foreign));
        }
    }

    fn strings(&mut self, schema: &Json<'static>, document: &Json<'static>) {
        // Wide characters: counted in bytes or UTF-16 units these would pass.
        if let Some(least) = length(schema, "minLength") {
            self.texts("minLength", least.checked_sub(1).map(|short| "😀".repeat(short)));
        }
        if let Some(most) = length(schema, "maxLength") {
            self.texts("maxLength", [" ".repeat(most + 1), "é".repeat(most + 1)]);
        }
        if let Some(pattern) = schema.get("pattern").and_then(Json::as_str) {
            // Without Unicode `\d` is ASCII, as in ECMA-262.
            let judge = regex::bytes::RegexBuilder::new(pattern).unicode(false).build();
            let judge = judge.expect("our patterns are regular");
            let now = document.as_str().unwrap_or_default();
            let others = [
                String::new(),
                format!("{now}\n"),
                format!("\n{now}"),
                format!(" {now}"),
                format!("{now}é"),
                now.to_uppercase(),
                now.chars().skip(1).collect(),
                "١.٠".to_owned(),
            ];
            self.texts(
                "pattern",
                others.into_iter().filter(|text| !judge.is_match(text.as_bytes())),
            );
        }
        let broken: &[&str] = match schema.get("format").and_then(Json::as_str) {
            None => &[],
            Some("uuid") => &[
                "",
                "550e8400e29b41d4a716446655440000",
                "{550e8400-e29b-41d4-a716-446655440000}",
                "550e8400-e29b-41d4-a716-44665544000g",
                "550e8400-e29b-41d4-a716-446655440000\n",
            ],
            Some("date-time") => &[
                "",
                "2026-01-31",
                "2026-01-31T12:00:00",
                "2026-01-31 12:00:00Z",
                "2026-02-30T12:00:00Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T12:00:00Z\n",
            ],
            Some(other) => panic!("teach the generators about the format `{other}`"),
        };
        self.texts("format", broken.iter().copied().map(str::to_owned));
    }

    fn ranges(&mut self, schema: &Json<'static>) {
        if let Some(least) = bound(schema, "minimum") {
            let below = least - 1;
            let texts = [
                below.to_string(),
                format!("{below}.0"),
                "-1e3".to_owned(),
                format!("-1{}", "0".repeat(25)),
            ];
            self.numbers("minimum", &texts);
        }
        if let Some(most) = bound(schema, "maximum") {
            let above = most + 1;
            let texts = [
                above.to_string(),
                format!("{}e-1", above * 10),
                "1e400".to_owned(),
                "9".repeat(25),
            ];
            self.numbers("maximum", &texts);
        }
    }

    fn array(&mut self, schema: &Json<'static>, items: &[Json<'static>]) {
        if let Some(least) = length(schema, "minItems").filter(|least| *least > 0) {
            self.to("minItems", Json::Array(items[..least - 1].to_vec()));
        }
        if let Some(most) = length(schema, "maxItems").filter(|_| !items.is_empty()) {
            let longer = items.iter().cycle().take(most + 1).cloned().collect();
            self.to("maxItems", Json::Array(longer));
        }
        if let (Some(Json::Bool(true)), [first, ..]) = (schema.get("uniqueItems"), items) {
            let twice = items.iter().chain([first]).cloned().collect();
            self.to("uniqueItems", Json::Array(twice));
        }
        if let Some(said) = schema.get("items") {
            for (at, item) in items.iter().enumerate() {
                self.inside(&at.to_string(), said, item);
            }
        }
    }

    fn object(
        &mut self,
        schema: &Json<'static>,
        document: &Json<'static>,
        object: &Object<'static>,
    ) {
        for name in names(schema, "required") {
            self.push("required", Change::Without(name.to_owned()));
        }
        let known: Vec<&str> = properties(schema).map(|(name, _)| name).collect();
        if let Some(others) = schema.get("additionalProperties") {
            if *others == Json::Bool(false) {
                let names = ["unknown".to_owned(), String::new(), known[0].to_uppercase()];
                for name in names.into_iter().filter(|name| !known.contains(&name.as_str())) {
                    self.push("additionalProperties", Change::With(name, Json::Null));
                }
            } else if others.as_object().is_some() {
                for (name, member) in object.iter().filter(|(name, _)| !known.contains(name)) {
                    self.inside(name, others, member);
                }
            }
        }
        for (name, said) in properties(schema) {
            if let Some(member) = object.get(name) {
                self.inside(name, said, member);
            }
        }
        self.conditions(schema, document);
    }

    fn conditions(&mut self, schema: &Json<'static>, document: &Json<'static>) {
        let has = |name: &&str| document.get(name).is_some();
        let choices: Vec<&str> =
            list(schema, "anyOf").iter().flat_map(|branch| names(branch, "required")).collect();
        let present: Vec<&str> = choices.iter().copied().filter(has).collect();
        if let [only] = present[..] {
            self.push("anyOf", Change::Without(only.to_owned()));
        }
        let Some(condition) = schema.get("if") else { return };
        let holds = holds(condition, document);
        if let Some(branch) = schema.get(if holds { "then" } else { "else" }) {
            self.collect(branch, document);
        }
        // Taking the member away that the condition asks for leads into the other branch.
        if let (true, [name], Some(other)) =
            (holds, &names(condition, "required")[..], schema.get("else"))
            && !names(other, "required").iter().all(has)
        {
            self.push("required", Change::Without((*name).to_owned()));
        }
    }
}

/// A value of each type.
fn samples() -> [(&'static str, Json<'static>); 7] {
    let number = |text: &str| Json::Number(text.parse().expect("it is a number"));
    [
        ("null", Json::Null),
        ("boolean", Json::Bool(true)),
        ("integer", number("1")),
        ("number", number("1.5")),
        ("string", Json::from("1")),
        ("array", Json::Array(Vec::new())),
        ("object", Json::Object(Object::new())),
    ]
}
