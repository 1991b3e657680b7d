//! The word lists of the rules, and singular and plural. docs/spec/authoring.md tells them to users.

/// Nouns that are taken for an entity where the text simply mentions them.
pub(super) const NOUNS: &[&str] = &[
    "album",
    "appointment",
    "article",
    "asset",
    "author",
    "bill",
    "book",
    "bookmark",
    "booking",
    "bug",
    "car",
    "category",
    "comment",
    "contact",
    "coupon",
    "course",
    "device",
    "document",
    "employee",
    "event",
    "exercise",
    "expense",
    "flight",
    "habit",
    "ingredient",
    "invoice",
    "job",
    "lead",
    "lesson",
    "meal",
    "meeting",
    "message",
    "movie",
    "note",
    "order",
    "patient",
    "payment",
    "photo",
    "player",
    "playlist",
    "post",
    "product",
    "question",
    "quiz",
    "recipe",
    "reminder",
    "reservation",
    "review",
    "room",
    "sensor",
    "shipment",
    "song",
    "student",
    "subscription",
    "supplier",
    "tag",
    "task",
    "teacher",
    "ticket",
    "todo",
    "transaction",
    "vehicle",
    "workout",
];

/// Who uses the service. They are entities only where a phrase says so ("manage users").
pub(super) const ACTORS: &[&str] = &[
    "admin",
    "administrator",
    "client",
    "customer",
    "developer",
    "guest",
    "member",
    "owner",
    "person",
    "team",
    "user",
    "visitor",
    "company",
    "colleague",
    "friend",
    "family",
    "student",
    "teacher",
];

/// What holds entities: the word before names them ("todo list", "plant tracker").
pub(super) const CONTAINERS: &[&str] = &[
    "api",
    "app",
    "application",
    "backend",
    "catalog",
    "catalogue",
    "collection",
    "crud",
    "database",
    "directory",
    "endpoint",
    "endpoints",
    "entries",
    "list",
    "lists",
    "management",
    "manager",
    "organizer",
    "planner",
    "platform",
    "records",
    "registry",
    "resource",
    "resources",
    "server",
    "service",
    "shop",
    "site",
    "store",
    "system",
    "tool",
    "tracker",
    "tracking",
    "website",
];

/// Containers that make even an unknown word before them an entity.
pub(super) const TELLING_CONTAINERS: &[&str] = &[
    "catalog",
    "catalogue",
    "management",
    "manager",
    "organizer",
    "planner",
    "registry",
    "tracker",
];

/// Verbs before an entity, whatever word it is.
pub(super) const KEEPERS: &[&str] = &[
    "catalog",
    "crud",
    "maintain",
    "maintaining",
    "maintains",
    "manage",
    "manages",
    "managing",
    "organise",
    "organize",
    "organizing",
    "store",
    "stores",
    "storing",
    "track",
    "tracking",
    "tracks",
];

/// Words before "for", "of", "on" and "over" that announce an entity.
pub(super) const ANNOUNCERS: &[&str] = &[
    "api",
    "app",
    "application",
    "backend",
    "collection",
    "crud",
    "database",
    "endpoint",
    "endpoints",
    "list",
    "operations",
    "platform",
    "resource",
    "resources",
    "routes",
    "server",
    "service",
    "system",
    "tool",
];

/// Verbs before an entity that is a plural or a known noun.
pub(super) const VERBS: &[&str] = &[
    "add", "adding", "browse", "cancel", "change", "create", "creating", "delete", "deleting",
    "edit", "editing", "list", "listing", "place", "post", "publish", "read", "reading", "remove",
    "removing", "save", "search", "send", "share", "submit", "update", "updating", "upload",
    "view", "viewing", "write", "writing",
];

/// Words that may stand between such a word and the entity.
pub(super) const SKIPPED: &[&str] = &[
    "a", "an", "all", "and", "any", "basic", "daily", "digital", "each", "every", "existing",
    "full", "his", "her", "internal", "its", "managing", "minimal", "mobile", "modern", "multiple",
    "my", "new", "of", "online", "our", "own", "personal", "private", "public", "shared", "simple",
    "single", "small", "some", "storing", "the", "their", "these", "tiny", "tracking", "your",
];

