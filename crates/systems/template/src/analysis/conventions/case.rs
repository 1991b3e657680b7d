//! Recognises how a name is written, such as `snake_case`.

/// The style of a name, if it is clear: one lower-case word fits several.
pub(super) fn style(name: &str) -> Option<&'static str> {
    let name = name.trim_matches('_');
    let first = name.chars().next()?;
    let upper = name.chars().any(char::is_uppercase);
    let lower = name.chars().any(char::is_lowercase);
    if name.contains('-') {
        return (!upper).then_some("kebab-case");
    }
    if name.contains('_') {
        return match (upper, lower) {
            (false, _) => Some("snake_case"),
            (true, false) => Some("UPPER_CASE"),
            (true, true) => None,
        };
    }
    if first.is_uppercase() {
        return lower.then_some("PascalCase");
    }
    upper.then_some("camelCase")
}

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn a_name_shows_its_style() {
        for (name, expected) in [
            ("order_line", Some("snake_case")),
            ("orderLine", Some("camelCase")),
            ("OrderLine", Some("PascalCase")),
            ("order-line", Some("kebab-case")),
            ("ORDER_LINE", Some("UPPER_CASE")),
            ("order", None),
            ("__init__", None),
            ("X", None),
            ("", None),
        ] {
            assert_eq!(style(name), expected, "{name}");
        }
    }
}
