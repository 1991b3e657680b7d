//! `consign contracts check`: holds a document against a contract, or against the user's own schema.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use consign_contracts::{
    json::{Json, Limits, Malformed, parse_within},
    schema::{Schema, Verdict},
};

use super::{name, own, stream, verdict};
use crate::{
    error::{Error, Exit},
    input::Source,
    output::{Audience, Output, object, printable},
};

const HELP: &str = "\
Exits with 0 when every document is valid and with 1 when one is not. Duplicate keys, broken UTF-8, \
nesting beyond 128 levels and documents beyond the limit are refused before the contract is looked \
at; what is wrong then is called malformed. A stream without documents is fine.

With --json, a document gives {\"contract\", \"valid\", \"breaches\": [{\"pointer\", \"keyword\", \"message\"}]}, \
or \"malformed\": reason in place of the breaches. \"more\": true says that there are more than 100 \
breaches. Of several files each has its \"file\", in a stream each document its \"line\".

Schemas of your own may be draft-07 (the default) or 2020-12; formats are asserted, and references \
must stay inside the schema.

Examples:
  consign contracts check bridge/agent-request .agent-request.json
  some-agent | consign contracts check job/agent-response --json
  consign contracts check --schema order.schema.json orders/*.json
  consign contracts check envelope/envelope --stream < envelopes.ndjson";

#[derive(clap::Args)]
#[command(
    after_help = HELP,
    override_usage = "consign contracts check [OPTIONS] NAME [FILE|-]...\n       consign contracts check [OPTIONS] --schema SCHEMA [FILE|-]..."
)]
pub(crate) struct Args {
    /// The contract (not with --schema), then the documents; `-` or none is standard input
    #[arg(value_name = "NAME] [FILE", num_args = 0..)]
    words: Vec<OsString>,

    /// Check against this JSON Schema instead of a contract
    #[arg(long, value_name = "SCHEMA")]
    schema: Option<PathBuf>,

    /// One document per line, one verdict per line
    #[arg(long)]
    stream: bool,

    /// Refuse documents larger than this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes)]
    max_bytes: usize,
}

/// What documents are held against.
pub(super) struct Against {
    pub(super) name: String,
    schema: Schema,
    limits: Limits,
}

impl Against {
    pub(super) fn limit(&self) -> usize {
        self.limits.bytes
    }

    pub(super) fn verdict(&self, bytes: &[u8]) -> Result<Verdict, Malformed> {
        parse_within(bytes, self.limits).map(|document| self.schema.check(&document))
    }
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let (against, files) = settle(args)?;
    let sources = match files {
        [] => vec![Source::Stdin],
        files => files.iter().map(|file| Source::of(Path::new(file))).collect(),
    };
    let mut all = Exit::Done;
    for source in &sources {
        let exit = match args.stream {
            true => stream::run(&against, source, output)?,
            false => one(&against, source, sources.len() > 1, output)?,
        };
        if exit != Exit::Done {
            all = exit;
        }
    }
    Ok(all)
}

fn one(
    against: &Against,
    source: &Source,
    named: bool,
    output: &mut Output,
) -> Result<Exit, Error> {
    let verdict = against.verdict(&source.read(against.limit())?);
    match output.reader {
        Audience::Program => {
            let mut answer = verdict::as_object(&against.name, &verdict);
            if named {
                answer = object([("file", Json::String(source.name().into()))]).followed_by(answer);
            }
            output.object(answer)?;
        }
        Audience::Person | Audience::Pipe => {
            verdict::report(&source.name(), &against.name, &verdict, output)?;
        }
    }
    Ok(verdict::exit(&verdict))
}

/// Which contract, which documents.
fn settle(args: &Args) -> Result<(Against, &[OsString]), Error> {
    let limits = Limits { bytes: args.max_bytes, ..Limits::default() };
    let files = args.words.as_slice();
    if files.iter().filter(|word| *word == "-").count() > 1 {
        return Err(Error::usage("USAGE", "standard input can be read only once"));
    }
    if let Some(file) = &args.schema {
        let asks_twice = files.is_empty() || files.iter().any(|word| word == "-");
        if file == Path::new("-") && asks_twice {
            return Err(Error::usage("USAGE", "standard input cannot be both schema and document"));
        }
        let name = match file == Path::new("-") {
            true => "the schema from standard input".to_owned(),
            false => printable(&file.to_string_lossy()).into_owned(),
        };
        let source = own::read(file)?;
        let schema = Schema::compile(&source).map_err(|error| own::unusable(&name, &error))?;
        return Ok((Against { name, schema, limits }, files));
    }
    let Some((wanted, files)) = files.split_first() else {
        return Err(Error::usage("USAGE", "which contract?")
            .hint("`consign contracts list` shows all; `--schema FILE` takes one of your own"));
    };
    let contract = name::find(&wanted.to_string_lossy())?;
    let name = contract.name.to_owned();
    Ok((Against { name, schema: contract.schema().clone(), limits }, files))
}
