//! `consign ingest PATH|URL|gdrive:ID…`: documents are taken in, so that they can be found.

mod texts;
mod vectors;

use std::path::{Path, PathBuf};

use consign_app::{
    documents::{
        self, Counts, DEFAULT_COLLECTION, Fetch, FileRow, Filling, Ingest, IngestInput,
        IngestOutcome, OcrWish, RowStatus, Rows, SourceInput, Trusting,
    },
    foreground::Foreground,
};
use consign_engine::{Limits, Owner, RunId, Settings};
use serde_json::{Map, Value, json};

use super::runs::{
    foreground::{Ended, go_on, stranded},
    limits::LimitArgs,
    owner_arg, report,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, WARN, printable, styled},
    text::{count, place},
};

const HELP: &str = "\
Takes documents in: files and folders of this machine, pages of the web, files of Google Drive. What they are is told \
by their content: PDF, HTML, Word, PowerPoint, Excel, CSV, Markdown, e-mail, text and source code. Each is read in a \
process of its own, cut into passages and indexed; `consign search` finds them at once.

A folder is taken without the folders in it, unless you say --recursive; so is a page without the pages that it links \
to. Links are not followed out of a folder, and a site's robots.txt is kept to. Files that have not changed are left \
alone.

An ingest is a durable run: kill it where you like, and the same command goes on with it. With --json each line is an \
object for one file, and the last one has the counts. It exits with 1 when a source that you named gave nothing.

With the model of `consign models pull embeddings` passages get vectors meanwhile, by which they are found by meaning. \
They take longer than the text: what is left at the end is done by `consign serve` and `consign worker`, or at once with \
--wait-vectors, which needs no source.

With --stream each line of the input is {\"id\", \"text\"}, which may have `title`, `collection` and `metadata`, and each line \
of the output says what became of it, in the same order. Texts are kept in batches and not as a run: send them again after \
a crash, and those that are kept are left alone.

Examples:
  consign ingest handbook.pdf
  consign ingest ~/documents --recursive --collection contracts
  consign ingest https://example.com/docs/ --recursive
  consign ingest report.pdf --ocr=best --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// What to take in
    #[arg(value_name = "PATH|URL|gdrive:ID", required_unless_present_any = ["stream", "wait_vectors"])]
    sources: Vec<String>,

    /// Texts on standard input, a line of JSON each
    #[arg(long, conflicts_with_all = ["sources", "recursive", "ocr", "credentials"])]
    stream: bool,

    /// Folders in folders, and the pages that pages link to
    #[arg(long, short)]
    recursive: bool,

    /// Where they go: searches can be narrowed to a collection
    #[arg(long, value_name = "C", default_value = DEFAULT_COLLECTION)]
    collection: String,

    /// Read every page as a picture: `fast` by tesseract where it is installed, `best` by models where they are there
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "fast", require_equals = true,
          value_parser = ocr)]
    ocr: Option<OcrWish>,

    /// The credentials to use, by name
    #[arg(long, value_name = "NAME")]
    credentials: Option<String>,

    /// Facts about these documents by which searches can be filtered; may be repeated
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = fact)]
    metadata: Vec<(String, String)>,

    /// Go on until every passage of the owner has a vector
    #[arg(long)]
    wait_vectors: bool,

    /// Whose documents they are
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    #[command(flatten)]
    limits: LimitArgs,
}

/// How passages that are left get their vectors.
pub(super) const MORE_VECTORS: &str =
    "`consign serve` and `consign worker` make the rest, or `consign ingest --wait-vectors`";

pub(super) fn ocr(word: &str) -> Result<OcrWish, String> {
    match word {
        "fast" => Ok(OcrWish::Fast),
        "best" => Ok(OcrWish::Best),
        _ => Err("it is one of fast, best".to_owned()),
    }
}

