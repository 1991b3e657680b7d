//! Reads the name in a query: `login`, `Session::login`, `auth.Session.login`, `select!`.

use crate::{Error, Symbol, words};

const LONGEST: usize = 300;

pub(crate) struct Name {
    /// What it belongs to, outermost first.
    pub(crate) of: Vec<String>,
    pub(crate) last: String,
    /// It was written with the mark of a macro.
    pub(crate) is_macro: bool,
}

/// Which differences between names do not matter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    /// The case of what it belongs to, and its underscores: people name a variable and mean its type.
    OfName,
    /// The case of all of it.
    Any,
}

impl Name {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let fault = |reason: &str| Error::Pattern {
            pattern: text.chars().take(LONGEST).collect(),
            reason: reason.to_owned(),
        };
        if text.len() > LONGEST {
            return Err(fault("it is too long for a name"));
        }
        // People write the brackets of a call, and the dot of a method alone.
        let name = text.trim().trim_end_matches("()").trim_start_matches(['.', '#', ':']);
        let (name, is_macro) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
        let mut parts: Vec<String> = name
            .replace("::", ".")
            .replace("->", ".")
            .split(['.', '#'])
            .map(|part| part.trim().to_owned())
            .collect();
        let last = parts.pop().filter(|last| !last.is_empty());
        let last = last.ok_or_else(|| fault("it is not a name"))?;
        let is_name = |part: &String| !part.is_empty() && part.bytes().all(is_name_byte);
        if !is_name(&last) || !parts.iter().all(is_name) {
            return Err(fault("it is not a name"));
        }
        // JavaScript has it between a type and what belongs to it; nobody else does.
        parts.retain(|part| part != "prototype");
        Ok(Self { of: parts, last, is_macro })
    }

    pub(crate) fn is_called(&self, name: &str, case: Case) -> bool {
        match case {
            Case::Exact | Case::OfName => name == self.last,
            Case::Any => name.eq_ignore_ascii_case(&self.last),
        }
    }

    /// Whether a symbol of that last name belongs to what is said before it. A container that is not in
    /// the text may be in the path: `auth.login` is `login` in `auth.py` or in `auth/session.go`.
    pub(crate) fn fits(&self, symbol: &Symbol, case: Case) -> bool {
        if self.of.is_empty() {
            return true;
        }
        let same: fn(&str, &str) -> bool = match case {
            Case::Exact => |a, b| a == b,
            Case::OfName => |a, b| plain(a) == plain(b),
            Case::Any => |a, b| a.eq_ignore_ascii_case(b),
        };
        let place = symbol.path.rsplit_once('.').map_or(symbol.path.as_str(), |(stem, _)| stem);
        let container = symbol.container.as_deref().unwrap_or("").replace("::", ".");
        let around: Vec<&str> =
            place.split('/').chain(container.split('.')).filter(|part| !part.is_empty()).collect();
        // In order, with gaps: files such as `mod.rs` and folders such as `src` are in nobody's name.
        let mut around = around.into_iter().rev();
        let mut of = self.of.iter().rev();
        let Some(nearest) = of.next() else { return true };
        let inner = container.rsplit('.').next().unwrap_or("");
        let found = if inner.is_empty() {
            around.by_ref().take(2).any(|part| same(part, nearest))
        } else {
            around.next().is_some_and(|part| same(bare(part), nearest))
        };
        found && of.all(|part| around.any(|at| same(bare(at), part)))
    }
}

/// Without what is in brackets: `Vec<T>` is `Vec`.
fn bare(part: &str) -> &str {
    part.split(['<', '[', '(']).next().unwrap_or(part)
}

fn plain(part: &str) -> String {
    part.chars().filter(|&char| char != '_').flat_map(char::to_lowercase).collect()
}

fn is_name_byte(byte: u8) -> bool {
    words::is_word(byte) || matches!(byte, b'~' | b'!' | b'?' | b'@' | b'-')
}
