//! `consign backup DIR`: a copy of the home, taken while everything goes on.

use std::path::PathBuf;

use consign_app::backup::{BackUp, BackedUp, SealingKey, back_up};
use consign_contracts::json::Json;

use super::runs::form;
use crate::{
    engine::complete,
    error::{Error, Exit},
    home, locks,
    output::{Audience, FAINT, GOOD, Output, WARN, object, printable, styled},
    text::count,
};

const HELP: &str = "\
Copies the home while servers, workers and commands go on with it. The copy is what was committed at one \
moment: all runs with their journals and large values, accounts, agents, pipelines, settings and the \
directories of jobs. DIR must not exist, or be empty; it has its name only once it is complete and on \
the disk. In it is backup.json, with the SHA-256 of every file.

The sealing key is a secret that opens all others, so it is copied only with --with-sealing-key. Without it, keep \
it elsewhere: keys that it seals cannot be opened again without it.

Not in a back-up: what links of agents/ lead to, jobs outside of the home, and environment variables. \
docs/backup.md says more.

Examples:
  consign backup /backup/consign-$(date +%F)
  consign backup /backup/today --with-sealing-key --json
  consign restore /backup/today --home /srv/consign";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The folder to make
    dir: PathBuf,

    /// Copy sealing.key too
    #[arg(long)]
    with_sealing_key: bool,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let home = home::path().map_err(|why| {
        Error::new("STORE_UNAVAILABLE", why).hint("`consign doctor` looks at the directory")
    })?;
    locks::tell_waits(&home);
    let request = BackUp { home, to: args.dir.clone(), with_sealing_key: args.with_sealing_key };
    let made = complete(async { Ok(back_up(request).await?) })?;
    match output.reader {
        Audience::Program => for_program(&made, output)?,
        Audience::Person | Audience::Pipe => {
            let folder = made.folder.display().to_string();
            let (runs, files) = (count(made.copied.runs, "run"), count(made.files, "file"));
            output.line(format!(
                "{} {runs} to {}: {files}, {}",
                styled(GOOD, "backed up"),
                printable(&folder),
                megabytes(made.bytes)
            ))?;
        }
    }
    output.finish()?;
    tell(&made, args.with_sealing_key, output);
    Ok(Exit::Done)
}

/// What the user must know about what is not in it.
fn tell(made: &BackedUp, asked_for_key: bool, output: &Output) {
    match made.sealing_key {
        SealingKey::Included => {
            output.tell(styled(
                WARN,
                "sealing.key is in it: whoever reads the folder can open all sealed keys",
            ));
        }
        SealingKey::LeftOut => {
            output.tell("sealing.key is not in it: sealed keys need it; keep it elsewhere, or give --with-sealing-key");
        }
        SealingKey::None if asked_for_key || made.copied.sealed > 0 => {
            output.tell(
                "the home has no sealing.key; if AI_KEY_ENCRYPTION_KEY seals keys, keep that",
            );
        }
        SealingKey::None => {}
    }
    if made.links_out > 0 {
        let links = count(made.links_out, "link");
        output.tell(styled(
            FAINT,
            format!("{links} to files outside of the home: those files are not in it"),
        ));
    }
    for path in &made.left_out {
        output.tell(format!("{} is no file and was left out", printable(path)));
    }
    if !made.copied.missing.is_empty() {
        let missing = count(made.copied.missing.len() as u64, "large value");
        output.tell(format!(
            "{missing} missing in this home: `consign runs verify --all` names the runs"
        ));
    }
}

fn for_program(made: &BackedUp, output: &mut Output) -> Result<(), Error> {
    let key = match made.sealing_key {
        SealingKey::Included => "included",
        SealingKey::LeftOut => "left_out",
        SealingKey::None => "none",
    };
    let list = |all: &[String]| Json::Array(all.iter().map(form::text).collect());
    output.object(object([
        ("folder", form::text(made.folder.display())),
        ("runs", form::number(made.copied.runs)),
        ("large_values", form::number(made.copied.large)),
        ("sealed_keys", form::number(made.copied.sealed)),
        ("sealing_key", Json::from(key)),
        ("files", form::number(made.files)),
        ("bytes", form::number(made.bytes)),
        ("links_out", form::number(made.links_out)),
        ("left_out", list(&made.left_out)),
        ("missing", list(&made.copied.missing)),
    ]))?;
    Ok(())
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
