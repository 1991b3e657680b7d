//! `consign template analyze --path P`

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_template::analysis::{self, Cancel, analyse};

use super::page;
use crate::{
    error::{Error, Exit},
    output::{Output, Reader},
};

/// Longer than any disk takes for a project that people work on; what was not read by then is told.
const PATIENCE: Duration = Duration::from_secs(60);

const HELP: &str = "\
Reads the project by rules: languages by their share of the source, frameworks with versions from manifests \
and imports, patterns of architecture with what speaks for each, tests, conventions, key files, commands and \
names. What is ignored, vendored, generated or built does not count. Nothing is written, run or sent, and no \
link is followed out of the project. The confidence says how well the signs agree.

With --json one object, the same for the same tree.

Examples:
  consign template analyze
  consign template analyze --path ~/code/shop --json | jq .architecture";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The project
    #[arg(long, default_value = ".", value_name = "DIR")]
    path: PathBuf,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let patience = Cancel::new().within(PATIENCE);
    let found = analyse(&args.path, &patience).map_err(|error| refused(&args.path, &error))?;
    match output.reader {
        Reader::Program => {
            let text = serde_json::to_string(&found).map_err(|error| {
                Error::new("INTERNAL", format!("the analysis could not be written: {error}"))
            })?;
            output.text(&text)?;
            output.text("\n")?;
        }
        Reader::Person => page::show(&found, output)?,
        Reader::Pipe => page::list(&found, output)?,
    }
    Ok(Exit::Done)
}

fn refused(path: &Path, error: &analysis::Error) -> Error {
    let said = if let analysis::Error::Root { source, .. } = error {
        format!("could not read the project {}: {source}", path.display())
    } else {
        error.to_string()
    };
    Error::new("PROJECT_UNREADABLE", said).hint("--path takes the folder of a project")
}
