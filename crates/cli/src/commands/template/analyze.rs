//! `consign template analyze --path P`: what a project is made of, found without any agent.

use std::path::PathBuf;

use consign_app::templates;

use super::page;
use crate::{
    error::{Error, Exit},
    output::{Audience, Output},
};

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
    let found = templates::analyze(&args.path)?;
    match output.reader {
        Audience::Program => {
            let text = serde_json::to_string(&found).map_err(|error| {
                Error::new("INTERNAL", format!("the analysis could not be written: {error}"))
            })?;
            output.text(&text)?;
            output.text("\n")?;
        }
        Audience::Person => page::show(&found, output)?,
        Audience::Pipe => page::list(&found, output)?,
    }
    Ok(Exit::Done)
}
