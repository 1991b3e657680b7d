//! `consign contracts check`

use std::{
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
};

use consign_contracts::{
    json::{Json, Limits, Malformed, Object, parse_within},
    schema::{Schema, SchemaError, Verdict},
};

use super::name;
use crate::{
    error::{Error, Exit},
    input::{self, Line, Source},
    output::{BAD, GOOD, Output, Reader, object, printable, styled},
};

const HELP: &str = "\
Exits with 0 when the document is valid and with 1 when it is not. Repeated keys, broken UTF-8, \
nesting beyond 128 levels and documents beyond the limit are refused before the contract is looked \
at; what is wrong then is called malformed.

With --json, a document gives {\"contract\", \"valid\", \"breaches\": [{\"pointer\", \"keyword\", \"message\"}]}, \
or \"malformed\": reason in place of the breaches.

Schemas of your own may be draft-07 (the default) or 2020-12; formats are asserted, and references \
must stay inside the schema.

Examples:
  consign contracts check bridge/agent-request .agent-request.json
  some-agent | consign contracts check job/agent-response --json
  consign contracts check --schema order.schema.json order.json
  consign contracts check envelope/envelope --stream < envelopes.ndjson";

#[derive(clap::Args)]
#[command(
    after_help = HELP,
    override_usage = "consign contracts check [OPTIONS] NAME [FILE|-]\n       consign contracts check [OPTIONS] --schema SCHEMA [FILE|-]"
)]
pub(crate) struct Args {
    /// The contract (not with --schema), and the document; `-` or none is standard input
    #[arg(value_name = "NAME] [FILE", num_args = 0..=2)]
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
struct Against {
    name: String,
    schema: Schema,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let (against, source) = settle(args)?;
    if args.stream {
        return stream(&against, &source, args.max_bytes, output);
    }
    let bytes = source.read(args.max_bytes)?;
    let limits = Limits { bytes: args.max_bytes, ..Limits::default() };
    let verdict = verdict(&against, &bytes, limits);
    match output.reader {
        Reader::Program => output.object(as_object(&against.name, &verdict))?,
        Reader::Person | Reader::Pipe => report(&source.name(), &against.name, &verdict, output)?,
    }
    Ok(exit(&verdict))
}

/// Which contract, which document.
fn settle(args: &Args) -> Result<(Against, Source), Error> {
    let mut words = args.words.iter();
    if let Some(file) = &args.schema {
        // A name may stand before the document; it is only for the report then.
        let name = if words.len() == 2 { words.next() } else { None };
        let source = Source::of(words.next().map(Path::new));
        if source == Source::Stdin && file == Path::new("-") {
            return Err(Error::usage("USAGE", "standard input cannot be both schema and document"));
        }
        let name = name.map_or_else(|| file.as_os_str(), OsString::as_os_str);
        let name = printable(&name.to_string_lossy()).into_owned();
        let schema =
            Schema::compile(&input::schema(file)?).map_err(|error| unusable(&name, &error))?;
        return Ok((Against { name, schema }, source));
    }
    let Some(wanted) = words.next() else {
        return Err(Error::usage("USAGE", "which contract?")
            .hint("`consign contracts list` shows all; `--schema FILE` takes one of your own"));
    };
    let contract = name::find(&wanted.to_string_lossy())?;
    let against = Against { name: contract.name.to_owned(), schema: contract.schema().clone() };
    Ok((against, Source::of(words.next().map(Path::new))))
}

pub(super) fn unusable(name: &str, error: &SchemaError) -> Error {
    let failure = Error::new("SCHEMA_UNUSABLE", format!("{name}: {error}"));
    match error {
        SchemaError::UnsupportedDraft(_) => failure.hint("leave `$schema` out for draft-07"),
        SchemaError::RemoteReference(_) => failure
            .hint("copy what it refers to into `definitions` (draft-07) or `$defs` (2020-12)"),
        SchemaError::Invalid(_) => failure,
    }
}

fn verdict(against: &Against, bytes: &[u8], limits: Limits) -> Result<Verdict, Malformed> {
    parse_within(bytes, limits).map(|document| against.schema.check(&document))
}

fn exit(verdict: &Result<Verdict, Malformed>) -> Exit {
    match verdict {
        Ok(verdict) if verdict.is_valid() => Exit::Done,
        Ok(_) | Err(_) => Exit::Failed,
    }
}

/// A verdict for programs.
pub(in crate::commands) fn as_object<'a>(
    contract: &'a str,
    verdict: &'a Result<Verdict, Malformed>,
) -> Object<'a> {
    let valid = matches!(verdict, Ok(verdict) if verdict.is_valid());
    let mut answer = object([("contract", Json::from(contract)), ("valid", Json::Bool(valid))]);
    match verdict {
        Ok(verdict) => {
            answer.set("breaches", super::breaches(&verdict.breaches));
            if verdict.more {
                answer.set("more", Json::Bool(true));
            }
        }
        Err(malformed) => answer.set("malformed", Json::String(malformed.to_string().into())),
    }
    answer
}

