//! A conversation of many turns, killed between them and inside them: each turn is in the history once and in its order, and
//! an answer of a model that was paid for is not asked for again. The model is the double, which counts.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::{scope, sleep},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    boundaries::killed_at,
    harness::http,
    support::{Chance, Home, Look, Process, need, until},
};

const TURNS: usize = 100;
const LONG: Duration = Duration::from_secs(60);
const QUOTE: &str = "The notice period in the probation is 14 days.";

/// A home with a handbook, and a model that answers every question from it.
struct Talk {
    home: Home,
    double: Process,
    address: String,
    /// How often the model was asked for an answer when that answer was seen to be recorded, by the number of the question.
    paid: BTreeMap<usize, usize>,
}

impl Talk {
    fn new() -> Self {
        let home = Home::new();
        let handbook = home.file("handbook.txt");
        fs::write(&handbook, format!("{QUOTE}\n")).expect("it is written");
        let handbook = handbook.to_str().expect("a plain path");
        home.run(["ingest", handbook, "--json"]).succeeds();
        let said = json!({
            "content": format!("{QUOTE} [1]"),
            "citations": [{"source_id": "p", "chunk_id": "p1", "text_snippet": QUOTE, "url": null}],
            "tone_used": "General",
            "follow_up_suggestions": [],
            "confidence_score": 0.9,
        });
        let script = home.file("double.json");
        fs::write(&script, json!([{"json": said, "times": 0}]).to_string()).expect("it is written");
        let words = ["models", "double", "--listen", "127.0.0.1:0", "--json", "--script"];
        let double =
            home.start(home.command(words.iter().map(Path::new).chain([script.as_path()])));
        let told = until(LONG, "the double listens", || {
            let said = double.stdout();
            let (line, _) = said.split_once('\n')?;
            serde_json::from_str::<Value>(line).ok()
        });
        let address = told["listening"].as_str().expect("it says where").to_owned();
        Self { home, double, address, paid: BTreeMap::new() }
    }

    fn with_model(&self, mut command: Command) -> Command {
        command.env("OPENAI_BASE_URL", &self.address);
        command.env("OPENAI_API_KEY", "sk-durability-0123456789");
        command
    }

    /// How often the model was asked each question.
    fn asked(&self) -> BTreeMap<usize, usize> {
        let address = self.address.strip_prefix("http://").expect("it is reached by HTTP");
        let head = format!("GET /double/seen HTTP/1.1\r\nhost: {address}\r\n");
        let told = http::send(address, &head, b"").is(200).json();
        let mut asked = BTreeMap::new();
        for request in told["requests"].as_array().expect("a list") {
            let body = request["body"].as_str().expect("a text");
            let (_, last) =
                body.rsplit_once("Question: \\\"Question ").expect("it asks a question");
            let number = last.split(':').next().and_then(|number| number.parse().ok());
            *asked.entry(number.expect("a number")).or_default() += 1;
        }
        asked
    }

    /// The runs of turns, by their numbers from 1.
    fn runs(&self, look: &Look) -> BTreeMap<usize, String> {
        let turns = look.runs.iter().filter(|(_, run)| run.workflow == "conversation/turn");
        let number = |id: &String| {
            let said = self.home.show(id)["input"]["message"].as_str().map(numbered);
            (said.expect("a message"), id.clone())
        };
        turns.map(|(id, _)| number(id)).collect()
    }

    /// How many turns have begun: each has a run from its first commit on.
    fn begun(&self) -> usize {
        let look = Look::books(&self.home.path());
        look.runs.values().filter(|run| run.workflow == "conversation/turn").count()
    }

    /// Remembers what was paid, and that nothing that was paid before is paid again.
    fn look(&mut self, newest: usize) {
        let look = Look::at(&self.home.path());
        let asked = self.asked();
        let open: Vec<_> = look.open_runs().map(|(id, _)| id.clone()).collect();
        // The one before may be kept already, and not closed.
        assert!(open.len() <= 2, "a turn that was left is finished by the next: {open:?}");
        let is_answered = |id: &String| {
            look.keys(id, "call_completed").iter().any(|key| key.starts_with("tailor-"))
        };
        if open.iter().all(is_answered)
            && let Some(times) = asked.get(&newest)
        {
            self.paid.entry(newest).or_insert(*times);
        }
        for (number, times) in &self.paid {
            assert_eq!(asked.get(number), Some(times), "question {number} was paid again");
        }
    }

