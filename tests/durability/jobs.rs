//! A supervised job, killed at every write boundary and at random: directory and database agree after the next command,
//! nothing that was accepted is lost, and no recorded interaction is paid twice.

use std::{collections::BTreeSet, fs, path::PathBuf, thread::sleep};

use serde_json::{Value, json};

use crate::{
    boundaries::{BOUNDARIES, killed_at},
    support::{Chance, Home, need, words},
};

const PHASES: &str = "[[phase]]\nname = \"one\"\ntask = \"Do one.\"\n[[phase]]\nname = \"two\"\ntask = \"Do two.\"\n\
                      supervisor = false\n";

struct Jobs {
    home: Home,
    script: PathBuf,
    phases: PathBuf,
}

impl Jobs {
    /// One review is sent back, each interaction has its price, and the worker brings files.
    fn new(delay_ms: u64) -> Self {
        let home = Home::new();
        let said = |action: &str, evidence: &[&str]| json!({"action": action, "evidence_files": evidence, "summary_for_supervisor": "So it is."});
        let worker = |name: &str| {
            json!({"agent": "Worker", "response": said("COMPLETED", &[name]), "files": {name: name}, "cost_usd": 0.0034,
                "delay_ms": delay_ms})
        };
        let supervisor = |action: &str| json!({"agent": "Supervisor", "response": said(action, &[]), "cost_usd": 0.0021, "delay_ms": delay_ms});
        // Attempts that a kill took used an entry each: there are enough of every kind.
        let mut entries = vec![worker("a"), supervisor("RETRY")];
        for agent in ["Worker", "Supervisor"] {
            let cost = if agent == "Worker" { 0.0034 } else { 0.0021 };
            entries.push(json!({"agent": agent, "response": said("COMPLETED", &[]), "times": 0, "cost_usd": cost}));
        }
        let script = home.file("script.json");
        fs::write(&script, Value::from(entries).to_string()).expect("it is there");
        let phases = home.file("phases.toml");
        fs::write(&phases, PHASES).expect("it is there");
        Self { home, script, phases }
    }

    fn make(&self, job: &str) {
        let phases = self.phases.to_str().expect("it is there");
        self.home.run(["job", "new", job, "--objective", "Do it", "--phases", phases]).succeeds();
        self.home.run(["job", "activate", job]).succeeds();
    }

    fn drive(&self, job: &str) -> Vec<String> {
        words(&["job", "run", job, "--agent-script", self.script.to_str().expect("it is there")])
    }

    /// What must hold whenever no process is at the job. Gives its status.
    fn check(&self, job: &str) -> String {
        let status = self.home.run(["job", "status", job, "--json"]).succeeds().json();
        self.home.run(["job", "replay", job]).succeeds();
        let directory = self.home.path().join("jobs").join(job);
        let manifest: Value = serde_json::from_slice(
            &fs::read(directory.join("job_manifest.json")).expect("it is there"),
        )
        .expect("it is there");
        assert_eq!(manifest["status"], status["status"]);
        assert_eq!(manifest["metrics"], status["metrics"]);
        let history: Value = match fs::read(directory.join("jobHistory.json")) {
            Ok(bytes) => serde_json::from_slice(&bytes).expect("it is there"),
            Err(_) => json!({"interactions": [], "recovery_points": []}),
        };
        let interactions = history["interactions"].as_array().expect("it is there");
        let costs: f64 = interactions
            .iter()
            .map(|own| own["response"]["cost_usd"].as_f64().expect("it is there") * 100.0)
            .sum();
        let metric = |name: &str| manifest["metrics"][name].as_f64().expect("it is there");
        let spent = metric("cumulative_cost") - metric("assumed_cost");
        assert!((spent - costs).abs() < 1e-9, "{spent} and {costs}");
        for (at, own) in interactions.iter().enumerate() {
            assert_eq!(own["sequence"], at as u64);
        }
        let points = history["recovery_points"].as_array().expect("it is there");
        let ids: BTreeSet<_> = points.iter().map(|own| own["id"].to_string()).collect();
        assert_eq!(ids.len(), points.len(), "{points:?}");
        status["status"].as_str().expect("it is there").to_owned()
    }

    /// Drives the job to its end.
    fn finish(&self, job: &str) {
        for _ in 0..5 {
            let outcome = self.home.run(self.drive(job));
            let status = self.check(job);
            if status == "SUCCESS" {
                return;
            }
            assert_eq!(
                (outcome.code, status.as_str()),
                (Some(43), "INTERVENTION_REQUIRED"),
                "{}",
                outcome.stderr
            );
            self.home.run(["job", "advise", job, "Go on."]).succeeds();
        }
        panic!("{job} does not come to its end");
    }
}

#[test]
fn a_job_that_is_killed_at_every_write_goes_on_from_there() {
    need("strace");
    let jobs = Jobs::new(0);
    let mut kills = 0;
    for call in BOUNDARIES {
        for number in 1.. {
            // Every write of the beginning, then every third: the writes of an interaction are the same again.
            if number > 12 && number % 3 != 0 {
                continue;
            }
            let job = format!(
                "{}-{number}",
                call.replace(|letter: char| !letter.is_ascii_alphanumeric(), "")
            );
            jobs.make(&job);
            let args = jobs.drive(&job);
            let outcome = jobs.home.start(killed_at(&jobs.home, call, number, &args)).wait();
            jobs.check(&job);
            jobs.finish(&job);
            if outcome.signal.is_none() {
                break;
            }
            kills += 1;
            assert!(number < 500, "there is no end to {call}");
        }
    }
    eprintln!("{kills} kills");
    assert!(kills >= 20, "the kills hit nothing: {kills}");
}

#[test]
fn a_job_that_is_killed_at_random_loses_nothing() {
    let jobs = Jobs::new(20);
    let mut chance = Chance::new(Chance::seed());
    for number in 0..6 {
        let job = format!("random-{number}");
        jobs.make(&job);
        let mut accepted = 0;
        for _ in 0..3 {
            let process = jobs.home.start(jobs.home.command(jobs.drive(&job)));
            sleep(chance.millis(20..400));
            process.kill();
            jobs.check(&job);
            let points = jobs.home.run(["job", "status", &job, "--json"]).succeeds().json();
            let now = points["recovery_points"].as_array().expect("it is there").len();
            assert!(now >= accepted, "a recovery point is gone");
            accepted = now;
        }
        jobs.finish(&job);
    }
}
