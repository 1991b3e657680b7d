//! `consign eval`: how well questions of one's own are answered, by one setting or two.

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use consign_app::{
    conversations::{Ask, TurnOutcome, new_session},
    documents,
    foreground::Foreground,
};
use consign_engine::Owner;
use serde_json::{Value, json};

use super::ask::{
    MannerArgs,
    turn::{self, Answered},
};
use crate::{
    commands::runs::agent_overrides::SCRIPT,
    engine::{Session, session},
    error::{Error, Exit},
    input::{Line, Source, next_line},
    live::Live,
    output::{Audience, FAINT, Output, printable, styled},
    text::{one_line, span},
};

const HELP: &str = "\
Each line of the file is a question: {\"question\", \"expected_source\"?, \"expected_words\"?: […], \"not_there\"?: true}, with \
\"after\": […] for what was asked before in the same session. The question is asked of the documents that were taken in, \
each in a session of its own, which is removed again.

An answer is right where a citation is of the expected source (a file name or a path, or a list of which one must be \
there) and the answer has all expected words. A question that is `not_there` is right where the answer has no citation.

--against asks everything a second time with another model (`rules` for none), and the two are compared.

Examples:
  consign eval questions.jsonl
  consign eval questions.jsonl --model openai/gpt-5-mini --against rules --json";

#[derive(clap::Args)]
#[command(after_help = HELP, mut_arg("agent_script", |script| script.help(SCRIPT)))]
pub(crate) struct Args {
    /// The questions, a line of JSON each; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Ask everything again with this model, and compare
    #[arg(long, value_name = "MODEL")]
    against: Option<String>,

    #[command(flatten)]
    manner: MannerArgs,
}

/// A line of the file. Other members are the user's own.
#[derive(Clone, Debug)]
struct Question {
    question: String,
    expected_source: Option<Sources>,
    expected_words: Vec<String>,
    not_there: bool,
    after: Vec<String>,
}

/// Sources by file name or path, of which one must be cited.
#[derive(Clone, Debug)]
struct Sources(Vec<String>);

impl Question {
    fn read(line: &[u8]) -> Result<Self, String> {
        let line: Value = serde_json::from_slice(line).map_err(|cause| cause.to_string())?;
        let question = line.get("question").and_then(Value::as_str);
        let question = question.ok_or("it has no `question`")?.to_owned();
        let expected_source = match line.get("expected_source") {
            None | Some(Value::Null) => None,
            Some(Value::String(one)) => Some(Sources(vec![one.clone()])),
            Some(_) => Some(Sources(texts(&line, "expected_source")?)),
        };
        let not_there = match line.get("not_there") {
            None => false,
            Some(said) => said.as_bool().ok_or("`not_there` is true or false")?,
        };
        let (expected_words, after) = (texts(&line, "expected_words")?, texts(&line, "after")?);
        Ok(Self { question, expected_source, expected_words, not_there, after })
    }
}

