//! A pipeline as an SVG: its stages below each other in their order, ways forward on the right, ways
//! back on the left.

use consign_workflows::pipeline::{
    Pipeline, Target,
    draw::{Kind, Way, ways, worker},
};

use crate::output::printable;

const BOX_WIDTH: i32 = 220;
const BOX_HEIGHT: i32 = 48;
const ROW: i32 = 88;
const LANE: i32 = 34;
/// Letters are about this wide.
const LETTER: i32 = 7;

const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#1f2937}\
.who{font-size:12px;fill:#6b7280}\
.when{font-size:12px;fill:#374151;paint-order:stroke;stroke:#fff;stroke-width:5px}\
.box{fill:#f8fafc;stroke:#64748b;stroke-width:1.5}\
.end{fill:#e0e7ff;stroke:#6366f1;stroke-width:1.5}\
.way{fill:none;stroke:#475569;stroke-width:1.5;marker-end:url(#tip)}\
.error{stroke:#dc2626;stroke-dasharray:5 4}\
.beside{stroke:#0f766e;stroke-width:2.5}\
@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.who{fill:#9ca3af}.when{fill:#d1d5db;stroke:#111827}\
.box{fill:#1f2937;stroke:#94a3b8}.end{fill:#312e81;stroke:#818cf8}.way{stroke:#cbd5e1}}";

pub(super) fn draw(pipeline: &Pipeline) -> String {
    let ways = ways(pipeline);
    let count = pipeline.stages.len();
    // Rows: start, every stage, end.
    let row = |target: Target| match target {
        Target::Stage(at) => at + 1,
        Target::End => count + 1,
    };
    let far: Vec<&Way> =
        ways.iter().filter(|way| row(way.to) != way.from + 2 || way.kind != Kind::Usual).collect();
    let lanes = lanes(&far, &row);
    let side = |back: bool| {
        let own = far.iter().zip(&lanes).filter(|(way, _)| (row(way.to) <= way.from + 1) == back);
        own.map(|(way, lane)| (lane + 1) * LANE + 16 + LETTER * letters(&way.when))
            .max()
            .unwrap_or(24)
    };
    // What stands beside a straight way begins in the middle of the boxes.
    let beside = ways.iter().filter(|way| row(way.to) == way.from + 2);
    let beside = beside.map(|way| 24 + LETTER * letters(&way.when) - BOX_WIDTH / 2).max();
    let (left, right) = (side(true).max(40), side(false).max(beside.unwrap_or(0)).max(40));
    let width = left + BOX_WIDTH + right;
    let height = ROW * (i32::try_from(count).unwrap_or(0) + 2) + 8;
    let x = left;
    let top = |row: usize| i32::try_from(row).unwrap_or(0) * ROW + 24;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" style=\"background:light-dark(#fff,#111827);color-scheme:light dark\">\n<title>{}</title>\n<style>{STYLE}</style>\n<defs><marker id=\"tip\" \
         viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0 10 5 0 10z\" fill=\"#64748b\"/></marker></defs>\n",
        escaped(&pipeline.name)
    );
    let middle = x + BOX_WIDTH / 2;
    for (at, word) in [(0, "start"), (count + 1, "end")] {
        let y = top(at);
        svg.push_str(&format!(
            "<rect class=\"end\" x=\"{}\" y=\"{}\" width=\"90\" height=\"32\" rx=\"16\"/><text x=\"{middle}\" \
             y=\"{}\" text-anchor=\"middle\">{word}</text>\n",
            middle - 45, y + 8, y + 29
        ));
    }
    for (at, stage) in pipeline.stages.iter().enumerate() {
        let y = top(at + 1);
        let who = worker(stage);
        let name_y = if who.is_empty() { y + 29 } else { y + 21 };
        svg.push_str(&format!(
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"8\"/>\
             <text x=\"{middle}\" y=\"{name_y}\" text-anchor=\"middle\">{}</text>\n",
            escaped(&short(&stage.name, 28))
        ));
        if !who.is_empty() {
            svg.push_str(&format!(
                "<text class=\"who\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                y + 39,
                escaped(&short(&who, 32))
            ));
        }
    }
    let bottom = |row: usize| top(row) + if row == 0 { 40 } else { BOX_HEIGHT };
    let head = |row: usize| top(row) + if row == count + 1 { 8 } else { 0 };
    svg.push_str(&straight(middle, bottom(0), head(1), ""));
    for way in ways.iter().filter(|way| row(way.to) == way.from + 2 && way.kind == Kind::Usual) {
        svg.push_str(&straight(middle, bottom(way.from + 1), head(way.from + 2), &way.when));
    }
    for (way, lane) in far.iter().zip(&lanes) {
        let (from, to) = (way.from + 1, row(way.to));
        let back = to <= from;
        let (edge, sign) = if back { (x, -1) } else { (x + BOX_WIDTH, 1) };
        let bend = edge + sign * (lane + 1) * LANE;
        let (from_y, to_y) = (top(from) + 30, top(to) + if back { 16 } else { 20 });
        // The ends are narrower than the stages.
        let to_edge = if to == count + 1 { middle + sign * 45 } else { edge };
        let class = match way.kind {
            Kind::Usual => "way",
            Kind::Error => "way error",
            Kind::Beside => "way beside",
        };
        svg.push_str(&format!(
            "<path class=\"{class}\" d=\"M{edge} {from_y} C{bend} {from_y} {bend} {from_y} {bend} {} L{bend} {} \
             C{bend} {to_y} {bend} {to_y} {to_edge} {to_y}\"/>\n",
            toward(from_y, to_y), toward(to_y, from_y)
        ));
        if !way.when.is_empty() {
            let anchor = if back { "end" } else { "start" };
            svg.push_str(&format!(
                "<text class=\"when\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>\n",
                bend + sign * 6,
                (from_y + to_y) / 2 + 4,
                escaped(&way.when)
            ));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Twelve pixels on the way from one height to another.
fn toward(from: i32, to: i32) -> i32 {
    from + (to - from).clamp(-12, 12)
}

fn straight(x: i32, from: i32, to: i32, when: &str) -> String {
    let label = if when.is_empty() {
        String::new()
    } else {
        format!(
            "<text class=\"when\" x=\"{}\" y=\"{}\">{}</text>",
            x + 8,
            (from + to) / 2 + 4,
            escaped(when)
        )
    };
    format!("<path class=\"way\" d=\"M{x} {from} L{x} {to}\"/>{label}\n")
}

/// Which lane each way has: short ways near the boxes, and none on another.
fn lanes(ways: &[&Way], row: &impl Fn(Target) -> usize) -> Vec<i32> {
    let span = |way: &Way| (row(way.to).min(way.from + 1), row(way.to).max(way.from + 1));
    let back = |way: &Way| row(way.to) <= way.from + 1;
    let mut order: Vec<usize> = (0..ways.len()).collect();
    order.sort_by_key(|at| span(ways[*at]).1 - span(ways[*at]).0);
    let mut lanes: Vec<Option<i32>> = vec![None; ways.len()];
    for at in order {
        let (low, high) = span(ways[at]);
        let beside = |other: &usize| {
            let other = ways[*other];
            back(other) == back(ways[at]) && span(other).0 <= high && low <= span(other).1
        };
        let taken: Vec<i32> =
            (0..ways.len()).filter(beside).filter_map(|other| lanes[other]).collect();
        lanes[at] = (0..).find(|lane| !taken.contains(lane));
    }
    lanes.into_iter().map(Option::unwrap_or_default).collect()
}

fn letters(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(0)
}

fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{kept}…")
}

/// Text as XML has it, which knows no control characters at all.
fn escaped(text: &str) -> String {
    let text = printable(text).replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
