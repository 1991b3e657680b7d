//! The minimal scaffold of the document: README.md, package.json and index.js, without dependencies.

use super::Artifact;
use super::needs::Needs;
use super::page;
use super::template::render;

pub(super) fn files(needs: &Needs, asked: &str) -> Vec<Artifact> {
    let scope = page::project(needs, asked);
    let file =
        |path: &str, template| Artifact { path: path.into(), content: render(template, &[&scope]) };
    vec![
        file("README.md", include_str!("templates/fallback/README.md.tmpl")),
        file("package.json", include_str!("templates/fallback/package.json.tmpl")),
        file("index.js", include_str!("templates/fallback/index.js.tmpl")),
    ]
}
