//! Reading an answer.

use consign_contracts::{
    json::{self, Json, Malformed, Reason},
    schema::Schema,
};
use consign_engine::Data;

use super::{
    Repair, Unmendable, find,
    mend::Piece,
    proof,
    repairs::Repairs,
    unmendable::{Position, malformed},
};

/// What an answer is held to.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub schema: &'a Schema,
    /// The schema as it was written. Without it, nothing can be shown about what was cut off, and
    /// missing brackets are never closed.
    pub source: Option<&'a Data>,
}

impl<'a> From<&'a Schema> for Expected<'a> {
    fn from(schema: &'a Schema) -> Self {
        Self { schema, source: None }
    }
}

/// An answer that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    pub output: Data,
    /// Each kind once. Empty: it was clean JSON.
    pub repairs: Vec<Repair>,
}

/// Reads a model's text as JSON, mending only what can be mended without inventing, altering or
/// losing a value.
pub fn read(text: &str, expected: Option<Expected<'_>>) -> Result<Mended, Unmendable> {
    let mut repairs = Repairs::default();
    let from = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
    let body = &text[from..];
    if body.chars().all(is_blank) {
        return Err(Unmendable::Empty);
    }
    if from > 0 {
        repairs.add(Repair::ByteOrderMark);
    }
    match json::parse(body.as_bytes()) {
        Ok(tree) => return accept(body, &tree, repairs, expected),
        Err(Malformed { reason: reason @ Reason::TooLarge { limit }, .. }) => {
            return Err(Unmendable::Malformed(malformed(text, limit, reason)));
        }
        Err(_) => {}
    }
    if let Some(inside) = find::fenced(body)
        && let Ok(tree) = json::parse(inside.as_bytes())
    {
        repairs.add(Repair::CodeFence);
        return accept(inside, &tree, repairs, expected);
    }
    let found = find::values(text, from)?;
    repairs.add_all(&found.around);
    let Some((first, others)) = found.pieces.split_first() else { return Err(Unmendable::NoValue) };
    repairs.add_all(&first.repairs);
    let tree = parse(text, first)?;
    for other in others {
        if first.closed + other.closed > 0 || parse(text, other)? != tree {
            return Err(Unmendable::several(text, other.start));
        }
        repairs.add_all(&other.repairs);
        repairs.add(Repair::Repetition);
    }
    if first.closed > 0 && !proof::nothing_is_lost(&tree, first.closed, expected) {
        return Err(Unmendable::cut_off(text, "a value, and more of it may be missing"));
    }
    accept(&first.spliced.text, &tree, repairs, expected)
}

/// Reads a model's text that must be the JSON alone. Nothing is mended, and what is wrong is what the
/// strict reader finds.
pub fn read_strictly(text: &str, expected: Option<Expected<'_>>) -> Result<Data, Unmendable> {
    if text.chars().all(is_blank) {
        return Err(Unmendable::Empty);
    }
    let tree = json::parse(text.as_bytes()).map_err(|malformed| {
        let unfinished = matches!(malformed.reason, Reason::Unfinished(_));
        if unfinished { Unmendable::CutOff(malformed) } else { Unmendable::Malformed(malformed) }
    })?;
    accept(text, &tree, Repairs::default(), expected).map(|read| read.output)
}

const MARK: char = '\u{feff}';

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || matches!(letter, MARK | '\u{200b}')
}

/// The strict reader's word on a mended value. It also finds what mending does not look at: words
/// that are no JSON, escapes that do not exist, keys that come twice.
fn parse<'p>(text: &str, piece: &'p Piece<'_>) -> Result<Json<'p>, Unmendable> {
    json::parse(piece.spliced.text.as_bytes()).map_err(|refused| {
        let place = Position::of(text, piece.spliced.origin(refused.offset));
        Unmendable::Malformed(Malformed {
            reason: refused.reason,
            offset: place.offset,
            line: place.line,
            column: place.column,
        })
    })
}

fn accept(
    text: &str,
    tree: &Json<'_>,
    repairs: Repairs,
    expected: Option<Expected<'_>>,
) -> Result<Mended, Unmendable> {
    if let Some(expected) = expected {
        let verdict = expected.schema.check(tree);
        if !verdict.is_valid() {
            return Err(Unmendable::Breached(verdict));
        }
    }
    let output = Data::parse(text).map_err(Unmendable::Malformed)?;
    Ok(Mended { output, repairs: repairs.into_vec() })
}

#[cfg(test)]
mod tests;
