//! The command line: its arguments, and what is printed when they are wrong.

use std::{ffi::OsString, io::Write};

use anstream::{AutoStream, ColorChoice};
use clap::{
    CommandFactory, FromArgMatches, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    commands::Command,
    error::{Error, Exit},
    logs::{LogFormat, LogOptions, Wanted},
};

/// What the user asked for.
pub(crate) struct Invocation {
    pub(crate) json: bool,
    pub(crate) color: ColorChoice,
    pub(crate) logs: LogOptions,
    pub(crate) command: Command,
}

const ABOUT: &str = "\
Hands work to AI agents under contract.

Every request and every answer is checked against a typed contract, every step is recorded before \
the next one starts, and every run has hard limits. A run can wait for a person for days, survives \
the death of any process, and can be proven later. Agents are models, programs, HTTP services, MCP \
tools, or a person or program outside. Pipelines of them run in the \
pipe, over HTTP, or as durable runs; the agents that come with it answer questions about your documents and \
about a code base, with no model and no key. It brings the contracts of five published agent systems.";

const EXAMPLES: &str = "\
Try:
  consign demo                                       a short tour
  consign ingest ~/documents --recursive             take documents in
  consign ask 'How long is the notice period?'       an answer from them, with citations
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

    /// What to log: off, error, warn, info, debug or trace; docs/logs.md
    #[arg(long, global = true, help_heading = "Logs", value_name = "LEVEL")]
    log: Option<String>,

    /// How to write logs
    #[arg(long, global = true, help_heading = "Logs", value_enum, value_name = "FORMAT")]
    log_format: Option<LogFormat>,

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
    let mut command = command();
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let matches = matches.map_err(|error| settle(&error))?;
    let args = Args::from_arg_matches(&matches);
    let args = args.map_err(|error| settle(&error.format(&mut command)))?;
    let (color, log_color) = match args.color {
        Color::Auto => {
            let on_stderr = AutoStream::choice(&std::io::stderr());
            (AutoStream::choice(&std::io::stdout()), on_stderr != ColorChoice::Never)
        }
        Color::Always => (ColorChoice::Always, true),
        Color::Never => (ColorChoice::Never, false),
    };
    let command = match args.command {
        _ if args.version => Command::Version,
        Some(command) => command,
        None if args.json => return Err(no_command()),
        None => {
            let help = command.render_help();
            let _ = writeln!(AutoStream::new(std::io::stderr(), color), "{}", help.ansi());
            return Err(Exit::Usage);
        }
    };
    let logs = LogOptions::read(&Wanted {
        level: args.log.as_deref(),
        format: args.log_format,
        usual_level: command.usual_log_level(),
        usual_format: if args.json { LogFormat::Json } else { LogFormat::Text },
        color: log_color,
    });
    let logs = logs.map_err(|mistake| {
        mistake.report(args.json, color);
        mistake.exit
    })?;
    Ok(Invocation { json: args.json, color, logs, command })
}

/// The whole command line.
pub(crate) fn command() -> clap::Command {
    with_numbers(Args::command())
}

/// Lets options take numbers below zero, so that each says itself what is wrong with one.
fn with_numbers(command: clap::Command) -> clap::Command {
    let takes = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if takes(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(with_numbers)
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
    // The text repeats what was typed, so clap's own colours cannot be told from those in the input.
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let first = first.replace("invalid digit found in string", "not a number from 0 on");
    let meant = match error.get(ContextKind::InvalidSubcommand) {
        _ if error.kind() == ErrorKind::UnknownArgument && sets_key() => Some(KEY.to_owned()),
        Some(ContextValue::String(word)) => {
            let meant = near(word).or_else(|| meant(word));
            meant.map(|meant| format!("did you mean {meant}?"))
        }
        Some(_) | None => None,
    };
    // Of commands clap suggests by other rules, and hidden ones too.
    let guesses = error.get(ContextKind::InvalidSubcommand).is_some();
    let is_guess = |line: &&str| guesses && line.starts_with("tip:");
    let rest = lines.filter(|line| !line.starts_with(MORE) && !is_guess(line)).map(str::to_owned);
    let hint = meant.unwrap_or(HELP.to_owned());
    let mistake = Error::usage("USAGE", first).listing(rest).hint(hint);
    mistake.report(wants_json(), wanted_color());
    Exit::Usage
}

/// How clap ends what it says; our hint says the same.
const MORE: &str = "For more information";
const HELP: &str = "for more information, try '--help'";
/// The hint for a user who looks for an option to pass a key.
const KEY: &str = "a key is never an argument: `consign keys set PROVIDER` and `consign credentials add NAME` ask \
                   for it, or read it from a pipe";

/// For programs, which have no use for a page of help.
fn no_command() -> Exit {
    let mistake = Error::usage("USAGE", "which command?").hint(HELP);
    mistake.report(true, ColorChoice::Never);
    Exit::Usage
}

/// The commands that a word is nearly, where it stands.
fn near(word: &str) -> Option<String> {
    let (mut of, mut path) = (command(), String::from("consign"));
    for typed in std::env::args_os().skip(1).take_while(|typed| typed != word) {
        if let Some(inner) = of.find_subcommand(&typed).cloned() {
            path = format!("{path} {}", inner.get_name());
            of = inner;
        }
    }
    let names = of.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name);
    let near = nearly(word, names);
    let near: Vec<_> = near.into_iter().map(|name| format!("`{path} {name}`")).collect();
    (!near.is_empty()).then(|| near.join(" or "))
}

/// The names that are a letter or two off the word, or begin like it.
fn nearly<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    // Comparing costs the product of the lengths, and no command is this long.
    if word.len() > 40 {
        return Vec::new();
    }
    let most = if word.chars().count() <= 3 { 1 } else { 2 };
    let off = |name: &str| match name.starts_with(word) && word.len() > 1 {
        true => 1,
        false => strsim::damerau_levenshtein(name, word),
    };
    let names: Vec<_> = names.map(|name| (off(name), name)).collect();
    let least = names.iter().map(|(off, _)| *off).min().unwrap_or(usize::MAX).min(most);
    names.into_iter().filter(|(off, _)| *off == least).map(|(_, name)| name).collect()
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

/// Whether a command line would set a key, or credentials.
fn sets_key() -> bool {
    let words: Vec<_> = std::env::args_os().collect();
    let is = |pair: &[OsString], command: &str, word: &str| pair[0] == command && pair[1] == word;
    words.windows(2).any(|pair| is(pair, "keys", "set") || is(pair, "credentials", "add"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_nearly_a_command_is_recognised() {
        let names = ["run", "runs", "ask-code", "serve", "envelope", "process", "contracts"];
        for (word, expected) in [
            ("rn", &["run"][..]),
            ("rnu", &["run"]),
            ("rus", &["run", "runs"]),
            ("ask", &["ask-code"]),
            ("srve", &["serve"]),
            ("contract", &["contracts"]),
            ("x", &[]),
            ("list", &[]),
            ("", &[]),
        ] {
            assert_eq!(nearly(word, names.into_iter()), expected, "{word:?}");
        }
        assert!(nearly(&"run".repeat(100), names.into_iter()).is_empty());
    }
}
