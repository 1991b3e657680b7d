//! A run for the tour: made, driven and proven in a directory that is gone afterwards.

use consign_engine::{Actor, Data, Limits, Owner, Placement, Seq, Settings, Stop, Submission};
use tokio::sync::watch;

use super::{report, timeline, verify};
use crate::{
    engine::{Session, runtime},
    error::Error,
    output::{FAINT, Output, printable, styled},
};

/// Runs `sample/steps` and shows what a user would see.
pub(in crate::commands) fn tour(output: &mut Output) -> Result<(), Error> {
    let Ok(folder) = tempfile::tempdir() else {
        output.line(styled(FAINT, "(not shown: there is no place for temporary files)"))?;
        return Ok(());
    };
    runtime()?.block_on(async {
        let session = Session::open(folder.path().to_owned()).await?;
        steps(&session, output).await
    })
}

async fn steps(session: &Session, output: &mut Output) -> Result<(), Error> {
    let seat = session.engine.enlist().await?;
    let (submitted, drive) = seat
        .begin(Submission {
            id: None,
            workflow: "sample/steps".to_owned(),
            input: Data::of(&std::collections::BTreeMap::<String, String>::new()),
            owner: Owner::from("local"),
            limits: Limits::standard(),
            placement: Placement::Foreground,
            priority: 0,
            settings: Settings::default(),
            certified: false,
            actor: Actor::from("demo"),
        })
        .await?;
    let run = submitted.run;
    output.line(format!("run {run}: {}", report::certificate(&submitted.certificate)))?;
    let (_on, stop) = watch::channel(Stop::GoOn);
    seat.attend(drive, stop).await?;
    let row = session.store().row(&run).await?;
    output.line(format!("{run} {}, ${} spent", row.status, row.figures.spent))?;
    output.line(styled(FAINT, "$ consign runs show RUN --events"))?;
    for record in session.store().events(&run, Seq(0), 100).await? {
        output.line(printable(&timeline::line(&record, row.created_at)))?;
    }
    output.line(styled(FAINT, "$ consign runs verify RUN"))?;
    match session.engine.verify(&run, None).await? {
        Ok(proof) => output.line(verify::in_words(&run, &proof))?,
        Err(disproof) => return Err(Error::new("JOURNAL_BROKEN", disproof.to_string())),
    }
    Ok(())
}
