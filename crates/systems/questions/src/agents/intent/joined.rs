//! Names that a question writes as words: "the default table name" is `default_table_name`, `DefaultTableName`
//! or `DEFAULT_TABLE_NAME`.

use consign_engine::Fault;

use super::{
    super::{super::tools::View, perception, topic::Topic, words},
    ground::ok,
};

/// Words of one name.
const LONGEST: usize = 6;

/// The name that the words of a question make together, if something is called so.
pub(super) fn find(view: &View, topic: &Topic) -> Result<Option<String>, Fault> {
    if !asks_for_one_thing(&topic.text) {
        return Ok(None);
    }
    let Some(row) = row(topic) else { return Ok(None) };
    let whole = row.concat();
    for spelled in [row.join("_"), whole.clone()] {
        let found = ok(view.find_symbol(&spelled, None))?.map(|found| found.items);
        let same = |name: &str| words::parts(name).concat() == whole;
        if let Some(one) = found.into_iter().flatten().find(|one| same(&one.name)) {
            return Ok(Some(one.name));
        }
    }
    Ok(None)
}

/// Where or what something is; how something works is about more than a name.
fn asks_for_one_thing(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let asks = ["where", "what", "which", "what's", "where's", "find", "locate", "show", "who"];
    asks.contains(&first) && second != "happens"
}

/// The words of a question if they all stand beside each other: a name of some of them would leave out
/// what was asked.
fn row(topic: &Topic) -> Option<Vec<String>> {
    let text = topic.text.to_lowercase();
    let is_content = |word: &str| topic.groups.iter().any(|group| group.word == word);
    let words: Vec<&str> = text
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty() && !perception::is_action(word))
        .collect();
    let first = words.iter().position(|word| is_content(word))?;
    let last = words.iter().rposition(|word| is_content(word))?;
    let row = &words[first..=last];
    ((2..=LONGEST).contains(&row.len()) && row.iter().all(|word| is_content(word)))
        .then(|| row.iter().map(|word| (*word).to_owned()).collect())
}
