//! No key is found anywhere: not in the data directory, the journal, recordings, invocations, output or logs.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    home::{Home, until},
    models::Double,
    support::{Consign, Folder, Outcome, text},
};

/// The variable of a key, the key, and what the double knows it by.
const KEYS: [(&str, &str, &str); 4] = [
    ("OPENAI_API_KEY", "sk-proj-OPENAI-secret-7f3a9c21", "895e8e7a"),
    ("ANTHROPIC_API_KEY", "sk-ant-ANTHROPIC-secret-55d0e8", "cc4921ce"),
    ("XAI_API_KEY", "xai-GROK-secret-0b14aa6e", "83eba03b"),
    ("GEMINI_API_KEY", "AIza-GEMINI-secret-93c2d417", "9f474ec3"),
];
const MODELS: [&str; 4] =
    ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5", "xai/grok-4", "google/gemini-2.5-flash"];
const SEALED: (&str, &str) = ("sk-sealed-ALICE-secret-41ab77", "2ef37642");
const COMPATIBLE: &str = "sk-compatible-PARROT-secret-6e01";
const BEARER: &str = "bearer-AGENT-secret-2299ee";

fn secrets() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(_, key, _)| *key).chain([SEALED.0, COMPATIBLE, BEARER])
}

/// A script by which each model says the key that it was asked with, whatever else happens.
fn script() -> String {
    let mut entries = Vec::new();
    let mut say = |provider: &str, contains: &str, key: &str| {
        let said = format!("Your key is {key}, is it not?");
        let long = format!("{}{said}{}", "so it is ".repeat(5_000), " and so on".repeat(5_000));
        let entry = |word: &str, text: &str, fault: Value| {
            let contains = format!("{contains} {word}");
            // In pieces that are shorter than a key.
            let mut entry = json!({"provider": provider, "contains": contains.trim_end(),
                                   "text": text, "chunks": 9, "times": 0});
            if !fault.is_null() {
                entry["fault"] = fault;
            }
            entry
        };
        entries.extend([
            entry("long", &long, Value::Null),
            entry("cut_off", &said, json!({"kind": "cut_off", "after_chunks": 6})),
            entry("bad_json", &said, json!({"kind": "bad_json"})),
            entry("unauthorized", &said, json!({"kind": "unauthorized"})),
            entry("", &said, Value::Null),
        ]);
    };
    say("openai", "alice", SEALED.0);
    for (provider, (_, key, _)) in ["openai", "anthropic", "xai", "google"].into_iter().zip(KEYS) {
        for owner in ["local", "alice"] {
            say(provider, owner, key);
        }
    }
    // Alice's again, when she is shown what was wrong.
    say("openai", "", SEALED.0);
    Value::from(entries).to_string()
}

/// A server that refuses everybody, and repeats what they brought to be let in.
struct Parrot {
    url: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Parrot {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let hears = heard.clone();
        // It ends with the process of the test.
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let brought = Self::refuse(stream).expect("who asks listens");
                hears.lock().expect("nobody panics with it").push(brought);
            }
        });
        Self { url, heard }
    }

    fn refuse(mut stream: TcpStream) -> std::io::Result<String> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut brought, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "authorization" => value.clone_into(&mut brought),
                "content-length" => length = value.parse().expect("a number"),
                _ => {}
            }
        }
        reader.read_exact(&mut vec![0; length])?;
        let said = json!({"error": {"message": format!("Incorrect API key provided: {brought}.")}});
        let body = said.to_string();
        let head =
            "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nconnection: close";
        write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
        Ok(brought)
    }
}

/// The files below these folders, and what is in them: unpacked, where they are packed.
fn files(folders: &[&Path]) -> Vec<(PathBuf, Vec<u8>)> {
    const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed").filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).expect("a file can be read");
            if bytes.starts_with(&PACKED) {
                bytes = zstd::decode_all(bytes.as_slice()).expect("it can be unpacked");
            }
            files.push((path, bytes));
        }
    }
    files
}

/// A house whose people have keys, and everything that its commands said.
struct House {
    home: Home,
    folder: Folder,
    said: Vec<String>,
    /// The lines of their logs.
    log: Vec<String>,
}

impl House {
    fn new() -> Self {
        Self { home: Home::new(), folder: Folder::new(), said: Vec::new(), log: Vec::new() }
    }

    fn with_keys(&self, args: &[&str]) -> Consign {
        let consign = KEYS
            .iter()
            .fold(self.home.consign(args), |consign, (name, key, _)| consign.env(name, key));
        let consign = consign.env("CONSIGN_COMPATIBLE_API_KEY", COMPATIBLE);
        // Everything that there is to log.
        let consign = consign.env("CONSIGN_LOG", "trace").env("CONSIGN_LOG_FORMAT", "json");
        consign.env("AGENT_TOKEN", BEARER)
    }

