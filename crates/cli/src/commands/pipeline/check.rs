//! `consign pipeline check FILE`: what is wrong with a pipeline, and what it can come to.

use std::path::PathBuf;

use consign_app::pipelines::{Where, ready, warnings, wrong};
use consign_contracts::json::Json;
use consign_engine::Settings;
use consign_pipeline::{
    Journey, Pipeline, Shortest, Worst, draw,
    envelope::{self, Names, Session as Of},
    file::Unusable,
    transitions::{Transition, transitions},
};

use crate::{
    commands::runs::form,
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, STRONG, WARN, object, printable, styled},
    text::count,
};

const HELP: &str = "\
Reads the file, holds it to its contract, and looks for what no schema can say: targets that are no \
stages, stages that nothing leads to, circles without a way out, routes that are never taken, bounds \
below the shortest way to the end, outputs that two stages write or that are never there when they are \
needed, agents, tools and models that do not exist. Everything that is wrong is told at once, each with \
its line. Then it lists every way that an envelope can go, also those that no route names, says what a \
journey can come to at least and at most, and warns of what is probably not meant and of programs that \
are not on the PATH.

Exits with 0 when the pipeline can be run, with 1 when it cannot.

Examples:
  consign pipeline check release.toml
  consign pipeline check release.toml --json | jq .worst";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The pipeline; that of the six built-in agents if left out
    file: Option<PathBuf>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let ready = match ready(session, args.file.as_deref(), Where::default(), None) {
            Err(error)
                if output.reader == Audience::Program && error.code == "PIPELINE_INVALID" =>
            {
                let invalid = object([("valid", Json::Bool(false))]);
                output.object(invalid.followed_by(error.details))?;
                return Ok(Exit::Failed);
            }
            ready => ready?,
        };
        let pipeline = &ready.pipeline;
        let names = Names { envelope: [0; 8], request: [0; 8], session: Of::New([0; 8]) };
        let now = session.engine.now();
        let envelope = envelope::fresh("", "anonymous", &names, &pipeline.bounds, now);
        let journey = Journey::before(pipeline, ready.place.clone(), envelope, now);
        let worst = Worst::of(&journey, session.engine.agents(), &Settings::default());
        let shortest = Shortest::of(pipeline, &ready.place.thinkers);
        let shortest = shortest.unwrap_or(Shortest { hops: 0, llm_calls: 0 });
        let doubtful = warnings(&ready.doubtful, &ready.programs);
        if output.reader == Audience::Program {
            output.object(object([
                ("name", form::text(&pipeline.name)),
                ("valid", Json::Bool(true)),
                ("stages", Json::Array(pipeline.names().map(form::text).collect())),
                (
                    "worst",
                    Json::Object(object([
                        ("hops", form::number(worst.hops)),
                        ("iterations", form::number(worst.iterations)),
                        ("rounds", form::number(worst.rounds)),
                        ("calls", worst.bound.calls.map_or(Json::Null, form::number)),
                        ("cost_usd", worst.bound.cost.map_or(Json::Null, form::usd)),
                    ])),
                ),
                (
                    "shortest",
                    Json::Object(object([
                        ("hops", form::number(shortest.hops)),
                        ("llm_calls", form::number(shortest.llm_calls)),
                    ])),
                ),
                (
                    "ways",
                    Json::Array(
                        transitions(pipeline).iter().map(|way| shown(pipeline, way)).collect(),
                    ),
                ),
                ("warnings", Json::Array(doubtful.iter().map(wrong).collect())),
            ]))?;
            return Ok(Exit::Done);
        }
        let ways = transitions(pipeline);
        let rows = pipeline.stages.iter().enumerate().map(|(at, stage)| {
            let worker = draw::worker(stage);
            let worker = if worker.is_empty() { stage.name.clone() } else { worker };
            vec![stage.name.clone(), worker, stage.output_key.clone(), next(pipeline, &ways, at)]
        });
        output.rows(&["stage", "agent", "output", "next"], rows.collect())?;
        let hops = count(worst.hops, "hop");
        let calls = worst
            .bound
            .calls
            .map_or("any number of calls".to_owned(), |calls| count(calls, "call"));
        let cost = match worst.bound.cost {
            Some(cost) => format!("${cost}"),
            None => "what its models and unpriced agents come to, within the cap".to_owned(),
        };
        let bounded = if worst.straight { "by its own structure" } else { "by its bound on hops" };
        for line in (Unusable { path: args.file.clone(), wrong: doubtful }).lines() {
            output.tell(format!("{} {}", styled(WARN, "warning:"), printable(&line)));
        }
        output.tell(format!("{} {} can be run", styled(GOOD, "✓"), styled(STRONG, &pipeline.name)));
        let least = format!(
            "at least {} and {}, where {} and {} are allowed",
            count(shortest.hops, "hop"),
            count(shortest.llm_calls, "model call"),
            pipeline.bounds.agent_hops,
            pipeline.bounds.llm_calls
        );
        output.tell(styled(FAINT, least));
        output.tell(styled(
            FAINT,
            format!("at most {hops} ({bounded}), {calls} with every retry; {cost}"),
        ));
        Ok(Exit::Done)
    })
}

/// `{"from", "to", "when"}`
fn shown(pipeline: &Pipeline, way: &Transition) -> Json<'static> {
    let when = way.when.iter().map(|when| form::text(when));
    Json::Object(object([
        ("from", form::text(&pipeline.stages[way.from].name)),
        ("to", form::text(pipeline.name_of(way.to))),
        ("when", Json::Array(when.collect())),
    ]))
}

/// Where a stage leads, and when.
fn next(pipeline: &Pipeline, ways: &[Transition], at: usize) -> String {
    let turn = pipeline.turn_of(at);
    if turn != at {
        return format!("beside others of {}", pipeline.stages[turn].name);
    }
    let own = ways.iter().filter(|way| way.from == at).map(|way| {
        let to = pipeline.name_of(way.to);
        if way.when.is_empty() { to.to_owned() } else { format!("{to} ({})", way.label()) }
    });
    own.collect::<Vec<_>>().join("; ")
}
