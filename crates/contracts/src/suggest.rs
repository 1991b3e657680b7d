//! The name that was probably meant, where a document has another.

/// The known name that is nearest to a misspelt one. Of a short name few letters may be wrong: a suggestion that is
/// far off is worse than none.
#[must_use]
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // Comparing costs the product of the lengths, and no name is this long.
    if name.len() > 100 {
        return None;
    }
    let name = name.to_lowercase();
    let most = (name.chars().count() / 3).min(2);
    let known = known.into_iter().map(|known| (strsim::damerau_levenshtein(known, &name), known));
    let near = known.min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, _)| *distance <= most).map(|(_, near)| near)
}

/// The known member that is nearest to a misspelt one, or has its words, as `default_next` has those of `next`.
#[must_use]
pub fn meant<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.to_lowercase().replace('-', "_");
    let in_part = |known: &&str| {
        let words: Vec<_> = known.split('_').collect();
        name.split('_').all(|word| words.contains(&word))
    };
    let in_part = || known.iter().copied().find(in_part);
    nearest(&name, known.iter().copied()).or_else(in_part)
}

/// `; did you mean "b"?`, with the quotes that belong there.
#[must_use]
pub fn ask(near: Option<&str>, quote: char) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {quote}{near}{quote}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_suggested_and_what_is_far_is_not() {
        let known = ["one", "two", "three", "integration", "end"];
        for (name, expected) in [
            ("thre", Some("three")),
            ("Three", Some("three")),
            ("tow", Some("two")),
            ("End", Some("end")),
            ("END", Some("end")),
            ("ende", Some("end")),
            ("intergation", Some("integration")),
            ("on", None),
            ("finish", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name:?}");
        }
        assert_eq!(nearest(&"three".repeat(100), known), None);
    }

    #[test]
    fn a_member_may_be_named_in_part() {
        let known =
            ["name", "default_next", "error_next", "output_key", "routes", "max_agent_hops"];
        for (name, expected) in [
            ("next", Some("default_next")),
            ("default-next", Some("default_next")),
            ("error", Some("error_next")),
            ("route", Some("routes")),
            ("max_hops", Some("max_agent_hops")),
            ("max_next", None),
            ("colour", None),
        ] {
            assert_eq!(meant(name, &known), expected, "{name:?}");
        }
    }
}
