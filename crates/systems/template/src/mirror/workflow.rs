//! `template/create`: a workflow that does what it is told of the state file, and nothing by itself.

use std::collections::BTreeMap;

use crate::creation::Order;
use consign_engine::{
    Activity, AgentName, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome,
    Retry, Role, Settings, Signal, SignalContract, Version, Workflow,
};
use serde::{Deserialize, Serialize};

use super::{
    Ended, PIN, Pending, View,
    asked::{AskModel, ModelCall},
    model,
};

pub const CREATE: &str = "template/create";

/// The signal with which the file says where it stands: a [`View`].
pub(super) const VIEW: &str = "view";
/// The signal that a model is to answer the pending request: an [`AskModel`].
pub(super) const ASK_MODEL: &str = "ask_model";

pub(super) struct Create;

/// What a run is begun with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Places {
    pub(super) project_path: String,
    pub(super) output_path: String,
    pub(super) template_name: String,
}

impl Places {
    pub(super) fn of(order: &Order) -> Self {
        Self {
            project_path: order.project.clone(),
            output_path: order.output.clone(),
            template_name: order.name.clone(),
        }
    }
}

/// What a mirror knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mirror {
    pub(super) places: Places,
    /// What the file said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// What is asked, and under which key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Key>,
    /// It was answered, and the file has not gone on yet.
    #[serde(default)]
    answered: bool,
    /// How often each request was opened. A file that goes back to an earlier state asks what was asked
    /// before, and a key is never used twice.
    #[serde(default)]
    opened: BTreeMap<String, u32>,
    /// The model that is asked for an answer to the pending request, beside whoever is outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelCall>,
    /// How often a model was asked: each call has a key of its own.
    #[serde(default, skip_serializing_if = "is_zero")]
    model_calls: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Mirror {
    /// What is asked now.
    #[must_use]
    pub fn asks(&self) -> Option<(&Key, &Pending)> {
        let pending = self.pending().filter(|_| !self.answered)?;
        Some((self.key.as_ref()?, pending))
    }

    /// The model that was asked for the pending request, while nobody has answered that.
    #[must_use]
    pub fn model(&self) -> Option<&ModelCall> {
        self.asks().and(self.model.as_ref())
    }

    pub(super) fn pending(&self) -> Option<&Pending> {
        self.view.as_ref()?.pending.as_ref()
    }

    pub(super) fn places(&self) -> Places {
        self.view.as_ref().map_or_else(
            || self.places.clone(),
            |view| Places {
                project_path: view.project_path.clone(),
                output_path: view.output_path.clone(),
                template_name: view.template_name.clone(),
            },
        )
    }

    /// Takes what the file says, be it newer or older than what it said before.
    fn take(&mut self, view: View) {
        let id = |pending: &Pending| pending.request_id.clone();
        let (before, now) = (self.pending().map(id), view.pending.as_ref().map(id));
        if self.answered || before != now {
            self.answered = false;
            self.key = now.map(|request| {
                let times = self.opened.entry(request.clone()).or_default();
                *times += 1;
                match *times {
                    1 => Key::from(request),
                    times => Key::from(format!("{request}.{times}")),
                }
            });
        }
        // Whoever has the files says anew whether a model is to be asked.
        self.model = None;
        self.view = Some(view);
    }

    /// Has a model asked, if the request is still the pending one and that model is not asked already.
    fn ask_model(&mut self, ask: AskModel) {
        let pending = self.asks().is_some_and(|(_, asked)| asked.request_id == ask.request_id);
        let known = self.model.as_ref().is_some_and(|call| call.ask == ask);
        if !pending || known {
            return;
        }
        self.model_calls += 1;
        let key = Key::from(format!("model-{}", self.model_calls));
        self.model = Some(ModelCall { key, ask, ended: None });
    }
}

impl Workflow for Create {
    type State = Mirror;

    fn name(&self) -> &str {
        CREATE
    }

    fn version(&self) -> Version {
        2
    }

    /// Version 1 heard of the file by advice, and kept a timer open while nothing was asked.
    fn upgrade(&self, _from: Version, state: &Data) -> Result<Mirror, Fault> {
        state.to().map_err(|cause| {
            Fault::permanent("STATE_UNREADABLE", format!("the state of {CREATE}: {cause}"))
        })
    }

    /// Only the file sends them: they are not held to a schema, but read as what they are.
    fn signals(&self) -> Vec<SignalContract> {
        let signal = |name: &'static str| SignalContract {
            name: name.into(),
            schema: Data::of(&true),
            from: Role::Person,
        };
        vec![signal(VIEW), signal(ASK_MODEL)]
    }

    fn start(&self, input: &Data) -> Result<Mirror, Fault> {
        let places = input.to().map_err(|cause| {
            Fault::permanent("INVALID_INPUT", format!("the places of a template: {cause}"))
        })?;
        Ok(Mirror {
            places,
            view: None,
            key: None,
            answered: false,
            opened: BTreeMap::new(),
            model: None,
            model_calls: 0,
        })
    }

    fn decide(&self, state: &Mirror) -> Next {
        match state.view.as_ref().and_then(|view| view.ended.clone()) {
            Some(Ended::Succeeded(output)) => return Next::Finish(Outcome::Succeeded(output)),
            Some(Ended::Failed(fault)) => return Next::Finish(Outcome::Failed(fault)),
            None => {}
        }
        let Some((key, pending)) = state.asks() else {
            return Next::Open(Vec::new());
        };
        let outside = Activity::Call(Call {
            key: key.clone(),
            agent: AgentName::pinned(&pending.agent_name, PIN),
            input: Data::of(pending),
            retry: Retry::NEVER,
        });
        let model = state.model.as_ref().filter(|call| call.ended.is_none()).map(|call| {
            Activity::Call(Call {
                key: call.key.clone(),
                agent: AgentName::pinned(&pending.agent_name, model::PIN),
                input: model::input(pending, &call.ask),
                retry: Retry::default(),
            })
        });
        Next::Open(std::iter::once(outside).chain(model).collect())
    }

    fn evolve(&self, state: &mut Mirror, happened: &Happened<'_>) {
        match happened {
            Happened::Signalled(Signal::Named { name: VIEW, value, .. }) => {
                if let Ok(view) = value.to() {
                    state.take(view);
                }
            }
            Happened::Signalled(Signal::Named { name: ASK_MODEL, value, .. }) => {
                if let Ok(ask) = value.to() {
                    state.ask_model(ask);
                }
            }
            Happened::Completed { key, .. } | Happened::Failed { key, .. } => {
                if let Some(call) = state.model.as_mut().filter(|call| call.key == **key) {
                    call.end(happened);
                }
                state.answered |= state.key.as_ref() == Some(key);
            }
            Happened::Answered { .. } | Happened::Fired { .. } | Happened::Signalled(_) => {}
        }
    }

    fn bound(&self, _input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        Bound { cost: Some(Nanos::ZERO), calls: None }
    }
}
