//! `consign agents list`: the agents that can be called here.

use consign_contracts::json::Json;
use consign_engine::Effect;
use consign_invokers::define::Unusable;

use crate::{
    commands::runs::form,
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
};
use consign_app::{definitions, templates};

pub(super) const HELP: &str = "\
Yours first, then those that come with Consign. One whose file cannot be used is `invalid`, with \
every fault of the file. In a pipe the fields are name, how it is reached, effect class and description, separated by \
tabs.

Examples:
  consign agents list
  consign agents list --json | jq -r .name";

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let mut rows = Vec::new();
        for found in definitions::all(&session.folder).map_err(definitions::unusable)? {
            match found {
                Ok(agent) => rows.push(Row {
                    name: agent.name,
                    reached: agent.reached.as_str(),
                    effect: Some(agent.effect),
                    description: agent.description,
                    file: Some(agent.path.display().to_string()),
                    faults: None,
                }),
                Err(bad) => rows.push(Row {
                    name: bad.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                    reached: "invalid",
                    effect: None,
                    description: told(&bad),
                    file: Some(bad.path.display().to_string()),
                    faults: Some(bad.json()),
                }),
            }
        }
        let known = session.engine.agents().known();
        for (name, agent) in known.filter(|(name, _)| !templates::is_bridged(name)) {
            rows.push(Row {
                name: name.to_string(),
                reached: "in process",
                effect: Some(agent.effect),
                description: "comes with Consign, for the sample workflows".to_owned(),
                file: None,
                faults: None,
            });
        }
        print(&rows, output)?;
        Ok(Exit::Done)
    })
}

struct Row {
    name: String,
    reached: &'static str,
    effect: Option<Effect>,
    description: String,
    file: Option<String>,
    faults: Option<Json<'static>>,
}

/// Every fault of a definition, on one line.
fn told(bad: &Unusable) -> String {
    bad.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")
}

fn print(rows: &[Row], output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        for row in rows {
            let mut shown = object([
                ("name", form::text(&row.name)),
                ("reached", Json::from(row.reached)),
                ("effect", row.effect.map_or(Json::Null, |effect| Json::from(word(effect)))),
                ("description", form::text(&row.description)),
                ("file", row.file.as_ref().map_or(Json::Null, form::text)),
            ]);
            if let Some(faults) = &row.faults {
                shown.set("faults", faults.clone());
            }
            output.object(shown)?;
        }
        return Ok(());
    }
    let fields = rows.iter().map(|row| {
        let effect = row.effect.map_or("", word).to_owned();
        vec![row.name.clone(), row.reached.to_owned(), effect, row.description.clone()]
    });
    output.rows(&["agent", "reached by", "effect", "description"], fields.collect())?;
    if output.reader == Audience::Person && rows.iter().all(|row| row.file.is_none()) {
        let text = "None of your own yet: `consign agents --help` shows how to write one.";
        output.line(styled(FAINT, text))?;
    }
    Ok(())
}

pub(super) fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Pure => "pure",
        Effect::Idempotent => "idempotent",
        Effect::Keyed => "keyed",
        Effect::Unsafe => "unsafe",
    }
}