    /// Keeps what was said, and gives it back without the log.
    fn hear(&mut self, mut outcome: Outcome) -> Outcome {
        self.said.extend([outcome.stdout.clone(), outcome.stderr.clone()]);
        let is_log = |line: &&str| line.starts_with("{\"time\":");
        let (log, rest): (Vec<&str>, Vec<&str>) =
            outcome.stderr.split_inclusive('\n').partition(is_log);
        self.log.extend(log.into_iter().map(str::to_owned));
        outcome.stderr = rest.concat();
        outcome
    }

    fn run(&mut self, args: &[&str]) -> Outcome {
        let outcome = self.with_keys(args).run();
        self.hear(outcome)
    }

    /// Makes an agent known.
    fn add(&mut self, name: &str, rest: &str) {
        let definition = format!("name = \"{name}\"\neffect = \"pure\"\n{rest}");
        let file = self.folder.file(&format!("{name}.toml"), definition);
        self.run(&["agents", "add", &file]).exits(0);
    }

    /// Calls it, with all that is written down on the way.
    fn call(&mut self, name: &str, owner: &str, question: &str) -> Outcome {
        let input = json!({"q": format!("{owner} {question}").trim_end()}).to_string();
        let place = |name: &str| self.folder.path().join(name).display().to_string();
        let (tape, calls) = (place("tape.jsonl"), place("calls.jsonl"));
        let args = ["agents", "try", name, "--input", &input, "--owner", owner, "--json"];
        let written = ["--record", &tape, "--invocations", &calls];
        self.run(&[&args[..], &written].concat())
    }

    /// Every place where one of these is: a file, or something that was said.
    fn found<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
        let files = files(&[&self.home.path(), self.folder.path()]);
        let mut found = Vec::new();
        for word in words {
            let has =
                |bytes: &[u8]| bytes.windows(word.len()).any(|window| window == word.as_bytes());
            let kept = files.iter().filter(|(_, bytes)| has(bytes));
            found.extend(kept.map(|(path, _)| format!("{word} in {}", path.display())));
            let said = self.said.iter().filter(|said| has(said.as_bytes()));
            found.extend(said.map(|said| format!("{word} was said: {said}")));
        }
        found
    }
}

