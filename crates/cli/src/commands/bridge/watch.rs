//! `consign bridge watch`: closes the loop. Somebody answers, the creation goes on, until it is done.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_contracts::{
    bridge::{ErrorType, ResponseStatus},
    json::{Json, Object},
};
use consign_engine::{
    Nanos, Owner, RunId,
    store::{self, Interaction},
};
use consign_template::{
    maker::{End, Reach, Told, note_request},
    mirror,
    respond::{self, RespondError},
};

use super::handler::{Handler, Round, model};
use crate::{
    commands::{
        runs::{amount_arg, owner_arg, waits},
        template::{
            create,
            making::{self, Making},
        },
    },
    engine::{Session, now, session},
    error::{Error, Exit},
    output::{FAINT, Output, Reader, STRONG, printable, styled},
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
    let handler = match (&args.exec, &args.model) {
        (Some(line), _) => Handler::Command(line.clone()),
        (None, name) => Handler::Model(model(name.as_deref().unwrap_or_default())?, args.cost),
    };
    let folder = making::open(&args.path)?;
    let mut making = Making::resumed(folder)?;
    session(async |session| {
        known(args, session, &making).await?;
        let owner = making.belongs_to(session, args.owner.as_ref()).await?;
        handler.is_there(session, owner).await?;
        watch(args, session, &handler, &mut making, output).await
    })
}

/// Whether this machine began the creation, or the user says that they know it: a state may be a
/// stranger's, and lead anywhere.
async fn known(args: &Args, session: &Session, making: &Making) -> Result<(), Error> {
    let creation = &making.creation;
    if Path::new(&creation.order.project) != making.folder.path() {
        let told = format!("the state is of a project in {}", creation.order.project);
        return Err(Error::new("STATE_MISMATCH", told)
            .hint("move the project back, or begin anew with `consign template create --fresh`"));
    }
    if let (Some(name), Some(to)) = (&args.name, &args.output) {
        if *name == creation.order.name && making::output_path(to)? == creation.order.output {
            return Ok(());
        }
        return Err(Error::new("STATE_MISMATCH", "the state belongs to another creation")
            .listing([
                format!("--name in the state: {}", creation.order.name),
                format!("--output in the state: {}", creation.order.output),
            ])
            .hint("look at it with `consign template status`"));
    }
    let run = RunId::from(creation.run.as_str());
    match session.store().row(&run).await {
        Ok(row)
            if row.workflow == mirror::CREATE
                && mirror::is_of(&session.engine, &run, &creation.order).await? =>
        {
            Ok(())
        }
        Ok(_) | Err(store::Error::NotFound(_)) => {
            let told = "this machine did not begin the creation in this project";
            Err(Error::new("STATE_UNKNOWN", told)
                .listing([
                    format!("template: {}", creation.order.name),
                    format!("output: {}", creation.order.output),
                ])
                .hint("if that is what you want, say so with --name and --output"))
        }
        Err(error) => Err(error.into()),
    }
}

async fn watch(
    args: &Args,
    session: &Session,
    handler: &Handler,
    making: &mut Making,
    output: &mut Output,
) -> Result<Exit, Error> {
    let signals = Signals::listen(Duration::from_secs(5))?;
    let mut progress = create::Progress::new(output);
    let mut tell = |told: Told<'_>| progress.tell(&told);
    let mut failed = 0;
    loop {
        let fallbacks = making.creation.fallbacks();
        match making.drive(Some(session), Reach::Bridge, true, None, &mut tell, output).await? {
            End::Complete => {
                create::finished(&making.creation.report(), false, output)?;
                return Ok(Exit::Done);
            }
            End::Waits => {}
        }
        if making.creation.fallbacks() > fallbacks {
            failed = 0;
        }
        if failed >= args.max_iterations {
            output
                .tell(format!("{failed} rounds in a row have failed; everything is left in place"));
            create::waiting(making, output)?;
            return Ok(Exit::WaitsForAgent);
        }
        let Some(pending) = making.creation.pending.clone() else { continue };
        let request = &pending.request;
        if let Some(path) = &args.invocations {
            note_request(path, &making.creation.run, request)
                .map_err(|fault| Error::from(&fault))?;
        }
        let round = handler.answer(session, making, request, signals.stop.clone()).await?;
        let response = match round {
            Round::Response(response) => response,
            Round::Overtaken => continue,
            Round::Limit(limit) => return limited(session, handler, making, &limit, output).await,
            Round::Stopped => {
                create::waiting(making, output)?;
                return Ok(signals.exit().unwrap_or(Exit::Interrupted));
            }
        };
        failed = if response.status == ResponseStatus::Success { 0 } else { failed + 1 };
        let answer = |response| {
            respond::respond(making.folder.path(), request.request_id.as_str(), response)
        };
        let written = match answer(&response) {
            Err(RespondError::TooLarge { .. }) => {
                let why = Some("the answer is too large".to_owned());
                let kind = ErrorType::ValidationError;
                answer(&respond::fail(request, kind, why, None, now()))
            }
            written => written,
        };
        match written {
            // Somebody else was quicker, and the first answer counts.
            Ok(()) | Err(RespondError::AlreadyAnswered) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A limit is in the way: what it is, and what goes on. Everything is left in place.
async fn limited(
    session: &Session,
    handler: &Handler,
    making: &Making,
    limit: &Interaction,
    output: &mut Output,
) -> Result<Exit, Error> {
    let row = session.store().row(&limit.run).await?;
    let mut resume =
        format!("consign bridge watch --path {}", shell_word(&making.creation.order.project));
    if let Handler::Model(name, _) = handler {
        resume.push_str(&format!(" --model {}", shell_word(&name.to_string())));
    }
    let budget = match limit.code.as_deref() {
        Some("LIMIT_OWNER") => Some(waits::raise(session, &row, limit).await?),
        Some(_) | None => {
            resume.push_str(&format!(" --cost {}", waits::enough_cost(&row, limit)));
            None
        }
    };
    let code = limit.code.clone().unwrap_or_else(|| "LIMIT_COST".to_owned());
    if output.reader == Reader::Program {
        let Some(mut told) = create::waiting_object(making) else {
            return Ok(Exit::WaitsForPerson);
        };
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
