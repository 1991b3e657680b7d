//! Runs that are kept outside of the store, such as in files of a project. The store has a mirror of each,
//! so that lists and the inbox can show it.
//!
//! Where the two differ, the external home is right. An answer is taken there first ([`ExternalHome::answer`])
//! and written to the mirror afterwards. Nothing else here starts, drives, raises or cancels such a run: only
//! [`Engine::mirror`], [`Engine::follow`] and [`Engine::follow_through`] do, on behalf of the home, and what the
//! home has to say reaches the mirror's workflow as one of the signals that it declares. A mirror that has
//! nothing open waits for the next one. A crash between the home and the journal leaves an entry open that the
//! home no longer has: the next answer is refused there, and the next [`Engine::follow`] brings the mirror to
//! where the home is.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout_at},
};

use crate::{
    Actor, Data, Engine, Error, Fault, Key, Limits, Role, RunId, Status, Stop, Submission,
    Submitted,
    journal::{Answered, Body, Declined, Raised},
    run::Run,
    signal::signalled,
    store::{self, AskState, Interaction, Refusal, Row, Tick},
};

/// How long another process that brings the same mirror up to date is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The actor of an answer that was found at the external home.
const BY_FILE: &str = "file";

/// The port to a place outside of the store where the runs of a workflow are kept.
#[async_trait]
pub trait ExternalHome: Send + Sync {
    /// Takes an answer, durably, once: a second one is refused with `ALREADY_ANSWERED`. It was held to the
    /// schema before. `state` is what the mirror's workflow has made of its run.
    async fn answer(
        &self,
        state: &Data,
        ask: &Interaction,
        answer: Answer<'_>,
    ) -> Result<(), Fault>;

    /// How such a run is begun, in words that can follow "begin one with".
    fn begin(&self) -> String;

    /// The command that continues a run.
    fn go_on(&self, state: &Data) -> String;

    /// How a run is ended, in words that can follow "to end it,".
    fn end(&self, state: &Data) -> String;
}

/// An answer to an ask, or the word that none will come.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    Value(&'a Data),
    /// No answer will come, and why.
    Declined(&'a str),
}

/// What an external home has to tell its mirror.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// What was answered at home and is open here. The journal keeps it as answered by `file`.
    pub answered: Option<(Key, Result<Data, Fault>)>,
    /// A signal of the mirror's workflow: its name and value.
    pub signal: Option<(&'static str, Data)>,
    /// What the run may use from now on. Its home sets that, and may set it lower than before.
    pub limits: Option<Limits>,
}

impl Engine {
    /// The home of a workflow's runs, where that is not the store.
    #[must_use]
    pub fn home_of(&self, workflow: &str) -> Option<&Arc<dyn ExternalHome>> {
        self.workflows.home(workflow)
    }

    /// The command that goes on with a run whose home is elsewhere.
    pub async fn goes_on_with(&self, row: &Row) -> Result<Option<String>, Error> {
        let Some(home) = self.home_of(&row.workflow) else { return Ok(None) };
        Ok(Some(home.go_on(&self.state(&row.id).await?)))
    }

    /// Makes the mirror of a run that its home has begun. One that is there already is found.
    pub async fn mirror(&self, submission: Submission) -> Result<Submitted, Error> {
        self.place(submission).await
    }

    /// Brings a mirror to where its home is, and drives it until it waits or is closed. What is written
    /// down already is not written again.
    pub async fn follow(
        self: &Arc<Self>,
        run: &RunId,
        news: News,
        actor: &Actor,
    ) -> Result<(), Error> {
        if let Some((key, answer)) = news.answered {
            let body: Body = match answer {
                Ok(value) => {
                    let (key, role) = (key.clone(), Some(Role::Agent));
                    Answered { key, value, by_default: false, role }.into()
                }
                Err(fault) => Declined { key: key.clone(), fault }.into(),
            };
            self.write_down(run, &key, &body, &Actor::from(BY_FILE)).await?;
        }
        self.hear(run, news.limits, news.signal, actor).await?;
        self.come_to_rest(run).await
    }

