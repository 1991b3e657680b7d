//! Something worth keeping: a run that is over, one that waits, one that is queued.

use std::{collections::BTreeMap, time::Duration};

use serde_json::json;

use crate::support::{Home, Outcome, args_to_start, eventually, id};

pub(super) struct Kept {
    pub(super) home: Home,
    pub(super) waiting: String,
    /// Every journal as it was confirmed.
    journals: BTreeMap<String, String>,
}

impl Kept {
    pub(super) fn new() -> Self {
        Self::of(Home::new())
    }

    pub(super) fn of(home: Home) -> Self {
        home.run(args_to_start("sample/steps", &json!({"steps": 3, "payload": 70_000}), &[]))
            .succeeds();
        let asks = args_to_start("sample/approval", &json!({"asks": 1}), &[]);
        let waiting = id(&home.run(asks).exits_with(&[43]).json());
        home.detach("sample/steps", &json!({"steps": 5}), &[]);
        let mut kept = Self { home, waiting, journals: BTreeMap::new() };
        kept.journals = kept.journals_now();
        assert_eq!(kept.journals.len(), 3);
        kept
    }

    pub(super) fn runs(&self) -> Vec<String> {
        let listed = self.home.run(["runs", "list", "--json", "--all"]).succeeds().json_lines();
        listed.iter().map(id).collect()
    }

    fn journals_now(&self) -> BTreeMap<String, String> {
        let journal = |run: String| (run.clone(), self.home.journal(&run));
        self.runs().into_iter().map(journal).collect()
    }

    /// Demands that all that was confirmed is there, byte for byte. More may have come.
    #[track_caller]
    pub(super) fn is_there(&self) {
        let now = self.journals_now();
        for (run, journal) in &self.journals {
            let found = now.get(run).unwrap_or_else(|| panic!("run {run} is gone"));
            assert!(found.starts_with(journal), "{run} was\n{journal}\nand is\n{found}");
        }
    }

    /// Demands that nothing came, either.
    #[track_caller]
    pub(super) fn is_unchanged(&self) {
        assert_eq!(self.journals_now(), self.journals);
    }

    /// Whether two commands in a row say what is kept, and say it right. Else what they say instead.
    pub(super) fn is_told_right(&self) -> Result<(), Outcome> {
        for run in self.journals.keys() {
            let shown = self.home.run(["runs", "show", run, "--events", "--json"]);
            if shown.code != Some(0) {
                return Err(shown);
            }
            assert_eq!(
                shown.stdout, self.journals[run],
                "a wrong journal is shown as if it were right"
            );
        }
        let verified = self.home.run(["runs", "verify", "--all"]);
        if verified.code == Some(0) { Ok(()) } else { Err(verified) }
    }

    /// The fault is gone: everything is there and comes to its end.
    #[track_caller]
    pub(super) fn goes_on(self) {
        self.is_there();
        let answer = ["runs", "answer", &self.waiting, "--value", "true", "--json"];
        self.home.run(answer).succeeds();
        self.finishes();
    }

    /// Everything that is left comes to its end.
    #[track_caller]
    pub(super) fn finishes(&self) {
        let _worker = self.home.worker();
        eventually(Duration::from_secs(30), "everything finishes", || {
            let left = self.home.run(["runs", "list", "--json", "--all"]).succeeds().json_lines();
            left.iter().all(|run| run["status"] == "succeeded")
        });
        self.home.run(["runs", "verify", "--all"]).succeeds();
    }
}
