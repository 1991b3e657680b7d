use consign_pipeline::{
    Target,
    file::{self, Source},
};

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

/// A critic without a route beside another, and those whom its verdicts mean beside others too.
const CROWD: &str = r#"
name = "crowd"
[[stage]]
name = "pair"
parallel = ["look", "ask"]
default_next = "work"
error_next = "end"
[[stage]]
name = "look"
agent = "mine"
[[stage]]
name = "ask"
agent = "mine"
output_key = "intent"
[[stage]]
name = "work"
parallel = ["do", "judge", "log"]
[[stage.route]]
key = "log.enough"
equals = true
to = "pair"
[[stage]]
name = "do"
agent = "mine"
output_key = "execution"
[[stage]]
name = "judge"
agent = "mine"
output_key = "critic"
[[stage]]
name = "log"
agent = "mine"
"#;

fn read(text: &str) -> Pipeline {
    Source::toml(text).and_then(|source| file::read(&source)).unwrap()
}

fn circles() -> Pipeline {
    read(CIRCLES)
}

/// Where every label stands: left, right, top, bottom.
fn labels(layout: &Layout<'_>) -> Vec<(i32, i32, i32, i32)> {
    let size = |way: &Way| {
        let lines = lines(way);
        let longest = lines.iter().map(|line| line.chars().count().min(MOST_LETTERS)).max();
        (7 * i32::try_from(longest.unwrap_or(0)).unwrap(), 7 * i32::try_from(lines.len()).unwrap())
    };
    let told = layout.beside.iter().filter(|bend| !bend.way.when.is_empty());
    let bent = told.map(|bend| {
        let (y, (wide, half)) = (layout.label(bend), size(bend.way));
        let (left, right) = if bend.back {
            (bend.x - 6 - wide, bend.x - 6)
        } else {
            (bend.x + 6, bend.x + 6 + wide)
        };
        (left, right, y - half, y + half)
    });
    let told = layout.straight.iter().filter(|(_, way)| !way.when.is_empty());
    let straight = told.map(|(row, way)| {
        let (x, y, (wide, half)) = (layout.middle() + 8, layout.gap(*row), size(way));
        (x, x + wide, y - half, y + half)
    });
    bent.chain(straight).collect()
}

#[test]
fn no_label_meets_another_or_a_lane_or_the_edge() {
    for pipeline in [file::default(), circles(), read(CROWD)] {
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
                assert!(!through || !along.contains(top), "{at} of {labels:?}: {:?}", bend.way);
            }
        }
    }
}

#[test]
fn ways_that_share_an_edge_do_not_share_a_place_on_it() {
    for pipeline in [file::default(), circles(), read(CROWD)] {
        let ways = ways(&pipeline);
        let layout = Layout::of(&pipeline, &ways);
        let mut places = Vec::new();
        for bend in &layout.beside {
            let (from, to) = layout.edges(bend);
            places.push((from, bend.from_y));
            if bend.joins.is_none() {
                places.push((to, bend.to_y));
            }
        }
        let all = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), all);
    }
}

#[test]
fn those_that_run_at_once_stand_in_one_box_between_two_bars() {
    let pipeline = read(CROWD);
    let svg = draw(&pipeline);
    assert_eq!(svg.matches("class=\"group\"").count(), 2, "{svg}");
    assert_eq!(svg.matches("class=\"bar\"").count(), 4, "{svg}");
    // Each of the five begins at one, and ends at the other.
    assert_eq!(svg.matches("class=\"way beside\"").count(), 10, "{svg}");
    let ways = ways(&pipeline);
    let layout = Layout::of(&pipeline, &ways);
    let mut below = 0;
    for row in &layout.rows {
        assert!(row.top >= below, "one row stands in another");
        below = row.bottom();
    }
    assert!(below <= layout.height);
}

#[test]
fn ways_to_one_place_for_one_reason_share_a_lane_and_an_arrow() {
    let pipeline = circles();
    let ways = ways(&pipeline);
    let layout = Layout::of(&pipeline, &ways);
    let failed = layout.beside.iter().filter(|bend| bend.way.kind == Kind::Error);
    let [first, second] = failed.collect::<Vec<_>>()[..] else { panic!("there are two") };
    assert_eq!((first.x, first.to_y), (second.x, second.to_y));
    assert_eq!((first.joins, second.joins), (Some(second.from_y), None));
}

#[test]
fn ways_that_no_route_names_are_drawn() {
    let svg = draw(&read(CROWD));
    for word in
        ["critic.verdict = reintent", "clarified", "confirmed", "log.enough = true", "failed"]
    {
        assert!(svg.contains(&format!(">{word}</text>")), "{word}: {svg}");
    }
}

#[test]
fn a_long_value_is_shortened_and_the_whole_is_in_its_title() {
    let svg = draw(&circles());
    let long = "a".repeat(40);
    assert!(svg.contains(&format!("<title>x = &quot;{long}&lt;bbb")), "{svg}");
    assert!(svg.contains(&format!("</title>&quot;{}…</text>", "a".repeat(28))), "{svg}");
    assert!(!svg.contains("<bbb"), "{svg}");
}

#[test]
fn a_label_has_a_line_for_each_reason_while_there_is_room() {
    let check = |when: &[&str], expected: &[&str]| {
        let when = when.iter().map(|when| (*when).to_owned()).collect();
        let way = Way { from: 0, to: Target::End, when, kind: Kind::Usual };
        assert_eq!(lines(&way), expected);
    };
    check(&[], &[]);
    check(&["x = 1", "x = 2", "x = 3", "else"], &["x = 1", "x = 2", "x = 3", "else"]);
    check(&["1", "2", "3", "4", "5"], &["1", "2", "3", "and 2 more"]);
    let long = "result.classification = to be looked at";
    let [key, value] = ["result.classification =", "to be looked at"];
    check(&[long, "else"], &[key, value, "else"]);
    check(&[long, long, "else"], &[key, value, "and 2 more"]);
}

#[test]
fn the_head_of_an_arrow_has_the_colour_of_its_line() {
    let svg = draw(&circles());
    for (tip, color) in [
        ("tip", "#475569"),
        ("tip-error", "#dc2626"),
        ("tip-asked", "#7c3aed"),
        ("tip-beside", "#0f766e"),
    ] {
        assert!(svg.contains(&format!("<path class=\"{tip}\"")), "{svg}");
        assert!(STYLE.contains(&format!(".{tip}{{fill:{color}}}")), "{tip}");
        assert!(STYLE.contains(&format!("marker-end:url(#{tip})")), "{tip}");
        assert!(STYLE.contains(&format!("stroke:{color}")), "{tip}");
    }
}
