//! `consign contracts compat`: whether documents that are valid under an old schema stay so under a new
//! one.

use std::path::{Path, PathBuf};

use consign_contracts::{
    compat::{CompatError, Compatibility, compare},
    json::Json,
};

use super::{name, own, verdict};
use crate::{
    error::{Error, Exit},
    output::{Audience, BAD, GOOD, Output, WARN, object, printable, styled},
};

const HELP: &str = "\
The verdict is one of
  compatible    every document that is valid under OLD is valid under NEW
  incompatible  a document is shown that is valid under OLD and not under NEW
  unknown       neither could be shown

Exits with 0 only when compatible, so that it can guard a release.

OLD and NEW are JSON Schema files (draft-07 or 2020-12). With a NAME before them, `@` stands for the published \
schema of that contract.

Examples:
  consign contracts compat v1.schema.json v2.schema.json
  consign contracts compat job/manifest @ mine.schema.json --json";

#[derive(clap::Args)]
#[command(after_help = HELP, override_usage = "consign contracts compat [OPTIONS] [NAME] <OLD> <NEW>")]
pub(crate) struct Args {
    /// OLD is the schema that documents were written under, NEW the one that they will be read under; NAME is
    /// the contract's name, for the report and for `@`
    #[arg(value_name = "FILE", num_args = 2..=3, required = true)]
    files: Vec<PathBuf>,
}

/// The two schemas to compare, and what the comparison is called.
struct Compared<'a> {
    name: Option<String>,
    old: &'a Path,
    new: &'a Path,
}

impl Args {
    fn compared(&self) -> Compared<'_> {
        match self.files.as_slice() {
            [name, old, new] => {
                Compared { name: Some(name.to_string_lossy().into_owned()), old, new }
            }
            [old, new] => Compared { name: None, old, new },
            _ => unreachable!("there are two or three"),
        }
    }
}

impl Compared<'_> {
    /// Without a name it is called after the file of the new schema.
    fn called(&self) -> String {
        let file = self.new.file_name().unwrap_or(self.new.as_os_str());
        self.name.clone().unwrap_or_else(|| file.to_string_lossy().into_owned())
    }
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let args = args.compared();
    if [args.old, args.new].iter().all(|file| *file == Path::new("-")) {
        return Err(Error::usage("USAGE", "standard input cannot be both OLD and NEW"));
    }
    let (old, new) = (schema(&args, args.old)?, schema(&args, args.new)?);
    let answer = compare(&old, &new).map_err(|error| match error {
        CompatError::Old(error) => own::unusable(&args.old.display().to_string(), &error),
        CompatError::New(error) => own::unusable(&args.new.display().to_string(), &error),
    })?;
    match output.reader {
        Audience::Program => for_program(&args.called(), &answer, output)?,
        Audience::Person | Audience::Pipe => {
            for_person(&printable(&args.called()), &answer, output)?
        }
    }
    Ok(if answer == Compatibility::Compatible { Exit::Done } else { Exit::Failed })
}

fn schema(args: &Compared<'_>, file: &Path) -> Result<Json<'static>, Error> {
    if file == Path::new("@") {
        let Some(name) = &args.name else {
            let told = "`@` stands for a published schema, and its name is missing";
            return Err(Error::usage("USAGE", told).hint(
                "consign contracts compat NAME OLD NEW; `consign contracts list` has the names",
            ));
        };
        return name::find(name).map(consign_contracts::Contract::source);
    }
    own::read(file)
}

fn for_program(name: &str, answer: &Compatibility, output: &mut Output) -> Result<(), Error> {
    let says = |word: &'static str| {
        object([("contract", Json::String(name.to_owned().into())), ("verdict", Json::from(word))])
    };
    output.object(match answer {
        Compatibility::Compatible => says("compatible"),
        Compatibility::Incompatible(example) => {
            let mut object = says("incompatible");
            object.set("counter_example", example.document.clone());
            object.set("breaches", verdict::breaches(&example.breaches));
            object
        }
        Compatibility::Unknown(reason) => {
            let mut object = says("unknown");
            object.set("reason", Json::from(reason.as_str()));
            object
        }
    })?;
    Ok(())
}

/// A comparison for people.
pub(in crate::commands) fn for_person(
    name: &str,
    answer: &Compatibility,
    output: &mut Output,
) -> Result<(), Error> {
    match answer {
        Compatibility::Compatible => {
            output.line(format!("{name}: {}", styled(GOOD, "compatible")))?;
        }
        Compatibility::Incompatible(example) => {
            output.line(format!("{name}: {}", styled(BAD, "incompatible")))?;
            output.line("This document is valid under OLD and not under NEW:")?;
            for line in format!("{:#}", example.document).lines() {
                output.line(printable(line))?;
            }
            verdict::print_breaches(&example.breaches, output)?;
        }
        Compatibility::Unknown(reason) => {
            output.line(format!("{name}: {}", styled(WARN, "unknown")))?;
            output.line(reason)?;
        }
    }
    Ok(())
}