pub(super) fn fact(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// Facts about all documents that are taken in.
fn facts(args: &Args) -> impl Iterator<Item = (String, Value)> {
    args.metadata.iter().map(|(key, value)| (key.clone(), json!(value)))
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    if args.stream {
        return session(async |session| texts::run(session, args, output).await);
    }
    let input = input(args)?;
    session(async |session| {
        if input.sources.is_empty() {
            return vectors::finish(session, &args.owner, args.wait_vectors, output).await;
        }
        let mut foreground = Foreground::new(&session.engine).await?;
        let limits = args.limits.set();
        let taken = take(session, &mut foreground, &args.owner, limits, input, output).await?;
        let verdict = finish(&taken, output)?;
        if taken.outcome.is_none() {
            return Ok(verdict);
        }
        let vectors = vectors::finish(session, &args.owner, args.wait_vectors, output).await?;
        Ok(if vectors == Exit::Done { verdict } else { vectors })
    })
}

/// What an ingest came to.
pub(super) struct Taken {
    pub(super) run: RunId,
    pub(super) files: Vec<FileRow>,
    /// None where the run waits or was stopped.
    pub(super) outcome: Option<IngestOutcome>,
    /// How the command ends where there is no outcome.
    pub(super) verdict: Exit,
}

/// Takes sources in: goes on with the same ingest where it was interrupted, else begins.
pub(super) async fn take(
    session: &Session,
    foreground: &mut Foreground,
    owner: &Owner,
    limits: Limits,
    input: IngestInput,
    output: &mut Output,
) -> Result<Taken, Error> {
    let (run, drive, is_new) = match documents::interrupted(session, owner, &input).await? {
        Some(run) => {
            output.tell(styled(FAINT, format!("going on with run {run}, which was interrupted")));
            let drive = foreground.take(&run).await?;
            (run, Some(drive), false)
        }
        None => {
            let wanted = Ingest { input, id: None, limits, settings: Settings::default() };
            let begun = documents::begin(session, foreground, owner, &session.user, wanted).await;
            let (submitted, drive) = begun?;
            (submitted.run, drive, true)
        }
    };
    output.tell(format!("run {}", styled(STRONG, &run)));
    let filling = Filling::begin(session, owner);
    let ended = go_on(session, foreground, &run, drive, output, is_new).await;
    filling.end().await;
    let ended = ended.map_err(|error| stranded(error, &run))?;
    let mut rows = Rows::default();
    let files = rows.more(&session.engine, &run).await?;
    let row = match &ended {
        Ended::Closed(row) => row,
        Ended::Waiting(..) | Ended::Stopped(..) => {
            report::print(session, &ended, output).await?;
            let verdict = report::verdict(session, &ended).await?;
            return Ok(Taken { run, files, outcome: None, verdict });
        }
    };
    if rows.outcome.is_some() {
        return Ok(Taken { run, files, outcome: rows.outcome, verdict: Exit::Done });
    }
    show(&files, output)?;
    match report::unhappy(session, row).await? {
        Some(error) => Err(error),
        None => Err(Error::new("INTERNAL", format!("what run {run} came to cannot be read"))),
    }
}

fn input(args: &Args) -> Result<IngestInput, Error> {
    let mut sources = Vec::new();
    for word in &args.sources {
        let fetch = Fetch::of_word(word).map_err(|why| Error::usage("USAGE", why.to_string()))?;
        let mut source = SourceInput::of(&fetch);
        source.recursive = args.recursive;
        source.credentials_id = args.credentials.clone();
        if source.source_type == "local" {
            source.source_identifier = absolute(Path::new(&source.source_identifier))?;
        }
        sources.push(source);
    }
    Ok(IngestInput {
        sources,
        collection: args.collection.clone(),
        ocr: args.ocr,
        // The user of this machine named it.
        trust: Trusting::Named,
        metadata: Map::from_iter(facts(args)),
    })
}

fn absolute(path: &Path) -> Result<String, Error> {
    let path = std::path::absolute(path)
        .map_err(|cause| Error::usage("USAGE", format!("{}: {cause}", path.display())))?;
    // A file is known by its path: `docs` and `docs/.` are one source.
    let path: PathBuf = path.components().collect();
    path.into_os_string().into_string().map_err(|path| {
        Error::usage("USAGE", format!("{} is not UTF-8", Path::new(&path).display()))
    })
}

fn finish(taken: &Taken, output: &mut Output) -> Result<Exit, Error> {
    show(&taken.files, output)?;
    let Some(outcome) = &taken.outcome else { return Ok(taken.verdict) };
    let counts = &outcome.counts;
    match output.reader {
        Audience::Program => {
            let mut last = json!(counts);
            last["run"] = json!(taken.run.as_str());
            output.line(last.to_string())?;
        }
        Audience::Person | Audience::Pipe => {
            output.tell(in_words(counts));
            for empty in &outcome.empty {
                let told = format!("nothing was taken from {}", printable(&place(empty)));
                output.tell(format!("{} {told}", styled(WARN, "note:")));
            }
        }
    }
    Ok(if outcome.empty.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Files with what became of them: a table for people, lines with tabs in a pipe, objects for programs.
pub(super) fn show(files: &[FileRow], output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        for file in files {
            output.line(json!(file).to_string())?;
        }
        return output.finish();
    }
    let is_person = output.reader == Audience::Person;
    let row = |file: &&FileRow| {
        let why = match (&file.error, file.warnings.first()) {
            (Some(error), _) => format!("{}: {}", error.error_code, error.message),
            (None, Some(warning)) => warning.clone(),
            (None, None) => String::new(),
        };
        vec![
            file.status.as_str().to_owned(),
            file.chunks.to_string(),
            file.pages.to_string(),
            if is_person {
                place(&file.source_identifier).into_owned()
            } else {
                file.source_identifier.clone()
            },
            why,
        ]
    };
    // People see what is of note in a long list; a pipe gets every file.
    let is_shown = |file: &&FileRow| {
        output.reader == Audience::Pipe
            || files.len() <= MOST_SHOWN
            || matches!(file.status, RowStatus::Skipped | RowStatus::Failed)
            || !file.warnings.is_empty()
    };
    let mut shown: Vec<_> = files.iter().filter(is_shown).collect();
    if is_person {
        // They end in any order.
        shown.sort_by(|a, b| a.source_identifier.cmp(&b.source_identifier));
    }
    let rows: Vec<_> = shown.iter().map(row).collect();
    let head = ["status", "passages", "pages", "source", ""];
    let head: &[&str] = if is_person { &head } else { &[] };
    if !rows.is_empty() {
        output.rows(head, rows)?;
    }
    output.finish()
}

/// Longer lists show people what is of note only.
const MOST_SHOWN: usize = 40;

pub(super) fn in_words(counts: &Counts) -> String {
    let parts = [
        (counts.taken, "taken"),
        (counts.replaced, "replaced"),
        (counts.unchanged, "unchanged"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
    ];
    let parts: Vec<_> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let files = if parts.is_empty() { "no files".to_owned() } else { parts.join(", ") };
    let found = match counts.chunks {
        0 => return files,
        1 => "`consign ask` and `consign search` find it",
        _ => "`consign ask` and `consign search` find them",
    };
    format!("{files}; {}: {found}", count(counts.chunks, "passage"))
}
