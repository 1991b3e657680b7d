//! Patterns of architecture, each with what speaks for it.
//!
//! A pattern needs signs of two sorts that agree: folders and names of types, or folders and imports. One
//! file's name is never enough.

mod look;
mod rings;
mod roles;
mod shape;
mod signs;

use self::look::Look;
use super::{Pattern, project::Project};

/// The rules, in the order in which equals are told.
const RULES: &[fn(&Look<'_>) -> Option<Pattern>] = &[
    rings::clean,
    rings::hexagonal,
    roles::mvvm,
    roles::mvc,
    roles::mvt,
    roles::cqrs,
    rings::layered,
    shape::features,
    roles::repository,
    shape::services,
    shape::monorepo,
    roles::plugin,
    roles::result,
    roles::components,
];

pub(super) fn of(project: &Project) -> Vec<Pattern> {
    let look = Look::new(project);
    let mut found: Vec<Pattern> = RULES.iter().filter_map(|rule| rule(&look)).collect();
    // Clean and hexagonal houses have layers: that goes without saying.
    let has = |name: &str| found.iter().any(|pattern| pattern.name == name);
    if has("Clean Architecture") || has("Hexagonal") || has("MVC") {
        found.retain(|pattern| pattern.name != "Layered");
    }
    // The order of the rules stays among equals.
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    found
}
