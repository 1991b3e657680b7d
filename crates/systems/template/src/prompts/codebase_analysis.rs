//! The prompt of phase 1: what kind of project is this?

use std::path::Path;

use consign_code::{Cancel, Error, Limits, Repository};

use super::{facts, fill::fill, sample};
use crate::analysis::Analysis;

/// The prompt for `architectural-reviewer` to read a project.
///
/// # Errors
/// [`Error::Root`] if the project cannot be read at all, [`Error::Cancelled`]. A single file that cannot
/// be read is left out.
pub fn codebase_analysis(
    project: &Path,
    analysis: &Analysis,
    cancel: &Cancel,
) -> Result<String, Error> {
    let repository = Repository::open_with(project, Limits::default(), cancel.clone())?;
    let values = [
        ("facts", facts::of(analysis)),
        ("tree", sample::tree(&repository)?),
        ("files", sample::files(&repository, analysis)?),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, text)| (*name, &**text)).collect();
    Ok(fill(include_str!("codebase_analysis.md"), &values))
}
