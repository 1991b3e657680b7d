//! Names that a question writes as words: "the default table name" is `default_table_name`, `DefaultTableName`
//! or `DEFAULT_TABLE_NAME`.

use consign_engine::Fault;

use super::{
    super::{super::tools::View, perception, topic::Topic, words},
    ground::ok,
};

/// Names that are looked up, at most; each is looked for in every file.
const LOOKED_UP: usize = 3;
/// Words of one name.
const LONGEST: usize = 6;

/// The name that the words of a question make together, if something is called so.
pub(super) fn find(view: &View, topic: &Topic) -> Result<Option<String>, Fault> {
    if !asks_for_one_thing(&topic.text) {
        return Ok(None);
    }
    for run in runs(topic).into_iter().take(LOOKED_UP) {
        let whole = run.concat();
        for spelled in [run.join("_"), whole.clone()] {
            let found = ok(view.find_symbol(&spelled, None))?.map(|found| found.items);
            let same = |name: &str| words::parts(name).concat() == whole;
            if let Some(one) = found.into_iter().flatten().find(|one| same(&one.name)) {
                return Ok(Some(one.name));
            }
        }
    }
    Ok(None)
}

/// Where or what something is; how something works is about more than a name.
fn asks_for_one_thing(text: &str) -> bool {
    let lower = text.to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    ["where", "what", "which", "what's", "where's", "find", "locate", "show", "who"]
        .contains(&first)
}

/// Content words that stand beside each other, the longest row of them first, and what is left of it
/// without its ends.
fn runs(topic: &Topic) -> Vec<Vec<String>> {
    let text = topic.text.to_lowercase();
    let mut rows: Vec<Vec<String>> = vec![Vec::new()];
    for word in text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
        let content = topic.groups.iter().any(|group| group.word == word);
        match rows.last_mut() {
            Some(row) if content && !perception::is_action(word) => row.push(word.to_owned()),
            _ if word.is_empty() => {}
            _ => rows.push(Vec::new()),
        }
    }
    rows.retain(|row| (2..=LONGEST).contains(&row.len()));
    rows.sort_by_key(|row| std::cmp::Reverse(row.len()));
    let shorter = rows.first().filter(|row| row.len() > 2).cloned();
    let shorter = shorter.map(|row| [row[1..].to_vec(), row[..row.len() - 1].to_vec()]);
    rows.into_iter().chain(shorter.into_iter().flatten()).collect()
}
