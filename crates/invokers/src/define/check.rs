//! From what is written to what is meant. Errors say what is wrong, and where.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_engine::{Data, Effect, Nanos};
use consign_models::{
    ModelName,
    chat::{File, Tool},
    config::check_base_url,
    file::read_text,
};

use super::{
    contract::contract,
    file::{Bridge, Definition, Mcp, McpServer, Reached},
    written::{Answers, Written, WrittenLimits, WrittenMcp, WrittenModel},
};
use crate::{
    address::Reach,
    http,
    model::{Asking, Ladder, ModelSource},
    process,
    prompt::Template,
};

const DAY: u64 = 24 * 3600;
/// How long an attempt may take where nothing is said.
const USUAL_ATTEMPT: Duration = Duration::from_secs(600);
/// A clock cannot tell an instant that is too far off, and nobody sits by an attempt for so long.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(30 * DAY);
/// People may take longer, and the run waits at no cost.
const LONGEST_DEADLINE: Duration = Duration::from_secs(3650 * DAY);

impl Definition {
    /// Reads a definition. The error says what is wrong, and where.
    pub fn read(text: &str, path: &Path) -> Result<Self, String> {
        let written: Written =
            toml::from_str(text).map_err(|cause| cause.to_string().trim_end().to_owned())?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let Written { name, description, effect, timeout_seconds, contract: own, limits, .. } =
            &written;
        check_name(name)?;
        if written.bridge.is_some() && timeout_seconds.is_some() {
            let instead = "bridge.deadline_seconds says how long an answer is waited for";
            return Err(format!("timeout_seconds means nothing for [bridge]: {instead}"));
        }
        let timeout = match *timeout_seconds {
            Some(value) => seconds("timeout_seconds", value, LONGEST_ATTEMPT)?,
            None => USUAL_ATTEMPT,
        };
        let input = contract("input", own.input.as_ref(), folder)?;
        let output = contract("output", own.output.as_ref(), folder)?;
        let tools = written.model.as_ref().is_some_and(|model| !model.tools.is_empty());
        if tools && output.is_some() {
            let why = "a model that asks for a tool does not give the output";
            return Err(format!(
                "model.tools and contract.output do not go together: {why}. Leave one of them out"
            ));
        }
        if let Some(key) = idle_limit(&written) {
            return Err(format!(
                "limits.{key} means nothing here: it is not for this kind of agent"
            ));
        }
        let limits = Limits::read(limits, timeout)?;
        // A model by itself touches nothing. What else nothing was said about may do harm a second time.
        let usual = if written.model.is_some() { Effect::Pure } else { Effect::Unsafe };
        let (name, description) = (name.clone(), description.clone());
        let effect = effect.unwrap_or(usual);
        let reached = reached(written, folder, &limits)?;
        let path = path.to_owned();
        Ok(Self { name, description, effect, timeout, input, output, reached, path })
    }
}

/// A limit that would not be kept to: what a model costs is known, and only programs have memory.
fn idle_limit(written: &Written) -> Option<&'static str> {
    let limits = &written.limits;
    let program = written.subprocess.is_some()
        || written.mcp.as_ref().is_some_and(|mcp| mcp.command.is_some());
    let reads = program || written.http.is_some() || written.mcp.is_some();
    if written.model.is_some() && limits.max_cost_usd.is_some() {
        return Some("max_cost_usd");
    }
    if limits.memory_mb.is_some() && !program {
        return Some("memory_mb");
    }
    (limits.output_mb.is_some() && !reads).then_some("output_mb")
}

struct Limits {
    timeout: Duration,
    max_cost: Option<Nanos>,
    memory: u64,
    output: u64,
}

impl Limits {
    fn read(written: &WrittenLimits, timeout: Duration) -> Result<Self, String> {
        let max_cost =
            match &written.max_cost_usd {
                None => None,
                Some(usd) => {
                    let text = usd.as_str().map_or_else(|| usd.to_string(), str::to_owned);
                    let cost = Nanos::from_usd(&text);
                    Some(cost.ok_or_else(|| {
                        format!("limits.max_cost_usd is {text}, which is no amount")
                    })?)
                }
            };
        let mb = |name: &str, value: Option<u64>, usual: u64| match value.unwrap_or(usual) {
            0 => Err(format!("limits.{name} is 0")),
            mb => Ok(mb.min(1 << 20) << 20),
        };
        Ok(Self {
            timeout,
            max_cost,
            memory: mb("memory_mb", written.memory_mb, 1024)?,
            output: mb("output_mb", written.output_mb, 10)?,
        })
    }
}

