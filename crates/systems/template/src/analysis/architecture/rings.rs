//! Patterns in which dependencies have a direction: clean, hexagonal, layered.

use super::{
    look::Look,
    signs::{Signs, Sort},
};
use crate::analysis::{Pattern, manifest::Ecosystem};

const DOMAIN: &[&str] = &["domain"];
const APPLICATION: &[&str] = &["application", "usecases", "use_cases", "usecase"];
const INFRASTRUCTURE: &[&str] = &["infrastructure", "infra", "persistence"];

/// Domain, application and infrastructure, where the inside knows nothing of the outside.
pub(super) fn clean(look: &Look<'_>) -> Option<Pattern> {
    let (domain, outer) = (look.folder(DOMAIN)?, look.folder(INFRASTRUCTURE)?);
    let mut signs = Signs::default();
    look.see_folder(&mut signs, DOMAIN);
    let middle = look.see_folder(&mut signs, APPLICATION);
    look.see_folder(&mut signs, INFRASTRUCTURE);
    if !middle {
        return None;
    }
    // The arrow points inwards, and the other one is not there.
    look.see_import(&mut signs, outer, &["domain", "application"]);
    if let Some(application) = look.folder(APPLICATION) {
        look.see_import(&mut signs, application, DOMAIN);
    }
    if look.see_import(&mut Signs::default(), domain, INFRASTRUCTURE) {
        return None;
    }
    references(look, &mut signs);
    signs.pattern("Clean Architecture")
}

/// Project files that refer to each other.
fn references(look: &Look<'_>, signs: &mut Signs) {
    let mut projects = look.project.manifests.iter();
    let projects = projects.find(|manifest| {
        manifest.ecosystem == Ecosystem::DotNet
            && manifest.path.to_ascii_lowercase().contains(".application")
    });
    if let Some(manifest) = projects {
        let what = "the application has a project of its own".to_owned();
        signs.see(Sort::Package, &manifest.path, None, what);
    }
}

/// Ports, and adapters that fit them.
pub(super) fn hexagonal(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let ports = look.see_folder(&mut signs, &["ports", "port"]);
    let adapters = look.see_folder(&mut signs, &["adapters", "adapter"]);
    if !ports || !adapters {
        return None;
    }
    look.see_types(&mut signs, "Port", 2);
    look.see_types(&mut signs, "Adapter", 2);
    if let Some(adapters) = look.folder(&["adapters", "adapter"]) {
        look.see_import(&mut signs, adapters, &["ports", "port", "domain", "core"]);
    }
    let ports = look.folder(&["ports", "port"])?;
    let inside = look.project.seen.types.iter();
    let declared = inside.filter(|one| one.is_abstract && one.path.starts_with(ports)).take(2);
    for one in declared {
        signs.see(Sort::Type, &one.path, Some(one.line), format!("port `{}`", one.name));
    }
    signs.pattern("Hexagonal")
}

/// Three layers below each other, each with its types or with imports downwards.
pub(super) fn layered(look: &Look<'_>) -> Option<Pattern> {
    const TOP: &[&str] =
        &["controllers", "controller", "handlers", "handler", "routes", "routers", "api", "web"];
    const MIDDLE: &[&str] = &["services", "service", "application", "usecases", "usecase"];
    const BOTTOM: &[&str] = &[
        "repositories",
        "repository",
        "dao",
        "persistence",
        "infrastructure",
        "store",
        "storage",
        "data",
        "db",
        "models",
        "entities",
        "domain",
        "model",
    ];
    let mut signs = Signs::default();
    let layers = [TOP, MIDDLE, BOTTOM].map(|words| look.see_folder(&mut signs, words));
    if layers != [true; 3] {
        return None;
    }
    for end in ["Controller", "Handler", "Service", "Repository"] {
        look.see_types(&mut signs, end, 1);
    }
    if let Some(top) = look.folder(TOP) {
        look.see_import(&mut signs, top, MIDDLE);
    }
    if let Some(middle) = look.folder(MIDDLE) {
        look.see_import(&mut signs, middle, BOTTOM);
    }
    signs.pattern("Layered")
}
