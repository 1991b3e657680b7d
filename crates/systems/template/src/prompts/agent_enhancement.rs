//! The prompt of phase 7: how does one agent do its work here?

use std::cmp::Reverse;

use super::{facts, fill::fill, sample::is_private};
use crate::{
    agents::About,
    analysis::Analysis,
    package::{AgentFile, AgentSpec, TemplateFile, Templates},
    plain,
};

const MOST_FILES: usize = 10;
/// Bytes of one file, of all, and of the draft.
const MOST_OF_ONE: usize = 6 << 10;
const MOST_OF_ALL: usize = 48 << 10;
const MOST_OF_DRAFT: usize = 24 << 10;

/// The prompt for `agent-content-enhancer` to write one agent's body.
#[must_use]
pub fn agent_enhancement(
    analysis: &Analysis,
    agent: &AgentSpec,
    draft: &AgentFile,
    templates: &Templates,
) -> String {
    let values = [
        ("name", plain::slug(&agent.name)),
        ("facts", facts::of(analysis)),
        ("draft", quoted(&draft.content, MOST_OF_DRAFT)),
        ("files", files(agent, analysis, templates)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, text)| (*name, &**text)).collect();
    fill(include_str!("agent_enhancement.md"), &values)
}

/// The files that have most to do with what the agent is about come first.
fn files(agent: &AgentSpec, analysis: &Analysis, templates: &Templates) -> String {
    let about = About::of(agent);
    let shown = |file: &&TemplateFile| file.text().is_some() && !is_private(&file.origin);
    let mut chosen: Vec<&TemplateFile> = templates.files.iter().filter(shown).collect();
    // The sort is stable: otherwise they stay as they were.
    chosen.sort_by_cached_key(|file| Reverse(about.weight(file, analysis)));
    let mut told = String::new();
    for file in chosen.into_iter().take(MOST_FILES) {
        if told.len() >= MOST_OF_ALL {
            break;
        }
        let origin = plain::line(&file.origin, 500).replace('`', "'");
        let layer = plain::line(&file.layer, 64);
        let body = quoted(&file.content, MOST_OF_ONE);
        told.push_str(&format!("### `{origin}` (layer: {layer})\n\n{body}\n\n"));
    }
    if told.is_empty() { "The template has no files.\n".to_owned() } else { told }
}

fn quoted(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    let text = plain::block(&text[..end], most);
    let fence = plain::fence(&text);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}