impl Limits {
    fn program(
        &self,
        command: Vec<String>,
        directory: Option<PathBuf>,
        env: Vec<String>,
        folder: &Path,
    ) -> process::Definition {
        process::Definition {
            directory: Some(folder.join(directory.unwrap_or_default())),
            env,
            timeout: self.timeout,
            memory: self.memory,
            output: self.output,
            max_cost: self.max_cost,
            ..process::Definition::new(command)
        }
    }

    fn server(&self, url: String, bearer: Option<String>, allow_private: bool) -> http::Definition {
        let (timeout, output, max_cost) = (self.timeout, self.output, self.max_cost);
        let usual = http::Definition::new(url);
        http::Definition { bearer, timeout, output, max_cost, allow_private, ..usual }
    }
}

fn reached(written: Written, folder: &Path, limits: &Limits) -> Result<Reached, String> {
    let Written { model, subprocess, http, mcp, bridge, .. } = written;
    let ways = [
        ("[model]", model.is_some()),
        ("[subprocess]", subprocess.is_some()),
        ("[http]", http.is_some()),
        ("[mcp]", mcp.is_some()),
        ("[bridge]", bridge.is_some()),
    ];
    let there: Vec<_> = ways.iter().filter(|(_, there)| *there).map(|(way, _)| *way).collect();
    let max_cost = limits.max_cost;
    match (model, subprocess, http, mcp, bridge) {
        (Some(model), None, None, None, None) => read_model(model, folder).map(Reached::Model),
        (None, Some(own), None, None, None) => {
            check_command("subprocess.command", &own.command)?;
            let mut program = limits.program(own.command, own.directory, own.env, folder);
            program.text = own.answers == Answers::Text;
            Ok(Reached::Subprocess(program))
        }
        (None, None, Some(own), None, None) => {
            check_url("http.url", &own.url, own.allow_private)?;
            if let Some(url) = &own.probe_url {
                check_url("http.probe_url", url, own.allow_private)?;
            }
            let mut server = limits.server(own.url, own.bearer_env, own.allow_private);
            server.probe_url = own.probe_url;
            Ok(Reached::Http(server))
        }
        (None, None, None, Some(own), None) => {
            let tool = own.tool.clone();
            let server = read_server(own, folder, limits)?;
            Ok(Reached::Mcp(Mcp { tool, server }))
        }
        (None, None, None, None, Some(own)) => {
            let deadline = own.deadline_seconds;
            let deadline = deadline
                .map(|wait| seconds("bridge.deadline_seconds", wait, LONGEST_DEADLINE))
                .transpose()?;
            let template = template("bridge.prompt", own.prompt.as_deref())?;
            Ok(Reached::Bridge(Bridge { template, deadline, max_cost }))
        }
        _ if there.is_empty() => {
            Err(format!("it needs one of {}", ways.map(|(way, _)| way).join(", ")))
        }
        _ => Err(format!("it is reached in one way, and has {}", there.join(" and "))),
    }
}

fn read_model(own: WrittenModel, folder: &Path) -> Result<Asking, String> {
    let source = ModelSource::read(&relative(&own.name, folder), &own.fallback)
        .map_err(|why| format!("model.name: {why}"))?;
    if let Some(url) = &own.base_url {
        check_base_url(url).map_err(|why| format!("model.base_url: {why}"))?;
    }
    if !(0.0..=2.0).contains(&own.temperature) {
        return Err(format!("model.temperature is {}, and not from 0 to 2", own.temperature));
    }
    if own.max_tokens == 0 {
        return Err("model.max_tokens is 0".to_owned());
    }
    let files = own.files.iter().map(|file| context(file, folder)).collect::<Result<_, _>>()?;
    let tools = own.tools.into_iter().map(|tool| Tool {
        name: tool.name,
        description: tool.description,
        parameters: Data::of(&tool.parameters),
    });
    let allow = own.allow.map(|names| names.iter().map(|name| name.parse()).collect());
    let allow: Option<Vec<ModelName>> =
        allow.transpose().map_err(|why: String| format!("model.allow: {why}"))?;
    if let (Some(allow), ModelSource::Models(chain)) = (&allow, &source)
        && let Some(name) = chain.iter().find(|name| !allow.contains(name))
    {
        return Err(format!("model.allow: {name} is not in it, and the agent uses it"));
    }
    Ok(Asking {
        source,
        system: own.system,
        template: template("model.prompt", own.prompt.as_deref())?,
        files,
        tools: tools.collect(),
        temperature: own.temperature,
        max_tokens: own.max_tokens,
        stream: own.stream,
        ladder: own.repair.as_deref().map_or(Ok(Ladder::default()), ladder)?,
        allow,
        base_url: own.base_url,
    })
}