/// Words that are never an entity.
pub(super) const STOPPED: &[&str] = &[
    "access",
    "account",
    "accounts",
    "across",
    "after",
    "also",
    "are",
    "async",
    "auth",
    "authentication",
    "authorization",
    "axum",
    "been",
    "before",
    "being",
    "both",
    "browser",
    "but",
    "button",
    "can",
    "changes",
    "code",
    "could",
    "css",
    "data",
    "details",
    "does",
    "docker",
    "docs",
    "documentation",
    "email",
    "emails",
    "errors",
    "etc",
    "express",
    "fastapi",
    "features",
    "feature",
    "field",
    "fields",
    "file",
    "for",
    "from",
    "frontend",
    "functionality",
    "get",
    "goals",
    "had",
    "has",
    "have",
    "health",
    "help",
    "helps",
    "how",
    "html",
    "http",
    "https",
    "information",
    "inside",
    "into",
    "java",
    "javascript",
    "json",
    "jwt",
    "less",
    "lets",
    "like",
    "login",
    "logins",
    "logs",
    "make",
    "makes",
    "memory",
    "methods",
    "mod",
    "more",
    "most",
    "mongodb",
    "must",
    "mysql",
    "needs",
    "new",
    "node",
    "nodejs",
    "not",
    "one",
    "only",
    "operation",
    "operations",
    "options",
    "other",
    "others",
    "over",
    "own",
    "page",
    "pages",
    "pagination",
    "password",
    "passwords",
    "permissions",
    "please",
    "postgres",
    "postgresql",
    "progress",
    "project",
    "projects",
    "python",
    "react",
    "redis",
    "request",
    "requests",
    "requirements",
    "response",
    "responses",
    "rest",
    "restful",
    "role",
    "roles",
    "route",
    "routes",
    "rust",
    "security",
    "session",
    "sessions",
    "should",
    "signup",
    "sql",
    "sqlite",
    "stack",
    "status",
    "storage",
    "stuff",
    "such",
    "support",
    "supports",
    "team",
    "teams",
    "test",
    "tests",
    "that",
    "them",
    "then",
    "there",
    "they",
    "thing",
    "things",
    "this",
    "through",
    "time",
    "times",
    "todos-api",
    "token",
    "tokens",
    "two",
    "typescript",
    "use",
    "uses",
    "using",
    "validation",
    "via",
    "was",
    "web",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "will",
    "with",
    "without",
    "work",
    "works",
    "would",
    "you",
];

/// Kinds of application that imply entities where the text names none.
pub(super) const DOMAINS: &[(&str, &[&str])] = &[
    ("blog", &["post", "comment"]),
    ("calendar", &["event"]),
    ("chat", &["message"]),
    ("crm", &["contact"]),
    ("ecommerce", &["product", "order"]),
    ("forum", &["topic", "post"]),
    ("helpdesk", &["ticket"]),
    ("inventory", &["product"]),
    ("kanban", &["task"]),
    ("library", &["book"]),
    ("restaurant", &["meal", "order"]),
    ("shop", &["product", "order"]),
    ("store", &["product", "order"]),
    ("wiki", &["article"]),
];

const IRREGULAR: &[(&str, &str)] = &[
    ("person", "people"),
    ("child", "children"),
    ("quiz", "quizzes"),
    ("movie", "movies"),
    ("cookie", "cookies"),
    ("calorie", "calories"),
    ("series", "series"),
    ("species", "species"),
    ("news", "news"),
    ("status", "statuses"),
    ("bus", "buses"),
    ("shelf", "shelves"),
    ("wife", "wives"),
    ("leaf", "leaves"),
    ("mouse", "mice"),
];

/// Whether the word looks like the plural of something.
pub(super) fn is_plural(word: &str) -> bool {
    IRREGULAR.iter().any(|(_, plural)| *plural == word)
        || (word.len() >= 4
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !word.ends_with("us")
            && !word.ends_with("is"))
}

pub(super) fn singular(word: &str) -> String {
    if let Some((one, _)) = IRREGULAR.iter().find(|(one, many)| *many == word || *one == word) {
        return (*one).into();
    }
    if !is_plural(word) {
        return word.into();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 2) {
        return format!("{stem}y");
    }
    let hisses = ["sses", "xes", "ches", "shes", "zzes"].iter().any(|end| word.ends_with(end));
    word[..word.len() - if hisses { 2 } else { 1 }].into()
}

pub(super) fn plural(word: &str) -> String {
    if let Some((_, many)) = IRREGULAR.iter().find(|(one, _)| *one == word) {
        return (*many).into();
    }
    let consonant_y =
        word.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match consonant_y {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end)) => {
            format!("{word}es")
        }
        None => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_and_plural_belong_together() {
        for (one, many) in [
            ("todo", "todos"),
            ("category", "categories"),
            ("box", "boxes"),
            ("class", "classes"),
            ("course", "courses"),
            ("expense", "expenses"),
            ("branch", "branches"),
            ("person", "people"),
            ("movie", "movies"),
            ("key", "keys"),
            ("quiz", "quizzes"),
            ("address", "addresses"),
        ] {
            assert_eq!(
                (plural(one).as_str(), singular(many).as_str(), singular(one).as_str()),
                (many, one, one)
            );
            assert!(is_plural(many) && !is_plural(one), "{one}");
        }
    }

    #[test]
    fn no_noun_is_also_stopped() {
        for noun in NOUNS {
            assert!(!STOPPED.contains(noun), "{noun}");
        }
    }
}
