//! Recognises the role of a file by the words in its path.
//!
//! A folder `controllers`, a file `orders.controller.ts` and a file `OrderController.cs` say the same.

/// A layer, the folders that mean it, and the ends of names that do.
struct Role {
    layer: &'static str,
    folders: &'static [&'static str],
    /// As types write it.
    ends: &'static [&'static str],
}

const fn role(
    layer: &'static str,
    folders: &'static [&'static str],
    ends: &'static [&'static str],
) -> Role {
    Role { layer, folders, ends }
}

/// The rings of an architecture that is built from the inside out. Where two of them exist, they
/// are the layers.
const RINGS: &[(&str, &[&str])] = &[
    ("domain", &["domain"]),
    ("application", &["application"]),
    ("infrastructure", &["infrastructure", "infra", "persistence"]),
    ("presentation", &["presentation", "interfaces", "webapi", "webui"]),
    ("ports", &["ports"]),
    ("adapters", &["adapters"]),
];

/// Ends of a project's or folder's name that are rings only beside others: `Shop.Api`.
const OUTER: &[&str] = &["api", "web", "ui", "server", "host"];

const ROLES: &[Role] = &[
    role("view models", &["viewmodels", "viewmodel", "view_models"], &["ViewModel"]),
    role("controllers", &["controllers", "controller"], &["Controller"]),
    role(
        "services",
        &["services", "service", "usecases", "use_cases", "usecase"],
        &["Service", "UseCase"],
    ),
    role(
        "repositories",
        &["repositories", "repository", "repo", "repos", "dao", "daos"],
        &["Repository", "Dao"],
    ),
    role(
        "routes",
        &["routes", "routers", "router", "routing", "endpoints"],
        &["Routes", "Router", "Endpoints", "Urls"],
    ),
    role("handlers", &["handlers", "handler"], &["Handler"]),
    role(
        "middleware",
        &["middleware", "middlewares", "interceptors", "guards"],
        &["Middleware", "Guard", "Interceptor"],
    ),
    role("commands", &["commands", "cmd"], &["Command"]),
    role("queries", &["queries"], &["Query"]),
    role("models", &["models", "model", "entities", "entity"], &["Model", "Entity"]),
    role(
        "schemas",
        &["schemas", "schema", "dto", "dtos", "serializers", "requests"],
        &["Schema", "Dto", "Serializer", "Request"],
    ),
    role("pages", &["pages", "screens"], &["Page", "Screen"]),
    role("views", &["views", "templates"], &["View", "Views"]),
    role("components", &["components", "widgets"], &["Component"]),
    role("hooks", &["hooks", "composables"], &[]),
    role("stores", &["stores", "store", "state"], &["Store"]),
    role("jobs", &["jobs", "tasks", "workers", "queues"], &["Job", "Worker"]),
    role("validators", &["validators", "validation", "policies"], &["Validator", "Policy"]),
    role("migrations", &["migrations", "migrate"], &[]),
    role("plugins", &["plugins", "extensions"], &["Plugin"]),
    role(
        "configuration",
        &["config", "configuration", "settings"],
        &["Config", "Configuration", "Settings"],
    ),
    role(
        "helpers",
        &["helpers", "utils", "util", "utilities", "common", "shared"],
        &["Helper", "Utils"],
    ),
];

/// Names of files that say what the whole file does: `models.py`, `routes.rs`.
const STEMS: &[(&str, &str)] = &[
    ("models", "models"),
    ("model", "models"),
    ("views", "views"),
    ("urls", "routes"),
    ("routes", "routes"),
    ("router", "routes"),
    ("handlers", "handlers"),
    ("schemas", "schemas"),
    ("serializers", "schemas"),
    ("services", "services"),
    ("service", "services"),
    ("repository", "repositories"),
    ("repositories", "repositories"),
    ("controller", "controllers"),
    ("controllers", "controllers"),
    ("middleware", "middleware"),
    ("store", "stores"),
    ("settings", "configuration"),
    ("config", "configuration"),
];

