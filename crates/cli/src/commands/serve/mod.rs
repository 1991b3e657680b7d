//! `consign serve`: the HTTP surface and the workers in one process. Neither stays without the other.

mod worker;

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use consign_app::{
    pipelines::{PipelineService, ready},
    workers,
};
use consign_contracts::json::Json;
use consign_engine::{Owner, Stop};
use consign_pipeline::envelope::MOST_BYTES;
use consign_server::{Incident, Options, Parts, Report, Server, Token, WorkerHealth, is_host_name};
use futures_util::FutureExt;
use tokio::net::TcpListener;
use tracing::{error, warn};

use super::{
    pipeline::place_args::PlaceArgs,
    runs::{agent_overrides::AgentOverrides, form, owner_arg},
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    logs,
    output::{Audience, FAINT, Output, STRONG, object, styled},
    signals::Signals,
};

/// The variable that sets a token.
const TOKEN: &str = "CONSIGN_TOKEN";

const HELP: &str = "\
Answers HTTP on this machine only, and wants the token that it prints at start with every request \
(Authorization: Bearer TOKEN); CONSIGN_TOKEN sets one of your own. Detached runs are driven by the \
same process, as `consign worker` does.

  POST /api/v1/process[?durable=true][&until=STAGE]   an envelope in, an envelope out
  GET  /api/runs, POST /api/runs                      list and start runs
  GET  /api/runs/RUN, /api/runs/RUN/events            one run, and its events as they come (SSE)
  POST /api/runs/RUN/answers/KEY, /raise, /cancel     let it go on, or end it
  GET  /api/inbox                                     what waits for an answer
  GET  /healthz, /readyz, /openapi.json               for programs that look after it

With durable=true an envelope becomes a run: listed, watched, answered and resumed like any other. Send it again \
when you are not sure that it arrived: it is the same run.

It is asked as localhost, 127.0.0.1 or [::1]; --allow-host adds the name under which a proxy before it is known.

With --json the first line is {\"event\": \"listening\", \"url\", \"token\", \"token_from\"}, as soon as it can be asked: \
`token` is the one it made up; of one of your own it is null, and `token_from` names the variable. docs/http.md has \
every route with an example.

Ctrl-C or SIGTERM stops it gracefully: an envelope that is not made a run comes back as far as it came, with 503.

Examples:
  consign serve --repo .
  curl -H \"Authorization: Bearer $CONSIGN_TOKEN\" -H 'Content-Type: application/json' \\
    --data @envelope.json http://127.0.0.1:4020/api/v1/process";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Where to listen: an address of this machine; port 0 takes any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4020")]
    listen: SocketAddr,

    /// The pipeline of /api/v1/process; that of the six built-in agents if left out
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,

    #[command(flatten)]
    at: PlaceArgs,

    /// A further host name under which it may be asked, without a port; may be repeated
    #[arg(long, value_name = "NAME", value_parser = host_arg)]
    allow_host: Vec<String>,

    /// Refuse larger bodies than this
    #[arg(long, value_name = "BYTES", default_value_t = MOST_BYTES)]
    max_bytes: usize,

    /// How long a request may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time_limit: u64,

    /// How many runs to drive at once
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    at_once: usize,

    #[command(flatten)]
    overrides: AgentOverrides,

    /// Who pays for what comes in
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    if !args.listen.ip().is_loopback() {
        let told = format!("{} is not an address of this machine alone", args.listen);
        let hint = "until there are accounts, only this machine is served: 127.0.0.1, or ::1";
        return Err(Error::usage("NOT_LOOPBACK", told).hint(hint));
    }
    session(async |session| serve(args, session, output).await)
}

