//! `consign agents add FILE`: keeps a link to the definition of an agent in the home.

use std::{
    fs,
    path::{Path, PathBuf},
};

use consign_contracts::schema::stray_words;
use consign_files::trusted;
use consign_invokers::define;

use crate::{
    commands::{contracts::own::point_out, runs::form},
    error::{Error, Exit},
    home,
    output::{Audience, Output, STRONG, object, printable, styled},
};
use consign_app::compose;
use consign_app::definitions;

const HELP: &str = "\
The file is read and checked, and a link to it is kept in CONSIGN_HOME/agents: commands and workers \
find it there from then on, and a change to the file counts from the next call.

Examples:
  consign agents add reviewer.toml
  consign agents add reviewer.toml --replace";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Its TOML file
    file: PathBuf,

    /// Take the place of another file's agent of the same name
    #[arg(long)]
    replace: bool,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let home = home::path().map_err(|why| Error::new("STORE_UNAVAILABLE", why))?;
    let (name, file) = add(&home, &args.file, args.replace)?;
    match output.reader {
        Audience::Program => output
            .object(object([("name", form::text(&name)), ("file", form::text(file.display()))]))?,
        Audience::Person | Audience::Pipe => output.line(format!(
            "{} is known now; try it: consign agents try {name} --input …",
            styled(STRONG, &name)
        ))?,
    }
    Ok(Exit::Done)
}

/// Makes an agent known. Says its name and its file.
pub(super) fn add(home: &Path, file: &Path, replace: bool) -> Result<(String, PathBuf), Error> {
    let definition = define::read(file).map_err(definitions::unusable)?;
    for (side, schema) in [("input", &definition.input), ("output", &definition.output)] {
        if let Some(schema) = schema {
            let name = format!("{}: contract.{side}", printable(&definition.name));
            point_out(&name, &stray_words(&schema.shown()));
        }
    }
    let (name, target) = (definition.name, definition.path);
    let folder = compose::definitions(home);
    let place = definitions::place(home, &name);
    let failed = |cause: std::io::Error| {
        Error::new("STORE_UNAVAILABLE", format!("could not write {}: {cause}", place.display()))
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    if fs::symlink_metadata(&place).is_ok() {
        let same = fs::canonicalize(&place).is_ok_and(|known| known == target);
        if same {
            return Ok((name, target));
        }
        if !replace {
            let told = format!("there is an agent {name} already, of another file");
            let hint = format!(
                "`consign agents add FILE --replace` takes its place; `consign agents show {name}` shows it"
            );
            return Err(Error::new("AGENT_EXISTS", told).hint(hint));
        }
    }
    // In one step: there is never a moment without one.
    trusted::link_atomic(&place, &target).map_err(|cause| failed(cause.into()))?;
    Ok((name, target))
}
