//! `consign agents show NAME`: how an agent is reached, and its contract.

use consign_contracts::json::Json;
use consign_engine::{Data, Nanos};
use consign_invokers::{
    define::{Definition, McpServer, Reached},
    model::ModelSource,
};

use consign_app::definitions;

use super::list::word;
use crate::{
    commands::runs::form,
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, object, printable, styled},
    text::span,
};

const HELP: &str = "\
Examples:
  consign agents show reviewer
  consign agents show reviewer.toml --json | jq .output";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The agent's name, or its file
    #[arg(value_name = "NAME")]
    agent: String,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let definition = if definitions::is_file(&args.agent) {
            consign_invokers::define::read(args.agent.as_ref()).map_err(definitions::unusable)?
        } else {
            let own = definitions::named(&session.folder, &args.agent)?;
            own.ok_or_else(|| definitions::unknown(&session.folder, &args.agent))?
        };
        print(&definition, output)?;
        Ok(Exit::Done)
    })
}

fn print(agent: &Definition, output: &mut Output) -> Result<(), Error> {
    let facts = facts(agent);
    let contract = |schema: &Option<Data>| schema.as_ref().map_or(Json::Null, form::data);
    if output.reader == Audience::Program {
        let mut whole = object([
            ("name", form::text(&agent.name)),
            ("description", form::text(&agent.description)),
            ("effect", Json::from(word(agent.effect))),
            ("reached", Json::from(agent.reached.as_str())),
            ("file", form::text(agent.path.display())),
        ]);
        if !matches!(agent.reached, Reached::Bridge(_)) {
            let seconds = Data::of(&agent.timeout.as_secs_f64());
            whole.set("timeout_seconds", form::data(&seconds));
        }
        for (name, value) in facts {
            whole.set(name, form::text(value));
        }
        whole.set("input", contract(&agent.input));
        whole.set("output", contract(&agent.output));
        output.object(whole)?;
        return Ok(());
    }
    output.line(format!("{}  {}", styled(STRONG, &agent.name), printable(&agent.description)))?;
    let mut rows = vec![
        vec!["reached by".to_owned(), agent.reached.as_str().to_owned()],
        vec!["effect".to_owned(), word(agent.effect).to_owned()],
    ];
    if !matches!(agent.reached, Reached::Bridge(_)) {
        rows.push(vec!["timeout".to_owned(), span(agent.timeout)]);
    }
    rows.extend(facts.into_iter().map(|(name, value)| vec![name.replace('_', " "), value]));
    rows.push(vec!["file".to_owned(), agent.path.display().to_string()]);
    for (side, schema) in [("input", &agent.input), ("output", &agent.output)] {
        let told = schema.as_ref().map_or("anything", Data::as_str);
        rows.push(vec![format!("{side} contract"), told.to_owned()]);
    }
    output.rows(&["", ""], rows)?;
    if output.reader == Audience::Person {
        output.line(styled(FAINT, format!("consign agents try {} --input …", agent.name)))?;
    }
    Ok(())
}

/// What is particular to the way it is reached.
fn facts(agent: &Definition) -> Vec<(&'static str, String)> {
    let cost = |cost: &Nanos| format!("${cost}");
    match &agent.reached {
        Reached::Model(model) => {
            let names = match &model.source {
                ModelSource::Models(chain) => {
                    chain.iter().map(ToString::to_string).collect::<Vec<_>>().join(", then ")
                }
                ModelSource::Replay(path) => format!("replay:{}", path.display()),
                ModelSource::Script(path) => format!("scripted:{}", path.display()),
                ModelSource::Bridge => "bridge".to_owned(),
            };
            vec![("model", names), ("max_tokens", model.max_tokens.to_string())]
        }
        Reached::Subprocess(own) => vec![
            ("command", own.command.join(" ")),
            ("memory", format!("{} MiB", own.memory >> 20)),
            ("max_cost", cost(&own.max_cost)),
        ],
        Reached::Http(own) => {
            vec![("url", own.url.clone()), ("max_cost", cost(&own.max_cost))]
        }
        Reached::Mcp(own) => {
            let (server, max_cost) = match &own.server {
                McpServer::Program(program) => (program.command.join(" "), &program.max_cost),
                McpServer::Web(server) => (server.url.clone(), &server.max_cost),
            };
            vec![("tool", own.tool.clone()), ("server", server), ("max_cost", cost(max_cost))]
        }
        Reached::Bridge(own) => {
            let deadline = own.deadline.map_or("none".to_owned(), span);
            vec![("deadline", deadline), ("max_cost", cost(&own.max_cost))]
        }
    }
}