/// A list of texts; an empty one where there is none.
fn texts(line: &Value, name: &str) -> Result<Vec<String>, String> {
    let Some(list) = line.get(name) else { return Ok(Vec::new()) };
    let texts = list.as_array().map(|list| {
        list.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    texts.flatten().ok_or_else(|| format!("`{name}` is a list of texts"))
}

impl Sources {
    fn has(&self, identifier: &str) -> bool {
        let is = |name: &String| identifier == name || identifier.ends_with(&format!("/{name}"));
        self.0.iter().any(is)
    }
}

/// What became of all questions.
#[derive(Clone, Debug, Default)]
struct Tally {
    answerable: u64,
    /// Answerable ones with a citation of the expected source.
    cited: u64,
    /// And with the expected words.
    right: u64,
    not_there: u64,
    /// Of those, the ones that were refused.
    refused: u64,
    blocked: u64,
    failed: u64,
    citations: u64,
    /// Sentences that a verifier took out.
    unsupported: u64,
    seconds: f64,
    spent_usd: f64,
    /// What went wrong, and the question.
    wrong: Vec<(String, String)>,
}

impl Tally {
    fn to_value(&self) -> Value {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        json!({
            "answerable": self.answerable,
            "right_citation": share(self.cited, self.answerable),
            "right_answer": share(self.right, self.answerable),
            "not_there": self.not_there,
            "refused_rightly": share(self.refused, self.not_there),
            "blocked": self.blocked,
            "failed": self.failed,
            "citations": self.citations,
            "unsupported_sentences": self.unsupported,
            "seconds": self.seconds,
            "spent_usd": self.spent_usd,
        })
    }
}

const LONGEST_LINE: usize = 1 << 20;

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let questions = read(args)?;
    session(async |session| {
        let mut foreground = Foreground::new(&session.engine).await?;
        let own = args.manner.overrides.model().map(str::to_owned);
        let mut tallies = Vec::new();
        let first = asked(session, &mut foreground, args, own.clone(), &questions, output).await?;
        tallies.push((own.unwrap_or_else(|| "as set".to_owned()), first));
        if let Some(other) = &args.against {
            let second =
                asked(session, &mut foreground, args, Some(other.clone()), &questions, output);
            tallies.push((other.clone(), second.await?));
        }
        print(&tallies, output)?;
        Ok(Exit::Done)
    })
}

fn read(args: &Args) -> Result<Vec<Question>, Error> {
    let mut lines = Source::of(&args.file).open()?;
    let (mut questions, mut number) = (Vec::new(), 0_u64);
    loop {
        let line = next_line(&mut lines, LONGEST_LINE)
            .map_err(|cause| Error::unreadable(&args.file, &cause))?;
        let Some(line) = line else { return Ok(questions) };
        number += 1;
        let bytes = match line {
            Line::Bytes(line) if line.trim_ascii().is_empty() => continue,
            Line::Bytes(line) => line,
            Line::TooLarge(why) => return Err(Error::new("INPUT_MALFORMED", why.to_string())),
        };
        let question = Question::read(&bytes).map_err(|why| {
            Error::new("INPUT_MALFORMED", format!("line {number}: {why}"))
                .hint("`consign eval --help` has the form")
        })?;
        questions.push(question);
    }
}

async fn asked(
    session: &Session,
    foreground: &mut Foreground,
    args: &Args,
    model: Option<String>,
    questions: &[Question],
    output: &mut Output,
) -> Result<Tally, Error> {
    let owner = &args.manner.owner;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut tally = Tally::default();
    let mut live = match output.reader {
        Audience::Person => Live::on_stderr(output.color),
        Audience::Pipe | Audience::Program => Live::nowhere(),
    };
    for (at, question) in questions.iter().enumerate() {
        let _ = live.draw(&[styled(FAINT, format!("question {} of {}", at + 1, questions.len()))]);
        let began = Instant::now();
        let name = format!("eval-{}", new_session());
        let ask = |message: &str| -> Result<Ask, Error> {
            let mut ask = args.manner.ask(name.clone(), message.to_owned())?;
            ask.model.clone_from(&model);
            Ok(ask)
        };
        for before in &question.after {
            // What was asked before only leads to the question.
            drop(turn::answer(session, foreground, owner, ask(before)?, output, false).await);
        }
        let answered =
            turn::answer(session, foreground, owner, ask(&question.question)?, output, false);
        let row = match answered.await {
            Ok(Answered::Outcome(run, outcome)) => {
                let (_, usage) = session.engine.usage(&run).await?;
                tally.spent_usd += usage.spent.to_string().parse::<f64>().unwrap_or_default();
                judged(session, owner, question, &outcome, &mut names, &mut tally).await
            }
            Ok(Answered::Left(_)) => {
                return Err(Error::new("INTERRUPTED", "the evaluation was stopped"));
            }
            Err(error) => {
                match error.code.starts_with("ERR_GUARDRAIL_") {
                    true => tally.blocked += 1,
                    false => tally.failed += 1,
                }
                match question.not_there {
                    true => tally.not_there += 1,
                    false => tally.answerable += 1,
                }
                json!({ "verdict": "failed", "code": error.code, "message": error.message })
            }
        };
        consign_app::conversations::remove(session, owner, &session.user, &name).await.ok();
        let seconds = began.elapsed().as_secs_f64();
        tally.seconds += seconds;
        let verdict = row.get("verdict").and_then(Value::as_str).unwrap_or_default();
        if !RIGHT.contains(&verdict) {
            let code = row.get("code").and_then(Value::as_str);
            let verdict =
                code.map_or_else(|| verdict.to_owned(), |code| format!("{verdict}, {code}"));
            tally.wrong.push((verdict, question.question.clone()));
        }
        if output.reader == Audience::Program {
            let mut line = row;
            line["question"] = json!(question.question);
            line["seconds"] = json!(seconds);
            line["model"] = json!(model);
            output.line(line.to_string())?;
            output.finish()?;
        }
    }
    let _ = live.clear();
    Ok(tally)
}

/// The verdicts on what is as it should be.
const RIGHT: [&str; 2] = ["right", "refused rightly"];

/// The most questions that people are shown of those that went wrong.
const MOST_SHOWN: usize = 40;

/// Holds an answer against what was expected.
async fn judged(
    session: &Session,
    owner: &Owner,
    question: &Question,
    outcome: &TurnOutcome,
    names: &mut BTreeMap<String, String>,
    tally: &mut Tally,
) -> Value {
    let answer = &outcome.final_response;
    let content = answer.get("content").and_then(Value::as_str).unwrap_or_default();
    let citations = answer.get("citations").and_then(Value::as_array);
    let mut sources = Vec::new();
    for citation in citations.into_iter().flatten() {
        let id = citation.get("source_id").and_then(Value::as_str).unwrap_or_default();
        if !names.contains_key(id) {
            let found = documents::show(session, owner, id).await;
            let name = found.map_or_else(|_| id.to_owned(), |source| source.about.identifier);
            names.insert(id.to_owned(), name);
        }
        sources.extend(names.get(id).cloned());
    }
    tally.citations += sources.len() as u64;
    tally.unsupported += outcome.unsupported;
    if question.not_there {
        tally.not_there += 1;
        let is_refused = sources.is_empty();
        tally.refused += u64::from(is_refused);
        let verdict = if is_refused { "refused rightly" } else { "answered what is not there" };
        return json!({ "verdict": verdict, "answer": content, "sources": sources });
    }
    tally.answerable += 1;
    let is_cited = match &question.expected_source {
        Some(expected) => sources.iter().any(|source| expected.has(source)),
        None => !sources.is_empty(),
    };
    let said = content.to_lowercase();
    let has_words = question.expected_words.iter().all(|word| said.contains(&word.to_lowercase()));
    tally.cited += u64::from(is_cited);
    tally.right += u64::from(is_cited && has_words);
    let verdict = match (sources.is_empty(), is_cited, has_words) {
        (true, _, _) => "refused",
        (false, true, true) => "right",
        (false, true, false) => "right source, other words",
        (false, false, _) => "other source",
    };
    json!({ "verdict": verdict, "answer": content, "sources": sources })
}

fn print(tallies: &[(String, Tally)], output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        for (model, tally) in tallies {
            let mut line = tally.to_value();
            line["model"] = json!(model);
            output.line(json!({ "summary": line }).to_string())?;
        }
        return Ok(());
    }
    let percent = |part: u64, whole: u64| match whole {
        0 => "-".to_owned(),
        whole => format!("{:.1} % of {whole}", 100.0 * part as f64 / whole as f64),
    };
    let rows = tallies.iter().map(|(model, tally)| {
        vec![
            model.clone(),
            percent(tally.cited, tally.answerable),
            percent(tally.right, tally.answerable),
            percent(tally.refused, tally.not_there),
            tally.unsupported.to_string(),
            format!("${:.4}", tally.spent_usd),
            span(std::time::Duration::from_secs_f64(tally.seconds)),
        ]
    });
    let head = [
        "setting",
        "right citation",
        "right answer",
        "refused rightly",
        "unsupported",
        "cost",
        "time",
    ];
    output.rows(&head, rows.collect())?;
    // A pipe has a line for each setting, and --json everything.
    let is_person = output.reader == Audience::Person;
    for (model, tally) in tallies.iter().filter(|_| is_person) {
        if let Some(more) = tally.wrong.len().checked_sub(1) {
            let more = if more == 0 { "this went wrong" } else { "these went wrong" };
            output.line(format!("\n{}: {more}", printable(model)))?;
        }
        for (verdict, question) in tally.wrong.iter().take(MOST_SHOWN) {
            let verdict = styled(FAINT, format!("({verdict})"));
            output.line(format!("  {} {verdict}", printable(&one_line(question))))?;
        }
        if tally.wrong.len() > MOST_SHOWN {
            output.line(format!("  {} more: --json has all", tally.wrong.len() - MOST_SHOWN))?;
        }
    }
    output.finish()?;
    for (model, tally) in tallies.iter().filter(|(_, tally)| tally.blocked + tally.failed > 0) {
        let told = format!(
            "{model}: {} were blocked by the guard, {} failed",
            tally.blocked, tally.failed
        );
        output.tell(styled(FAINT, told));
    }
    Ok(())
}
