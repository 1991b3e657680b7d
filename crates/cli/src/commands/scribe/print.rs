//! What a job came to: the diff or what was published, and how good it is.

use consign_app::agent_jobs::{self, Include, changes};
use consign_contracts::json::Json;
use consign_engine::Owner;

use super::diff;
use crate::{
    commands::authoring::job::Completed,
    engine::Session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, WARN, printable, styled},
};

pub(super) async fn print(
    session: &Session,
    owner: &Owner,
    done: &Completed,
    is_written: bool,
    output: &mut Output,
) -> Result<Exit, Error> {
    let ok = done.result.get("ok") == Some(&Json::Bool(true));
    let exit = if ok { Exit::Done } else { Exit::Failed };
    if output.reader == Audience::Program {
        output.line(done.result.to_string())?;
        return Ok(exit);
    }
    let is_dry = done.result.get("dryRun") == Some(&Json::Bool(true));
    let files = changes(session, owner, done.run.as_str()).await?;
    match () {
        () if is_written => {}
        () if files.is_empty() && ok => {
            output.line("nothing to change: the documents are right")?
        }
        () if is_dry => diff::write(&files, output)?,
        () => published(done, output)?,
    }
    output.finish()?;
    tell_quality(session, owner, done, output).await?;
    if is_dry && !is_written && !files.is_empty() {
        let told = format!(
            "nothing was written; --branch NAME commits it, `consign scribe --run {} --out DIR` writes the files",
            done.run
        );
        output.tell(styled(FAINT, told));
    }
    Ok(exit)
}

fn published(done: &Completed, output: &mut Output) -> Result<(), Error> {
    let list = done.result.get("commits").and_then(Json::as_array).unwrap_or_default();
    for entry in list {
        let text = |value: Option<&Json<'_>>| {
            value.and_then(Json::as_str).map(|text| printable(text).into_owned())
        };
        let commit = entry.get("commit");
        let sha = text(commit.and_then(|commit| commit.get("sha"))).unwrap_or_default();
        let message = text(commit.and_then(|commit| commit.get("message"))).unwrap_or_default();
        let short: String = sha.chars().take(12).collect();
        output.line(format!("{} {short} {message}", styled(GOOD, "committed")))?;
    }
    if !done.text("branch").is_empty() {
        output.line(format!("branch {}", printable(done.text("branch"))))?;
    }
    let request = done.result.get("pullRequest").and_then(|request| request.get("url"));
    if let Some(url) = request.and_then(Json::as_str) {
        output.line(format!("pull request {}", printable(url)))?;
    }
    Ok(())
}

async fn tell_quality(
    session: &Session,
    owner: &Owner,
    done: &Completed,
    output: &Output,
) -> Result<(), Error> {
    let (id, include) = (done.run.as_str(), Include::default());
    let job = agent_jobs::get(session, owner, &session.user, id, include).await?;
    if let Some(Json::Number(score)) = job.get("qualityScore") {
        output.tell(format!("quality {score} of 100"));
    }
    let critiques = done.result.get("critiques").and_then(Json::as_array).unwrap_or_default();
    for critique in critiques {
        let path = critique.get("path").and_then(Json::as_str).unwrap_or_default();
        let issues = critique.get("critique").and_then(|critique| critique.get("issues"));
        for issue in issues.and_then(Json::as_array).unwrap_or_default() {
            let issue = issue.as_str().unwrap_or_default();
            let told = format!("{}: {}", printable(path), printable(issue));
            output.tell(format!("{} {told}", styled(WARN, "note:")));
        }
    }
    Ok(())
}
