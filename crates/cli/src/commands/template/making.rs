//! A creation under way: the project's lock, the state, and its mirror in the database.
//!
//! `template create` and `bridge watch` both drive it. The files are the truth; the mirror is brought up
//! to them afterwards, and where that fails the work goes on and it is told.

use std::path::{Path, PathBuf, absolute};

use consign_contracts::{
    bridge::AgentRequest,
    wire::{Message, Refused},
};
use consign_engine::{Data, Fault, Owner, RunId};
use consign_template::{
    analysis::Cancel,
    creation::{Creation, Options, Order, Reply, Unreadable},
    folder::{BridgeFile, Folder, Lock},
    maker::{End, Maker, MakerEvent, Reach, Stopped, Taken},
    mirror::{self, Answered},
    respond::{self, RespondError},
};

use crate::{
    engine::{Session, now, random},
    error::Error,
    output::Output,
    text::shell_word,
};

/// A project that this process alone works on.
pub(crate) struct Making {
    pub(crate) folder: Folder,
    _lock: Option<Lock>,
    pub(crate) creation: Creation,
    /// One that was moved aside: nobody goes on with it.
    superseded: Option<Creation>,
    /// Who pays for what is called.
    owner: Owner,
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        let error = Self::new(stopped.code, stopped.message).listing(stopped.lines);
        match stopped.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

impl From<RespondError> for Error {
    fn from(error: RespondError) -> Self {
        Self::from(&error.fault())
    }
}

/// A template has a folder of its own: neither around the project nor in it, where the next creation would
/// take it for source.
pub(crate) fn fits(order: &Order) -> Result<(), Error> {
    let (project, output) = (Path::new(&order.project), Path::new(&order.output));
    let told = match () {
        () if project.starts_with(output) => {
            "the project is in the folder where the template is to go"
        }
        () if output.starts_with(project) => "the template would be in the project itself",
        () => return Ok(()),
    };
    Err(Error::usage("OUTPUT_INVALID", told)
        .listing([format!("--path {}", order.project), format!("--output {}", order.output)])
        .hint("--output is a folder of its own, such as one beside the project"))
}

/// Where a template is to go: absolute, with the links on the way to it followed.
pub(crate) fn output_path(typed: &Path) -> Result<String, Error> {
    let bad = |why: String| Error::usage("OUTPUT_INVALID", why);
    let full = absolute(typed).map_err(|cause| bad(format!("{}: {cause}", typed.display())))?;
    full.file_name().ok_or_else(|| bad("--output names no folder".to_owned()))?;
    // As far as it is there: what is made later must not change what it is called.
    let there =
        full.ancestors().skip(1).find_map(|above| Some((above, above.canonicalize().ok()?)));
    let full = match there {
        Some((above, real)) => real.join(full.strip_prefix(above).unwrap_or(&full)),
        None => full,
    };
    text(&full)
}

/// Paths travel in JSON.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    let text = path
        .to_str()
        .ok_or_else(|| Error::usage("PATH_INVALID", format!("{} is not UTF-8", path.display())))?;
    Ok(text.to_owned())
}

pub(crate) fn open(path: &Path) -> Result<Folder, Error> {
    Ok(Folder::open(path).map_err(Stopped::from)?)
}

impl Making {
    /// One that begins. Files that lie there already are somebody's: only `fresh` moves them aside.
    pub(crate) fn fresh(
        folder: Folder,
        order: Order,
        aside: bool,
        output: &Output,
    ) -> Result<Self, Error> {
        let lock = folder.lock().map_err(Stopped::from)?;
        let there = folder.present();
        if !there.is_empty() && !aside {
            let names = there.iter().map(|file| file.name().to_owned());
            let told = format!(
                "there are files of another creation in {}, and they are not trusted",
                folder.path().display()
            );
            return Err(Error::new("BRIDGE_FILES_PRESENT", told).listing(names).hint(
                "go on with it with --resume, or begin anew with --fresh, which moves them aside",
            ));
        }
        let superseded = state(&folder).ok().flatten();
        if !there.is_empty() {
            let stamp = format!("aside-{}", now().0);
            for moved in folder.set_aside(&stamp).map_err(Stopped::from)? {
                output.tell(format!("moved aside: {moved}"));
            }
        }
        Ok(Self { superseded, ..Self::new(folder, order, Some(lock)) })
    }

    /// One that only looks: it is in nobody's way.
    pub(crate) fn dry(folder: Folder, order: Order) -> Self {
        Self::new(folder, order, None)
    }

    fn new(folder: Folder, order: Order, lock: Option<Lock>) -> Self {
        let run = RunId::from_random(random()).to_string();
        let creation = Creation::new(order, run);
        Self { folder, _lock: lock, creation, superseded: None, owner: local() }
    }

    /// One that stopped before.
    pub(crate) fn resumed(folder: Folder) -> Result<Self, Error> {
        let lock = folder.lock().map_err(Stopped::from)?;
        let creation = state(&folder)?.ok_or_else(|| {
            let told = format!("there is no creation to go on with in {}", folder.path().display());
            Error::new("NOTHING_TO_RESUME", told).hint("begin one with `consign template create`")
        })?;
        Ok(Self { folder, _lock: Some(lock), creation, superseded: None, owner: local() })
    }

