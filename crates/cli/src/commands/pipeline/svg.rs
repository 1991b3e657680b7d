//! A pipeline as an SVG: its stages below each other in their order, those that run at once in one box.

mod layout;

use std::borrow::Cow;

use consign_pipeline::{
    Pipeline,
    draw::worker,
    transitions::{Kind, Transition, transitions},
};

use self::layout::{
    BOX_HEIGHT, BOX_WIDTH, Bend, GROUP_HEAD, LINE, Layout, MEMBER, MOST_LETTERS, Row, lines,
};
use crate::{output::printable, text::shortened};

const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#1f2937}\
.who{font-size:12px;fill:#6b7280}\
.when{font-size:12px;fill:#374151;paint-order:stroke;stroke:#fff;stroke-width:5px}\
.box{fill:#f8fafc;stroke:#64748b;stroke-width:1.5}\
.end{fill:#e0e7ff;stroke:#6366f1;stroke-width:1.5}\
.group{fill:#f0fdfa;stroke:#0f766e;stroke-width:1.5}\
.bar{stroke:#0f766e;stroke-width:5;stroke-linecap:round}\
.way{fill:none;stroke:#475569;stroke-width:1.5;marker-end:url(#tip)}\
.error{stroke:#dc2626;stroke-dasharray:5 4;marker-end:url(#tip-error)}\
.asked{stroke:#7c3aed;stroke-dasharray:1.5 3.5;marker-end:url(#tip-asked)}\
.beside{stroke:#0f766e;marker-end:url(#tip-beside)}.joins{marker-end:none}\
.tip{fill:#475569}.tip-error{fill:#dc2626}.tip-asked{fill:#7c3aed}.tip-beside{fill:#0f766e}\
@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.who{fill:#9ca3af}.when{fill:#d1d5db;stroke:#111827}\
.box{fill:#1f2937;stroke:#94a3b8}.end{fill:#312e81;stroke:#818cf8}.way{stroke:#cbd5e1}.tip{fill:#cbd5e1}\
.group{fill:#042f2e;stroke:#2dd4bf}.bar{stroke:#2dd4bf}\
.error{stroke:#f87171}.tip-error{fill:#f87171}.asked{stroke:#a78bfa}.tip-asked{fill:#a78bfa}\
.beside{stroke:#2dd4bf}.tip-beside{fill:#2dd4bf}}";

/// The heads of arrows, each in the colour of its line.
const TIPS: [&str; 4] = ["tip", "tip-error", "tip-asked", "tip-beside"];

pub(super) fn draw(pipeline: &Pipeline) -> String {
    let ways = transitions(pipeline);
    let layout = Layout::of(pipeline, &ways);
    let mut svg = head(&pipeline.name, &layout);
    for (at, row) in layout.rows.iter().enumerate() {
        match row.stage.map(|stage| (stage, pipeline.members(stage))) {
            None => svg.push_str(&end(&layout, row, if at == 0 { "start" } else { "end" })),
            Some((stage, members)) if members == [stage] => {
                svg.push_str(&stage_box(pipeline, stage, layout.middle(), row.top));
            }
            Some((stage, members)) => {
                svg.push_str(&group(pipeline, (stage, &members), layout.middle(), row));
            }
        }
    }
    svg.push_str(&straight(&layout, 0));
    let mut labels = String::new();
    for (row, way) in &layout.straight {
        svg.push_str(&straight(&layout, *row));
        labels.push_str(&label(way, layout.middle() + 8, layout.gap(*row), "start"));
    }
    for bend in &layout.beside {
        svg.push_str(&bent(&layout, bend));
        let (x, anchor) = if bend.back { (bend.x - 6, "end") } else { (bend.x + 6, "start") };
        labels.push_str(&label(bend.way, x, layout.label(bend), anchor));
    }
    // Above all lines.
    svg.push_str(&labels);
    svg.push_str("</svg>\n");
    svg
}

fn head(name: &str, layout: &Layout<'_>) -> String {
    let Layout { width, height, .. } = layout;
    let tips = TIPS.map(|tip| {
        format!(
            "<marker id=\"{tip}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path class=\"{tip}\" d=\"M0 0 10 5 0 10z\"/></marker>"
        )
    });
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" style=\"background:light-dark(#fff,#111827);color-scheme:light dark\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n<defs>{}</defs>\n",
        escaped(name),
        tips.concat()
    )
}

fn end(layout: &Layout<'_>, row: &Row, word: &str) -> String {
    let (middle, y, width, height) = (layout.middle(), row.top, row.width, row.height);
    format!(
        "<rect class=\"end\" x=\"{}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"16\"/>\
         <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{word}</text>\n",
        middle - width / 2,
        y + 21
    )
}

/// A stage, with who does its work below its name.
fn stage_box(pipeline: &Pipeline, stage: usize, middle: i32, top: i32) -> String {
    format!(
        "<rect class=\"box\" x=\"{}\" y=\"{top}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"8\"/>{}",
        middle - BOX_WIDTH / 2,
        title(pipeline, stage, middle, top)
    )
}

fn title(pipeline: &Pipeline, stage: usize, middle: i32, top: i32) -> String {
    let stage = &pipeline.stages[stage];
    let who = worker(stage);
    let y = if who.is_empty() { top + 29 } else { top + 21 };
    let name = text(&stage.name, 28, &format!("x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\""));
    if who.is_empty() {
        return name;
    }
    let place = format!("class=\"who\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\"", top + 39);
    name + &text(&who, 32, &place)
}

/// Stages that run at once, in a box around them: they begin at one bar, and end at the other.
fn group(
    pipeline: &Pipeline,
    (stage, members): (usize, &[usize]),
    middle: i32,
    row: &Row,
) -> String {
    let (left, right) = (middle - row.width / 2, middle + row.width / 2);
    let mut svg = format!(
        "<rect class=\"group\" x=\"{left}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"12\"/>{}",
        row.top,
        row.width,
        row.height,
        title(pipeline, stage, middle, row.top)
    );
    let (fork, join) = (left + 20, right - 20);
    let mut top = row.top + GROUP_HEAD;
    for x in [fork, join] {
        let bottom = row.bottom() - (MEMBER - BOX_HEIGHT);
        svg.push_str(&format!("<path class=\"bar\" d=\"M{x} {top} L{x} {bottom}\"/>\n"));
    }
    for member in members {
        let (from, to) = (middle - BOX_WIDTH / 2, middle + BOX_WIDTH / 2);
        let y = top + BOX_HEIGHT / 2;
        svg.push_str(&stage_box(pipeline, *member, middle, top));
        for (from, to) in [(fork, from), (to, join - 3)] {
            svg.push_str(&format!("<path class=\"way beside\" d=\"M{from} {y} L{to} {y}\"/>\n"));
        }
        top += MEMBER;
    }
    svg
}

/// A way down to the next row.
fn straight(layout: &Layout<'_>, row: usize) -> String {
    let (x, from, to) = (layout.middle(), layout.rows[row].bottom(), layout.rows[row + 1].top);
    format!("<path class=\"way\" d=\"M{x} {from} L{x} {to}\"/>\n")
}

/// A way along its lane.
fn bent(layout: &Layout<'_>, bend: &Bend<'_>) -> String {
    let Bend { x, from_y, to_y, joins, .. } = bend;
    let (from, to) = layout.edges(bend);
    let class = match bend.way.kind {
        Kind::Usual => "way",
        Kind::Error => "way error",
        Kind::Asked => "way asked",
    };
    let (near, down) = (toward(*x, from, 10), toward(*from_y, *to_y, 10));
    let begins = format!("M{from} {from_y} L{near} {from_y} Q{x} {from_y} {x} {down}");
    if let Some(y) = joins {
        return format!("<path class=\"{class} joins\" d=\"{begins} L{x} {y}\"/>\n");
    }
    let (up, near) = (toward(*to_y, *from_y, 10), toward(*x, to, 10));
    format!(
        "<path class=\"{class}\" d=\"{begins} L{x} {up} Q{x} {to_y} {near} {to_y} L{to} {to_y}\"/>\n"
    )
}

/// The label of a way, its lines around a middle. A label that is cut has its whole text as a tooltip.
fn label(way: &Transition, x: i32, middle: i32, anchor: &str) -> String {
    let (lines, whole) = (lines(way), way.label());
    let cut = |line: &Cow<'_, str>| !whole.contains(&*shortened(line, MOST_LETTERS));
    let whole = lines.iter().any(cut).then_some(whole.as_str());
    let first = middle + 4 - LINE * (i32::try_from(lines.len()).unwrap_or(0) - 1) / 2;
    let mut svg = String::new();
    for (y, line) in (first..).step_by(LINE as usize).zip(&lines) {
        let place = format!("class=\"when\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"");
        svg.push_str(&titled(line, MOST_LETTERS, &place, whole));
    }
    svg
}

/// The point so many pixels on the way from one place to another, but at most halfway.
fn toward(from: i32, to: i32, pixels: i32) -> i32 {
    let most = ((to - from).abs() / 2).min(pixels);
    from + (to - from).clamp(-most, most)
}

/// Text of at most so many columns, with the whole as a tooltip.
fn text(text: &str, most: usize, place: &str) -> String {
    titled(text, most, place, None)
}

fn titled(text: &str, most: usize, place: &str, whole: Option<&str>) -> String {
    let shown = shortened(text, most);
    let cut = (shown != printable(text)).then_some(text);
    let whole = whole.or(cut).map(|whole| format!("<title>{}</title>", escaped(whole)));
    format!("<text {place}>{}{}</text>\n", whole.unwrap_or_default(), escaped(&shown))
}

/// Text as XML has it, which knows no control characters at all.
fn escaped(text: &str) -> String {
    let text = printable(text).replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
