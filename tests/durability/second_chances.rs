//! `runs retry` and `runs fork`, killed at every write boundary: the same command under the same name
//! gives one run, which does nothing that its parent has done and nothing twice.

use serde_json::Value;

use crate::{
    boundaries::{BOUNDARIES, killed_at},
    support::{Effects, Home, Look, Steward, Witness, args_to_start, id, need, words},
};

/// Calls of a parent and its fork together; each has an effect that must not happen twice.
const CALLS: usize = 3;

#[test]
fn a_retry_that_is_killed_at_every_write_is_one_run() {
    let chances = Chances::new(|home, effects| {
        // It stops for its limit after one call, and is cancelled there.
        let input = effects.input("unsafe", CALLS as u64, 0);
        let args = args_to_start("sample/effects", &input, &["--calls", "1"]);
        let parent = id(&home.run(args).exits(43).json());
        home.run(["runs", "cancel", &parent]).succeeds();
        let args = words(&["runs", "retry", &parent, "--calls", "9"]);
        (parent, args)
    });
    chances.kill_at_every_boundary();
}

#[test]
fn a_fork_that_is_killed_at_every_write_is_one_run() {
    let chances = Chances::new(|home, effects| {
        let input = effects.input("unsafe", CALLS as u64, 0);
        let parent = id(&home.run(args_to_start("sample/effects", &input, &[])).succeeds().json());
        let first = |event: &Value| event["kind"] == "call_completed";
        let journal = home.journal(&parent);
        let mut events = journal.lines().map(|line| serde_json::from_str(line).expect("an event"));
        let seq = events.find(first).expect("its first call")["seq"].to_string();
        let args = words(&["runs", "fork", &parent, "--at", &seq, "--repeat-unsafe"]);
        (parent, args)
    });
    chances.kill_at_every_boundary();
}

/// A run, and the command that forks it after its first call.
struct Chances {
    home: Home,
    effects: Effects,
    parent: String,
    args: Vec<String>,
    /// The first call of the parent.
    finished: String,
}

impl Chances {
    fn new(prepare: fn(&Home, &Effects) -> (String, Vec<String>)) -> Self {
        need("strace");
        let home = Home::new();
        let effects = Effects::of(&home);
        let (parent, args) = prepare(&home, &effects);
        let look = Look::at(&home.path());
        let finished = (*look.keys(&parent, "call_completed").first().expect("it called")).into();
        Self { home, effects, parent, args, finished }
    }

    fn kill_at_every_boundary(&self) {
        let before = self.lines_of(&self.parent);
        let mut witness = Witness::default();
        let kills = BOUNDARIES.map(|call| (call, self.kill_each(call, &mut witness)));
        let all: usize = kills.iter().map(|(_, kills)| kills).sum();
        eprintln!("{all} kills: {kills:?}");
        assert!(all >= 20, "the kills hit nothing: {kills:?}");
        // One for each name, and each call ended with a command that was not killed.
        let runs = Look::books(&self.home.path()).runs.len();
        assert_eq!(runs, 1 + all + BOUNDARIES.len());
        assert_eq!(self.lines_of(&self.parent), before, "a fork acted in the name of its parent");
        self.home.run(["runs", "verify", "--all"]).succeeds();
    }

    /// Kills the command before its first, second, … such call. Says how many there were.
    fn kill_each(&self, call: &str, witness: &mut Witness) -> usize {
        for number in 1.. {
            let child = format!("{call}-{number}");
            let args = self.named(&child);
            let outcome = self.home.start(killed_at(&self.home, call, number, &args)).wait();
            let killed = outcome.signal.is_some();
            if !killed {
                outcome.succeeds();
            }
            self.check(witness);
            self.repeat(&child);
            let look = self.check(witness);
            self.is_done_once(&look, &child);
            if !killed {
                return number - 1;
            }
            assert!(number < 200, "there is no end to {call}");
        }
        unreachable!("numbers have no end")
    }

    fn named(&self, child: &str) -> Vec<String> {
        let name = words(&["--id", child, "--json"]);
        self.args.iter().cloned().chain(name).collect()
    }

    /// The same command again, until the run is over. What it asks is answered.
    fn repeat(&self, child: &str) {
        let steward = Steward::new(&self.home, 0);
        for _ in 0..10 {
            let again = self.home.run(self.named(child)).exits_with(&[0, 43]);
            assert_eq!(id(&again.json()), child);
            if again.code == Some(0) {
                return;
            }
            for (_, outcome) in steward.answer_all() {
                outcome.succeeds();
            }
        }
        panic!("{child} does not come to its end: {}", self.home.journal(child));
    }

    fn check(&self, witness: &mut Witness) -> Look {
        let before = self.effects.lines();
        let look = Look::at(&self.home.path());
        let wrong = witness.sees(&before, &look, &self.effects.lines());
        assert!(wrong.is_empty(), "{wrong:#?}");
        look
    }

    fn is_done_once(&self, look: &Look, child: &str) {
        assert_eq!(look.runs[child].status, "succeeded", "{child}: {:#?}", look.events[child]);
        let lines = self.lines_of(child);
        assert_eq!(lines.len(), CALLS - 1, "{lines:?}");
        let repeated = format!("{child}:{}", self.finished);
        assert!(lines.iter().all(|(line, times)| *line != repeated && *times == 1), "{lines:?}");
        self.home.verify(child);
        self.home.verify(&self.parent);
    }

    /// What was done in the name of a run, and how often.
    fn lines_of(&self, run: &str) -> Vec<(String, usize)> {
        let mut lines: Vec<_> = self.effects.lines()["unsafe"].clone().into_iter().collect();
        lines.retain(|(line, _)| line.split_once(':').is_some_and(|(of, _)| of == run));
        lines
    }
}
