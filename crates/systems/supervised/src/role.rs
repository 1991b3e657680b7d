//! The roles of a job: `roles/NAME.toml` in the job's folder, in `--roles DIR`, or in the home.
//!
//! The file is an agent's definition with `protocol = "1"`. What a role is asked and what it answers is the document's
//! affair: a contract, a prompt, tools and the repair of answers that a definition may have are put aside.

use std::{
    fs,
    path::{Path, PathBuf},
};

use consign_engine::{Agent, Effect, Fault};
use consign_invokers::{
    define::{Definition, Reached, Workshop},
    model::{Asking, Ladder, ModelSource},
    prompt::PromptTemplate,
};
use consign_models::file::read_text;
use toml::de::DeTable;

use crate::{job, turn::Turn};

const WORKER: &str = include_str!("prompts/worker.txt");
const SUPERVISOR: &str = include_str!("prompts/supervisor.txt");
/// A file is no larger than this.
const MOST_BYTES: u64 = 1 << 20;
/// The version of the protocol that is spoken.
const PROTOCOL: &str = "1";
const USUAL_TOKENS: u32 = 4096;

/// Finds and makes the agents of roles.
#[derive(Clone)]
pub struct Roles {
    workshop: Workshop,
    /// Where the home has its roles.
    home: PathBuf,
}

/// A role that can be asked.
pub struct FoundRole {
    pub agent: Agent,
    pub system_prompt: String,
    /// Whether it is a program that works in the workspace.
    pub is_command: bool,
    /// How it is called, for the history.
    pub model: Option<String>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u32>,
    /// Its attempts may not be repeated without asking.
    pub is_unsafe: bool,
}

impl Roles {
    #[must_use]
    pub fn new(workshop: Workshop, home: &Path) -> Self {
        Self { workshop, home: home.join("roles") }
    }

    /// The role of a turn. Fails with what is wrong with its file.
    pub fn find(&self, turn: &Turn) -> Result<FoundRole, Fault> {
        let workspace = turn.directory.join("workspace");
        let places =
            [Some(turn.directory.join("roles")), turn.roles.clone(), Some(self.home.clone())];
        for place in places.into_iter().flatten() {
            if let Some(file) = file_of(&place, &turn.role) {
                let read = read(&file, &turn.role)?;
                return Ok(self.found(read, turn, &workspace));
            }
        }
        let definition = self.of_settings(&turn.role);
        let read = Read { definition, system: None, has_effect: true };
        Ok(self.found(read, turn, &workspace))
    }

    fn found(&self, read: Read, turn: &Turn, workspace: &Path) -> FoundRole {
        let Read { mut definition, system, has_effect } = read;
        (definition.input, definition.output) = (None, None);
        // Scripts name it as the phases do.
        definition.name.clone_from(&turn.role);
        let (mut temperature, mut max_tokens, mut is_command) = (None, None, false);
        let model;
        let mut own_prompt = None;
        match &mut definition.reached {
            Reached::Model(asking) => {
                own_prompt = asking.system.take();
                asking.template = PromptTemplate::default();
                (asking.tools, asking.files) = (Vec::new(), Vec::new());
                asking.ladder =
                    Ladder { mend: false, ask_again: false, fall_back: true, person: false };
                model = match &asking.source {
                    ModelSource::Models(chain) => chain.first().map(ToString::to_string),
                    ModelSource::Replay(_) => Some("replay".to_owned()),
                    ModelSource::Script(_) => Some("scripted".to_owned()),
                    ModelSource::Bridge => Some("bridge".to_owned()),
                };
                temperature = Some(asking.temperature);
                max_tokens = Some(asking.max_tokens);
            }
            Reached::Subprocess(program) => {
                (program.text, is_command) = (true, true);
                // A file beside the role's own is meant, wherever the workspace is.
                let beside = definition.path.parent().map(Path::to_owned);
                for part in &mut program.command {
                    let file = beside.as_ref().map(|folder| folder.join(&*part));
                    if let Some(file) = file.filter(|file| part.starts_with("./") && file.is_file())
                    {
                        *part = file.display().to_string();
                    }
                }
                program.directory = Some(workspace.to_owned());
                // What it does in the workspace is undone before it is repeated.
                if !has_effect {
                    definition.effect = Effect::Idempotent;
                }
                model = program.command.first().cloned();
            }
            Reached::Http(_) => model = Some("http".to_owned()),
            Reached::Mcp(own) => model = Some(own.tool.clone()),
            Reached::Bridge(own) => {
                own.template = PromptTemplate::default();
                model = Some("bridge".to_owned());
            }
        }
        let usual = match turn.acts {
            job::Role::Worker => WORKER,
            job::Role::Supervisor => SUPERVISOR,
        };
        let system_prompt = system.or(own_prompt).unwrap_or_else(|| usual.trim_end().to_owned());
        let is_unsafe = matches!(definition.effect, Effect::Unsafe | Effect::Keyed);
        let agent = self.workshop.agent(&definition);
        FoundRole { agent, system_prompt, is_command, model, temperature, max_tokens, is_unsafe }
    }

