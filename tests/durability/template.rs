//! A template's creation, killed at every write: what was answered is never asked again, nothing is lost,
//! and it comes to its end by `--resume`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use serde_json::{Value, json};

use crate::support::{Home, Outcome, need};

/// Every way in which something reaches the disk or becomes visible to others.
const BOUNDARIES: [&str; 11] = [
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
];

const STATE: &str = ".template-create-state.json";
const REQUEST: &str = ".agent-request.json";
const RESPONSE: &str = ".agent-response.json";

/// A creation, and who answers its requests.
struct Shop {
    home: Home,
    /// How often each question was answered, by phase.
    paid: BTreeMap<u64, usize>,
}

impl Shop {
    fn new() -> Self {
        let home = Home::new();
        let source = home.file("project").join("src");
        fs::create_dir_all(&source).expect("it is made");
        let manifest = "[package]\nname = \"tea-shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        fs::write(home.file("project").join("Cargo.toml"), manifest).expect("it is written");
        let main = "mod order;\n\nfn main() {\n    println!(\"{}\", order::total(3));\n}\n";
        fs::write(source.join("main.rs"), main).expect("it is written");
        let order = "pub fn total(cups: u32) -> u32 {\n    cups * 2\n}\n";
        fs::write(source.join("order.rs"), order).expect("it is written");
        Self { home, paid: BTreeMap::new() }
    }

    fn project(&self) -> PathBuf {
        self.home.file("project")
    }

    fn args(&self, resume: bool) -> Vec<String> {
        let path = |path: &Path| path.to_str().expect("a plain path").to_owned();
        let (project, output) = (path(&self.project()), path(&self.home.file("template")));
        let words = ["template", "create", "--json", "--path", &project, "--name", "tea-shop"];
        let mut words = words.map(str::to_owned).to_vec();
        words.extend(["--output".to_owned(), output]);
        if resume {
            words.push("--resume".to_owned());
        }
        words
    }

    /// What whoever comes after a crash types.
    fn go_on(&self) -> Outcome {
        let resume = self.project().join(STATE).exists();
        self.home.run(self.args(resume))
    }

    /// Pays for an answer to what is asked, unless somebody has.
    fn answer(&mut self) {
        let Ok(bytes) = fs::read(self.project().join(REQUEST)) else { return };
        if self.project().join(RESPONSE).exists() {
            return;
        }
        let request: Value = serde_json::from_slice(&bytes).expect("a request is never half there");
        let phase = request["phase"].as_u64().expect("a phase");
        let said = match phase {
            1 => json!({"technology_stack": {"primary_language": "Rust", "confidence": 0.9},
                "overall_confidence": 0.9}),
            5 => json!({"agents": [{"name": "tea-specialist", "description": "Knows tea"}],
                "overall_confidence": 0.9}),
            _ => json!({"agent_name": "tea-specialist", "content": "Warm the pot first.",
                "overall_confidence": 0.9}),
        };
        let response = json!({"request_id": request["request_id"], "version": "1.0",
            "status": "success", "response": said.to_string(), "created_at": "2030-01-01T00:00:00Z"});
        fs::write(self.project().join("answer"), response.to_string()).expect("it is written");
        fs::rename(self.project().join("answer"), self.project().join(RESPONSE))
            .expect("it is put");
        *self.paid.entry(phase).or_default() += 1;
    }

    /// Goes on to the end, and looks at what is there.
    fn finish(&mut self) {
        for _ in 0..10 {
            let outcome = self.go_on().exits_with(&[0, 42]);
            if outcome.code == Some(42) {
                self.answer();
                continue;
            }
            let report: Value = serde_json::from_str(&outcome.stdout).expect("a report");
            assert_eq!(report["fallbacks"], json!([]), "{report}");
            self.look();
            return;
        }
        panic!("it does not come to its end");
    }

    fn look(&self) {
        let once = [(1, 1), (5, 1), (7, 1)].into();
        assert_eq!(self.paid, once, "every answer was asked for once");
        let output = self.home.file("template");
        for file in ["manifest.json", "settings.json", "CLAUDE.md", "agents/tea-specialist.md"] {
            assert!(output.join(file).is_file(), "{file}");
        }
        let agent =
            fs::read_to_string(output.join("agents/tea-specialist.md")).expect("it is there");
        assert!(agent.contains("Warm the pot first."), "{agent}");
        let left = fs::read_dir(self.project()).expect("the project is there");
        let left =
            left.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
        let left: Vec<_> = left.filter(|name| name.starts_with('.')).collect();
        assert_eq!(left, Vec::<String>::new(), "everything is cleaned up");
        let beside = fs::read_dir(self.home.folder()).expect("the folder is there");
        let beside = beside.map(|entry| entry.expect("an entry").file_name());
        let beside: Vec<_> =
            beside.filter(|name| name.to_string_lossy().contains("template")).collect();
        assert_eq!(beside.len(), 1, "no half template is left: {beside:?}");
    }

    fn killed_at(&self, call: &str, number: usize) -> Command {
        let log = self.home.file("strace");
        let log = log.to_str().expect("a plain path");
        let (trace, kill) =
            (format!("trace={call}"), format!("inject={call}:signal=SIGKILL:when={number}"));
        let resume = self.project().join(STATE).exists();
        let args = self.args(resume);
        self.home.under(["strace", "-D", "-f", "-qq", "-o", log, "-e", &trace, "-e", &kill], &args)
    }
}

/// Brings a creation to its command number `at` (the first begins it, the fourth ends it), and kills
/// that one at each call. Says how often.
fn kill_each(call: &str, at: usize) -> usize {
    for number in 1.. {
        let mut shop = Shop::new();
        for _ in 0..at {
            shop.go_on().exits_with(&[42]);
            shop.answer();
        }
        let outcome = shop.home.start(shop.killed_at(call, number)).wait();
        if outcome.signal.is_none() {
            outcome.exits_with(&[0, 42]);
            return number - 1;
        }
        eprintln!("{call} {number} in command {at}");
        // It may have been killed after its end.
        let over = !shop.project().join(STATE).exists() && shop.home.file("template").exists();
        if over {
            assert_eq!(at, 3, "only the last command ends it");
            shop.home.run(["runs", "list", "--json"]).succeeds();
            shop.look();
        } else {
            shop.finish();
        }
        assert!(number < 200, "there is no end to {call}");
    }
    unreachable!("numbers have no end")
}

fn killed(at: usize) {
    need("strace");
    let kills: Vec<(&str, usize)> = thread::scope(|scope| {
        let halves: Vec<_> = BOUNDARIES
            .chunks(6)
            .map(|half| {
                scope.spawn(move || half.iter().map(|call| (*call, kill_each(call, at))).collect())
            })
            .collect();
        let join = |half: thread::ScopedJoinHandle<'_, Vec<(&'static str, usize)>>| {
            half.join().expect("no kill went wrong")
        };
        halves.into_iter().flat_map(join).collect()
    });
    eprintln!("{kills:?}");
    let all: usize = kills.iter().map(|(_, kills)| kills).sum();
    assert!(all >= 20, "{kills:?}");
}

#[test]
fn killed_at_every_write_while_it_begins_a_creation_goes_on() {
    killed(0);
}

#[test]
fn killed_at_every_write_while_it_takes_an_answer_a_creation_asks_for_nothing_twice() {
    killed(1);
}

#[test]
fn killed_at_every_write_while_it_ends_a_template_is_whole_or_not_there() {
    killed(3);
}
