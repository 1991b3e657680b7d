//! Jobs for requests from outside: those of one owner, by their names, in one folder.
//!
//! A request names no path, repository, folder of roles or command of its own: it would choose what runs on this
//! machine. A job of another owner is not there. What is driven is driven by workers; nothing here takes a run for
//! longer than it takes to write down what follows from a request.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    time::Duration,
};

use consign_contracts::job::JobStatus;
use consign_engine::{
    Data, Owner, RunId, Speaker,
    store::{self, RunQuery},
};
use consign_supervised::{
    Phase, SUPERVISED, Stand,
    amount::{cents, from_cents, number},
    input::Thresholds,
    name::{job_of_run, run_of_generation},
    phase,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    adopt::adopt,
    drive::{Activate, Pace, activate, not_there},
    list::{JobLine, newest_line},
    look::{HistoryPage, audit, history, status},
    new::{NewJob, new},
    open::{OpenJob, Purpose, open},
    place::{JobPlace, default_jobs_dir, place},
    preview::preview,
    replay::{Replayed, replay},
    restore::{rerun, restore},
    steward::{Advice, Raise, advise, approve, cancel, halt, raise, reject},
    view::JobView,
};
use crate::{
    error::{Error, Refused},
    home::Home,
    listing::Page,
};

/// The variable that names the folder of jobs.
pub const JOBS_DIR: &str = "CONSIGN_JOBS_DIR";
/// A page of a history has no more interactions than this, and ends with the one by which it is this large.
pub const MOST_INTERACTIONS: usize = 100;
const MOST_BYTES: usize = 4 << 20;
/// After something was delivered to a job, a worker has it for a moment, to see what follows. So long it is waited for,
/// and looked so often whether it is free.
const MOMENT: Duration = Duration::from_secs(2);
const LOOKED_EVERY: Duration = Duration::from_millis(20);

/// The folder of jobs that the environment names, or that of the home.
#[must_use]
pub fn jobs_dir(home: &Path) -> PathBuf {
    let named = std::env::var_os(JOBS_DIR).filter(|named| !named.is_empty());
    named.map_or_else(|| default_jobs_dir(home), PathBuf::from)
}

/// The jobs that a request can reach, and on whose behalf it is made.
#[derive(Clone)]
pub struct OutsideJobs<'a> {
    pub home: &'a Home,
    /// The folder of jobs.
    pub folder: Cow<'a, Path>,
    pub owner: &'a Owner,
    pub by: &'a Speaker,
}

/// A job that is wanted from outside.
#[derive(Clone, Debug, Default)]
pub struct OutsideJob {
    pub name: String,
    pub objective: String,
    pub phases: Vec<OutsidePhase>,
    pub thresholds: OutsideThresholds,
    pub require_approval: bool,
    pub sensitive: bool,
}

/// A phase of a job that is wanted from outside: it has no command of its own.
#[derive(Clone, Debug)]
pub struct OutsidePhase {
    pub name: String,
    pub task: String,
    pub role: Option<String>,
    pub supervisor: OutsideSupervisor,
    pub context: Vec<String>,
}

/// Who reviews a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OutsideSupervisor {
    /// The usual one.
    #[default]
    Usual,
    Named(String),
    Nobody,
}

/// Thresholds in the document's units. What is left out is as usual in a new job, and stays in one that is raised; zero
/// is no bound.
#[derive(Clone, Debug, Default)]
pub struct OutsideThresholds {
    /// In cents, as JSON writes the number.
    pub cost: Option<String>,
    pub minutes: Option<f64>,
}

