//! What is wrong with a definition: every fault with its line and its key, by line.

use std::{cell::RefCell, fmt};

use consign_contracts::json::{Json, Object};

/// One thing that is wrong with a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFault {
    /// Counted from 1. A key that is missing at the top of the file has none.
    pub line: Option<usize>,
    /// The key as a JSON pointer, such as `/model/tools/0/name`. Empty for the file as a whole.
    pub pointer: String,
    /// One sentence: what is wrong, with the key, and what to do.
    pub what: String,
}

impl DefinitionFault {
    /// A fault of the file as a whole.
    #[must_use]
    pub fn of_file(what: impl Into<String>) -> Self {
        Self { line: None, pointer: String::new(), what: what.into() }
    }

    /// The key as one would write it: `model.tools[0].name`. Empty for the file as a whole.
    #[must_use]
    pub fn key(&self) -> String {
        dotted(&self.pointer)
    }

    /// `{"line", "key", "message"}`
    #[must_use]
    pub fn json(&self) -> Json<'static> {
        let key = Some(self.key()).filter(|key| !key.is_empty());
        let mut fault = Object::new();
        fault.set("line", self.line.map_or(Json::Null, |line| Json::Number((line as u64).into())));
        fault.set("key", key.map_or(Json::Null, |key| Json::String(key.into())));
        fault.set("message", Json::String(self.what.clone().into()));
        Json::Object(fault)
    }
}

/// `line 3: effect is "pur"; did you mean "pure"?`
impl fmt::Display for DefinitionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Everything that is wrong with a definition: at least one fault, in the order of their lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", one_to_a_line(.0))]
pub struct DefinitionFaults(pub Vec<DefinitionFault>);

fn one_to_a_line(faults: &[DefinitionFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Where a value stands, or would stand.
#[derive(Clone, Debug)]
pub(super) struct KeyPlace {
    pub(super) pointer: String,
    /// The byte of the text at which it begins, or its table does.
    pub(super) byte: Option<usize>,
}

impl KeyPlace {
    /// The place of a key or of an item below this one.
    pub(super) fn below(&self, part: impl fmt::Display, byte: Option<usize>) -> Self {
        let part = part.to_string().replace('~', "~0").replace('/', "~1");
        Self { pointer: format!("{}/{part}", self.pointer), byte }
    }
}

/// The key as one would write it.
impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&dotted(&self.pointer))
    }
}

fn dotted(pointer: &str) -> String {
    let mut key = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let bare = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if !key.is_empty() && part.parse::<usize>().is_ok() {
            key.push_str(&format!("[{part}]"));
            continue;
        }
        if !key.is_empty() {
            key.push('.');
        }
        match !part.is_empty() && part.chars().all(bare) {
            true => key.push_str(&shortened(&part)),
            false => key.push_str(&shown(&part)),
        }
    }
    key
}

/// A text of the user's in quotes.
pub(super) fn shown(text: &str) -> String {
    format!("{:?}", shortened(text))
}

/// A text of the user's, or its beginning.
pub(super) fn shortened(text: &str) -> String {
    cut(text, 80)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is noted while a definition is read. Reading goes on after a fault, so that all of them are told.
pub(super) struct FaultNotes {
    /// Where lines begin, but the first.
    starts: Vec<usize>,
    noted: RefCell<Vec<(KeyPlace, String)>>,
}

/// More are not told: the rest may follow from these.
const MOST: usize = 50;
/// More are not gathered, however large the file.
const MOST_NOTED: usize = 1000;
/// A sentence is no longer than this.
const MOST_LETTERS: usize = 500;

/// The line of a byte, counted from 1.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    FaultNotes::of(text).line_of(byte)
}

impl FaultNotes {
    pub(super) fn of(text: &str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        Self { starts, noted: RefCell::default() }
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) + 1
    }

    /// Whether nothing more is gathered.
    pub(super) fn is_full(&self) -> bool {
        self.noted.borrow().len() >= MOST_NOTED
    }

    pub(super) fn note(&self, place: &KeyPlace, what: impl Into<String>) {
        if !self.is_full() {
            // What a schema or a provider's name is told to lack may quote the user at length.
            let what = cut(&what.into().replace('\n', " "), MOST_LETTERS);
            self.noted.borrow_mut().push((place.clone(), what));
        }
    }

    /// Notes that a key is to be removed, whatever else is wrong with it.
    pub(super) fn note_alone(&self, place: &KeyPlace, what: impl Into<String>) {
        self.noted.borrow_mut().retain(|(other, _)| other.pointer != place.pointer);
        self.note(place, what);
    }

    /// What was noted, in the order of the text. None where nothing is wrong.
    pub(super) fn faults(self) -> Option<DefinitionFaults> {
        let mut noted = self.noted.take();
        noted.sort_by_key(|(place, _)| place.byte);
        let fault = |(KeyPlace { pointer, byte }, what)| {
            let line = byte.map(|byte| self.line_of(byte));
            DefinitionFault { line, pointer, what }
        };
        let mut faults: Vec<_> = noted.into_iter().map(fault).collect();
        let more = faults.len().saturating_sub(MOST);
        faults.truncate(MOST);
        if more > 0 {
            let what = format!("there are at least {more} more; correct these first");
            let line = faults.last().and_then(|last| last.line);
            faults.push(DefinitionFault { line, ..DefinitionFault::of_file(what) });
        }
        (!faults.is_empty()).then_some(DefinitionFaults(faults))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_as_in_toml() {
        for (pointer, key) in [
            ("", ""),
            ("/model/tools/0/name", "model.tools[0].name"),
            ("/7", "7"),
            ("/a b/c~1d", "\"a b\".\"c/d\""),
        ] {
            assert_eq!(dotted(pointer), key);
        }
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let notes = FaultNotes::of(&"\n".repeat(60));
        for byte in (0..60).rev() {
            notes.note(&KeyPlace { pointer: "/a".to_owned(), byte: Some(byte) }, "wrong");
        }
        let DefinitionFaults(faults) = notes.faults().unwrap();
        assert_eq!((faults.len(), faults[0].line, faults[49].line), (51, Some(1), Some(50)));
        assert_eq!(
            faults[50].to_string(),
            "line 50: there are at least 10 more; correct these first"
        );
    }
}
