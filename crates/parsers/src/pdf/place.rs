//! Where the blocks of a PDF stand: each run of text on a page is found in the block that says it.

use pdf_inspector::{TextItem, extractor::ItemType};

use super::split::{Raw, What};
use crate::ocr::turned_box;

/// A block, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) raw: Raw,
    pub(super) bbox: Option<[f64; 4]>,
}

/// A page: its runs of text, and how large it is.
pub(super) struct Page<'a> {
    pub(super) runs: Vec<Run<'a>>,
    size: (f64, f64),
    /// By how much it is turned, where its runs stand as if it were not.
    turn: f32,
}

/// A run of text.
pub(super) struct Run<'a> {
    pub(super) item: &'a TextItem,
    /// Its letters and digits.
    key: String,
    pub(super) bbox: [f64; 4],
    /// The block that says it.
    pub(super) block: Option<usize>,
}

impl<'a> Page<'a> {
    pub(super) fn new(items: &'a [TextItem], size: (f64, f64), turn: f32) -> Self {
        let runs = items
            .iter()
            .filter(|item| !matches!(item.item_type, ItemType::Link(_)))
            .filter_map(|item| {
                let bbox = boxed(item, size)?;
                Some(Run { item, key: key(&item.text), bbox, block: None })
            })
            .collect();
        Self { runs, size, turn }
    }

    /// Where a box is on the page as it lies there.
    pub(super) fn as_it_lies(&self, bbox: [f64; 4]) -> [f64; 4] {
        if self.turn == 0.0 {
            return bbox;
        }
        let (width, height) = self.size;
        let middle = (width as f32 / 2.0, height as f32 / 2.0);
        let [left, top, right, bottom] =
            turned_box(bbox.map(|side| side as f32), self.turn, middle);
        let round =
            |side: f32, most: f64| (f64::from(side).clamp(0.0, most) * 100.0).round() / 100.0;
        [round(left, width), round(top, height), round(right, width), round(bottom, height)]
    }
}

/// The box of a run, in points from the top left. None where it is not on the page.
fn boxed(item: &TextItem, (width, height): (f64, f64)) -> Option<[f64; 4]> {
    let text = matches!(item.item_type, ItemType::Text) && item.rotation == 0.0;
    let size = f64::from(item.height);
    // The box of a text ends at its baseline; letters like g and p go below it.
    let below = if text { size * 0.22 } else { 0.0 };
    let above = if text { size * 0.92 } else { size };
    let (x, base) = (f64::from(item.x), height - f64::from(item.y));
    let sides = [x, base - above, x + f64::from(item.width), base + below];
    if !sides.iter().all(|side| side.is_finite()) {
        return None;
    }
    let [left, top, right, bottom] = sides;
    let round = |side: f64, most: f64| (side.clamp(0.0, most) * 100.0).round() / 100.0;
    let inside = right >= 0.0 && left <= width && bottom >= 0.0 && top <= height;
    inside.then(|| {
        [round(left, width), round(top, height), round(right, width), round(bottom, height)]
    })
}

/// Letters and digits in lower case: what stays of a word whatever is done to spaces, hyphens and marks around it.
fn key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Says on which page blocks are that stand on one of several: tables that fill whole pages.
pub(super) fn assign_pages(raw: &mut [Raw], items: &[Vec<TextItem>]) {
    let last = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let mut earliest = 1;
    let mut keys: std::collections::HashMap<u32, String> = std::collections::HashMap::new();
    for block in raw {
        block.page = block.page.max(earliest).min(last.max(1));
        let before = block.before.unwrap_or(last.saturating_add(1)).min(last.saturating_add(1));
        if before > block.page + 1 && !block.is_picture() {
            let words: Vec<String> = block.words().split_whitespace().take(12).map(key).collect();
            let mut best = (block.page, 0);
            for page in block.page..before {
                let text = keys.entry(page).or_insert_with(|| page_key(items, page));
                let score =
                    words.iter().filter(|word| word.len() > 1 && text.contains(*word)).count();
                if score > best.1 {
                    best = (page, score);
                }
                // All of it is here; what comes later cannot be better.
                if score > 0 && score == words.len() {
                    break;
                }
            }
            block.page = best.0;
        }
        earliest = block.page;
    }
}

