//! Applies an answer that is the body of an agent's file.
//!
//! The front matter and the title stay ours: they decide when the agent is used and what it may do. The
//! body is the answerer's, made plain, with its headings below the title. An example that is said to be from
//! a file that is not in the project was made up, and is dropped.

use std::{fmt::Write, path::Path};

use consign_contracts::bridge::{AgentEnhancement, CodeExample};

use super::{
    analysis::{given, list, texts},
    place::{self, AnswerPath},
};
use crate::{
    Source,
    agents::{front_matter, title},
    package::AgentFile,
    plain,
};

/// The most bytes of a body.
const LONGEST: usize = 48 << 10;

/// The agent's file with the answer as its body, and what of the answer was dropped.
///
/// # Errors
/// Why the draft should stay.
pub fn apply_enhancement(
    project: &Path,
    draft: &AgentFile,
    answer: &AgentEnhancement,
) -> Result<(AgentFile, Vec<String>), String> {
    if plain::slug(&answer.agent_name) != plain::slug(&draft.name) {
        return Err(format!("the answer is about {}, not {}", answer.agent_name, draft.name));
    }
    let Some(front) = front_matter(&draft.content) else {
        return Err(format!("the draft of {} has no front matter to keep", draft.name));
    };
    let mut body = tame(&plain::block(&answer.content, 12_000));
    if !body.contains(char::is_alphanumeric) {
        return Err("the answer's content has no text".to_owned());
    }
    for (heading, advice) in [
        ("Best practices", texts(answer.best_practices.as_ref(), 500)),
        ("What to avoid", texts(answer.anti_patterns.as_ref(), 500)),
    ] {
        let items: String = advice.iter().map(|line| format!("- {line}\n")).collect();
        add(&mut body, heading, &items);
    }
    let mut dropped = Vec::new();
    let mut examples = String::new();
    for given in list(answer.examples.as_ref()) {
        match origin(project, given) {
            Ok(from) => examples.push_str(&example(given, from.as_deref())),
            Err(why) => dropped.push(why),
        }
    }
    add(&mut body, "Examples", &examples);
    if body.len() > LONGEST {
        return Err(format!("the body has {} bytes; the limit is {LONGEST}", body.len()));
    }
    let title = title(&draft.content).unwrap_or(&draft.name);
    let content = format!("{front}\n# {title}\n\n{body}");
    Ok((AgentFile { name: draft.name.clone(), content, source: Source::Agent }, dropped))
}

/// The file that an example is from, if it names one. The error says that there is no such file.
fn origin(project: &Path, example: &CodeExample) -> Result<Option<String>, String> {
    let Some(named) = given(example.file.as_ref()).filter(|named| !named.is_empty()) else {
        return Ok(None);
    };
    match place::find(project, named) {
        Some((path, AnswerPath::File)) => Ok(Some(path)),
        Some((_, AnswerPath::Folder)) | None => {
            let (title, named) = (plain::line(&example.title, 100), plain::line(named, 200));
            Err(format!("the example {title}: {named} is not in the project"))
        }
    }
}

fn add(body: &mut String, heading: &str, text: &str) {
    if !text.is_empty() {
        write!(body, "\n## {heading}\n\n{text}").expect("writing to a string cannot fail");
    }
}

fn example(example: &CodeExample, from: Option<&str>) -> String {
    let code = plain::block(&example.code, 3000);
    let fence = plain::fence(&code);
    let word = |letter: &char| letter.is_ascii_alphanumeric() || "+#-_".contains(*letter);
    let language = given(example.language.as_ref()).map(String::as_str).unwrap_or_default();
    let language: String = language.chars().filter(word).collect();
    let from = from.map(|path| {
        let path = plain::line(path, 500).replace('`', "'");
        format!("From `{path}`:\n\n")
    });
    format!(
        "### {}\n\n{}{fence}{language}\n{}\n{fence}\n\n",
        plain::line(&example.title, 100),
        from.unwrap_or_default(),
        code.trim_matches('\n'),
    )
}

/// Markdown whose headings are below the title, and that no reader takes for front matter.
fn tame(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let plain = line.trim();
        if let Some(fence) = &open {
            if plain.starts_with(fence.as_str()) && plain.chars().all(|c| fence.starts_with(c)) {
                open = None;
            }
            lines.push(line.to_owned());
        } else if let Some(fence) = opening(plain) {
            open = Some(fence);
            lines.push(line.to_owned());
        } else if is_row_of(plain, '-') || is_row_of(plain, '=') {
            // An underlined heading, or a rule, which could be taken for the edge of front matter.
            match lines.last_mut().filter(|above| above.starts_with(char::is_alphanumeric)) {
                Some(above) => *above = format!("## {above}"),
                None => lines.push("***".to_owned()),
            }
        } else if plain == "#" || plain.starts_with("# ") {
            lines.push(format!("#{plain}"));
        } else {
            lines.push(line.trim_end().to_owned());
        }
    }
    lines.extend(open);
    format!("{}\n", lines.join("\n").trim())
}

/// The fence that a line opens.
fn opening(line: &str) -> Option<String> {
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let fence: String = line.chars().take_while(|letter| *letter == mark).collect();
    (fence.len() >= 3 && !line[fence.len()..].contains('`')).then_some(fence)
}

fn is_row_of(line: &str, mark: char) -> bool {
    line.len() >= 3 && line.chars().all(|letter| letter == mark)
}

#[cfg(test)]
mod tests;
