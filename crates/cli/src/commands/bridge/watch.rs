//! `consign bridge watch`: lets a command or a model answer, and goes on with the creation until it is
//! done.

use std::{path::PathBuf, time::Duration};

use consign_app::templates::{
    Answerer, TemplateEvent, WaitingCreation, Watch, WatchRound, Watching,
};
use consign_contracts::json::{Json, Object};
use consign_engine::{Nanos, Owner, store::Interaction};
use consign_models::ModelName;

use crate::{
    commands::{
        runs::{amount_arg, owner_arg, waits},
        template::create,
    },
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, printable, styled},
    signals::Signals,
    text::shell_word,
};

const HELP: &str = "\
Goes on with the creation in a project: whenever an agent is asked, the command gets the prompt on standard input \
and its standard output is the answer (a shell reads the line; CONSIGN_REQUEST_ID, CONSIGN_AGENT, CONSIGN_PHASE \
and CONSIGN_RETRY are set), or the model is asked. The response is written to its file like anybody's, and the creation is \
resumed. A command that fails, or takes longer than the request allows, is a failed round: the request is \
tried three times with more time each, then done without. Ctrl-C leaves everything in place.

A model is a call of the creation's run, like any other: what it may cost is held back beforehand from the run's \
limit (--cost, $10 if left out) and from the owner's budget, and every attempt is in the journal (`consign runs show`). \
When a limit is reached the watch stops with 43; the same command with a higher --cost goes on. An answer that was paid \
for is not paid for again, whenever the watch was killed.

A state that this machine did not begin must be named: --name and --output say that you know where it leads.

Exits with 0 when the template is there, 42 when --max-iterations rounds in a row have failed (a request that is \
done without ends the row), 43 when a limit is reached, 1 when it cannot go on.

Examples:
  consign bridge watch --path ~/src/shop --exec 'my-agent --headless'
  consign bridge watch --path ~/src/shop --model anthropic/claude-haiku-4-5 --max-iterations 2
  consign bridge watch --path ~/src/shop --model gpt-5-mini --cost 0.50";

#[derive(clap::Args)]
#[command(after_help = HELP)]
#[command(group(clap::ArgGroup::new("who").required(true).args(["exec", "model"])))]
pub(crate) struct Args {
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// The command that answers: the prompt on its standard input, the answer on its standard output
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,

    /// The model that answers, such as openai/gpt-5-mini
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// What the creation's model calls may cost in all, in US dollars
    #[arg(long, value_name = "USD", requires = "model", value_parser = amount_arg)]
    cost: Option<Nanos>,

    /// Who pays for it: the owner of the creation's run, where it has one
    #[arg(long, value_name = "NAME", value_parser = owner_arg)]
    owner: Option<Owner>,

    /// Write what each agent was given to a file, a line each
    #[arg(long, value_name = "FILE")]
    invocations: Option<PathBuf>,

    /// Failed rounds in a row after which it stops
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,

    /// The template's name, for a creation that this machine did not begin
    #[arg(long, value_name = "NAME", requires = "output")]
    name: Option<String>,

    /// The template's folder, likewise
    #[arg(long, value_name = "DIR", requires = "name")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let answerer = match (&args.exec, &args.model) {
        (Some(line), _) => Answerer::Command(line.clone()),
        (None, name) => Answerer::Model(model(name.as_deref().unwrap_or_default())?, args.cost),
    };
    let wanted = Watch {
        project: args.path.clone(),
        answerer,
        owner: args.owner.clone(),
        known: args.name.clone().zip(args.output.clone()),
        invocations: args.invocations.clone(),
        most_failed: args.max_iterations,
    };
    session(async |session| {
        let mut watching = Watching::begin(session, wanted).await?;
        let signals = Signals::listen(Duration::from_secs(5))?;
        let mut progress = create::Progress::new(output);
        loop {
            let told = &mut |told: TemplateEvent<'_>| progress.tell(&told);
            match watching.round(signals.stop.clone(), told).await? {
                WatchRound::GoesOn => {}
                WatchRound::Complete(report) => {
                    create::finished(&report, false, output)?;
                    return Ok(Exit::Done);
                }
                WatchRound::Failed(rounds, waiting) => {
                    output.tell(format!(
                        "{rounds} rounds in a row have failed; everything is left in place"
                    ));
                    create::print_waiting(&waiting, output)?;
                    return Ok(Exit::WaitsForAgent);
                }
                WatchRound::Limit(limit, waiting) => {
                    return limited(session, args, &waiting, &limit, output).await;
                }
                WatchRound::Stopped(waiting) => {
                    create::print_waiting(&waiting, output)?;
                    return Ok(signals.exit().unwrap_or(Exit::Interrupted));
                }
            }
        }
    })
}

/// What a command line says that names no model.
fn model(name: &str) -> Result<ModelName, Error> {
    name.parse().map_err(|why: String| {
        Error::usage("MODEL_INVALID", why).hint("`consign models list` shows some")
    })
}

/// A limit is in the way: what it is, and what goes on. Everything is left in place.
async fn limited(
    session: &Session,
    args: &Args,
    waiting: &WaitingCreation,
    limit: &Interaction,
    output: &mut Output,
) -> Result<Exit, Error> {
    let row = session.store().row(&limit.run).await?;
    let mut resume = format!("consign bridge watch --path {}", shell_word(&waiting.order.project));
    if let Some(name) = &args.model {
        resume.push_str(&format!(" --model {}", shell_word(&model(name)?.to_string())));
    }
    let budget = match limit.code.as_deref() {
        Some("LIMIT_OWNER") => Some(waits::raise(session, &row, limit).await?),
        Some(_) | None => {
            resume.push_str(&format!(" --cost {}", waits::enough_cost(&row, limit)));
            None
        }
    };
    let code = limit.code.clone().unwrap_or_else(|| "LIMIT_COST".to_owned());
    if output.reader == Audience::Program {
        let mut told = create::waiting_object(waiting);
        let mut about = Object::new();
        about.set("code", Json::String(code.into()));
        about.set("message", Json::String(limit.prompt.clone().into()));
        if let Some(command) = budget {
            about.set("raise", Json::String(command.into()));
        }
        told.set("limit", Json::Object(about));
        told.set("resume", Json::String(resume.into()));
        output.object(told)?;
        return Ok(Exit::WaitsForPerson);
    }
    let head = format!("the watch stopped at a limit ({code}); everything is left in place");
    output.line(styled(STRONG, head))?;
    output.line(format!("  {}", printable(&limit.prompt)))?;
    let rows = budget.map(|command| ("raise", command)).into_iter().chain([("go on", resume)]);
    for (what, command) in rows {
        output.line(format!("  {}{}", styled(FAINT, format!("{what:<9}")), printable(&command)))?;
    }
    Ok(Exit::WaitsForPerson)
}
