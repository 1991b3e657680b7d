//! `consign template create`: makes a template of a project.

use std::{collections::BTreeSet, path::PathBuf};

use consign_app::templates::{
    self, AgentReach, Create, Created, Mode, ProjectName, TemplateEvent, TemplateName,
    WaitingCreation,
};
use consign_contracts::{
    bridge::AgentRequest,
    json::{Json, Object},
};
use consign_engine::{Data, Owner};
use consign_template::{
    assemble::Validation,
    creation::{Order, PHASES, Report},
    folder::BridgeFile,
};

use crate::{
    commands::runs::owner_arg,
    engine::complete,
    error::{Error, Exit},
    home,
    live::Live,
    output::{Audience, FAINT, GOOD, Output, STRONG, WARN, object, printable, styled},
    text::{shell_word, shortened},
};

const HELP: &str = "\
Reads the project and makes a template of it in nine phases: analysis, manifest, settings, template \
files, agents (recommended, drafted, enhanced), documentation, package. What can be found by reading is \
found by reading. Where judgement helps, an outside agent is asked: the state is saved, the request is \
written to .agent-request.json in the project's root, and the command exits with 42. The agent outside writes \
.agent-response.json (`consign bridge answer` does, so do `consign runs answer`, POST \
/api/runs/{id}/answers/{key} and `consign mcp`); then --resume goes on. `consign bridge watch` closes the loop by \
itself. An agent that fails, is late or is not sure enough is done without, and the report says so.

The output is the template's own folder: manifest.json, settings.json, CLAUDE.md, templates/**.template, \
agents/*.md. It appears at the end, whole. `consign template new` makes projects of it.

Exits with 0 when the template is there, 42 when an agent is to answer, 1 when it cannot go on.

Examples:
  consign template create --path ~/src/shop --name shop-api --output ~/templates/shop-api
  consign template create --path . --name shop-api --output ../shop-api --resume
  consign template create --path . --name shop-api --output ../shop-api --no-ask
  consign template create --path . --name shop-api --output ../shop-api --dry-run
  consign template create --path . --name shop-api --output ../shop-api --project-name tea-house
  consign template create --path . --name shop-api --output ../shop-api --agent-script answers.json";

/// Files that are named as left out; manifest.json has more of them.
const MOST_LEFT_OUT: usize = 10;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The project to make a template of
    #[arg(long, value_name = "DIR")]
    path: PathBuf,

    /// The template's name: 3 to 50 small letters, digits and hyphens
    #[arg(long, value_name = "NAME", value_parser = str::parse::<TemplateName>)]
    name: TemplateName,

    /// The template's own folder, which must not exist or be empty
    #[arg(long, value_name = "DIR")]
    output: PathBuf,

    /// Go on with a creation that stopped
    #[arg(long, conflicts_with = "fresh")]
    resume: bool,

    /// Begin anew, and move the files of an earlier creation aside
    #[arg(long)]
    fresh: bool,

    /// Check the template at the end, and print a scored report
    #[arg(long)]
    validate: bool,

    /// Write nothing; print what would be written, by heuristics or by script
    #[arg(long, conflicts_with_all = ["resume", "fresh"])]
    dry_run: bool,

    /// The most template files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_templates: Option<u32>,

    /// Leave out the template's agents (phases 5 to 7)
    #[arg(long)]
    no_agents: bool,

    /// What the project is called: the name that becomes a placeholder, in every casing. Else it is found
    #[arg(long, value_name = "NAME", value_parser = str::parse::<ProjectName>)]
    project_name: Option<ProjectName>,

    /// Ask no agent: use what can be found without one
    #[arg(long, conflicts_with = "agent_script")]
    no_ask: bool,

    /// Let a script answer in the place of agents: nothing is asked through files
    #[arg(long, value_name = "FILE")]
    agent_script: Option<PathBuf>,

    /// Write what each agent was given to a file, a line each
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    invocations: Option<PathBuf>,

    /// Who pays, where `consign bridge watch` asks a model; `local` if left out
    #[arg(long, value_name = "NAME", value_parser = owner_arg)]
    owner: Option<Owner>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let mode = match () {
        () if args.dry_run => Mode::DryRun,
        () if args.resume => Mode::Resume,
        () if args.fresh => Mode::Fresh,
        () => Mode::New,
    };
    let reach = match &args.agent_script {
        Some(script) => AgentReach::Script(script.clone()),
        None if args.no_ask => AgentReach::NoAgent,
        None => AgentReach::Bridge,
    };
    let wanted = Create {
        project: args.path.clone(),
        name: args.name.clone(),
        output: args.output.clone(),
        mode,
        reach,
        project_name: args.project_name.clone(),
        max_templates: args.max_templates.map(|most| most as usize),
        no_agents: args.no_agents,
        validate: args.validate,
        invocations: args.invocations.clone(),
        owner: args.owner.clone(),
    };
    let mut progress = Progress::new(output);
    let created = complete(async {
        Ok(templates::create(home::path(), wanted, &mut |told| progress.tell(&told)).await)
    })?;
    progress.end();
    match created? {
        Created::Waits(waiting) => {
            print_waiting(&waiting, output)?;
            Ok(Exit::WaitsForAgent)
        }
        Created::Complete(report) => {
            finished(&report, args.dry_run, output)?;
            Ok(Exit::Done)
        }
    }
}