    /// Writes down limits and advice for a mirror, and drives it like any run for as long as its workflow
    /// has something under way: calls are made, waits between attempts are sat out. It ends when `ended`
    /// says so of the workflow's state, when the run closes or waits for a person (a reached limit, say),
    /// and when `stop` is told.
    pub async fn follow_through(
        self: &Arc<Self>,
        run: &RunId,
        news: News,
        actor: &Actor,
        mut stop: watch::Receiver<Stop>,
        ended: impl Fn(&Data) -> bool,
    ) -> Result<(), Error> {
        self.hear(run, news.limits, news.signal, actor).await?;
        let seat = self.enlist().await?;
        let mut until = Instant::now() + PATIENCE;
        let mut tick = Tick::default();
        while *stop.borrow_and_update() == Stop::GoOn {
            let loaded = self.store.load(run).await?;
            let row = loaded.row.clone();
            let known = Run::load(&self.workflows, &loaded)?;
            if row.status.is_closed() || ended(&known.program?.state()) {
                return Ok(());
            }
            let (due, wait) = match row.status {
                Status::Queued => (true, Duration::ZERO),
                // A person is asked, or nothing will come by itself.
                Status::Waiting if known.frame.asks_somebody() => return Ok(()),
                Status::Waiting => match row.wake_at {
                    Some(at) => (at <= self.now(), at.since(self.now())),
                    None => return Ok(()),
                },
                Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => {
                    if Instant::now() >= until {
                        let by = row.worker.unwrap_or_else(|| seat.worker.clone());
                        return Err(store::Error::Refused(Refusal::Held { by }).into());
                    }
                    (false, PATIENCE)
                }
            };
            if due {
                match seat.take_mirror(run).await {
                    Ok(drive) => {
                        seat.attend(drive, stop.clone()).await?;
                        until = Instant::now() + PATIENCE;
                        continue;
                    }
                    Err(Error::Store(store::Error::Refused(
                        Refusal::Held { .. } | Refusal::Closed,
                    ))) => {}
                    Err(error) => return Err(error),
                }
            }
            tokio::select! {
                now = self.store.changed(tick) => tick = now,
                _ = stop.changed() => {}
                () = sleep(wait) => {}
            }
            self.store.reclaim().await?;
        }
        Ok(())
    }

