//! `consign-bench`: what Consign costs, beside what the machine itself can do in the same run.
//!
//! Costs are CPU time; wall time stands beside it. Machines are noisy, so what is compared is
//! measured in turns, and the median of many rounds counts.

#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

mod analyze;
mod boot;
mod clock;
mod conversation;
mod ground;
mod ingest;
mod job;
mod jobs;
mod latency;
mod models;
mod pipe;
mod question;
mod raw;
mod resume;
mod retrieval;
mod scribe;
mod service;
mod start;
mod steps;
mod validate;
mod waiting;
mod web;

use std::error::Error;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "consign-bench",
    version,
    about = "What Consign costs on this machine",
    max_term_width = 100
)]
struct Args {
    /// Write one JSON object
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// From bytes to verdict, beside a bare serde_json parse of the same bytes
    Validate(validate::Args),
    /// The start of `consign --version`
    Start(start::Args),
    /// Many runs at once, beside bare inserts of the same rows
    Steps(steps::Args),
    /// One run at a time, beside the same statements on one bare connection
    Latency(latency::Args),
    /// Taking up a run again, by the length of its history
    Resume(resume::Args),
    /// A worker starts where another was killed with many runs under way
    Boot(boot::Args),
    /// What many waiting runs cost a worker in memory
    Waiting(waiting::Args),
    /// Envelopes through `consign process --stream`, beside a bare parse and write of the same
    Pipe(pipe::Args),
    /// Envelopes over HTTP
    Web(web::Args),
    /// A question about a repository of a million lines
    Question(question::Args),
    /// What a project of a hundred thousand files is made of
    Analyze(analyze::Args),
    /// One supervised job of very many interactions
    Job(job::Args),
    /// `consign job list` and `status` with very many jobs
    Jobs(jobs::Args),
    /// The service with accounts: submitting, reading, logging in, and one user beside another
    Service(service::Args),
    /// A call of a model, beside the bare HTTP call that it makes
    Models(models::Args),
    /// Scribe's checker on the documents of ten repositories, as they are and broken
    Scribe(scribe::Args),
    /// How well passages of documents are found: by words, by vectors and by both
    Retrieval(retrieval::Args),
    /// Conversations over documents: right citations, refusals, attacks, and what a question costs
    Conversation(conversation::Args),
    /// Taking documents in, vectors beside ONNX Runtime, and searches among many passages
    Ingest(ingest::Args),
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let figures = match &args.bench {
        Bench::Validate(args) => validate::run(args)?,
        Bench::Start(args) => start::run(args)?,
        Bench::Steps(args) => steps::run(args)?,
        Bench::Latency(args) => latency::run(args)?,
        Bench::Resume(args) => resume::run(args)?,
        Bench::Boot(args) => boot::run(args)?,
        Bench::Waiting(args) => waiting::run(args)?,
        Bench::Pipe(args) => pipe::run(args)?,
        Bench::Web(args) => web::run(args)?,
        Bench::Question(args) => question::run(args)?,
        Bench::Analyze(args) => analyze::run(args)?,
        Bench::Job(args) => job::run(args)?,
        Bench::Jobs(args) => jobs::run(args)?,
        Bench::Service(args) => service::run(args)?,
        Bench::Models(args) => models::run(args)?,
        Bench::Scribe(args) => scribe::run(args)?,
        Bench::Retrieval(args) => retrieval::run(args)?,
        Bench::Conversation(args) => conversation::run(args)?,
        Bench::Ingest(args) => ingest::run(args)?,
    };
    match args.json {
        true => println!("{figures}"),
        false => println!("{figures:#}"),
    }
    Ok(())
}
