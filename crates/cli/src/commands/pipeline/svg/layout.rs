//! Where everything stands in a picture: rows of boxes, ways forward on the right, ways back on the left.
//!
//! A way that does not lead straight down has a lane of its own beside the boxes, and its label stands
//! beside that lane, between two rows: so no label meets another, and no line runs through one. Ways that are
//! taken for the same reason and lead to the same place share a lane. Stages that run at once have one row
//! together, in a box around them.

use std::borrow::Cow;

use consign_pipeline::{
    Pipeline, Target,
    transitions::{Kind, Transition},
};
use unicode_width::UnicodeWidthStr;

pub(super) const BOX_WIDTH: i32 = 220;
pub(super) const BOX_HEIGHT: i32 = 48;
/// The ends are narrower than the stages, and lower.
pub(super) const END_WIDTH: i32 = 90;
pub(super) const END_HEIGHT: i32 = 32;
/// A box around others: what stands above them in it, and between two of them.
pub(super) const GROUP_WIDTH: i32 = BOX_WIDTH + 120;
pub(super) const GROUP_HEAD: i32 = 50;
pub(super) const MEMBER: i32 = BOX_HEIGHT + 12;
/// The most letters in a line of a label, the most lines, and how high a line is.
pub(super) const MOST_LETTERS: usize = 30;
const MOST_LINES: usize = 4;
pub(super) const LINE: i32 = 15;
const GAP: i32 = 40;
const LANE: i32 = 34;
const MARGIN: i32 = 40;
/// Letters of a label are about this wide.
const LETTER: i32 = 7;

pub(super) struct Layout<'a> {
    pub(super) width: i32,
    pub(super) height: i32,
    /// Ways that lead to the next row.
    pub(super) straight: Vec<(usize, &'a Transition)>,
    pub(super) beside: Vec<Bend<'a>>,
    /// Start, every stage that has a turn of its own, end.
    pub(super) rows: Vec<Row>,
    middle: i32,
}

/// What stands in a row.
pub(super) struct Row {
    pub(super) stage: Option<usize>,
    pub(super) top: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    /// The space below it.
    gap: i32,
}

/// A way beside the boxes.
pub(super) struct Bend<'a> {
    pub(super) way: &'a Transition,
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
    /// Where it meets another on its lane, which goes on for both.
    pub(super) joins: Option<i32>,
}

impl<'a> Layout<'a> {
    pub(super) fn of(pipeline: &Pipeline, ways: &'a [Transition]) -> Self {
        let mut rows = rows(pipeline);
        let last = rows.len() - 1;
        let row = |target: Target| match target {
            Target::Stage(at) => rows.iter().position(|row| row.stage == Some(at)).unwrap_or(last),
            Target::End => last,
        };
        let (mut straight, mut beside) = (Vec::new(), Vec::new());
        for way in ways {
            let (from, to) = (row(Target::Stage(way.from)), row(way.to));
            if to == from + 1 && way.kind == Kind::Usual {
                straight.push((from, way));
            } else {
                let (back, lane, joins) = (to <= from, 0, None);
                beside.push(Bend { way, back, from, to, lane, x: 0, from_y: 0, to_y: 0, joins });
            }
        }
        let labels = straight.iter().copied();
        let labels = labels.chain(beside.iter().filter_map(|bend| Some((bend.gap()?, bend.way))));
        for (row, way) in labels {
            rows[row].gap = rows[row].gap.max(LINE * number(lines(way).len()) + 18);
        }
        let mut top = 24;
        for row in &mut rows {
            row.top = top;
            top += row.height + row.gap;
        }
        let bundles = bundles(&beside);
        give_lanes(&mut beside, &bundles);
        let widest = rows.iter().map(|row| row.width).max().unwrap_or(BOX_WIDTH);
        // What stands beside a straight way begins in the middle of the boxes.
        let over = straight.iter().filter(|(_, way)| !way.when.is_empty());
        let over = over.map(|(_, way)| 8 + wide(way) + 8 - widest / 2).max().unwrap_or(0).max(0);
        let (backward, forward) = (lanes_of(&beside, true), lanes_of(&beside, false));
        let left = (backward.iter().sum::<i32>() + 8).max(MARGIN);
        let right = (over + forward.iter().sum::<i32>() + 8).max(MARGIN);
        for bend in &mut beside {
            let before = |lanes: &[i32]| lanes[..bend.lane].iter().sum::<i32>() + LANE - 10;
            bend.x = match bend.back {
                true => left - before(&backward),
                false => left + widest + over + before(&forward),
            };
        }
        let (width, height, middle) = (left + widest + right, top - GAP + 24, left + widest / 2);
        let mut layout = Self { width, height, straight, beside, rows, middle };
        layout.give_ports(&bundles);
        layout
    }

