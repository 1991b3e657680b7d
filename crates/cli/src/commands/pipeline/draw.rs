//! `consign pipeline draw FILE`

use std::path::PathBuf;

use clap::ValueEnum;
use consign_workflows::pipeline::draw;

use super::{ready::load, svg};
use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Writes the picture to standard output: an SVG that any browser shows, or Mermaid text for pages that \
draw it themselves. Whole lines lead on, broken ones are taken when a stage fails.

Examples:
  consign pipeline draw release.toml > release.svg
  consign pipeline draw release.toml --format mermaid";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The pipeline; that of the six built-in agents if left out
    file: Option<PathBuf>,

    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Svg)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Svg,
    Mermaid,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let pipeline = load(args.file.as_deref())?;
    let text = match args.format {
        Format::Svg => svg::draw(&pipeline),
        Format::Mermaid => draw::mermaid(&pipeline),
    };
    output.text(&text)?;
    Ok(Exit::Done)
}
