//! `[model]`

use std::path::Path;

use consign_models::{
    ModelName,
    chat::{File, Tool},
    config::check_base_url,
    file::read_text,
};

use super::{
    fault::shown,
    table::{Located, TableReader},
    ways::prompt,
};
use crate::model::{Asking, Ladder, ModelSource};

const USUAL_TOKENS: u32 = 4096;
/// A file of context is no larger than this.
const MOST_CONTEXT: u64 = 1 << 20;

pub(super) fn read_model(own: &TableReader<'_>, folder: &Path) -> Option<Asking> {
    own.require("name", "name = \"openai/gpt-5-mini\" or another PROVIDER/MODEL");
    let source = source(own, folder);
    let allow = allow(own);
    if let (Some(Some(allow)), Some(ModelSource::Models(chain))) = (&allow, &source) {
        let place = own.at("allow");
        for name in chain.iter().filter(|name| !allow.contains(name)) {
            let what = format!("{place} has no {name}, which the agent asks; add it");
            own.notes.note(&place, what);
        }
    }
    let asking = Asking {
        system: own.string("system").map(|own| own.value),
        files: files(own, folder),
        tools: tools(own),
        temperature: temperature(own),
        max_tokens: max_tokens(own),
        stream: own.boolean("stream").unwrap_or(true),
        ladder: ladder(own),
        base_url: base_url(own),
        template: prompt(own)?,
        allow: allow?,
        source: source?,
    };
    Some(asking)
}

/// The models that are asked, one after the other.
fn source(own: &TableReader<'_>, folder: &Path) -> Option<ModelSource> {
    let fallback = own.strings("fallback");
    let mut names = Vec::new();
    let mut fit = true;
    for name in fallback.iter().flat_map(|list| &list.value) {
        fit &= refer(own, name, name.value.parse::<ModelName>()).is_some();
        names.push(name.value.clone());
    }
    let name = own.string("name")?;
    let named = relative(&name.value, folder);
    refer(own, &name, ModelSource::read(&named, &[]))?;
    let list = fallback.filter(|_| fit);
    match (ModelSource::read(&named, &names), list) {
        (Ok(source), _) => Some(source),
        (Err(why), Some(list)) => refer(own, &list, Err(why)),
        // What is wrong with one of them has been noted.
        (Err(_), None) => None,
    }
}

/// What was read of a value, or a note of why it could not be.
fn refer<T, V>(own: &TableReader<'_>, of: &Located<V>, read: Result<T, String>) -> Option<T> {
    read.map_err(|why| own.notes.note(&of.place, format!("{}: {why}", of.place))).ok()
}

/// Files that stand in for models are looked for beside the definition.
fn relative(name: &str, folder: &Path) -> String {
    for kind in ["replay:", "scripted:"] {
        if let Some(path) = name.strip_prefix(kind).filter(|path| !path.is_empty()) {
            return format!("{kind}{}", folder.join(path).display());
        }
    }
    name.to_owned()
}

/// The models that may be asked; `Some(None)` where nothing is said.
fn allow(own: &TableReader<'_>) -> Option<Option<Vec<ModelName>>> {
    if !own.has("allow") {
        return Some(None);
    }
    let names = own.strings("allow")?.value;
    let read: Vec<_> = names.iter().map(|name| refer(own, name, name.value.parse())).collect();
    read.into_iter().collect::<Option<_>>().map(Some)
}

fn files(own: &TableReader<'_>, folder: &Path) -> Vec<File> {
    let list = own.strings("files").map(|list| list.value).unwrap_or_default();
    let read = |file: Located<String>| {
        let name = file.value;
        match read_text(&folder.join(&name), MOST_CONTEXT) {
            Ok(text) => Some(File { name, text }),
            Err(why) => {
                let (place, name) = (&file.place, shown(&name));
                let from = "paths start at the definition's folder";
                own.notes.note(place, format!("{place}: could not read {name}: {why}; {from}"));
                None
            }
        }
    };
    list.into_iter().filter_map(read).collect()
}

fn tools(own: &TableReader<'_>) -> Vec<Tool> {
    let read = |tool: TableReader<'_>| {
        tool.require("name", "name = \"NAME\"");
        tool.require("parameters", "parameters = { type = \"object\" }");
        let description = tool.string("description").map(|own| own.value);
        let (name, parameters) = (tool.string("name"), tool.tree("parameters"));
        Some(Tool {
            name: name?.value,
            description: description.unwrap_or_default(),
            parameters: parameters?,
        })
    };
    own.tables("tools", "model.tools").into_iter().filter_map(read).collect()
}

fn temperature(own: &TableReader<'_>) -> f64 {
    let Some(Located { value, place }) = own.number("temperature") else { return 0.0 };
    if !(0.0..=2.0).contains(&value) {
        own.notes.note(&place, format!("{place} is {value}; write a number from 0 to 2"));
    }
    value
}

fn max_tokens(own: &TableReader<'_>) -> u32 {
    let tokens = own.count("max_tokens", u32::MAX.into());
    tokens.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or(USUAL_TOKENS)
}

fn ladder(own: &TableReader<'_>) -> Ladder {
    const RUNGS: [&str; 4] = ["local", "ask_again", "fallback", "person"];
    let Some(rungs) = own.strings("repair") else { return Ladder::default() };
    let named: Vec<_> =
        rungs.value.iter().filter_map(|rung| rung.one_of(&RUNGS, own.notes)).collect();
    let has = |rung: usize| named.contains(&rung);
    Ladder { mend: has(0), ask_again: has(1), fall_back: has(2), person: has(3) }
}

fn base_url(own: &TableReader<'_>) -> Option<String> {
    let url = own.string("base_url")?;
    refer(own, &url, check_base_url(&url.value))?;
    Some(url.value)
}
