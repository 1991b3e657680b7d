//! Text like that of documents: sentences of words by Zipf's law, and pages of it as PDF.

use std::{error::Error, fs, path::Path};

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};

/// Words with many pieces, as long as those of English.
const SYLLABLES: [&str; 32] = [
    "con", "tra", "ment", "ing", "per", "for", "mer", "tion", "able", "in", "ter", "na", "pre",
    "sent", "re", "port", "al", "de", "liv", "er", "sub", "ject", "ma", "te", "ri", "com", "mit",
    "tee", "ac", "count", "ly", "ness",
];
const WORDS: f64 = 30_000.0;
const LINES: usize = 44;
const WORDS_OF_A_LINE: usize = 11;

pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 to 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn word(&mut self) -> String {
        let mut rank = WORDS.powf(self.next()) as usize;
        let mut word = String::new();
        for _ in 0..2 {
            word += SYLLABLES[rank % SYLLABLES.len()];
            rank /= SYLLABLES.len();
        }
        if rank > 0 {
            word += SYLLABLES[rank % SYLLABLES.len()];
        }
        word
    }

    /// Some words, as sentences.
    pub(super) fn text(&mut self, words: usize) -> String {
        let mut text = String::new();
        for number in 1..=words {
            text += &self.word();
            text.push_str(if number % 14 == 0 { ". " } else { " " });
        }
        text
    }
}

/// Writes pages of text, fifty to a file.
pub(super) fn write_pages(folder: &Path, pages: usize) -> Result<(), Box<dyn Error>> {
    let mut chance = Chance::new(11);
    fs::create_dir_all(folder)?;
    for (file, first) in (0..pages).step_by(50).enumerate() {
        let bytes = pdf(50.min(pages - first), &mut chance);
        fs::write(folder.join(format!("{file:04}.pdf")), bytes)?;
    }
    Ok(())
}

fn pdf(pages: usize, chance: &mut Chance) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let mut next = 1;
    let mut id = || {
        next += 1;
        Ref::new(next)
    };
    let (catalog, tree, font) = (Ref::new(1), id(), id());
    pdf.catalog(catalog).pages(tree);
    let ids: Vec<(Ref, Ref)> = (0..pages).map(|_| (id(), id())).collect();
    let kids = ids.iter().map(|(page, _)| *page);
    pdf.pages(tree).kids(kids).count(i32::try_from(pages).unwrap_or(i32::MAX));
    pdf.type1_font(font).base_font(Name(b"Helvetica"));
    for (page_id, content_id) in ids {
        let mut page = pdf.page(page_id);
        page.media_box(Rect::new(0.0, 0.0, 595.0, 842.0)).parent(tree).contents(content_id);
        page.resources().fonts().pair(Name(b"F1"), font);
        page.finish();
        let mut content = Content::new();
        content.begin_text().set_font(Name(b"F1"), 10.0).set_leading(16.0).next_line(60.0, 780.0);
        for line in 0..LINES {
            let mut said = chance.text(WORDS_OF_A_LINE);
            if line % 4 == 3 {
                said = said.trim_end().to_owned() + ".";
            }
            content.show(Str(said.as_bytes())).next_line_using_leading();
        }
        content.end_text();
        pdf.stream(content_id, &content.finish());
    }
    pdf.finish()
}
