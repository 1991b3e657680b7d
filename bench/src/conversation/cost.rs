//! What a question costs among many passages, and how soon its first step is shown.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
    time::Instant,
};

use consign_app::Home;
use consign_embeddings::Arctic;
use consign_engine::Owner;
use consign_knowledge::Vector;
use serde_json::{Value, json};

use super::{
    Args, Figures, corpus,
    trial::{Desk, Said, Trouble, read_questions},
};
use crate::{
    clock::{children_cpu, median, rounded},
    ingest::Chance,
};

/// Questions that are asked in one process; so that each is asked often enough to be measured.
const QUESTIONS: usize = 60;
/// Processes of one question.
const STARTS: usize = 15;
const WORDS_OF_A_PARAGRAPH: usize = 110;
const PARAGRAPHS: usize = 20;

pub(super) fn measure(args: &Args, program: &Path, place: &Path) -> Figures {
    let home = place.join("many");
    let none = place.join("no-models");
    let (both, words) = (Desk::new(program, &home, None), Desk::new(program, &home, Some(&none)));
    both.ingest(&corpus().join("documents"), &[])?;
    fill(&words, args.chunks)?;
    add_vectors(&home)?;
    Ok(json!({"words alone": costs(&words)?, "words and vectors": costs(&both)?}))
}

fn costs(desk: &Desk) -> Figures {
    let search = desk.run(&["search", "--json", "notice period"], "")?;
    let search: Value = serde_json::from_str(&search)?;
    let mut all = read_questions(&corpus())?;
    all.retain(|question| question.after.is_empty());
    let step = all.len() / QUESTIONS;
    let some: Vec<_> = all.into_iter().step_by(step.max(1)).take(QUESTIONS).collect();
    // One question loads what is loaded once.
    let cpu = |count: usize| -> Result<f64, Trouble> {
        let before = children_cpu();
        let said: Vec<Said<'_>> = some[..count]
            .iter()
            .map(|one| Said { session: &one.id, message: &one.text, collection: None })
            .collect();
        desk.ask(&said, &[], &[])?;
        Ok(children_cpu().saturating_sub(before).as_secs_f64() * 1e3)
    };
    let (first, many) = (cpu(1)?, cpu(some.len())?);
    let each = (many - first) / (some.len() - 1) as f64;
    let (mut shown, mut alone) = (Vec::new(), Vec::new());
    for question in some.iter().cycle().take(STARTS) {
        let before = children_cpu();
        shown.push(first_step(desk, &question.text)?);
        alone.push(children_cpu().saturating_sub(before).as_secs_f64() * 1e3);
    }
    Ok(json!({
        "passages": search["search"]["vectors_total"],
        "vectors": search["search"]["vectors_done"],
        "cpu_ms_of_a_question": rounded(each),
        "cpu_ms_with_the_start_of_the_program": rounded(median(alone)),
        "ms_to_the_first_step": rounded(median(shown)),
    }))
}

/// From the start of the program until the first step is told, in milliseconds.
fn first_step(desk: &Desk, question: &str) -> Result<f64, Trouble> {
    let mut command = desk.command(&["ask", question]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn()?;
    let mut told = BufReader::new(child.stderr.take().ok_or("it is a pipe")?).lines();
    let line = told.next().ok_or("no step was told")??;
    let took = began.elapsed().as_secs_f64() * 1e3;
    told.for_each(drop);
    child.wait()?;
    if line.contains("Check what the user said") { Ok(took) } else { Err(line.into()) }
}

/// Texts of the words of the corpus, so that the words of a question are in many of them.
fn fill(desk: &Desk, chunks: usize) -> Result<(), Trouble> {
    let mut words = Vec::new();
    for entry in fs::read_dir(corpus().join("documents"))? {
        let text = fs::read_to_string(entry?.path())?;
        let plain = |word: &&str| word.chars().all(char::is_alphanumeric);
        words.extend(text.split_whitespace().filter(plain).map(str::to_owned));
    }
    words.sort_unstable();
    let mut chance = Chance::new(5);
    let mut input = String::new();
    for number in 0..chunks.div_ceil(PARAGRAPHS) {
        let mut text = String::new();
        for _ in 0..PARAGRAPHS {
            for place in 1..=WORDS_OF_A_PARAGRAPH {
                text += &words[(chance.next() * words.len() as f64) as usize % words.len()];
                text.push_str(if place % 14 == 0 { ". " } else { " " });
            }
            text.push_str(".\n\n");
        }
        writeln!(input, "{}", json!({"id": format!("noise-{number}"), "text": text}))?;
    }
    desk.run(&["ingest", "--stream"], &input)?;
    Ok(())
}

/// Vectors of noise for passages of noise: what they say is of no account here, and the real ones would take minutes.
fn add_vectors(home: &Path) -> Result<(), Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let home = Home::open(home.to_owned()).await?;
        let (owner, model, mut chance) = (Owner::from("local"), Arctic::about(), Chance::new(9));
        let index = &home.library.index;
        loop {
            let left = index.without_vectors(&owner, &model.name, 500).await?;
            if left.is_empty() {
                return Ok(());
            }
            let mut one = || {
                let numbers: Vec<f32> = (0..model.dimensions)
                    .map(|_| (chance.next() + chance.next() - 1.0) as f32)
                    .collect();
                Vector::of(&numbers)
            };
            let vectors = left.into_iter().filter_map(|chunk| Some((chunk.id, one()?))).collect();
            index.add_vectors(&owner, &model.name, vectors).await?;
        }
    })
}
