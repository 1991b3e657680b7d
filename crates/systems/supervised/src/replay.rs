//! Replaying a job: the real logic runs again on what the journal recorded, and the files are held against the journal.
//!
//! Every transition is worked out anew from the events, every answer is judged anew from its text, and every line of the
//! files is compared with what it should be. Nothing is called, spent or repaired.

use consign_engine::{
    Data, Engine, Happened, Key, RunId, Seq, Signal, Work, Workflow,
    journal::{Body, Record},
};
use serde_json::Value;

use crate::{
    answer::{Evidence, judge},
    audit::{self, AUDIT},
    directory::{Error, Finding, MANIFEST, read_manifest, runs_of},
    history,
    judged::Judged,
    manifest::Found,
    record::Recorder,
    sealed::is_sealed,
    state::JobState,
    turn::Turn,
    workflow::Supervised,
};

const PAGE: usize = 1000;
const PAGE_BYTES: usize = 4 << 20;
/// A replay that finds more than this has seen enough.
const MOST_FINDINGS: usize = 1000;

/// Replays the job of a run, over all its runs.
pub async fn replay(engine: &Engine, run: &RunId) -> Result<Vec<Finding>, Error> {
    let look = engine.look(run).await?;
    let state: JobState = look.state.to().map_err(|cause| Error::Journal(cause.to_string()))?;
    let directory = state.directory.clone();
    let mut files = Files::open(&directory)?;
    let mut found = Findings::default();
    let runs = runs_of(engine, &state.job_id, &directory).await?;
    for run in &runs {
        if let Err(why) = engine.verify(run, None).await? {
            found.add(None, format!("the journal of run {run} does not verify: {why}"));
        }
        let (mut recorder, mut again) = (Recorder::default(), Again::default());
        let mut from = Seq(0);
        loop {
            let page = engine.store().events_within(run, from, PAGE, PAGE_BYTES).await?;
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            for record in &page {
                again.take(record, &mut found);
                if let Err(why) = recorder.take(record) {
                    found.add(None, why);
                }
            }
            let added = std::mem::take(&mut recorder.added);
            files.compare(&added.interactions, &mut found);
            files.points.extend(added.points);
            files.expected_audit.extend(added.audit);
            if found.0.len() >= MOST_FINDINGS {
                return Ok(found.0);
            }
        }
    }
    files.finish(&mut found)?;
    manifest(engine, runs.last().unwrap_or(run), &directory, &mut found).await?;
    Ok(found.0)
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, sequence: Option<u64>, what: String) {
        if self.0.len() < MOST_FINDINGS {
            self.0.push(Finding { sequence, what });
        }
    }
}

/// The workflow, run again on the events.
#[derive(Default)]
struct Again {
    state: Option<JobState>,
    /// The turn of the role that is called.
    turn: Option<Turn>,
}

impl Again {
    fn take(&mut self, record: &Record, found: &mut Findings) {
        let Ok(Some(body)) = record.body() else { return };
        match Some(&body) {
            Some(Body::Created(created)) => self.state = Supervised.start(&created.input).ok(),
            Some(Body::Forked(forked)) => self.state = forked.state.to().ok(),
            Some(Body::CallStarted(call)) if call.key.as_str().starts_with("act.") => {
                self.begun(&call.input, found);
            }
            Some(Body::CallCompleted(call)) => {
                if let Some(judged) = Judged::of_output(&call.output) {
                    self.judged(&judged, found);
                }
                let (key, output, work) = (&call.key, &call.output, Work::default());
                self.happened(&Happened::Completed { key, output, work });
            }
            Some(Body::CallFailed(call)) => {
                let (key, fault, work) = (&call.key, &call.fault, Work::default());
                self.happened(&Happened::Failed { key, fault, work });
            }
            Some(Body::Answered(answer)) if asks_steward(&answer.key) => {
                let (key, value, at) = (&answer.key, &answer.value, record.at);
                self.happened(&Happened::Answered { key, value, at, by: Some(&record.actor) });
            }
            Some(Body::Raised(raised)) => {
                self.happened(&Happened::Signalled(Signal::Raised(&raised.limits)));
            }
            Some(Body::Signalled(signal)) => {
                let (name, value, at) = (signal.name.as_str(), &signal.value, record.at);
                let by = &record.actor;
                self.happened(&Happened::Signalled(Signal::Named { name, value, at, by }));
            }
            Some(Body::CancelRequested(_)) => self.happened(&Happened::Signalled(Signal::Cancel)),
            Some(_) | None => {}
        }
    }