/// The rings that a path goes through, outermost first.
pub(super) fn rings(path: &str) -> Vec<(&'static str, &str)> {
    let mut found = Vec::new();
    for (folder, word) in words(path) {
        if let Some((ring, _)) = RINGS.iter().find(|(_, names)| means(names, word)) {
            found.push((*ring, folder));
        }
    }
    found
}

/// The layer of a file and the folder that says so, if one does. `in_rings`: rings are the layers.
pub(super) fn layer(path: &str, in_rings: bool) -> Option<(&'static str, &str)> {
    if in_rings {
        if let Some(ring) = rings(path).into_iter().next() {
            return Some(ring);
        }
        if let Some((folder, _)) = words(path).find(|(_, word)| means(OUTER, word)) {
            return Some(("presentation", folder));
        }
    }
    // The innermost folder that says it.
    let own = words(path).filter_map(|(folder, word)| {
        let role = ROLES.iter().find(|role| means(role.folders, word))?;
        Some((role.layer, folder))
    });
    let own = own.last();
    own.or_else(|| {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        of_name(path).map(|layer| (layer, folder))
    })
}

/// What a file does by its own name.
pub(super) fn of_name(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, _) = name.rsplit_once('.')?;
    if let Some((_, layer)) = STEMS.iter().find(|(known, _)| *known == stem) {
        return Some(layer);
    }
    // `orders.controller.ts`, `order_controller.rb`, `order-controller.js`
    let last = stem.rsplit(['.', '_', '-']).next().unwrap_or(stem);
    if last.len() < stem.len() {
        let last = last.to_ascii_lowercase();
        if let Some(role) =
            ROLES.iter().find(|role| role.ends.iter().any(|end| end.eq_ignore_ascii_case(&last)))
        {
            return Some(role.layer);
        }
    }
    of_type(stem)
}

/// What a type does by the end of its name.
pub(super) fn of_type(name: &str) -> Option<&'static str> {
    let ending =
        |role: &&Role| role.ends.iter().any(|end| name.len() > end.len() && name.ends_with(end));
    ROLES.iter().find(ending).map(|role| role.layer)
}

/// A name without the end that says what it does: `Order` of `OrderController`.
pub(super) fn without_end(name: &str) -> Option<&str> {
    let ends = ROLES.iter().flat_map(|role| role.ends);
    ends.filter_map(|end| name.strip_suffix(end)).find(|rest| !rest.is_empty())
}

/// The folders of a path with the word that each means: the last part of `Shop.Domain`.
fn words(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let folders = path.rsplit_once('/').map(|(folders, _)| folders);
    folders.into_iter().flat_map(|folders| {
        let mut end = 0;
        folders.split('/').map(move |part| {
            let until = end + part.len();
            end = until + 1;
            (&folders[..until], part.rsplit(['.', '-']).next().unwrap_or(part))
        })
    })
}

/// Whether a folder's word is one of these, in any case of its letters.
fn means(names: &[&str], word: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_which_layer_a_file_is_of() {
        for (path, rings, expected) in [
            ("src/controllers/orders.js", false, Some(("controllers", "src/controllers"))),
            ("src/orders/orders.controller.ts", false, Some(("controllers", "src/orders"))),
            ("src/Shop.Domain/Orders/Order.cs", true, Some(("domain", "src/Shop.Domain"))),
            ("src/Shop.Api/Program.cs", true, Some(("presentation", "src/Shop.Api"))),
            ("Shop/OrderViewModel.cs", false, Some(("view models", "Shop"))),
            ("orders/models.py", false, Some(("models", "orders"))),
            ("app/models/order.rb", false, Some(("models", "app/models"))),
            ("src/main.rs", false, None),
        ] {
            assert_eq!(layer(path, rings), expected, "{path}");
        }
    }
}
