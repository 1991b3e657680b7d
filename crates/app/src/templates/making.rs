//! A creation under way: the project's lock, the state, and its mirror in the database.
//!
//! [`create`](super::create) and [`Watching`](super::Watching) both drive it. The files are the truth; the mirror is
//! brought up to them afterwards, and where that fails the work goes on and it is told.

use std::path::{Path, PathBuf};

use consign_engine::{Data, Fault, Owner, RunId};
use consign_template::{
    analysis::Cancel,
    creation::{Creation, Options, Order, Reply},
    folder::{BridgeFile, Folder, Lock},
    maker::{End, Maker, MakerEvent, Reach, Taken},
    mirror::{self, Answered},
    respond::{self, RespondError},
};

use super::{
    create::WaitingCreation,
    event::{Events, TemplateEvent, of_maker},
    project::state,
};
use crate::{
    error::{Error, Refused},
    home::Home,
    machine::{now, random},
};

/// A project that this process alone works on.
pub(super) struct Making {
    pub(super) folder: Folder,
    _lock: Option<Lock>,
    pub(super) creation: Creation,
    /// An earlier creation that was moved aside, and is over with that.
    superseded: Option<Creation>,
    /// The owner who pays for calls.
    owner: Owner,
}

impl Making {
    /// A creation that begins. Files of another creation that are there already are moved only with
    /// `aside`.
    pub(super) fn fresh(
        folder: Folder,
        order: Order,
        aside: bool,
        events: &mut Events<'_>,
    ) -> Result<Self, Error> {
        let lock = folder.lock()?;
        let there = folder.present();
        if !there.is_empty() && !aside {
            let names = there.iter().map(|file| file.name().to_owned());
            let told = format!(
                "there are files of another creation in {}, and they are not trusted",
                folder.path().display()
            );
            let refused = Refused::new("BRIDGE_FILES_PRESENT", told).listing(names).hint(
                "go on with it with --resume, or begin anew with --fresh, which moves them aside",
            );
            return Err(refused.into());
        }
        let superseded = state(&folder).ok().flatten();
        if !there.is_empty() {
            let stamp = format!("aside-{}", now().0);
            for moved in folder.set_aside(&stamp)? {
                events(TemplateEvent::MovedAside(&moved));
            }
        }
        Ok(Self { superseded, ..Self::new(folder, order, Some(lock)) })
    }

    /// A creation for a dry run: it takes no lock.
    pub(super) fn dry(folder: Folder, order: Order) -> Self {
        Self::new(folder, order, None)
    }

    fn new(folder: Folder, order: Order, lock: Option<Lock>) -> Self {
        let run = RunId::from_random(random()).to_string();
        let creation = Creation::new(order, run);
        Self { folder, _lock: lock, creation, superseded: None, owner: local() }
    }

    /// A creation that stopped before and goes on.
    pub(super) fn resumed(folder: Folder) -> Result<Self, Error> {
        let lock = folder.lock()?;
        let creation = state(&folder)?.ok_or_else(|| {
            let told = format!("there is no creation to go on with in {}", folder.path().display());
            Refused::new("NOTHING_TO_RESUME", told).hint("begin one with `consign template create`")
        })?;
        Ok(Self { folder, _lock: Some(lock), creation, superseded: None, owner: local() })
    }

