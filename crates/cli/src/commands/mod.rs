//! The commands, one per file, and the table of them.

mod agents;
mod answer;
mod ask;
mod ask_code;
mod authoring;
mod backup;
mod bridge;
mod budget;
mod chat;
mod completions;
mod contracts;
mod credentials;
mod demo;
mod doctor;
mod envelope;
mod eval;
mod guard;
mod inbox;
mod ingest;
mod job;
mod keys;
mod lines;
mod mcp;
mod models;
mod parse;
mod parse_child;
mod pipeline;
mod process;
mod proto;
mod restore;
mod run;
mod runs;
mod scribe;
mod search;
mod serve;
mod sessions;
mod sources;
mod supervise;
mod template;
mod tokens;
mod trace;
mod users;
mod version;
mod worker;

use clap::Subcommand;
use tracing_subscriber::filter::LevelFilter;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const DEMO_HELP: &str = "\
Examples:
  consign demo
  consign demo --json | jq .bad.breaches";

const DOCTOR_HELP: &str = "\
Looks at the directory that Consign keeps its data in (CONSIGN_HOME, else the platform's place for \
data) and the database in it, counts its runs and names the workers that live or hold some, with \
their processes; measures how fast its disk writes and syncs, and looks for the programs that Consign \
can use. Leaves nothing behind. Exits with 1 only where Consign could not work.

Examples:
  consign doctor
  CONSIGN_HOME=/srv/consign consign doctor --json";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a pipeline of agents, durably
    Run(run::Args),
    /// Ask a question about a code base
    AskCode(ask_code::Args),
    /// Take an envelope through a pipeline, in the pipe
    Process(process::Args),
    /// Make envelopes, check them, look into them
    Envelope(envelope::Args),
    /// Make a template of a project, and projects of a template
    Template(template::Args),
    /// Check pipelines and draw them
    Pipeline(pipeline::Args),
    /// Work in phases, with a worker, a supervisor and you
    Job(job::Args),
    /// Write documentation of a repository, held against its code
    Scribe(scribe::Args),
    /// Plan tests for a specification
    Trace(trace::Args),
    /// Make a first working skeleton of a project
    Proto(proto::Args),
    /// Take documents in, so that they can be found
    Ingest(ingest::Args),
    /// Find passages of documents
    Search(search::Args),
    /// What was taken in: list it, read it, forget it
    Sources(sources::Args),
    /// What a document says, without keeping it
    Parse(parse::Args),
    /// Ask your documents; every fact in the answer is cited
    Ask(ask::Args),
    /// Talk about your documents, turn by turn
    Chat(chat::Args),
    /// Conversations: list them, read them, forget them
    Sessions(sessions::Args),
    /// Hold a text against the guard: attacks, private data, harm
    Guard(guard::Args),
    /// Measure answers to questions of your own
    Eval(eval::Args),
    /// The other side of a template's creation: what is asked, and answers
    Bridge(bridge::Args),
    /// Start runs, follow them, answer them, prove what they did
    Runs(runs::Args),
    /// What runs wait for: questions that can be answered
    Inbox(inbox::Args),
    /// Answer HTTP, and drive detached runs
    Serve(serve::Args),
    /// Runs and the inbox as tools for a coding agent, over MCP
    Mcp(mcp::Args),
    /// Take detached runs and drive them
    Worker(worker::Args),
    /// What each owner has spent and may spend
    Budget(budget::Args),
    /// Agents of your own: what they are, and a call to try one
    Agents(agents::Args),
    /// Models: what they cost, whether they answer, and a double to test against
    Models(models::Args),
    /// Keys of model providers, sealed for each owner
    Keys(keys::Args),
    /// Tokens and passwords with which documents are fetched and opened, sealed for each owner
    Credentials(credentials::Args),
    /// Users of a server with accounts
    Users(users::Args),
    /// Tokens with which programs of a user sign in
    Tokens(tokens::Args),
    /// Look at the contracts, hold documents against them, compare versions
    Contracts(contracts::Args),
    /// Copy the home while everything goes on
    Backup(backup::Args),
    /// Make a home of a back-up, and prove it
    Restore(restore::Args),
    /// A short tour of what Consign does
    #[command(after_help = DEMO_HELP)]
    Demo,
    /// What is installed, what is missing and what that costs you
    #[command(after_help = DOCTOR_HELP)]
    Doctor,
    /// A completion script for your shell
    Completions(completions::Args),
    #[command(hide = true)]
    Supervise(supervise::Args),
    #[command(hide = true)]
    ParseChild,
    #[command(skip)]
    Version,
}

