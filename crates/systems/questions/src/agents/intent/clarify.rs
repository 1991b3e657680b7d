//! Asks the user back: only when nothing can be searched for, and always with suggestions.

use consign_code::Node;
use consign_engine::Fault;

use super::{
    super::{super::tools::View, entities, plan, topic::Topic, words},
    ground::{Ground, ok},
    kind::Kind,
};

/// The question to the user, and the suggestions.
pub(super) struct Question {
    pub(super) text: String,
    pub(super) options: Vec<String>,
}

/// Below this share of the question's words, what is found would be about something else.
const LEAST_COVERAGE: f64 = 0.34;

pub(super) fn question(
    view: &View,
    topic: &Topic,
    kind: Kind,
    ground: &Ground,
) -> Result<Option<Question>, Fault> {
    // Nothing is named, and that is the question: an overview, or what was done lately.
    let open = matches!(kind, Kind::ListStructure | Kind::History | Kind::Count);
    let about_all = matches!(kind, Kind::AboutProject | Kind::FindEntryPoints);
    let about_somebody = kind == Kind::History && plan::author(&topic.text).is_some();
    if topic.is_empty() && open || about_somebody || about_all {
        return Ok(None);
    }
    if topic.is_empty() {
        let options = landmarks(view)?;
        let text = with_options(
            "What would you like to know, and about which part?",
            "There are",
            &options,
        );
        return Ok(Some(Question { text, options }));
    }
    // A missing name is asked about, unless something else that it names is there.
    let found_a_name = ground.symbols.contains(&true)
        || !ground.paths.is_empty()
        || ground.phrases.contains(&true);
    let mut paths =
        topic.paths.iter().map(|path| &path.text).filter(|path| !entities::is_maybe_words(path));
    let missing = topic.symbols.first().or_else(|| paths.next());
    if let Some(missing) = missing.filter(|_| !found_a_name) {
        let near = nearest(view, missing)?;
        let (lead, options) = match near.is_empty() {
            false => ("The closest names are", near),
            true => ("There are", landmarks(view)?),
        };
        let question = format!("Nothing here is called `{missing}`. What did you mean?");
        let text = with_options(&question, lead, &options);
        return Ok(Some(Question { text, options }));
    }
    // What is no more in the code may still be in its history.
    if !found_a_name && kind != Kind::History && ground.coverage(topic) < LEAST_COVERAGE {
        let options = landmarks(view)?;
        let said: Vec<&str> =
            topic.groups.iter().take(4).map(|group| group.word.as_str()).collect();
        let text = with_options(
            &format!(
                "Nothing here mentions {}. Which part of the code do you mean?",
                said.join(", ")
            ),
            "There are",
            &options,
        );
        return Ok(Some(Question { text, options }));
    }
    Ok(None)
}

fn with_options(question: &str, lead: &str, options: &[String]) -> String {
    if options.is_empty() {
        return question.to_owned();
    }
    let listed: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
    format!("{question} {lead} {}.", listed.join(", "))
}

/// The main folders of the repository, the fullest first.
pub(in super::super) fn landmarks(view: &View) -> Result<Vec<String>, Fault> {
    if !view.is_free("list_tree") {
        return Ok(Vec::new());
    }
    let mut root = String::new();
    for _ in 0..4 {
        let Some(tree) = ok(view.list_tree(&root, 1, 200))? else { return Ok(Vec::new()) };
        let mut folders: Vec<(usize, String)> = Vec::new();
        let mut files: Vec<String> = Vec::new();
        for node in tree.nodes {
            match node {
                Node::Directory { path, files, language: Some(_) } if path != root => {
                    folders.push((files, path))
                }
                Node::File { path, language: Some(language) } if language.has_grammar() => {
                    files.push(path)
                }
                Node::Directory { .. } | Node::File { .. } => {}
            }
        }
        folders.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        // A folder that holds nearly everything says nothing; what is in it does.
        let all: usize = folders.iter().map(|(files, _)| files).sum();
        match folders.first() {
            Some((most, path)) if files.len() < 3 && *most * 10 >= all * 8 && all > 0 => {
                root.clone_from(path)
            }
            _ => {
                let folders = folders.into_iter().map(|(_, path)| path);
                let most = if files.is_empty() { 6 } else { 4 };
                return Ok(folders.take(most).chain(files).take(6).collect());
            }
        }
    }
    Ok(vec![root])
}

/// Names that are similar to the missing one.
fn nearest(view: &View, missing: &str) -> Result<Vec<String>, Fault> {
    let wanted = words::last_name(missing).to_owned();
    let mut parts = words::parts(&wanted);
    parts.retain(|part| part.len() > 2);
    parts.sort();
    parts.dedup();
    let terms: Vec<consign_code::Term> = parts
        .iter()
        .map(|part| words::stem(part))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .map(|stem| consign_code::Term::new(stem, 1.0))
        .collect();
    if terms.is_empty() || !view.is_free("code_search") || !view.is_free("outline") {
        return Ok(Vec::new());
    }
    let files = ok(view.survey(&terms, 10))?.map(|found| found.items).unwrap_or_default();
    let mut names: Vec<(usize, String)> = Vec::new();
    for file in &files {
        let Some(outline) = ok(view.outline(&file.path))? else { continue };
        for symbol in outline.items {
            let shared =
                words::parts(&symbol.name).iter().filter(|part| parts.contains(part)).count();
            let far = words::distance(&symbol.name, &wanted, wanted.len() / 2 + 1);
            // Two letters off is nearer than a word in common.
            let rank = match far {
                Some(far) if far <= 2 => far,
                Some(far) => 3 + far.saturating_sub(2 * shared),
                None if shared > 0 => 12 - shared.min(4),
                None => continue,
            };
            if !names.iter().any(|(_, known)| *known == symbol.name) {
                names.push((rank, symbol.name));
            }
        }
    }
    names.sort();
    Ok(names.into_iter().map(|(_, name)| name).take(5).collect())
}
