//! What the templates of all stacks share: names, samples, tables of the README.

use super::entity::{Entity, Field, Kind};
use super::identifier::slug;
use super::needs::Needs;
use super::template::Scope;
use super::text::{json_string, markdown, one_line, quote};

const LONGEST_QUOTE: usize = 4_000;
const LONGEST_DESCRIPTION: usize = 200;

/// How a stack writes the names of fields in JSON.
#[derive(Debug, Clone, Copy)]
pub(super) enum Case {
    Camel,
    Snake,
}

impl Case {
    fn of(self, field: &Field) -> String {
        match self {
            Self::Camel => field.name.camel(),
            Self::Snake => field.name.snake(),
        }
    }
}

/// Title, description and quote: all that a scaffold takes over from the text itself.
pub(super) fn project(needs: &Needs, asked: &str) -> Scope {
    Scope::default()
        .value("title", markdown(&needs.title))
        .value("slug", slug(&needs.title))
        .value("description_json", json_string(&one_line(asked, LONGEST_DESCRIPTION)))
        .value("quote", quote(asked, LONGEST_QUOTE))
}

/// Everything that the templates of a known stack name, besides what is the stack's own.
pub(super) fn service(
    needs: &Needs,
    asked: &str,
    case: Case,
    entity: impl Fn(&Entity, Scope) -> Scope,
) -> Scope {
    let entities = needs.entities.iter().map(|one| entity(one, entity_scope(one, case))).collect();
    let first = &needs.entities[0];
    let resources: Vec<String> = needs.entities.iter().map(|entity| entity.many.spoken()).collect();
    project(needs, asked)
        .flag("auth", needs.auth)
        .flag("postgres", needs.postgres)
        .flag("update", needs.update)
        .flag("delete", needs.delete)
        .value("resources_words", format!("routes for {}", and(&resources)))
        .value("auth_words", if needs.auth { ", sign-up and log-in" } else { "" })
        .value("anyone_words", if needs.auth { ", not signed in" } else { "" })
        .value("routes_table", routes(needs))
        .value("fields_table", fields(needs, case))
        .value("first_plural_kebab", first.many.kebab())
        .value("first_sample", sample(first, case, 0, Literal::Json))
        .value("first_sample_py", sample(first, case, 0, Literal::Python))
        .list("entities", entities)
}

fn entity_scope(entity: &Entity, case: Case) -> Scope {
    let required = entity.required();
    // Of another kind than the field, so that every stack refuses it.
    let bad = if required.kind == Kind::Text { "7" } else { "\"seven\"" };
    Scope::default()
        .value("type", entity.type_name())
        .value("camel", entity.one.camel())
        .value("singular_words", entity.one.spoken())
        .value("plural_words", entity.many.spoken())
        .value("plural_camel", entity.many.camel())
        .value("plural_kebab", entity.many.kebab())
        .value("plural_snake", entity.many.snake())
        .value("required_camel", required.name.camel())
        .value("required_snake", required.name.snake())
        .value("bad", bad)
        .value("bad_py", bad)
        .value("sample", sample(entity, case, 0, Literal::Json))
        .value("other", sample(entity, case, 1, Literal::Json))
        .value("sample_py", sample(entity, case, 0, Literal::Python))
        .value("other_py", sample(entity, case, 1, Literal::Python))
        .list("fields", entity.fields.iter().map(field_scope).collect())
}

