//! The strict JSON reader.
//!
//! One pass over the bytes after UTF-8 has been checked for the whole. Strings without escapes and
//! all numbers are borrowed. Recursion is bounded by [`Limits::depth`], memory by [`Limits::bytes`].

use std::borrow::Cow;

use super::{Json, Malformed, Number, Object, Reason};

/// What a document may cost before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub bytes: usize,
    /// Arrays and objects inside each other.
    pub depth: usize,
}

impl Default for Limits {
    /// 16 MiB and 128 levels.
    fn default() -> Self {
        Self { bytes: 16 << 20, depth: 128 }
    }
}

/// Reads one document with the default [`Limits`].
pub fn parse(bytes: &[u8]) -> Result<Json<'_>, Malformed> {
    parse_within(bytes, Limits::default())
}

/// Reads one document: a single value with nothing but white space around it.
pub fn parse_within(bytes: &[u8], limits: Limits) -> Result<Json<'_>, Malformed> {
    if bytes.len() > limits.bytes {
        return Err(Malformed::too_large(limits.bytes));
    }
    let text = std::str::from_utf8(bytes).map_err(|broken| {
        let cut_off = broken.error_len().is_none();
        Malformed::at(bytes, broken.valid_up_to(), Reason::InvalidUtf8 { cut_off })
    })?;
    let mut reader = JsonReader {
        text,
        bytes,
        at: 0,
        depth_left: limits.depth,
        limits,
        items: Vec::new(),
        members: Vec::new(),
        key_offsets: Vec::new(),
    };
    reader.document().map_err(|refusal| {
        let (offset, reason) = *refusal;
        Malformed::at(bytes, offset, reason)
    })
}

/// Where it went wrong and why; line and column are found only when it did. Boxed, because every
/// value that is read comes back through a `Result` of this.
type Refusal = Box<(usize, Reason)>;

#[cold]
fn refuse(at: usize, reason: Reason) -> Refusal {
    Box::new((at, reason))
}

struct JsonReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth_left: usize,
    limits: Limits,
    // Children of every open container, stacked: each container is allocated once, at its size.
    items: Vec<Json<'a>>,
    members: Vec<(Cow<'a, str>, Json<'a>)>,
    key_offsets: Vec<usize>,
}

