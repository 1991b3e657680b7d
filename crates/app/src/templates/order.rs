//! Checks what a creation is to make, and where, before anything is locked or written.

use std::path::{Path, absolute};

use consign_template::{assemble, creation::Order};

use crate::error::Refused;

/// A template has a folder of its own: neither around the project nor in it, where the next creation would
/// take it for source.
pub(super) fn fits(order: &Order) -> Result<(), Refused> {
    let (project, output) = (Path::new(&order.project), Path::new(&order.output));
    let told = match () {
        () if project.starts_with(output) => {
            "the project is in the folder where the template is to go"
        }
        () if output.starts_with(project) => "the template would be in the project itself",
        () => return Ok(()),
    };
    Err(Refused::usage("OUTPUT_INVALID", told)
        .listing([format!("--path {}", order.project), format!("--output {}", order.output)])
        .hint("--output is a folder of its own, such as one beside the project"))
}

/// Whether a template can be put where it is to go.
pub(super) fn is_free(order: &Order) -> Result<(), Refused> {
    assemble::is_free(Path::new(&order.output)).map_err(|error| {
        Refused::new("OUTPUT_REFUSED", error.to_string())
            .hint("choose another --output, or empty that one")
    })
}

/// Where a template is to go: absolute, with the links on the way to it followed.
pub(super) fn output_path(typed: &Path) -> Result<String, Refused> {
    let bad = |why: String| Refused::usage("OUTPUT_INVALID", why);
    let full = absolute(typed).map_err(|cause| bad(format!("{}: {cause}", typed.display())))?;
    full.file_name().ok_or_else(|| bad("--output names no folder".to_owned()))?;
    // As far as it is there: what is made later must not change what it is called.
    let there =
        full.ancestors().skip(1).find_map(|above| Some((above, above.canonicalize().ok()?)));
    let full = match there {
        Some((above, real)) => real.join(full.strip_prefix(above).unwrap_or(&full)),
        None => full,
    };
    text(&full)
}

/// Paths travel in JSON.
pub(super) fn text(path: &Path) -> Result<String, Refused> {
    let text = path.to_str().ok_or_else(|| {
        Refused::usage("PATH_INVALID", format!("{} is not UTF-8", path.display()))
    })?;
    Ok(text.to_owned())
}
