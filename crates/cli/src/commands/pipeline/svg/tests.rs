use consign_workflows::pipeline::file::{self, Source};

use super::*;

/// Two circles back, one of a stage to itself, somebody to go to on failure from everywhere, and a value that
/// is longer than any label.
const CIRCLES: &str = r#"
name = "circles"
[[stage]]
name = "first"
agent = "pass"
default_next = "second"
error_next = "last"
[[stage]]
name = "second"
agent = "pass"
default_next = "third"
error_next = "last"
[[stage.route]]
key = "x"
equals = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb>"
to = "last"
[[stage.route]]
key = "x"
equals = 1
to = "first"
[[stage.route]]
key = "again"
equals = true
to = "second"
[[stage]]
name = "third"
agent = "pass"
default_next = "last"
[[stage.route]]
key = "x"
equals = 1
to = "first"
[[stage.route]]
key = "y"
equals = "this and that"
to = "second"
[[stage]]
name = "last"
agent = "pass"
"#;

fn circles() -> Pipeline {
    Source::toml(CIRCLES).and_then(|source| file::read(&source)).unwrap()
}

/// Where every label stands: left, right, top, bottom.
fn labels(layout: &Layout<'_>) -> Vec<(i32, i32, i32, i32)> {
    let wide = |when: &str| 7 * i32::try_from(when.chars().count().min(MOST_LETTERS)).unwrap();
    let told = layout.beside.iter().filter(|bend| !bend.way.when.is_empty());
    let bent = told.map(|bend| {
        let (y, wide) = (layout.label(bend), wide(&bend.way.when));
        let (left, right) = if bend.back {
            (bend.x - 6 - wide, bend.x - 6)
        } else {
            (bend.x + 6, bend.x + 6 + wide)
        };
        (left, right, y - 7, y + 7)
    });
    let told = layout.straight.iter().filter(|way| !way.when.is_empty());
    let straight = told.map(|way| {
        let (x, y) = (layout.middle() + 8, layout.gap(way.from + 1));
        (x, x + wide(&way.when), y - 7, y + 7)
    });
    bent.chain(straight).collect()
}

#[test]
fn no_label_meets_another_or_a_lane_or_the_edge() {
    for pipeline in [file::default(), circles()] {
        let ways = ways(&pipeline);
        let layout = Layout::of(&pipeline, &ways);
        let labels = labels(&layout);
        assert!(labels.len() > 2);
        for (at, (left, right, top, bottom)) in labels.iter().enumerate() {
            assert!(*left >= 0 && *right <= layout.width, "{labels:?} in {}", layout.width);
            let meets = |(l, r, t, b): &(i32, i32, i32, i32)| {
                l < right && left < r && t < bottom && top < b
            };
            assert!(!labels[at + 1..].iter().any(meets), "{at} of {labels:?}");
            for bend in &layout.beside {
                let along = bend.from_y.min(bend.to_y)..bend.from_y.max(bend.to_y);
                let through = (*left..*right).contains(&bend.x);
                assert!(!through || !along.contains(top), "{at} of {labels:?}: {}", bend.way.when);
            }
        }
    }
}

#[test]
fn ways_that_share_an_edge_do_not_share_a_place_on_it() {
    let pipeline = circles();
    let ways = ways(&pipeline);
    let layout = Layout::of(&pipeline, &ways);
    let mut places = Vec::new();
    for bend in &layout.beside {
        let (from, to) = layout.edges(bend);
        places.extend([(from, bend.from_y), (to, bend.to_y)]);
    }
    let all = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), all);
}

#[test]
fn a_long_value_is_shortened_and_the_whole_is_in_its_title() {
    let svg = draw(&circles());
    let long = "a".repeat(40);
    assert!(svg.contains(&format!("<title>x = {long}&lt;bbb")), "{svg}");
    assert!(svg.contains("</title>x = aaaaaaaaaaaaaaaaaaaaa…</text>"), "{svg}");
    assert!(!svg.contains("<bbb"), "{svg}");
}

#[test]
fn the_head_of_an_arrow_has_the_colour_of_its_line() {
    let svg = draw(&circles());
    for (tip, color) in [("tip", "#475569"), ("tip-error", "#dc2626"), ("tip-beside", "#0f766e")] {
        assert!(svg.contains(&format!("<path class=\"{tip}\"")), "{svg}");
        assert!(STYLE.contains(&format!(".{tip}{{fill:{color}}}")), "{tip}");
        assert!(STYLE.contains(&format!("marker-end:url(#{tip})")), "{tip}");
        assert!(STYLE.contains(&format!("stroke:{color}")), "{tip}");
    }
}
