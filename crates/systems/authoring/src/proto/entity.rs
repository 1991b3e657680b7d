//! What a service is about: an entity with its fields, named safely for every stack.

use super::identifier::Identifier;
use super::words::{plural, singular};

/// At most this many fields are made.
const MOST_FIELDS: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entity {
    pub(super) one: Identifier,
    pub(super) many: Identifier,
    pub(super) fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: Identifier,
    pub(super) kind: Kind,
    pub(super) required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
}

impl Entity {
    /// An entity of this name, with the fields that are usual for it.
    pub(super) fn read(name: &str) -> Option<Self> {
        let one = Identifier::read(name)?.with_last(singular);
        let many = one.with_last(plural);
        // Routes of every scaffold have these names already.
        if ["auth", "health", "mod"].contains(&many.snake().as_str()) {
            return None;
        }
        let fields = usual_fields(&one.snake());
        Some(Self { one, many, fields })
    }

    /// Takes these fields instead of the usual ones; the first is required.
    pub(super) fn with_fields(mut self, names: &[String]) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        for name in names.iter().filter_map(|name| field_name(name)) {
            if fields.len() < MOST_FIELDS && fields.iter().all(|field| field.name != name) {
                let kind = guess(&name.snake());
                fields.push(Field { name, kind, required: fields.is_empty() });
            }
        }
        if !fields.is_empty() {
            self.fields = fields;
        }
        self
    }

    /// The name of its type. A name that the stacks use themselves gets a second word.
    pub(super) fn type_name(&self) -> String {
        const TAKEN: &[&str] = &[
            "False",
            "None",
            "Self",
            "True",
            "Annotated",
            "Array",
            "Boolean",
            "Callable",
            "Credential",
            "Credentials",
            "Date",
            "Error",
            "Field",
            "Fields",
            "Function",
            "Integer",
            "Json",
            "Map",
            "Number",
            "Object",
            "Option",
            "Path",
            "Promise",
            "Record",
            "Repository",
            "Request",
            "Response",
            "Result",
            "Router",
            "Set",
            "State",
            "Store",
            "Stored",
            "String",
            "Symbol",
            "Text",
            "Token",
            "Vec",
        ];
        let name = self.one.pascal();
        if TAKEN.contains(&name.as_str()) { name + "Item" } else { name }
    }

    /// The field that tests and examples use: the first required one.
    pub(super) fn required(&self) -> &Field {
        self.fields.iter().find(|field| field.required).expect("every entity has a required field")
    }
}

fn usual_fields(entity: &str) -> Vec<Field> {
    let names: &[&str] = match entity {
        "todo" | "task" | "reminder" | "habit" => &["title", "done"],
        "note" | "post" | "article" | "recipe" | "document" | "lesson" => &["title", "body"],
        "comment" | "message" | "question" => &["body", "author"],
        "review" => &["body", "rating"],
        "product" | "meal" | "asset" => &["name", "price", "stock"],
        "order" | "invoice" | "bill" | "shipment" => &["reference", "total", "status"],
        "expense" | "payment" | "transaction" => &["description", "amount"],
        "book" | "movie" | "song" | "album" => &["title", "author", "year"],
        "event" | "appointment" | "booking" | "reservation" | "meeting" | "flight" => {
            &["title", "starts_at", "ends_at"]
        }
        "ticket" | "bug" | "issue" | "job" => &["title", "description", "status"],
        "user" | "customer" | "contact" | "employee" | "student" | "teacher" | "member"
        | "patient" | "author" | "lead" | "supplier" | "person" | "client" => &["name", "email"],
        _ => &["name", "description"],
    };
    let field = |(at, name): (usize, &&str)| {
        let name = Identifier::read(name).expect("the table has names only");
        Field { kind: guess(&name.snake()), name, required: at == 0 }
    };
    names.iter().enumerate().map(field).collect()
}

/// A name that no language, and no record of ours, has taken.
fn field_name(text: &str) -> Option<Identifier> {
    const OURS: &[&str] = &["id", "owner_id", "created_at", "updated_at"];
    const TAKEN: &[&str] = &[
        "abstract",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "become",
        "box",
        "break",
        "class",
        "const",
        "continue",
        "copy",
        "crate",
        "def",
        "del",
        "dict",
        "do",
        "dyn",
        "elif",
        "else",
        "enum",
        "except",
        "extern",
        "false",
        "final",
        "finally",
        "fn",
        "for",
        "from",
        "gen",
        "global",
        "if",
        "impl",
        "import",
        "in",
        "is",
        "json",
        "lambda",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "model",
        "move",
        "mut",
        "none",
        "nonlocal",
        "not",
        "or",
        "override",
        "pass",
        "priv",
        "proto",
        "pub",
        "raise",
        "ref",
        "return",
        "schema",
        "self",
        "static",
        "struct",
        "super",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "union",
        "unsafe",
        "unsized",
        "use",
        "validate",
        "virtual",
        "where",
        "while",
        "with",
        "yield",
        "construct",
        "constructor",
        "prototype",
    ];
    let name = Identifier::read(text.trim())?;
    let snake = name.snake();
    if OURS.contains(&snake.as_str()) {
        return None;
    }
    // Pydantic keeps names that begin with `model` for itself.
    let taken = TAKEN.contains(&snake.as_str())
        || snake.starts_with("model_")
        || snake.starts_with("parse_");
    Some(if taken { Identifier::read("field")?.and(&name.snake().replace('_', "")) } else { name })
}

/// The kind of a field by its name.
fn guess(name: &str) -> Kind {
    let last = name.rsplit('_').next().unwrap_or(name);
    if name.starts_with("is_") || name.starts_with("has_") {
        return Kind::Boolean;
    }
    match last {
        "done" | "completed" | "active" | "enabled" | "paid" | "archived" | "published"
        | "available" | "verified" => Kind::Boolean,
        "age" | "capacity" | "count" | "pages" | "priority" | "quantity" | "rating" | "seats"
        | "stock" | "year" => Kind::Integer,
        "amount" | "balance" | "cost" | "discount" | "height" | "latitude" | "longitude"
        | "price" | "salary" | "score" | "temperature" | "total" | "weight" | "width" => {
            Kind::Number
        }
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entity: &Entity) -> Vec<String> {
        entity.fields.iter().map(|field| field.name.snake()).collect()
    }

    #[test]
    fn an_entity_has_its_usual_fields_or_those_that_are_named() {
        let todo = Entity::read("todos").unwrap();
        assert_eq!((todo.one.snake(), todo.many.snake()), ("todo".into(), "todos".into()));
        assert_eq!(names(&todo), ["title", "done"]);
        let named =
            ["Due date", "is_done", "id", "type", "model_x", "évil", "due date"].map(String::from);
        let todo = todo.with_fields(&named);
        assert_eq!(names(&todo), ["due_date", "is_done", "field_type", "field_modelx"]);
        assert_eq!(todo.fields[1].kind, Kind::Boolean);
        assert!(todo.fields[0].required && !todo.fields[1].required);
    }

    #[test]
    fn a_type_never_hides_one_of_the_stack() {
        assert_eq!(Entity::read("record").unwrap().type_name(), "RecordItem");
        assert_eq!(Entity::read("None").unwrap().type_name(), "NoneItem");
        assert_eq!(Entity::read("line items").unwrap().type_name(), "LineItem");
    }
}