    /// Whether the state is the one that is meant: it may be a stranger's, and lead anywhere.
    pub(crate) fn is_of(&self, order: &Order) -> Result<(), Error> {
        let found = &self.creation.order;
        let parts = [
            ("--path", &order.project, &found.project),
            ("--output", &order.output, &found.output),
            ("--name", &order.name, &found.name),
        ];
        let other = parts.iter().filter(|(_, wanted, found)| wanted != found);
        let lines: Vec<_> = other
            .map(|(what, wanted, found)| format!("{what} is {wanted}, and the state has {found}"))
            .collect();
        if !lines.is_empty() {
            return Err(Error::new("STATE_MISMATCH", "the state belongs to another creation")
                .listing(lines)
                .hint("give the same --path, --name and --output, or begin anew with --fresh"));
        }
        let lines = differences(&order.options, &found.options);
        if lines.is_empty() {
            return Ok(());
        }
        Err(Error::new("STATE_MISMATCH", "the creation was begun with other options")
            .listing(lines)
            .hint("repeat the options of the first command or leave them out, or begin anew with --fresh"))
    }

    /// Settles who pays. A creation that has a run belongs to the owner of that run, and another `--owner` is refused.
    pub(crate) async fn belongs_to(
        &mut self,
        session: &Session,
        named: Option<&Owner>,
    ) -> Result<&Owner, Error> {
        let run = RunId::from(self.creation.run.as_str());
        let row = mirror::open(&session.engine, &run, &self.creation.order).await?;
        self.owner = match (row, named) {
            (Some(row), Some(named)) if row.owner != *named => {
                let told = format!("this creation was begun for {}", row.owner);
                return Err(Error::usage("OWNER_MISMATCH", told).hint(format!(
                    "leave out --owner {named}, or begin anew for {named} with --fresh"
                )));
            }
            (Some(row), _) => row.owner,
            (None, Some(named)) => named.clone(),
            (None, None) => local(),
        };
        Ok(&self.owner)
    }

