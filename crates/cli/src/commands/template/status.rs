//! `consign template status`: where the creation in a project stands.

use std::path::PathBuf;

use consign_app::templates::{self, CreationStatus, Standing};
use consign_contracts::json::{Json, Object};
use consign_engine::Data;
use consign_template::creation::{Creation, PHASES, phase_name};

use super::create::described;
use crate::{
    engine::now,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, STRONG, WARN, object, printable, styled},
    text::span,
};

const HELP: &str = "\
Only looks: nothing is changed, and no other command has to wait. Exits with 0 whatever it finds.

With --json: {\"project\", \"status\": \"none\" | \"waiting\" | \"answered\" | \"refused\" | \"stopped\", \"run\", \"phase\", \
\"phase_name\", \"checkpoint_name\", \"completed_phases\", \"agent_requests\", \"pending\", \"fallbacks\", …}.

Examples:
  consign template status --path ~/src/shop
  consign template status --path . --json | jq .pending.request_id";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let CreationStatus { project, creation } = templates::status(&args.path)?;
    let project = project.display().to_string();
    let Some((creation, standing)) = creation else {
        if output.reader == Audience::Program {
            let told = [("project", Json::String(project.into())), ("status", Json::from("none"))];
            output.object(object(told))?;
        } else {
            output.line(format!("no template is being made of {}", printable(&project)))?;
        }
        return Ok(Exit::Done);
    };
    if output.reader == Audience::Program {
        output.object(told(&creation, &project, standing))?;
    } else {
        print(&creation, standing, output)?;
    }
    Ok(Exit::Done)
}

fn told(creation: &Creation, project: &str, standing: Standing) -> Object<'static> {
    let text = |text: &str| Json::String(text.to_owned().into());
    let state = creation.to_state(now());
    let Json::Object(state) = consign_contracts::wire::Wire::write(&state) else {
        return Object::new();
    };
    let mut told = object([
        ("project", text(project)),
        ("status", Json::from(standing.as_str())),
        ("run", text(&creation.run)),
    ]);
    for (name, value) in state.iter() {
        if !["version", "phase_data", "created_at", "project_path"].contains(&name) {
            told.set(name.to_owned(), value.clone());
        }
    }
    let pending = creation.pending.as_ref();
    let pending = pending.map_or(Json::Null, |pending| Json::Object(described(&pending.request)));
    told.set("pending", pending);
    told.set("fallbacks", Data::of(&creation.report().fallbacks).shown().into_owned());
    told
}

fn print(creation: &Creation, standing: Standing, output: &mut Output) -> Result<(), Error> {
    let head = format!("{} of {}", creation.order.name, creation.order.project);
    output.line(styled(STRONG, printable(&head)))?;
    let at = creation.step.phase();
    for phase in 1..=PHASES {
        let done = creation.completed.iter().find(|done| done.phase == phase);
        let (mark, text) = match done {
            Some(done) => (styled(GOOD, "done   "), printable(&done.summary).into_owned()),
            None if phase == at => (styled(WARN, "here   "), String::new()),
            None => (styled(FAINT, "       "), String::new()),
        };
        output.line(format!("  {mark} {phase} {:<21} {text}", phase_name(phase)))?;
    }
    if let Some(pending) = &creation.pending {
        let request = &pending.request;
        let age = span(now().since(pending.asked_at));
        let late = if pending.is_late(now()) { ", which is over" } else { "" };
        output.line(format!(
            "  {}: {} was asked {age} ago ({}); it has {} s{late}",
            standing.as_str(),
            request.agent_name,
            request.request_id,
            pending.timeout()
        ))?;
    }
    Ok(())
}