impl<'a> JsonReader<'a> {
    fn document(&mut self) -> Result<Json<'a>, Refusal> {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(refuse(0, Reason::Syntax("a byte order mark before the document")));
        }
        self.skip_space();
        if self.at == self.bytes.len() {
            return Err(refuse(self.at, Reason::Empty));
        }
        let value = self.value()?;
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(refuse(self.at, Reason::Syntax("there is more after the document's end")));
        }
        Ok(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Json<'a>, Refusal> {
        match self.peek() {
            Some(b'"') => self.string().map(Json::String),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(refuse(self.at, Reason::Syntax(self.instead_of_a_value()))),
            None => Err(refuse(self.at, Reason::Unfinished("a value"))),
        }
    }

    /// What people and models write where JSON wants a value.
    #[cold]
    fn instead_of_a_value(&self) -> &'static str {
        let rest = &self.bytes[self.at..];
        let before = self.bytes[..self.at].trim_ascii_end().last();
        match rest {
            [b']' | b'}', ..] if before == Some(&b',') => {
                "a comma stands before the closing bracket"
            }
            [b'`', ..] => "expected a value, found a Markdown fence",
            [b'\'', ..] => "expected a value in double quotes, found a single one",
            [b'/' | b'#', ..] => "expected a value, found a comment",
            [b'+' | b'.', b'0'..=b'9', ..] => "a number starts with a digit or with `-`",
            [b'A'..=b'Z' | b'a'..=b'z', ..] => {
                "expected a value, found text without quotes that is not true, false or null"
            }
            _ => "expected a value",
        }
    }

    fn nested(
        &mut self,
        container: fn(&mut Self) -> Result<Json<'a>, Refusal>,
    ) -> Result<Json<'a>, Refusal> {
        let Some(left) = self.depth_left.checked_sub(1) else {
            return Err(refuse(self.at, Reason::TooDeep { limit: self.limits.depth }));
        };
        self.depth_left = left;
        self.at += 1;
        let value = container(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Json<'a>, Refusal> {
        let start = self.items.len();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(Vec::new()));
        }
        loop {
            self.skip_space();
            self.value_or_end("an array")?;
            let item = self.value()?;
            self.items.push(item);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Json::Array(self.items.split_off(start)));
                }
                Some(_) => return Err(refuse(self.at, Reason::Syntax("expected `,` or `]`"))),
                None => return Err(refuse(self.at, Reason::Unfinished("an array"))),
            }
        }
    }

    fn object(&mut self) -> Result<Json<'a>, Refusal> {
        let start = self.members.len();
        let first_key = self.key_offsets.len();
        let mut seen = KeyFilter::default();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(Object::new()));
        }
        loop {
            self.skip_space();
            let key_at = self.at;
            match self.peek() {
                Some(b'"') => {}
                Some(b'}') => {
                    return Err(refuse(self.at, Reason::Syntax(self.instead_of_a_value())));
                }
                Some(_) => {
                    return Err(refuse(self.at, Reason::Syntax("expected a key in double quotes")));
                }
                None => return Err(refuse(self.at, Reason::Unfinished("an object"))),
            }
            let key = self.string()?;
            if seen.maybe_has(&key)
                && self.members.len() - start <= FEW_KEYS
                && self.members[start..].iter().any(|(other, _)| *other == key)
            {
                return Err(refuse(key_at, Reason::DuplicateKey(key.into_owned())));
            }
            self.skip_space();
            match self.peek() {
                Some(b':') => self.at += 1,
                Some(_) => return Err(refuse(self.at, Reason::Syntax("expected `:` after a key"))),
                None => return Err(refuse(self.at, Reason::Unfinished("an object"))),
            }
            self.skip_space();
            self.value_or_end("an object")?;
            let value = self.value()?;
            self.members.push((key, value));
            self.key_offsets.push(key_at);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    let members = self.members.split_off(start);
                    self.refuse_repeated_among_many(&members, first_key)?;
                    self.key_offsets.truncate(first_key);
                    return Ok(Json::Object(Object::from_unique(members)));
                }
                Some(_) => return Err(refuse(self.at, Reason::Syntax("expected `,` or `}`"))),
                None => return Err(refuse(self.at, Reason::Unfinished("an object"))),
            }
        }
    }

    /// Comparing each key with each other one would let a large object cost its square.
    fn refuse_repeated_among_many(
        &self,
        members: &[(Cow<'a, str>, Json<'a>)],
        first_key: usize,
    ) -> Result<(), Refusal> {
        if members.len() <= FEW_KEYS {
            return Ok(());
        }
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|a, b| members[*a].0.cmp(&members[*b].0));
        let repeats = order.windows(2).filter(|pair| members[pair[0]].0 == members[pair[1]].0);
        // The sort is stable, so the second of a pair is the one that came later.
        match repeats.map(|pair| pair[1]).min() {
            None => Ok(()),
            Some(member) => {
                let key = members[member].0.clone().into_owned();
                Err(refuse(self.key_offsets[first_key + member], Reason::DuplicateKey(key)))
            }
        }
    }

    /// Where a value must follow, the end of the input is the end of what it would be in.
    fn value_or_end(&self, inside: &'static str) -> Result<(), Refusal> {
        match self.peek() {
            Some(_) => Ok(()),
            None => Err(refuse(self.at, Reason::Unfinished(inside))),
        }
    }

    fn word(&mut self, word: &'static str, value: Json<'a>) -> Result<Json<'a>, Refusal> {
        let rest = &self.bytes[self.at..];
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        match rest.strip_prefix(word.as_bytes()) {
            Some(after) if !after.first().is_some_and(goes_on) => {
                self.at += word.len();
                Ok(value)
            }
            None if word.as_bytes().starts_with(rest) => {
                Err(refuse(self.bytes.len(), Reason::Unfinished("a value")))
            }
            Some(_) | None => Err(refuse(self.at, Reason::Syntax(self.instead_of_a_value()))),
        }
    }

    fn number(&mut self) -> Result<Json<'a>, Refusal> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(refuse(start, Reason::Syntax("a number has a leading zero")));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Json::Number(Number::from_checked(&self.text[start..self.at])))
    }

    fn digits(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        match self.peek() {
            _ if self.at > start => Ok(()),
            Some(_) => Err(refuse(self.at, Reason::Syntax("expected a digit"))),
            None => Err(refuse(self.at, Reason::Unfinished("a number"))),
        }
    }

    /// Reads a string, standing on its opening quote.
    fn string(&mut self) -> Result<Cow<'a, str>, Refusal> {
        self.at += 1;
        let start = self.at;
        match self.plain_run()? {
            b'"' => {
                self.at += 1;
                Ok(Cow::Borrowed(&self.text[start..self.at - 1]))
            }
            _ => self.escaped_string(start).map(Cow::Owned),
        }
    }

    /// Goes on to the next quote or backslash and returns it.
    fn plain_run(&mut self) -> Result<u8, Refusal> {
        while let Some(chunk) = self.bytes[self.at..].first_chunk::<8>() {
            let stops = special_bytes(u64::from_le_bytes(*chunk));
            if stops == 0 {
                self.at += 8;
                continue;
            }
            self.at += (stops.trailing_zeros() / 8) as usize;
            break;
        }
        loop {
            match self.peek() {
                Some(stop @ (b'"' | b'\\')) => return Ok(stop),
                Some(control @ 0..=0x1F) => {
                    let why = match control {
                        b'\n' | b'\r' => {
                            "a line ends inside a string: its closing quote is missing, or the line break is not escaped"
                        }
                        _ => "a control character in a string must be escaped",
                    };
                    return Err(refuse(self.at, Reason::Syntax(why)));
                }
                Some(_) => self.at += 1,
                None => return Err(refuse(self.at, Reason::Unfinished("a string"))),
            }
        }
    }

    /// The rest of a string that has escapes, standing on the first backslash.
    fn escaped_string(&mut self, start: usize) -> Result<String, Refusal> {
        let mut text = self.text[start..self.at].to_owned();
        loop {
            let escape_at = self.at;
            self.at += 1;
            let Some(kind) = self.peek() else {
                return Err(refuse(self.at, Reason::Unfinished("a string")));
            };
            self.at += 1;
            text.push(match kind {
                b'"' => '"',
                b'\\' => '\\',
                b'/' => '/',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => self.unicode_escape(escape_at)?,
                _ => return Err(refuse(escape_at, Reason::Syntax("invalid escape in a string"))),
            });
            let run = self.at;
            let stop = self.plain_run()?;
            text.push_str(&self.text[run..self.at]);
            if stop == b'"' {
                self.at += 1;
                return Ok(text);
            }
        }
    }

    fn unicode_escape(&mut self, escape_at: usize) -> Result<char, Refusal> {
        let lone = || refuse(escape_at, Reason::Syntax("half of a surrogate pair stands alone"));
        let first = self.four_hex()?;
        let code = match first {
            0xD800..=0xDBFF => {
                match &self.bytes[self.at..] {
                    [b'\\', b'u', ..] => {}
                    [] | [b'\\'] => {
                        return Err(refuse(self.bytes.len(), Reason::Unfinished("a string")));
                    }
                    _ => return Err(lone()),
                }
                self.at += 2;
                let second = self.four_hex()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(lone());
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(lone)
    }

    fn four_hex(&mut self) -> Result<u32, Refusal> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(byte) => char::from(byte).to_digit(16),
                None => return Err(refuse(self.at, Reason::Unfinished("a string"))),
            };
            let Some(digit) = digit else {
                return Err(refuse(self.at, Reason::Syntax("`\\u` wants four hexadecimal digits")));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// Up to here keys are compared one by one as they come; above, sorted once at the end.
const FEW_KEYS: usize = 64;

/// Remembers keys roughly: a key that it has not seen is certainly new.
#[derive(Default)]
struct KeyFilter([u64; 4]);

impl KeyFilter {
    fn maybe_has(&mut self, key: &str) -> bool {
        let bytes = key.as_bytes();
        let sample = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(0));
        let last = bytes.len().wrapping_sub(1);
        let mixed =
            bytes.len() ^ (sample(0) << 5) ^ (sample(last / 2) << 10) ^ (sample(last) << 15);
        let hash = mixed.wrapping_mul(0x9E37_79B9) >> 16;
        let (word, bit) = ((hash >> 6) & 3, 1 << (hash & 63));
        let seen = self.0[word] & bit != 0;
        self.0[word] |= bit;
        seen
    }
}

/// The high bit of each byte that ends a plain run: a quote, a backslash or a control character.
/// Bytes above the first one found may be flagged in error; the first is always right.
fn special_bytes(chunk: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let below = |limit: u64| chunk.wrapping_sub(ONES * limit) & !chunk;
    let equal = |byte: u8| {
        let different = chunk ^ (ONES * u64::from(byte));
        different.wrapping_sub(ONES) & !different
    };
    (below(0x20) | equal(b'"') | equal(b'\\')) & HIGH
}

#[cfg(test)]
mod tests;
