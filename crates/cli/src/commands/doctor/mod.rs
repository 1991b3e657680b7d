//! `consign doctor`: what is here, what is missing, and what that costs.

mod accounts;
mod agents;
mod disk;
mod home;
mod keys;
mod stalled;
mod store;
mod tools;
mod workers;

use consign_contracts::json::{Json, Object};
use consign_files::Holder;

use crate::{
    error::{Error, Exit},
    output::{Audience, BAD, FAINT, GOOD, Output, WARN, object, printable, styled},
    text::count,
};

use super::models::local::{self, LocalModel};
use store::{Database, Standing};
use workers::Worker;

/// What was found.
struct Findings {
    home: Result<home::HomeCheck, String>,
    database: Database,
    accounts: accounts::AccountsFound,
    agents: agents::AgentFiles,
    keys: keys::KeysFound,
    disk: Option<disk::Disk>,
    models: Vec<LocalModel>,
    tools: Vec<tools::Tool>,
}

/// Fails only where Consign could not work: its directory cannot be written, its database not read.
pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    let home = home::look();
    let database = home.as_ref().map_or(Database::None, |home| store::look(&home.path));
    let agents = home.as_ref().map(|home| agents::look(&home.path)).unwrap_or_default();
    let disk = home.as_ref().ok().and_then(|home| disk::measure(&home.probe).ok());
    let (sealed, users) = match &database {
        Database::Read(standing) => (standing.keys.as_slice(), standing.users),
        Database::None | Database::Bad(_) => (&[][..], 0),
    };
    let path = home.as_ref().ok().map(|home| home.path.as_path());
    let (keys, accounts) = (keys::look(path, sealed), accounts::look(path, users));
    let (models, tools) = (local::look(), tools::look());
    let found = Findings { home, database, accounts, agents, keys, disk, models, tools };
    match output.reader {
        Audience::Program => for_program(&found, output)?,
        Audience::Person | Audience::Pipe => for_person(&found, output)?,
    }
    Ok(if found.is_ready() { Exit::Done } else { Exit::Failed })
}

impl Findings {
    fn has_stalled(&self) -> bool {
        matches!(&self.database, Database::Read(standing) if !standing.stalled.is_empty())
    }

    fn is_ready(&self) -> bool {
        self.home.is_ok() && self.disk.is_some() && !matches!(self.database, Database::Bad(_))
    }
}

fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64)
}

fn for_person(found: &Findings, output: &mut Output) -> Result<(), Error> {
    let Findings { home, database, accounts, agents, keys, disk, models, tools } = found;
    let version = env!("CARGO_PKG_VERSION");
    output.line(format!("consign {version}, {}, {} cores", platform(), cores()))?;
    match home {
        Ok(home) => {
            let note = if home.exists { "" } else { " (made when it is first needed)" };
            output.line(format!(
                "directory  {} {}{note}",
                styled(GOOD, "ok"),
                printable(&home.path.to_string_lossy())
            ))?;
            output.line(format!("space      {} free", bytes(home.free)))?;
        }
        Err(why) => output.line(format!("directory  {} {}", styled(BAD, "bad"), printable(why)))?,
    }
    describe(database, output)?;
    accounts.describe(output)?;
    agents.describe(output)?;
    keys.describe(output)?;
    for model in models {
        output.line(format!("model      {}", model.line()))?;
    }
    if let Some(disk) = disk {
        output.line(format!("writing    {:.0} MB/s", disk.megabytes_per_second))?;
        output.line(format!(
            "fsync      median {:.2} ms, slowest {:.2} ms: about {:.0} durable writes a second, one at a time",
            disk.median_ms, disk.slowest_ms, 1000.0 / disk.median_ms.max(0.001)
        ))?;
    }
    let rows = tools.iter().map(|tool| {
        let state = match &tool.path {
            Some(path) => path.display().to_string(),
            None => "missing".to_owned(),
        };
        vec![tool.name.to_owned(), state, tool.used_for.to_owned(), tool.without.to_owned()]
    });
    output.rows(&["program", "found", "used for", "without it"], rows.collect())?;
    let missing = tools.iter().filter(|tool| tool.path.is_none()).count();
    let no_models = models.iter().any(|model| !model.is_here());
    let bad = agents.unusable.len() as u64;
    let worth_a_look = !keys.missing.is_empty() || found.has_stalled();
    output.line(match (found.is_ready(), missing, bad) {
        (false, _, _) => styled(BAD, "Consign cannot work here: see above."),
        (true, _, 0) if worth_a_look => {
            styled(WARN, "Ready, but something stands still or is missing: see above.")
        }
        (true, 0, 0) if no_models => {
            styled(WARN, "Ready; an optional model is missing: see above.")
        }
        (true, 0, 0) => styled(GOOD, "Everything is here."),
        (true, _, 0) => styled(WARN, format!("Ready; {missing} optional programs are missing.")),
        (true, _, _) => {
            let bad = count(bad, "agent");
            styled(WARN, format!("Ready, but {bad} cannot be used: see above."))
        }
    })?;
    output.line(styled(FAINT, "CONSIGN_HOME moves the directory."))?;
    Ok(())
}

