//! Where everything stands in a picture: rows of boxes, ways forward on the right, ways back on the left.
//!
//! A way that does not lead straight down has a lane of its own beside the boxes, and its label stands
//! beside that lane, between two rows: so no label meets another, and no line runs through one.

use consign_workflows::pipeline::{
    Pipeline, Target,
    draw::{Kind, Way},
};
use unicode_width::UnicodeWidthStr;

pub(super) const BOX_WIDTH: i32 = 220;
pub(super) const BOX_HEIGHT: i32 = 48;
/// The ends are narrower than the stages, and lower.
pub(super) const END_WIDTH: i32 = 90;
pub(super) const END_HEIGHT: i32 = 32;
/// The most letters of a label.
pub(super) const MOST_LETTERS: usize = 26;
const ROW: i32 = 88;
const LANE: i32 = 34;
const MARGIN: i32 = 40;
/// Letters of a label are about this wide.
const LETTER: i32 = 7;

pub(super) struct Layout<'a> {
    /// The left edge of the boxes.
    pub(super) left: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    /// Those that lead to the next row.
    pub(super) straight: Vec<&'a Way>,
    pub(super) beside: Vec<Bend<'a>>,
    stages: usize,
}

/// A way beside the boxes.
pub(super) struct Bend<'a> {
    pub(super) way: &'a Way,
    /// Back is on the left, forward on the right.
    pub(super) back: bool,
    from: usize,
    to: usize,
    lane: usize,
    /// Where its lane is.
    pub(super) x: i32,
    /// Where it leaves a box, and where it comes to one.
    pub(super) from_y: i32,
    pub(super) to_y: i32,
}

impl<'a> Layout<'a> {
    pub(super) fn of(pipeline: &Pipeline, ways: &'a [Way]) -> Self {
        let stages = pipeline.stages.len();
        let row = |target: Target| match target {
            Target::Stage(at) => at + 1,
            Target::End => stages + 1,
        };
        let (straight, far): (Vec<_>, Vec<_>) =
            ways.iter().partition(|way| row(way.to) == way.from + 2 && way.kind == Kind::Usual);
        let mut beside: Vec<_> = far
            .into_iter()
            .map(|way| {
                let (from, to) = (way.from + 1, row(way.to));
                Bend { way, back: to <= from, from, to, lane: 0, x: 0, from_y: 0, to_y: 0 }
            })
            .collect();
        give_lanes(&mut beside);
        // What stands beside a straight way begins in the middle of the boxes.
        let over = straight.iter().filter(|way| !way.when.is_empty());
        let over = over.map(|way| 8 + label(way) + 8 - BOX_WIDTH / 2).max().unwrap_or(0).max(0);
        let (backward, forward) = (lanes_of(&beside, true), lanes_of(&beside, false));
        let left = (backward.iter().sum::<i32>() + 8).max(MARGIN);
        let right = (over + forward.iter().sum::<i32>() + 8).max(MARGIN);
        for bend in &mut beside {
            let before = |lanes: &[i32]| lanes[..bend.lane].iter().sum::<i32>() + LANE - 10;
            bend.x = match bend.back {
                true => left - before(&backward),
                false => left + BOX_WIDTH + over + before(&forward),
            };
        }
        let height = ROW * i32::try_from(stages + 2).unwrap_or(0) + 8;
        let width = left + BOX_WIDTH + right;
        let mut layout = Self { left, width, height, straight, beside, stages };
        layout.give_ports();
        layout
    }

    pub(super) fn middle(&self) -> i32 {
        self.left + BOX_WIDTH / 2
    }

    fn is_end(&self, row: usize) -> bool {
        row == 0 || row == self.stages + 1
    }

    /// Rows: start, every stage, end.
    pub(super) fn top(&self, row: usize) -> i32 {
        let top = i32::try_from(row).unwrap_or(0) * ROW + 24;
        if self.is_end(row) { top + (BOX_HEIGHT - END_HEIGHT) / 2 } else { top }
    }

    pub(super) fn bottom(&self, row: usize) -> i32 {
        self.top(row) + if self.is_end(row) { END_HEIGHT } else { BOX_HEIGHT }
    }

