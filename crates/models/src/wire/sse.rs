//! Server-sent events, as the HTML standard has them.
//!
//! Bytes go in as they come, in pieces of any size, and events come out. Every byte is looked at
//! once, so the time is linear in the bytes whatever their cut; what is kept is never more than one
//! event, and that is bounded. Ids and retry times are nothing to us: a question is never resumed.

use super::draft::unreadable;
use crate::Trouble;

/// Takes bytes and gives events.
#[derive(Debug)]
pub(super) struct Sse {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet.
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a carriage return: a line feed now belongs to it.
    after_return: bool,
    /// Nothing has been read, so that there may be a byte order mark.
    at_start: bool,
    most: usize,
}

type OnEvent<'f> = dyn FnMut(&[u8]) -> Result<(), Trouble> + 'f;

impl Sse {
    /// An event of more than `most` bytes is refused.
    pub(super) fn new(most: usize) -> Self {
        let (line, data) = Default::default();
        Self { line, data, has_data: false, after_return: false, at_start: true, most }
    }

    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), Trouble> {
        if self.after_return && !bytes.is_empty() {
            self.after_return = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.keep(&bytes[..end])?;
            let returned = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if returned {
                match bytes.strip_prefix(b"\n") {
                    Some(rest) => bytes = rest,
                    None => self.after_return = bytes.is_empty(),
                }
            }
            self.end_line(on_event)?;
        }
        self.keep(bytes)
    }

    /// Ends the stream. An event without an empty line at its end is passed on all the same: the
    /// standard drops it, but some servers leave the last line out, and the caller recognises half
    /// a JSON value.
    pub(super) fn finish(&mut self, on_event: &mut OnEvent<'_>) -> Result<(), Trouble> {
        self.end_line(on_event)?;
        self.end_event(on_event)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        if self.line.len() + self.data.len() + bytes.len() > self.most {
            let mut trouble =
                unreadable(format!("an event of the answer has more than {} bytes", self.most));
            trouble.passing = false;
            return Err(trouble);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, on_event: &mut OnEvent<'_>) -> Result<(), Trouble> {
        let mark = if self.at_start { "\u{feff}".as_bytes() } else { b"" };
        let line = self.line.strip_prefix(mark).unwrap_or(&self.line);
        self.at_start = false;
        if line.is_empty() {
            self.line.clear();
            return self.end_event(on_event);
        }
        // A comment has no name before its colon. The event's name is also in its data.
        if let Some(value) = line.strip_prefix(b"data") {
            let value = match value {
                [] => Some(value),
                [b':', b' ', rest @ ..] | [b':', rest @ ..] => Some(rest),
                _ => None,
            };
            if let Some(value) = value {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
        }
        self.line.clear();
        Ok(())
    }

    fn end_event(&mut self, on_event: &mut OnEvent<'_>) -> Result<(), Trouble> {
        if !self.has_data {
            return Ok(());
        }
        let told = on_event(&self.data);
        self.has_data = false;
        self.data.clear();
        told
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut seen = Vec::new();
        let mut on_event = |data: &[u8]| {
            seen.push(String::from_utf8_lossy(data).into_owned());
            Ok(())
        };
        let mut sse = Sse::new(1 << 20);
        for piece in pieces {
            sse.push(piece, &mut on_event).unwrap();
        }
        sse.finish(&mut on_event).unwrap();
        seen
    }

    #[test]
    fn events_are_told_apart_as_the_standard_has_it() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(events(&[text.as_bytes()]), expected, "{text:?}");
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(events(&bytes), expected, "{text:?} byte by byte");
        };
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check("data: a\r\rdata: b\r\r", &["a", "b"]);
        check("data: a\r\ndata: b\n\r", &["a\nb"]);
        check("data:a\ndata:  b\ndata\n\n", &["a\n b\n"]);
        check(": a comment\n\nevent: ping\n\nid: 7\nretry: 3\ndata: a\n\n", &["a"]);
        check("\u{feff}data: a\n\n\u{feff}data: b\n\n", &["a"]);
        check("database: a\ndata : b\n\n", &[]);
        check("data: no empty line", &["no empty line"]);
        check("\n\n\r\n\r", &[]);
        check("data:\n\n", &[""]);
        check("", &[]);
    }

    #[test]
    fn an_event_without_an_end_is_refused_before_it_fills_the_memory() {
        let mut sse = Sse::new(1000);
        let mut on_event = |_: &[u8]| Ok(());
        let refused = (0..1000).find_map(|_| sse.push(b"data: 123\n", &mut on_event).err());
        assert!(!refused.unwrap().passing);
        let mut sse = Sse::new(1000);
        assert!((0..1000).any(|_| sse.push(b"xxxxxxxx", &mut on_event).is_err()));
    }

    proptest! {
        #[test]
        fn the_cut_of_the_pieces_does_not_matter(
            text in prop::collection::vec(prop::sample::select(vec![
                "data", ":", " ", "\n", "\r", "\r\n", "a", "é", "\u{feff}", "event: x", "\n\n",
            ]), 0..40),
            cuts in prop::collection::vec(0usize..100, 0..6),
        ) {
            let text = text.concat();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            prop_assert_eq!(events(&pieces), events(&[bytes]));
        }

        #[test]
        fn noise_is_read_without_a_panic(noise in prop::collection::vec(any::<u8>(), 0..300)) {
            events(&[&noise]);
        }

        #[test]
        fn what_was_said_is_heard(said in prop::collection::vec("[^\r\n]{0,20}", 0..10)) {
            let text: String = said.iter().map(|line| format!("data: {line}\n\n")).collect();
            prop_assert_eq!(events(&[text.as_bytes()]), said);
        }
    }
}