    /// Goes on until it waits or is complete, and brings the mirror up to it.
    pub(crate) async fn drive(
        &mut self,
        session: Option<&Session>,
        reach: Reach<'_>,
        writes: bool,
        invocations: Option<&Path>,
        tell: &mut dyn FnMut(MakerEvent<'_>),
        output: &Output,
    ) -> Result<End, Error> {
        let mut maker = Maker {
            folder: &self.folder,
            writes,
            now: &now,
            random: &random,
            cancel: Cancel::new(),
            user: user_home(),
            tell,
            taken: None,
            invocations,
        };
        if writes {
            maker.settle(&self.creation)?;
            put_paid_answer(&self.folder, &self.creation, session).await?;
        }
        let driven = maker.drive(&mut self.creation, reach);
        let taken = maker.taken.take().map(answered);
        match driven {
            Ok(end) => {
                self.mirror(session, None, taken, output).await;
                if end == End::Complete && writes {
                    self.folder.clean().map_err(Stopped::from)?;
                }
                Ok(end)
            }
            Err(stopped) => {
                let over = !stopped.resumable;
                let fault = over.then(|| Fault::permanent(stopped.code, stopped.message.clone()));
                // What was answered on the way is told, too. What never began has nothing to show.
                if writes && self.creation.seq > 0 {
                    self.mirror(session, fault, taken, output).await;
                }
                if writes && over {
                    self.folder.clean().map_err(Stopped::from)?;
                }
                Err(stopped.into())
            }
        }
    }

    /// Ends what `--fresh` moved aside, for lists and the inbox. Only what this machine began: a state may
    /// carry any run's name.
    pub(crate) async fn supersede(&mut self, session: &Session, output: &Output) {
        let Some(old) = self.superseded.take() else { return };
        let run = RunId::from(old.run.as_str());
        if !matches!(mirror::is_of(&session.engine, &run, &old.order).await, Ok(true)) {
            return;
        }
        let fault = Fault::permanent("SUPERSEDED", "it was begun anew with --fresh");
        let view = mirror::View::of(&old, Some(fault));
        let whose = (&self.owner, &session.user.actor);
        if let Err(error) = mirror::sync(&session.engine, &view, None, whose).await {
            output.warn(format!("warning: the inbox still shows the earlier creation: {error}"));
        }
    }

    /// Shows in lists and in the inbox where it stands. The files are the truth: if this fails, the work
    /// is done all the same.
    async fn mirror(
        &self,
        session: Option<&Session>,
        failed: Option<Fault>,
        taken: Option<Answered>,
        output: &Output,
    ) {
        let Some(session) = session else { return };
        let view = mirror::View::of(&self.creation, failed);
        let whose = (&self.owner, &session.user.actor);
        let shown = mirror::sync(&session.engine, &view, taken.as_ref(), whose).await;
        if let Err(error) = shown {
            output.warn(format!("warning: the inbox does not show this creation: {error}"));
        }
    }

    /// The run that shows where the creation stands. Without it nothing can be paid for.
    pub(crate) async fn mirrored(&self, session: &Session) -> Result<RunId, Error> {
        let view = mirror::View::of(&self.creation, None);
        let whose = (&self.owner, &session.user.actor);
        Ok(mirror::sync(&session.engine, &view, None, whose).await?)
    }

    /// The command that goes on with it.
    pub(crate) fn resume_command(&self) -> String {
        let Order { project, output, name, .. } = &self.creation.order;
        let words = [project, name, output].map(|word| shell_word(word));
        let [project, name, output] = words;
        format!("consign template create --path {project} --name {name} --output {output} --resume")
    }
}

/// The options of a repeated command that differ from those of the state. An option that is left out does not differ.
fn differences(wanted: &Options, found: &Options) -> Vec<String> {
    let number = |most: Option<usize>| most.map(|most| most.to_string());
    let pairs = [
        ("--max-templates", number(wanted.max_templates), number(found.max_templates)),
        ("--project-name", wanted.project_name.clone(), found.project_name.clone()),
    ];
    let agents = wanted.no_agents && !found.no_agents;
    let agents = agents.then(|| "--no-agents is given, and the state is without it".to_owned());
    let other = pairs.into_iter().filter(|(_, wanted, found)| wanted.is_some() && wanted != found);
    let other = other.map(|(what, wanted, found)| {
        let found = found.unwrap_or_else(|| "none".to_owned());
        format!("{what} is {}, and the state has {found}", wanted.unwrap_or_default())
    });
    agents.into_iter().chain(other).collect()
}

/// The owner that pays where `--owner` is left out.
fn local() -> Owner {
    Owner::from("local")
}

/// Puts the answer of a model into the folder that was paid for before a crash: the journal has it, and
/// nobody has written it to its file yet.
async fn put_paid_answer(
    folder: &Folder,
    creation: &Creation,
    session: Option<&Session>,
) -> Result<(), Error> {
    let (Some(session), Some(pending)) = (session, &creation.pending) else { return Ok(()) };
    if folder.present().contains(&BridgeFile::Response) {
        return Ok(());
    }
    let (run, request) = (RunId::from(creation.run.as_str()), &pending.request);
    let id = request.request_id.as_str();
    let answer = mirror::model_answer(&session.engine, &run, &creation.order, id).await;
    // Without the store nobody can be paid, either: whoever answers by hand must not be stopped by it.
    let Ok(Some(answer)) = answer else { return Ok(()) };
    match respond::respond(folder.path(), id, &answer.response(request, now())) {
        // The request may not be in its file: then it is asked anew, and this is looked at again.
        Ok(()) | Err(RespondError::AlreadyAnswered | RespondError::NotPending(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The state in a folder, if there is one.
pub(crate) fn state(folder: &Folder) -> Result<Option<Creation>, Error> {
    let Some(bytes) = folder.read(BridgeFile::State).map_err(Stopped::from)? else {
        return Ok(None);
    };
    let request = request(folder).ok().flatten();
    let run = RunId::from_random(random()).to_string();
    let creation = Creation::read(&bytes, request.as_ref(), &run).map_err(|unreadable| {
        let told = format!("{} cannot be gone on with: {unreadable}", BridgeFile::State.name());
        let error = Error::new("STATE_REFUSED", told);
        let breaches = match unreadable {
            Unreadable::Refused(Refused::Breached(breaches)) => breaches,
            Unreadable::Refused(Refused::Malformed(_))
            | Unreadable::Version(_)
            | Unreadable::Data(_)
            | Unreadable::Nameless(_)
            | Unreadable::Phase { .. } => Vec::new(),
        };
        let error = error.listing(breaches.iter().take(10).map(ToString::to_string));
        error.hint(
            "`consign contracts show bridge/template-create-state` has the form; mend the file, or begin \
             anew with --fresh, which moves it aside",
        )
    })?;
    Ok(Some(creation))
}

/// The agent whose body is asked for in a folder, if it is that.
pub(crate) fn enhanced(folder: &Folder) -> Option<String> {
    let creation = state(folder).ok()??;
    creation.enhances().map(|agent| agent.name.clone())
}

/// The request in a folder, if there is one.
pub(crate) fn request(folder: &Folder) -> Result<Option<AgentRequest>, Error> {
    let Some(bytes) = folder.read(BridgeFile::Request).map_err(Stopped::from)? else {
        return Ok(None);
    };
    let name = BridgeFile::Request.name();
    let request = AgentRequest::from_json(&bytes).map_err(|refused| {
        Error::new("REQUEST_REFUSED", format!("{name}: {refused}"))
            .hint("`consign template create … --resume` writes it anew")
    })?;
    Ok(Some(request))
}

/// A response that was consumed, as the mirror writes it down.
fn answered(taken: Taken) -> Answered {
    let came = match taken.reply {
        Reply::Answered { text, .. } => {
            Ok(Data::parse(text.clone()).unwrap_or_else(|_| Data::of(&text)))
        }
        Reply::Failed { cause, message } => Err(Fault::permanent(cause.code(), message)),
    };
    Answered { request_id: taken.request_id, came }
}

fn user_home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}
