//! The English keywords that a line begins with.

/// What a keyword with a colon opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Feature,
    Rule,
    Background,
    Scenario,
    Examples,
}

const HEADERS: [(&str, Header); 11] = [
    ("Feature", Header::Feature),
    ("Business Need", Header::Feature),
    ("Ability", Header::Feature),
    ("Rule", Header::Rule),
    ("Background", Header::Background),
    ("Scenario Outline", Header::Scenario),
    ("Scenario Template", Header::Scenario),
    ("Scenario", Header::Scenario),
    ("Example", Header::Scenario),
    ("Examples", Header::Examples),
    ("Scenarios", Header::Examples),
];

/// The header that a trimmed line is, with what follows its colon.
pub(super) fn header(line: &str) -> Option<(Header, &str)> {
    HEADERS.iter().find_map(|(keyword, header)| {
        let rest = line.strip_prefix(keyword)?.strip_prefix(':')?;
        Some((*header, rest.trim()))
    })
}

/// Whether a trimmed line is a step.
pub(super) fn is_step(line: &str) -> bool {
    ["Given ", "When ", "Then ", "And ", "But ", "* "]
        .iter()
        .any(|keyword| line.starts_with(keyword))
}
