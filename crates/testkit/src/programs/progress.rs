//! Works out how far a plan has come, from what is known.

use std::{collections::BTreeMap, time::Duration};

use consign_engine::{Activity, Ask, AskKind, Call, Data, Fault, Key, Retry, Timer};
use serde::{Deserialize, Serialize};

use super::Plan;

/// What is known, in the order in which it came to be known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Facts {
    ended: Vec<(String, Ended)>,
    /// How many calls of each [`Plan::Count`] are done.
    counts: BTreeMap<String, u32>,
    advice: Option<String>,
    /// The values of all signals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signals: Vec<Data>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ended {
    Output(Data),
    Fault(Fault),
}

/// How far a part of a plan has come. What is over says which of the known things made it so, so
/// that a race is won by whoever was first, also when another comes in later.
pub(super) enum Progress {
    Done(usize, Data),
    Failed(usize, Fault),
    Open(Vec<Activity>),
}

impl Facts {
    pub(super) fn end(&mut self, key: &str, ended: Ended) {
        match (&ended, key.rsplit_once('#')) {
            (Ended::Output(_), Some((stem, _))) => {
                *self.counts.entry(stem.to_owned()).or_default() += 1;
            }
            (Ended::Output(_) | Ended::Fault(_), _) => self.ended.push((key.to_owned(), ended)),
        }
    }

    /// How many activities came to something.
    pub(super) fn done(&self) -> usize {
        self.ended.iter().filter(|(_, ended)| matches!(ended, Ended::Output(_))).count()
    }

    /// The last activity that came to something.
    pub(super) fn last(&self) -> Option<&str> {
        let done = self.ended.iter().rfind(|(_, ended)| matches!(ended, Ended::Output(_)));
        done.map(|(key, _)| key.as_str())
    }

    pub(super) fn is_advised(&self) -> bool {
        self.advice.is_some()
    }

    pub(super) fn advise(&mut self, text: &str) {
        self.advice.get_or_insert(text.to_owned());
    }

    pub(super) fn signal(&mut self, value: &Data) {
        self.advise(value.as_str());
        self.signals.push(value.clone());
    }

    pub(super) fn progress(&self, plan: &Plan, mended: bool) -> Progress {
        match plan {
            Plan::Call { key, agent, input, tries, first, longest } => {
                let retry = Retry::new(*tries, *first, *longest);
                self.leaf(key, || called(key, agent, input.clone(), retry))
            }
            Plan::Ask { key, schema, deadline, default, veto } => {
                let asked = || asked(key, schema, *deadline, default.clone());
                match self.leaf(key, asked) {
                    Progress::Done(place, answer) if veto.as_ref() == Some(&answer) => {
                        let text = format!("{key} was answered with {}", answer.as_str());
                        Progress::Failed(place, Fault::permanent("VETOED", text))
                    }
                    progress @ (Progress::Done(..) | Progress::Failed(..) | Progress::Open(_)) => {
                        progress
                    }
                }
            }
            Plan::Timer { key, after } => {
                let timer = || Activity::Timer(Timer { key: key.as_str().into(), after: *after });
                self.leaf(key, timer)
            }
            Plan::Count { key, agent, times } => {
                let done = self.counts.get(key).copied().unwrap_or(0);
                if done >= *times {
                    return Progress::Done(0, Data::of(&done));
                }
                let key = format!("{key}#{}", done + 1);
                self.leaf(&key, || called(&key, agent, Data::of(&done), Retry::NEVER))
            }
            Plan::Advice => match &self.advice {
                Some(advice) => Progress::Done(0, Data::of(advice)),
                None => Progress::Open(Vec::new()),
            },
            Plan::Signals(count) => match self.signals.get(..*count) {
                Some(heard) => Progress::Done(0, Data::of(&heard)),
                None => Progress::Open(Vec::new()),
            },
            Plan::Sequence(parts) => self.sequence(parts, mended),
            Plan::All(parts) => self.all(parts, mended),
            Plan::Race(parts) => self.race(parts, mended),
            Plan::OrElse(plan, otherwise) => match self.progress(plan, mended) {
                Progress::Failed(..) => self.progress(otherwise, mended),
                progress @ (Progress::Done(..) | Progress::Open(_)) => progress,
            },
            Plan::Bulk(_) => Progress::Done(0, Data::null()),
            Plan::Trap => {
                assert!(mended, "it stepped into the trap");
                Progress::Done(0, Data::null())
            }
            Plan::Nothing => Progress::Open(Vec::new()),
        }
    }

    fn leaf(&self, key: &str, open: impl FnOnce() -> Activity) -> Progress {
        let found = self.ended.iter().enumerate().find(|(_, (ended, _))| ended == key);
        match found {
            Some((place, (_, Ended::Output(output)))) => Progress::Done(place, output.clone()),
            Some((place, (_, Ended::Fault(fault)))) => Progress::Failed(place, fault.clone()),
            None => Progress::Open(vec![open()]),
        }
    }

    fn sequence(&self, parts: &[Plan], mended: bool) -> Progress {
        let (mut last, mut outputs) = (0, Vec::new());
        for part in parts {
            match self.progress(part, mended) {
                Progress::Done(place, output) => {
                    last = last.max(place);
                    outputs.push(output);
                }
                over @ (Progress::Failed(..) | Progress::Open(_)) => return over,
            }
        }
        Progress::Done(last, Data::of(&outputs))
    }

    fn all(&self, parts: &[Plan], mended: bool) -> Progress {
        let (mut last, mut outputs, mut open) = (0, Vec::new(), Vec::new());
        for part in parts {
            match self.progress(part, mended) {
                Progress::Done(place, output) => {
                    last = last.max(place);
                    outputs.push(output);
                }
                Progress::Open(activities) => open.extend(activities),
                failed @ Progress::Failed(..) => return failed,
            }
        }
        if outputs.len() == parts.len() {
            Progress::Done(last, Data::of(&outputs))
        } else {
            Progress::Open(open)
        }
    }

    fn race(&self, parts: &[Plan], mended: bool) -> Progress {
        let (mut open, mut over) = (Vec::new(), Vec::new());
        for part in parts {
            match self.progress(part, mended) {
                Progress::Open(activities) => open.extend(activities),
                Progress::Done(place, output) => over.push((place, Ok(output))),
                Progress::Failed(place, fault) => over.push((place, Err(fault))),
            }
        }
        match over.into_iter().min_by_key(|(place, _)| *place) {
            Some((place, Ok(output))) => Progress::Done(place, output),
            Some((place, Err(fault))) => Progress::Failed(place, fault),
            None => Progress::Open(open),
        }
    }
}

fn called(key: &str, agent: &str, input: Data, retry: Retry) -> Activity {
    Activity::Call(Call { key: Key::from(key), agent: agent.into(), input, retry })
}

fn asked(key: &str, schema: &Data, deadline: Option<Duration>, default: Option<Data>) -> Activity {
    Activity::Ask(Ask {
        key: key.into(),
        kind: AskKind::Clarification,
        prompt: format!("What about {key}?"),
        schema: schema.clone(),
        deadline,
        default,
    })
}