impl Command {
    /// What is logged where the user does not say. Commands that end tell of what went wrong themselves, and where they
    /// promise JSON on standard error there is nothing else.
    pub(crate) fn usual_log_level(&self) -> LevelFilter {
        match matches!(self, Self::Serve(_) | Self::Worker(_) | Self::Mcp(_)) {
            true => LevelFilter::WARN,
            false => LevelFilter::OFF,
        }
    }

    /// What to exit with when the reader of the output has gone.
    /// `ended` is how the command itself ended, if it did.
    pub(crate) fn when_cut_off(&self, ended: Option<Exit>) -> Exit {
        match self {
            Self::Contracts(args) => args.when_cut_off(),
            Self::Runs(args) => args.when_cut_off(ended),
            Self::Agents(args) => args.when_cut_off(ended),
            Self::Run(_)
            | Self::Process(_)
            | Self::AskCode(_)
            | Self::Template(_)
            | Self::Job(_)
            | Self::Scribe(_)
            | Self::Trace(_)
            | Self::Proto(_)
            | Self::Ingest(_)
            | Self::Search(_)
            | Self::Parse(_)
            | Self::Ask(_)
            | Self::Chat(_)
            | Self::Guard(_)
            | Self::Eval(_)
            | Self::Bridge(_)
            | Self::Backup(_)
            | Self::Restore(_) => ended.unwrap_or(Exit::Failed),
            Self::Inbox(_)
            | Self::Envelope(_)
            | Self::Pipeline(_)
            | Self::Worker(_)
            | Self::Serve(_)
            | Self::Mcp(_)
            | Self::Budget(_)
            | Self::Models(_)
            | Self::Keys(_)
            | Self::Credentials(_)
            | Self::Users(_)
            | Self::Tokens(_)
            | Self::Demo
            | Self::Doctor
            | Self::Completions(_)
            | Self::Sources(_)
            | Self::Sessions(_)
            | Self::ParseChild
            | Self::Supervise(_)
            | Self::Version => Exit::Done,
        }
    }
}

pub(crate) fn run(command: &Command, output: &mut Output) -> Result<Exit, Error> {
    match command {
        Command::Run(args) => run::run(args, output),
        Command::AskCode(args) => ask_code::run(args, output),
        Command::Process(args) => process::run(args, output),
        Command::Envelope(args) => envelope::run(args, output),
        Command::Pipeline(args) => pipeline::run(args, output),
        Command::Template(args) => template::run(args, output),
        Command::Job(args) => job::run(args, output),
        Command::Scribe(args) => scribe::run(args, output),
        Command::Trace(args) => trace::run(args, output),
        Command::Proto(args) => proto::run(args, output),
        Command::Ingest(args) => ingest::run(args, output),
        Command::Search(args) => search::run(args, output),
        Command::Sources(args) => sources::run(args, output),
        Command::Parse(args) => parse::run(args, output),
        Command::Ask(args) => ask::run(args, output),
        Command::Chat(args) => chat::run(args, output),
        Command::Sessions(args) => sessions::run(args, output),
        Command::Guard(args) => guard::run(args, output),
        Command::Eval(args) => eval::run(args, output),
        Command::Bridge(args) => bridge::run(args, output),
        Command::Runs(args) => runs::run(args, output),
        Command::Inbox(args) => inbox::run(args, output),
        Command::Serve(args) => serve::run(args, output),
        Command::Mcp(args) => mcp::run(args, output),
        Command::Worker(args) => worker::run(args, output),
        Command::Budget(args) => budget::run(args, output),
        Command::Agents(args) => agents::run(args, output),
        Command::Models(args) => models::run(args, output),
        Command::Keys(args) => keys::run(args, output),
        Command::Credentials(args) => credentials::run(args, output),
        Command::Users(args) => users::run(args, output),
        Command::Tokens(args) => tokens::run(args, output),
        Command::Contracts(args) => contracts::run(args, output),
        Command::Backup(args) => backup::run(args, output),
        Command::Restore(args) => restore::run(args, output),
        Command::Demo => demo::run(output),
        Command::Doctor => doctor::run(output),
        Command::Completions(args) => completions::run(args, output),
        Command::Supervise(args) => supervise::run(args),
        Command::ParseChild => parse_child::run(),
        Command::Version => version::run(output),
    }
}
