//! What answers say of real repositories, held against what is true of them.

use std::{fs, path::Path};

use crate::{corpus, journey::Journey};

struct Statement {
    repo: String,
    ask: String,
    first: Option<String>,
    says: Vec<String>,
    never: Vec<String>,
    asks: Option<String>,
}

fn read() -> Vec<Statement> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/questions/statements.toml");
    let table: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let one = |one: &toml::Value| {
        let text = |key: &str| one.get(key).map(|it| it.as_str().unwrap().to_owned());
        let texts = |key: &str| -> Vec<String> {
            let list = one.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
            list.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
        };
        Statement {
            repo: text("repo").unwrap(),
            ask: text("ask").unwrap(),
            first: text("first"),
            says: texts("says"),
            never: texts("never"),
            asks: text("asks"),
        }
    };
    table["statement"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn what_is_said_is_true() {
    let mut wrong: Vec<String> = Vec::new();
    for statement in read() {
        let repo = corpus().join(&statement.repo);
        let journey = Journey::of(&statement.ask, &repo);
        journey.keeps_its_word(&repo);
        let answer = if journey.asks_back() { journey.asked() } else { journey.answer() };
        let mut blame = |what: String| {
            wrong.push(format!("[{}] {}: {what}\n{answer}\n", statement.repo, statement.ask));
        };
        if statement.asks.is_some() != journey.asks_back() {
            blame("asks back, or does not".to_owned());
        }
        let begins = statement.first.iter().chain(&statement.asks);
        begins
            .filter(|first| !answer.starts_with(*first))
            .for_each(|it| blame(format!("does not begin: {it}")));
        statement
            .says
            .iter()
            .filter(|it| !answer.contains(*it))
            .for_each(|it| blame(format!("does not say: {it}")));
        statement
            .never
            .iter()
            .filter(|it| answer.contains(*it))
            .for_each(|it| blame(format!("says: {it}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
