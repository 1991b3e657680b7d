//! Making a project of a template.

use std::{error::Error as _, path::Path};

use consign_template::{
    assemble,
    new::{self, Report},
};

use crate::error::Refused;

/// Makes a project of the template in a folder: its placeholders are filled in with these settings. The project appears
/// whole or not at all.
pub fn new(
    from: &Path,
    to: &Path,
    settings: &[(String, String)],
    agents: bool,
) -> Result<Report, Refused> {
    new::instantiate(from, to, settings, agents).map_err(|error| refused(&error))
}

fn refused(error: &new::Error) -> Refused {
    let message = error.to_string();
    match error {
        new::Error::NotATemplate { .. } => Refused::new("TEMPLATE_UNREADABLE", message)
            .hint("--from takes a folder that `consign template create` made"),
        new::Error::Value(_) => Refused::usage("VALUE_INVALID", message),
        new::Error::Target(assemble::Error::Occupied { .. }) => {
            Refused::new("TARGET_NOT_EMPTY", message)
                .hint("choose a folder that is empty or not there yet")
        }
        new::Error::Target(cause) => {
            let why = cause.source().map(|it| format!(": {it}")).unwrap_or_default();
            Refused::new("TARGET_UNUSABLE", format!("{message}{why}"))
        }
        new::Error::File { .. } => Refused::new("TEMPLATE_INVALID", message),
    }
}
