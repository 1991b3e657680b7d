//! `consign contracts list`: every contract, with its document, version and digest.

use consign_contracts::{Contract, json::Json};

use crate::{
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, printable, styled},
};

const HELP: &str = "\
The digest is the SHA-256 of the published schema file: `sha256sum schemas/NAME.json` gives the same.

Examples:
  consign contracts list crew
  consign contracts list --json | jq -r .name";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only this family: bridge, job, envelope, authoring, crew or engine
    family: Option<String>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let wanted = |contract: &&'static Contract| {
        args.family.as_deref().is_none_or(|family| contract.document.family == family)
    };
    let contracts: Vec<&Contract> = Contract::all().filter(wanted).collect();
    if contracts.is_empty() {
        let family = printable(args.family.as_deref().unwrap_or_default()).into_owned();
        return Err(Error::usage(
            "FAMILY_UNKNOWN",
            format!("there is no family {family:?} of contracts"),
        )
        .hint("the families are bridge, job, envelope, authoring, crew and engine"));
    }
    match output.reader {
        Audience::Program => {
            for contract in &contracts {
                output.object(object([
                    ("name", Json::from(contract.name)),
                    ("title", Json::from(contract.title)),
                    ("document", Json::from(contract.document.title)),
                    ("version", Json::from(contract.document.version)),
                    ("digest", Json::String(contract.digest().into())),
                    ("page", Json::from(contract.document.page)),
                ]))?;
            }
        }
        Audience::Pipe => {
            let row = |contract: &&Contract| {
                let document = contract.document;
                let fields = [contract.name, document.version, document.title];
                fields.iter().map(ToString::to_string).chain([contract.digest()]).collect()
            };
            output.rows(&[], contracts.iter().map(row).collect())?;
        }
        Audience::Person => {
            let row = |contract: &&Contract| {
                let meaning = contract.meaning();
                vec![contract.name.to_owned(), contract.document.version.to_owned(), meaning]
            };
            output.rows(
                &["contract", "version", "what it is"],
                contracts.iter().map(row).collect(),
            )?;
            let count = contracts.len();
            let next =
                "`consign contracts show NAME` explains one; digests are in --json and in a pipe";
            output.line(styled(FAINT, format!("{count} contracts; {next}")))?;
        }
    }
    Ok(Exit::Done)
}
