//! A requirement of Python: `fastapi[all]>=0.110,<1; python_version > "3.8"`.

/// The package, in lower case with hyphens as the index has it, and its version as it is written. An exact
/// version (`==1.2`) is only its number.
pub(super) fn requirement(text: &str) -> Option<(String, Option<String>)> {
    let text = text.split([';', '#']).next().unwrap_or_default().trim();
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    if name.is_empty() || !name.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let mut rest = rest.trim();
    if rest.starts_with('[') {
        rest = rest.split_once(']').map_or("", |(_, rest)| rest.trim());
    }
    if rest.starts_with('@') {
        rest = "";
    }
    let version = rest.trim_matches(['(', ')']).trim();
    let version = version.strip_prefix("==").map_or(version, str::trim);
    Some((canonical(name), (!version.is_empty()).then(|| version.to_owned())))
}

pub(super) fn canonical(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_has_a_name_and_perhaps_a_version() {
        for (text, name, version) in [
            ("fastapi==0.110.0", "fastapi", Some("0.110.0")),
            ("uvicorn[standard]>=0.20,<1 ; python_version>'3'", "uvicorn", Some(">=0.20,<1")),
            ("Flask_SQLAlchemy", "flask-sqlalchemy", None),
            ("pkg @ https://example.invalid/x.zip", "pkg", None),
            ("django (>=4.2)", "django", Some(">=4.2")),
        ] {
            let expected = Some((name.to_owned(), version.map(str::to_owned)));
            assert_eq!(requirement(text), expected, "{text}");
        }
        for text in ["", "# nothing", "-r base.txt", "--hash=x"] {
            assert_eq!(requirement(text), None, "{text}");
        }
    }
}
