//! The scaffold of Express + TypeScript. Its tests run with Node's own test runner.

use super::Artifact;
use super::needs::Needs;
use super::page::{self, Case};
use super::template::{Scope, render};

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/express/", $name, ".tmpl"))
    };
}

pub(super) fn files(needs: &Needs, asked: &str) -> Vec<Artifact> {
    let scope = scope(needs, asked);
    let mut files = Vec::new();
    let mut file = |path: &str, template: &str, scopes: &[&Scope]| {
        files.push(Artifact { path: path.into(), content: render(template, scopes) });
    };
    file("README.md", template!("README.md"), &[&scope]);
    file("package.json", template!("package.json"), &[&scope]);
    file("tsconfig.json", template!("tsconfig.json"), &[&scope]);
    file(".gitignore", template!("gitignore"), &[&scope]);
    file("src/index.ts", template!("index.ts"), &[&scope]);
    file("src/app.ts", template!("app.ts"), &[&scope]);
    file("src/errors.ts", template!("errors.ts"), &[&scope]);
    file("src/validation.ts", template!("validation.ts"), &[&scope]);
    file("src/db/schema.ts", template!("schema.ts"), &[&scope]);
    file("src/db/repository.ts", template!("repository.ts"), &[&scope]);
    if needs.auth {
        file("src/auth.ts", template!("auth.ts"), &[&scope]);
        file("src/routes/auth.ts", template!("auth_route.ts"), &[&scope]);
        file("test/auth.test.ts", template!("auth.test.ts"), &[&scope]);
    }
    for (entity, inner) in needs.entities.iter().zip(scope.items("entities")) {
        let name = entity.many.kebab();
        file(&format!("src/routes/{name}.ts"), template!("route.ts"), &[&scope, inner]);
        file(&format!("test/{name}.test.ts"), template!("entity.test.ts"), &[&scope, inner]);
    }
    file("test/health.test.ts", template!("health.test.ts"), &[&scope]);
    file("test/support.ts", template!("support.ts"), &[&scope]);
    if needs.postgres {
        file("schema.sql", include_str!("templates/schema.sql.tmpl"), &[&scope]);
    }
    files
}

fn scope(needs: &Needs, asked: &str) -> Scope {
    let with_auth = |text: &'static str| if needs.auth { text } else { "" };
    let types: Vec<String> =
        needs.entities.iter().map(|entity| format!("{}Input", entity.type_name())).collect();
    page::service(needs, asked, Case::Camel, |_, scope| scope)
        .value("input_types", types.join(", "))
        .value("guard", with_auth("requireUser(accounts), "))
        .value("owner", with_auth("ownerId: number, "))
        .value("owner_only", with_auth("ownerId: number"))
        .value("owner_value", with_auth("ownerId, "))
        .value("owner_call", with_auth("ownerOf(res), "))
        .value("owner_call_only", with_auth("ownerOf(res)"))
        .value("log_in_import", with_auth("logIn, "))
        .value("token_arg", with_auth(", token"))
        .value("parse_changes", if needs.update { ", parseChanges" } else { "" })
}