    fn happened(&mut self, happened: &Happened<'_>) {
        if let Some(state) = &mut self.state {
            Supervised.evolve(state, happened);
        }
    }

    /// What was sent must be what the job would send.
    fn begun(&mut self, input: &Data, found: &mut Findings) {
        let (Ok(turn), Some(state)) = (input.to::<Turn>(), &self.state) else { return };
        let next = state.next_turn();
        let parts = [
            ("its number", turn.sequence != next.sequence),
            ("its role", (&turn.role, turn.acts) != (&next.role, next.acts)),
            ("its phase", turn.phase != next.phase),
            ("where its actions lead", turn.leads != next.leads),
            ("its task", (&turn.task, &turn.objective) != (&next.task, &next.objective)),
            ("its workspace", (turn.start, turn.base) != (next.start, next.base)),
        ];
        for (part, differs) in parts {
            if differs {
                let what = format!("{part} is not what follows from the events before");
                found.add(Some(turn.sequence), what);
            }
        }
        self.turn = Some(turn);
    }

    /// An answer is judged by its text alone: what was in the workspace then is not known.
    fn judged(&mut self, judged: &Judged, found: &mut Findings) {
        let Some(turn) = self.turn.take() else { return };
        let response = &judged.response;
        let Some(raw) = response["raw_response"].as_str().filter(|raw| !is_sealed(raw)) else {
            return;
        };
        let codes = ["PATH_OUTSIDE", "FILE_REFUSED"];
        let outside = judged.notes.iter().any(|note| codes.contains(&note.code.as_str()));
        let told = match (judge(raw, |_| Evidence::There), response["status"].as_str()) {
            (Ok(answer), Some("SUCCESS")) if response["action"] == answer.action.as_str() => return,
            (Ok(_), Some("SUCCESS")) => "its action is not what the answer says",
            (Err(_), Some("ERROR")) => return,
            // What was in the workspace then decided.
            (Ok(_), Some("ERROR")) if outside => return,
            (Ok(_), _) => "its answer is valid, and was taken for an error",
            (Err(_), _) => "its answer breaks the protocol, and was accepted",
        };
        found.add(Some(turn.sequence), told.to_owned());
    }
}

fn asks_steward(key: &Key) -> bool {
    ["steward.", "approval."].iter().any(|kind| key.as_str().starts_with(kind))
}

/// The history and the audit log as they are.
struct Files<'a> {
    directory: &'a std::path::Path,
    lines: std::iter::Peekable<history::Interactions>,
    points: Vec<Value>,
    expected_audit: Vec<Value>,
    compared: u64,
}

impl<'a> Files<'a> {
    fn open(directory: &'a std::path::Path) -> Result<Self, Error> {
        let lines = history::interactions(directory, 0, u64::MAX).peekable();
        Ok(Self { directory, lines, points: Vec::new(), expected_audit: Vec::new(), compared: 0 })
    }

    fn compare(&mut self, expected: &[Value], found: &mut Findings) {
        for own in expected {
            let number = own["sequence"].as_u64().unwrap_or(self.compared);
            self.compared = number + 1;
            self.compare_one(number, own, found);
        }
    }

    fn compare_one(&mut self, number: u64, expected: &Value, found: &mut Findings) {
        loop {
            let line = match self.lines.peek() {
                None => return found.add(Some(number), "it is missing in the history".to_owned()),
                Some(Err(why)) => {
                    found.add(Some(number), why.to_string());
                    self.lines.next();
                    return;
                }
                Some(Ok(line)) => line.to::<Value>().unwrap_or_default(),
            };
            let theirs = line["sequence"].as_u64();
            if theirs.is_some_and(|theirs| theirs > number) {
                return found.add(Some(number), "it is missing in the history".to_owned());
            }
            self.lines.next();
            if theirs == Some(number) {
                for member in differing(&line, expected, "") {
                    found.add(Some(number), format!("{member} was altered"));
                }
                return;
            }
            found.add(Some(number), "the history has an interaction too many before it".to_owned());
        }
    }

