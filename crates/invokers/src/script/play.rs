//! Works out how far a run is in its script.
//!
//! The entry that an attempt gets is a function of the script and of the agents of all attempts
//! that the run began before: nothing else is kept, so nothing is lost with a process.

use std::{collections::BTreeMap, path::PathBuf};

use consign_engine::RunId;

use super::{Entry, Script, entry::is_for};

/// The positions of the runs that were answered last.
#[derive(Default)]
pub(super) struct Plays {
    of: BTreeMap<(PathBuf, RunId, u64), (u64, Play)>,
    /// Counts the uses, to find the least recently used.
    turn: u64,
}

impl Plays {
    /// How many runs are kept. The end of a run is not announced here; one that was dropped too
    /// early is rebuilt from its journal.
    pub(super) const MOST: usize = 1024;

    pub(super) fn of(&mut self, run: &(PathBuf, RunId, u64), script: &Script) -> &mut Play {
        self.turn += 1;
        if self.of.len() >= Self::MOST && !self.of.contains_key(run) {
            let oldest = self.of.iter().min_by_key(|(_, (turn, _))| *turn);
            if let Some(oldest) = oldest.map(|(run, _)| run.clone()) {
                self.of.remove(&oldest);
            }
        }
        let (turn, play) =
            self.of.entry(run.clone()).or_insert_with(|| (self.turn, Play::new(script, run.2)));
        *turn = self.turn;
        play
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }
}

pub(super) struct Play {
    /// How often each entry may still be used, after the first `done` attempts.
    left: Vec<Option<u32>>,
    done: u64,
    /// The first attempt that uses an entry.
    from: u64,
    /// The agents of attempts from `done` on, as far as they are known.
    known: BTreeMap<u64, String>,
}

impl Play {
    /// A script of which attempts before `from` used nothing.
    pub(super) fn new(script: &Script, from: u64) -> Self {
        let left = script.entries.iter().map(|entry| entry.times).collect();
        Self { left, from, done: from, known: BTreeMap::new() }
    }

    /// The first attempt before this one whose agent it lacks.
    pub(super) fn lacks_from(&self, before: u64) -> Option<u64> {
        if before < self.done {
            return Some(self.from);
        }
        (self.done..before).find(|number| !self.known.contains_key(number))
    }

    /// Sets the agents of attempts, from one on.
    pub(super) fn remember(&mut self, from: u64, called: Vec<String>) {
        for (number, agent) in (from..).zip(called) {
            self.known.insert(number, agent);
        }
    }

    /// The entry for an attempt of this agent, after `before` other attempts.
    pub(super) fn take<'a>(
        &mut self,
        script: &'a Script,
        before: u64,
        agent: &str,
    ) -> Option<&'a Entry> {
        self.known.insert(before, agent.to_owned());
        if before < self.done {
            *self = Self { known: std::mem::take(&mut self.known), ..Self::new(script, self.from) };
        }
        while self.done < before {
            let Some(agent) = self.known.remove(&self.done) else { break };
            use_up(script, &mut self.left, &agent);
            self.done += 1;
        }
        use_up(script, &mut self.left.clone(), agent)
    }
}

fn use_up<'a>(script: &'a Script, left: &mut [Option<u32>], agent: &str) -> Option<&'a Entry> {
    let entries = script.entries.iter().map(Entry::agent).zip(left);
    next_entry(entries, agent).and_then(|place| script.entries.get(place))
}

/// The index of the next entry for an agent. Uses that entry up.
///
/// `entries` has the agent that each entry names, and how often it may still be used: `None` is
/// always. The first entry that names the agent or `*` and has a use left is taken.
pub fn next_entry<'e>(
    entries: impl IntoIterator<Item = (&'e str, &'e mut Option<u32>)>,
    agent: &str,
) -> Option<usize> {
    let mut entries = entries.into_iter().enumerate();
    let of_agent = |named: &str| is_for(named, agent);
    let (place, (_, left)) =
        entries.find(|(_, (named, left))| of_agent(named) && **left != Some(0))?;
    *left = left.map(|left| left - 1);
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        Script::read(
            r#"[{"agent": "a", "response": 1}, {"agent": "b", "response": 2, "times": 2},
                {"agent": "*", "response": 3, "times": 0}]"#,
        )
        .unwrap()
    }

    fn said(entry: Option<&Entry>) -> String {
        match entry.map(|entry| &entry.says) {
            Some(super::super::Says::Answers(response)) => response.text().to_owned(),
            Some(super::super::Says::Fails(_)) | None => "nothing".to_owned(),
        }
    }

    #[test]
    fn entries_are_taken_in_order_and_as_often_as_they_say() {
        let script = script();
        let mut play = Play::new(&script, 0);
        let agents = ["b", "a", "a", "b", "b", "c"];
        let said = agents.iter().zip(0..).map(|(agent, before)| {
            assert_eq!(play.lacks_from(before), None);
            said(play.take(&script, before, agent))
        });
        assert_eq!(said.collect::<Vec<_>>(), ["2", "1", "3", "2", "3", "3"]);
    }

    #[test]
    fn a_script_that_is_given_later_begins_with_the_next_attempt() {
        let script = script();
        let mut play = Play::new(&script, 2);
        assert_eq!(play.lacks_from(2), None);
        assert_eq!(said(play.take(&script, 2, "a")), "1");
        assert_eq!(said(play.take(&script, 3, "a")), "3");
        assert_eq!(said(play.take(&script, 2, "a")), "1");
    }

    #[test]
    fn another_process_goes_on_where_the_journal_says() {
        let script = script();
        let mut play = Play::new(&script, 0);
        assert_eq!(play.lacks_from(2), Some(0));
        play.remember(0, vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(said(play.take(&script, 2, "a")), "3");
        // What comes out of order gets what it would have got in order.
        assert!(play.lacks_from(0).is_some() || said(play.take(&script, 0, "a")) == "1");
        play.remember(0, Vec::new());
        assert_eq!(said(play.take(&script, 0, "a")), "1");
    }
}
