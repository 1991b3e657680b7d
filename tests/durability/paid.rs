//! A model that answers for a template's creation, killed wherever a file appears, moves or goes: what was
//! paid for is not paid for again.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{Home, Outcome, Process, need, until};

/// Every way in which a file gets its name, or loses it. Between the model's answer and its commit there is
/// none of them.
const BOUNDARIES: [&str; 7] =
    ["rename", "renameat", "renameat2", "linkat", "unlink", "unlinkat", "link"];

/// How long the double may take to begin.
const LONG: Duration = Duration::from_secs(60);

const STATE: &str = ".template-create-state.json";

/// A creation that waits for its first and only answer, and a model that has it.
struct Paid {
    home: Home,
    double: Process,
    address: String,
    run: String,
}

impl Paid {
    fn new() -> Self {
        let home = Home::new();
        let source = home.file("project").join("src");
        fs::create_dir_all(&source).expect("it is made");
        let manifest = "[package]\nname = \"tea-shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        fs::write(home.file("project").join("Cargo.toml"), manifest).expect("it is written");
        fs::write(source.join("main.rs"), "fn main() {}\n").expect("it is written");
        let said = json!({"technology_stack": {"primary_language": "Rust", "confidence": 0.9},
            "overall_confidence": 0.9});
        let script = json!([{"text": said.to_string(), "times": 0}]).to_string();
        let file = home.file("double.json");
        fs::write(&file, script).expect("it is written");
        let words = ["models", "double", "--listen", "127.0.0.1:0", "--json", "--script"];
        let double = home.command(words.iter().map(Path::new).chain([file.as_path()]));
        let double = home.start(double);
        let told = until(LONG, "the double listens", || {
            let said = double.stdout();
            let (line, _) = said.split_once('\n')?;
            serde_json::from_str::<Value>(line).ok()
        });
        let address = told["listening"].as_str().expect("it says where").to_owned();
        let mut paid = Self { home, double, address, run: String::new() };
        let told = paid.home.run(paid.create()).exits_with(&[42]).json();
        paid.run = told["run"].as_str().expect("it has a run").to_owned();
        let settings = format!("[providers.openai]\nbase_url = \"{}/openai/v1\"\n", paid.address);
        fs::write(paid.home.path().join("models.toml"), settings).expect("the home is there");
        paid
    }

    fn project(&self) -> PathBuf {
        self.home.file("project")
    }

    fn create(&self) -> Vec<String> {
        let path = |path: &Path| path.to_str().expect("a plain path").to_owned();
        let (project, output) = (path(&self.project()), path(&self.home.file("template")));
        let words = ["template", "create", "--json", "--no-agents", "--path", &project];
        let words = words.into_iter().chain(["--name", "tea-shop", "--output", &output]);
        words.map(str::to_owned).collect()
    }

    fn watch(&self) -> Vec<String> {
        let project = self.project();
        let project = project.to_str().expect("a plain path");
        let words = ["bridge", "watch", "--json", "--path", project, "--model", "gpt-5-mini"];
        words.map(str::to_owned).into()
    }

    fn with_key(mut command: Command) -> Command {
        command.env("OPENAI_API_KEY", "sk-durability-0123456789");
        command
    }

    fn killed_at(&self, call: &str, number: usize) -> Outcome {
        let log = self.home.file("strace");
        let log = log.to_str().expect("a plain path");
        let (trace, kill) =
            (format!("trace={call}"), format!("inject={call}:signal=SIGKILL:when={number}"));
        let wrapper = ["strace", "-D", "-f", "-qq", "-o", log, "-e", &trace, "-e", &kill];
        self.home.start(Self::with_key(self.home.under(wrapper, self.watch()))).wait()
    }

    /// How often the model was asked.
    fn asked(&self) -> usize {
        let address = self.address.strip_prefix("http://").expect("it is reached by HTTP");
        let mut stream = TcpStream::connect(address).expect("it listens");
        let request = format!("GET /double/seen HTTP/1.0\r\nhost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut told = String::new();
        stream.read_to_string(&mut told).expect("it answers");
        let (_, body) = told.split_once("\r\n\r\n").expect("there is a body");
        let told: Value = serde_json::from_str(body).expect("it is JSON");
        told["requests"].as_array().expect("it is a list").len()
    }

    /// Goes on to the end, and looks at the books.
    fn finish(self) {
        if self.project().join(STATE).exists() {
            let outcome = self.home.start(Self::with_key(self.home.command(self.watch()))).wait();
            let report = outcome.exits_with(&[0]).json();
            let found = (&report["fallbacks"], &report["requests"]);
            assert_eq!(found, (&json!([]), &json!(1)), "the double: {:?}", self.double.stderr());
        }
        assert_eq!(self.asked(), 1, "it was paid for once");
        assert!(self.home.file("template").join("manifest.json").is_file());
        let shown = self.home.show(&self.run);
        assert!(shown["usage"]["spent_usd"].as_f64() > Some(0.0), "{shown}");
        self.home.verify(&self.run);
        self.double.kill();
    }
}

fn kill_each(call: &str) -> usize {
    for number in 1.. {
        let paid = Paid::new();
        let outcome = paid.killed_at(call, number);
        if outcome.signal.is_none() {
            outcome.exits_with(&[0]);
            paid.finish();
            return number - 1;
        }
        eprintln!("{call} {number}");
        paid.finish();
        assert!(number < 200, "there is no end to {call}");
    }
    unreachable!("numbers have no end")
}

#[test]
fn killed_wherever_a_file_changes_its_name_a_watch_pays_its_model_once() {
    need("strace");
    let kills: Vec<(&str, usize)> = thread::scope(|scope| {
        let halves: Vec<_> = BOUNDARIES
            .chunks(4)
            .map(|half| {
                scope.spawn(move || half.iter().map(|call| (*call, kill_each(call))).collect())
            })
            .collect();
        let join = |half: thread::ScopedJoinHandle<'_, Vec<(&'static str, usize)>>| {
            half.join().expect("no kill went wrong")
        };
        halves.into_iter().flat_map(join).collect()
    });
    eprintln!("{kills:?}");
    let linked = kills.iter().filter(|(call, _)| call.starts_with("link"));
    let linked: usize = linked.map(|(_, kills)| kills).sum();
    assert!(linked >= 1, "the response gets its name by a link: {kills:?}");
    let all: usize = kills.iter().map(|(_, kills)| kills).sum();
    assert!(all >= 8, "{kills:?}");
}
