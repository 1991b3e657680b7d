//! Runs for the tour: made and driven in a directory that is gone afterwards.

use consign_app::{
    foreground::{Foreground, Unobserved},
    runs::{self, Start},
};
use consign_engine::{Actor, Data, Limits, Owner, Placement, Seq, Settings, Stop, store::Row};
use tokio::sync::watch;

use super::{
    journey,
    report::{self, End},
    timeline, verify,
};
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

/// Drives a pipeline and shows what it comes to.
pub(in crate::commands) async fn tour_of_pipeline(
    session: &Session,
    workflow: &str,
    input: Data,
    output: &mut Output,
) -> Result<(), Error> {
    let row = driven(session, workflow, input, output).await?;
    match report::end(session, &row).await? {
        Some(End::Succeeded(end)) => report::came_to(&end, output)?,
        Some(End::Failed(fault)) => output.line(printable(&fault.to_string()))?,
        Some(End::Cancelled { .. }) | None => {}
    }
    if let Some(stages) = journey::stages(session, &row).await {
        output.line(styled(FAINT, printable(&stages)))?;
    }
    Ok(())
}

async fn steps(session: &Session, output: &mut Output) -> Result<(), Error> {
    let input = Data::of(&std::collections::BTreeMap::<String, String>::new());
    let row = driven(session, "sample/steps", input, output).await?;
    let run = &row.id;
    output.line(styled(FAINT, "$ consign runs show RUN --events"))?;
    for record in session.store().events(run, Seq(0), 100).await? {
        output.line(printable(&timeline::line(&record, row.created_at)))?;
    }
    output.line(styled(FAINT, "$ consign runs verify RUN"))?;
    match session.engine.verify(run, None).await? {
        Ok(proof) => output.line(verify::in_words(run, &proof))?,
        Err(disproof) => return Err(Error::new("JOURNAL_BROKEN", disproof.to_string())),
    }
    Ok(())
}

/// Makes a run and drives it to its end, with the lines that a user would see.
async fn driven(
    session: &Session,
    workflow: &str,
    input: Data,
    output: &mut Output,
) -> Result<Row, Error> {
    let mut foreground = Foreground::new(&session.engine).await?;
    let start = Start {
        id: None,
        workflow: workflow.to_owned(),
        input,
        owner: Owner::from("local"),
        limits: Limits::default(),
        placement: Placement::Foreground,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("demo"),
    };
    let (submitted, drive) = runs::begin(&session.engine, &mut foreground, start).await?;
    let run = submitted.run;
    output.line(format!("run {run}: {}", report::expected(&submitted.certificate)))?;
    let (_on, stop) = watch::channel(Stop::GoOn);
    foreground.go_on(&run, drive, &stop, &mut Unobserved).await?;
    let row = session.store().row(&run).await?;
    output.line(format!("{run} {}, ${} spent", row.status, row.figures.spent))?;
    Ok(row)
}