    /// Writes down what a home says. Limits that are so already are not written again.
    async fn hear(
        &self,
        run: &RunId,
        limits: Option<Limits>,
        signal: Option<(&'static str, Data)>,
        actor: &Actor,
    ) -> Result<(), Error> {
        if let Some(limits) = limits {
            while !self.set_limits(run, &limits, actor).await? {}
        }
        if let Some((name, value)) = signal {
            self.append(run, signalled(name, &value), actor).await?;
        }
        Ok(())
    }

    /// Sets limits. `false` if the run has moved on and the caller must look again.
    async fn set_limits(&self, run: &RunId, limits: &Limits, actor: &Actor) -> Result<bool, Error> {
        let loaded = self.store.load(run).await?;
        let frame = Run::load(&self.workflows, &loaded)?.frame;
        if frame.limits == *limits || loaded.row.status.is_closed() {
            return Ok(true);
        }
        let (waits, cap) = (frame.limit_ask().cloned(), limits.cost);
        let body = Raised { limits: limits.clone() }.into();
        self.deliver(&loaded.row, body, waits, cap, actor).await
    }

    /// Hands an answer to the home of its run, and writes it down once that has it. A store that cannot
    /// be used just now does not undo what was taken: the mirror will follow.
    pub(crate) async fn answer_at_home(
        &self,
        home: &Arc<dyn ExternalHome>,
        ask: &Interaction,
        (answer, body): (Answer<'_>, Body),
        actor: &Actor,
    ) -> Result<(), Error> {
        let state = self.state(&ask.run).await?;
        home.answer(&state, ask, answer).await?;
        match self.write_down(&ask.run, &ask.key, &body, actor).await {
            Err(Error::Store(store::Error::Unavailable(_))) => Ok(()),
            written => written,
        }
    }

    /// Writes an answer down that the home has, unless that was done already.
    async fn write_down(
        &self,
        run: &RunId,
        key: &Key,
        body: &Body,
        actor: &Actor,
    ) -> Result<(), Error> {
        loop {
            let row = self.store.row(run).await?;
            let ask = self.store.interaction(run, key).await?;
            let open = ask.is_some_and(|ask| ask.state == AskState::Open);
            if !open || row.status.is_closed() {
                return Ok(());
            }
            if self.deliver(&row, body.clone(), Some(key.clone()), None, actor).await? {
                return Ok(());
            }
        }
    }

    /// Drives a mirror until nothing is left to do. Its workflow calls no agents, so that is soon.
    async fn come_to_rest(self: &Arc<Self>, run: &RunId) -> Result<(), Error> {
        let seat = self.enlist().await?;
        let (_going, stop) = watch::channel(Stop::GoOn);
        let until = Instant::now() + PATIENCE;
        let mut tick = Tick::default();
        loop {
            let row = self.store.row(run).await?;
            let by = match row.status {
                Status::Queued => match seat.take_mirror(run).await {
                    Ok(drive) => {
                        seat.attend(drive, stop.clone()).await?;
                        continue;
                    }
                    Err(Error::Store(store::Error::Refused(Refusal::Held { by }))) => by,
                    Err(Error::Store(store::Error::Refused(Refusal::Closed))) => return Ok(()),
                    Err(error) => return Err(error),
                },
                Status::Running => row.worker.unwrap_or_else(|| seat.worker.clone()),
                Status::Waiting | Status::Succeeded | Status::Failed | Status::Cancelled => {
                    return Ok(());
                }
            };
            match timeout_at(until, self.store.changed(tick)).await {
                Ok(now) => tick = now,
                Err(_) => return Err(store::Error::Refused(Refusal::Held { by }).into()),
            }
            self.store.reclaim().await?;
        }
    }

    /// Refuses what only the external home of a run may do with it.
    pub(crate) async fn refuse_for_external_home(
        &self,
        run: &RunId,
        what: Wish,
    ) -> Result<(), Error> {
        // Most programs have runs in the store alone, and need not look.
        if !self.workflows.has_homes() {
            return Ok(());
        }
        let row = self.store.row(run).await?;
        let Some(home) = self.home_of(&row.workflow) else { return Ok(()) };
        // A closed run is refused as closed.
        if row.status.is_closed() {
            return Ok(());
        }
        // Its home may have set limits: then they can be raised here, too.
        if matches!(what, Wish::Raise) && self.usage(run).await?.0 != Limits::default() {
            return Ok(());
        }
        // A mirror that cannot be read does not say where its home is.
        let state = self.state(&row.id).await?;
        let go_on = home.go_on(&state);
        let text = match what {
            Wish::Continue => {
                format!("run {run} is kept outside of the store; continue it with: {go_on}")
            }
            Wish::Raise => format!(
                "run {run} is kept outside of the store and has no limits here; continue it with: {go_on}"
            ),
            Wish::Cancel => {
                let end = home.end(&state);
                format!(
                    "run {run} is kept outside of the store and cannot be cancelled here; {end}"
                )
            }
        };
        let details = serde_json::json!({"run": run, "go_on": go_on});
        Err(Fault::permanent("RUN_ELSEWHERE", text).with_details(Data::of(&details)).into())
    }

    /// Refuses to begin a run that its external home begins.
    pub(crate) fn begins_here(&self, workflow: &str) -> Result<(), Fault> {
        let Some(home) = self.home_of(workflow) else { return Ok(()) };
        let text = format!("{workflow} cannot be started here; start one with: {}", home.begin());
        Err(Fault::permanent("RUN_ELSEWHERE", text))
    }
}

/// What is wanted of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Continue,
    Raise,
    Cancel,
}