fn field_scope(field: &Field) -> Scope {
    let (kind, ts, rust, sql) = match field.kind {
        Kind::Text => ("text", "string", "String", "text not null default ''"),
        Kind::Integer => ("integer", "number", "i64", "bigint not null default 0"),
        Kind::Number => ("number", "number", "f64", "double precision not null default 0"),
        Kind::Boolean => ("boolean", "boolean", "bool", "boolean not null default false"),
    };
    let (py, py_empty) = match (field.kind, field.required) {
        (Kind::Text, true) => ("RequiredText", "\"\""),
        (Kind::Text, false) => ("Text", "\"\""),
        (Kind::Integer, _) => ("Integer", "0"),
        (Kind::Number, _) => ("Number", "0.0"),
        (Kind::Boolean, _) => ("Boolean", "False"),
    };
    let sql = if field.required { sql.split(" default").next().unwrap_or(sql) } else { sql };
    Scope::default()
        .value("camel", field.name.camel())
        .value("snake", field.name.snake())
        .value("kind", kind)
        .value("ts", ts)
        .value("rust", rust)
        .value("sql", sql)
        .value("py", py)
        .value("py_empty", py_empty)
        .value("py_default", if field.required { String::new() } else { format!(" = {py_empty}") })
        .value("required", if field.required { "true" } else { "false" })
        .flag("must", field.required)
        .flag("is_text", field.kind == Kind::Text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Literal {
    Json,
    Python,
}

/// An example record; `which` tells two of them apart.
fn sample(entity: &Entity, case: Case, which: usize, literal: Literal) -> String {
    let values: Vec<String> = entity
        .fields
        .iter()
        .map(|field| {
            let value = match (field.kind, literal) {
                (Kind::Text, _) => {
                    format!("\"{} {}\"", ["Example", "Another"][which], field.name.spoken())
                }
                (Kind::Integer, _) => ["3", "5"][which].into(),
                (Kind::Number, _) => ["9.5", "12.25"][which].into(),
                (Kind::Boolean, Literal::Json) => ["true", "false"][which].into(),
                (Kind::Boolean, Literal::Python) => ["True", "False"][which].into(),
            };
            format!("\"{}\": {value}", case.of(field))
        })
        .collect();
    format!("{{{}}}", values.join(", "))
}

fn routes(needs: &Needs) -> String {
    let mut rows = vec![("GET", "/health".to_owned(), "whether the service runs".to_owned())];
    if needs.auth {
        rows.push(("POST", "/auth/signup".into(), "sign up with `email` and `password`".into()));
        rows.push(("POST", "/auth/login".into(), "log in; the answer has a `token`".into()));
        rows.push(("POST", "/auth/logout".into(), "end the token".into()));
    }
    for entity in &needs.entities {
        let (all, one) =
            (format!("/{}", entity.many.kebab()), format!("/{}/ID", entity.many.kebab()));
        let name = entity.one.spoken();
        rows.push(("GET", all.clone(), format!("list {}", entity.many.spoken())));
        rows.push(("POST", all, format!("create a new {name}")));
        rows.push(("GET", one.clone(), format!("read one {name}")));
        if needs.update {
            rows.push(("PUT", one.clone(), format!("replace one {name}")));
            rows.push(("PATCH", one.clone(), format!("change some fields of one {name}")));
        }
        if needs.delete {
            rows.push(("DELETE", one, format!("delete one {name}")));
        }
    }
    let rows = rows.iter().map(|(method, path, what)| format!("| `{method} {path}` | {what} |"));
    ["| route | what it does |".to_owned(), "|---|---|".into()]
        .into_iter()
        .chain(rows)
        .collect::<Vec<_>>()
        .join("\n")
}

fn fields(needs: &Needs, case: Case) -> String {
    let mut rows = vec!["| of | field | kind | required |".to_owned(), "|---|---|---|---|".into()];
    for entity in &needs.entities {
        for field in &entity.fields {
            let kind = match field.kind {
                Kind::Text => "text",
                Kind::Integer => "whole number",
                Kind::Number => "number",
                Kind::Boolean => "true or false",
            };
            let required = if field.required { "yes" } else { "no" };
            rows.push(format!(
                "| {} | `{}` | {kind} | {required} |",
                entity.one.spoken(),
                case.of(field)
            ));
        }
    }
    rows.join("\n")
}

/// "a", "a and b", "a, b and c".
pub(super) fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
