//! `consign parse FILE`: what a document says, without keeping it.

use std::path::{Path, PathBuf};

use consign_app::documents::{self, Failed, OcrWish, ParseWish};
use consign_contracts::{
    crew::ParserInput,
    json::{Json, Limits},
    wire::Message,
};
use serde_json::json;

use super::lines::answer_each;
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    input::Source,
    output::{Audience, Output, printable},
};

/// The largest file.
const MOST_BYTES: usize = 64 << 20;

const HELP: &str = "\
Reads a document in a process of its own and prints what it says: as Markdown, or with --json as contract \
crew/parser.output, with the passages that `consign ingest` would make, their pages, headings and places. What the file is \
is told by its content, not by its name.

With --stream each line of the input is contract crew/parser.input, and each line of the output is crew/parser.output or \
an error, in the same order.

Examples:
  consign parse report.pdf
  consign parse slides.pptx --json | jq '.chunks[] | select(.layout_type == \"table\")'
  curl -s https://example.com | consign parse -";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "stream")]
    file: Option<PathBuf>,

    /// Files on standard input, a line of contract crew/parser.input each
    #[arg(long, conflicts_with_all = ["file", "markdown", "ocr"])]
    stream: bool,

    /// Print Markdown, which is usual where --json is not said
    #[arg(long)]
    markdown: bool,

    /// Read every page as a picture: `fast` or `best`
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "fast", require_equals = true,
          value_parser = super::ingest::ocr)]
    ocr: Option<OcrWish>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let Some(file) = &args.file else {
        return session(async |session| {
            let answer = async |line: &[u8]| answered(session, line).await;
            answer_each(output, Limits::default().bytes, answer).await
        });
    };
    let bytes = read(&Source::of(file))?;
    let name = name(file).filter(|_| file != Path::new("-"));
    let wish = ParseWish { name, file_type: None, ocr: args.ocr, force_ocr: args.ocr.is_some() };
    session(async |session| {
        let parsed = documents::parse(session, bytes, wish).await?.map_err(unreadable)?;
        match output.reader {
            Audience::Program if !args.markdown => output.line(parsed.output.to_string())?,
            Audience::Person => {
                for line in parsed.document.text.lines() {
                    output.line(printable(line))?;
                }
            }
            Audience::Program | Audience::Pipe => output.text(&parsed.document.text)?,
        }
        for warning in &parsed.document.warnings {
            output.tell(format!("note: {}", printable(warning)));
        }
        Ok(Exit::Done)
    })
}

fn read(source: &Source) -> Result<Vec<u8>, Error> {
    let bytes = source.read(MOST_BYTES)?;
    if bytes.len() > MOST_BYTES {
        let told = format!("{} is larger than {MOST_BYTES} bytes", source.name());
        return Err(Error::new("SOURCE_TOO_LARGE", told));
    }
    Ok(bytes)
}

fn name(file: &Path) -> Option<String> {
    file.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Contract `crew/agent-failure` as an error: its code, its message, and the whole as details.
fn unreadable(failed: Failed) -> Error {
    let error = Error::new(failed.error_code.clone(), failed.message.clone());
    match Json::from(&json!(failed)) {
        Json::Object(details) => error.details(details.into_owned()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => error,
    }
}

/// One line of a stream.
async fn answered(session: &Session, line: &[u8]) -> Result<String, Error> {
    let input = ParserInput::from_json(line);
    let input = input.map_err(|why| Error::new("VALIDATION_ERROR", why.to_string()))?;
    // Standard input is where the lines come from, so `-` is a file.
    let file = PathBuf::from(&input.file_path);
    let bytes = read(&Source::File(file.clone()))?;
    let wish = ParseWish {
        name: name(&file),
        file_type: Some(input.file_type.as_str().to_owned()),
        ocr: None,
        force_ocr: input.force_ocr.unwrap_or(false),
    };
    let parsed = documents::parse(session, bytes, wish).await?.map_err(unreadable)?;
    Ok(parsed.output.to_string())
}