    pub(super) fn middle(&self) -> i32 {
        self.middle
    }

    /// The left or right edge of what stands in a row.
    fn edge(&self, row: usize, back: bool) -> i32 {
        let half = self.rows[row].width / 2;
        self.middle + if back { -half } else { half }
    }

    pub(super) fn edges(&self, bend: &Bend<'_>) -> (i32, i32) {
        (self.edge(bend.from, bend.back), self.edge(bend.to, bend.back))
    }

    /// The middle of the space below a row, where nothing runs but lanes.
    pub(super) fn gap(&self, row: usize) -> i32 {
        self.rows[row].bottom() + self.rows[row].gap / 2
    }

    /// The middle of a label: by the stage that it is of.
    pub(super) fn label(&self, bend: &Bend<'_>) -> i32 {
        bend.gap().map_or((bend.from_y + bend.to_y) / 2, |row| self.gap(row))
    }

    /// Where ways leave and come to a box, one below the other so that they do not cross: on the right
    /// those with the outermost lane leave first and come last, on the left the other way round.
    fn give_ports(&mut self, bundles: &[Vec<usize>]) {
        for row in 0..self.rows.len() {
            for back in [false, true] {
                let bends = &mut self.beside;
                let mut leaving: Vec<_> = (0..bends.len())
                    .filter(|at| bends[*at].back == back && bends[*at].from == row)
                    .collect();
                let mut coming: Vec<_> = bundles
                    .iter()
                    .filter(|of| bends[of[0]].back == back && bends[of[0]].to == row)
                    .collect();
                leaving.sort_by_key(|at| bends[*at].lane);
                coming.sort_by_key(|of| bends[of[0]].lane);
                match back {
                    true => coming.reverse(),
                    false => leaving.reverse(),
                }
                let (top, half) = (self.rows[row].top, self.rows[row].height / 2);
                for (place, at) in leaving.iter().enumerate() {
                    bends[*at].from_y = top + half + port(place, leaving.len(), half);
                }
                for (place, of) in coming.iter().enumerate() {
                    let y = top + port(place, coming.len(), half);
                    of.iter().for_each(|at| bends[*at].to_y = y);
                }
            }
        }
        for pair in bundles.iter().flat_map(|of| of.windows(2)) {
            self.beside[pair[0]].joins = Some(self.beside[pair[1]].from_y);
        }
    }
}

impl Row {
    pub(super) fn bottom(&self) -> i32 {
        self.top + self.height
    }
}

impl Bend<'_> {
    /// The row below which its label stands. One that leads to itself has it at its side.
    fn gap(&self) -> Option<usize> {
        match self.from.cmp(&self.to) {
            std::cmp::Ordering::Less => Some(self.from),
            std::cmp::Ordering::Greater => Some(self.from - 1),
            std::cmp::Ordering::Equal => None,
        }
    }
}

