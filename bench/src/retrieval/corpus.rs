//! Sets made of the corpus of conversations: for each language and half, the passages of its documents, and the questions
//! with the passages that have the words of the answer.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fs,
    path::Path,
};

use consign_parsers::{Measure, Options, chunks, parse};
use serde::Deserialize;

use super::set::{Draft, Passage};

#[derive(Deserialize)]
struct Line {
    split: String,
    language: String,
    question: String,
    #[serde(default)]
    expected_source: Names,
    #[serde(default)]
    expected_words: Vec<String>,
    #[serde(default)]
    after: Vec<String>,
}

/// One name or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Names {
    fn all(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

pub(super) fn drafts(folder: &Path) -> Result<Vec<Draft>, Box<dyn Error>> {
    let text = fs::read_to_string(folder.join("questions.jsonl"))?;
    let lines: Vec<Line> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut halves: BTreeMap<(&str, &str), Vec<&Line>> = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.expected_source.all().is_empty()) {
        halves.entry((&line.language, &line.split)).or_default().push(line);
    }
    let draft = |((language, split), lines): (&(&str, &str), &Vec<&Line>)| {
        draft(folder, &format!("corpus-{language}-{split}"), lines)
    };
    halves.iter().map(draft).collect()
}

fn draft(folder: &Path, name: &str, lines: &[&Line]) -> Result<Draft, Box<dyn Error>> {
    let files: BTreeSet<&String> =
        lines.iter().flat_map(|line| line.expected_source.all()).collect();
    let (mut passages, mut sources) = (Vec::new(), Vec::new());
    for file in files {
        for passage in read(&folder.join("documents").join(file))? {
            passages.push(passage);
            sources.push(file);
        }
    }
    // A question that needs the one before it says too little alone.
    let alone = lines.iter().filter(|line| line.after.is_empty());
    let questions = alone.filter_map(|line| {
        let wanted = line.expected_source.all();
        let has = |at: &usize| {
            let said = passages[*at].content.to_lowercase();
            let mut words =
                line.expected_words.iter().map(|word| said.contains(&word.to_lowercase()));
            // Where documents contradict each other, each has its own words.
            let fits = if wanted.len() > 1 { words.any(|has| has) } else { words.all(|has| has) };
            fits && wanted.contains(sources[*at])
        };
        let answers: Vec<usize> = (0..passages.len()).filter(has).collect();
        (!answers.is_empty()).then(|| (line.question.clone(), answers))
    });
    let questions = questions.collect();
    Ok(Draft { name: name.to_owned(), fitted: name.ends_with("dev"), passages, questions })
}

fn read(file: &Path) -> Result<Vec<Passage>, Box<dyn Error>> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let document = parse(&fs::read(file)?, &Options { name, ..Options::default() })?;
    let passage = |chunk: consign_parsers::Chunk| {
        let headings = document.title.iter().chain(chunk.heading.iter()).cloned().collect();
        let content = document.text.get(chunk.span).unwrap_or_default().to_owned();
        Passage { headings, content }
    };
    Ok(chunks(&document, &Measure::default()).into_iter().map(passage).collect())
}
