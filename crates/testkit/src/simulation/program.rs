//! Workflows as data: trees of calls, asks, timers and signals in sequence, side by side, or in a race.
//!
//! The engine runs them, and the model folds them a second time from the journal alone. What a
//! workflow hears, and how often, shows in its output and in its label. Some have recovery points.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use consign_engine::{
    Activity, Ask, AskKind, Bound, Call, Data, Fault, Happened, Key, Limits, Next, Outcome, Retry,
    Role, Settings, Signal, SignalContract, Timer, Workflow,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) const NAME: &str = "simulated";
/// A signal that anybody may send, with a number: some programs wait for one.
pub(super) const GO: &str = "go";
/// A signal that only a person may send, with a text.
pub(super) const ORDER: &str = "order";
/// The run fails with an answer that this divides, where it is asked for one that is vital.
pub(super) const VETO: u64 = 3;

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
        /// The run fails with some of the answers.
        vital: bool,
    },
    Timer {
        key: Key,
        after: Duration,
    },
    /// Is done once the signal [`GO`] came with this number.
    Signal(u64),
    Sequence(Vec<Node>),
    All(Vec<Node>),
    /// The first that is done counts, the others are dropped. Each has a number in its program.
    Race(usize, Vec<Node>),
}

/// One workflow that runs any of these programs: its input says which.
#[derive(Clone)]
pub(super) struct Programs(pub(super) Arc<Vec<Node>>);

/// What has happened so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    program: usize,
    /// There is a recovery point after each so many activities that ended; none if it is 0.
    points: usize,
    ended: BTreeMap<Key, Value>,
    /// Why the run fails.
    fatal: Option<Fault>,
    won: BTreeMap<usize, usize>,
    advice: Vec<String>,
    signals: Vec<(String, Value)>,
    raised: u64,
    /// Makes some states too large to be stored with every step.
    ballast: String,
}

/// What a run is given.
#[derive(Serialize, Deserialize)]
pub(super) struct Input {
    pub(super) program: usize,
    pub(super) points: usize,
    pub(super) ballast: usize,
}

impl Workflow for Programs {
    type State = State;

    fn name(&self) -> &str {
        NAME
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Input { program, points, ballast } =
            input.to().map_err(|cause| Fault::permanent("INPUT", cause.to_string()))?;
        Ok(State {
            program,
            points,
            ended: BTreeMap::new(),
            fatal: None,
            won: BTreeMap::new(),
            advice: Vec::new(),
            signals: Vec::new(),
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
                let output = json!({
                    "did": value,
                    "heard": state.advice,
                    "signals": state.signals,
                    "raised": state.raised,
                });
                Next::Finish(Outcome::Succeeded(Data::of(&output)))
            }
            None => Next::Open(open),
        }
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        let root = &self.0[state.program];
        match happened {
            Happened::Completed { key, output, .. } => state.end(key, value(output)),
            Happened::Answered { key, value: answer, .. } => {
                let answer = value(answer);
                let vetoed = answer.as_u64().is_some_and(|answer| answer.is_multiple_of(VETO));
                if vetoed && root.is_vital(key) {
                    let text = format!("{key} is answered with {answer}");
                    state.fatal.get_or_insert(Fault::permanent("VETOED", text));
                }
                state.end(key, answer);
            }
            Happened::Fired { key } => state.end(key, json!("fired")),
            Happened::Failed { key, fault, .. } => {
                state.end(key, json!({ "fault": fault.code }));
                if root.is_vital(key) {
                    state.fatal.get_or_insert_with(|| (*fault).clone());
                }
            }
            Happened::Signalled(Signal::Advice(text)) => state.advice.push((*text).to_owned()),
            Happened::Signalled(Signal::Raised(_)) => state.raised += 1,
            Happened::Signalled(Signal::Named { name, value: said, .. }) => {
                state.signals.push(((*name).to_owned(), value(said)));
            }
            Happened::Signalled(Signal::Cancel) => {}
        }
        state.judge(root);
    }

    fn signals(&self) -> Vec<SignalContract> {
        let number = Data::of(&json!({"type": "integer", "minimum": 0}));
        let text = Data::of(&json!({"type": "string"}));
        vec![
            SignalContract { name: GO.into(), schema: number, from: Role::Agent },
            SignalContract { name: ORDER.into(), schema: text, from: Role::Person },
        ]
    }

    fn label(&self, state: &State, asks: &[&str]) -> Option<String> {
        let (ended, heard) = (state.ended.len(), state.advice.len() + state.signals.len());
        let told = || format!("{ended} ended, {heard} heard");
        asks.first().map(|code| (*code).to_owned()).or_else(|| (ended + heard > 0).then(told))
    }

    fn point(&self, state: &State) -> Option<String> {
        let ended = state.ended.len();
        let stands = state.points > 0 && ended > 0 && ended.is_multiple_of(state.points);
        stands.then(|| format!("{ended}-ended"))
    }

    fn bound(&self, _input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        Bound::default()
    }
}

impl State {
    /// Whether something came to an end, in this run or before it was forked.
    pub(super) fn has_ended(&self, key: &Key) -> bool {
        self.ended.contains_key(key)
    }

    /// The numbers for which a program waits.
    pub(super) fn awaited(&self, programs: &Programs) -> Vec<u64> {
        let mut awaited = Vec::new();
        if self.fatal.is_none() {
            self.find_awaited(&programs.0[self.program], &mut awaited);
        }
        awaited
    }

    fn find_awaited(&self, node: &Node, awaited: &mut Vec<u64>) {
        let is_open = |part: &&Node| self.walk(part, &mut Vec::new()).is_none();
        match node {
            Node::Call { .. } | Node::Ask { .. } | Node::Timer { .. } => {}
            Node::Signal(number) => {
                if !self.has_heard(*number) {
                    awaited.push(*number);
                }
            }
            Node::Sequence(parts) => {
                if let Some(part) = parts.iter().find(is_open) {
                    self.find_awaited(part, awaited);
                }
            }
            Node::All(parts) => parts.iter().for_each(|part| self.find_awaited(part, awaited)),
            Node::Race(number, parts) => {
                let winner = self.won.get(number).map(|winner| &parts[*winner]);
                let wanted = winner.map_or(parts.as_slice(), std::slice::from_ref);
                wanted.iter().for_each(|part| self.find_awaited(part, awaited));
            }
        }
    }

    fn has_heard(&self, number: u64) -> bool {
        self.signals.iter().any(|(name, value)| name == GO && value.as_u64() == Some(number))
    }

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
            Node::Signal(number) => self.has_heard(*number).then(|| json!({ "heard": number })),
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
            Node::Call { .. } | Node::Ask { .. } | Node::Timer { .. } | Node::Signal(_) => {}
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
            Self::Call { key, vital, .. } | Self::Ask { key, vital, .. } => *vital && key == of,
            Self::Timer { .. } | Self::Signal(_) => false,
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
        Node::Ask { key, deadline, default, .. } => Activity::Ask(Ask {
            key: key.clone(),
            kind: AskKind::Clarification,
            prompt: format!("What about {key}?"),
            schema: Data::of(&json!({"type": "integer", "minimum": 0})),
            deadline: *deadline,
            default: default.map(|value| Data::of(&value)),
        }),
        Node::Timer { key, after } => Activity::Timer(Timer { key: key.clone(), after: *after }),
        Node::Signal(_) | Node::Sequence(_) | Node::All(_) | Node::Race(..) => {
            unreachable!("they are not open")
        }
    }
}

fn value(data: &Data) -> Value {
    data.to().expect("the fakes write plain JSON")
}
