//! The scaffold of FastAPI. Its tests run with pytest.

use super::Artifact;
use super::needs::Needs;
use super::page::{self, Case};
use super::template::{Scope, render};

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/fastapi/", $name, ".tmpl"))
    };
}

pub(super) fn files(needs: &Needs, asked: &str) -> Vec<Artifact> {
    let scope = scope(needs, asked);
    let mut files = Vec::new();
    let mut file = |path: &str, template: &str, scopes: &[&Scope]| {
        files.push(Artifact { path: path.into(), content: render(template, scopes) });
    };
    file("README.md", template!("README.md"), &[&scope]);
    file("pyproject.toml", template!("pyproject.toml"), &[&scope]);
    file("requirements.txt", template!("requirements.txt"), &[&scope]);
    file("requirements-dev.txt", template!("requirements-dev.txt"), &[&scope]);
    file(".gitignore", template!("gitignore"), &[&scope]);
    file("app/__init__.py", "", &[]);
    file("app/main.py", template!("main.py"), &[&scope]);
    file("app/schemas.py", template!("schemas.py"), &[&scope]);
    file("app/repository.py", template!("repository.py"), &[&scope]);
    file("app/routes/__init__.py", "", &[]);
    if needs.auth {
        file("app/auth.py", template!("auth.py"), &[&scope]);
        file("app/routes/auth.py", template!("auth_route.py"), &[&scope]);
        file("tests/test_auth.py", template!("test_auth.py"), &[&scope]);
    }
    for (entity, inner) in needs.entities.iter().zip(scope.items("entities")) {
        let name = entity.many.snake();
        file(&format!("app/routes/{name}.py"), template!("route.py"), &[&scope, inner]);
        file(&format!("tests/test_{name}.py"), template!("test_entity.py"), &[&scope, inner]);
    }
    file("tests/conftest.py", template!("conftest.py"), &[&scope]);
    file("tests/test_health.py", template!("test_health.py"), &[&scope]);
    if needs.postgres {
        file("schema.sql", include_str!("templates/schema.sql.tmpl"), &[&scope]);
    }
    files
}

fn scope(needs: &Needs, asked: &str) -> Scope {
    let with_auth = |text: &'static str| if needs.auth { text } else { "" };
    let join = |names: Vec<String>| names.join(", ");
    page::service(needs, asked, Case::Snake, |entity, scope| {
        let name = entity.type_name();
        let mut types = vec![name.clone(), format!("{name}Input")];
        types.extend(needs.update.then(|| format!("{name}Changes")));
        types.extend(needs.auth.then(|| "User".to_owned()));
        types.sort();
        scope.value("route_types", join(types))
    })
    .value("route_modules", join(needs.entities.iter().map(|entity| entity.many.snake()).collect()))
    .value(
        "record_types",
        join(needs.entities.iter().map(super::entity::Entity::type_name).collect()),
    )
    .value("user_arg", with_auth(", current_user"))
    .value("owner", with_auth(", owner_id: int"))
    .value("owner_value", with_auth("owner_id, "))
    .value("owner_keyword", with_auth("owner_id=owner_id, "))
    .value("current_param", with_auth(", current_user: Callable[..., User]"))
    .value("user", with_auth("user: CurrentUser, "))
    .value("user_only", with_auth("user: CurrentUser"))
    .value("owner_call", with_auth("user.id, "))
    .value("owner_call_only", with_auth("user.id"))
}