fn rows(pipeline: &Pipeline) -> Vec<Row> {
    let end = || Row { stage: None, top: 0, width: END_WIDTH, height: END_HEIGHT, gap: GAP };
    let mut rows = vec![end()];
    for at in (0..pipeline.stages.len()).filter(|at| pipeline.turn_of(*at) == *at) {
        let (width, height) = match pipeline.members(at).as_slice() {
            [own] if *own == at => (BOX_WIDTH, BOX_HEIGHT),
            members => (GROUP_WIDTH, GROUP_HEAD + MEMBER * number(members.len())),
        };
        rows.push(Row { stage: Some(at), top: 0, width, height, gap: GAP });
    }
    rows.push(end());
    rows
}

/// One of so many places on half of an edge.
fn port(place: usize, of: usize, half: i32) -> i32 {
    (number(place) + 1) * half / (number(of) + 1)
}

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// The ways that share a lane, those from farthest away first.
fn bundles(bends: &[Bend<'_>]) -> Vec<Vec<usize>> {
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    for (at, bend) in bends.iter().enumerate() {
        let alike = |of: &&mut Vec<usize>| {
            let other = &bends[of[0]];
            (other.back, other.to, other.way.kind) == (bend.back, bend.to, bend.way.kind)
                && other.way.when == bend.way.when
        };
        match bundles.iter_mut().find(alike) {
            Some(bundle) => bundle.push(at),
            None => bundles.push(vec![at]),
        }
    }
    for bundle in &mut bundles {
        bundle.sort_by_key(|at| std::cmp::Reverse(bends[*at].from.abs_diff(bends[*at].to)));
    }
    bundles
}

/// Gives each bundle a lane: short ways near the boxes, and none on another.
fn give_lanes(bends: &mut [Bend<'_>], bundles: &[Vec<usize>]) {
    let span = |of: &[usize], bends: &[Bend<'_>]| {
        let farthest = &bends[of[0]];
        (farthest.from.min(farthest.to), farthest.from.max(farthest.to))
    };
    let mut order: Vec<&Vec<usize>> = bundles.iter().collect();
    order.sort_by_key(|of| span(of, bends).1 - span(of, bends).0);
    let mut done: Vec<&Vec<usize>> = Vec::new();
    for of in order {
        let (low, high) = span(of, bends);
        let beside = |other: &&&Vec<usize>| {
            let (from, to) = span(other, bends);
            bends[other[0]].back == bends[of[0]].back && from <= high && low <= to
        };
        let taken: Vec<_> = done.iter().filter(beside).map(|other| bends[other[0]].lane).collect();
        let lane = (0..).find(|lane| !taken.contains(lane)).unwrap_or_default();
        of.iter().for_each(|at| bends[*at].lane = lane);
        done.push(of);
    }
}

/// How wide each lane of a side is: its labels stand between it and the next.
fn lanes_of(bends: &[Bend<'_>], back: bool) -> Vec<i32> {
    let mut lanes = Vec::new();
    for bend in bends.iter().filter(|bend| bend.back == back) {
        if lanes.len() <= bend.lane {
            lanes.resize(bend.lane + 1, LANE);
        }
        lanes[bend.lane] = lanes[bend.lane].max(LANE - 10 + 6 + wide(bend.way));
    }
    lanes
}

/// The lines of a label: what a way is taken for, each in a line of its own, or in two if it is long.
pub(super) fn lines(way: &Transition) -> Vec<Cow<'_, str>> {
    let mut lines: Vec<Cow<'_, str>> = Vec::new();
    for (at, when) in way.when.iter().enumerate() {
        let own = match when.split_once(" = ") {
            Some((key, value)) if when.width() > MOST_LETTERS => {
                vec![format!("{key} =").into(), value.into()]
            }
            Some(_) | None => vec![when.into()],
        };
        let left = way.when.len() - at;
        let room = MOST_LINES - usize::from(left > 1);
        if lines.len() + own.len() > room {
            lines.push(format!("and {left} more").into());
            break;
        }
        lines.extend(own);
    }
    lines
}

/// How wide a label is at most.
fn wide(way: &Transition) -> i32 {
    let longest = lines(way).iter().map(|line| line.width().min(MOST_LETTERS)).max();
    LETTER * number(longest.unwrap_or(0))
}