/// Shows progress: a line for each phase that is done, and on a terminal what is being done.
pub(crate) struct Progress {
    live: Live<std::io::Stderr>,
    reader: Audience,
    color: anstream::ColorChoice,
    /// Why something was done without an agent: many parts have one reason, and it is told once.
    reasons: BTreeSet<String>,
}

impl Progress {
    pub(crate) fn new(output: &Output) -> Self {
        let live = match output.reader {
            Audience::Person => Live::on_stderr(output.color),
            Audience::Pipe | Audience::Program => Live::nowhere(),
        };
        let (reader, color, reasons) = (output.reader, output.color, BTreeSet::new());
        Self { live, reader, color, reasons }
    }

    pub(crate) fn tell(&mut self, told: &TemplateEvent<'_>) {
        match told {
            TemplateEvent::Begins { phase, name } => {
                let text = format!("     {phase}/{PHASES} {name} …");
                let _ = self.live.draw(&[text]);
            }
            TemplateEvent::Asks(request) => {
                let phase = &request.phase;
                let text = format!("     {phase}/{PHASES} asking {} …", request.agent_name);
                let _ = self.live.draw(&[text]);
            }
            TemplateEvent::Done { phase, summary } => {
                let summary = shortened(&printable(summary), 200).into_owned();
                self.say(format!("{} {phase}/{PHASES} {summary}", styled(GOOD, "done")));
            }
            TemplateEvent::Warns(text) => {
                let reason = text.split_once("by heuristics: ").map_or(*text, |(_, why)| why);
                if !self.reasons.insert(reason.to_owned()) {
                    return;
                }
                self.say(format!("{} {}", styled(WARN, "note"), printable(text)));
            }
            TemplateEvent::MovedAside(name) => {
                self.say(format!("moved aside: {}", printable(name)));
            }
            TemplateEvent::NotInInbox(why) => {
                self.warn(&format!("the inbox does not show this creation: {why}"));
            }
            TemplateEvent::EarlierInInbox(why) => {
                self.warn(&format!("the inbox still shows the earlier creation: {why}"));
            }
        }
    }

    /// Programs are told of it too.
    fn warn(&mut self, text: &str) {
        let _ = self.live.clear();
        crate::output::warn(self.color, format!("warning: {}", printable(text)));
    }

    fn say(&mut self, line: String) {
        if self.reader != Audience::Program {
            let _ = self.live.clear();
            crate::output::warn(self.color, line);
        }
    }

    /// Takes away what is no longer true.
    pub(crate) fn end(&mut self) {
        let _ = self.live.clear();
    }
}

/// What an agent needs to know that is to answer.
pub(crate) fn print_waiting(waiting: &WaitingCreation, output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        return Ok(output.object(waiting_object(waiting))?);
    }
    let WaitingCreation { project, order, request, .. } = waiting;
    let file = project.join(BridgeFile::Request.name()).display().to_string();
    let folder = shell_word(&order.project).into_owned();
    let head = format!(
        "waiting for {} in phase {}, {}",
        request.agent_name, request.phase, request.phase_name
    );
    output.line(styled(STRONG, head))?;
    let rows = [
        ("request", format!("{} (in {file})", request.request_id)),
        ("answer", format!("consign bridge answer --path {folder} --file ANSWER")),
        ("or", format!("consign bridge watch --path {folder} --exec 'CMD'")),
        ("go on", resume_command(order)),
    ];
    for (what, text) in rows {
        output.line(format!("  {}{}", styled(FAINT, format!("{what:<9}")), printable(&text)))?;
    }
    Ok(())
}

