//! Bringing the mirror to what the state file says.

use std::sync::Arc;

use consign_engine::{
    Actor, Data, Engine, Error, Fault, Limits, News, Owner, Placement, RunId, Settings, Status,
    Submission, store,
};

use crate::creation::Order;

use super::{
    CREATE, Mirror, View,
    workflow::{Places, VIEW},
};

/// A file that goes on after its mirror was closed gets another mirror. More are not the work of people.
const MOST_MIRRORS: u32 = 1000;

/// An answer that was found in the project's folder, whoever put it there.
#[derive(Clone, Debug)]
pub struct Answered {
    pub request_id: String,
    /// What was answered, or why that is no answer.
    pub came: Result<Data, Fault>,
}

/// Brings the mirror to a view, and says which run that is. The same view a second time changes nothing;
/// an older one is followed like any other, for the file is right.
///
/// A run that this store never saw is made, under the id that the file has. A mirror that is closed stays
/// as it is: should the file go on all the same, another run is made for it, `ID.2`.
///
/// `answered` is what the file's owner has just consumed: it is written down as if it had come through the
/// inbox, unless it did.
pub async fn sync(
    engine: &Arc<Engine>,
    view: &View,
    answered: Option<&Answered>,
    (owner, actor): (&Owner, &Actor),
) -> Result<RunId, Error> {
    let (run, state) = find(engine, view, (owner, actor)).await?;
    let news = News {
        answered: answered.and_then(|answer| {
            let (key, pending) = state.asks()?;
            let ours = pending.request_id == answer.request_id;
            ours.then(|| (key.clone(), answer.came.clone()))
        }),
        signal: (state.view.as_ref() != Some(view)).then(|| (VIEW, Data::of(view))),
        limits: None,
    };
    let nothing_new = news.answered.is_none() && news.signal.is_none();
    if nothing_new && is_settled(engine, &run, &state).await? {
        return Ok(run);
    }
    engine.follow(&run, news, actor).await?;
    Ok(run)
}

/// Whether a run of this store was begun for the same project, output and name.
pub async fn is_of(engine: &Engine, run: &RunId, order: &Order) -> Result<bool, Error> {
    let state = engine.state(run).await?.to::<Mirror>();
    Ok(state.is_ok_and(|mirror| mirror.places == Places::of(order)))
}

/// The mirror that follows the file of a creation now, if this store has one that is open.
pub async fn open(
    engine: &Engine,
    run: &RunId,
    order: &Order,
) -> Result<Option<store::Row>, Error> {
    for number in 1..=MOST_MIRRORS {
        let run = numbered(run, number);
        let row = match engine.store().row(&run).await {
            Err(store::Error::NotFound(_)) => return Ok(None),
            row => row?,
        };
        // A state may carry the name of any run.
        let ours = row.workflow == CREATE && is_of(engine, &run, order).await?;
        if ours && !row.status.is_closed() {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// A file that went on after the end of its mirror has another: `ID.2`.
fn numbered(run: &RunId, number: u32) -> RunId {
    match number {
        1 => run.clone(),
        number => RunId::from(format!("{run}.{number}")),
    }
}

/// The mirror that follows the file now, with what it knows. It is made if there is none.
async fn find(
    engine: &Arc<Engine>,
    view: &View,
    (owner, actor): (&Owner, &Actor),
) -> Result<(RunId, Mirror), Error> {
    for number in 1..=MOST_MIRRORS {
        let run = numbered(&view.run, number);
        let row = match engine.store().row(&run).await {
            Err(store::Error::NotFound(_)) => {
                engine.mirror(submission(run.clone(), view, (owner, actor))).await?;
                engine.store().row(&run).await?
            }
            row => row?,
        };
        if row.workflow != CREATE {
            let text = format!("run {run} is one of {}, and no template creation", row.workflow);
            return Err(Fault::permanent("RUN_EXISTS", text).into());
        }
        let state = engine.state(&run).await?.to::<Mirror>().map_err(|cause| {
            let text = format!("the state of {run}: {cause}");
            Fault::permanent("STATE_UNREADABLE", text)
        })?;
        // A stranger's state may carry the name of another creation's run.
        let ours = state.places == places(view);
        if ours && (!row.status.is_closed() || state.view.as_ref() == Some(view)) {
            return Ok((run, state));
        }
    }
    let text = format!("{} has too many mirrors: begin another with --fresh", view.run);
    Err(Fault::permanent("INVALID_STATE", text).into())
}

/// Whether the mirror shows already what it knows. A crash may have come between.
async fn is_settled(engine: &Engine, run: &RunId, state: &Mirror) -> Result<bool, Error> {
    let row = engine.store().row(run).await?;
    if row.status.is_closed() {
        return Ok(true);
    }
    Ok(match state.asks() {
        // It may be answered, and wait for the file to go on: then nothing is to be done yet.
        Some((key, _)) => engine.store().interaction(run, key).await?.is_some(),
        None => row.status == Status::Waiting,
    })
}

fn submission(run: RunId, view: &View, (owner, actor): (&Owner, &Actor)) -> Submission {
    Submission {
        id: Some(run),
        workflow: CREATE.to_owned(),
        input: Data::of(&places(view)),
        owner: owner.clone(),
        limits: Limits::default(),
        placement: Placement::Foreground,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: actor.clone(),
    }
}

fn places(view: &View) -> Places {
    Places {
        project_path: view.project_path.clone(),
        output_path: view.output_path.clone(),
        template_name: view.template_name.clone(),
    }
}
