//! Fills in the placeholders of a prompt.

use consign_contracts::secrets::hidden;

/// Replaces each placeholder `{{name}}` by its value. Values are not searched for placeholders, so
/// that nothing in a project can fill in more.
#[must_use]
pub(super) fn fill(words: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(at) = rest.find("{{") {
        filled.push_str(&rest[..at]);
        let place = &rest[at + 2..];
        let known = values.iter().find_map(|(name, value)| {
            place.strip_prefix(name)?.strip_prefix("}}").map(|after| (value, after))
        });
        rest = match known {
            Some((value, after)) => {
                filled.push_str(value);
                after
            }
            None => {
                filled.push_str("{{");
                place
            }
        };
    }
    filled.push_str(rest);
    // Wherever it comes from: what opens something is nobody's business outside.
    hidden(&filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled_once_and_values_are_left_alone() {
        let check = |words: &str, filled: &str| {
            assert_eq!(fill(words, &[("a", "{{b}}"), ("b", "B")]), filled);
        };
        check("{{a}} and {{b}}", "{{b}} and B");
        check("{{a}}{{a}}", "{{b}}{{b}}");
        check("{{c}} {{a}", "{{c}} {{a}");
        check("{{{a}}}", "{{{a}}}");
        check("", "");
    }
}
