//! A search while another process makes vectors, in turns with a search alone.

use std::{
    error::Error,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Args, Figures, corpus::Chance};
use crate::clock::{median, rounded, share};

/// Texts with vectors, and texts that get some meanwhile.
const TEXTS: usize = 600;
const WORDS_OF_A_TEXT: usize = 75;
/// Each source has so many passages.
const PASSAGES: usize = 40;

pub(super) fn measure(args: &Args, program: &Path, folder: &Path) -> Figures {
    let home = folder.join("home");
    let mut chance = Chance::new(3);
    let start = |arguments: &[&str]| -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env("CONSIGN_HOME", &home).stderr(Stdio::null());
        command
    };
    take(start(&["ingest", "--stream", "--wait-vectors"]), "old", TEXTS, &mut chance)?;
    let mut searching = Searching::begin(start(&["search", "--stream"]))?;
    for _ in 0..10 {
        searching.ask(&mut chance)?;
    }
    let (mut alone, mut beside, mut left) = (Vec::new(), Vec::new(), true);
    for round in 0..args.rounds {
        for _ in 0..args.questions {
            alone.push(searching.ask(&mut chance)?.0);
        }
        // Enough that the work does not end before the questions do.
        let mut taking = start(&["ingest", "--stream"]);
        taking.env("CONSIGN_MODELS", folder.join("no-models"));
        take(taking, &format!("new-{round}"), TEXTS * 2, &mut chance)?;
        let before = searching.ask(&mut chance)?.1;
        let mut worker = start(&["worker"]).stdout(Stdio::null()).spawn()?;
        while searching.ask(&mut chance)?.1["vectors_done"] == before["vectors_done"] {
            sleep(Duration::from_millis(50));
        }
        let mut now = Value::Null;
        for _ in 0..args.questions {
            let (took, search) = searching.ask(&mut chance)?;
            beside.push(took);
            now = search;
        }
        left &= now["vectors_done"] != now["vectors_total"];
        worker.kill()?;
        worker.wait()?;
        start(&["ingest", "--wait-vectors"]).status()?;
        searching.ask(&mut chance)?;
    }
    let figures = |times: Vec<f64>| json!({"p50_ms": rounded(median(times.clone())), "p95_ms": rounded(share(times, 0.95))});
    let ratio = median(beside.clone()) / median(alone.clone());
    Ok(json!({
        "questions": args.questions * args.rounds,
        "alone": figures(alone),
        "beside": figures(beside),
        "ratio": rounded(ratio),
        "work_went_on_throughout": left,
    }))
}

fn take(
    mut command: Command,
    name: &str,
    texts: usize,
    chance: &mut Chance,
) -> Result<(), Box<dyn Error>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        for number in 0..texts / PASSAGES {
            let paragraphs: Vec<_> = (0..PASSAGES).map(|_| chance.text(WORDS_OF_A_TEXT)).collect();
            let line = json!({"id": format!("{name}-{number}"), "text": paragraphs.join("\n\n")});
            writeln!(stdin, "{line}")?;
        }
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => Err("texts were not taken".into()),
    }
}

/// A program that answers questions, one after the other.
struct Searching {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Searching {
    fn begin(mut command: Command) -> Result<Self, Box<dyn Error>> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let questions = child.stdin.take().ok_or("no pipe")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        Ok(Self { child, questions, answers })
    }

    /// Milliseconds until the answer, and what it says of the search.
    fn ask(&mut self, chance: &mut Chance) -> Result<(f64, Value), Box<dyn Error>> {
        let query = json!({"query_text": chance.text(8), "min_relevance_score": 0});
        let began = Instant::now();
        writeln!(self.questions, "{query}")?;
        self.questions.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        let answer: Value = serde_json::from_str(&line)?;
        if answer["search"]["way"] != "hybrid" {
            return Err(format!("not a search by meaning: {line}").into());
        }
        // As people ask, not as fast as a loop can.
        sleep(Duration::from_millis(20));
        Ok((took, answer["search"].clone()))
    }
}

impl Drop for Searching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