/// A threshold that is no amount: too large, or finer than a billionth of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is too large, or finer than can be counted")]
pub struct UnfitThreshold(pub &'static str);

impl From<UnfitThreshold> for Error {
    fn from(unfit: UnfitThreshold) -> Self {
        Refused::usage("INVALID_INPUT", unfit.to_string()).into()
    }
}

impl OutsideThresholds {
    /// Each as it is meant; zero stays zero.
    pub fn read(&self) -> Result<Raise, UnfitThreshold> {
        let cost = self.cost.as_deref().map(|cents| from_cents(cents).ok_or("cost_threshold"));
        let minutes = self.minutes.map(|minutes| {
            let counts = Duration::try_from_secs_f64(minutes * 60.0).is_ok();
            if counts { Ok(minutes) } else { Err("time_threshold_minutes") }
        });
        let (cost, minutes) = (cost.transpose(), minutes.transpose());
        Ok(Raise { cost: cost.map_err(UnfitThreshold)?, minutes: minutes.map_err(UnfitThreshold)? })
    }
}

/// What a request does to a job.
#[derive(Clone, Debug)]
pub enum Change {
    Activate(Activate),
    /// Sets how far it goes on; workers drive it.
    Pace(Pace),
    Advise(Advice),
    Halt,
    Approve,
    Reject(String),
    Raise(OutsideThresholds),
    Cancel,
    /// To a recovery point.
    Restore(String),
    /// From a phase on.
    Rerun(String),
    Adopt,
}

impl Change {
    /// What only a person may do, as the subject of a sentence.
    fn for_person(&self) -> Option<&'static str> {
        match self {
            Self::Advise(_) => Some("advising a job"),
            Self::Halt => Some("halting a job"),
            Self::Approve => Some("approving a job"),
            Self::Reject(_) => Some("rejecting a job"),
            Self::Raise(_) => Some("raising a threshold"),
            Self::Restore(_) | Self::Rerun(_) => Some("restoring a job"),
            Self::Adopt => Some("adopting a manifest"),
            Self::Activate(_) | Self::Pace(_) | Self::Cancel => None,
        }
    }

    /// A job can be cancelled while another process drives it, and only a manifest that was edited can be adopted.
    fn purpose(&self) -> Purpose {
        match self {
            Self::Cancel | Self::Adopt => Purpose::Look,
            Self::Activate(_)
            | Self::Pace(_)
            | Self::Advise(_)
            | Self::Halt
            | Self::Approve
            | Self::Reject(_)
            | Self::Raise(_)
            | Self::Restore(_)
            | Self::Rerun(_) => Purpose::Change,
        }
    }
}

/// Which jobs a list is to have.
#[derive(Clone, Debug)]
pub struct OutsideList {
    pub status: Option<JobStatus>,
    /// Only jobs older than the one of this run.
    pub before: Option<RunId>,
    pub most: usize,
}

/// A page of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryRead {
    pub interactions: Vec<Value>,
    /// The interaction with which the next page begins. The last page has none.
    pub next: Option<u64>,
}

