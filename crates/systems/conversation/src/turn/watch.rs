//! What a turn does, as its journal tells it, for a surface to show: steps as they begin and end, and the end.
//!
//! [`Watch::take`] is given every event of the run in order. [`Tokens`] makes text for people of what a model says while it
//! writes: its answer is a JSON object, and people want to read what is in the member `content`.

use consign_engine::{At, Fault, journal::Body};

use super::{
    input::{TurnInput, TurnOutcome},
    progress::TurnProgress,
    steps::PlanStep,
    workflow,
};

/// Follows one turn.
#[derive(Debug, Default)]
pub struct Watch {
    progress: Option<TurnProgress>,
    told: Vec<PlanStep>,
}

/// Something that happened in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// A step began, or ended.
    Step(PlanStep),
    Answer(Box<TurnOutcome>),
    Failed(Box<Fault>),
    Cancelled,
}

impl Watch {
    /// Takes an event of the run. Says what a person would want to hear of it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a turn shows what these few say")]
    pub fn take(&mut self, body: &Body, at: At) -> Vec<Heard> {
        match body {
            Body::Created(created) => {
                self.progress = TurnInput::read(&created.input).ok().map(workflow::begin);
            }
            Body::CallCompleted(call) => {
                if let Some(progress) = &mut self.progress {
                    progress.completed(call.key.as_str(), &call.output, at);
                }
            }
            Body::CallFailed(call) => {
                if let Some(progress) = &mut self.progress {
                    progress.failed(call.key.as_str(), &call.fault, at);
                }
            }
            Body::Succeeded(end) => {
                return match end.output.to() {
                    Ok(outcome) => vec![Heard::Answer(Box::new(outcome))],
                    Err(cause) => {
                        let fault = Fault::permanent("INTERNAL_ERROR", cause.to_string());
                        vec![Heard::Failed(Box::new(fault))]
                    }
                };
            }
            Body::Failed(end) => return vec![Heard::Failed(Box::new(end.fault.clone()))],
            Body::Cancelled(_) => return vec![Heard::Cancelled],
            _ => return Vec::new(),
        }
        self.news()
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[PlanStep] {
        self.progress.as_ref().map_or(&[], TurnProgress::steps)
    }

    /// The passages that were found so far.
    #[must_use]
    pub fn context(&self) -> &[serde_json::Value] {
        self.progress.as_ref().map_or(&[], TurnProgress::context)
    }

    fn news(&mut self) -> Vec<Heard> {
        let Some(progress) = &self.progress else { return Vec::new() };
        let (steps, told) = (progress.steps(), &self.told);
        let is_new = |(place, step): &(usize, &PlanStep)| told.get(*place) != Some(*step);
        let news = steps.iter().enumerate().filter(is_new);
        let news = news.map(|(_, step)| Heard::Step(step.clone())).collect();
        self.told = steps.to_vec();
        news
    }
}

/// Reads the member `content` out of a JSON object that comes in pieces.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// What came so far and is not read yet.
    raw: String,
    state: Reading,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reading {
    /// Before the text of the member.
    #[default]
    Before,
    Inside,
    After,
}

/// How much is kept while the member has not begun. It is asked for as the first one.
const MOST_BEFORE: usize = 4096;

impl Tokens {
    /// Takes a piece. Gives the text that it adds.
    pub fn take(&mut self, piece: &str) -> String {
        self.raw.push_str(piece);
        if self.state == Reading::Before {
            match begins(&self.raw) {
                Some(at) => {
                    self.raw.drain(..at);
                    self.state = Reading::Inside;
                }
                None if self.raw.len() > MOST_BEFORE => self.state = Reading::After,
                None => {}
            }
        }
        match self.state {
            Reading::Before => String::new(),
            Reading::After => {
                self.raw.clear();
                String::new()
            }
            Reading::Inside => self.read(),
        }
    }

    /// Reads as far as escapes are whole.
    fn read(&mut self) -> String {
        let (mut text, mut at) = (String::new(), 0);
        while let Some(c) = self.raw.get(at..).and_then(|rest| rest.chars().next()) {
            match c {
                '"' => {
                    self.state = Reading::After;
                    break;
                }
                '\\' => match escape(self.raw.get(at..).unwrap_or_default()) {
                    Some((said, length)) => {
                        text.push(said);
                        at += length;
                    }
                    None => break,
                },
                plain => {
                    text.push(plain);
                    at += plain.len_utf8();
                }
            }
        }
        match self.state {
            Reading::After => self.raw.clear(),
            Reading::Before | Reading::Inside => drop(self.raw.drain(..at)),
        }
        text
    }
}

/// Where the text of the member `content` begins.
fn begins(raw: &str) -> Option<usize> {
    let name = "\"content\"";
    let after = raw.find(name)? + name.len();
    let rest = raw.get(after..)?;
    let colon = rest.trim_start().strip_prefix(':')?;
    let quote = colon.trim_start().strip_prefix('"')?;
    Some(raw.len() - quote.len())
}

/// The character of an escape, and how long that is. Nothing while it is not whole.
fn escape(raw: &str) -> Option<(char, usize)> {
    let plain = match raw.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unicode(raw),
        _ => raw.get(1..)?.chars().next()?,
    };
    Some((plain, 1 + raw.get(1..)?.chars().next()?.len_utf8()))
}

fn unicode(raw: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u32::from_str_radix(raw.get(at..at + 4)?, 16).ok();
    let is_hex = |at: usize| {
        raw.get(at..at + 4).is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    if raw.len() < 6 {
        return None;
    }
    if !is_hex(2) {
        return Some(('\u{fffd}', 2));
    }
    let first = unit(2)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first).unwrap_or('\u{fffd}'), 6));
    }
    if raw.len() < 12 {
        return None;
    }
    if raw.get(6..8) != Some("\\u") || !is_hex(8) {
        return Some(('\u{fffd}', 6));
    }
    let second = unit(8)?;
    if !(0xdc00..0xe000).contains(&second) {
        return Some(('\u{fffd}', 6));
    }
    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Some((char::from_u32(code).unwrap_or('\u{fffd}'), 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> String {
        let mut tokens = Tokens::default();
        pieces.iter().map(|piece| tokens.take(piece)).collect()
    }

    #[test]
    fn the_content_is_read_however_it_is_cut() {
        let whole =
            r#"{"content": "It takes \"14\" days\n[1] \u00e9 \ud83d\ude00.", "citations": []}"#;
        let expected = "It takes \"14\" days\n[1] é 😀.";
        assert_eq!(read(&[whole]), expected);
        let single: Vec<String> = whole.chars().map(String::from).collect();
        let single: Vec<&str> = single.iter().map(String::as_str).collect();
        assert_eq!(read(&single), expected);
    }

    #[test]
    fn what_is_not_such_an_object_gives_nothing() {
        assert_eq!(read(&["I think it takes 14 days."]), "");
        assert_eq!(read(&[&"x".repeat(10_000), "\"content\":\"a\""]), "");
        assert_eq!(read(&[r#"{"content": 3}"#]), "");
    }

    proptest::proptest! {
        #[test]
        fn any_text_comes_out_as_it_went_in(text in "\\PC{0,40}", cut in 0_usize..80) {
            let whole = serde_json::json!({ "content": text }).to_string();
            let cut = (0..=cut.min(whole.len())).rev().find(|at| whole.is_char_boundary(*at)).unwrap();
            let (a, b) = whole.split_at(cut);
            assert_eq!(read(&[a, b]), text);
        }
    }
}
