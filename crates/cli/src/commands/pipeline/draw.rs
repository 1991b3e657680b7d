//! `consign pipeline draw FILE`: draws how the stages of a pipeline lead to each other.

use std::path::PathBuf;

use clap::ValueEnum;
use consign_contracts::json::{self, Json};
use consign_pipeline::{Does, Pipeline, Who, draw};

use consign_app::pipelines::load;

use super::svg;
use crate::{
    error::{Error, Exit},
    output::{Audience, Output, object, printable},
};

const HELP: &str = "\
Writes the picture to standard output: an SVG that any browser shows, or Mermaid text for pages that \
draw it themselves. Every way that an envelope can go is there, also a critic's that no route names. Whole lines \
lead on, broken ones are taken when a stage fails, dotted ones when a question was answered; stages that run at once \
are in one box. With --json it is one object, {\"svg\"} or {\"mermaid\"}.

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
    let pipeline = tamed(load(args.file.as_deref())?);
    let (name, text) = match args.format {
        Format::Svg => ("svg", svg::draw(&pipeline)),
        Format::Mermaid => ("mermaid", draw::mermaid(&pipeline)),
    };
    match output.reader {
        Audience::Program => output.object(object([(name, Json::String(text.into()))]))?,
        Audience::Person | Audience::Pipe => output.text(&text)?,
    }
    Ok(Exit::Done)
}

/// What a file says is text in its picture, never a line or an order of its own.
fn tamed(mut pipeline: Pipeline) -> Pipeline {
    let tame = |text: &mut String| *text = printable(text).into_owned();
    for stage in &mut pipeline.stages {
        stage.model.iter_mut().for_each(tame);
        if let Does::Agent(Who::File(path)) = &mut stage.does {
            *path = PathBuf::from(printable(&path.display().to_string()).into_owned());
        }
        for route in &mut stage.routes {
            route.key.iter_mut().for_each(tame);
            // As JSON, so that a number stays one and is not taken for its text.
            let shown = route.equals.to_string();
            let shown = printable(&shown);
            route.equals = json::parse(shown.as_bytes())
                .map_or_else(|_| Json::String(shown.clone().into_owned().into()), Json::into_owned);
        }
    }
    pipeline
}