/// A verdict for people.
pub(in crate::commands) fn report(
    source: &str,
    contract: &str,
    verdict: &Result<Verdict, Malformed>,
    output: &mut Output,
) -> Result<(), Error> {
    match verdict {
        Ok(verdict) if verdict.is_valid() => {
            output.line(format!("{source}: {} {contract}", styled(GOOD, "valid")))?;
        }
        Ok(verdict) => {
            output.line(format!("{source}: {} {contract}", styled(BAD, "invalid")))?;
            super::print_breaches(&verdict.breaches, output)?;
            if verdict.more {
                output.line("and more of the kind")?;
            }
        }
        Err(malformed) => {
            let why = malformed.to_string();
            output.line(format!("{source}: {} {}", styled(BAD, "malformed"), printable(&why)))?;
        }
    }
    Ok(())
}

/// One verdict a line. A broken line spoils only itself.
fn stream(
    against: &Against,
    source: &Source,
    max_bytes: usize,
    output: &mut Output,
) -> Result<Exit, Error> {
    let limits = Limits { bytes: max_bytes, ..Limits::default() };
    let mut input = source.open()?;
    let (mut line, mut documents, mut refused) = (0_u64, 0_u64, 0_u64);
    let unreadable = |cause| Error::unreadable(Path::new(&source.name()), &cause);
    while let Some(next) = input::next_line(&mut input, max_bytes).map_err(unreadable)? {
        line += 1;
        let verdict = match next {
            // An empty line is no document.
            Line::Bytes(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Bytes(bytes) => verdict(against, &bytes, limits),
            Line::TooLarge(malformed) => Err(malformed),
        };
        documents += 1;
        refused += u64::from(exit(&verdict) != Exit::Done);
        match output.reader {
            Reader::Program => {
                let mut answer = object([("line", Json::Number(line.into()))]);
                for (key, value) in as_object(&against.name, &verdict).iter() {
                    answer.set(key.to_owned(), value.clone());
                }
                output.object(answer)?;
            }
            Reader::Person | Reader::Pipe => {
                let says = match &verdict {
                    Ok(verdict) => match verdict.breaches.first() {
                        None => styled(GOOD, "valid"),
                        Some(first) => {
                            let others = verdict.breaches.len() - 1;
                            let more = if others > 0 {
                                format!(" (and {others} more)")
                            } else {
                                String::new()
                            };
                            format!(
                                "{} {}{more}",
                                styled(BAD, "invalid"),
                                printable(&first.to_string())
                            )
                        }
                    },
                    Err(malformed) => {
                        format!(
                            "{} {}",
                            styled(BAD, "malformed"),
                            printable(&malformed.to_string())
                        )
                    }
                };
                output.line(format!("{line}: {says}"))?;
            }
        }
        // Whoever waits for a verdict before the next document must get it now.
        if input.buffer().is_empty() {
            output.finish()?;
        }
    }
    if output.reader == Reader::Person {
        let _ = writeln!(std::io::stderr(), "{documents} documents, {refused} refused");
    }
    Ok(if refused == 0 { Exit::Done } else { Exit::Failed })
}
