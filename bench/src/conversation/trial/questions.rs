//! Questions asked, and answers judged.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Desk, Question, Tally, Trouble, desk::Said};

/// What became of all questions.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// By half and kind, language or group.
    pub(crate) tallies: BTreeMap<(String, String), Tally>,
    pub(crate) citations: usize,
    /// Citations whose bytes, hash or source are not those that are stored: why.
    pub(crate) unfit: Vec<String>,
    /// Questions of a half that were answered wrongly, with what was said.
    pub(crate) wrong: Vec<(String, String)>,
}

/// All questions with an answer, and all without.
pub(crate) const ANSWERED: &str = "answerable";
pub(crate) const REFUSED: &str = "not there";

impl Judged {
    #[allow(dead_code, reason = "the acceptance tests ask for it")]
    pub(crate) fn of(&self, split: &str, group: &str) -> Tally {
        self.tallies.get(&(split.to_owned(), group.to_owned())).copied().unwrap_or_default()
    }
}

/// Asks everything of the documents that were taken in. Each question has a session of its own.
pub(crate) fn asked(desk: &Desk, questions: &[Question]) -> Result<Judged, Trouble> {
    let mut said = Vec::new();
    for question in questions {
        let messages = question.after.iter().chain([&question.text]);
        said.extend(messages.map(|message| Said {
            session: &question.id,
            message,
            collection: None,
        }));
    }
    let mut answers = desk.ask(&said, &[], &[])?.into_iter();
    let kept = Kept::of(desk)?;
    let mut judged = Judged::default();
    for question in questions {
        let own = answers.by_ref().nth(question.after.len()).ok_or("an answer is missing")?;
        judge(&mut judged, question, &own, &kept);
    }
    Ok(judged)
}

fn judge(judged: &mut Judged, question: &Question, answer: &Value, kept: &Kept) {
    let said = &answer["final_response"];
    let content = said["content"].as_str().unwrap_or_default();
    let citations = said["citations"].as_array().map_or(&[][..], Vec::as_slice);
    let blocked = answer["error"]["code"].as_str().is_some_and(|code| code.contains("GUARDRAIL"));
    let mut cited = Vec::new();
    for citation in citations {
        judged.citations += 1;
        match kept.check(citation) {
            Ok(name) => cited.push(name),
            Err(why) => judged.unfit.push(format!("{}: {why}: {citation}", question.id)),
        }
    }
    let right = match question.not_there {
        true => citations.is_empty() && !content.is_empty(),
        false => {
            !citations.is_empty()
                && question.sources.iter().all(|source| cited.contains(&source.as_str()))
        }
    };
    let lower = content.to_lowercase();
    let words = question.words.iter().all(|word| lower.contains(&word.to_lowercase()));
    let group = if question.not_there { REFUSED } else { ANSWERED };
    let in_language = format!("{group}, {}", question.language);
    for name in [group, &in_language, &question.kind] {
        let key = (question.split.clone(), name.to_owned());
        let tally = judged.tallies.entry(key).or_default();
        tally.all += 1;
        tally.right += usize::from(right);
        tally.words += usize::from(right && words);
        tally.refused += usize::from(citations.is_empty());
        tally.blocked += usize::from(blocked);
    }
    if !right {
        let error = answer["error"]["code"].as_str().unwrap_or_default();
        let told = format!(
            "{} {}: {} -> {content}{error} {cited:?}, expected {:?}",
            question.id, question.kind, question.text, question.sources
        );
        judged.wrong.push((question.split.clone(), told));
    }
}

/// What is stored: of each source its file, hash and text.
struct Kept(BTreeMap<String, (String, String, String)>);

impl Kept {
    fn of(desk: &Desk) -> Result<Self, Trouble> {
        let mut kept = BTreeMap::new();
        for source in desk.sources()? {
            let text = |name: &str| source[name].as_str().unwrap_or_default().to_owned();
            let (id, path) = (text("source_id"), text("source_identifier"));
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            let stored = desk.text(&id)?;
            kept.insert(id, (name, text("checksum"), stored));
        }
        Ok(Self(kept))
    }

    /// The file that a citation is of, if the bytes of its span are its quote and its hash is that of the source.
    fn check(&self, citation: &Value) -> Result<&str, &'static str> {
        let text = |name: &str| citation[name].as_str().unwrap_or_default();
        let at =
            |place: usize| citation["span"][place].as_u64().and_then(|at| usize::try_from(at).ok());
        let found = self.0.get(text("source_id")).ok_or("it is of no source")?;
        let (name, checksum, stored) = found;
        let (from, to) = at(0).zip(at(1)).ok_or("it has no span")?;
        let bytes = stored.get(from..to).ok_or("its span is outside of the text")?;
        if bytes.is_empty() || bytes != text("text_snippet") {
            return Err("its bytes are not those that are stored");
        }
        if checksum != text("source_hash") {
            return Err("its hash is not that of the source");
        }
        Ok(name)
    }
}