fn describe(database: &Database, output: &mut Output) -> Result<(), Error> {
    let standing = match database {
        Database::None => return Ok(()),
        Database::Bad(problem) => {
            let bad = styled(BAD, problem.state);
            output.line(format!("database   {bad} {}", printable(&problem.why)))?;
            if let Some(hint) = problem.hint {
                output.line(format!("           {hint}"))?;
            }
            return Ok(());
        }
        Database::Read(standing) => standing,
    };
    let Standing { runs, more, workers, stalled, writer, .. } = standing;
    let more = if *more { "at least " } else { "" };
    let total = count(runs.iter().map(|(_, number)| number).sum(), "run");
    let each: Vec<_> = runs.iter().map(|(status, number)| format!("{number} {status}")).collect();
    let each = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
    output.line(format!("database   {} {more}{total}{each}", styled(GOOD, "ok")))?;
    stalled.describe(output)?;
    for Worker { id, runs, process } in workers {
        let holds = count(*runs, "run");
        let state = match process {
            Holder::Alive(pid) => format!("{} process {pid}", styled(GOOD, "alive")),
            Holder::Stopped(pid) => format!(
                "{} process {pid} does not go on: `kill -CONT {pid}` lets it, `kill -KILL {pid}` \
                 leaves its runs to others",
                styled(BAD, "stopped")
            ),
            Holder::Nobody => {
                format!("{} the next command or worker takes its runs back", styled(WARN, "dead"))
            }
            Holder::Unknown => "whose process cannot be found from here".to_owned(),
        };
        output.line(format!("worker     {} holds {holds}, {state}", printable(id.as_str())))?;
    }
    let writes = match writer {
        Holder::Nobody => return Ok(()),
        Holder::Alive(pid) => format!("process {pid} writes now"),
        Holder::Stopped(pid) => format!(
            "{} process {pid} has the write lock and does not go on, so that no process can write: `kill \
             -CONT {pid}` lets it, `kill -KILL {pid}` lets the others",
            styled(BAD, "stopped")
        ),
        Holder::Unknown => "a process that cannot be found from here writes".to_owned(),
    };
    output.line(format!("writer     {writes}"))?;
    Ok(())
}

fn as_object(database: &Database) -> Object<'static> {
    let number = |number: u64| Json::Number(number.into());
    match database {
        Database::None => object([("state", Json::from("none"))]),
        Database::Bad(problem) => object([
            ("state", Json::from(problem.state)),
            ("problem", Json::String(problem.why.clone().into())),
        ]),
        Database::Read(Standing { runs, more, workers, stalled, writer, .. }) => {
            let runs = runs.iter().map(|(status, runs)| (status.as_str().into(), number(*runs)));
            let workers = workers.iter().map(|Worker { id, runs, process }| {
                let (state, pid) = state(*process, "dead");
                Json::Object(object([
                    ("worker", Json::String(id.to_string().into())),
                    ("runs", number(*runs)),
                    ("state", state),
                    ("pid", pid),
                ]))
            });
            let (writing, pid) = state(*writer, "free");
            object([
                ("state", Json::from("ok")),
                ("runs", Json::Object(runs.collect())),
                ("all_counted", Json::Bool(!more)),
                ("workers", Json::Array(workers.collect())),
                ("stalled", Json::Object(stalled.object())),
                ("write_lock", Json::Object(object([("state", writing), ("pid", pid)]))),
            ])
        }
    }
}

/// The state of the process that holds a lock, and its id.
fn state(holder: Holder, nobody: &'static str) -> (Json<'static>, Json<'static>) {
    let (state, pid) = match holder {
        Holder::Alive(pid) => ("alive", Some(pid)),
        Holder::Stopped(pid) => ("stopped", Some(pid)),
        Holder::Nobody => (nobody, None),
        Holder::Unknown => ("unknown", None),
    };
    (Json::from(state), pid.map_or(Json::Null, |pid| Json::Number(u64::from(pid).into())))
}

fn for_program(found: &Findings, output: &mut Output) -> Result<(), Error> {
    let Findings { home, database, accounts, agents, keys, disk, models, tools } = found;
    let text = |text: String| Json::String(text.into());
    let home = match home {
        Ok(home) => object([
            ("path", text(home.path.display().to_string())),
            ("exists", Json::Bool(home.exists)),
            ("writable", Json::Bool(true)),
            ("free_bytes", Json::Number(home.free.into())),
        ]),
        Err(why) => object([("writable", Json::Bool(false)), ("problem", text(why.clone()))]),
    };
    let disk = disk.as_ref().map_or(Json::Null, |disk| {
        let number = |value: f64| {
            let rounded = (value * 1000.0).round() / 1000.0;
            rounded.try_into().map_or(Json::Null, Json::Number)
        };
        Json::Object(object([
            ("write_mb_per_second", number(disk.megabytes_per_second)),
            ("fsync_median_ms", number(disk.median_ms)),
            ("fsync_slowest_ms", number(disk.slowest_ms)),
        ]))
    });
    let tools = tools.iter().map(|tool| {
        Json::Object(object([
            ("name", Json::from(tool.name)),
            ("found", Json::Bool(tool.path.is_some())),
            (
                "path",
                tool.path.as_ref().map_or(Json::Null, |path| text(path.display().to_string())),
            ),
            ("used_for", Json::from(tool.used_for)),
            ("without", Json::from(tool.without)),
        ]))
    });
    let models = models.iter().map(|model| Json::Object(model.object()));
    output.object(object([
        ("ready", Json::Bool(found.is_ready())),
        ("version", Json::from(env!("CARGO_PKG_VERSION"))),
        ("platform", text(platform())),
        ("cores", Json::Number(cores().into())),
        ("home", Json::Object(home)),
        ("database", Json::Object(as_object(database))),
        ("accounts", Json::Object(accounts.object())),
        ("agents", Json::Object(agents.object())),
        ("keys", Json::Object(keys.object())),
        ("disk", disk),
        ("models", Json::Array(models.collect())),
        ("tools", Json::Array(tools.collect())),
    ]))?;
    Ok(())
}

fn bytes(count: u64) -> String {
    match count as f64 {
        few if few < 1e9 => format!("{:.0} MB", few / 1e6),
        many => format!("{:.1} GB", many / 1e9),
    }
}