    /// Whether the state is the one that is meant: it may be a stranger's, and lead anywhere.
    pub(super) fn is_of(&self, order: &Order) -> Result<(), Refused> {
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
            return Err(Refused::new("STATE_MISMATCH", "the state belongs to another creation")
                .listing(lines)
                .hint("give the same --path, --name and --output, or begin anew with --fresh"));
        }
        let lines = differences(&order.options, &found.options);
        if lines.is_empty() {
            return Ok(());
        }
        Err(Refused::new("STATE_MISMATCH", "the creation was begun with other options")
            .listing(lines)
            .hint("repeat the options of the first command or leave them out, or begin anew with --fresh"))
    }

    /// Settles who pays. A creation that has a run belongs to the owner of that run, and another owner is refused.
    pub(super) async fn belongs_to(
        &mut self,
        home: &Home,
        named: Option<&Owner>,
    ) -> Result<&Owner, Error> {
        let run = RunId::from(self.creation.run.as_str());
        let row = mirror::open(&home.engine, &run, &self.creation.order).await?;
        self.owner = match (row, named) {
            (Some(row), Some(named)) if row.owner != *named => {
                let told = format!("this creation was begun for {}", row.owner);
                let hint =
                    format!("leave out --owner {named}, or begin anew for {named} with --fresh");
                return Err(Refused::usage("OWNER_MISMATCH", told).hint(hint).into());
            }
            (Some(row), _) => row.owner,
            (None, Some(named)) => named.clone(),
            (None, None) => local(),
        };
        Ok(&self.owner)
    }

    /// Goes on until it waits or is complete, and brings the mirror up to it.
    pub(super) async fn drive(
        &mut self,
        home: Option<&Home>,
        reach: Reach<'_>,
        writes: bool,
        invocations: Option<&Path>,
        events: &mut Events<'_>,
    ) -> Result<End, Error> {
        let mut tell = |told: MakerEvent<'_>| of_maker(told, events);
        let mut maker = Maker {
            folder: &self.folder,
            writes,
            now: &now,
            random: &random,
            cancel: Cancel::new(),
            user: user_home(),
            tell: &mut tell,
            taken: None,
            invocations,
        };
        if writes {
            maker.settle(&self.creation)?;
            put_paid_answer(&self.folder, &self.creation, home).await?;
        }
        let driven = maker.drive(&mut self.creation, reach);
        let taken = maker.taken.take().map(answered);
        match driven {
            Ok(end) => {
                self.mirror(home, None, taken, events).await;
                if end == End::Complete && writes {
                    self.folder.clean()?;
                }
                Ok(end)
            }
            Err(stopped) => {
                let over = !stopped.resumable;
                let fault = over.then(|| Fault::permanent(stopped.code, stopped.message.clone()));
                // What was answered on the way is told, too. What never began has nothing to show.
                if writes && self.creation.seq > 0 {
                    self.mirror(home, fault, taken, events).await;
                }
                if writes && over {
                    self.folder.clean()?;
                }
                Err(stopped.into())
            }
        }
    }

    /// Ends what was moved aside, for lists and the inbox. Only what this machine began: a state may
    /// carry any run's name.
    pub(super) async fn supersede(&mut self, home: &Home, events: &mut Events<'_>) {
        let Some(old) = self.superseded.take() else { return };
        let run = RunId::from(old.run.as_str());
        if !matches!(mirror::is_of(&home.engine, &run, &old.order).await, Ok(true)) {
            return;
        }
        let fault = Fault::permanent("SUPERSEDED", "it was begun anew with --fresh");
        let view = mirror::View::of(&old, Some(fault));
        let whose = (&self.owner, &home.user.actor);
        if let Err(error) = mirror::sync(&home.engine, &view, None, whose).await {
            events(TemplateEvent::EarlierInInbox(&error.to_string()));
        }
    }

    /// Shows in lists and in the inbox where it stands. The files are the truth: if this fails, the work
    /// is done all the same.
    async fn mirror(
        &self,
        home: Option<&Home>,
        failed: Option<Fault>,
        taken: Option<Answered>,
        events: &mut Events<'_>,
    ) {
        let Some(home) = home else { return };
        let view = mirror::View::of(&self.creation, failed);
        let whose = (&self.owner, &home.user.actor);
        if let Err(error) = mirror::sync(&home.engine, &view, taken.as_ref(), whose).await {
            events(TemplateEvent::NotInInbox(&error.to_string()));
        }
    }

    /// The run that shows where the creation stands. Without it nothing can be paid for.
    pub(super) async fn mirrored(&self, home: &Home) -> Result<RunId, Error> {
        let view = mirror::View::of(&self.creation, None);
        let whose = (&self.owner, &home.user.actor);
        Ok(mirror::sync(&home.engine, &view, None, whose).await?)
    }

    /// What it waits for; nothing if no request is pending.
    pub(super) fn waiting(&self) -> Option<WaitingCreation> {
        let pending = self.creation.pending.as_ref()?;
        Some(WaitingCreation {
            project: self.folder.path().to_owned(),
            run: self.creation.run.clone(),
            order: self.creation.order.clone(),
            request: pending.request.clone(),
        })
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

/// The owner that pays where none is named.
fn local() -> Owner {
    Owner::from("local")
}

/// Puts the answer of a model into the folder that was paid for before a crash: the journal has it, and its
/// file was not written yet.
async fn put_paid_answer(
    folder: &Folder,
    creation: &Creation,
    home: Option<&Home>,
) -> Result<(), Error> {
    let (Some(home), Some(pending)) = (home, &creation.pending) else { return Ok(()) };
    if folder.present().contains(&BridgeFile::Response) {
        return Ok(());
    }
    let (run, request) = (RunId::from(creation.run.as_str()), &pending.request);
    let id = request.request_id.as_str();
    let answer = mirror::model_answer(&home.engine, &run, &creation.order, id).await;
    // Without the store no model is paid, either, and an answer by hand must still count.
    let Ok(Some(answer)) = answer else { return Ok(()) };
    match respond::respond(folder.path(), id, &answer.response(request, now())) {
        // The request may not be in its file: then it is asked anew, and this is looked at again.
        Ok(()) | Err(RespondError::AlreadyAnswered | RespondError::NotPending(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
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

/// Where the user's own agents are.
fn user_home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}
