//! The links of a page, found by the tokenizer of html5ever: no tree is built, so that a page can nest as
//! deep as it likes.
//!
//! Scripts, styles, comments and text areas are passed over as a browser does. A page that asks robots not to
//! follow its links has none.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use html5ever::{
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{
        Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::{Rawtext, Rcdata, ScriptData},
    },
};

/// The most links of one page.
const MOST: usize = 5_000;
/// A page that takes longer is made to: its links so far are enough.
const LONGEST: Duration = Duration::from_secs(2);
/// What goes into the tokenizer between two looks at the time. The attributes of one tag cost the square of
/// their number, so it is small.
const PIECE: usize = 8 << 10;

/// What a page links to, as it has it, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Links {
    pub(super) base: Option<String>,
    pub(super) to: Vec<String>,
}

/// Finds the links of a page. It takes up to two seconds of CPU.
pub(super) fn links(page: &[u8]) -> Links {
    let page = String::from_utf8_lossy(page);
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let began = Instant::now();
    let mut rest = page.as_ref();
    while !rest.is_empty() && began.elapsed() < LONGEST && !tokenizer.sink.is_done() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        input.push_back(StrTendril::from_slice(piece));
        // It only stops for a sink that asks it to, and this one does not.
        let _ = tokenizer.feed(&input);
    }
    let found = tokenizer.sink.0.take();
    match found.nofollow {
        true => Links::default(),
        false => found.links,
    }
}

#[derive(Default)]
struct Sink(RefCell<Found>);

#[derive(Default)]
struct Found {
    links: Links,
    nofollow: bool,
}

impl Sink {
    fn is_done(&self) -> bool {
        let found = self.0.borrow();
        found.nofollow || found.links.to.len() >= MOST
    }
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        self.0.borrow_mut().take(&tag);
        match &*tag.name {
            "title" | "textarea" => TokenSinkResult::RawData(Rcdata),
            "style" | "xmp" | "noembed" | "noframes" => TokenSinkResult::RawData(Rawtext),
            "script" => TokenSinkResult::RawData(ScriptData),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }
}

impl Found {
    fn take(&mut self, tag: &Tag) {
        match &*tag.name {
            "a" | "area" => {
                let rel = attribute(tag, "rel").unwrap_or_default().to_ascii_lowercase();
                if !rel.split_ascii_whitespace().any(|word| word == "nofollow") {
                    self.link(attribute(tag, "href"));
                }
            }
            "frame" | "iframe" => self.link(attribute(tag, "src")),
            "base" if self.links.base.is_none() => {
                self.links.base = attribute(tag, "href").map(str::to_owned);
            }
            "meta" => {
                let name = attribute(tag, "name").unwrap_or_default().to_ascii_lowercase();
                let content = attribute(tag, "content").unwrap_or_default().to_ascii_lowercase();
                let asks = |word: &str| matches!(word.trim(), "nofollow" | "none");
                if matches!(name.as_str(), "robots" | "consign") && content.split(',').any(asks) {
                    self.nofollow = true;
                }
            }
            _ => {}
        }
    }

    fn link(&mut self, to: Option<&str>) {
        if let Some(to) = to.map(str::trim).filter(|to| !to.is_empty() && !to.starts_with('#'))
            && self.links.to.len() < MOST
        {
            self.links.to.push(to.to_owned());
        }
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(&found.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, expected: &[&str]) {
        assert_eq!(links(page.as_bytes()).to, expected, "{page}");
    }

    #[test]
    fn links_are_found_where_a_browser_sees_them() {
        check("<a href=a>x</a><A HREF='b?x=1&amp;y=2'>", &["a", "b?x=1&y=2"]);
        check("<area href=/m><iframe src=f></iframe><frame src=g>", &["/m", "f", "g"]);
        check("<a name=x><a href=''><a href='#top'><a href=' c '>", &["c"]);
        check("<a rel='external NoFollow' href=x><a rel=next href=y>", &["y"]);
        check("<link href=s.css><img src=i.png><script src=x></script>", &[]);
        check("<script>'<a href=x>'</script><a href=y>", &["y"]);
        check("<!-- <a href=x> --><style><a href=x></style><title><a href=x></title>", &[]);
        check("<textarea><a href=x></textarea><a href=y", &[]);
        check("<noscript><a href=x></noscript>", &["x"]);
        check("<a href=x><meta name=ROBOTS content='index, NOFOLLOW'>", &[]);
        check("", &[]);
        assert_eq!(links(b"<base href=/a/><base href=/b/><a href=x>").base.as_deref(), Some("/a/"));
    }

    #[test]
    fn a_page_that_is_made_to_be_slow_or_deep_is_over_soon() {
        let began = Instant::now();
        let attributes: String = (0..400_000).map(|number| format!(" a{number}")).collect();
        links(format!("<a href=x><p{attributes}>").as_bytes());
        assert!(links("<div>".repeat(500_000).as_bytes()).to.is_empty());
        assert_eq!(links("<a href=x>".repeat(100_000).as_bytes()).to.len(), MOST);
        links(&[0xff; 1 << 20]);
        links("&".repeat(1 << 20).as_bytes());
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    }
}