    /// The left or right edge of what stands in a row.
    fn edge(&self, row: usize, back: bool) -> i32 {
        let width = if self.is_end(row) { END_WIDTH } else { BOX_WIDTH };
        self.middle() + if back { -width / 2 } else { width / 2 }
    }

    pub(super) fn edges(&self, bend: &Bend<'_>) -> (i32, i32) {
        (self.edge(bend.from, bend.back), self.edge(bend.to, bend.back))
    }

    /// The middle of the space below a row, where nothing runs but lanes.
    pub(super) fn gap(&self, row: usize) -> i32 {
        i32::try_from(row).unwrap_or(0) * ROW + 24 + (BOX_HEIGHT + ROW) / 2
    }

    /// Where a label stands: by the stage that it is of.
    pub(super) fn label(&self, bend: &Bend<'_>) -> i32 {
        match bend.from.cmp(&bend.to) {
            std::cmp::Ordering::Less => self.gap(bend.from),
            std::cmp::Ordering::Greater => self.gap(bend.from - 1),
            std::cmp::Ordering::Equal => (bend.from_y + bend.to_y) / 2,
        }
    }

    /// Where ways leave and come to a box, one below the other so that they do not cross: on the right
    /// those with the outermost lane leave first and come last, on the left the other way round.
    fn give_ports(&mut self) {
        for row in 0..=self.stages + 1 {
            for back in [false, true] {
                let of = |bend: &Bend<'_>| bend.back == back;
                let mut leaving: Vec<_> = (0..self.beside.len())
                    .filter(|at| of(&self.beside[*at]) && self.beside[*at].from == row)
                    .collect();
                let mut coming: Vec<_> = (0..self.beside.len())
                    .filter(|at| of(&self.beside[*at]) && self.beside[*at].to == row)
                    .collect();
                leaving.sort_by_key(|at| self.beside[*at].lane);
                coming.sort_by_key(|at| self.beside[*at].lane);
                match back {
                    true => coming.reverse(),
                    false => leaving.reverse(),
                }
                let (top, half) = (self.top(row), (self.bottom(row) - self.top(row)) / 2);
                for (place, at) in leaving.iter().enumerate() {
                    self.beside[*at].from_y = top + half + port(place, leaving.len(), half);
                }
                for (place, at) in coming.iter().enumerate() {
                    self.beside[*at].to_y = top + port(place, coming.len(), half);
                }
            }
        }
    }
}

/// One of so many places on half of an edge.
fn port(place: usize, of: usize, half: i32) -> i32 {
    let number = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
    (number(place) + 1) * half / (number(of) + 1)
}

/// Gives each way a lane: short ways near the boxes, and none on another.
fn give_lanes(bends: &mut [Bend<'_>]) {
    let span = |bend: &Bend<'_>| (bend.from.min(bend.to), bend.from.max(bend.to));
    let mut order: Vec<usize> = (0..bends.len()).collect();
    order.sort_by_key(|at| span(&bends[*at]).1 - span(&bends[*at]).0);
    let mut done: Vec<usize> = Vec::new();
    for at in order {
        let (low, high) = span(&bends[at]);
        let beside = |other: &&usize| {
            let other = &bends[**other];
            other.back == bends[at].back && span(other).0 <= high && low <= span(other).1
        };
        let taken: Vec<_> = done.iter().filter(beside).map(|other| bends[*other].lane).collect();
        bends[at].lane = (0..).find(|lane| !taken.contains(lane)).unwrap_or_default();
        done.push(at);
    }
}

/// How wide each lane of a side is: its labels stand between it and the next.
fn lanes_of(bends: &[Bend<'_>], back: bool) -> Vec<i32> {
    let mut lanes = Vec::new();
    for bend in bends.iter().filter(|bend| bend.back == back) {
        if lanes.len() <= bend.lane {
            lanes.resize(bend.lane + 1, LANE);
        }
        lanes[bend.lane] = lanes[bend.lane].max(LANE - 10 + 6 + label(bend.way));
    }
    lanes
}

/// How wide a label is at most.
fn label(way: &Way) -> i32 {
    LETTER * i32::try_from(way.when.width().min(MOST_LETTERS)).unwrap_or(0)
}