/// Files that stand in for models are looked for beside the definition.
fn relative(name: &str, folder: &Path) -> String {
    for kind in ["replay:", "scripted:"] {
        if let Some(path) = name.strip_prefix(kind).filter(|path| !path.is_empty()) {
            return format!("{kind}{}", folder.join(path).display());
        }
    }
    name.to_owned()
}

fn ladder(rungs: &[String]) -> Result<Ladder, String> {
    let mut ladder = Ladder { mend: false, ask_again: false, fall_back: false, person: false };
    for rung in rungs {
        match rung.as_str() {
            "local" => ladder.mend = true,
            "ask_again" => ladder.ask_again = true,
            "fallback" => ladder.fall_back = true,
            "person" => ladder.person = true,
            other => {
                let known = "local, ask_again, fallback and person";
                return Err(format!("model.repair: there is no rung {other:?}; there are {known}"));
            }
        }
    }
    Ok(ladder)
}

fn template(key: &str, text: Option<&str>) -> Result<Template, String> {
    text.map_or(Ok(Template::default()), |text| {
        Template::read(text).map_err(|why| format!("{key}: {why}"))
    })
}

fn context(file: &Path, folder: &Path) -> Result<File, String> {
    const MOST: u64 = 1 << 20;
    let named = |why: String| format!("model.files: {}: {why}", file.display());
    let path = folder.join(file);
    let text = read_text(&path, MOST).map_err(named)?;
    Ok(File { name: file.display().to_string(), text })
}

fn read_server(own: WrittenMcp, folder: &Path, limits: &Limits) -> Result<McpServer, String> {
    match (own.command, own.url) {
        (Some(command), None) => {
            check_command("mcp.command", &command)?;
            let program = limits.program(command, own.directory, own.env, folder);
            Ok(McpServer::Program(program))
        }
        (None, Some(url)) => {
            check_url("mcp.url", &url, own.allow_private)?;
            Ok(McpServer::Web(limits.server(url, own.bearer_env, own.allow_private)))
        }
        _ => Err("mcp needs a `command` or a `url`".to_owned()),
    }
}

fn check_command(key: &str, command: &[String]) -> Result<(), String> {
    match command.first() {
        Some(program) if !program.is_empty() => Ok(()),
        _ => Err(format!("{key} is empty: it is a list, the program first")),
    }
}

/// Whether an address could be reached at all. What a name leads to is looked at with each call.
fn check_url(key: &str, url: &str, allow_private: bool) -> Result<(), String> {
    let reach = Reach { private: allow_private };
    reach.url(url).map(|_| ()).map_err(|why| format!("{key}: {why}"))
}

/// Names are typed, printed, and parts of file names.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let fit =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
    if !begins || name.len() > 64 || !name.chars().all(fit) {
        return Err(format!(
            "the name {name:?} must begin with a letter and have letters (a to z), digits and -, 64 at most"
        ));
    }
    Ok(())
}

fn seconds(key: &str, value: f64, most: Duration) -> Result<Duration, String> {
    if value > most.as_secs_f64() {
        let (days, seconds) = (most.as_secs() / DAY, most.as_secs());
        return Err(format!("{key} is {value}, and at most {seconds}, which is {days} days"));
    }
    let span = Duration::try_from_secs_f64(value).ok().filter(|span| !span.is_zero());
    span.ok_or_else(|| format!("{key} is {value}, which is no span of time"))
}