/// The pending request as programs are told of it.
pub(crate) fn waiting_object(waiting: &WaitingCreation) -> Object<'static> {
    let file = |file: BridgeFile| waiting.project.join(file.name()).display().to_string();
    let mut told = described(&waiting.request);
    told.set("status", Json::from("waiting"));
    told.set("run", Json::String(waiting.run.clone().into()));
    told.set("request_file", Json::String(file(BridgeFile::Request).into()));
    told.set("response_file", Json::String(file(BridgeFile::Response).into()));
    told.set("resume", Json::String(resume_command(&waiting.order).into()));
    told
}

/// The command that goes on with a creation.
fn resume_command(order: &Order) -> String {
    let [project, name, output] =
        [&order.project, &order.name, &order.output].map(|word| shell_word(word));
    format!("consign template create --path {project} --name {name} --output {output} --resume")
}

/// A request without its prompt.
pub(crate) fn described(request: &AgentRequest) -> Object<'static> {
    let Json::Object(mut whole) = consign_contracts::wire::Wire::write(request) else {
        return object([]);
    };
    whole.remove("prompt");
    whole.remove("version");
    whole
}

/// What was done without an agent, by why: many parts have one reason.
fn by_reason(report: &Report) -> Vec<(&str, Vec<&str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for fallback in &report.fallbacks {
        let of = fallback.subject.as_deref().unwrap_or(fallback.phase_name);
        match reasons.iter_mut().find(|(why, _)| *why == fallback.why) {
            Some((_, parts)) => parts.push(of),
            None => reasons.push((&fallback.why, vec![of])),
        }
    }
    reasons
}

/// The scored report: what lacks points, and why.
fn validated(validation: &Validation, output: &mut Output) -> Result<(), Error> {
    let Validation { points, out_of, checks } = validation;
    output.line(format!("  {} {points} of {out_of} points", styled(STRONG, "validation")))?;
    for check in checks {
        let score = format!("{:>3}/{:<3}", check.points, check.out_of);
        let style = if check.points == check.out_of { GOOD } else { WARN };
        let why = if check.points == check.out_of { String::new() } else { check.why.join(" ") };
        let text = format!("{}  {why}", check.name);
        output.line(format!("    {} {}", styled(style, score), printable(text.trim_end())))?;
    }
    Ok(())
}

/// What came of it.
pub(crate) fn finished(report: &Report, dry: bool, output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        let data = Data::of(report);
        let Json::Object(mut told) = data.shown().into_owned() else { return Ok(()) };
        told.set("status", Json::from(if dry { "dry_run" } else { "complete" }));
        return Ok(output.object(told)?);
    }
    let head = match dry {
        true => format!("would write {} files to {}", report.files.len(), report.output),
        false => format!("{} is in {}", report.template, report.output),
    };
    output.line(styled(STRONG, printable(&head)))?;
    let what = match &report.framework {
        Some(framework) => format!("{} with {framework}", report.language),
        None => report.language.clone(),
    };
    output.line(format!("  {}, confidence {:.2}", printable(&what), report.confidence))?;
    for (why, parts) in by_reason(report) {
        let text = format!("{}: {why}", parts.join(", "));
        output.line(format!("  {} {}", styled(WARN, "heuristic"), printable(&text)))?;
    }
    for warning in &report.warnings {
        output.line(format!("  {} {}", styled(WARN, "warning"), printable(warning)))?;
    }
    for missing in &report.missing {
        output.line(format!("  {} {}", styled(FAINT, "missing"), printable(missing)))?;
    }
    for file in report.left_out.iter().take(MOST_LEFT_OUT) {
        output.line(format!("  {} {}", styled(FAINT, "left out"), printable(file)))?;
    }
    let more = report.left_out.len().saturating_sub(MOST_LEFT_OUT);
    if more > 0 {
        output.line(format!("  {} and {more} more", styled(FAINT, "left out")))?;
    }
    if let Some(validation) = &report.validation {
        validated(validation, output)?;
    }
    if dry {
        for file in &report.files {
            output.line(format!("  {}", printable(file)))?;
        }
    } else {
        let to = format!(
            "  use it: consign template new --from {} --to DIR --set name=NAME",
            shell_word(&report.output)
        );
        output.line(styled(FAINT, to))?;
    }
    Ok(())
}
