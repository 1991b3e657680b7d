//! `consign serve`: the HTTP surface and the workers in one process. Neither stays without the other.

mod sweep;
mod worker;

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use consign_accounts::Accounts;
use consign_app::{
    documents,
    pipelines::{PipelineService, ready},
    workers,
};
use consign_contracts::json::Json;
use consign_engine::{Owner, Stop};
use consign_pipeline::envelope::MOST_BYTES;
use consign_server::{
    AccountsParts, Incident, Options, Parts, Report, Server, SignIn, Tls, Token, TrustedProxy,
    Wire, WorkerHealth, is_host_name,
};
use futures_util::FutureExt;
use tokio::net::TcpListener;
use tracing::{error, warn};

use super::{
    pipeline::place_args::PlaceArgs,
    runs::{agent_overrides::AgentOverrides, form, owner_arg},
    users::refused,
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
Without accounts it is for one user: it answers on this machine only, and wants the token that it prints at start \
with every request (Authorization: Bearer TOKEN); CONSIGN_TOKEN sets one of your own. With --accounts, or as soon as \
the home has a user (`consign users add`), people log in and programs send tokens of their own; then it may listen on \
any address. The first start with accounts prints a link with which the first user, an admin, is made. Questions about \
code are then about the directory that --repo names, and about none without it. Detached runs are driven and documents \
get their vectors by the same process, as `consign worker` does.

  POST /api/v1/process[?durable=true][&until=STAGE]   an envelope in, an envelope out
  GET  /api/runs, POST /api/runs                      list and start runs
  GET  /api/runs/RUN, /api/runs/RUN/events            one run, and its events as they come (SSE)
  POST /api/runs/RUN/answers/KEY, /raise, /cancel     let it go on, or end it
  GET  /api/inbox                                     what waits for an answer
  POST /api/agents/jobs                               a test plan or a scaffold; docs/service.md
  GET  /healthz, /readyz, /openapi.json               for programs that look after it

With durable=true an envelope becomes a run: listed, watched, answered and resumed like any other. Send it again \
when you are not sure that it arrived: it is the same run.

It is asked as localhost, 127.0.0.1 or [::1]; --allow-host adds the name under which a proxy before it is known.

With --json the first line is {\"event\": \"listening\", \"url\", \"token\", \"token_from\", \"setup\"}, as soon as it can be \
asked: `token` is the one it made up; of one of your own it is null, and `token_from` names the variable; `setup` is the \
link for the first user, where there is none yet. docs/http.md has every route with an example.

Ctrl-C or SIGTERM stops it gracefully: an envelope that is not made a run comes back as far as it came, with 503.

Examples:
  consign serve --repo .
  consign serve --accounts --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem --public-url https://consign.example
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

    /// Jobs may read and publish the git repositories right below this folder, as `local/NAME`
    #[arg(long, value_name = "DIR")]
    repos: Option<PathBuf>,

    /// People log in and programs send tokens of their own; so it is, too, once the home has a user
    #[arg(long)]
    accounts: bool,

    /// How browsers reach it, such as https://consign.example; the listening address if left out
    #[arg(long, value_name = "URL", value_parser = url_arg)]
    public_url: Option<String>,

    /// The certificate chain with which connections are encrypted, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// A proxy whose X-Forwarded-For counts, as ADDRESS or ADDRESS/BITS; may be repeated
    #[arg(long, value_name = "PROXY")]
    trusted_proxy: Vec<TrustedProxy>,

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
    session(async |session| serve(args, session, output).await)
}

async fn serve(args: &Args, session: &Session, output: &mut Output) -> Result<Exit, Error> {
    let signals = Signals::listen(Duration::from_secs(10))?;
    if let Some(repos) = &args.repos {
        session.sources.share(repos, &session.folder)?;
    }
    let accounts = accounts(args, session).await?;
    let mut ready = ready(session, args.pipeline.as_deref(), args.at.at(), args.overrides.model())?;
    if accounts.is_some() {
        ready.place.repo = shared_repo(args, session)?;
    }
    args.overrides.check_many(session, ready.thinks())?;
    let settings = args.overrides.settings()?;
    let processor =
        PipelineService::new(session, ready, settings, args.owner.clone(), args.max_bytes);
    let tls = args.tls_cert.as_deref().zip(args.tls_key.as_deref());
    let tls = tls.map(|(certificate, key)| Tls::load(certificate, key)).transpose();
    let tls = tls.map_err(|why| Error::new("TLS_INVALID", why.to_string()))?;
    let listener = TcpListener::bind(args.listen).await.map_err(|cause| {
        Error::new("ADDRESS_UNAVAILABLE", format!("could not listen on {}: {cause}", args.listen))
            .hint("--listen 127.0.0.1:0 takes any port that is free")
    })?;
    let address = listener.local_addr()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = args.public_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
    let (sign_in, announced) = sign_in(args, accounts, &url).await?;
    let worker_health = WorkerHealth::default();
    let router = Server::new(Parts {
        home: session.clone(),
        jobs_dir: consign_app::jobs::jobs_dir(&session.folder),
        sign_in,
        processor: Arc::new(processor),
        options: Options {
            max_body_bytes: args.max_bytes,
            time_limit: Duration::from_secs(args.time_limit),
            owner: args.owner.clone(),
            report: Report::to(|incident| report(&incident)),
            worker_health: worker_health.clone(),
            allowed_hosts: allowed_hosts(args),
            trusted_proxies: args.trusted_proxy.clone(),
            ..Options::default()
        },
    });
    announce(&url, &announced, output)?;
    let worker = workers::enlist(&session.engine, args.at_once).await?;
    let mut stop = signals.stop.clone();
    let stopped = async move {
        let _ = stop.wait_for(|stop| *stop != Stop::GoOn).await;
    };
    let swept = sweep::every_hour(session, signals.stop.clone());
    let wire = Wire { tls, ..Wire::default() };
    let served = consign_server::serve_within(listener, router, &wire, stopped);
    let worked = worker::work(worker, signals.stop.clone(), worker_health);
    let mut stop = signals.stop.clone();
    let filled = async {
        tokio::select! {
            never = documents::fill_in_background(session) => match never {},
            _ = stop.wait_for(|stop| *stop != Stop::GoOn) => {}
        }
    };
    // Whichever ends, for whatever reason, the others are told to.
    let (served, worked, (), ()) = tokio::join!(
        served.inspect(|_| signals.drain()),
        async { worked.await.inspect_err(|_| signals.drain()) },
        filled,
        swept
    );
    if worked.is_ok() && output.reader != Audience::Program {
        logs::line("stopped");
    }
    worked?;
    served.map_err(|cause| Error::new("INTERNAL", format!("the server ended: {cause}")))?;
    Ok(Exit::Done)
}

/// The accounts, if this server has some. One without is for this machine only.
async fn accounts(args: &Args, session: &Session) -> Result<Option<Accounts>, Error> {
    let accounts = consign_app::accounts::open(session)?;
    if args.accounts || accounts.has_users().await.map_err(refused)? {
        return Ok(Some(accounts));
    }
    if !args.listen.ip().is_loopback() {
        let told = format!("{} is not an address of this machine alone", args.listen);
        let hint =
            "--accounts lets users log in; without, only this machine is served: 127.0.0.1, or ::1";
        return Err(Error::usage("NOT_LOOPBACK", told).hint(hint));
    }
    Ok(None)
}

/// The repository that all users may ask about. None is shared unless it is named, and none that has to do with the
/// home: what lies there (keys, jobs of others) is nobody's to ask about.
fn shared_repo(args: &Args, session: &Session) -> Result<Option<PathBuf>, Error> {
    let Some(given) = args.at.repo.as_deref() else { return Ok(None) };
    let repo = consign_app::pipelines::repo(Some(given))?;
    let home = std::fs::canonicalize(&session.folder).unwrap_or_else(|_| session.folder.clone());
    if repo.starts_with(&home) || home.starts_with(&repo) {
        let told = format!("{} has the home of this server in it, or lies in it", given.display());
        let hint = "users could ask about keys and jobs of others: name another directory";
        return Err(Error::usage("REPO_IS_HOME", told).hint(hint));
    }
    Ok(Some(repo))
}

/// What is printed at the start, for whoever has to sign in.
enum Announced {
    /// The server's one token.
    Token { token: Token, is_chosen: bool },
    /// Users log in; the link makes the first one.
    Accounts { set_up: Option<String> },
}

async fn sign_in(
    args: &Args,
    accounts: Option<Accounts>,
    url: &str,
) -> Result<(SignIn, Announced), Error> {
    let Some(accounts) = accounts else {
        let (token, is_chosen) = token()?;
        return Ok((SignIn::Token(token.clone()), Announced::Token { token, is_chosen }));
    };
    let set_up = accounts.setup_token().await.map_err(refused)?;
    let set_up = set_up.map(|token| format!("{url}/auth/setup#{}", token.reveal()));
    let oauth = Arc::new(consign_app::accounts::oauth_clients()?);
    // Where strangers can come by, the first user is not whoever comes first.
    let may_first_sign_up = args.listen.ip().is_loopback()
        && args.public_url.is_none()
        && args.allow_host.is_empty()
        && args.trusted_proxy.is_empty();
    let public_url = url.to_owned();
    let parts = AccountsParts { accounts, oauth, may_first_sign_up, public_url };
    Ok((SignIn::Accounts(parts), Announced::Accounts { set_up }))
}

/// The host of the public address is one under which the server may be asked.
fn allowed_hosts(args: &Args) -> Vec<String> {
    let public = args.public_url.as_deref().and_then(|url| url.split_once("://"));
    let public = public.map(|(_, host)| {
        host.rsplit_once(':').map_or(host, |(name, port)| {
            let is_port = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
            if is_port { name } else { host }
        })
    });
    args.allow_host.iter().cloned().chain(public.map(str::to_owned)).collect()
}

/// A scheme and a host, without anything behind it.
fn url_arg(given: &str) -> Result<String, String> {
    let wanted =
        || "an address such as https://consign.example is wanted, without a path".to_owned();
    let url = given.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = host.ok_or_else(wanted)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    if host.is_empty() || !host.bytes().all(plain) {
        return Err(wanted());
    }
    Ok(url.to_owned())
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

fn announce(url: &str, announced: &Announced, output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        let (token, from, set_up) = match announced {
            Announced::Token { is_chosen: true, .. } => (Json::Null, form::text(TOKEN), Json::Null),
            Announced::Token { token, .. } => (form::text(token.reveal()), Json::Null, Json::Null),
            Announced::Accounts { set_up } => {
                (Json::Null, Json::Null, set_up.as_ref().map_or(Json::Null, form::text))
            }
        };
        output.object(object([
            ("event", form::text("listening")),
            ("url", form::text(url)),
            ("token", token),
            ("token_from", from),
            ("setup", set_up),
        ]))?;
        return output.finish();
    }
    output.line(format!("listening on {}", styled(STRONG, url)))?;
    match announced {
        Announced::Token { is_chosen: true, .. } => {
            output.line(format!("token: that of {TOKEN}"))?
        }
        Announced::Token { token, .. } => {
            output.line(format!("token: {}", styled(STRONG, token.reveal())))?;
        }
        Announced::Accounts { set_up: Some(link) } => {
            output.line(format!("make the first user, an admin: {}", styled(STRONG, link)))?;
        }
        Announced::Accounts { set_up: None } => output.line("users log in")?,
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