    fn finish(mut self, found: &mut Findings) -> Result<(), Error> {
        for line in self.lines.by_ref() {
            let sequence =
                line.as_ref().ok().and_then(|line| line.to::<Value>().ok()?["sequence"].as_u64());
            let what = match line {
                Ok(_) => "it is in the history and never was".to_owned(),
                Err(history::Error::Missing { .. }) if self.compared == 0 => continue,
                Err(why) => why.to_string(),
            };
            found.add(sequence, what);
        }
        let points = match history::points(self.directory) {
            Ok(points) => points,
            Err(history::Error::Missing { .. }) => Vec::new(),
            Err(why) => {
                found.add(None, why.to_string());
                Vec::new()
            }
        };
        let points: Vec<Value> = points.iter().filter_map(|own| own.to().ok()).collect();
        self.compare_points(&points, found);
        self.compare_audit(found)?;
        match history::check(self.directory, |_, _| {}) {
            Ok(damages) => {
                for damage in damages {
                    found.add(Some(damage.sequence), format!("{}: {}", damage.file, damage.why));
                }
            }
            Err(history::Error::Missing { .. }) => {}
            Err(why) => found.add(None, why.to_string()),
        }
        Ok(())
    }

    fn compare_points(&self, points: &[Value], found: &mut Findings) {
        for (number, expected) in self.points.iter().enumerate() {
            let (id, sequence) = (&expected["id"], expected["sequence"].as_u64());
            match points.get(number) {
                Some(theirs) if theirs == expected => {}
                Some(_) => found.add(sequence, format!("recovery point {id} was altered")),
                None => found.add(sequence, format!("recovery point {id} is missing")),
            }
        }
        for extra in points.iter().skip(self.points.len()) {
            found.add(
                extra["sequence"].as_u64(),
                format!("recovery point {} never was", extra["id"]),
            );
        }
    }

    fn compare_audit(&self, found: &mut Findings) -> Result<(), Error> {
        let lines = audit::of_journal(self.directory)
            .map_err(|source| Error::Io { path: self.directory.join(AUDIT), source })?;
        for (number, expected) in self.expected_audit.iter().enumerate() {
            if lines.get(number) != Some(expected) {
                let what = format!("line {} of {AUDIT} was altered or is missing", number + 2);
                found.add(expected["sequence"].as_u64(), what);
            }
        }
        for extra in lines.iter().skip(self.expected_audit.len()) {
            found.add(extra["sequence"].as_u64(), format!("{AUDIT} has a line that never was"));
        }
        Ok(())
    }
}

async fn manifest(
    engine: &Engine,
    run: &RunId,
    directory: &std::path::Path,
    found: &mut Findings,
) -> Result<(), Error> {
    match read_manifest(directory)? {
        Found::Missing => found.add(None, format!("{MANIFEST} is missing or cannot be read")),
        Found::Edited(_, why) => found.add(None, format!("{MANIFEST} was edited by hand: {why}")),
        Found::TooNew(version) => found.add(None, format!("{MANIFEST} has version {version}")),
        Found::Ours(origin, theirs) => {
            let row = engine.store().row(run).await?;
            if origin.run != *run || origin.seq > row.seq {
                found.add(None, format!("{MANIFEST} is not of this job as it stands"));
            }
            let interactions = engine.look(run).await?.state.to::<JobState>();
            let interactions = interactions.map_or(0, |state| state.job.interactions);
            let told = theirs["metrics"]["interactions"].as_u64();
            if origin.seq == row.seq && told != Some(interactions) {
                found.add(
                    None,
                    format!(
                        "{MANIFEST} counts {told:?} interactions, and there are {interactions}"
                    ),
                );
            }
        }
    }
    Ok(())
}

/// The members in which two values differ, as pointers.
fn differing(theirs: &Value, ours: &Value, at: &str) -> Vec<String> {
    match (theirs, ours) {
        (Value::Object(left), Value::Object(right)) => {
            let names: std::collections::BTreeSet<_> = left.keys().chain(right.keys()).collect();
            names
                .into_iter()
                .flat_map(|name| {
                    let null = Value::Null;
                    let (left, right) =
                        (left.get(name).unwrap_or(&null), right.get(name).unwrap_or(&null));
                    differing(left, right, &format!("{at}/{name}"))
                })
                .collect()
        }
        (left, right) if left == right => Vec::new(),
        _ => vec![at.to_owned()],
    }
}
