//! Deliveries from outside: answers, raises, advice and requests to cancel.
//!
//! Any process may make them, also while another process holds the run. Each is appended to the journal at
//! once. Nothing here drives the run: its holder takes the event in.

use std::time::Duration;

use consign_contracts::{json::Json, schema::Schema};

use crate::{
    Actor, Answer, Data, Engine, Error, Fault, Key, Limits, Nanos, Role, RunId, Seq, Speaker,
    attempt_task::wanted_calls,
    external_home::Wish,
    journal::{Advised, Answered, Body, CancelRequested, Declined, Raised, Record},
    plan::breach,
    redact::unless_redacted,
    run::Run,
    store::{self, AskState, Delivery, Interaction, Refusal, Row},
};

/// Events that are looked through at a time for an answer, and how large they may be together.
const CHUNK: usize = 256;
const CHUNK_BYTES: usize = 1 << 20;

impl Engine {
    /// Answers an ask. One answer is taken; a second one is refused with `ALREADY_ANSWERED`. What is asked
    /// of a person is not taken from an agent.
    pub async fn answer(
        &self,
        run: &RunId,
        key: &Key,
        value: &Data,
        by: &Speaker,
    ) -> Result<(), Error> {
        let actor = &by.actor;
        loop {
            // The row first: what is delivered must rest on nothing newer than it.
            let row = self.store.row(run).await?;
            let ask = self.asked(run, key).await?;
            for_speaker(&ask, by)?;
            self.in_time(&row, &ask)?;
            fit(&ask, value)?;
            if let Some((of, _)) = key.asks_outcome_of() {
                self.fit_outcome(run, &of, value).await?;
            }
            // The answer `retry` raises nothing: the run looks again.
            if key.asks_for_limit() && value.tree().map_err(Fault::from)?.get("retry").is_none() {
                if self.try_raise(run, &limits_of(value)?, Some(key), actor).await? {
                    return Ok(());
                }
                if self.store.row(run).await?.seq == row.seq {
                    let text = format!("run {run}: the inbox has {key}, and the journal has not");
                    return Err(store::Error::Damaged(text).into());
                }
                continue;
            }
            let role = Some(by.role);
            let body = Answered { key: key.clone(), value: value.clone(), by_default: false, role };
            // The engine's own questions are none of the home's.
            let home = self.home_of(&row.workflow).filter(|_| !key.is_engines());
            if let Some(home) = home {
                let answer = (Answer::Value(value), body.into());
                return self.answer_at_home(home, &ask, answer, actor).await;
            }
            if self.deliver(&row, body.into(), Some(key.clone()), None, actor).await? {
                return Ok(());
            }
        }
    }

    /// Says that no answer will come for a call that waits for one from outside: it fails with
    /// `DECLINED`. Like an answer, it is taken once.
    pub async fn decline(
        &self,
        run: &RunId,
        key: &Key,
        why: &str,
        by: &Speaker,
    ) -> Result<(), Error> {
        let actor = &by.actor;
        loop {
            let row = self.store.row(run).await?;
            let ask = self.asked(run, key).await?;
            if ask.agent.is_none() {
                let text = format!("{key} of run {run} is no call of an agent: answer it");
                return Err(Fault::permanent("NOT_DECLINABLE", text).into());
            }
            self.in_time(&row, &ask)?;
            let body = Declined { key: key.clone(), fault: Fault::permanent("DECLINED", why) };
            if let Some(home) = self.home_of(&row.workflow) {
                let answer = (Answer::Declined(why), body.into());
                return self.answer_at_home(home, &ask, answer, actor).await;
            }
            if self.deliver(&row, body.into(), Some(key.clone()), None, actor).await? {
                return Ok(());
            }
        }
    }

    /// The answer to an ask. `None` if there is none yet, or if it can no longer be read.
    pub async fn answer_to(&self, run: &RunId, key: &Key) -> Result<Option<Data>, Error> {
        let (mut from, mut found) = (Seq(0), None);
        loop {
            let events = self.store.events_within(run, from, CHUNK, CHUNK_BYTES).await?;
            let Some(last) = events.last() else { return Ok(found) };
            from = last.seq.next();
            for event in events.iter().filter(|event| event.kind == "answered") {
                if let Ok(Some(Body::Answered(said))) = event.body()
                    && said.key == *key
                {
                    found = Some(said.value);
                }
            }
        }
    }