    /// Everything was said once, in its order, and was answered.
    fn is_whole(&self, turns: usize) {
        let state = self.home.run(["sessions", "show", "s", "--json"]).succeeds().json();
        let history = state["history"].as_array().expect("a list");
        assert_eq!(history.len(), 2 * turns);
        for (at, pair) in history.chunks(2).enumerate() {
            let told = (pair[0]["role"].as_str(), pair[1]["role"].as_str());
            assert_eq!(told, (Some("user"), Some("assistant")));
            assert_eq!(pair[0]["content"], question(at + 1));
            assert_eq!(pair[1]["content"], format!("{QUOTE} [1]"), "question {}", at + 1);
        }
        let look = Look::at(&self.home.path());
        let (asked, runs) = (self.asked(), self.runs(&look));
        assert_eq!((runs.len(), asked.len()), (turns, turns), "each turn is one run");
        for (number, run) in &runs {
            assert_eq!(look.runs[run].status, "succeeded", "question {number}");
            let begun: usize = ["call_started", "attempt_started"]
                .iter()
                .map(|kind| {
                    look.keys(run, kind).iter().filter(|key| key.starts_with("tailor-")).count()
                })
                .sum();
            let ended = look.keys(run, "call_completed");
            let ended = ended.iter().filter(|key| key.starts_with("tailor-")).count();
            assert_eq!(ended, 1, "question {number} was answered once");
            assert!(asked[number] <= begun, "question {number}: {} of {begun}", asked[number]);
        }
        self.home.run(["runs", "verify", "--all"]).succeeds();
    }
}

fn question(number: usize) -> String {
    format!("Question {number}: how long is the notice period in the probation?")
}

fn numbered(message: &str) -> usize {
    let number = message.strip_prefix("Question ").and_then(|rest| rest.split(':').next());
    number.and_then(|number| number.parse().ok()).expect("a question of ours")
}

/// `consign ask --stream`, line by line.
struct Stream {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    answered: usize,
}

impl Stream {
    fn new(talk: &Talk) -> Self {
        let args = ["ask", "--stream", "--model", "openai/gpt-5-mini"];
        let mut command = talk.with_model(talk.home.command(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, stdin, stdout, answered: 0 }
    }

    fn send(&mut self, number: usize) {
        let line = json!({"user_message": question(number), "session_id": "s", "user_id": "local"});
        writeln!(self.stdin, "{line}").expect("the binary is reading");
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the binary is writing");
        self.answered += 1;
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // One that has ended already is not there to be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_hundred_turns_survive_kills_between_and_inside_them() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let mut talk = Talk::new();
    let (mut inside, mut between, mut unbegun) = (0, 0, 0);
    let mut stream = Stream::new(&talk);
    let mut number = 1;
    while number <= TURNS {
        stream.send(number);
        if chance.once_in(4) {
            // A process that has just started takes longer to come to its first turn.
            let most = if stream.answered == 0 { 900 } else { 90 };
            sleep(chance.millis(1..most));
            drop(stream);
            let begun = talk.begun();
            inside += usize::from(begun == number);
            unbegun += usize::from(begun < number);
            talk.look(begun);
            number = begun + 1;
            stream = Stream::new(&talk);
            continue;
        }
        let answer = stream.answer();
        let content = answer["final_response"]["content"].as_str().unwrap_or_default();
        assert!(content.starts_with(QUOTE), "question {number}: {answer:#}");
        if chance.once_in(8) {
            drop(stream);
            between += 1;
            talk.look(number);
            stream = Stream::new(&talk);
        }
        number += 1;
    }
    drop(stream);
    // The last one may have been killed.
    let last = [question(TURNS + 1), "--session".to_owned(), "s".to_owned()];
    let args = ["ask", "--json", "--model", "openai/gpt-5-mini"].map(str::to_owned);
    talk.home
        .start(talk.with_model(talk.home.command(args.into_iter().chain(last))))
        .wait()
        .succeeds();
    talk.is_whole(TURNS + 1);
    let asked: usize = talk.asked().values().sum();
    eprintln!(
        "{inside} kills inside turns, {between} between, {unbegun} before one began; {asked} calls"
    );
    assert!(inside >= 5 && between >= 3, "the kills came too early");
    talk.double.kill();
}

/// Just before each sync of a turn, and before many of its writes; the next turn goes on from there, and may be killed too.
#[test]
fn a_turn_killed_at_a_write_boundary_is_finished_by_the_next() {
    need("strace");
    let kills: Vec<usize> = scope(|scope| {
        // Which of the two syncs it is is for SQLite to say.
        let each = [("fdatasync", 1), ("fsync", 1), ("pwrite64", 7)];
        let each = each.map(|(call, stride)| scope.spawn(move || kill_each(call, stride)));
        each.into_iter().map(|kills| kills.join().expect("no kill went wrong")).collect()
    });
    eprintln!("{kills:?} kills");
    assert!(kills[0] + kills[1] >= 4 && kills[2] >= 4, "the kills came too late: {kills:?}");
}

fn kill_each(call: &str, stride: usize) -> usize {
    let mut talk = Talk::new();
    for (kills, at) in (1..).step_by(stride).enumerate() {
        let number = talk.begun() + 1;
        let question = question(number);
        let args = ["ask", &question, "--json", "--session", "s", "--model", "openai/gpt-5-mini"];
        let args = args.map(str::to_owned);
        let command = talk.with_model(killed_at(&talk.home, call, at, &args));
        let outcome = talk.home.start(command).wait();
        talk.look(talk.begun());
        if outcome.signal.is_none() {
            outcome.succeeds();
            talk.is_whole(number);
            talk.double.kill();
            return kills;
        }
        assert!(at < 400, "there is no end to {call}");
    }
    unreachable!("numbers have no end")
}
