//! The scaffold of axum. Its tests call the service without a network.

use super::Artifact;
use super::entity::Kind;
use super::needs::Needs;
use super::page::{self, Case};
use super::template::{Scope, render};

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/axum/", $name, ".tmpl"))
    };
}

pub(super) fn files(needs: &Needs, asked: &str) -> Vec<Artifact> {
    let scope = scope(needs, asked);
    let mut files = Vec::new();
    let mut file = |path: &str, template: &str, scopes: &[&Scope]| {
        files.push(Artifact { path: path.into(), content: render(template, scopes) });
    };
    file("README.md", template!("README.md"), &[&scope]);
    file("Cargo.toml", template!("Cargo.toml"), &[&scope]);
    file(".gitignore", template!("gitignore"), &[&scope]);
    file("src/main.rs", template!("main.rs"), &[&scope]);
    file("src/lib.rs", template!("lib.rs"), &[&scope]);
    file("src/error.rs", template!("error.rs"), &[&scope]);
    file("src/schema.rs", template!("schema.rs"), &[&scope]);
    file("src/repository.rs", template!("repository.rs"), &[&scope]);
    file("src/routes/mod.rs", template!("routes_mod.rs"), &[&scope]);
    if needs.auth {
        file("src/auth.rs", template!("auth.rs"), &[&scope]);
        file("src/routes/auth.rs", template!("auth_route.rs"), &[&scope]);
        file("tests/api/auth.rs", template!("tests_auth.rs"), &[&scope]);
    }
    for (entity, inner) in needs.entities.iter().zip(scope.items("entities")) {
        let name = entity.many.snake();
        file(&format!("src/routes/{name}.rs"), template!("route.rs"), &[&scope, inner]);
        file(&format!("tests/api/{name}.rs"), template!("tests_entity.rs"), &[&scope, inner]);
    }
    file("tests/api/main.rs", template!("tests_main.rs"), &[&scope]);
    file("tests/api/health.rs", template!("tests_health.rs"), &[&scope]);
    if needs.postgres {
        file("schema.sql", include_str!("templates/schema.sql.tmpl"), &[&scope]);
    }
    files
}

fn scope(needs: &Needs, asked: &str) -> Scope {
    let with_auth = |text: &'static str| if needs.auth { text } else { "" };
    let text = needs
        .entities
        .iter()
        .flat_map(|entity| &entity.fields)
        .any(|field| field.kind == Kind::Text);
    let one_methods = match (needs.update, needs.delete) {
        (true, true) => ".put(replace).patch(change).delete(remove)",
        (true, false) => ".put(replace).patch(change)",
        (false, true) => ".delete(remove)",
        (false, false) => "",
    };
    page::service(needs, asked, Case::Snake, |entity, scope| {
        let name = entity.type_name();
        let import = if needs.update {
            format!("{{{name}Changes, {name}Input}}")
        } else {
            format!("{name}Input")
        };
        scope.value("schema_import", import)
    })
    .value("text_import", if text { "text, " } else { "" })
    .value("one_methods", one_methods)
    .value("accounts_arg", with_auth("accounts.clone()"))
    .value("owner", with_auth(", owner_id: u64"))
    .value("owner_value", with_auth("owner_id, "))
    .value("owner_filter", with_auth(".filter(|row| row.owner_id == owner_id)"))
    .value("user", with_auth(", CurrentUser(user): CurrentUser"))
    .value("owner_call", with_auth("user.id, "))
    .value("owner_call_only", with_auth("user.id"))
}
