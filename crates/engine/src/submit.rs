//! Submitting runs: a submission is checked, priced and admitted before anything is written.

use std::{collections::BTreeMap, time::Duration};

use tracing::info;

use crate::{
    Activity, Actor, Bound, Certificate, Data, Error, Fault, Limits, Next, Order, Owner, Placement,
    RunId, Seat, Seq, Settings,
    drive::Drive,
    engine::Engine,
    frame::Frame,
    journal::{Body, Created, Forked, Record},
    plan::{Ground, Plan, Planner},
    redact::unless_redacted,
    run::Run,
    store::{self, First, Ledger, NewRun, Refusal, Standing},
    workflow::Program,
};

/// A request for a new run.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The caller's own name for it. A caller that is not sure whether a submission arrived repeats it
    /// under the same name, and gets the same run.
    pub id: Option<RunId>,
    pub workflow: String,
    pub input: Data,
    pub owner: Owner,
    pub limits: Limits,
    pub placement: Placement,
    pub priority: i32,
    /// How its agents are reached, where that is not as usual.
    pub settings: Settings,
    /// Refuse it unless it is sure to end within its limits, if nothing crashes.
    pub certified: bool,
    pub actor: Actor,
}

/// A run that was admitted.
#[derive(Clone, Debug)]
pub struct Submitted {
    pub run: RunId,
    pub certificate: Certificate,
    /// Which processes may go on with it: the placement of the first submission counts.
    pub placement: Placement,
    /// It was there already.
    pub repeated: bool,
}

struct Admitted {
    submitted: Submitted,
    new: NewRun,
    created: Created,
    /// Where it begins, if not with its input.
    forked: Option<Forked>,
}

impl Created {
    /// Tells the log that the run exists.
    fn tell(&self) {
        let Self { run, owner, workflow, placement, .. } = self;
        info!(%run, %owner, %workflow, %placement, "run created");
    }
}

