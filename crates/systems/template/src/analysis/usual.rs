//! The usual names of the frameworks that a package belongs to.

use super::{frameworks, testing};

/// Frameworks and test frameworks that a package of this name belongs to.
pub(crate) fn usual_names(package: &str) -> impl Iterator<Item = &'static str> {
    let all = frameworks::known().chain(testing::known());
    let fits = move |known: &&str| match known.strip_suffix('*') {
        Some(start) => package.starts_with(start),
        None => *known == package,
    };
    all.filter(move |(_, packages)| packages.iter().any(fits)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::usual_names;

    #[test]
    fn a_package_has_the_name_that_people_use() {
        for (package, names) in [
            ("next", &["Next.js"][..]),
            ("org.junit.jupiter:junit-jupiter-api", &["JUnit 5"]),
            ("left-pad", &[]),
        ] {
            assert_eq!(usual_names(package).collect::<Vec<_>>(), names, "{package}");
        }
    }
}