    async fn asked(&self, run: &RunId, key: &Key) -> Result<Interaction, Error> {
        let ask = self.store.interaction(run, key).await?;
        if ask.is_none() {
            unless_redacted(&self.store.row(run).await?)?;
        }
        let never = || format!("run {run} never asked {key}");
        ask.ok_or_else(|| Fault::permanent("INTERACTION_NOT_FOUND", never()).into())
    }

    /// Whether an ask may be answered now.
    fn in_time(&self, row: &Row, ask: &Interaction) -> Result<(), Fault> {
        let (run, key) = (&ask.run, &ask.key);
        let late = || {
            let until = ask.deadline.unwrap_or_default();
            let text = format!("{key} of run {run} could be answered until {until}");
            Fault::permanent("DEADLINE_PASSED", text)
        };
        match ask.state {
            AskState::Open => {}
            AskState::Answered => {
                let text =
                    format!("{key} of run {run} is answered already: the first answer counts");
                return Err(Fault::permanent("ALREADY_ANSWERED", text));
            }
            AskState::Expired => return Err(late()),
            AskState::Withdrawn => {
                let text = format!("run {run} no longer asks {key}");
                return Err(Fault::permanent("WITHDRAWN", text));
            }
        }
        if row.status.is_closed() {
            return Err(closed(row));
        }
        // Another clock may be ahead of ours, and an answer is never recorded before its past.
        let now = self.time.now().max(row.at);
        if ask.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(late());
        }
        Ok(())
    }

    /// Whether what a person says was the output of a call is one.
    async fn fit_outcome(&self, run: &RunId, of: &Key, value: &Data) -> Result<(), Error> {
        let tree = value.tree().map_err(Fault::from)?;
        if tree.get("outcome").and_then(Json::as_str) != Some("done") {
            return Ok(());
        }
        let run = Run::load(&self.workflows, &self.store.load(run).await?)?;
        let call = wanted_calls(&run).into_iter().find(|call| call.key == *of);
        let agent = call.as_ref().and_then(|call| self.agents.get(&call.agent));
        if let Some(contract) = agent.and_then(|agent| agent.output) {
            let output = tree.get("output").map_or_else(Data::null, Data::from);
            breach(contract.schema(), &output, "the output")?;
        }
        Ok(())
    }

    /// Sets higher limits. A run that waits for them goes on.
    pub async fn raise(&self, run: &RunId, raise: &Limits, by: &Speaker) -> Result<(), Error> {
        by.as_person("raising a limit")?;
        self.refuse_for_external_home(run, Wish::Raise).await?;
        while !self.try_raise(run, raise, None, &by.actor).await? {}
        Ok(())
    }

    /// Raises the limits. `false` if the run has moved on and the caller must look again.
    async fn try_raise(
        &self,
        run: &RunId,
        raise: &Limits,
        answers: Option<&Key>,
        actor: &Actor,
    ) -> Result<bool, Error> {
        let loaded = self.store.load(run).await?;
        let row = &loaded.row;
        if row.status.is_closed() {
            return Err(closed(row).into());
        }
        let frame = Run::load(&self.workflows, &loaded)?.frame;
        let waits = frame.limit_ask().cloned();
        // What answers a question must find that one open.
        if answers.is_some() && waits.as_ref() != answers {
            return Ok(false);
        }
        let limits = frame.limits.raised(raise);
        check_raise(&frame.limits, &limits)?;
        let cap = limits.cost;
        self.deliver(row, Raised { limits }.into(), waits, cap, actor).await
    }

    /// Gives a person's advice to the workflow.
    pub async fn advise(&self, run: &RunId, text: &str, by: &Speaker) -> Result<(), Error> {
        by.as_person("advice")?;
        self.refuse_for_external_home(run, Wish::Continue).await?;
        self.append(run, Advised { text: text.to_owned() }.into(), &by.actor).await
    }

    /// Asks for the run to end. The worker that holds it, or takes it next, aborts and settles what is under
    /// way, and closes it.
    pub async fn cancel(
        &self,
        run: &RunId,
        reason: Option<String>,
        by: &Speaker,
    ) -> Result<(), Error> {
        self.refuse_for_external_home(run, Wish::Cancel).await?;
        self.append(run, CancelRequested { reason }.into(), &by.actor).await
    }

    /// Appends an event to an open run.
    pub(crate) async fn append(&self, run: &RunId, body: Body, actor: &Actor) -> Result<(), Error> {
        loop {
            let row = self.store.row(run).await?;
            if row.status.is_closed() {
                return Err(closed(&row).into());
            }
            if self.deliver(&row, body.clone(), None, None, actor).await? {
                return Ok(());
            }
        }
    }

    /// Delivers an event that rests on `row`. `false` if it is refused because the run has changed since.
    pub(crate) async fn deliver(
        &self,
        row: &Row,
        body: Body,
        answers: Option<Key>,
        cap: Option<Nanos>,
        actor: &Actor,
    ) -> Result<bool, Error> {
        let at = self.time.now().max(row.at);
        let (seq, prev) = (row.seq.next(), Some(row.head));
        let record = Record::new(seq, at, actor.clone(), &body, self.salt(), prev);
        let delivery = Delivery { run: row.id.clone(), seen: row.seq, record, answers, cap };
        match self.store.deliver(delivery).await {
            Ok(()) => {
                self.project(&row.workflow, &row.id).await;
                Ok(true)
            }
            Err(store::Error::Refused(
                Refusal::Moved { .. } | Refusal::NotOpen | Refusal::Closed,
            )) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Refuses an agent's answer to what is asked of a person.
fn for_speaker(ask: &Interaction, by: &Speaker) -> Result<(), Fault> {
    match ask.kind.audience() {
        Role::Agent => Ok(()),
        Role::Person => by.as_person(&format!("{} of run {}", ask.key, ask.run)),
    }
}

/// Whether a value is one that an ask allows.
fn fit(ask: &Interaction, value: &Data) -> Result<(), Fault> {
    let schema = Schema::compile(&ask.schema.tree()?).map_err(|cause| {
        Fault::permanent("SCHEMA_INVALID", format!("the answer schema of {}: {cause}", ask.key))
    })?;
    breach(&schema, value, "the answer")
}

/// What an answer to a reached limit asks for.
fn limits_of(value: &Data) -> Result<Limits, Fault> {
    let tree = value.tree()?;
    let number = |name: &str| tree.get(name).and_then(|value| value.as_number().cloned());
    let bad = |name: &str| Fault::permanent("INVALID_LIMIT", format!("{name} is out of range"));
    let cost = number("cost_usd")
        .map(|usd| Nanos::cap_from_usd(usd.as_str()).ok_or_else(|| bad("cost_usd")))
        .transpose()?;
    let calls =
        number("calls").map(|calls| calls.as_u64().ok_or_else(|| bad("calls"))).transpose()?;
    let active = number("minutes")
        .map(|minutes| {
            Duration::try_from_secs_f64(minutes.as_f64() * 60.0).map_err(|_| bad("minutes"))
        })
        .transpose()?;
    Ok(Limits { cost, calls, active })
}

/// Limits only go up: what a run already relies on is not taken away.
fn check_raise(from: &Limits, to: &Limits) -> Result<(), Fault> {
    fn lower<T: PartialOrd>(from: Option<T>, to: Option<T>) -> bool {
        match (from, to) {
            (None, Some(_)) => true,
            (Some(from), Some(to)) => to < from,
            (_, None) => false,
        }
    }
    let lowered =
        lower(from.cost, to.cost) || lower(from.calls, to.calls) || lower(from.active, to.active);
    if lowered {
        let text = "limits can only be increased";
        return Err(Fault::permanent("INVALID_LIMIT", text));
    }
    if from == to {
        return Err(Fault::permanent("INVALID_LIMIT", "the limits are that high already"));
    }
    Ok(())
}

fn closed(row: &Row) -> Fault {
    Fault::permanent(
        "INVALID_STATE",
        format!(
            "run {} is over: it {}",
            row.id,
            match row.status {
                crate::Status::Cancelled => "was cancelled",
                crate::Status::Failed => "failed",
                crate::Status::Queued
                | crate::Status::Running
                | crate::Status::Waiting
                | crate::Status::Succeeded => "succeeded",
            }
        ),
    )
}
