//! PP-OCRv6 in the process: one model finds lines of text, the other reads each.
//!
//! The models are files that the caller has fetched and checked. They are loaded with the first picture of a file.

use std::{path::Path, time::Instant};

use rten::{Model, ModelOptions, Value};
use rten_tensor::{AsView, Layout, NdTensor};

use super::{Picture, Seen, detect};

/// The longer side of a page as the finder gets it, in pixels.
const SIDE: f32 = 1536.0;

/// The height of a line as the reader gets it, in pixels.
const LINE: usize = 48;

/// The longest line, in pixels.
const LONGEST: usize = 3200;

/// A line whose letters are less certain in the mean is none.
const SURE: f32 = 0.5;

/// Mean and spread of blue, green and red. With those of the reader, the finder misses parts of large letters.
const FIND: [(f32, f32); 3] = [(0.485, 0.229), (0.456, 0.224), (0.406, 0.225)];
const READ: [(f32, f32); 3] = [(0.5, 0.5); 3];

pub(crate) struct Models {
    find: Model,
    read: Model,
    letters: Vec<String>,
}

impl Models {
    /// Loads the models of a folder.
    pub(super) fn load(folder: &Path) -> Result<Self, String> {
        let bytes = |name: &str| {
            let path = folder.join(name);
            consign_files::trusted::read(&path, 256 << 20).map_err(|error| error.to_string())
        };
        let model = |name: &str| {
            let mut options = ModelOptions::with_all_ops();
            let loaded = options.prepack_weights(true).load(bytes(name)?);
            loaded.map_err(|error| format!("{name}: {error}"))
        };
        let letters = String::from_utf8(bytes("ppocrv6_dict.txt")?)
            .map_err(|_| "ppocrv6_dict.txt is no text".to_owned())?;
        Ok(Self {
            find: model("PP-OCRv6_det_small.onnx")?,
            read: model("PP-OCRv6_rec_small.onnx")?,
            letters: letters.lines().map(str::to_owned).collect(),
        })
    }

    /// The lines of a picture.
    pub(super) fn read(&self, picture: &Picture, until: Instant) -> Result<Vec<Seen>, String> {
        let mut seen = Vec::new();
        for bbox in self.find(picture)? {
            // No line takes long, but a hostile picture may show very many.
            if Instant::now() >= until {
                return Err("the models take too long".to_owned());
            }
            if let Some(text) = self.line(picture, bbox)? {
                seen.push(Seen { text, bbox });
            }
        }
        Ok(seen)
    }

    /// Where lines are, in pixels of the picture.
    fn find(&self, picture: &Picture) -> Result<Vec<[f32; 4]>, String> {
        let (width, height) = (picture.width as f32, picture.height as f32);
        let scale = (SIDE / width.max(height)).min(2.0);
        let side = |length: f32| ((length * scale / 32.0).round() as usize).max(1) * 32;
        let to = (side(width), side(height));
        let input = tensor(&picture.resized(0.0, 0.0, width, height, to), to, FIND);
        let map = run(&self.find, input)?;
        let (across, down) = (width / to.0 as f32, height / to.1 as f32);
        let areas = detect::areas(map.data().unwrap_or_default(), to.0);
        let on_picture = |[left, top, right, low]: [f32; 4]| {
            [
                (left * across).max(0.0),
                (top * down).max(0.0),
                (right * across).min(width),
                (low * down).min(height),
            ]
        };
        Ok(areas.into_iter().map(on_picture).collect())
    }

    /// What a line says. None when it is no text.
    fn line(&self, picture: &Picture, bbox: [f32; 4]) -> Result<Option<String>, String> {
        let [left, top, right, low] = bbox;
        let (wide, high) = (right - left, low - top);
        if wide < 2.0 || high < 2.0 {
            return Ok(None);
        }
        let columns = ((wide * LINE as f32 / high).round() as usize).clamp(16, LONGEST);
        let to = (columns, LINE);
        let input = tensor(&picture.resized(left, top, wide, high, to), to, READ);
        let scores = run(&self.read, input)?;
        let classes = scores.shape().last().copied().unwrap_or(0);
        let Some(scores) = scores.data().filter(|_| classes > 0) else { return Ok(None) };
        let (text, sure) = self.said(scores, classes);
        let text = text.trim();
        Ok((sure >= SURE && !text.is_empty()).then(|| text.to_owned()))
    }

    /// The likeliest letter at each step; a letter that goes on for several steps is one. Class 0 is none, the last one
    /// is a space.
    fn said(&self, scores: &[f32], classes: usize) -> (String, f32) {
        let (mut text, mut last, mut sum, mut count) = (String::new(), 0, 0.0, 0.0_f32);
        for step in scores.chunks_exact(classes) {
            let best = step.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
            let Some((class, sure)) = best else { continue };
            if class != last && class != 0 {
                match self.letters.get(class - 1) {
                    Some(letter) => text.push_str(letter),
                    None => text.push(' '),
                }
                sum += sure;
                count += 1.0;
            }
            last = class;
        }
        (text, sum / count.max(1.0))
    }
}

/// Blue, green and red as the network was trained with them, one plane after the other.
fn tensor(
    pixels: &[[f32; 3]],
    (width, height): (usize, usize),
    scale: [(f32, f32); 3],
) -> NdTensor<f32, 4> {
    let mut data = Vec::with_capacity(pixels.len() * 3);
    for (color, (mean, spread)) in [2, 1, 0].into_iter().zip(scale) {
        data.extend(pixels.iter().map(|pixel| (pixel[color] / 255.0 - mean) / spread));
    }
    NdTensor::from_data([1, 3, height, width], data)
}

fn run(model: &Model, input: NdTensor<f32, 4>) -> Result<rten_tensor::Tensor<f32>, String> {
    let output =
        model.run_one(Value::from(input).into(), None).map_err(|error| error.to_string())?;
    rten_tensor::Tensor::<f32>::try_from(output).map_err(|error| error.to_string())
}
