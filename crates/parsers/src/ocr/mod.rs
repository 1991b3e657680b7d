//! Pictures of text: pages without text of their own, and picture files.
//!
//! [`Reader`] is either the program `tesseract`, when the caller names it, or a pair of models that run in the process.
//! Both give runs of text with their boxes, on a page that stands straight; what is a column, a heading or a table of
//! them is found as in any other PDF.

mod detect;
mod lines;
mod models;
mod order;
mod raster;
mod tesseract;
mod tilt;

use std::time::{Duration, Instant};

use pdf_inspector::{TextItem, extractor::ItemType};

pub(crate) use self::raster::{Picture, Raster};
pub use self::tesseract::find_tesseract;
use self::{models::Models, tesseract::Tesseract};
use crate::options::{Ocr, Options, Quality, When};

/// What is said when nothing can read pictures.
pub(crate) const HOW: &str = "to read it, run `consign models pull ocr`, or install tesseract (Debian: apt install tesseract-ocr)";

/// A page that is turned by less than this, in radians, is read as it is.
const STRAIGHT: f32 = 0.003;

/// What reads pictures of text.
pub(crate) enum Reader {
    Tesseract(Tesseract),
    Models(Box<Models>),
}

/// A run of text on a picture: its words, and left, top, right and bottom in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) bbox: [f32; 4],
}

/// What was seen on a picture.
pub(crate) struct Sight {
    /// Where each run would be on a page that stands straight.
    pub(crate) seen: Vec<Seen>,
    /// How much the picture is turned around its middle, in radians; its lines fall to the right where this is more than
    /// zero.
    pub(crate) turn: f32,
}

impl Reader {
    /// The reader that the options ask for, or the other one and why. None when pictures are not to be read; an error
    /// says why none can.
    pub(crate) fn new(options: &Options) -> Option<Result<(Self, Option<String>), String>> {
        let Ocr { when, quality, models, tesseract, languages } = &options.ocr;
        if *when == When::Off {
            return None;
        }
        let program = tesseract
            .clone()
            .map(|program| Self::Tesseract(Tesseract::new(program, languages.clone())));
        let own = || {
            let folder = models.as_deref().ok_or_else(|| HOW.to_owned())?;
            Models::load(folder).map(|models| Self::Models(Box::new(models)))
        };
        Some(match (quality, program) {
            (Quality::Fast, Some(program)) => Ok((program, None)),
            (Quality::Fast | Quality::Best, None) => own().map(|own| (own, None)),
            (Quality::Best, Some(program)) => Ok(match own() {
                Ok(own) => (own, None),
                Err(why) => (program, Some(instead(models.is_some().then_some(why)))),
            }),
        })
    }

    /// What a picture says. A page that was laid down a little askew is turned back first.
    pub(crate) fn read(&self, picture: &Picture, until: Instant) -> Result<Sight, String> {
        let mut turn = tilt::tilt(picture);
        let straight;
        let picture = if turn.abs() < STRAIGHT {
            turn = 0.0;
            picture
        } else {
            straight = picture.turned(turn);
            &straight
        };
        let seen = match self {
            Self::Tesseract(tesseract) => tesseract.read(picture, until)?,
            Self::Models(models) => order::in_order(models.read(picture, until)?),
        };
        Ok(Sight { seen, turn })
    }
}

/// What is said when `best` is not to be had.
fn instead(why: Option<String>) -> String {
    let told = "pictures of text were read by tesseract, not by the model";
    match why {
        Some(why) => format!("{told}: {why}; `consign models pull ocr` fetches it anew"),
        None => format!("{told}: `consign models pull ocr` fetches it"),
    }
}

/// What encloses a box after a turn around a middle.
pub(crate) fn turned_box(bbox: [f32; 4], angle: f32, middle: (f32, f32)) -> [f32; 4] {
    let [left, top, right, bottom] = bbox;
    let (sin, cos) = angle.sin_cos();
    let (x, y) = (f32::midpoint(left, right) - middle.0, f32::midpoint(top, bottom) - middle.1);
    let (x, y) = (cos * x - sin * y + middle.0, sin * x + cos * y + middle.1);
    let (wide, high) = ((right - left) / 2.0, (bottom - top) / 2.0);
    let (wide, high) = (wide * cos + high * sin.abs(), wide * sin.abs() + high * cos);
    [x - wide, y - high, x + wide, y + high]
}

/// When reading pictures must end: a little before the file's time is up, so that what was read is not lost.
pub(crate) fn deadline(options: &Options, begun: Instant) -> Instant {
    begun + options.limits.time.saturating_sub(Duration::from_secs(2))
}

/// What was seen on a page, as the runs of text that a PDF would have.
pub(crate) fn items(seen: &[Seen], page: u32, height: f64, scale: f32) -> Vec<TextItem> {
    let mut sizes: Vec<f32> = seen.iter().map(|seen| seen.bbox[3] - seen.bbox[1]).collect();
    sizes.sort_by(f32::total_cmp);
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0).max(1.0);
    seen.iter()
        .map(|seen| {
            let [left, top, right, bottom] = seen.bbox.map(|side| side / scale);
            // Boxes of one font differ by the letters in them. What is about as large as most is as large as most.
            let own = (bottom - top) * scale;
            let size = if (own / usual - 1.0).abs() < 0.3 { usual } else { own } / scale * 0.8;
            item(&seen.text, page, left, height as f32 - bottom + size * 0.2, right - left, size)
        })
        .collect()
}

fn item(text: &str, page: u32, x: f32, y: f32, width: f32, size: f32) -> TextItem {
    TextItem {
        text: text.to_owned(),
        x,
        y,
        width,
        height: size,
        rotation: 0.0,
        advance_known: true,
        font: "ocr".to_owned(),
        font_tag: String::new(),
        legacy_symbol_rewrite: false,
        font_size: size,
        page,
        is_bold: false,
        is_italic: false,
        font_weight: None,
        bold_source: None,
        fixed_pitch: None,
        fill_color: None,
        stroke_color: None,
        render_mode: None,
        is_underline: false,
        is_strikeout: false,
        item_type: ItemType::Text,
        mcid: None,
        baseline_shift: 0.0,
    }
}
