//! The command line.

use std::{ffi::OsString, io::Write};

use anstream::{AutoStream, ColorChoice};
use clap::{
    CommandFactory, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    commands::Command,
    error::{Error, Exit},
};

/// What the user asked for.
pub(crate) struct Invocation {
    pub(crate) json: bool,
    pub(crate) color: ColorChoice,
    pub(crate) command: Command,
}

const ABOUT: &str = "\
Hands work to AI agents under contract.

Every request and every answer is checked against a typed contract, every step is recorded before \
the next one starts, and every run has hard limits. A run can wait for a person for days, survives \
the death of any process, and can be proven later. Agents are models, programs, HTTP services, MCP \
tools, or whoever answers from outside. Pipelines of them run in the \
pipe, over HTTP, or as durable runs; the agents that come with it answer questions about a code base, with no \
model and no key. It brings the contracts of five published agent systems.";

const EXAMPLES: &str = "\
Try:
  consign demo                                       a short tour
  consign ask-code 'how does it start?' --repo .     a question about a code base
  consign run pipeline.toml --input in.json          a pipeline of agents, as a durable run
  consign serve                                      the same over HTTP
  consign agents try agent.toml --input in.json      an agent of your own, as a durable run
  consign models double                              a stand-in for all model providers
  consign inbox                                      what runs wait for
  consign contracts list                             what can be checked
  consign contracts show bridge/agent-request        one contract, field by field
  consign contracts check bridge/agent-request r.json
  consign doctor                                     is this machine ready?

Exit codes:
   0  done
   1  an error, a run that failed, or a document that breaks its contract
   2  the command line is wrong
   3  an answer, limit or wish to cancel was taken, but going on failed: `consign runs resume`
  42  the run waits for an agent's answer
  43  the run waits for a person or a limit
 130  stopped by Ctrl-C (143: by SIGTERM); the run can be resumed

Errors go to standard error as `error[CODE]: message`, with a hint where there is one; with --json as \
one object on a line: {\"error\": {\"code\", \"message\", \"hint\"?, \"details\"?}}.";

#[derive(Parser)]
#[command(
    name = "consign",
    about = "Hands work to AI agents under contract",
    long_about = ABOUT,
    after_help = EXAMPLES,
    disable_version_flag = true,
    max_term_width = 100
)]
struct Args {
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,

    /// Write JSON for programs: one object, or one per line for lists
    #[arg(long, global = true)]
    json: bool,

    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// Reads the command line. What needs no command (help, a mistake) is settled here.
pub(crate) fn read() -> Result<Invocation, Exit> {
    let args = Args::try_parse().map_err(|error| settle(&error))?;
    let color = match args.color {
        Color::Auto => AutoStream::choice(&std::io::stdout()),
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let command = match args.command {
        _ if args.version => Command::Version,
        Some(command) => command,
        None if args.json => return Err(no_command()),
        None => {
            let help = Args::command().render_help();
            let _ = writeln!(AutoStream::new(std::io::stderr(), color), "{}", help.ansi());
            return Err(Exit::Usage);
        }
    };
    Ok(Invocation { json: args.json, color, command })
}

/// The whole command line, for completions.
pub(crate) fn command() -> clap::Command {
    Args::command()
}

/// Prints help where it was asked for, and a mistake in the form that all our errors have.
fn settle(error: &clap::Error) -> Exit {
    if error.kind() == ErrorKind::DisplayHelp {
        let help = error.render().ansi().to_string();
        let _ = write!(AutoStream::new(std::io::stdout(), wanted_color()), "{help}");
        return Exit::Done;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        if wants_json() {
            return no_command();
        }
        let help = error.render().ansi().to_string();
        let _ = write!(AutoStream::new(std::io::stderr(), wanted_color()), "{help}");
        return Exit::Usage;
    }
    // The text repeats what was typed, so clap's own colours cannot be told from somebody else's.
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let rest = lines.filter(|line| !line.starts_with(MORE)).map(str::to_owned);
    let meant = match error.get(ContextKind::InvalidSubcommand) {
        _ if error.kind() == ErrorKind::UnknownArgument && sets_key() => Some(KEY.to_owned()),
        Some(ContextValue::String(word)) => {
            meant(word).map(|meant| format!("did you mean {meant}?"))
        }
        Some(_) | None => None,
    };
    let hint = meant.unwrap_or(HELP.to_owned());
    let mistake = Error::usage("USAGE", first).listing(rest).hint(hint);
    mistake.report(wants_json(), wanted_color());
    Exit::Usage
}

/// How clap ends what it says; our hint says the same.
const MORE: &str = "For more information";
const HELP: &str = "for more information, try '--help'";
/// For whoever looks for an option to give a key with.
const KEY: &str = "a key is never an argument: `consign keys set PROVIDER` asks for it, or reads it \
                   from a pipe";

/// For programs, which have no use for a page of help.
fn no_command() -> Exit {
    let mistake = Error::usage("USAGE", "which command?").hint(HELP);
    mistake.report(true, ColorChoice::Never);
    Exit::Usage
}

/// Where a word is a command of something.
fn meant(word: &str) -> Option<String> {
    let homes = ["runs", "contracts", "agents", "models", "keys"].map(|home| {
        let of = command();
        let of = of.find_subcommand(home)?.find_subcommand(word)?;
        Some(format!("`consign {home} {}`", of.get_name()))
    });
    let homes: Vec<_> = homes.into_iter().flatten().collect();
    (!homes.is_empty()).then(|| homes.join(" or "))
}

/// Whether a command line would set a key.
fn sets_key() -> bool {
    let words: Vec<_> = std::env::args_os().collect();
    words.windows(2).any(|pair| pair[0] == "keys" && pair[1] == "set")
}

/// Whether a command line asks for JSON which could not be read.
fn wants_json() -> bool {
    std::env::args_os().take_while(|word| word != "--").any(|word| word == "--json")
}

/// The colour that a command line asks for which could not be read.
fn wanted_color() -> ColorChoice {
    let words: Vec<_> = std::env::args_os().collect();
    let asks = |when: &str| {
        let joined = OsString::from(format!("--color={when}"));
        words.contains(&joined)
            || words.windows(2).any(|pair| pair[0] == "--color" && pair[1] == when)
    };
    match () {
        () if asks("never") => ColorChoice::Never,
        () if asks("always") => ColorChoice::Always,
        () => ColorChoice::Auto,
    }
}
