//! PDFs: text in Helvetica, lines, tables of three looks.

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

pub(crate) const WIDTH: f32 = 595.0;
pub(crate) const HEIGHT: f32 = 842.0;

/// A PDF in the making. Places are in points from the top left.
pub(crate) struct Maker {
    pages: Vec<Content>,
    pub(crate) title: Option<String>,
    /// The font of text that is not bold: Helvetica, Times or Courier.
    pub(crate) font: &'static [u8],
}

/// A PDF whose pages are pictures and nothing else: grey, by rows, with the pixels in a point.
pub(crate) fn scanned(pages: &[(usize, usize, Vec<u8>, f32)]) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let (catalog, tree) = (Ref::new(1), Ref::new(2));
    let count = i32::try_from(pages.len()).unwrap();
    let page_ref = |at: i32| Ref::new(10 + at * 3);
    pdf.catalog(catalog).pages(tree);
    pdf.pages(tree).kids((0..count).map(page_ref)).count(count);
    for (at, (wide, high, grey, scale)) in (0..count).zip(pages) {
        let (width, height) = (*wide as f32 / scale, *high as f32 / scale);
        let (content, picture) = (Ref::new(11 + at * 3), Ref::new(12 + at * 3));
        let mut page = pdf.page(page_ref(at));
        page.media_box(Rect::new(0.0, 0.0, width, height)).parent(tree).contents(content);
        page.resources().x_objects().pair(Name(b"Im0"), picture);
        page.finish();
        let mut drawn = Content::new();
        drawn.save_state();
        drawn.transform([width, 0.0, 0.0, height, 0.0, 0.0]);
        drawn.x_object(Name(b"Im0"));
        drawn.restore_state();
        pdf.stream(content, &drawn.finish());
        let mut image = pdf.image_xobject(picture, grey);
        image.width(i32::try_from(*wide).unwrap()).height(i32::try_from(*high).unwrap());
        image.color_space().device_gray();
        image.bits_per_component(8);
        image.finish();
    }
    pdf.finish()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    /// A line around every cell.
    Ruled,
    /// Lines above, below and under the heading.
    ThreeLine,
    /// No lines.
    Borderless,
}

impl Maker {
    pub(crate) fn new() -> Self {
        Self { pages: vec![Content::new()], title: None, font: b"Helvetica" }
    }

    pub(crate) fn page(&mut self) {
        self.pages.push(Content::new());
    }

    fn now(&mut self) -> &mut Content {
        self.pages.last_mut().unwrap()
    }

    /// A line of text whose baseline is at `y`.
    pub(crate) fn text(&mut self, x: f32, y: f32, size: f32, bold: bool, text: &str) {
        let font = if bold { Name(b"F2") } else { Name(b"F1") };
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let content = self.now();
        content.begin_text();
        content.set_font(font, size);
        content.next_line(x, HEIGHT - y);
        content.show(Str(&bytes));
        content.end_text();
    }

    pub(crate) fn line(&mut self, from: (f32, f32), to: (f32, f32)) {
        let content = self.now();
        content.set_line_width(0.7);
        content.move_to(from.0, HEIGHT - from.1);
        content.line_to(to.0, HEIGHT - to.1);
        content.stroke();
    }

    /// Running text of a width, from `y` on. Returns where the next line would be.
    pub(crate) fn prose(&mut self, x: f32, mut y: f32, wide: f32, size: f32, text: &str) -> f32 {
        let mut line = String::new();
        for word in text.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if width(&longer, size) > wide && !line.is_empty() {
                self.text(x, y, size, false, &line);
                y += size * 1.25;
                line = word.to_owned();
            } else {
                line = longer;
            }
        }
        self.text(x, y, size, false, &line);
        y + size * 1.25
    }

    /// A table whose first row is its heading. Returns where it ends.
    pub(crate) fn table(
        &mut self,
        x: f32,
        y: f32,
        widths: &[f32],
        rows: &[Vec<String>],
        look: Look,
    ) -> f32 {
        let (size, high) = (9.0, 17.0);
        let right = x + widths.iter().sum::<f32>();
        let bottom = y + high * rows.len() as f32;
        for (at, row) in rows.iter().enumerate() {
            let mut left = x;
            for (cell, wide) in row.iter().zip(widths) {
                let base = y + high * at as f32 + 12.0;
                self.text(left + 4.0, base, size, at == 0, cell);
                left += wide;
            }
        }
        match look {
            Look::Ruled => {
                for at in 0..=rows.len() {
                    let y = y + high * at as f32;
                    self.line((x, y), (right, y));
                }
                let mut left = x;
                self.line((left, y), (left, bottom));
                for wide in widths {
                    left += wide;
                    self.line((left, y), (left, bottom));
                }
            }
            Look::ThreeLine => {
                for y in [y, y + high, bottom] {
                    self.line((x, y), (right, y));
                }
            }
            Look::Borderless => {}
        }
        bottom
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let mut pdf = Pdf::new();
        let (catalog, tree, plain, bold, info) =
            (Ref::new(1), Ref::new(2), Ref::new(3), Ref::new(4), Ref::new(5));
        let count = i32::try_from(self.pages.len()).unwrap();
        let page_ref = |at: i32| Ref::new(10 + at * 2);
        pdf.catalog(catalog).pages(tree);
        pdf.pages(tree).kids((0..count).map(page_ref)).count(count);
        for (font, name) in [(plain, self.font), (bold, &b"Helvetica-Bold"[..])] {
            pdf.type1_font(font)
                .base_font(Name(name))
                .encoding_predefined(Name(b"WinAnsiEncoding"));
        }
        if let Some(title) = &self.title {
            pdf.document_info(info).title(TextStr(title));
        }
        for (at, content) in (0..count).zip(self.pages) {
            let mut page = pdf.page(page_ref(at));
            page.media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).parent(tree);
            page.contents(Ref::new(11 + at * 2));
            page.resources().fonts().pair(Name(b"F1"), plain).pair(Name(b"F2"), bold);
            page.finish();
            pdf.stream(Ref::new(11 + at * 2), &content.finish());
        }
        pdf.finish()
    }
}

/// How wide a text in Helvetica is.
pub(crate) fn width(text: &str, size: f32) -> f32 {
    let units: u32 = text
        .bytes()
        .map(|byte| u32::from(*WIDTHS.get(usize::from(byte).wrapping_sub(32)).unwrap_or(&556)))
        .sum();
    units as f32 * size / 1000.0
}

const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
