//! The anchors of headings, as GitHub makes them.

use std::collections::HashMap;

use super::Document;

/// `What's new?` is `whats-new`.
#[must_use]
pub fn slug(text: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    text.trim().to_lowercase().chars().filter_map(kept).collect()
}

/// Adds the anchors of all headings; the second of a name is `name-1`.
pub(super) fn number(document: &mut Document) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for heading in &document.headings {
        let slug = slug(&heading.text);
        let count = seen.entry(slug.clone()).or_default();
        document.anchors.push(match *count {
            0 => slug,
            count => format!("{slug}-{count}"),
        });
        *count += 1;
    }
}
