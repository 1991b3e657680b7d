//! Chooses the names of a project that are replaced: those that only this project has.
//!
//! A name that is a common word, or that a dependency has too, stays. Where a dependency's name only
//! contains ours (`shop` and `shop-client`), ours is replaced and theirs is left in one piece.

use super::{Scheme, Stack, Subject, is_common, words};
use crate::analysis::Analysis;

/// Dependencies that are looked at.
const MOST: usize = 5_000;

/// The scheme of a project. `entity` is a name that is safe to replace, if there is one.
#[must_use]
pub fn scheme(analysis: &Analysis, entity: Option<&str>) -> Scheme {
    let stack = Stack::of(&analysis.primary_language);
    let mut scheme = Scheme::new(stack);
    let foreign = |name: &str| {
        let own = words(name);
        is_common(&own)
            || analysis.dependencies.iter().take(MOST).any(|dependency| {
                words(&dependency.name) == own || words(last_part(&dependency.name)) == own
            })
    };
    // The longest first: a namespace usually ends with the project's name.
    let project = last_part(&analysis.names.project);
    let mut single = None;
    for namespace in &analysis.names.namespaces {
        if namespace.len() > 200 || namespace.contains(['{', '}', '\n']) {
            continue;
        }
        if parts(namespace).len() > 1 {
            let known = analysis.dependencies.iter().any(|it| it.name == *namespace);
            if !known {
                scheme = scheme.namespace(namespace);
                break;
            }
        } else if words(namespace) != words(project) && !foreign(namespace) && single.is_none() {
            single = Some(namespace);
        }
    }
    if !foreign(project) && project.len() <= 100 {
        scheme = scheme.named(Subject::Project, project);
    }
    if project.len() <= 100 && !project.contains(['{', '}', '\n']) {
        scheme = scheme.own(project);
    }
    if let Some(namespace) = single {
        scheme = scheme.named(Subject::Namespace, namespace);
    }
    if let Some(entity) = entity.filter(|entity| !foreign(entity)) {
        scheme = scheme.entity(entity);
    }
    if let Some(author) = analysis.names.authors.iter().find(|it| is_person(it)) {
        scheme = scheme.author(author);
    }
    for dependency in analysis.dependencies.iter().take(MOST) {
        scheme = scheme.guard(&dependency.name).guard(&dependency.name.replace('-', "_"));
    }
    scheme
}

fn parts(namespace: &str) -> Vec<&str> {
    namespace.split(['.', '/', '\\', ':']).filter(|part| !part.is_empty()).collect()
}

/// `shop` of `@acme/shop` and `github.com/acme/shop`.
fn last_part(name: &str) -> &str {
    name.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(name)
}

/// A name of two words at least: one alone is found in too many places.
fn is_person(name: &str) -> bool {
    name.len() <= 100
        && words(name).len() >= 2
        && !name.contains(['{', '}', '\n', '<', '@', '"', '\\'])
        && name.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Dependency, Names};

    fn project(language: &str, name: &str, namespaces: &[&str], dependencies: &[&str]) -> Analysis {
        Analysis {
            primary_language: language.to_owned(),
            names: Names {
                project: name.to_owned(),
                namespaces: namespaces.iter().map(|it| (*it).to_owned()).collect(),
                authors: vec!["Jane Doe".to_owned()],
                ..Names::default()
            },
            dependencies: dependencies
                .iter()
                .map(|it| Dependency { name: (*it).to_owned(), ..Dependency::default() })
                .collect(),
            ..Analysis::default()
        }
    }

    #[test]
    fn names_become_placeholders_in_each_casing() {
        let rust = project("Rust", "acme-shop", &["acme_shop"], &["serde"]);
        let java = project("Java", "shop", &["com.acme.shop"], &[]);
        let go = project("Go", "shop", &["github.com/acme/shop"], &[]);
        let net = project("C#", "Acme.Shop", &["Acme.Shop"], &[]);
        let script = project("JavaScript", "@acme/shop", &[], &["shop-client"]);
        let python = project("Python", "Invoices-Api", &["invoicing"], &[]);
        for (analysis, source, expected) in [
            (&rust, "use acme_shop::AcmeShopDb;", "use {{project_name}}::{{ProjectName}}Db;"),
            (&rust, "ACME_SHOP_URL=acme-shop", "{{PROJECT_NAME}}_URL={{project-name}}"),
            (
                &rust,
                "acmeShop Acme Shop acmeshop",
                "{{projectName}} {{Project Name}} {{projectname}}",
            ),
            (&rust, "# Copyright Jane Doe", "# Copyright {{AuthorName}}"),
            (&rust, "# by Jane Doe", "# by Jane Doe"),
            (&rust, "go-acme-shop acme-shop.org", "go-acme-shop acme-shop.org"),
            (&rust, "https://github.com/x/acme-shop", "https://github.com/x/acme-shop"),
            (&java, "package com.acme.shop.web;", "package {{Namespace}}.web;"),
            (&java, "class ShopTest {}", "class {{ProjectName}}Test {}"),
            (&go, "import \"github.com/acme/shop/db\"", "import \"{{Namespace}}/db\""),
            (&go, "package shop_test", "package {{projectname}}_test"),
            (&net, "namespace Acme.Shop.Web;", "namespace {{Namespace}}.Web;"),
            (
                &script,
                "const shop = require('shop')",
                "const {{projectName}} = require('{{project-name}}')",
            ),
            (&script, "require('shop-client')", "require('shop-client')"),
            (&python, "from invoicing import db", "from {{namespace_name}} import db"),
        ] {
            assert_eq!(scheme(analysis, None).generalise("a.js", source), expected, "{source}");
        }
        let java = scheme(&java, None);
        assert_eq!(
            java.generalise_path("src/main/java/com/acme/shop/Shop.java"),
            "src/main/java/{{NamespacePath}}/{{ProjectName}}.java"
        );
    }

    #[test]
    fn common_words_and_names_of_dependencies_stay() {
        for (name, dependencies) in
            [("app", &[][..]), ("test", &[]), ("chess", &["chess"]), ("react", &[])]
        {
            let scheme = scheme(&project("Python", name, &[name], dependencies), None);
            let source = format!("import {name}");
            assert_eq!(scheme.generalise("a.py", &source), source, "{name}");
        }
    }

    #[test]
    fn a_manifests_own_name_is_replaced_though_it_is_a_common_word() {
        let scheme = scheme(&project("JavaScript", "app", &["app"], &[]), None);
        let source = "{\"name\": \"app\", \"main\": \"app.js\"}";
        assert_eq!(
            scheme.generalise("package.json", source),
            "{\"name\": \"{{project-name}}\", \"main\": \"app.js\"}"
        );
        assert_eq!(scheme.generalise("a.json", source), source);
    }

    #[test]
    fn an_author_goes_with_the_address_or_stays() {
        let plain = scheme(&project("Rust", "acme-shop", &[], &[]), None);
        let source = "authors = [\"Jane Doe <j@acme.org>\"]";
        assert_eq!(plain.generalise("Cargo.toml", source), source);
        assert_eq!(
            plain.email("j@acme.org").generalise("Cargo.toml", source),
            "authors = [\"{{AuthorName}} <{{author-email}}>\"]"
        );
    }

    #[test]
    fn an_entity_is_replaced_in_singular_and_plural() {
        let scheme = scheme(&project("Python", "shopfront", &[], &[]), Some("Invoice"));
        assert_eq!(
            scheme.generalise("a.py", "class Invoice: invoices = invoice_id"),
            "class {{EntityName}}: {{entity_names}} = {{entity_name}}_id"
        );
    }
}
