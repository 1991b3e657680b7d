//! Finding out what a project is made of, without any agent.

use std::{path::Path, time::Duration};

use consign_template::analysis::{self, Analysis, Cancel, analyse};

use crate::error::Refused;

/// Longer than any disk takes for a project that people work on; what was not read by then is told.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads a project by rules. Nothing is written, run or sent.
pub fn analyze(project: &Path) -> Result<Analysis, Refused> {
    let patience = Cancel::new().within(PATIENCE);
    analyse(project, &patience).map_err(|error| {
        let said = if let analysis::Error::Root { source, .. } = &error {
            format!("could not read the project {}: {source}", project.display())
        } else {
            error.to_string()
        };
        Refused::new("PROJECT_UNREADABLE", said).hint("--path takes the folder of a project")
    })
}