impl OutsideJobs<'_> {
    /// The jobs, newest first, each by its newest run. A page may have fewer jobs than were asked for, and another one
    /// after it all the same.
    pub async fn list(&self, wanted: OutsideList) -> Result<Page<JobLine>, Error> {
        let most = wanted.most;
        let query = RunQuery {
            workflow: Some(SUPERVISED.to_owned()),
            label: wanted.status.map(|status| status.as_str().to_owned()),
            owner: Some(self.owner.clone()),
            before: wanted.before,
            most: most.saturating_add(1),
            ..RunQuery::default()
        };
        let rows = self.home.store().runs(&query).await?;
        let Page { items, cursor } = Page::of(rows, most, |row| row.id.to_string());
        let mut jobs = Vec::with_capacity(items.len());
        for row in items {
            let Some((name, generation)) = job_of_run(row.id.as_str()) else { continue };
            // Jobs in other folders have names that lead nowhere here.
            let here = self.place(name).is_ok_and(|place| {
                run_of_generation(name, &place.directory, generation) == row.id.as_str()
            });
            if here {
                jobs.extend(newest_line(self.home, &row).await?);
            }
        }
        Ok(Page { items: jobs, cursor })
    }

    /// Makes a job.
    pub async fn create(&self, wanted: OutsideJob) -> Result<JobView, Error> {
        let place = self.place(&wanted.name)?;
        let phases = phases(&wanted.phases)?;
        let usual = Thresholds::default();
        let Raise { cost, minutes } = wanted.thresholds.read()?;
        let thresholds = Thresholds {
            cost: cost.map_or(usual.cost, |cost| Some(cost).filter(|cost| !cost.is_zero())),
            minutes: minutes.map_or(usual.minutes, |most| Some(most).filter(|most| *most > 0.0)),
        };
        let wanted = NewJob {
            place,
            objective: wanted.objective,
            phases,
            thresholds,
            require_approval: wanted.require_approval,
            sensitive: wanted.sensitive,
            repo: None,
            roles: None,
            owner: self.owner.clone(),
            by: self.by.clone(),
        };
        let job = new(self.home, wanted).await?;
        status(self.home, &job).await
    }

    /// How a job stands.
    pub async fn show(&self, name: &str) -> Result<JobView, Error> {
        let job = self.open(name, Purpose::Look).await?;
        status(self.home, &job).await
    }

    /// A page of the interactions of a job.
    pub async fn history(&self, name: &str, wanted: HistoryPage) -> Result<HistoryRead, Error> {
        let job = self.open(name, Purpose::Look).await?;
        let (mut page, mut bytes) = (HistoryRead::default(), 0);
        history(self.home, &job, wanted, |interaction| {
            if page.interactions.len() == MOST_INTERACTIONS || bytes >= MOST_BYTES {
                page.next = interaction["sequence"].as_u64();
                return Ok(false);
            }
            bytes += interaction.to_string().len();
            page.interactions.push(interaction);
            Ok(true)
        })
        .await?;
        Ok(page)
    }

    /// The lines of the audit log of a job.
    pub async fn audit(&self, name: &str) -> Result<Vec<Value>, Error> {
        let job = self.open(name, Purpose::Look).await?;
        audit(self.home, &job).await
    }

    /// The request that would be sent next.
    pub async fn preview(&self, name: &str) -> Result<Data, Error> {
        let job = self.open(name, Purpose::Look).await?;
        preview(self.home, &job).await
    }

    /// Replays a job.
    pub async fn replay(&self, name: &str) -> Result<Replayed, Error> {
        let job = self.open(name, Purpose::Look).await?;
        replay(self.home, &job).await
    }

    /// Does something to a job. Gives how it stands then.
    pub async fn change(&self, name: &str, change: Change) -> Result<JobView, Error> {
        let (home, by) = (self.home, self.by);
        let place = self.owned(name).await?;
        if let Some(what) = change.for_person() {
            by.as_person(what)?;
        }
        let job = self.open_free(&place, change.purpose()).await?;
        match change {
            Change::Activate(how) => activate(home, &job, how, by).await?,
            Change::Pace(pace) => set_pace(home, &job, pace, by).await?,
            Change::Advise(advice) => advise(home, &job, &advice, by).await?,
            Change::Halt => halt(home, &job, by).await?,
            Change::Approve => approve(home, &job, by).await?,
            Change::Reject(why) => reject(home, &job, &why, by).await?,
            Change::Raise(to) => raise(home, &job, to.read()?, by).await?,
            Change::Cancel => cancel(home, &job, by).await?,
            Change::Restore(point) => drop(restore(home, &job, &point, false, by).await?),
            Change::Rerun(phase) => drop(rerun(home, &job, &phase, false, by).await?),
            Change::Adopt => drop(adopt(home, &job, by).await?),
        }
        let job = open(home, &place, Purpose::Look).await?;
        status(home, &job).await
    }

    /// Opens a job, after a moment if a process that only looks at it has it.
    async fn open_free(&self, place: &JobPlace, purpose: Purpose) -> Result<OpenJob, Error> {
        let until = Instant::now() + MOMENT;
        loop {
            match open(self.home, place, purpose).await {
                Err(Error::Refused(refused))
                    if refused.code == "RUN_HELD" && Instant::now() < until =>
                {
                    sleep(LOOKED_EVERY).await;
                }
                opened => return opened,
            }
        }
    }

    async fn open(&self, name: &str, purpose: Purpose) -> Result<OpenJob, Error> {
        open(self.home, &self.owned(name).await?, purpose).await
    }

    /// The place of a job of this owner. A name that cannot be that of a job is answered like one that is not there.
    async fn owned(&self, name: &str) -> Result<JobPlace, Error> {
        let missing = || Refused::new("JOB_NOT_FOUND", "there is no job of that name");
        let place = self.place(name).map_err(|_| missing())?;
        match self.home.store().row(&RunId::new(place.first_run())).await {
            Ok(row) if row.owner == *self.owner => Ok(place),
            Ok(_) | Err(store::Error::NotFound(_)) => Err(missing().into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Where a job of a name lies. A link in the folder of jobs could lead anywhere, and is none.
    fn place(&self, name: &str) -> Result<JobPlace, Error> {
        let found = place(&self.folder, name, true)?;
        if self.folder.join(name).is_symlink() {
            let told = format!("{name:?} is a link, and not the directory of a job");
            return Err(Refused::usage("INVALID_JOB_NAME", told).into());
        }
        Ok(found)
    }
}

/// A job in a list, as it is shown.
#[must_use]
pub fn job_line(line: &JobLine) -> Value {
    json!({
        "job_id": line.job_id,
        "run": line.run.as_str(),
        "status": line.status,
        "cost": number(&cents(line.spent)),
        "created_at": line.created_at.to_string(),
        "updated_at": line.at.to_string(),
    })
}

/// What a job has used and may use, as it is shown.
#[must_use]
pub fn job_metrics(view: &JobView) -> Value {
    let whole = view.json();
    let mut shown = whole["metrics"].clone();
    for name in ["job_id", "status", "cost_threshold", "time_threshold_minutes"] {
        shown[name] = whole[name].clone();
    }
    shown
}

/// Sets how far a job goes on. The next free worker drives it.
async fn set_pace(home: &Home, job: &OpenJob, pace: Pace, by: &Speaker) -> Result<(), Error> {
    if job.look.row.status.is_closed() {
        return match (pace, job.status()) {
            (Pace::Free, JobStatus::Success) => Ok(()),
            _ => Err(not_there(job, "driven").into()),
        };
    }
    if job.state.job.stand == Stand::Draft {
        return Err(not_there(job, "driven").into());
    }
    let allowance = match pace {
        Pace::Free => None,
        Pace::Step => Some(1_u64),
    };
    if job.state.job.allowance != allowance {
        let value = Data::of(&json!({ "interactions": allowance }));
        home.engine.signal(&job.run, "pace", &value, by).await?;
    }
    Ok(())
}

/// The phases as they are meant, by the rules of a file of phases.
fn phases(wanted: &[OutsidePhase]) -> Result<Vec<Phase>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let wrong = |lines: Vec<String>| {
        let told = lines.first().cloned().unwrap_or_default();
        Refused::usage("INVALID_INPUT", format!("phases: {told}")).listing(lines)
    };
    let written: Vec<Value> = wanted.iter().map(OutsidePhase::written).collect();
    let file = toml::to_string(&json!({ "phase": written }));
    let file = file.map_err(|why| wrong(vec![why.to_string()]))?;
    Ok(phase::read(&file).map_err(wrong)?)
}

impl OutsidePhase {
    /// As it would stand in a file.
    fn written(&self) -> Value {
        let mut phase = json!({ "name": self.name, "task": self.task, "context": self.context });
        if let Some(role) = &self.role {
            phase["role"] = json!(role);
        }
        match &self.supervisor {
            OutsideSupervisor::Usual => {}
            OutsideSupervisor::Named(name) => phase["supervisor"] = json!(name),
            OutsideSupervisor::Nobody => phase["supervisor"] = json!(false),
        }
        phase
    }
}

#[cfg(test)]
mod tests {
    use consign_engine::Nanos;

    use super::*;

    fn wanted(name: &str, supervisor: OutsideSupervisor) -> OutsidePhase {
        let (task, context) = ("say \"it\"\n[[phase]]".to_owned(), vec!["a.md".to_owned()]);
        OutsidePhase { name: name.to_owned(), task, role: None, supervisor, context }
    }

    #[test]
    fn phases_keep_to_the_rules_of_a_file() {
        let named = OutsideSupervisor::Named("Reviewer".to_owned());
        let all = [
            wanted("a", OutsideSupervisor::Usual),
            wanted("b", named),
            wanted("c", OutsideSupervisor::Nobody),
        ];
        let read = phases(&all).unwrap();
        let supervisors: Vec<_> = read.iter().map(|own| own.supervisor.as_deref()).collect();
        assert_eq!(supervisors, [Some("Supervisor"), Some("Reviewer"), None]);
        assert_eq!((read[0].task.as_str(), read[0].role.as_str()), (&*all[0].task, "Worker"));
        assert!(read.iter().all(|own| own.check.is_none()));
        let twice = [all[0].clone(), all[0].clone()];
        let Err(Error::Refused(refused)) = phases(&twice) else { unreachable!("it has two") };
        assert_eq!((&*refused.code, refused.is_usage), ("INVALID_INPUT", true));
        assert!(phases(&[wanted("../x", OutsideSupervisor::Usual)]).is_err());
    }

    #[test]
    fn thresholds_are_exact_or_refused() {
        let read = |cost: &str, minutes: f64| {
            let cost = Some(cost.to_owned());
            OutsideThresholds { cost, minutes: Some(minutes) }.read()
        };
        let fits = read("12.5", 0.5).unwrap();
        assert_eq!((fits.cost, fits.minutes), (Some(Nanos::new(125_000_000)), Some(0.5)));
        assert_eq!(read("1e99", 1.0).unwrap_err(), UnfitThreshold("cost_threshold"));
        assert_eq!(read("1", 1e300).unwrap_err(), UnfitThreshold("time_threshold_minutes"));
        let left_out = OutsideThresholds::default().read().unwrap();
        assert!(left_out.cost.is_none() && left_out.minutes.is_none());
    }
}