fn page_key(items: &[Vec<TextItem>], page: u32) -> String {
    let items = items.get((page as usize).wrapping_sub(1)).map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| key(&item.text)).collect::<Vec<_>>().join(" ")
}

/// Finds the runs of each block.
pub(super) fn place(raw: Vec<Raw>, pages: &mut [Page<'_>]) -> Vec<Placed> {
    let mut placed: Vec<Placed> = raw.into_iter().map(|raw| Placed { raw, bbox: None }).collect();
    let mut from = 0;
    while let Some(first) = placed.get(from) {
        let page = first.raw.page;
        let to = placed.iter().skip(from).take_while(|block| block.raw.page == page).count() + from;
        if let (Some(runs), Some(blocks)) =
            (pages.get_mut((page as usize).wrapping_sub(1)), placed.get_mut(from..to))
        {
            one_page(blocks, from, runs);
        }
        from = to;
    }
    placed
}

/// A block's letters and digits, and which of them a run was found for.
struct Target {
    key: String,
    at: usize,
}

fn one_page(blocks: &mut [Placed], first: usize, page: &mut Page<'_>) {
    let mut targets: Vec<Target> =
        blocks.iter().map(|block| Target { key: key(&block.raw.words()), at: 0 }).collect();
    // Looking everywhere for every run of a hostile page would take for ever.
    let mut effort: usize = 20_000_000;
    let mut now = 0;
    for run in &mut page.runs {
        if matches!(run.item.item_type, ItemType::Image) {
            let found = blocks.iter().position(|block| {
                matches!(&block.raw.what, What::Picture(name) if run.item.text.contains(name.as_str()))
                    && block.bbox.is_none()
            });
            if let Some(block) = found.and_then(|at| blocks.get_mut(at)) {
                block.bbox = Some(run.bbox);
            }
            continue;
        }
        if run.key.is_empty() {
            continue;
        }
        // Nearly always it goes on where the last one ended, or begins one of the next blocks.
        let next = (now..targets.len().min(now + 4)).find(|at| {
            targets.get(*at).is_some_and(|target| {
                (*at == now || run.key.len() > 1)
                    && target.key.get(target.at..).is_some_and(|rest| rest.starts_with(&run.key))
            })
        });
        let found = next.or_else(|| {
            if run.key.len() < 4 {
                return None;
            }
            let order = (now..targets.len()).chain(0..now);
            order.into_iter().find(|at| {
                let Some(target) = targets.get_mut(*at) else { return false };
                effort = effort.saturating_sub(target.key.len());
                let from = target.key.get(target.at..).and_then(|rest| rest.find(&run.key));
                let found = match from {
                    Some(from) if effort > 0 => Some(target.at + from),
                    _ if effort > 0 => target.key.find(&run.key),
                    _ => None,
                };
                if let Some(at) = found {
                    target.at = at;
                }
                found.is_some()
            })
        });
        if let Some(target) = found.and_then(|at| targets.get_mut(at)) {
            target.at += run.key.len();
        }
        if let Some(at) = found {
            now = at;
            run.block = Some(first + at);
            if let Some(block) = blocks.get_mut(at) {
                block.bbox = Some(around(block.bbox, run.bbox));
            }
        }
    }
}

pub(super) fn around(one: Option<[f64; 4]>, other: [f64; 4]) -> [f64; 4] {
    let Some([a, b, c, d]) = one else { return other };
    let [e, f, g, h] = other;
    [a.min(e), b.min(f), c.max(g), d.max(h)]
}