    /// A role without a file: the model of the settings.
    fn of_settings(&self, role: &str) -> Definition {
        let policy = self.workshop.models().config().policy("job");
        let asking = Asking {
            source: ModelSource::Models(vec![policy.default]),
            system: None,
            template: PromptTemplate::default(),
            files: Vec::new(),
            tools: Vec::new(),
            temperature: 0.0,
            max_tokens: USUAL_TOKENS,
            stream: true,
            ladder: Ladder::default(),
            allow: None,
            base_url: None,
        };
        Definition {
            name: role.to_owned(),
            description: String::new(),
            effect: Effect::Pure,
            timeout: std::time::Duration::from_secs(600),
            input: None,
            output: None,
            reached: Reached::Model(asking),
            path: PathBuf::new(),
        }
    }
}

/// The file of a role in a folder, whatever the case of its letters.
fn file_of(folder: &Path, role: &str) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let stem = path.file_stem()?.to_str()?;
            let is = stem.eq_ignore_ascii_case(role) && path.extension()? == "toml";
            is.then_some(path)
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

struct Read {
    definition: Definition,
    /// The role's own system prompt.
    system: Option<String>,
    has_effect: bool,
}

/// Reads the file of a role. The members that a definition does not know are blanked out, so that lines stay in place.
fn read(file: &Path, role: &str) -> Result<Read, Fault> {
    let wrong = |why: String| Fault::permanent("ROLE_INVALID", format!("role {role}: {why}"));
    let text =
        read_text(file, MOST_BYTES).map_err(|why| wrong(format!("{}: {why}", file.display())))?;
    let at = |why: String| wrong(format!("{}: {why}", file.display()));
    let table = DeTable::parse(&text).map_err(|why| at(why.to_string()))?;
    let table = table.get_ref();
    let (mut blank, mut small) = (Vec::new(), None);
    let (mut protocol, mut system) = (None, None);
    for (key, value) in table.iter() {
        let string = value.get_ref().as_str();
        match key.get_ref().as_ref() {
            "protocol" => protocol = Some(string.map(str::to_owned)),
            "system_prompt" => system = string.map(str::to_owned),
            "name" => {
                small = Some(value.span());
                continue;
            }
            _ => continue,
        }
        blank.push(key.span().start..value.span().end);
    }
    match protocol {
        None | Some(Some(_))
            if protocol.as_ref().is_none_or(|own| own.as_deref() == Some(PROTOCOL)) => {}
        _ => return Err(at(format!("protocol is not {PROTOCOL:?}, the only one that is spoken"))),
    }
    let has_effect = table.iter().any(|(key, _)| key.get_ref() == "effect");
    let mut bytes = text.clone().into_bytes();
    for span in blank {
        for byte in &mut bytes[span] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    if let Some(span) = small {
        bytes[span].make_ascii_lowercase();
    }
    let text = String::from_utf8(bytes).map_err(|why| at(why.to_string()))?;
    let definition = Definition::read(&text, file).map_err(|faults| {
        let lines: Vec<_> = faults.0.iter().map(|fault| fault.what.clone()).collect();
        at(lines.join("; "))
    })?;
    if !definition.name.eq_ignore_ascii_case(role) {
        return Err(at(format!("it defines {}", definition.name)));
    }
    Ok(Read { definition, system, has_effect })
}
