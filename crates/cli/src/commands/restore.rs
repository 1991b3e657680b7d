//! `consign restore DIR`: makes a home of a back-up, and proves it.

use std::path::PathBuf;

use consign_app::backup::{Restore, Restored, Verify, restore};
use consign_contracts::json::Json;

use super::{backup::megabytes, runs::form};
use crate::{
    engine::complete,
    error::{Error, Exit},
    home,
    output::{Audience, GOOD, Output, object, printable, styled},
    text::count,
};

const HELP: &str = "\
Makes a home of what `consign backup` wrote. The home must not exist, or be empty: nothing is ever \
replaced. Every file is held against its SHA-256 first; if one does not fit, nothing is restored.

Then the runs are proven as `consign runs verify` does, runs of workers that are no more go back to the \
queue, and the files of jobs are brought up to what the journal says. A job is known by the path of its directory: \
to go on with jobs, restore to the path that the home had.

Sessions and tokens are as they were when the back-up was taken: what was revoked later is to be revoked again.

Exits with 0 when everything holds, and with 1 when nothing was restored (BACKUP_…, HOME_…) or some run does not \
hold (JOURNAL_BROKEN).

Examples:
  consign restore /backup/consign-2026-03-01
  consign restore /backup/today --home /srv/consign --verify sample
  consign restore /backup/today --home /tmp/look --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The folder that `consign backup` wrote
    dir: PathBuf,

    /// The home to make; that of CONSIGN_HOME, or the usual one, if left out
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,

    /// Which runs to prove
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Which::All)]
    verify: Which,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Which {
    /// Every run, and every owner's account
    All,
    /// The newest 200
    Sample,
    /// None
    None,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let home = match &args.home {
        Some(home) => home.clone(),
        None => home::path().map_err(|why| {
            Error::new("STORE_UNAVAILABLE", why).hint("--home DIR says where the home is to be")
        })?,
    };
    let verify = match args.verify {
        Which::All => Verify::All,
        Which::Sample => Verify::Sample,
        Which::None => Verify::None,
    };
    let request = Restore { from: args.dir.clone(), home, verify };
    let restored = complete(async { Ok(restore(request).await?) })?;
    match output.reader {
        Audience::Program => for_program(&restored, output)?,
        Audience::Person | Audience::Pipe => for_person(&restored, output)?,
    }
    output.finish()?;
    tell(&restored, output);
    let (broken, runs) = (restored.verified.broken.len(), count(restored.verified.runs, "run"));
    if broken == 0 {
        return Ok(Exit::Done);
    }
    let told = format!("the home was restored, and {broken} of {runs} do not hold");
    let lines =
        restored.verified.broken.into_iter().map(|one| format!("{}: {}", one.what, one.why));
    Err(Error::new("JOURNAL_BROKEN", told)
        .listing(lines.take(20))
        .hint("an older back-up may have them whole; `consign runs verify --all` names all"))
}

fn for_person(restored: &Restored, output: &mut Output) -> Result<(), Error> {
    let Restored { home, manifest, verified, .. } = restored;
    let (home, runs) = (home.display().to_string(), count(manifest.runs, "run"));
    let proven = match verified.runs {
        0 if manifest.runs > 0 => "not verified".to_owned(),
        number => format!("{number} verified, {} broken", verified.broken.len()),
    };
    output.line(format!(
        "{} {runs} to {}: {}, {}; {proven}",
        styled(GOOD, "restored"),
        printable(&home),
        count(manifest.files.len() as u64, "file"),
        megabytes(restored.bytes),
    ))?;
    Ok(())
}

fn tell(restored: &Restored, output: &Output) {
    let Restored { manifest, .. } = restored;
    output.tell(format!("taken {} by consign {}", manifest.created_at, manifest.consign));
    if !manifest.sealing_key && manifest.sealed_keys > 0 {
        let keys = count(manifest.sealed_keys, "sealed key");
        output.tell(format!(
            "{keys} need sealing.key, which is not in the back-up: put it into the home"
        ));
    }
    if restored.jobs_elsewhere > 0 {
        let jobs = count(restored.jobs_elsewhere, "job");
        let was = printable(&manifest.home);
        output.tell(format!(
            "{jobs} known by a directory outside of this home (it was {was}): do not run a worker on both homes"
        ));
    }
    for fault in &restored.job_faults {
        output.tell(format!("the files of job {}", printable(fault)));
    }
}

fn for_program(restored: &Restored, output: &mut Output) -> Result<(), Error> {
    let Restored { home, manifest, verified, .. } = restored;
    let broken = verified.broken.iter().map(|one| {
        let members = [("what", form::text(&one.what)), ("reason", form::text(&one.why))];
        Json::Object(object(members))
    });
    output.object(object([
        ("home", form::text(home.display())),
        ("taken_at", form::text(&manifest.created_at)),
        ("taken_from", form::text(&manifest.home)),
        ("runs", form::number(manifest.runs)),
        ("files", form::number(manifest.files.len() as u64)),
        ("bytes", form::number(restored.bytes)),
        ("verified", form::number(verified.runs)),
        ("broken", Json::Array(broken.collect())),
        ("sealing_key", Json::Bool(manifest.sealing_key)),
        ("sealed_keys", form::number(manifest.sealed_keys)),
        ("jobs", form::number(restored.jobs)),
        ("jobs_elsewhere", form::number(restored.jobs_elsewhere)),
        ("job_faults", Json::Array(restored.job_faults.iter().map(form::text).collect())),
    ]))?;
    Ok(())
}