#[test]
fn no_key_is_found_after_calls_faults_recordings_and_exports() {
    const CLEAN: &str = "Your key is ***, is it not?";
    let (double, parrot) = (Double::start(Some(&script())), Parrot::start());
    let mut house = House::new();
    house.run(&["keys", "init"]).exits(0);
    let set = house.with_keys(&["keys", "set", "openai", "--owner", "alice"]).stdin(SEALED.0).run();
    house.hear(set).exits(0);
    let settings = double.settings();
    fs::write(house.home.path().join("models.toml"), settings).expect("the home is there");

    // Every provider with every key, whole and streamed. A model may be made to say anything.
    let (mut runs, mut asked) = (0, 0);
    for model in MODELS {
        for stream in [false, true] {
            let name = format!("{}-{stream}", model.split('/').next().unwrap_or_default());
            house.add(&name, &format!("[model]\nname = \"{model}\"\nstream = {stream}\n"));
            for owner in ["local", "alice"] {
                let run = house.call(&name, owner, "").exits(0).json();
                assert_eq!(run["output"], CLEAN, "{name} {owner}");
                (runs, asked) = (runs + 1, asked + 1);
            }
        }
    }
    let last = |double: &Double| text(&double.seen()[asked - 1], "provider").to_owned();
    assert_eq!((double.seen().len(), last(&double)), (asked, "google".to_owned()));

    // What goes wrong is told in the provider's words.
    for stream in [false, true] {
        let name = format!("openai-{stream}");
        for (question, code, tries) in [
            ("cut_off", "AI_NETWORK_ERROR", 3),
            ("bad_json", "AI_INVALID_RESPONSE", 3),
            ("unauthorized", "AI_AUTH_ERROR", 1),
        ] {
            house.call(&name, "alice", question).exits(1).naming(code);
            (runs, asked) = (runs + 1, asked + tries);
        }
    }

    // A large value is kept in a file of its own.
    house.add("long", "[model]\nname = \"openai/gpt-5-mini\"\nmax_tokens = 60000\n");
    let long = house.call("long", "alice", "long").exits(0).json();
    assert!(text(&long, "output").len() > 64 << 10 && text(&long, "output").contains(CLEAN));
    (runs, asked) = (runs + 1, asked + 1);
    let files = files(&[&house.home.path()]);
    let blobs = files.iter().filter(|(path, _)| path.starts_with(house.home.path().join("blobs")));
    let blobs: Vec<_> = blobs.map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    assert!(blobs.iter().any(|blob| blob.contains(CLEAN)), "{} blobs", blobs.len());

    // An answer that breaks its contract is shown to the model again, and then to a person.
    house.add(
        "garbled",
        "contract.output.type = \"object\"\n[model]\nname = \"openai/gpt-5-mini\"\n",
    );
    house.call("garbled", "alice", "").exits(43);
    (runs, asked) = (runs + 1, asked + 2);
    let inbox = house.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!(text(&inbox, "code"), "AI_INVALID_RESPONSE");

    // A worker that says all it does.
    let input = r#"{"agent": "openai-true", "input": {"q": "alice"}}"#;
    let detach = ["runs", "start", "agent/call", "--owner", "alice", "--detach", "--json"];
    let detached = house.run(&[&detach[..], &["--input", input]].concat()).exits(0).json();
    let detached = text(&detached, "id");
    let worker = house.home.let_go_on(house.with_keys(&["worker", "-v"]));
    until("it ends", || (house.home.status(detached) == "succeeded").then_some(()));
    worker.signal(Signal::TERM);
    house.hear(worker.wait()).exits(0);
    assert!(house.log.iter().any(|line| line.contains(detached)), "{:#?}", house.log);
    (runs, asked) = (runs + 1, asked + 1);

    // A program that is given a secret and prints it; a server that is given one and repeats it.
    let echo = "import os, sys\nprint(dict(os.environ), file=sys.stderr)\nprint('[]')";
    let program = house.folder.file("echo.py", echo);
    house.add(
        "echo",
        &format!("[subprocess]\ncommand = [\"python3\", {program:?}]\nenv = [\"AGENT_TOKEN\"]\n"),
    );
    let echoed = house.run(&["agents", "try", "echo", "--json"]).exits(0).json();
    let events = house.run(&["runs", "show", text(&echoed, "id"), "--events", "--json"]).exits(0);
    assert!(events.stdout.contains("'AGENT_TOKEN': '***'"), "{events:#?}");
    let url = &parrot.url;
    house.add(
        "served",
        &format!("[http]\nurl = \"{url}/x\"\nbearer_env = \"AGENT_TOKEN\"\nallow_private = true\n"),
    );
    let served = house.run(&["agents", "try", "served", "--json"]).exits(1);
    assert!(served.naming("HTTP_AGENT_REFUSED").stderr.contains("***"));
    runs += 2;

    // One question, without a run: on a terminal, where it is shown as it comes; and refused.
    let base = format!("{}/openai/v1", double.url);
    let tape = house.folder.path().join("tape.jsonl").display().to_string();
    let test = ["models", "test", "gpt-5-mini", "--base-url", &base, "--prompt", "local"];
    let test = [&test[..], &["--stream", "--record", &tape]].concat();
    let terminal = house.home.terminal().set(KEYS[0].0, KEYS[0].1).consign(&test);
    let shown = house.hear(terminal).exits(0);
    assert!(shown.stdout.starts_with(CLEAN), "{shown:#?}");
    let json = house.run(&[&test[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(text(&json, "text"), CLEAN);
    asked += 2;
    for more in [&[][..], &["--json"]] {
        let refused = ["models", "test", "compatible/parrot", "--base-url", url, "--record", &tape];
        let refused = house.run(&[&refused[..], more].concat()).fails(1, "AI_AUTH_ERROR");
        assert!(refused.stderr.contains("Incorrect API key provided: Bearer ***"), "{refused:#?}");
    }

    // The keys were really there to be found.
    let seen = double.seen();
    assert_eq!(seen.len(), asked);
    let used: BTreeSet<&str> = seen.iter().map(|request| text(request, "key")).collect();
    let known = KEYS.iter().map(|(.., fingerprint)| *fingerprint).chain([SEALED.1]);
    assert_eq!(used, known.collect());
    let brought = parrot.heard.lock().expect("nobody panics with it").clone();
    assert_eq!(brought, [BEARER, COMPATIBLE, COMPATIBLE].map(|key| format!("Bearer {key}")));

    for args in [&["keys", "list"][..], &["models", "list"], &["agents", "list"], &["doctor"]] {
        house.run(args).exits(0);
        house.run(&[args, &["--json"]].concat()).exits(0);
    }
    let list = house.run(&["runs", "list", "--json"]).exits(0).json_lines();
    assert_eq!(list.len(), runs);
    for id in list.iter().map(|run| text(run, "id")) {
        house.run(&["runs", "show", id]).exits(0);
        house.run(&["runs", "show", id, "--events", "--json"]).exits(0);
        house.run(&["runs", "verify", id]).exits(0);
    }
    house.run(&["keys", "rotate"]).exits(0);
    // What stands beside the keys is found everywhere, and they are not.
    let beside = house.found(["is it not?"]);
    for place in ["/consign.db", "/blobs/", "/tape.jsonl", "was said"] {
        assert!(beside.iter().any(|found| found.contains(place)), "{place}: {beside:#?}");
    }
    assert_eq!(house.found(secrets()), [""; 0]);
    // The log tells of every call, and nothing that was asked or answered.
    let told = |word: &str| house.log.iter().filter(|line| line.contains(word)).count();
    assert!(told("\"message\":\"model answered\"") > 15, "{:#?}", house.log);
    assert!(told("\"message\":\"run closed\"") > 20, "{:#?}", house.log);
    for words in ["is it not?", "so it is", "\"q\"", "Bearer", "authorization"] {
        assert_eq!(told(words), 0, "{words} in {:#?}", house.log);
    }
}