impl Engine {
    /// Makes a run that a worker will take.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, Error> {
        self.begins_here(&submission.workflow)?;
        self.place(submission).await
    }

    /// Submits a run, also a mirror of one with an external home.
    pub(crate) async fn place(&self, submission: Submission) -> Result<Submitted, Error> {
        let (admitted, program) = match self.admit(&submission, None) {
            Ok(admitted) => admitted,
            Err(fault) => return self.admitted_before(&submission, fault).await,
        };
        match self.create(admitted, program, &submission).await {
            Err(Error::Store(store::Error::Exists(_))) => self.repeated(&submission).await,
            created => created,
        }
    }

    /// Makes a fork that a worker will take. [`store::Error::Exists`] if there is a run of its name.
    pub(crate) async fn submit_fork(
        &self,
        submission: Submission,
        forked: Forked,
    ) -> Result<Submitted, Error> {
        let (admitted, program) = self.admit(&submission, Some(forked))?;
        self.create(admitted, program, &submission).await
    }

    async fn create(
        &self,
        admitted: Admitted,
        program: Box<dyn Program>,
        submission: &Submission,
    ) -> Result<Submitted, Error> {
        let (mut run, records) = self.first(&admitted, program, &submission.actor)?;
        let snapshot = run.snapshot(true);
        let step = store::Step {
            records,
            standing: Standing::Queued,
            figures: store::Figures { cap: submission.limits.cost, ..Default::default() },
            ledger: Ledger::default(),
            asks: Vec::new(),
            snapshot,
            upgraded: None,
            label: run.new_label(),
        };
        match self.store.create(admitted.new, First { claim: None, step }).await {
            Ok(()) => {
                admitted.created.tell();
                Ok(admitted.submitted)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Looks for a run of an earlier, equal submission: what is refused now may have been admitted then.
    async fn admitted_before(&self, again: &Submission, fault: Fault) -> Result<Submitted, Error> {
        let before = if again.id.is_some() { self.repeated(again).await.ok() } else { None };
        before.ok_or_else(|| fault.into())
    }

    /// The run that an equal submission made before. Refuses a run of the same name that differs.
    pub async fn repeated(&self, again: &Submission) -> Result<Submitted, Error> {
        let Some(run) = again.id.clone() else {
            return Err(Fault::permanent("INVALID_RUN_ID", "the submission names no run").into());
        };
        let first = self.store.events(&run, Seq(0), 1).await?;
        let first = first.first().and_then(|record| record.body().ok()).flatten();
        match first {
            Some(Body::Created(made))
                if (&made.workflow, &made.input, &made.owner)
                    == (&again.workflow, &again.input, &again.owner) =>
            {
                let Created { certificate, placement, .. } = made;
                Ok(Submitted { run, certificate, placement, repeated: true })
            }
            Some(Body::Created(made)) => {
                let parts = [
                    ("workflow", made.workflow != again.workflow),
                    ("input", made.input != again.input),
                    ("owner", made.owner != again.owner),
                ];
                let other = parts.iter().filter(|(_, other)| *other).map(|(part, _)| *part);
                let other: Vec<_> = other.collect();
                let text = format!(
                    "there is a run {run} already, and it was started with another {}",
                    other.join(" and ")
                );
                Err(Fault::permanent("RUN_EXISTS", text).into())
            }
            _ => {
                unless_redacted(&self.store.row(&run).await?)?;
                let text = format!("there is a run {run} already");
                Err(Fault::permanent("RUN_EXISTS", text).into())
            }
        }
    }

    fn first(
        &self,
        admitted: &Admitted,
        program: Box<dyn Program>,
        actor: &Actor,
    ) -> Result<(Run, Vec<Record>), Fault> {
        let at = self.time.now();
        let body = Body::Created(admitted.created.clone());
        let record = Record::new(Seq(0), at, actor.clone(), &body, self.salt(), None);
        let frame = Frame::new(&admitted.created, at);
        let mut run = Run::new(admitted.new.id.clone(), frame, program, &record);
        let mut records = vec![record];
        if let Some(forked) = &admitted.forked {
            let body = Body::Forked(forked.clone());
            let (seq, head) = (run.seq.next(), Some(run.head));
            let record = Record::new(seq, at, actor.clone(), &body, self.salt(), head);
            run.apply(at, actor, &body)?;
            (run.seq, run.head) = (record.seq, record.hash);
            records.push(record);
        }
        Ok((run, records))
    }

    /// Checks, prices and admits a run, or says why not. Writes nothing.
    fn admit(
        &self,
        wanted: &Submission,
        forked: Option<Forked>,
    ) -> Result<(Admitted, Box<dyn Program>), Fault> {
        let template = self.workflows.newest(&wanted.workflow)?;
        let mut program = template.start(&wanted.input)?;
        let bound = program.bound(&wanted.input, &wanted.limits, &wanted.settings)?;
        let certificate = Certificate::new(&bound, &wanted.limits);
        if let Some(forked) = &forked {
            program.replace(&forked.state)?;
        }
        self.afford_first(program.as_ref(), wanted)?;
        if wanted.certified && certificate.bounded_by != crate::BoundedBy::Structure {
            return Err(Fault::permanent("NOT_CERTIFIED", uncertain(&bound, &wanted.limits)));
        }
        let placement = wanted.placement.clone();
        let id = wanted.id.clone().unwrap_or_else(|| self.new_run_id());
        if let Some(why) = id.unfit() {
            return Err(Fault::permanent(
                "INVALID_RUN_ID",
                format!("the id {:?} {why}", id.as_str()),
            ));
        }
        let created = Created {
            run: id.clone(),
            workflow: wanted.workflow.clone(),
            version: template.version(),
            owner: wanted.owner.clone(),
            placement: wanted.placement.clone(),
            input: wanted.input.clone(),
            limits: wanted.limits.clone(),
            certificate: certificate.clone(),
            settings: wanted.settings.clone(),
        };
        let new = NewRun {
            id: id.clone(),
            workflow: wanted.workflow.clone(),
            version: template.version(),
            owner: wanted.owner.clone(),
            placement: wanted.placement.clone(),
            priority: wanted.priority,
            keeper: None,
        };
        Ok((
            Admitted {
                submitted: Submitted { run: id, certificate, placement, repeated: false },
                new,
                created,
                forked,
            },
            program,
        ))
    }

    /// A run that could not even make its first call is refused.
    fn afford_first(&self, program: &dyn Program, wanted: &Submission) -> Result<(), Fault> {
        let Some(cap) = wanted.limits.cost else { return Ok(()) };
        let settings = &wanted.settings;
        let Next::Open(wanted) = program.decide()? else { return Ok(()) };
        let first = wanted.iter().find_map(|activity| match activity {
            Activity::Call(call) => Some(call),
            Activity::Ask(_) | Activity::Timer(_) => None,
        });
        let Some(call) = first else { return Ok(()) };
        let agent = self.agents.get(&call.agent);
        let order = Order { input: &call.input, settings, handed: None };
        let worst = agent.and_then(|agent| agent.invoker.quote(&order).cost);
        match worst {
            Some(worst) if worst > cap => Err(Fault::permanent(
                "BUDGET_TOO_SMALL",
                format!(
                    "the first call ({}) may cost ${worst}, and the run may cost ${cap}",
                    call.agent.shown()
                ),
            )),
            Some(_) | None => Ok(()),
        }
    }
}

/// Why a run is not sure to end within its limits.
fn uncertain(bound: &Bound, limits: &Limits) -> String {
    let calls =
        |calls: u64| if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
    match (bound.cost, limits.cost, bound.calls, limits.calls) {
        (None, ..) => "what its calls cost at most is not known".to_owned(),
        (Some(cost), Some(cap), ..) if cost > cap => {
            format!("in the worst case the run costs ${cost}, and it may cost ${cap}")
        }
        (_, _, Some(made), Some(most)) if made > most => {
            let (made, most) = (calls(made), calls(most));
            format!("in the worst case the run makes {made}, and it may make {most}")
        }
        _ => "how many calls it makes at most is not known".to_owned(),
    }
}

impl Seat {
    /// Makes a run that this seat holds from the start: its first step is in the same commit. If there
    /// is one of its name ([`store::Error::Exists`]), see [`Engine::repeated`].
    pub async fn begin(&self, submission: Submission) -> Result<(Submitted, Drive), Error> {
        let engine = &self.engine;
        engine.begins_here(&submission.workflow)?;
        match self.begin_at(&submission, None).await {
            Err(Error::Fault(fault)) => {
                let before = engine.admitted_before(&submission, fault).await?;
                Err(store::Error::Exists(before.run).into())
            }
            begun => begun,
        }
    }

    /// Makes a fork that this seat holds from the start.
    pub(crate) async fn begin_fork(
        &self,
        submission: Submission,
        forked: Forked,
    ) -> Result<(Submitted, Drive), Error> {
        self.begin_at(&submission, Some(forked)).await
    }

    async fn begin_at(
        &self,
        submission: &Submission,
        forked: Option<Forked>,
    ) -> Result<(Submitted, Drive), Error> {
        let engine = &self.engine;
        let mut headroom = None;
        loop {
            let (admitted, program) = engine.admit(submission, forked.clone())?;
            let (mut run, first) = engine.first(&admitted, program, &submission.actor)?;
            let (now, ticks) = engine.time.read();
            let now = now.max(run.frame.at);
            let ground = Ground {
                agents: &engine.agents,
                entropy: engine.entropy.as_ref(),
                actor: &self.actor,
                now,
                skipped: Duration::ZERO,
                live: &BTreeMap::new(),
                headroom,
                draining: false,
                restless: 0,
            };
            let plan = Planner::new(&mut run, ground).plan(&[])?;
            let Plan { mut step, actions, wake_at, .. } = plan;
            step.records.splice(0..0, first);
            let standing = step.standing;
            let claim = (standing == Standing::Held).then(|| self.worker.clone());
            let keeper = Some(self.worker.clone());
            let label = step.label.clone();
            let new = NewRun { keeper, ..admitted.new };
            match engine.store.create(new, First { claim, step }).await {
                Ok(()) => {
                    admitted.created.tell();
                    run.labelled(label);
                    let next = (standing, wake_at, actions);
                    let drive = Drive::begun(self.clone(), run, (now, ticks), next);
                    return Ok((admitted.submitted, drive));
                }
                Err(store::Error::Refused(Refusal::OverCap { headroom: left })) => {
                    headroom = Some(left);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}
