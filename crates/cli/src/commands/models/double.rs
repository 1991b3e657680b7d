//! `consign models double`: serves a stand-in for all providers on this machine, with faults by script.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use consign_double::{BadScript, Double, Script};
use consign_models::Provider;
use tokio::net::TcpListener;

use crate::{
    commands::runs::form,
    engine::runtime,
    error::{Error, Exit},
    input::Source,
    output::{Audience, FAINT, Output, STRONG, object, styled},
    signals::Signals,
};

const HELP: &str = "\
Speaks the protocols of OpenAI, Anthropic, xAI, Google and Ollama, streaming included. Without a \
script it makes up a sentence, or the smallest JSON that fits the schema it is given. With one it \
says what the script says, and fails as it says: docs/models.md has the form and the faults. Token \
counts are real. It thinks nothing, reaches nowhere, and keeps no key.

Base URLs: ADDR/openai/v1, ADDR/anthropic/v1, ADDR/xai/v1, ADDR/google/v1beta, ADDR/ollama/v1. \
ADDR/double/seen shows what it was asked.

Examples:
  consign models double
  consign models double --listen 127.0.0.1:0 --script faults.json --json
  OPENAI_API_KEY=any consign models test gpt-5-mini --base-url http://127.0.0.1:4010/openai/v1";

/// No script is larger.
const MOST_BYTES: usize = 16 << 20;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4010")]
    listen: SocketAddr,

    /// What to say, and how to fail
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let script = match &args.script {
        Some(path) => read(path)?,
        None => Script::default(),
    };
    runtime()?.block_on(async {
        let listener = TcpListener::bind(args.listen).await.map_err(|cause| {
            let told = format!("could not listen on {}: {cause}", args.listen);
            Error::new("LISTEN_FAILED", told).hint("--listen 127.0.0.1:0 picks a free port")
        })?;
        let address = listener.local_addr().unwrap_or(args.listen);
        let signals = Signals::listen(Duration::ZERO)?;
        if output.reader == Audience::Program {
            output.object(object([("listening", form::text(format!("http://{address}")))]))?;
        } else {
            output.line(format!("listening on {}", styled(STRONG, format!("http://{address}"))))?;
            output.tell(styled(FAINT, "Ctrl-C stops it. For all providers to be this one:"));
            for provider in Provider::ALL {
                let (url, key) = (provider.base_url_variable(), provider.key_variables()[0]);
                output.tell(styled(FAINT, format!("  export {url}=http://{address} {key}=any")));
            }
        }
        output.finish()?;
        let mut stop = signals.stop.clone();
        let until = async move {
            let _ = stop.changed().await;
        };
        let served = Double::new(script).serve(listener, until).await;
        served.map_err(|cause| Error::new("SERVE_FAILED", cause.to_string()))?;
        Ok(Exit::Done)
    })
}

fn read(path: &Path) -> Result<Script, Error> {
    let bytes = Source::of(path).read(MOST_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    text.parse().map_err(|bad: BadScript| {
        Error::new("SCRIPT_INVALID", format!("{}: {bad}", path.display()))
            .hint("docs/models.md has the form")
    })
}
