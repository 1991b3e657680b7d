//! `consign contracts list`

use consign_contracts::{Contract, json::Json};

use crate::{
    error::{Error, Exit},
    output::{FAINT, Output, Reader, object, styled},
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
        return Err(Error::usage("FAMILY_UNKNOWN", "there is no such family of contracts")
            .hint("the families are bridge, job, envelope, authoring, crew and engine"));
    }
    match output.reader {
        Reader::Program => {
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
        Reader::Pipe => output.rows(&[], contracts.iter().map(|c| row(c, c.digest())).collect())?,
        Reader::Person => {
            // Enough of a digest to tell two apart; the rest is in the pipe and in JSON.
            let short = |contract: &Contract| contract.digest().chars().take(19).collect();
            let rows = contracts.iter().map(|contract| row(contract, short(contract))).collect();
            output.rows(&["contract", "version", "document", "digest"], rows)?;
            let count = contracts.len();
            output.line(styled(
                FAINT,
                format!("{count} contracts; `consign contracts show NAME` explains one"),
            ))?;
        }
    }
    Ok(Exit::Done)
}

fn row(contract: &Contract, digest: String) -> Vec<String> {
    let document = contract.document;
    vec![contract.name.to_owned(), document.version.to_owned(), document.title.to_owned(), digest]
}
