//! A pipeline as an SVG: its stages below each other in their order.

mod layout;

use consign_workflows::pipeline::{
    Pipeline,
    draw::{Kind, ways, worker},
};

use self::layout::{BOX_HEIGHT, BOX_WIDTH, Bend, END_HEIGHT, END_WIDTH, Layout, MOST_LETTERS};
use crate::{output::printable, text::shortened};

const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#1f2937}\
.who{font-size:12px;fill:#6b7280}\
.when{font-size:12px;fill:#374151;paint-order:stroke;stroke:#fff;stroke-width:5px}\
.box{fill:#f8fafc;stroke:#64748b;stroke-width:1.5}\
.end{fill:#e0e7ff;stroke:#6366f1;stroke-width:1.5}\
.way{fill:none;stroke:#475569;stroke-width:1.5;marker-end:url(#tip)}\
.error{stroke:#dc2626;stroke-dasharray:5 4;marker-end:url(#tip-error)}\
.beside{stroke:#0f766e;stroke-width:2.5;marker-end:url(#tip-beside)}\
.tip{fill:#475569}.tip-error{fill:#dc2626}.tip-beside{fill:#0f766e}\
@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.who{fill:#9ca3af}.when{fill:#d1d5db;stroke:#111827}\
.box{fill:#1f2937;stroke:#94a3b8}.end{fill:#312e81;stroke:#818cf8}.way{stroke:#cbd5e1}.tip{fill:#cbd5e1}\
.error{stroke:#f87171}.tip-error{fill:#f87171}.beside{stroke:#2dd4bf}.tip-beside{fill:#2dd4bf}}";

/// The heads of arrows, each in the colour of its line. A thick line makes its head larger.
const TIPS: [(&str, i32); 3] = [("tip", 7), ("tip-error", 7), ("tip-beside", 5)];

pub(super) fn draw(pipeline: &Pipeline) -> String {
    let ways = ways(pipeline);
    let layout = Layout::of(pipeline, &ways);
    let mut svg = head(&pipeline.name, &layout);
    let (middle, last) = (layout.middle(), pipeline.stages.len() + 1);
    for (row, word) in [(0, "start"), (last, "end")] {
        let (x, y) = (middle - END_WIDTH / 2, layout.top(row));
        svg.push_str(&format!(
            "<rect class=\"end\" x=\"{x}\" y=\"{y}\" width=\"{END_WIDTH}\" height=\"{END_HEIGHT}\" rx=\"16\"/>\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{word}</text>\n",
            y + 21
        ));
    }
    for (at, stage) in pipeline.stages.iter().enumerate() {
        let (x, y, who) = (layout.left, layout.top(at + 1), worker(stage));
        svg.push_str(&format!(
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"8\"/>"
        ));
        let name_y = if who.is_empty() { y + 29 } else { y + 21 };
        svg.push_str(&text(
            &stage.name,
            28,
            &format!("x=\"{middle}\" y=\"{name_y}\" text-anchor=\"middle\""),
        ));
        if !who.is_empty() {
            let place =
                format!("class=\"who\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\"", y + 39);
            svg.push_str(&text(&who, 32, &place));
        }
    }
    svg.push_str(&straight(&layout, 0, ""));
    for way in &layout.straight {
        svg.push_str(&straight(&layout, way.from + 1, &way.when));
    }
    let labels: String = layout.beside.iter().map(|bend| bent_label(&layout, bend)).collect();
    svg.extend(layout.beside.iter().map(|bend| bent(&layout, bend)));
    // Above all lines.
    svg.push_str(&labels);
    svg.push_str("</svg>\n");
    svg
}

fn head(name: &str, layout: &Layout<'_>) -> String {
    let Layout { width, height, .. } = layout;
    let tips = TIPS.map(|(tip, size)| {
        format!(
            "<marker id=\"{tip}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"{size}\" \
             markerHeight=\"{size}\" orient=\"auto\"><path class=\"{tip}\" d=\"M0 0 10 5 0 10z\"/></marker>"
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

/// A way down to the next row.
fn straight(layout: &Layout<'_>, row: usize, when: &str) -> String {
    let (x, from, to) = (layout.middle(), layout.bottom(row), layout.top(row + 1));
    let line = format!("<path class=\"way\" d=\"M{x} {from} L{x} {to}\"/>\n");
    if when.is_empty() {
        return line;
    }
    let place = format!("class=\"when\" x=\"{}\" y=\"{}\"", x + 8, layout.gap(row) + 4);
    line + &text(when, MOST_LETTERS, &place)
}

/// A way along its lane.
fn bent(layout: &Layout<'_>, bend: &Bend<'_>) -> String {
    let Bend { x, from_y, to_y, .. } = bend;
    let (from, to) = layout.edges(bend);
    let class = match bend.way.kind {
        Kind::Usual => "way",
        Kind::Error => "way error",
        Kind::Beside => "way beside",
    };
    format!(
        "<path class=\"{class}\" d=\"M{from} {from_y} L{} {from_y} Q{x} {from_y} {x} {} L{x} {} Q{x} {to_y} {} {to_y} \
         L{to} {to_y}\"/>\n",
        toward(*x, from, 10),
        toward(*from_y, *to_y, 10),
        toward(*to_y, *from_y, 10),
        toward(*x, to, 10)
    )
}

fn bent_label(layout: &Layout<'_>, bend: &Bend<'_>) -> String {
    if bend.way.when.is_empty() {
        return String::new();
    }
    let (x, anchor) = if bend.back { (bend.x - 6, "end") } else { (bend.x + 6, "start") };
    let y = layout.label(bend) + 4;
    let place = format!("class=\"when\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"");
    text(&bend.way.when, MOST_LETTERS, &place)
}

/// So many pixels on the way from one place to another, or half of it.
fn toward(from: i32, to: i32, pixels: i32) -> i32 {
    let most = ((to - from).abs() / 2).min(pixels);
    from + (to - from).clamp(-most, most)
}

/// Text of at most so many columns; whoever points at it sees the whole.
fn text(text: &str, most: usize, place: &str) -> String {
    let shown = shortened(text, most);
    let whole = match shown == printable(text) {
        true => String::new(),
        false => format!("<title>{}</title>", escaped(text)),
    };
    format!("<text {place}>{whole}{}</text>\n", escaped(&shown))
}

/// Text as XML has it, which knows no control characters at all.
fn escaped(text: &str) -> String {
    let text = printable(text).replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
