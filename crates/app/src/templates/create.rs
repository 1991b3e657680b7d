//! Making a template of a project.

use std::path::{Path, PathBuf};

use consign_contracts::bridge::AgentRequest;
use consign_engine::Owner;
use consign_template::{
    creation::{Options, Order, Report},
    folder::Folder,
    maker::{End, Reach},
    scripted::Scripted,
};

use super::{
    event::{Events, TemplateEvent},
    making::Making,
    names::{ProjectName, TemplateName},
    order::{fits, is_free, output_path, text},
    project::open,
};
use crate::{
    error::{Error, Refused},
    home::Home,
};

/// What a template is made of, and how.
#[derive(Clone, Debug)]
pub struct Create {
    /// The root of the project.
    pub project: PathBuf,
    pub name: TemplateName,
    /// The template's own folder, which must not exist or be empty.
    pub output: PathBuf,
    pub mode: Mode,
    pub reach: AgentReach,
    /// The name that becomes a placeholder; else it is found.
    pub project_name: Option<ProjectName>,
    /// The most template files.
    pub max_templates: Option<usize>,
    /// Leaves out the template's agents.
    pub no_agents: bool,
    /// Scores the template at the end.
    pub validate: bool,
    /// The file to which a line is added for each request that is made.
    pub invocations: Option<PathBuf>,
    /// Who pays where a model is asked.
    pub owner: Option<Owner>,
}

/// How a creation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From the beginning; refused where files of another creation are.
    New,
    /// From the beginning; files of another creation are moved aside.
    Fresh,
    /// From where it stopped.
    Resume,
    /// To see what would be written. Nothing is locked, written or shown in the inbox.
    DryRun,
}

/// How agents are reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentReach {
    /// Through files, which a program or person outside answers. In a dry run no agent is asked.
    Bridge,
    /// Not at all: what can be found without them will do.
    NoAgent,
    /// A script answers in their place.
    Script(PathBuf),
}

/// Where a creation came to.
#[derive(Clone, Debug)]
pub enum Created {
    /// An agent is to answer.
    Waits(Box<WaitingCreation>),
    /// The template is there; of a dry run, what it would be.
    Complete(Box<Report>),
}

/// A creation that waits for the answer of an agent.
#[derive(Clone, Debug)]
pub struct WaitingCreation {
    pub project: PathBuf,
    pub run: String,
    /// What it was begun with, which the command that goes on with it repeats.
    pub order: Order,
    pub request: AgentRequest,
}

/// Makes a template of a project, or goes on with it, until it is there or an agent has to answer.
///
/// The creation is shown in the home in this folder. Where there is none (the text says why) or it cannot be opened, the
/// work is done all the same and that is told.
pub async fn create(
    home: Result<PathBuf, String>,
    wanted: Create,
    events: &mut Events<'_>,
) -> Result<Created, Error> {
    let folder = open(&wanted.project)?;
    let order = order(&wanted, &folder)?;
    fits(&order)?;
    if wanted.mode == Mode::DryRun {
        return drive(&wanted, &mut Making::dry(folder, order), None, events).await;
    }
    let mut making = match wanted.mode {
        Mode::Resume => resumed(folder, order, wanted.validate)?,
        Mode::New | Mode::Fresh | Mode::DryRun => {
            is_free(&order)?;
            Making::fresh(folder, order, wanted.mode == Mode::Fresh, events)?
        }
    };
    let home = match home {
        Ok(home) => Home::open(home).await.map_err(|error| error.to_string()),
        Err(why) => Err(why),
    };
    match home {
        Ok(home) => {
            making.belongs_to(&home, wanted.owner.as_ref()).await?;
            making.supersede(&home, events).await;
            drive(&wanted, &mut making, Some(&home), events).await
        }
        Err(why) => {
            events(TemplateEvent::NotInInbox(&why));
            drive(&wanted, &mut making, None, events).await
        }
    }
}

fn order(wanted: &Create, folder: &Folder) -> Result<Order, Refused> {
    let script = match &wanted.reach {
        AgentReach::Script(file) => {
            let full = file.canonicalize().map_err(|cause| Refused::unreadable(file, &cause))?;
            Some(text(&full)?)
        }
        AgentReach::Bridge | AgentReach::NoAgent => None,
    };
    let options = Options {
        no_agents: wanted.no_agents,
        validate: wanted.validate,
        max_templates: wanted.max_templates,
        agent_script: script,
        project_name: wanted.project_name.as_ref().map(ToString::to_string),
    };
    Ok(Order {
        project: text(folder.path())?,
        output: output_path(&wanted.output)?,
        name: wanted.name.to_string(),
        options,
    })
}

/// The creation in a project, if it is the one that is meant.
fn resumed(folder: Folder, order: Order, validate: bool) -> Result<Making, Error> {
    let mut making = Making::resumed(folder)?;
    making.is_of(&order)?;
    let options = &mut making.creation.order.options;
    // The state may be a stranger's: a script is read only where the caller says so.
    if let (Some(before), None) = (options.agent_script.take(), &order.options.agent_script) {
        let told = format!("this creation was begun with the script {before}");
        let refused = Refused::usage("SCRIPT_WANTED", told)
            .hint("give --agent-script again, or begin anew with --fresh");
        return Err(refused.into());
    }
    options.agent_script = order.options.agent_script;
    options.validate |= validate;
    Ok(making)
}

async fn drive(
    wanted: &Create,
    making: &mut Making,
    home: Option<&Home>,
    events: &mut Events<'_>,
) -> Result<Created, Error> {
    let mut scripted = match &making.creation.order.options.agent_script {
        Some(file) => {
            let mut scripted = Scripted::from_file(Path::new(file))
                .map_err(|why| Refused::new("SCRIPT_INVALID", why))?;
            scripted.skip(&making.creation.asked_before());
            Some(scripted)
        }
        None => None,
    };
    let dry = wanted.mode == Mode::DryRun;
    let reach = match &mut scripted {
        Some(scripted) => Reach::Here(scripted),
        None if dry => Reach::Nobody("no agent is asked in a dry run"),
        None if wanted.reach == AgentReach::NoAgent => {
            Reach::Nobody("no agent is asked (--no-ask)")
        }
        None => Reach::Bridge,
    };
    let invocations = wanted.invocations.as_deref();
    let end = making.drive(home, reach, !dry, invocations, events).await?;
    Ok(match end {
        End::Waits => Created::Waits(Box::new(
            making.waiting().expect("a creation that waits has a pending request"),
        )),
        End::Complete => Created::Complete(Box::new(making.creation.report())),
    })
}
