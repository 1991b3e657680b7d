//! Workflows as data: trees of calls, asks and timers in sequence, side by side, or in a race.
//!
//! The engine runs them, and the model folds them a second time from the journal alone. What a
//! workflow hears, and how often, shows in its output.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use consign_engine::{
    Activity, Ask, AskKind, Bound, Call, Data, Fault, Happened, Key, Limits, Next, Outcome, Retry,
    Settings, Signal, Timer, Workflow,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) const NAME: &str = "simulated";

/// What there is to do.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Call {
        key: Key,
        agent: Arc<str>,
        input: Data,
        retry: Retry,
        /// The run fails with it.
        vital: bool,
    },
    Ask {
        key: Key,
        deadline: Option<Duration>,
        default: Option<u64>,
    },
    Timer {
        key: Key,
        after: Duration,
    },
    Sequence(Vec<Node>),
    All(Vec<Node>),
    /// The first that is done counts, the others are dropped. Each has a number in its program.
    Race(usize, Vec<Node>),
}

/// One workflow that runs any of these programs: its input says which.
#[derive(Clone)]
pub(super) struct Programs(pub(super) Arc<Vec<Node>>);

/// What has happened so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    program: usize,
    ended: BTreeMap<Key, Value>,
    /// Why the run fails.
    fatal: Option<Fault>,
    won: BTreeMap<usize, usize>,
    advice: Vec<String>,
    raised: u64,
    /// Makes some states too large to be stored with every step.
    ballast: String,
}

/// What a run is given.
#[derive(Serialize, Deserialize)]
pub(super) struct Input {
    pub(super) program: usize,
    pub(super) ballast: usize,
}

impl Workflow for Programs {
    type State = State;

    fn name(&self) -> &str {
        NAME
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Input { program, ballast } =
            input.to().map_err(|cause| Fault::permanent("INPUT", cause.to_string()))?;
        Ok(State {
            program,
            ended: BTreeMap::new(),
            fatal: None,
            won: BTreeMap::new(),
            advice: Vec::new(),
            raised: 0,
            ballast: ".".repeat(ballast),
        })
    }

    fn decide(&self, state: &State) -> Next {
        if let Some(fault) = &state.fatal {
            return Next::Finish(Outcome::Failed(fault.clone()));
        }
        let mut open = Vec::new();
        match state.walk(&self.0[state.program], &mut open) {
            Some(value) => {
                let output = json!({"did": value, "heard": state.advice, "raised": state.raised});
                Next::Finish(Outcome::Succeeded(Data::of(&output)))
            }
            None => Next::Open(open),
        }
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        let root = &self.0[state.program];
        match happened {
            Happened::Completed { key, output, .. } => state.end(key, value(output)),
            Happened::Answered { key, value: answer, .. } => state.end(key, value(answer)),
            Happened::Fired { key } => state.end(key, json!("fired")),
            Happened::Failed { key, fault, .. } => {
                state.end(key, json!({ "fault": fault.code }));
                if root.is_vital(key) {
                    state.fatal.get_or_insert_with(|| (*fault).clone());
                }
            }
            Happened::Signalled(Signal::Advice(text)) => state.advice.push((*text).to_owned()),
            Happened::Signalled(Signal::Raised(_)) => state.raised += 1,
            Happened::Signalled(Signal::Named { name, value, .. }) => {
                state.advice.push(format!("{name} {}", value.as_str()));
            }
            Happened::Signalled(Signal::Cancel) => {}
        }
        state.judge(root);
    }

    fn bound(&self, _input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        Bound::default()
    }
}

impl State {
    fn end(&mut self, key: &Key, value: Value) {
        let before = self.ended.insert(key.clone(), value);
        assert!(before.is_none(), "the workflow hears of {key} twice");
    }

    /// What a part came to; until then, what should be open for it.
    fn walk(&self, node: &Node, open: &mut Vec<Activity>) -> Option<Value> {
        match node {
            Node::Call { key, .. } | Node::Ask { key, .. } | Node::Timer { key, .. } => {
                let ended = self.ended.get(key).cloned();
                if ended.is_none() {
                    open.push(activity(node));
                }
                ended
            }
            Node::Sequence(parts) => parts.iter().map(|part| self.walk(part, open)).collect(),
            Node::All(parts) => {
                let values: Vec<_> = parts.iter().map(|part| self.walk(part, open)).collect();
                values.into_iter().collect()
            }
            Node::Race(number, parts) => match self.won.get(number) {
                Some(winner) => {
                    let value = self.walk(&parts[*winner], open);
                    value.map(|value| json!({"won": winner, "with": value}))
                }
                None => {
                    for part in parts {
                        self.walk(part, open);
                    }
                    None
                }
            },
        }
    }

    /// Settles the races that are decided, inner ones first.
    fn judge(&mut self, node: &Node) {
        match node {
            Node::Call { .. } | Node::Ask { .. } | Node::Timer { .. } => {}
            Node::Sequence(parts) | Node::All(parts) => {
                parts.iter().for_each(|part| self.judge(part));
            }
            Node::Race(number, parts) => {
                parts.iter().for_each(|part| self.judge(part));
                let first = parts.iter().position(|part| self.walk(part, &mut vec![]).is_some());
                if let Some(first) = first {
                    self.won.entry(*number).or_insert(first);
                }
            }
        }
    }
}

impl Node {
    fn is_vital(&self, of: &Key) -> bool {
        match self {
            Self::Call { key, vital, .. } => *vital && key == of,
            Self::Ask { .. } | Self::Timer { .. } => false,
            Self::Sequence(parts) | Self::All(parts) | Self::Race(_, parts) => {
                parts.iter().any(|part| part.is_vital(of))
            }
        }
    }
}

fn activity(node: &Node) -> Activity {
    match node {
        Node::Call { key, agent, input, retry, .. } => Activity::Call(Call {
            key: key.clone(),
            agent: agent.clone().into(),
            input: input.clone(),
            retry: retry.clone(),
        }),
        Node::Ask { key, deadline, default } => Activity::Ask(Ask {
            key: key.clone(),
            kind: AskKind::Clarification,
            prompt: format!("What about {key}?"),
            schema: Data::of(&json!({"type": "integer", "minimum": 0})),
            deadline: *deadline,
            default: default.map(|value| Data::of(&value)),
        }),
        Node::Timer { key, after } => Activity::Timer(Timer { key: key.clone(), after: *after }),
        Node::Sequence(_) | Node::All(_) | Node::Race(..) => unreachable!("they are not open"),
    }
}

fn value(data: &Data) -> Value {
    data.to().expect("the fakes write plain JSON")
}
