//! Taking over what a person changed in the manifest: description, thresholds, approval, and phases not yet begun.

use consign_engine::{Data, Speaker};
use consign_supervised::{
    Phase,
    amount::from_cents,
    directory::{Caught, MANIFEST, read_manifest},
    manifest::Found,
    phase,
};
use serde_json::{Map, Value, json};

use super::{
    drive::settle,
    open::{OpenJob, files_error, free},
    steward::{Raise, key, raise},
    view::opened,
};
use crate::{
    error::{Error, Refused},
    home::Home,
};

/// Members that follow from the journal: a change of them is refused.
const DERIVED: [&str; 7] =
    ["version", "job_id", "status", "current_phase", "sensitive", "metrics", "history"];

/// Adopts an edited manifest. Gives the names of what changed.
pub async fn adopt(home: &Home, job: &OpenJob, by: &Speaker) -> Result<Vec<String>, Error> {
    by.as_person("adopting a manifest")?;
    free(&job.look, &job.place)?;
    let edited = match read_manifest(&job.place.directory).map_err(files_error)? {
        Found::Edited(manifest, _) => manifest,
        Found::Ours(..) if !matches!(job.files, Caught::Diverged(_)) => return Ok(Vec::new()),
        Found::Ours(_, manifest) => manifest,
        Found::Missing => return Err(unreadable(&job.place.directory).into()),
        Found::TooNew(version) => {
            let told = format!("{MANIFEST} has version {version}, and this program reads 1.x");
            return Err(Refused::new("VERSION_TOO_NEW", told).into());
        }
    };
    let ours = current(home, job).await?;
    let mut changed = Vec::new();
    let mut refused = Vec::new();
    let theirs = edited.as_object().cloned().unwrap_or_default();
    // What a job did since its manifest was edited is in what we would write, and not in the edit.
    let moved_on = edited["consign"]["seq"].as_u64() != Some(job.look.row.seq.0);
    for (name, value) in &ours {
        if name == "consign" || theirs.get(name).is_none_or(|own| says_nothing_else(own, value)) {
            continue;
        }
        let derived = DERIVED.contains(&name.as_str());
        if derived && moved_on && !["version", "job_id", "sensitive"].contains(&name.as_str()) {
            continue;
        }
        if derived { refused.push(name.clone()) } else { changed.push(name.clone()) }
    }
    refused.extend(theirs.keys().filter(|name| !ours.contains_key(*name)).cloned());
    if !refused.is_empty() {
        let told = format!("these cannot be changed by hand: {}", refused.join(", "));
        return Err(Refused::new("MANIFEST_DIVERGED", told)
            .hint("put them back, or remove the manifest: it is written anew from the journal")
            .into());
    }
    apply(home, job, &theirs, &changed, by).await?;
    // What is left of the edit is ours now: it is written anew.
    let path = job.place.directory.join(MANIFEST);
    std::fs::remove_file(&path).map_err(|cause| Refused::unreadable(&path, &cause))?;
    home.job_files.catch_up(&home.engine, &job.run).await.map_err(files_error)?;
    Ok(changed)
}

/// Why the manifest cannot be read: an edit with a mistake in it says where.
fn unreadable(directory: &std::path::Path) -> Refused {
    let text = std::fs::read_to_string(directory.join(MANIFEST)).unwrap_or_default();
    let why = match serde_json::from_str::<Value>(&text) {
        Err(why) if !text.trim().is_empty() => format!(": {why}"),
        Ok(_) | Err(_) => String::new(),
    };
    Refused::new("MANIFEST_UNREADABLE", format!("{MANIFEST} is not JSON{why}"))
        .hint("correct it, or remove it: it is written anew from the journal")
}

/// Whether an edited value says nothing that ours does not: members that it leaves out are not changed.
fn says_nothing_else(theirs: &Value, ours: &Value) -> bool {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => theirs
            .iter()
            .all(|(name, own)| ours.get(name).is_some_and(|value| says_nothing_else(own, value))),
        (Value::Number(theirs), Value::Number(ours)) => theirs.as_f64() == ours.as_f64(),
        (theirs, ours) => theirs == ours,
    }
}

/// The members as they would be written now.
async fn current(home: &Home, job: &OpenJob) -> Result<Map<String, Value>, Error> {
    let manifest = home.job_files.manifest(&home.engine, &job.run).await.map_err(files_error)?;
    Ok(manifest.as_object().cloned().unwrap_or_default())
}

async fn apply(
    home: &Home,
    job: &OpenJob,
    theirs: &Map<String, Value>,
    changed: &[String],
    by: &Speaker,
) -> Result<(), Error> {
    let wrong = |name: &str| {
        Refused::usage("INVALID_INPUT", format!("`{name}` of the manifest is not valid"))
    };
    let key = key(home, job).await?;
    let seal = |text: &str| {
        key.as_ref().map_or_else(|| text.to_owned(), |key| key.seal(&opened(Some(key), text)))
    };
    let (mut adopted, mut raised) = (Map::new(), Raise::default());
    for name in changed {
        let value = &theirs[name];
        match name.as_str() {
            "description" => {
                let text = value.as_str().ok_or_else(|| wrong(name))?;
                adopted.insert(name.clone(), seal(text).into());
            }
            "require_approval" => {
                value.as_bool().ok_or_else(|| wrong(name))?;
                adopted.insert(name.clone(), value.clone());
            }
            "phases" => {
                let phases: Vec<Phase> =
                    serde_json::from_value(value.clone()).map_err(|cause| {
                        let told = format!("`phases` of the manifest is not valid: {cause}");
                        Refused::usage("INVALID_INPUT", told)
                    })?;
                let begun = job.state.begun_phases();
                if phases.len() < begun.max(1) || phases[..begun] != job.state.job.phases[..begun] {
                    let told = "phases that were begun cannot be changed";
                    return Err(Refused::new("MANIFEST_DIVERGED", told).into());
                }
                let wrong = phase::check(&phases);
                if !wrong.is_empty() {
                    return Err(Refused::usage("PHASES_INVALID", "the phases cannot be used")
                        .listing(wrong)
                        .into());
                }
                let mut phases = phases;
                for own in &mut phases[begun..] {
                    own.task = seal(&own.task);
                }
                adopted.insert(name.clone(), json!(phases));
            }
            "cost_threshold" => {
                raised.cost = Some(from_cents(&value.to_string()).ok_or_else(|| wrong(name))?);
            }
            "time_threshold_minutes" => {
                let minutes = value.as_f64().filter(|minutes| *minutes >= 0.0);
                raised.minutes = Some(minutes.ok_or_else(|| wrong(name))?);
            }
            _ => return Err(wrong(name).into()),
        }
    }
    if raised.cost.is_some() || raised.minutes.is_some() {
        raise(home, job, raised, by).await?;
    }
    if !adopted.is_empty() {
        home.engine.signal(&job.run, "adopt", &Data::of(&adopted), by).await?;
        settle(&home.engine, &job.run).await?;
    }
    Ok(())
}
