//! Suggests the known name that is nearest to a mistyped one.

/// The known name that is nearest to a mistyped one: as it stands, or by what is behind its slash.
pub fn nearest(name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    // Comparing costs the product of the lengths, and no name is this long.
    if name.len() > 100 {
        return None;
    }
    let likeness = |known: &str| {
        let (_, last) = known.split_once('/').unwrap_or_default();
        strsim::jaro_winkler(known, name).max(strsim::jaro_winkler(last, name))
    };
    let known = known.into_iter().map(|known| (likeness(known.as_ref()), known));
    let near = known.filter(|(likeness, _)| *likeness > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
    near.map(|(_, near)| near.as_ref().to_owned())
}