async fn serve(args: &Args, session: &Session, output: &mut Output) -> Result<Exit, Error> {
    let signals = Signals::listen(Duration::from_secs(10))?;
    let ready = ready(session, args.pipeline.as_deref(), args.at.at(), args.overrides.model())?;
    args.overrides.check_many(session, ready.thinks())?;
    let settings = args.overrides.settings()?;
    let processor =
        PipelineService::new(session, ready, settings, args.owner.clone(), args.max_bytes);
    let (token, chosen) = token()?;
    let listener = TcpListener::bind(args.listen).await.map_err(|cause| {
        Error::new("ADDRESS_UNAVAILABLE", format!("could not listen on {}: {cause}", args.listen))
            .hint("--listen 127.0.0.1:0 takes any port that is free")
    })?;
    let address = listener.local_addr()?;
    let worker_health = WorkerHealth::default();
    let router = Server::new(Parts {
        home: session.clone(),
        jobs_dir: consign_app::jobs::jobs_dir(&session.folder),
        token: token.clone(),
        processor: Arc::new(processor),
        options: Options {
            max_body_bytes: args.max_bytes,
            time_limit: Duration::from_secs(args.time_limit),
            owner: args.owner.clone(),
            report: Report::to(|incident| report(&incident)),
            worker_health: worker_health.clone(),
            allowed_hosts: args.allow_host.clone(),
            ..Options::default()
        },
    });
    announce(address, &token, chosen, output)?;
    let worker = workers::enlist(&session.engine, args.at_once).await?;
    let mut stop = signals.stop.clone();
    let stopped = async move {
        let _ = stop.wait_for(|stop| *stop != Stop::GoOn).await;
    };
    let served = consign_server::serve(listener, router, stopped);
    let worked = worker::work(worker, signals.stop.clone(), worker_health);
    // Whichever ends, for whatever reason, the other is told to.
    let (served, worked) = tokio::join!(served.inspect(|_| signals.drain()), async {
        worked.await.inspect_err(|_| signals.drain())
    });
    if worked.is_ok() && output.reader != Audience::Program {
        logs::line("stopped");
    }
    worked?;
    served.map_err(|cause| Error::new("INTERNAL", format!("the server ended: {cause}")))?;
    Ok(Exit::Done)
}

fn host_arg(given: &str) -> Result<String, String> {
    match is_host_name(given) {
        true => Ok(given.to_owned()),
        false => Err("a host name is wanted, without scheme and port".to_owned()),
    }
}

/// The token of the environment, or a new one. Says whether it was chosen.
fn token() -> Result<(Token, bool), Error> {
    match std::env::var(TOKEN) {
        Ok(chosen) if !chosen.is_empty() => Token::chosen(chosen)
            .map(|token| (token, true))
            .map_err(|why| Error::usage("WEAK_TOKEN", format!("{TOKEN}: {why}"))),
        Ok(_) | Err(_) => Ok((Token::random(), false)),
    }
}

fn announce(at: SocketAddr, token: &Token, chosen: bool, output: &mut Output) -> Result<(), Error> {
    let url = format!("http://{at}");
    if output.reader == Audience::Program {
        let (shown, from) = match chosen {
            true => (Json::Null, form::text(TOKEN)),
            false => (form::text(token.reveal()), Json::Null),
        };
        output.object(object([
            ("event", form::text("listening")),
            ("url", form::text(&url)),
            ("token", shown),
            ("token_from", from),
        ]))?;
        return output.finish();
    }
    output.line(format!("listening on {}", styled(STRONG, &url)))?;
    match chosen {
        true => output.line(format!("token: that of {TOKEN}"))?,
        false => output.line(format!("token: {}", styled(STRONG, token.reveal())))?,
    }
    output.finish()?;
    output
        .tell(styled(FAINT, format!("Ctrl-C stops it; {url}/openapi.json says what can be asked")));
    Ok(())
}

/// Logs what the client is not told. The span around it has the request, its method and its path.
fn report(incident: &Incident) {
    let Incident { status, code, cause, .. } = incident;
    match *status >= 500 {
        true => error!(status, code, cause, "request failed"),
        false => warn!(code, cause, "the run of the request is stopped"),
    }
}
